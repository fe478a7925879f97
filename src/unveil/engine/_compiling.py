"""Whether numba is compiling, and for how long it has been: what only a first run waits for."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Any

__all__ = ["Compiling"]

_EVENT = "numba:compile"


class Compiling:
    """Listens to numba as long as it is entered.

    Kernels call each other, so one is compiled while another is: only the outermost counts.

    Attributes
    ----------
    seconds : float
        How long there has been compiling, in all threads.

    Examples
    --------
    >>> with Compiling() as compiling:
    ...     pass
    >>> compiling.now, compiling.seconds
    (False, 0.0)
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._begun: dict[int, list[float]] = {}  # of each thread, when each kernel was begun
        self._listener: Any = None

    @property
    def now(self) -> bool:
        """Whether there is compiling just now."""
        return bool(self._begun)

    def __enter__(self) -> Compiling:
        from numba.core import event

        class Listener(event.Listener):
            def on_start(_, event: Any) -> None:  # noqa: N805  (self is the one around it)
                self._begun.setdefault(threading.get_ident(), []).append(time.perf_counter())

            def on_end(_, event: Any) -> None:  # noqa: N805
                here = threading.get_ident()
                begun = self._begun[here].pop()
                if not self._begun[here]:
                    del self._begun[here]
                    self.seconds += time.perf_counter() - begun

        self._listener = Listener()
        event.register(_EVENT, self._listener)  # type: ignore[no-untyped-call]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        from numba.core import event

        event.unregister(_EVENT, self._listener)  # type: ignore[no-untyped-call]
