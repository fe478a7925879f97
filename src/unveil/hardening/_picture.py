"""The picture of a hardening: δ over the rounds, and where it was to go."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from unveil._axes import new_axes, written
from unveil.hardening._rounds import CONFIDENCE
from unveil.hardening._texts import what_it_took

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.hardening._finding import Hardening

__all__ = ["over_rounds"]


def over_rounds(finding: Hardening, ax: Axes | None = None) -> Axes:
    """Draw δ (thick) and the mean (thin) of every strategy over its rounds, on a log axis.

    Of a sampled δ it is the upper end, which the goal is about.
    """
    if ax is None:
        ax = new_axes()
    from matplotlib.ticker import MultipleLocator

    several = len(finding.courses) > 1
    for course in finding.courses.values():
        rounds = [one.number for one in course.rounds]
        before, best = course.rounds[0], course.best
        offered = " (offered)" if course.strategy == finding.strategy and several else ""
        label = f"{course.strategy}{offered}: {what_it_took(course)}"
        if not math.isnan(best.loss):
            label += f",\nloss {before.loss:.1%} → {best.loss:.1%}"
        (line,) = ax.plot(
            rounds, _drawn([one.delta_at_most for one in course.rounds]), marker=".", label=label
        )
        colour = line.get_color()
        ax.plot(
            rounds, _drawn([one.mean for one in course.rounds]),
            color=colour, linewidth=1, linestyle=":", marker=".", markersize=3,
        )  # fmt: skip
        ax.plot(best.number, best.delta_at_most, "o", color=colour, markersize=8)
    goal = f"goal {finding.goal:g}"
    ax.axhline(finding.goal, color="black", linewidth=1, linestyle="--", label=goal)
    longest = max(len(course.rounds) for course in finding.courses.values())
    ax.set_xlim(-0.4, longest - 0.6)
    ax.set(yscale="log", xlabel="round", ylabel=f"d ({finding.finding.distance})")
    ax.xaxis.set_major_locator(MultipleLocator(max(1, longest // 8)))
    ax.set_title(written(f"{finding.asked} on {finding.original.source}"), fontsize=10)
    ax.grid(True, alpha=0.25)
    worst = f"at most ({CONFIDENCE:.0%} sure)" if finding.best.sampled else "the worst record"
    ax.legend(
        frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0),
        title=f"— δ, {worst}  ● best round\n··· mean", alignment="left",
    )  # fmt: skip
    return ax


def _drawn(values: list[float]) -> list[float]:
    """Without what a log axis has no place for."""
    return [value if 0 < value < np.inf else np.nan for value in values]
