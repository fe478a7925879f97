"""The frame of a chart: its room, its axes and ticks, and texts that are kept short."""

from __future__ import annotations

import math
from collections.abc import Mapping
from textwrap import fill
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

__all__ = ["LETTER", "LINE", "WIDTH", "Room", "as_number", "label_axes", "log_ticks", "mark",
           "short", "value_text"]  # fmt: skip

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
    """A figure, and axes in it with the margins that a chart asks for."""

    def __init__(self) -> None:
        from matplotlib.figure import Figure

        self.figure = Figure(figsize=(WIDTH, 3.0))
        self.figure.patch.set_visible(False)

    def axes(
        self, height: float, *, left: float = 0.62, right: float = 0.15, top: float = 0.12,
        bottom: float = 0.48,
    ) -> Axes:  # fmt: skip
        """Axes so many inches high, with margins in inches around them."""
        whole = height + top + bottom
        self.figure.set_size_inches(WIDTH, whole)
        place = (left / WIDTH, bottom / whole, (WIDTH - left - right) / WIDTH, height / whole)
        axes = self.figure.add_axes(place)
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


def as_number(value: float | None) -> float:
    """What is not known is not drawn.

    >>> as_number(None)
    nan
    """
    return math.nan if value is None else float(value)


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
