"""How a command says by its exit code what came of it."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """All exit codes; a gate in CI acts on them."""

    DONE = 0
    FAILS = 1
    """A verdict, and nothing else: a crash must not look like one."""
    WRONG_INPUT = 2
    NOT_KNOWN = 3
    """Nothing fails, but it is not known whether all passes, or something was not tested."""
    INTERNAL_ERROR = 70
    """Nothing fails, and unveil itself has: out of memory, or a bug. As in ``sysexits.h``."""
    HUNG_UP = 129
    """The terminal is gone."""
    INTERRUPTED = 130
    ENDED = 143
    """Somebody else has ended us, as CI systems do after too long a time."""


class Exit(SystemExit):
    """Leave with an exit code, after everything has been said.

    Whatever else ends the process is not ours: a plug-in that exits with 0 must not let pass.
    """

    code: ExitCode


_ALWAYS = {
    ExitCode.WRONG_INPUT: "wrong input, or something that could not be read or made",
    ExitCode.INTERNAL_ERROR: "internal error, which says nothing about a release",
    ExitCode.INTERRUPTED: "interrupted",
}


def exit_codes(done: str = "done", fails: str = "", not_known: str = "") -> str:
    """What the help of a command says of its exit codes.

    >>> exit_codes(fails="a release fails")
    'Exit codes: 0 done; 1 a release fails; 2 wrong input, or something that could not be read or
    made; 70 internal error, which says nothing about a release; 130 interrupted.'
    """
    own = {ExitCode.DONE: done, ExitCode.FAILS: fails, ExitCode.NOT_KNOWN: not_known}
    said = sorted((code, words) for code, words in {**own, **_ALWAYS}.items() if words)
    return f"Exit codes: {'; '.join(f'{code:d} {words}' for code, words in said)}."
