"""The command ``unveil report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unveil.cli import _audit_options as auditing
from unveil.cli._guard import guarded
from unveil.cli._typed import app

__all__ = ["report"]


@app.command(
    epilog="""[bold]Examples[/bold]

  unveil report audit.json
  unveil report audit.json -o for-the-board.html"""
)
@guarded
def report(
    audit: auditing.AuditFile,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="OUT",
            help="Where the page goes; by default beside the JSON: audit.html. A dash (-) means "
            "standard output.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Make the report of an audit that was done before, from its JSON."""
    from unveil.cli._audits_read import render

    render(audit, out)
