"""How the distances are spread, in one line of block characters an anonymization.

All lines share one log axis. A bar's height says how many records are in its bin, compared with
the fullest bin of the line; the dot is δ, the worst record.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from unveil.attacks import DifferentialInference
from unveil.report._words import display_name

__all__ = ["picture"]

_BARS = " ▁▂▃▄▅▆▇█"
_FLOOR = 1e-6  # a log axis has no zero: anything smaller is drawn here
_STEPS = ((0.1, "red"), (0.05, "yellow"), (0.0, "cyan"))  # the table's two thresholds
_WORST = "●"


def picture(findings: Sequence[DifferentialInference], *, width: int) -> Text:
    """Draw the distances of several findings above one another.

    Parameters
    ----------
    findings : sequence of DifferentialInference
    width : int
        Columns of the terminal.

    Returns
    -------
    rich.text.Text
        Empty if nothing could be tested.
    """
    shown = [finding for finding in findings if len(finding.tested)]
    if not shown:
        return Text()
    names = [display_name(finding.sanitizer) for finding in shown]
    margin = min(max(map(len, names)), width // 3)
    low, high = _decades(shown)
    # A whole number of columns a decade puts every tick on a column of its own.
    columns = max(4, min(20, (width - margin - 8) // (high - low)))
    text = Text(no_wrap=True)
    shares = [_shares(finding.tested, low, high, columns) for finding in shown]
    for name, finding, share in zip(names, shown, shares, strict=True):
        text.append(f"  {_shortened(name, margin):<{margin}}  ")
        tallest = float(share.max())
        worst = _bin(np.array([finding.delta]), low, high, columns)[0]
        for place, height in enumerate(share[: worst + 1]):
            if place == worst:
                text.append(_WORST, style="bold red")
            else:
                text.append(_bar(height, tallest), style=_style(10 ** (low + place / columns)))
        if finding.infinite:
            text.append(f" ∞ for {finding.infinite:,}", style="bold red")
        text.append("\n")
    text.append(_axis(low, high, columns, indent=margin + 4), style="dim")
    return text


def _decades(findings: Sequence[DifferentialInference]) -> tuple[int, int]:
    """The powers of ten between which nearly all distances lie, and the worst for certain."""
    finite = np.concatenate([f.tested[np.isfinite(f.tested)] for f in findings])
    most = float(finite.max(initial=0.0))  # infinite ones are drawn at the right end
    # One in a hundred may be drawn at the left end: there it does not matter how small they are.
    # Nor does it matter that some are exactly 0.
    above = [f.tested[f.tested > 0] for f in findings]
    lowest = (float(np.quantile(some, 0.01, method="lower")) for some in above if len(some))
    least = min((value for value in lowest if np.isfinite(value)), default=most)
    high = math.ceil(math.log10(max(most, 10 * _FLOOR)))
    low = math.floor(math.log10(max(least, _FLOOR)))
    return min(low, high - 2), high


def _bin(values: NDArray[np.float64], low: int, high: int, columns: int) -> NDArray[np.intp]:
    places = (np.log10(np.maximum(values, _FLOOR)) - low) * columns
    return np.clip(np.floor(places), 0, (high - low) * columns - 1).astype(np.intp)


def _shares(values: NDArray[np.float64], low: int, high: int, columns: int) -> NDArray[np.float64]:
    counts = np.bincount(_bin(values, low, high, columns), minlength=(high - low) * columns)
    return counts / len(values)


def _bar(share: float, tallest: float) -> str:
    if share == 0:
        return _BARS[0]
    # Square root: a few people must stay visible beside the many.
    return _BARS[max(1, round(math.sqrt(share / tallest) * (len(_BARS) - 1)))]


def _style(distance: float) -> str:
    # Bins begin at powers of ten, so rounding must not put 0.1 under itself.
    return next(style for least, style in _STEPS if distance >= least - 1e-9)


def _axis(low: int, high: int, columns: int, indent: int) -> str:
    """A line with a tick at each power of ten, and their numbers beneath."""
    line = "".join("┴" + "─" * (columns - 1) for _ in range(high - low)) + "┴"
    numbers = [" "] * (indent + len(line) + 8)
    for decade in range(low, high + 1):
        label = f"{10.0**decade:g}"
        at = max(0, indent + (decade - low) * columns - len(label) // 2)
        numbers[at : at + len(label)] = label
    return f"{' ' * indent}{line} d\n{''.join(numbers).rstrip()}"


def _shortened(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
