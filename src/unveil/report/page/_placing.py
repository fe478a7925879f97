"""Where the names of points go, so that they cover neither points nor each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

__all__ = ["Box", "placed"]

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
    points += [_around(x, y, 0.02) for curve in curves for x, y in _along(curve)]
    boxes: list[Box] = []
    for (x, y), width in zip(at, widths, strict=True):
        taken = [*points, *boxes]

        def trouble(box: Box, taken: Sequence[Box] = taken) -> float:
            return sum(box.covers(other) for other in taken) + 10 * box.outside(room)

        boxes.append(min(_beside(x, y, width), key=trouble))
    return boxes


def _around(x: float, y: float, half: float) -> Box:
    return Box(x - half, y - half, x + half, y + half)


def _along(curve: Sequence[Point]) -> Iterator[Point]:
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
