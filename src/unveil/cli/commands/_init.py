"""The command ``unveil init``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unveil.cli import _reading_options as options
from unveil.cli._guard import guarded
from unveil.cli._typed import app

__all__ = ["init"]


@app.command(
    # Paragraphs are not wrapped again: each is one line here.
    help="Look at a table and write a first project file: who is named in it, what an attacker may "
    "know, what he may want to know, and why it looks so.\n\n"
    "It is a proposal: read it, and correct it. Neither what is printed nor the file shows a value "
    "of an identifier, or one that fewer than five people have.\n\n"
    "Exit codes: 0 done, 2 wrong input, or a file that is there already.",
    epilog="""[bold]Examples[/bold]

  unveil init survey.csv

A file without a header, and where the project goes:
  unveil init survey.data --columns age,zip,sex,income -o survey.toml""",
)
@guarded
def init(
    file: options.Table,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="OUT",
            help="Where the project file goes. A dash (-) means standard output.",
        ),
    ] = Path("unveil.toml"),
    force: Annotated[
        bool, typer.Option("--force", help="Replace a project file that is there already.")
    ] = False,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    columns: options.Columns = None,
) -> None:
    """Propose what is what in a table."""
    from unveil.cli._init import Init

    Init(
        file=file, out=out, force=force, delimiter=delimiter, encoding=encoding, columns=columns
    ).run()
