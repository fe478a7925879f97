"""The report is itself a release: what it may say of individuals, and how.

By default no value of an original record is shown that could point to a person. The worst-placed
appear as *references*: the first letters of a keyed hash (HMAC-SHA-256) of their row's number,
under a key that stays with the owner of the data. Who has the key and the table can tell who is
meant; who has the report cannot even try, as the key is random and as long as the hash. Every audit
has a key of its own unless it is given one, so references of two reports do not match.

Groups of fewer people than a limit (five, unless told otherwise) are masked, and so are values that
fewer people have, wherever they would stand: as the name of a bar, as a bound of a range, or quoted
in a note (`Masking`). How *many* people are in small groups is told: that is what an audit is for.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from unveil.auditing._masking import Masking
from unveil.errors import InputError
from unveil.microdata import Column, Microdata

__all__ = [
    "SMALLEST",
    "Discretion",
    "fingerprint_of",
    "new_key",
    "reference_to",
    "under_key",
    "which_key",
]

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
    return f"#{under_key(str(row), key)[:_LETTERS]}"


def which_key(key: str) -> str:
    """A name for a key, by which two audits tell whether they have the same one."""
    return under_key("which key", key)[:_LETTERS]


def under_key(text: str, key: str) -> str:
    """The keyed hash of a text."""
    return hmac.new(bytes.fromhex(key), text.encode(), hashlib.sha256).hexdigest()


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

    key: str = field(repr=False)
    include_records: bool = False
    smallest: int = SMALLEST

    def __post_init__(self) -> None:
        if not re.fullmatch("[0-9a-f]{64}", str(self.key)):
            raise InputError(
                "a key must be 64 hexadecimal digits, as unveil.auditing.write_key writes it; "
                "leave it out for a new one"
            )
        whole = isinstance(self.smallest, int | np.integer) and not isinstance(self.smallest, bool)
        if not whole or self.smallest < 1:
            raise InputError(f"smallest must be a whole number from 1 up, got {self.smallest!r}")

    def person(self, microdata: Microdata, record: int) -> str:
        """What a record is called: its reference, or its row as people count."""
        row = int(microdata.rows[record])
        return f"row {row + 1:,}" if self.include_records else reference_to(row, self.key)

    def values_of(self, column: Column, codes: Iterable[int]) -> list[str]:
        """The texts of some of a column's values; those that few people have are masked.

        Several that are masked stay apart, as in ``(rare value 2)``. They are numbered as they are
        shown, not as they are sorted: the order of numbers would tell how large they are.
        """
        people = np.bincount(column.codes, minlength=column.size)
        shown = list(codes)
        hidden = [not self.include_records and people[code] < self.smallest for code in shown]
        which = np.cumsum(hidden)
        several = sum(hidden) > 1
        return [
            column.texts[code] if not rare else (f"(rare value {n})" if several else _RARE)
            for code, rare, n in zip(shown, hidden, which.tolist(), strict=True)
        ]

    def group(self, texts: Iterable[str], size: int, masking: Masking) -> str:
        """The cells of a group without what few people have; or that it is too small for that."""
        if size < self.smallest and not self.include_records:
            return f"(a class of fewer than {self.smallest})"
        return ", ".join(masking.cell(text) for text in texts)

    def masking(self, microdata: Microdata, names: Mapping[str, str] | None = None) -> Masking:
        """What is taken out of texts from elsewhere; ``names`` and what stands for them."""
        return Masking(
            microdata, self.smallest, public=(names or {}).values(), instead=names,
            shows_all=self.include_records,
        )  # fmt: skip


def fingerprint_of(microdata: Microdata, key: str) -> str:
    """A keyed hash (HMAC-SHA-256) of what was read: names, roles, domains and codes of all columns.

    Without the key it says nothing. A plain hash would: who knows all of a table but one cell could
    try each value that may stand there.

    >>> import unveil as uv
    >>> one = uv.read_table({"a": [1, 2], "b": ["x", "y"]}, quasi="a", sensitive="b")
    >>> two = uv.read_table({"a": [1, 2], "b": ["x", "z"]}, quasi="a", sensitive="b")
    >>> key = new_key()
    >>> fingerprint_of(one, key) == fingerprint_of(one, key) != fingerprint_of(two, key)
    True
    >>> fingerprint_of(one, key) == fingerprint_of(one, new_key())
    False
    """
    told = hmac.new(bytes.fromhex(key), b"table:", hashlib.sha256)
    for column in microdata.columns:
        for part in (column.name, str(column.role), str(column.size), *column.texts):
            told.update(f"{len(part)}:{part}".encode(errors="surrogatepass"))
        told.update(column.codes.astype("<i8").tobytes())
    return told.hexdigest()
