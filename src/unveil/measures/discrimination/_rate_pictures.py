"""Pictures of discrimination rates: of values, of attacks, before and after, and of releases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unveil._axes import new_axes, written
from unveil._bars import Bars, bars, most
from unveil.errors import InputError
from unveil.measures.discrimination._finding import keys_text, rate_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.measures.discrimination._comparison_finding import DiscriminationComparison
    from unveil.measures.discrimination._finding import DiscriminationRate, ValueDiscrimination
    from unveil.measures.discrimination._view_findings import AttackRates, Skewness

__all__ = ["attack_bars", "compared", "open_bits", "taken_bars", "value_bars"]

_COLOURS = "YlGnBu"  # light to dark, also without colours
_DARK = 0.62  # from here on, white letters are easier to read on it


def value_bars(finding: DiscriminationRate, ax: Axes | None = None) -> Axes:
    """Draw what is open of those with the most telling values, and, dotted, of everybody."""
    _refuse(finding.of, finding.undefined)
    shown, more = most(finding.by_value)
    ax = bars(
        [", ".join(f"{key}={text}" for key, text in one.values.items()) for one in shown],
        [
            Bars(
                values=[one.entropy for one in shown],
                texts=[f"{one.entropy:.2f}; {one.records:,} records" for one in shown],
            )
        ],
        ax,
        xlabel=f"bits of {written(finding.of)} that are open",
        title=f"What {keys_text(finding.by)} says of {finding.of}: {rate_text(finding.rate)}{more}",
    )
    ax.axvline(finding.entropy, color="0.3", linewidth=1, linestyle=":")
    ax.set_xlim(right=1.2 * finding.entropy)
    return ax


def open_bits(finding: ValueDiscrimination, ax: Axes | None = None) -> Axes:
    """Draw what there is to know of everybody, and what is open of those with the values."""
    _refuse(finding.of, finding.undefined)
    bits = [finding.entropy, finding.value.entropy]
    return bars(
        ["everybody", str(finding.value)],
        [Bars(values=bits, texts=[f"{b:.3f}" for b in bits])],
        ax,
        xlabel="bits that are open",
        title=f"What is open of {finding.of}: rate {rate_text(finding.rate)}",
    )


def attack_bars(finding: AttackRates, ax: Axes | None = None) -> Axes:
    """Draw the rate, or the resistance, of each set of keys."""
    shown, more = most(finding.rates)
    numbers = [one.resistance if finding.as_resistance else one.rate for one in shown]
    what = "resistance (1 − discrimination rate)" if finding.as_resistance else (
        "discrimination rate")  # fmt: skip
    return bars(
        [f"{one.of} by {keys_text(one.by)}" for one in shown],
        [Bars(values=numbers, texts=[rate_text(n) for n in numbers])],
        ax,
        xlabel=what,
        title=f"{finding.attack.capitalize()} in {finding.rates[0].source}{more}",
    )


def taken_bars(finding: Skewness, ax: Axes | None = None) -> Axes:
    """Draw the rate of each set of keys before and after."""
    _refuse(finding.of, finding.undefined)
    shown, more = most(finding.changes)
    before, after = [one.before for one in shown], [one.after for one in shown]
    return bars(
        [keys_text(one.original) for one in shown],
        [
            Bars(label="before", values=before, texts=[rate_text(r) for r in before], color="0.75"),
            Bars(label="after", values=after, texts=[rate_text(r) for r in after]),
        ],
        ax,
        xlabel="discrimination rate",
        title=f"What the keys say of {finding.of}, before and after{more}",
    )


def compared(finding: DiscriminationComparison, ax: Axes | None = None) -> Axes:
    """Draw a table of colours: the darker, the more the keys say."""
    if ax is None:
        ax = new_axes()
    shown, more = most(finding.rows)
    rates = np.array([[row.rates[name] for name in finding.releases] for row in shown], dtype=float)
    highest = float(np.nanmax(rates, initial=0.0)) or 1.0
    image = ax.imshow(rates, cmap=_COLOURS, vmin=0, vmax=highest, aspect="auto")
    for (row, column), rate in np.ndenumerate(rates):
        text = rate_text(None if np.isnan(rate) else float(rate))
        ax.text(
            column, row, text, ha="center", va="center", fontsize=9,
            color="white" if rate > _DARK * highest else "black",
        )  # fmt: skip
    several = len({row.partition for row in shown}) > 1
    ax.set_xticks(range(len(finding.releases)), [written(name, 24) for name in finding.releases])
    ax.set_yticks(
        range(len(shown)),
        [
            written(f"{row.partition}: {keys_text(row.by)}" if several else keys_text(row.by), 44)
            for row in shown
        ],
    )
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_title(written(f"What the keys say of {finding.of}{more}"), fontsize=10)
    bar = ax.figure.colorbar(image, ax=ax, label="discrimination rate")
    bar.outline.set_visible(False)
    return ax


def _refuse(of: str, undefined: str | None) -> None:
    if undefined:
        raise InputError(
            f"there is nothing to draw: the discrimination rate of {of} is {undefined}"
        )
