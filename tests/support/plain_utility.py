"""What the cells of a release say, one cell at a time."""

from __future__ import annotations

from unveil.microdata import Release

__all__ = ["covered_codes", "is_hidden", "says_nothing"]


def covered_codes(release: Release, record: int, j: int) -> list[int]:
    """The codes that a released record's cell of column j covers."""
    g = int(release.class_of[record])
    return [c for c in range(release.quasi[j].size) if release.regions[j].covers(c)[g]]


def is_hidden(release: Release, record: int, j: int) -> bool:
    """Whether a cell says nothing; a column of one value says it unless it is written otherwise."""
    column = release.quasi[j]
    if column.size == 1:
        return release.regions[j].texts(column)[release.class_of[record]] != column.texts[0]
    return len(covered_codes(release, record, j)) == column.size


def says_nothing(release: Release, record: int) -> bool:
    """Whether all cells of a record are hidden."""
    return all(is_hidden(release, record, j) for j in range(len(release.quasi)))
