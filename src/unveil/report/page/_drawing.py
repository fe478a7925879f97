"""Charts of an audit as SVG, drawn by matplotlib, with colours that follow the page.

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

from unveil.errors import MissingExtraError
from unveil.report.page._bars import bars, dots, lies_flat
from unveil.report.page._curves import distribution, histogram, lines, points
from unveil.report.page._frame import Room
from unveil.report.page._heatmap import heatmap
from unveil.report.page._looks import FAINT, INK, PAPER, VARIABLES

if TYPE_CHECKING:
    from collections.abc import Callable

    Draw = Callable[[Mapping[str, Any], Room], None]

__all__ = ["drawn"]

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

_KINDS: dict[str, Draw] = {
    "distribution": distribution,
    "histogram": histogram,
    "bars": bars,
    "dots": dots,
    "lines": lines,
    "points": points,
    "heatmap": heatmap,
}


def drawn(chart: Mapping[str, Any], name: str = "chart") -> str:
    """An SVG element for a chart of an audit's JSON.

    Parameters
    ----------
    chart : mapping
        As in the JSON of an audit. Besides the kinds that are there, ``lines``: bars of releases
        over a parameter that they differ in.
    name : str
        What ids in the element begin with, so that several can stand on one page.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtraError(
            "a report needs matplotlib; install it with: pip install 'unveil[report]'"
        ) from error
    kind = "dots" if chart["kind"] == "bars" and not lies_flat(chart) else chart["kind"]
    text, style = io.StringIO(), cast(Any, _STYLE)  # its names are not all in the library's types
    with matplotlib.rc_context(style), warnings.catch_warnings():
        # Letters that matplotlib's font lacks: the reader's browser has them.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        room = Room()
        _KINDS[kind](chart, room)
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
