"""The options of ``unveil risk``.

Only typer is imported here: `unveil --help` must not wait for numpy.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from unveil.cli._options import OUTPUT, TEST

__all__ = [
    "Alpha",
    "Beta",
    "Budget",
    "Chains",
    "Domain",
    "Drawn",
    "Ess",
    "Exact",
    "HowLikely",
    "Learner",
    "Likelihood",
    "Panel",
    "Picture",
    "Rhat",
    "Risks",
    "Sampler",
    "Samplers",
    "Sweeps",
    "Tied",
    "Ties",
    "Traces",
    "Tuples",
    "Victims",
    "Whose",
    "Worst",
]

MODEL = "The model"
SAMPLING = "Sampling"


class HowLikely(StrEnum):
    """The choices of ``--likelihood``."""

    SATURATED = "saturated"
    NAIVE_BAYES = "naive-bayes"


class Tuples(StrEnum):
    """The choices of ``--domain``."""

    OBSERVED = "observed"
    PRODUCT = "product"
    COVERED = "covered"


class Whose(StrEnum):
    """The choices of ``--learner``."""

    JOINT = "joint"
    CONDITIONAL = "conditional"


class Tied(StrEnum):
    """The choices of ``--ties``."""

    FULL = "full"
    FRACTION = "fraction"
    NONE = "none"


class Samplers(StrEnum):
    """The choices of ``--sampler``."""

    COLLAPSED = "collapsed"
    GIBBS = "gibbs"


class Drawn(StrEnum):
    """The choices of ``--picture``."""

    HISTOGRAM = "histogram"
    SCATTER = "scatter"
    VICTIM = "victim"
    TRACE = "trace"
    RANK = "rank"


Victims = Annotated[
    list[str] | None,
    typer.Option(
        "--victim",
        metavar="COLUMN=VALUE,…",
        help="Say what is believed about somebody: 'nationality=Malaysia,zip=45501'. A value with "
        "a comma is put in double quotes. May be repeated.",
        rich_help_panel=TEST,
        show_default=False,
    ),
]
Alpha = Annotated[
    float,
    typer.Option(
        metavar="A",
        help="How many rows the prior is worth, for each sensitive value.",
        rich_help_panel=MODEL,
    ),
]
Beta = Annotated[
    float,
    typer.Option(
        metavar="B",
        help="How many rows the prior is worth, for each tuple given a sensitive value.",
        rich_help_panel=MODEL,
    ),
]
Likelihood = Annotated[
    HowLikely,
    typer.Option(
        help="Whether every tuple has a probability of its own, or columns are independent given "
        "the sensitive value.",
        rich_help_panel=MODEL,
    ),
]
Domain = Annotated[
    Tuples | None,
    typer.Option(
        help="Which tuples there are: those of FILE, all combinations of values, or those that the "
        "release covers. Default: observed with FILE, covered without.",
        rich_help_panel=MODEL,
        show_default=False,
    ),
]
Learner = Annotated[
    Whose,
    typer.Option(
        help="Whether the learner averages over populations before he conditions on the victim's "
        "values (eq. 4 of the paper) or after (eq. 5).",
        rich_help_panel=MODEL,
    ),
]
Ties = Annotated[
    Tied,
    typer.Option(
        help="How records count whose value is one of several that are most likely.",
        rich_help_panel=MODEL,
    ),
]
Sampler = Annotated[
    Samplers,
    typer.Option(
        help="With the population integrated out, or as published.", rich_help_panel=SAMPLING
    ),
]
Exact = Annotated[
    bool | None,
    typer.Option(
        "--exact/--sampled",
        help="Refuse to sample, or sample in any case. Default: exact where it can be.",
        rich_help_panel=SAMPLING,
        show_default=False,
    ),
]
Chains = Annotated[
    int, typer.Option(metavar="N", help="How many.", min=1, rich_help_panel=SAMPLING)
]
Panel = Annotated[
    int,
    typer.Option(
        metavar="N", help="How many victims are watched.", min=1, rich_help_panel=SAMPLING
    ),
]
Rhat = Annotated[
    float,
    typer.Option(
        metavar="R",
        help="Go on until R-hat is at most this, for the worst of the panel.",
        rich_help_panel=SAMPLING,
    ),
]
Ess = Annotated[
    float,
    typer.Option(
        metavar="N",
        help="Go on until there are so many effective samples, of the worst of the panel.",
        rich_help_panel=SAMPLING,
    ),
]
Sweeps = Annotated[
    int,
    typer.Option(
        metavar="N", help="The most that a chain may make.", min=1, rich_help_panel=SAMPLING
    ),
]
Budget = Annotated[
    str,
    typer.Option(metavar="TIME", help="Time after which sampling stops.", rich_help_panel=SAMPLING),
]
Worst = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="List the N records of each release with the largest relative risk. Shows microdata.",
        min=0,
        rich_help_panel=OUTPUT,
    ),
]
Traces = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.nc",
        help="Save the traces of the panel, to be looked at with ArviZ (NetCDF).",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
Picture = Annotated[
    Drawn | None,
    typer.Option(
        help="What --plot draws: the relative risk of everybody, learner against attacker, the two "
        "beliefs about each --victim, or the chains' traces or ranks. Default: histogram, or "
        "victim without FILE.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
Risks = Annotated[
    bool,
    typer.Option(
        "--records",
        help="Put what is believed about every record into the JSON as well.",
        rich_help_panel=OUTPUT,
    ),
]
