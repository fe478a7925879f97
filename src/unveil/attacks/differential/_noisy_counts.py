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
from functools import partial
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from unveil.adversary import SmoothedFrequency
from unveil.attacks.differential._beliefs import Beliefs, Work
from unveil.attacks.differential._kernels import sample_case
from unveil.attacks.differential._sampling import Chance, Sampling
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

    counts: NDArray[np.int64]
    """Cases × sensitive values: the count at the record's own value, itself included, and then the
    others, ascending."""
    which: NDArray[np.intp]
    """The case of each record."""
    order: NDArray[np.intp]
    """Records × sensitive values: where each value's count stands in its case."""

    def of_records(
        self, rows: NDArray[np.intp] | slice, table: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """What is known of each case, for these records and in the order of the values."""
        return np.take_along_axis(table[self.which[rows]], self.order[rows], axis=1)


def _cases(microdata: Microdata, records: NDArray[np.intp]) -> _Cases:
    cells, secret = microdata.cells, microdata.sensitive.codes[records]
    counts = cells.counts[cells.cell_of[records]]
    keys = counts.copy()
    np.put_along_axis(keys, secret[:, None], -1, axis=1)  # sorts the own count first
    standing = np.argsort(keys, axis=1, kind="stable")
    distinct, which = _distinct_rows(np.take_along_axis(counts, standing, axis=1))
    return _Cases(distinct, which, np.argsort(standing, axis=1))


def direct_beliefs(work: Work) -> Iterator[tuple[Beliefs]]:
    """Distances without sampling; beliefs are expected values."""
    microdata = work.question.microdata
    sanitizer = cast(LaplaceCounts, work.question.sanitizer)  # the plan has checked it
    factor = 2 * work.chance.factor
    step = max(1, _ENTRIES // microdata.sensitive.size)
    for first in range(0, len(work.records), step):
        places = np.arange(first, min(first + step, len(work.records)))
        cases = _cases(microdata, work.records[places])
        fewer = cases.counts.copy()
        fewer[:, 0] -= 1
        both = np.concatenate([cases.counts, fewer])
        shares, missed = expected_shares(both, float(sanitizer.epsilon))
        present, absent = np.split(shares, 2)
        work.progress.advance(len(places))
        # The shares miss 1 by the error, which may be in both of them.
        exact = max(factor * 2 * missed, _SMALLEST)
        note = f"computed without sampling; the numerical error is below {exact:.0e}"
        distances = np.maximum(factor * (present[:, 0] - absent[:, 0]), 0)
        found = Beliefs(
            places, cases.of_records(slice(None), present), cases.of_records(slice(None), absent),
            distances=distances[cases.which], notes=(note,),
        )  # fmt: skip
        yield (found,)


def sampled_counts(work: Work) -> Iterator[tuple[Beliefs]]:
    """Distances by sampling, as published, with more samples where they are not exact enough.

    The noise is drawn once for all cases. The samples of a case with and without the record are
    independent, but those of two cases are not.
    """
    microdata, jobs, chance = work.question.microdata, work.threads, work.chance
    [adversary] = work.question.adversaries
    sanitizer = cast(LaplaceCounts, work.question.sanitizer)  # the plan has checked it
    cases = _cases(microdata, work.records)
    values = microdata.sensitive.size
    added = 1.0 if isinstance(adversary, SmoothedFrequency) else 0.0
    weight = np.bincount(cases.which, minlength=len(cases.counts))
    most = chance.most if sanitizer.scale else 2  # without noise all samples are the same
    n = most if chance.error is None else min(_BEGIN, most)
    # In the order of the targets, so that those done when the time is up are the first ones.
    waiting = cases.which[np.sort(np.unique(cases.which, return_index=True)[1])]
    begun = False
    while len(waiting) and not (begun and work.enough()):
        begun = True
        noise = _noise(sanitizer.scale, values, n, chance.seed)
        sampled = _Sampled(cases, noise, added, chance)
        coarse = np.zeros(len(cases.counts), dtype=bool)
        # A few cases at a time: an interrupt must not cost more than these.
        for first in range(0, len(waiting), _CASES * jobs):
            if first and work.enough():
                break
            some = waiting[first : first + _CASES * jobs]
            run_tasks([partial(sampled.sample, case) for case in some.tolist()], jobs)
            if n < most:
                coarse[some] = ~(sampled.found.error[some] <= (chance.error or 0))
            work.progress.advance(int(weight[some][~coarse[some]].sum()))
            rows = np.flatnonzero(np.isin(cases.which, some))
            yield (sampled.beliefs(rows),)
        waiting, n = waiting[coarse[waiting]], min(4 * n, most)


def _noise(scale: float, values: int, n: int, seed: int) -> NDArray[np.float64]:
    """With and without the record × values × samples."""
    shape = (2, values, n)
    return np.random.default_rng([seed, n]).laplace(0, scale, shape) if scale else np.zeros(shape)


class _Sampled:
    """The distances of cases; in their samples the record's own value comes first."""

    def __init__(
        self, cases: _Cases, noise: NDArray[np.float64], added: float, chance: Chance
    ) -> None:
        self.cases, self.noise, self.added, self.chance = cases, noise, added, chance
        n, values = len(cases.counts), noise.shape[1]
        self._random = bool(noise.any())
        # Rounding must not decide about distances that equal ε.
        self.limits = np.array(chance.epsilons) * (1 - 1e-12)
        self.found = Sampling.none(n, chance.epsilons, chance.error)
        self.distances = np.full(n, np.nan)
        self.present, self.absent = np.empty((n, values)), np.empty((n, values))

    def sample(self, case: int) -> tuple[Task, ...]:
        """Sample a case."""
        counts = self.cases.counts[case]
        kept, times = _stand_ins(counts)
        found, n, factor = self.found, self.noise.shape[2], self.chance.factor
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

    def beliefs(self, rows: NDArray[np.intp]) -> Beliefs:
        """The results of the targets in these rows."""
        case, of_records = self.cases.which[rows], self.cases.of_records
        return Beliefs(
            rows, of_records(rows, self.present), of_records(rows, self.absent),
            distances=self.distances[case],
            sampling=self.found.take(case) if self._random else None,
        )  # fmt: skip


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


def _distinct_rows(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Each row once, and the place of each row among them; found by checksums."""
    weights = np.random.default_rng(0).integers(2**63, size=rows.shape[1], dtype=np.uint64)
    sums = (rows.astype(np.uint64) * weights).sum(axis=1)
    _, first, which = np.unique(sums, return_index=True, return_inverse=True)
    if not (rows[first][which] == rows).all():  # two rows with one checksum
        distinct, which = np.unique(rows, axis=0, return_inverse=True)
        return distinct, which.ravel()
    return rows[first], which.ravel()


def expected_shares(cells: NDArray[np.int64], epsilon: float) -> tuple[NDArray[np.float64], float]:
    """E[p_j] of every count of every cell, and by how much the shares of a cell miss 1 at most.

    Cells with the same counts in some order are computed once.

    >>> shares, error = expected_shares(np.array([[3, 0], [0, 0]]), epsilon=1.0)
    >>> shares.round(6), error < 1e-9
    (array([[0.724483, 0.275517],
           [0.5     , 0.5     ]]), True)
    """
    distinct, which = _distinct_rows(np.sort(cells, axis=1))
    counts, place = np.unique(distinct, return_inverse=True)
    n, values = len(distinct), counts.astype(np.float64)
    # How many counts of a cell have each value.
    rows = np.repeat(np.arange(n), distinct.shape[1])
    times = csr_array((np.ones(distinct.size), (rows, place.ravel())), shape=(n, len(counts)))
    times.sum_duplicates()
    if np.isinf(epsilon):
        shares = (values + 1)[None, :] / (times @ (values + 1))[:, None]
        error = 0.0
    else:
        t, weights = _nodes(values.max(), epsilon, distinct.shape[1])
        damped, weighted = _transforms(values[:, None], t[None, :], epsilon)
        # Where a factor underflows, so does the product.
        there = damped > 0
        log_damped = np.log(damped, out=np.full_like(damped, -np.inf), where=there)
        ratio = np.divide(weighted, damped, out=np.zeros_like(damped), where=there)
        chunk = max(1, _CHUNK // len(t))
        shares = np.empty((n, len(values)))
        for first in range(0, n, chunk):
            some = slice(first, first + chunk)
            # The factor exp(-t) of each of the m counts is in log_damped, too.
            shares[some] = (np.exp(times[some] @ log_damped) * weights) @ ratio.T
        error = float(np.abs(times.multiply(shares).sum(axis=1) - 1).max(initial=0))
    return shares[which[:, None], np.searchsorted(counts, cells)], error


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
