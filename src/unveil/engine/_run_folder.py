"""A folder in which long work keeps what it has found, and from which it goes on.

In it are what was asked for (``plan.json``), what was found so far (``journal``), a lock, and a
README. All of it is private data: the folder is made for its owner alone, and a folder that others
may write to is refused.

A folder goes on only with the very same work: the same command or options, the same input files by
their SHA-256, the same version of unveil and of the packages that compute. So what comes out in the
end is, byte for byte, what would have come without an interruption.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from unveil._version import __version__
from unveil.engine._fingerprints import value_fingerprint
from unveil.engine._journal import Journal, journalled
from unveil.errors import File, Foreign, InputError, Listed, Message
from unveil.files import write_new

FORM = 1
_PACKAGES = ("numba", "numpy", "pandas", "pyarrow", "scikit-learn", "scipy")
_PLAN, _JOURNAL, _LOCK, _README, _COMPLETE = (
    "plan.json", "journal", "lock", "README.txt", "complete",
)  # fmt: skip
_SAYS = """\
This folder belongs to a run of unveil, which keeps here what it has found so far.

PRIVATE: it has values of individuals, taken from the original table. Do not hand it on, and delete
it when the run is complete.

To go on after an interruption: unveil resume {folder}

plan.json   what was asked for, and fingerprints of the files that are read
journal     what was found; a damaged record is found, and computed again
complete    there once everything is done
"""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a run does; all of it has to be the same where a run goes on.

    Attributes
    ----------
    asked : mapping of str to str
        The options of a call, or the words of a command, by what they are called.
    inputs : mapping of str to str
        Fingerprints (SHA-256) of all files and tables that are read.
    command : sequence of str, optional
        What was typed, without the name of the program.
    folder : str
        Where it was typed.
    """

    asked: Mapping[str, str]
    inputs: Mapping[str, str]
    command: Sequence[str] | None = None
    folder: str = ""

    def to_json(self) -> str:
        """The plan with the versions of everything that computes, and its checksum."""
        content = {
            "form": FORM, "versions": versions(), "command": self.command, "folder": self.folder,
            "asked": dict(self.asked), "inputs": dict(self.inputs),
        }  # fmt: skip
        return json.dumps({"plan": content, "sha256": _checksum(content)}, indent=2) + "\n"


def versions() -> dict[str, str]:
    """Of unveil, Python, and the packages that compute."""
    found = {"unveil": __version__, "Python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _checksum(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def planned(folder: Path) -> Plan:
    """What the run of a folder does.

    Raises
    ------
    InputError
        If it is no such folder, or its plan was changed.
    """
    content = _plan_of(_owned(folder))
    return Plan(asked=content["asked"], inputs=content["inputs"], command=content["command"],
                folder=content["folder"])  # fmt: skip


def _plan_of(folder: Path) -> dict[str, Any]:
    path = folder / _PLAN
    try:
        both = json.loads(path.read_text("utf-8"))
        if both["sha256"] == _checksum(both["plan"]) and both["plan"]["form"] == FORM:
            return dict(both["plan"])
    except FileNotFoundError:
        raise InputError(
            "{folder} is not the folder of a run: there is no {plan} in it",
            folder=File(str(folder)), plan=_PLAN,
        ) from None  # fmt: skip
    except (ValueError, TypeError, KeyError, OSError):
        pass
    raise InputError(
        "{file} was changed, or is of another version of unveil; begin again with another folder",
        file=File(str(path)),
    )  # fmt: skip


def _owned(folder: Path) -> Path:
    """Refuse a folder, or a file in it, that somebody else could have written."""
    for path in (folder, *(folder / name for name in (_PLAN, _JOURNAL, _LOCK))):
        try:
            found = path.lstat()
        except FileNotFoundError:
            if path == folder:
                raise InputError("there is no folder {folder}", folder=File(str(folder))) from None
            continue
        whose = stat.S_ISDIR if path == folder else stat.S_ISREG
        if not whose(found.st_mode):
            raise InputError("{file} is not what a run of unveil has there: it must be an ordinary "
                             "{kind}, and no link", file=File(str(path)),
                             kind="folder" if path == folder else "file")  # fmt: skip
        if found.st_uid != os.geteuid() or found.st_mode & 0o022:
            raise InputError(
                "{file} belongs to somebody else, or others may write to it, so what it says "
                "cannot be trusted; use a folder of your own (chmod go-w)",
                file=File(str(path)),
            )
    return folder


class RunFolder:
    """An open folder of a run; `opened_run` opens one.

    Attributes
    ----------
    path : Path
    was_complete : bool
        Whether an earlier run has done everything already.
    journal : Journal
    """

    def __init__(self, path: Path, journal: Journal) -> None:
        self.path, self.journal = path, journal
        self.was_complete = (path / _COMPLETE).exists()

    def complete(self) -> None:
        """Note that everything is done."""
        self.journal.sync()
        if not (self.path / _COMPLETE).exists():
            write_new(self.path / _COMPLETE, b"", private=True)

    @property
    def notes(self) -> list[Message]:
        """What was found in the folder that its owner should know."""
        found = []
        if self.was_complete:
            found.append(Message("this run is complete; its results are written once more"))
        if self.journal.cut:
            found.append(Message(
                "the journal ended in the middle of a record: {n} bytes were cut off, and their "
                "work is done again", n=self.journal.cut,
            ))  # fmt: skip
        if self.journal.skipped:
            found.append(Message(
                "{n} bytes of the journal have changed since they were written: they are not used, "
                "and their work is done again; is the disk failing?", n=self.journal.skipped,
            ))  # fmt: skip
        return found


_RUN: ContextVar[RunFolder | None] = ContextVar("run", default=None)


def current_run() -> RunFolder | None:
    """The folder of the run that is going on; None if there is none."""
    return _RUN.get()


@contextmanager
def opened_run(path: Path, plan: Callable[[], Plan]) -> Iterator[RunFolder]:
    """Keep in a folder what the work in here finds, and use what it found earlier.

    The folder is made if it is not there; ``plan`` is then written.

    Raises
    ------
    InputError
        If the folder has a run of other work, or another process is using it.
    """
    path = path.absolute()
    _made(path)
    with _locked(path):
        wanted = plan()
        if (path / _PLAN).exists():
            _check_same(_plan_of(path), json.loads(wanted.to_json())["plan"], path)
        else:
            (path / _README).unlink(missing_ok=True)
            write_new(path / _README, _SAYS.format(folder=path).encode(), private=True)
            write_new(path / _PLAN, wanted.to_json().encode(), private=True)
        with Journal(path / _JOURNAL) as journal, journalled(journal):
            run = RunFolder(path, journal)
            token = _RUN.set(run)
            try:
                yield run
            finally:
                _RUN.reset(token)


def _made(path: Path) -> None:
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise InputError("cannot make the folder {folder}: {why}", folder=File(str(path)),
                         why=Foreign(error.strerror or str(error))) from None  # fmt: skip
    known = {_PLAN, _JOURNAL, _LOCK, _README, _COMPLETE}
    _owned(path)
    # Drafts, which a kill may have left, have a dot before their names.
    others = any(one.name not in known and one.name[0] != "." for one in path.iterdir())
    if others and not (path / _PLAN).exists():
        raise InputError(
            "{folder} has other files in it; give a new folder, or that of a run",
            folder=File(str(path)),
        )
    if path.stat().st_mode & 0o077:
        path.chmod(0o700)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """A lock that dies with this process, however it dies."""
    file = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    _LOCKS.add(file)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise InputError("another process is using the run folder {folder}; wait until it ends",
                         folder=File(str(path))) from None  # fmt: skip
    finally:
        _LOCKS.discard(file)
        os.close(file)


_LOCKS: set[int] = set()


def _let_go() -> None:
    """A child that was forked must not hold a lock longer than we live."""
    while _LOCKS:
        os.close(_LOCKS.pop())


os.register_at_fork(after_in_child=_let_go)


def _check_same(was: Mapping[str, Any], wanted: Mapping[str, Any], path: Path) -> None:
    """Refuse work that is not the one of the folder, saying what differs."""
    what = {"versions": "the version of ", "asked": "", "inputs": ""}
    differs = [
        f"{word}{name}"
        for part, word in what.items()
        for name in {**was[part], **wanted[part]}
        if was[part].get(name) != wanted[part].get(name)
    ]
    if differs:
        raise InputError(
            "the run in {folder} cannot go on, because something is not as it was: {differs}; undo "
            "the change, or begin again with another folder",
            folder=File(str(path)), differs=Listed([File(one, bare=True) for one in differs]),
        )  # fmt: skip


# Fingerprints -----------------------------------------------------------------------------------


def file_fingerprints(paths: Sequence[Path]) -> dict[str, str]:
    """The SHA-256 of files, and of all files in folders."""
    found = {}
    for path in paths:
        inside = (
            sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        )
        for one in inside:
            with one.open("rb") as stream:
                found[str(one)] = hashlib.file_digest(stream, "sha256").hexdigest()
    return found


# Calls in Python --------------------------------------------------------------------------------

_NO_MATTER = ("run", "jobs", "progress", "watch")
"""Options on which no result depends."""


@contextmanager
def run_of_call(
    path: str | os.PathLike[str], function: str, given: Mapping[str, Any]
) -> Iterator[RunFolder]:
    """The run folder of a call in Python, with these arguments."""

    def plan() -> Plan:
        options = {
            f"the option {name}": value_fingerprint(value)
            for name, value in given.items()
            if name not in _NO_MATTER
        }
        return Plan(asked={"the function": function, **options}, inputs={})

    with opened_run(Path(path), plan) as run:
        yield run
