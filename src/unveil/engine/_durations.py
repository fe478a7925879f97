"""Durations: as people write them, and how long work will still take.

Counting steps says little where one takes a hundred times as long as another. So each step of a
`Forecast` is declared with its time on a usual machine. The steps that are done show how much
slower or faster this machine is: best from steps of the same kind, or else from all. Some steps
never take longer than a budget, which no machine changes. On a first run kernels are compiled,
once for all steps of a kind; that time is added from when the first kernel was compiled.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import Any

from unveil.errors import InputError

_SECONDS = {
    unit: seconds
    for units, seconds in (
        (("d", "day", "days"), 86_400.0),
        (("h", "hr", "hrs", "hour", "hours"), 3600.0),
        (("m", "min", "mins", "minute", "minutes"), 60.0),
        (("s", "sec", "secs", "second", "seconds"), 1.0),
    )
    for unit in units
}
# As memory is labelled: units with an i are powers of 1024.
_BYTES = {"b": 1, "byte": 1, "bytes": 1} | {
    f"{prefix}{unit}": (1024 if "i" in unit else 1000) ** power
    for power, prefix in enumerate("kmgt", start=1)
    for unit in ("", "b", "ib")
}

_PART = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-z]*)", re.ASCII)


def parse_duration(duration: Any) -> float:
    """Seconds, from a number of seconds or a text.

    >>> [parse_duration(text) for text in ("10 min", "90s", "1h30m", "1.5 hours", 45)]
    [600.0, 90.0, 5400.0, 5400.0, 45.0]
    """
    wrong = InputError(
        'cannot read {given} as a duration; write a number of seconds, or a text such as "90 s", '
        '"10 min" or "1h30m"',
        given=repr(duration),
    )
    if isinstance(duration, str):
        parts = _parts(duration)
        units = [_SECONDS.get(unit or "s", 0.0) for _, unit in parts]
        falling = all(a > b for a, b in pairwise(units))
        # A number without a unit is in seconds, but only by itself: "1h30" is not clear.
        bare = len(parts) > 1 and any(unit == "" for _, unit in parts)
        if not parts or 0.0 in units or not falling or bare:
            raise wrong
        seconds = sum(amount * unit for (amount, _), unit in zip(parts, units, strict=True))
    elif isinstance(duration, Real) and not isinstance(duration, bool):
        seconds = float(duration)
    else:
        raise wrong
    if not 0 < seconds < math.inf:
        raise InputError(
            "a duration must be more than 0 and finite, got {given}", given=repr(duration)
        )
    return seconds


def parse_memory(memory: Any) -> int:
    """Bytes, from a number of bytes or a text.

    >>> [parse_memory(text) for text in ("2 GB", "1.5GiB", "512m", 4096)]
    [2000000000, 1610612736, 512000000, 4096]
    """
    wrong = InputError(
        "cannot read {given} as an amount of memory; write a number of bytes, or a text such as "
        '"500 MB" or "2 GiB"',
        given=repr(memory),
    )
    if isinstance(memory, str):
        parts = _parts(memory)
        if len(parts) != 1 or parts[0][1] not in {"", *_BYTES}:
            raise wrong
        amount, unit = parts[0]
        size = amount * _BYTES.get(unit, 1)
    elif isinstance(memory, Real) and not isinstance(memory, bool):
        size = float(memory)
    else:
        raise wrong
    if not 1 <= size < math.inf:
        raise InputError(
            "an amount of memory must be at least one byte, got {given}", given=repr(memory)
        )
    return int(size)


def _parts(text: str) -> list[tuple[float, str]]:
    """The numbers in a text and the units after them; empty if the text has anything else."""
    parts, place, text = [], 0, text.strip().lower()
    while place < len(text):
        part = _PART.match(text, place)
        if part is None:
            return []
        parts.append((float(part[1]), part[2]))
        place = part.end()
    return parts


_USUAL = 0.5  # seconds on a usual machine that weigh as much as seconds observed on this one
# The share of its weight that an older observation keeps: the first step of a kind fills caches,
# and machines are not always equally busy.
_OF_A_KIND, _OF_ALL = 0.4, 0.9


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step of the work.

    Attributes
    ----------
    kind : tuple of str
        Steps of the same kind take equally long, apart from their sizes.
    seconds : float
        Time on a usual machine.
    at_most : float, optional
        Time budget.
    once : float
        Additional time because it is the first: kernels are loaded and modules imported.
    compiling : float
        Time to compile the kernels of this kind.
    """

    kind: tuple[str, ...]
    seconds: float
    at_most: float | None = None
    once: float = 0.0
    compiling: float = 0.0


class Forecast:
    """The time left for steps that are done one after the other.

    Examples
    --------
    Nothing is known about this machine until it turns out to be half as fast as usual:

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
        self._took: dict[tuple[str, ...], tuple[float, float]] = {}  # observed, expected seconds
        self._all = (_USUAL, _USUAL)
        self._spent = 0.0
        self._compiled: set[tuple[str, ...]] = set()
        self._cold = False

    def __len__(self) -> int:
        return len(self._steps)

    @property
    def finished(self) -> int:
        """Number of steps that are done."""
        return self._done

    def done(self, seconds: float, compiling: float = 0.0) -> None:
        """Record that the next step is done, and how long of it numba was compiling."""
        step = self._steps[self._done]
        self._done += 1
        self._spent += seconds
        self._compiled.add(step.kind)
        self._cold = self._cold or compiling > 0
        # Time beyond the expected that will not recur is left out.
        worked = max(seconds - compiling - step.once, min(seconds, step.seconds))
        seen = self._took.get(step.kind, (0.0, 0.0))
        self._took[step.kind] = _with(seen, worked, step.seconds, _OF_A_KIND)
        if step.at_most is None:  # a budget says nothing about the machine
            self._all = _with(self._all, worked, step.seconds, _OF_ALL)

    def left(self, running: float = 0.0) -> float:
        """Seconds left, if the next step has been running for the given time."""
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
        """Share of the total time that is over, from 0 to 1."""
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
