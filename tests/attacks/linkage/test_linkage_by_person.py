"""Linkage where a person has several rows: candidates are people, beside brute force."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_linkage import candidates
from proofs import examples
from several_rows import read, repeated

import unveil as uv
from unveil.errors import InputError
from unveil.microdata import Persons

SURVEY = uv.datasets.election_survey().take(range(0, 900, 4))
KNOWN = [column.name for column in SURVEY.quasi]
AGES = {0: ["0", "0-1", "*"], 1: ["1", "0-1", "1-2", "*"], 2: ["2", "1-2", "*"]}


def same(table):
    return {name: one for name, one in table.to_dict().items() if name != "seconds"}


def test_one_row_each_changes_nothing():
    named = replace(SURVEY, persons=Persons(("who",), np.arange(len(SURVEY))[::-1].copy()))
    plain, by_person = (
        same(uv.linkage(uv.Mondrian(k=4).sanitize(table), table, microdata=table))
        for table in (SURVEY, named)
    )
    assert plain == by_person
    figures = (
        {one["name"]: one["value"] for one in plain["figures"]}
        if isinstance(plain["figures"], list)
        else {n: one["value"] for n, one in plain["figures"].items()}
    )
    assert figures["linked_all_rows"] == figures["linked"]


@pytest.mark.parametrize(
    "sanitizer", [uv.Mondrian(k=4), uv.Recoding(k=4, suppression=0.1), uv.Identity()], ids=str
)
def test_equal_rows_of_a_person_count_once(sanitizer):
    """By the code that counts people: the numbers of the same table with each row once."""
    release = sanitizer.sanitize(SURVEY)
    plain = uv.linkage(release, SURVEY, microdata=SURVEY)
    several, which = repeated(SURVEY)
    of_release = replace(release.take(which), persons=several.persons)
    found = uv.linkage(of_release, several, microdata=several)
    order = np.array(list(dict.fromkeys(which)))
    for name in ("candidates", "values"):
        np.testing.assert_array_equal(getattr(found, name), getattr(plain, name)[order])
    np.testing.assert_array_equal(found.all_rows, found.candidates)
    for name in ("unique", "one_value"):
        np.testing.assert_array_equal(getattr(found, name), getattr(plain, name)[order])
    for name in ("in_table", "own_among", "unique_right", "one_value_right", "found"):
        assert getattr(found, name) == getattr(plain, name), name
    for mine, theirs in (("person_right", "record_right"), ("value_right",) * 2,
                         ("value_by_chance",) * 2):  # fmt: skip
        assert getattr(found, mine) == pytest.approx(getattr(plain, theirs))
    for one, other in zip(found.figures, plain.figures, strict=True):
        assert (one.figure, one.value) == (other.figure, other.value)


@st.composite
def published(draw):
    """Some stays, and their cells, which may overlap; rows of two stars are suppressed."""
    n = draw(st.integers(3, 11))
    numbers = st.lists(st.integers(0, 2), min_size=n, max_size=n)
    whose = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    ages, sexes = draw(numbers), draw(numbers)
    table = {"who": [f"p{one}" for one in whose], "age": ages,
             "sex": [f"s{one}" for one in sexes],
             "ill": [f"d{one}" for one in draw(numbers)]}  # fmt: skip
    cells = {"age": [draw(st.sampled_from(AGES[age])) for age in ages],
             "sex": [draw(st.sampled_from([sex, "*"])) for sex in table["sex"]],
             "ill": table["ill"]}  # fmt: skip
    return table, cells


def matched(wanted, offered):
    """Whether each of some rows can have a row of its own, of those that it offers."""
    if not wanted:
        return True
    return any(
        matched(wanted[1:], [[r for r in some if r != row] for some in offered[1:]])
        for row in offered[0]
    )


def by_brute_force(table, release):
    """By row: who covers it, and with which weights; by person: who covers all."""
    n, codes = len(table["who"]), release_codes(table)
    gone = release.suppressed_classes[release.class_of]
    rows = []
    for i in range(n):
        found = candidates(release, codes[i])[0]
        first = [r for r in found if not gone[r]]
        rows.append(first or found)
    people = sorted(set(table["who"]))
    together = {}
    for person in people:
        own = [i for i in range(n) if table["who"][i] == person]
        fit = []
        for other in people:
            offered = [[r for r in rows[i] if table["who"][r] == other] for i in own]
            if matched(own, offered):
                fit.append(other)
        together[person] = fit
    return rows, together


def release_codes(table):
    several = read(table)
    return several.codes.T.tolist()


@examples(300)
@given(published())
def test_candidates_by_definition(given):
    table, cells = given
    several = read(table)
    if several.several is None:
        return
    release = uv.read_release(cells, several, in_order=True)
    found = uv.linkage(release, several, microdata=several)
    rows, together = by_brute_force(table, release)
    whose = table["who"]
    for i, covering in enumerate(rows):
        people = Counter(whose[r] for r in covering)
        weights = Counter()
        for r in covering:
            weights[table["ill"][r]] += 1 / people[whose[r]]
        assert found.links.candidates[i] == len(people)
        assert found.links.values[i] == len(weights)
        assert found.links.share[i] == pytest.approx(max(weights.values()) / len(people))
        assert found.links.one_value[i] == (len(weights) == 1 or len(people) == 1)
        assert found.right.among[i] == (whose[i] in people)
        assert found.right.value[i] == pytest.approx(weights[table["ill"][i]] / len(people))
    order = list(dict.fromkeys(whose))
    for place, person in enumerate(order):
        own = [i for i, one in enumerate(whose) if one == person]
        assert found.candidates[place] == min(len({whose[r] for r in rows[i]}) for i in own)
        if together[person] or not release.suppressed:
            assert found.all_rows[place] == len(together[person])
            assert found.right.all_among[place] == (person in together[person])
        else:  # the last resort: suppressed rows may be any, and one's own always fit
            assert found.all_rows[place] >= 1
            assert found.right.all_among[place]
    each = [np.mean([(whose[i] in {whose[r] for r in rows[i]}) / len({whose[r] for r in rows[i]})
                     for i in range(len(whose)) if whose[i] == person])
            for person in order]  # fmt: skip
    assert found.person_right == pytest.approx(np.mean(each))


STAYS = {
    "who": list("aabbc"), "age": [0, 1, 0, 2, 2], "sex": ["s0"] * 5, "ill": list("xyxyx"),
}  # fmt: skip


def test_a_list_of_the_attacker():
    """Several rows of a person on the list, by the column that says so; with one row each."""
    several = read(STAYS)
    release = uv.Identity().sanitize(several)
    known = pd.DataFrame({"who": ["b", "a", "b", "z"], "age": [0, 1, 2, 0], "sex": ["s0"] * 4})
    found = uv.linkage(release, known, microdata=several)
    assert found.to_frame()["name"].tolist() == ["b", "a", "z"]
    assert found.candidates.tolist() == [2, 1, 2]  # 0: a and b; 1: a; 2: b and c
    assert found.all_rows.tolist() == [1, 1, 2]
    assert found.right.in_table.tolist() == [True, True, False]
    assert (found.unique_right, found.unique_by_all_right) == (1, 2)
    assert (found.value_right, len(found)) == (None, 3)  # which row is whose is not known
    assert "of 3 people, 1 (33%) is linked to a single person by one of their rows" in str(found)
    # Without the column each row of the list is another person's.
    single = uv.linkage(release, known.drop(columns="who"))
    assert single.candidates.tolist() == [2, 1, 2, 2]
    assert single.all_rows.tolist() == single.candidates.tolist()
    assert "whether these links are right is not known" in str(single)
    renamed = known.rename(columns={"who": "name"})
    assert uv.linkage(release, renamed, external_person="name").all_rows.tolist() == [1, 1, 2]
    with pytest.raises(InputError, match="external_person= names 'nobody', which is not a column"):
        uv.linkage(release, renamed, external_person="nobody")
    with pytest.raises(InputError, match="says whose a row is, and is empty in 1 row"):
        uv.linkage(release, known.assign(who=["b", None, "b", "z"]))
    with pytest.raises(InputError, match="cannot be found in table: name the column"):
        uv.linkage(release, known.drop(columns="who"), microdata=several)
    with pytest.raises(InputError, match=r"4 rows and 3 names, .* external_person=False"):
        uv.linkage(release, renamed, identifier="name")
    by_row = uv.linkage(release, renamed, identifier="name", external_person=False)
    assert len(by_row) == 4
    by_number = uv.linkage(release, known, microdata=several, record_of=[2, 1, 3, -1])
    assert by_number.right.in_table.tolist() == [True, True, False]
    assert by_number.value_right is not None


def test_several_rows_of_the_list_alone():
    """A release of one row each, and an attacker who knows several rows of a person."""
    table = {"age": [0, 1, 2, 2], "sex": ["s0"] * 4, "ill": list("xyxy")}
    release = uv.Identity().sanitize(uv.read_table(table, quasi=["age", "sex"], sensitive="ill"))
    known = {"who": list("aab"), "age": [0, 0, 2], "sex": ["s0"] * 3}
    found = uv.linkage(release, known, external_person="who")
    assert found.candidates.tolist() == [1, 2]
    assert found.all_rows.tolist() == [0, 2]  # nobody has two rows


def test_what_is_not_known_is_refused():
    several = read(STAYS)
    lost = uv.Mondrian(k=2).sanitize(several)
    lost = replace(lost, persons=replace(lost.persons, of=None))
    with pytest.raises(InputError, match="nobody knows whose the published rows are"):
        uv.linkage(lost, several)
    twice = {name: list(SURVEY[name].decode()[[0, 0]]) for name in KNOWN}
    with pytest.raises(InputError, match="linkage counts people among published rows"):
        uv.linkage(uv.Anatomy(l=2, seed=1).sanitize(SURVEY), {**twice, "who": ["a", "a"]},
                   external_person="who")  # fmt: skip
    # In another order it is not known which links are right; who is found is.
    release = uv.Identity().sanitize(several).take(np.array([4, 3, 2, 1, 0]))
    found = uv.linkage(release, several, microdata=several)
    assert found.right is None
    assert "which links are right" in str(found.notes[-1])
    assert found.candidates.tolist() == [1, 2, 2]


def test_many_who_fit_are_not_all_looked_at(monkeypatch):
    """From so many on, the number is an upper bound; fewer are exact."""
    monkeypatch.setattr("unveil.attacks.linkage._by_person._VERIFIED", 1)
    # Three people with a row that covers both of a's rows, and only a has two.
    table = {"who": list("aabcd"), "age": [0, 1, 0, 1, 2], "sex": ["s0"] * 5, "ill": list("xyxyx")}
    cells = {"age": ["0-1", "0-1", "0-1", "0-1", "2"], "sex": ["s0", "s0", "s0", "*", "s0"],
             "ill": table["ill"]}  # fmt: skip
    several = read(table)
    found = uv.linkage(uv.read_release(cells, several, in_order=True), several)
    assert found.all_rows.tolist() == [1, 3, 3, 1]


def test_in_an_audit():
    stays = uv.datasets.visits(60)
    audit = uv.audit(
        stays, "mondrian:k=3", attacks=["linkage"], baseline=False, progress=False,
        fail_on=["linked_all_rows > 0.9", "linked > 0"],
    )  # fmt: skip
    found = audit.releases[0]
    assert found.looked["linkage"].status == "done"
    assert audit.state is not None
    assert 0 == found.figures["linked"] < found.figures["linked_all_rows"]
    assert "linked, all rows known" in str(audit)
    published = uv.read_release(stays.to_frame(), stays)
    lost = uv.audit(stays, [published], attacks=["linkage"], baseline=False, progress=False,
                    fail_on="linked > 0.99")  # fmt: skip
    assert lost.passed is False
    assert "nobody knows whose the published rows are" in str(
        lost.releases[0].looked["linkage"].why
    )


def test_namesakes_in_the_original():
    """A name of two people does not say whose record is meant."""
    named = {**STAYS, "name": ["Ek", "Ek", "Ek", "Ek", "Berg"]}
    several = uv.read_table(named, quasi=["age", "sex"], sensitive="ill", person="who",
                            identifier="name")  # fmt: skip
    release = uv.Identity().sanitize(several)
    known = {"name": ["Berg"], "age": [2], "sex": ["s0"]}
    with pytest.raises(InputError, match="2 rows of table have a name that another person has"):
        uv.linkage(release, known, identifier="name", microdata=several)


def test_people_with_very_many_rows():
    """Logs: a row for each of thousands, in cells that overlap."""
    n = 1_200
    table = {"who": ["a"] * n + ["b"] * n + ["c"], "age": [0, 1] * n + [2],
             "sex": ["s0"] * (2 * n + 1), "ill": ["x"] * (2 * n) + ["y"]}  # fmt: skip
    cells = {"age": ["0-1"] * n + ["0", "0-1"] * (n // 2) + ["2"], "sex": table["sex"],
             "ill": table["ill"]}  # fmt: skip
    several = read(table)
    found = uv.linkage(uv.read_release(cells, several, in_order=True), several)
    # b's rows of age 0 can be those of age 0 or 0-1; all of a's may be any of them.
    assert found.all_rows.tolist() == [2, 2, 1]
    assert found.candidates.tolist() == [2, 2, 1]
