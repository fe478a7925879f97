"""Heat maps: cells whose ink is as strong as their number, which is written in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unveil.report.page._frame import LETTER, WIDTH, Room, mark, short, value_text
from unveil.report.page._looks import PAPER, SERIES

__all__ = ["heatmap"]

_ROW = 0.3  # inches
_LETTERS = 22
_STRONGEST = 0.45  # of the colour behind a number, which must stay readable


def heatmap(chart: Mapping[str, Any], room: Room) -> None:
    """Rows and columns of cells; of what is the same both ways, half is left out."""
    matrix = chart["matrix"]
    rows = [short(name, _LETTERS) for name in matrix["rows"]]
    cells = _half(matrix)
    left = min(2.2, 0.1 + 1.08 * LETTER * max((len(name) for name in rows), default=0))
    wide = (WIDTH - left - 0.15) / max(1, len(matrix["columns"]))
    columns = [short(name, _LETTERS) for name in matrix["columns"]]
    longest = max((len(name) for name in columns), default=0)
    tilted = longest * 0.9 * LETTER > wide
    axes = room.axes(
        _ROW * max(1, len(rows)), left=left, top=0.05,
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
            mark(*axes.barh(i, 1, 1, left=j - 0.5, color=SERIES[0], alpha=strength,
                            edgecolor=PAPER, linewidth=1))  # fmt: skip
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
