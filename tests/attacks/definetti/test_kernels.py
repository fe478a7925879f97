"""Beliefs within one group: all worlds looked at, the exact way, and Bethe's approximation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_definetti import plain_beliefs
from proofs import examples

from unveil.attacks.definetti._kernels import ASTRAY, BETHE, EXACT, TRIVIAL, Sheet, reweigh


def beliefs_of(log_weights, numbers, people=None, *, exactly=True):
    """What the kernel believes of one group: beliefs, the log weight of its worlds, and how."""
    rows, width = log_weights.shape
    people = np.ones(rows) if people is None else people
    sheet = Sheet(
        np.array([0, rows]), np.asarray(people, dtype=np.int64),
        np.arange(rows, dtype=np.int32)[:, None].copy(), np.array([0, width]), np.arange(width),
        np.asarray(numbers, dtype=np.int64), np.array([0, rows * width]),
        np.array([int(np.prod(np.asarray(numbers) + 1)) if exactly else 0]),
    )  # fmt: skip
    beliefs, how = np.empty(rows * width), np.zeros(1, dtype=np.int64)
    table = np.ascontiguousarray(log_weights, dtype=np.float64)
    weight = reweigh(sheet, np.zeros(1, dtype=np.int64), table, beliefs, how)
    return beliefs.reshape(rows, width), weight, int(how[0])


def random_group(rng, people, width, spread):
    numbers = 1 + rng.multinomial(people - width, rng.dirichlet(np.ones(width)))
    return spread * rng.normal(size=(people, width)), numbers


@examples(60, derandomize=True)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.sampled_from([0.0, 1.0, 5.0, 200.0]))
def test_exact_beliefs_are_those_of_all_worlds(seed, people, spread):
    rng = np.random.default_rng(seed)
    log_weights, numbers = random_group(rng, people, int(rng.integers(1, people + 1)), spread)
    beliefs, weight, how = beliefs_of(log_weights, numbers)
    plain, plain_weight = plain_beliefs(log_weights, numbers)
    assert how == (TRIVIAL if len(numbers) == 1 else EXACT)
    # Weights from e⁻⁶⁰⁰ to e⁶⁰⁰ have so many digits fewer behind the point.
    assert np.abs(beliefs - plain).max() < 1e-12 * max(1.0, spread)
    assert weight == pytest.approx(plain_weight, rel=1e-12, abs=1e-12)
    assert np.allclose(beliefs.sum(axis=0), numbers, atol=1e-10)


@examples(30, derandomize=True)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_people_who_are_alike_are_one_row(seed, exactly):
    rng = np.random.default_rng(seed)
    people = rng.integers(1, 4, 4)
    log_weights, numbers = random_group(rng, int(people.sum()), 3, 1.0)
    log_weights = log_weights[:4]
    rows, weight, _ = beliefs_of(log_weights, numbers, people, exactly=exactly)
    apart = beliefs_of(np.repeat(log_weights, people, axis=0), numbers, exactly=exactly)
    assert np.allclose(np.repeat(rows, people, axis=0), apart[0], atol=1e-8)
    assert weight == pytest.approx(apart[1], abs=1e-8)


@pytest.mark.parametrize("numbers", [[400, 300], [60, 50, 40], [1, 700]])
def test_large_groups_neither_overflow_nor_vanish(numbers):
    """Weights that differ by e⁵⁰ a person: the product of all is far from any number."""
    rng = np.random.default_rng(3)
    log_weights = 25 * rng.normal(size=(sum(numbers), len(numbers))) - 300
    beliefs, weight, how = beliefs_of(log_weights, numbers)
    assert how == EXACT
    assert np.isfinite(weight)
    assert np.allclose(beliefs.sum(axis=1), 1)
    assert np.allclose(beliefs.sum(axis=0), numbers)


def test_without_knowledge_beliefs_are_the_shares():
    numbers = np.array([3, 2, 1])
    for exactly in (True, False):
        beliefs, _, _ = beliefs_of(np.zeros((6, 3)), numbers, exactly=exactly)
        assert np.allclose(beliefs, numbers / 6, atol=1e-12)
    worlds = 60  # 6! / (3! 2! 1!)
    assert beliefs_of(np.zeros((6, 3)), numbers)[1] == pytest.approx(np.log(worlds))


# About what is said of the approximation in the docs, in fewer groups: the largest error of any
# belief, for people whose log weights are spread by so much, and its mean.
@pytest.mark.parametrize(
    ("people", "width", "spread", "most", "mean"),
    [(20, 4, 1.0, 0.02, 0.002), (20, 4, 2.0, 0.08, 0.008), (60, 3, 1.0, 0.01, 0.001),
     (60, 3, 2.0, 0.04, 0.004), (12, 12, 1.0, 0.03, 0.004), (13, 13, 0.5, 0.01, 0.001)],
)  # fmt: skip
def test_the_error_of_the_approximation(people, width, spread, most, mean):
    rng = np.random.default_rng(7)
    errors = []
    for _ in range(8):
        log_weights, numbers = random_group(rng, people, width, spread)
        rough, low, how = beliefs_of(log_weights, numbers, exactly=False)
        exact, weight, _ = beliefs_of(log_weights, numbers)
        assert how in (BETHE, ASTRAY)
        assert low <= weight + 1e-9  # Bethe's weight is never more than that of all worlds
        assert np.allclose(rough.sum(axis=1), 1)
        errors.append(np.abs(rough - exact))
    assert np.max(errors) < most
    assert np.mean(errors) < mean
