"""The report is itself a release: what it may say of individuals, and how.

By default no value of an original record is shown that could point to a person. The worst-placed
appear as *references*: the first letters of a keyed hash (HMAC-SHA-256) of their row's number,
under a key that stays with the owner of the data. Who has the key and the table can tell who is
meant; who has the report cannot even try, as the key is random and as long as the hash. Groups of
fewer people than a limit are masked, and so are values that fewer people have.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Column, Microdata

__all__ = ["Discretion", "new_key", "reference_to"]

SMALLEST = 5
"""Groups of fewer people are masked, unless told otherwise."""

_LETTERS = 12  # of a reference: of a million rows, two share one in one table out of 500
_RARE = "(rare value)"


def new_key() -> str:
    """A key for references."""
    return secrets.token_hex(32)


def reference_to(row: int, key: str) -> str:
    """What a row is called under a key.

    >>> reference_to(7, "00" * 32) == reference_to(7, "00" * 32) != reference_to(8, "00" * 32)
    True
    >>> len(reference_to(7, new_key()))
    13
    """
    told = hmac.new(bytes.fromhex(key), str(row).encode(), hashlib.sha256).hexdigest()
    return f"#{told[:_LETTERS]}"


@dataclass(frozen=True, kw_only=True)
class Discretion:
    """What may be said.

    Attributes
    ----------
    key : str
        Of the references. It is never written into a report.
    include_records : bool
        Whether original records may be shown.
    smallest : int
        The smallest group, or number of people with a value, that is shown.
    """

    key: str
    include_records: bool = False
    smallest: int = SMALLEST

    def person(self, microdata: Microdata, record: int) -> str:
        """What a record is called: its reference, or its row as people count."""
        row = int(microdata.rows[record])
        return f"row {row + 1:,}" if self.include_records else reference_to(row, self.key)

    def values_of(self, column: Column, counts: NDArray[np.int64]) -> list[str]:
        """The texts of a column's values; those that few people have are masked.

        Several rare values stay apart, as in ``(rare value 2)``: their number is no secret.
        """
        rare = (counts < self.smallest) & (not self.include_records)
        which = np.cumsum(rare)
        several = int(rare.sum()) > 1
        return [
            text if not hidden else (f"(rare value {n})" if several else _RARE)
            for text, hidden, n in zip(column.texts, rare.tolist(), which.tolist(), strict=True)
        ]

    def group(self, texts: Iterable[str], size: int) -> str:
        """The cells of a group, or that it is too small to be shown."""
        if size < self.smallest and not self.include_records:
            return f"(a class of fewer than {self.smallest})"
        return ", ".join(texts)
