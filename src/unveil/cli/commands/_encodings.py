"""The command ``unveil encodings``."""

from __future__ import annotations

from typing import Annotated

import typer

from unveil.cli import _options as options
from unveil.cli._guard import guarded
from unveil.cli._reading import Reading
from unveil.cli._taking_a_table import takes_a_table
from unveil.cli._typed import app

__all__ = ["encodings"]


@app.command(
    epilog="""[bold]Examples[/bold]

  unveil encodings survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5 --sanitizer mondrian:k=20 --plot encodings.png"""
)
@guarded
@takes_a_table
def encodings(
    reading: Reading,
    sanitizer: options.Sanitizers = None,
    adversary: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Who guesses: naive-bayes, tree, forest, logistic, boosting, neighbours, "
            "gaussian-nb.",
            rich_help_panel=options.TEST,
        ),
    ] = "naive-bayes",
    seed: options.Seed = 0,
    json: options.Json = None,
    plot: options.Plot = None,
) -> None:
    """Compare 24 ways to write generalized cells as numbers for a classifier.

    How well does an attacker guess with each of them, how many features does it take, and how
    long?
    """
    from unveil.cli._encodings import encodings as run

    run(reading, sanitizer or (), adversary=adversary, seed=seed, json=json, plot=plot)
