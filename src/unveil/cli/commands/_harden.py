"""The command ``unveil harden``."""

from __future__ import annotations

from unveil.cli import _options as options
from unveil.cli._guard import guarded
from unveil.cli._reading import Reading
from unveil.cli._taking_a_table import takes_a_table
from unveil.cli._typed import app

__all__ = ["harden"]


@app.command(
    # Paragraphs are not wrapped again: each is one line here.
    help="Change what is worst and test again, until nobody's own record gives them away by more "
    "than --delta.\n\n"
    "People over it are left out of the table (remove), or kept and hidden in larger classes "
    "(merge). There is no promise that it can be done: the report says how far it got and the "
    "best round is what is written.\n\n"
    "Exit codes: 0 the goal holds, 1 it does not, 2 wrong input, 130 interrupted.",
    epilog="""[bold]Examples[/bold]

  unveil harden survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5 --delta 0.05 -o released.csv

Which costs less, leaving people out or larger classes?
  unveil harden survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5 --strategy both --plot rounds.png""",
)
@guarded
@takes_a_table
def harden(
    reading: Reading,
    sanitizer: options.OneSanitizer,
    delta: options.Delta = 0.05,
    strategy: options.Strategy = options.HowHardened.REMOVE,
    rounds: options.Rounds = 20,
    at_most: options.AtMost = 0.1,
    adversary: options.Adversary = None,
    distance: options.Distance = "total-variation",
    samples: options.Samples = None,
    error: options.Error = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    out: options.Out = None,
    json: options.Json = None,
    records: options.Records = False,
    plot: options.Plot = None,
) -> None:
    """Harden an anonymization."""
    from unveil.cli._harden import Harden

    Harden(
        reading=reading, sanitizers=sanitizer, delta=delta, strategy=strategy, rounds=rounds,
        at_most=at_most, adversaries=adversary or (), distance=distance, samples=samples,
        error=error, seed=seed, jobs=jobs, out=out, json=json, plot=plot, records=records,
    ).run()  # fmt: skip
