"""Oracles that are commands: a program reads a file with the table and writes the release.

Programs run in process groups of their own. They are watched, and ended together with everything
that they start.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil

from unveil._unpacked import LARGEST, largest
from unveil.engine import started
from unveil.errors import File, Foreign, InputError, Message, did_you_mean
from unveil.microdata import Microdata
from unveil.sanitize.oracle._form import (
    Desks,
    Fault,
    Form,
    HiccupError,
    Limits,
    OracleError,
    Remarked,
    in_words,
    table_in,
)

_A_MOMENT = 0.02  # seconds between two looks at the clock
_BETWEEN_MEASURES = 0.05  # seconds between two measurements of memory, which take time
_TO_DIE = 5.0  # seconds within which killed processes should be gone


class Tree:
    """A process that we start, and those that it starts in turn; they end with us.

    It has a session of its own: an interrupt at the keyboard reaches only us, and we end it.
    """

    def __init__(self, words: Sequence[str], **options: Any) -> None:
        self.started = started(words, **options)
        self.process = self.started.process

    def ended(self, seconds: float) -> bool:
        """Whether the first process ends within this time."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def ending(self) -> str:
        """How the first process ended."""
        code = self.process.returncode
        if code is None or code >= 0:
            return f"it ended with code {code}"
        try:
            return f"it was ended by {signal.Signals(-code).name}"
        except ValueError:  # one that Python has no name for
            return f"it was ended by signal {-code}"

    def memory(self) -> int:
        """Bytes of memory that all of them use together."""
        total = 0
        for process in self._members():
            with suppress(psutil.Error):
                total += process.memory_info().rss
        return total

    def kill(self) -> None:
        """End all of them, and wait until they are gone."""
        if self.process.returncode is not None:
            return  # its number may belong to another process by now
        below = [member for member in self._members() if member.pid != self.process.pid]
        self.kill_group()
        for process in below:
            with suppress(psutil.Error):
                process.kill()
        with suppress(OSError):
            self.process.kill()
        self.ended(_TO_DIE)
        self.started.end_marked()
        deadline = time.monotonic() + _TO_DIE
        while any(map(_is_alive, below)) and time.monotonic() < deadline:
            time.sleep(_A_MOMENT)

    def kill_group(self) -> None:
        """End what a process that has ended left running."""
        self.started.end_group()

    def _members(self) -> list[psutil.Process]:
        try:
            first = psutil.Process(self.process.pid)
            return [first, *first.children(recursive=True)]
        except psutil.Error:
            return []


def _is_alive(process: psutil.Process) -> bool:
    try:
        # A zombie does nothing any more, and may never be collected.
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def watched(tree: Tree, arrived: Callable[[float], bool], limits: Limits, label: File) -> None:
    """Wait for something from a tree; end the tree at a limit or an interrupt.

    ``arrived(seconds)`` waits at most that long and returns whether it is there.
    """
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    look = time.monotonic()
    try:
        # In short waits even without limits: a signal right before an endless wait would go
        # unnoticed.
        while not arrived(_A_MOMENT):
            limits.refuse_late(label)
            now = time.monotonic()
            if deadline is not None and now >= deadline:
                raise HiccupError(
                    "it took longer than {seconds} s and was ended", Fault.TOO_LONG,
                    seconds=f"{limits.seconds:g}",
                )  # fmt: skip
            if limits.memory is not None and now >= look:
                used = tree.memory()
                if used > limits.memory:
                    raise HiccupError(
                        "it took {used} of memory, where it may take {limit}, and was ended",
                        Fault.TOO_MUCH, used=in_words(used), limit=in_words(limits.memory),
                    )  # fmt: skip
                look = time.monotonic() + _BETWEEN_MEASURES
    except BaseException:
        tree.kill()
        raise


_INPUT, _OUTPUT, _WITHOUT = "{input}", "{output}", "{without}"
_NOBODY = "none"  # {without} if no record is left out

_PLACES = re.compile(r"\{(input|output|without)\}")
_LIKE_A_PLACE = re.compile(r"\{([a-z]{4,9})\}", re.IGNORECASE)
_OF_A_SHELL = frozenset({"|", "||", "&", "&&", ";", "<", ">", ">>", "2>", "2>&1"})
_CLOCKS = 2.0  # seconds by which times of files may be wrong
_LAST_BYTES, _LAST_LINES = 4096, 5  # of what a program said before it failed


def has_places(text: str) -> bool:
    """Whether a text has a place for a file, or a misspelled one."""
    return _PLACES.search(text) is not None or _misspelled(text) is not None


def _misspelled(text: str) -> tuple[str, str] | None:
    """A word in braces that is similar to a place, and the hint."""
    for word in _LIKE_A_PLACE.findall(text):
        near = did_you_mean(f"{{{word.lower()}}}", (_INPUT, _OUTPUT, _WITHOUT))
        if near and not _PLACES.fullmatch(f"{{{word}}}"):
            return f"{{{word}}}", near
    return None


@dataclass(frozen=True)
class Command(Form):
    """A command line with places for files, run without a shell."""

    line: str
    limits: Limits
    format: str
    words: tuple[str, ...] = field(init=False)
    desks: Desks = field(default_factory=Desks, compare=False, repr=False)

    def __post_init__(self) -> None:
        wrong = _misspelled(self.line)
        if wrong is not None:
            raise self._refused("has {word}{near}", word=wrong[0], near=wrong[1])
        example = f"'./anonymize {_INPUT} {_OUTPUT}'"
        if _INPUT not in self.line:
            raise self._refused(
                "has no place for the table: write {place} where the program expects the name of "
                "the file, as in {example}", place=_INPUT, example=example,
            )  # fmt: skip
        try:
            words = tuple(shlex.split(self.line))
        except ValueError as error:
            raise self._refused(
                "cannot be split into words: {why}", why=Foreign(str(error))
            ) from None
        for word in words:
            if word in _OF_A_SHELL:
                raise self._refused(
                    "has '{word}', but there is no shell: write a script that does it all, and "
                    "give its name", word=word,
                )  # fmt: skip
        if _PLACES.search(words[0]):
            raise self._refused("must begin with a program, as in {example}", example=example)
        object.__setattr__(self, "words", words)

    def _refused(self, text: str, **parts: Any) -> InputError:
        return InputError(
            "the command {command} {why}", command=File(self.line), why=Message(text, **parts)
        )

    @property
    def name(self) -> str:
        return self.line

    def ending_at(self, ends: float) -> Command:
        return replace(self, limits=replace(self.limits, ends=ends))

    def ask(self, microdata: Microdata, record: int | None) -> Any:
        """Run the command and read what it has written."""
        self._check_program()
        desk = self.desks.get()
        with desk.sheet() as folder:
            if _WITHOUT in self.line:
                table = desk.file(microdata, self.format)
            else:
                written = desk.written(microdata, self.format)
                table = folder / f"table{written.suffix}"
                written.to_file(table, record)
            release = folder / f"release{table.suffix}"
            before = _state(table)
            try:
                begun = time.time()
                self._run(table, release, _NOBODY if record is None else str(record))
                answer = table_in(release)
                if release.stat().st_mtime < begun - _CLOCKS:
                    return Remarked(answer, Message(
                        "the file that {program} wrote is older than the run: it may be that of a "
                        "former run", program=self.file,
                    ))  # fmt: skip
                return answer
            finally:
                if _state(table) != before:  # the next run is not to read what is in it now
                    desk.forget(microdata)

    def _check_program(self) -> None:
        program = self.words[0]
        if shutil.which(program) is not None:
            return
        if not os.path.dirname(program):
            raise self._not_run(
                "there is no program {program} on the search path; if it is a file in this folder, "
                "write ./{bare}", program=File(program), bare=File(program, bare=True),
            )  # fmt: skip
        if Path(program).is_file():
            raise self._not_run(
                "the program {program} cannot be executed; chmod +x it", program=File(program)
            )
        raise self._not_run(
            "the program {program} is not there (in {folder})",
            program=File(program), folder=File(Path.cwd(), bare=True),
        )  # fmt: skip

    def _not_run(self, text: str, **parts: Any) -> OracleError:
        return OracleError(
            "{label} cannot be run: {why}", label=self.file, why=Message(text, **parts)
        )

    def _run(self, table: Path, release: Path, without: str) -> None:
        files = {"input": str(table), "output": str(release), "without": without}
        words = [_PLACES.sub(lambda place: files[place[1]], word) for word in self.words]
        written_by_itself = _OUTPUT in self.line
        printed = release.with_name("printed") if written_by_itself else release
        with printed.open("wb") as out, release.with_name("errors").open("wb") as errors:
            try:
                tree = Tree(words, stdin=subprocess.DEVNULL, stdout=out, stderr=errors)
            except OSError as error:
                why = Foreign(error.strerror or str(error))
                raise self._not_run("{why}", why=why) from error
            written, most = [Path(out.name), Path(errors.name), release], largest(_size(table))

            def arrived(seconds: float) -> bool:
                if sum(map(_size, written)) > most:
                    raise HiccupError(
                        "it wrote more than {limit} and was ended; set {name} if that is right",
                        Fault.TOO_MUCH, limit=in_words(most), name=LARGEST,
                    )  # fmt: skip
                return tree.ended(seconds)

            watched(tree, arrived, self.limits, self.file)
            tree.kill_group()
        if tree.process.returncode != 0:
            said = _last_words(Path(errors.name)) or _last_words(printed)
            raise HiccupError(
                "{ending} and said {said}",
                ending=tree.ending(), said=Foreign(said) if said else "nothing",
            )  # fmt: skip
        if not release.is_file() or release.stat().st_size == 0:
            where = f"no file to {_OUTPUT}" if written_by_itself else "nothing to standard output"
            raise HiccupError("it ended well but wrote {where}", Fault.NO_RELEASE, where=where)


def _size(file: Path) -> int:
    state = _state(file)
    return 0 if state is None else state[1]


def _state(file: Path) -> tuple[int, int] | None:
    """What changes when somebody writes to a file."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _last_words(file: Path) -> str:
    """The last lines of what was written, as one line."""
    if not file.is_file():
        return ""
    with file.open("rb") as stream:
        stream.seek(max(0, file.stat().st_size - _LAST_BYTES))
        lines = stream.read().decode(errors="replace").split("\n")
    return " / ".join([line.strip() for line in lines if line.strip()][-_LAST_LINES:])
