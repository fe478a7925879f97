"""CSV files as Arrow columns of text.

Every cell is read as text: what is a number and what only looks like one is decided later, on the
distinct texts of a column, where ``01234`` can still be seen to be a code.
"""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from unveil.errors import InputError
from unveil.microdata._sources import Source, check_names, existing_file

__all__ = ["CsvLayout", "csv_fault", "csv_layout", "from_csv", "is_utf8"]

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_LINES = 20
SAMPLE_BYTES = 1 << 16
_BEGINNING = 1 << 20
_LARGE = 1 << 24  # bytes that are worth several threads

_SOMETHING = re.compile(rb"\S")
_LONE_RETURN = re.compile(rb"(?<=\r)(?!\n)")  # ends a line on old machines


def from_csv(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None,
    encoding: str,
    columns: Sequence[str] | Mapping[int, str] | None = None,
    comment: str | None = None,
    skip_unnamed: bool = False,
) -> Source:
    """Open a CSV file.

    ``skip_unnamed`` leaves out columns without a name, which pandas and R write for row names.
    """
    file = existing_file(path)
    data = _utf8(_bytes(file), file.name, encoding)
    if comment is not None:
        data = _without_comments(data, comment)
    if _SOMETHING.search(data) is None:
        raise InputError(f"{file.name} is empty")
    delimiter = _checked(delimiter, data)
    names, start = _header(data, delimiter, file.name)
    width = len(names)
    if columns is not None:
        names, start = _given_names(columns, width, file.name), 0
    else:
        if skip_unnamed:
            names = {place: name for place, name in names.items() if name}
        check_names(names.values(), file.name)
    return _parsed(data, start, delimiter, names, width, file.name)


@dataclass(frozen=True, kw_only=True)
class CsvLayout:
    """How a CSV file is laid out.

    Attributes
    ----------
    delimiter : str
        What parts its cells.
    names : tuple of str
        Its columns.
    header_lines : int
        The lines before its first record.
    """

    delimiter: str
    names: tuple[str, ...]
    header_lines: int


def csv_layout(path: str | os.PathLike[str], delimiter: str | None) -> CsvLayout:
    """How a CSV file in UTF-8 is laid out, from its beginning alone."""
    file = existing_file(path)
    with _opened(file) as stream:
        data = stream.read(_BEGINNING)
    is_whole = len(data) < _BEGINNING
    if not is_whole and b"\n" in data:
        data = data[: data.rfind(b"\n") + 1]  # after a line, so that no letter is cut in two
    data = _utf8(data, file.name, "utf-8")
    if _SOMETHING.search(data) is None:
        raise InputError(f"{file.name} is empty")
    delimiter = _checked(delimiter, data)
    try:
        cells, lines, end = next(_records(data, delimiter))
    except csv.Error as error:
        raise InputError(f"cannot read the first line of {file.name}: {error}") from None
    names = tuple(cell.strip() for cell in cells)
    check_names(names, file.name)
    if is_whole and _SOMETHING.search(data, end) is None:
        raise InputError(f"{file.name} has no records, only a header")
    return CsvLayout(delimiter=delimiter, names=names, header_lines=lines)


def csv_fault(path: str | os.PathLike[str], layout: CsvLayout) -> InputError | None:
    """The first line of a CSV file that is not as it should be, whatever the file's size."""
    file = existing_file(path)
    width, line = len(layout.names), 0

    def lines() -> Iterator[str]:
        nonlocal line
        for raw in io.BufferedReader(stream):
            for part in filter(None, _LONE_RETURN.split(raw)):
                line += 1
                yield part.decode("utf-8-sig" if line == 1 else "utf-8")

    with _opened(file) as stream:
        try:
            for cells in csv.reader(lines(), delimiter=layout.delimiter):
                if cells and len(cells) != width:
                    return _ragged(line, len(cells), width, layout.delimiter, file.name)
        except UnicodeDecodeError:
            return _not_in(line, file.name, "utf-8", "latin-1")
        except csv.Error as reason:
            return InputError(f"cannot read line {line} of {file.name}: {reason}")
    return None


def is_utf8(path: str | os.PathLike[str]) -> bool:
    """Whether a file is in UTF-8 from beginning to end."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with _opened(existing_file(path)) as stream:
            while data := stream.read(_BEGINNING):
                decoder.decode(data)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


@contextmanager
def _opened(file: os.PathLike[str]) -> Iterator[Any]:
    """A file to read bytes from, which unpacks .gz and the like by itself."""
    import pyarrow as pa

    try:
        with pa.input_stream(os.fspath(file)) as stream:
            yield stream
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"cannot read {os.fspath(file)!r}: {error}") from None


def _bytes(file: os.PathLike[str]) -> bytes:
    with _opened(file) as stream:
        data: bytes = stream.read()
    return data


def _not_in(line: int, name: str, encoding: str, likely: str) -> InputError:
    return InputError(
        f"line {line} of {name} is not {encoding}; say which encoding the file is in, for "
        f'instance encoding="{likely}"'
    )


def _utf8(data: bytes, name: str, encoding: str) -> bytes:
    try:
        # Files in UTF-8 are the rule: they are checked here, and passed on as they are.
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        likely = (
            "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "latin-1"
        )
        raise _not_in(line, name, encoding, likely) from None
    except LookupError:
        raise InputError(f"encoding {encoding!r} is not known") from None
    if encoding.lower().replace("_", "-") not in ("utf-8", "utf8", "ascii"):
        data = text.encode()
    data = data.removeprefix(b"\xef\xbb\xbf")
    return data if b"\n" in data else data.replace(b"\r", b"\n")


def _without_comments(data: bytes, comment: str) -> bytes:
    if not comment:
        raise InputError("comment must be the text that comment lines begin with, but is empty")
    mark = comment.encode()
    # An empty line in its stead keeps the numbers of the lines after it right.
    return b"".join(b"\n" if line.startswith(mark) else line for line in io.BytesIO(data))


def _checked(delimiter: str | None, data: bytes) -> str:
    if delimiter is None:
        return _guessed(data)
    if len(delimiter) != 1 or not delimiter.isascii():
        raise InputError(f"delimiter must be one ASCII character, but {delimiter!r} was given")
    return delimiter


def _guessed(data: bytes) -> str:
    """The delimiter that parts the first lines into equally many cells, and the most."""
    sample = data[:SAMPLE_BYTES].decode(errors="replace").splitlines()
    if len(data) > SAMPLE_BYTES and len(sample) > 1:
        sample.pop()  # cut off in the middle
    lines = [line for line in sample if line.strip()][:SAMPLE_LINES]
    best, most = DELIMITERS[0], (False, 1)
    for delimiter in DELIMITERS:
        widths = [len(next(csv.reader([line], delimiter=delimiter))) for line in lines]
        merit = (len(set(widths)) == 1, widths[0])
        if widths[0] > 1 and merit > most:
            best, most = delimiter, merit
    return best


def _records(data: bytes, delimiter: str) -> Iterator[tuple[list[str], int, int]]:
    """The records of a file one by one, each with its last line's number and its end in bytes.

    Slow, and so only for the header and for finding out which line is wrong.
    """
    end = 0

    def lines() -> Iterator[str]:
        nonlocal end
        for line in io.BytesIO(data):
            end += len(line)
            yield line.decode()

    reader = csv.reader(lines(), delimiter=delimiter)
    for cells in reader:
        if cells:
            yield cells, reader.line_num, end


def _header(data: bytes, delimiter: str, name: str) -> tuple[dict[int, str], int]:
    """The names in the first record, and where the next record begins."""
    try:
        cells, _, end = next(_records(data, delimiter))
    except csv.Error as error:
        raise InputError(f"cannot read the first line of {name}: {error}") from None
    return dict(enumerate(cell.strip() for cell in cells)), end


def _given_names(
    columns: Sequence[str] | Mapping[int, str], width: int, name: str
) -> dict[int, str]:
    """Names for a file without a header."""
    if isinstance(columns, Mapping):
        wrong = [p for p in columns if not isinstance(p, int) or not 0 <= p < width]
        if wrong:
            raise InputError(
                f"columns has position {wrong[0]!r}, but {name} has {width} columns, counted "
                f"from 0 to {width - 1}"
            )
        names = {position: columns[position] for position in sorted(columns)}
    elif isinstance(columns, str):
        raise InputError(f"columns must be a sequence of names, but {columns!r} was given")
    else:
        names = dict(enumerate(columns))
        if len(names) != width:
            raise InputError(
                f"columns has {len(names)} names, but {name} has {width} columns; to read only "
                "some of them, map positions to names: columns={0: 'age', 3: 'country'}"
            )
    check_names(names.values(), f"columns for {name}")
    return names


def _parsed(
    data: bytes, start: int, delimiter: str, names: dict[int, str], width: int, name: str
) -> Source:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    body = pa.py_buffer(data).slice(start)
    if _SOMETHING.search(data, start) is None:
        empty = pa.array([], type=pa.string())
        return Source(name=name, n_rows=0, arrays=dict.fromkeys(names.values(), empty),
                      unreadable={}, is_text_file=True)  # fmt: skip
    places = [str(position) for position in range(width)]
    kept = [str(position) for position in names]
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(body),
            # Threads that still wind up when a short program ends bring it down at times.
            read_options=arrow_csv.ReadOptions(column_names=places, use_threads=len(data) > _LARGE),
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter,
                # Costs speed, and only files with quotes can have line ends within a cell.
                newlines_in_values=data.find(b'"', start) >= 0,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(kept, pa.dictionary(pa.int32(), pa.string())),
                include_columns=kept,
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowException as error:
        raise _explained(error, data, delimiter, width, name) from None
    arrays = {names[int(place)]: table[place] for place in kept}
    return Source(name=name, n_rows=table.num_rows, arrays=arrays, unreadable={}, is_text_file=True)


def _explained(error: Exception, data: bytes, delimiter: str, width: int, name: str) -> InputError:
    """Say which line is wrong, whatever Arrow's own message tells."""
    try:
        for cells, line, _ in _records(data, delimiter):
            if len(cells) != width:
                return _ragged(line, len(cells), width, delimiter, name)
    except csv.Error as reason:
        return InputError(f"cannot read {name}: {reason}")
    return InputError(f"cannot read {name}: {error}")


def _ragged(line: int, cells: int, width: int, delimiter: str, name: str) -> InputError:
    return InputError(
        f"line {line} of {name} has {cells} {'cell' if cells == 1 else 'cells'} where the first "
        f"line has {width}; if {delimiter!r} is not what parts its cells, give delimiter="
    )
