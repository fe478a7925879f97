"""A release counts who covers a target, and shows itself as tables and as text."""

import numpy as np
import pytest
from hypothesis import given
from proofs import examples
from random_tables import random_microdata, tables_and_goals

import unveil as uv
from unveil.microdata import Statistic, _regions

PATIENTS = uv.read_table(
    {
        "age": [28, 36, 47, 53, 72],
        "gender": ["M", "M", "F", "M", "F"],
        "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"],
    },
    quasi=["age", "gender"],
    sensitive="disease",
)
RELEASE = uv.Mondrian(k=2).sanitize(PATIENTS)


def counted(release, codes, every):
    """Count released records one by one: those that cover a target in one or in every column."""
    columns, values = len(release.quasi), release.sensitive.size
    cover, joint = np.zeros((columns, values), int), np.zeros(values, int)
    for g, s in zip(release.class_of, release.sensitive.codes, strict=True):
        bits = [bool(release.regions[j].covers(int(codes[j]))[g]) for j in range(columns)]
        cover[bits, s] += 1
        joint[s] += all(bits)
    return joint if every else cover


@examples(60)
@given(tables_and_goals(max_size=20))
def test_counts_are_those_of_the_records_one_by_one(case):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    cover = release.statistic(Statistic.COVER, microdata.codes)
    joint = release.statistic(Statistic.JOINT, microdata.codes)
    for i in range(len(microdata)):
        one = microdata.codes[:, [i]]
        np.testing.assert_array_equal(cover[i], counted(release, one[:, 0], every=False))
        np.testing.assert_array_equal(joint[i], counted(release, one[:, 0], every=True))
        np.testing.assert_array_equal(cover[i], release.cover_counts(one)[0])
        np.testing.assert_array_equal(joint[i], release.joint_counts(one)[0])


def test_joint_counts_do_not_depend_on_how_many_are_looked_at_together(monkeypatch):
    microdata = random_microdata(2, 150, ("fine", "tree"))
    release = uv.Mondrian(k=3).sanitize(microdata)
    whole = release.joint_counts(microdata.codes)
    monkeypatch.setattr(_regions, "_CHUNK", 7 * release.n_classes)
    np.testing.assert_array_equal(whole, release.joint_counts(microdata.codes))
    for few in (0, 40, 400):  # told apart column by column
        monkeypatch.setattr(_regions, "_FEW", few)
        np.testing.assert_array_equal(whole, release.joint_counts(microdata.codes))


@examples(30)
@given(tables_and_goals(max_size=20))
def test_targets_told_apart_have_the_counts_of_the_records_one_by_one(case):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_regions, "_FEW", 0)
        joint = release.joint_counts(microdata.codes)
    for i in range(len(microdata)):
        np.testing.assert_array_equal(joint[i], counted(release, microdata.codes[:, i], every=True))


def test_the_heart_is_a_table_of_classes_and_sensitive_values():
    assert RELEASE.n_classes == 2
    assert RELEASE.sizes.tolist() == [2, 3]
    assert RELEASE.counts.tolist() == [[0, 2], [1, 2]]
    assert RELEASE.totals.tolist() == [1, 4]
    assert len(RELEASE) == 5


def test_as_a_table_of_records():
    frame = RELEASE.to_frame()
    assert list(frame.columns) == ["age", "gender", "disease"]
    assert frame.iloc[2].tolist() == ["[47, 72]", "{F, M}", "Cancer"]


def test_as_a_table_of_classes():
    table = RELEASE.classes()
    assert table.to_dict("records") == [
        {"records": 2, "age": "[28, 36]", "gender": "M", "disease=Cancer": 0, "disease=Flu": 2},
        {"records": 3, "age": "[47, 72]", "gender": "{F, M}", "disease=Cancer": 1,
         "disease=Flu": 2},
    ]  # fmt: skip


def test_a_column_called_records_does_not_hide_the_sizes():
    table = uv.read_table({"records": [1, 2], "s": ["a", "b"]}, quasi="records", sensitive="s")
    classes = uv.Mondrian(k=2).sanitize(table).classes()
    assert classes["records"].tolist() == [2]
    assert "[1, 2]" in classes.iloc[0].tolist()


def test_it_prints_a_few_classes_and_says_how_many_more():
    numbers = {"age": range(20), "city": ["x" * 50] * 20, "vote": ["a", "b"] * 10}
    table = uv.read_table(numbers, quasi=["age", "city"], sensitive="vote")
    lines = repr(uv.Identity().sanitize(table)).splitlines()
    assert lines[0] == "Release by Identity(): 20 records in 20 classes of 1"
    assert lines[-1] == "  … and 15 more classes"
    assert max(map(len, lines)) < 80


@pytest.mark.parametrize("statistic", list(Statistic))
def test_a_release_knows_nothing_of_whom_nobody_covers(statistic):
    without = uv.Mondrian(k=2).sanitize(PATIENTS.without(2))
    counts = without.statistic(statistic, PATIENTS.codes[:, [2]])[0]
    assert counts[0].sum() == 0
