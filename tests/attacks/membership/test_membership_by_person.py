"""Membership where a person has several rows: a member is a person, and so is who is held out."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import repeats
from scipy.stats import binom

import unveil as uv
from unveil.attacks.held_out import split_people
from unveil.attacks.membership._attackers import Scores
from unveil.attacks.membership._pooling import POOLS, pooled
from unveil.microdata import Persons, numbered_people

SURVEY = uv.datasets.election_survey().take(range(0, 900, 6))
QUIET = {"progress": False, "jobs": 1}
VISITS = uv.datasets.visits(80)


def with_persons(table, times):
    """Each row so many times, all of one person; the people in the same order."""
    which = np.repeat(np.arange(len(table)), times)
    return replace(table.take(which), persons=Persons(("who",), which))


def test_one_row_each_changes_nothing():
    options = {"adversary": "conditional-frequency", "removals": 10, **QUIET}
    plain, by_person = (
        uv.membership(table, uv.Mondrian(k=4), **options).to_dict()
        for table in (SURVEY, with_persons(SURVEY, 1))
    )
    assert plain == by_person


def test_equal_rows_of_a_person_count_once():
    """By the code that counts people: the figures of the same table with each row once."""
    options = {"adversary": "conditional-frequency", "removals": 500, **QUIET}
    plain = uv.membership(SURVEY, uv.Mondrian(k=4), **options)
    found = uv.membership(with_persons(SURVEY, 3), uv.Mondrian(k=4), **options)
    assert found.facts["members"] == plain.facts["members"] == 60
    for attacker, separated in plain.against.items():
        by_model = found.models(attacker)
        for words, area in by_model.items():  # three rows that are alike: pooled in any way
            assert str(area) == str(separated.auc), (attacker, words)
        assert found.against[attacker].advantage == pytest.approx(separated.advantage)
        assert found.against[attacker].groups == separated.groups
    assert found.not_scored == plain.not_scored


scores = st.sampled_from([0.0, 0.25, -1.5, 2.0, -np.inf, np.inf, np.nan])


@given(st.lists(st.tuples(st.integers(0, 3), scores), min_size=4, max_size=14))
def test_pooling_by_definition(rows):
    """Whoever has a row with a score has one; the others are counted by their first reason."""
    whose = [f"p{one}" for one, _ in rows] + [f"p{i}" for i in (0, 0, 1, 2, 3)]
    told = np.array([one for _, one in rows] + [0.0, np.nan, np.nan, 1.0, np.nan])
    table = uv.read_table({"who": whose, "age": range(len(whose)), "ill": ["x"] * len(whose)},
                          quasi="age", sensitive="ill", person="who")  # fmt: skip
    held = [i for i, one in enumerate(whose) if one in ("p0", "p1")]
    people = split_people(table, held, own=0)
    why = np.where(np.isnan(told), "no", "").astype(object)
    found = pooled(people, Scores(scores=told, why=why, model="m"))
    assert [one.model for one in found] == [f"m, {words}" for words in POOLS]
    order = list(dict.fromkeys(whose))
    for one, words in zip(found, POOLS, strict=True):
        for place, person in enumerate(order):
            own = [s for w, s in zip(whose, told, strict=True) if w == person and not np.isnan(s)]
            if not own:
                assert np.isnan(one.scores[place])
                continue
            both = np.inf in own and -np.inf in own
            expected = max(own) if words.startswith("largest") else 0.0 if both else sum(own)
            expected = expected / len(own) if words.startswith("mean") else expected
            assert one.scores[place] == pytest.approx(expected)
        assert one.reasons.get("no", 0) == np.isnan(one.scores).sum()


def test_members_are_people():
    found = uv.membership(VISITS, uv.Mondrian(k=3), removals=12, **QUIET)
    assert found.facts["people"] == 80
    assert (found.facts["members"], found.facts["held_out"], found.facts["own"]) == (32, 32, 16)
    assert len(found.to_frame()) == 64
    assert found.figures[0].people == 32
    assert found.not_scored["removal"] == {
        "not among the members who were drawn at random to be removed": 20
    }
    assert found.against["removal"].members == found.against["removal"].groups == 12
    assert found.against["covered"].held_out == 32
    assert "a member is a person with all their rows" in str(found)
    assert "32 members, 32 people held out, 16 in the attacker's own sample" in str(found)


def test_whom_a_person_leaves_with_all_rows(monkeypatch):
    """The release without somebody is of a table without any of their rows."""
    seen = []
    sanitize = uv.Mondrian.sanitize

    def watched(self, microdata):
        seen.append(microdata)
        return sanitize(self, microdata)

    monkeypatch.setattr(uv.Mondrian, "sanitize", watched)
    uv.membership(VISITS, uv.Mondrian(k=3), removals=5, attackers="removal", **QUIET)
    whole, *without = seen
    assert len(without) == 10  # five members, and five others for those held out
    for table in without:
        gone = np.setdiff1d(whole.rows, table.rows)
        names = VISITS.persons.of[np.searchsorted(VISITS.rows, gone)]
        assert len(set(names)) == 1
        assert set(names).isdisjoint(VISITS.persons.of[np.searchsorted(VISITS.rows, table.rows)])


def test_intervals_of_people_have_the_truth():
    """Of people held out a sample is drawn; the rows of a person are alike."""
    runs = repeats(120)
    pool = uv.datasets.visits(1_500, seed=3)
    number = numbered_people(pool)
    members = pool.take(np.flatnonzero(number < 150))
    crowd = pool.take(np.flatnonzero(number >= 150))
    others = numbered_people(crowd)
    options = {"attackers": ["covered", "release"], "own": 0.0, "progress": False,
               "adversary": "smoothed-frequency"}  # fmt: skip
    whole = uv.membership(members, uv.Mondrian(k=15), held_out=crowd, **options)
    truth = whole.threats["membership"].value
    assert 0.55 < truth < 0.99
    missed = np.zeros(2, dtype=int)
    for seed in range(runs):
        drawn = np.random.default_rng(seed).choice(1_350, 60, replace=False)
        some = crowd.take(np.flatnonzero(np.isin(others, drawn)))
        found = uv.membership(members, uv.Mondrian(k=15), held_out=some, **options)
        known = found.threats["membership"]
        missed += truth < known.low, truth > known.high
    assert missed.max() <= binom.isf(0.0005, runs, 0.025), missed


def test_removals_go_on_after_an_interrupt(monkeypatch, tmp_path):
    """To the same finding; what was looked at is not looked at again."""
    calls, sanitize, last = [], uv.Mondrian.sanitize, 12

    def counted(self, microdata):
        calls.append(len(microdata))
        if len(calls) == last:
            raise KeyboardInterrupt
        return sanitize(self, microdata)

    monkeypatch.setattr(uv.Mondrian, "sanitize", counted)
    options = {"attackers": ["covered", "removal"], "removals": 8, **QUIET}
    stopped = uv.membership(VISITS, uv.Mondrian(k=3), run=tmp_path / "run", **options)
    assert stopped.interrupted
    calls, last = [], None
    found = uv.membership(VISITS, uv.Mondrian(k=3), run=tmp_path / "run", **options)
    assert len(calls) < 10  # of 17
    assert found.to_dict() == uv.membership(VISITS, uv.Mondrian(k=3), **options).to_dict()
