"""Pictures of utility: what is lost of each column, and of everything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from unveil._bars import Bars, bars, most
from unveil.measures.utility._entropy_loss import share_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.measures.utility._class_size import AverageClassSize
    from unveil.measures.utility._classifier_utility import ClassifierUtility
    from unveil.measures.utility._discernibility import Discernibility

__all__ = ["accuracy_bars", "cost_bars", "lost_bars", "size_bars"]

_ALL = "all together"
Lost = Mapping[str, float | None]


def lost_bars(
    kinds: Mapping[str, tuple[float | None, Lost]], made_by: str, ax: Axes | None = None
) -> Axes:
    """Draw the share that is lost of everything, and of each column, by one or more measures."""
    columns, more = most(list(next(iter(kinds.values()))[1]))
    drawn = []
    for label, (whole, by_column) in kinds.items():
        values = [whole, *(by_column[name] for name in columns)]
        drawn.append(
            Bars(
                values=values,
                texts=[share_text(v) for v in values],
                label=label if len(kinds) > 1 else "",
            )
        )
    one = next(iter(kinds)) if len(kinds) == 1 else "share that is lost"
    title = f"What {made_by} loses{more}"
    return bars([_ALL, *columns], drawn, ax, xlabel=one, title=title, share=True)


def size_bars(finding: AverageClassSize, ax: Axes | None = None) -> Axes:
    """Draw the size of an average class beside that of the smallest, and the goal."""
    sizes = {"average class": finding.mean, "smallest class": float(finding.smallest_class)}
    if finding.goal:
        sizes["goal"] = float(finding.k)
    return bars(
        list(sizes),
        [Bars(values=list(sizes.values()), texts=[f"{size:,.4g}" for size in sizes.values()])],
        ax,
        xlabel="records",
        title=f"{finding.classes:,} classes of {finding.source}: "
        f"{finding.normalized:.3g} times as large as they must be",
    )


def cost_bars(finding: Discernibility, ax: Axes | None = None) -> Axes:
    """Draw the cost between the least and the most that it could be."""
    costs = {
        "at best": finding.everybody, "it is": finding.cost, "at worst": finding.everybody**2
    }  # fmt: skip
    return bars(
        list(costs),
        [
            Bars(
                values=list(costs.values()), texts=[f"{cost:,}" for cost in costs.values()],
                color=["0.75", "#0072b2", "0.75"],
            )
        ],
        ax,
        xlabel="discernibility: pairs of records that cannot be told apart",
        title=f"Discernibility of {finding.source}",
        log=True,
    )  # fmt: skip


def accuracy_bars(finding: ClassifierUtility, ax: Axes | None = None) -> Axes:
    """Draw how often a classifier is right that learned from the release, and from others."""
    scores = {
        "the release": finding.release,
        "the original": finding.original,
        "majority rule": finding.majority,
    }
    return bars(
        list(scores),
        [
            Bars(
                values=[one.mean for one in scores.values()],
                texts=[f"{one.mean:.1%}" for one in scores.values()],
                intervals=[(one.low, one.high) for one in scores.values()],
                color=["#d55e00", "#0072b2", "0.75"],
            )
        ],
        ax,
        xlabel=f"held-out people of whom it guesses right (lines: 95% intervals, "
        f"{finding.repeats} splits)",
        title=f"What {finding.model} learns of {finding.target} from {finding.made_by}",
        share=True,
    )
