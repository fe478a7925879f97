"""How numeric kernels are compiled: once, and kept on disk where that is possible.

Where it is not (a read-only installation without a home, a full disk, a damaged file), code is
compiled in memory, and a word on standard error says so: it is slower, not wrong.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numba
from numba.core.caching import FunctionCache

_njit: Any = numba.njit  # typed more narrowly than it is
_Base: Any = FunctionCache
_WHY = "each run compiles for about half a minute; NUMBA_CACHE_DIR names a folder to keep it in"
_told = False


def compiled(**options: Any) -> Callable[[Any], Any]:
    """A decorator that has numba compile a function, when it is first called.

    >>> @compiled()
    ... def twice(x):
    ...     return 2 * x
    >>> twice(21)
    42
    """

    def compile_later(function: Any) -> Any:
        made = _njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True, **options)(function)
        try:
            made._cache = _Kept(function)
        except (RuntimeError, OSError) as error:  # numba has found no folder
            _tell(error)
        return made

    return compile_later


inner = compiled(no_cpython_wrapper=True)
"""The same for functions that only other kernels call."""


class _Kept(_Base):  # type: ignore[misc]
    """numba's cache on disk, which may fail in any way, and is then done without."""

    @contextmanager
    def _guard_against_spurious_io_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:  # no room, or no permission
            self._enabled = False
            _tell(error)
        except Exception:  # a file that was cut off: compiled again, and written anew
            with suppress(OSError):
                _Base.flush(self)


def _tell(error: Exception) -> None:
    """Say it once, and not in every worker process."""
    global _told
    if _told or multiprocessing.current_process().name != "MainProcess":
        return
    _told = True
    if sys.stderr is not None:
        why = getattr(error, "strerror", None) or "no folder can be written"
        print(f"note: compiled code is not kept on disk ({why}): {_WHY}", file=sys.stderr)
