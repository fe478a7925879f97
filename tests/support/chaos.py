"""Faults at a chosen call of the system, and processes that die there."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable
from typing import Any

_CALLS = ("open", "fsync", "replace", "link", "unlink", "fchmod", "fchown", "stat", "fstat",
          "scandir", "close", "listxattr", "strerror")  # fmt: skip


class Faulty:
    """The module ``os``, in which one call of the system does something else first."""

    def __init__(self, at: int, do: Callable[[], object]) -> None:
        self.calls: list[str] = []
        self._at, self._do = at, do

    @property
    def happened(self) -> bool:
        """Whether there were so many calls."""
        return len(self.calls) > self._at

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in _CALLS:
            return real

        def call(*args: Any, **options: Any) -> Any:
            self.calls.append(name)
            if len(self.calls) == self._at + 1:
                self._do()
            return real(*args, **options)

        return call


def fails_with(number: int) -> Callable[..., None]:
    """Raise an error of the system."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def raises(error: type[BaseException]) -> Callable[[], None]:
    """Raise any other error."""

    def fail() -> None:
        raise error

    return fail


def dies() -> None:
    """End this process as the system does when memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)


def forked(work: Callable[[], object]) -> int:
    """The exit code of a child that does some work; minus the signal that has ended it."""
    child = begun(work)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def begun(work: Callable[[], object]) -> int:
    """A child that does some work and exits with 0, or 1 after an error; a hanging one is ended."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # threads of this process, which the child has not
        child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(120)
            work()
            code = 0
        finally:
            os._exit(code)
    return child
