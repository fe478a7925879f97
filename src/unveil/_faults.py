"""What becomes of an exception that nobody expected: it is told, and it is never a verdict.

An exception of a library or of a bug may have cells in its words, and a traceback, too. So only its
class is told, and where in our own code it was; whoever wants more sets ``UNVEIL_TRACEBACK=1``.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unveil._text import harmless
from unveil.errors import InternalError, UnveilError

TRACEBACK = "UNVEIL_TRACEBACK"
"""The environment variable that asks for tracebacks, on standard error."""

_HERE = Path(__file__).parent
_LOST = {"BrokenProcessPool", "TerminatedWorkerError", "KilledWorker", "CancelledError"}


@contextmanager
def contained(but: tuple[type[BaseException], ...] = ()) -> Iterator[None]:
    """Turn what nobody expected into an `InternalError`: it costs what is done here, and no more.

    A plug-in or a library that ends the process (``sys.exit``) is contained as well: it might end
    it with 0. ``but`` are those that are dealt with elsewhere.

    >>> with contained():
    ...     {}["Jane"]
    Traceback (most recent call last):
    unveil.errors.InternalError: an internal error (KeyError), which is a bug of unveil and says
    nothing about a release; for the traceback, which may show people's values, run it again with
    UNVEIL_TRACEBACK=1
    """
    try:
        yield
    except UnveilError:
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, but) and not _is_ours(error):
            raise
        raise internal_error(error) from error


def internal_error(error: BaseException) -> InternalError:
    """What is told of an exception that nobody expected; the traceback is printed if asked for."""
    _print_traceback(error)
    kind, where = type(error).__name__, _place(error)
    told = {"kind": kind if kind.isidentifier() else "an error", "where": where}
    if _lacks_memory(error):
        return InternalError(
            "out of memory ({kind}{where}), which says nothing about a release; give it more "
            "memory, fewer records or fewer worker processes",
            **told,
        )
    if kind in _LOST:
        return InternalError(
            "a worker process was killed ({kind}{where}), which says nothing about a release; that "
            "happens where memory runs out: give it more memory, or fewer worker processes",
            **told,
        )
    if isinstance(error, OSError) and error.errno is not None:
        return InternalError(
            "the system refused something ({said}{where}), which says nothing about a release",
            said=os.strerror(error.errno), where=where,
        )  # fmt: skip
    return InternalError(
        "an internal error ({kind}{where}), which is a bug of unveil and says nothing about a "
        "release; for the traceback, which may show people's values, run it again with "
        "{variable}=1",
        **told, variable=TRACEBACK,
    )  # fmt: skip


def _is_ours(error: BaseException) -> bool:
    """Whether it is no matter of a file: memory, or a library's own words in an `OSError`."""
    return _lacks_memory(error) or (isinstance(error, OSError) and error.errno is None)


def _lacks_memory(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    return isinstance(error, MemoryError) or "OutOfMemory" in type(error).__name__


def _place(error: BaseException) -> str:
    """Where in our own code it happened; names of files and lines of unveil name nobody."""
    frames = traceback.extract_tb(error.__traceback__, limit=-_DEEPEST)
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(_HERE)]
    own = [frame for frame in own if Path(frame.filename) != Path(__file__)]
    if not own:
        return ""
    file = Path(own[-1].filename).relative_to(_HERE.parent).as_posix()
    return f" in {file}, line {own[-1].lineno}"


_DEEPEST = 200  # frames of an endless recursion


def _print_traceback(error: BaseException) -> None:
    if os.environ.get(TRACEBACK, "0") in ("", "0") or sys.stderr is None:
        return
    for text in traceback.format_exception(error):
        for line in text.splitlines():
            print(harmless(line), file=sys.stderr)
