"""Time: as people write it, how long work will still take, and progress on the terminal.

Counting steps says little where one takes a hundred times as long as another. So each step of a
`Forecast` is declared with its time on a usual machine. The steps that are done show how much
slower or faster this machine is: best from steps of the same kind, or else from all. Some steps
never take longer than a budget, which no machine changes. On a first run kernels are compiled,
once for all steps of a kind; that time is added from when the first kernel was compiled.
"""

from __future__ import annotations

import math
import re
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any

from unveil._terminal import console_on, transient
from unveil._text import harmless
from unveil.errors import InputError

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

_PATIENCE = 1.0  # seconds before anything is shown
_BAR = 12
_REST = _BAR + 7 + 27 + 3  # bar, number of steps, time left and compiling, and gaps
_SHORTEST = 10
_USUAL = 0.5  # seconds on a usual machine that weigh as much as seconds observed on this one
# The share of its weight that an older observation keeps: the first step of a kind fills caches,
# and machines are not always equally busy.
_OF_A_KIND, _OF_ALL = 0.4, 0.9

_SECONDS = {
    unit: seconds
    for units, seconds in (
        (("d", "day", "days"), 86_400.0),
        (("h", "hr", "hrs", "hour", "hours"), 3600.0),
        (("m", "min", "mins", "minute", "minutes"), 60.0),
        (("", "s", "sec", "secs", "second", "seconds"), 1.0),
    )
    for unit in units
}
# As memory is labelled: units with an i are powers of 1024.
_BYTES = {"": 1, "b": 1, "byte": 1, "bytes": 1} | {
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
    seconds = _amount(duration, _SECONDS)
    if seconds is None:
        raise InputError(
            "cannot read {given} as a duration; write a number of seconds, or a text such as "
            '"90 s", "10 min" or "1h30m"',
            given=repr(duration),
        )
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
    size = _amount(memory, _BYTES, most=1)
    if size is None:
        raise InputError(
            "cannot read {given} as an amount of memory; write a number of bytes, or a text such "
            'as "500 MB" or "2 GiB"',
            given=repr(memory),
        )
    if not 1 <= size < math.inf:
        raise InputError(
            "an amount of memory must be at least one byte, got {given}", given=repr(memory)
        )
    return int(size)


def _amount(given: Any, units: Mapping[str, float], most: int = 9) -> float | None:
    """A number as it is, or what the numbers and units of a text add up to; None if neither."""
    if isinstance(given, Real) and not isinstance(given, bool):
        return float(given)
    text = given.strip().lower() if isinstance(given, str) else ""
    parts = list(_PART.finditer(text))
    sizes = [units.get(part[2], 0) for part in parts]
    falling = all(a > b for a, b in pairwise(sizes))
    # A number without a unit is clear only by itself: "1h30" is not.
    clear = len(parts) == 1 or all(part[2] for part in parts)
    whole = "".join(part[0] for part in parts) == text
    if not (1 <= len(parts) <= most and whole and clear and falling and all(sizes)):
        return None
    return float(sum(float(part[1]) * size for part, size in zip(parts, sizes, strict=True)))


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


class Progress:
    """A line with a bar, a rate and the time left, for work of more than a second.

    Parameters
    ----------
    label : str
    total : int
        Number of units of work.
    show : bool, optional
        Default: only if standard error is a terminal.
    unit : str
        What is counted.

    Examples
    --------
    >>> with Progress("testing", 3, show=False) as progress:
    ...     for _ in range(3):
    ...         progress.advance(1)
    >>> progress.finished
    3
    """

    def __init__(
        self, label: str, total: int, show: bool | None = None, *, unit: str = "records"
    ) -> None:
        self.label, self.total, self.finished = label, total, 0
        self._unit, self._remark = unit, ""
        self._show = sys.stderr.isatty() if show is None else show
        self._started = time.monotonic()
        self._lock = threading.Lock()
        self._shown: tuple[RichProgress, TaskID] | None = None

    def __enter__(self) -> Progress:
        return self

    def advance(self, records: int) -> None:
        """Report that more units are done; may be called from any thread."""
        with self._lock:
            self.finished += records
            if not self._show:
                return
            if self._shown is None and time.monotonic() - self._started > _PATIENCE:
                self._shown = self._begin()
            if self._shown is not None:
                bar, task = self._shown
                rate = self.finished / (time.monotonic() - self._started)
                said = f"{rate:,.0f} {self._unit}/s{self._remark}"
                bar.update(task, completed=self.finished, total=self.total, rate=said)

    def reach(self, records: int) -> None:
        """Report how many units are done in all."""
        self.advance(records - self.finished)

    def expect(self, total: int, remark: str = "") -> None:
        """Change the total, and add a remark to the rate."""
        with self._lock:
            self.total = total
            self._remark = f", {remark}" if remark else ""

    def _begin(self) -> tuple[RichProgress, TaskID]:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

        bar = _line(
            TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}", markup=False), TimeRemainingColumn(),
        )  # fmt: skip
        bar.start()
        return bar, bar.add_task(harmless(self.label), total=self.total, rate="")

    def __exit__(self, *_: object) -> None:
        if self._shown is not None:
            self._shown[0].stop()


def _line(*columns: Any) -> RichProgress:
    """A line on standard error that vanishes at the end."""
    return transient(*columns, console=console_on(stderr=True), refresh_per_second=4)


class Compiling:
    """Whether numba is compiling, and for how long it has been: only a first run waits for it.

    Kernels call each other, so several are compiled at once; only the outermost counts.

    Attributes
    ----------
    seconds : float
        Time spent compiling, in all threads.

    Examples
    --------
    >>> with Compiling() as compiling:
    ...     pass
    >>> compiling.now, compiling.seconds
    (False, 0.0)
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._begun: dict[int, list[float]] = {}  # start times of kernels, by thread
        self._listener: Any = None

    @property
    def now(self) -> bool:
        """Whether numba is compiling now."""
        return bool(self._begun)

    def __enter__(self) -> Compiling:
        from numba.core import event

        class Listener(event.Listener):
            def on_start(_, event: Any) -> None:  # noqa: N805  (self is the enclosing object)
                self._begun.setdefault(threading.get_ident(), []).append(time.perf_counter())

            def on_end(_, event: Any) -> None:  # noqa: N805
                here = threading.get_ident()
                begun = self._begun[here].pop()
                if not self._begun[here]:
                    del self._begun[here]
                    self.seconds += time.perf_counter() - begun

        self._listener = Listener()
        event.register("numba:compile", self._listener)  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *_: object) -> None:
        from numba.core import event

        event.unregister("numba:compile", self._listener)  # type: ignore[no-untyped-call]


class StepsShown:
    """A line that names the current step and the time left, shown from the beginning.

    Parameters
    ----------
    forecast : Forecast
        The steps, which are done in this order.
    show : bool, optional
        Default: only if standard error is a terminal.

    Examples
    --------
    >>> from unveil.engine import Step
    >>> forecast = Forecast([Step(kind=("measure",), seconds=1.0)] * 3)
    >>> with StepsShown(forecast, show=False) as steps:
    ...     for name in ("first", "second", "third"):
    ...         steps.begin(name)
    ...         steps.done()
    >>> forecast.finished
    3
    """

    def __init__(self, forecast: Forecast, show: bool | None = None) -> None:
        self._forecast, self._compiling = forecast, Compiling()
        self._show = sys.stderr.isatty() if show is None else show
        self._bar: RichProgress | None = None
        self._begun, self._compiled = time.perf_counter(), 0.0

    def __enter__(self) -> StepsShown:
        self._compiling.__enter__()
        if self._show:
            self._bar = self._on_terminal()
            self._bar.start()
        return self

    def begin(self, label: str) -> None:
        """Begin the next step, under this name."""
        self._begun, self._compiled = time.perf_counter(), self._compiling.seconds
        if self._bar is not None:
            room = max(self._bar.console.width - _REST, _SHORTEST)
            label = harmless(label)
            shown = label if len(label) <= room else f"{label[: room - 1]}…"
            self._bar.update(self._bar.task_ids[0], description=shown)

    def done(self) -> None:
        """End the current step."""
        self._forecast.done(self._running, self._compiling.seconds - self._compiled)
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], steps=self._steps())

    @property
    def _running(self) -> float:
        return time.perf_counter() - self._begun

    def _steps(self) -> str:
        return f"{self._forecast.finished}/{len(self._forecast)}"

    def says(self) -> str:
        """The time left, and whether numba is compiling."""
        left = round(self._forecast.left(self._running))
        text = f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
        return f"{text}, compiling once" if self._compiling.now else text

    def _on_terminal(self) -> RichProgress:
        from rich.progress import BarColumn, ProgressColumn, Task, TextColumn
        from rich.table import Column
        from rich.text import Text

        shown = self

        class TimeLeft(ProgressColumn):
            """Computed whenever the line is drawn, also in the middle of a step."""

            def render(self, task: Task) -> Text:
                task.completed = shown._forecast.share(shown._running)
                return Text(shown.says())

        bar = _line(
            TextColumn("{task.description}", markup=False), BarColumn(bar_width=_BAR),
            TextColumn("{task.fields[steps]}"), TimeLeft(table_column=Column(no_wrap=True)),
        )  # fmt: skip
        bar.add_task("beginning", total=1.0, steps=self._steps())
        return bar

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
        self._compiling.__exit__()
