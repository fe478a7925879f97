"""A picture of an audit: what is given away against what is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unveil._axes import new_axes, written
from unveil.auditing._figures import FIGURES
from unveil.errors import InputError
from unveil.report import display_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.auditing._finding import Audit

__all__ = ["PRIVACY", "privacy_against_utility"]

PRIVACY = ("delta", "gr", "prosecutor", "one_value")
"""What stands for privacy: the first that the releases have."""


def privacy_against_utility(audit: Audit, ax: Axes | None = None) -> Axes:
    """Draw a point for each release that has both."""
    privacy = next(
        (
            name
            for name in PRIVACY
            if any(audited.figures.get(name) is not None for audited in audit.releases)
        ),
        None,
    )
    if privacy is None or not any("loss" in audited.figures for audited in audit.releases):
        raise InputError(
            "there is no picture without both sides: audit with attacks that include utility, and "
            f"one that gives {', '.join(PRIVACY[:-1])} or {PRIVACY[-1]}"
        )
    if ax is None:
        ax = new_axes()
    from matplotlib.ticker import PercentFormatter

    for one in audit.secrets:
        points = [
            (loss, given_away, display_name(audited.name))
            for audited in one.audited
            if (loss := audited.figures.get("loss")) is not None
            and (given_away := audited.figures.get(privacy)) is not None
        ]
        label = written(one.sensitive)
        ax.plot([x for x, _, _ in points], [y for _, y, _ in points], "o", label=label)
        losses = [x for x, _, _ in points] or [0.0]
        for x, y, name in points:
            # To the side where there is room.
            left = 2 * x > min(losses) + max(losses)
            ax.annotate(
                written(name), (x, y), xytext=(-6 if left else 6, 4), fontsize=9,
                textcoords="offset points", ha="right" if left else "left",
            )  # fmt: skip
    ax.set(
        xlabel="information loss", ylabel=f"{FIGURES[privacy].title} ({privacy})",
        title="To the left, less is lost; below, less is given away",
    )  # fmt: skip
    ax.xaxis.set_major_formatter(PercentFormatter(xmax=1))
    ax.margins(0.15)
    ax.grid(True, alpha=0.25)
    if len(audit.secrets) > 1:
        ax.legend(frameon=False)
    return ax
