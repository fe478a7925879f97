"""What part of the records says about all: checked against every population there can be."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import random_microdata
from scipy.stats import binom

from unveil.attacks.differential._bounds import _all_together, _by_value, _tighter, share_bound
from unveil.attacks.differential._targets import draw

ALPHAS = (0.05, 0.2, 0.5)


def bound(over, drawn, population, *, failed=0, **options):
    """The bound where so many of so many drawn are over, and so many could not be tested."""
    distances = [1.0] * over + [0.0] * (drawn - over - failed) + [np.nan] * failed
    return share_bound(distances, 0.5, population, **options)


@cache
def probability(x, drawn, population, k):
    """Of finding x where k of the population are over, as a fraction."""
    return Fraction(comb(k, x) * comb(population - k, drawn - x), comb(population, drawn))


@cache
def pmf(drawn, population, k):
    return np.array([float(probability(x, drawn, population, k)) for x in range(drawn + 1)])


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("population", [1, 2, 5, 9, 14])
def test_random_bounds_hold_for_every_population(population, alpha):
    for drawn in range(population + 1):
        bounds = [bound(x, drawn, population, confidence=1 - alpha) for x in range(drawn + 1)]
        for k in range(population + 1):
            chances = [probability(x, drawn, population, k) for x in range(drawn + 1)]
            each = list(zip(bounds, chances, strict=True))
            assert sum(chance for b, chance in each if b.at_most < k) <= alpha
            assert sum(chance for b, chance in each if b.at_least > k) <= alpha


@pytest.mark.parametrize("alpha", ALPHAS)
def test_random_bounds_could_not_be_tighter(alpha):
    """The upper bound is the largest K with P(X ≤ x) > α, the lower the smallest with P(X ≥ x)."""
    line = alpha * (1 - 1e-6)
    for population, drawn in ((7, 3), (12, 5), (12, 11), (30, 7)):
        for x in range(drawn + 1):
            found = bound(x, drawn, population, confidence=1 - alpha)
            at_most = [sum(probability(j, drawn, population, k) for j in range(x + 1)) > line
                       for k in range(population + 1)]  # fmt: skip
            at_least = [sum(probability(j, drawn, population, k) for j in range(x, drawn + 1))
                        > line for k in range(population + 1)]  # fmt: skip
            assert found.at_most == max(np.flatnonzero(at_most))
            assert found.at_least == min(np.flatnonzero(at_least))
            assert (found.low, found.high) == (
                found.at_least / population,
                found.at_most / population,
            )


DESIGNS = [  # sizes of strata, how many are drawn from each
    ((3, 4), (1, 2)),
    ((6, 2, 3), (2, 1, 1)),
    ((5, 5), (0, 3)),
    ((4, 3, 2), (4, 1, 2)),
    ((8, 1, 1), (4, 1, 0)),
    ((2, 2, 2, 2), (1, 1, 1, 1)),
]


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize(("sizes", "drawn"), DESIGNS)
@pytest.mark.parametrize("way", [_by_value, _all_together])
def test_stratified_bounds_hold_for_every_population(way, sizes, drawn, alpha):
    """Both ways, whatever the split among the strata."""
    sizes, drawn = np.array(sizes), np.array(drawn)
    outcomes = [np.array(x) for x in product(*(range(n + 1) for n in drawn))]
    highs = np.array([way(x, drawn=drawn, sizes=sizes, alpha=alpha) for x in outcomes])
    lows = np.array(
        [sizes.sum() - way(drawn - x, drawn=drawn, sizes=sizes, alpha=alpha) for x in outcomes]
    )
    for split in product(*(range(size + 1) for size in sizes)):
        parts = [pmf(int(n), int(size), k) for n, size, k in zip(drawn, sizes, split, strict=True)]
        chances = np.array([np.prod([p[j] for p, j in zip(parts, x, strict=True)])
                            for x in outcomes])  # fmt: skip
        assert chances[highs < sum(split)].sum() <= alpha + 1e-12
        assert chances[lows > sum(split)].sum() <= alpha + 1e-12


def test_stratified_bounds_hold_where_all_values_are_taken_together():
    """A larger table, for which the number found alone decides."""
    sizes, drawn, alpha = np.array([60, 36, 24]), np.array([20, 12, 8]), 0.05
    name, most = _tighter(drawn, sizes, alpha)
    assert name == "all values together"
    highs = np.array([most(np.array([x, 0, 0])) for x in range(41)])
    rows = np.array([most(np.array([0, min(x, 12), 0])) for x in range(13)])
    np.testing.assert_array_equal(rows, highs[:13])
    for split in product(range(0, 61, 3), range(0, 37, 3), range(0, 25, 3)):
        chances = np.ones(1)
        for n, size, k in zip(drawn, sizes, split, strict=True):
            chances = np.convolve(chances, pmf(int(n), int(size), k))
        assert chances[highs < sum(split)].sum() <= alpha + 1e-12
        assert chances[(120 - highs[::-1]) > sum(split)].sum() <= alpha + 1e-12


def test_of_two_bounds_that_hold_the_tighter_is_chosen_before_looking():
    many = np.full(9, 1000)
    name, together = _tighter(np.full(9, 50), many, 0.05)
    assert name == "all values together"
    nothing = np.zeros(9, dtype=int)
    alone = _by_value(nothing, drawn=np.full(9, 50), sizes=many, alpha=0.05)
    simple = bound(0, 450, 9000).at_most
    assert simple <= together(nothing) <= simple + 3  # nearly as good as a simple random draw
    assert alone > 10 * simple
    # Nearly everybody tested: by value there is hardly anybody left to be over.
    sizes = np.array([10, 10, 400])
    assert _tighter(np.array([10, 9, 398]), sizes, 0.05)[0] == "by value"


def test_stratified_bounds_from_distances():
    strata = np.repeat([0, 1, 2], [20, 12, 8])
    distances = np.where(np.arange(40) % 20 == 0, 0.9, 0.0)
    sizes = [60, 36, 24]
    found = share_bound(distances, 0.5, 120, how="stratified", strata=(strata, sizes))
    drawn = np.array([20, 12, 8])
    ways = {"drawn": drawn, "sizes": np.array(sizes), "alpha": 0.05}
    assert (found.over, found.tested, found.method) == (2, 40, "all values together")
    assert found.at_most == _all_together(np.array([1, 1, 0]), **ways)
    assert found.at_least == max(2, 120 - _all_together(np.array([19, 11, 8]), **ways))


@pytest.mark.parametrize("sizes", [[600, 360, 240], [22, 13, 9]])
def test_failures_in_strata_count_as_over_above_and_as_not_over_below(sizes):
    strata = (np.repeat([0, 1, 2], [20, 12, 8]), sizes)
    over, failed = np.arange(40) % 13 == 0, np.arange(40) % 9 == 1
    bounds = [
        share_bound(np.where(failed, unknown, over), 0.5, sum(sizes), how="stratified",
                    strata=strata)
        for unknown in (np.nan, 1.0, 0.0)
    ]  # fmt: skip
    found, as_over, as_not_over = bounds
    assert found.untested_failures == failed.sum() == 5
    assert found.method == as_over.method == as_not_over.method
    assert found.at_most == as_over.at_most > as_not_over.at_most
    assert found.at_least == as_not_over.at_least


def test_a_stratum_nobody_of_whom_was_tested_may_be_over_altogether():
    found = share_bound(
        np.zeros(50), 0.5, 1000, how="stratified", strata=(np.zeros(50, dtype=int), [900, 100])
    )
    assert found.at_most > 100 + 40
    assert found.at_least == 0


@settings(deadline=None)
@given(st.data())
def test_more_found_is_worse_and_more_tested_is_tighter(data):
    population = data.draw(st.integers(1, 300))
    drawn = data.draw(st.integers(0, population))
    x = data.draw(st.integers(0, drawn))
    here = bound(x, drawn, population)
    assert x <= here.at_least <= here.at_most <= population - (drawn - x)
    if x < drawn:
        more = bound(x + 1, drawn, population)
        assert here.high <= more.high
        assert here.low <= more.low
    if drawn < population:
        longer = bound(x, drawn + 1, population)
        assert longer.high <= here.high
    surer = bound(x, drawn, population, confidence=0.99)
    assert surer.low <= here.low
    assert here.high <= surer.high


@settings(deadline=None)
@given(st.data())
def test_who_could_not_be_tested_counts_as_over_above_and_as_not_over_below(data):
    population = data.draw(st.integers(2, 200))
    drawn = data.draw(st.integers(1, population - 1))
    failed = data.draw(st.integers(0, drawn))
    x = data.draw(st.integers(0, drawn - failed))
    found = bound(x, drawn, population, failed=failed)
    assert found.high == bound(x + failed, drawn, population).high
    assert found.low == bound(x, drawn, population).low
    assert (found.over, found.tested, found.untested_failures) == (x, drawn - failed, failed)


@pytest.mark.parametrize("how", ["all", "random", "stratified", "exposed", "chosen"])
def test_everybody_tested_is_no_bound_but_the_share(how):
    found = bound(3, 40, 40, how=how)
    assert (found.low, found.high, found.method) == (3 / 40, 3 / 40, "exact")
    assert found.confidence == 1
    assert found.in_words() == "3 of all 40 records (7.5%) are over 0.5."


@pytest.mark.parametrize("how", ["all", "exposed", "chosen"])
def test_without_chance_only_what_is_certain(how):
    found = bound(3, 50, 200, failed=5, how=how)
    assert (found.at_least, found.at_most, found.method) == (3, 3 + 5 + 150, "certain")
    assert found.confidence == 1
    assert found.in_words() == (
        "For certain at least 1.5% (3) and at most 79% (158) of all 200 records are over 0.5; 3 of "
        "the 45 tested are, and 5 more could not be tested. Those tested are not a random "
        "sample, so they say nothing about the others."
    )


@pytest.mark.parametrize("how", ["random", "all"])
def test_everybody_drawn_but_some_failed(how):
    found = bound(3, 40, 40, failed=4, how=how)
    assert (found.at_least, found.at_most, found.method) == (3, 7, "certain")


def test_nobody_tested_says_nothing():
    for how in ("random", "exposed"):
        found = bound(0, 0, 100, how=how)
        assert (found.low, found.high) == (0, 1)
    found = share_bound([], 0.5, 100, how="stratified", strata=([], [40, 60]))
    assert (found.low, found.high) == (0, 1)


def test_all_and_none_of_those_tested():
    assert bound(0, 59, 10**6).high == pytest.approx(0.0495, abs=1e-4)  # the rule of three
    assert bound(0, 59, 10**6).low == 0
    assert bound(59, 59, 10**6).low == 1 - bound(0, 59, 10**6).high
    assert bound(59, 59, 10**6).high == 1


def test_ten_million_records():
    found = bound(20, 5000, 10**7)
    # So few of so many is nearly binomial.
    assert binom.cdf(20, 5000, found.high) == pytest.approx(0.05, abs=1e-4)
    assert binom.sf(19, 5000, found.low) == pytest.approx(0.05, abs=1e-4)
    sizes = np.full(100, 10**5)
    of = np.repeat(np.arange(100), 50)
    layered = share_bound(np.arange(5000) < 20, 0.5, 10**7, how="stratified", strata=(of, sizes))
    assert found.high <= layered.high <= found.high + 1e-4


def test_a_bound_in_words():
    found = bound(3, 500, 9799)
    assert str(found) == found.in_words() == (
        "With 95% confidence at most 1.6% of all 9,799 records (148) are over 0.5; 3 of the 500 "
        "tested are."
    )  # fmt: skip
    found = bound(0, 500, 9799, failed=2, confidence=0.999)
    assert found.in_words() == (
        f"With 99.9% confidence at most 2.2% of all 9,799 records ({found.at_most}) are over 0.5; "
        "0 of the 498 tested are, and 2 more could not be tested."
    )


@settings(deadline=None)
@given(st.integers(1, 10**7), st.data())
def test_the_percentage_is_never_on_the_wrong_side(population, data):
    drawn = data.draw(st.integers(0, min(population, 200)))
    found = bound(data.draw(st.integers(0, drawn)), drawn, population, how="chosen")
    if found.method == "certain":
        words = found.in_words().split()
        least, most = (Fraction(words[words.index(at) + 1][:-1]) for at in ("least", "most"))
        assert least * population <= 100 * found.at_least
        assert most * population >= 100 * found.at_most
        assert most <= 100


def test_over_means_over():
    found = share_bound([0.05, 0.05, 0.0500001, np.inf], 0.05, 4)
    assert found.over == 2


TABLE = random_microdata(5, 150, ("numeric",), sensitive_values=4)


@pytest.mark.parametrize("how", ["random", "stratified"])
@pytest.mark.parametrize("stopped_after", [30, 17])
def test_a_draw_and_its_bound_together(how, stopped_after):
    """Of a test that ends early, with distances that hang on the sensitive value."""
    codes = TABLE.sensitive.codes
    distances = np.where(codes == codes[0], 0.9, np.random.default_rng(1).random(150) * 0.6)
    truth = (distances > 0.5).sum()
    too_low = too_high = 0
    for seed in range(200):
        tested = draw(TABLE, 30, how, seed).records[:stopped_after]
        found = share_bound(
            distances[tested], 0.5, 150, confidence=0.8, how=how,
            strata=(codes[tested], TABLE.sensitive_counts),
        )  # fmt: skip
        too_low += found.at_most < truth
        too_high += found.at_least > truth
    # 40 of 200 are allowed; 57 is three standard deviations more.
    assert too_low <= 57
    assert too_high <= 57
    if how == "random":  # and it is not merely wide
        assert too_low >= 10
