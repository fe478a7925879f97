"""Run any deterministic sanitizer on worlds, and keep those that give the same release.

All worlds if they are few, otherwise some that are drawn, with the estimate of `_solving`. This is
the definition itself, and slow: every world is sanitized. Also here: whether two releases are the
same, and where they differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.minimality._solving import Solved, Tries
from unveil.engine import Progress
from unveil.errors import Call, Cell, File, GoalError, InputError, Listed, Message
from unveil.errors import Column as ColumnName
from unveil.microdata import Microdata, Release
from unveil.sanitize import Sanitizer

__all__ = ["by_running", "check_same"]


def by_running(
    sanitizer: Sanitizer,
    microdata: Microdata,
    release: Release,
    tries: Tries,
    *,
    progress: bool | None,
) -> Solved:
    """Beliefs about everybody, one row per record."""
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
        # Only the true world is known to give this release: nothing is known about the others.
        return Solved(belief=share, error=np.ones(len(microdata)), how="drawn", kept=0.0)
    belief = share + (0.0 if p == 1 else (1 - p) * (kept / n_kept - gone / (n - n_kept)))
    error = spread * np.sqrt(max(1 - p, 1 / n) / (p * n))
    belief = belief.clip(0, 1)
    belief /= belief.sum(axis=1, keepdims=True)
    return Solved(belief=belief, error=error, how="drawn", kept=p)


def _arrangements(counts: NDArray[np.int64]) -> int:
    """In how many ways the values of a class can be given to its people."""
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
    return isinstance(made, Release) and _is_same(made, release)


def _world(microdata: Microdata, secrets: NDArray[np.int32]) -> Microdata:
    own = microdata.sensitive
    columns = (replace(own, codes=secrets) if c is own else c for c in microdata.columns)
    return replace(microdata, columns=tuple(columns))


def _all(microdata: Microdata, people: list[NDArray[np.intp]]) -> Iterator[NDArray[np.int32]]:
    """Every arrangement of the sensitive values within classes, once."""
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
    """The next arrangement in lexicographic order; after the last, the first one and False."""
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


def _is_same(one: Release, other: Release) -> bool:
    """Whether two releases of the same people are the same, record by record.

    Their notes count, too: they tell the levels of a recoding.
    """
    if one.n_classes != other.n_classes or one.notes != other.notes:
        return False
    # Classes may be numbered differently.
    number = np.full(one.n_classes, -1)
    number[one.class_of] = other.class_of
    if (number[one.class_of] != other.class_of).any() or len(set(number.tolist())) < len(number):
        return False
    if (one.counts != other.counts[number]).any():
        return False
    cells = zip(one.cells(), other.cells(), strict=True)
    return all(mine == [theirs[g] for g in number] for mine, theirs in cells)


def check_same(given: Release, made: Release, microdata: Microdata, sanitizer: Sanitizer) -> None:
    """Refuse a release that is not what the sanitizer makes of the table."""
    source = File(microdata.source, bare=True)
    columns = zip(
        (*microdata.quasi, microdata.sensitive), (*given.quasi, given.sensitive), strict=False
    )
    for own, other in columns:
        if own.name != other.name or own.texts != other.texts:
            raise InputError(
                "the values of {column} in the release differ from those in {source}; read it "
                "together with its original: {read_release}(file, microdata)",
                column=ColumnName(own.name), source=source, read_release=Call("read_release"),
            )  # fmt: skip
    if given.dropped or len(given) != len(microdata):
        raise InputError(
            "the release has {given} of the {records} records of {source}; {minimality} needs all "
            "of them, suppressed ones with * in every column",
            given=len(given), records=len(microdata), source=source, minimality=Call("minimality"),
        )  # fmt: skip
    mine, theirs = _described(made), _described(given)
    if mine == theirs:
        return
    differs = next((key for key in theirs if theirs[key] != mine.get(key)), None)
    missing = next((key for key in mine if mine[key] != theirs.get(key)), None)
    told = []
    if differs is not None:
        words = _words(given, differs, theirs[differs])
        told.append(Message("the release has {words}", words=words))
    if missing is not None:
        words = _words(made, missing, mine[missing])
        told.append(Message("the sanitizer makes {words}", words=words))
    raise InputError(
        "this release is not what {sanitizer} makes of {source}: {told}; give the goal and options "
        "that it was made with, and the unchanged table",
        sanitizer=File(sanitizer.label, bare=True), source=source, told=Listed(told, "and"),
    )  # fmt: skip


_Cells: TypeAlias = tuple[bytes, ...]


def _described(release: Release) -> dict[_Cells, tuple[int, ...]]:
    """How many records of each sensitive value have each combination of cells.

    Cells are compared by what they cover, regardless of how they are written.
    """
    found: dict[_Cells, tuple[int, ...]] = {}
    for key, counts in zip(_cells(release), release.counts.tolist(), strict=True):
        before = found.get(key, (0,) * len(counts))
        found[key] = tuple(a + b for a, b in zip(before, counts, strict=True))
    return found


def _cells(release: Release) -> list[_Cells]:
    """What the cells of each class cover."""
    covered = [
        np.packbits(np.stack([r.covers(v) for v in range(c.size)], axis=1), axis=1)
        for c, r in zip(release.quasi, release.regions, strict=True)
    ]
    return [tuple(rows[g].tobytes() for rows in covered) for g in range(release.n_classes)]


def _words(release: Release, key: _Cells, counts: tuple[int, ...]) -> Message:
    g = _cells(release).index(key)
    columns = zip(release.quasi, release.regions, strict=True)
    cells = ", ".join(f"{c.name} {r.take(np.array([g])).texts(c)[0]}" for c, r in columns)
    values = zip(counts, release.sensitive.texts, strict=True)
    secrets = ", ".join(f"{number} {text}" for number, text in values if number)
    return Message(
        "a class {cells} with {secrets}",
        cells=Cell(cells, bare=True),
        secrets=Cell(secrets, bare=True),
    )
