"""Options of ``unveil definetti`` about another table of people."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Map", "Recode"]

PEOPLE = "Whom an attacker knows"

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
