"""What becomes of errors: the message alone and exit code 2; of Ctrl-C: a word and 130.

Anything else is a bug and ends in a plain traceback.
"""

from __future__ import annotations

import ast
import functools
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, ParamSpec

from unveil.cli._console import say
from unveil.errors import Text, UnveilError, View, shown

__all__ = [
    "BAD_INPUT",
    "ENDED",
    "INTERRUPTED",
    "Exit",
    "end_politely",
    "files_read",
    "guarded",
    "if_anybody_reads",
    "in_command_line_words",
    "note_command",
    "typed_command",
]

BAD_INPUT = 2
INTERRUPTED = 130
ENDED = 143
"""The exit code if somebody else has ended us, as CI systems do after too long a time."""

_ended = False


class Exit(SystemExit):
    """Leave with an exit code, after everything has been said."""


P = ParamSpec("P")


def _flag(found: re.Match[str]) -> str:
    return f"--may-{found[1].replace('_', '-')}"


_QUOTED = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_PAIR = re.compile(f"({_QUOTED}): ({_QUOTED}|…)")


def _recode(found: re.Match[str]) -> str:
    pairs = [
        f"{ast.literal_eval(a)}->{b if b == '…' else ast.literal_eval(b)}"
        for a, b in _PAIR.findall(found[2])
    ]
    more = "|…" if found[2].endswith(", …") else ""
    return f"--recode '{ast.literal_eval(found[1])}={'|'.join(pairs)}{more}'"


# The library's messages name its parameters; here they are options.
_AS_TYPED = tuple(
    (re.compile(pattern), typed)
    for pattern, typed in (
        # There is no option for the encoding of hierarchies.
        (r'say which encoding it is in, for instance encoding="latin-1"', "save it as UTF-8"),
        (r'\b(missing|encoding|strategy)="([^"]+)"', r"--\1 \2"),
        (r"\bfinding\.failures$", "the JSON that --json OUT --records writes"),
        (
            r"\bsay may_change=True",
            "say --may-change-sensitive, which unveil audit, inference and linkage have; all "
            "others take values for true",
        ),
        (r'\bnotation=\{"([^"]*)": "([^"]*)"\}', r"--notation '\1=\2'"),
        (r'\btargets="available"', "--targets available"),
        (
            r"\bgive them names, such as \{'first': …, 'second': …\}",
            "give them names in a project file",
        ),
        (r"^(samples|error) must be\b", r"--\1 must be"),
        (r"\bsamples=([\d,_]+)", r"--samples \1"),
        (
            r"\bput numbers into a few parts with unveil\.quantize",
            "put numbers into a few parts with --cuts or --parts",
        ),
        (r"\bmay_(drop|change_sensitive)=True", _flag),
        (r'\bcategorical=\["([^"]*)"\]', r"--categorical '\1'"),
        (r'\bmissing_values=\{"[^"]*": \["(.*)"\]\}', r"--missing-value '\1'"),
        (r"; to read only some of them, map positions to names: .*", ""),
        (r"\bcolumns has (?=\d)", "--columns has "),
        (r"\bgive delimiter=$", "give --delimiter"),
        (r"\bquasi=\[\.\.\.\] is empty", "--quasi is empty"),
        (r"\bat_most\b=?", "--at-most"),
        (r"^(delta|rounds|strategy) must be\b", r"--\1 must be"),
        (r"\(budget=\)", "(--budget)"),
        (r'\bdistance="(\w+)"', r"--distance \1"),
        (r'\bhierarchies=\{"[^"]*": …\} or distance=Hierarchy\(…\)', "--hierarchies FOLDER"),
        (r'\bordinal=\{"([^"]*)": \[…\]\}', r"--ordinal '\1=…|…'"),
        (r"\bHierarchyLevel\(level=…, hierarchy=…\)", "--hierarchies FOLDER"),
        (r"\bgive population or population_size\b", "give --population or --population-size"),
        (r"\bengine='(\w+)'", r"--engine \1"),
        (r"\bpopulation_size=", "--population-size"),
        (r"\b(memory|wildcard|partition|population|sensitive|columns)=(?=[ ,;]|$)", r"--\1"),
        (r'\bdomains=\{"([^"]*)": range\(([^,]*), [^)]*\)\}', r"--values '\1=\2-…'"),
        (r'\bdomains=\{"([^"]*)": [^}]*\}', r"--values '\1=…|…'"),
        (r"\bdomains\['([^']*)'\]", r"--values '\1=…'"),
        (r"\bdomains names ", "--values names "),
        (r'\bhierarchies=\{"[^"]*": "[^"]*"\}', "--hierarchies FOLDER"),
        (r'\bnumeric=\["([^"]*)"\]', r"--numeric '\1'"),
        (r"\bgive the microdata\b", "give FILE"),
        (r"\bread it with read_anatomy\(…, microdata=…\)", "give the table that it is of"),
        (r"\bgeneralized cells are read with read_release\b", "generalized cells: --release"),
        (r"; if it has another name, say (group|count)='…'", r"; if it has another name: --\1"),
        (rf"\bmapping=\{{({_QUOTED}): \{{((?:{_QUOTED}|[^}}'\"])*)\}}\}}", _recode),
        (r"\bmapping\['([^']*)'\] makes ", r"--recode of \1 makes "),
        (r"\bread it with hierarchies=(?=;)", "give --hierarchies FOLDER"),
        (r"\bgive key_hierarchies=$", "give --hierarchies FOLDER"),
        (r"; people also have numbers, from 0 up", ""),
        (r"\bsay count='([^']*)'", r"say --count \1"),
        (
            r"\bdifferential_inference and membership test such releases",
            "unveil differential-inference and unveil membership test such releases",
        ),
        (
            r"; differential_inference and membership do not mind$",
            "; unveil differential-inference and unveil membership do not mind",
        ),
        (r"^targets=(?=\d)", "--targets "),
        (r"; or an unveil\.adversary\.Adversary of your own", ""),
        (r"; or a function of two tables of beliefs", ""),
    )
)


def in_command_line_words(message: Text | UnveilError) -> str:
    """A message of the library with its parameters spelled as they are typed in a shell.

    >>> in_command_line_words('say what is to be done: missing="drop" leaves them out')
    'say what is to be done: --missing drop leaves them out'
    """
    message = shown(message, View("shell"))
    for pattern, typed in _AS_TYPED:
        message = pattern.sub(typed, message)
    return message


_TYPED: ContextVar[dict[str, Any]] = ContextVar("typed")
# Options that name files to be written; a key is read or written.
_WRITTEN = ("json", "plot", "out", "csv", "traces", "report", "junit")
_LINE: ContextVar[Sequence[str] | None] = ContextVar("line", default=None)


def note_command(words: Sequence[str]) -> None:
    """Remember what was typed."""
    _LINE.set(tuple(words))


def typed_command() -> str | None:
    """The command as it was typed; None if it was not."""
    words = _LINE.get()
    return None if words is None else shlex.join(["unveil", *words])


def files_read() -> Iterator[Path]:
    """All files that the running command was given to read, and those in folders it was given."""
    for name, given in _flat(_TYPED.get({})):
        for one in [] if name in _WRITTEN else given if isinstance(given, list) else [given]:
            if isinstance(one, Path):
                # A name may stand before a release.
                for path in (one, Path(str(one).partition("=")[2])):
                    yield from path.iterdir() if path.is_dir() and str(path) != "." else [path]


def _flat(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Options, with those of groups among them."""
    for name, one in given.items():
        if is_dataclass(one):
            yield from vars(one).items()
        else:
            yield name, one


@contextmanager
def if_anybody_reads() -> Iterator[None]:
    """Print as long as somebody reads it.

    What comes after is done all the same: a gate whose output goes through ``head`` has to fail.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _tell_nobody()


def _tell_nobody() -> None:
    """Whoever read our output has stopped reading; what follows goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def end_politely(*_: object) -> None:
    """What is done at SIGTERM: as with Ctrl-C, what was found until then is kept; once."""
    global _ended
    if _ended:
        sys.exit(ENDED)
    _ended = True
    raise KeyboardInterrupt


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Turn errors a user can do something about into a message and an exit code."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        _TYPED.set({**kwargs, **{str(place): one for place, one in enumerate(args)}})
        try:
            command(*args, **kwargs)
        except UnveilError as error:
            say(f"error: {in_command_line_words(error)}")
            raise Exit(BAD_INPUT) from None
        except BrokenPipeError:
            _tell_nobody()
            raise Exit(0) from None
        except OSError as error:
            where = f"{str(error.filename)!r}: " if error.filename else ""
            say(f"error: {where}{error.strerror or error}")
            raise Exit(BAD_INPUT) from None
        except KeyboardInterrupt:
            say("interrupted")
            raise Exit(_code(INTERRUPTED)) from None
        except Exit as left:
            raise Exit(_code(int(left.code or 0))) from None

    return run


def _code(code: int) -> int:
    return ENDED if _ended and code == INTERRUPTED else code
