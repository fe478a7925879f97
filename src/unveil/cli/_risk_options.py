"""Options of ``unveil definetti``, until its command is made from its declaration."""

from __future__ import annotations

from typing import Annotated

import typer

from unveil.cli._options import OUTPUT

__all__ = ["MODEL", "Risks"]

MODEL = "The model"

Risks = Annotated[
    bool,
    typer.Option(
        "--records",
        help="Put what is believed about every record into the JSON as well.",
        rich_help_panel=OUTPUT,
    ),
]
