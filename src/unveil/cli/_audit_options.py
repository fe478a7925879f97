"""The options of ``unveil audit`` and the commands around it, each said once.

Only typer is imported here: `unveil --help` must not wait for numpy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unveil.cli._options import OUTPUT, TEST
from unveil.cli._reading_options import ROLES

__all__ = [
    "Adversaries",
    "Attacks",
    "AuditFile",
    "Budget",
    "FailOn",
    "IncludeRecords",
    "JUnit",
    "Key",
    "OptionalQuasi",
    "OptionalSeed",
    "Project",
    "Report",
    "Secrets",
    "Smallest",
    "TableToAudit",
]

VERDICT = "The verdict"

TableToAudit = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        help="The original table, one row a person: CSV (may be packed: .gz), or .parquet; or "
        "--project.",
        show_default=False,
    ),
]
Project = Annotated[
    Path | None,
    typer.Option(
        "--project",
        "-p",
        metavar="TOML",
        help="In place of FILE and roles: a project file, as unveil init writes it.",
        rich_help_panel=ROLES,
        show_default=False,
    ),
]
OptionalQuasi = Annotated[
    list[str] | None,
    typer.Option(
        "--quasi",
        "-q",
        metavar="COLUMNS",
        help="What an attacker may know about somebody: age,education,country. Default, if "
        "--sensitive is not given either: both are proposed, as unveil init does.",
        rich_help_panel=ROLES,
        show_default=False,
    ),
]
Secrets = Annotated[
    list[str] | None,
    typer.Option(
        "--sensitive",
        "-s",
        metavar="COLUMNS",
        help="What an attacker wants to know: income, or several, income,diagnosis, each tested in "
        "turn.",
        rich_help_panel=ROLES,
        show_default=False,
    ),
]
Attacks = Annotated[
    list[str] | None,
    typer.Option(
        "--attack",
        metavar="NAME",
        help="Only these: differential-inference, inference, relative-risk, linkage, measures, "
        "discrimination-rate, utility, which are the default, or membership, definetti, "
        "minimality; or all. May be repeated, or have commas.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]
Adversaries = Annotated[
    str | None,
    typer.Option(
        "--adversary",
        metavar="NAME",
        help="Who guesses: naive-bayes, conditional-frequency, smoothed-frequency, or with "
        "scikit-learn tree, forest, logistic, boosting, neighbours, gaussian-nb. Default: "
        "naive-bayes, and smoothed-frequency against noisy counts.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="TIME",
        help="For each release, how long the differential test and the sampling of relative risk "
        "may take, such as '10 min'. Default: a few seconds, where an anonymization has to be run "
        "again and again.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]
OptionalSeed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        help="Of everything random. Default: 0",
        min=0,
        rich_help_panel=TEST,
        show_default=False,
    ),
]
FailOn = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        metavar="THRESHOLD",
        help="What makes a release fail, and the exit code 1: 'delta > 0.05', 'k < 5', "
        "'linked > 1%'. May be repeated; those of the project hold as well.",
        rich_help_panel=VERDICT,
        show_default=False,
    ),
]
JUnit = Annotated[
    Path | None,
    typer.Option(
        "--junit",
        metavar="OUT",
        help="Write what became of every threshold as JUnit XML, for CI.",
        rich_help_panel=VERDICT,
        show_default=False,
    ),
]
Report = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="OUT",
        help="Write the report: one HTML page that asks for nothing from anywhere.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
Key = Annotated[
    Path | None,
    typer.Option(
        "--key",
        metavar="FILE",
        help="The key of the references to people. One that is there is used again. Default: "
        "beside the report or the JSON, report.key.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
IncludeRecords = Annotated[
    bool,
    typer.Option(
        "--include-records",
        help="Let report and JSON show original records. They are not for others then.",
        rich_help_panel=OUTPUT,
    ),
]
Smallest = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Groups of fewer people, and values that fewer have, are masked. Default: 5.",
        min=1,
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
AuditFile = Annotated[
    Path,
    typer.Argument(
        metavar="AUDIT", help="What unveil audit --json has written.", show_default=False
    ),
]
