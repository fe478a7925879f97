"""The intervals of the figures of inference have the truth as often as they say."""

import numpy as np
import pytest
from hypothesis import settings
from scipy.stats import binom

import unveil as uv
from unveil.attacks.held_out import split_in_folds
from unveil.sanitize import sanitizer_named

REPEATS = 300 if settings().max_examples >= 100 else 30  # 300 in `make proofs`
MOST = int(binom.isf(0.0005, REPEATS, 0.025))  # more on one side once in two thousand times
POOL = uv.datasets.census(30_000, seed=11)
CROWD = POOL.take(range(10_000, 30_000))
ATTACKERS = ["naive-bayes", "conditional-frequency"]


def missed(found):
    """How often the truth is below an interval, and above it."""
    low, high, truth = np.array(found).T
    return int((truth < low - 1e-9).sum()), int((truth > high + 1e-9).sum())


@pytest.mark.parametrize("sanitizer", ["identity", "mondrian:k=5"])
def test_of_people_held_out_a_sample_tells_about_all(sanitizer):
    """The release is given; who is asked about on either side is drawn."""
    people = POOL.take(range(400))
    release = sanitizer_named(sanitizer).sanitize(people)
    options = {"adversary": ATTACKERS, "progress": False}
    whole = uv.inference(release, people, held_out=CROWD, **options)
    right = {name: one.inside.accuracy.value for name, one in whole.against.items()}
    gaps = {name: one.gap.value for name, one in whole.against.items()}
    accuracies, gains = [], []
    for seed in range(REPEATS):
        rng = np.random.default_rng(seed)
        others = CROWD.take(rng.choice(len(CROWD), 150, replace=False))
        found = uv.inference(release, people, held_out=others, **options)
        gain = found.figures[1]
        gains.append((gain.low, gain.high, max(gaps.values())))
        who = rng.choice(len(people), 60, replace=False)
        found = uv.inference(release, people, held_out=others, targets=who, **options)
        accuracy = found.figures[0]
        accuracies.append((accuracy.low, accuracy.high, max(right.values())))
    assert max(missed(accuracies)) <= MOST, missed(accuracies)
    assert max(missed(gains)) <= MOST, missed(gains)
    assert np.mean([high - low for low, high, _ in gains]) < 0.4


@pytest.mark.parametrize("folds", [2, 5])
def test_of_folds_given_their_releases(folds):
    """What people outside would be guessed by each fold's release, of 1,000 others."""
    sanitizer, options = uv.Mondrian(k=4), {"adversary": ATTACKERS, "progress": False}
    gains = []
    for seed in range(REPEATS):
        rng = np.random.default_rng([seed, folds])
        table = POOL.take(rng.choice(10_000, 150, replace=False))
        found = uv.inference(sanitizer, table, folds=folds, seed=seed, **options)
        outside = dict.fromkeys(found.against, 0.0)
        for people in split_in_folds(table, folds, seed):
            release = sanitizer.sanitize(people.table)
            others = CROWD.take(rng.choice(len(CROWD), 1_000, replace=False))
            alone = uv.inference(release, people.table, held_out=others, **options)
            share = len(people.held_out) / len(table)
            for name, one in alone.against.items():
                outside[name] += share * one.outside.accuracy.value
        truth = max(one.inside.accuracy.value - outside[n] for n, one in found.against.items())
        gains.append((found.figures[1].low, found.figures[1].high, truth))
    assert max(missed(gains)) <= MOST, missed(gains)
    assert np.mean([high - low for low, high, _ in gains]) < (2 if folds == 2 else 0.5)
