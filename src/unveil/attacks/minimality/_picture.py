"""A picture of minimality: belief in people's likeliest value, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil._axes import new_axes, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.attacks.minimality._finding import Minimality

__all__ = ["belief_curves"]


def belief_curves(finding: Minimality, ax: Axes | None = None) -> Axes:
    """Draw the share of people of whom at least so much is believed."""
    if ax is None:
        ax = new_axes()
    from matplotlib.ticker import PercentFormatter

    # They differ also for people who see fewer colours, and by their lines without any.
    drawn: tuple[tuple[NDArray[np.float64], str, dict[str, Any]], ...] = (
        (finding.released_most, "the release alone", {"color": "#0072b2", "linestyle": "--"}),
        (finding.believed_most, "and how it was made", {"color": "#d55e00", "linestyle": "-"}),
    )
    people = np.arange(len(finding), 0, -1) / len(finding)
    for belief, label, style in drawn:
        ordered = np.sort(belief)
        ax.step(np.append(ordered, 1.0), np.append(people, people[-1] * (ordered[-1] == 1)),
                where="pre", label=label, **style)  # fmt: skip
    bound = float(finding.bound.max())
    if bound < 1 and finding.asks_inside:
        ax.axvline(bound, color="#555555", linewidth=1, linestyle=":")
        ax.text(bound, 1.01, f"promised: {finding.bound_in_words}", ha="center", va="bottom",
                fontsize=8, color="#555555", transform=ax.get_xaxis_transform())  # fmt: skip
    ax.set(
        xlim=(0, 1),
        ylim=(0, 1),
        xlabel=f"belief in the likeliest {written(finding.release.sensitive.name)}",
        ylabel="share of people with at least that",
    )
    title = written(f"{finding.microdata.source}, {finding.release.made_by}")
    ax.set_title(title, fontsize=10, pad=18)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(PercentFormatter(xmax=1))
    ax.grid(True, alpha=0.25)
    ax.legend(frameon=False, loc="upper right")
    return ax
