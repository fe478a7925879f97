"""Numbers, small tables and pictures that several measures share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil._axes import count_ticks, new_axes, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "class_sizes", "in_json", "in_words", "joined", "keys_text", "number_of", "percent",
    "rate_text", "table_of",
]  # fmt: skip

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


def in_json(name: str, number: float) -> dict[str, Any]:
    """A number under its name, for JSON, which has no infinite numbers.

    >>> in_json("c", 1.5), in_json("c", math.inf)
    ({'c': 1.5}, {'c': None, 'c_is': 'infinite'})
    """
    return {name: None, f"{name}_is": "infinite"} if math.isinf(number) else {name: number}


def percent(share: float | None) -> str:
    """A share in percent, with three significant digits.

    >>> percent(0.2), percent(0.0712), percent(0.0000213), percent(0.0), percent(None)
    ('20%', '7.12%', '0.00213%', '0%', '–')
    """
    if share is None:
        return "–"
    digits = f"{100 * share:.3g}"
    return f"{float(digits):.10f}".rstrip("0").rstrip(".") + "%"


def number_of(number: int, one: str, many: str) -> str:
    """A number of things.

    >>> number_of(1, "person", "people"), number_of(2000, "person", "people")
    ('1 person', '2,000 people')
    """
    return f"{number:,} {one if number == 1 else many}"


def table_of(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: the first column to the left, numbers to the right, a remark at the end."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1], strict=True)]
        lines.append("  " + "  ".join([*cells, row[-1]]).rstrip())
    return lines


def rate_text(rate: float | None) -> str:
    """A rate in a table for people."""
    return "undefined" if rate is None else f"{rate:.3f}"


def keys_text(keys: Sequence[str]) -> str:
    """Keys in a line for people, not too many of them."""
    if len(keys) <= _NAMED:
        return " and ".join(keys)
    return f"{', '.join(keys[:_NAMED])} and {len(keys) - _NAMED} more"


def class_sizes(tables: Mapping[str, Mapping[int, int]], ax: Axes | None = None) -> Axes:
    """Draw the share of records in classes up to a size, one line per table.

    ``tables`` has the number of classes of each size, by the name of the table.
    """
    ax = new_axes() if ax is None else ax
    from matplotlib.ticker import PercentFormatter

    largest = max(max(numbers) for numbers in tables.values())
    for name, numbers in tables.items():
        sizes = np.array(list(numbers), dtype=np.float64)
        records = sizes * np.array(list(numbers.values()), dtype=np.float64)
        share = np.cumsum(records) / records.sum()
        steps = np.concatenate([[sizes[0]], sizes, [1.5 * largest]])
        ax.step(steps, np.concatenate([[0.0], share, [1.0]]), where="post", label=written(name))
        ax.plot(
            sizes[0], share[0], "o", color=ax.lines[-1].get_color(), markersize=5, clip_on=False
        )
    ax.set(
        xscale="log", xlim=(0.9, 1.5 * largest), ylim=(0, 1.02), xlabel="records in the class",
        ylabel="share of records in classes up to that",
    )  # fmt: skip
    count_ticks(ax, 1.5 * largest)
    ax.yaxis.set_major_formatter(PercentFormatter(xmax=1))
    ax.grid(True, alpha=0.25)
    # Beside the picture: lines may run anywhere within.
    ax.legend(
        frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), title="● k, the smallest class"
    )
    return ax
