"""Pictures of empirical inference: prior, people held out and people in the release side by side.

What stands between the first two is knowledge about the population; between the last two, what
people's own records give away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil._axes import new_axes
from unveil.attacks.guessing._sides import Guesses, TwoSides
from unveil.attacks.guessing._texts import INSIDE, OUTSIDE, PRIOR, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.attacks.guessing._finding import Inference

__all__ = ["side_bars"]

# They differ also for people who see fewer colours, and by their hatches without any.
_BARS: dict[str, dict[str, Any]] = {
    PRIOR: {"color": "0.75", "hatch": ""},
    OUTSIDE: {"color": "#56b4e9", "hatch": "//"},
    INSIDE: {"color": "#d55e00", "hatch": ""},
}
_WIDTH = 0.26
_LONGEST = 26  # letters of a name on one line


def side_bars(
    findings: Sequence[Inference], names: Sequence[str] = (), *, ax: Axes | None = None
) -> Axes:
    """Draw the bars of every adversary of every finding.

    ``names`` are what the sanitizers are called, if not by their labels.
    """
    ax = new_axes() if ax is None else ax
    from matplotlib.ticker import PercentFormatter

    called = list(names) or [finding.made_by for finding in findings]
    groups = [
        (name if len(findings) > 1 else "", finding, sides)
        for name, finding in zip(called, findings, strict=True)
        for sides in finding.against.values()
    ]
    top = max(_draw(ax, place, finding, sides) for place, (_, finding, sides) in enumerate(groups))
    several = any(len(finding.against) > 1 for finding in findings) or len(findings) == 1
    labels = [
        _folded([name] * bool(name) + [sides.adversary.label] * several, sides)
        for name, _, sides in groups
    ]
    ax.set_xticks(range(len(groups)), labels, fontsize=8)
    ax.set(ylim=(0, min(1.05, 1.15 * top)), ylabel="share of the people guessed right")
    ax.set_xlim(-0.6, len(groups) - 0.4)
    ax.yaxis.set_major_formatter(PercentFormatter(xmax=1))
    ax.grid(True, axis="y", alpha=0.25)
    ax.set_axisbelow(True)
    first = findings[0]
    title = (
        first.microdata.source if len(findings) > 1 else f"{called[0]} on {first.microdata.source}"
    )
    ax.set_title(title, fontsize=10)
    handles, texts = ax.get_legend_handles_labels()
    unique = dict(zip(texts, handles, strict=True))
    ax.legend(
        unique.values(), unique.keys(), frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0)
    )
    return ax


def _draw(ax: Axes, place: int, finding: Inference, sides: TwoSides) -> float:
    """Draw one group of bars; returns how high it is."""
    bars: dict[str, Guesses | None] = {
        PRIOR: finding.prior, OUTSIDE: sides.outside, INSIDE: sides.inside,
    }  # fmt: skip
    there = {name: guesses for name, guesses in bars.items() if guesses is not None}
    shifts = _WIDTH * (np.arange(len(there)) - (len(there) - 1) / 2)
    for shift, (name, guesses) in zip(shifts, there.items(), strict=True):
        share = guesses.accuracy
        ax.bar(
            place + shift, share.value, _WIDTH * 0.94, label=name, edgecolor="white", linewidth=0,
            **_BARS[name],
        )  # fmt: skip
        ax.errorbar(
            place + shift, share.value,
            yerr=[[share.value - share.low], [share.high - share.value]],
            fmt="none", ecolor="0.2", capsize=3, linewidth=1,
        )  # fmt: skip
    return max(guesses.accuracy.high for guesses in there.values())


def _folded(names: Sequence[str], sides: TwoSides) -> str:
    """What a group is called, and beneath it what people's own records add."""
    import textwrap

    lines = [line for name in names for line in textwrap.wrap(name, _LONGEST)]
    added = ["people held out: none"] if sides.gap is None else [
        "in − not in:", points(sides.gap)]  # fmt: skip
    return "\n".join([*lines, *added])
