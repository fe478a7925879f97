"""Excel workbooks: the cells of one sheet, with the types that they have there.

A sheet is a table only if its first row has the names of its columns. Titles above them, merged
cells, formulas that were never calculated and columns of values without a name are refused with a
remedy: what they would be taken for is not what they mean.
"""

from __future__ import annotations

import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

from unveil._unpacked import largest, too_large
from unveil.errors import (
    Cell,
    File,
    Foreign,
    InputError,
    Known,
    Message,
    MissingExtraError,
    Option,
    Text,
    UnveilError,
    did_you_mean,
)
from unveil.microdata._microdata import value_text

WORKBOOKS = (".xlsx", ".xlsm")
"""Suffixes of workbooks that can be read."""

_OTHERS = (".xls", ".xlsb", ".ods", ".numbers")
_OLD = b"\xd0\xcf\x11\xe0"  # the first bytes of old workbooks, and of those with a password
_FORMULA = re.compile(rb"<(?:\w+:)?f[ >/]")
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell [^>]*ref="([A-Z]+)([0-9]+):([A-Z]+)([0-9]+)"')
_PIECE = 1 << 20
_OVERLAP = 200
_CELL = 100  # bytes that a cell takes, at least
_ZEROS = re.compile(r"0{2,}")  # the format of codes such as 02139


def is_workbook(file: Path) -> bool:
    """Whether a file is an Excel workbook, by its name; other programs' sheets are refused.

    >>> is_workbook(Path("people.xlsx")), is_workbook(Path("people.csv"))
    (True, False)
    """
    suffix = file.suffix.lower()
    if suffix in _OTHERS:
        raise InputError(
            "{file} cannot be read, because it is a {suffix} file; save it as .xlsx or CSV",
            file=File(file.name, bare=True), suffix=suffix,
        )  # fmt: skip
    return suffix in WORKBOOKS


@dataclass(kw_only=True)
class Sheet:
    """The cells of a sheet below its first row.

    Attributes
    ----------
    header : list
        The cells of the first row.
    columns : list of lists
    rows : int
    notes : list of Text
    """

    header: list[Any]
    columns: list[list[Any]]
    rows: int
    notes: list[Text] = field(default_factory=list)

    def array(self, place: int) -> Any:
        """A column as an Arrow array: numbers, dates or truth values if all are such, or texts."""
        import pyarrow as pa

        values = self.columns[place]
        kinds = {_kind(value) for value in values if value is not None}
        if len(kinds) == 1 and "text" not in kinds:
            if kinds == {"number"} and all(v is None or float(v).is_integer() for v in values):
                if all(v is None or abs(v) < 2**63 for v in values):
                    values = [None if v is None else int(v) for v in values]
            elif kinds == {"number"}:
                values = [None if v is None else float(v) for v in values]
            return pa.array(values)
        return pa.array([None if v is None else _text(v) for v in values], type=pa.string())


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int | float):
        return "number"
    return "moment" if isinstance(value, datetime) else "text"


def _text(value: Any) -> str:
    """A cell of a column of several types, as it would stand in a CSV file."""
    if isinstance(value, datetime):
        is_day = (value.hour, value.minute, value.second, value.microsecond) == (0, 0, 0, 0)
        return value.date().isoformat() if is_day else value.isoformat(sep=" ")
    return value_text(value)


def read_sheet(file: Path, sheet: str | None, *, has_header: bool = True) -> Sheet:
    """The cells of a sheet of a workbook; by default of the first one that is not hidden."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise MissingExtraError(
            "Excel workbooks need the extra excel: pip install 'unveil[excel]'; or save {file} as "
            "CSV", file=File(file.name, bare=True),
        ) from None  # fmt: skip
    with _in_our_words(file):
        _refuse_large(file)
        book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
        try:
            page, notes = _page(book, sheet, file)
            page.reset_dimensions()  # which may be anything
            found = _cells(page, file, has_header=has_header)
            found.notes[:0] = notes
            _refuse_unclear(file, page.title, page._worksheet_path, found)
        finally:
            book.close()
    return found.sheet(file, page.title)


@contextmanager
def _in_our_words(file: Path) -> Iterator[None]:
    """What is wrong with a workbook, whatever the library says of it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions, which are not read
            yield
    except UnveilError:
        raise
    except MemoryError:
        raise
    except zipfile.BadZipFile:
        with file.open("rb") as stream:
            old = stream.read(len(_OLD)) == _OLD
        raise InputError(
            "{file} is not a workbook: {why}", file=File(file.name, bare=True),
            why="it has a password, or is of an old kind; save it without one as .xlsx, or as CSV"
            if old else "save it as .xlsx, or, if it is CSV, give its name the ending .csv",
        ) from None  # fmt: skip
    except Exception as error:  # the library trusts what it reads
        raise InputError(
            "cannot read {file} as an Excel workbook: {error}; save it again in Excel, or as CSV",
            file=File(file.name, bare=True), error=Foreign(str(error) or type(error).__name__),
        ) from None  # fmt: skip


def _refuse_large(file: Path) -> None:
    most = largest(file.stat().st_size)
    with zipfile.ZipFile(file) as packed:
        if sum(part.file_size for part in packed.infolist()) > most:
            raise too_large(file, most)


def _page(book: Any, sheet: str | None, file: Path) -> tuple[Any, list[Text]]:
    """The sheet that is meant, and a note if there are others."""
    pages = {page.title: page for page in book.worksheets}
    if sheet is not None:
        if sheet not in pages:
            raise InputError(
                "{file} has no sheet {sheet}{hint} (sheets: {sheets})",
                file=File(file.name, bare=True), sheet=Cell(sheet),
                hint=did_you_mean(sheet, pages), sheets=", ".join(pages),
            )  # fmt: skip
        return pages[sheet], []
    seen = [title for title, page in pages.items() if page.sheet_state == "visible"] or list(pages)
    if not seen:
        raise InputError("{file} has no sheet", file=File(file.name, bare=True))
    if len(pages) == 1:
        return pages[seen[0]], []
    note = Message(
        "{file}: the sheet {sheet} was read, the first of {n}; for another give {option}",
        file=File(file.name, bare=True), sheet=Known(repr(seen[0])), n=len(pages),
        option=Option("sheet"),
    )  # fmt: skip
    return pages[seen[0]], [note]


@dataclass(kw_only=True)
class _Found:
    """Rows as they stand in a sheet, with their numbers, from the first that is not blank."""

    rows: list[list[Any]]
    numbers: list[int]
    has_header: bool
    errors: Counter[str]
    notes: list[Text] = field(default_factory=list)

    def sheet(self, file: Path, title: str) -> Sheet:
        name = File(file.name, bare=True)
        if not self.rows:
            raise InputError("the sheet {sheet} of {file} is empty",
                             sheet=Known(repr(title)), file=name)  # fmt: skip
        width = max(map(len, self.rows))
        if width * len(self.rows) * _CELL > largest(file.stat().st_size):
            raise too_large(file, largest(file.stat().st_size))
        first = min(next(i for i, v in enumerate(r) if v is not None) for r in self.rows)
        rows = [row[first:] + [None] * (width - len(row)) for row in self.rows]
        header, body = (rows[0], rows[1:]) if self.has_header else ([], rows)
        if self.has_header:
            self._check_header(header, body, name, title, first)
        blank = self.numbers[-1] - self.numbers[0] + 1 - len(self.numbers)
        if blank:
            self.notes.append(Message("{file}: {n:row} without a value left out",
                                      file=name, n=blank))  # fmt: skip
        if self.errors:
            kinds = ", ".join(sorted(self.errors))
            self.notes.append(Message("{file}: {n:cell} with an error ({kinds}) read as missing",
                                      file=name, n=self.errors.total(), kinds=kinds))  # fmt: skip
        columns = [list(column) for column in zip(*body, strict=True)] or [[] for _ in header]
        return Sheet(header=["" if v is None else _text(v).strip() for v in header],
                     columns=columns, rows=len(body), notes=self.notes)  # fmt: skip

    def _check_header(
        self, header: Sequence[Any], body: Sequence[Sequence[Any]], name: File, title: str,
        first: int,
    ) -> None:  # fmt: skip
        """Refuse a title above the names, and values without a name."""
        filled = sum(value is not None for value in header)
        if body and 2 * filled <= len(header) and len(header) > 1:
            raise InputError(
                "the first row of sheet {sheet} of {file} (row {row}) has {n:name} for {columns} "
                "columns; delete the rows above the names of the columns, or save the table as CSV",
                sheet=Known(repr(title)), file=name, row=Known(str(self.numbers[0])), n=filled,
                columns=len(header),
            )  # fmt: skip


def _cells(page: Any, file: Path, *, has_header: bool) -> _Found:
    """The rows that are not blank; blank cells at their ends are left out."""
    found = _Found(rows=[], numbers=[], has_header=has_header, errors=Counter())
    most, cells = largest(file.stat().st_size), 0
    formats: dict[int, int] = {}
    for number, row in enumerate(page.iter_rows(), start=1):
        values = []
        for cell in row:
            value = cell.value
            if value is not None:
                if cell.data_type == "e":
                    found.errors[str(value)] += 1
                    value = None
                elif isinstance(value, str):
                    value = value if value.strip() else None
                elif isinstance(value, int) and not isinstance(value, bool):
                    value = _with_zeros(value, cell, formats)
                elif isinstance(value, date) and not isinstance(value, datetime):
                    value = datetime(value.year, value.month, value.day)
            values.append(value)
        while values and values[-1] is None:
            values.pop()
        cells += len(values)
        if cells * _CELL > most:
            raise too_large(file, most)
        if values:
            found.rows.append(values)
            found.numbers.append(number)
    return found


def _with_zeros(value: int, cell: Any, formats: dict[int, int]) -> int | str:
    """A whole number, or the code that its format makes of it: 2139 with 00000 is 02139."""
    style = cell._style_id
    if style not in formats:
        zeros = _ZEROS.fullmatch(cell.number_format or "")
        formats[style] = 0 if zeros is None else len(zeros[0])
    return f"{value:0{formats[style]}}" if formats[style] else value


def _refuse_unclear(file: Path, title: str, path: str, found: _Found) -> None:
    """Refuse merged cells in the table, and formulas that were never calculated."""
    has_formulas = False
    merged: set[tuple[bytes, ...]] = set()
    with zipfile.ZipFile(file) as packed, packed.open(path) as stream:
        before = b""
        while piece := stream.read(_PIECE):
            piece = before + piece
            has_formulas = has_formulas or _FORMULA.search(piece) is not None
            merged.update(match.groups() for match in _MERGED.finditer(piece))
            before = piece[-_OVERLAP:]
    sheet, name = Known(repr(title)), File(file.name, bare=True)
    for low, top, high, bottom in sorted(merged):
        if any(int(top) <= number <= int(bottom) for number in found.numbers):
            raise InputError(
                "cells {cells} of sheet {sheet} of {file} are merged, so only the first of them "
                "has a value; unmerge them and fill each one in, or delete the rows if they are a "
                "title", cells=Known(f"{low.decode()}{int(top)}:{high.decode()}{int(bottom)}"),
                sheet=sheet, file=name,
            )  # fmt: skip
    if has_formulas:
        _refuse_uncalculated(file, title, sheet, name)


def _refuse_uncalculated(file: Path, title: str, sheet: Known, name: File) -> None:
    from openpyxl import load_workbook

    books = [load_workbook(file, read_only=True, data_only=one, keep_links=False)
             for one in (True, False)]  # fmt: skip
    try:
        for book in books:
            book[title].reset_dimensions()
        for values, formulas in zip(*(book[title].iter_rows() for book in books), strict=True):
            for value, formula in zip(values, formulas, strict=True):
                if formula.data_type == "f" and value.value is None:
                    raise InputError(
                        "cell {cell} of sheet {sheet} of {file} is a formula whose result was not "
                        "saved; open the workbook in Excel and save it, or save it as CSV",
                        cell=Known(formula.coordinate), sheet=sheet, file=name,
                    )  # fmt: skip
    finally:
        for book in books:
            book.close()
