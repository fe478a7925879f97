"""Charts of an audit as SVG, drawn by matplotlib, with colours that follow the page.

Colours are drawn as marks that stand for a role (ink, a series, …) and are then replaced by CSS
variables: one drawing is right in light and in dark, and in print. Text stays text.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unveil.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["drawn"]

_INK, _FAINT, _PAPER = "#010203", "#010204", "#010205"
_SERIES = tuple(f"#0102{16 + n:02x}" for n in range(8))
_VARIABLES = {
    _INK: "--ink", _FAINT: "--faint", _PAPER: "--paper",
    **{mark: f"--series-{n + 1}" for n, mark in enumerate(_SERIES)},
}  # fmt: skip
_DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 1)), (0, (3, 3)))
_WIDTH = 7.0
_LONG = 28  # letters of a name beside an axis
_ID = re.compile(r' id="([^"]*)"')
_REFERRED = re.compile(r'(?:url\(#|href="#)([^)"]*)')
_MARK = re.compile("|".join(_VARIABLES))


def drawn(chart: Mapping[str, Any]) -> str:
    """An SVG element for a chart of an audit's JSON."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError(
            "a report needs matplotlib; install it with: pip install 'unveil[report]'"
        ) from error
    style: Any = {
        "svg.fonttype": "none", "svg.hashsalt": "unveil", "font.family": "sans-serif",
        "font.size": 9.5, "text.color": _INK, "axes.edgecolor": _FAINT, "axes.labelcolor": _INK,
        "xtick.color": _INK, "ytick.color": _INK, "axes.spines.top": False,
        "axes.spines.right": False, "grid.color": _FAINT, "text.parse_math": False,
        "patch.edgecolor": _PAPER,
    }  # fmt: skip
    with matplotlib.rc_context(style), warnings.catch_warnings():
        # Letters that matplotlib's font lacks: the reader's browser has them.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(figsize=(_WIDTH, _height(chart)), layout="constrained")
        figure.patch.set_visible(False)
        axes = figure.add_subplot()
        axes.patch.set_visible(False)
        _KINDS[chart["kind"]](chart, axes)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return _themed(text.getvalue())


def _themed(svg: str) -> str:
    """Only the element, with the page's colours and font, and no name that nothing refers to."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    used = set(_REFERRED.findall(svg))

    def dressed(tag: re.Match[str]) -> str:
        text = _MARK.sub(lambda mark: f"var({_VARIABLES[mark[0]]})", tag[0])
        text = re.sub(r"font: ([\d.]+px)[^;\"]*", r"font: \1 var(--font)", text)
        return _ID.sub(lambda id: id[0] if id[1] in used else "", text)

    # In tags alone: what is written in a picture may come from the data.
    svg = re.sub(r"<[^>]*>", dressed, svg)
    whole = re.compile(r'(<svg[^>]*?) (?:width|height)="[^"]*"')
    return whole.sub(r"\1", whole.sub(r"\1", svg, count=1), count=1)


def _height(chart: Mapping[str, Any]) -> float:
    matrix = chart.get("matrix")
    if matrix is not None:
        return 1.3 + 0.34 * len(matrix["rows"])
    if chart["kind"] == "bars":
        bars = sum(len(one["x"]) for one in chart["series"])
        return 1.2 + 0.17 * bars + 0.1 * len(chart["series"][0]["x"])
    return 3.6


def _short(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"


def _power(x: float) -> str:
    """A number on a log axis.

    >>> _power(1000.0), _power(0.01), _power(1e-6), _power(2.5e7)
    ('1,000', '0.01', '1e-6', '2.5e7')
    """
    if 1e-4 <= x < 1e7:
        return f"{x:,.10g}"
    return f"{x:.3g}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


def _label(chart: Mapping[str, Any], axes: Axes) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter, PercentFormatter

    axes.set_xlabel(chart["x"]["label"])
    axes.set_ylabel(chart["y"]["label"])
    if chart["x"]["scale"] == "log":
        axes.set_xscale("log")
        # Numbers as people write them; formulas are not set, as a dollar may be from the data.
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: _power(x)))
        axes.xaxis.set_minor_formatter(NullFormatter())
    if chart["y"]["share"]:
        axes.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=None))
    axes.grid(True, axis="y", alpha=0.35, linewidth=0.6)
    axes.set_axisbelow(True)


def _legend(axes: Axes, series: Sequence[Any]) -> None:
    if len(series) > 1:
        axes.legend(
            frameon=False, fontsize=9, loc="lower left", bbox_to_anchor=(0, 1.0),
            ncols=min(3, len(series)), borderaxespad=0.2, handlelength=2.4,
        )  # fmt: skip


def _distribution(chart: Mapping[str, Any], axes: Axes) -> None:
    for n, one in enumerate(chart["series"]):
        x, y = list(one["x"]), list(one["y"])
        if not x:
            continue
        colour, dash = _SERIES[n % len(_SERIES)], _DASHES[n % len(_DASHES)]
        axes.step(
            [x[0], *x], [0.0, *y], where="post", color=colour, linestyle=dash, linewidth=1.6,
            label=one["name"],
        )  # fmt: skip
        axes.plot(x[-1], y[-1], "o", color=colour, markersize=4.5, clip_on=False)
    axes.set_ylim(0, 1.02)
    _label(chart, axes)
    _legend(axes, chart["series"])


def _histogram(chart: Mapping[str, Any], axes: Axes) -> None:
    for n, one in enumerate(chart["series"]):
        axes.stairs(
            one["y"], one["x"], color=_SERIES[n % len(_SERIES)], label=one["name"],
            linestyle=_DASHES[n % len(_DASHES)], linewidth=1.6, fill=False,
        )  # fmt: skip
    if chart["x"]["scale"] == "log":
        axes.axvline(1, color=_INK, linewidth=0.9, linestyle=":")
    _label(chart, axes)
    axes.set_ylim(bottom=0)
    _legend(axes, chart["series"])


def _bars(chart: Mapping[str, Any], axes: Axes) -> None:
    """Bars that lie, as names are long and stand beside them."""
    from matplotlib.ticker import PercentFormatter

    series = chart["series"]
    names, thick = series[0]["x"], 0.8 / len(series)
    for n, one in enumerate(series):
        at = [place + thick * (n - (len(series) - 1) / 2) for place in range(len(names))]
        values = [math.nan if value is None else value for value in one["y"]]
        axes.barh(
            at, values, height=0.9 * thick, color=_SERIES[n % len(_SERIES)], label=one["name"]
        )
        if one["low"]:
            spread = [
                [value - low for value, low in zip(values, one["low"], strict=True)],
                [high - value for value, high in zip(values, one["high"], strict=True)],
            ]
            axes.errorbar(values, at, xerr=spread, fmt="none", ecolor=_INK, elinewidth=0.9)
    axes.set_yticks(range(len(names)), [_short(name) for name in names])
    axes.invert_yaxis()
    axes.set_xlabel(chart["y"]["label"])
    axes.set_ylabel(chart["x"]["label"])
    axes.set_xlim(left=0)
    if chart["y"]["share"]:
        axes.xaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=None))
    axes.grid(True, axis="x", alpha=0.35, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    _legend(axes, series)


def _points(chart: Mapping[str, Any], axes: Axes) -> None:
    for n, one in enumerate(chart["series"]):
        axes.plot(
            one["x"], one["y"], "o", color=_SERIES[n % len(_SERIES)], markersize=6,
            label=one["name"],
        )  # fmt: skip
        for x, y, text in zip(one["x"], one["y"], one["marks"], strict=False):
            if x is not None and y is not None:
                axes.annotate(
                    _short(text), (x, y), xytext=(6, 4), textcoords="offset points", fontsize=8.5
                )
    _label(chart, axes)
    axes.grid(True, alpha=0.35, linewidth=0.6)
    axes.margins(0.12)
    _legend(axes, chart["series"])


def _heatmap(chart: Mapping[str, Any], axes: Axes) -> None:
    """Cells whose ink is as strong as their number, which is written in them."""
    from matplotlib.patches import Rectangle

    matrix = chart["matrix"]
    highest = max((c for row in matrix["cells"] for c in row if c is not None), default=0) or 1.0
    for i, row in enumerate(matrix["cells"]):
        for j, cell in enumerate(row):
            strength = 0.0 if cell is None else max(0.0, cell) / highest
            axes.add_patch(
                Rectangle(
                    (j - 0.5, i - 0.5), 1, 1, facecolor=_SERIES[0], edgecolor=_PAPER,
                    alpha=0.06 + 0.5 * strength, linewidth=1,
                )
            )  # fmt: skip
            text = "–" if cell is None else f"{cell:.0%}" if chart["y"]["share"] else f"{cell:.2f}"
            axes.text(j, i, text, ha="center", va="center", fontsize=8.5)
    axes.set_xlim(-0.5, len(matrix["columns"]) - 0.5)
    axes.set_ylim(len(matrix["rows"]) - 0.5, -0.5)
    axes.set_xticks(
        range(len(matrix["columns"])), [_short(name) for name in matrix["columns"]],
        rotation=30 if len(matrix["columns"]) > 5 else 0,
        ha="right" if len(matrix["columns"]) > 5 else "center",
    )  # fmt: skip
    axes.set_yticks(range(len(matrix["rows"])), [_short(name) for name in matrix["rows"]])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


_KINDS = {
    "distribution": _distribution,
    "histogram": _histogram,
    "bars": _bars,
    "points": _points,
    "heatmap": _heatmap,
}
