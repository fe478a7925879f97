"""What the records that were tested say about all of them: bounds of the share over a threshold.

Of N records K are over a threshold, and K is not known. Of n records that were tested x are over
it. How large, and how small, can K be?

**Random draw.** x is hypergeometric. The upper bound is the largest K under which x or fewer are
found with a probability of more than α = 1 − confidence. Whatever K is, the bound is below it with
a probability of at most α. This is exact for any size.

**Stratified draw.** x is a sum of independent hypergeometric numbers, one per sensitive value, and
the split of K among the values is not known. Two bounds hold for every split:

- *by value*: bounds at 1 − α/H for each of the H values of which some but not all records were
  tested, added up (Bonferroni).
- *all values together*: a hypergeometric number is distributed like a sum of independent Bernoulli
  draws (Vatutin and Mikhailov, 1982), and so is a sum of them. Of all such sums of n draws with
  mean m, the binomial with that mean has the heaviest lower tail, at every c ≤ m − 1 (Hoeffding,
  1956). So the probability of x or fewer is at most that of the binomial with the *smallest* mean
  that K allows: all of K among the values with the smallest share tested.

Taking the smaller of the two after looking would spoil both. Which one is used depends only on how
many records of each value were tested: the one that is tighter if nothing is found.

**Worst first.** Those of the front who were tested are known, and the others of the front may all
be over. The bound for a random draw holds for all who are not in the front. The three are added.

**Any other choice.** Nothing is random, so only what is certain can be said: those found are over
the threshold, and all that were not tested may be.

Targets that could not be tested were drawn like the others: the upper bound counts them as over,
the lower bound as not over.

**Ending early.** The end of a test must not depend on its results, and that of a budget of time
does not. Equal records are tested only once, so the number of records drawn may depend on who they
are. That does no harm: with x records over, the test ends at some number n of others, and n is not
larger if x is. Among these ends (n, x), take the one with the most records over whose bound is
below K. To end there or with fewer over, n records that are not over must come before more than x
that are, so among the first n + x at most x are over. The bound is below K only if the probability
of that is at most α. The same holds if some records take longer than others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.attacks.differential._targets import AT_RANDOM, Chosen

Counts: TypeAlias = NDArray[np.int64]

# scipy's tails are right to nine digits; what is on the line counts as possible.
_ON_THE_LINE = 1 - 1e-6


@dataclass(frozen=True, kw_only=True)
class ShareBound:
    """Bounds of the share of all records that are over a threshold.

    Attributes
    ----------
    threshold : float
    confidence : float
        Of each bound by itself: ``high`` is too low with a probability of at most
        1 − confidence, and ``low`` is too high with the same. 1 where the bounds are certain.
    low, high : float
        Shares of all records.
    over, tested : int
        Records over the threshold, and records tested.
    untested_failures : int
        Further targets that could not be tested.
    undecided : int
        Further targets whose sampled distance is too close to the threshold to tell.
    population : int
        All records.
    method : {"exact", "certain", "hypergeometric", "by value", "all values together"}
        All were tested; nothing is random; simple random; stratified. "sampled" replaces the
        first two where distances were sampled.
    """

    threshold: float
    confidence: float
    low: float
    high: float
    over: int
    tested: int
    untested_failures: int
    population: int
    method: str
    undecided: int = 0
    counts: str = "records"
    """What is counted: records, or people where a person may have several."""

    @property
    def at_least(self) -> int:
        """The lower bound as a number of records."""
        return round(self.low * self.population)

    @property
    def at_most(self) -> int:
        """The upper bound as a number of records."""
        return round(self.high * self.population)

    def in_words(self) -> str:
        """The bound in a sentence.

        >>> share_bound([0.2] * 3 + [0.01] * 497, 0.05, 9799).in_words()
        'With 95% confidence at most 1.6% of all 9,799 records (148) are over 0.05; 3 of the 500
        tested are.'
        """
        records, over = f"of all {self.population:,} {self.counts}", f"are over {self.threshold:g}"
        least = _percent(self.at_least, self.population, up=False)
        most = _percent(self.at_most, self.population, up=True)
        sure = f"With {100 * self.confidence:g}% confidence"
        tail = f"{self.over:,} of the {self.tested:,} tested are"
        if self.untested_failures:
            tail += f", and {self.untested_failures:,} more could not be tested"
        if self.undecided:
            tail += f", and {self.undecided:,} were not sampled often enough to tell"
        if self.method == "exact":
            return f"{self.over:,} {records} ({least}) {over}."
        if self.method == "sampled":
            return (
                f"{sure} between {self.at_least:,} and {self.at_most:,} {records} {over}; {tail}."
            )
        if self.method == "certain":
            return (
                f"For certain at least {least} ({self.at_least:,}) and at most {most} "
                f"({self.at_most:,}) {records} {over}; {tail}. Those tested are not a random "
                "sample, so they say nothing about the others."
            )
        return f"{sure} at most {most} {records} ({self.at_most:,}) {over}; {tail}."

    def __str__(self) -> str:
        return self.in_words()


def share_bound(
    distances: ArrayLike,
    threshold: float,
    population: int,
    *,
    confidence: float = 0.95,
    how: Chosen = "random",
    strata: tuple[ArrayLike, ArrayLike] = ((), ()),
    counts: str = "records",
) -> ShareBound:
    """Bound the share of all records over a threshold, given those that were tested.

    Parameters
    ----------
    distances : array
        Of the targets, each a different record; NaN for those that could not be tested. Targets
        that the test did not reach do not belong here.
    threshold : float
    population : int
        Number of records.
    confidence : float
        Of each of the two bounds.
    how : {"worst-first", "random", "stratified", "exposed", "all", "chosen"}
        How the targets were chosen.
    strata : (array, array), optional
        For ``"stratified"``: the stratum of each target (numbers from 0), and the size of each
        stratum. For ``"worst-first"``: `front_and_others`.
    counts : str
        What is counted, for words: records or people.

    Examples
    --------
    >>> bound = share_bound([0.3, 0.0, 0.0, 0.0], 0.05, population=4)
    >>> bound.low, bound.high
    (0.25, 0.25)
    """
    values = np.asarray(distances, dtype=np.float64)
    known = ~np.isnan(values)
    is_over = values > threshold  # NaN is not
    over, tested = int(is_over.sum()), int(known.sum())
    if how in AT_RANDOM and len(values) < population:
        # A simple random draw has a single stratum.
        of, sizes = strata if how != "random" else (np.zeros(len(values)), [population])
        of, sizes = (np.asarray(part, dtype=np.int64) for part in (of, sizes))
        drawn, surely, perhaps = (
            np.bincount(of[some], minlength=len(sizes))
            for some in (slice(None), is_over, is_over | ~known)
        )
        method, most = _tighter(drawn, sizes, 1 - confidence) if how == "stratified" else (
            "hypergeometric", partial(_by_value, drawn=drawn, sizes=sizes, alpha=1 - confidence)
        )  # fmt: skip
        high, low = most(perhaps), population - most(drawn - surely)
    else:
        method, confidence = ("exact" if tested == population else "certain"), 1.0
        low, high = 0, population
    # What was seen is certain.
    low, high = max(low, over), min(high, population - (tested - over))
    return ShareBound(
        threshold=threshold, confidence=confidence, low=low / population, high=high / population,
        over=over, tested=tested, untested_failures=len(values) - tested, population=population,
        method=method, counts=counts,
    )  # fmt: skip


def front_and_others(
    targets: NDArray[np.intp], front: NDArray[np.intp], population: int
) -> tuple[Counts, Counts]:
    """Strata of a test of the likely worst first, of which only the second is known in part.

    Those of the front who were tested, which is a stratum tested in full; all who are not in the
    front; and those of the front who were not tested, if the test ended before.

    >>> front_and_others(np.array([7, 2, 5]), np.array([5, 9]), 100)
    (array([1, 1, 0]), array([ 1, 98,  1]))
    """
    of = (~np.isin(targets, front)).astype(np.int64)
    reached = int((of == 0).sum())
    return of, np.array([reached, population - len(front), len(front) - reached])


def _most(found: Counts, drawn: Counts, sizes: Counts, alpha: float) -> Counts:
    """For each stratum, the largest K under which finding so few is not too unlikely."""
    from scipy.stats import hypergeom

    def possible(k: Counts) -> NDArray[np.bool_]:
        return hypergeom.cdf(found, sizes, k, drawn) > alpha * _ON_THE_LINE

    return _largest(possible, found, sizes - (drawn - found))


def most_over(found: int, drawn: int, size: int, alpha: float) -> int:
    """How many of so many may be over, if so many of those drawn are.

    >>> most_over(0, 50, 1000, 0.05)
    56
    """
    return int(_most(np.array([found]), np.array([drawn]), np.array([size]), alpha)[0])


def _largest(possible: Callable[[Counts], NDArray[np.bool_]], low: Counts, high: Counts) -> Counts:
    """The largest possible numbers up to ``high``; all up to ``low`` are possible."""
    low, high = low.copy(), high.copy()
    while (low < high).any():
        middle = (low + high + 1) // 2
        fits = possible(middle)
        low, high = np.where(fits, middle, low), np.where(fits, high, middle - 1)
        high = np.maximum(low, high)
    return low


def _by_value(found: Counts, *, drawn: Counts, sizes: Counts, alpha: float) -> int:
    """The sum of the bounds of all strata, each with its part of α."""
    by_chance = int(((drawn > 0) & (drawn < sizes)).sum())
    return int(_most(found, drawn, sizes, alpha / max(1, by_chance)).sum())


def _all_together(found: Counts, *, drawn: Counts, sizes: Counts, alpha: float) -> int:
    """The binomial bound with the smallest mean; strata that were tested in full are known."""
    from scipy.stats import binom

    rest = np.flatnonzero(drawn < sizes)
    rest = rest[np.argsort(drawn[rest] / sizes[rest], kind="stable")]
    people, draws = (np.cumsum([0, *counts[rest]]) for counts in (sizes, drawn))
    x, n = found[rest].sum(), draws[-1]

    def possible(k: Counts) -> NDArray[np.bool_]:
        mean = np.interp(k, people, draws)  # all k where the smallest shares were tested
        return (x > mean - 1) | (binom.cdf(x, n, mean / max(1, n)) > alpha * _ON_THE_LINE)

    known = int(found.sum() - x)
    return known + int(_largest(possible, np.array([0]), people[-1:])[0])


def _tighter(drawn: Counts, sizes: Counts, alpha: float) -> tuple[str, Callable[[Counts], int]]:
    """The bound for strata that is tighter if nothing is found, chosen before looking."""
    ways = {"by value": _by_value, "all values together": _all_together}
    bounds = [
        (name, partial(way, drawn=drawn, sizes=sizes, alpha=alpha)) for name, way in ways.items()
    ]
    return min(bounds, key=lambda bound: bound[1](np.zeros_like(drawn)))


def _percent(count: int, population: int, *, up: bool) -> str:
    """A share with two significant digits, rounded so that the sentence stays true.

    >>> _percent(117, 9799, up=True), _percent(117, 9799, up=False), _percent(0, 9799, up=True)
    ('1.2%', '1.1%', '0%')
    """
    if count in (0, population):
        return f"{100 * count // population}%"
    share = Fraction(100 * count, population)
    step = Fraction(10) ** (math.floor(math.log10(share)) - 1)
    rounded = (math.ceil if up else math.floor)(share / step) * step
    return f"{np.format_float_positional(float(rounded), trim='-')}%"
