"""The options of ``unveil membership``.

Only typer is imported here: `unveil --help` must not wait for numpy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unveil.cli._options import OUTPUT, TEST

__all__ = [
    "Attackers",
    "HeldOut",
    "HeldOutFile",
    "OneAdversary",
    "Own",
    "Recode",
    "Removals",
    "Scores",
]

Attackers = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Who attacks: release, population or removal. May be repeated. Default: all.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]
OneAdversary = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="How attackers predict: naive-bayes, conditional-frequency, or with scikit-learn "
        "tree, forest, logistic, boosting, neighbours, gaussian-nb. One only. Default: "
        "naive-bayes, and smoothed-frequency against noisy counts.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]
HeldOut = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="The share of the people, without the attacker's own, who are held out. Default: 0.5.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]
HeldOutFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A table with the same columns of people who are held out; FILE are the members.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]
Recode = Annotated[
    list[str] | None,
    typer.Option(
        "--recode",
        metavar="COLUMN=THEIRS->OURS|…",
        help="Values that have other names in --held-out-file: 'sex=F->Female|M->Male'. May be "
        "repeated.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]
Own = Annotated[
    float,
    typer.Option(
        metavar="SHARE",
        help="The share of the table, or of --held-out-file, that is the sample of the "
        "attacker 'population'.",
        rich_help_panel=TEST,
    ),
]
Removals = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="At most so many anonymizations without a random member, for 'removal'.",
        min=1,
        rich_help_panel=TEST,
    ),
]
Scores = Annotated[
    bool,
    typer.Option(
        "--records",
        help="Put everybody's scores into the JSON as well.",
        rich_help_panel=OUTPUT,
    ),
]
