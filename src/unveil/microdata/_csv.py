"""CSV files as Arrow columns of text.

Every cell is read as text. What is a number and what only looks like one is decided later, on the
distinct texts of a column, where ``01234`` can still be recognized as a code.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from unveil._unpacked import unpacked
from unveil.errors import File, Foreign, InputError, Option, Row
from unveil.microdata._encodings import UTF8, WINDOWS, about, encoding_of, in_utf8, not_in
from unveil.microdata._excel import is_workbook, read_sheet
from unveil.microdata._messages import Worded, must
from unveil.microdata._sources import Source, check_names, existing_file, unnamed

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_LINES = 20
_SAMPLE_BYTES = 1 << 16
_BEGINNING = 1 << 20
_LARGE = 1 << 24  # bytes that are worth several threads

_SOMETHING = re.compile(rb"\S")
_LINE_ENDS = re.compile(r"\r\n|\n|\r")
_LONE_RETURN = re.compile(rb"(?<=\r)(?!\n)")  # ends a line on old machines


def from_csv(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    columns: Sequence[str] | Mapping[int, str] | None = None,
    comment: str | None = None,
    sheet: str | None = None,
    name_unnamed: bool = False,
) -> Source:
    """Open a CSV file, or an Excel workbook.

    ``name_unnamed`` calls columns without a name by their place; pandas and R write such columns
    for row names, and they are published as well.
    """
    file = existing_file(path)
    if is_workbook(file):
        given = {"delimiter": delimiter, "encoding": encoding, "comment": comment}
        _refuse_others(given, "CSV files", file, "an Excel workbook")
        return _from_workbook(file, sheet, columns, name_unnamed=name_unnamed)
    _refuse_others({"sheet": sheet}, "Excel workbooks", file, "a CSV file")
    with unpacked(file) as stream:
        data, encoding = in_utf8(stream.read(), file.name, encoding)
    data = _with_line_ends(data)
    if comment is not None:
        data = _without_comments(data, comment)
    delimiter, cells, _, start = _first(data, delimiter, file.name)
    names, width = dict(enumerate(cells)), len(cells)
    if columns is not None:
        names, start = _given_names(columns, width, file.name), 0
    else:
        if name_unnamed:
            names = {place: name or unnamed(place) for place, name in names.items()}
        check_names(names.values(), file.name)
    source = _parsed(data, start, delimiter, names, width, file.name)
    return replace(source, encoding=encoding, notes=about(encoding, file.name))


def _refuse_others(given: Mapping[str, object], what: str, file: Path, kind: str) -> None:
    """Refuse options for files of another kind."""
    for name, one in given.items():
        if one is not None:
            raise InputError("{option} is for {what}; {file} is {kind}", option=Option(name),
                             what=what, file=_file(file.name), kind=kind)  # fmt: skip


def _from_workbook(
    file: Path, sheet: str | None, columns: Sequence[str] | Mapping[int, str] | None, *,
    name_unnamed: bool,
) -> Source:  # fmt: skip
    found = read_sheet(file, sheet, has_header=columns is None)
    if columns is not None:
        names = _given_names(columns, len(found.columns), file.name)
    else:
        names = dict(enumerate(found.header))
        if name_unnamed:
            names = {place: name or unnamed(place) for place, name in names.items()}
        check_names(names.values(), file.name)
    arrays = {name: found.array(place) for place, name in names.items()}
    return Source(name=file.name, n_rows=found.rows, arrays=arrays, unreadable={},
                  is_text_file=True, notes=tuple(found.notes))  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class CsvLayout:
    """The layout of a CSV file: delimiter, column names, and the lines before the first record."""

    delimiter: str
    names: tuple[str, ...]
    header_lines: int


def csv_layout(
    path: str | os.PathLike[str], delimiter: str | None, encoding: str | None = None, *,
    sheet: str | None = None, name_unnamed: bool = False,
) -> CsvLayout:  # fmt: skip
    """The layout of a CSV file, from its beginning alone but for the encoding.

    Of an Excel workbook it has the names of the columns. ``name_unnamed``: see `from_csv`.
    """
    file = existing_file(path)
    if is_workbook(file):
        table = from_csv(file, sheet=sheet, name_unnamed=name_unnamed)
        return CsvLayout(delimiter=",", names=table.columns, header_lines=1)
    encoding = encoding_of(file) if encoding is None else encoding
    with unpacked(file) as stream:
        # UTF-16 and UTF-32 cannot be cut at any line end: half a character looks like one.
        data = stream.read(-1 if encoding.startswith(("utf-16", "utf-32")) else _BEGINNING)
    is_whole = len(data) != _BEGINNING
    if not is_whole and b"\n" in data:
        data = data[: data.rfind(b"\n") + 1]  # after a line, so that no character is cut in two
    data = _with_line_ends(in_utf8(data, file.name, encoding)[0])
    delimiter, names, lines, end = _first(data, delimiter, file.name)
    if name_unnamed:
        names = [name or unnamed(place) for place, name in enumerate(names)]
    check_names(names, file.name)
    if is_whole and not _has_records(data, end, delimiter):
        raise InputError("{file} has no records, only a header", file=_file(file.name))
    return CsvLayout(delimiter=delimiter, names=tuple(names), header_lines=lines)


def csv_fault(path: str | os.PathLike[str], layout: CsvLayout) -> InputError | None:
    """The first malformed line of a CSV file of any size."""
    file = existing_file(path)
    with unpacked(file) as stream:
        lines = io.BufferedReader(stream)
        return _fault(lines, layout.delimiter, len(layout.names), file.name)


def _file(name: str) -> File:
    return File(name, bare=True)


def _with_line_ends(data: bytes) -> bytes:
    """The same with the line ends that old machines lack."""
    return data if b"\n" in data else data.replace(b"\r", b"\n")


def _without_comments(data: bytes, comment: str) -> bytes:
    if not comment:
        raise InputError(
            "{option} is empty; give the text that comment lines begin with",
            option=Option("comment"),
        )
    mark = comment.encode()
    # An empty line instead keeps later line numbers right.
    return b"".join(b"\n" if line.startswith(mark) else line for line in io.BytesIO(data))


def _first(data: bytes, delimiter: str | None, name: str) -> tuple[str, list[str], int, int]:
    """The delimiter, the cells of the first record, its last line and its end in bytes."""
    if _SOMETHING.search(data) is None:
        raise InputError("{file} is empty", file=_file(name))
    if delimiter is None:
        delimiter = _guessed(data)
    elif len(delimiter) != 1 or not delimiter.isascii():
        raise must("delimiter", "be one ASCII character", delimiter)
    cells, line, end = next(_records(io.BytesIO(data), delimiter, name))
    return delimiter, [cell.strip() for cell in cells], line, end


def _has_records(data: bytes, start: int, delimiter: str) -> bool:
    """Whether there is more than blank lines; a line of tabs may be a record of empty cells."""
    return bool(_SOMETHING.search(data, start)) or data.find(delimiter.encode(), start) >= 0


def _guessed(data: bytes) -> str:
    """The delimiter that splits the first lines into equally many cells, and the most."""
    sample = data[:_SAMPLE_BYTES].decode(errors="replace")
    # Not str.splitlines: to it a form feed within a cell ends a line, too.
    found = [line for line in _LINE_ENDS.split(sample) if line.strip()]
    if len(data) > _SAMPLE_BYTES and len(found) > 1:
        found.pop()  # cut off in the middle
    lines = found[:_SAMPLE_LINES]
    best, most = _DELIMITERS[0], (False, 1)
    for delimiter in _DELIMITERS if lines else ():  # all of it may be other kinds of blanks
        widths = [len(next(csv.reader([line], delimiter=delimiter))) for line in lines]
        merit = (len(set(widths)) == 1, widths[0])
        if widths[0] > 1 and merit > most:
            best, most = delimiter, merit
    return best


def _records(
    lines: Iterable[bytes], delimiter: str, name: str
) -> Iterator[tuple[list[str], int, int]]:
    """The records of a file, each with the number of its last line and its end in bytes.

    Slow, so it is used only for the header and to find out which line is wrong.
    """
    line = end = 0

    def texts() -> Iterator[str]:
        nonlocal line, end
        for part in (part for raw in lines for part in _LONE_RETURN.split(raw) if part):
            line, end = line + 1, end + len(part)
            yield part.decode("utf-8-sig" if line == 1 else "utf-8")

    try:
        for cells in csv.reader(texts(), delimiter=delimiter):
            if cells:
                yield cells, line, end
    except UnicodeDecodeError:
        raise not_in(line, name, UTF8, WINDOWS) from None
    except csv.Error as error:
        raise InputError("cannot read {line} of {file}: {error}", line=Row(line, "line"),
                         file=_file(name), error=Foreign(str(error))) from None  # fmt: skip


def _fault(lines: Iterable[bytes], delimiter: str, width: int, name: str) -> InputError | None:
    """The first record that cannot be read, or has not as many cells as the first."""
    try:
        for cells, line, _ in _records(lines, delimiter, name):
            if len(cells) != width:
                return InputError(
                    "{line} of {file} has {cells:cell} where the first line has {width}; if "
                    "{delimiter} is not its delimiter, give {option}", line=Row(line, "line"),
                    file=_file(name), cells=len(cells), width=width, delimiter=repr(delimiter),
                    option=Option("delimiter"),
                )  # fmt: skip
    except InputError as error:
        return error
    return None


def _given_names(
    columns: Sequence[str] | Mapping[int, str], width: int, name: str
) -> dict[int, str]:
    """Names for a file without a header."""
    option = Option("columns")
    if isinstance(columns, Mapping):
        wrong = [p for p in columns if not isinstance(p, int) or not 0 <= p < width]
        if wrong:
            raise InputError(
                "{option} has position {position}, but {file} has {width} columns, counted from 0 "
                "to {last}", option=option, position=repr(wrong[0]), file=_file(name), width=width,
                last=width - 1,
            )  # fmt: skip
        names = {position: columns[position] for position in sorted(columns)}
    elif isinstance(columns, str):
        raise must("columns", "be a sequence of names", columns)
    else:
        names = dict(enumerate(columns))
        if len(names) != width:
            raise InputError(
                "{option} has {n} names, but {file} has {width} columns{remedy}", option=option,
                n=len(names), file=_file(name), width=width,
                remedy=Worded("; to read only some of them, map positions to names: "
                              "columns={0: 'age', 3: 'country'}"),
            )  # fmt: skip
    check_names(names.values(), f"columns for {name}")
    return names


def _parsed(
    data: bytes, start: int, delimiter: str, names: dict[int, str], width: int, name: str
) -> Source:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    body = pa.py_buffer(data).slice(start)
    if not _has_records(data, start, delimiter):
        empty = pa.array([], type=pa.string())
        return Source(name=name, n_rows=0, arrays=dict.fromkeys(names.values(), empty),
                      unreadable={}, is_text_file=True)  # fmt: skip
    places = [str(position) for position in range(width)]
    kept = [str(position) for position in names]
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(body),
            # Threads that are still ending when a short program exits can crash it.
            read_options=arrow_csv.ReadOptions(column_names=places, use_threads=len(data) > _LARGE),
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter,
                # Slower, and only files with quotes can have line ends within a cell.
                newlines_in_values=data.find(b'"', start) >= 0,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(kept, pa.dictionary(pa.int32(), pa.string())),
                include_columns=kept,
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowException as error:
        # Name the line that is wrong, whatever Arrow's own message says.
        fault = _fault(io.BytesIO(data), delimiter, width, name)
        raise fault or InputError("cannot read {file}: {error}", file=_file(name),
                                  error=Foreign(str(error))) from None  # fmt: skip
    arrays = {names[int(place)]: table[place] for place in kept}
    return Source(name=name, n_rows=table.num_rows, arrays=arrays, unreadable={}, is_text_file=True)
