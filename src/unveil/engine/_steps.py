"""Progress of steps of different kinds on the terminal: what is being done, and the time left."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from unveil.engine._compiling import Compiling
from unveil.engine._forecast import Forecast

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

__all__ = ["StepsShown"]

_BAR = 12
_REST = _BAR + 7 + 27 + 3  # the bar, how many steps, the time left and compiling, and gaps
_SHORTEST = 10


class StepsShown:
    """A line that is there from the beginning; silent where nobody is watching.

    Parameters
    ----------
    forecast : Forecast
        Of the steps, which are done in its order.
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
        """The next step, and what it is called."""
        self._begun, self._compiled = time.perf_counter(), self._compiling.seconds
        if self._bar is not None:
            room = max(self._bar.console.width - _REST, _SHORTEST)
            shown = label if len(label) <= room else f"{label[: room - 1]}…"
            self._bar.update(self._bar.task_ids[0], description=shown)

    def done(self) -> None:
        """It is done."""
        self._forecast.done(self._running, self._compiling.seconds - self._compiled)
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], steps=self._steps())

    @property
    def _running(self) -> float:
        return time.perf_counter() - self._begun

    def _steps(self) -> str:
        return f"{self._forecast.finished}/{len(self._forecast)}"

    def says(self) -> str:
        """The time left, as people say it, and whether numba is compiling."""
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
            """Asked for anew whenever the line is drawn, also in the middle of a step."""

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        self._compiling.__exit__(kind, error, trace)
