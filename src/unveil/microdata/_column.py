"""A column as integer codes into its domain, with a role and a kind.

The codes are what everything else works on. Their order means something: numbers ascend, ordinal
levels keep the order they were declared in, and the leaves of a hierarchy stand in depth-first
order, so that *every hierarchy node is one interval of codes*.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.microdata._hierarchy import Hierarchy

__all__ = ["Column", "Kind", "Role", "value_text"]


class Role(StrEnum):
    """What a column is to the attacker."""

    IDENTIFIER = "identifier"
    QUASI = "quasi-identifier"
    SENSITIVE = "sensitive"
    OTHER = "other"


class Kind(StrEnum):
    """How a column's values relate to one another."""

    NUMERIC = "numeric"
    ORDINAL = "ordinal"
    CATEGORICAL = "categorical"


def value_text(value: Any) -> str:
    """Write one value the way a person would.

    >>> [value_text(v) for v in (np.int64(20), 20.0, 0.5, "France", True)]
    ['20', '20', '0.5', 'France', 'True']
    """
    if isinstance(value, (float, np.floating)):
        return str(np.format_float_positional(value, trim="-"))
    return str(value)


@dataclass(frozen=True, eq=False, kw_only=True)
class Column:
    """One column of the microdata.

    Parameters
    ----------
    name : str
    role : Role
    kind : Kind
    codes : int32 array, one a record
        Positions in ``values``.
    values : array
        The domain. Numeric columns: the distinct numbers, ascending. Ordinal: the declared
        levels. Categorical: the hierarchy's leaves, or the distinct values, sorted.
    hierarchy : Hierarchy, optional
        Its leaves are ``values``, in the same order (numeric columns: their texts).
    given : array, optional
        The domain as it stood in the table that was read, where ``values`` has texts for what
        were truth values or numbers.
    """

    name: str
    role: Role
    kind: Kind
    codes: NDArray[np.int32]
    values: NDArray[Any]
    hierarchy: Hierarchy | None = None
    given: NDArray[Any] | None = None

    @property
    def size(self) -> int:
        """Number of values in the domain."""
        return len(self.values)

    @property
    def is_ordered(self) -> bool:
        """Whether an interval of codes is a range of values (numeric and ordinal columns)."""
        return self.kind is not Kind.CATEGORICAL

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The domain, written out."""
        return tuple(value_text(v) for v in self.values)

    @cached_property
    def places(self) -> dict[str, int]:
        """The code of each value, by its text."""
        return {text: code for code, text in enumerate(self.texts)}

    @cached_property
    def positions(self) -> NDArray[np.float64]:
        """Where each value lies on a line: the number itself, or its rank."""
        if self.kind is Kind.NUMERIC:
            if np.issubdtype(self.values.dtype, np.datetime64):
                return self.values.astype("datetime64[us]").astype(np.float64)
            return self.values.astype(np.float64)
        return np.arange(self.size, dtype=np.float64)

    def decode(self) -> NDArray[Any]:
        """The values of all records."""
        return self.values[self.codes]

    def take(self, records: NDArray[np.intp] | Iterable[int]) -> Column:
        """The same column for some of the records; the domain stays."""
        return replace(self, codes=self.codes[np.asarray(records, dtype=np.intp)])
