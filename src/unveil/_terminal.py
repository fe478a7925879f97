"""What is printed: nothing that comes from outside steers the terminal or hides what stands there.

Column names, cells, file names, words of other programs and messages of libraries may hold escape
sequences, carriage returns, or marks that turn text round. Everything that the command line prints
goes through one of two places: a stream that shows such characters as escapes, and a console that
does the same and whose colours and lines of progress are its own.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from unveil._text import harmless

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.segment import Segment


class HarmlessStream:
    """A stream of text on which only line ends and tabs are more than what they look like.

    >>> import io
    >>> told = io.StringIO()
    >>> print("a\\x1b[31m\\rb", file=HarmlessStream(told), end="")
    >>> told.getvalue()
    'a\\\\x1b[31m\\\\rb'
    """

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text, with escapes in place of what is not printable."""
        self.stream.write(harmless_lines(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def harmless_lines(text: str) -> str:
    """A text of several lines, each of them harmless.

    >>> harmless_lines("a\\tb\\nc\\x9b2J")
    'a\\tb\\nc\\\\x9b2J'
    """
    if text.isprintable():
        return text
    return "".join(c if c in "\n\t" else harmless(c) for c in text)


@contextmanager
def harmless_output() -> Iterator[None]:
    """Make standard output and standard error harmless, whoever writes there."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (HarmlessStream(stream) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def console_on(*, stderr: bool, **options: Any) -> Console:
    """A console of rich on a standard stream: its own control codes pass, those in texts do not."""
    from rich.console import Console
    from rich.segment import Segment

    class Ours(Console):
        @property
        def file(self) -> IO[str]:
            # Looked up each time, as rich does; what is written here is harmless already.
            stream = self._file or (sys.stderr if stderr else sys.stdout)
            return stream.stream if isinstance(stream, HarmlessStream) else stream

        @file.setter
        def file(self, new: IO[str]) -> None:
            self._file = new

        def _render_buffer(self, buffer: Iterable[Segment]) -> str:
            shown = (
                one if one.control else Segment(harmless_lines(one.text), one.style)
                for one in buffer
            )
            return super()._render_buffer(shown)

        def on_broken_pipe(self) -> None:
            # rich would end with exit code 1, which means something here
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    return Ours(stderr=stderr, highlight=False, markup=False, emoji=False, **options)


def transient(*columns: Any, console: Console, **options: Any) -> Progress:
    """A line of progress that vanishes at the end.

    What others print meanwhile is not drawn by it: rich would take escape sequences for styles.
    """
    from rich.progress import Progress

    return Progress(
        *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False,
        **options,
    )  # fmt: skip
