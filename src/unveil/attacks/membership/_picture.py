"""Pictures of membership tests: ROC curves on log axes, where low rates of false alarms show.

A curve says what share of the members is found while at most so many of those held out are taken
for members.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil._axes import new_axes, written
from unveil.attacks.membership._roc import Separation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.attacks.membership._finding import Membership

__all__ = ["roc_curves", "roc_panels"]

# They differ also for people who see fewer colours, and by their lines without any.
_LINES: dict[str, dict[str, Any]] = {
    "release": {"color": "#0072b2", "linestyle": "-"},
    "population": {"color": "#e69f00", "linestyle": "--"},
    "removal": {"color": "#d55e00", "linestyle": "-."},
}
_GREY = "0.5"
_APART = 1.07  # by which the bars of attackers stand beside each other
_ACROSS = "false alarms: share of those held out"
_MOST_COLUMNS = 3  # panels side by side


def roc_curves(finding: Membership, ax: Axes | None = None) -> Axes:
    """Draw the curves of all attackers, and beside them who they are and their AUC."""
    if ax is None:
        ax = new_axes()
    _draw(finding, ax, {name: f"{name}: AUC {one.auc}" for name, one in _played(finding).items()})
    ax.set_title(written(f"{finding.sanitizer} on {finding.microdata.source}"), fontsize=10)
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), title="Attacker")
    return ax


def roc_panels(findings: Sequence[Membership], names: Sequence[str] = ()) -> Axes:
    """Draw several findings side by side on the same axes; returns the first of them.

    ``names`` are what the sanitizers are called, if not by their labels.
    """
    columns = min(_MOST_COLUMNS, len(findings))
    rows = -(-len(findings) // columns)
    figure = new_axes().get_figure(root=True)
    assert figure is not None
    figure.clear()
    figure.set_size_inches(3.6 * columns + 2.2, 3.6 * rows + 0.3)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    panels = list(grid.flat)
    for ax in panels[len(findings) :]:
        ax.remove()
    titles = names or [finding.sanitizer for finding in findings]
    for ax, finding, title in zip(panels, findings, titles, strict=False):
        _draw(finding, ax, {name: name for name in _played(finding)})
        aucs = ", ".join(f"{name} {one.auc.value:.2f}" for name, one in _played(finding).items())
        ax.set_title(f"{written(title)}\nAUC: {aucs}", fontsize=8)
        ax.label_outer()
    for ax in panels[len(findings) - columns : len(findings)]:  # nothing stands below these
        ax.tick_params(labelbottom=True)
        ax.set_xlabel(_ACROSS)
    floor = min(_floor(finding) for finding in findings)
    panels[0].set(xlim=(floor, 1), ylim=(floor, 1.05))
    handles = {line.get_label(): line for ax in panels[: len(findings)] for line in ax.lines}
    named = {label: line for label, line in handles.items() if not label.startswith("_")}
    figure.legend(
        named.values(), named.keys(), frameon=False, loc="outside right upper", title="Attacker"
    )
    return panels[0]


def _played(finding: Membership) -> dict[str, Separation]:
    """The attackers who could score people."""
    return {name: one for name, one in finding.against.items() if one is not None}


def _floor(finding: Membership) -> float:
    """Where the axes begin: there, not a single false alarm is allowed."""
    return 1 / (2 * max(one.held_out for one in _played(finding).values()))


def _draw(finding: Membership, ax: Axes, labels: dict[str, str]) -> None:
    floor = _floor(finding)
    for place, (name, one) in enumerate(_played(finding).items()):
        curve = finding.roc(name)
        fpr, tpr = curve["fpr"].to_numpy(), curve["tpr"].to_numpy()
        # A log axis has no zero: what is below its beginning is drawn there.
        x, y = np.append(np.maximum(fpr, floor), 1.0), np.append(np.maximum(tpr, floor), 1.0)
        style = _LINES[name]
        ax.step(x, y, where="post", label=labels[name], linewidth=1.6, **style)
        for rate, share in one.tpr.items():
            if share is not None:
                low, value, high = (max(v, floor) for v in (share.low, share.value, share.high))
                ax.errorbar(
                    rate * _APART ** (place - 1), value, yerr=[[value - low], [high - value]],
                    fmt="o", markersize=4, capsize=2, color=style["color"], label="_",
                )  # fmt: skip
    ax.plot([floor, 1], [floor, 1], color=_GREY, linestyle=":", linewidth=1, label="guessing")
    for rate in {rate for one in _played(finding).values() for rate in one.tpr}:
        if rate > floor:
            ax.axvline(rate, color=_GREY, linewidth=0.6, alpha=0.6, label="_", zorder=0)
    ax.set(
        xscale="log", yscale="log", xlim=(floor, 1), ylim=(floor, 1.05),
        xlabel=_ACROSS, ylabel="share of the members found",
    )  # fmt: skip
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
        axis.set_minor_formatter(lambda *_: "")
    ax.grid(True, alpha=0.2)
