"""Progress on the terminal, for anything longer than a second."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

__all__ = ["Progress"]

_PATIENCE = 1.0  # seconds before anything is shown


class Progress:
    """A line with a bar, a rate and the time left; silent where nobody is watching.

    Parameters
    ----------
    label : str
    total : int
        How many records there are to do.
    show : bool, optional
        Default: only if standard error is a terminal.
    unit : str
        What is counted, if not records.

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
        """Say that some more are done; may be called from any thread."""
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
        """Say that there is more to do than was thought, or less, and something besides."""
        with self._lock:
            self.total = total
            self._remark = f", {remark}" if remark else ""

    def _begin(self) -> tuple[RichProgress, TaskID]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        bar.start()
        return bar, bar.add_task(self.label, total=self.total, rate="")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown is not None:
            self._shown[0].stop()
