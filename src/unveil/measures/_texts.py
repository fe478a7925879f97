"""Numbers in words, and charts, that several measures share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from unveil.errors import Message, Text
from unveil.findings import Axis, Chart, Follows, Series, numbers

_BARS = 20  # that can be read in one chart

_NAMED = 3  # keys that are named in a line
_SHOWN_VALUES = 3


def joined(values: Sequence[str]) -> str:
    """The first values, for a line of text.

    >>> joined(["1", "2", "3", "4", "5"])
    '1, 2, 3 and 2 more'
    """
    more = len(values) - _SHOWN_VALUES
    return ", ".join(values[:_SHOWN_VALUES]) + (f" and {more:,} more" if more > 0 else "")


def in_words(number: float) -> str:
    """A number for people.

    >>> in_words(1 / 3), in_words(2.0), in_words(math.inf)
    ('0.3333', '2', 'infinite')
    """
    return "infinite" if math.isinf(number) else f"{number:.4g}"


def percent(share: float | None) -> str:
    """A share in percent, with three significant digits.

    >>> percent(0.2), percent(0.0712), percent(0.0000213), percent(0.0), percent(None)
    ('20%', '7.12%', '0.00213%', '0%', '–')
    """
    if share is None:
        return "–"
    digits = f"{100 * share:.3g}"
    return f"{float(digits):.10f}".rstrip("0").rstrip(".") + "%"


def fine_percent(share: float) -> str:
    """A share with two decimals, never rounded to none or all.

    >>> fine_percent(0.1234), fine_percent(1e-6), fine_percent(1 - 1e-9), fine_percent(0)
    ('12.34%', '<0.01%', '>99.99%', '0%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    if share < 5e-5:
        return "<0.01%"
    return ">99.99%" if share >= 1 - 5e-5 else f"{share:.2%}"


def rate_text(rate: float | None) -> str:
    """A rate in a table for people."""
    return "undefined" if rate is None else f"{rate:.3f}"


def keys_text(keys: Sequence[str]) -> str:
    """Keys in a line for people, not too many of them."""
    if len(keys) <= _NAMED:
        return " and ".join(keys)
    return f"{', '.join(keys[:_NAMED])} and {len(keys) - _NAMED} more"


def sizes_chart(name: Text, sizes: Mapping[int, int], what: str = "records") -> Chart:
    """The share of records in classes up to a size; ``sizes`` has the number of classes of each."""
    size = np.array(list(sizes), dtype=np.float64)
    records = size * np.array(list(sizes.values()), dtype=np.float64)
    return Chart(
        kind="distribution",
        title="In how small a class people are",
        says=Message(
            "{name}: classes of {least} to {most} {what}",
            what=what, name=name, least=min(sizes), most=max(sizes),
        ),
        x=Axis(label=f"{what} in one's class", scale="log"),
        y=Axis(label=f"share of {what} in classes up to that", share=True),
        follows_from=Follows.QUASI,
        series=[Series(name=name, x=numbers(size), y=numbers(np.cumsum(records) / records.sum()))],
    )  # fmt: skip


def bar_chart(
    title: Text,
    names: Sequence[Text],
    kinds: Mapping[str, Sequence[float | None]],
    *,
    label: str,
    says: Text = "",
    share: bool = False,
    rank: float | None = None,
) -> Chart:
    """A row of bars for each name, one of each kind; as many rows as can be read."""
    more = len(names) - _BARS
    shown = f"the first {_BARS}; {more:,} more are not drawn" if more > 0 else ""
    return Chart(
        kind="bars",
        title=title,
        says=says or shown,
        x=Axis(label="", scale="names"),
        y=Axis(label=label, share=share),
        series=[
            Series(name=kind, x=list(names[:_BARS]),
                   y=[None if one is None else numbers([one])[0] for one in values[:_BARS]])
            for kind, values in kinds.items()
        ],
        rank=rank,
    )  # fmt: skip
