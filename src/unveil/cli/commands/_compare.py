"""The command ``unveil compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unveil.cli import _options as options
from unveil.cli._guard import guarded
from unveil.cli._typed import app

__all__ = ["compare"]


@app.command(
    # Paragraphs are not wrapped again: each is one line here.
    help="Compare two audits: what got better, and what worse.\n\n"
    "Exit codes: 0 done, 1 something got worse, with --strict, 2 wrong input.",
    epilog="""[bold]Examples[/bold]

  unveil compare before.json after.json

In CI, against the last version that was published:
  unveil compare published.json audit.json --strict""",
)
@guarded
def compare(
    before: Annotated[
        Path, typer.Argument(metavar="BEFORE", help="What unveil audit --json has written.")
    ],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="The same, later.")],
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Exit code 1 if a number got worse, or is no longer known."),
    ] = False,
    json: options.Json = None,
) -> None:
    """Compare two audits."""
    from unveil.cli._audits_read import compare as run

    run(before, after, strict=strict, json=json)
