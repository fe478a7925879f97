"""What sampling adds to a finding: how many, how exact, and the tails of the 2018 report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, stdtrit  # scipy.stats takes half a second to import

from unveil.attacks.chance._statistics import CONFIDENCE
from unveil.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "EPSILONS",
    "Sampling",
    "TailProbabilities",
    "certain_tail",
    "checked_epsilons",
    "curve",
    "most_often",
    "within",
]

EPSILONS: tuple[float, ...] = tuple(
    sorted({*np.logspace(-3, 0, 31).round(6).tolist(), 0.001, 0.01, 0.05, 0.1, 0.5, 1.0})
)
"""Where the tail of d is looked at unless the user says otherwise."""


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
        Exact 95 % bounds of each target's probability (Clopper and Pearson).
    by_chance : array
        The same share between two releases *with* the record: what chance alone does.
    """

    epsilon: float
    probability: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    by_chance: NDArray[np.float64]
    everybody: float
    """An upper bound of δ that holds for all targets at once, with 95 % confidence."""

    @property
    def delta(self) -> float:
        """δ: the largest probability, so that the release is (ε, δ)-differentiable."""
        return float(np.nanmax(self.probability, initial=0))


@dataclass(frozen=True, eq=False)
class Sampling:
    """How the distances of a finding were sampled; arrays have an entry a target.

    Attributes
    ----------
    samples : array of int
        Samples with and without the target's record, each.
    as_published : array
        The distance by order statistics, which is biased upwards; `DifferentialInference.distances`
        are corrected for it.
    bias : array
        By how much the corrected distance may be too small, at most and on average.
    standard_error : array
        Of the corrected distance, by chance.
    unseen : array
        How far a distance could move for every unit of probability that no sample has shown, over
        their number: 0 where the distributions are known in kind.
    floor : array
        About what ``as_published`` would be if the record made no difference at all.
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
    wanted: float | None = None

    @classmethod
    def none(cls, n: int, epsilons: Sequence[float], wanted: float | None) -> Sampling:
        """Nobody has been sampled yet."""
        grid = np.array(epsilons, dtype=np.float64)
        gap, zeros = np.full(n, np.nan), np.zeros((n, len(grid)), dtype=np.int64)
        return cls(
            samples=np.zeros(n, dtype=np.int64), as_published=gap, bias=gap.copy(),
            standard_error=gap.copy(), unseen=gap.copy(), floor=gap.copy(), over=zeros,
            by_chance=zeros.copy(), epsilons=grid, wanted=wanted,
        )  # fmt: skip

    @classmethod
    def exact(
        cls, distances: NDArray[np.float64], epsilons: Sequence[float], wanted: float | None
    ) -> Sampling:
        """What was worked out without sampling, beside what was not: there is no error."""
        made, nothing = cls.none(len(distances), epsilons, wanted), 0 * distances
        return replace(
            made, as_published=distances.copy(), bias=nothing, standard_error=nothing.copy(),
            unseen=nothing.copy(), floor=nothing.copy(),
        )  # fmt: skip

    def put(self, places: NDArray[np.intp], part: Sampling) -> None:
        """Write down what was found out about some targets."""
        for name in _PER_TARGET:
            getattr(self, name)[places] = getattr(part, name)

    def take(self, places: NDArray[np.intp]) -> Sampling:
        """The same for some targets."""
        return replace(self, **{name: getattr(self, name)[places] for name in _PER_TARGET})

    @property
    def error(self) -> NDArray[np.float64]:
        """The true distance of each target is within this, with 95 % confidence."""
        return self.bias + self.chance(CONFIDENCE)

    def chance(self, confidence: float) -> NDArray[np.float64]:
        """How far chance alone may have moved each distance, with this confidence of each.

        What happens rarely may not have happened in any sample. Something of probability p stays
        unseen in n samples with probability (1 - p)ⁿ, so p is at most ln(1/α) / n with confidence
        1 - α, and can move the distance by p times the most that belief can move. Half of α is
        left to this, half to the normal error of the mean.
        """
        alpha = 1 - confidence
        share = np.where(self.unseen > 0, alpha / 2, alpha)
        # Student's t: with few samples the standard error itself is uncertain.
        times = stdtrit(np.maximum(self.samples - 1, 1), 1 - share / 2)
        spread = times * self.standard_error
        return spread + self.unseen * np.log(2 / alpha)

    @property
    def least(self) -> int:
        """The fewest samples a tested target has."""
        had = self.samples[self.samples > 0]
        return int(had.min()) if len(had) else 0

    @property
    def most(self) -> int:
        """The most samples a target has."""
        return int(self.samples.max(initial=0))

    @property
    def too_coarse(self) -> int:
        """How many targets are still less exact than was asked for."""
        return 0 if self.wanted is None else int((self.error > self.wanted).sum())

    def tail(self, epsilon: float, *, of: int = 1) -> TailProbabilities:
        """Pr[d ≥ ε] of each target; the bound for all holds for so many adversaries at once."""
        [epsilon] = checked_epsilons(epsilon)
        at = np.flatnonzero(np.isclose(self.epsilons, epsilon, rtol=1e-9, atol=0))
        if not len(at):
            raise InputError(
                f"the tail at {epsilon!r} was not counted; choose one of finding.sampling.epsilons "
                f"({', '.join(f'{e:g}' for e in self.epsilons[:3])}, …), or test again with "
                f"epsilons=[{epsilon!r}]"
            )
        n, over = self.samples, self.over[:, at[0]]
        tested = n > 0
        share = np.full(len(n), np.nan)
        chance, low, high = share.copy(), share.copy(), share.copy()
        share[tested] = over[tested] / n[tested]
        chance[tested] = self.by_chance[tested, at[0]] / n[tested]
        low[tested], high[tested] = _clopper_pearson(over[tested], n[tested], CONFIDENCE)
        # Each of m bounds fails with a probability of 5 % / m at most, so none does with 95 %.
        together = 1 - 2 * (1 - CONFIDENCE) / (of * max(1, tested.sum()))
        bounds = _clopper_pearson(over[tested], n[tested], together)[1]
        everybody = float(bounds.max(initial=0))
        return TailProbabilities(float(epsilon), share, low, high, chance, everybody)


_PER_TARGET = tuple(f.name for f in fields(Sampling) if f.name not in ("epsilons", "wanted"))


def checked_epsilons(epsilons: Any) -> tuple[float, ...]:
    """Where the tail is looked at, ascending."""
    try:
        given = np.atleast_1d(np.asarray(epsilons, dtype=np.float64))
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.ndim != 1 or not len(given) or not (given > 0).all():  # NaN is not above 0 either
        raise InputError(
            f"epsilons must be numbers above 0, such as [0.01, 0.05]; got {epsilons!r}"
        )
    return tuple(np.unique(given).tolist())


def most_often(tails: Sequence[TailProbabilities]) -> TailProbabilities:
    """Of several adversaries, for each target, the one whose belief moves most often."""
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
    """Where nothing is random: belief moves by so much, or it does not."""
    [epsilon] = checked_epsilons(epsilon)
    at_least = distances >= epsilon * (1 - 1e-12)  # rounding must not decide
    share = np.where(np.isnan(distances), np.nan, at_least)
    nothing = np.where(np.isnan(distances), np.nan, 0.0)
    everybody = float(np.nanmax(share, initial=0))
    return TailProbabilities(epsilon, share, share, share, nothing, everybody)


def within(
    distances: NDArray[np.float64], sampling: Sampling | None, confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Between what each distance lies, with this confidence of each; exact ones are themselves."""
    if sampling is None:
        return distances, distances
    chance = sampling.chance(confidence)
    return np.maximum(distances - chance, 0), distances + sampling.bias + chance


def curve(tails: Iterable[TailProbabilities]) -> pd.DataFrame:
    """Over ε: δ, a bound that holds for all, the mean, and what chance alone does."""
    import pandas as pd

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
