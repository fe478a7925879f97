"""A distribution in a terminal: one line of block characters for each series, on one log axis.

The height of a bar is the number of people in its bin, compared with the fullest bin of the line;
the dot is the largest value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from unveil.errors import View, shown
from unveil.findings import Chart, Series
from unveil.render._frame import short

_BARS = " ▁▂▃▄▅▆▇█"
_FLOOR = 1e-6  # a log axis has no zero: anything smaller is drawn here
_WORST = "●"


def blocks(chart: Chart, *, width: int, view: View) -> Text:
    """Draw a chart of the kind ``distribution``.

    Parameters
    ----------
    chart : Chart
    width : int
        Columns of the terminal.
    view : View
        For whom names are worded.

    Returns
    -------
    rich.text.Text
        Empty if there is nothing to draw.
    """
    series = [one for one in chart.series if len(one.x) or len(one.y)]
    if not series:
        return Text()
    names = [shown(one.name, view) for one in series]
    margin = min(max(map(len, names)), width // 3)
    low, high = _decades(series)
    # A whole number of columns per decade puts every tick on a column of its own.
    columns = max(4, min(20, (width - margin - 8) // (high - low)))
    text = Text(no_wrap=True)
    for name, one in zip(names, series, strict=True):
        text.append(f"  {short(name, margin):<{margin}}  ")
        x, shares = _steps(one)
        bins = _bin(x, low, high, columns)
        heights = np.bincount(bins, weights=shares, minlength=(high - low) * columns)
        # Infinite values are beyond the axis, whose right end they are drawn at.
        infinite = 1 - float(sum(shares))
        worst = len(heights) - 1 if infinite > 1e-12 else int(bins[-1])
        for height in heights[:worst]:
            text.append(_bar(float(height), float(heights.max())), style="cyan")
        text.append(_WORST, style="bold red")
        if infinite > 1e-12:
            text.append(f" ∞ for {infinite:.2g} of them", style="bold red")
        text.append("\n")
    text.append(_axis(low, high, columns, indent=margin + 4), style="dim")
    return text


def _steps(one: Series) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The values, and the share of people at each."""
    y: Any = np.array(one.y, dtype=np.float64)
    return np.array(one.x, dtype=np.float64), np.diff(y, prepend=0.0)


def _decades(series: Sequence[Series]) -> tuple[int, int]:
    """The powers of ten between which nearly all values are, and the largest for certain."""
    most, least = 0.0, math.inf
    for one in series:
        x, shares = _steps(one)
        most = max(most, float(x.max(initial=0.0)))
        # One in a hundred may be drawn at the left end; how small they are does not matter there,
        # nor does it matter that some are exactly 0.
        above = x > _FLOOR
        if above.any():
            upto = np.cumsum(shares[above])
            least = min(least, float(x[above][np.searchsorted(upto, 0.01 * upto[-1])]))
    high = math.ceil(math.log10(max(most, 10 * _FLOOR)))
    low = math.floor(math.log10(max(min(least, most), _FLOOR)))
    return min(low, high - 2), high


def _bin(values: NDArray[np.float64], low: int, high: int, columns: int) -> NDArray[np.intp]:
    places = (np.log10(np.maximum(values, _FLOOR)) - low) * columns
    return np.clip(np.floor(places + 1e-9), 0, (high - low) * columns - 1).astype(np.intp)


def _bar(share: float, tallest: float) -> str:
    if share == 0:
        return _BARS[0]
    # Square root: a few people must stay visible beside the many.
    return _BARS[max(1, round(math.sqrt(share / tallest) * (len(_BARS) - 1)))]


def _axis(low: int, high: int, columns: int, indent: int) -> str:
    """A line with a tick at each power of ten, and their numbers beneath."""
    line = "".join("┴" + "─" * (columns - 1) for _ in range(high - low)) + "┴"
    numbers = [" "] * (indent + len(line) + 8)
    for decade in range(low, high + 1):
        label = f"{10.0**decade:g}"
        at = max(0, indent + (decade - low) * columns - len(label) // 2)
        numbers[at : at + len(label)] = label
    return f"{' ' * indent}{line}\n{''.join(numbers).rstrip()}"
