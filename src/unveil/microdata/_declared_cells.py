"""Published columns that are said to be coarsened in some way: years, prefixes, a table of words.

What a published text stands for then follows from these words, not from its notation: `2020` is a
year of a date, `45000` everything that is rounded to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from unveil.errors import Cell, InputError, Listed, Option, did_you_mean
from unveil.errors import Column as ColumnName
from unveil.microdata._cell_columns import CellColumn, Empty, read_column
from unveil.microdata._cells import Settled, settle
from unveil.microdata._distinct import Distinct
from unveil.microdata._encode import MISSING
from unveil.microdata._messages import must
from unveil.microdata._microdata import Column
from unveil.microdata._notations import EMPTY_WORDS, Notation, Reading, Spans, is_hidden, span
from unveil.microdata.coarsening import Coarsening, parse_how
from unveil.microdata.vocabulary import MISSING_WORDS, UNKNOWN_WORDS

Table: TypeAlias = Mapping[str, str | Sequence[str]]
"""The values that each published text stands for."""


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What is said of the columns of a release, by their names in the original."""

    how: Mapping[str, Coarsening] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    notation: Mapping[str, Notation] = field(default_factory=dict)

    @classmethod
    def of(
        cls, how: Mapping[str, Any] | None, cells: Mapping[str, Table] | None,
        notation: Mapping[str, Notation], names: Sequence[str],
    ) -> Declared:  # fmt: skip
        """What was given as options, checked."""
        example = {"born": "year"}
        for option, given in (("how", how), ("cells", cells)):
            if given is not None and not isinstance(given, Mapping):
                raise must(option, f"map columns, such as {example}", given)
            for name in given or ():
                if name not in names:
                    raise InputError(
                        "{option} names {name}, which is neither a quasi-identifier nor "
                        "sensitive{hint} (those are {names})", option=Option(option),
                        name=Cell(name), hint=did_you_mean(str(name), names), names=Listed(names),
                    )  # fmt: skip
        words = {
            name: one if isinstance(one, Coarsening) else parse_how(one)
            for name, one in (how or {}).items()
        }
        for name, one in words.items():
            if one.word in ("dropped", "new", "unclear"):
                raise InputError(
                    "it is not known how column {column} was published ({option} says {word}), and "
                    "an audit needs it; give the right words, or another role to the column",
                    option=Option("how"), column=ColumnName(name), word=one.word,
                )  # fmt: skip
        return cls(how=words, tables=dict(cells or {}), notation=notation)

    @property
    def perturbed(self) -> tuple[str, ...]:
        """Columns whose published values need not be true."""
        return tuple(name for name, one in self.how.items() if one.word == "perturbed")

    def is_said(self, name: str) -> bool:
        """Whether what a column's cells stand for follows from words or a table."""
        how = self.how.get(name)
        return name in self.tables or not (
            how is None or how.is_as_written or how.word == "perturbed"
        )

    def read(self, column: Column, cells: Distinct, empty: Empty | None) -> CellColumn:
        """The cells of a column, as they are said to be or as they are written."""
        if column.numbers is not None:
            none = {text for text in cells.texts() if text.casefold() in MISSING_WORDS}
            cells = cells.without(
                none | EMPTY_WORDS if cells.values.dtype.kind not in "iuf" else ()
            )
            return _beside_gap(column, cells, empty, self.read(column.without_gap, cells, empty))
        how, table = self.how.get(column.name), self.tables.get(column.name)
        if not self.is_said(column.name):
            notation = self.notation.get(column.name)
            return read_column(column, cells, notation=notation, empty=empty)
        how = how or parse_how("recoded")
        texts = [*cells.texts(), *[""] * bool(cells.missing.any())]
        hidden = [is_hidden(text) and text not in (table or ()) for text in texts]
        if how.word == "suppressed":
            hidden = [True] * len(texts)
        said = [text for text, unsaid in zip(texts, hidden, strict=True) if not unsaid]
        spans = dict(zip(said, how.regions(column, said, table) if said else (), strict=True))
        unknown = [spans.get(text, ()) is None and _is_unknown(text) for text in texts]
        words = [text for text, one in zip(texts, unknown, strict=True) if one]
        hidden = [one or other for one, other in zip(hidden, unknown, strict=True)]
        settled = [
            self._hidden(column) if unsaid else self._settled(cells, place, text, spans[text], how)
            for place, (text, unsaid) in enumerate(zip(texts, hidden, strict=True))
        ]
        return CellColumn.of(settled, cells, said=str(how), words=tuple(words))

    @staticmethod
    def _hidden(column: Column) -> Settled:
        whole = span(0, column.size - 1)
        return settle("*", Reading(Notation.SUPPRESSED, whole, "stars"))

    @staticmethod
    def _settled(
        cells: Distinct, place: int, text: str, spans: Spans | None, how: Coarsening
    ) -> Settled:
        if spans is None:
            raise cells.error(
                place, "the cell {cell} is not {how}, as {option} says; correct {option}, or list "
                "what the cell stands for under {table}", cell=Cell(text), how=f"'{how}'",
                option=Option("how"), table=Option("cells"),
            )  # fmt: skip
        reading = Reading(Notation.VALUE, spans, "declared", at=0)
        return Settled(text.strip(), reading, spans or text.strip())


def _beside_gap(
    column: Column, cells: Distinct, empty: Empty | None, read: CellColumn
) -> CellColumn:
    """Cells of numbers in a column in which some people have none.

    A hidden cell may hide that. An empty one says it, unless there are more of them than people
    who have none.
    """
    gap = column.size - 1
    whole = settle("*", Reading(Notation.SUPPRESSED, span(0, gap), "stars"))
    missing = settle(MISSING, Reading(Notation.VALUE, span(gap, gap), "value"))
    hidden = read.hidden
    told = [whole if unsaid else cell for cell, unsaid in zip(read.cells, hidden, strict=True)]
    empties = cells.codes < 0
    if empty == "suppressed" or empties.sum() > (column.codes == gap).sum():
        empties[:] = False
    used, cell_of = np.unique(np.where(empties, len(told), read.cell_of), return_inverse=True)
    return replace(
        read, cells=[[*told, missing][cell] for cell in used.tolist()],
        cell_of=cell_of.astype(np.int32), as_missing=int(empties.sum()),
    )  # fmt: skip


def _is_unknown(text: str) -> bool:
    """Whether a cell says in a word that it says nothing."""
    return text.strip("()[]<>").casefold() in UNKNOWN_WORDS | MISSING_WORDS
