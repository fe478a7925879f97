"""Horizontal bars side by side, for the pictures of all rooms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil._axes import new_axes, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["COLOURS", "Bars", "bars", "most"]

# They differ also for people who see fewer colours, and in grey.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
_MOST = 20
_LONGEST = 40  # characters of a name beside the bars
_ROOM = 0.32  # inches for a bar and the space below
_SPREAD = 0.8  # of the room of a row that its bars take


@dataclass(frozen=True, kw_only=True)
class Bars:
    """Bars of one kind, one in each row.

    Attributes
    ----------
    values : sequence of (float or None)
        None, and what is not finite, has no bar, but its text.
    texts : sequence of str
        What stands beside each bar.
    label : str
        In the legend; without one there is none.
    color : str, optional
    intervals : sequence of (low, high), optional
    """

    values: Sequence[float | None]
    texts: Sequence[str]
    label: str = ""
    color: str | Sequence[str] | None = None
    intervals: Sequence[tuple[float, float]] | None = None


def bars(
    names: Sequence[str],
    kinds: Sequence[Bars],
    ax: Axes | None = None,
    *,
    xlabel: str,
    title: str,
    share: bool = False,
    whole: bool = False,
    log: bool = False,
) -> Axes:
    """Draw a row for each name, the first on top, with a bar of each kind."""
    if ax is None:
        ax = _tall_enough(len(names) * len(kinds))
    height = _SPREAD / len(kinds)
    ends = [0.0]
    for number, kind in enumerate(kinds):
        at = np.arange(len(names)) + height * (number - (len(kinds) - 1) / 2)
        ends += _drawn(ax, at, kind, 0.92 * height, COLOURS[number % len(COLOURS)])
    ax.set_yticks(range(len(names)), [written(name, _LONGEST) for name in names])
    ax.set_ylim(len(names) - 0.45, -0.55)
    ax.set_xlabel(xlabel)
    ax.set_title(written(title), fontsize=10)
    _along(ax, min(ends), max(ends), share=share, whole=whole, log=log)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    if any(kind.label for kind in kinds):
        ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def most(rows: Sequence[Any]) -> tuple[Sequence[Any], str]:
    """As many rows as can be read, and a note of how many more there are."""
    more = len(rows) - _MOST
    return rows[:_MOST], f" ({more:,} more)" if more > 0 else ""


def _tall_enough(rows: int) -> Axes:
    ax = new_axes()
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.set_size_inches(9, max(2.2, _ROOM * rows + 1.0))
    return ax


def _drawn(
    ax: Axes, at: np.ndarray[Any, Any], kind: Bars, height: float, color: str
) -> list[float]:
    """Draw the bars of one kind; returns where they end."""
    values = [0.0 if v is None or not math.isfinite(v) else float(v) for v in kind.values]
    ax.barh(
        at, values, height, color=kind.color or color, label=written(kind.label) or "_bars"
    )  # fmt: skip
    ends = values
    if kind.intervals is not None:
        low, high = np.array(kind.intervals, dtype=np.float64).T
        ax.errorbar(
            values, at, xerr=[values - low, high - values], fmt="none", ecolor="0.2", capsize=3,
            linewidth=1,
        )  # fmt: skip
        ends = high.tolist()
    for y, end, text in zip(at, ends, kind.texts, strict=True):
        ax.annotate(
            written(text), (end, y), xytext=(4 if end >= 0 else -4, 0),
            textcoords="offset points", va="center", ha="left" if end >= 0 else "right",
            fontsize=8,
        )  # fmt: skip
    return ends


def _along(ax: Axes, least: float, largest: float, *, share: bool, whole: bool, log: bool) -> None:
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    if log:
        ax.set(xscale="log", xlim=(0.8, 20 * max(1.0, largest)))
    else:
        # Beyond the longest bar there is room for what is written beside it.
        room = 0.15 * ((largest - least) or 1.0)
        ax.set_xlim(least - 1.5 * room if least < 0 else 0.0, largest + 1.5 * room)
    if whole:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if share:
        ax.xaxis.set_major_formatter(PercentFormatter(xmax=1))
    ax.grid(True, axis="x", alpha=0.25)
    ax.set_axisbelow(True)
