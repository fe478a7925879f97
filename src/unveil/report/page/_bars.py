"""Bars that lie, each group under its name: names are long, and a phone is narrow.

Where there would be too many bars, there is one for each name, as long as its largest value, with
a mark on it for each series.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from unveil.report.page._frame import (
    Room,
    as_number,
    label_axes,
    mark,
    short,
    value_text,
)
from unveil.report.page._looks import FAINT, INK, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["bars", "dots", "lies_flat"]

_MANY = 30  # bars
_NAME, _BAR, _GAP = 0.21, 0.15, 0.12  # inches
_LEFT = 0.1
_LETTERS = 62  # of a name above its bars


def lies_flat(chart: Mapping[str, Any]) -> bool:
    """Whether every value has a bar of its own."""
    return sum(len(one["x"]) for one in chart["series"]) <= _MANY


def bars(chart: Mapping[str, Any], room: Room) -> None:
    """Every value a bar, with how exact it is."""
    series = chart["series"]
    names = series[0]["x"] if series else []
    group = _NAME + _BAR * len(series) + _GAP
    axes = _axes(chart, room, names, group)
    reach = _reach(chart)
    for n, one in enumerate(series):
        like = look(n)
        at = [group * place + _NAME + _BAR * (n + 0.5) for place in range(len(names))]
        values = [as_number(value) for value in one["y"]]
        mark(
            *axes.barh(
                at, values, height=0.9 * _BAR, color=like["colour"], hatch=like["hatch"],
                linewidth=0,
            )
        )  # fmt: skip
        ends = [as_number(end) for end in one["high"]] or values
        if one["low"]:
            starts = [as_number(start) for start in one["low"]]
            axes.hlines(at, starts, ends, colors=INK, linewidth=1.1)
        for y, value, end in zip(at, values, ends, strict=True):
            if value == value:
                text = value_text(value, share=chart["y"]["share"])
                axes.text(max(value, end) + 0.012 * reach, y, text, va="center", fontsize=7.5)


def dots(chart: Mapping[str, Any], room: Room) -> None:
    """Every name a bar up to its largest value, and on it a mark for each series."""
    series = chart["series"]
    names = series[0]["x"]
    group = _NAME + _BAR + _GAP
    axes = _axes(chart, room, names, group)
    at = [group * place + _NAME + 0.5 * _BAR for place in range(len(names))]
    largest = [
        max((one["y"][place] or 0.0 for one in series), default=0.0) for place in range(len(names))
    ]
    axes.barh(at, largest, height=0.35 * _BAR, color=FAINT, alpha=0.45, linewidth=0)
    for n, one in enumerate(series):
        like = look(n)
        (drawn,) = axes.plot(
            [as_number(value) for value in one["y"]], at, like["mark"], color=like["colour"],
            markersize=5.5, linestyle="none", clip_on=False,
        )  # fmt: skip
        mark(drawn)


def _axes(chart: Mapping[str, Any], room: Room, names: list[str], group: float) -> Axes:
    """Axes whose heights are inches, with the names where they belong."""
    height = max(group * len(names), 0.3)
    axes = room.axes(height, left=_LEFT, right=0.2, top=0.25 if chart["x"]["label"] else 0.05)
    axes.set_ylim(height, 0)
    axes.set_xlim(0, 1.1 * _reach(chart))
    label_axes({"x": chart["y"], "y": {"label": "", "scale": "linear", "share": False}}, axes)
    axes.set_yticks([])
    for side in ("bottom", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="x", length=0)
    axes.grid(True, axis="x")
    if chart["x"]["label"]:
        axes.text(0, -0.06, short(chart["x"]["label"], _LETTERS), va="bottom", fontsize=8)
    for place, name in enumerate(names):
        axes.text(0, group * place + 0.8 * _NAME, short(name, _LETTERS), va="bottom", fontsize=8.5)
    return axes


def _reach(chart: Mapping[str, Any]) -> float:
    """How far bars reach, and what is said about how exact they are."""
    seen = [
        value for one in chart["series"] for value in (*one["y"], *one["high"]) if value is not None
    ]
    return max(seen, default=0.0) or 1.0
