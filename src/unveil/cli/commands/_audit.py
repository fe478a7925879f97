"""The command ``unveil audit``."""

from __future__ import annotations

from typing import Any

from unveil.cli import _audit_options as auditing
from unveil.cli import _options as options
from unveil.cli._guard import guarded
from unveil.cli._taking_a_table import audits_a_table, takes_releases
from unveil.cli._typed import app

__all__ = ["audit"]


@app.command(
    # Paragraphs are not wrapped again: each is one line here.
    help="Attack what is published, or would be, in every way that fits, and say what comes of "
    "it: one verdict, one report.\n\n"
    "All releases meet the same attacker, who knows the quasi-identifiers and wants to know what "
    "is sensitive, so that their numbers can be compared. Without thresholds there is no verdict, "
    "only what was found.\n\n"
    "The report shows no original record: people have references that unveil resolve makes out, "
    "for whoever has the table and the key.\n\n"
    "Exit codes: 0 done, and nothing fails; 1 a release fails; 2 wrong input, or something could "
    "not be done; 130 interrupted.",
    epilog="""[bold]Examples[/bold]

A first look, with nothing to configure; then a report, with roles said:
  unveil audit survey.csv
  unveil audit survey.csv --quasi age,zip,sex --sensitive income --report report.html

What somebody else published, beside what we could:
  unveil audit survey.csv --quasi age,zip,sex --sensitive income \\
         --release published.csv --sanitizer mondrian:k=5 --report report.html

How far to go, and two secrets:
  unveil audit survey.csv --quasi age,zip,sex --sensitive income,diagnosis \\
         --sanitizer mondrian:k=2..64 --report report.html

As a gate in CI:
  unveil audit --project unveil.toml --fail-on 'delta > 0.05' --fail-on 'k < 5' \\
         --junit unveil.xml""",
)
@guarded
@audits_a_table
@takes_releases()
def audit(
    table: Any,
    given: Any,
    oracle: options.Oracle = None,
    time_limit: options.TimeLimit = None,
    memory_limit: options.MemoryLimit = None,
    retries: options.Retries = None,
    may_drop: options.MayDrop = False,
    may_change: options.MayChange = False,
    attack: auditing.Attacks = None,
    adversary: auditing.Adversaries = None,
    budget: auditing.Budget = None,
    seed: auditing.OptionalSeed = None,
    jobs: options.Jobs = None,
    fail_on: auditing.FailOn = None,
    junit: auditing.JUnit = None,
    report: auditing.Report = None,
    json: options.Json = None,
    plot: options.Plot = None,
    key: auditing.Key = None,
    include_records: auditing.IncludeRecords = False,
    smallest: auditing.Smallest = None,
) -> None:
    """Attack what is published in every way that fits."""
    from dataclasses import replace

    from unveil.cli._asked import Oracles
    from unveil.cli._audit import Audit
    from unveil.cli._audit_outputs import Outputs

    oracles = Oracles(
        given=oracle or (), notation=given.notation, time_limit=time_limit,
        memory_limit=memory_limit, retries=retries, may_drop=may_drop, may_change=may_change,
    )  # fmt: skip
    outputs = Outputs(
        report=report, json=json, junit=junit, plot=plot, key=key, include_records=include_records
    )
    Audit(
        table=table, given=replace(given, may_change=may_change and bool(given.releases)),
        oracles=oracles, attacks=attack or (), adversary=adversary, budget=budget,
        fail_on=fail_on or (),        smallest=smallest, seed=seed, jobs=jobs, outputs=outputs,
    ).run()  # fmt: skip
