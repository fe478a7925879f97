"""Progress on the terminal: of many equal units, or of steps with a forecast of the time left."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from unveil.engine._durations import Forecast

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

_PATIENCE = 1.0  # seconds before anything is shown
_BAR = 12
_REST = _BAR + 7 + 27 + 3  # bar, number of steps, time left and compiling, and gaps
_SHORTEST = 10


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

    def expect(self, total: int, remark: str = "") -> None:
        """Change the total, and add a remark to the rate."""
        with self._lock:
            self.total = total
            self._remark = f", {remark}" if remark else ""

    def _begin(self) -> tuple[RichProgress, TaskID]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        bar = RichProgress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"), TimeRemainingColumn(),
            console=Console(stderr=True), transient=True,
        )  # fmt: skip
        bar.start()
        return bar, bar.add_task(self.label, total=self.total, rate="")

    def __exit__(self, *_: object) -> None:
        if self._shown is not None:
            self._shown[0].stop()


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
        from rich.console import Console
        from rich.progress import BarColumn, ProgressColumn, Task, TextColumn
        from rich.progress import Progress as RichProgress
        from rich.table import Column
        from rich.text import Text

        shown = self

        class TimeLeft(ProgressColumn):
            """Computed whenever the line is drawn, also in the middle of a step."""

            def render(self, task: Task) -> Text:
                task.completed = shown._forecast.share(shown._running)
                return Text(shown.says())

        bar = RichProgress(
            TextColumn("{task.description}", markup=False), BarColumn(bar_width=_BAR),
            TextColumn("{task.fields[steps]}"), TimeLeft(table_column=Column(no_wrap=True)),
            console=Console(stderr=True), transient=True, refresh_per_second=4,
        )  # fmt: skip
        bar.add_task("beginning", total=1.0, steps=self._steps())
        return bar

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
        self._compiling.__exit__()
