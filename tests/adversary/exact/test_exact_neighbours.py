"""Nearest neighbours that share ties: a plain brute force, and scikit-learn where none are."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from sklearn.neighbors import KNeighborsClassifier
from training_tables import random_table, repeated, some_points, some_records, training_tables

from unveil.adversary import NearestNeighbours
from unveil.adversary.exact import exact_learner
from unveil.errors import InputError

METRICS, WEIGHTS = ("euclidean", "manhattan", "hamming"), ("uniform", "distance")
settings_of_neighbours = st.builds(
    NearestNeighbours,
    k=st.integers(1, 12),
    metric=st.sampled_from(METRICS),
    weights=st.sampled_from(WEIGHTS),
)


def exact_distance(row, point, metric):
    """In whole numbers, so that equal distances are equal: squared, if Euclidean."""
    off = [Fraction(float(x)) - Fraction(float(y)) for x, y in zip(row, point, strict=True)]
    if metric == "euclidean":
        return sum(x * x for x in off)
    return sum(abs(x) for x in off) if metric == "manhattan" else Fraction(sum(x != 0 for x in off))


def brute_force(neighbours, features, counts, point):
    """The belief about one point, from one distance a record."""
    rows, values = repeated(features, counts)
    metric = neighbours.metric
    each = sorted(
        (exact_distance(row, point, metric), v) for row, v in zip(rows, values, strict=True)
    )
    last = each[min(neighbours.k, len(each)) - 1][0]
    nearer = sum(distance < last for distance, _ in each)
    tied = sum(distance == last for distance, _ in each)
    votes = np.zeros(counts.shape[1])
    for distance, value in each:
        place = 1.0 if distance < last else min(neighbours.k - nearer, tied) / tied
        if distance <= last:
            votes[value] += place * nearness(neighbours, distance, zero=each[0][0] == 0)
    return votes / votes.sum()


def nearness(neighbours, distance, *, zero):
    if neighbours.weights == "uniform":
        return 1.0
    if zero:
        return float(distance == 0)
    return 1 / np.sqrt(float(distance)) if neighbours.metric == "euclidean" else 1 / float(distance)


@examples(200)
@given(training_tables(), settings_of_neighbours, st.integers(0, 2**32 - 1))
def test_it_equals_a_plain_brute_force(table, neighbours, seed):
    features, counts = table
    rng = np.random.default_rng(seed)
    points = some_points(rng, features)
    model = exact_learner(neighbours)(features, counts)
    for point, ours in zip(points, model.predict(points), strict=True):
        theirs = brute_force(neighbours, features, counts, point)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
    for row, value, left in some_records(rng, features, counts):
        rows, values = np.tile(row, (len(points), 1)), np.full(len(points), value)
        without = model.predict_without(points, rows, values)
        anew = exact_learner(neighbours)(features, left).predict(points)
        np.testing.assert_allclose(without, anew, rtol=0, atol=1e-12)
        for point, ours in zip(points, without, strict=True):
            theirs = brute_force(neighbours, features, left, point)
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
        assert (without[:, ~left.any(axis=0)] == 0).all()


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("k", [1, 5, 17])
def test_it_equals_scikit_learn_where_there_are_no_ties(k, metric, weights):
    rng = np.random.default_rng(k)
    features, values = rng.normal(size=(80, 3)), rng.integers(0, 4, 80)
    counts = np.eye(4, dtype=int)[values]
    model = exact_learner(NearestNeighbours(k=k, metric=metric, weights=weights))(features, counts)
    theirs = KNeighborsClassifier(k, metric=metric, weights=weights)
    points = np.concatenate([features[:20], rng.normal(size=(20, 3))])
    np.testing.assert_allclose(
        model.predict(points), theirs.fit(features, values).predict_proba(points), atol=1e-12
    )
    without = model.predict_without(features, features, values)
    for record in range(0, 80, 4):
        others = np.arange(80) != record
        belief = np.zeros(4)
        theirs.fit(features[others], values[others])
        belief[theirs.classes_] = theirs.predict_proba(features[[record]])[0]
        np.testing.assert_allclose(without[record], belief, atol=1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_the_order_of_rows_does_not_matter(metric):
    features, counts = random_table(2, 60, ("few", "bits", "real"), 4)
    order = np.random.default_rng(1).permutation(60)
    neighbours = NearestNeighbours(k=7, metric=metric, weights="distance")
    straight = neighbours.learn(features, counts).predict(features)
    shuffled = neighbours.learn(features[order], counts[order]).predict(features)
    np.testing.assert_array_equal(straight, shuffled)


def test_ties_that_rounding_hides_are_ties():
    """0.3 is as far from 0.1 as from 0.5, whatever the computer says."""
    features, counts = np.array([[0.1], [0.5]]), np.array([[1, 0], [0, 1]])
    assert 0.3 - 0.1 != 0.5 - 0.3
    belief = NearestNeighbours(k=1).learn(features, counts).predict([[0.3]])
    np.testing.assert_allclose(belief, [[0.5, 0.5]])


def test_fewer_records_than_k_are_all_taken():
    model = NearestNeighbours(k=50).learn([[0.0], [9.0]], [[3, 0], [1, 2]])
    np.testing.assert_allclose(model.predict([[5.0]]), [[4 / 6, 2 / 6]])
    np.testing.assert_allclose(model.predict_without([[5.0]], [[9.0]], [0]), [[3 / 5, 2 / 5]])


def test_where_no_record_is_left_there_is_no_belief():
    model = NearestNeighbours().learn([[0.0]], [[1, 0]])
    assert np.isnan(model.predict_without([[0.0]], [[0.0]], [0])).all()


@pytest.mark.parametrize("metric", METRICS)  # by the last one all rows are equally far away
def test_memory_stays_bounded(metric):
    rng = np.random.default_rng(0)
    features, points = rng.random((2000, 4)), rng.random((4000, 4))
    counts = np.eye(9, dtype=int)[rng.integers(0, 9, 2000)]
    model = NearestNeighbours(metric=metric, weights="distance").learn(features, counts)
    places = rng.integers(0, 2000, 4000)
    tracemalloc.start()
    beliefs = model.predict_without(points, features[places], counts[places].argmax(axis=1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert beliefs.shape == (4000, 9)
    assert peak < 100e6  # one array of distances, targets × rows, would be 64 MB


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k=0 is not possible: it must be a whole number from 1 up"),
        ({"k": 2.5}, r"k=2\.5 is not possible: it must be a whole number from 1 up"),
        ({"k": True}, "k=True is not possible"),
        ({"metric": "manhatan"}, "metric='manhatan' is not possible: .*; did you mean 'manhattan'"),
        ({"weights": "far"}, "weights='far' is not possible: it must be 'uniform' or 'distance'"),
    ],
)
def test_settings_are_checked(options, message):
    with pytest.raises(InputError, match=message):
        NearestNeighbours(**options)
