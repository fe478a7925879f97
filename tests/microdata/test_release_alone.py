"""Releases that are read without their original."""

import numpy as np
import pandas as pd
import pytest
from malaysian import LOCAL_RECODING, PATIENTS, patients

import unveil as uv
from unveil.errors import InputError
from unveil.microdata import Kind, read_release_alone

ROLES = {"quasi": ["nationality", "zip"], "sensitive": "disease"}
ZIPS = sorted(set(PATIENTS["zip"]))


def test_it_is_the_release_that_is_read_with_the_original():
    alone = read_release_alone(LOCAL_RECODING, **ROLES, values={"zip": ZIPS}, categorical=["zip"])
    original = patients("nationality", "zip")
    beside = uv.read_release(LOCAL_RECODING, original)
    assert [c.texts for c in alone.quasi] == [c.texts for c in original.quasi]
    assert (alone.counts == beside.counts).all()
    assert alone.to_frame().equals(beside.to_frame())
    codes = original.codes
    assert (alone.joint_counts(codes) == beside.joint_counts(codes)).all()
    assert (alone.dropped, alone.suppressed) == (0, 0)


def test_from_a_file_and_with_a_hierarchy(tmp_path):
    survey = uv.datasets.election_survey()
    release = uv.Mondrian(k=20).sanitize(survey)
    file = tmp_path / "released.csv"
    release.to_frame().to_csv(file, index=False)
    trees = {c.name: c.hierarchy for c in survey.quasi if c.hierarchy is not None}
    ordinal = {c.name: list(c.texts) for c in survey.quasi if c.kind is Kind.ORDINAL}
    alone = read_release_alone(
        file, quasi=[c.name for c in survey.quasi], sensitive="party", hierarchies=trees,
        ordinal=ordinal, values={"population": survey["population"].texts}, made_by="the office",
    )  # fmt: skip
    assert alone.made_by == "the office"
    assert sorted(alone.sizes) == sorted(release.sizes)
    for column, original in zip(alone.quasi, survey.quasi, strict=True):
        if column.name != "age":  # of which the bounds alone are known
            assert column.texts == original.texts
    assert len(alone.notes) == 1
    assert alone.notes[0].startswith("the values of age are taken from the release: ")


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["30-32", "35"], "30 31 32 33 34 35"),
        (["[30, 33)", "(33, 34]"], "30 31 32 33 34"),
        (["<=3", "5+", "*"], "3 4 5"),
        (["-2--1", "1"], "-2 -1 0 1"),
        (["{1, 7}", "3"], "1 3 7"),
        (["['a', 'c']", "b"], "a b c"),
        (['{"a, b", c}', "NA"], "a, b|c"),
    ],
)
def test_values_that_the_cells_name(cells, values):
    table = {"q": cells, "s": ["x", "y"] + ["x"] * (len(cells) - 2)}
    expected = values.split("|") if "|" in values else values.split(" ")
    assert list(read_release_alone(table, quasi="q", sensitive="s").quasi[0].texts) == expected


def test_what_looks_like_numbers_may_be_words():
    table = {"q": ["30-32", "35"], "s": ["x", "y"]}
    alone = read_release_alone(table, quasi="q", sensitive="s", categorical=["q"])
    assert alone.quasi[0].texts == ("30-32", "35")
    assert read_release_alone(table, quasi="q", sensitive="s", numeric=["q"]).quasi[0].size == 6


def test_suppressed_records_and_hidden_secrets():
    table = {"q": ["a", "*", "b", "a"], "s": ["x", "y", "*", "x"]}
    alone = read_release_alone(table, quasi="q", sensitive="s")
    assert len(alone) == 3
    assert alone.suppressed == 1
    assert alone.sensitive.texts == ("x", "y")
    assert any("1 of 3 records is suppressed" in note for note in alone.notes)


def test_rows_that_stand_for_several_records():
    table = {"q": ["1-3", "2-4"], "s": ["x", "y"], "n": [3, 2]}
    alone = read_release_alone(table, quasi="q", sensitive="s", count="n")
    assert alone.counts.tolist() == [[3, 0], [0, 2]]
    assert len(read_release_alone(table, quasi="q", sensitive="s")) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {},
            "'zip' cannot be told from the release alone: cells such as '4550*' do not tell which",
        ),
        ({"values": {"zipp": ["1"]}}, "values names 'zipp', which is no quasi-identifier; did you"),
        ({"values": {"zip": []}}, "values names no value of zip"),
        ({"values": {"zip": ["1"]}}, "cannot read the cell '4550*'"),
        ({"quasi": ["nationalty"]}, "did you mean 'nationality'?"),
        ({"count": "n"}, "column 'n' is not in"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(InputError) as error:
        read_release_alone(LOCAL_RECODING, **{**ROLES, "categorical": ["zip"], **options})
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (['["low", "mid"]', "high"], "is a matter of their order; say them with ordinal="),
        (["1.5-2.5", "3"], "which numbers there are between 1.5 and 3 is not known"),
        (["0-9999999", "3"], "which numbers there are between 0 and 1e+07 is not known"),
        (["10-20", "unknown"], "it has intervals of numbers, and 'unknown' is none"),
        (["*", "*"], "all its cells are suppressed"),
    ],
)
def test_cells_that_do_not_tell(cells, message):
    with pytest.raises(InputError) as error:
        read_release_alone({"q": cells, "s": ["x", "y"]}, quasi="q", sensitive="s")
    assert message in str(error.value)


def test_no_secret_at_all():
    with pytest.raises(InputError, match="no row of table tells a s"):
        read_release_alone({"q": ["a"], "s": ["*"]}, quasi="q", sensitive="s")


def test_any_table_of_whole_numbers_comes_back(tmp_path):
    rng = np.random.default_rng(5)
    for n in (1, 7, 60):
        frame = pd.DataFrame({"q": rng.integers(0, 9, n), "s": rng.choice(["a", "b"], n)})
        original = uv.read_table(frame, quasi="q", sensitive="s")
        release = uv.Mondrian(k=max(1, n // 5)).sanitize(original)
        alone = read_release_alone(release.to_frame(), quasi="q", sensitive="s")
        places = [original["q"].places.get(text, -1) for text in alone.quasi[0].texts]
        known = np.array([place >= 0 for place in places])
        everybody = np.array([range(len(places))], dtype=np.int32)[:, known]
        theirs = np.array([[place for place in places if place >= 0]], dtype=np.int32)
        assert (alone.joint_counts(everybody) == release.joint_counts(theirs)).all()
