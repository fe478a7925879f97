"""What a release that was read is told with: records that are hidden, cells that cover nobody."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from unveil.microdata._encode import MISSING
from unveil.microdata._microdata import Microdata
from unveil.microdata._release import Release
from unveil.microdata._release_columns import CellColumn

__all__ = ["about_empty", "about_hidden", "about_uncovered", "about_untold"]


def about_empty(as_missing: list[tuple[str, int]], held_by: Mapping[str, str]) -> list[str]:
    """Empty cells that were taken for missing values, which something holds for each column."""
    return [
        f"{n:,} empty {'cell' if n == 1 else 'cells'} of {name} read as {MISSING!r}, which "
        f'{held_by[name]} has; if suppressed, say empty="suppressed"'
        for name, n in as_missing
        if n
    ]


def about_hidden(release: Release, original: Microdata) -> list[str]:
    """Records that tell nothing, or are not there."""
    notes = []
    if release.suppressed:
        are, their = ("is", "its") if release.suppressed == 1 else ("are", "their")
        notes.append(
            f"{release.suppressed:,} of {len(release):,} records {are} suppressed: all {their} "
            "quasi-identifiers are hidden"
        )
    if release.dropped:
        are = "is" if release.dropped == 1 else "are"
        notes.append(
            f"{release.dropped:,} of {len(original):,} records {are} not in the release, or in it "
            "without a sensitive value"
        )
    return notes


def about_uncovered(release: Release, original: Microdata, columns: list[CellColumn]) -> list[str]:
    """Values that no cell covers, though each record that is there should be by its own.

    Such are the labels of tools that round their bounds, and means that stand for several values.
    """
    notes = []
    for column, read in zip(original.quasi, columns, strict=True):
        once = np.ones((len(read.regions), 1), dtype=np.int64)
        uncovered = read.regions.cover_counts(once, column.size)[:, 0] == 0
        left_out = uncovered[column.codes]
        if left_out.sum() > release.dropped:
            value = column.texts[column.codes[np.argmax(left_out)]]
            notes.append(
                f"{column.name}: no cell covers the values of {left_out.sum():,} of "
                f"{len(original):,} records, such as {value}; cells are read as they are written"
            )
    return notes


def about_untold(rows: int, untold: int, sensitive: str) -> list[str]:
    """Rows without a sensitive value, where there is no original to count what was dropped."""
    if not untold:
        return []
    tell = "tells" if untold == 1 else "tell"
    are = "is" if untold == 1 else "are"
    return [f"{untold:,} of {rows:,} rows {tell} no {sensitive} and {are} left out"]
