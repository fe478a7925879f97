"""Pictures of ranked sets of keys: bars, and a table of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from unveil._axes import new_axes, written
from unveil.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.measures.discrimination._ranking_finding import DiscriminationRates

__all__ = ["bars", "pairs"]

_BARS = 20
_COLOURS = "YlGnBu"  # light to dark, also without colours
_DARK = 0.62  # from here on, white letters are easier to read on it


def bars(finding: DiscriminationRates, ax: Axes | None = None) -> Axes:
    """Draw the sets of the highest rates, one bar each, the highest at the top."""
    ax = _axes(finding, ax)
    shown = finding.ranked[:_BARS][::-1]
    rates = [one.rate or 0.0 for one in shown]
    drawn = ax.barh([written(" + ".join(one.by)) for one in shown], rates, color="#2c7fb8")
    ax.bar_label(drawn, [f"{rate:.3f}" for rate in rates], padding=3)
    more = len(finding.ranked) - len(shown)
    ax.set_title(_title(finding) + (f" ({more:,} more are not drawn)" if more else ""), fontsize=10)
    ax.set_xlabel("discrimination rate")
    ax.set_xlim(0, 1.1 * _highest(rates))  # with room for the number beside the longest bar
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def pairs(finding: DiscriminationRates, ax: Axes | None = None) -> Axes:
    """Draw the rate of each pair of keys: the darker, the more they say together."""
    if finding.at_most < 2:
        raise InputError("a picture of pairs needs pairs: ask for at_most=2, of two keys or more")
    ax = _axes(finding, ax)
    keys = finding.keys
    rates = np.full((len(keys), len(keys)), np.nan)
    for i, key in enumerate(keys):
        for j, other in enumerate(keys[: i + 1]):
            rates[i, j] = finding.rate(*{key, other}) or 0.0
    highest = _highest(rates[~np.isnan(rates)].tolist())
    image = ax.imshow(rates, cmap=_COLOURS, vmin=0, vmax=highest, aspect="auto")
    for (row, column), rate in np.ndenumerate(rates):
        if not np.isnan(rate):
            ax.text(
                column, row, f"{rate:.3f}", ha="center", va="center", fontsize=9,
                color="white" if rate > _DARK * highest else "black",
            )  # fmt: skip
    names = [written(key) for key in keys]
    ax.set_xticks(range(len(keys)), names, rotation=30, ha="right")
    ax.set_yticks(range(len(keys)), names)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_title(f"{_title(finding)}, pairs of keys", fontsize=10)
    bar = ax.figure.colorbar(image, ax=ax, label="discrimination rate")
    bar.outline.set_visible(False)
    return ax


def _axes(finding: DiscriminationRates, ax: Axes | None) -> Axes:
    if finding.undefined:
        raise InputError(
            f"there is nothing to draw: the discrimination rate of {finding.of} is "
            f"{finding.undefined}"
        )
    if ax is None:
        ax = new_axes()
    return ax


def _highest(rates: Sequence[float]) -> float:
    """Where the scale ends: rates are often small, and their differences are what is looked for."""
    return max(rates) or 1.0


def _title(finding: DiscriminationRates) -> str:
    category = "the category of " if finding.partition else ""
    return written(f"What the keys say of {category}{finding.of}, in {finding.source}")
