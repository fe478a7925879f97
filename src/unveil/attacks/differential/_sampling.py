"""Distances between two distributions of beliefs, from samples: estimates, errors, tails.

For each sensitive value, the earth mover's distance between the samples of its belief with and
without a person's record is the mean absolute difference of their order statistics. Summed over
the values this is the distance of Kassem et al. (2019), `between_samples`.

It is too large on average: two samples of the *same* distribution are not at distance 0. The
distance is the largest difference of means of any function with slopes up to 1 (Kantorovich), and
the function that is best on the samples at hand overestimates it. With cross-fitting
(`_cross_fitted`) this function is found on one part of the samples, and the difference of means is
taken on the rest. That is too small on average: a function found on some samples is not the best
one. So the two expected values enclose the truth. There is no estimate without bias, because the
distance has a corner where the distributions are the same (T. Cai and M. Low, *Testing composite
hypotheses, Hermite polynomials and optimal estimation of a nonsmooth functional*, Annals of
Statistics 2011). The estimate is the middle of the two, whose biases mostly cancel; half their
difference is added to its error on both sides.

**Chance.** Let φ be the best function for the two distributions. The published number is at least
the difference of the means of φ, whose expected value is the distance: so the published number
plus the error of that difference is an upper bound. φ is not known, but no function with slopes up
to 1 varies more than the samples themselves: Var Σ φ_j(X_j) ≤ ½ E (Σ |X_j - X'_j|)² for two
independent draws X, X' (`_most_variance`). The same standard error is used for the lower end, where
that of cross-fitted scores is too small if the distributions are about the same (folds depend on
each other).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import betaincinv, stdtrit  # scipy.stats takes half a second to import

from unveil.attacks.differential._earth_movers import BoundDistance
from unveil.errors import InputError, Option

CONFIDENCE = 0.95
EPSILONS: tuple[float, ...] = tuple(
    sorted({*np.logspace(-3, 0, 31).round(6).tolist(), 0.001, 0.01, 0.05, 0.1, 0.5, 1.0})
)
"""Where the tail of d is counted by default."""


@dataclass(frozen=True, eq=False)
class TailProbabilities:
    """Pr[d ≥ ε] of each target, over the randomness of the sanitizer and the adversary.

    Attributes
    ----------
    epsilon : float
    probability : array
        The share of the sampled pairs of releases, one with and one without the target's record,
        between which belief moves by ε or more; NaN for targets that could not be tested.
    low, high : arrays
        Exact 95% bounds of each target's probability (Clopper and Pearson).
    by_chance : array
        The same share between two releases *with* the record: the effect of chance alone.
    """

    epsilon: float
    probability: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    by_chance: NDArray[np.float64]
    everybody: float
    """Upper bound of δ that holds for all targets at once, with 95% confidence."""

    @property
    def delta(self) -> float:
        """δ: the largest probability, so that the release is (ε, δ)-differentiable."""
        return float(np.nanmax(self.probability, initial=0))


@dataclass(frozen=True, eq=False)
class Sampling:
    """How the distances of a finding were sampled; arrays have one entry per target.

    Attributes
    ----------
    samples : array of int
        Number of samples with the target's record, and again without it.
    as_published : array
        The distance by order statistics, which is too large on average.
        `DifferentialInference.distances` are the middle between it and cross-fitted distances,
        which are too small on average.
    bias : array
        Half the difference of these two. The expected distance is off by no more on average.
    standard_error : array
        Upper bound of the standard error.
    unseen : array
        How far a distance could move per unit of probability that no sample has shown, divided by
        the number of samples. 0 where the form of the distributions is known.
    floor : array
        About what ``as_published`` would be if the record made no difference.
    records : array of int
        Of how many records a person's distance is the largest.
    over, by_chance : arrays of shape (targets, epsilons)
        How many sampled pairs moved belief by ε or more: with against without the record, and
        with against with.
    epsilons : array
        The ε of these.
    wanted : float or None
        The error that was asked for.
    """

    samples: NDArray[np.int64]
    as_published: NDArray[np.float64]
    bias: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    unseen: NDArray[np.float64]
    floor: NDArray[np.float64]
    over: NDArray[np.int64]
    by_chance: NDArray[np.int64]
    epsilons: NDArray[np.float64]
    records: NDArray[np.int64]
    wanted: float | None = None

    @classmethod
    def none(cls, n: int, epsilons: Sequence[float], wanted: float | None) -> Sampling:
        """No target has been sampled yet."""
        grid = np.array(epsilons, dtype=np.float64)
        gap, zeros = np.full(n, np.nan), np.zeros((n, len(grid)), dtype=np.int64)
        return cls(
            samples=np.zeros(n, dtype=np.int64), as_published=gap, bias=gap.copy(),
            standard_error=gap.copy(), unseen=gap.copy(), floor=gap.copy(), over=zeros,
            by_chance=zeros.copy(), epsilons=grid, records=np.ones(n, dtype=np.int64),
            wanted=wanted,
        )  # fmt: skip

    def empty(self, n: int) -> Sampling:
        """Nothing of so many targets, to be filled with parts of the same."""
        return self.none(n, self.epsilons.tolist(), self.wanted)

    def exact(self, distances: NDArray[np.float64]) -> Sampling:
        """Exact distances, to stand beside these sampled ones: there is no error."""
        nothing = 0 * distances
        return replace(
            self.empty(len(distances)), as_published=distances.copy(), bias=nothing,
            standard_error=nothing, unseen=nothing, floor=nothing,
        )  # fmt: skip

    def put(self, places: NDArray[np.intp], part: Sampling) -> None:
        """Write the results of some targets."""
        for name in _PER_TARGET:
            getattr(self, name)[places] = getattr(part, name)

    def take(self, places: NDArray[np.intp]) -> Sampling:
        """The results of some targets."""
        return replace(self, **{name: getattr(self, name)[places] for name in _PER_TARGET})

    @property
    def error(self) -> NDArray[np.float64]:
        """The true distance of each target is within this, with 95% confidence."""
        return self.bias + self.chance(CONFIDENCE)

    def chance(self, confidence: float) -> NDArray[np.float64]:
        """How far chance alone may have moved each distance, with this confidence for each.

        A rare event may not have happened in any sample. An event of probability p stays unseen in
        n samples with probability (1 - p)ⁿ, so p is at most ln(1/α) / n with confidence 1 - α, and
        it can move the distance by p times the most that belief can move. Half of α goes to this,
        half to the normal error of the mean. The largest of several distances is right if each of
        them is, so they share α.
        """
        alpha = (1 - confidence) / self.records
        share = np.where(self.unseen > 0, alpha / 2, alpha)
        # Student's t: with few samples the standard error itself is uncertain.
        times = stdtrit(np.maximum(self.samples - 1, 1), 1 - share / 2)
        spread = times * self.standard_error
        return spread + self.unseen * np.log(2 / alpha)

    @property
    def least(self) -> int:
        """The smallest number of samples of a tested target."""
        had = self.samples[self.samples > 0]
        return int(had.min()) if len(had) else 0

    @property
    def most(self) -> int:
        """The largest number of samples of a target."""
        return int(self.samples.max(initial=0))

    @property
    def too_coarse(self) -> int:
        """Number of targets that are still less exact than was asked for."""
        return 0 if self.wanted is None else int((self.error > self.wanted).sum())

    def tail(self, epsilon: float, *, of: int = 1) -> TailProbabilities:
        """Pr[d ≥ ε] of each target; the bound for all holds for ``of`` adversaries at once."""
        [epsilon] = checked_epsilons(epsilon)
        at = np.flatnonzero(np.isclose(self.epsilons, epsilon, rtol=1e-9, atol=0))
        if not len(at):
            raise InputError(
                "the tail at {epsilon} was not counted; choose one of finding.sampling.epsilons "
                "({some}, …), or test again with {option}",
                epsilon=repr(epsilon), some=", ".join(f"{e:g}" for e in self.epsilons[:3]),
                option=Option("epsilons", [epsilon]),
            )  # fmt: skip
        n, over = self.samples, self.over[:, at[0]]
        tested = n > 0
        share = np.full(len(n), np.nan)
        chance, low, high = share.copy(), share.copy(), share.copy()
        share[tested] = over[tested] / n[tested]
        chance[tested] = self.by_chance[tested, at[0]] / n[tested]
        low[tested], high[tested] = _clopper_pearson(over[tested], n[tested], CONFIDENCE)
        # Each of m bounds fails with a probability of at most 5% / m, so none does with 95%.
        together = 1 - 2 * (1 - CONFIDENCE) / (of * max(1, tested.sum()))
        bounds = _clopper_pearson(over[tested], n[tested], together)[1]
        everybody = float(bounds.max(initial=0))
        return TailProbabilities(float(epsilon), share, low, high, chance, everybody)


_PER_TARGET = tuple(f.name for f in fields(Sampling) if f.name not in ("epsilons", "wanted"))


def checked_epsilons(epsilons: Any) -> tuple[float, ...]:
    """The points at which the tail is counted, ascending."""
    try:
        given = np.atleast_1d(np.asarray(epsilons, dtype=np.float64))
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.ndim != 1 or not len(given) or not (given > 0).all():  # NaN is not above 0 either
        raise InputError(
            "{option} must be numbers above 0, such as [0.01, 0.05]; got {given}",
            option=Option("epsilons"), given=repr(epsilons),
        )  # fmt: skip
    return tuple(np.unique(given).tolist())


def most_often(tails: Sequence[TailProbabilities]) -> TailProbabilities:
    """For each target, the tail of the adversary whose belief moves most often."""
    shares = np.stack([tail.probability for tail in tails])
    best = np.argmax(np.where(np.isnan(shares), -1, shares), axis=0)
    each = np.arange(shares.shape[1])

    def of_best(name: str) -> NDArray[np.float64]:
        return np.asarray(np.stack([getattr(tail, name) for tail in tails])[best, each])

    return TailProbabilities(
        epsilon=tails[0].epsilon,
        probability=of_best("probability"),
        low=of_best("low"),
        high=np.fmax.reduce([tail.high for tail in tails]),
        by_chance=of_best("by_chance"),
        everybody=max(tail.everybody for tail in tails),
    )


def certain_tail(distances: NDArray[np.float64], epsilon: float) -> TailProbabilities:
    """The tail where nothing is random: belief moves by ε or more, or it does not."""
    [epsilon] = checked_epsilons(epsilon)
    at_least = distances >= epsilon * (1 - 1e-12)  # rounding must not decide
    share = np.where(np.isnan(distances), np.nan, at_least)
    nothing = np.where(np.isnan(distances), np.nan, 0.0)
    everybody = float(np.nanmax(share, initial=0))
    return TailProbabilities(epsilon, share, share, share, nothing, everybody)


def curve(tails: Iterable[TailProbabilities]) -> pd.DataFrame:
    """Over ε: δ, a bound for all targets, the mean, and the effect of chance alone."""
    return pd.DataFrame(
        [
            {
                "epsilon": tail.epsilon,
                "delta": tail.delta,
                "delta at most": tail.everybody,
                "mean": _mean(tail.probability),
                "by chance": _mean(tail.by_chance),
                "by chance, at most": float(np.nanmax(tail.by_chance, initial=0)),
            }
            for tail in tails
        ]
    )


def _mean(values: NDArray[np.float64]) -> float:
    had = values[~np.isnan(values)]
    return float(had.mean()) if len(had) else float("nan")


def _clopper_pearson(
    hits: NDArray[np.int64], n: NDArray[np.int64], confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Exact two-sided bounds of a probability."""
    tail = (1 - confidence) / 2
    with np.errstate(invalid="ignore"):
        low = np.where(hits > 0, betaincinv(hits, n - hits + 1, tail), 0.0)
        high = np.where(hits < n, betaincinv(hits + 1, n - hits, 1 - tail), 1.0)
    return low, high


_FOLDS = 5
_LAGS = 5  # pairs of samples that are so far apart in their order

Samples: TypeAlias = NDArray[np.float64]
"""Samples × sensitive values."""


class Estimate(NamedTuple):
    """A distance between two distributions, from samples of them."""

    distance: float
    """The middle between `as_published` and the cross-fitted distance."""
    as_published: float
    """By order statistics: too large on average."""
    bias: float
    """Half the difference between `as_published` and the cross-fitted distance."""
    standard_error: float
    """Upper bound, for both."""
    floor: float
    """About what `as_published` would be if the distributions were the same."""


def between_samples(x: Samples, y: Samples) -> float:
    """Σ over the values of the mean absolute difference of order statistics.

    >>> between_samples(np.array([[0.25], [0.5]]), np.array([[0.75], [0.5]]))
    0.25
    """
    return float(np.abs(np.sort(x, axis=0) - np.sort(y, axis=0)).mean(axis=0).sum())


def estimate(x: Samples, y: Samples) -> Estimate:
    """Distance between the distributions of two samples of the same size.

    >>> rng = np.random.default_rng(5)
    >>> same = estimate(rng.random((400, 1)), rng.random((400, 1)))
    >>> round(same.as_published, 3), round(same.distance, 3), round(same.standard_error, 3)
    (0.017, 0.008, 0.021)
    """
    published = between_samples(x, y)
    low = min(max(0.0, _cross_fitted(x, y)), published)
    return Estimate(
        distance=(low + published) / 2,
        as_published=published,
        bias=(published - low) / 2,
        standard_error=float(np.sqrt((_most_variance(x) + _most_variance(y)) / len(x))),
        floor=(_floor(x) + _floor(y)) / 2,
    )


def _floor(x: Samples) -> float:
    """The distance between halves of one sample, scaled to the size of the whole."""
    half = len(x) // 2
    return between_samples(x[:half], x[half : 2 * half]) / np.sqrt(len(x) / half)


def _most_variance(x: Samples) -> float:
    """Upper bound of the variance of Σ φ_j(X_j), whatever the functions φ with slopes up to 1."""
    lags = range(1, min(len(x), 1 + _LAGS))
    gaps = [np.abs(x - np.roll(x, lag, axis=0)).sum(axis=1) for lag in lags]
    return float(np.mean(np.square(gaps)) / 2)


def _cross_fitted(x: Samples, y: Samples) -> float:
    """The difference of means of functions found on other samples; it may be below 0."""
    n, folds = len(x), min(_FOLDS, len(x))
    x_scores, y_scores = np.zeros(n), np.zeros(n)
    for fold in range(folds):
        here = np.arange(n) % folds == fold
        for j in range(x.shape[1]):
            at, height = _potential(x[~here, j], y[~here, j])
            x_scores[here] += np.interp(x[here, j], at, height)
            y_scores[here] += np.interp(y[here, j], at, height)
    return float(y_scores.mean() - x_scores.mean())


def _potential(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[Samples, Samples]:
    """The function whose means differ most: its slope is the sign of F(x) − F(y)."""
    at = np.concatenate([x, y])
    order = np.argsort(at, kind="stable")
    ahead = np.cumsum(np.where(order < len(x), 1, -1))  # as many more of x as of y so far
    at = at[order]
    height = np.zeros(len(at))
    height[1:] = np.cumsum(np.sign(ahead[:-1]) * np.diff(at))
    return at, height


FACTORS = {"total variation": 0.5, "l1": 1.0}
"""Factor of the sum over the sensitive values, of the distances that can be sampled."""

_UNASKED = 1000  # samples if the user gives no number and something is known to be random
_UP_TO = 2**17  # samples if the user only gives the error


@dataclass(frozen=True, kw_only=True)
class Chance:
    """How what is random is sampled."""

    samples: int | None
    """Largest number of samples, with and without each record, if the user gave one."""
    error: float | None
    """The error that each distance may have; None: take all samples."""
    epsilons: tuple[float, ...]
    distance: BoundDistance
    seed: int

    @property
    def asked_for(self) -> bool:
        """Whether sampling was asked for at all."""
        return self.samples is not None or self.error is not None

    @property
    def most(self) -> int:
        """Largest number of samples."""
        return self.samples or (_UNASKED if self.error is None else _UP_TO)

    @property
    def factor(self) -> float:
        """Factor of the sum over the sensitive values."""
        return FACTORS[self.distance.name]


def at_least(d: NDArray[np.float64], epsilons: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many distances are ε or more, for each ε (ascending), up to rounding."""
    below = np.searchsorted(np.sort(d), epsilons * (1 - 1e-12), side="left")
    return len(d) - below
