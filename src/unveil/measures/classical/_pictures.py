"""Pictures of the classical measures: which sensitive values, and which class, make them so bad."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from unveil._bars import Bars, bars, most
from unveil.measures.classical._common import in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.measures.classical._alpha_k import AlphaK
    from unveil.measures.classical._beta_likeness import BetaLikeness
    from unveil.measures.classical._delta_disclosure import DeltaDisclosure
    from unveil.measures.classical._l_diversity import LDiversity
    from unveil.measures.classical._t_closeness import TCloseness

__all__ = ["disclosure_bars", "diversity_bars", "gain_bars", "prevailing_bars", "share_bars"]


def prevailing_bars(finding: AlphaK, ax: Axes | None = None) -> Axes:
    """Draw the largest share that each value has of a class."""
    ranked, more = most(sorted(finding.by_value.items(), key=lambda one: -one[1]))
    return bars(
        [value for value, _ in ranked],
        [Bars(values=[s for _, s in ranked], texts=[f"{s:.1%}" for _, s in ranked])],
        ax,
        xlabel="largest share of a class",
        title=f"{finding.sensitive} in {finding.source}: α = {in_words(finding.alpha)}{more}",
        share=True,
    )


def gain_bars(finding: BetaLikeness, ax: Axes | None = None) -> Axes:
    """Draw the largest gain of each value, beside what enhanced β-likeness allows."""
    ranked, more = most(sorted(finding.gains, key=lambda value: -finding.gains[value]))
    gains = [finding.gains[value] for value in ranked]
    bounds = [finding.bounds[value] for value in ranked]
    return bars(
        ranked,
        [
            Bars(label="largest gain", values=gains, texts=[in_words(g) for g in gains]),
            Bars(
                label="−ln q, allowed (enhanced)", values=bounds,
                texts=[in_words(b) for b in bounds], color="0.75",
            ),
        ],
        ax,
        xlabel="gain (p − q) / q of the share p of a class over the share q of the table",
        title=f"{finding.sensitive} in {finding.source}: β = {in_words(finding.basic)}{more}",
    )  # fmt: skip


def disclosure_bars(finding: DeltaDisclosure, ax: Axes | None = None) -> Axes:
    """Draw how much a class changes the odds of each value; what classes lack is written."""
    ranked, more = most(
        sorted(finding.by_value, key=lambda v: (-finding.lacking[v], -finding.by_value[v]))
    )
    values = [finding.by_value[value] for value in ranked]
    texts = [
        f"{in_words(number)}; lacking in {finding.lacking[value]:,}"
        if finding.lacking[value]
        else in_words(number)
        for value, number in zip(ranked, values, strict=True)
    ]
    delta = in_words(finding.delta)
    return bars(
        ranked, [Bars(values=values, texts=texts)], ax,
        xlabel="|ln(p / q)| at most, in the classes that have the value",
        title=f"{finding.sensitive} in {finding.source}: δ = {delta}{more}",
    )  # fmt: skip


def share_bars(finding: TCloseness, ax: Axes | None = None) -> Axes:
    """Draw the shares of the table beside those of a class that is furthest off."""
    furthest = finding.deciding.classes[0]
    ranked, more = most(
        sorted(finding.shares, key=lambda v: -furthest.counts.get(v, 0) / furthest.records)
    )
    table = [finding.shares[value] for value in ranked]
    in_class = [furthest.counts.get(value, 0) / furthest.records for value in ranked]
    return bars(
        ranked,
        [
            Bars(label="a class furthest off", values=in_class, color="#d55e00",
                 texts=[f"{s:.1%}" for s in in_class]),
            Bars(label="the whole table", values=table, color="0.75",
                 texts=[f"{s:.1%}" for s in table]),
        ],
        ax,
        xlabel=f"share, in {furthest.records:,} and in {finding.records:,} records",
        title=f"{finding.sensitive} in {finding.source}: t = {in_words(finding.t)}{more}",
        share=True,
    )  # fmt: skip


def diversity_bars(finding: LDiversity, ax: Axes | None = None) -> Axes:
    """Draw the sensitive values of a class that is least diverse."""
    least = finding.deciding_entropy.classes[0]
    ranked, more = most(sorted(least.counts.items(), key=lambda one: -one[1]))
    entropy = in_words(finding.entropy) if math.isfinite(finding.entropy) else "–"
    return bars(
        [value for value, _ in ranked],
        [Bars(values=[n for _, n in ranked], texts=[f"{n:,}" for _, n in ranked])],
        ax,
        xlabel=f"records of a class of {least.records:,} that is least diverse",
        title=f"{finding.sensitive} in {finding.source}: ℓ = {finding.distinct:,}, by entropy "
        f"{entropy}{more}",
        whole=True,
    )
