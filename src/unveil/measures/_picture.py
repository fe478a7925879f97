"""A picture of the classes: in how small a class is everybody?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from unveil._axes import count_ticks, new_axes, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["class_sizes"]


def class_sizes(tables: Mapping[str, Mapping[int, int]], ax: Axes | None = None) -> Axes:
    """Draw the share of records in classes of at most so many, a line for each table.

    Of a table it is told how many classes there are of each size.
    """
    if ax is None:
        ax = new_axes()
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
