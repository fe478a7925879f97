"""Linkage and composition on Adult: people of the whole table against releases of a part of it."""

import numpy as np
import pandas as pd
import pytest

import unveil as uv

pytestmark = pytest.mark.real

ARX = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")


@pytest.fixture(scope="module")
def everybody(adult):
    return adult()


@pytest.fixture(scope="module")
def members(everybody):
    return np.sort(np.random.default_rng(1).permutation(len(everybody))[:30_000])


@pytest.mark.parametrize(
    "sanitizer", [uv.Identity(), uv.Mondrian(k=5), uv.Mondrian(k=5, regions="cut")], ids=str
)
def test_a_sample_of_people_by_brute_force(everybody, members, sanitizer):
    release = sanitizer.sanitize(everybody.take(members))
    finding = uv.linkage(release, everybody)
    some = np.random.default_rng(2).choice(len(everybody), 200, replace=False)
    counts = release.joint_counts(everybody.codes[:, some])
    np.testing.assert_array_equal(finding.candidates[some], counts.sum(axis=1))
    np.testing.assert_array_equal(finding.values[some], (counts > 0).sum(axis=1))


def test_who_is_rightly_linked(everybody, members):
    table = everybody.take(members)
    record_of = np.full(len(everybody), -1)
    record_of[members] = np.arange(len(members))
    found = {}
    for name, sanitizer in {"as it is": uv.Identity(), "k = 5": uv.Mondrian(k=5)}.items():
        release = sanitizer.sanitize(table)
        found[name] = uv.linkage(release, everybody, microdata=table, record_of=record_of)
        assert found[name].in_table == 30_000
        assert found[name].own_among == 30_000
        assert found[name].records_of_nobody == 0
    plain, hidden = found.values()
    # Of 30,000 people, many are alone with five attributes; with k = 5 nobody is.
    assert plain.unique_right > 3_000
    assert plain.unique.sum() > plain.unique_right  # people outside who are taken for members
    assert hidden.unique.sum() == 0
    assert hidden.candidates[members].min() >= 5
    assert hidden.record_right < 0.2 < plain.record_right
    assert hidden.value_right < plain.value_right
    assert hidden.records_of_one == 0


def test_anatomy(everybody, members):
    table = everybody.take(members[:5_000])
    release = uv.Anatomy(l=3).sanitize(table)
    finding = uv.linkage(release, table, microdata=table)
    expected = release.joint_counts(table.codes)
    assert finding.candidates.tolist() == expected.sum(axis=1).round().astype(int).tolist()
    own = expected[np.arange(5_000), table.sensitive.codes] / expected.sum(axis=1)
    assert finding.value_right == pytest.approx(own.mean())
    assert finding.one_value.sum() == 0
    assert finding.record_right > finding.value_right


def test_ages_that_only_the_others_have(real_data):
    """ARX's hierarchy writes ages as ranges, which tell about ages that no record has."""
    folder = real_data / "adult_arx"
    people = pd.read_csv(folder / "adult.csv", sep=";")
    young = people["age"].isin(range(17, 90, 2))
    table = uv.read_table(
        people[young], quasi=ARX, sensitive="occupation", hierarchies=folder / "hierarchies"
    )
    release = uv.Recoding(k=5, suppression=0.05).sanitize(table)
    others = people[~young]
    finding = uv.linkage(release, others)
    levels = uv.Recoding(k=5, suppression=0.05).levels(table)
    width = {1: 5, 2: 10, 3: 20}[levels["age"]]
    assert finding.found > 0.9 * len(others)
    # A neighbour of the same range of ages has the same candidates.
    neighbours = others.assign(age=others["age"] // 2 * 2 + 1)
    same = (neighbours["age"] // width == others["age"] // width) & (neighbours["age"] < 80)
    assert same.sum() > 1_000
    beside = uv.linkage(release, neighbours)
    np.testing.assert_array_equal(finding.candidates[same], beside.candidates[same])


def test_composition_of_two_releases(everybody, members):
    """Two halves of the table that overlap; those in both are looked for in both."""
    half = len(members) // 3
    parts = [members[: 2 * half], members[half:]]
    both = everybody.take(members[half : 2 * half])
    releases = [
        uv.Mondrian(k=5).sanitize(everybody.take(parts[0])),
        uv.Mondrian(k=8).sanitize(everybody.take(parts[1])),
    ]
    finding = uv.composition(releases, both)
    assert len(finding) == half
    assert finding.left.own.all()
    assert finding.k == 5
    for left, k in zip(finding.alone, (5, 8), strict=True):
        assert left.candidates.min() >= k
        assert (finding.left.values <= left.values).all()
        assert (finding.left.candidates <= left.candidates).all()
    assert finding.newly_determined.sum() > 0
    assert finding.newly_below_k.sum() > half // 10
    exact = uv.composition(releases, both, pseudonym=parts)
    assert (exact.left.candidates <= finding.left.candidates).all()
    assert exact.determined.sum() > finding.determined.sum()
    assert exact.left.own.all()
