"""One picture of k-anonymity, ℓ-diversity and noisy counts: worst case, average and mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from experiment import Outcome
from experiment_pictures import COLOURS, log_axis
from noisy_experiment import Noisy, written
from reproduction import new_figure, save_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_families"]

_LABELS = {
    "text": "basic, as text",
    "number": "basic, as numbers",
    "unveil": "unveil",
    "unveil-cut": "unveil, cuts",
    "noise": "noisy counts",
}
_COLOUR = {**COLOURS, "noise": "#6a4c93"}


class _Family(NamedTuple):
    """One parameter, and what came out for its values, a line a variant."""

    title: str
    letter: str
    values: list[str]
    lines: dict[str, list[Outcome] | list[Noisy]]


def draw_families(
    outcomes: Sequence[Outcome], noisy: Sequence[Noisy], out: str, name: str, title: str
) -> None:
    """A column a family; rows: δ, mean with standard deviation, and changed modes."""
    families = _families(outcomes, noisy)
    figure = new_figure(4.4 * len(families) + 1.9, 8.4)
    figure.suptitle(f"{title}: worst case, average and mode")
    axes = figure.subplots(3, len(families), squeeze=False, sharey="row")
    for column, family in zip(axes.T, families, strict=True):
        for number, (variant, found) in enumerate(family.lines.items()):
            place = np.arange(len(found)) + 0.1 * (number - (len(family.lines) - 1) / 2)
            _draw(column, place, found, variant)
        column[0].set_title(f"{family.title}: δ, the worst record", fontsize=9)
        column[1].set_title("mean of d ± standard deviation", fontsize=9)
        column[2].set_title("distinct records whose mode changes", fontsize=9)
        for ax in column:
            ax.set_xticks(range(len(family.values)), family.values)
            ax.grid(True, alpha=0.25)
        column[-1].set_xlabel(family.letter)
    log_axis(axes[0, 0])
    for ax in axes[1]:
        ax.axhline(0, color="0.6", linewidth=0.8)
    axes[2, 0].yaxis.set_major_formatter(lambda share, _: f"{100 * share:.3g} %")
    lines: dict[str, object] = {}
    for ax in axes[0]:
        for line, text in zip(*ax.get_legend_handles_labels(), strict=True):
            lines.setdefault(text, line)
    axes[0, -1].legend(
        lines.values(), lines, frameon=False, loc="upper left", bbox_to_anchor=(1.02, 1.0),
        fontsize=9,
    )  # fmt: skip
    save_picture(figure, out, name)


def _families(outcomes: Sequence[Outcome], noisy: Sequence[Noisy]) -> list[_Family]:
    families = []
    for goal, title, letter in (("k", "k-anonymity", "k"), ("l", "ℓ-diversity", "ℓ")):
        some = [o for o in outcomes if o.setting.goal == goal]
        values = dict.fromkeys(str(o.setting.value) for o in some)
        variants = dict.fromkeys(o.variant for o in some)
        lines = {v: [o for o in some if o.variant == v] for v in variants}
        if some:
            families.append(_Family(title, letter, list(values), {**lines}))
    if noisy:
        values = [written(o.noise.epsilon) for o in noisy]
        families.append(_Family("noisy counts", "ε", values, {"noise": list(noisy)}))
    return families


def _draw(
    column: Sequence[Axes],
    place: np.ndarray,
    found: Sequence[Outcome] | Sequence[Noisy],
    variant: str,
) -> None:
    """One line in each row; what a variant refuses to do is a gap."""
    colour, label = _COLOUR[variant], _LABELS[variant]
    delta, mean, std = (np.array([o.of(what) for o in found]) for what in ("delta", "mean", "std"))
    column[0].plot(place, delta, marker="o", markersize=4, color=colour, label=label)
    column[1].errorbar(
        place, mean, yerr=std, fmt="o-", markersize=4, linewidth=1, capsize=2, color=colour
    )
    column[2].plot(place, [o.modes_changed for o in found], marker="o", markersize=4, color=colour)
