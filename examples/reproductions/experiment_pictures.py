"""The pictures of an experiment: distributions of the distances, and what follows by k and ℓ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from experiment import VARIANTS, Outcome, Setting
from numpy.typing import NDArray
from published import DELTA, OVER, THRESHOLD
from reproduction import new_figure, save_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["COLOURS", "cumulative", "draw_all", "log_axis"]

_GOALS = {"k": "k-anonymity", "l": "ℓ-diversity"}
_LETTER = {"k": "k", "l": "ℓ"}
COLOURS = {"text": "#c1442e", "number": "#e0a030", "unveil": "#2b6ca3", "unveil-cut": "#4aa58b"}
_MARKERS = {"text": "o", "number": "s", "unveil": "^", "unveil-cut": "v"}
_FLOOR = 1e-6  # a log axis has no zero
_POINTS = 3000
_FEW_DECADES = 300
_PICTURES = {"distances": ("delta", "mean", "std"), "shares": ("over_of_all", "modes_changed")}
_TITLES = {
    "delta": "δ, the worst record",
    "mean": "mean of d",
    "std": "standard deviation of d",
    "modes_changed": "records whose mode changes",
    "over_of_all": "records with d > 10$^{-2.5}$",
}


def draw_all(
    outcomes: Sequence[Outcome], out: str, name: str, title: str, data: str | None
) -> None:
    """Three pictures; outcomes of several draws of the same table are put together.

    ``data`` is what the reports call the table, if this is what they tested.
    """
    settings = {o.setting: None for o in outcomes if len(o.distances)}
    goals = {goal: [s for s in settings if s.goal == goal] for goal in _GOALS}
    goals = {goal: some for goal, some in goals.items() if some}
    _distributions(outcomes, goals, out, name, title)
    _by_setting(outcomes, goals, ("delta", "mean", "std"), out, f"{name}-distances", title, data)
    _by_setting(
        outcomes, goals, ("over_of_all", "modes_changed"), out, f"{name}-shares", title, data
    )


def _distributions(
    outcomes: Sequence[Outcome], goals: dict[str, list[Setting]], out: str, name: str, title: str
) -> None:
    """Empirical distribution functions on a log axis: a row a goal, a column a variant."""
    from matplotlib import colormaps

    variants = list(dict.fromkeys(o.variant for o in outcomes))
    figure = new_figure(4.2 * len(variants) + 1.2, 3.3 * len(goals) + 0.4)
    figure.suptitle(f"{title}: how far belief moves without one's own record")
    figure.set_layout_engine("constrained", wspace=0.05)  # the ends of neighbouring axes stay apart
    axes = figure.subplots(len(goals), len(variants), sharex=True, sharey=True, squeeze=False)
    for row, (goal, settings) in zip(axes, goals.items(), strict=True):
        for ax, variant in zip(row, variants, strict=True):
            for place, setting in enumerate(settings):
                found = [o for o in outcomes if (o.setting, o.variant) == (setting, variant)]
                distances = np.concatenate([o.distances for o in found])
                if len(distances):
                    colour = colormaps["viridis"](0.92 * place / max(1, len(settings) - 1))
                    cumulative(ax, distances, colour, setting.label)
            ax.axvline(THRESHOLD, color="0.5", linestyle=":", linewidth=1)
            ax.set(xscale="log", xlim=(_FLOOR, 1), ylim=(0, 1))
            ax.set_title(f"{_GOALS[goal]}, {VARIANTS[variant]}", fontsize=9)
            ax.grid(True, alpha=0.25)
        row[0].set_ylabel("share of records below d")
        # Every setting once, also those that one of the variants cannot do.
        lines = {
            text: line
            for ax in row
            for line, text in zip(*ax.get_legend_handles_labels(), strict=True)
        }
        order = [s.label for s in settings]
        row[-1].legend(
            [lines[text] for text in order], order, frameon=False, loc="upper left",
            bbox_to_anchor=(1.02, 1.0), title="● worst", fontsize=9,
        )  # fmt: skip
    for ax in axes[-1]:
        ax.set_xlabel("d (dotted: 10$^{-2.5}$)")
    save_picture(figure, out, f"{name}-distributions")


def cumulative(
    ax: Axes, distances: NDArray[np.float64], colour: object, label: str | None, **line: str
) -> None:
    """Draw how many distances are below each, and mark the worst."""
    values = np.sort(np.maximum(distances, _FLOOR))
    # More points than there are pixels only take time.
    places = np.unique(np.linspace(0, len(values) - 1, _POINTS).astype(int))
    share = (places + 1) / len(values)
    ax.step(values[places], share, where="post", color=colour, label=label, **line)
    ax.plot(values[-1], 1, "o", color=colour, markersize=4, clip_on=False)


def _by_setting(
    outcomes: Sequence[Outcome],
    goals: dict[str, list[Setting]],
    summaries: Sequence[str],
    out: str,
    name: str,
    title: str,
    data: str | None,
) -> None:
    """What follows from the distances, over k and ℓ: a row a goal, a column a summary."""
    figure = new_figure(4.2 * len(summaries) + 2.2, 3.1 * len(goals) + 0.4)
    figure.suptitle(title)
    axes = figure.subplots(len(goals), len(summaries), squeeze=False)
    for row, (goal, settings) in zip(axes, goals.items(), strict=True):
        for ax, summary in zip(row, summaries, strict=True):
            _lines(ax, outcomes, settings, summary)
            if data is not None:
                _published(ax, settings, summary, data)
            ax.set_xticks(range(len(settings)), [str(s.value) for s in settings])
            ax.set_title(f"{_GOALS[goal]}: {_TITLES[summary]}", fontsize=9)
            ax.grid(True, alpha=0.25)
            if summary in _PICTURES["shares"]:
                ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.3g} %")
                ax.set_ylim(bottom=-0.03 * ax.get_ylim()[1])  # markers at zero are seen whole
            else:
                log_axis(ax)
            ax.set_xlabel(_LETTER[goal])
    found: dict[str, object] = {}
    for ax in axes.ravel():
        for line, text in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(text, line)
    axes[0, -1].legend(
        found.values(), found, frameon=False, loc="upper left", bbox_to_anchor=(1.02, 1.0),
        fontsize=9,
    )  # fmt: skip
    save_picture(figure, out, name)


def log_axis(ax: Axes) -> None:
    """A log axis whose ticks are plain numbers, more of them where there are few decades."""
    from matplotlib.ticker import LogLocator, NullFormatter

    ax.set_yscale("log")
    low, high = ax.get_ylim()
    few = high / low < _FEW_DECADES
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,)))
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.yaxis.set_minor_formatter(NullFormatter())


def _lines(ax: Axes, outcomes: Sequence[Outcome], settings: list[Setting], summary: str) -> None:
    """A line a variant: the median over the draws, within their range."""
    for variant in dict.fromkeys(o.variant for o in outcomes):
        places, values = [], []
        for place, setting in enumerate(settings):
            some = [
                o.of(summary) for o in outcomes
                if (o.setting, o.variant) == (setting, variant) and len(o.distances)
            ]  # fmt: skip
            if some:
                places.append(place)
                values.append((min(some), float(np.median(some)), max(some)))
        if not places:
            continue
        low, middle, high = np.array(values).T
        ax.plot(
            places, middle, marker=_MARKERS[variant], markersize=4, color=COLOURS[variant],
            label=VARIANTS[variant],
        )  # fmt: skip
        if (high > low).any():
            ax.fill_between(places, low, high, color=COLOURS[variant], alpha=0.15, linewidth=0)


def _published(ax: Axes, settings: list[Setting], summary: str, data: str) -> None:
    table = {"delta": DELTA, "over_of_all": OVER}.get(summary)
    if table is None:
        return
    points = []
    for place, setting in enumerate(settings):
        text = table[data][setting.goal].get(setting.value)
        if text is not None:
            share = text.endswith("%")
            points.append((place, float(text.rstrip(" %")) / (100 if share else 1)))
    if points:
        ax.plot(
            *zip(*points, strict=True), linestyle="none", marker="x", markersize=9, color="black",
            markeredgewidth=1.6, label="published", zorder=5,
        )  # fmt: skip
