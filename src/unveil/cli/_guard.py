"""What becomes of errors: the message alone and exit code 2; of Ctrl-C: a word and 130.

Anything else is a bug, or too little memory: a message without anybody's values, and 70.
"""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, ParamSpec

from unveil._exits import Exit, ExitCode
from unveil._faults import contained
from unveil.cli._console import say
from unveil.cli._signals import interrupted_code
from unveil.cli._streams import flushed, lost
from unveil.engine import sweep
from unveil.errors import InternalError, Text, UnveilError, View, shown

P = ParamSpec("P")


def in_command_line_words(message: Text | UnveilError) -> str:
    """A message with its options as they are typed in a shell.

    >>> from unveil.errors import InputError, Option
    >>> in_command_line_words(InputError("give {budget}", budget=Option("budget", "5 min")))
    "give --budget '5 min'"
    """
    return shown(message, View("shell"))


_TYPED: ContextVar[dict[str, Any]] = ContextVar("typed")
# Options that name files to be written; a key is read or written.
_WRITTEN = ("json", "plot", "out", "csv", "traces", "report", "junit", "timings", "run")
_LINE: ContextVar[Sequence[str] | None] = ContextVar("line", default=None)


def note_command(words: Sequence[str]) -> None:
    """Remember what was typed."""
    _LINE.set(tuple(words))


def typed_command() -> str | None:
    """The command as it was typed; None if it was not."""
    words = _LINE.get()
    return None if words is None else shlex.join(["unveil", *words])


def typed_words() -> Sequence[str] | None:
    """The words of it, without the name of the program."""
    return _LINE.get()


def files_read() -> Iterator[Path]:
    """All files that the running command was given to read, and those in folders it was given."""
    for name, given in _flat(_TYPED.get({})):
        for one in [] if name in _WRITTEN else given if isinstance(given, list) else [given]:
            if isinstance(one, Path):
                # A name may stand before a release.
                for path in (one, Path(str(one).partition("=")[2])):
                    yield from path.iterdir() if path.is_dir() and str(path) != "." else [path]


def files_written() -> Iterator[Path]:
    """All files that the running command was given to write, and a key, which may be there."""
    for name, one in _flat(_TYPED.get({})):
        if name in (*_WRITTEN, "key") and isinstance(one, Path):
            yield one
            yield one.with_suffix(".key")


def _flat(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Options, with those of groups among them."""
    for name, one in given.items():
        if is_dataclass(one):
            yield from vars(one).items()
        else:
            yield name, one


@contextmanager
def if_anybody_reads() -> Iterator[None]:
    """Print as long as somebody reads it, and there is room.

    What comes after is done all the same: a gate whose output goes through ``head`` has to fail.
    """
    try:
        yield
    except OSError as error:
        lost(error)
    flushed()


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Turn errors a user can do something about into a message and an exit code."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        _TYPED.set({**kwargs, **{str(place): one for place, one in enumerate(args)}})
        sweep()  # what a run before this one has left, if it was killed
        try:
            with contained(but=(OSError, Exit)):
                command(*args, **kwargs)
        except UnveilError as error:
            say(f"error: {in_command_line_words(error)}")
            internal = isinstance(error, InternalError)
            raise Exit(ExitCode.INTERNAL_ERROR if internal else ExitCode.WRONG_INPUT) from None
        except BrokenPipeError:
            flushed()
            raise Exit(ExitCode.DONE) from None
        except OSError as error:
            where = f"{str(error.filename)!r}: " if error.filename else ""
            say(f"error: {where}{error.strerror}")
            raise Exit(ExitCode.WRONG_INPUT) from None
        except KeyboardInterrupt:
            say("interrupted")
            raise Exit(interrupted_code()) from None
        except Exit as left:
            by_whom = left.code == ExitCode.INTERRUPTED
            raise Exit(interrupted_code() if by_whom else left.code) from None

    return run
