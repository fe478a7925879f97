"""A picture of the deFinetti attack: how strongly people's most likely secret is believed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unveil._axes import new_axes, written
from unveil._text import percent
from unveil.attacks.definetti._texts import TITLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.attacks.definetti._finding import DeFinetti

__all__ = ["belief_curves"]

# They differ also for people who see fewer colours, and by their lines without any.
_LINES = {
    "random_worlds": ("the group's shares", "#0072b2", "--"),
    "reweighted": ("re-weighted", "#d55e00", "-"),
    "population": ("the model alone", "#009e73", ":"),
}


def belief_curves(finding: DeFinetti, ax: Axes | None = None) -> Axes:
    """Draw, for each of the beliefs, the share of people whose most likely secret has so much."""
    if ax is None:
        ax = new_axes()
    from matplotlib.ticker import PercentFormatter

    for name, (label, color, dashes) in _LINES.items():
        view = getattr(finding, name)
        belief = np.sort(view.belief[finding.placed])
        share = 1 - np.arange(len(belief)) / max(1, len(belief))
        right = "" if view.accuracy is None else f": {percent(view.accuracy)} right"
        sure = float((belief >= 1).mean()) if len(belief) else 0.0
        ax.step(
            np.concatenate([[0.0], belief, [1.0]]), np.concatenate([[1.0], share, [sure]]),
            where="pre", label=f"{label}{right}", color=color, linestyle=dashes,
        )  # fmt: skip
    ax.set(
        xlim=(0, 1), ylim=(0, 1.02), ylabel="share of people",
        xlabel=f"belief in the most likely {written(finding.release.sensitive.name)}, at least",
    )  # fmt: skip
    title = written(f"{TITLES[finding.method]} on {finding.release.made_by}")
    ax.set_title(title, fontsize=10)
    ax.xaxis.set_major_formatter(PercentFormatter(xmax=1))
    ax.yaxis.set_major_formatter(PercentFormatter(xmax=1))
    ax.grid(True, alpha=0.25)
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax
