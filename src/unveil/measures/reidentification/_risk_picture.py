"""The picture of re-identification risk: the three attackers, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unveil._bars import Bars, bars
from unveil.measures.reidentification._texts import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.measures.reidentification._finding import ReidentificationRisk

__all__ = ["attacker_bars"]


def attacker_bars(finding: ReidentificationRisk, ax: Axes | None = None) -> Axes:
    """Draw the highest and the mean risk of each, and the share of records over the threshold."""
    threshold = percent(finding.threshold)
    kinds: list[tuple[str, list[float | None], str]] = [
        ("highest risk", [one.highest for one in finding.attackers], "#d55e00"),
        ("mean risk", [one.average for one in finding.attackers], "#0072b2"),
        (f"records over {threshold}", [one.over for one in finding.attackers], "0.75"),
    ]
    ax = bars(
        [
            one.name if one.basis == "exact" else f"{one.name} ({one.basis})"
            for one in finding.attackers
        ],
        [
            Bars(label=label, values=values, texts=[percent(v) for v in values], color=color)
            for label, values, color in kinds
        ],
        ax,
        xlabel="risk, or share of the records",
        title=f"Re-identification risk of {finding.source}",
        share=True,
    )
    ax.axvline(finding.threshold, color="0.3", linewidth=1, linestyle=":")
    return ax
