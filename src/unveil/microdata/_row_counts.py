"""Rows that stand for several people: tables of counts, such as one of sex by age by disease.

Taken for microdata, such a table has one person per combination: each is alone, or each is as
frequent as any other, and every figure is of nobody. So a column may be said to have the numbers of
people, and its rows count that often. If nobody said so and the table looks like one of counts, it
is not read until somebody has. Two signs count, and both need rows of which no two are alike:

- a column without a role has whole numbers and a name such as *count*, and the other columns have
  few enough combinations that people would share them;
- the rows are all combinations of the other columns' values, and what is left is whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Cell, CountsError, File, InputError, Message, Option, Row, Text, View
from unveil.errors import Column as ColumnName
from unveil.microdata._distinct import Distinct
from unveil.microdata._microdata import distinct_rows
from unveil.microdata.vocabulary import is_called_count

COUNT = "count"
"""What a column with numbers of people is called in most tables."""

SPARSE = 1_000
"""Combinations per row, from which on people need not share one."""

_CROSSED = 6  # rows from which all combinations of values are no chance
_MOST = 100_000_000  # people that are held in memory, each a record


@dataclass(frozen=True, eq=False)
class _Answer(Option):
    """What a row is: how that is said in Python, in a shell and in a project file."""

    column: str = ""

    def shown(self, view: View) -> str:
        if view.medium == "project":
            role = "count" if self.value else "other"
            return f'{self.column} = "{role}"' if self.column.isidentifier() else f'"{role}"'
        if view.medium == "shell" and not self.value:
            return "--count none"
        return super().shown(view)


def looks_counted(column: str, source: File) -> CountsError:
    """The question what a row is."""
    return CountsError(
        "{source} looks like a table of counts: no two rows have the same values, apart from whole "
        "numbers in column {column}. If these are numbers of people, give {yes}; if each row is "
        "one person, give {no}",
        source=source, column=ColumnName(column),
        yes=_Answer("count", column, column=column), no=_Answer("count", False, column=column),
    )  # fmt: skip


def suspected(columns: Mapping[str, Distinct], used: Collection[str]) -> str | None:
    """The column that looks like numbers of people, if the rows look like combinations.

    Parameters
    ----------
    columns : mapping of str to Distinct
        All columns that can be read.
    used : collection of str
        Those with a role.
    """
    rows = len(next(iter(columns.values())).codes)
    counting = {name: one for name, one in columns.items() if name not in used}
    counting = {name: one for name, one in counting.items() if _has_numbers(one)}
    for name in sorted(counting, key=lambda name: not is_called_count(name)):
        others = [one for other, one in columns.items() if other != name
                  and (other in used or len(one.values) < rows)]  # fmt: skip
        if is_combinations([len(one.values) for one in others], rows, named=is_called_count(name)):
            codes = [one.codes + 1 for one in others]
            if len(distinct_rows(codes)[0]) == rows:
                return name
    return None


def is_combinations(sizes: Sequence[int], rows: int, *, named: bool) -> bool:
    """Whether as many rows, of which no two are alike, would be combinations and not people.

    ``named`` says whether there is a column named as one of counts is.

    >>> is_combinations([2, 5, 5], 50, named=False), is_combinations([2, 5, 5], 49, named=False)
    (True, False)
    >>> is_combinations([2, 5, 5], 30, named=True), is_combinations([90] * 6, 30, named=True)
    (True, False)
    """
    combinations = math.prod(sizes)
    if named:
        return rows > 1 and combinations <= SPARSE * rows
    several = sum(size > 1 for size in sizes) > 1
    return several and rows >= _CROSSED and combinations == rows


def _has_numbers(column: Distinct) -> bool:
    """Whether a column has whole numbers from 0 up, not all 0 or 1, and not just row numbers."""
    if column.missing.any():
        return False
    texts = [text.strip() for text in column.texts()]
    if not all(text.isdecimal() and len(text) < 19 for text in texts):
        return False
    numbers = np.array(texts, dtype=np.int64)
    every_row = len(numbers) == len(column.codes)
    runs = every_row and numbers.min() <= 1 and np.ptp(numbers) == len(numbers) - 1
    return bool(numbers.max() > 1 and not runs)


def numbers_of_people(cells: Distinct, *, least: int) -> NDArray[np.int64]:
    """The number of people of each row, from a column that has them."""
    texts = [text.strip() for text in cells.texts()]
    numbers = [int(text) if text.isdecimal() and len(text) < 19 else -1 for text in texts]
    found = np.array([*numbers, -1], dtype=np.int64)[cells.codes]
    if (found < least).any():
        row = int(np.argmax(found < least))
        what = cells.texts()[cells.codes[row]] if cells.codes[row] >= 0 else ""
        raise InputError("{row}, {where}: {value} is not a number of records", row=Row(row + 1),
                         where=cells.where, value=Cell(what))  # fmt: skip
    return found


def counted_note(column: str, rows: int, records: int) -> Text:
    """What a note says of a table that was read as one of counts."""
    return Message(
        "the column {column} gives the number of records of each row: {rows} rows, {records} "
        "records", column=ColumnName(column), rows=rows, records=records,
    )  # fmt: skip


def one_row_each(
    columns: Mapping[str, Distinct], count: str
) -> tuple[dict[str, Distinct], list[Text]]:
    """The columns with one row per person, and without the numbers of people; and a note."""
    cells = columns[count]
    numbers = numbers_of_people(cells, least=0)
    people = int(numbers.astype(np.float64).sum())
    if people == 0:
        raise InputError("{where}: all numbers are 0, so the table has nobody", where=cells.where)
    if people > _MOST:
        raise InputError(
            "{where}: the rows stand for {people} people, and microdata has one record per person, "
            "at most {most}; {measures} counts tables of any size",
            where=cells.where, people=people, most=_MOST, measures="unveil measures",
        )  # fmt: skip
    kept = numbers > 0
    found = {
        name: _repeated(one if kept.all() else one.take(kept), numbers[kept])
        for name, one in columns.items() if name != count
    }  # fmt: skip
    return found, [counted_note(count, len(numbers), people)]


def _repeated(column: Distinct, numbers: NDArray[np.int64]) -> Distinct:
    return replace(
        column, codes=np.repeat(column.codes, numbers), rows=np.repeat(column.rows, numbers)
    )


def check_count(count: Any, used: Iterable[str] = ()) -> None:
    """Refuse what is neither a column nor False, and a column that has another role."""
    if count is None or count is False:
        return
    if not isinstance(count, str):
        raise InputError(
            "{option} must be a column name, or False where each row is one person, but {given} "
            "was given", option=Option("count"), given=Cell(count),
        )  # fmt: skip
    if count in used:
        raise InputError(
            "column {column} cannot be both numbers of people and a quasi-identifier or sensitive",
            column=ColumnName(count),
        )
