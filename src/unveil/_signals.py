"""Signals that wait until something is whole."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from types import FrameType


class Uninterrupted:
    """Within it signals wait (Ctrl-C): none comes between two renames, or into their undoing."""

    def __init__(self) -> None:
        self._waiting = True
        self._waited: list[int] = []
        self._before: dict[int, Callable[[int, FrameType | None], object]] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return  # signals are handled in the main one
        try:
            for number in signal.valid_signals():
                handler = signal.getsignal(number)
                if callable(handler):
                    self._before[number] = handler
                    with suppress(ValueError):  # an interpreter in another, which gets none
                        signal.signal(number, self._handle)
        except BaseException:
            self._end()
            raise

    def __exit__(self, *_: object) -> None:
        self._end()
        with ExitStack() as each:  # all are handled, also where one of them raises
            for number in reversed(self._waited):  # an ExitStack begins with the last
                each.callback(self._before[number], number, None)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._waiting:
            self._waited.append(number)
        else:  # not put back yet
            self._before[number](number, frame)

    def _end(self) -> None:
        self._waiting = False
        for number, handler in self._before.items():
            with suppress(ValueError):
                signal.signal(number, handler)
