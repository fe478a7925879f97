"""Processes that run for us, with everything they start, watched and ended together."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import psutil

from unveil.sanitize.oracle._errors import Fault, HiccupError
from unveil.sanitize.oracle._limits import Limits, in_words

__all__ = ["Tree", "watched"]

_A_MOMENT = 0.02  # seconds between two looks at the clock
_BETWEEN_MEASURES = 0.05  # seconds between two looks at the memory, which cost some
_TO_DIE = 5.0  # seconds in which killed processes should be gone


class Tree:
    """A process that we start, and those that it starts in turn.

    It gets a session of its own: an interrupt at the keyboard reaches us alone, and we end it.
    """

    def __init__(self, words: Sequence[str], **options: Any) -> None:
        self.process = subprocess.Popen(words, start_new_session=True, **options)

    def ended(self, seconds: float) -> bool:
        """Whether the first process ends within this time."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def ending(self) -> str:
        """How the first process has come to its end."""
        code = self.process.returncode
        if code is None or code >= 0:
            return f"it ended with code {code}"
        try:
            return f"it was ended by {signal.Signals(-code).name}"
        except ValueError:  # one that Python has no name for
            return f"it was ended by signal {-code}"

    def memory(self) -> int:
        """Bytes in memory that all of them hold together."""
        total = 0
        for process in self._members():
            with suppress(psutil.Error):
                total += process.memory_info().rss
        return total

    def kill(self) -> None:
        """End all of them, and see them gone."""
        if self.process.returncode is not None:
            return  # its number may be somebody else's by now
        beneath = [member for member in self._members() if member.pid != self.process.pid]
        self.kill_group()
        for process in beneath:
            with suppress(psutil.Error):
                process.kill()
        with suppress(OSError):
            self.process.kill()
        self.ended(_TO_DIE)
        deadline = time.monotonic() + _TO_DIE
        while any(map(_is_alive, beneath)) and time.monotonic() < deadline:
            time.sleep(_A_MOMENT)

    def kill_group(self) -> None:
        """End what a process that has come to its end left running behind."""
        if hasattr(os, "killpg"):
            with suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def _members(self) -> list[psutil.Process]:
        try:
            first = psutil.Process(self.process.pid)
            return [first, *first.children(recursive=True)]
        except psutil.Error:
            return []


def _is_alive(process: psutil.Process) -> bool:
    try:
        # A zombie does nothing any more; whoever should look after it may never do.
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def watched(tree: Tree, arrived: Callable[[float], bool], limits: Limits) -> None:
    """Wait for something from a tree, and end the tree if it exceeds a limit or we are interrupted.

    ``arrived(seconds)`` waits so long at the most and says whether it is there.
    """
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    look = time.monotonic()
    try:
        # Even without limits not in one go: a signal that comes right before a wait that has no
        # end would be noticed only after it.
        while not arrived(_A_MOMENT):
            now = time.monotonic()
            if deadline is not None and now >= deadline:
                raise HiccupError(
                    f"it took longer than {limits.seconds:g} s and was ended", Fault.TOO_LONG
                )
            if limits.memory is not None and now >= look:
                used = tree.memory()
                if used > limits.memory:
                    raise HiccupError(
                        f"it took {in_words(used)} of memory, where it may take "
                        f"{in_words(limits.memory)}, and was ended",
                        Fault.TOO_MUCH,
                    )
                look = time.monotonic() + _BETWEEN_MEASURES
    except BaseException:
        tree.kill()
        raise
