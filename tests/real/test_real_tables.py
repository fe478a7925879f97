"""The public tables read as they are, and have the sizes that were published."""

import numpy as np
import pytest

from unveil.microdata import Kind, read_csv

pytestmark = pytest.mark.real

FIVE = ("age", "education_attainment", "major_occupation", "marital_status", "race")


def test_internet_usage_has_its_published_sizes(internet_usage):
    survey = internet_usage()
    assert len(survey) == 9_799
    assert len(survey.distinct) == 9_506
    assert len(internet_usage(FIVE).distinct) == 7_049


def test_internet_usage_with_coarse_ages(internet_usage):
    survey = internet_usage(FIVE)
    keys = np.vstack([survey.codes, survey.sensitive.codes])
    keys[0] = np.digitize(survey["age"].decode(), [20, 40, 60], right=True)
    assert np.unique(keys, axis=1).shape[1] == 2_926


def test_internet_usage_says_what_it_left_out(internet_usage):
    survey = internet_usage()
    assert survey.notes == ("309 of 10,108 records with missing values dropped (age 309)",)
    assert survey.source == "internet.data"
    assert survey["age"].kind is Kind.NUMERIC
    assert survey.rows[-1] == 10_107


def test_adult_has_its_published_size(adult):
    assert len(adult()) == 45_222


def test_adult_from_its_two_files_without_pandas(real_data, adult):
    columns = {0: "age", 6: "occupation", 13: "native_country"}
    parts = [
        read_csv(
            real_data / "adult" / name,
            quasi=["age", "native_country"],
            sensitive="occupation",
            missing="drop",
            missing_values=["?"],
            columns=columns,
            comment="|",
        )
        for name in ("adult.data", "adult.test")
    ]
    whole = adult(("age", "native_country"))
    assert [len(part) for part in parts] == [30_162, 15_060]
    for name in columns.values():
        split = np.concatenate([part[name].decode() for part in parts])
        np.testing.assert_array_equal(split, whole[name].decode())


def test_adult_of_arx_has_its_published_size(adult_arx):
    census = adult_arx()
    assert len(census) == 30_162
    assert census.notes == ()
    assert all(column.hierarchy for column in census.columns)


def test_records_come_back_as_they_are_in_the_file(adult_arx, real_data):
    lines = (real_data / "adult_arx" / "adult.csv").read_text().splitlines()
    table = adult_arx().to_frame()[lines[0].split(";")]
    for i in (0, 1, 12_345, 30_161):
        assert ";".join(map(str, table.iloc[i])) == lines[i + 1]


def test_every_value_is_where_its_hierarchy_says(internet_usage, adult, adult_arx):
    for table in (internet_usage(), adult(), adult_arx()):
        for column in table.columns:
            if column.hierarchy is not None:
                assert column.hierarchy.leaves == column.texts
