"""The picture of a comparison of encodings: six ways by four, as colours and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import numpy as np

from unveil._axes import new_axes, written
from unveil.adversary import Categorical, Continuous

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.attacks._encoding_finding import EncodingComparison

__all__ = ["heat_map"]

_COLOURS = "YlGnBu"  # light to dark, also without colours
_DARK = 0.62  # from here on, white letters are easier to read on it


def heat_map(finding: EncodingComparison, ax: Axes | None = None) -> Axes:
    """Draw one cell an encoding: the darker, the more accurate."""
    if ax is None:
        ax = new_axes()
    rows, columns = get_args(Continuous), get_args(Categorical)
    accuracy = np.full((len(rows), len(columns)), np.nan)
    features = np.full_like(accuracy, np.nan)
    for i, encoding in enumerate(finding.encodings):
        place = rows.index(encoding.continuous), columns.index(encoding.categorical)
        accuracy[place] = finding.accuracy[i].mean()
        features[place] = finding.features[i].mean()
    low, high = float(np.nanmin(accuracy)), float(np.nanmax(accuracy))
    image = ax.imshow(accuracy, cmap=_COLOURS, vmin=low, vmax=high, aspect="auto")
    for (row, column), share in np.ndenumerate(accuracy):
        if not np.isnan(share):
            dark = share > low + _DARK * (high - low)
            n = round(float(features[row, column]))
            ax.text(
                column, row, f"{share:.1%}\n{n:,} feature{'s' if n != 1 else ''}",
                ha="center", va="center", fontsize=9, color="white" if dark else "black",
                fontweight="bold" if share == high else "normal",
            )  # fmt: skip
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel("categorical and ordinal columns")
    ax.set_ylabel("numeric columns")
    mean = "mean accuracy" if len(finding.sanitizers) > 1 else "accuracy"
    ax.set_title(
        f"{written(finding.model)} on {written(finding.microdata.source)}: {mean} by encoding "
        f"(most frequent value: {finding.baseline:.1%})", fontsize=10,
    )  # fmt: skip
    bar = ax.figure.colorbar(image, ax=ax, format=lambda share, _: f"{share:.0%}")
    bar.outline.set_visible(False)
    return ax
