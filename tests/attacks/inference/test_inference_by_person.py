"""Inference where a person has several rows: all people weigh the same, and nobody is split."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from proofs import examples, repeats
from scipy.stats import binom
from several_rows import read, repeated, stays

import unveil as uv
from unveil.attacks.estimates import mean_of, share_of
from unveil.attacks.held_out import split_in_folds, split_people
from unveil.errors import InputError
from unveil.microdata import Persons, numbered_people

SURVEY = uv.datasets.election_survey().take(range(0, 900, 5))
QUIET = {"progress": False, "adversary": ["naive-bayes", "conditional-frequency"]}
VISITS = uv.datasets.visits(120)


def test_one_row_each_changes_nothing():
    """Bit by bit, whatever numbers the persons have."""
    named = replace(SURVEY, persons=Persons(("who",), np.arange(len(SURVEY))[::-1].copy()))
    for options in ({}, {"held_out": 0.3}, {"targets": 20}):
        plain, by_person = (
            uv.inference(uv.Mondrian(k=4), table, **QUIET, **options).to_dict()
            for table in (SURVEY, named)
        )
        assert plain == by_person


def test_equal_rows_of_a_person_count_once():
    """By the code that counts people: as the same table with each row once."""
    release = uv.Mondrian(k=4).sanitize(SURVEY)
    several, which = repeated(SURVEY)
    plain, by_person = (uv.inference(release, table, **QUIET) for table in (SURVEY, several))
    order = np.argsort(which[by_person.inside.records])
    for name, sides in plain.against.items():
        found = by_person.against[name].inside
        np.testing.assert_allclose(found.answers[:, order], sides.inside.answers, atol=1e-12)
        assert str(found.accuracy) == str(sides.inside.accuracy)
    np.testing.assert_allclose(by_person.prior.answers[:, order], plain.prior.answers, atol=1e-12)


@examples(40)
@given(table=stays())
def test_means_of_people_by_definition(table):
    several = read(table)
    assume(several.persons.count >= 3 and several.several is not None)
    found = uv.inference(
        uv.Mondrian(k=1), several, adversary="conditional-frequency", folds=2, progress=False
    )
    right = {person: ([], []) for person in table["who"]}
    for people in split_in_folds(several, 2, 0):
        release = uv.Mondrian(k=1).sanitize(people.table)
        for record, person in enumerate(table["who"]):
            covering = release.joint_counts(several.codes[:, [record]])[0]
            shares = covering if covering.sum() else release.totals
            best = shares == shares.max()
            own = several.sensitive.codes[record]
            right[person][record in people.held_out].append(best[own] / best.sum())
    inside = np.mean([np.mean(one[0]) for one in right.values()])
    outside = np.mean([np.mean(one[1]) for one in right.values()])
    assert found.accuracy == pytest.approx(inside)
    assert found.outside.accuracy.value == pytest.approx(outside)
    assert len(found.inside) == len(right) == len(found.to_frame())
    # Who knows how frequent values are knows it of people.
    weights = {}
    for person, ill in zip(table["who"], table["ill"], strict=True):
        weights[ill] = weights.get(ill, 0) + 1 / table["who"].count(person)
    most = [ill for ill, one in weights.items() if one > max(weights.values()) - 1e-9]
    hits = {p: [] for p in right}
    for person, ill in zip(table["who"], table["ill"], strict=True):
        hits[person].append((ill in most) / len(most))
    assert found.baseline == pytest.approx(np.mean([np.mean(one) for one in hits.values()]))


def splits():
    yield from split_in_folds(VISITS, 5, seed=3)
    for held_out in (0.3, 0.5):
        yield split_people(VISITS, held_out, own=0.2, seed=4)
    number = numbered_people(VISITS)
    yield split_people(VISITS, np.flatnonzero(number < 20), own=0.1)
    yield split_people(VISITS, np.isin(number, [1, 5, 7]), own=0)
    yield split_people(VISITS.take(np.flatnonzero(number < 60)),
                       VISITS.take(np.flatnonzero(number >= 60)), own=0.5)  # fmt: skip


def test_nobody_is_on_two_sides():
    for people in splits():
        names = people.everybody.persons.of
        parts = [set(names[one]) for one in (people.members, people.held_out, people.own)]
        assert sum(map(len, parts)) == len(set.union(*parts)) == 120
        rows = [people.members, people.held_out, people.own]
        assert sum(map(len, rows)) == len(people.everybody) == len(VISITS)
        assert people.table.persons.count == len(parts[0]) == people.count(people.members)
        assert people.is_member.sum() == len(parts[0])
        assert (names[people.asked] == names[people.first[people.whose]]).all()


def test_folds_have_as_many_people():
    sizes = [people.count(people.held_out) for people in split_in_folds(VISITS, 7, seed=1)]
    assert max(sizes) - min(sizes) <= 1


def test_half_a_person_cannot_be_held_out():
    several = read({"who": list("aabbccdd"), "age": range(8), "sex": ["f"] * 8,
                    "ill": list("xyxyxyxy")})  # fmt: skip
    with pytest.raises(InputError, match="row 2 is of a person who has others that are held out"):
        uv.inference(uv.Mondrian(k=1), several, held_out=[0, 2, 3])
    others = read({"who": list("eeaf"), "age": range(4), "sex": ["f"] * 4, "ill": list("xyxy")})
    with pytest.raises(InputError, match=r"1 row .* is of people who are in .*row 3 is the first"):
        uv.inference(uv.Mondrian(k=1), several, held_out=others)
    with pytest.raises(InputError, match="8 records of 4 people, and this split leaves 1 people"):
        split_people(several, [0, 1])
    with pytest.raises(InputError, match=r"folds=5 is too many: .* has 4 people"):
        uv.inference(uv.Mondrian(k=1), several, folds=5)


def test_targets_are_people():
    found = uv.inference(uv.Mondrian(k=3), VISITS, targets=30, **QUIET)
    assert len(found.inside) == len(found.outside) == 30
    assert "every record of a person is guessed" in str(found)


def test_intervals_of_people_have_the_truth():
    """Rows of a person are alike. Intervals of people hold; of rows they would be too narrow."""
    runs, people, rows = repeats(600), 80, 6
    rng = np.random.default_rng(5)
    most = int(binom.isf(0.0005, runs, 0.05))
    missed = np.zeros(3, dtype=int)
    for _ in range(runs):
        number = rng.integers(1, 2 * rows, people)
        right = rng.random(people) < 0.3  # all rows of a person are guessed, or none
        answers = np.where(rng.random((people, 2 * rows)) < 0.9, right[:, None], ~right[:, None])
        means = np.array([a[:n].mean() for a, n in zip(answers, number, strict=True)])
        every = np.concatenate([a[:n] for a, n in zip(answers, number, strict=True)])
        truth = 0.3 * 0.9 + 0.7 * 0.1
        for place, one in enumerate((share_of(means), mean_of(means), share_of(1.0 * every))):
            missed[place] += not one.low <= truth <= one.high
    assert max(missed[:2]) <= most, missed
    assert missed[2] > 2 * most, missed


def test_a_sample_of_people_tells_about_all():
    """Through the whole attack: rows of a person are alike, and intervals have the truth."""
    runs = repeats(120)
    pool = uv.datasets.visits(2_500, seed=3)
    number = numbered_people(pool)
    members = pool.take(np.flatnonzero(number < 200))
    crowd = pool.take(np.flatnonzero(number >= 200))
    others = numbered_people(crowd)
    release = uv.Mondrian(k=4).sanitize(members)
    whole = uv.inference(release, members, held_out=crowd, **QUIET)
    truth = [max(one.inside.accuracy.value for one in whole.against.values()),
             max(one.gap.value for one in whole.against.values())]  # fmt: skip
    inside, missed = numbered_people(members), np.zeros((2, 2), dtype=int)
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        drawn = crowd.take(np.flatnonzero(np.isin(others, rng.choice(2_300, 120, replace=False))))
        asked = np.flatnonzero(np.isin(inside, rng.choice(200, 60, replace=False)))
        every = np.concatenate([asked, np.arange(len(members), len(members) + len(drawn))])
        found = uv.inference(release, members, held_out=drawn, targets=every, **QUIET)
        assert len(found.inside) == 60
        assert len(found.outside) == 120
        for place, (figure, true) in enumerate(zip(found.figures, truth, strict=True)):
            missed[place] += true < figure.low, true > figure.high
    assert missed.max() <= binom.isf(0.0005, runs, 0.025), missed
