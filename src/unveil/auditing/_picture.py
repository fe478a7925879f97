"""A picture of an audit: what is given away against what is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unveil._axes import new_axes, written
from unveil._text import display_name
from unveil.auditing._figures import FIGURES
from unveil.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.auditing._audited import OneSecret
    from unveil.auditing._finding import Audit

__all__ = ["PRIVACY", "privacy_against_utility"]

PRIVACY = ("delta", "gr", "prosecutor", "one_value")
"""What stands for privacy: the first that the releases have."""

_MARK = 6.0  # points across


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

    together: dict[tuple[float, float], list[str]] = {}
    for place, one in enumerate(audit.secrets):
        points = [
            (loss, given_away, display_name(audited.name))
            for audited in one.audited
            if (loss := audited.figures.get("loss")) is not None
            and (given_away := audited.figures.get(privacy)) is not None
        ]
        # Later ones are smaller: what lies on the same point is seen all the same.
        size = _MARK * (1 + 0.5 * (len(audit.secrets) - 1 - place))
        (marks,) = ax.plot(
            [x for x, _, _ in points], [y for _, y, _ in points], "o", markersize=size,
            label=written(one.sensitive),
        )  # fmt: skip
        _join(ax, one, points, marks.get_color())
        for x, y, name in points:
            names = together.setdefault((x, y), [])
            if name not in names:
                names.append(name)
    _name(ax, together)
    ax.set(
        xlabel="information loss", ylabel=f"{FIGURES[privacy].title} ({privacy})",
        title="To the left, less is lost; below, less is given away",
    )  # fmt: skip
    ax.xaxis.set_major_formatter(PercentFormatter(xmax=1))
    if FIGURES[privacy].share:
        ax.yaxis.set_major_formatter(PercentFormatter(xmax=1))
    ax.margins(0.15)
    ax.grid(True, alpha=0.25)
    if len(audit.secrets) > 1:
        ax.legend(frameon=False)
    return ax


def _name(ax: Axes, together: Mapping[tuple[float, float], Sequence[str]]) -> None:
    """Write the names of the releases beside their points, to the side where there is room."""
    losses = [x for x, _ in together] or [0.0]
    for (x, y), names in together.items():
        left = 2 * x > min(losses) + max(losses)
        ax.annotate(
            written(", ".join(names)), (x, y), xytext=(-6 if left else 6, 4), fontsize=9,
            textcoords="offset points", ha="right" if left else "left",
            # No line goes through a name.
            bbox={"facecolor": ax.get_facecolor(), "edgecolor": "none", "alpha": 0.8, "pad": 0.5},
        )  # fmt: skip


def _join(
    ax: Axes, one: OneSecret, points: Sequence[tuple[float, float, str]], colour: Any
) -> None:
    """A line through the releases that differ in one parameter, in its order."""
    from unveil.report.page import families_of

    at = {name: (x, y) for x, y, name in points}
    families = families_of(
        [
            {"name": a.name, "shown": display_name(a.name), "kind": a.subject.kind}
            for a in one.audited
        ]
    )
    for family in families:
        curve = [at[name] for name in family.members if name in at]
        ax.plot([x for x, _ in curve], [y for _, y in curve], color=colour, linewidth=1, alpha=0.6)
