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
    "Draw",
    "HowDrawn",
    "Jobs",
    "Json",
    "MayChange",
    "MayDrop",
    "MemoryLimit",
    "Notation",
    "Oracle",
    "Plot",
    "Release",
    "Retries",
    "Sanitizers",
    "Seed",
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

Draw = Annotated[
    HowDrawn,
    typer.Option(
        help="How they are drawn: at random, at random within each sensitive value, or the most "
        "exposed first.",
        rich_help_panel=TEST,
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
