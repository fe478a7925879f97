"""Charts: distributions, histograms, lines, points, bars and heat maps, drawn by matplotlib.

One drawer for all: the pictures of ``.plot()`` and of the page come from the same chart data. A
`Room` says where to draw and in which colours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from unveil.render._coarse import joined
from unveil.render._frame import (
    LETTER,
    LINE,
    WIDTH,
    Box,
    Room,
    label_axes,
    mark,
    numbers,
    placed,
    short,
    value_text,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 2.3
_ROW = 0.6  # inches of a histogram
_LETTERS = 44


def _left(chart: Mapping[str, Any]) -> float:
    """The margin for what stands along the upright axis, in one line or several."""
    return 0.85 if len(chart["y"]["label"]) > LINE else 0.62


def _distribution(chart: Mapping[str, Any], room: Room) -> None:
    """Steps that rise from 0 to 1, with a mark at the largest value."""
    axes = room.axes(_HEIGHT, left=_left(chart))
    for n, one in enumerate(chart["series"]):
        if not one["x"]:
            continue
        like = room.look(n)
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


def _histogram(chart: Mapping[str, Any], room: Room) -> None:
    """One beneath the other on the same scale: over each other they could not be told apart."""
    series = chart["series"]
    height = max(1, len(series)) * _ROW
    axes = room.axes(height, left=0.1, right=0.2)
    tallest = max((value or 0.0 for one in series for value in one["y"]), default=0.0) or 1.0
    for n, one in enumerate(series):
        foot = n + 1.0
        tops = [foot - 0.55 * value / tallest for value in numbers(one["y"])]
        mark(
            axes.stairs(tops, one["x"], baseline=foot, fill=True, color=room.series[0], linewidth=0)
        )
        axes.axhline(foot, color=room.faint, linewidth=0.8)
        highest = max((value or 0.0 for value in one["y"]), default=0.0)
        peak = f"tallest bin {value_text(highest, share=chart['y']['share'])}"
        for side, text, ha, size in (
            (0, short(one["name"], _LETTERS), "left", 8.5), (1, peak, "right", 7.5),
        ):  # fmt: skip
            axes.text(side, foot - 0.9, text, va="top", ha=ha, fontsize=size,
                      transform=axes.get_yaxis_transform())  # fmt: skip
    if chart["x"]["scale"] == "log":
        axes.axvline(1, color=room.ink, linewidth=0.9, linestyle=":")
    axes.set_ylim(len(series) or 1, 0)
    edges = [edge for one in series for edge in one["x"] if edge is not None]
    if edges and min(edges) < max(edges):
        axes.set_xlim(min(edges), max(edges))
    label_axes(chart, axes)
    axes.set_ylabel("")
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.grid(True, axis="x")


def _lines(chart: Mapping[str, Any], room: Room) -> None:
    """Values over a parameter, with their spread; what has no parameter stands apart, on the left.

    Besides what a chart has, ``places`` says where on the axis each value stands and ``ticks`` what
    is written there; the first ``apart`` of them have no parameter.
    """
    places, apart = chart["places"], chart["apart"]
    ticks = _lined(chart["ticks"], apart)
    lines_of_text = max((tick.count("\n") + 1 for tick in ticks), default=1)
    axes = room.axes(_HEIGHT, bottom=0.37 + 0.14 * lines_of_text)
    for n, one in enumerate(chart["series"]):
        like = room.look(n)
        y = numbers(one["y"])
        if one["low"]:
            low, high = numbers(one["low"]), numbers(one["high"])
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
        axes.axvline((places[apart - 1] + places[apart]) / 2, color=room.faint, linewidth=0.8)
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


def _points(chart: Mapping[str, Any], room: Room) -> None:
    """Points with their names, set where they cover nothing; a series may be joined."""
    axes = room.axes(_HEIGHT + 0.4)
    for n, one in enumerate(chart["series"]):
        like = room.look(n)
        mark(
            *axes.plot(
                numbers(one["x"]), numbers(one["y"]), like["mark"],
                # Later ones are smaller: what lies on the same point is seen all the same.
                color=like["colour"], markersize=6 + min(6, 2 * (len(chart["series"]) - 1 - n)),
                linewidth=1.3,
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
    points = (
        (x, y, short(name, 26))
        for one in chart["series"]
        for x, y, name in zip(one["x"], one["y"], one["marks"], strict=True)
        if x is not None and y is not None
    )
    known = list(dict.fromkeys(points))  # the same point is named once
    if not room.is_for_a_page:  # its layout may still move
        middle = sum(axes.get_xlim()) / 2
        for x, y, name in known:
            side = (6, "left") if x <= middle else (-6, "right")
            axes.annotate(name, (x, y), xytext=(side[0], 4), textcoords="offset points",
                          ha=side[1], fontsize=8)  # fmt: skip
        return
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


_MANY = 30  # bars
_NAME, _BAR, _GAP = 0.21, 0.15, 0.12  # inches
_LEFT = 0.1
_NAME_LETTERS = 62  # of a name above its bars


def lies_flat(chart: Mapping[str, Any]) -> bool:
    """Whether every value has a bar of its own."""
    return sum(len(one["x"]) for one in chart["series"]) <= _MANY


def _bars(chart: Mapping[str, Any], room: Room) -> None:
    """Every value a bar, with how exact it is."""
    series = chart["series"]
    names = series[0]["x"] if series else []
    group = _NAME + _BAR * len(series) + _GAP
    axes = _axes(chart, room, names, group)
    reach = _reach(chart)
    for n, one in enumerate(series):
        like = room.look(n)
        at = [group * place + _NAME + _BAR * (n + 0.5) for place in range(len(names))]
        values = numbers(one["y"])
        mark(
            *axes.barh(
                at, values, height=0.9 * _BAR, color=like["colour"], hatch=like["hatch"],
                linewidth=0,
            )
        )  # fmt: skip
        ends = numbers(one["high"]) or values
        if one["low"]:
            starts = numbers(one["low"])
            axes.hlines(at, starts, ends, colors=room.ink, linewidth=1.1)
        for y, value, end in zip(at, values, ends, strict=True):
            if value == value:
                text = value_text(value, share=chart["y"]["share"])
                if chart["coarse"]:
                    text = _range_text(one, values.index(value), share=chart["y"]["share"])
                axes.text(max(value, end) + 0.012 * reach, y, text, va="center", fontsize=7.5)


def _range_text(one: Mapping[str, Any], place: int, *, share: bool) -> str:
    """What stands beside a bar that is a range."""
    low, high = (value_text(one[side][place], share=share) for side in ("low", "high"))
    return joined(low, high)


def _dots(chart: Mapping[str, Any], room: Room) -> None:
    """Every name a bar up to its largest value, and on it a mark for each series."""
    series = chart["series"]
    names = series[0]["x"]
    group = _NAME + _BAR + _GAP
    axes = _axes(chart, room, names, group)
    at = [group * place + _NAME + 0.5 * _BAR for place in range(len(names))]
    largest = [
        max((one["y"][place] or 0.0 for one in series), default=0.0) for place in range(len(names))
    ]
    axes.barh(at, largest, height=0.35 * _BAR, color=room.faint, alpha=0.45, linewidth=0)
    for n, one in enumerate(series):
        like = room.look(n)
        (drawn,) = axes.plot(
            numbers(one["y"]), at, like["mark"], color=like["colour"],
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
        axes.text(0, -0.06, short(chart["x"]["label"], _NAME_LETTERS), va="bottom", fontsize=8)
    for place, name in enumerate(names):
        axes.text(
            0, group * place + 0.8 * _NAME, short(name, _NAME_LETTERS), va="bottom", fontsize=8.5
        )
    return axes


def _reach(chart: Mapping[str, Any]) -> float:
    """How far bars reach, and what is said about how exact they are."""
    seen = [
        value for one in chart["series"] for value in (*one["y"], *one["high"]) if value is not None
    ]
    return max(seen, default=0.0) or 1.0


_CELL_ROW = 0.3  # inches
_CELL_LETTERS = 22
_STRONGEST = 0.45  # of the colour behind a number, which must stay readable


def _heatmap(chart: Mapping[str, Any], room: Room) -> None:
    """Rows and columns of cells; of what is the same both ways, half is left out."""
    matrix = chart["matrix"]
    rows = [short(name, _CELL_LETTERS) for name in matrix["rows"]]
    cells = _half(matrix)
    left = min(2.2, 0.1 + 1.08 * LETTER * max((len(name) for name in rows), default=0))
    wide = (WIDTH - left - 0.15) / max(1, len(matrix["columns"]))
    columns = [short(name, _CELL_LETTERS) for name in matrix["columns"]]
    longest = max((len(name) for name in columns), default=0)
    tilted = longest * 0.9 * LETTER > wide
    axes = room.axes(
        _CELL_ROW * max(1, len(rows)), left=left, top=0.05,
        bottom=0.25 + (0.6 * 0.9 * LETTER * longest if tilted else 0.0),
    )  # fmt: skip
    highest = max((c for row in cells for c in row if c is not None), default=0) or 1.0
    size = 8.0 if wide > 0.4 else 6.5
    for i, row in enumerate(cells):
        for j, cell in enumerate(row):
            if cell is None:
                continue
            strength = 0.05 + (_STRONGEST - 0.05) * max(0.0, cell) / highest
            # Bars, not rectangles of their own: they bring no limits to work out again.
            mark(*axes.barh(i, 1, 1, left=j - 0.5, color=room.series[0], alpha=strength,
                            edgecolor=room.paper, linewidth=1))  # fmt: skip
            text = value_text(cell, share=True) if chart["y"]["share"] else f"{cell:.2f}"
            axes.text(j, i, text, ha="center", va="center_baseline", fontsize=size)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xticks(
        range(len(columns)), columns, rotation=35 if tilted else 0,
        ha="right" if tilted else "center", rotation_mode="anchor" if tilted else "default",
    )  # fmt: skip
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0, labelsize=8.5)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _half(matrix: Mapping[str, Any]) -> list[list[float | None]]:
    """The cells, without those above the diagonal if they are the same as those below."""
    cells = [list(row) for row in matrix["cells"]]
    if list(matrix["rows"]) != list(matrix["columns"]):
        return cells
    if any(cells[i][j] != cells[j][i] for i in range(len(cells)) for j in range(i)):
        return cells
    return [[cell if j <= i else None for j, cell in enumerate(row)] for i, row in enumerate(cells)]


def _curves(chart: Mapping[str, Any], room: Room) -> None:
    """Lines through points, such as an ROC curve or values over rounds."""
    axes = room.axes(_HEIGHT + 0.4, left=_left(chart))
    for n, one in enumerate(chart["series"]):
        like = room.look(n)
        x, y = numbers(one["x"]), numbers(one["y"])
        few = len(x) <= _MANY
        drawn = axes.plot(
            x, y, color=like["colour"], linewidth=1.5, dashes=like["dash"] or (None, None),
            marker=like["mark"] if few else None, markersize=4, label=one["name"],
        )  # fmt: skip
        if one["low"]:
            low, high = numbers(one["low"]), numbers(one["high"])
            axes.fill_between(x, low, high, color=like["colour"], alpha=0.15, linewidth=0)
        mark(*drawn)
    label_axes(chart, axes)
    axes.grid(True)


_KINDS: dict[str, Callable[[Mapping[str, Any], Room], None]] = {
    "distribution": _distribution, "histogram": _histogram, "bars": _bars, "dots": _dots,
    "lines": _lines, "points": _points, "heatmap": _heatmap, "curves": _curves,
}  # fmt: skip


def draw_chart(chart: Mapping[str, Any], room: Room) -> None:
    """Draw a chart, given as in JSON."""
    kind = "dots" if chart["kind"] == "bars" and not lies_flat(chart) else chart["kind"]
    _KINDS[kind](chart, room)
