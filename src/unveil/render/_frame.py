"""Around a chart: its room, its axes and ticks, how series look, and where names of points go.

On a page colours are drawn as stand-ins that name a role (ink, a series, …) and are replaced by CSS
variables: one drawing is right in light, in dark and in print. Series never differ by colour alone.
Legends on a page are HTML: they wrap on a phone, and names are isolated.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

COLOURS = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7a5195", "#4d4d4d",
)  # fmt: skip
"""They also differ for people who see fewer colours, and in grey."""
_PLAIN = ("0.1", "0.6", "white")  # ink, faint and paper where there is no page

INK, FAINT, PAPER = "#010203", "#010204", "#010205"
SERIES = tuple(f"#0102{16 + n:02x}" for n in range(8))
VARIABLES = {
    INK: "--ink", FAINT: "--faint", PAPER: "--paper",
    **{stand_in: f"--series-{n + 1}" for n, stand_in in enumerate(SERIES)},
}  # fmt: skip

DASHES: tuple[tuple[float, ...], ...] = (
    (), (5, 2), (6, 2, 1.5, 2), (1.5, 1.8), (9, 2), (5, 1.5, 1.5, 1.5, 1.5, 1.5), (3, 3), (10, 4),
)  # fmt: skip
"""Lengths of strokes and gaps, in widths of the line."""

MARKS: dict[str, str] = {
    "o": "M1 5a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "s": "M1.5 1.5h7v7h-7z",
    "^": "M5 1L9.3 8.6H.7z",
    "D": "M5 .4L9.6 5L5 9.6L.4 5z",
    "v": "M5 9L.7 1.4H9.3z",
    "P": "M3.6 1h2.8v2.6H9v2.8H6.4V9H3.6V6.4H1V3.6h2.6z",
    "X": "M1 3L3 1L5 3L7 1L9 3L7 5L9 7L7 9L5 7L3 9L1 7L3 5z",
    "*": "M5 .5L6.3 3.7L9.7 4L7.1 6.2L7.9 9.6L5 7.8L2.1 9.6L2.9 6.2L.3 4L3.7 3.7z",
}
"""The plotting library's letters for marks, and their outlines in a box of 10 by 10."""

HATCHES: dict[str, str] = {
    "": "",
    "////": "M0 6L6 0M3 10L13 0M10 10L20 0M17 10L26 1M24 10L26 8",
    "||||": "M4 0V10M9 0V10M14 0V10M19 0V10M24 0V10",
    "xxxx": "M0 5L5 0M0 5L5 10M3 10L13 0M3 0L13 10M11 10L21 0M11 0L21 10M19 10L26 3M19 0L26 7",
    "----": "M0 2.5H26M0 5H26M0 7.5H26",
}
"""The plotting library's hatches, and the like of them in a box of 26 by 10."""

Kind: TypeAlias = Literal["line", "mark", "bar"]


def look(n: int, series: Sequence[str] = SERIES) -> dict[str, Any]:
    """How the n-th series looks; the first 64 all look different.

    >>> looks = [look(n) for n in range(64)]
    >>> len({(one["colour"], one["dash"], one["mark"]) for one in looks})
    64
    """
    again, place = divmod(n, len(series))
    marks, hatches = list(MARKS), list(HATCHES)
    return {
        "colour": series[place],
        "dash": DASHES[(place + again) % len(DASHES)],
        "mark": marks[(place + again) % len(marks)],
        "hatch": hatches[n % len(hatches)],
    }


def swatch(n: int, kind: Kind) -> str:
    """What stands before the name of the n-th series in a legend.

    >>> swatch(0, "line").count("<path")
    2
    """
    one = look(n)
    colour = f"var({VARIABLES[one['colour']]})"
    mark = f'<path d="{MARKS[one["mark"]]}" transform="translate(8)" fill="{colour}"/>'
    parts: Mapping[Kind, Sequence[str]] = {
        "line": [_line(colour, one["dash"]), mark],
        "mark": [mark],
        "bar": [
            f'<path d="M0 0H26V10H0z" fill="{colour}"/>',
            f'<path d="{HATCHES[one["hatch"]]}" stroke="var(--paper)" stroke-linecap="round"/>',
        ],
    }
    return (
        f'<svg class="swatch" viewBox="0 0 26 10" aria-hidden="true">{"".join(parts[kind])}</svg>'
    )


def _line(colour: str, dash: Sequence[float]) -> str:
    dashes = f' stroke-dasharray="{" ".join(f"{1.6 * d:g}" for d in dash)}"' if dash else ""
    return f'<path d="M0 5H26" stroke="{colour}" stroke-width="1.6"{dashes}/>'


WIDTH = 5.6
"""Of all charts, in inches."""
LETTER = 0.075
"""About the width of a letter, in inches."""


_STEPS: tuple[tuple[float, ...], ...] = (
    (1,), (1, 2, 5), tuple(range(1, 10)), tuple(n / 10 for n in range(10, 100)),
)  # fmt: skip
"""Of a power of ten, what is written on a log axis: the first that gives enough."""
_FEWEST, _MOST = 3, 8


LINE = 28
"""Letters of a line along an upright axis; what is longer has several."""


class Room:
    """Where a chart is drawn: new axes with the margins that it asks for, or axes of the user's.

    Parameters
    ----------
    ax : matplotlib.axes.Axes, optional
        Axes to draw into, with real colours. Without them the drawing is for a page: its colours
        are stand-ins that follow the page's theme.
    """

    def __init__(self, ax: Axes | None = None) -> None:
        self._ax = ax
        self.ink, self.faint, self.paper = (INK, FAINT, PAPER) if ax is None else _PLAIN
        self.series = SERIES if ax is None else COLOURS
        if ax is None:
            from matplotlib.figure import Figure

            self.figure: Any = Figure(figsize=(WIDTH, 3.0))
            self.figure.patch.set_visible(False)
        else:
            self.figure = ax.get_figure(root=True)

    @property
    def is_for_a_page(self) -> bool:
        """Whether margins are known, so that places can be given in inches."""
        return self._ax is None

    def look(self, n: int) -> dict[str, Any]:
        """How the n-th series looks."""
        return look(n, self.series)

    def axes(
        self, height: float, *, left: float = 0.62, right: float = 0.15, top: float = 0.12,
        bottom: float = 0.48,
    ) -> Axes:  # fmt: skip
        """Axes so many inches high, with margins in inches around them."""
        if self._ax is not None:
            return self._ax
        whole = height + top + bottom
        self.figure.set_size_inches(WIDTH, whole)
        place = (left / WIDTH, bottom / whole, (WIDTH - left - right) / WIDTH, height / whole)
        axes: Axes = self.figure.add_axes(place)
        axes.patch.set_visible(False)
        return axes


def mark(*artists: Artist) -> None:
    """Say that these are marks, which stand for data, so that they can be counted."""
    for artist in artists:
        artist.set_gid("mark")


def short(text: str, letters: int) -> str:
    """A text that fits.

    >>> short("a long story", 7)
    'a long…'
    """
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def numbers(values: Sequence[float | None]) -> list[float]:
    """What is not known is not drawn.

    >>> numbers([1, None])
    [1.0, nan]
    """
    return [math.nan if value is None else float(value) for value in values]


def value_text(value: float, *, share: bool) -> str:
    """A number on an axis or beside a mark.

    >>> value_text(0.256, share=True), value_text(0.00123, share=True)
    ('26%', '0.12%')
    >>> [value_text(value, share=False) for value in (12.5, 1000.0, 1e-6, 2.5e7)]
    ['12.5', '1,000', '1e-6', '2.5e7']
    """
    if share:
        percent = 100 * value
        return f"{percent:.0f}%" if percent >= 9.5 or percent == 0 else f"{percent:.2g}%"
    if value == 0 or 1e-4 <= abs(value) < 1e7:
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:.3g}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


def log_ticks(low: float, high: float) -> list[float]:
    """Round numbers on a log axis: so many that there are some, and not too many.

    >>> log_ticks(0.8, 12), log_ticks(1, 90), log_ticks(1e-8, 1)
    ([1.0, 2.0, 5.0, 10.0], [1.0, 2.0, 5.0, 10.0, 20.0, 50.0], [1e-08, 1e-06, 0.0001, 0.01, 1.0])
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    decades = math.log10(high / low)
    every = 1 if decades < 7 else 2
    ticks: list[float] = []
    for steps in _STEPS if decades < 2.5 else _STEPS[:1]:
        all_of_them = [
            float(f"{step}e{n}") for n in range(first, last + 1, every) for step in steps
        ]
        ticks = [tick for tick in all_of_them if low * 0.999 <= tick <= high * 1.001]
        if len(ticks) >= _FEWEST:
            break
    return ticks[:: math.ceil(len(ticks) / _MOST)] if ticks else []


def label_axes(chart: Mapping[str, Any], axes: Axes) -> None:
    """What stands along both axes."""
    if chart["x"]["scale"] == "log":
        axes.set_xscale("log")
    if chart["y"]["scale"] == "log":
        axes.set_yscale("log")
    _along(chart["x"], axes.xaxis)
    _along(chart["y"], axes.yaxis)
    axes.set_xlabel(chart["x"]["label"])
    axes.set_ylabel(fill(chart["y"]["label"], LINE))


def _along(side: Mapping[str, Any], axis: Axis) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

    if side["scale"] == "log":
        low, high = axis.get_view_interval()
        axis.set_major_locator(FixedLocator(log_ticks(low, high)))
        axis.set_minor_locator(FixedLocator([]))
    else:
        axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    # Numbers as people write them; formulas are not set, as a dollar may be from the data.
    axis.set_major_formatter(FuncFormatter(lambda x, _: value_text(x, share=side["share"])))


_HIGH = 0.13  # inches of a line of text
_CLOSE = 0.05  # inches
_OFF = 0.07  # inches between a point and its name


@dataclass(frozen=True)
class Box:
    """A rectangle, in inches."""

    left: float
    bottom: float
    right: float
    top: float

    def covers(self, other: Box) -> float:
        """The area that both have."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(0.0, wide) * max(0.0, high)

    def outside(self, room: Box) -> float:
        """The area that is not in a room."""
        return (self.right - self.left) * (self.top - self.bottom) - self.covers(room)


Point: TypeAlias = tuple[float, float]


def placed(
    at: Sequence[Point], widths: Sequence[float], room: Box, curves: Sequence[Sequence[Point]] = ()
) -> list[Box]:
    """A box for each name, beside its point: the first place that is free, or the freest.

    Neither points, nor other names, nor what lies on ``curves`` should be covered.

    >>> room = Box(0, 0, 5, 2)
    >>> first, second = placed([(1, 1), (1.1, 1)], [0.8, 0.8], room)
    >>> first.covers(second), first.outside(room)
    (0.0, 0.0)
    """
    points = [_around(x, y, 0.05) for x, y in at]
    points += [_around(x, y, 0.02) for curve in curves for x, y in _points_on(curve)]
    boxes: list[Box] = []
    for (x, y), width in zip(at, widths, strict=True):
        taken = [*points, *boxes]

        def trouble(box: Box, taken: Sequence[Box] = taken) -> float:
            return sum(box.covers(other) for other in taken) + 10 * box.outside(room)

        boxes.append(min(_beside(x, y, width), key=trouble))
    return boxes


def _around(x: float, y: float, half: float) -> Box:
    return Box(x - half, y - half, x + half, y + half)


def _points_on(curve: Sequence[Point]) -> Iterator[Point]:
    """Points on a curve that lie close together."""
    for (x0, y0), (x1, y1) in pairwise(curve):
        steps = 1 + int(max(abs(x1 - x0), abs(y1 - y0)) / _CLOSE)
        for n in range(steps):
            yield x0 + (x1 - x0) * n / steps, y0 + (y1 - y0) * n / steps


def _beside(x: float, y: float, width: float) -> Iterator[Box]:
    """Places for a name, the best first: to the right, to the left, above, below, further off."""
    for off in (_OFF, 2.6 * _OFF):
        for left in (x + off, x - off - width, x - width / 2):
            for bottom in (y - _HIGH / 2, y + off, y - off - _HIGH):
                if left <= x <= left + width and bottom == y - _HIGH / 2:
                    continue  # over the point itself
                yield Box(left, bottom, left + width, bottom + _HIGH)
