"""Distances between beliefs: formulas, names, and functions of one's own."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proofs import examples
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy, wasserstein_distance

import unveil as uv
from unveil.attacks.differential import DISTANCES, BoundDistance, EarthMovers, distance_named
from unveil.attacks.differential._distances import (
    bhattacharyya,
    hellinger,
    jensen_shannon,
    kullback_leibler,
    max_ratio,
)
from unveil.attacks.differential._earth_movers import l1, total_variation
from unveil.errors import InputError
from unveil.microdata import Column, Kind, Role

FORMULAS = (total_variation, l1, kullback_leibler, jensen_shannon, hellinger, bhattacharyya,
            max_ratio)  # fmt: skip
METRICS = (total_variation, l1, jensen_shannon, hellinger, max_ratio)
INF = float("inf")


def secret(size, kind=Kind.CATEGORICAL):
    return Column(
        name="disease", role=Role.SENSITIVE, kind=kind, codes=np.zeros(1, dtype=np.int32),
        values=np.array([f"v{i}" for i in range(size)], dtype=object),
    )  # fmt: skip


@st.composite
def several_beliefs(draw, tables=2, zeros=True):
    """Tables of beliefs, some of them certain, alike, or nearly so."""
    people, values = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    made = []
    for _ in range(tables):
        spread = draw(st.sampled_from([0.05, 1.0, 20.0]))
        belief = rng.dirichlet(np.full(values, spread), people) + (0 if zeros else 1e-9)
        if zeros and draw(st.booleans()):
            belief[rng.random(belief.shape) < 0.4] = 0
            belief[belief.sum(axis=1) == 0, 0] = 1
        if made and draw(st.booleans()):
            belief = made[-1] * (1 + 10.0 ** draw(st.integers(-15, -1)) * rng.random(belief.shape))
        made.append(belief / belief.sum(axis=1, keepdims=True))
    return made


@settings(deadline=None)
@given(several_beliefs())
def test_they_agree_with_scipy(beliefs):
    for p, q, *found in zip(
        *beliefs, kullback_leibler(*beliefs), jensen_shannon(*beliefs), strict=True
    ):
        # scipy's logarithms of p/q leave an error of one rounding, of which its root is taken.
        assert found[0] == pytest.approx(entropy(p, q), rel=1e-9, abs=1e-15)
        with np.errstate(invalid="ignore"):  # scipy takes the root of a rounding below 0
            divergence = np.nan_to_num(jensenshannon(p, q, base=2)) ** 2
        assert found[1] ** 2 == pytest.approx(divergence, rel=1e-9, abs=1e-15)


@settings(deadline=None)
@given(several_beliefs())
def test_they_are_what_they_are_called(beliefs):
    """The plain formulas, in plain loops."""
    p, q = beliefs
    for i in range(len(p)):
        moved = [abs(a - b) for a, b in zip(p[i], q[i], strict=True)]
        overlap = sum(np.sqrt(a) * np.sqrt(b) for a, b in zip(p[i], q[i], strict=True))
        ratios = [_factor(a, b) for a, b in zip(p[i], q[i], strict=True)]
        assert l1(p, q)[i] == pytest.approx(sum(moved), abs=1e-15)
        assert total_variation(p, q)[i] == pytest.approx(sum(moved) / 2, abs=1e-15)
        assert hellinger(p, q)[i] ** 2 == pytest.approx(1 - overlap, rel=1e-9, abs=1e-14)
        expected = INF if overlap == 0 else -np.log(overlap)
        assert bhattacharyya(p, q)[i] == pytest.approx(expected, rel=1e-9, abs=1e-14)
        assert max_ratio(p, q)[i] == pytest.approx(max(ratios), rel=1e-9, abs=1e-15)


def _factor(a, b):
    if a == 0 or b == 0:
        return 0.0 if a == b else INF
    low, high = sorted((Fraction(a), Fraction(b)))
    return math.log1p((high - low) / low)


@settings(deadline=None)
@given(several_beliefs())
def test_they_keep_to_their_range(beliefs):
    for distance in DISTANCES.values():
        if isinstance(distance, BoundDistance):
            for p, q in (beliefs, beliefs[::-1], beliefs[:1] * 2):
                found = distance.measure(p, q)
                assert found.shape == (len(p),)
                assert not np.isnan(found).any()
                assert (found >= 0).all()
                assert (found <= distance.largest * (1 + 1e-15)).all()
                assert p is not q or (found == 0).all()


@settings(deadline=None)
@given(several_beliefs(tables=3))
def test_metrics_are_symmetric_and_keep_the_triangle(beliefs):
    p, q, r = beliefs
    for distance in METRICS:
        np.testing.assert_allclose(distance(p, q), distance(q, p), rtol=1e-15)
        way_round = distance(p, r) + distance(r, q)
        assert (distance(p, q) <= way_round + 1e-14).all()
        # A distance of 0 is the same belief, up to what cannot be told from it.
        same = distance(p, q) == 0
        np.testing.assert_allclose(p[same], q[same], atol=1e-15)


def test_which_are_metrics():
    metrics = {name for name, d in DISTANCES.items() if distance_named_simply(name, d).is_metric}
    assert metrics == set(DISTANCES) - {"kl", "bhattacharyya"}
    # The divergence of Kullback and Leibler is not even symmetric.
    p, q = np.array([[0.9, 0.1]]), np.array([[0.5, 0.5]])
    assert kullback_leibler(p, q)[0] != pytest.approx(kullback_leibler(q, p)[0])
    # And the distance of Bhattacharyya breaks the triangle inequality.
    ends, middle = (np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])), np.array([[0.5, 0.5]])
    assert bhattacharyya(*ends)[0] > bhattacharyya(ends[0], middle)[0] * 2


def distance_named_simply(name, distance):
    return distance_named(name) if isinstance(distance, EarthMovers) else distance


def test_small_movements_keep_their_digits():
    """A belief that moves by t: the leading term is known, and rounding must not hide it."""
    for t in (1e-3, 1e-6, 1e-9):
        p, q = np.array([[0.5 + t, 0.5 - t]]), np.array([[0.5, 0.5]])
        t = p[0, 0] - 0.5
        assert kullback_leibler(p, q)[0] == pytest.approx(2 * t**2, rel=2 * t)
        assert jensen_shannon(p, q)[0] == pytest.approx(t / np.sqrt(2 * np.log(2)), rel=2 * t)
        assert hellinger(p, q)[0] == pytest.approx(t / np.sqrt(2), rel=2 * t)
        assert bhattacharyya(p, q)[0] == pytest.approx(t**2 / 2, rel=2 * t)
        assert max_ratio(p, q)[0] == pytest.approx(2 * t, rel=2 * t)


def test_what_is_infinite_and_what_is_not():
    certain, other = np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 1.0, 0.0]])
    unsure = np.array([[0.5, 0.5, 0.0]])
    expected = {  # certain → other, certain → unsure, unsure → certain
        total_variation: (1, 0.5, 0.5),
        l1: (2, 1, 1),
        kullback_leibler: (INF, np.log(2), INF),
        jensen_shannon: (1, 0.5579230452841438, 0.5579230452841438),
        hellinger: (1, np.sqrt(1 - np.sqrt(0.5)), np.sqrt(1 - np.sqrt(0.5))),
        bhattacharyya: (INF, np.log(2) / 2, np.log(2) / 2),
        max_ratio: (INF, INF, INF),
    }
    assert set(expected) == set(FORMULAS)
    for distance, values in expected.items():
        pairs = ((certain, other), (certain, unsure), (unsure, certain))
        for (p, q), value in zip(pairs, values, strict=True):
            assert distance(p, q)[0] == pytest.approx(value, rel=1e-15)


def test_what_is_all_but_impossible_is_not_impossible():
    tiny = np.array([[1.0, 5e-324]])
    half = np.array([[0.5, 0.5]])
    assert max_ratio(half, tiny)[0] == pytest.approx(-np.log(2) - np.log(5e-324))
    assert kullback_leibler(half, tiny)[0] == pytest.approx(
        0.5 * np.log(0.5) + 0.5 * (np.log(0.5) - np.log(5e-324))
    )
    apart = np.array([[1.0, 1e-200, 0.0]]), np.array([[0.0, 1e-200, 1.0]])
    assert bhattacharyya(*apart)[0] == pytest.approx(200 * np.log(10))
    for distance in FORMULAS:
        assert np.isfinite(distance(half, tiny))[0]
        assert distance(tiny, tiny)[0] == 0


def test_nobody_and_a_single_value():
    for distance in FORMULAS:
        assert distance(np.ones((0, 3)), np.ones((0, 3))).shape == (0,)
        assert distance(np.ones((2, 1)), np.ones((2, 1))).tolist() == [0, 0]


@settings(deadline=None)
@given(several_beliefs())
def test_total_variation_is_the_earth_movers_distance_with_ground_distance_1(beliefs):
    # On two values the earth mover's distance is the one on a line, which scipy has.
    p, q = (np.array([[b[0, 0], 1 - b[0, 0]]]) for b in beliefs)
    expected = wasserstein_distance([0, 1], [0, 1], p[0], q[0])
    assert total_variation(p, q)[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("typed", "name", "largest"),
    [
        ("total-variation", "total variation", 1), ("total variation", "total variation", 1),
        ("Total_Variation", "total variation", 1), ("l1", "l1", 2), ("kl", "Kullback-Leibler", INF),
        ("jensen-shannon", "Jensen-Shannon", 1), ("Jensen-Shannon", "Jensen-Shannon", 1),
        ("hellinger", "Hellinger", 1), ("bhattacharyya", "Bhattacharyya", INF),
        ("max-ratio", "max ratio", INF), ("emd:unit", "earth mover's (unit)", 1),
    ],
)  # fmt: skip
def test_distances_by_name(typed, name, largest):
    for sensitive in (None, secret(3)):
        found = distance_named(typed, sensitive)
        assert (found.name, found.largest) == (name, largest)
        assert "0 is" in found.explained
        assert "\n" not in found.explained
        p, q = np.array([[0.5, 0.5, 0.0]]), np.array([[0.25, 0.5, 0.25]])
        assert found.measure(p, q)[0] > 0
        assert pickle.loads(pickle.dumps(found)).measure(p, q) == found.measure(p, q)


def test_a_built_in_function_is_known():
    assert distance_named(total_variation) is distance_named("total-variation")
    assert distance_named(hellinger, secret(2)).largest == 1


KNOWN = (
    "(known: total-variation, l1, emd:unit, emd:path, emd:ordered, emd:numeric, kl, "
    "jensen-shannon, hellinger, bhattacharyya, max-ratio; or a function of two tables of beliefs)"
)
GROUNDS = (
    "lacks its ground distance; use emd:unit, emd:path, emd:ordered or emd:numeric (or "
    "EarthMovers with a matrix)"
)


@pytest.mark.parametrize(
    ("distance", "message"),
    [
        ("total-variaton",
         f"distance='total-variaton' is not known; did you mean 'total-variation'? {KNOWN}"),
        ("tv", f"distance='tv' is not known; did you mean 'total-variation'? {KNOWN}"),
        ("JS", f"distance='JS' is not known; did you mean 'jensen-shannon'? {KNOWN}"),
        ("Kullback-Leibler",
         f"distance='Kullback-Leibler' is not known; did you mean 'kl'? {KNOWN}"),
        ("emd:pth", f"distance='emd:pth' is not known; did you mean 'emd:path'? {KNOWN}"),
        ("emd", f"distance='emd' {GROUNDS}"),
        ("wasserstein", f"distance='wasserstein' {GROUNDS}"),
        ("", f"distance='' is not known {KNOWN}"),
        (3, f"distance=3 is not known {KNOWN}"),
        (None, f"distance=None is not known {KNOWN}"),
        (EarthMovers, "distance= is the class EarthMovers; make an instance of it, such as "
         "EarthMovers(…)"),
    ],
)  # fmt: skip
def test_a_distance_nobody_knows(distance, message):
    for sensitive in (None, secret(3)):
        with pytest.raises(InputError) as error:
            distance_named(distance, sensitive)
        assert str(error.value) == message


def hellinger_squared(p, q):
    return ((np.sqrt(p) - np.sqrt(q)) ** 2).sum(axis=1) / 2


def test_a_distance_of_ones_own():
    table = uv.read_table({"q": [1, 2, 2], "s": list("aba")}, quasi="q", sensitive="s")
    finding = uv.differential_inference(
        table, uv.Identity(), distance=hellinger_squared, predictions=True
    )
    assert finding.distance == "hellinger squared"
    np.testing.assert_allclose(
        finding.distances, hellinger_squared(finding.present, finding.absent)
    )


@settings(deadline=None)
@given(several_beliefs())
def test_a_distance_of_ones_own_is_measured_as_it_is(beliefs):
    bound = distance_named(hellinger_squared, secret(beliefs[0].shape[1]))
    np.testing.assert_array_equal(bound.measure(*beliefs), hellinger_squared(*beliefs))
    assert bound.name == "hellinger squared"
    assert bound.largest == INF
    assert not bound.is_metric


def test_what_a_distance_of_ones_own_may_return():
    p = q = np.full((3, 2), 0.5)
    for returned, taken in (
        ([0, 1, 2], [0, 1, 2]),
        (np.array([0, INF, 1], dtype=np.float32), [0, INF, 1]),
        ([-1e-15, 0.0, 1.0], [0, 0, 1]),  # a rounding below 0 is 0
        ([True, False, True], [1, 0, 1]),
    ):
        bound = distance_named(lambda p, q, returned=returned: returned)
        assert bound.name == "a custom distance"
        measured = bound.measure(p, q)
        assert measured.dtype == np.float64
        assert measured.tolist() == taken


def test_a_distance_of_ones_own_is_not_asked_about_nobody():
    bound = distance_named(lambda p, q: 1 / 0)
    assert bound.measure(np.ones((0, 3)), np.ones((0, 3))).shape == (0,)


MUST = "the distance mine must return one number per person, from 0 up"
WITH = "for the beliefs (0.5, 0.5) with the record and (0.333, 0.667) without"


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda p: np.abs(p).sum(), f"{MUST}; for 2 people and 2 values it returned an array of "
         "shape ()"),
        (lambda p: p, f"{MUST}; for 2 people and 2 values it returned an array of shape (2, 2)"),
        (lambda p: p.sum(axis=0)[:1], f"{MUST}; for 2 people and 2 values it returned an array of "
         "shape (1,)"),
        (lambda p: [np.nan, 1], f"{MUST}; it returned NaN {WITH}"),
        (lambda p: [-0.5, 1], f"{MUST}; it returned a negative number (-0.5) {WITH}"),
        (lambda p: [None, 1], f"{MUST}; it returned NaN {WITH}"),
        (lambda p: "far", f"{MUST}; it returned str"),
        (lambda p: [1 + 2j, 1], f"{MUST}; it returned list"),
        (lambda p: [[1], [1, 2]], f"{MUST}; it returned list"),
    ],
)  # fmt: skip
def test_what_a_distance_of_ones_own_must_not_return(returned, message):
    def mine(p, q):
        return returned(p)

    distance_named(mine)  # nothing is known before the data
    with pytest.raises(InputError) as error:
        distance_named(mine, secret(2))  # but then at once
    assert str(error.value) == message


@examples(20)
@given(st.integers(1, 9))
def test_the_first_look_is_at_beliefs_that_rule_nothing_out(size):
    seen = []

    def own(p, q):
        seen.append((p, q))
        return kullback_leibler(p, q)

    distance_named(own, secret(size))
    for table in seen[0]:
        assert table.shape == (2, size)
        assert (table > 0).all()
        np.testing.assert_allclose(table.sum(axis=1), 1)
