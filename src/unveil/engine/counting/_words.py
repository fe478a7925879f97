"""Engines speak at length, each in a language of its own; this house says it in one line."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from unveil.errors import InputError, UnveilError

__all__ = ["Fault", "in_our_words", "quietly", "what_it_said"]

Fault = Callable[[], InputError | None]
"""Looks for what is wrong with a file, once an engine has refused it."""

_LONGEST = 300
_INTERRUPTED = frozenset({"Query interrupted", "INTERRUPT Error: Interrupted!"})
"""What DuckDB makes of Ctrl-C."""


@contextmanager
def quietly() -> Iterator[None]:
    """Keep warnings to ourselves: Ibis and the engines' own clients lag behind one another."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", FutureWarning)
        yield


@contextmanager
def in_our_words(engine: str, source: str, fault: Fault | None = None) -> Iterator[None]:
    """Say in one line what an engine complains of, and where in a file it is, if it is there."""
    try:
        with quietly():
            yield
    except (UnveilError, GeneratorExit):
        raise
    except Exception as error:
        if str(error).strip() in _INTERRUPTED:
            raise KeyboardInterrupt from None
        if (found := fault() if fault is not None else None) is not None:
            raise found from None
        said = what_it_said(error)
        remedy = "; give it more with memory=" if "Out of Memory" in said else ""
        raise InputError(f"{engine} cannot count {source}: {said}{remedy}") from error


def what_it_said(error: Exception) -> str:
    """The line of an error that says what is the matter.

    >>> what_it_said(ValueError("Binder Error: no column x\\n\\nLINE 1: SELECT x"))
    'Binder Error: no column x'
    >>> what_it_said(ValueError("calling o7.\\n: a.b.Oops: \\n\\tat a.b\\nCaused by: a.b.Oh: no!"))
    'no!'
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith("Caused by: ")]
    if causes:  # Java names the class of what was thrown before it says why
        said = causes[-1].removeprefix("Caused by: ").partition(": ")[2] or causes[-1]
    else:
        said = lines[0] if lines else type(error).__name__
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"
