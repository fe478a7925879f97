"""Where models are trained: warnings are noted instead of shown thousands of times, and every
training has one thread.

Trainings are many and small, and there are workers around them: threads within one of them would
wait for one another longer than they work. And sums do not depend on the machine's cores then.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from unveil.adversary.exact import one_thread

__all__ = ["Heard"]

# Python's filters and the libraries' threads belong to the whole process, and several threads may
# train at the same time: the first puts everything in place, the last puts it back as it was.
_lock = threading.Lock()
_here = threading.local()
_in_place = ExitStack()
_listeners = 0


class Heard:
    """What was warned of.

    >>> heard = Heard()
    >>> with heard.listening():
    ...     warnings.warn("it did not converge")
    >>> heard.notes("a tree")
    ('training a tree warned: UserWarning: it did not converge',)
    """

    def __init__(self) -> None:
        self._said: dict[str, None] = {}  # each once, in the order of the first time

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Note what this thread is warned of; keep numerical libraries to one thread."""
        outer = getattr(_here, "heard", None)
        _begin()
        _here.heard = self
        try:
            yield
        finally:
            _here.heard = outer
            _end()

    def add(self, category: type[Exception], message: str) -> None:
        """Note a warning by its first sentence or line: what follows are often numbers."""
        first = message.strip().partition("\n")[0].partition(". ")[0].rstrip(".:")
        with _lock:
            self._said[f"{category.__name__}: {first}"] = None

    def notes(self, what: str) -> tuple[str, ...]:
        """A sentence for each kind of warning."""
        return tuple(f"training {what} warned: {said}" for said in self._said)


def _begin() -> None:
    global _listeners
    with _lock:
        _listeners += 1
        if _listeners > 1:
            return
        _in_place.enter_context(one_thread)
        _in_place.enter_context(warnings.catch_warnings())
        others = warnings.showwarning

        def show(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
            heard: Heard | None = getattr(_here, "heard", None)
            if heard is None:
                others(message, category, *where, **more)
            else:
                heard.add(category, str(message))

        warnings.simplefilter("always")
        warnings.showwarning = show


def _end() -> None:
    global _listeners
    with _lock:
        _listeners -= 1
        if _listeners == 0:
            _in_place.close()
