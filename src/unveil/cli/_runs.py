"""Runs that survive: ``--run`` of every command that may take long, and ``unveil resume``."""

# Annotations are read by the command line: no strings.
import functools
import inspect
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from unveil._exits import Exit, ExitCode
from unveil.cli._console import say
from unveil.cli._guard import (
    files_written,
    guarded,
    in_command_line_words,
    typed_words,
)
from unveil.cli._signals import say_at_the_end
from unveil.cli._sources import OUTPUT, typed
from unveil.engine import Plan, file_fingerprints, opened_run, planned
from unveil.errors import InputError, Option

_CUT_SHORT = (ExitCode.INTERRUPTED, ExitCode.ENDED, ExitCode.HUNG_UP)
_RUN = Annotated[
    Path | None,
    typed(OUTPUT, "Keep what was found so far in this folder, so that 'unveil resume' goes on "
          "after an interruption. It has private data.", "FOLDER"),
]  # fmt: skip


def resumable(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command ``--run``."""

    @functools.wraps(command)
    def run(*args: Any, run: Path | None = None, **given: Any) -> None:
        if run is None:
            command(*args, **given)
            return
        with opened_run(run, _plan) as folder:
            for note in folder.notes:
                say(f"note: {in_command_line_words(note)}")
            how = f"nothing is lost; to go on: unveil resume {shlex.quote(str(run))}"
            say_at_the_end(how)
            try:
                command(*args, **given)
            except KeyboardInterrupt:
                say(how)
                raise
            except Exit as left:
                if left.code in _CUT_SHORT:
                    say(how)
                else:
                    folder.complete()
                raise
            folder.complete()

    signature = inspect.signature(command)
    kind = inspect.Parameter.KEYWORD_ONLY
    own = inspect.Parameter("run", kind, default=None, annotation=_RUN)
    run.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*signature.parameters.values(), own]
    )
    run.__annotations__ = {**command.__annotations__, "run": _RUN}
    return run


def _plan() -> Plan:
    """What was typed, where, and all files that it names."""
    words = typed_words()
    if words is None or "-" in words:
        raise InputError("{run} needs a table in a file: what comes from standard input cannot be "
                         "read again", run=Option("run"))  # fmt: skip
    written = {path.absolute() for path in files_written()}
    read = [path for path in _named(words) if path.absolute() not in written]
    return Plan(
        asked={"the command": shlex.join(words), "the working folder": str(Path.cwd())},
        inputs=file_fingerprints(read), command=words, folder=str(Path.cwd()),
    )  # fmt: skip


def _named(words: Sequence[str]) -> Iterator[Path]:
    """All files and folders that the words of a command name, within its options, too."""
    seen = set()
    for word in words:
        for text in (word, *_inner(word)):
            path = Path(text)
            if text and text not in (".", "..", "/") and text not in seen and path.exists():
                seen.add(text)
                yield path


def _inner(word: str) -> list[str]:
    """The parts of a word, such as the program of an oracle's command."""
    try:
        parts = shlex.split(word)
    except ValueError:
        parts = word.split()
    return [part for text in parts for one in text.split(",") for part in (text, one,
            one.partition("=")[2])]  # fmt: skip


@guarded
def resume(
    folder: Annotated[Path, Parameter(help="The folder of the run.")],
    /,
) -> None:
    """Go on with a run that was interrupted."""
    from unveil.cli import run_words

    plan = planned(folder)
    if plan.command is None:
        raise InputError(
            "{folder} is of a call in Python; make the same call again, with the same {run}",
            folder=str(folder), run="run=",
        )  # fmt: skip
    if not Path(plan.folder).is_dir():
        raise InputError("the folder {where}, in which the run began, is not there any more",
                         where=repr(plan.folder))  # fmt: skip
    os.chdir(plan.folder)
    say(f"resuming: unveil {shlex.join(plan.command)}")
    run_words(plan.command)
