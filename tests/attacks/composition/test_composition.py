"""Composition: what is left of people's candidates, by hand and by brute force."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from permuted_tables import groupings
from plain_linkage import candidates, entries, together
from random_tables import tables_and_goals

import unveil as uv
from unveil.attacks.composition import _intersection
from unveil.errors import InputError, MissingValuesError
from unveil.microdata import Permuted

CITY = uv.read_release(
    {
        "age": ["20-29", "20-29", "20-29", "30-39", "30-39", "30-39"],
        "disease": ["Flu", "HIV", "Cold", "Flu", "Flu", "HIV"],
    },
    quasi="age", sensitive="disease",
)  # fmt: skip
COUNTY = uv.read_release(
    {
        "age": ["25-34", "25-34", "25-34", "35-60", "35-60", "35-60", "18-24", "18-24", "18-24"],
        "disease": ["HIV", "Flu", "Asthma", "Cold", "Cold", "Flu", "Cold", "HIV", "HIV"],
    },
    quasi="age", sensitive="disease",
)  # fmt: skip
HOSPITALS = {"city": CITY, "county": COUNTY}
PEOPLE = {"name": ["Ann", "Bob", "Cat", "Dan"], "age": [27, 37, 22, 50]}


def test_by_hand():
    """Both hospitals have three people in each class.

    Ann, 27: Flu, HIV, Cold in the city; HIV, Flu, Asthma in the county. Flu and HIV are left, and
    one record of each at most. Bob, 37: two Flu and HIV; two Cold and Flu. It is Flu, and of the
    city's two records with it only one can be somebody's who is in the county's, too. Cat, 22: Flu,
    HIV, Cold; Cold and two HIV. Dan, 50, is not in the city's table.
    """
    finding = uv.composition(HOSPITALS, external=PEOPLE, identifier="name")
    city, county = finding.alone
    assert finding.k == 3
    assert city.candidates.tolist() == [3, 3, 3, 0]
    assert city.values.tolist() == [3, 2, 3, 0]
    assert county.candidates.tolist() == [3, 3, 3, 3]
    assert county.values.tolist() == [3, 2, 2, 2]
    assert finding.left.values.tolist() == [2, 1, 2, 0]
    assert finding.left.candidates.tolist() == [2, 1, 2, 0]
    assert finding.determined.tolist() == [False, True, False, False]
    assert finding.newly_determined.tolist() == [False, True, False, False]
    assert finding.below_k.tolist() == [True, True, True, False]
    assert finding.newly_below_k.tolist() == [True, True, True, False]
    assert finding.contradicted.tolist() == [False, False, False, True]
    assert finding.to_frame()["disease"].tolist() == [None, "Flu", None, None]
    assert finding.determined_right is None


def test_by_hand_with_pseudonyms():
    """Those in both tables are p, q, r and s; of the city's 30-39 only p is, of its 20-29 all else.

    Ann's candidates are q (Flu) and r (HIV); Bob's is p; Cat's are s (Cold).
    """
    finding = uv.composition(
        HOSPITALS, external=PEOPLE, identifier="name",
        pseudonym=[["q", "r", "s", "p", "x", "y"], ["r", "q", 1, 2, 3, "p", "s", 4, 5]],
    )  # fmt: skip
    assert finding.identified
    assert finding.left.candidates.tolist() == [2, 1, 1, 0]
    assert finding.left.values.tolist() == [2, 1, 1, 0]
    assert finding.to_frame()["disease"].tolist() == [None, "Flu", "Cold", None]


def test_three_releases():
    third = uv.read_release(
        {"age": ["18-60"] * 4, "disease": ["Flu", "Cold", "Asthma", "HIV"]}, quasi="age",
        sensitive="disease",
    )  # fmt: skip
    finding = uv.composition([CITY, COUNTY, third], external=PEOPLE)
    assert finding.left.values.tolist() == [2, 1, 2, 0]
    assert finding.labels == ("somebody, release 1", "somebody, release 2", "somebody, release 3")
    assert "all together" in finding.verdict()
    assert finding.k == 3


def test_releases_of_different_columns():
    """One tells age, the other sex; the attacker knows both."""
    ages = uv.read_release(
        {"age": ["20-29", "20-29", "30-39"], "s": ["a", "b", "c"]}, quasi="age", sensitive="s"
    )
    sexes = uv.read_release(
        {"sex": ["F", "F", "M"], "s": ["b", "d", "a"]}, quasi="sex", sensitive="s"
    )
    people = {"age": [25, 25], "sex": ["F", "M"]}
    finding = uv.composition([ages, sexes], external=people)
    assert finding.to_frame()["s"].tolist() == ["b", "a"]
    assert finding.known == ("age", "sex")
    less = uv.composition([ages, sexes], external={"age": [25]}, knows="age")
    assert less.left.values.tolist() == [2]


# Fast and plain


@given(tables_and_goals(), st.sampled_from(["tight", "cut"]), st.integers(0, 2**32 - 1))
def test_like_comparing_everybody_with_every_record(one, regions, seed):
    table, goal = one
    rng = np.random.default_rng(seed)
    part = table.take(rng.permutation(len(table))[: max(1, len(table) // 2)])
    k = min(int(goal["k"]), len(part))
    releases = [
        uv.Mondrian(**goal).sanitize(table),
        uv.Mondrian(k=k, regions=regions).sanitize(part),
    ]
    people = {c.name: c.values[rng.integers(0, c.size, 15)] for c in table.quasi}
    finding = uv.composition(releases, external=people)
    codes = [[c.places[_text(people[c.name][i])] for c in table.quasi] for i in range(15)]
    for i, own in enumerate(codes):
        for left, release in zip(finding.alone, releases, strict=True):
            plain = entries(release, own)
            assert left.candidates[i] == plain.total()
            assert left.values[i] == len(plain)
        plain = together(releases, [own, own])
        assert finding.left.candidates[i] == plain.total()
        assert finding.left.values[i] == len(plain)
        only = finding.left.value[i]
        assert (finding.texts[only] if only >= 0 else None) == (
            next(iter(plain)) if len(plain) == 1 else None
        )


def _text(value):
    from unveil.microdata import value_text

    return value_text(value)


@given(tables_and_goals(), st.integers(0, 2**32 - 1))
def test_nobody_loses_their_own_value(table_and_goal, seed):
    """And the exact number, if records can be told, is never above what counts allow."""
    table, goal = table_and_goal
    assume(len(table) > 1)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(table))
    releases = [
        uv.Mondrian(**goal).sanitize(table),
        uv.Mondrian(k=1 + int(rng.integers(len(table)))).sanitize(table.take(order)),
    ]
    bounds = uv.composition(releases, table)
    exact = uv.composition(releases, table, pseudonym=[np.arange(len(table)), order])
    for finding in (bounds, exact):
        assert finding.left.own.all()
        assert not finding.lost.any()
        assert finding.determined_right == finding.determined.sum()
    assert (exact.left.candidates >= 1).all()
    assert (exact.left.candidates <= bounds.left.candidates).all()
    assert (exact.left.values <= bounds.left.values).all()
    for i in range(len(table)):
        first = set(candidates(releases[0], table.codes[:, i])[0])
        second = {int(order[r]) for r in candidates(releases[1], table.codes[:, i])[0]}
        assert exact.left.candidates[i] == len(first & second)
        values = {int(table.sensitive.codes[r]) for r in first & second}
        assert exact.left.values[i] == len(values)


@given(groupings(), st.integers(1, 5))
def test_permuted_releases(table_and_groups, k):
    table, groups = table_and_groups
    releases = [
        Permuted.from_groups(table, groups),
        uv.Mondrian(k=min(k, len(table))).sanitize(table),
    ]
    finding = uv.composition(releases, table)
    for i in range(len(table)):
        own = table.codes[:, i]
        assert finding.alone[0].candidates[i] == entries(releases[0], own).total()
        assert finding.left.candidates[i] == together(releases, [own, own]).total()
    assert finding.left.own.all()


def test_many_values_in_blocks(monkeypatch):
    """Searches whose blocks end at different points are put together point by point."""
    import unveil.attacks.people._index as module

    table = uv.datasets.census(500)
    releases = [uv.Mondrian(k=5).sanitize(table), uv.Mondrian(k=40).sanitize(table)]
    whole = uv.composition(releases, table)
    monkeypatch.setattr(module, "_ROOM", 1)
    monkeypatch.setattr(module, "_STEP", 7)
    monkeypatch.setattr(_intersection, "_STEP", 60)
    blocks = uv.composition(releases, table)
    assert blocks.left.candidates.tolist() == whole.left.candidates.tolist()
    assert blocks.left.value.tolist() == whole.left.value.tolist()
    assert blocks.alone[1].values.tolist() == whole.alone[1].values.tolist()


# Own values


def test_people_whose_own_value_is_known():
    table = uv.read_table(
        {"name": ["Ann", "Bob", "Cat"], "age": [27, 37, 22], "disease": ["HIV", "Flu", "Asthma"]},
        identifier="name", quasi="age", sensitive="disease",
    )  # fmt: skip
    finding = uv.composition(
        HOSPITALS, table, external={**PEOPLE, "age": [37, 37, 22, 50]}, identifier="name"
    )
    assert finding.is_known.tolist() == [True, True, True, False]
    # Ann is somewhere else by now, and taken for Bob; nobody in the city has Asthma.
    assert finding.lost.tolist() == [True, False, True, False]
    assert finding.determined.tolist() == [True, True, False, False]
    assert finding.determined_right == 1
    assert finding.to_frame()["own_left"].tolist() == [False, True, False, None]
    assert "an attacker would be wrong about them" in finding.summary()


def test_people_who_are_not_in_all_tables_are_counted():
    table = uv.read_table(
        {"age": [21, 22, 31, 32, 33], "s": list("abcde")}, quasi="age", sensitive="s"
    )
    releases = [
        uv.Mondrian(k=2).sanitize(table),
        uv.Mondrian(k=2).sanitize(table.take([0, 1, 2, 3])),
    ]
    finding = uv.composition(releases, table)
    assert finding.lost.tolist() == [False, False, False, False, True]


def test_a_release_of_another_table_is_refused():
    table = uv.read_table({"age": [21, 22], "s": ["a", "b"]}, quasi="age", sensitive="s")
    other = uv.read_table({"age": [21, 22], "s": ["b", "a"]}, quasi="age", sensitive="s")
    releases = {"mine": uv.Identity().sanitize(table), "other": uv.Identity().sanitize(other)}
    with pytest.raises(InputError, match="other lacks the own value of 's' of 2") as told:
        uv.composition(releases, table)
    assert "row 1 of table" in str(told.value)


# Bad input


def test_releases_that_changed_values_are_refused():
    table = uv.datasets.election_survey()
    good = uv.Mondrian(k=5).sanitize(table)
    for sanitizer in (uv.Microaggregation(k=5), uv.RandomizedResponse(epsilon=1.0)):
        with pytest.raises(InputError, match="composition assumes that published values are true"):
            uv.composition([good, sanitizer.sanitize(table)], table)
    with pytest.raises(InputError, match="publishes none, only counts"):
        uv.composition([good, uv.LaplaceCounts(epsilon=1.0).sanitize(table)], table)


@pytest.mark.parametrize(
    ("releases", "options", "said"),
    [
        (CITY, {}, "give a list of them, got a Release"),
        (7, {}, "give a list of them, got a int"),
        ([CITY], {}, "two or more releases, got 1; unveil.linkage takes one"),
        ([CITY, "county"], {}, "composition needs a release, got a str"),
        (HOSPITALS, {"external": None}, "composition needs people to look for"),
        (HOSPITALS, {"k": 0}, "k=0 is not possible: it must be a whole number from 1 up"),
        (HOSPITALS, {"k": True}, "k=True is not possible: it must be a whole number"),
        (HOSPITALS, {"knows": "agee"}, "did you mean 'age'"),
        (HOSPITALS, {"pseudonym": 3}, "one sequence per release"),
        (HOSPITALS, {"pseudonym": [[1]]}, "1 sequences for 2 releases"),
        (HOSPITALS, {"pseudonym": [[1], [1]]}, "1 names for the 6 records of city"),
        (
            HOSPITALS,
            {"pseudonym": [[1, 1, 2, 3, 4, 5], range(9)]},
            "two records of city have the pseudonym '1'",
        ),
        (HOSPITALS, {"pseudonym": [range(6), range(10, 19)]}, "nobody in common"),
        (HOSPITALS, {"pseudonym": [range(6), range(9)]}, "different values of 'disease'"),
        (
            HOSPITALS,
            {"missing_people": "drop", "external": {"age": [None]}},
            "leaves nobody of table",
        ),
    ],
)
def test_what_cannot_be_meant(releases, options, said):
    with pytest.raises(InputError, match=said) as refused:
        uv.composition(releases, **{"external": PEOPLE, **options})
    assert isinstance(refused.value, MissingValuesError) == ("leaves nobody" in said)


def test_different_secrets_cannot_be_compared():
    other = uv.read_release({"age": ["20-29"], "vote": ["a"]}, quasi="age", sensitive="vote")
    with pytest.raises(InputError, match="different sensitive columns, 'disease' and 'vote'"):
        uv.composition([CITY, other], external=PEOPLE)


def test_pseudonyms_of_permuted_releases():
    table = uv.read_table({"age": [21, 22], "s": ["a", "b"]}, quasi="age", sensitive="s")
    releases = [uv.Identity().sanitize(table), Permuted.from_groups(table, [1, 1])]
    with pytest.raises(InputError, match="have no sensitive values of their own"):
        uv.composition(releases, table, pseudonym=[[1, 2], [1, 2]])
