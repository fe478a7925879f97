"""Small random training tables for classifiers, and what scikit-learn learns from them."""

from __future__ import annotations

import warnings
from contextlib import suppress

import numpy as np
from hypothesis import strategies as st
from sklearn.base import clone

KINDS = ("bits", "few", "constant", "by value", "real", "copy")


def random_features(rng, size, kinds):
    """One column a kind; ``by value`` is to be filled in by `random_table`."""
    columns = []
    for kind in kinds:
        if kind == "bits":
            column = rng.integers(0, 2, size).astype(float)
        elif kind == "few" or (kind == "copy" and not columns):
            column = rng.integers(0, 4, size).astype(float)
        elif kind == "constant":
            column = np.full(size, 3.0)
        elif kind == "copy":
            column = columns[int(rng.integers(len(columns)))] * 2 + 1
        else:
            column = np.abs(rng.normal(2, 1, size))
        columns.append(column)
    return np.stack(columns, axis=1)


def random_table(seed, size, kinds, values, most=3):
    """Feature rows (some twice), and how many records of each value have them.

    A column ``by value`` is the same for all records of a value but one.
    """
    rng = np.random.default_rng(seed)
    features = random_features(rng, size, kinds)
    if size > 2 and rng.random() < 0.4:
        features[rng.integers(size)] = features[rng.integers(size)]
    counts = rng.integers(1, most + 1, (size, values)) * (rng.random((size, values)) < 0.5)
    for j, kind in enumerate(kinds):
        if kind == "by value":
            counts *= np.arange(values) == rng.integers(0, values, (size, 1))
            features[:, j] = counts.argmax(axis=1)
            features[rng.integers(size), j] += rng.integers(0, 2)
    counts[rng.integers(size), rng.integers(values)] += 1
    return features, counts


@st.composite
def training_tables(draw, kinds=KINDS, max_size=12):
    """Tables of 1 to ``max_size`` feature rows, 1 to 4 features and 1 to 4 values."""
    size = draw(st.integers(1, max_size))
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    seed = draw(st.integers(0, 2**32 - 1))
    return random_table(seed, size, tuple(chosen), draw(st.integers(1, 4)))


def repeated(features, counts):
    """One row a record, and its value."""
    each = counts.ravel()
    rows = np.repeat(np.repeat(features, counts.shape[1], axis=0), each, axis=0)
    return rows, np.repeat(np.tile(np.arange(counts.shape[1]), len(features)), each)


def trained(estimator, features, counts):
    """A scikit-learn estimator, trained on one row a record; None where it refuses."""
    rows, values = repeated(features, counts)
    try:
        return clone(estimator).fit(rows, values)
    except (ValueError, IndexError):
        return None


def scikit_learn(estimator, features, counts, points):
    """Its beliefs; NaN where it refuses; 1 for a single value."""
    held = np.flatnonzero(counts.any(axis=0))
    beliefs = np.full((len(points), counts.shape[1]), np.nan)
    if len(held) == 1:
        beliefs[:] = np.arange(counts.shape[1]) == held[0]
        return beliefs
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        model = trained(estimator, features, counts)
        for place in range(len(points) if model is not None else 0):
            # CategoricalNB, about a category it has not seen; the quadratic one, with more priors
            with suppress(IndexError, ValueError):
                belief = model.predict_proba(points[place : place + 1])[0]
                beliefs[place] = 0
                beliefs[place, held] = belief
    return beliefs


def some_records(rng, features, counts, most=5):
    """Some records, not all alike: row and value of each, and the table without it."""
    cases = np.argwhere(counts > 0)
    for place, value in rng.permutation(cases)[:most]:
        left = counts.copy()
        left[place, value] -= 1
        if left.any():
            yield features[place], value, left


def some_points(rng, features):
    """A row of the table, a mixture of two, and one that has nothing to do with it."""
    own, mixed = features[rng.integers(len(features))], features[rng.integers(len(features))]
    mixed = np.where(rng.random(features.shape[1]) < 0.5, own, mixed)
    return np.stack([own, mixed, np.abs(rng.normal(2, 1, features.shape[1]))])


def assert_as_scikit_learn(estimator, model, table, seed, *, tolerance=1e-9, may_abstain=False):
    """Beliefs with all records, and without each of some, are those of scikit-learn.

    Where it refuses they are NaN. Where they are NaN it refuses, unless they may abstain. What is
    tolerated may depend on the counts that are left. Returns how many of how many beliefs were
    abstained from.
    """
    rng = np.random.default_rng(seed)
    features, counts = table
    points = some_points(rng, features)
    pairs = [(model.predict(points), counts)]
    for row, value, left in some_records(rng, features, counts):
        rows, values = np.tile(row, (len(points), 1)), np.full(len(points), value)
        pairs.append((model.predict_without(points, rows, values), left))
    abstained = 0
    for ours, left in pairs:
        theirs = scikit_learn(estimator, features, left, points)
        silent, refused = np.isnan(ours).any(axis=1), np.isnan(theirs).any(axis=1)
        assert silent[refused].all()
        may = may_abstain(left) if callable(may_abstain) else may_abstain
        assert may or refused[silent].all()
        abstained += int((silent & ~refused).sum())
        bar = tolerance(left, points) if callable(tolerance) else tolerance
        bar = np.broadcast_to(bar, len(points))[~silent]
        assert (np.abs(ours - theirs)[~silent].max(axis=1, initial=0) <= bar).all()
        np.testing.assert_allclose(ours[~silent].sum(axis=1), 1, rtol=0, atol=1e-12)
        assert (ours[~silent][:, ~left.any(axis=0)] == 0).all()
    return abstained, len(pairs) * len(points)
