"""Pictures of empirical inference: prior, people held out and people in the release side by side.

What stands between the first two is knowledge about the population; between the last two, what
people's own records give away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil._axes import new_axes, written
from unveil.attacks.inference._guesses import Guesses, TwoSides
from unveil.attacks.inference._texts import INSIDE, OUTSIDE, PRIOR, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.attacks.inference._finding import Inference

__all__ = ["side_bars"]

# They differ also for people who see fewer colours, and by their hatches without any.
_PRIOR_OUTSIDE = f"{PRIOR}, {OUTSIDE}"
_BARS: dict[str, dict[str, Any]] = {
    PRIOR: {"color": "0.75", "hatch": ""},
    _PRIOR_OUTSIDE: {"color": "0.75", "hatch": "//"},
    OUTSIDE: {"color": "#56b4e9", "hatch": "//"},
    INSIDE: {"color": "#d55e00", "hatch": ""},
}
_WIDTH = 0.26
_ROOM = 0.65  # inches for each group of bars


def side_bars(
    findings: Sequence[Inference], names: Sequence[str] = (), *, ax: Axes | None = None
) -> Axes:
    """Draw the bars of every adversary of every finding.

    ``names`` are what the sanitizers are called, if not by their labels.
    """
    from matplotlib.ticker import PercentFormatter

    called = list(names) or [finding.made_by for finding in findings]
    groups = [
        (name if len(findings) > 1 else "", finding, sides)
        for name, finding in zip(called, findings, strict=True)
        for sides in finding.against.values()
    ]
    ax = _tall_enough(len(groups)) if ax is None else ax
    right = max(
        _draw(ax, place, finding, sides) for place, (_, finding, sides) in enumerate(groups)
    )
    ax.set_yticks(
        range(len(groups)),
        [f"{written(name)}\n{written(sides.adversary.label)}".strip() for name, _, sides in groups],
        fontsize=8,
    )
    # Beyond the longest bar there is room for what is written beside it.
    ax.set(xlim=(0, 1.45 * right), ylim=(len(groups) - 0.4, -0.6))
    ax.set_xlabel("share of the people guessed right")
    ax.set_xticks([tick for tick in ax.get_xticks() if tick <= min(1.0, 1.1 * right)])
    ax.xaxis.set_major_formatter(PercentFormatter(xmax=1))
    ax.grid(True, axis="x", alpha=0.25)
    ax.set_axisbelow(True)
    source = findings[0].microdata.source
    title = source if len(findings) > 1 else f"{called[0]} on {source}"
    ax.set_title(written(title), fontsize=10)
    handles, texts = ax.get_legend_handles_labels()
    unique = dict(zip(texts, handles, strict=True))
    ax.legend(
        unique.values(), unique.keys(), frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0)
    )
    return ax


def _tall_enough(groups: int) -> Axes:
    ax = new_axes()
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.set_size_inches(9, max(3.0, _ROOM * groups + 1.0))
    return ax


def _draw(ax: Axes, place: int, finding: Inference, sides: TwoSides) -> float:
    """Draw one group of bars, and beside it what people's own records add; returns its length."""
    bars: dict[str, Guesses | None] = {
        PRIOR: finding.prior,
        # With folds they are the same people.
        _PRIOR_OUTSIDE: finding.prior_outside if finding.folds is None else None,
        OUTSIDE: sides.outside,
        INSIDE: sides.inside,
    }
    there = {name: guesses for name, guesses in bars.items() if guesses is not None}
    width = _WIDTH * min(1.0, 3 / len(there))
    shifts = width * (np.arange(len(there)) - (len(there) - 1) / 2)
    for shift, (name, guesses) in zip(shifts, there.items(), strict=True):
        share = guesses.accuracy
        ax.barh(
            place + shift, share.value, width * 0.94, label=name, edgecolor="white", linewidth=0,
            **_BARS[name],
        )  # fmt: skip
        ax.errorbar(
            share.value, place + shift,
            xerr=[[share.value - share.low], [share.high - share.value]],
            fmt="none", ecolor="0.2", capsize=3, linewidth=1,
        )  # fmt: skip
    length = max(guesses.accuracy.high for guesses in there.values())
    said = "nobody held out" if sides.gap is None else f"+ {points(sides.gap)}"
    ax.annotate(
        said.replace("+ -", "- "), (length, place), xytext=(6, 0), textcoords="offset points",
        fontsize=8, va="center",
    )  # fmt: skip
    return length
