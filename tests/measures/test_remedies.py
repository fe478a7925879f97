"""Trials of coarser columns, beside the same changes made record by record and measured anew."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import tables

import unveil as uv
from unveil.measures import Remedies, Trial
from unveil.measures.trials._classes import Classes
from unveil.measures.trials._coarser import LEFT_OUT, coarser_forms
from unveil.microdata import Hierarchy, Persons, Release

SANITIZERS = [
    uv.Identity(), uv.Mondrian(k=2), uv.Mondrian(k=2, regions="cut"), uv.Mondrian(k=4),
    uv.Recoding(k=2, suppression=0.3),
]  # fmt: skip


def released(table: uv.Microdata, sanitizer: Any) -> Release | None:
    try:
        made = sanitizer.sanitize(table)
    except uv.errors.UnveilError:
        return None
    assert isinstance(made, Release)
    return made


def of_people(table: uv.Microdata, people: int | None) -> uv.Microdata:
    """The same table, whose records are those of so many people."""
    if people is None:
        return table
    whose = np.arange(len(table)) ** 2 % people
    return replace(table, persons=Persons(("p",), np.unique(whose, return_inverse=True)[1]))


def plain_numbers(release: Release, least: int) -> dict[str, float]:
    """What the classes of a release say, by its rows, and whose they are, alone."""
    frame = release.to_frame().astype(str)
    keys = [column.name for column in release.quasi]
    shown = ~release.suppressed_classes[release.class_of]
    whose = range(len(release)) if release.several is None else release.several.of.tolist()
    values: dict[tuple[str, ...], set[str]] = {}
    inside: dict[tuple[str, ...], set[int]] = {}
    for row, kept, person in zip(frame.to_dict("records"), shown, whose, strict=True):
        if kept:
            key = tuple(row[name] for name in keys)
            values.setdefault(key, set()).add(row[release.sensitive.name])
            inside.setdefault(key, set()).add(person)
    least_of = {key: 1 if len(inside[key]) == 1 else len(some) for key, some in values.items()}
    among = {
        person: min(len(there) for there in inside.values() if person in there)
        for person in set().union(*inside.values())
    }
    return {
        "k": min(among.values()),
        "classes": len(inside),
        "alone": sum(size == 1 for size in among.values()),
        "below": sum(size < least for size in among.values()),
        "short": sum(max(0, least - size) for size in among.values()) / (least - 1),
        "one_value": len(set().union(*(inside[key] for key, n in least_of.items() if n == 1))),
        "l": min(least_of.values()),
        "suppressed": int((~shown).sum()),
        "loss": uv.information_loss(release).loss,
    }  # fmt: skip


def assert_same(found: Any, expected: dict[str, float]) -> None:
    for name, value in expected.items():
        assert math.isclose(getattr(found, name), value, abs_tol=1e-9), name


@settings(deadline=None, max_examples=40)
@given(
    table=tables(),
    sanitizer=st.sampled_from(SANITIZERS),
    least=st.integers(2, 6),
    people=st.sampled_from([None, 3, 8]),
)
def test_every_trial_is_what_the_changed_records_say(
    table: uv.Microdata, sanitizer: Any, least: int, people: int | None
) -> None:
    """Where a person may have several records, too: then people are counted."""
    release = released(of_people(table, people), sanitizer)
    if release is None:
        return
    found = uv.remedies(release, least=least)
    assert_same(found.now, plain_numbers(release, least))
    told = any("who knows several may find more" in str(note) for note in found.notes)
    assert told == (release.several is not None)
    for trial in (*found.singles, *found.several):
        changed = found.release(trial)
        assert_same(trial.numbers, plain_numbers(changed, least))
        if release.several is None:
            assert changed.class_sizes.min() == trial.numbers.k
        assert trial.cost == pytest.approx(trial.numbers.loss - found.now.loss, abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(table=tables(), sanitizer=st.sampled_from(SANITIZERS), least=st.integers(2, 6))
def test_a_coarser_column_never_makes_anything_worse_but_the_loss(
    table: uv.Microdata, sanitizer: Any, least: int
) -> None:
    release = released(table, sanitizer)
    if release is None:
        return
    found = uv.remedies(release, least=least)
    now = found.now
    for trial in (*found.singles, *found.several):
        new = trial.numbers
        assert new.k >= now.k
        assert new.l >= now.l
        back = max(now.suppressed - new.suppressed, 0)  # who are in the class of everybody again
        assert new.alone <= now.alone + back
        assert new.below <= now.below + back
        assert new.loss >= now.loss - 1e-12
        if new.suppressed >= now.suppressed:
            assert new.one_value <= now.one_value
            assert trial.protected >= 0
        else:  # nothing is left to tell records apart: those suppressed are in the class of all
            assert new.classes == 1


@settings(deadline=None, max_examples=40)
@given(table=tables(), sanitizer=st.sampled_from(SANITIZERS))
def test_a_coarser_cell_covers_all_that_the_old_one_did(
    table: uv.Microdata, sanitizer: Any
) -> None:
    release = released(table, sanitizer)
    if release is None:
        return
    classes = Classes(release, [column.name for column in release.quasi], 5)
    for column in release.quasi:
        cells = classes.cells[column.name]
        for coarser in coarser_forms(cells, classes.crowd_of(column.name), 5):
            assert len(coarser.cells) < len(cells)
            for code in range(column.size):
                old = cells.regions.covers(code)
                assert coarser.cells.regions.covers(code)[coarser.to][old].all()


@settings(deadline=None, max_examples=15)
@given(table=tables(), sanitizer=st.sampled_from(SANITIZERS[:3]), least=st.integers(2, 4))
def test_the_changed_release_can_be_published_read_again_and_measured(
    table: uv.Microdata, sanitizer: Any, least: int
) -> None:
    """Its cells are written so that they are read as what they cover."""
    release = released(table, sanitizer)
    if release is None:
        return
    found = uv.remedies(release, least=least)
    for trial in found.singles[:6]:
        changed = found.release(trial)
        if changed.suppressed:  # by their texts alone such classes may be told apart
            continue
        again = uv.read_release(changed.to_frame(), table)
        assert_same(trial.numbers, plain_numbers(again, least))


def people(**columns: Any) -> Release:
    n = len(next(iter(columns.values())))
    table = uv.read_table(
        {**columns, "vote": [f"v{i % 3}" for i in range(n)]}, quasi=list(columns), sensitive="vote",
    )  # fmt: skip
    release = uv.Identity().sanitize(table)
    assert isinstance(release, Release)
    return release


def forms(release: Release) -> dict[str, list[str]]:
    classes = Classes(release, [column.name for column in release.quasi], 5)
    return {
        name: [one.form.how for one in coarser_forms(cells, classes.crowd_of(name), 5)]
        for name, cells in classes.cells.items()
    }


def test_numbers_become_bands_of_round_widths() -> None:
    found = forms(people(age=list(range(18, 90)), pay=[1000 * i + 7 for i in range(72)]))
    assert found["age"][:6] == [LEFT_OUT, *(f"in bands of {n}" for n in (2, 5, 10, 20, 50))]
    assert found["pay"][:6] == [
        LEFT_OUT, *(f"in bands of {n}" for n in ("2,000", "5,000", "10,000", "20,000", "50,000"))
    ]  # fmt: skip


def test_ends_become_one_value_at_a_round_number_beyond_which_are_a_handful_of_people() -> None:
    ages = [*[*range(20, 70)] * 8, 81, 84, 85, 87, 88, 90, 91, 93, 94, 99]
    found = uv.remedies(people(age=ages))
    # Of 410 people, 3% are 12: ten are 70 and older, and 18 are 69 and older.
    assert found.best is not None
    assert found.best.changes == {"age": "with everything from 70 up as one value"}
    assert (found.now.below, found.best.numbers.below) == (10, 0)
    bands = [one for one in found.singles if "bands" in one.change and not one.numbers.below]
    assert found.best.cost < 0.01 < min(one.cost for one in bands)
    changed = found.release(found.best).to_frame()["age"]
    assert sum(changed == "[81, 99]") == 10
    low = "with everything below 24 as one value"
    assert {low, f"{low} and everything from 68 up as another"} <= {*forms(people(age=ages))["age"]}
    pay = [0] * 200 + [100_000 * n for n in range(1, 21)]
    assert "with everything from 2,000,000 up as one value" not in forms(people(pay=pay))["pay"]


def test_dates_become_parts_of_the_calendar() -> None:
    days = pd.date_range("1990-01-15", periods=80, freq="45D")
    found = forms(people(born=days))["born"]
    # Each is in a month of its own, and all in one decade.
    assert found[:4] == [LEFT_OUT, "in quarters", "in years", "in periods of 5 years"]
    assert found[4:] == [
        "with everything below 1991 as one value",
        "with everything below 1991 as one value and everything from 1999 up as another",
        "with everything from 1999 up as one value",
    ]


def test_codes_lose_their_last_characters_and_rare_words_become_one() -> None:
    codes = [f"{c}{d}{e}" for c in "IJ" for d in range(5) for e in range(4)]
    towns = ["Ulm"] * 20 + ["Rom"] * 14 + [f"Dorf {i}" for i in "abcdef"]
    found = forms(people(icd=codes, town=towns))
    assert found["icd"] == [LEFT_OUT, "by its first 2 characters", "by its first character"]
    assert found["town"] == [LEFT_OUT, "with values of fewer than 5 records as one"]


def test_bands_and_levels_are_merged_two_by_two() -> None:
    ages = [18, 20, 25, 30, 35, 40, 45, 50, 55, 60] * 4
    table = uv.read_table(
        {"age": ages, "size": list("SMLX") * 10, "vote": list("ab") * 20},
        quasi=["age", "size"], sensitive="vote", ordinal={"size": list("SMLX")},
    )  # fmt: skip
    bands = {18: "18-24", 20: "18-24", 25: "25-34", 30: "25-34", 35: "35-49", 40: "35-49",
             45: "35-49", 50: "50-99", 55: "50-99", 60: "50-99"}  # fmt: skip
    published = table.to_frame().assign(age=[bands[age] for age in ages])
    found = forms(uv.read_release(published, table))
    assert "with its bands merged two by two" in found["age"]
    assert found["size"] == [LEFT_OUT, "with neighbouring levels merged two by two"]


def test_hierarchies_are_climbed_level_by_level_also_ragged_ones() -> None:
    tree = Hierarchy.from_paths(
        [("Lyon", "South", "France", "*"), ("Nice", "South", "France", "*"),
         ("Lille", "North", "France", "*"), ("Rome", "Italy", "*"), ("Bari", "Italy", "*")]
    )  # fmt: skip
    table = uv.read_table(
        {"town": ["Lyon", "Nice", "Lille", "Rome", "Bari"] * 2, "vote": list("abcab") * 2},
        quasi="town", sensitive="vote", hierarchies={"town": tree},
    )  # fmt: skip
    release = uv.Identity().sanitize(table)
    assert isinstance(release, Release)
    assert forms(release)["town"] == [
        LEFT_OUT, "by level 1 of its hierarchy", "by level 2 of its hierarchy"
    ]  # fmt: skip
    found = uv.remedies(release, least=3)
    by_change = {one.change: one for one in found.singles}
    changed = found.release(by_change["town by level 1 of its hierarchy"])
    assert Counter(changed.to_frame()["town"]) == {"South": 4, "Lille": 2, "Rome": 2, "Bari": 2}
    changed = found.release(by_change["town by level 2 of its hierarchy"])
    assert Counter(changed.to_frame()["town"]) == {"France": 6, "Italy": 4}


def test_trials_are_ranked_by_what_they_protect_for_what_they_cost() -> None:
    found = uv.remedies(uv.Mondrian(k=2).sanitize(uv.datasets.election_survey()))
    for some in (found.singles, found.several):
        helping = [one for one in some if one.protected]
        assert all(one.worth >= other.worth for one, other in pairwise(helping))
        assert not any(one.protected for one in some[len(helping) :])
    assert found.best is not None
    assert found.best.protected > 0
    assert found.enough is None or found.enough.numbers.below == 0


def test_the_cheapest_change_that_is_enough_is_found() -> None:
    release = people(age=[20, 21, 30, 31, 40, 41] * 4, sex=["F"] * 12 + ["M"] * 12)
    found = uv.remedies(release, least=4)
    assert found.now.k == 2
    assert found.enough is not None
    assert found.enough.numbers.k >= 4
    enough = [one for one in (*found.singles, *found.several) if not one.numbers.below]
    assert found.enough.cost == min(one.cost for one in enough)


def test_nothing_is_tried_where_nobody_is_at_risk_and_it_says_what_that_means() -> None:
    found = uv.remedies(people(age=[20] * 9 + [30] * 9))
    assert found.singles == found.several == found.groups == ()
    assert "by its classes nobody is at risk" in found.verdict()
    assert found.best is found.enough is None


def test_where_nothing_helps_it_says_so() -> None:
    found = uv.remedies(people(age=[20, 30, 40]), least=5)
    assert found.best is None
    assert "No coarser form of a single column protects any of them" in found.verdict()
    assert "Nothing that was tried protects all of them" in found.verdict()


def test_with_large_classes_people_with_a_single_value_count() -> None:
    table = uv.read_table(
        {"age": [20] * 6 + [30] * 6, "vote": ["a"] * 6 + list("ababab")},
        quasi="age", sensitive="vote",
    )  # fmt: skip
    found = uv.remedies(uv.Identity().sanitize(table))
    assert (found.by, found.at_risk) == ("one_value", 6)
    assert found.enough is not None
    assert found.enough.changes == {"age": LEFT_OUT}
    assert "6 (50%) are in a class with a single vote" in found.verdict()


def test_an_attacker_who_knows_fewer_columns_sees_larger_classes() -> None:
    release = people(age=[20, 21] * 6, sex=["F"] * 4 + ["M"] * 8)
    found = uv.remedies(release, knows="sex")
    assert (found.known, found.now.k) == (("sex",), 4)
    assert {name for one in found.singles for name in one.changes} == {"sex"}
    with pytest.raises(uv.errors.InputError, match="did you mean 'sex'"):
        uv.remedies(release, knows=["sexx"])


def test_suppressed_records_form_no_class_also_after_a_column_is_left_out() -> None:
    table = uv.read_table(
        {"age": [20, 30, 40] * 5, "sex": list("FFFFFFFMMMMMMMM"), "vote": list("abc") * 5},
        quasi=["age", "sex"], sensitive="vote",
    )  # fmt: skip
    published = table.to_frame().astype(str)
    published.loc[0, "sex"] = "*"
    published.loc[1, ["age", "sex"]] = "*"
    release = uv.read_release(published, table)
    found = uv.remedies(release)
    assert found.now.suppressed == 1
    left_out = next(one for one in found.singles if one.changes == {"age": LEFT_OUT})
    assert left_out.numbers.suppressed == 2


def groups_of(release: Release, least: int = 5) -> Remedies:
    return uv.remedies(release, least=least)


def test_groups_say_who_is_at_risk() -> None:
    """The old are alone, and nobody else is."""
    ages = [20, 21, 22, 23] * 20 + list(range(60, 80))
    found = groups_of(people(age=ages))
    everybody, old = found.groups[:2]
    assert (everybody.people, everybody.alone, everybody.below) == (100, 20, 20)
    assert (old.people, old.below) == (old.below, old.people)
    assert old.fixed == {"age"}
    assert sum(one.below for one in found.groups[1:]) == 20


@settings(deadline=None, max_examples=30)
@given(
    table=tables(60),
    sanitizer=st.sampled_from(SANITIZERS),
    least=st.integers(2, 6),
    people=st.sampled_from([None, 8, 30]),
)
def test_no_group_has_fewer_than_five_people_and_each_is_counted_rightly(
    table: uv.Microdata, sanitizer: Any, least: int, people: int | None
) -> None:
    release = released(of_people(table, people), sanitizer)
    if release is None:
        return
    found = uv.remedies(release, least=least)
    for group in found.groups[1:]:
        at_risk = group.below if found.by == "below" else group.one_value
        assert group.people >= at_risk >= 5
        assert group.cells
    if found.groups:
        assert found.groups[0].below == found.now.below
        assert found.groups[0].people == found.people
        assert (found.people == found.records) == (release.several is None)


def test_a_trial_of_another_release_is_refused() -> None:
    release = people(age=[20, 21, 30, 31])
    found = uv.remedies(release)
    strange = Trial(changes={"age": "in bands of 7"}, numbers=found.now, cost=0.0, protected=0)
    with pytest.raises(uv.errors.InputError, match="none of the trials"):
        found.release(strange)


def test_the_frame_and_the_json_have_every_trial() -> None:
    found = uv.remedies(people(age=[20, 21, 30, 31] * 3, sex=list("FM") * 6))
    frame, told = found.to_frame(), found.to_dict()
    assert len(frame) == 1 + len(found.singles) + len(found.several)
    assert len(told["trials"]) == len(frame) - 1
    assert "groups" not in told
    assert found.to_dict(records=True)["groups"][0]["people"] == 12
