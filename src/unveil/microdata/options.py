"""Options of readers: the roles of columns, how a table is read, and how published cells are.

Declared once, for Python, shell and project file; see `unveil.options`.
"""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from annotated_types import Ge

from unveil.options import Help, Shell, by_column, names

_DATE = re.compile(r"\d{4}-\d{2}")
_MOST_VALUES = 1_000_000  # that are written out
_RANGE = re.compile(r"(-?\d{1,9})-(-?\d{1,9})", re.ASCII)


def _levels(text: str) -> list[str] | None:
    found = [level.strip() for level in text.split("|")]
    return found if all(found) else None


def _edges(text: str) -> list[float | str] | None:
    """Where parts begin, open at both ends; dates stay texts.

    >>> _edges("20, 40"), _edges("2001-05"), _edges("40,20")
    ([-inf, 20.0, 40.0, inf], [-inf, '2001-05', inf], None)
    """
    cells: list[Any] = [cell.strip() for cell in text.split(",")]
    if not all(_DATE.match(cell) for cell in cells):
        try:
            cells = [float(cell) for cell in cells]
        except ValueError:
            return None
        if not all(map(math.isfinite, cells)) or any(a >= b for a, b in itertools.pairwise(cells)):
            return None
    return [-math.inf, *cells, math.inf]


def _number_of_parts(text: str) -> int | None:
    short = len(text) < 10  # Python refuses to read thousands of digits
    return int(text) if short and text.isascii() and text.isdigit() and int(text) > 0 else None


def _values(text: str) -> Sequence[str] | range | list[int] | None:
    """Values with bars between them, ranges of whole numbers among these.

    >>> _values("45501|45502"), _values("20-23"), _values("1-2|5-6"), _values("a||b")
    (['45501', '45502'], range(20, 24), [1, 2, 5, 6], None)
    """
    parts = [part.strip() for part in text.split("|")]
    ranges = [_RANGE.fullmatch(part) for part in parts]
    between = [range(int(one[1]), int(one[2]) + 1) for one in ranges if one is not None]
    if len(between) < len(parts):  # names, whatever they look like
        return parts if all(parts) else None
    if not all(between) or (len(between) > 1 and sum(map(len, between)) > _MOST_VALUES):
        return None
    return between[0] if len(between) == 1 else [number for one in between for number in one]


def _stands_for(text: str) -> dict[str, list[str]] | None:
    """The values that published texts stand for.

    >>> _stands_for("v->female|m->male"), _stands_for("North->Oslo|North->Bergen"), _stands_for("x")
    ({'v': ['female'], 'm': ['male']}, {'North': ['Oslo', 'Bergen']}, None)
    """
    found: dict[str, list[str]] = {}
    for pair in text.split("|"):
        published, _, value = (part.strip() for part in pair.partition("->"))
        if not published or not value:
            return None
        found.setdefault(published, []).append(value)
    return found


Names = str | Sequence[str]

Quasi = Annotated[
    Names,
    Help(
        "Quasi-identifiers: what the attacker may know of a person, such as age,education,country."
    ),
    Shell(parse=names, metavar="COLUMNS", letter="q"),
]
Sensitive = Annotated[
    str,
    Help("Sensitive column: what the attacker wants to know."),
    Shell(metavar="COLUMN", letter="s"),
]
Identifier = Annotated[
    Names | None,
    Help("Identifiers: columns that name a person."),
    Shell(parse=names, metavar="COLUMNS"),
]
Person = Annotated[
    Names | Literal[False] | None,
    Help(
        "Column that says whose a row is, if a person may have several rows, such as patient; or "
        "none: each row is another person's. Default: identifiers that repeat are asked about."
    ),
    Shell(parse=lambda texts: False if texts == ["none"] else names(texts), metavar="COLUMNS"),
]
Hierarchies = Annotated[
    str | os.PathLike[str] | None,
    Help("Folder of generalization hierarchies, one file per column."),
    Shell(metavar="FOLDER", path=True),
]
Missing = Annotated[
    Literal["error", "drop", "category", "keep"],
    Help(
        "Missing values: refuse them, leave these records out, or treat missing as a value of its "
        "own; keep: a value of quasi-identifiers, and each sensitive column is tested over the "
        "people who have it."
    ),
]
MissingValues = Annotated[
    Sequence[str] | None,
    Help("Text that means missing, besides empty cells: '?'. May be repeated."),
    Shell(parse=list, metavar="TEXT"),
]
Numeric = Annotated[
    Names | None, Help("Columns to read as numbers."), Shell(parse=names, metavar="COLUMNS")
]
Categorical = Annotated[
    Names | None,
    Help("Columns to read as words, even if they look like numbers."),
    Shell(parse=names, metavar="COLUMNS"),
]
Ordinal = Annotated[
    Mapping[str, Sequence[Any]] | None,
    Help(
        "Column whose values have an order, with all levels from low to high: "
        "'education=low|mid|high'. May be repeated."
    ),
    Shell(
        parse=by_column("ordinal", "'education=low|mid|high', from low to high", _levels),
        metavar="COLUMN=LEVELS",
    ),
]
Forms = Annotated[
    Mapping[str, str] | None,
    Help(
        "How the dates or numbers of a column are written: 'born=dd.mm.yyyy', "
        "'income=1.234,56'. Default: detected; what can be read in several ways is asked about. "
        "May be repeated."
    ),
    Shell(
        parse=by_column("forms", "'born=dd.mm.yyyy' or 'income=1.234,56'", str, last=True),
        metavar="COLUMN=FORM",
    ),
]
Cuts = Annotated[
    Mapping[str, Sequence[Any]] | None,
    Help(
        "Split a numeric column into parts that begin at these numbers: 'age=20,40,60'. May be "
        "repeated."
    ),
    Shell(
        parse=by_column(
            "cuts", "'age=20,40,60', with numbers or dates in ascending order", _edges, last=True
        ),
        metavar="COLUMN=NUMBERS",
    ),
]
_PARTS = "'age=4', with the number of parts, from 1 up; to say where they begin, use --cuts"
Parts = Annotated[
    Mapping[str, int] | None,
    Help("Split a numeric column into N parts of equal width: 'age=5'. May be repeated."),
    Shell(parse=by_column("parts", _PARTS, _number_of_parts, last=True), metavar="COLUMN=N"),
]
Quantiles = Annotated[
    Mapping[str, int] | None,
    Help(
        "Split a numeric column into N parts with about as many records each: 'age=4'. May be "
        "repeated."
    ),
    Shell(parse=by_column("quantiles", _PARTS, _number_of_parts, last=True), metavar="COLUMN=N"),
]
Delimiter = Annotated[
    str | None,
    Help("CSV delimiter ('\\t' is a tab). Default: detected."),
    Shell(parse=lambda texts: "\t" if texts[-1] == "\\t" else texts[-1], metavar="CHARACTER"),
]
Encoding = Annotated[
    str | None,
    Help("Encoding of a CSV file, such as cp850. Default: detected."),
    Shell(metavar="NAME"),
]
Header = Annotated[
    Sequence[str] | Mapping[int, str] | None,
    Help("Names of all columns, for a CSV file without a header."),
    Shell(parse=names, metavar="COLUMNS"),
]

Sheet = Annotated[
    str | None,
    Help("Sheet of an Excel workbook. Default: the first."),
    Shell(metavar="NAME"),
]

Notation = Annotated[
    Mapping[str, str] | None,
    Help(
        "How the cells of a published column are written, where that is not clear: 'age=range'; or "
        "interval, mask, prefix, set, list, node, value. May be repeated."
    ),
    Shell(parse=by_column("notation", "'age=range'", str, last=True), metavar="COLUMN=HOW"),
]
How = Annotated[
    Mapping[str, str] | None,
    Help(
        "How a column was coarsened in --published, where its cells alone do not tell: "
        "'born=year', 'pay=rounded 1000, top 90000', 'age=age 2024-12-31', 'zip=prefix 3', "
        "'pay=perturbed'. May be repeated."
    ),
    Shell(parse=by_column("how", "'born=year'", str), metavar="COLUMN=WORDS"),
]
Cells = Annotated[
    Mapping[str, Mapping[str, Sequence[str]]] | None,
    Help(
        "Which values of a column the texts in --published stand for: 'sex=v->female|m->male', "
        "also several values for one text. May be repeated."
    ),
    Shell(parse=by_column("cells", "'sex=v->female|m->male'", _stands_for),
          metavar="COLUMN=TEXT->VALUE|…"),
]  # fmt: skip
RenameReleased = Annotated[
    Mapping[str, str] | None,
    Help(
        "Column of --published that has another name in FILE: 'age_group=age' if it is called "
        "age_group in the release. May be repeated."
    ),
    Shell(parse=by_column("rename", "'age_group=age'", str, last=True),
          metavar="PUBLISHED=ORIGINAL"),
]  # fmt: skip
GroupColumn = Annotated[
    str | None,
    Help("Column with the groups of --anatomy. Default: group."),
    Shell(metavar="COLUMN"),
]
CountColumn = Annotated[
    str | Literal[False] | None,
    Help(
        "Column with the number of people that a row stands for, in tables of counts; 'none' if "
        "each row is one person. Default: a row is one person, and what looks like a table of "
        "counts is asked about."
    ),
    Shell(parse=lambda texts: texts[-1] != "none" and texts[-1], metavar="COLUMN"),
]
Domains = Annotated[
    Mapping[str, Any] | None,
    Help(
        "Without FILE: all values of a column, 'zip=45501|45502' or 'age=17-90'. Default: those "
        "that the release names. May be repeated."
    ),
    Shell(
        parse=by_column("domains", "'zip=45501|45502', or 'age=17-90' for whole numbers", _values),
        metavar="COLUMN=VALUES",
    ),
]
MayChange = Annotated[
    bool, Help("Sensitive values of --published may have been changed, as noise does.")
]
Retries = Annotated[
    int | None,
    Ge(0),
    Help("Number of retries after a failed run. Default: 1."),
    Shell(metavar="N"),
]
