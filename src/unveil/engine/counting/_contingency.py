"""The contingency counts of (class, sensitive value), wherever they are.

A *class* is a combination of values of the *keys* that occurs in the table. Measures ask for
nothing but the histograms of the classes, a block at a time (`Contingency.blocks`), for the same
counts over fewer keys (`over`), and for one class by its values (`where`). Whether the counts are
held in memory or an engine is asked for them makes no difference to the numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting._histograms import Histograms
from unveil.errors import InputError, did_you_mean
from unveil.microdata import MISSING, AnyRelease, Hierarchy, value_text

__all__ = ["MISSING", "Contingency", "Secret", "gaps_note", "text_of"]


def text_of(value: object) -> str:
    """Write a value of a table the way a person would.

    What is missing is a value like any other here: it equals itself.

    >>> from decimal import Decimal
    >>> text_of(20.0), text_of("France"), text_of(None), text_of(Decimal("1.50"))
    ('20', 'France', '(missing)', '1.5')
    """
    if isinstance(value, Decimal):  # how many noughts it ends with hangs on the engine
        text = f"{value:f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text == "-0" else text
    return MISSING if value is None else value_text(value)


def gaps_note(
    gaps: Mapping[str, int], secret: Secret | None, totals: NDArray[np.int64]
) -> tuple[str, ...]:
    """How many records lack a key or the secret, for people; nothing where none does."""
    lacking = {name: number for name, number in gaps.items() if number}
    if secret is not None and None in secret.values:
        lacking[secret.name] = int(totals[secret.values.index(None)])
    if not lacking:
        return ()
    listed = ", ".join(f"{name} in {number:,}" for name, number in lacking.items())
    return (f"missing is a value of its own; records lack {listed}",)


@dataclass(frozen=True, eq=False, kw_only=True)
class Secret:
    """The attribute whose values are counted in each class.

    Attributes
    ----------
    name : str
    values : tuple
        Numbers ascend, levels stand in their order, texts are sorted; a missing value (None)
        comes last.
    ordered : bool
        Whether the order of the values means something.
    hierarchy : Hierarchy, optional
        Its leaves are the texts of the values, in any order; it may have more.
    """

    name: str
    values: tuple[object, ...]
    ordered: bool = False
    hierarchy: Hierarchy | None = None

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The values, written out."""
        return tuple(text_of(value) for value in self.values)

    @cached_property
    def places(self) -> dict[str, int]:
        """The code of each value, by its text."""
        return {text: code for code, text in enumerate(self.texts)}


class Contingency(ABC):
    """How many records have each combination of keys and each value of the secret.

    Attributes
    ----------
    keys : tuple of str
        The columns whose combinations are the classes.
    secret : Secret or None
        What is counted in each class; None where only the classes themselves are.
    source : str
        What was counted, for messages.
    notes : tuple of str
        What a reader has to know, such as how missing values were treated.
    overlapping : bool
        Whether a record may belong to several classes, which it does only where a cell that
        stands for anything was asked to match everything.
    made_from : Release, optional
        The release that was counted, which knows more than its counts: what was suppressed.
    """

    keys: tuple[str, ...]
    secret: Secret | None
    source: str
    notes: tuple[str, ...]
    overlapping: bool = False
    made_from: AnyRelease | None = None

    @property
    @abstractmethod
    def totals(self) -> NDArray[np.int64]:
        """Records of each value of the secret; without a secret, just the number of records."""

    @abstractmethod
    def blocks(self) -> Iterator[Histograms]:
        """The histograms of all classes, each once, some at a time."""

    @abstractmethod
    def over(self, keys: Sequence[str]) -> Contingency:
        """The same counts over some of the keys."""

    @abstractmethod
    def where(self, values: Mapping[str, object]) -> NDArray[np.int64]:
        """How many records have these values of (some of) the keys, by value of the secret."""

    @property
    def rows(self) -> int:
        """How many records were counted."""
        return int(self.totals.sum())

    def in_memory(self) -> Contingency:
        """The same counts, fetched as a whole if they fit: for those who ask many questions."""
        return self

    def __repr__(self) -> str:
        about = "" if self.secret is None else f", by value of {self.secret.name}"
        return f"Counts of {self.source}: {self.rows:,} records by {', '.join(self.keys)}{about}"

    def merged(self, groups: NDArray[np.int64], secret: Secret) -> Contingency:
        """The same counts with the secret's values put together in groups."""
        return _Merged(self, groups, secret)

    def need_secret(self, measure: str) -> Secret:
        """The secret, for a measure that cannot do without."""
        if self.secret is None:
            raise InputError(f"{measure} needs a sensitive column: name it with sensitive=")
        return self.secret

    def check_keys(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Keys that are all among those counted, none of them twice."""
        asked = (keys,) if isinstance(keys, str) else tuple(keys)
        if not asked:
            raise InputError(f"name at least one key; there are {', '.join(self.keys)}")
        for i, key in enumerate(asked):
            if key not in self.keys:
                raise InputError(
                    f"{key!r} is not among the keys that were counted"
                    f"{did_you_mean(str(key), self.keys)} (keys: {', '.join(self.keys)})"
                )
            if key in asked[:i]:
                raise InputError(f"the key {key!r} is named twice")
        return asked


class _Merged(Contingency):
    def __init__(self, inner: Contingency, groups: NDArray[np.int64], secret: Secret) -> None:
        self.keys, self.source, self.notes = inner.keys, inner.source, inner.notes
        self.overlapping = inner.overlapping
        self.secret = secret
        self._inner, self._groups = inner, groups

    def _together(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        assert self.secret is not None
        together = np.zeros(len(self.secret.values), dtype=np.int64)
        np.add.at(together, self._groups, counts)
        return together

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        return self._together(self._inner.totals)

    def blocks(self) -> Iterator[Histograms]:
        return (block.merged(self._groups) for block in self._inner.blocks())

    def in_memory(self) -> Contingency:
        assert self.secret is not None
        return _Merged(self._inner.in_memory(), self._groups, self.secret)

    def over(self, keys: Sequence[str]) -> Contingency:
        assert self.secret is not None
        return _Merged(self._inner.over(keys), self._groups, self.secret)

    def where(self, values: Mapping[str, object]) -> NDArray[np.int64]:
        return self._together(self._inner.where(values))
