"""What all forms of oracles share: errors, limits, and things that each thread makes for itself."""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing import util
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from unveil.engine import parse_duration, parse_memory
from unveil.errors import File, Text, UnveilError
from unveil.microdata import Microdata

T = TypeVar("T")


class Fault(StrEnum):
    """What an oracle did wrong, without naming anyone; continues "the sanitizer"."""

    FAILED = "failed"
    TOO_LONG = "took too long"
    TOO_MUCH = "took too much memory"
    NO_RELEASE = "gave an answer that is not a release of the table"


class OracleError(UnveilError):
    """A sanitizer of the user's that failed, or whose answer is not a release of the table."""

    def __init__(self, text: Text, /, fault: Fault = Fault.FAILED, **parts: Any) -> None:
        super().__init__(text, **parts)
        self.fault = fault

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.fault)


class HiccupError(OracleError):
    """A failure that may not happen again on a retry."""


class UnreadableError(HiccupError):
    """An answer that is no table."""

    def __init__(self, text: Text, /, fault: Fault = Fault.NO_RELEASE, **parts: Any) -> None:
        super().__init__(text, fault, **parts)


@dataclass(frozen=True)
class Limits:
    """Limits of one answer, in seconds and in bytes of all its processes; None: no limit."""

    seconds: float | None = None
    memory: int | None = None

    @property
    def any(self) -> bool:
        """Whether there is a limit."""
        return self.seconds is not None or self.memory is not None


def make_limits(timeout: Any, memory: Any) -> Limits:
    """Limits from numbers, or from texts with a unit.

    >>> make_limits("2 min", "1.5 GB")
    Limits(seconds=120.0, memory=1500000000)
    """
    return Limits(
        None if timeout is None else parse_duration(timeout),
        None if memory is None else parse_memory(memory),
    )


def in_words(size: float) -> str:
    """A number of bytes with a unit.

    >>> in_words(150_000_000), in_words(1_234_567_890), in_words(12)
    ('150 MB', '1.23 GB', '12 bytes')
    """
    for unit, word in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{size / unit:.3g} {word}"
    return f"{size:.0f} bytes"


class Form(ABC):
    """A way of asking for a release."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What is asked, for people."""

    @property
    def label(self) -> str:
        """The oracle's name in messages."""
        return f"Oracle({self.name})"

    @property
    def file(self) -> File:
        """The label as a part of a message."""
        return File(self.label, bare=True)

    @abstractmethod
    def ask(self, microdata: Microdata, record: int | None) -> Any:
        """What is published of the table, whole or without a record.

        Raises
        ------
        HiccupError
            If a retry may help; it says only what happened.
        OracleError
            If it cannot.
        """

    @property
    def usual_retries(self) -> int:
        """Default number of retries."""
        return 1

    def can_leave_out(self, microdata: Microdata) -> NDArray[np.intp] | None:
        """The records for which f(D without i) is available; None: all of them."""
        return None

    def missing_of(self, microdata: Microdata, records: NDArray[np.intp]) -> Text | None:
        """What is missing of the releases without some records; None: nothing."""
        return None


class Own(Generic[T]):
    """Something that every thread of every process makes for itself when it first needs it.

    It is not pickled: in another process, or in a forked one, it is made again.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._here = threading.local()

    def get(self) -> T:
        """The thing, made now if this thread has none yet."""
        thing = self.made()
        if thing is None:
            thing = self._here.thing = self._make()
            self._here.process = os.getpid()
        return thing

    def made(self) -> T | None:
        """The thing, if this thread has made it."""
        ours = getattr(self._here, "process", None) == os.getpid()
        thing: T | None = self._here.thing if ours else None
        return thing

    def drop(self) -> None:
        """Forget it; the next `get` makes a new one."""
        self._here.__dict__.clear()

    def __reduce__(self) -> tuple[Any, ...]:
        return Own, (self._make,)


def when_gone(thing: Any, do: Callable[..., Any], *args: Any) -> None:
    """Call ``do`` once a thing is collected, or at the end of the process that made it.

    Python's own finalizers do not run at the end of processes started by multiprocessing; these do.
    """
    util.Finalize(thing, do, args=args, exitpriority=10)
