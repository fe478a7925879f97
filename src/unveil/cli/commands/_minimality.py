"""The command ``unveil minimality``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unveil.cli import _options as options
from unveil.cli._guard import guarded
from unveil.cli._reading import Reading
from unveil.cli._taking_a_table import takes_a_table
from unveil.cli._typed import app

__all__ = ["minimality"]


@app.command(
    # Paragraphs are not wrapped again: each is one line here.
    help="Count what is believed of people by those who also know how the release was made.\n\n"
    "A sanitizer generalizes no more than its goal demands: where it did not cut further, the "
    "secrets of a part must have missed the goal. Of all ways to give the published secrets to "
    "the people of each class, those are kept of which the sanitizer makes the same release.\n\n"
    "Exit codes: 0 done, 2 wrong input, 130 interrupted.",
    epilog="""[bold]Examples[/bold]

  unveil minimality survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5,l=2

What was published, and what is believed of the person in row 17:
  unveil minimality survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5,l=2 --release published.csv --person 17""",
)
@guarded
@takes_a_table
def minimality(
    reading: Reading,
    sanitizer: Annotated[
        list[str],
        typer.Option(
            metavar="NAME:OPTIONS",
            help="What made the release: mondrian:k=5,l=3, recoding:k=5,t=0.2,suppression=0.05 …",
            rich_help_panel=options.TEST,
            show_default=False,
        ),
    ],
    release: Annotated[
        Path | None,
        typer.Option(
            metavar="RELEASE",
            help="What was published, all records of it; it must be what the sanitizer makes.",
            rich_help_panel=options.TEST,
            show_default=False,
        ),
    ] = None,
    notation: options.Notation = None,
    person: Annotated[
        list[int] | None,
        typer.Option(
            metavar="ROW",
            help="Also say what is believed of the person in this row, counted from 1. It shows "
            "microdata.",
            rich_help_panel=options.TEST,
            show_default=False,
        ),
    ] = None,
    scope: Annotated[
        options.HowScoped | None,
        typer.Option(
            help="Take everything into account that was refused, or of each class only what was "
            "refused within it. Default: everything where that can be found out.",
            rich_help_panel=options.TEST,
            show_default=False,
        ),
    ] = None,
    steps: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="How long to count all worlds of a few classes, before some are drawn instead.",
            min=1,
            rich_help_panel=options.TEST,
        ),
    ] = 200_000,
    draws: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="How many worlds are drawn.",
            min=1,
            rich_help_panel=options.TEST,
            show_default=False,
        ),
    ] = None,
    seed: options.Seed = 0,
    json: options.Json = None,
    records: Annotated[
        bool,
        typer.Option(
            "--records",
            help="Put what is believed of every record into the JSON as well.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = False,
    plot: options.Plot = None,
) -> None:
    """Count what the way of working tells."""
    from unveil.cli._asked import notations
    from unveil.cli._minimality import MinimalityTest

    MinimalityTest(
        reading=reading, sanitizers=sanitizer, release=release, notation=notations(notation),
        person=person or (), scope=None if scope is None else str(scope), steps=steps,
        draws=draws, seed=seed, json=json, records=records, plot=plot,
    ).run()  # fmt: skip
