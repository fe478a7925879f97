"""How long work will still take: steps of different kinds, learnt from those that are done.

Counting steps says little where one of them takes a hundred times as long as another. So each step
is told beforehand with what it would take on a usual machine. From the steps that are done follows
how much slower or faster this one is: at best from steps of the same kind on the same subject's
family, or else from all. Some steps never take longer than a budget, which no machine changes. On
a first run kernels are compiled, once for all steps of a kind; that is known of each step, and
counted from when the first has been seen to be compiled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Forecast", "Step"]

_USUAL = 0.5  # seconds of a usual machine that weigh as much as what was seen of this one
# What was seen before keeps so much of its weight: the first of a kind reads and remembers things,
# and machines are not always as busy.
_OF_A_KIND, _OF_ALL = 0.4, 0.9


@dataclass(frozen=True, kw_only=True)
class Step:
    """Something to be done.

    Attributes
    ----------
    kind : tuple of str
        Steps of the same kind take as long, but for their sizes.
    seconds : float
        What it takes on a usual machine.
    at_most : float, optional
        Its budget, if it has one.
    once : float
        What it takes besides because it is the first: kernels are read, and modules imported.
    compiling : float
        What compiling the kernels of this kind takes.
    """

    kind: tuple[str, ...]
    seconds: float
    at_most: float | None = None
    once: float = 0.0
    compiling: float = 0.0


class Forecast:
    """The time left, of steps that are done one after the other.

    Examples
    --------
    Nothing is known of this machine, until it turns out to be half as fast as usual:

    >>> forecast = Forecast([Step(kind=("measure",), seconds=10.0)] * 4)
    >>> forecast.left()
    40.0
    >>> forecast.done(20.0)
    >>> forecast.left(), forecast.left(5.0)
    (60.0, 55.0)
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = list(steps)
        self._done = 0
        self._took: dict[tuple[str, ...], tuple[float, float]] = {}  # seconds, and those expected
        self._all = (_USUAL, _USUAL)
        self._spent = 0.0
        self._compiled: set[tuple[str, ...]] = set()
        self._cold = False

    def __len__(self) -> int:
        return len(self._steps)

    @property
    def finished(self) -> int:
        """How many steps are done."""
        return self._done

    def done(self, seconds: float, compiling: float = 0.0) -> None:
        """The next step is done; so many of its seconds went into compiling."""
        step = self._steps[self._done]
        self._done += 1
        self._spent += seconds
        self._compiled.add(step.kind)
        self._cold = self._cold or compiling > 0
        # Of what was more than expected, the part that will not come again.
        worked = max(seconds - compiling - step.once, min(seconds, step.seconds))
        seen = self._took.get(step.kind, (0.0, 0.0))
        self._took[step.kind] = _with(seen, worked, step.seconds, _OF_A_KIND)
        if step.at_most is None:  # or it tells nothing of the machine
            self._all = _with(self._all, worked, step.seconds, _OF_ALL)

    def left(self, running: float = 0.0) -> float:
        """Seconds, where the next step has been running for so long."""
        new: set[tuple[str, ...]] = set()
        total = 0.0
        for place, step in enumerate(self._steps[self._done :]):
            takes = self._expected(step) + step.once
            if self._cold and step.kind not in self._compiled | new:
                new.add(step.kind)
                takes += step.compiling
            total += max(takes - running, 0.0) if place == 0 else takes
        return total

    def share(self, running: float = 0.0) -> float:
        """How much of all the time is over, from 0 to 1."""
        over = self._spent + running
        return over / max(over + self.left(running), 1e-9)

    def _expected(self, step: Step) -> float:
        took, usual = self._took.get(step.kind, (0.0, 0.0))
        if usual > 0:
            return took * step.seconds / usual
        if step.at_most is not None and step.seconds >= step.at_most:
            return step.at_most
        return min(step.seconds * self._all[0] / self._all[1], step.at_most or math.inf)


def _with(seen: tuple[float, float], took: float, usual: float, kept: float) -> tuple[float, float]:
    return kept * seen[0] + took, kept * seen[1] + usual
