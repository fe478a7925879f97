"""Which classes are suppressed: the one rule, for releases and for counted tables.

A cell is *suppressed* if it covers every value of its column (in a table whose domains are not
known: if it is ``*``). A class is suppressed if its cells tell it from no other record: each of
them is suppressed, or is the same in all records. It has to say less than others do: if this holds
for every class, only those whose cells are ``*`` are, and if that is so of every class, none is. So
a release of one class that covers everybody is one class of everybody, and a column that is ``*``
in all records makes nobody suppressed.

Suppressed records form no class. Nobody can be known to be one of them by their cells, and a few
of them must neither look like a class of a few people nor hide everybody else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.microdata._microdata import Column
from unveil.microdata._notations import EVERYTHING
from unveil.microdata._regions import Intervals, Regions, Sets

Mask = NDArray[np.bool_]


class Silence(NamedTuple):
    """What the classes of a table do not say.

    Attributes
    ----------
    suppressed : bool array
        Which classes are suppressed.
    hidden : bool array
        The same; or all of them, if all cells of all classes are suppressed.
    """

    suppressed: Mask
    hidden: Mask


def silence(
    hidden: Sequence[Mask], same: Sequence[bool], starred: Sequence[Mask] | None = None
) -> Silence:
    """Apply the rule.

    Parameters
    ----------
    hidden : sequence of bool arrays
        For each column, which classes have a suppressed cell.
    same : sequence of bool
        For each column, whether all classes have the same cell.
    starred : sequence of bool arrays, optional
        For each column, which classes have ``*``, if that is not the only cell that hides.

    Examples
    --------
    >>> age, country = np.array([False, True]), np.array([False, False])
    >>> silence([age, country], [False, True]).suppressed.tolist()
    [False, True]
    >>> silence([age, country], [False, False]).suppressed.tolist()
    [False, False]
    >>> silence([np.array([True])], [True])
    Silence(suppressed=array([False]), hidden=array([ True]))
    >>> silence([np.array([True, True])], [False], [np.array([False, True])]).suppressed.tolist()
    [False, True]
    """
    nothing = np.all([cells | alike for cells, alike in zip(hidden, same, strict=True)], axis=0)
    if not nothing.all():
        return Silence(nothing, nothing)
    suppressed = np.zeros_like(nothing)
    if starred is not None:  # a word for all values is a class, ``*`` is none
        suppressed = silence(starred, same).suppressed
    return Silence(suppressed, np.full_like(nothing, np.all(hidden)))


def hidden_cells(column: Column, regions: Regions) -> Mask:
    """For each class, whether its cell of one column is suppressed.

    A column of a single value has nothing to suppress, unless it is hidden all the same.
    """
    if column.size == 1:
        return np.array([text != column.texts[0] for text in regions.texts(column)], dtype=bool)
    if isinstance(regions, Intervals):
        return np.asarray((regions.low <= 0) & (regions.high >= column.size - 1))
    if isinstance(regions, Sets):
        return np.asarray(np.diff(regions.start) == column.size)
    return np.all([regions.covers(code) for code in range(column.size)], axis=0)


def silence_of(columns: Sequence[Column], regions: Sequence[Regions]) -> Silence:
    """The rule for the classes of a release, by some of its columns."""
    each = list(zip(columns, regions, strict=True))
    hidden = [hidden_cells(column, cells) for column, cells in each]
    if not any(cells.any() for cells in hidden):  # most releases; no need to write their cells
        nobody = np.zeros(len(regions[0]), dtype=bool)
        return Silence(nobody, nobody)
    texts = [cells.texts(column) for column, cells in each]
    same = [len(set(one)) == 1 for one in texts]
    return silence(hidden, same, [np.array([t == EVERYTHING for t in one]) for one in texts])


def counted_suppressed(suppressed: int) -> str:
    """How many records are suppressed, after a number of records in classes.

    >>> counted_suppressed(1), counted_suppressed(2)
    ('1 is suppressed', '2 are suppressed')
    """
    return f"{suppressed:,} {'is' if suppressed == 1 else 'are'} suppressed"


def about_suppressed(suppressed: int, records: int) -> tuple[str, ...]:
    """A note on suppressed records, if there are any.

    >>> about_suppressed(1, 1000)
    ('1 of 1,000 records is suppressed and forms no class: all its quasi-identifiers are hidden',)
    """
    if not suppressed:
        return ()
    are, form, their = ("is", "forms", "its") if suppressed == 1 else ("are", "form", "their")
    return (
        f"{suppressed:,} of {records:,} records {are} suppressed and {form} no class: all {their} "
        "quasi-identifiers are hidden",
    )
