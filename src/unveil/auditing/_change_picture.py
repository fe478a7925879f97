"""A picture of two audits: what got better, what worse, and by how much."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from unveil._bars import Bars, bars, most
from unveil.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.auditing._comparing import AuditComparison, Change

__all__ = ["change_bars"]

_COLOURS = {"better": "#0072b2", "worse": "#d55e00"}


def change_bars(finding: AuditComparison, ax: Axes | None = None) -> Axes:
    """Draw the numbers that changed, the worse to the left and the better to the right."""
    changed = [*finding.that_became("worse"), *finding.that_became("better")]
    if not changed:
        raise InputError("there is nothing to draw: no number that both audits have has changed")
    shown, more = most(sorted(changed, key=_by))
    return bars(
        [f"{finding.about(one)}{one.release}: {one.figure.title}" for one in shown],
        [
            Bars(
                values=[_by(one) for one in shown],
                texts=[one.from_to for one in shown],
                color=[_COLOURS[one.became] for one in shown],
            )
        ],
        ax,
        xlabel="worse ← by which share of the larger number → better",
        title=f"What changed from one audit to the other{more}",
        share=True,
    )


def _by(change: Change) -> float:
    """How much a number changed, as a share of the larger; below 0 for the worse."""
    assert change.before is not None
    assert change.after is not None
    larger = max(abs(change.before), abs(change.after))
    share = 1.0 if math.isinf(larger) else abs(change.after - change.before) / larger
    return share if change.became == "better" else -share
