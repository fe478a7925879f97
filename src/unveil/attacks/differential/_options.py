"""Options of differential inference, some of which hardening shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

from annotated_types import Ge, Gt, Lt

from unveil.errors import File, Foreign, InputError, MissingExtraError, Option
from unveil.options import Help, Shell


def _distance(texts: Sequence[str]) -> str:
    from unveil.attacks.differential._distances import distance_named

    distance_named(texts[-1])
    return texts[-1]


def _prior(texts: Sequence[str]) -> Any:
    """A file with one line for everybody, or one per record."""
    import pandas as pd

    try:
        table = pd.read_csv(texts[-1])
    except (OSError, ValueError) as error:
        raise InputError("cannot read {option}, {file}: {error}", option=Option("prior"),
                         file=File(texts[-1]), error=Foreign(str(error))) from error  # fmt: skip
    if len(table) == 1:
        return {str(value): share for value, share in table.iloc[0].items()}
    return table


def _targets(texts: Sequence[str]) -> int | str:
    text = texts[-1]
    if text == "available":
        return text
    if text.isascii() and text.isdigit() and int(text) > 0:
        return int(text)
    raise InputError(
        "{option} must be a number of records from 1 up, or 'available', got {text}",
        option=Option("targets"), text=repr(text),
    )  # fmt: skip


HowFar = Annotated[
    Any,
    Help(
        "Distance between two beliefs: total-variation, l1, emd:path, emd:ordered, emd:numeric, "
        "kl, jensen-shannon, hellinger, bhattacharyya or max-ratio. Default: total-variation."
    ),
    Shell(parse=_distance, metavar="NAME"),
]
Prior = Annotated[
    Any,
    Help(
        "What the attacker knows about the sensitive values beforehand; in a shell a CSV file with "
        "a column for each value, and one line for everybody or one per record."
    ),
    Shell(parse=_prior, metavar="FILE"),
]
Samples = Annotated[
    int | None,
    Ge(2),
    Help(
        "If the sanitizer or the attacker is random: number of runs with and without each record."
    ),
    Shell(metavar="N"),
]
Error = Annotated[
    float | None,
    Gt(0),
    Lt(1),
    Help(
        "Continue sampling until every distance is exact to this (with 95% confidence), such as "
        "0.01, or the samples are taken."
    ),
    Shell(metavar="E"),
]
WhichTargets = Annotated[
    Any,
    Help(
        "Number of people to test, or 'available': those without whom an oracle has a release. "
        "Default: everybody."
    ),
    Shell(parse=_targets, metavar="N"),
]


@contextmanager
def on_cluster(scheduler: str | None) -> Iterator[None]:
    """A connection to a Dask cluster, if one is named."""
    if scheduler is None:
        yield
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtraError(
            "{option} needs Dask; install it with: pip install 'unveil[dask]'",
            option=Option("scheduler"),
        ) from error
    try:
        client = Client(scheduler, timeout="10s")  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise InputError("nothing answers at {option}: {error}",
                         option=Option("scheduler", scheduler),
                         error=Foreign(str(error))) from error  # fmt: skip
    with client:
        yield
