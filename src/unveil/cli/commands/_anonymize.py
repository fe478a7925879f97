"""The command ``unveil anonymize``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unveil.cli._guard import guarded
from unveil.cli._reading import Reading
from unveil.cli._taking_a_table import takes_a_table
from unveil.cli._typed import app

__all__ = ["anonymize"]


@app.command(
    epilog="""[bold]Examples[/bold]

  unveil anonymize survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5 -o released.csv

  unveil anonymize survey.parquet --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5,l=2 --hierarchies trees/ -o released.parquet"""
)
@guarded
@takes_a_table
def anonymize(
    reading: Reading,
    sanitizer: Annotated[
        list[str],
        typer.Option(
            metavar="NAME:OPTIONS",
            help="How: mondrian:k=5, mondrian:k=5,l=2, recoding:k=5,suppression=0.05, anatomy:l=3, "
            "microaggregation:k=5, randomized-response:epsilon=1.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="OUT",
            help="Where the released table goes: .csv or .parquet. A dash (-) means standard "
            "output, as CSV. For the two tables of anatomy, a folder.",
            show_default=False,
        ),
    ],
) -> None:
    """Anonymize a table and write what would be published.

    Only the quasi-identifiers, generalized, and the sensitive column are written.
    """
    from unveil.cli._anonymize import anonymize as run

    run(reading, sanitizer, out)
