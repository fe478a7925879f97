"""Charts as pictures: into axes of matplotlib, or as SVG whose colours follow the page.

Text stays text, in the reader's own font. Margins are given, not searched for: a layout that looks
for room draws everything twice. Sizes are such that a chart can be read at the width of a phone.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any, cast

from unveil._axes import has_matplotlib, new_axes, written
from unveil.findings import Chart
from unveil.render._charts import draw_chart, lies_flat
from unveil.render._frame import FAINT, INK, PAPER, VARIABLES, Room
from unveil.render._json import plain
from unveil.render._together import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ID = re.compile(r' id="([^"]*)"')
_REFERRED = re.compile(r'(?:url\(#|href="#)([^)"]*)')
_STAND_IN = re.compile("|".join(VARIABLES))
_TIDIED = (
    (re.compile(r'font-family: [^;"]*'), "font-family: var(--font)"),
    (re.compile(r' transform="rotate\(-0 [^)]*\)"'), ""),
    (re.compile(r"(\.\d\d)\d+"), r"\1"),  # a hundredth of a point cannot be seen
    (re.compile(r"\s+"), " "),
)
_TAG = re.compile(r"<[^>]*>")

_STYLE: dict[str, Any] = {
    "svg.fonttype": "none", "svg.hashsalt": "unveil", "font.family": "sans-serif",
    "font.size": 9, "text.color": INK, "axes.edgecolor": FAINT, "axes.labelcolor": INK,
    "xtick.color": INK, "ytick.color": INK, "axes.spines.top": False, "axes.spines.right": False,
    "grid.color": FAINT, "grid.alpha": 0.35, "grid.linewidth": 0.6, "axes.axisbelow": True,
    "text.parse_math": False, "patch.edgecolor": PAPER, "hatch.linewidth": 0.8,
    "path.simplify": True, "xtick.minor.visible": False, "ytick.minor.visible": False,
}  # fmt: skip


def draw(chart: Chart | Mapping[str, Any], ax: Axes | None = None) -> Axes:
    """Draw a chart of a finding with matplotlib; returns the axes.

    Parameters
    ----------
    chart : Chart, or mapping
        The mapping as in the JSON of an audit.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    """
    content = plain(shortened(chart) if isinstance(chart, Chart) else chart)
    axes = new_axes() if ax is None else ax
    if ax is None and content["kind"] in ("bars", "heatmap"):
        _tall_enough(content, axes)
    draw_chart(_literal(content), Room(axes))
    axes.set_title(_literal(content["title"]), fontsize=10)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    for line in [*axes.get_xgridlines(), *axes.get_ygridlines()]:
        line.set_alpha(0.25)
    series = content["series"] if content["kind"] not in ("heatmap", "histogram") else []
    if len(series) > 1:
        _legend(content, axes)
    return axes


def _literal(value: Any) -> Any:
    """Texts without formulas: a dollar may be from the data."""
    if isinstance(value, str):
        return written(value)
    if isinstance(value, dict):
        return {key: one if key in ("kind", "scale") else _literal(one) for key, one in
                value.items()}  # fmt: skip
    return [_literal(one) for one in value] if isinstance(value, list) else value


def _tall_enough(chart: Mapping[str, Any], axes: Axes) -> None:
    matrix = chart["matrix"]
    rows = len(matrix["rows"]) if matrix else sum(len(one["x"]) for one in chart["series"])
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.set_size_inches(9, max(2.6, 0.28 * rows + 1.2))


def _legend(chart: Mapping[str, Any], axes: Axes) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    room = Room(axes)
    handles: list[Any] = []
    for n, one in enumerate(chart["series"]):
        like, label = room.look(n), written(one["name"], 40)
        if chart["kind"] == "bars" and lies_flat(chart):
            handles.append(Patch(facecolor=like["colour"], hatch=like["hatch"], label=label))
        else:
            dash: Any = "-" if not like["dash"] else (0, like["dash"])
            handles.append(
                Line2D(
                    [], [], color=like["colour"], marker=like["mark"], label=label,
                    linestyle="none" if chart["kind"] in ("points", "bars") else dash,
                )
            )  # fmt: skip
    axes.legend(handles=handles, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def svg_of(chart: Mapping[str, Any], name: str = "chart") -> str:
    """An SVG element for a chart of an audit's JSON.

    Parameters
    ----------
    chart : mapping
        As in the JSON of an audit. Besides the kinds that are there, ``lines``: bars of releases
        over a parameter that they differ in.
    name : str
        What ids in the element begin with, so that several can stand on one page.
    """
    matplotlib = has_matplotlib("a report needs matplotlib", "report")
    text, style = io.StringIO(), cast(Any, _STYLE)  # its names are not all in the library's types
    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()  # whatever the user's own settings are
        matplotlib.rcParams.update(style)
        # Letters that matplotlib's font lacks: the reader's browser has them.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        room = Room()
        draw_chart(chart, room)
        room.figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return _dressed(text.getvalue(), chart, name)


def _dressed(svg: str, chart: Mapping[str, Any], name: str) -> str:
    """Only the element, with the page's colours and font, and ids of its own."""
    svg = svg[svg.index("<svg") :]
    # The library's style would be a style of the whole page; the page has its own for drawings.
    svg = re.sub(r"<(metadata|style).*?</\1>", "", svg, flags=re.DOTALL)
    svg = re.sub(r">\s+<", "><", svg)
    ids = {old: f"{name}-{n}" for n, old in enumerate(sorted(set(_REFERRED.findall(svg))))}

    def identified(found: re.Match[str]) -> str:
        if found[1].startswith("mark"):
            return ' class="mark"'
        return f' id="{ids[found[1]]}"' if found[1] in ids else ""

    def dressed(tag: re.Match[str]) -> str:
        text = _STAND_IN.sub(lambda found: f"var({VARIABLES[found[0]]})", tag[0])
        for pattern, better in _TIDIED:
            text = pattern.sub(better, text)
        text = _ID.sub(identified, text)
        return _REFERRED.sub(lambda found: found[0].replace(found[1], ids[found[1]]), text)

    # In tags alone: what is written in a picture may come from the data.
    svg = _TAG.sub(dressed, svg)
    body = svg[svg.index(">") + 1 :]
    box = re.search(r'viewBox="[^"]*"', svg)
    assert box is not None
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'{box[0]} role="img" aria-labelledby="{name}-title {name}-says">'
        f'<title id="{name}-title">{escape(chart["title"])}</title>'
        f'<desc id="{name}-says">{escape(chart["says"])}</desc>{body}'
    )
