"""Any deterministic sanitizer: it is run on worlds, and those that give the same release are kept.

All worlds if they are few, else some that are drawn, with the estimate of `_solving`. This is the
definition itself, and slow: every world is sanitized.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.minimality._same import is_same
from unveil.attacks.minimality._solving import Solved, Tries
from unveil.engine import Progress
from unveil.errors import GoalError
from unveil.microdata import Microdata, Release
from unveil.sanitize import Sanitizer

__all__ = ["by_running"]


def by_running(
    sanitizer: Sanitizer,
    microdata: Microdata,
    release: Release,
    tries: Tries,
    *,
    progress: bool | None,
) -> Solved:
    """Beliefs about everybody, one row a record."""
    people = [np.flatnonzero(release.class_of == c) for c in range(release.n_classes)]
    number = math.prod(_arrangements(row) for row in release.counts)
    exact = number <= tries.draws
    worlds = _all(microdata, people) if exact else _some(microdata, people, tries)
    shape = (len(microdata), microdata.sensitive.size)
    kept, gone = np.zeros(shape), np.zeros(shape)
    everybody, n_kept, n = np.arange(len(microdata)), 0, 0
    total = number if exact else tries.draws
    with Progress("sanitizing worlds", total, progress, unit="worlds") as bar:
        for secrets in worlds:
            same = _gives(sanitizer, _world(microdata, secrets), release)
            (kept if same else gone)[everybody, secrets] += 1
            n_kept, n = n_kept + same, n + 1
            bar.advance(1)
    if exact:
        return Solved(
            belief=kept / n_kept, error=np.zeros(len(microdata)), how="exact", kept=n_kept / n
        )
    share = (release.counts / release.sizes[:, None])[release.class_of]
    p, spread = n_kept / n, np.sqrt((share * (1 - share)).max(axis=1))
    if n_kept == 0:
        # Only the true world is known to give this release: nothing can be said of the others.
        return Solved(belief=share, error=np.ones(len(microdata)), how="drawn", kept=0.0)
    belief = share + (0.0 if p == 1 else (1 - p) * (kept / n_kept - gone / (n - n_kept)))
    error = spread * np.sqrt(max(1 - p, 1 / n) / (p * n))
    belief = belief.clip(0, 1)
    belief /= belief.sum(axis=1, keepdims=True)
    return Solved(belief=belief, error=error, how="drawn", kept=p)


def _arrangements(counts: NDArray[np.int64]) -> int:
    """In how many ways the secrets of a class can be given to its people."""
    ways, size = 1, 0
    for number in counts.tolist():
        size += number
        ways *= math.comb(size, number)
    return ways


def _gives(sanitizer: Sanitizer, world: Microdata, release: Release) -> bool:
    try:
        made = sanitizer.sanitize(world)
    except GoalError:
        return False
    return isinstance(made, Release) and is_same(made, release)


def _world(microdata: Microdata, secrets: NDArray[np.int32]) -> Microdata:
    own = microdata.sensitive
    columns = (replace(own, codes=secrets) if c is own else c for c in microdata.columns)
    return replace(microdata, columns=tuple(columns))


def _all(microdata: Microdata, people: list[NDArray[np.intp]]) -> Iterator[NDArray[np.int32]]:
    """Every arrangement of the secrets within classes, once."""
    secrets = microdata.sensitive.codes.copy()
    for some in people:
        secrets[some] = np.sort(secrets[some])

    def turned(c: int) -> Iterator[NDArray[np.int32]]:
        if c == len(people):
            yield secrets.copy()
            return
        while True:
            yield from turned(c + 1)
            if not _next(secrets, people[c]):
                return

    return turned(0)


def _next(secrets: NDArray[np.int32], people: NDArray[np.intp]) -> bool:
    """The next arrangement in the order of numbers; the first one again, and False, at the end."""
    row = secrets[people]
    rises = np.flatnonzero(row[:-1] < row[1:])
    if not len(rises):
        secrets[people] = row[::-1]
        return False
    i = int(rises[-1])
    j = i + 1 + int(np.flatnonzero(row[i + 1 :] > row[i])[-1])
    row[i], row[j] = row[j], row[i]
    row[i + 1 :] = row[i + 1 :][::-1]
    secrets[people] = row
    return True


def _some(
    microdata: Microdata, people: list[NDArray[np.intp]], tries: Tries
) -> Iterator[NDArray[np.int32]]:
    rng, secrets = np.random.default_rng(tries.seed), microdata.sensitive.codes.copy()
    for _ in range(tries.draws):
        for some in people:
            secrets[some] = rng.permutation(secrets[some])
        yield secrets.copy()
