"""The options of ``unveil definetti`` that no other command has.

Only typer is imported here: `unveil --help` must not wait for numpy.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from unveil.cli._options import OUTPUT
from unveil.cli._people_options import PEOPLE
from unveil.cli._risk_options import MODEL

__all__ = ["By", "How", "Method", "People", "Rounds", "Smoothing", "Steps", "Worst"]


class How(StrEnum):
    """The choices of ``--method``."""

    DEFINETTI = "definetti"
    FOREGROUND = "foreground"


People = Annotated[
    Path | None,
    typer.Option(
        metavar="PEOPLE",
        help="The people whom the attacker knows, with their quasi-identifiers (CSV or .parquet). "
        "With --identifier, which both must have, they are found in FILE. Default: those of FILE, "
        "or the records of --anatomy.",
        rich_help_panel=PEOPLE,
        show_default=False,
    ),
]
Method = Annotated[
    How,
    typer.Option(
        help="Learn and re-weigh until beliefs rest, with all columns; or once, with one "
        "attribute.",
        rich_help_panel=MODEL,
    ),
]
By = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="The quasi-identifiers that are learnt from. Default: all; for foreground, the one "
        "that tells most.",
        rich_help_panel=MODEL,
        show_default=False,
    ),
]
Smoothing = Annotated[
    float | None,
    typer.Option(
        metavar="N",
        help="How many people the prior of each sensitive value is worth. Default: as many as "
        "have one on average.",
        rich_help_panel=MODEL,
        show_default=False,
    ),
]
Rounds = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="The most that are made. Default: 100",
        min=1,
        rich_help_panel=MODEL,
        show_default=False,
    ),
]
Steps = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="How many steps a person an exact answer about a group may take.",
        min=0,
        rich_help_panel=MODEL,
    ),
]
Worst = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="List the N people of each release about whom most is believed beyond the shares of "
        "their group. Shows microdata.",
        min=0,
        rich_help_panel=OUTPUT,
    ),
]
