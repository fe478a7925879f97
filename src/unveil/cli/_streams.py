"""Standard streams as they may be: closed, full, or unable to show ℓ."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

_closed = _lost = False


def have_streams() -> None:
    """Open what was closed before we began (``>&-``), into nowhere.

    Otherwise the next file opened would be standard output, and programs that we run would write
    into it.
    """
    global _closed, _lost
    _lost = False
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            _closed |= number == 1
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
        if getattr(sys, name) is None:
            mode = "r" if number == 0 else "w"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show ℓ or █ gets question marks, not a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def stdout_is_closed() -> bool:
    """Whether there was no standard output: words may be lost there, but no results."""
    return _closed


def flushed() -> bool:
    """Whether all that was printed has arrived, as far as anybody reads it.

    Python would exit with 120 if it had not, whatever the verdict.
    """
    try:
        sys.stdout.flush()
    except OSError as error:
        lost(error)
    try:
        sys.stderr.flush()
    except OSError:
        _to_nowhere(sys.stderr)
    return not _lost


def lost(error: OSError) -> None:
    """Let what follows go nowhere; it is a fault, unless whoever read it has stopped reading."""
    global _lost
    _to_nowhere(sys.stdout)
    if not isinstance(error, BrokenPipeError) and not _lost:
        _lost = True
        with suppress(OSError):
            print(f"error: cannot write to standard output: {error.strerror}", file=sys.stderr)


def _to_nowhere(stream: object) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())  # type: ignore[attr-defined]
    os.close(nowhere)
