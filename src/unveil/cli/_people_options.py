"""The options of ``unveil linkage`` and ``unveil composition``: whom an attacker knows.

Only typer is imported here: `unveil --help` must not wait for numpy.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from unveil.cli._options import OUTPUT, TEST
from unveil.cli._reading_options import ROLES

__all__ = [
    "Csv",
    "External",
    "Gaps",
    "HowGaps",
    "HowUnknown",
    "Identifier",
    "Known",
    "Least",
    "Map",
    "Persons",
    "Pseudonym",
    "Recode",
    "RecordOf",
    "Rows",
    "UnknownValues",
]

PEOPLE = "Whom an attacker knows"


class HowUnknown(StrEnum):
    """The choices of ``--unknown``."""

    ERROR = "error"
    APART = "apart"


class HowGaps(StrEnum):
    """The choices of ``--missing-people``."""

    ERROR = "error"
    DROP = "drop"
    ANY = "any"
    CATEGORY = "category"


External = Annotated[
    Path | None,
    typer.Option(
        "--external",
        metavar="PEOPLE",
        help="A table of people, with names and the quasi-identifiers: CSV or .parquet. A dash (-) "
        "means standard input. Default: those of FILE.",
        rich_help_panel=PEOPLE,
        show_default=False,
    ),
]
Identifier = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="The column that names people, in PEOPLE and in FILE.",
        rich_help_panel=ROLES,
        show_default=False,
    ),
]
Known = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="The quasi-identifiers that the attacker knows. Default: all.",
        rich_help_panel=PEOPLE,
        show_default=False,
    ),
]
Map = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="COLUMN=THEIR COLUMN",
        help="A column that has another name in PEOPLE: 'zip=postcode'. May be repeated.",
        rich_help_panel=PEOPLE,
        show_default=False,
    ),
]
Recode = Annotated[
    list[str] | None,
    typer.Option(
        "--recode",
        metavar="COLUMN=THEIRS->OURS|…",
        help="Values that have other names in PEOPLE: 'sex=F->Female|M->Male'. Nothing behind the "
        "arrow means a value that the release does not have. May be repeated.",
        rich_help_panel=PEOPLE,
        show_default=False,
    ),
]
UnknownValues = Annotated[
    HowUnknown,
    typer.Option(
        "--unknown",
        help="What to do about words that the release does not know: refuse them, or take them "
        "for values that only a whole column (*) covers.",
        rich_help_panel=PEOPLE,
    ),
]
Gaps = Annotated[
    HowGaps,
    typer.Option(
        "--missing-people",
        help="What to do about missing values in PEOPLE: refuse them, leave these people out, let "
        "any cell cover them, or take them for the release's own missing value.",
        rich_help_panel=PEOPLE,
    ),
]
RecordOf = Annotated[
    str | None,
    typer.Option(
        "--record-of",
        metavar="COLUMN",
        help="Instead of names, a column of PEOPLE with the row of FILE that is theirs, counted "
        "from 1 without the header; empty for people who are not in it.",
        rich_help_panel=PEOPLE,
        show_default=False,
    ),
]
Persons = Annotated[
    list[str] | None,
    typer.Option(
        "--person",
        metavar="NAME",
        help="Say what the candidates of somebody have; without --identifier, somebody's row, from "
        "1. Shows people. May be repeated.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]
Least = Annotated[
    int | None,
    typer.Option(
        "--k",
        metavar="K",
        help="How many candidates everybody should have. Default: as many records as the smallest "
        "class of all releases has.",
        min=1,
        rich_help_panel=TEST,
        show_default=False,
    ),
]
Pseudonym = Annotated[
    str | None,
    typer.Option(
        "--pseudonym",
        metavar="COLUMN",
        help="A column of all releases (for --sanitizer: of FILE) that tells which records are the "
        "same person's: the number of candidates is then exact.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]
Csv = Annotated[
    Path | None,
    typer.Option(
        "--csv",
        metavar="OUT",
        help="Write a row for everybody. Shows people. A dash (-) means standard output.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
Rows = Annotated[
    bool,
    typer.Option(
        "--records",
        help="Put everybody's row into the JSON as well.",
        rich_help_panel=OUTPUT,
    ),
]
