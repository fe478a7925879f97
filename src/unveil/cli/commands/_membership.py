"""The command ``unveil membership``."""

from __future__ import annotations

from unveil.cli import _membership_options as in_or_out
from unveil.cli import _options as options
from unveil.cli._guard import guarded
from unveil.cli._reading import Reading
from unveil.cli._taking_a_table import takes_a_table
from unveil.cli._typed import app

__all__ = ["membership"]


@app.command(
    help="Test whether an attacker can tell whose records are in the data.\n\n"
    "Some people's records are anonymized and published, others' are held out. Attackers who know "
    "everything about a person have to say which of the two it is: from the release alone, with a "
    "sample of other people, and with a second release that one person has left.\n\n"
    "Exit codes: 0 done, 2 wrong input or an anonymization that could not be done, "
    "130 interrupted.",
    epilog="""[bold]Examples[/bold]

  unveil membership survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5 --plot roc.png

Somebody else's program, and attackers for whom it is run twice and not once a person:
  unveil membership survey.csv --quasi age,zip,sex --sensitive income \\
         --oracle './anonymize {input} {output}' --attacker release --attacker population""",
)
@guarded
@takes_a_table
def membership(
    reading: Reading,
    sanitizer: options.Sanitizers = None,
    oracle: options.Oracle = None,
    notation: options.Notation = None,
    attacker: in_or_out.Attackers = None,
    adversary: in_or_out.OneAdversary = None,
    held_out: in_or_out.HeldOut = None,
    held_out_file: in_or_out.HeldOutFile = None,
    recode: in_or_out.Recode = None,
    own: in_or_out.Own = 0.2,
    removals: in_or_out.Removals = 500,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    time_limit: options.TimeLimit = None,
    memory_limit: options.MemoryLimit = None,
    retries: options.Retries = None,
    may_drop: options.MayDrop = False,
    may_change: options.MayChange = False,
    json: options.Json = None,
    records: in_or_out.Scores = False,
    plot: options.Plot = None,
) -> None:
    """Test whether attackers can tell who is in the data."""
    from unveil.cli._asked import Oracles, notations
    from unveil.cli._membership import MembershipTest

    oracles = Oracles(
        given=oracle or (), notation=notations(notation), time_limit=time_limit,
        memory_limit=memory_limit, retries=retries, may_drop=may_drop, may_change=may_change,
    )  # fmt: skip
    MembershipTest(
        reading=reading, sanitizers=sanitizer or (), oracles=oracles,
        attackers=attacker or ("release", "population", "removal"), adversaries=adversary or (),
        held_out=held_out, held_out_file=held_out_file, recode=recode or (), own=own,
        removals=removals, seed=seed, jobs=jobs, json=json, plot=plot, records=records,
    ).run()  # fmt: skip
