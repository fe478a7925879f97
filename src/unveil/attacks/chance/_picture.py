"""A picture of how often belief moves by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unveil._axes import new_axes, written

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["tails_picture"]


def tails_picture(tails: pd.DataFrame, ax: Axes | None, label: str) -> Axes:
    """Draw Pr[d ≥ ε] over ε: of the worst record, on average, and what chance alone does."""
    if ax is None:
        ax = new_axes()
    epsilon = tails["epsilon"].to_numpy()
    worst = ax.plot(
        epsilon, tails["delta"].to_numpy(), label=f"{written(label)}: the worst record"
    )[0]
    color = worst.get_color()
    ax.fill_between(
        epsilon, tails["delta"].to_numpy(), tails["delta at most"].to_numpy(), color=color,
        alpha=0.15, linewidth=0, label="up to the 95 % bound for all",
    )  # fmt: skip
    ax.plot(epsilon, tails["mean"].to_numpy(), color=color, linestyle="--", label="all, on average")
    for what, line, name in (
        ("by chance, at most", "-.", "by chance (two releases with the record): at most"),
        ("by chance", ":", "by chance: on average"),
    ):
        ax.plot(epsilon, tails[what].to_numpy(), color="0.45", linestyle=line, label=name)
    ax.set(
        xscale="log", xlim=(epsilon[0], epsilon[-1]), ylim=(0, 1.02),
        xlabel="ε: how far belief about a person moves from one release to another",
        ylabel="how often it moves by ε or more",
    )  # fmt: skip
    ax.grid(True, alpha=0.25)
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax
