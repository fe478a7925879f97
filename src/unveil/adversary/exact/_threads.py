"""Keeps numerical libraries from sharing out work that is too small for it.

Threads that wait for each other at every small step make a thousand small decompositions take more
than ten times as long on a busy machine.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from threading import Lock
from typing import Any

__all__ = ["one_thread"]


@cache
def _libraries() -> Any:
    # It comes with scikit-learn, and without scikit-learn there is nothing to train.
    return import_module("threadpoolctl").ThreadpoolController()


class _OneThread:
    """The number of threads belongs to the process: the first to come in sets it, the last resets.

    So several threads may be inside, and come and go in any order.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._limit = _libraries().limit(limits=1)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limit.restore_original_limits()


one_thread = _OneThread()
