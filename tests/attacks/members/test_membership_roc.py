"""The numbers of a ROC curve, against their definitions written out."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.attacks.members import _roc as roc
from unveil.attacks.members._roc import separation

# Few values, so that there are ties, and both infinities.
scores = st.lists(
    st.sampled_from([-math.inf, -1.5, 0.0, 0.1, 0.25, 2.0, math.inf]), min_size=2, max_size=25
).map(np.array)


def share_of_pairs(members, held_out):
    wins = [(a > b) + 0.5 * (a == b) for a in members for b in held_out]
    return sum(wins) / len(wins)


def plain_interval(members, held_out, together):
    """DeLong's interval by its definition, all pairs; groups of people as one."""
    psi = np.array([[(a > b) + 0.5 * (a == b) for b in held_out] for a in members])
    area = psi.mean()
    variance = psi.mean(axis=1).var(ddof=1) / len(members)
    groups = sorted(set(together))
    if len(groups) < 2:
        return 0.0, 1.0
    sums = [sum(psi[:, j].mean() - area for j in np.flatnonzero(together == g)) for g in groups]
    variance += sum(s * s for s in sums) * len(groups) / (len(groups) - 1) / len(held_out) ** 2
    half = 1.959963984540054 * math.sqrt(variance)
    return max(0.0, area - half), min(1.0, area + half)


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


def found_at(members, held_out, rate):
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


@settings(max_examples=40, deadline=None)
@given(scores, st.integers(0, 10**6))
def test_the_share_found_is_that_of_the_smallest_threshold(members, seed):
    rng = np.random.default_rng(seed)
    held_out = rng.choice(
        np.array([-math.inf, -1.5, 0.0, 0.05, 0.1]), 1000, p=[0.1, 0.5, 0.39, 0.009, 0.001]
    )
    found = separation(members, held_out)
    for rate in (0.01, 0.001):
        share = found.tpr[rate]
        assert share.value == pytest.approx(found_at(members, held_out, rate))
        assert share.low <= share.value <= share.high


def test_ties_are_no_finds():
    members, held_out = np.zeros(50), np.zeros(1000)
    found = separation(members, held_out)
    assert found.auc.value == found.auc.low == found.auc.high == 0.5
    assert found.tpr[0.01].value == 0
    assert found.advantage == 0


@given(scores, scores)
def test_the_curve_and_the_advantage(members, held_out):
    thresholds, fpr, tpr = roc.roc_points(members, held_out)
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
    assert everything.low == pytest.approx(0.025 ** (1 / 100))


# the bootstrap: what is drawn and what is known instead -----------------------------------


def plain_ranks(rate, together, replicates, rng):
    """Draw groups, put everybody drawn in order, look who is one too many."""
    groups = [np.flatnonzero(together == g) for g in np.unique(together)]
    ranks = []
    for _ in range(replicates):
        drawn = np.concatenate([groups[g] for g in rng.integers(0, len(groups), len(groups))])
        ranks.append(np.sort(drawn)[math.floor(rate * len(drawn) + 1e-9)])
    return np.array(ranks)


def largest_gap(a, b):
    """Between two empirical distributions (Kolmogorov–Smirnov)."""
    at = np.union1d(a, b)
    return np.abs(
        np.searchsorted(np.sort(a), at, "right") / len(a)
        - np.searchsorted(np.sort(b), at, "right") / len(b)
    ).max()


# Two samples of 2000 from one distribution are further apart than this once in a thousand times.
FAR = 1.95 * math.sqrt(2 / 2000)


@pytest.mark.parametrize("rate", [0.01, 0.1])
def test_known_order_statistics_are_those_of_drawing_people(rate):
    rng = np.random.default_rng(5)
    plain = plain_ranks(rate, np.arange(300), 2000, rng)
    assert largest_gap(roc._ranks_alone(rate, 300, rng), plain) < FAR
    assert largest_gap(roc._ranks_together(rate, np.arange(300), rng), plain) < FAR


@pytest.mark.parametrize("entries", [2**22, 5000])
def test_groups_are_drawn_whole(entries, monkeypatch):
    monkeypatch.setattr(roc, "_ENTRIES", entries)
    rng = np.random.default_rng(6)
    together = rng.integers(0, 20, 300)
    plain = plain_ranks(0.05, together, 2000, rng)
    ranks = roc._ranks_together(0.05, together, rng)
    assert len(ranks) == 2000
    assert largest_gap(ranks, plain) < FAR


def test_intervals_cover_the_truth_as_often_as_they_say():
    # Scores from two normal distributions a standard deviation apart; their truth is known.
    area, at_one_percent = 0.760250, 0.092361
    hits = np.zeros(2)
    for seed in range(200):
        rng = np.random.default_rng(seed)
        found = separation(rng.normal(1, 1, 500), rng.normal(0, 1, 1000), seed=seed)
        share = found.tpr[0.01]
        hits += found.auc.low <= area <= found.auc.high, share.low <= at_one_percent <= share.high
    assert (hits >= 180).all()  # 190 are expected; fewer than 180 once in a thousand times
    assert (hits <= 199).all()


def test_the_same_seed_gives_the_same_intervals():
    rng = np.random.default_rng(0)
    members, held_out = rng.normal(1, 1, 300), rng.normal(0, 1, 1000)
    assert separation(members, held_out, seed=3) == separation(members, held_out, seed=3)
    assert separation(members, held_out, seed=3) != separation(members, held_out, seed=4)
