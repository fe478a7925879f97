"""The command ``unveil definetti``."""

from __future__ import annotations

from typing import Any

from unveil.cli import _definetti_options as learning
from unveil.cli import _options as options
from unveil.cli import _people_options as knowing
from unveil.cli import _risk_options as asking
from unveil.cli._guard import guarded
from unveil.cli._reading import Reading
from unveil.cli._taking_a_table import may_take_a_table, takes_releases
from unveil.cli._typed import app

__all__ = ["definetti"]


@app.command(
    # Paragraphs are not wrapped again: each is one line here.
    help="Learn across the groups of a release who of a group has which of its values (Kifer's "
    "deFinetti attack; foreground knowledge).\n\n"
    "The attacker knows everybody's quasi-identifiers. What he believes is compared with the "
    "shares of each group, which is all that ℓ-diversity allows him, and with the model that he "
    "has learnt.\n\n"
    "Exit codes: 0 done, 2 wrong input or a release that could not be used, 130 interrupted.",
    epilog="""[bold]Examples[/bold]

  unveil definetti survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer anatomy:l=3

The two tables of Anatomy alone, and the five records it serves worst:
  unveil definetti --quasi age,zip,sex --sensitive income \\
         --anatomy records.csv --sensitive-table secrets.csv --worst 5

What was published, by what ages alone tell:
  unveil definetti survey.csv --quasi age,zip,sex --sensitive income \\
         --release published.csv --method foreground --by age""",
)
@guarded
@may_take_a_table
@takes_releases()
def definetti(
    reading: Reading,
    given: Any,
    people: learning.People = None,
    map_: knowing.Map = None,
    recode: knowing.Recode = None,
    method: learning.Method = learning.How.DEFINETTI,
    by: learning.By = None,
    smoothing: learning.Smoothing = None,
    rounds: learning.Rounds = None,
    steps: learning.Steps = 4096,
    worst: learning.Worst = 0,
    json: options.Json = None,
    records: asking.Risks = False,
    plot: options.Plot = None,
) -> None:
    """Learn across the groups of a release."""
    from unveil.cli._definetti import DeFinettiTest
    from unveil.cli._people import renamed
    from unveil.cli._reading import names
    from unveil.cli._recoding import recodings

    model = {
        "method": str(method), "by": names(by or ()) or None, "smoothing": smoothing,
        "rounds": rounds, "steps": steps, "columns": renamed(map_ or ()) or None,
        "mapping": recodings(recode or ()) or None,
    }  # fmt: skip
    DeFinettiTest(
        reading=reading, given=given, people=people, model=model, json=json, records=records,
        plot=plot, worst=worst,
    ).run()  # fmt: skip
