"""Pictures of relative risk: all records, several findings, one victim, and the chains.

The attacker is orange and the learner blue, which also differ for people with colour blindness; the
learner is hatched, so that they differ without colours.

A trace is what the attacker would believe in each state of a chain. Chains that sample from the
same distribution cover the same range; and if all their values are ranked together, every chain
has about as many low ranks as high ones (A. Vehtari and others, "Rank-normalization, folding, and
localization", Bayesian Analysis, 2021).
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil._axes import new_axes, written
from unveil._text import harmless
from unveil.attacks.relative_risk._arviz import victims_of_panel
from unveil.attacks.relative_risk._domain import one_of
from unveil.attacks.relative_risk._victim import LEVEL
from unveil.errors import InputError, Option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.attacks.relative_risk._chains import Chains
    from unveil.attacks.relative_risk._finding import RelativeRisk
    from unveil.attacks.relative_risk._victim import Victim

__all__ = ["KINDS", "grid", "panels", "picture_of", "two_posteriors"]

KINDS = ("histogram", "scatter", "trace", "rank")
"""What a finding can be drawn as."""

_ATTACKER: dict[str, Any] = {"color": "#d55e00", "edgecolor": "white"}
_LEARNER: dict[str, Any] = {"color": "#0072b2", "hatch": "///", "edgecolor": "white"}
_GREY = "0.35"
_SPAN = 3.0  # of the relative risks, from which on their axis is logarithmic
_BINS = 40
_ONE = 1e-9  # relative risks that differ from 1 by less are 1
_FEW = 400  # different pairs of beliefs that are drawn as points
_SHOWN = 12  # sensitive values of a victim
_LONG = 40  # letters of a value
_MOST_COLUMNS = 3  # panels side by side
# Of chains; they differ also for people with colour blindness, and repeat after the last.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_LINES = ("-", "--", "-.", ":")
_LONG_TITLE = 50  # letters of a part
_ROW = 0.8  # the share of a chain's row that a bar of twice the expected height fills


def picture_of(finding: RelativeRisk, kind: str = "histogram", ax: Axes | None = None) -> Axes:
    """Draw a finding as one of `KINDS`."""
    one_of("kind", kind, KINDS)
    drawn = {"histogram": _histogram, "scatter": _scatter, "trace": _trace, "rank": _rank}[kind]
    if kind in ("histogram", "scatter"):
        finding.n_attacker  # noqa: B018  (without the original table there is nobody to draw)
    return drawn(finding, new_axes() if ax is None else ax)


def panels(findings: Sequence[RelativeRisk], kind: str, names: Sequence[str] = ()) -> Axes:
    """Draw several findings side by side; returns the first of the axes.

    ``names`` are what the releases are called, if not by who made them.
    """
    axes = grid(len(findings))
    for ax, finding, name in zip(
        axes, findings, names or [finding.release for finding in findings], strict=True
    ):
        picture_of(finding, kind, ax)
        _, more, rest = ax.get_title().partition("\n")
        ax.set_title(written(name) + more + rest, fontsize=10)
    return axes[0]


def grid(n: int) -> list[Axes]:
    """Axes for so many pictures, at most three of them side by side."""
    if n == 1:
        return [new_axes()]
    columns = min(_MOST_COLUMNS, n)
    rows = -(-n // columns)
    figure = new_axes().get_figure(root=True)
    assert figure is not None
    figure.clear()
    figure.set_size_inches(5.2 * columns, 4.2 * rows)
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for ax in axes[n:]:
        ax.remove()
    return axes[:n]


def _title(finding: RelativeRisk) -> str:
    source = "" if finding.microdata is None else f" on {finding.microdata.source}"
    return written(f"{finding.release}{source}") + _rough(finding)


def _rough(finding: RelativeRisk) -> str:
    return "" if finding.converged else "\nNOT CONVERGED: take it as rough"


def _histogram(finding: RelativeRisk, ax: Axes) -> Axes:
    """How much more, or less, each record's own sensitive value is believed."""
    risks = finding.relative_risks
    risks = risks[~np.isnan(risks)]
    above, below = risks > 1 + _ONE, risks < 1 - _ONE
    edges, log = _edges(risks)
    n = max(1, len(risks))
    shown = np.clip(risks, edges[0], edges[-1])
    styles = (
        (below, "below 1", _LEARNER),
        (~above & ~below, "just 1", {"color": "0.75", "edgecolor": "white"}),
        (above, "above 1", _ATTACKER),
    )
    height = np.zeros(len(edges) - 1)
    for where, label, style in styles:
        if where.any():
            records = np.histogram(shown[where], bins=edges)[0]
            ax.bar(
                edges[:-1], records, width=np.diff(edges), bottom=height, align="edge",
                label=f"{label}: {where.sum() / n:.1%} of the records", linewidth=0.4, **style,
            )  # fmt: skip
            height += records
    ax.axvline(1, color="black", linewidth=1.4, linestyle="--",
               label="1: being in the table changes nothing")  # fmt: skip
    ax.set(
        ylim=(0, 1.4 * max(1.0, float(height.max()))), ylabel="records",
        xlim=(edges[0], edges[-1]), xscale="log" if log else "linear",
        xlabel="relative risk p_A/p_L: how many times as credible\n"
        + written(f"one's own {finding.sensitive.name} is for being in the table"),
    )  # fmt: skip
    if log:
        _plain_numbers(ax)
    ax.locator_params(axis="y", integer=True)
    ax.set_title(_title(finding), fontsize=10)
    ax.legend(loc="upper right", fontsize=9, edgecolor="none", title=_left_out(finding, risks))
    ax.grid(True, axis="y", alpha=0.25)
    ax.set_axisbelow(True)
    return ax


def _edges(risks: NDArray[np.float64]) -> tuple[NDArray[np.float64], bool]:
    """The bins' edges, of which one is 1; and whether their axis is logarithmic."""
    seen = risks[risks > 0]
    low, high = float(seen.min(initial=1.0)), float(seen.max(initial=1.0))
    log = high / low > _SPAN
    a, b = (math.log(low), math.log(high)) if log else (low - 1, high - 1)
    width = max(b - a, 0.5) / _BINS
    first, last = math.floor(a / width - 1e-6) - 1, math.ceil(b / width + 1e-6) + 1
    steps = width * np.arange(first, last + 1, dtype=np.float64)
    return np.exp(steps) if log else 1.0 + steps, log


def _plain_numbers(ax: Axes) -> None:
    """Numbers on a log axis as people write them, and enough of them."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = ax.get_xlim()
    decades = math.log10(high / low)
    parts = (1.0,) if decades > 4 else (1.0, 3.0) if decades > 2 else (1.0, 2.0, 5.0)
    ax.xaxis.set_major_locator(LogLocator(subs=parts))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())


def _left_out(finding: RelativeRisk, risks: NDArray[np.float64]) -> str | None:
    """Records that have no place in the picture, in a word."""
    said = []
    if finding.not_covered:
        said.append(f"{finding.not_covered:,} records are not covered")
    if (risks == 0).any():
        said.append(f"{(risks == 0).sum():,} records at 0 are drawn at the left")
    return "; ".join(said) or None


def _scatter(finding: RelativeRisk, ax: Axes) -> Axes:
    """What the learner and the attacker believe of each record's own sensitive value."""
    learner, attacker = finding.under_learner.of_truth, finding.under_attacker.of_truth
    there = ~np.isnan(attacker)
    pairs, records = np.unique(
        np.round(np.stack([learner[there], attacker[there]]), 12), axis=1, return_counts=True
    )
    top = float(pairs.max(initial=0.0)) * 1.06 or 1.0
    if pairs.shape[1] <= _FEW:
        ax.scatter(
            pairs[0], pairs[1], s=12 + 160 * records / max(1, records.max(initial=1)),
            color="#d55e00", alpha=0.6, edgecolor="white", linewidth=0.6, zorder=3,
            label="the larger, the more records",
        )  # fmt: skip
    else:
        from matplotlib.colors import LogNorm

        drawn = ax.hexbin(
            learner[there], attacker[there], gridsize=45, extent=(0, top, 0, top), mincnt=1,
            cmap="viridis_r", linewidths=0.1, edgecolors="white", zorder=3,
        )  # fmt: skip
        most = np.max(np.asarray(drawn.get_array()), initial=10)
        drawn.set_norm(LogNorm(1, float(most)))
        bar = ax.figure.colorbar(drawn, ax=ax, label="records", format=lambda n, _: f"{n:,.0f}")
        bar.outline.set_visible(False)
    ax.plot([0, top], [0, top], color=_GREY, linestyle="--", linewidth=1.2, zorder=4,
            label="both believe it alike: relative risk 1")  # fmt: skip
    above = float((pairs[1] > pairs[0] * (1 + _ONE)) @ records) / max(1, there.sum())
    below = float((pairs[1] < pairs[0] * (1 - _ONE)) @ records) / max(1, there.sum())
    for place, aligned, text in (
        ((0.02, 0.98), "top", f"the attacker believes it more:\n{above:.1%} of the records"),
        ((0.98, 0.02), "bottom", f"the learner believes it more:\n{below:.1%} of the records"),
    ):
        ax.text(
            *place, text, transform=ax.transAxes, va=aligned, fontsize=9, zorder=2,
            ha="left" if aligned == "top" else "right",
        )  # fmt: skip
    secret = written(finding.sensitive.name)
    ax.set(
        xlim=(0, top), ylim=(0, 1.16 * top), aspect="equal",
        xlabel=f"learner's belief in the record's own {secret}",
        ylabel=f"attacker's belief in the record's own {secret}",
    )  # fmt: skip
    ax.set_title(_title(finding), fontsize=10)
    ax.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.13), fontsize=9,
              title=_left_out(finding, np.ones(0)))  # fmt: skip
    ax.grid(True, alpha=0.25)
    return ax


def two_posteriors(victim: Victim, ax: Axes | None = None) -> Axes:
    """Draw what both believe about a victim, a pair of bars a sensitive value."""
    if ax is None:
        ax = new_axes()
    ranked = victim.attacker if victim.is_covered else victim.learner
    order = np.argsort(-ranked, kind="stable")
    shown, others = order[:_SHOWN], order[_SHOWN:]
    if len(others) == 1:  # one more fits in
        shown, others = order, order[:0]
    names = [_short(victim.values[s]) for s in shown]
    if len(others):
        names.append(f"{len(others)} others together")
    parties = [("attacker", victim.attacker, victim.attacker_interval, _ATTACKER),
               ("learner", victim.learner, victim.learner_interval, _LEARNER)]  # fmt: skip
    if not victim.is_covered:
        parties = parties[1:]
    height = 0.8 / len(parties)
    rows = np.arange(len(names), dtype=np.float64)
    for place, (label, beliefs, limits, style) in enumerate(parties):
        at = rows + (place - (len(parties) - 1) / 2) * height
        lengths = np.append(beliefs[shown], beliefs[others].sum() if len(others) else [])
        ax.barh(at, lengths, height=0.92 * height, label=_party(label), **style)
        low, high = limits[0, shown], limits[1, shown]
        wide = high - low > 1e-9  # the mean may lie outside of an interval that is very narrow
        around = np.maximum([beliefs[shown] - low, high - beliefs[shown]], 0)[:, wide]
        if wide.any():
            ax.errorbar(
                beliefs[shown][wide], at[: len(shown)][wide], xerr=around, fmt="none",
                ecolor="black", elinewidth=1, capsize=2.5, label="_",
            )  # fmt: skip
    ax.set_yticks(rows, names)
    ax.invert_yaxis()
    ax.set(xlim=(0, None), xlabel=f"belief (lines: {LEVEL:.0%} credible intervals)",
           ylabel=written(victim.sensitive))  # fmt: skip
    ax.xaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
    ax.set_title(_who(victim), fontsize=10)
    ax.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.12), fontsize=9)
    ax.grid(True, axis="x", alpha=0.25)
    ax.set_axisbelow(True)
    return ax


def _party(name: str) -> str:
    knows = {"attacker": "knows that the victim is in the table",
             "learner": "asks about anybody like the victim"}  # fmt: skip
    return f"{name}: {knows[name]}"


def _short(text: str) -> str:
    """Without its middle, if it is long: names of a kind differ at their ends."""
    text = harmless(text)
    end = _LONG // 3
    return written(text if len(text) <= _LONG else f"{text[: _LONG - end - 1]}…{text[-end:]}")


def _who(victim: Victim) -> str:
    who = ", ".join(f"{name} {value}" for name, value in victim.who.items())
    lines = textwrap.wrap(harmless(who), 80, max_lines=3, placeholder=" …")
    if not victim.is_covered:
        lines.append("no group of the release covers this victim: the attacker believes nothing")
    if not victim.converged:
        lines.append("NOT CONVERGED: take it as rough")
    return "\n".join(map(written, lines))


# Chains ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class _Watched:
    """The trace of the worst victim: chains × looks."""

    chains: Chains
    beliefs: NDArray[np.float64]
    title: str


def _trace(finding: RelativeRisk, ax: Axes) -> Axes:
    """One line per chain: what the attacker believes, sweep by sweep."""
    worst = _worst(finding)
    chains = worst.chains
    sweeps = chains.warm_up + chains.goal.thin * np.arange(1, worst.beliefs.shape[1] + 1)
    for number, beliefs in enumerate(worst.beliefs):
        ax.plot(
            sweeps, beliefs, linewidth=0.8, alpha=0.8, color=_COLOURS[number % len(_COLOURS)],
            linestyle=_LINES[number // len(_COLOURS) % len(_LINES)], label=f"chain {number + 1}",
        )  # fmt: skip
    ax.set(
        xlabel="sweep", ylabel="attacker's belief", xlim=(sweeps[0], max(sweeps[-1], sweeps[0] + 1))
    )
    ax.set_title(worst.title, fontsize=10)
    ax.legend(
        frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.12), fontsize=9,
        ncols=min(4, len(worst.beliefs)),
    )  # fmt: skip
    ax.grid(True, alpha=0.25)
    return ax


def _rank(finding: RelativeRisk, ax: Axes) -> Axes:
    """One row of bars per chain: the ranks of its values among those of all chains."""
    worst = _worst(finding)
    ranks = _ranks(worst.beliefs)
    n_chains, looks = ranks.shape
    bins = int(np.ceil(2 * looks ** (1 / 3))) + 1
    edges = np.linspace(0, ranks.size, bins + 1)
    uniform = looks / bins
    for number, own in enumerate(ranks):
        floor = n_chains - 1 - number  # the first chain on top
        heights = np.histogram(own + 0.5, bins=edges)[0] / uniform * _ROW / 2
        ax.bar(
            edges[:-1], heights, width=np.diff(edges), bottom=floor, align="edge", alpha=0.85,
            color=_COLOURS[number % len(_COLOURS)], edgecolor="white", linewidth=0.6,
        )  # fmt: skip
        ax.plot([0, ranks.size], [floor + _ROW / 2] * 2, color="black", linestyle="--", linewidth=1,
                label="_" if number else "as many as there should be")  # fmt: skip
        ax.axhline(floor, color="0.35", linewidth=0.8)
    ax.set_yticks(
        [n_chains - 1 - number + _ROW / 2 for number in range(n_chains)],
        [f"chain {number + 1}" for number in range(n_chains)],
    )
    ax.tick_params(axis="y", length=0)
    ax.set(xlim=(0, ranks.size), xlabel="rank of the attacker's belief, among all chains")
    ax.set_ylim(bottom=0)
    ax.set_title(worst.title, fontsize=10)
    ax.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.12), fontsize=9)
    return ax


def _worst(finding: RelativeRisk) -> _Watched:
    """The victim of the panel with the largest R-hat, and the likeliest value that moves."""
    chains = finding.chains
    if chains is None:
        raise InputError(
            "there are no chains to draw: the answer is exact ({how}); use {sampled} to sample",
            how=finding.how, sampled=Option("exact", False),
        )  # fmt: skip
    rows = chains.trace("rows")
    found = chains.diagnostics
    covered = (rows.sum(axis=2) > 0).all(axis=(0, 1))
    if not covered.any():
        raise InputError(
            "there are no beliefs of the attacker to draw: no group of the release covers any "
            "victim of the panel"
        )
    victim = int(np.argmax(np.where(covered, found.rhat, -1.0)))
    shares = rows[..., victim] / rows[..., victim].sum(axis=2, keepdims=True)
    mean, moves = shares.mean(axis=(0, 1)), np.ptp(shares, axis=(0, 1)) > 0
    value = int(np.argmax(np.where(moves, mean, mean - 1)))
    who, what = victims_of_panel(finding)[victim], finding.sensitive.texts[value]
    return _Watched(
        chains=chains, beliefs=shares[:, :, value],
        title=f"{written(finding.release, _LONG_TITLE)}\n{written(who, _LONG_TITLE)}; "
        f"{written(finding.sensitive.name, _LONG_TITLE)} "
        f"{written(what, _LONG_TITLE)}\nthe worst of a panel of {len(found.rhat)}: R-hat "
        f"{found.rhat[victim]:.3f}, effective sample size {found.ess[victim]:,.0f}",
    )  # fmt: skip


def _ranks(beliefs: NDArray[np.float64]) -> NDArray[np.int64]:
    """Ranks over all chains; ties in random order, so that no chain gains by them."""
    flat = beliefs.ravel()
    order = np.lexsort([np.random.default_rng(0).random(len(flat)), flat])
    ranks = np.empty(len(flat), dtype=np.int64)
    ranks[order] = np.arange(len(flat))
    return ranks.reshape(beliefs.shape)
