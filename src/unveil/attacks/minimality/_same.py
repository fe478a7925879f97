"""Is it the same release, and if not, where does it differ?"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from unveil.errors import InputError
from unveil.microdata import Microdata, Release
from unveil.sanitize import Sanitizer

__all__ = ["check_same", "is_same"]


def is_same(one: Release, other: Release) -> bool:
    """Whether two releases of the same people are the same, record by record.

    What they say of themselves (the levels of a recoding) counts.
    """
    if one.n_classes != other.n_classes or one.notes != other.notes:
        return False
    # Classes may be numbered otherwise.
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
    columns = zip(
        (*microdata.quasi, microdata.sensitive), (*given.quasi, given.sensitive), strict=False
    )
    for own, other in columns:
        if own.name != other.name or own.texts != other.texts:
            raise InputError(
                f"the release has other values of {own.name!r} than {microdata.source}; read it "
                "together with its original: unveil.read_release(file, microdata)"
            )
    if given.dropped or len(given) != len(microdata):
        raise InputError(
            f"the release has {len(given):,} of the {len(microdata):,} records of "
            f"{microdata.source}; minimality needs all of them, the suppressed ones with * in "
            "every column"
        )
    mine, theirs = _described(made), _described(given)
    if mine == theirs:
        return
    differs = next((key for key in theirs if theirs[key] != mine.get(key)), None)
    missing = next((key for key in mine if mine[key] != theirs.get(key)), None)
    told = []
    if differs is not None:
        told.append(f"the release has {_words(given, differs, theirs[differs])}")
    if missing is not None:
        told.append(f"it makes {_words(made, missing, mine[missing])}")
    raise InputError(
        f"this release is not what {sanitizer.label} makes of {microdata.source}: "
        f"{', and '.join(told)}; give the goal and options that it was made with, and the table "
        "as it was"
    )


_Cells: TypeAlias = tuple[bytes, ...]


def _described(release: Release) -> dict[_Cells, tuple[int, ...]]:
    """How many records of each secret have each combination of cells.

    Cells by what they cover, so that it does not matter how they are written.
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


def _words(release: Release, key: _Cells, counts: tuple[int, ...]) -> str:
    g = _cells(release).index(key)
    columns = zip(release.quasi, release.regions, strict=True)
    cells = ", ".join(f"{c.name} {r.take(np.array([g])).texts(c)[0]}" for c, r in columns)
    values = zip(counts, release.sensitive.texts, strict=True)
    secrets = ", ".join(f"{number} {text}" for number, text in values if number)
    return f"a class {cells} with {secrets}"
