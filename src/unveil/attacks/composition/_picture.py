"""A picture of composition: how few candidates people have, alone and together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unveil._axes import count_ticks, new_axes, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.attacks.composition._finding import Composition

__all__ = ["left_curves"]

LINES = (
    {"color": "#0072b2", "linestyle": "--"},
    {"color": "#009e73", "linestyle": "-."},
    {"color": "#56b4e9", "linestyle": ":"},
    {"color": "#cc79a7", "linestyle": "--"},
)

# They differ also for people who see fewer colours, and by their lines without any.
_TOGETHER = {"color": "#d55e00", "linestyle": "-"}


def left_curves(finding: Composition, ax: Axes | None = None) -> Axes:
    """Draw the share of people with at most so many candidates, a line for each release."""
    if ax is None:
        ax = new_axes()
    from matplotlib.ticker import PercentFormatter

    right = 1.5 * max(1, *(int(left.candidates.max()) for left in finding.alone))
    for number, (label, left) in enumerate(zip(finding.labels, finding.alone, strict=True)):
        one = int((left.values == 1).sum())
        style = LINES[number % len(LINES)]
        curve(
            ax, left.candidates, right, label=f"{written(label)}\n  {one:,} with one value", **style
        )
    one = int(finding.determined.sum())
    at_most = "" if finding.identified else " (an upper bound)"
    curve(
        ax, finding.left.candidates, right, label=f"together{at_most}\n  {one:,} with one value",
        **_TOGETHER,
    )  # fmt: skip
    ax.axvline(finding.k, color="0.5", linewidth=0.8, zorder=0)
    ax.annotate(
        f"k = {finding.k:,}", (finding.k, 0.99), xycoords=("data", "axes fraction"),
        xytext=(3, -9), textcoords="offset points", fontsize=8, color="0.35",
    )  # fmt: skip
    ax.set(
        xscale="log", xlim=(0.9, right), ylim=(0, 1.02),
        xlabel=f"candidates: values of {written(finding.sensitive)} that may be the person's",
        ylabel="share of people with at most so many",
    )  # fmt: skip
    ax.set_title(written(f"{len(finding):,} people of {finding.people.source}"), fontsize=10)
    count_ticks(ax, right)
    ax.yaxis.set_major_formatter(PercentFormatter(xmax=1))
    ax.grid(True, alpha=0.25)
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def curve(
    ax: Axes, numbers: NDArray[np.int64], right: float, *, label: str, color: str, linestyle: str
) -> None:
    """Draw the share of people with 1 to n of something; a dot marks those with a single one."""
    some = numbers[numbers > 0]
    counts, people = np.unique(some, return_counts=True)
    share = np.cumsum(people) / max(1, len(numbers))
    steps = np.concatenate([[0.9], counts, [right]])
    ends = share[-1:] if len(share) else np.zeros(1)
    ax.step(
        steps,
        np.concatenate([[0.0], share, ends]),
        where="post",
        label=label,
        color=color,
        linestyle=linestyle,
    )
    single = float((numbers == 1).sum() / max(1, len(numbers)))
    ax.plot(1, single, "o", color=color, markersize=5, clip_on=False)
