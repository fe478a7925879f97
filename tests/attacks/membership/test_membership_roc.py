"""The numbers of a ROC curve, against their definitions written out."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proofs import examples, repeats
from scipy.stats import beta, binom, norm, t

from unveil.attacks.membership._roc import (
    area_under_curve,
    enough_for_a_low_end,
    found_at,
    largest_area,
    roc_points,
    separation,
)

# Few values, so that there are ties, and both infinities.
scores = st.lists(
    st.sampled_from([-math.inf, -1.5, 0.0, 0.1, 0.25, 2.0, math.inf]), min_size=2, max_size=25
).map(np.array)


def share_of_pairs(members, held_out):
    wins = [(a > b) + 0.5 * (a == b) for a in members for b in held_out]
    return sum(wins) / len(wins)


def plain_interval(members, held_out, together):
    """DeLong's variance by its definition, all pairs, groups of people as one; Student's interval
    of the log odds; and room for those of whom nobody was there."""
    psi = np.array([[(a > b) + 0.5 * (a == b) for b in held_out] for a in members])
    area, m, groups = psi.mean(), len(members), sorted(set(together))
    if len(groups) < 2:
        return 0.0, 1.0
    sums = [sum(psi[:, j].mean() - area for j in np.flatnonzero(together == g)) for g in groups]
    first = psi.mean(axis=1).var(ddof=1) / m
    second = sum(s * s for s in sums) * len(groups) / (len(groups) - 1) / len(held_out) ** 2
    low = high = area
    if first + second > 1e-20:
        freedom = (first + second) ** 2 / (first**2 / (m - 1) + second**2 / (len(groups) - 1))
        half = t.ppf(0.975, freedom) * math.sqrt(first + second) / area / (1 - area)
        odds = area / (1 - area)
        low, high = (1 / (1 + math.exp(-(math.log(odds) + side))) for side in (-half, half))
    unseen = 1 - 0.025 ** (1 / min(m, len(groups)))
    return min(low, area * (1 - unseen)), max(high, area * (1 - unseen) + unseen)


@settings(deadline=None)
@given(scores, scores, st.data())
def test_the_area_and_its_interval(members, held_out, data):
    groups = st.lists(st.integers(0, 4), min_size=len(held_out), max_size=len(held_out))
    for together in (np.arange(len(held_out)), np.array(data.draw(groups))):
        found = separation(members, held_out, together=together).auc
        assert found.value == pytest.approx(share_of_pairs(members, held_out))
        low, high = plain_interval(members, held_out, together)
        assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    alone = separation(members, held_out).auc
    apart = separation(members, held_out, together=np.arange(len(held_out))).auc
    assert alone.low == pytest.approx(apart.low)
    assert alone.high == pytest.approx(apart.high)


def test_one_person_shows_no_variation():
    found = separation(np.array([1.0]), np.array([0.0, 0.5]))
    assert (found.auc.low, found.auc.value, found.auc.high) == (0, 1, 1)


def plainly_found(members, held_out, rate):
    """Of all thresholds, the smallest at which not too many are false alarms."""
    allowed = [
        t
        for t in [*members, *held_out, math.nextafter(math.inf, 0)]
        if np.mean(held_out >= t) <= rate + 1e-12
    ]
    above = np.nextafter(held_out, math.inf)  # a threshold need not be a score
    allowed += [t for t in above if np.mean(held_out >= t) <= rate + 1e-12 and t < math.inf]
    if not allowed:
        return 0.0
    return float(np.mean(members >= min(allowed)))


@examples(40)
@given(scores, st.integers(0, 10**6))
def test_the_share_found_is_that_of_the_smallest_threshold(members, seed):
    rng = np.random.default_rng(seed)
    held_out = rng.choice(
        np.array([-math.inf, -1.5, 0.0, 0.05, 0.1]), 1000, p=[0.1, 0.5, 0.39, 0.009, 0.001]
    )
    found = separation(members, held_out)
    for rate in (0.01, 0.001):
        share = found.tpr[rate]
        assert share.value == pytest.approx(plainly_found(members, held_out, rate))
        assert share.low <= share.value <= share.high


def test_ties_are_no_finds():
    members, held_out = np.zeros(50), np.zeros(1000)
    found = separation(members, held_out)
    assert found.auc.value == 0.5
    assert found.auc.low == pytest.approx(0.5 * 0.025 ** (1 / 50))  # somebody else may be different
    assert found.auc.high == pytest.approx(1 - 0.5 * 0.025 ** (1 / 50))
    assert found.tpr[0.01].value == 0
    assert found.advantage == 0


@given(scores, scores)
def test_the_curve_and_the_advantage(members, held_out):
    thresholds, fpr, tpr = roc_points(members, held_out)
    assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, 0, 1, 1)
    assert thresholds[0] == math.inf
    assert (np.diff(thresholds[1:]) < 0).all()
    for threshold, alarms, finds in zip(thresholds[1:], fpr[1:], tpr[1:], strict=True):
        assert alarms == pytest.approx(np.mean(held_out >= threshold))
        assert finds == pytest.approx(np.mean(members >= threshold))
    best = max(np.mean(members >= t) - np.mean(held_out >= t) for t in [*members, *held_out])
    assert separation(members, held_out).advantage == pytest.approx(max(best, 0))


@pytest.mark.parametrize(("people", "shown"), [(99, []), (100, [0.01]), (999, [0.01]),
                                               (1000, [0.01, 0.001])])  # fmt: skip
def test_too_few_people_cannot_show_a_rate(people, shown):
    found = separation(np.arange(10.0), np.arange(people) / people)
    assert [rate for rate, share in found.tpr.items() if share is not None] == shown


def test_nothing_found_and_everything_found_are_no_certainty():
    nothing = separation(np.zeros(100), np.ones(1000)).tpr[0.01]
    assert (nothing.value, nothing.low) == (0, 0)
    assert nothing.high == pytest.approx(1 - 0.025 ** (1 / 100))
    everything = separation(np.ones(100), np.zeros(1000)).tpr[0.01]
    assert (everything.value, everything.high) == (1, 1)
    none_above = 0.99**1000  # then the true limit may be above all scores
    assert everything.low == pytest.approx(((0.025 - none_above) / (1 - none_above)) ** (1 / 100))


@pytest.mark.parametrize(("rate", "enough"), [(0.01, 368), (0.001, 3688)])
def test_few_people_do_not_show_that_anybody_is_found(rate, enough):
    assert enough_for_a_low_end(rate) == enough
    for groups, shown in ((enough - 1, False), (enough, True)):
        for together in (None, np.arange(3 * groups) % groups):
            others = np.zeros(groups if together is None else 3 * groups)
            found = found_at(rate, np.ones(1000), others, together)
            assert (found.low > 0) is shown
            assert found.value == found.high == 1


@pytest.mark.parametrize(("m", "n", "groups"), [(5, 40, 40), (40, 5, 5), (40, 40, 4)])
def test_told_apart_without_exception_is_no_certainty(m, n, groups):
    members, held_out, together = np.arange(m) + 1.0, -np.arange(n) - 1.0, np.arange(n) % groups
    least = 0.025 ** (1 / min(m, groups))
    found = separation(members, held_out, together=together).auc
    assert (found.value, found.low, found.high) == (1, pytest.approx(least), 1)
    found = separation(-members, -held_out, together=together).auc
    assert (found.value, found.low, found.high) == (0, 0, pytest.approx(1 - least))
    # Not quite without exception is not known any better.
    members[0] = -1.5
    assert separation(members, held_out, together=together).auc.low < least


# the interval of the share found, by its definition ---------------------------------------


def plain_share(rate, members, held_out, together):
    """All ways in which groups may be above the true limit or not, one by one."""
    limits, m, n = sorted(held_out, reverse=True), len(members), len(held_out)
    sizes = [int((together == g).sum()) for g in np.unique(together)]
    surely, perhaps, chances = [], [], []
    for above in itertools.product([False, True], repeat=len(sizes)):
        alarms = sum(size for size, exceeds in zip(sizes, above, strict=True) if exceeds)
        surely.append(np.sum(members > limits[alarms - 1]) if alarms else 0)
        perhaps.append(np.sum(members > limits[alarms]) if alarms < n else m)
        chances.append(math.prod(rate if exceeds else 1 - rate for exceeds in above))

    surely, perhaps = np.array(surely), np.array(perhaps)
    ends = []
    for first, second, level in (
        (surely, m - surely + 1, 0.025),
        (perhaps + 1, m - perhaps, 0.975),
    ):
        left, right = 0.0, 1.0
        for _ in range(40):
            middle = (left + right) / 2
            below = beta.cdf(middle, np.maximum(first, 1), np.maximum(second, 1))
            below[first == 0], below[second == 0] = 1, 0  # surely nothing, perhaps everything
            enough = np.dot(below, chances) >= level
            left, right = (left, middle) if enough else (middle, right)
        ends.append(right)
    return ends


@examples(25)
@given(scores, st.lists(st.integers(1, 4), min_size=5, max_size=7), st.integers(0, 10**6))
def test_the_interval_of_the_share_found(members, sizes, seed):
    rng = np.random.default_rng(seed)
    together = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    held_out = rng.choice(np.array([-math.inf, -1.5, 0.0, 0.05, 0.1, 1.0]), len(together))
    for rate in (0.2, 0.5):
        found = found_at(rate, members, held_out, together)
        low, high = plain_share(rate, members, held_out, together)
        assert found.low == pytest.approx(min(low, found.value), abs=1e-9)
        assert found.high == pytest.approx(max(high, found.value), abs=1e-9)


def test_people_asked_about_alone_are_groups_of_one():
    rng = np.random.default_rng(0)
    members, held_out = rng.normal(1, 1, 300), rng.normal(0, 1, 1000)
    alone = separation(members, held_out)
    assert alone.groups == 1000
    apart = separation(members, held_out, together=rng.permutation(1000))
    assert apart.tpr == alone.tpr
    pairs = separation(members, held_out, together=np.arange(1000) // 2)
    assert pairs.groups == 500
    assert pairs.tpr[0.01].low < alone.tpr[0.01].low
    assert pairs.tpr[0.01].high > alone.tpr[0.01].high


# coverage ---------------------------------------------------------------------------------

# Scores are from normal distributions with standard deviation 1, so their truth is known; those
# of a group have a normal part in common.
SAMPLES = repeats(300)
MOST = int(binom.isf(0.0005, SAMPLES, 0.025))  # more on one side once in two thousand times


def samples(away, m, n, groups, common=0.7):
    for seed in range(SAMPLES):
        rng = np.random.default_rng(seed)
        members, together = rng.normal(away, 1, m), np.arange(n) % groups
        shared, alone = rng.normal(0, common, groups), rng.normal(0, math.sqrt(1 - common**2), n)
        yield members, shared[together] + alone, together if groups < n else None


def missed(intervals, truth):
    """How often the truth is below and above."""
    ends = np.array([(one.low, one.high) for one in intervals])
    return (truth < ends[:, 0]).sum(), (truth > ends[:, 1]).sum()


@pytest.mark.parametrize(
    ("rate", "away", "m", "n", "groups"),
    [
        (0.01, 1, 100, 100, 100),
        (0.01, 3, 400, 400, 400),
        (0.01, 3, 300, 1200, 1200),
        (0.001, 3, 1000, 1000, 1000),
        (0.01, 1, 400, 400, 5),
        (0.01, 1, 400, 400, 20),
        (0.01, 2, 400, 1200, 400),
    ],
)
def test_shares_found_are_covered(rate, away, m, n, groups):
    truth = norm.sf(norm.isf(rate) - away)
    found = [found_at(rate, *sample) for sample in samples(away, m, n, groups)]
    assert max(missed(found, truth)) <= MOST
    if groups >= 1000 and rate == 0.01:  # and intervals do not cover by being wide
        assert np.mean([one.high - one.low for one in found]) < 0.2


@pytest.mark.parametrize(
    ("m", "n", "groups"),
    [(200, 2, 2), (200, 3, 3), (200, 10, 10), (3, 200, 200), (60, 60, 60), (400, 400, 5),
     (400, 400, 20), (500, 1000, 1000)],
)  # fmt: skip
@pytest.mark.parametrize("away", [0, 1, 2.5])
def test_areas_are_covered(away, m, n, groups):
    truth = norm.cdf(away / math.sqrt(2))
    found = [area_under_curve(*sample) for sample in samples(away, m, n, groups)]
    assert max(missed(found, truth)) <= MOST
    if n == 1000:
        assert np.mean([one.high - one.low for one in found]) < 0.07


def test_removals_that_lift_everybody_and_are_rare_are_reckoned_with():
    # One in a hundred; the true limit is exceeded by those and hardly by others.
    limit = 3.312566  # of 0.99 · N(0, 1) + 0.01 · N(5, 1) one percent is above
    truth = norm.sf(limit - 3)
    intervals = []
    for seed in range(SAMPLES):
        rng = np.random.default_rng(seed)
        together = np.arange(400) // 2
        lifted = 5 * (rng.random(200) < 0.01)[together]
        members, held_out = rng.normal(3, 1, 400), rng.normal(0, 1, 400) + lifted
        intervals.append(found_at(0.01, members, held_out, together))
    assert max(missed(intervals, truth)) <= MOST


# the largest of several areas -------------------------------------------------------------


@examples(40)
@given(st.lists(st.tuples(scores, scores), min_size=1, max_size=4))
def test_the_largest_area_is_that_of_one_of_them(sides):
    found = largest_area([(members, others, None) for members, others in sides])
    each = [area_under_curve(members, others, None) for members, others in sides]
    assert found.value == pytest.approx(max(share_of_pairs(*one) for one in sides))
    assert found.high == max(one.high for one in each)
    assert found.low <= max(one.low for one in each)
    assert found.low <= found.value <= found.high
    if len(sides) == 1:
        assert found == each[0]


REPEATS = 3 * settings().max_examples  # 300 in `make proofs`
FEW = int(binom.isf(0.0005, REPEATS, 0.025))  # more on one side once in two thousand times


@pytest.mark.parametrize("alike", [0.0, 0.9])
@pytest.mark.parametrize("away", [(0.0,) * 7, (1.0,) * 7, (0.5, 1.0), (2.5, 2.4, 0.0)])
def test_the_largest_area_is_covered(away, alike):
    """Several attackers score the same people; their errors may be much alike."""
    truth, found = norm.cdf(max(away) / math.sqrt(2)), []
    for seed in range(REPEATS):
        rng = np.random.default_rng(seed)
        common = rng.normal(0, math.sqrt(alike), (2, 150))
        each = rng.normal(0, math.sqrt(1 - alike), (len(away), 2, 150)) + common
        found.append(largest_area([
            (one[0] + shift, one[1], None) for one, shift in zip(each, away, strict=True)
        ]))  # fmt: skip
    assert max(missed(found, truth)) <= FEW
    assert np.mean([one.high - one.low for one in found]) < 0.25
