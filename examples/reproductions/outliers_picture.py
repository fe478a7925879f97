"""The picture of outliers taken out: δ over the rounds, and all distances before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from experiment import HEADS
from experiment_pictures import COLOURS, cumulative, log_axis
from reproduction import new_figure, save_picture

if TYPE_CHECKING:
    from outliers import Hardened

__all__ = ["draw_outliers"]


def draw_outliers(found: Sequence[Hardened], goal: float, out: str, name: str, title: str) -> None:
    """Left: δ of every variant, round by round. Right: before (dashed) and after (solid)."""
    from matplotlib.ticker import MaxNLocator

    figure = new_figure(14, 4.4)
    figure.suptitle(f"{title}: the records with large d taken out, round by round")
    left, right = figure.subplots(1, 2)
    for one in found:
        course, colour = one.hardening.course, COLOURS[one.variant]
        left.plot(
            [r.number for r in course.rounds], [r.delta for r in course.rounds], marker=".",
            color=colour,
        )  # fmt: skip
        left.plot(course.best.number, course.best.delta, "o", color=colour, markersize=8)
        cumulative(right, one.before, colour, None, linestyle="--")
        label = f"{HEADS[one.variant]}: {course.best.removed:,} removed"
        cumulative(right, one.after, colour, label)
    left.axhline(goal, color="black", linewidth=1, linestyle=":")
    log_axis(left)
    left.xaxis.set_major_locator(MaxNLocator(integer=True))
    left.set(xlabel="round (● best)", ylabel="δ, the worst record")
    right.axvline(goal, color="black", linewidth=1, linestyle=":", label=f"goal {goal:g}")
    right.plot([], [], color="0.3", linestyle="--", label="before")
    right.plot([], [], color="0.3", label="after the best round")
    # The upper tenth: what is taken out is the end of the curve.
    right.set(xscale="log", xlim=(1e-3, 1), ylim=(0.9, 1.0), ylabel="share of records below d")
    right.set_xlabel("d (dotted: the goal; ● worst)")
    right.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.02, 1.0), fontsize=9)
    for ax in (left, right):
        ax.grid(True, alpha=0.25)
    save_picture(figure, out, name)
