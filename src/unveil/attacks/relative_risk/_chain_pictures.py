"""Pictures of the chains: have they come to an answer about the victim who is worst off?

A trace is what the attacker would believe in each state of a chain. Chains that sample from the
same distribution wander over the same ground; and if all their values are ranked together, every
chain has about as many of the low ranks as of the high ones (A. Vehtari and others,
"Rank-normalization, folding, and localization", Bayesian Analysis, 2021).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unveil._axes import written
from unveil.attacks.relative_risk._arviz import victims_of_panel
from unveil.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.attacks.relative_risk._chains import Chains
    from unveil.attacks.relative_risk._finding import RelativeRisk

__all__ = ["rank", "trace"]

# They differ also for people who see fewer colours; after the last, the first comes again.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_LONG = 50  # letters
_LINES = ("-", "--", "-.", ":")
_ROW = 0.8  # how much of a chain's row a bar fills that is twice as high as it should be


@dataclass(frozen=True, eq=False, kw_only=True)
class _Watched:
    """The trace of the worst victim: chains × looks."""

    chains: Chains
    beliefs: NDArray[np.float64]
    title: str


def trace(finding: RelativeRisk, ax: Axes) -> Axes:
    """One line a chain: what the attacker believes, sweep by sweep."""
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


def rank(finding: RelativeRisk, ax: Axes) -> Axes:
    """One row of bars a chain: how its values rank among those of all chains."""
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
            f"there are no chains to draw: the answer is exact ({finding.how}); with exact=False "
            "it is sampled all the same"
        )
    rows = chains.trace("rows")
    found = chains.diagnostics
    covered = (rows.sum(axis=2) > 0).all(axis=(0, 1))
    if not covered.any():
        raise InputError(
            "there are no beliefs of the attacker to draw: no group of the release covers anybody "
            "of the panel"
        )
    victim = int(np.argmax(np.where(covered, found.rhat, -1.0)))
    shares = rows[..., victim] / rows[..., victim].sum(axis=2, keepdims=True)
    mean, moves = shares.mean(axis=(0, 1)), np.ptp(shares, axis=(0, 1)) > 0
    value = int(np.argmax(np.where(moves, mean, mean - 1)))
    who, what = victims_of_panel(finding)[victim], finding.sensitive.texts[value]
    return _Watched(
        chains=chains, beliefs=shares[:, :, value],
        title=f"{written(finding.release, _LONG)}\n{written(who, _LONG)}; "
        f"{written(finding.sensitive.name, _LONG)} "
        f"{written(what, _LONG)}\nthe worst of a panel of {len(found.rhat)}: R-hat "
        f"{found.rhat[victim]:.3f}, effective sample size {found.ess[victim]:,.0f}",
    )  # fmt: skip


def _ranks(beliefs: NDArray[np.float64]) -> NDArray[np.int64]:
    """Ranks over all chains; those that are equal are in random order, lest a chain gain by it."""
    flat = beliefs.ravel()
    order = np.lexsort([np.random.default_rng(0).random(len(flat)), flat])
    ranks = np.empty(len(flat), dtype=np.int64)
    ranks[order] = np.arange(len(flat))
    return ranks.reshape(beliefs.shape)
