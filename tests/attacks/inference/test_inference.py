"""Empirical inference: a table worked by hand, the definition by brute force, bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_inference import plain_sides
from proofs import examples
from random_tables import random_microdata, tables

import unveil as uv
from unveil.adversary import Adversary, adversary_named
from unveil.attacks.held_out import split_in_folds, split_people
from unveil.attacks.inference._guesses import BELIEF, RIGHT, SURE, SURE_RIGHT
from unveil.attacks.inference._inference import published_by
from unveil.errors import GoalError, InputError

COUNTING = ("naive-bayes", "conditional-frequency", "smoothed-frequency")


def people(ages, diseases):
    return uv.read_table({"age": ages, "disease": diseases}, quasi="age", sensitive="disease")


# Four in their thirties, four in their forties.
EIGHT = people(
    [31, 32, 33, 34, 41, 42, 43, 44],
    ["Flu", "Flu", "Flu", "HIV", "HIV", "HIV", "Cold", "Cold"],
)  # fmt: skip
TENS = {"age": ["30-39"] * 3 + ["40-49"] * 3,
        "disease": ["Flu", "Flu", "HIV", "HIV", "HIV", "Cold"]}  # fmt: skip


def by_hand(**options):
    """Without the persons 2 (33, flu) and 7 (44, cold), published by decades."""
    members = EIGHT.take([0, 1, 3, 4, 5, 6])
    release = uv.read_release(TENS, members, may_change=False)
    return uv.inference(
        release, EIGHT, held_out=[2, 7], adversary="conditional-frequency", confidence=0.6,
        **options,
    )  # fmt: skip


def test_a_table_worked_by_hand():
    # In the thirties flu 2/3 and HIV 1/3 are believed; in the forties HIV 2/3 and cold 1/3.
    finding = by_hand()
    # Right are the two with flu and the two with HIV at forty: 4 of 6.
    assert finding.inside.accuracy.value == pytest.approx(4 / 6)
    assert finding.inside.belief.value == pytest.approx((4 * 2 / 3 + 2 * 1 / 3) / 6)
    # Of those outside he is right about the flu (2/3), and believes 1/3 of the cold.
    assert finding.outside.accuracy.value == pytest.approx(1 / 2)
    assert finding.outside.belief.value == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert finding.gap.value == pytest.approx(1 / 6)
    # Members have flu 2, HIV 3, cold 1: the prior says HIV, for 3 of 6, and for neither outside.
    assert finding.baseline == finding.prior.accuracy.value == pytest.approx(1 / 2)
    assert finding.prior.belief.value == pytest.approx((4 + 9 + 1) / 36)
    assert finding.prior_outside.accuracy.value == 0
    # He believes 2/3 of something about everybody, and is sure from 0.6.
    assert finding.inside.sure.value == 1
    assert finding.inside.accuracy_if_sure == pytest.approx(4 / 6)
    assert finding.prior.sure.value == 0
    assert finding.prior.accuracy_if_sure is None


def test_two_folds_worked_by_hand():
    """As it is, with the shares among equals: everybody outside has one of the same age inside."""
    twins = people([30, 30, 40, 40], ["Flu", "Flu", "HIV", "Cold"])
    finding = uv.inference(uv.Identity(), twins, adversary="conditional-frequency", folds=2)
    frame = finding.to_frame()
    # Values are dealt out in their order, cold, flu, flu, HIV: so one of each age is in each fold.
    # Inside, everybody is alone with their age. Outside, one with flu is guessed by the other,
    # and the one with HIV is taken to have a cold, and the other way round.
    assert frame["right_inside"].tolist() == frame["belief_inside"].tolist() == [1, 1, 1, 1]
    assert frame["right_outside"].tolist() == frame["belief_outside"].tolist() == [1, 1, 0, 0]
    assert (finding.accuracy, finding.baseline, finding.gap.value) == (1, 1 / 2, 1 / 2)


def test_ties_count_by_their_share():
    table = people([30, 30, 30, 40], ["Flu", "HIV", "Cold", "Flu"])
    finding = uv.inference(
        uv.Identity().sanitize(table), table, adversary="conditional-frequency", confidence=1
    )
    np.testing.assert_allclose(finding.inside.right, [1 / 3, 1 / 3, 1 / 3, 1])
    assert finding.accuracy == pytest.approx(1 / 2)
    assert finding.inside.sure.value == 1 / 4


@given(
    table=tables(24),
    adversary=st.sampled_from(COUNTING),
    sanitizer=st.sampled_from([
        uv.Identity(), uv.Mondrian(k=2), uv.Microaggregation(k=2),
        uv.RandomizedResponse(epsilon=1), uv.LaplaceCounts(epsilon=2),
    ]),
    folds=st.integers(2, 5),
    seed=st.integers(0, 3),
)  # fmt: skip
@examples(30, derandomize=True)
def test_folds_by_brute_force(table, adversary, sanitizer, folds, seed):
    attacker = adversary_named(adversary)
    splits = split_in_folds(table, min(folds, len(table)), seed) if len(table) > 1 else None
    if splits is None:
        return
    try:
        releases = list(published_by(sanitizer, splits, seed))
    except GoalError:
        with pytest.raises(GoalError, match="without fold"):
            uv.inference(sanitizer, table, adversary=attacker, folds=len(splits), seed=seed)
        return
    if not attacker.understands(releases[0]):
        with pytest.raises(InputError, match="smoothed-frequency"):
            uv.inference(sanitizer, table, adversary=attacker, folds=len(splits), seed=seed)
        return
    finding = uv.inference(
        sanitizer, table, adversary=attacker, folds=len(splits), seed=seed, confidence=0.5
    )
    members = [set(split.members.tolist()) for split in splits]
    plain = plain_sides(table, releases, members, attacker, 0.5)
    rows = [BELIEF, RIGHT, SURE, SURE_RIGHT]
    for side, expected in zip((finding.inside, finding.outside), plain, strict=True):
        np.testing.assert_allclose(side.answers[rows].T, expected, atol=1e-12)
    gap = (plain[0][:, 1] - plain[1][:, 1]).mean()
    assert finding.gap.value == pytest.approx(gap, abs=1e-12)
    frame = finding.to_frame()
    np.testing.assert_allclose(frame["belief_gap"], plain[0][:, 0] - plain[1][:, 0], atol=1e-12)


@given(table=tables(30), folds=st.integers(2, 6), seed=st.integers(0, 9))
@examples(50, derandomize=True)
def test_everybody_is_held_out_once_and_values_are_dealt_evenly(table, folds, seed):
    if len(table) < folds:
        with pytest.raises(InputError, match="a fold needs at least one"):
            split_in_folds(table, folds, seed)
        return
    splits = split_in_folds(table, folds, seed)
    held_out = np.concatenate([split.held_out for split in splits])
    assert sorted(held_out.tolist()) == list(range(len(table)))
    for split in splits:
        assert sorted([*split.members, *split.held_out]) == list(range(len(table)))
    counts = np.array([
        np.bincount(table.sensitive.codes[split.held_out], minlength=table.sensitive.size)
        for split in splits
    ])  # fmt: skip
    assert (np.ptp(counts, axis=0) <= 1).all()
    assert np.ptp(counts.sum(axis=1)) <= 1


def test_anatomy_is_read_as_expected_records():
    table = random_microdata(4, 60, ("flat", "numeric"), 7)
    finding = uv.inference(uv.Anatomy(l=2), table, adversary=list(COUNTING), folds=3)
    releases = list(published_by(uv.Anatomy(l=2), split_in_folds(table, 3, 0), 0))
    members = [set(split.members.tolist()) for split in split_in_folds(table, 3, 0)]
    for name in COUNTING:
        attacker = adversary_named(name)
        plain = plain_sides(table, releases, members, attacker, 0.9)
        sides = finding.against[attacker.label]
        np.testing.assert_allclose(sides.inside.right, plain[0][:, 1], atol=1e-12)
        np.testing.assert_allclose(sides.outside.right, plain[1][:, 1], atol=1e-12)
    assert finding.widest == max(finding.against, key=lambda n: finding.against[n].gap.value)


def test_the_true_value_counts_and_not_the_published_one():
    table = random_microdata(5, 200, ("fine",), 2)
    finding = uv.inference(
        uv.RandomizedResponse(epsilon=1), table, adversary="conditional-frequency", folds=2
    )
    # Nearly everybody is alone, so what is published of them is believed; it is true for e/(1+e).
    assert 0.65 < finding.accuracy < 0.81
    changed = [release.sensitive.codes for release in finding.releases]
    splits = split_in_folds(table, 2, 0)
    kept = [
        (codes == table.sensitive.codes[split.members]).mean()
        for codes, split in zip(changed, splits, strict=True)
    ]
    assert max(kept) < 0.85


def test_one_split_is_that_of_the_membership_test():
    table = random_microdata(1, 80, ("flat", "flat"), 3)
    finding = uv.inference(uv.Mondrian(k=3), table, held_out=0.25, seed=4)
    people = split_people(table, 0.25, own=0, seed=4)
    assert finding.folds is None
    assert finding.inside.records.tolist() == people.members.tolist()
    assert finding.outside.records.tolist() == people.held_out.tolist()
    release = uv.Mondrian(k=3).sanitize(people.table)
    given_one = uv.inference(release, table, held_out=people.held_out)
    assert given_one.gap == finding.gap
    difference = finding.inside.right.mean() - finding.outside.right.mean()
    assert finding.gap.value == pytest.approx(difference)
    assert finding.to_frame()["belief_gap"].isna().all()


def test_another_table_is_brought_to_the_same_codes():
    others = people([44, 31], ["Cold", "Flu"])  # codes of its own
    release = uv.Mondrian(k=2).sanitize(EIGHT)
    finding = uv.inference(release, EIGHT, held_out=others, adversary="conditional-frequency")
    expected = adversary_named("conditional-frequency").predict(release, EIGHT.codes[:, [7, 0]])
    np.testing.assert_allclose(finding.outside.beliefs, [expected[0, 0], expected[1, 1]])
    assert EIGHT.sensitive.texts == ("Cold", "Flu", "HIV")


def test_values_that_the_release_does_not_know_are_told():
    release = uv.Mondrian(k=2).sanitize(EIGHT)
    with pytest.raises(
        InputError, match=r"'age' of the table of people held out, table, has '99'.*as one table"
    ):
        uv.inference(release, EIGHT, held_out=people([99, 31], ["Flu", "HIV"]))
    with pytest.raises(InputError, match=r"'disease'.* has 'flu'.*=.*'flu': 'Flu'"):
        uv.inference(release, EIGHT, held_out=people([31, 32], ["flu", "HIV"]))
    # What the message says to do: all people are one table.
    both = people([*range(31, 35), 99, 98], ["Flu", "HIV", "Flu", "Flu", "HIV", "Flu"])
    release = uv.Identity().sanitize(both.take(range(4)))
    assert uv.inference(release, both, held_out=[4, 5]).outside is not None
    # And a sanitizer, which has not published yet, does it itself.
    finding = uv.inference(uv.Mondrian(k=2), EIGHT, held_out=people([99, 98], ["Flu", "Ebola"]))
    assert len(finding.outside) == 2


def test_equal_seeds_equal_numbers_and_noise_of_its_own_for_each_fold():
    table = random_microdata(2, 60, ("flat",), 3)
    first, again, other = (
        uv.inference(uv.LaplaceCounts(epsilon=1), table, seed=seed) for seed in (1, 1, 2)
    )
    assert np.array_equal(first.inside.answers, again.inside.answers)
    assert not np.array_equal(first.inside.answers, other.inside.answers)
    assert len({release.seed for release in first.releases}) == 5
    assert first.adversary.label == "smoothed frequency"


def test_targets():
    table = random_microdata(2, 60, ("flat", "numeric"), 3)
    everybody = uv.inference(uv.Mondrian(k=2), table)
    some = uv.inference(uv.Mondrian(k=2), table, targets=[40, 3, 17])
    assert some.inside.records.tolist() == [3, 17, 40]
    assert np.array_equal(some.inside.answers, everybody.inside.answers[:, [3, 17, 40]])
    assert np.array_equal(some.outside.answers, everybody.outside.answers[:, [3, 17, 40]])
    assert len(uv.inference(uv.Mondrian(k=2), table, targets=10).inside) == 10
    with pytest.raises(InputError, match="none of the targets is in the release"):
        uv.inference(uv.Mondrian(k=2), table, held_out=[1, 2], targets=[1])


def test_a_prior_of_the_user_is_the_baseline_too():
    prior = {"Flu": 0.2, "HIV": 0.2, "Cold": 0.6}
    finding = uv.inference(uv.Mondrian(k=4), EIGHT, folds=2, prior=prior)
    assert finding.baseline == 2 / 8  # the cold
    each = np.tile([0.6, 0.2, 0.2], (8, 1))
    same = uv.inference(uv.Mondrian(k=4), EIGHT, folds=2, prior=each)
    assert np.array_equal(finding.inside.answers, same.inside.answers)
    others = people([31, 44], ["Flu", "HIV"])
    with pytest.raises(InputError, match="the prior has 8 rows, but the table has 10 records"):
        uv.inference(uv.Mondrian(k=4), EIGHT, held_out=others, prior=each)


def test_who_believes_nothing_is_not_right():
    class Shrugs(Adversary):
        def predict(self, release, codes):
            beliefs = np.full((codes.shape[1], release.sensitive.size), 1 / 3)
            beliefs[codes[0] < 4] = np.nan
            return beliefs

    finding = uv.inference(uv.Identity(), EIGHT, adversary=Shrugs(), folds=2)
    assert finding.inside.not_believed == 4
    assert finding.accuracy == pytest.approx(4 / 8 / 3)
    assert np.isnan(finding.belief[:4]).all()
    assert "NO BELIEF of Shrugs about 8 people" in finding.summary()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 1}, "folds=1 is not possible: it must be a whole number from 2 up"),
        ({"folds": True}, "folds=True is not possible"),
        ({"folds": 9}, "folds=9 is too many: table has 8 records, .*; take at most 8"),
        ({"folds": 3, "held_out": 0.5}, "both say who is held out"),
        ({"held_out": 1.5}, "held_out= must be a share"),
        ({"held_out": [99]}, "held_out= has record 99"),
        ({"confidence": 0}, "confidence=0 is not possible: it must be a number above 0 to 1"),
        ({"seed": -1}, "seed=-1 is not possible"),
        ({"adversary": "naive-bays"}, "did you mean 'naive-bayes'"),
        ({"adversary": ["naive-bayes", "naive-bayes"]}, "is given twice"),
        ({"adversary": "naive-bayes@quantiles-before-hot"}, "cut into quantiles before"),
        ({"targets": 9}, "targets=9: the table has 8 records"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(InputError, match=message):
        uv.inference(uv.Mondrian(k=2), EIGHT, **options)


def test_a_table_of_one_person_has_no_folds():
    with pytest.raises(InputError, match=r"1 record, .* there is nobody to compare with"):
        uv.inference(uv.Identity(), EIGHT.take([0]))


def test_more_records_than_members_are_noted():
    release = uv.Mondrian(k=2).sanitize(EIGHT)
    finding = uv.inference(release, EIGHT, held_out=[0, 1])
    assert "has 8 records, but only 6 people are said to be in it" in finding.summary()
    fair = uv.inference(uv.Mondrian(k=2).sanitize(EIGHT.take(range(2, 8))), EIGHT, held_out=[0, 1])
    assert "are said to be in it" not in fair.summary()


def test_what_a_release_does_not_take():
    release = uv.Mondrian(k=2).sanitize(EIGHT)
    with pytest.raises(InputError, match="folds=3 needs a sanitizer"):
        uv.inference(release, EIGHT, folds=3)
    with pytest.raises(InputError, match=r"the release by Mondrian\(k=2\) already exists"):
        uv.inference(release, EIGHT, held_out=0.5)
    with pytest.raises(InputError, match="the first argument is microdata"):
        uv.inference(EIGHT, release)
    with pytest.raises(GoalError, match="table without fold 1 of 2 has 4 records"):
        uv.inference(uv.Mondrian(k=5), EIGHT, folds=2)
    with pytest.raises(InputError, match="the members themselves"):
        uv.inference(release, EIGHT, held_out=EIGHT)


def test_a_seed_that_nobody_gave_is_not_told():
    table = people([1, 2, 3, 4, 5, 6], ["x", "x", "x", "x", "y", "x"])
    with pytest.raises(GoalError, match=r"^Anatomy\(l=2\) cannot be met"):
        uv.inference(uv.Anatomy(l=2), table)


def test_held_out_people_with_other_codes_are_mapped_or_refused():
    table = {"sex": ["Female", "Male"] * 6, "vote": ["a", "b", "b", "a"] * 3}
    ours = uv.read_table(table, quasi="sex", sensitive="vote")
    other = {"sex": ["F", "M"] * 3, "vote": ["a", "b"] * 3}
    theirs = uv.read_table(other, quasi="sex", sensitive="vote")
    same = uv.read_table({**other, "sex": ["Female", "Male"] * 3}, quasi="sex", sensitive="vote")
    with pytest.raises(uv.UnveilError, match="other names for the same values"):
        uv.inference(uv.Mondrian(k=2), ours, held_out=theirs)
    mapped = uv.inference(
        uv.Mondrian(k=2), ours, held_out=theirs,
        recode={"sex": {"F": "Female", "M": "Male"}},
    )  # fmt: skip
    plain = uv.inference(uv.Mondrian(k=2), ours, held_out=same)
    assert mapped.outside.right.tolist() == plain.outside.right.tolist()
    with pytest.raises(uv.UnveilError, match="recode= is about the values of a table"):
        uv.inference(uv.Mondrian(k=2), ours, recode={"sex": {"F": "Female"}})
