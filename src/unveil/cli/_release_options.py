"""The options that say which releases a command is about, each said once.

Only typer is imported here: `unveil --help` must not wait for numpy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unveil.cli._reading_options import READING

__all__ = [
    "Anatomies",
    "Count",
    "Group",
    "MayChange",
    "OnlySanitizers",
    "Releases",
    "Sanitizers",
    "SensitiveTables",
    "Values",
]

PUBLISHED = "What was published"

Releases = Annotated[
    list[Path] | None,
    typer.Option(
        "--release",
        metavar="FILE",
        help="A published file of generalized records (CSV or .parquet). May be repeated. A name "
        "for it may stand before: 'city=published.csv'.",
        rich_help_panel=PUBLISHED,
        show_default=False,
    ),
]
Anatomies = Annotated[
    list[Path] | None,
    typer.Option(
        "--anatomy",
        metavar="FILE",
        help="The records of an Anatomy release with their groups; or the folder that has both of "
        "its tables, quasi_table.csv and sensitive_table.csv. May be repeated.",
        rich_help_panel=PUBLISHED,
        show_default=False,
    ),
]
SensitiveTables = Annotated[
    list[Path] | None,
    typer.Option(
        "--sensitive-table",
        metavar="FILE",
        help="The other table of --anatomy: the sensitive values of each group. The second belongs "
        "to the second --anatomy, and so on.",
        rich_help_panel=PUBLISHED,
        show_default=False,
    ),
]
Sanitizers = Annotated[
    list[str] | None,
    typer.Option(
        "--sanitizer",
        metavar="NAME:OPTIONS",
        help="What this publishes of FILE: mondrian:k=5, mondrian:k=5,l=2 … May be repeated. "
        "Default, if nothing was published: identity, and mondrian with k = 2, 5, 10 and 20.",
        rich_help_panel=PUBLISHED,
        show_default=False,
    ),
]
Group = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column with the groups of --anatomy. Default: group",
        rich_help_panel=PUBLISHED,
        show_default=False,
    ),
]
Count = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column that says how many records a row stands for. Default: count, in the "
        "sensitive table of --anatomy, or where the numbers in it add up.",
        rich_help_panel=PUBLISHED,
        show_default=False,
    ),
]
Values = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=VALUES",
        help="Without FILE: all values of a column, 'zip=45501|45502' or 'age=17-90'. Default: "
        "those that the release names. May be repeated.",
        rich_help_panel=READING,
        show_default=False,
    ),
]
MayChange = Annotated[
    bool,
    typer.Option(
        "--may-change-sensitive",
        help="Sensitive values of --release may have been changed, as noise does.",
        rich_help_panel=PUBLISHED,
    ),
]
OnlySanitizers = Annotated[
    list[str] | None,
    typer.Option(
        "--sanitizer",
        metavar="NAME:OPTIONS",
        help="What this publishes of FILE: mondrian:k=5, recoding:k=5,suppression=0.05, "
        "anatomy:l=3 … May be repeated.",
        rich_help_panel=PUBLISHED,
        show_default=False,
    ),
]
