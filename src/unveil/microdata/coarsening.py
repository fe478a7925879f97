"""How a published column follows from a column of the original, in words that people can write.

The words are ``year``, ``month``, ``quarter``, ``decade``, ``age 2024-12-31``, ``prefix 3``,
``floor 10``, ``rounded 1000``, ``top 80``, ``bottom 25``, ``level 1``, ``bands``, ``set``,
``recoded``, ``unchanged``, ``perturbed``, ``suppressed``, ``dropped``, ``new``, ``unclear``.
Several steps are written with commas and done from left to right: ``rounded 1000, top 90000``.

Read backwards, such a `Coarsening` says which values a published text stands for: with
``floor 10``, ``30`` is 30 to below 40; with ``top 80``, ``80`` is everybody of 80 or more, though
the text alone would be read as one value. ``bands``, ``set`` and ``unchanged`` are read as they
are written, by the reader of cells; ``recoded`` needs a table.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Cell, InputError, Option, did_you_mean
from unveil.errors import Column as ColumnName
from unveil.microdata._cells import cell_reader
from unveil.microdata._coarse_cells import CellsOf
from unveil.microdata._coarse_steps import (
    DATE_WORDS,
    NUMBER_WORDS,
    TEXT_WORDS,
    Key,
    Step,
    comparable,
    known,
    nodes,
    numbers_of,
    prefixes,
    same,
    stepped,
)
from unveil.microdata._microdata import Column, Kind, value_text
from unveil.microdata._notations import Spans, spans_of
from unveil.microdata._period_cells import PERIODS, period_text

_AS_WRITTEN = ("unchanged", "bands", "set")
_BY_TABLE = ("recoded",)
_UNTOLD = ("perturbed", "suppressed", "dropped", "new", "unclear")
WORDS = (*DATE_WORDS, *NUMBER_WORDS, *TEXT_WORDS, *_AS_WRITTEN, *_BY_TABLE, *_UNTOLD)
"""All words."""


@dataclass(frozen=True)
class Coarsening:
    """How a column was coarsened; made by `parse_how`.

    Attributes
    ----------
    steps : tuple of Step
        In the order in which they are done.

    Examples
    --------
    >>> import unveil as uv
    >>> ages = uv.read_table({"age": [31, 38, 80, 93], "ill": list("abba")}, quasi="age",
    ...                      sensitive="ill")["age"]
    >>> how = parse_how("floor 10, top 80")
    >>> how.regions(ages, ["30", "80+", "40", "elephants"])
    [((0, 1),), ((2, 3),), (), None]
    >>> how.written(ages)
    ['30', '30', '80', '80']
    """

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.steps))

    @property
    def word(self) -> str:
        """The first word."""
        return self.steps[0].word

    @property
    def is_computed(self) -> bool:
        """Whether the published text follows from the value by these words alone."""
        computed = (*DATE_WORDS, *NUMBER_WORDS, *TEXT_WORDS)
        return self.word in computed and self.steps[-1].word != "bands"

    @property
    def is_as_written(self) -> bool:
        """Whether the published cells are read as they are written, by the reader of cells."""
        return self.word in _AS_WRITTEN

    @property
    def is_by_table(self) -> bool:
        """Whether a table must say which values a published text stands for.

        For ``set`` a table is possible, but not needed if the sets are written out.
        """
        return self.word in _BY_TABLE

    @property
    def says_nothing(self) -> bool:
        """Whether a published text stands for no known set of values (``perturbed``, ``new`` …)."""
        return self.word in _UNTOLD

    def why_not(self, column: Column) -> str | None:
        """Why a column cannot be coarsened so; None if it can.

        >>> import unveil as uv
        >>> names = uv.read_table({"name": list("ab"), "ill": list("ab")}, quasi="name",
        ...                       sensitive="ill")["name"]
        >>> parse_how("floor 10").why_not(names), parse_how("prefix 1").why_not(names)
        ('its values are not numbers', None)
        """
        numeric = column.kind is Kind.NUMERIC
        word = self.word
        if word == "decade" and numeric and not column.is_dates:  # years
            return None
        if word in DATE_WORDS and not (numeric and column.is_dates):
            return "its values are not dates"
        if word in NUMBER_WORDS and (not numeric or column.is_dates):
            return "its values are not numbers"
        if word == "level":
            depth = 0 if column.hierarchy is None else column.hierarchy.depth
            if column.hierarchy is None:
                return "it has no hierarchy"
            if int(self.steps[0].value) >= depth:
                return f"its hierarchy has the levels 0 to {depth - 1}"
        return None

    def keys(self, column: Column) -> NDArray[Any]:
        """What is published of each value of the domain: numbers, or texts.

        A month is a number of months since year 0; `written` has it as a text. NaN or None stand
        where nothing can be published, because the value is missing. Halves are rounded up.
        """
        return self.ways(column)[0]

    def written(self, column: Column) -> list[str]:
        """What is published of each value, in the plainest spelling; "" of a missing value.

        >>> import unveil as uv
        >>> days = uv.read_table({"day": np.array(["2023-05-31", "2023-11-02"], "M8[D]"),
        ...                       "ill": list("ab")}, quasi="day", sensitive="ill")["day"]
        >>> [parse_how(how).written(days) for how in ("month", "quarter", "age 2024-12-31")]
        [['2023-05', '2023-11'], ['2023Q2', '2023Q4'], ['1', '1']]
        """
        keys = self.keys(column).tolist()
        word = self.word
        if word in TEXT_WORDS:
            return ["" if key is None else key for key in keys]
        is_period = len(self.steps) == 1 and word in PERIODS
        form = partial(period_text, word) if is_period else value_text
        return ["" if math.isnan(key) else form(key) for key in keys]

    def read(self, column: Column, texts: Iterable[str]) -> list[Key | None]:
        """The key that each published text names, as in `keys`; None if it is no such cell.

        A text that may name several keys names the one that occurs in the column.
        """
        cells = self.cells(column, self.keys(column))
        return [cells.key(text.strip()) for text in texts]

    def cells(self, column: Column, keys: NDArray[Any]) -> CellsOf:
        """The reader of published texts, for many; ``keys`` are those of the column."""
        return CellsOf(self.steps, column, set(known(np.unique(keys)
                       if keys.dtype != object else keys)))  # fmt: skip

    def regions(
        self, column: Column, texts: Iterable[str],
        table: Mapping[str, Sequence[str]] | None = None,
    ) -> list[Spans | None]:  # fmt: skip
        """The part of the column's domain that each published text stands for.

        Parameters
        ----------
        column : Column
            Of the original.
        texts : iterable of str
            Published cells; hidden and empty ones are no cells of a coarsening.
        table : mapping of str to sequence of str, optional
            The values that each text stands for, for ``recoded`` and ``set``.

        Returns
        -------
        list of tuples, or None
            Runs of codes (first, last), ascending; ``()`` if no value of the column is published
            so, None if the text is no cell of this coarsening. With ``rounded``, a value halfway
            between two multiples is in both, because programs round it either way.
        """
        if table is not None:
            return _from_table(column, texts, table)
        if self.is_by_table:
            raise InputError(
                "column {column} is {how}, which needs a table of the values that each published "
                "text stands for; give {option}", column=ColumnName(column.name), how=str(self),
                option=Option("cells"),
            )  # fmt: skip
        self._check(column)
        if self.is_as_written:
            return _as_written(column, texts)
        if self.steps[-1].word == "bands":
            return self._bands(column, texts)
        forward = self.ways(column)
        codes: dict[Key, set[int]] = {}
        for keys in forward:
            for code, key in enumerate(keys.tolist()):
                if key is not None and key == key:
                    codes.setdefault(key, set()).add(code)
        spans = {key: spans_of(sorted(found)) for key, found in codes.items()}
        cells = CellsOf(self.steps, column, set(spans))
        read = (cells.key(text.strip()) for text in texts)
        return [None if key is None else spans.get(key, ()) for key in read]

    def _check(self, column: Column) -> None:
        why = self.why_not(column)
        if self.says_nothing:
            why = "a published text then stands for no known values"
        if why is not None:
            raise InputError(
                "column {column} cannot be read as {how}: {why}", column=ColumnName(column.name),
                how=f"'{self}'", why=why,
            )  # fmt: skip

    def ways(self, column: Column) -> list[NDArray[Any]]:
        """The keys of the domain; a second time, with halves rounded down, if any differ."""
        self._check(column)
        if not self.is_computed:
            raise InputError("what is published does not follow from {how}", how=f"'{self}'")
        if self.word == "prefix":
            return [prefixes(column, int(self.steps[0].value))]
        if self.word == "level":
            return [nodes(column, int(self.steps[0].value))]
        found = [numbers_of(column)]
        for step in self.steps:
            found = [after for before in found for after in stepped(step, before, column)]
        found = [comparable(numbers) for numbers in found]
        return found if len(found) > 1 and not same(*found) else found[:1]

    def _bands(self, column: Column, texts: Iterable[str]) -> list[Spans | None]:
        """Cells that are bands of what the other steps make of a value, such as its age."""
        keys = Coarsening(self.steps[:-1]).keys(column)
        there = ~np.isnan(keys)
        values, place = np.unique(keys[there], return_inverse=True)
        between = Column(
            name=column.name, role=column.role, kind=Kind.NUMERIC,
            codes=np.zeros(0, dtype=np.int32), values=values.astype(np.int64),
        )  # fmt: skip
        place_of = np.full(len(keys), -1)
        place_of[there] = place
        found: list[Spans | None] = []
        for spans in _as_written(between, texts):
            inside = np.zeros(len(values), dtype=bool)
            for first, last in spans or ():
                inside[first : last + 1] = True
            codes = np.flatnonzero(there & inside[place_of])
            found.append(None if spans is None else spans_of(codes.tolist()))
        return found


def parse_how(text: str) -> Coarsening:
    """Read words such as ``year`` or ``rounded 1000, top 90000``.

    >>> parse_how("Rounded 1,000; top 90000") == parse_how("rounded 1000, top 90000")
    True
    >>> parse_how("yaer")
    Traceback (most recent call last):
    unveil.errors.InputError: how= 'yaer' is not known; did you mean 'year'? (known: year, month, \
quarter, decade, age 2024-12-31, prefix 3, floor 10, rounded 1000, top 80, bottom 25, level 1, \
bands, set, recoded, unchanged, perturbed, suppressed)
    """
    if not isinstance(text, str):
        raise InputError("{option} must be words such as 'year', but {given} was given",
                         option=Option("how"), given=type(text).__name__)  # fmt: skip
    # Commas within a number are thousands marks.
    parts = re.split(r";|,(?!\d{3}(?!\d))", text)
    steps = tuple(_step(part.strip(), text) for part in parts)
    why = _why_not_together([step.word for step in steps])
    if why:
        raise InputError("{option} {text} cannot be: {why}", option=Option("how"),
                         text=Cell(text), why=why)  # fmt: skip
    return Coarsening(steps)


_ARGUMENTS = {
    "age": ("a day, such as age 2024-12-31", re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)),
    "prefix": ("a number of characters, such as prefix 3", re.compile(r"[1-9]\d?", re.ASCII)),
    "level": ("a level, such as level 1", re.compile(r"\d{1,2}", re.ASCII)),
    **{
        word: (f"a width, such as {word} 10", re.compile(r"\d*\.?\d+", re.ASCII))
        for word in ("floor", "rounded")
    },
    **{
        word: (f"a number, such as {word} 80", re.compile(r"[+-]?\d*\.?\d+", re.ASCII))
        for word in ("top", "bottom")
    },
}


def _step(part: str, text: str) -> Step:
    word, _, value = part.lower().partition(" ")
    value = value.strip().replace(",", "")
    if word not in WORDS:
        raise InputError(
            "{option} {text} is not known{hint} (known: year, month, quarter, decade, "
            "age 2024-12-31, prefix 3, floor 10, rounded 1000, top 80, bottom 25, level 1, bands, "
            "set, recoded, unchanged, perturbed, suppressed)", option=Option("how"),
            text=Cell(text), hint=did_you_mean(word, WORDS),
        )  # fmt: skip
    what, form = _ARGUMENTS.get(word, ("nothing after it", re.compile("")))
    if form.fullmatch(value) is None or not _is_possible(word, value):
        raise InputError("{option} {text} cannot be: {word} needs {what}", option=Option("how"),
                         text=Cell(text), word=word, what=what)  # fmt: skip
    return Step(word, value_text(float(value)) if word in NUMBER_WORDS else value)


def _is_possible(word: str, value: str) -> bool:
    if word == "age":
        try:
            return bool(np.datetime64(value, "D"))
        except ValueError:  # the 30th of February
            return False
    return word not in ("floor", "rounded") or 0 < float(value) < math.inf


def _why_not_together(words: Sequence[str]) -> str:
    """Why words cannot follow one another."""
    first, rest = words[0], words[1:]
    twice = [word for word, n in Counter(words).items() if n > 1]
    if twice:
        return f"{twice[0]} is said twice"
    if not rest:
        return ""
    if rest[-1] == "bands" and first in ("year", "age"):
        rest = rest[:-1]
    alone = [word for word in words if word not in (*NUMBER_WORDS, "year", "age", "decade")]
    if alone and not (alone == ["bands"] and words[-1] == "bands" and first in ("year", "age")):
        return f"{alone[0]} cannot be combined"
    late = [word for word in rest if word not in NUMBER_WORDS]
    return f"{late[0]} must come first" if late else ""


def _as_written(column: Column, texts: Iterable[str]) -> list[Spans | None]:
    """What cells cover as the reader of cells sees them; None where it is not settled."""
    read = cell_reader(column).read_all(texts)
    return [None if cell.only is None else cell.only.reading.spans for cell in read]


def _from_table(
    column: Column, texts: Iterable[str], table: Mapping[str, Sequence[str]]
) -> list[Spans | None]:
    """The values that a table lists for each text."""
    domain = cell_reader(column).domain
    spans: dict[str, Spans] = {}
    for text, values in table.items():
        codes = []
        for value in [values] if isinstance(values, str) else values:
            code = domain.value(str(value))
            if code is None:
                raise InputError(
                    "{option} says that {text} of column {column} stands for {value}: {why}",
                    option=Option("cells"), text=Cell(text), column=ColumnName(column.name),
                    value=Cell(value), why=domain.not_in_it(str(value)),
                )  # fmt: skip
            codes.append(code)
        spans[text.strip()] = spans_of(codes)
    return [spans.get(text.strip()) for text in texts]
