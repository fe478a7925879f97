"""The columns of both files as codes of distinct texts, and the ways in which they can be read.

Everything later works on distinct texts; only `Sheet.open` sees the rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Column as ColumnName
from unveil.errors import InputError, Listed, Message, Option, Text
from unveil.microdata import Column, Kind, Role, Source, column_cells, open_release
from unveil.microdata.dates import dates_by_form, is_date_form, parse_dates
from unveil.microdata.number_forms import numbers_by_form, parse_numbers
from unveil.microdata.vocabulary import MISSING_WORDS, plain

_HIDING = """
unknown notknown suppressed withheld redacted masked hidden confidential notdisclosed undisclosed
notavailable notgiven notstated unspecified censored removed deleted anonymized anonymised
unbekannt unterdruckt geloscht keineangabe nichtbekannt inconnu inconnue masque supprime
desconocido desconocida suprimido oculto sconosciuto sconosciuta nascosto onbekend onderdrukt
verborgen"""
_HIDING_WORDS = frozenset(_HIDING.split())
_FILLERS = re.compile(r"[*#?_.\-–xX ]+")
_STARS = re.compile(r"[*]+")
_WORD = re.compile(r"[^\W\d_]+")
_PLAIN_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?", re.ASCII)
_CODE = re.compile(r"[+-]?0\d", re.ASCII)
_MOST_DIGITS = 17
_LONGEST_MARK = 24
_SAMPLED = 24
FILLERS = "*xX#?_-–.•… "
"""What codes are filled up with."""
_POINTS, _DOTS = "1,234.56", "1.234,56"


class View(NamedTuple):
    """One way to read a column of the original.

    ``column`` has the domain, and ``place`` the code of each distinct text in it.
    """

    column: Column
    place: NDArray[np.int64]
    form: str | None = None

    @property
    def kind(self) -> str:
        """Text, number or date."""
        if self.column.kind is Kind.CATEGORICAL:
            return "text"
        return "date" if self.column.is_dates else "number"


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of one column.

    Attributes
    ----------
    name : str
    texts : list of str
        The distinct texts, without blanks around them; none is empty.
    codes : int32 array
        For each row, which text it has; -1 if the cell is empty.
    """

    name: str
    texts: list[str]
    codes: NDArray[np.int32]
    form: str | None = None
    """The form that the user declared."""

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Number of rows with each text."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))

    @property
    def filled(self) -> int:
        """Number of rows with a text."""
        return int((self.codes >= 0).sum())

    @cached_property
    def blank(self) -> NDArray[np.bool_]:
        """Which texts mean that there is no value, as an empty cell does."""
        return np.array([text.casefold() in MISSING_WORDS for text in self.texts], dtype=bool)

    @cached_property
    def hiding(self) -> NDArray[np.bool_]:
        """Which texts are marks or words that hide a value, if they are none themselves."""
        return np.array([len(text) < _LONGEST_MARK and hides(text) for text in self.texts],
                        dtype=bool)  # fmt: skip

    @cached_property
    def number_of(self) -> dict[str, int]:
        """The distinct values in one spelling, numbered."""
        filled = zip(self.canon, self.blank.tolist(), strict=True)
        values = dict.fromkeys(canon for canon, blank in filled if not blank)
        return {value: number for number, value in enumerate(values)}

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """For each text the number of its value; -1 for blank ones."""
        both = zip(self.canon, self.blank.tolist(), strict=True)
        found = [-1 if blank else self.number_of[canon] for canon, blank in both]
        return np.array(found, dtype=np.int64)

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """The lengths of the longest text without fillers at its end; or without stars."""
        told = self.hiding | self.blank
        texts = [text for text, gone in zip(self.texts, told.tolist(), strict=True) if not gone]
        found = [max((len(text.rstrip(fillers)) for text in texts), default=0)
                 for fillers in (FILLERS, "*")]  # fmt: skip
        return tuple(dict.fromkeys(found))

    @cached_property
    def text_lengths(self) -> frozenset[int]:
        """The lengths of its values."""
        return frozenset(map(len, self.filled_texts))

    def starts(self, length: int) -> frozenset[str]:
        """The beginnings of its values."""
        if length not in self._starts:
            self._starts[length] = frozenset(text[:length] for text in self.filled_texts)
        return self._starts[length]

    @cached_property
    def _starts(self) -> dict[int, frozenset[str]]:
        return {}

    @cached_property
    def place_of(self) -> dict[str, int]:
        """The place of each text."""
        return {text: place for place, text in enumerate(self.texts)}

    @cached_property
    def as_numbers(self) -> dict[bytes, Any]:
        """The texts as numbers, kept for whoever asks again."""
        return {}

    def sample(self, usable: NDArray[np.bool_]) -> list[str]:
        """Some of the texts, from all over the column."""
        places = np.flatnonzero(usable)
        return [self.texts[i] for i in places[:: max(1, len(places) // _SAMPLED)][:_SAMPLED]]

    @cached_property
    def gap_share(self) -> float:
        """The share of cells without a value."""
        empty = len(self.codes) - int(self.counts[~self.blank].sum())
        return empty / max(len(self.codes), 1)

    @property
    def alone(self) -> float:
        """The share of filled cells whose text no other row has."""
        return int((self.counts == 1).sum()) / max(self.filled, 1)

    @cached_property
    def canon(self) -> list[str]:
        """The texts as they are compared: quotes off, numbers in one spelling."""
        return [_canon(text) for text in self.texts]

    @cached_property
    def filled_texts(self) -> list[str]:
        """The distinct texts that are values."""
        return [text for text, blank in zip(self.texts, self.blank.tolist(), strict=True)
                if not blank]  # fmt: skip

    @cached_property
    def views(self) -> tuple[View, ...]:
        """The ways to read the column: as texts, as numbers, as dates in each form that fits."""
        return tuple(self._views())

    def view(self, kind: str) -> View | None:
        """The first way to read it as that kind."""
        return next((view for view in self.views if view.kind == kind), None)

    @property
    def doubtful_forms(self) -> tuple[str, ...]:
        """The forms of dates or numbers, if several fit or the years have two digits."""
        forms = [view.form for view in self.views if view.form is not None]
        short = any("yyyy" not in form and "yy" in form for form in forms)
        return tuple(forms) if self.form is None and (len(forms) > 1 or short) else ()

    def _views(self) -> Iterator[View]:
        texts = self.filled_texts
        filled = ~self.blank
        yield self._view(np.array([*texts, None], dtype=object)[:-1], filled)
        if not texts:
            return
        if self.form is not None:
            values = _in_form(texts, self.form)
            if values is None:
                raise InputError(
                    "{option} says {form} of column {column}, but not all of its cells are so",
                    option=Option("forms"), form=self.form, column=ColumnName(self.name),
                )  # fmt: skip
            yield self._view(values, filled, self.form)
            return
        for form, values in _readings(texts).items():
            yield self._view(values, filled, form or None)

    def _view(
        self, values: NDArray[Any], filled: NDArray[np.bool_], form: str | None = None
    ) -> View:
        domain, place = np.unique(values, return_inverse=True)
        kind = Kind.CATEGORICAL if domain.dtype == object else Kind.NUMERIC
        places = np.full(len(self.texts), -1, dtype=np.int64)
        places[filled] = place
        column = Column(name=self.name, role=Role.OTHER, kind=kind,
                        codes=np.zeros(0, dtype=np.int32), values=domain, form=form)  # fmt: skip
        return View(column, places, form)


def _canon(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].replace('""', '"')
    if len(text) <= _MOST_DIGITS and _PLAIN_NUMBER.fullmatch(text) and not _CODE.match(text):
        return repr(float(text) + 0.0)
    return text.casefold() if text.casefold() in ("true", "false") else text


def _readings(texts: Sequence[str]) -> dict[str, NDArray[Any]]:
    """The numbers or dates that texts may be, by their forms; "" for plain numbers."""
    numbers = _plain_numbers(texts)
    if numbers is None:
        return {**numbers_by_form(texts), **dates_by_form(texts)}
    dots = parse_numbers(texts, _DOTS) if numbers.dtype.kind == "f" else None
    if dots is None or np.array_equal(dots, numbers):
        return {"": numbers}
    return {_POINTS: numbers, _DOTS: dots}  # 45.250 may be thousands


def _plain_numbers(texts: Sequence[str]) -> NDArray[Any] | None:
    if not all(
        _PLAIN_NUMBER.fullmatch(text) and not _CODE.match(text) and len(text) <= _MOST_DIGITS
        for text in texts
    ):
        return None
    numbers = np.array([float(text) for text in texts])
    whole = np.isfinite(numbers).all() and (numbers == np.rint(numbers)).all()
    return numbers.astype(np.int64) if whole and (np.abs(numbers) < 2**53).all() else numbers


def _in_form(texts: Sequence[str], form: str) -> NDArray[Any] | None:
    return parse_dates(texts, form) if is_date_form(form) else parse_numbers(texts, form)


@dataclass(frozen=True, eq=False)
class Sheet:
    """One file or table."""

    source: Source
    columns: dict[str, Cells] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    """Columns whose cells are neither texts nor numbers nor dates."""

    @property
    def notes(self) -> tuple[Text, ...]:
        """How the file was read, where that is in doubt."""
        if not self.unread:
            return self.source.notes
        note = Message(
            "{names} of {table} cannot be read, and were not looked at",
            names=Listed([ColumnName(name) for name in self.unread]), table=self.source.file,
        )  # fmt: skip
        return (*self.source.notes, note)

    @property
    def name(self) -> str:
        """The table."""
        return self.source.name

    @property
    def n_rows(self) -> int:
        """Its number of rows."""
        return self.source.n_rows

    @classmethod
    def open(
        cls, table: Any, *, delimiter: str | None, encoding: str | None, sheet: str | None,
        forms: Mapping[str, str],
    ) -> Sheet:  # fmt: skip
        """Open a file or take a table, and look at all columns."""
        source = open_release(table, delimiter=delimiter, encoding=encoding, sheet=sheet)
        for name in forms:
            source.check_has(name)
        found, unread = {}, []
        for name in source.columns:
            try:
                found[name] = _cells(source, name, forms.get(name))
            except InputError:
                if name in forms:
                    raise
                found[name] = Cells(name, [], np.full(source.n_rows, -1, dtype=np.int32))
                unread.append(name)
        return cls(source, found, tuple(unread))


def _cells(source: Source, name: str, form: str | None) -> Cells:
    found = column_cells(source, name)
    stripped = [text.strip() for text in found.texts()]
    number: dict[str, int] = {}
    mapping = [number.setdefault(text, len(number)) if text else -1 for text in stripped]
    codes = np.array([*mapping, -1], dtype=np.int32)[found.codes]
    return Cells(name, list(number), codes, form)


def hides(text: str) -> bool:
    """Whether a published text is a mark or a word that hides a value.

    >>> [hides(text) for text in ("*", "NA", "unknown", "###", "Lyon", "12")]
    [True, True, True, True, False, False]
    """
    if text.casefold() in MISSING_WORDS or _FILLERS.fullmatch(text) is not None:
        return True
    return "".join(_WORD.findall(plain(text))) in _HIDING_WORDS and not any(map(str.isdigit, text))
