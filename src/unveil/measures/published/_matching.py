"""Whether the cells of a published column are identifiers of the original.

Texts are compared without case, accents, order of words and blanks, numbers without leading zeros.
Equal texts that differ from person to person are no coincidence. Equal numbers may be: a release
may number its rows from 1 as the original did. So for numbers the rows are joined, and if what else
is published of the joined rows agrees no more often than by chance, the numbers name nobody.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import EMPTY_WORDS, Column, Distinct, Microdata, Role, Source, cells_of
from unveil.microdata.vocabulary import MISSING_WORDS, REFUSALS, plain

_NUMBER = re.compile(r"[+-]?\d+(?:\.0*)?", re.ASCII)
_HASH = re.compile(r"[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}", re.IGNORECASE)
HASHES = {"MD5": 32, "SHA-1": 40, "SHA-256": 64}
_WORDS = re.compile(r"[^\W_]+")

_ENOUGH = 20  # records from which "nobody else has the value" means anything
_ALONE = 0.9  # of the records have a value of their own: the column tells people apart
_FEW, _SHARE = 5, 0.05  # cells that must be equal: so many, or such a share if there are fewer
_AS_VARIED = 0.5  # of the variety of the original's column
_BEYOND_CHANCE = 2.5  # standard deviations


def key_of(text: str) -> str:
    """A text as it is compared.

    >>> key_of(" Schmidt, Anna") == key_of("anna  SCHMIDT"), key_of("00123.0"), key_of("A-7")
    (True, '123', 'a-7')
    """
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return str(int(text.partition(".")[0]))
    if any(c.isdigit() for c in text):
        return plain(text)
    return " ".join(sorted(_WORDS.findall(plain(text))))


def is_shown(text: str) -> bool:
    """Whether a cell says something, and all of it: it is not empty, masked or refused."""
    bare = text.strip()
    return not (
        "*" in bare or bare in EMPTY_WORDS or bare.casefold() in MISSING_WORDS or REFUSALS(bare)
    )


@dataclass(frozen=True, eq=False)
class Shown:
    """The cells of a column that are not hidden.

    Attributes
    ----------
    texts : list of str
        The different ones.
    counts : array
        Number of cells with each.
    code_of : array
        For each row, which one it has; -1 if it is hidden.
    """

    texts: list[str]
    counts: NDArray[np.int64]
    code_of: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str], codes: NDArray[np.integer]) -> Shown:
        """Cells by their codes; below 0 is empty."""
        kept = [place for place, text in enumerate(texts) if is_shown(text)]
        renumbered = np.full(len(texts) + 1, -1, dtype=np.int64)
        renumbered[kept] = np.arange(len(kept))
        code_of = renumbered[codes]
        counts = np.bincount(code_of[code_of >= 0], minlength=len(kept))
        return cls([texts[place].strip() for place in kept], counts, code_of)

    @classmethod
    def of_cells(cls, cells: Distinct) -> Shown:
        return cls.of(cells.texts(), cells.codes)

    @classmethod
    def of_column(cls, column: Column) -> Shown:
        return cls.of(column.texts, column.codes)

    @property
    def filled(self) -> int:
        """Number of cells."""
        return int(self.counts.sum())

    @property
    def alone(self) -> float:
        """The share of the cells that no other row has."""
        return int((self.counts == 1).sum()) / max(self.filled, 1)

    @property
    def variety(self) -> float:
        """Different cells, over all."""
        return int((self.counts > 0).sum()) / max(self.filled, 1)

    @cached_property
    def keys(self) -> list[str]:
        """The texts as they are compared."""
        return [key_of(text) for text in self.texts]

    def row_of(self) -> dict[str, int]:
        """The row of each key that one row has."""
        rows: dict[str, int] = {}
        twice = set()
        for row, code in enumerate(self.code_of.tolist()):
            if code < 0:
                continue
            key = self.keys[code]
            if key in rows:
                twice.add(key)
            rows[key] = row
        return {key: row for key, row in rows.items() if key not in twice}


class Original:
    """The identifiers of the original: columns of that role, and others that tell people apart."""

    def __init__(self, microdata: Microdata, roled: Sequence[str]) -> None:
        self._microdata = microdata
        self._declared = {c.name for c in microdata.columns if c.role is Role.IDENTIFIER}
        self._columns: dict[str, Shown] = {}
        for column in microdata.columns:
            if column.role.is_used or column.name in roled:
                continue
            shown = Shown.of_column(column)
            apart = len(microdata) >= _ENOUGH and shown.alone >= _ALONE
            if column.role is Role.IDENTIFIER or apart:
                self._columns[column.name] = shown

    def equal_to(self, name: str, shown: Shown, source: Source) -> str | None:
        """What a published column is equal to, in words; None if that is no identifier."""
        # Its own name first.
        for own, one in sorted(self._columns.items(), key=lambda pair: pair[0] != name):
            if self._is(shown, one, source, same_name=own == name):
                apart = "" if own in self._declared else ", which tells nearly everybody apart"
                return f'is equal to the original\'s column "{own}"{apart}'
        for both, one in self._joined():
            if self._is(shown, one, source):
                return f'is equal to the original\'s columns "{both[0]}" and "{both[1]}" together'
        hashed = {len(text) for text in shown.texts if _HASH.fullmatch(text)}
        for kind in [kind for kind, length in HASHES.items() if length in hashed]:
            for own, one in self._columns.items():
                made = [hash_of(kind, text) for text in one.texts]
                if self._is(shown, Shown(made, one.counts, one.code_of), source):
                    return f'is equal to {kind} hashes of the original\'s column "{own}"'
        return None

    def _joined(self) -> Iterator[tuple[tuple[str, str], Shown]]:
        """First and last names may be published as one."""
        words = [
            name
            for name, one in self._columns.items()
            if one.texts and not any(c.isdigit() for text in one.texts[:100] for c in text)
        ]
        for place, first in enumerate(words):
            for second in words[place + 1 :]:
                one, other = self._columns[first], self._columns[second]
                both = (one.code_of >= 0) & (other.code_of >= 0)
                pairs = np.stack([one.code_of[both], other.code_of[both]], axis=1)
                distinct, codes = np.unique(pairs, axis=0, return_inverse=True)
                texts = [f"{one.texts[a]} {other.texts[b]}" for a, b in distinct.tolist()]
                code_of = np.full(len(both), -1, dtype=np.int64)
                code_of[both] = codes.ravel()
                yield (first, second), Shown(texts, np.bincount(codes.ravel()), code_of)

    def _is(self, shown: Shown, one: Shown, source: Source, *, same_name: bool = False) -> bool:
        known = set(one.keys)
        equal = [place for place, key in enumerate(shown.keys) if key in known]
        rows = int(shown.counts[equal].sum())
        if rows < (1 if same_name else min(_FEW, math.ceil(_SHARE * shown.filled))) or not rows:
            return False
        if len(equal) < _AS_VARIED * min(one.variety, 1.0) * rows:
            return False  # a category, some words of which are also somebody's name
        if not all(_NUMBER.fullmatch(shown.keys[place]) for place in equal):
            return True
        return shown.alone >= _AS_VARIED * one.alone and self._links(shown, one, source)

    def _links(self, shown: Shown, one: Shown, source: Source) -> bool:
        """Whether rows with equal numbers agree in what else is published, beyond chance."""
        theirs, ours = shown.row_of(), one.row_of()
        joined = [(row, ours[key]) for key, row in theirs.items() if key in ours]
        if not joined:
            return True
        there, here = np.array(joined).T
        answers = [
            answer
            for column in (*self._microdata.quasi, self._microdata.sensitive)
            if column.name in source.columns
            and (answer := _agree(column, source, there, here)) is not None
        ]
        return any(answers) or not answers


def _agree(
    column: Column, source: Source, there: NDArray[np.int64], here: NDArray[np.int64]
) -> bool | None:
    """Whether joined rows have the same values more often than by chance; None if none can tell.

    By chance they agree as often as a row of the one and a row of the other, each drawn at random.
    Values that were changed, so that more people have one than in the original, tell nothing.
    """
    cells = cells_of(source, column.name)
    if cells is None:
        return None
    published = Shown.of_cells(cells)
    places: Mapping[str, int] = {key_of(text): code for code, text in enumerate(column.texts)}
    codes = np.array([*(places.get(key, -1) for key in published.keys), -1])[published.code_of]
    if column.role is Role.SENSITIVE:
        counts = np.bincount(codes[codes >= 0], minlength=column.size)
        if (counts > np.bincount(column.codes, minlength=column.size)).any():
            return None
    left, right = codes[there], column.codes[here]
    known = left >= 0
    if not known.any():
        return None
    left, right = left[known], right[known]
    chance = float(
        np.bincount(left, minlength=column.size) @ np.bincount(right, minlength=column.size)
    ) / len(left) ** 2  # fmt: skip
    agree = float((left == right).mean())
    if chance == 1:
        return None
    spread = math.sqrt(chance * (1 - chance) / len(left))
    return agree == 1 or agree > chance + _BEYOND_CHANCE * spread


def hash_of(kind: str, text: str) -> str:
    made = hashlib.new(kind.replace("-", "").lower(), text.encode(), usedforsecurity=False)
    return made.hexdigest()
