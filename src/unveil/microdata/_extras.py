"""What a published table has besides the columns that attacks use.

A release is read by its quasi-identifiers and its sensitive column, and everything else in the file
is published all the same. Cells are looked at only when somebody asks: an oracle's releases are
read thousands of times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from unveil.errors import InputError
from unveil.microdata._cell_columns import column_cells
from unveil.microdata._distinct import Distinct
from unveil.microdata._sources import Source


@dataclass(frozen=True, eq=False)
class Extras:
    """The other columns of the published tables.

    Attributes
    ----------
    tables : tuple of (Source, tuple of str)
        Each table, and the columns of it that have no role.
    """

    tables: tuple[tuple[Source, tuple[str, ...]], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in the order of the tables; the same name in two tables is one."""
        return tuple(dict.fromkeys(name for _, names in self.tables for name in names))

    def cells(self, name: str) -> Iterator[tuple[Source, Distinct | None]]:
        """The cells of a column, in each table that has it; None if they cannot be read."""
        for source, names in self.tables:
            if name in names:
                yield source, cells_of(source, name)


def cells_of(source: Source, name: str) -> Distinct | None:
    """The cells of a column of a published table; None if there is none that can be read."""
    try:
        return column_cells(source, name)
    except InputError:  # bytes and the like
        return None


def extras_of(*tables: tuple[Source, Iterable[str]]) -> Extras:
    """The columns of each table but those that are used."""
    found: dict[int, tuple[Source, set[str]]] = {}
    for source, used in tables:
        found.setdefault(id(source), (source, set()))[1].update(used)
    left = [
        (source, tuple(name for name in source.columns if name not in used))
        for source, used in found.values()
    ]
    return Extras(tuple((source, names) for source, names in left if names))
