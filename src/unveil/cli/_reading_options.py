"""The options that say which table to read and how, each said once.

Only typer is imported here: `unveil --help` must not wait for numpy.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "Categorical",
    "Columns",
    "Cuts",
    "Delimiter",
    "Encoding",
    "Hierarchies",
    "Identifier",
    "Missing",
    "MissingValue",
    "Numeric",
    "OptionalTable",
    "Ordinal",
    "Parts",
    "Quantiles",
    "Quasi",
    "Sensitive",
    "Table",
    "WhatIsMissing",
]

ROLES = "Who and what"
READING = "Reading the table"


class WhatIsMissing(StrEnum):
    """The choices of ``--missing``."""

    ERROR = "error"
    DROP = "drop"
    CATEGORY = "category"


Table = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="The original table, one row a person: CSV (may be packed: .gz), or .parquet.",
        show_default=False,
    ),
]

OptionalTable = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        help="The original table, one row a person: CSV (may be packed: .gz), or .parquet. May be "
        "left out where it is not at hand.",
        show_default=False,
    ),
]

Quasi = Annotated[
    list[str],
    typer.Option(
        "--quasi",
        "-q",
        metavar="COLUMNS",
        help="What an attacker may know about somebody: age,education,country",
        rich_help_panel=ROLES,
        show_default=False,
    ),
]

Sensitive = Annotated[
    str,
    typer.Option(
        "--sensitive",
        "-s",
        metavar="COLUMN",
        help="What an attacker wants to know.",
        rich_help_panel=ROLES,
        show_default=False,
    ),
]

Identifier = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="What names a person. Never used.",
        rich_help_panel=ROLES,
        show_default=False,
    ),
]

Hierarchies = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Generalization hierarchies, one file a column.",
        rich_help_panel=READING,
        show_default=False,
    ),
]

Missing = Annotated[
    WhatIsMissing,
    typer.Option(
        help="What to do about missing values: refuse them, leave these records out, or make "
        "missing a value of its own.",
        rich_help_panel=READING,
    ),
]

MissingValue = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT",
        help="A text that means missing, besides empty cells: '?'. May be repeated.",
        rich_help_panel=READING,
        show_default=False,
    ),
]

Numeric = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="Columns to take as numbers.",
        rich_help_panel=READING,
        show_default=False,
    ),
]

Categorical = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="Columns to take as words, even if they look like numbers.",
        rich_help_panel=READING,
        show_default=False,
    ),
]

Ordinal = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=LEVELS",
        help="A column whose values have an order, with all levels from low to high: "
        "'education=low|mid|high'. May be repeated.",
        rich_help_panel=READING,
        show_default=False,
    ),
]

Cuts = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=NUMBERS",
        help="Put a column of numbers into parts that begin at these: 'age=20,40,60'. May be "
        "repeated.",
        rich_help_panel=READING,
        show_default=False,
    ),
]

Parts = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=N",
        help="Put a column of numbers into N parts of equal width: 'age=5'. May be repeated.",
        rich_help_panel=READING,
        show_default=False,
    ),
]

Quantiles = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=N",
        help="Put a column of numbers into N parts with about as many records each: 'age=4'. May "
        "be repeated.",
        rich_help_panel=READING,
        show_default=False,
    ),
]

Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER",
        help="What parts the cells of a CSV file (\\t: a tab). Default: found out.",
        rich_help_panel=READING,
        show_default=False,
    ),
]

Encoding = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Encoding of a CSV file. Default: utf-8",
        rich_help_panel=READING,
        show_default=False,
    ),
]

Columns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="Names of all columns, for a CSV file without a header.",
        rich_help_panel=READING,
        show_default=False,
    ),
]
