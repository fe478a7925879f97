"""Hierarchies from files, and hierarchies made from the values of a column.

Files are in ARX's format: one line per value, ``value;level 1;…;*``. The functions that make a
hierarchy take the distinct values first, so a reader accepts them as they are
(``hierarchies={"zip": prefix_hierarchy}``) or with options set by `functools.partial`.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from unveil._unpacked import refuse_endless
from unveil.errors import Cell, File, Foreign, HierarchyError, InputError, Listed, Option, Row
from unveil.errors import Column as ColumnName
from unveil.microdata._encodings import in_utf8
from unveil.microdata._hierarchy import Hierarchy
from unveil.microdata._microdata import value_text

_SUFFIXES = (".csv", ".tsv", ".txt")


def read_hierarchy(
    path: str | os.PathLike[str], *, delimiter: str | None = None, encoding: str | None = None
) -> Hierarchy:
    """Read one generalization tree.

    One line per value: the value, the label directly above it, and so on up to a common top,
    usually ``*``. Paths may differ in length. Blanks around labels, empty cells and empty lines
    are ignored. A label repeated right after itself is one node.

    Parameters
    ----------
    path : path
    delimiter : str, optional
        Default: ``;`` if the file contains one, else a tab, else a comma.
    encoding : str, optional
        Default: detected.

    Raises
    ------
    HierarchyError
        If the lines do not form a tree. The message names the lines.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "city.csv"
    >>> _ = file.write_text("Lyon;France;*\\nNice;France;*\\nRome;Italy;*\\n")
    >>> read_hierarchy(file)
    Hierarchy from city.csv: 3 leaves, 3 levels
      *
        France
          Lyon
          Nice
        Italy
          Rome
    """
    file = Path(path)
    text = _text(file, encoding)
    if delimiter is None:
        delimiter = ";" if ";" in text else "\t" if "\t" in text else ","
    elif len(delimiter) != 1:
        raise HierarchyError(
            "{option} must be one character, but {given} was given",
            option=Option("delimiter"), given=repr(delimiter),
        )  # fmt: skip
    paths, lines = [], []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                paths.append(cells)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise HierarchyError(
            "hierarchy {file}, {line}: {error}; quote a cell that contains quotes as a whole, and "
            "double its own quotes", file=File(file.name, bare=True),
            line=Row(reader.line_num, "line"), error=Foreign(str(error)),
        ) from None  # fmt: skip
    if not paths:
        raise HierarchyError(
            "hierarchy {file} is empty; it needs one line per value, such as 'Lyon;France;*'",
            file=File(file.name, bare=True),
        )
    return Hierarchy.from_paths(paths, source=file.name, lines=lines)


def read_hierarchies(
    folder: str | os.PathLike[str], columns: Iterable[str], *, encoding: str | None = None
) -> dict[str, Hierarchy]:
    """Read the hierarchies that a folder contains for these columns.

    A file belongs to a column if its name without suffix is the column's name or ends with it:
    ``adult_hierarchy_marital-status.csv`` is for ``marital_status``. Case and the characters
    between words are ignored. Files for other columns are ignored.

    Parameters
    ----------
    folder : path
        Searched without subfolders, for files ending in .csv, .tsv or .txt.
    columns : iterable of str
    encoding : str, optional
        Default: detected.

    Returns
    -------
    dict of str to Hierarchy
        In the order of `columns`, without columns that have no file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "survey_sex.csv").write_text("Female;*\\nMale;*\\n")
    >>> read_hierarchies(folder, ["age", "sex"])["sex"].leaves
    ('Female', 'Male')
    """
    files = match_files(folder, columns)
    return {column: read_hierarchy(file, encoding=encoding) for column, file in files.items()}


def match_files(folder: str | os.PathLike[str], columns: Iterable[str]) -> dict[str, Path]:
    """Which file of the folder belongs to which column."""
    place = Path(folder)
    if not os.path.isdir(place):
        what = "is a file, not a folder" if os.path.exists(place) else "does not exist"
        raise HierarchyError("the folder of hierarchies {file} {what}", file=File(place), what=what)
    files = sorted(
        file
        for file in place.iterdir()
        if file.suffix.lower() in _SUFFIXES and not file.name.startswith(".") and file.is_file()
    )
    wanted = list(columns)
    found: dict[str, Path] = {}
    for file in files:
        column = _column_of(file, wanted)
        if column is None:
            continue
        if column in found:
            raise HierarchyError(
                "two hierarchies for column {column} in {folder}: {one} and {other}",
                column=ColumnName(column), folder=File(place),
                one=File(found[column].name, bare=True), other=File(file.name, bare=True),
            )  # fmt: skip
        found[column] = file
    if not found:
        there = Listed([File(file.name, bare=True) for file in files])
        raise HierarchyError(
            "no hierarchy in {folder} fits a column: it contains {there}; the columns are "
            "{columns}", folder=File(place), there=there if files else "no .csv, .tsv or .txt file",
            columns=", ".join(wanted),
        )  # fmt: skip
    return {column: found[column] for column in wanted if column in found}


def _column_of(file: Path, columns: list[str]) -> str | None:
    """The column with the longest name that the file's name ends with."""
    stem = _normal(file.stem)
    fitting = [c for c in columns if _normal(c) and f"_{stem}".endswith(f"_{_normal(c)}")]
    longest = max((len(_normal(column)) for column in fitting), default=0)
    best = [column for column in fitting if len(_normal(column)) == longest]
    exact = [column for column in best if file.stem.endswith(column)]
    if len(best) > 1 and len(exact) != 1:
        raise HierarchyError(
            "hierarchy {file} fits the columns {columns} equally; give {option} as a mapping from "
            "column to file instead", file=File(file.name, bare=True),
            columns=Listed([ColumnName(name) for name in best], "and"),
            option=Option("hierarchies"),
        )  # fmt: skip
    return next(iter(exact or best), None)


def _normal(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.casefold()).strip("_")


def _text(file: Path, encoding: str | None) -> str:
    refuse_endless(file)
    try:
        return in_utf8(file.read_bytes(), file.name, encoding)[0].decode()
    except (FileNotFoundError, NotADirectoryError):
        raise HierarchyError("the hierarchy {file} does not exist", file=File(file)) from None
    except InputError as error:
        raise HierarchyError(error.message) from None
    except OSError as error:
        raise HierarchyError(
            "cannot read the hierarchy {file}: {error}", file=File(file), error=Foreign(str(error))
        ) from None


def flat_hierarchy(values: Iterable[Any], top: str = "*") -> Hierarchy:
    """All values directly below one top: a value is kept or suppressed.

    >>> flat_hierarchy(["Yes", "No"])
    Hierarchy built in code: 2 leaves, 2 levels
      *
        Yes
        No
    """
    return Hierarchy.from_paths((text, top) for text in _texts(values))


def prefix_hierarchy(
    values: Iterable[Any], lengths: Sequence[int] | None = None, mask: str = "*"
) -> Hierarchy:
    """Codes such as ZIP codes, masked from the right, one character per level.

    Parameters
    ----------
    values : iterable
        The codes. Codes of digits must have one length: a shorter one has probably lost its
        leading zeros. Other codes (ICD's ``A01`` and ``A01.1``) may differ: a shorter one skips
        the levels that keep more characters than it has.
    lengths : sequence of int, optional
        Number of characters that the levels keep. Default: one less at each level.
    mask : str
        The character for each one left out. Alone, it is the top.

    Examples
    --------
    >>> prefix_hierarchy(["35567", "35568", "35601"]).path(0)
    ('35567', '3556*', '355**', '35***', '3****', '*')
    >>> prefix_hierarchy(["35567", "35568", "35601"], lengths=[3]).path(0)
    ('35567', '355**', '*')
    """
    texts = _texts(values)
    longest = max(texts, key=len, default="")
    for text in texts:
        if len(text) != len(longest) and text.isdigit() and longest.isdigit():
            raise HierarchyError(
                "codes of digits must have one length, but {short} has {few} characters and {long} "
                "has {many}; if leading zeros were lost, read the column as text or restore them "
                "with str.zfill({many})",
                short=Cell(text), few=len(text), long=Cell(longest), many=len(longest),
            )  # fmt: skip
    kept = range(1, len(longest)) if lengths is None else sorted(set(lengths))
    for length in kept:
        if not 0 < length < len(longest):
            raise HierarchyError(
                "{option} must be between 1 and {most} for codes of {whole} characters, but "
                "{length} was given", option=Option("lengths"), most=len(longest) - 1,
                whole=len(longest), length=length,
            )  # fmt: skip
    return Hierarchy.from_paths(
        (
            text,
            *(text[:n] + mask * (len(longest) - n) for n in reversed(kept) if n <= len(text)),
            mask,
        )
        for text in texts
    )


def interval_hierarchy(
    values: Iterable[Any],
    *,
    widths: Sequence[float] = (5, 10, 20),
    low: float | None = None,
    high: float | None = None,
    top: str = "*",
) -> Hierarchy:
    """Numbers in nested intervals: ``[20, 25)`` in ``[20, 30)`` in ``[20, 40)``.

    Parameters
    ----------
    values : iterable of numbers
        The distinct numbers of a column. They become the leaves, ascending.
    widths : sequence of numbers
        From narrow to wide, each a multiple of the one before.
    low : number, optional
        Start of the first interval; smaller values share one node, ``< low``. Default: intervals
        start at multiples of their width.
    high : number, optional
        End of the last interval; values from there on share the node ``>= high``.

    Examples
    --------
    >>> interval_hierarchy([21, 24, 38, 93], widths=(5, 10), high=90)
    Hierarchy built in code: 4 leaves, 4 levels
      *
        [20, 30)
          [20, 25)
            21
            24
        [30, 40)
          [35, 40)
            38
        >= 90
          93

    To let a reader make it for a column:

    >>> from functools import partial
    >>> hierarchies = {"age": partial(interval_hierarchy, widths=(5, 20))}
    """
    steps = _checked_widths(widths)
    start = None if low is None else _exact(low)
    end = None if high is None else _exact(high)
    if start is not None and end is not None and start >= end:
        raise HierarchyError(
            "{low} must be below {high}", low=Option("low", low), high=Option("high", high)
        )
    numbers = {value_text(value): _exact(value) for value in values}
    paths: list[tuple[str, ...]] = []
    for text, number in sorted(numbers.items(), key=lambda item: item[1]):
        if start is not None and number < start:
            paths.append((text, f"< {_number_text(start)}", top))
        elif end is not None and number >= end:
            paths.append((text, f">= {_number_text(end)}", top))
        else:
            paths.append((text, *(_interval(number, step, start, end) for step in steps), top))
    return Hierarchy.from_paths(paths)


def _interval(
    number: Fraction, width: Fraction, start: Fraction | None, end: Fraction | None
) -> str:
    origin = Fraction(0) if start is None else start
    left = origin + (number - origin) // width * width
    right = left + width if end is None else min(left + width, end)
    return f"[{_number_text(left)}, {_number_text(right)})"


def _checked_widths(widths: Sequence[float]) -> list[Fraction]:
    steps = [_exact(width) for width in widths]
    if not steps or steps[0] <= 0:
        raise HierarchyError("{option} must be positive", option=Option("widths", tuple(widths)))
    for i in range(1, len(steps)):
        if steps[i] <= steps[i - 1] or steps[i] % steps[i - 1]:
            raise HierarchyError(
                "each of {option} must be a multiple of the one before, so that intervals nest, "
                "but {width} follows {before}",
                option=Option("widths"), width=str(widths[i]), before=str(widths[i - 1]),
            )  # fmt: skip
    return steps


def _exact(number: Any) -> Fraction:
    """The number as it is written, so that 0.3 is exactly three steps of 0.1."""
    try:
        return Fraction(value_text(number))
    except ValueError:
        raise HierarchyError(
            "intervals need finite numbers, but found {value}", value=Cell(number)
        ) from None


def _number_text(number: Fraction) -> str:
    return value_text(int(number) if number.denominator == 1 else float(number))


def _texts(values: Iterable[Any]) -> list[str]:
    if isinstance(values, str):
        raise HierarchyError(
            "values must be a sequence of values, but {value} was given", value=Cell(values)
        )
    return list(dict.fromkeys(value_text(value) for value in values))
