"""A picture of linkage: how many people have how few candidates, and how few sensitive values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unveil._axes import count_ticks, new_axes, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.attacks.linking._finding import Linkage

__all__ = ["LINES", "candidate_curves", "curve", "release_curves"]

# They differ also for people who see fewer colours, and by their lines without any.
_LINES = {
    "records": {"color": "#0072b2", "linestyle": "-"},
    "values": {"color": "#d55e00", "linestyle": "--"},
}

LINES = (
    {"color": "#0072b2", "linestyle": "--"},
    {"color": "#009e73", "linestyle": "-."},
    {"color": "#56b4e9", "linestyle": ":"},
    {"color": "#cc79a7", "linestyle": "--"},
)
"""Of several releases."""


def candidate_curves(finding: Linkage, ax: Axes | None = None) -> Axes:
    """Draw the share of people with at most so many candidate records, and sensitive values."""
    if ax is None:
        ax = new_axes()
    secret = finding.release.sensitive.name
    right = 1.5 * max(1, int(finding.candidates.max()))
    curve(ax, finding.candidates, right, label="candidate records", **_LINES["records"])
    curve(
        ax,
        finding.values,
        right,
        label=f"values of {written(secret)} among them",
        **_LINES["values"],
    )
    _share_axes(ax, right, "candidates of a person")
    ax.set_title(written(f"{finding.people.source} against {finding.release.made_by}"), fontsize=10)
    nobody = len(finding) - finding.found
    title = "● linked to a single one"
    if nobody:
        title += f"\n{nobody:,} of {len(finding):,} have none"
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), title=title)
    return ax


def release_curves(findings: Sequence[Linkage], names: Sequence[str]) -> Axes:
    """Draw the share of people with at most so many candidate records, a line for each release."""
    ax = new_axes()
    right = 1.5 * max(1, *(int(finding.candidates.max()) for finding in findings))
    for number, (finding, name) in enumerate(zip(findings, names, strict=True)):
        one = int(finding.one_value.sum())
        secret = finding.release.sensitive.name
        label = f"{written(name)}\n  {one:,} with one {written(secret)}"
        curve(ax, finding.candidates, right, label=label, **LINES[number % len(LINES)])
    _share_axes(ax, right, "candidate records of a person")
    ax.set_title(
        written(f"{len(findings[0]):,} people of {findings[0].people.source}"), fontsize=10
    )
    title = "● linked to a single one"
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), title=title)
    return ax


def _share_axes(ax: Axes, right: float, what: str) -> None:
    from matplotlib.ticker import PercentFormatter

    ax.set(
        xscale="log", xlim=(0.9, right), ylim=(0, 1.02), xlabel=what,
        ylabel="share of people with 1 to so many",
    )  # fmt: skip
    count_ticks(ax, right)
    ax.yaxis.set_major_formatter(PercentFormatter(xmax=1))
    ax.grid(True, alpha=0.25)


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
