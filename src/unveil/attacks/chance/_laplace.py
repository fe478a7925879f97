"""Noisy counts: every record's distance, by sampling as published, or without any sampling.

A record's distance depends on the counts of its cell alone, and there only on which counts there
are and which one is its own. So records fall into few *cases*, each worked out once.

**Why no sampling is needed.** Let both releases have the same noise. One record more raises its
own count, so the belief p_s in its own value s goes up, or stays, whatever the noise, and every
other belief goes down, or stays. So for each value one of the two distribution functions is
nowhere below the other: they never cross, and the area between them, which is the earth mover's
distance, is the difference of the means. Since beliefs sum to one, the sum over the values is
twice the change of the expected belief in s:

    ½ Σ_j EMD(p_j, p'_j) = E[p_s] − E[p'_s] .

See `_expected_shares` for these expectations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import ConditionalFrequency, SmoothedFrequency
from unveil.attacks._beliefs import Beliefs
from unveil.attacks.chance import _kernels as kernels
from unveil.attacks.chance._drawn import Drawn, Request
from unveil.attacks.chance._expected_shares import configurations, expected_shares
from unveil.attacks.chance._sampling import Sampling
from unveil.engine import Progress, Task, run_tasks
from unveil.microdata import Microdata
from unveil.sanitize import LaplaceCounts

__all__ = ["direct_beliefs", "sampled_counts"]

_BEGIN = 1000  # samples before the first look at how exact it is
_CASES = 16  # that a thread samples before what was found is handed on
_VALUES = 64  # sensitive values up to which each one's samples are sorted
_FOR_FLOOR = 5000  # samples on each side that the floor is estimated from
_SMALLEST = 1e-12  # error that is ever claimed
_ENTRIES = 2**22  # counts whose expected beliefs are worked out together


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
    np.put_along_axis(keys, secret[:, None], -1, axis=1)  # the own one is sorted before all others
    standing = np.argsort(keys, axis=1, kind="stable")
    rows = np.take_along_axis(counts, standing, axis=1)
    distinct, which = np.unique(rows, axis=0, return_inverse=True)
    order = np.argsort(standing, axis=1)
    return _Cases(distinct[:, 0], distinct[:, 1:], which.ravel(), order)


def direct_beliefs(
    microdata: Microdata,
    sanitizer: LaplaceCounts,
    records: NDArray[np.intp],
    progress: Progress,
    request: Request,
) -> Iterator[Beliefs]:
    """Distances without sampling; beliefs are expected ones."""
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
        progress.advance(len(some))
        # Shares miss one by the error, which may fall on both of them; nothing is that small.
        exact = max(factor * 2 * found.error, _SMALLEST)
        note = f"worked out without sampling; the numerical error is below {exact:.0e}"
        distances = np.maximum(factor * moved[:, 0], 0)
        yield Drawn(places, present, absent, distances=distances, notes=(note,))


def sampled_counts(
    microdata: Microdata,
    sanitizer: LaplaceCounts,
    adversary: SmoothedFrequency | ConditionalFrequency,
    records: NDArray[np.intp],
    progress: Progress,
    n_jobs: int,
    enough: Callable[[], bool] | None,
    request: Request,
) -> Iterator[Beliefs]:
    """Distances by sampling, as published; with more samples where they are not exact enough.

    The noise is drawn once for all cases: each has its own independent samples with and without
    the record, but the chances of two cases are not independent of each other.
    """
    cases = _cases(microdata, records)
    values = microdata.sensitive.size
    added = 1.0 if isinstance(adversary, SmoothedFrequency) else 0.0
    weight = np.bincount(cases.which, minlength=len(cases.own))
    most = request.samples if sanitizer.scale else 2  # without noise all samples are the same
    n = most if request.error is None else min(_BEGIN, most)
    # In the order in which targets come, so that those done when time is up are the first ones.
    waiting = cases.which[np.sort(np.unique(cases.which, return_index=True)[1])]
    begun = False
    while len(waiting) and not (begun and enough is not None and enough()):
        begun = True
        noise = _noise(sanitizer.scale, values, n, request.seed)
        sampled = _Sampled(cases, noise, added, request)
        coarse = np.zeros(len(cases.own), dtype=bool)
        for some in _in_steps(waiting, n_jobs, enough):
            sampled.run(some, n_jobs)
            if n < most:
                coarse[some] = [not request.enough_for(e) for e in sampled.found.error[some]]
            progress.advance(int(weight[some][~coarse[some]].sum()))
            rows = np.flatnonzero(np.isin(cases.which, some))
            yield sampled.drawn(rows)
        waiting, n = waiting[coarse[waiting]], min(4 * n, most)


def _in_steps(
    cases: NDArray[np.intp], n_jobs: int, enough: Callable[[], bool] | None
) -> Iterator[NDArray[np.intp]]:
    """Few at a time: an interrupt must not cost more than these."""
    step = _CASES * n_jobs
    for first in range(0, len(cases), step):
        if first and enough is not None and enough():
            return
        yield cases[first : first + step]


def _noise(scale: float, values: int, n: int, seed: int) -> NDArray[np.float64]:
    """With and without the record × values × samples."""
    shape = (2, values, n)
    return np.random.default_rng([seed, n]).laplace(0, scale, shape) if scale else np.zeros(shape)


class _Sampled:
    """The cases' distances; in their samples the record's own value comes first."""

    def __init__(
        self, cases: _Cases, noise: NDArray[np.float64], added: float, request: Request
    ) -> None:
        self.cases, self.noise, self.added, self.request = cases, noise, added, request
        n, values = len(cases.own), noise.shape[1]
        self._certain = not noise.any()  # then nothing depends on chance
        # Rounding must not decide about distances that are ε.
        self.limits = np.array(request.epsilons) * (1 - 1e-12)
        self.found = Sampling.none(n, request.epsilons, request.error)
        self.distances = np.full(n, np.nan)
        self.present, self.absent = np.empty((n, values)), np.empty((n, values))

    def run(self, some: NDArray[np.intp], n_jobs: int) -> None:
        """Sample these cases, on a few threads."""
        run_tasks([self._task(case) for case in some.tolist()], n_jobs)

    def _task(self, case: int) -> Task:
        def task() -> tuple[Task, ...]:
            self._sample(case)
            return ()

        return task

    def _sample(self, case: int) -> None:
        counts = np.concatenate([[self.cases.own[case]], self.cases.others[case]])
        kept, times = _stand_ins(counts)
        found, n, factor = self.found, self.noise.shape[2], self.request.factor
        samples, means, tails = kernels.sample_case(
            self.noise, counts.astype(np.float64), kept, self.added, factor, self.limits
        )
        self.present[case], self.absent[case] = means
        # The means of the own value differ by half the sum: no bias, see above.
        self.distances[case] = 2 * factor * max(0.0, means[0, 0] - means[1, 0])
        spread = samples[:, 0].var(axis=1, ddof=1).sum()
        found.standard_error[case] = 2 * factor * np.sqrt(spread / n)
        found.bias[case] = found.unseen[case] = 0  # the noise is known: nothing in it is rare
        found.samples[case] = n
        found.over[case], found.by_chance[case] = tails
        # How far apart two samples of the same are falls with the root of their size.
        few = min(_FOR_FLOOR, n // 2)
        halves = samples[0, :, : 2 * few].reshape(-1, 2, few).swapaxes(0, 1)
        found.floor[case] = factor * _apart(halves.copy(), times) * np.sqrt(few / n)
        found.as_published[case] = factor * _apart(samples, times)

    def drawn(self, rows: NDArray[np.intp]) -> Drawn:
        """What follows for the targets in these rows."""
        case = self.cases.which[rows]
        sampling: Sampling | None = self.found.take(case)
        ranks = self.cases.order[rows]
        present = np.take_along_axis(self.present[case], ranks, axis=1)
        absent = np.take_along_axis(self.absent[case], ranks, axis=1)
        if self._certain:
            sampling = None
        return Drawn(rows, present, absent, distances=self.distances[case], sampling=sampling)


def _stand_ins(counts: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Whose samples are compared, and how many values each of them stands for.

    Everybody's, unless there are very many: values with the same count have beliefs with the same
    distribution, so some of them can stand for all; the first count is the record's own.
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
