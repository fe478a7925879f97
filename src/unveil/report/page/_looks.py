"""How series look: a colour, a dash, a mark and a hatch each, and the legend that shows them.

Colours are drawn as stand-ins that name a role (ink, a series, …) and are later replaced by CSS
variables: one drawing is right in light and in dark, and in print. No series is told from another
by colour alone. Legends are HTML: there they wrap, on a phone as well, and names are isolated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

__all__ = [
    "DASHES",
    "FAINT",
    "HATCHES",
    "INK",
    "MARKS",
    "PAPER",
    "SERIES",
    "VARIABLES",
    "Kind",
    "look",
    "swatch",
]  # fmt: skip

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


def look(n: int) -> dict[str, Any]:
    """How the n-th series looks; the first 64 all look different.

    >>> looks = [look(n) for n in range(64)]
    >>> len({(one["colour"], one["dash"], one["mark"]) for one in looks})
    64
    """
    again, place = divmod(n, len(SERIES))
    marks, hatches = list(MARKS), list(HATCHES)
    return {
        "colour": SERIES[place],
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
