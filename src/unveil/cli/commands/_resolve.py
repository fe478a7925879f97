"""The command ``unveil resolve``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unveil.cli import _audit_options as auditing
from unveil.cli import _reading_options as options
from unveil.cli._guard import guarded
from unveil.cli._typed import app

__all__ = ["resolve"]


@app.command(
    # Paragraphs are not wrapped again: each is one line here.
    help="Say who is behind the references of a report, for the owner of the table and the key.\n\n"
    "Prints original records.",
    epilog="""[bold]Examples[/bold]

  unveil resolve survey.csv '#0a1b2c3d4e5f' '#ffeeddccbbaa' --key report.key
  unveil resolve --project unveil.toml 0a1b2c3d4e5f --key report.key""",
)
@guarded
def resolve(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE REFERENCE…",
            help="The table that was audited, and references as the report has them.",
            show_default=False,
        ),
    ],
    key: Annotated[
        Path,
        typer.Option(
            "--key",
            metavar="FILE",
            help="What the audit wrote beside its report.",
            show_default=False,
        ),
    ],
    project: auditing.Project = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    columns: options.Columns = None,
) -> None:
    """Say who is behind the references of a report."""
    from unveil.cli._resolve import Resolve

    Resolve(
        what=what, key=key, project=project, delimiter=delimiter, encoding=encoding,
        columns=columns,
    ).run()  # fmt: skip
