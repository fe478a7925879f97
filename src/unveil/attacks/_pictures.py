"""Pictures of findings, with matplotlib (an extra)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil._axes import new_axes, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["cumulative"]

_FLOOR = 1e-6  # distances below this are drawn here: a log axis has no zero


def cumulative(
    distances: NDArray[np.float64],
    *,
    ax: Axes | None = None,
    label: str,
    distance: str,
    **line: Any,
) -> Axes:
    """Draw the empirical distribution of distances on a log axis."""
    if ax is None:
        ax = new_axes()
    values = np.sort(np.maximum(distances[np.isfinite(distances)], _FLOOR))
    infinite = len(distances) - len(values)
    label = written(label)
    if infinite:  # they have no place on the axis: the line ends as far below 1 as they are many
        label = f"{label} (∞ for {infinite:,})"
    # From the decade that all but one in a hundred are in, to 1, where total variation ends; and
    # as far as the lines that are there already need.
    above = values[values > _FLOOR]
    left = 10 ** math.floor(math.log10(np.quantile(above, 0.01))) if len(above) else 0.1
    left, right = min(left, 0.1), float(values.max(initial=1.0))
    if ax.lines:
        left, right = min(left, ax.get_xlim()[0]), max(right, ax.get_xlim()[1])
    share = np.arange(1, len(values) + 1) / max(1, len(distances))
    steps = np.concatenate([[_FLOOR], values, [right]])
    shares = np.concatenate([[0.0], share, share[-1:] if len(share) else [0.0]])
    ax.step(steps, shares, where="post", label=label, **line)
    if len(values):
        ax.plot(
            values[-1], share[-1], "o", color=ax.lines[-1].get_color(), markersize=5, clip_on=False
        )
    ax.set(
        xscale="log", xlim=(left, right), ylim=(0, 1), ylabel="share of records",
        xlabel=f"d: how far belief about a person moves without their record ({distance})",
    )  # fmt: skip
    ax.grid(True, alpha=0.25)
    # Beside the picture: lines may run anywhere within.
    ax.legend(
        frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), title="● δ, the worst record"
    )
    return ax
