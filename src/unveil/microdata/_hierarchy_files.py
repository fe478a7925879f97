"""Hierarchies from files in the manner of ARX: one line a value, ``value;level 1;…;*``."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable
from pathlib import Path

from unveil.errors import HierarchyError
from unveil.microdata._hierarchy import Hierarchy

__all__ = ["match_files", "read_hierarchies", "read_hierarchy"]

SUFFIXES = (".csv", ".tsv", ".txt")


def read_hierarchy(
    path: str | os.PathLike[str], *, delimiter: str | None = None, encoding: str = "utf-8"
) -> Hierarchy:
    """Read one generalization tree.

    One line a value: the value, what lies directly above it, and so on up to a common top,
    usually ``*``. Paths may differ in length; blanks around labels, empty cells and empty lines
    do not count; a label repeated right after itself is one node.

    Parameters
    ----------
    path : path
    delimiter : str, optional
        Found out from the file by default: ``;`` if there is one anywhere, else a tab, else a
        comma.
    encoding : str

    Raises
    ------
    HierarchyError
        Where the lines do not form a tree. The message names the lines.

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
        raise HierarchyError(f"delimiter must be one character, but {delimiter!r} was given")
    paths, lines = [], []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                paths.append(cells)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise HierarchyError(
            f"hierarchy {file.name}, line {reader.line_num}: {error}; a cell with quotes must be "
            "quoted as a whole, with its own quotes doubled"
        ) from None
    if not paths:
        raise HierarchyError(
            f"hierarchy {file.name} is empty: it needs one line a value, such as 'Lyon;France;*'"
        )
    return Hierarchy.from_paths(paths, source=file.name, lines=lines)


def read_hierarchies(
    folder: str | os.PathLike[str], columns: Iterable[str], *, encoding: str = "utf-8"
) -> dict[str, Hierarchy]:
    """Read the hierarchies that a folder holds for these columns.

    A file belongs to a column if its name (without ending) is the column's, or ends with it:
    ``adult_hierarchy_marital-status.csv`` is for ``marital_status``. Case does not matter, nor
    which characters part the words. Files for other columns are left alone.

    Parameters
    ----------
    folder : path
        Looked at without its subfolders, for files ending in .csv, .tsv or .txt.
    columns : iterable of str
    encoding : str

    Returns
    -------
    dict of str to Hierarchy
        In the order of `columns`; columns without a file are not in it.

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
    """Say which file of the folder belongs to which column."""
    place = Path(folder)
    if not place.is_dir():
        what = "is a file, not a folder" if place.exists() else "does not exist"
        raise HierarchyError(f"the folder of hierarchies {str(place)!r} {what}")
    files = sorted(
        file
        for file in place.iterdir()
        if file.suffix.lower() in SUFFIXES and not file.name.startswith(".") and file.is_file()
    )
    wanted = list(columns)
    found: dict[str, Path] = {}
    for file in files:
        column = _column_of(file, wanted)
        if column is None:
            continue
        if column in found:
            raise HierarchyError(
                f"two hierarchies for column {column!r} in {str(place)!r}: "
                f"{found[column].name} and {file.name}"
            )
        found[column] = file
    if not found:
        there = ", ".join(file.name for file in files) or "no .csv, .tsv or .txt file"
        raise HierarchyError(
            f"no hierarchy in {str(place)!r} fits a column: there is {there}; "
            f"the columns are {', '.join(wanted)}"
        )
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
            f"hierarchy {file.name} fits the columns {' and '.join(map(repr, best))} alike; give "
            f"hierarchies as a mapping from column to file instead"
        )
    return next(iter(exact or best), None)


def _normal(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.casefold()).strip("_")


def _text(file: Path, encoding: str) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise HierarchyError(
            f"hierarchy {file.name}, line {line} is not {encoding}; "
            'say which encoding it is in, for instance encoding="latin-1"'
        ) from None
    except LookupError:
        raise HierarchyError(f"encoding {encoding!r} is not known") from None
    except FileNotFoundError:
        raise HierarchyError(f"the hierarchy {str(file)!r} does not exist") from None
    except OSError as error:
        raise HierarchyError(f"cannot read the hierarchy {str(file)!r}: {error}") from None
