"""The pictures of noisy counts: distributions of the distances for each ε, and what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from experiment_pictures import cumulative, log_axis
from noisy_experiment import HOW, Noisy, written
from published import THRESHOLD
from reproduction import new_figure, save_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_distributions", "draw_summaries", "draw_tails"]

_SUMMARIES = {"delta": "δ, the worst record", "mean": "mean of d", "std": "standard deviation of d"}
_STYLES = {"published": "--", "direct": "-"}
_COLOURS = {"published": "#c1442e", "corrected": "#e0a030", "direct": "#2b6ca3"}
_MARKERS = {"published": "o", "corrected": "s", "direct": "^"}


def draw_distributions(found: Mapping[str, Sequence[Noisy]], out: str, name: str) -> None:
    """Empirical distribution functions on a log axis: a panel a table, a colour an ε."""
    from matplotlib import colormaps

    figure = new_figure(5.2 * len(found) + 1.8, 4.2)
    figure.suptitle("Noisy counts: how far belief moves without one's own record")
    axes = figure.subplots(1, len(found), sharex=True, sharey=True, squeeze=False)[0]
    least = 1.0
    for ax, (title, outcomes) in zip(axes, found.items(), strict=True):
        for place, outcome in enumerate(outcomes):
            colour = colormaps["viridis"](0.92 * place / max(1, len(outcomes) - 1))
            for how, style in _STYLES.items():
                if how in outcome.distances:
                    d = outcome.distances[how]
                    label = outcome.noise.label if how == "direct" else None
                    cumulative(ax, d, colour, label, linestyle=style)
                    least = min(least, float(d.min()))
        ax.axvline(THRESHOLD, color="0.5", linestyle=":", linewidth=1)
        ax.set(xscale="log", ylim=(0, 1), xlabel="d (dotted: 10$^{-2.5}$)")
        ax.set_title(title, fontsize=10)
        ax.grid(True, alpha=0.25)
    axes[0].set(xlim=(10 ** np.floor(np.log10(least)), 1), ylabel="share of records below d")
    if any("published" in o.distances for some in found.values() for o in some):
        axes[-1].plot([], [], color="0.3", linestyle="--", label=HOW["published"])
        axes[-1].plot([], [], color="0.3", label=HOW["direct"])
    axes[-1].legend(
        frameon=False, loc="upper left", bbox_to_anchor=(1.02, 1.0), title="● worst", fontsize=9
    )
    save_picture(figure, out, f"{name}-distributions")


def draw_summaries(found: Mapping[str, Sequence[Noisy]], out: str, name: str) -> None:
    """δ, mean and standard deviation over ε: a row a table."""
    figure = new_figure(4.2 * len(_SUMMARIES) + 2.0, 3.1 * len(found) + 0.4)
    figure.suptitle("Noisy counts")
    axes = figure.subplots(len(found), len(_SUMMARIES), squeeze=False)
    for row, (title, outcomes) in zip(axes, found.items(), strict=True):
        for ax, (summary, explained) in zip(row, _SUMMARIES.items(), strict=True):
            for how in _COLOURS:
                values = [o.of(summary, how) for o in outcomes]
                if not np.isnan(values).any():
                    ax.plot(
                        values, color=_COLOURS[how], marker=_MARKERS[how], markersize=5,
                        linestyle=_STYLES.get(how, ":"), label=HOW[how],
                    )  # fmt: skip
            if outcomes[0].floor.size and summary == "mean":
                _floor(ax, outcomes)
            ax.set_xticks(range(len(outcomes)), [written(o.noise.epsilon) for o in outcomes])
            ax.set_xlabel("ε")
            ax.set_title(f"{title}: {explained}", fontsize=9)
            ax.grid(True, alpha=0.25)
            log_axis(ax)
    lines: dict[str, object] = {}
    for ax in axes.ravel():
        for line, text in zip(*ax.get_legend_handles_labels(), strict=True):
            lines.setdefault(text, line)
    axes[0, -1].legend(
        lines.values(), lines, frameon=False, loc="upper left", bbox_to_anchor=(1.02, 1.0),
        fontsize=9,
    )  # fmt: skip
    save_picture(figure, out, f"{name}-summaries")


def _floor(ax: Axes, outcomes: Sequence[Noisy]) -> None:
    """Where the published method ends up if records make no difference; nothing without noise."""
    floors = [o.floor.mean() or np.nan for o in outcomes]
    ax.plot(floors, color="0.5", marker="_", linestyle=":", label="floor of sampling")


def draw_tails(outcome: Noisy, title: str, out: str, name: str) -> None:
    """How often belief moves by how much (v1), for one ε."""
    assert outcome.sampled is not None
    figure = new_figure(9, 4.5)
    ax = outcome.sampled.plot_tails(figure.subplots())
    ax.set_title(f"{title}, noisy counts with {outcome.noise.label}", fontsize=10)
    save_picture(figure, out, f"{name}-tails")
