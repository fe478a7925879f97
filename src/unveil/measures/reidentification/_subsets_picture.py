"""The picture of unique subsets: a bar for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unveil._axes import new_axes, written
from unveil.measures.reidentification._subset_counts import SubsetCount

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["subset_bars"]


def subset_bars(subsets: Sequence[SubsetCount], source: str, ax: Axes | None = None) -> Axes:
    """Draw the share of records that each subset singles out, a colour for each number of keys."""
    if ax is None:
        ax = new_axes()
    from matplotlib.ticker import PercentFormatter

    for size in sorted({len(one.keys) for one in subsets}):
        there = [(i, one) for i, one in enumerate(subsets) if len(one.keys) == size]
        bars = ax.barh(
            [i for i, _ in there], [one.share for _, one in there], height=0.7,
            color=f"C{size - 1}", label=f"{size} key{'s' if size > 1 else ''}",
        )  # fmt: skip
        ax.bar_label(bars, labels=[f"{one.unique:,}" for _, one in there], padding=3)
    names = [written(" + ".join(one.keys)) for one in subsets]
    ax.set_yticks(range(len(subsets)), labels=names)
    ax.invert_yaxis()  # the one that singles out most stands on top
    most = max((one.share for one in subsets), default=1.0)
    ax.set(xlim=(0, 1.12 * most or 1), xlabel="share of records that are alone, and how many")
    ax.set_title(written(f"Who is singled out in {source}"), fontsize="medium")
    ax.xaxis.set_major_formatter(PercentFormatter(xmax=1))
    ax.grid(True, axis="x", alpha=0.25)
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax
