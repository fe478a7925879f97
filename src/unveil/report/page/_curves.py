"""Charts of numbers over numbers: distributions, histograms, lines over a parameter, points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from unveil.report.page._frame import (
    LETTER,
    LINE,
    WIDTH,
    Room,
    as_number,
    label_axes,
    mark,
    short,
    value_text,
)
from unveil.report.page._looks import FAINT, INK, SERIES, look
from unveil.report.page._placing import Box, placed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["distribution", "histogram", "lines", "points"]

_HEIGHT = 2.3
_ROW = 0.6  # inches of a histogram
_LETTERS = 44


def distribution(chart: Mapping[str, Any], room: Room) -> None:
    """Steps that rise from 0 to 1, with a mark at the largest value."""
    axes = room.axes(_HEIGHT, left=0.85 if len(chart["y"]["label"]) > LINE else 0.62)
    for n, one in enumerate(chart["series"]):
        if not one["x"]:
            continue
        like = look(n)
        x, y = one["x"], one["y"]
        drawn = axes.step(
            [x[0], *x], [0.0, *y], where="post", color=like["colour"], linewidth=1.5,
            dashes=like["dash"] or (None, None),
        )  # fmt: skip
        end = axes.plot(x[-1], y[-1], like["mark"], color=like["colour"], markersize=5)
        end[0].set_clip_on(False)
        mark(*drawn, *end)
    axes.set_ylim(0, 1.03)
    label_axes(chart, axes)
    axes.grid(True)


def histogram(chart: Mapping[str, Any], room: Room) -> None:
    """One beneath the other on the same scale: over each other they could not be told apart."""
    series = chart["series"]
    height = max(1, len(series)) * _ROW
    axes = room.axes(height, left=0.1, right=0.2)
    tallest = max((value or 0.0 for one in series for value in one["y"]), default=0.0) or 1.0
    for n, one in enumerate(series):
        foot = n + 1.0
        tops = [foot - 0.55 * as_number(value) / tallest for value in one["y"]]
        mark(axes.stairs(tops, one["x"], baseline=foot, fill=True, color=SERIES[0], linewidth=0))
        axes.axhline(foot, color=FAINT, linewidth=0.8)
        highest = max((value or 0.0 for value in one["y"]), default=0.0)
        peak = f"tallest bin {value_text(highest, share=chart['y']['share'])}"
        axes.text(
            0, foot - 0.9, short(one["name"], _LETTERS), va="top", fontsize=8.5,
            transform=axes.get_yaxis_transform(),
        )  # fmt: skip
        axes.text(
            1, foot - 0.9, peak, va="top", ha="right", fontsize=7.5,
            transform=axes.get_yaxis_transform(),
        )  # fmt: skip
    if chart["x"]["scale"] == "log":
        axes.axvline(1, color=INK, linewidth=0.9, linestyle=":")
    axes.set_ylim(len(series) or 1, 0)
    _whole_width(series, axes)
    label_axes(chart, axes)
    axes.set_ylabel("")
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.grid(True, axis="x")


def _whole_width(series: Sequence[Mapping[str, Any]], axes: Axes) -> None:
    edges = [edge for one in series for edge in one["x"] if edge is not None]
    if edges and min(edges) < max(edges):
        axes.set_xlim(min(edges), max(edges))


def lines(chart: Mapping[str, Any], room: Room) -> None:
    """Values over a parameter, with their spread; what has no parameter stands apart, on the left.

    Besides what a chart has, ``places`` says where on the axis each value stands and ``ticks`` what
    is written there; the first ``apart`` of them have no parameter.
    """
    places, apart = chart["places"], chart["apart"]
    ticks = _lined(chart["ticks"], apart)
    lines_of_text = max((tick.count("\n") + 1 for tick in ticks), default=1)
    axes = room.axes(_HEIGHT, bottom=0.37 + 0.14 * lines_of_text)
    for n, one in enumerate(chart["series"]):
        like = look(n)
        y = [as_number(value) for value in one["y"]]
        if one["low"]:
            low, high = ([as_number(end) for end in one[side]] for side in ("low", "high"))
            axes.vlines(places, low, high, colors=like["colour"], linewidth=1, alpha=0.7)
            axes.plot([*places, *places], [*low, *high], "_", color=like["colour"], markersize=6)
        joined = axes.plot(
            places[apart:], y[apart:], color=like["colour"], linewidth=1.5,
            dashes=like["dash"] or (None, None), marker=like["mark"], markersize=5,
        )  # fmt: skip
        alone = axes.plot(
            places[:apart], y[:apart], like["mark"], color=like["colour"], markersize=5
        )
        mark(*joined, *alone)
    if 0 < apart < len(places):
        axes.axvline((places[apart - 1] + places[apart]) / 2, color=FAINT, linewidth=0.8)
    label_axes(chart, axes)
    axes.set_ylim(bottom=0)
    axes.set_xticks(places, ticks)
    axes.tick_params(axis="x", labelsize=8)
    axes.grid(True, axis="y")


def _lined(ticks: Sequence[str], apart: int) -> list[str]:
    """Names in lines of a few letters; every second one lower, as they are wider than their place.

    >>> _lined(["no anonymization", "published.csv", "2", "4"], 2)
    ['no\\nanonymization', '\\n\\npublished.csv', '2', '4']
    """
    names = ["\n".join(wrap(short(tick, 28), 14)[:2]) for tick in ticks[:apart]]
    return [*("\n\n" * (n % 2) + name for n, name in enumerate(names)), *ticks[apart:]]


def points(chart: Mapping[str, Any], room: Room) -> None:
    """Points with their names, set where they cover nothing; a series may be joined."""
    axes = room.axes(_HEIGHT + 0.4)
    for n, one in enumerate(chart["series"]):
        like = look(n)
        mark(
            *axes.plot(
                [as_number(x) for x in one["x"]], [as_number(y) for y in one["y"]], like["mark"],
                color=like["colour"], markersize=6, linewidth=1.3,
                linestyle="-" if one.get("joined") else "none",
            )
        )  # fmt: skip
    axes.margins(0.1)
    axes.autoscale_view()  # names are placed where points will be
    label_axes(chart, axes)
    axes.grid(True)
    _names(chart, axes, room)


def _names(chart: Mapping[str, Any], axes: Axes, room: Room) -> None:
    """The names of points: in inches, as letters do not shrink with the data."""
    inches = room.figure.dpi_scale_trans
    inch = inches.inverted()
    known = [
        (x, y, short(name, 26))
        for one in chart["series"]
        for x, y, name in zip(one["x"], one["y"], one["marks"], strict=True)
        if x is not None and y is not None
    ]
    at = [tuple(inch.transform(axes.transData.transform((x, y)))) for x, y, _ in known]
    corner, end = (inch.transform(axes.transAxes.transform(one)) for one in ((0, 0), (1, 1)))
    within = Box(corner[0], corner[1], WIDTH, end[1])
    drawn = [
        [tuple(inch.transform(axes.transData.transform(point))) for point in zip(x, y, strict=True)]
        for x, y in ((one["x"], one["y"]) for one in chart["series"] if one.get("joined"))
    ]
    boxes = placed(at, [0.85 * LETTER * len(name) for _, _, name in known], within, drawn)
    for (_, _, name), box in zip(known, boxes, strict=True):
        axes.text(box.left, box.bottom, name, fontsize=8, transform=inches)
