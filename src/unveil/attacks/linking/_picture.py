"""A picture of linkage: how many people have how few candidates, and how few sensitive values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unveil._axes import new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.attacks.linking._finding import Linkage

__all__ = ["candidate_curves", "curve"]

# They differ also for people who see fewer colours, and by their lines without any.
_LINES = {
    "records": {"color": "#0072b2", "linestyle": "-"},
    "values": {"color": "#d55e00", "linestyle": "--"},
}


def candidate_curves(finding: Linkage, ax: Axes | None = None) -> Axes:
    """Draw the share of people with at most so many candidate records, and sensitive values."""
    if ax is None:
        ax = new_axes()
    from matplotlib.ticker import FuncFormatter, PercentFormatter

    secret = finding.release.sensitive.name
    right = 1.5 * max(1, int(finding.candidates.max()))
    curve(ax, finding.candidates, right, label="candidate records", **_LINES["records"])
    curve(ax, finding.values, right, label=f"values of {secret} among them", **_LINES["values"])
    ax.set(
        xscale="log", xlim=(0.9, right), ylim=(0, 1.02), xlabel="candidates of a person",
        ylabel="share of people with 1 to so many",
    )  # fmt: skip
    ax.set_title(f"{finding.people.source} against {finding.release.made_by}", fontsize=10)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))
    ax.yaxis.set_major_formatter(PercentFormatter(xmax=1))
    ax.grid(True, alpha=0.25)
    nobody = len(finding) - finding.found
    title = "● linked to a single one"
    if nobody:
        title += f"\n{nobody:,} of {len(finding):,} have none"
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), title=title)
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
