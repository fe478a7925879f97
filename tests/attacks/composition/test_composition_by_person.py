"""Composition where a person has several rows: candidates are people, beside brute force."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_linkage import candidates
from proofs import examples
from several_rows import read, repeated, stays

import unveil as uv
from unveil.errors import InputError
from unveil.microdata import Persons

SURVEY = uv.datasets.election_survey().take(range(0, 900, 4))
MADE = {"a": uv.Mondrian(k=4).sanitize(SURVEY), "b": uv.Recoding(k=6).sanitize(SURVEY)}


def test_one_row_each_changes_nothing():
    named = replace(SURVEY, persons=Persons(("who",), np.arange(len(SURVEY))[::-1].copy()))
    assert uv.composition(MADE, SURVEY).to_dict() == uv.composition(MADE, named).to_dict()


@pytest.mark.parametrize("names", [False, True], ids=["not identified", "pseudonyms"])
def test_equal_rows_of_a_person_count_once(names):
    """By the code that counts people: the numbers of the same table with each row once."""
    several, which = repeated(SURVEY)
    releases = {name: replace(one.take(which), persons=several.persons)
                for name, one in MADE.items()}  # fmt: skip
    pseudonym = [np.arange(len(SURVEY))] * 2
    plain = uv.composition(MADE, SURVEY, pseudonym=pseudonym if names else None)
    found = uv.composition(
        releases, several, pseudonym=[one[which] for one in pseudonym] if names else None
    )
    order = np.array(list(dict.fromkeys(which)))
    assert (found.k, found.identified) == (plain.k, plain.identified) == (4, names)
    for mine, theirs in zip([*found.alone, found.left], [*plain.alone, plain.left], strict=True):
        for one, other in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(one, other[order])
    for one, other in zip(found.figures, plain.figures, strict=True):
        assert one.value == other.value
    assert found.determined_right == plain.determined_right
    first = plain.candidates_of(int(order[0]))
    assert found.candidates_of(0).to_numpy().tolist() == first.to_numpy().tolist()


@examples(200)
@given(stays(), st.sampled_from(["nobody", "people", "rows"]))
def test_who_is_left_by_definition(table, named):
    several = read(table)
    if several.several is None:
        return
    releases = [uv.Mondrian(k=2).sanitize(several) if several.persons.count > 1
                else uv.Identity().sanitize(several),
                uv.Identity().sanitize(several)]  # fmt: skip
    n, whose, codes = len(several), table["who"], several.codes.T.tolist()
    pseudonym = {"nobody": None, "people": [whose] * 2, "rows": [list(range(n))] * 2}[named]
    found = uv.composition(releases, several, pseudonym=pseudonym)
    left, values = {}, {}
    for i in range(n):
        covering = [candidates(one, codes[i])[0] for one in releases]
        if named == "nobody":
            owners = [{s: {whose[r] for r in rows if table["ill"][r] == s} for s in table["ill"]}
                      for rows in covering]  # fmt: skip
            fewest = {s: min(len(one[s]) for one in owners) for s in set(table["ill"])}
            kept = {s for s, number in fewest.items() if number}
            most = min(len({whose[r] for r in rows}) for rows in covering)
            number = min(most, sum(fewest.values()))
        else:
            name = whose.__getitem__ if named == "people" else int
            pairs = [{(name(r), table["ill"][r]) for r in rows} for rows in covering]
            common = pairs[0] & pairs[1]
            kept = {s for _, s in common}
            fits = {whose[r] for r in covering[0] if (name(r), table["ill"][r]) in common}
            number = len(fits)
        left.setdefault(whose[i], []).append(number)
        values.setdefault(whose[i], []).append(len(kept))
    assert found.left.candidates.tolist() == [min(one) for one in left.values()]
    assert found.left.values.tolist() == [min(one) for one in values.values()]
    told = [1 in some or 1 in number
            for some, number in zip(values.values(), left.values(), strict=True)]  # fmt: skip
    assert found.determined.tolist() == told
    assert found.left.own.all()  # everybody is in both, with their own value


def test_what_is_not_known_is_refused():
    several = read({"who": list("aabbc"), "age": [0, 1, 0, 2, 2], "sex": ["s"] * 5,
                    "ill": list("xyxyx")})  # fmt: skip
    release = uv.Identity().sanitize(several)
    lost = replace(release, persons=replace(release.persons, of=None))
    with pytest.raises(InputError, match="nobody knows whose the published rows are"):
        uv.composition([release, lost], several)
    with pytest.raises(InputError, match="rows of two people of a have the pseudonym 'p'"):
        uv.composition({"a": release, "b": release}, several, pseudonym=[["p"] * 5] * 2)
    with pytest.raises(InputError, match="has 4 names for the 5 records of a"):
        uv.composition({"a": release, "b": release}, several, pseudonym=[["p"] * 4] * 2)
    with pytest.raises(InputError, match="has 1 sequences for 2 releases"):
        uv.composition([release, release], several, pseudonym=[["p"] * 5])


def test_a_list_of_the_attacker():
    several = read({"who": list("aabbc"), "age": [0, 1, 0, 2, 2], "sex": ["s"] * 5,
                    "ill": list("xyxyx")})  # fmt: skip
    release = uv.Identity().sanitize(several)
    known = {"who": list("bab"), "age": [0, 1, 2], "sex": ["s"] * 3}
    found = uv.composition([release, release], external=known)
    assert found.to_frame()["name"].tolist() == ["b", "a"]
    assert found.left.candidates.tolist() == [2, 1]
    assert found.k == 1
    assert "of 2 people" in str(found.verdict()).lower()
    assert "Candidates are people" in str(found)
    assert found.of_person("a").rows
