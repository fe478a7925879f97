"""The options that commands share, each said once.

Only typer is imported here: `unveil --help` must not wait for numpy.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "OUTPUT",
    "TEST",
    "Adversary",
    "AtMost",
    "Budget",
    "Delta",
    "Distance",
    "Draw",
    "Error",
    "HowDrawn",
    "HowHardened",
    "Jobs",
    "Json",
    "MayChange",
    "MayDrop",
    "MemoryLimit",
    "Notation",
    "OneSanitizer",
    "Oracle",
    "Out",
    "Plot",
    "Prior",
    "Records",
    "Release",
    "Retries",
    "Rounds",
    "Samples",
    "Sanitizers",
    "Scheduler",
    "Seed",
    "Strategy",
    "Targets",
    "TimeLimit",
]

TEST = "The test"
OUTPUT = "Output"
LIMITS = "Limits of an oracle"


class HowDrawn(StrEnum):
    """The choices of ``--draw``."""

    RANDOM = "random"
    STRATIFIED = "stratified"
    EXPOSED = "exposed"


class HowHardened(StrEnum):
    """The choices of ``--strategy``."""

    REMOVE = "remove"
    MERGE = "merge"
    BOTH = "both"


Json = Annotated[
    Path | None,
    typer.Option(
        "--json",
        metavar="OUT",
        help="Write the findings as JSON. A dash (-) means standard output; the report then goes "
        "to standard error.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]

Plot = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="OUT",
        help="Draw the result: .png, .svg or .pdf.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]

Records = Annotated[
    bool,
    typer.Option(
        "--records",
        help="Put every record's distance into the JSON as well.",
        rich_help_panel=OUTPUT,
    ),
]

Oracle = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ORACLE",
        help="An anonymization we cannot look into: a command './anonymize {input} {output}', "
        "a URL that tables are posted to, a folder with full.csv and without_000017.csv, or one "
        "Parquet file with a column 'without'. May be repeated.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]

Release = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="A published file (CSV or .parquet), for what can be said without running the "
        "anonymization again. May be repeated.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]

Adversary = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Who attacks: naive-bayes, conditional-frequency, smoothed-frequency, or with "
        "scikit-learn tree, forest, logistic, boosting, neighbours, gaussian-nb. May be repeated. "
        "Default: naive-bayes, and smoothed-frequency against noisy counts.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]

Distance = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Between two beliefs: total-variation, l1, emd:path, emd:ordered, emd:numeric, kl, "
        "jensen-shannon, hellinger, bhattacharyya or max-ratio.",
        rich_help_panel=TEST,
    ),
]

Prior = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="What the attacker knows of the secret beforehand: a CSV file with a column for each "
        "value, and one line for everybody or one a record.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]

Targets = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        help="Test so many records, or 'available': those that a folder has a release without. "
        "Default: all.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]

Draw = Annotated[
    HowDrawn,
    typer.Option(
        help="How they are drawn: at random, at random within each sensitive value, or the most "
        "exposed first.",
        rich_help_panel=TEST,
    ),
]

Budget = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="Test as many records as fit into this time, such as '10 min', for each "
        "anonymization.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]

Samples = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="For an anonymization or attacker that depends on chance: run it N times with and "
        "without each record, from 2 up.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]

Error = Annotated[
    float | None,
    typer.Option(
        metavar="E",
        help="Go on sampling until every distance is exact to E, such as 0.01, at most --samples "
        "times.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]

Seed = Annotated[
    int,
    typer.Option(metavar="N", help="Of everything random.", min=0, rich_help_panel=TEST),
]

Jobs = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Threads or processes. Default: all cores.",
        min=1,
        rich_help_panel=TEST,
        show_default=False,
    ),
]

Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Of a Dask cluster to work on, such as tcp://scheduler:8786.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]

TimeLimit = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="For one answer: '30 s'. After that it is ended and asked again.",
        rich_help_panel=LIMITS,
        show_default=False,
    ),
]

MemoryLimit = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="For one answer, all its processes together: '2 GB'.",
        rich_help_panel=LIMITS,
        show_default=False,
    ),
]

Retries = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="How often one that fails is asked again. Default: once.",
        min=0,
        rich_help_panel=LIMITS,
        show_default=False,
    ),
]

MayDrop = Annotated[
    bool,
    typer.Option(
        "--may-drop",
        help="It may leave out records, which counts as suppressing them.",
        rich_help_panel=LIMITS,
    ),
]

MayChange = Annotated[
    bool,
    typer.Option(
        "--may-change-sensitive",
        help="It may change sensitive values, as noise does.",
        rich_help_panel=LIMITS,
    ),
]

Sanitizers = Annotated[
    list[str] | None,
    typer.Option(
        "--sanitizer",
        metavar="NAME:OPTIONS",
        help="What to test: identity, mondrian:k=5, mondrian:k=5,l=2, recoding:k=5, "
        "microaggregation:k=5, anatomy:l=3, randomized-response:epsilon=1, "
        "laplace-counts:epsilon=1. "
        "May be repeated. "
        "Default: identity, and mondrian with k = 2, 5, 10 and 20.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]

Notation = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=HOW",
        help="How the cells of a published column are written, where that is not clear: "
        "'age=range'; or interval, mask, prefix, set, list, node, value. May be repeated.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]

OneSanitizer = Annotated[
    list[str],
    typer.Option(
        "--sanitizer",
        metavar="NAME:OPTIONS",
        help="What to harden: mondrian:k=5, mondrian:k=5,l=2 …",
        rich_help_panel=TEST,
        show_default=False,
    ),
]

Delta = Annotated[
    float,
    typer.Option(
        metavar="DISTANCE", help="The goal: nobody's distance over this.", rich_help_panel=TEST
    ),
]

Strategy = Annotated[
    HowHardened,
    typer.Option(
        help="What to do about those over it: leave them out, keep them in larger classes, or "
        "one and the other, side by side.",
        rich_help_panel=TEST,
    ),
]

Rounds = Annotated[
    int,
    typer.Option(metavar="N", help="The most rounds, of each strategy.", rich_help_panel=TEST),
]

AtMost = Annotated[
    float,
    typer.Option(
        metavar="SHARE",
        help="The largest share of the records that may be left out in all, or that a class may "
        "be asked to have.",
        rich_help_panel=TEST,
    ),
]

Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="OUT",
        help="Where the hardened release goes, class by class: .csv or .parquet. A dash (-) means "
        "standard output, as CSV.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
