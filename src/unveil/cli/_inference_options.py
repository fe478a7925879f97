"""The options of ``unveil inference``.

Only typer is imported here: `unveil --help` must not wait for numpy.
"""

from __future__ import annotations

from typing import Annotated

import typer

from unveil.cli._options import OUTPUT, TEST

__all__ = ["Confidence", "Each", "Folds", "HeldOut", "People"]

HeldOut = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Hold out this share of the people once, instead of folds.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]
Folds = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Deal people into N parts, each of which is held out of one anonymization and in all "
        "others. Default: 5.",
        min=2,
        rich_help_panel=TEST,
        show_default=False,
    ),
]
Confidence = Annotated[
    float,
    typer.Option(
        metavar="SHARE",
        help="How much belief in one value makes an attacker sure of it.",
        rich_help_panel=TEST,
    ),
]
People = Annotated[
    int | None,
    typer.Option(
        "--targets",
        metavar="N",
        help="Ask about so many people, drawn at random, for models that take long. Default: all.",
        min=1,
        rich_help_panel=TEST,
        show_default=False,
    ),
]
Each = Annotated[
    bool,
    typer.Option(
        "--records",
        help="Put what is believed about everybody into the JSON as well.",
        rich_help_panel=OUTPUT,
    ),
]
