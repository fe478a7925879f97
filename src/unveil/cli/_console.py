"""Where human words go, and how plain they have to be."""

from __future__ import annotations

import os
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from unveil._terminal import console_on, transient
from unveil._text import harmless

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

_WIDTH = 100  # of lines that nobody's terminal limits; wider prose is hard to read anyway
_PATIENCE = 2.0  # seconds; with a warm cache the kernels are there in less than one
_COMPILING = "compiling the numeric kernels; first run only, takes about half a minute"


def console(*, stderr: bool = False) -> Console:
    """A console that knows whether anybody is watching.

    Colours only on a terminal and where NO_COLOR does not forbid them; 100 columns at most.
    """
    shown = console_on(stderr=stderr)
    plain = bool(os.environ.get("NO_COLOR")) or not shown.is_terminal
    return console_on(
        stderr=stderr,
        color_system=None if plain else "auto",
        width=min(shown.width, _WIDTH) if shown.is_terminal else _WIDTH,
    )


def folded(text: str, width: int) -> str:
    """Long lines folded at words, each as far in as it begins.

    >>> print(folded("  a line of words", 12))
      a line of
      words
    """
    lines = []
    for line in text.splitlines():
        inset = line[: len(line) - len(line.lstrip())]
        lines += textwrap.wrap(line, width, subsequent_indent=inset, break_on_hyphens=False) or [""]
    return "\n".join(lines)


def say(text: str) -> None:
    """One line on standard error, neither wrapped nor coloured: it may end up in a log.

    Where that is full, work goes on: the exit code says what matters.
    """
    with suppress(OSError):
        print(harmless(text), file=sys.stderr, flush=True)


def tell(out: Console, text: str) -> None:
    """One line that is not folded, such as one with the name of a file."""
    out.print(harmless(text), soft_wrap=True)


@contextmanager
def working(on: str) -> Iterator[None]:
    """Show on a terminal what is going on and for how long, where nobody can say how far it is."""
    out = console(stderr=True)
    if not out.is_terminal:
        yield
        return
    with _busy(on, out):
        yield


def _busy(on: str, out: Console) -> Progress:
    """A line that turns, with the time that has passed; not yet shown."""
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    line = transient(
        SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn(),
        console=out,
    )  # fmt: skip
    line.add_task(harmless(on), total=None)
    return line


@contextmanager
def slow_start() -> Iterator[None]:
    """Say that kernels are being compiled, if they still are after a moment."""
    from unveil.engine import Compiling

    # The timer may go off at the very moment the work ends: whoever comes first, wins.
    lock, over, status = threading.Lock(), False, None
    compiling = Compiling()

    def show() -> None:
        nonlocal status
        with lock:
            if not over and compiling.now:
                status = _announce()

    timer = threading.Timer(_PATIENCE, show)
    timer.daemon = True
    timer.start()
    try:
        with compiling:
            yield
    finally:
        timer.cancel()
        with lock:
            over = True
            if status is not None:
                status.stop()


def _announce() -> Progress | None:
    out = console(stderr=True)
    if not out.is_terminal:
        say(f"{_COMPILING} …")
        return None
    line = _busy(_COMPILING, out)
    line.start()
    return line
