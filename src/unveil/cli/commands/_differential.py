"""The command ``unveil differential``."""

from __future__ import annotations

from typing import Annotated

import typer

from unveil.cli import _options as options
from unveil.cli._guard import guarded
from unveil.cli._reading import Reading
from unveil.cli._taking_a_table import takes_a_table
from unveil.cli._typed import app

__all__ = ["differential"]


@app.command(
    # Paragraphs are not wrapped again: each is one line here.
    help="Test how much each person's own record gives them away, under several anonymizations.\n\n"
    "For every person: what does an attacker believe about their secret, and what would he "
    "believe had their record not been in the table? The anonymization is run again without "
    "them, exactly.\n\n"
    "Exit codes: 0 done, 2 wrong input or an anonymization that could not be done, "
    "130 interrupted.",
    epilog="""[bold]Examples[/bold]

A first look:
  unveil differential survey.csv --quasi age,zip,sex --sensitive income

What somebody else anonymized, by their own program, and three attackers:
  unveil differential survey.csv --quasi age,zip,sex --sensitive income \\
         --oracle './anonymize {input} {output}' --budget '10 min' \\
         --adversary naive-bayes --adversary forest --adversary logistic

Two candidates, and the ten people each of them serves worst:
  unveil differential survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5 --sanitizer mondrian:k=5,l=2 --worst 10

Missing values marked by a question mark, left out; everything for a machine to read:
  unveil differential survey.csv --quasi age,zip,sex --sensitive income \\
         --missing drop --missing-value '?' --json - --records""",
)
@guarded
@takes_a_table
def differential(
    reading: Reading,
    sanitizer: options.Sanitizers = None,
    oracle: options.Oracle = None,
    notation: options.Notation = None,
    adversary: options.Adversary = None,
    distance: options.Distance = "total-variation",
    prior: options.Prior = None,
    samples: options.Samples = None,
    error: options.Error = None,
    targets: options.Targets = None,
    draw: options.Draw = options.HowDrawn.RANDOM,
    budget: options.Budget = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    scheduler: options.Scheduler = None,
    time_limit: options.TimeLimit = None,
    memory_limit: options.MemoryLimit = None,
    retries: options.Retries = None,
    may_drop: options.MayDrop = False,
    may_change: options.MayChange = False,
    worst: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="List the N records of each anonymization that give themselves away most. "
            "Shows microdata.",
            min=0,
            rich_help_panel=options.OUTPUT,
        ),
    ] = 0,
    json: options.Json = None,
    records: options.Records = False,
    plot: options.Plot = None,
) -> None:
    """Test what people's own records give away."""
    from unveil.cli._asked import Oracles, Test, notations
    from unveil.cli._differential import Differential

    oracles = Oracles(
        given=oracle or (), notation=notations(notation), time_limit=time_limit,
        memory_limit=memory_limit, retries=retries, may_drop=may_drop, may_change=may_change,
    )  # fmt: skip
    test = Test(
        adversaries=adversary or (), distance=distance, prior=prior, samples=samples, error=error,
        targets=targets, draw=draw, budget=budget, seed=seed, jobs=jobs, scheduler=scheduler,
    )  # fmt: skip
    Differential(
        reading=reading, sanitizers=sanitizer or (), oracles=oracles, test=test, json=json,
        plot=plot, records=records, worst=worst,
    ).run()  # fmt: skip
