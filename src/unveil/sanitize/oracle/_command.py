"""Oracles that are commands: a program reads a file with the table and writes the release."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unveil.errors import InputError, did_you_mean
from unveil.microdata import Microdata
from unveil.sanitize.oracle._answers import table_in
from unveil.sanitize.oracle._errors import Fault, HiccupError, OracleError
from unveil.sanitize.oracle._form import Form
from unveil.sanitize.oracle._limits import Limits
from unveil.sanitize.oracle._own import Desks
from unveil.sanitize.oracle._processes import Tree, watched

__all__ = ["NOBODY", "Command", "has_places"]

INPUT, OUTPUT, WITHOUT = "{input}", "{output}", "{without}"
NOBODY = "none"
"""What stands for ``{without}`` if nobody is left out."""

_PLACES = re.compile(r"\{(input|output|without)\}")
_LIKE_A_PLACE = re.compile(r"\{([a-z]{4,9})\}", re.IGNORECASE)
_OF_A_SHELL = frozenset({"|", "||", "&", "&&", ";", "<", ">", ">>", "2>", "2>&1"})
_LAST_BYTES, _LAST_LINES = 4096, 5  # of what a program said before it failed


def has_places(text: str) -> bool:
    """Whether a text has a place for a file, or something that was meant for one."""
    return _PLACES.search(text) is not None or _misspelled(text) is not None


def _misspelled(text: str) -> tuple[str, str] | None:
    """A word in braces that is none of the places but near one, and the hint."""
    for word in _LIKE_A_PLACE.findall(text):
        near = did_you_mean(f"{{{word.lower()}}}", (INPUT, OUTPUT, WITHOUT))
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
            raise InputError(f"the command {self.line!r} has {wrong[0]}{wrong[1]}")
        if INPUT not in self.line:
            raise InputError(
                f"the command {self.line!r} has no place for the table: write {INPUT} where the "
                f"program expects the name of the file, as in './anonymize {INPUT} {OUTPUT}'"
            )
        try:
            words = tuple(shlex.split(self.line))
        except ValueError as error:
            raise InputError(
                f"cannot split the command {self.line!r} into words: {error}"
            ) from None
        for word in words:
            if word in _OF_A_SHELL:
                raise InputError(
                    f"the command {self.line!r} has {word!r}, but there is no shell: write a "
                    "script that does it all, and name that"
                )
        if _PLACES.search(words[0]):
            raise InputError(
                f"the command {self.line!r} has to begin with a program, as in "
                f"'./anonymize {INPUT} {OUTPUT}'"
            )
        object.__setattr__(self, "words", words)

    @property
    def name(self) -> str:
        return self.line

    def ask(self, microdata: Microdata, record: int | None) -> Any:
        """Run the command and read what it has written."""
        self._check_program()
        desk = self.desks.get()
        with desk.sheet() as folder:
            if WITHOUT in self.line:
                table = desk.file(microdata, self.format)
            else:
                written = desk.written(microdata, self.format)
                table = folder / f"table{written.suffix}"
                written.to_file(table, record)
            release = folder / f"release{table.suffix}"
            self._run(table, release, NOBODY if record is None else str(record))
            return table_in(release)

    def _check_program(self) -> None:
        program = self.words[0]
        if shutil.which(program) is not None:
            return
        if os.path.dirname(program):
            there = Path(program).is_file()
            what = "cannot be executed; chmod +x it" if there else f"is not there (in {Path.cwd()})"
            raise OracleError(f"{self.label} cannot be run: the program {program!r} {what}")
        raise OracleError(
            f"{self.label} cannot be run: there is no program {program!r} on the search path; if "
            f"it is a file in this folder, write ./{program}"
        )

    def _run(self, table: Path, release: Path, without: str) -> None:
        files = {"input": str(table), "output": str(release), "without": without}
        words = [_PLACES.sub(lambda place: files[place[1]], word) for word in self.words]
        written_by_itself = OUTPUT in self.line
        printed = release.with_name("printed") if written_by_itself else release
        with printed.open("wb") as out, release.with_name("errors").open("wb") as errors:
            try:
                tree = Tree(words, stdin=subprocess.DEVNULL, stdout=out, stderr=errors)
            except OSError as error:
                raise OracleError(
                    f"{self.label} cannot be run: {error.strerror or error}"
                ) from error
            watched(tree, tree.ended, self.limits)
            tree.kill_group()
        if tree.process.returncode != 0:
            said = _last_words(Path(errors.name)) or _last_words(printed)
            raise HiccupError(f"{tree.ending()} and said {said or 'nothing'}")
        if not release.is_file() or release.stat().st_size == 0:
            where = f"no file to {OUTPUT}" if written_by_itself else "nothing to standard output"
            raise HiccupError(f"it ended well but wrote {where}", Fault.NO_RELEASE)


def _last_words(file: Path) -> str:
    """The last lines of what was written, as one line."""
    if not file.is_file():
        return ""
    with file.open("rb") as stream:
        stream.seek(max(0, file.stat().st_size - _LAST_BYTES))
        lines = stream.read().decode(errors="replace").split("\n")
    return " / ".join([line.strip() for line in lines if line.strip()][-_LAST_LINES:])
