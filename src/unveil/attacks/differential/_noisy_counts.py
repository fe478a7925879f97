"""Noisy counts: every record's distance, with sampling as published, or without any sampling.

A record's distance depends only on the counts of its cell, and on which of them is its own. So
records fall into few *cases*, and each is computed once.

**Why no sampling is needed.** Let both releases have the same noise. One record more raises its own
count, so the belief p_s in its own value s does not fall, whatever the noise, and no other belief
rises. So for each value one of the two distribution functions is nowhere below the other, and the
area between them, which is the earth mover's distance, is the difference of the means. Beliefs sum
to 1, so the sum over the values is twice the change of the expected belief in s:

    ½ Σ_j EMD(p_j, p'_j) = E[p_s] − E[p'_s] .

**The expectation.** A cell has the counts c_1, …, c_m. With noise they become
C_j = 1 + max(0, c_j + Laplace(1/ε)), and the adversary believes in the shares p_j = C_j / ΣC. Since
1/ΣC = ∫ exp(-t ΣC) dt over t from 0 up, and the noise of the counts is independent,

    E[p_j] = ∫ E[C_j exp(-t C_j)] · Π_{i≠j} E[exp(-t C_i)] dt .

Both expectations under the integral have closed forms. Substituting t = exp(x) gives a smooth
function that vanishes quickly at both ends, for which the trapezoidal rule converges faster than
any power of its step. The results must sum to 1; the difference is the reported error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from unveil.adversary import Adversary, SmoothedFrequency
from unveil.attacks.differential._beliefs import Beliefs, Enough, Work, never
from unveil.attacks.differential._kernels import sample_case
from unveil.attacks.differential._sampling import Drawn, Request, Sampling
from unveil.engine import Task, run_tasks
from unveil.microdata import Microdata
from unveil.sanitize import LaplaceCounts

_BEGIN = 1000  # samples before the first look at how exact it is
_CASES = 16  # per thread, before their results are passed on
_VALUES = 64  # sensitive values up to which the samples of each are sorted
_FOR_FLOOR = 5000  # samples on each side, to estimate the floor
_SMALLEST = 1e-12  # numerical error that is ever claimed
_ENTRIES = 2**22  # counts whose expected beliefs are computed together


class _Cases(NamedTuple):
    """Records that must have the same distance."""

    own: NDArray[np.int64]
    """The count at the record's own value, itself included."""
    others: NDArray[np.int64]
    """Cases × (sensitive values − 1): the other counts, ascending."""
    which: NDArray[np.intp]
    """The case of each record."""
    order: NDArray[np.intp]
    """Records × sensitive values: where each value's count stands in its case, own first."""


def _cases(microdata: Microdata, records: NDArray[np.intp]) -> _Cases:
    cells, secret = microdata.cells, microdata.sensitive.codes[records]
    counts = cells.counts[cells.cell_of[records]]
    keys = counts.copy()
    np.put_along_axis(keys, secret[:, None], -1, axis=1)  # sorts the own count first
    standing = np.argsort(keys, axis=1, kind="stable")
    rows = np.take_along_axis(counts, standing, axis=1)
    distinct, which = np.unique(rows, axis=0, return_inverse=True)
    order = np.argsort(standing, axis=1)
    return _Cases(distinct[:, 0], distinct[:, 1:], which.ravel(), order)


def direct_beliefs(work: Work, request: Request) -> Iterator[Beliefs]:
    """Distances without sampling; beliefs are expected values."""
    microdata, records = work.question.microdata, work.records
    sanitizer = cast(LaplaceCounts, work.question.sanitizer)  # `chosen_way` has checked it
    cells, secrets = microdata.cells, microdata.sensitive.codes
    factor = 2 * request.factor
    step = max(1, _ENTRIES // microdata.sensitive.size)
    for first in range(0, len(records), step):
        places = np.arange(first, min(first + step, len(records)))
        some = records[places]
        with_it = cells.counts[cells.cell_of[some]]
        without = with_it.copy()
        without[np.arange(len(some)), secrets[some]] -= 1
        both = configurations(np.concatenate([with_it, without]))
        found = expected_shares(both, float(sanitizer.epsilon))
        present = found.of(both.which[: len(some), None], with_it)
        absent = found.of(both.which[len(some) :, None], without)
        own = secrets[some][:, None]
        moved = np.take_along_axis(present, own, 1) - np.take_along_axis(absent, own, 1)
        work.progress.advance(len(some))
        # The shares miss 1 by the error, which may be in both of them.
        exact = max(factor * 2 * found.error, _SMALLEST)
        note = f"computed without sampling; the numerical error is below {exact:.0e}"
        distances = np.maximum(factor * moved[:, 0], 0)
        yield Drawn(places, present, absent, distances=distances, notes=(note,))


def sampled_counts(work: Work, adversary: Adversary, request: Request) -> Iterator[Beliefs]:
    """Distances by sampling, as published, with more samples where they are not exact enough.

    The noise is drawn once for all cases. The samples of a case with and without the record are
    independent, but those of two cases are not.
    """
    microdata, enough, jobs = work.question.microdata, work.enough or never, work.threads
    sanitizer = cast(LaplaceCounts, work.question.sanitizer)  # `chosen_way` has checked it
    cases = _cases(microdata, work.records)
    values = microdata.sensitive.size
    added = 1.0 if isinstance(adversary, SmoothedFrequency) else 0.0
    weight = np.bincount(cases.which, minlength=len(cases.own))
    most = request.samples if sanitizer.scale else 2  # without noise all samples are the same
    n = most if request.error is None else min(_BEGIN, most)
    # In the order of the targets, so that those done when the time is up are the first ones.
    waiting = cases.which[np.sort(np.unique(cases.which, return_index=True)[1])]
    begun = False
    while len(waiting) and not (begun and enough()):
        begun = True
        noise = _noise(sanitizer.scale, values, n, request.seed)
        sampled = _Sampled(cases, noise, added, request)
        coarse = np.zeros(len(cases.own), dtype=bool)
        for some in _in_steps(waiting, jobs, enough):
            sampled.run(some, jobs)
            if n < most:
                coarse[some] = [not request.enough_for(e) for e in sampled.found.error[some]]
            work.progress.advance(int(weight[some][~coarse[some]].sum()))
            rows = np.flatnonzero(np.isin(cases.which, some))
            yield sampled.drawn(rows)
        waiting, n = waiting[coarse[waiting]], min(4 * n, most)


def _in_steps(cases: NDArray[np.intp], jobs: int, enough: Enough) -> Iterator[NDArray[np.intp]]:
    """A few cases at a time: an interrupt must not cost more than these."""
    step = _CASES * jobs
    for first in range(0, len(cases), step):
        if first and enough():
            return
        yield cases[first : first + step]


def _noise(scale: float, values: int, n: int, seed: int) -> NDArray[np.float64]:
    """With and without the record × values × samples."""
    shape = (2, values, n)
    return np.random.default_rng([seed, n]).laplace(0, scale, shape) if scale else np.zeros(shape)


class _Sampled:
    """The distances of cases; in their samples the record's own value comes first."""

    def __init__(
        self, cases: _Cases, noise: NDArray[np.float64], added: float, request: Request
    ) -> None:
        self.cases, self.noise, self.added, self.request = cases, noise, added, request
        n, values = len(cases.own), noise.shape[1]
        self._certain = not noise.any()  # then nothing is random
        # Rounding must not decide about distances that equal ε.
        self.limits = np.array(request.epsilons) * (1 - 1e-12)
        self.found = Sampling.none(n, request.epsilons, request.error)
        self.distances = np.full(n, np.nan)
        self.present, self.absent = np.empty((n, values)), np.empty((n, values))

    def run(self, some: NDArray[np.intp], jobs: int) -> None:
        """Sample these cases on a few threads."""
        run_tasks([partial(self._sample, case) for case in some.tolist()], jobs)

    def _sample(self, case: int) -> tuple[Task, ...]:
        counts = np.concatenate([[self.cases.own[case]], self.cases.others[case]])
        kept, times = _stand_ins(counts)
        found, n, factor = self.found, self.noise.shape[2], self.request.factor
        samples, means, tails = sample_case(
            self.noise, counts.astype(np.float64), kept, self.added, factor, self.limits
        )
        self.present[case], self.absent[case] = means
        # The means of the own value differ by half the sum: no bias, see the module's docstring.
        self.distances[case] = 2 * factor * max(0.0, means[0, 0] - means[1, 0])
        spread = samples[:, 0].var(axis=1, ddof=1).sum()
        found.standard_error[case] = 2 * factor * np.sqrt(spread / n)
        found.bias[case] = found.unseen[case] = 0  # the distribution of the noise is known
        found.samples[case] = n
        found.over[case], found.by_chance[case] = tails
        # The distance between two samples of the same falls with the root of their size.
        few = min(_FOR_FLOOR, n // 2)
        halves = samples[0, :, : 2 * few].reshape(-1, 2, few).swapaxes(0, 1)
        found.floor[case] = factor * _apart(halves.copy(), times) * np.sqrt(few / n)
        found.as_published[case] = factor * _apart(samples, times)
        return ()

    def drawn(self, rows: NDArray[np.intp]) -> Drawn:
        """The results of the targets in these rows."""
        case = self.cases.which[rows]
        sampling: Sampling | None = self.found.take(case)
        ranks = self.cases.order[rows]
        present = np.take_along_axis(self.present[case], ranks, axis=1)
        absent = np.take_along_axis(self.absent[case], ranks, axis=1)
        if self._certain:
            sampling = None
        return Drawn(rows, present, absent, distances=self.distances[case], sampling=sampling)


def _stand_ins(counts: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Which values' samples are compared, and how many values each of them represents.

    All, unless there are very many. Values with the same count have beliefs with the same
    distribution, so a few of them can represent all. The first count is the record's own.
    """
    if len(counts) <= _VALUES:
        return np.arange(len(counts)), np.ones(len(counts))
    first = 1 + np.flatnonzero(np.diff(counts[1:], prepend=-1))
    sizes = np.diff(np.append(first, len(counts)))
    some = np.minimum(sizes, max(1, _VALUES // len(first)))
    kept = [np.arange(at, at + many) for at, many in zip(first, some, strict=True)]
    return np.concatenate([[0], *kept]), np.append(1.0, np.repeat(sizes / some, some))


def _apart(samples: NDArray[np.float64], times: NDArray[np.float64]) -> float:
    """Σ over the values of the mean difference of order statistics; sorts the samples."""
    samples.sort(axis=2)
    samples[0] -= samples[1]
    return float(np.abs(samples[0], out=samples[0]).mean(axis=1) @ times)


_STEP = 0.2  # of x; the rule's own error is about exp(-π² / step)
_NEGLIGIBLE = 1e-14
_FAR = 745.0  # exp(-t) is 0 beyond
_CHUNK = 2**22  # entries of cells × nodes held together
_SMALL = 0.05  # below this `_ramp` is a series


class Configurations(NamedTuple):
    """Cells up to the order of their counts, each once."""

    values: NDArray[np.int64]
    """The counts that occur anywhere, ascending."""
    times: csr_array
    """Configurations × values: how many counts of a configuration have each value."""
    which: NDArray[np.intp]
    """The configuration of each cell."""


@dataclass(frozen=True, eq=False)
class ExpectedShares:
    """E[p_j] of counts in configurations."""

    values: NDArray[np.int64]
    shares: NDArray[np.float64]
    """Configurations × values: the expected share of one count of that value."""
    error: float
    """The largest amount by which the shares of a configuration miss 1."""

    def of(self, which: NDArray[np.intp], counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """The expected shares of counts in configurations (of shapes that broadcast)."""
        return self.shares[which, np.searchsorted(self.values, counts)]


def configurations(cells: NDArray[np.int64]) -> Configurations:
    """Group cells (cells × sensitive values) that have the same counts in some order."""
    distinct, which = _distinct_rows(np.sort(cells, axis=1))
    values, place = np.unique(distinct, return_inverse=True)
    place = place.reshape(distinct.shape)
    row = np.repeat(np.arange(len(distinct)), distinct.shape[1])
    ones = np.ones(distinct.size)
    times = csr_array((ones, (row, place.ravel())), shape=(len(distinct), len(values)))
    times.sum_duplicates()
    return Configurations(values, times, which)


def _distinct_rows(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Each row once, and the place of each row among them; found by checksums."""
    weights = np.random.default_rng(0).integers(2**63, size=rows.shape[1], dtype=np.uint64)
    sums = (rows.astype(np.uint64) * weights).sum(axis=1)
    _, first, which = np.unique(sums, return_index=True, return_inverse=True)
    if not (rows[first][which] == rows).all():  # two rows with one checksum
        distinct, which = np.unique(rows, axis=0, return_inverse=True)
        return distinct, which.ravel()
    return rows[first], which.ravel()


def expected_shares(cells: Configurations, epsilon: float) -> ExpectedShares:
    """The expected share of every count of every configuration.

    >>> two = configurations(np.array([[3, 0], [0, 0]]))
    >>> found = expected_shares(two, epsilon=1.0)
    >>> found.of(two.which, np.array([3, 0])).round(6), found.error < 1e-9
    (array([0.724483, 0.5     ]), True)
    """
    values, times = cells.values.astype(np.float64), cells.times
    if np.isinf(epsilon):
        sums = times @ (values + 1)
        shares = (values + 1)[None, :] / sums[:, None]
        return ExpectedShares(cells.values, shares, 0.0)
    t, weights = _nodes(values.max(), epsilon, int(times.sum(axis=1).max()))
    damped, weighted = _transforms(values[:, None], t[None, :], epsilon)
    # Where a factor underflows, so does the product.
    there = damped > 0
    log_damped = np.log(damped, out=np.full_like(damped, -np.inf), where=there)
    ratio = np.divide(weighted, damped, out=np.zeros_like(damped), where=there)
    n, chunk = times.shape[0], max(1, _CHUNK // len(t))
    shares = np.empty((n, len(values)))
    for first in range(0, n, chunk):
        some = slice(first, first + chunk)
        # The factor exp(-t) of each of the m counts is in log_damped, too.
        shares[some] = (np.exp(times[some] @ log_damped) * weights) @ ratio.T
    error = float(np.abs(times.multiply(shares).sum(axis=1) - 1).max(initial=0))
    return ExpectedShares(cells.values, shares, error)


def _nodes(
    largest: float, epsilon: float, counts: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes and weights: t = exp(x) for x in equal steps."""
    # Below the first node the integral is at most E[C] times its t; beyond the last it is less
    # than exp(-t) for each of the counts.
    low = np.log(_NEGLIGIBLE / (2 + largest + 1 / epsilon))
    high = np.log(min(_FAR, -np.log(_NEGLIGIBLE) + 5) / max(1, counts) + 1e-300)
    x = np.arange(low, high + _STEP, _STEP)
    t = np.exp(x)
    return t, _STEP * t


def _transforms(
    c: NDArray[np.float64], t: NDArray[np.float64], epsilon: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """E[exp(-tC)] and E[C exp(-tC)] for C = 1 + max(0, c + Laplace(1/ε)).

    Let X = max(0, c + Laplace(1/ε)). It is 0 with probability exp(-εc)/2, and has the density
    ε/2 · exp(-ε|x - c|) above 0, which is integrated below c and above c.
    """
    none, at_count = np.exp(-epsilon * c) / 2, np.exp(-t * c)
    half, above = epsilon / 2, 1 / (epsilon + t)
    gap = np.abs(epsilon - t)
    # ∫ from 0 to c of exp(-ε(c - x)) exp(-tx) dx; the smaller exponent is factored out: no overflow
    start = np.exp(-np.minimum(epsilon, t) * c)
    below = start * c * _rise(gap * c)
    damped = none + half * (below + at_count * above)
    # ∫ of x times the same: from the end at which the integrand is the larger
    ramp = np.where(
        t < epsilon,
        start * (c * c) * (_rise(gap * c) - _ramp(gap * c)),
        start * (c * c) * _ramp(gap * c),
    )
    times_x = half * (ramp + at_count * (c * above + above**2))
    return np.exp(-t) * damped, np.exp(-t) * (damped + times_x)


def _rise(u: NDArray[np.float64]) -> NDArray[np.float64]:
    """∫ from 0 to 1 of exp(-uy) dy."""
    safe = np.where(u == 0, 1.0, u)
    return np.where(u == 0, 1.0, -np.expm1(-safe) / safe)


def _ramp(u: NDArray[np.float64]) -> NDArray[np.float64]:
    """∫ from 0 to 1 of y exp(-uy) dy, for u ≥ 0; a series where the formula would cancel."""
    small = u < _SMALL
    safe = np.where(small, 1.0, u)
    series, term = np.zeros_like(u), np.ones_like(u)
    few = np.where(small, u, 0.0)
    for k in range(9):
        series += term / (k + 2)
        term = term * -few / (k + 1)
    return np.where(small, series, (-np.expm1(-safe) - safe * np.exp(-safe)) / safe**2)
