"""Crowds: people who ask for a larger class than k."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Cell, Column, File, InputError, Listed, Option
from unveil.microdata import Microdata, value_text

if TYPE_CHECKING:
    import pandas as pd

    CrowdsLike: TypeAlias = "Crowds | Mapping[Any, int] | pd.Series[int] | pd.DataFrame"

__all__ = ["Crowds"]

_LARGEST = np.iinfo(np.int32).max
_SPAN = 2**62  # numbers below it fit into 64 bits


@dataclass(frozen=True, repr=False)
class Crowds:
    """For some combinations of quasi-identifiers, the smallest class that their people accept.

    A crowd depends on quasi-identifiers, not on record numbers. So it is well defined for a table
    without one of its records, and equal people are treated alike.

    Parameters
    ----------
    sizes : tuple of (tuple of str, int)
        The quasi-identifiers as texts, in the order of the table's columns, and the size. `of`
        makes this from other types.

    Examples
    --------
    >>> crowds = Crowds.of({(34, "Bachelors"): 20, (71, "Doctorate"): 40})
    >>> crowds
    2 kinds of people
    >>> crowds.merged({("71", "Doctorate"): 80, ("18", "School"): 10}).sizes[1:]
    ((('34', 'Bachelors'), 20), (('71', 'Doctorate'), 80))
    """

    sizes: tuple[tuple[tuple[str, ...], int], ...] = ()

    @classmethod
    def of(cls, given: CrowdsLike) -> Crowds:
        """From a mapping of quasi-identifiers (one value, or a tuple of them) to sizes.

        A Series is such a mapping. A DataFrame has a column for each quasi-identifier and the
        sizes in the last one.
        """
        if isinstance(given, Crowds):
            return given
        sizes: dict[tuple[str, ...], int] = {}
        for values, size in _pairs(given):
            if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
                raise InputError(
                    "the crowd for {values} must be a whole number from 1 up, got {size}",
                    values=Cell(values), size=repr(size),
                )  # fmt: skip
            key = _texts(values)
            sizes[key] = max(int(size), sizes.get(key, 0))
        return cls(tuple(sorted(sizes.items())))

    def merged(self, more: Mapping[tuple[str, ...], int]) -> Crowds:
        """These and others; for the same people, the larger size."""
        sizes = dict(self.sizes)
        for key, size in more.items():
            sizes[key] = max(size, sizes.get(key, 0))
        return Crowds(tuple(sorted(sizes.items())))

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        return f"{len(self):,} kind{'' if len(self) == 1 else 's'} of people"

    def asked(self, microdata: Microdata) -> NDArray[np.int32]:
        """The class size that each record asks for; 0 for none."""
        columns = microdata.quasi
        keys = [key for key, _ in self.sizes]
        if any(len(key) != len(columns) for key in keys):
            key = next(key for key in keys if len(key) != len(columns))
            raise InputError(
                "a crowd is given for {key}, but {source} has {n} quasi-identifiers: {names}; give "
                "a value for each, in this order",
                key=Listed([Cell(text, bare=True) for text in key]),
                source=File(microdata.source, bare=True), n=len(columns),
                names=Listed([Column(column.name) for column in columns]),
            )  # fmt: skip
        # Values that no record has belong to people who are not in the table.
        codes = np.array(
            [[c.places.get(text, -1) for c, text in zip(columns, key, strict=True)] for key in keys]
        ).reshape(len(keys), len(columns))
        known = (codes >= 0).all(axis=1)
        sizes = np.array([min(size, _LARGEST) for _, size in self.sizes], dtype=np.int32)
        return _look_up(microdata.codes, codes[known].T, sizes[known])


def _pairs(given: Any) -> Iterable[tuple[Any, Any]]:
    if hasattr(given, "itertuples"):  # a DataFrame
        return [(tuple(row[:-1]), row[-1]) for row in given.itertuples(index=False)]
    if hasattr(given, "items"):
        return list(given.items())
    raise InputError(
        "{crowds} must map quasi-identifiers to class sizes, such as {example}, got a {kind}",
        crowds=Option("crowds"), example='{(34, "Bachelors"): 20}', kind=type(given).__name__,
    )  # fmt: skip


def _texts(values: Any) -> tuple[str, ...]:
    many = isinstance(values, Iterable) and not isinstance(values, str)
    return tuple(value_text(value) for value in values) if many else (value_text(values),)


def _look_up(
    records: NDArray[np.integer], keys: NDArray[np.integer], sizes: NDArray[np.int32]
) -> NDArray[np.int32]:
    """The size for each record (columns × records) that is among the keys (columns × keys)."""
    n = records.shape[1]
    asked = np.zeros(n, dtype=np.int32)
    if not len(sizes):
        return asked
    number = _numbered(np.concatenate([records, keys], axis=1))
    order = np.argsort(number[n:])
    listed = number[n:][order]
    place = np.minimum(np.searchsorted(listed, number[:n]), len(listed) - 1)
    found = listed[place] == number[:n]
    asked[found] = sizes[order[place[found]]]
    return asked


def _numbered(rows: NDArray[np.integer]) -> NDArray[np.int64]:
    """One number for each combination of codes (columns × combinations)."""
    number, span = np.zeros(rows.shape[1], dtype=np.int64), 1
    for row in rows:
        width = int(row.max()) + 1
        if span * width > _SPAN:  # number only the combinations that occur
            number = np.unique(number, return_inverse=True)[1].ravel()
            span = int(number.max()) + 1
        number = number * width + row
        span *= width
    return number
