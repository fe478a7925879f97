"""The options of ``unveil measure`` alone, each said once.

Only typer is imported here: `unveil --help` must not wait for numpy.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from unveil.cli._options import OUTPUT
from unveil.cli._reading_options import ROLES

__all__ = [
    "Classes",
    "Distance",
    "Ell",
    "Engine",
    "Hierarchies",
    "HowFar",
    "Memory",
    "Named",
    "Original",
    "Partition",
    "Population",
    "PopulationSize",
    "Quasi",
    "Recode",
    "Records",
    "Sensitive",
    "Subsets",
    "Tables",
    "Threshold",
    "Wildcard",
]

MEASURES = "The measures"
COUNTING = "Counting"


class HowFar(StrEnum):
    """The choices of ``--distance``."""

    EQUAL = "equal"
    ORDERED = "ordered"
    HIERARCHICAL = "hierarchical"


class Named(StrEnum):
    """The choices of ``--engine``."""

    DUCKDB = "duckdb"
    SPARK = "spark"


Tables = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="What is measured: CSV (may be packed: .gz), .parquet, or a folder of .parquet files. "
        "Several are put side by side.",
        show_default=False,
    ),
]

Quasi = Annotated[
    list[str] | None,
    typer.Option(
        "--quasi",
        "-q",
        metavar="COLUMNS",
        help="The keys, whose combinations are the classes: age,education,country. A name with "
        "a comma is put in double quotes. Without it you are told which columns there are.",
        rich_help_panel=ROLES,
        show_default=False,
    ),
]

Sensitive = Annotated[
    str | None,
    typer.Option(
        "--sensitive",
        "-s",
        metavar="COLUMN",
        help="What an attacker wants to know. Without it only the classes are measured.",
        rich_help_panel=ROLES,
        show_default=False,
    ),
]

Partition = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=CATEGORIES",
        help="Categories of the sensitive column, for an attacker who only wants to know those: "
        "'income=low:0-20,high:20-', 'disease=cancer:lung|stomach,other:flu|aids', "
        "'disease=level=1' (of its hierarchy).",
        rich_help_panel=MEASURES,
        show_default=False,
    ),
]

Distance = Annotated[
    HowFar | None,
    typer.Option(
        help="Between sensitive values, for t-closeness. Default: hierarchical if there is a "
        "hierarchy, ordered for numbers and levels, else equal.",
        rich_help_panel=MEASURES,
        show_default=False,
    ),
]

Ell = Annotated[
    int,
    typer.Option(
        "--l",
        metavar="L",
        help="The ℓ for which the c of recursive (c, ℓ)-diversity is given.",
        rich_help_panel=MEASURES,
    ),
]

Threshold = Annotated[
    float,
    typer.Option(
        metavar="RISK",
        help="The risk of re-identification above which records are counted.",
        rich_help_panel=MEASURES,
    ),
]

Subsets = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="Also rank all subsets of up to N keys: which single people out, and which tell most.",
        min=0,
        rich_help_panel=MEASURES,
    ),
]

Population = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A table of everybody the records were drawn from, with the same keys. Where FILE is "
        "generalized, everybody counts whom its cells cover.",
        rich_help_panel=MEASURES,
        show_default=False,
    ),
]

Recode = Annotated[
    list[str] | None,
    typer.Option(
        "--recode",
        metavar="COLUMN=THEIRS->OURS|…",
        help="Values that have other names in --population: 'sex=F->Female|M->Male'. May be "
        "repeated.",
        rich_help_panel=MEASURES,
        show_default=False,
    ),
]

PopulationSize = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="How many people the records were drawn from, for an estimate.",
        rich_help_panel=MEASURES,
        show_default=False,
    ),
]

Original = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="The original table, one row a person, to say what the release has lost.",
        rich_help_panel=MEASURES,
        show_default=False,
    ),
]

Hierarchies = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Generalization hierarchies, one file a column; that of the sensitive column is used "
        "for t-closeness and --partition, the others for --original and --population.",
        rich_help_panel=MEASURES,
        show_default=False,
    ),
]

Wildcard = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="A cell that matches every value, such as '*'. By default it is a value like any "
        "other.",
        rich_help_panel=COUNTING,
        show_default=False,
    ),
]

Engine = Annotated[
    Named,
    typer.Option(help="What counts.", rich_help_panel=COUNTING),
]

Memory = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="How much memory the engine may use: 4GB. The rest goes to disk.",
        rich_help_panel=COUNTING,
        show_default=False,
    ),
]

Classes = Annotated[
    bool,
    typer.Option(
        "--classes",
        help="Name the classes that decide each measure. Shows cells of the table.",
        rich_help_panel=OUTPUT,
    ),
]

Records = Annotated[
    bool,
    typer.Option(
        "--records",
        help="Put the deciding classes into the JSON as well.",
        rich_help_panel=OUTPUT,
    ),
]
