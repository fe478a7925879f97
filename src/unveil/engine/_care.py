"""What this process writes and starts for a while goes with it, however it ends.

Everything temporary is in one folder of the process, which only its owner may enter. The folder is
locked as long as the process lives. It is removed at the end of the process; if the process is
killed, by the one beside it (`unveil.engine._caretaker`), which ends its programs as well; and if
both are killed, by the next run, which finds the folder without a lock.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import util
from pathlib import Path
from secrets import token_hex
from typing import Any

from unveil._memory import unbounded
from unveil.engine import _caretaker
from unveil.files import held, locked

_FOLDER = re.compile(r"unveil-[0-9a-f]{16}")
_LOCK = "lock"
_LAST = -100  # after all that has something in the folder
_TO_END = 10.0  # seconds


def temporary_folder() -> Path:
    """A new folder that only we may enter; it is removed with this process at the latest.

    >>> folder = temporary_folder()
    >>> oct(folder.stat().st_mode & 0o777)
    '0o700'
    >>> folder.rmdir()
    """
    return Path(tempfile.mkdtemp(dir=_care().folder))


@contextmanager
def for_a_while() -> Iterator[Path]:
    """A temporary folder that is removed at the end of the block.

    >>> with for_a_while() as folder:
    ...     _ = (folder / "table.csv").write_text("age")
    >>> folder.exists()
    False
    """
    folder = temporary_folder()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class Started:
    """A process that we have started, in a session of its own.

    An interrupt at the keyboard reaches only us; whatever ends us ends it.
    """

    process: subprocess.Popen[bytes]
    mark: str
    care: _Care = field(repr=False)

    def end_group(self) -> None:
        """End what it has left running in its group."""
        _caretaker.end_group(self.process.pid)
        self.care.tell("ended", self.process.pid)  # the number may be another's from now on

    def end_marked(self) -> None:
        """End all that has come from it, also what has left its group and its parent."""
        _caretaker.end_marked(self.mark)


def started(words: Sequence[str], **options: Any) -> Started:
    """Start a program that does not outlive this process."""
    care = _care()
    mark = f"{care.folder.name}.{next(care.numbers)};"
    marks = os.environ.get(_caretaker.MARK, "") + mark
    process = subprocess.Popen(
        words, start_new_session=True, env={**os.environ, _caretaker.MARK: marks}, **options
    )
    unbounded(process.pid)
    care.tell("started", process.pid)
    return Started(process, mark, care)


def sweep() -> None:
    """Remove what killed processes of this user have left."""
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if _FOLDER.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                with suppress(OSError):
                    _sweep(entry.path)


def _sweep(folder: str) -> None:
    if not hasattr(os, "geteuid") or os.stat(folder).st_uid != os.geteuid():
        return
    try:
        handle = os.open(os.path.join(folder, _LOCK), os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        os.rmdir(folder)  # if it is empty: its owner was killed, or makes another one
        return
    try:
        if held(handle):
            _caretaker.finish(folder, (), keep=_LOCK)
    finally:
        os.close(handle)


class _Care:
    """The folder of this process, and the process beside that cares for it."""

    def __init__(self) -> None:
        sweep()
        self.folder, self.lock = _new_folder()
        self.numbers = itertools.count(1)
        self.caretaker = _caretaker_of(self.folder)
        self.writing = threading.Lock()
        self.finish = util.Finalize(
            self, _finish, args=(self.folder, self.lock, self.caretaker), exitpriority=_LAST
        )

    def tell(self, what: str, group: int) -> None:
        """Tell the process beside of a group of processes."""
        if self.caretaker is not None and self.caretaker.stdin is not None:
            with self.writing, suppress(OSError):  # it was killed
                self.caretaker.stdin.write(f"{what} {group}\n".encode())


def _new_folder() -> tuple[Path, int]:
    """A folder of our own, locked: a sweep may take it before it is, and then there is another."""
    there = Path(tempfile.gettempdir())
    if _within is not None and _within.is_dir():
        there = _within
    while True:
        folder = there / f"unveil-{token_hex(8)}"
        with suppress(FileExistsError, FileNotFoundError):
            folder.mkdir(mode=0o700)
            handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            if locked(handle):
                return folder, handle
            os.close(handle)


def _caretaker_of(folder: Path) -> subprocess.Popen[bytes] | None:
    words = [sys.executable, "-I", "-S", _caretaker.__file__, str(folder), _LOCK]
    environment = {name: one for name, one in os.environ.items() if name != _caretaker.MARK}
    try:
        return subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            cwd=folder.parent, env=environment, start_new_session=True, bufsize=0,
        )  # fmt: skip
    except OSError:  # where Python is part of another program, the next run cleans up
        return None


def _finish(folder: Path, lock: int, caretaker: subprocess.Popen[bytes] | None) -> None:
    """At our own end there is nothing left to end; what is in the folder goes."""
    _caretaker.finish(str(folder), (), keep=_LOCK)
    os.close(lock)
    if caretaker is not None and caretaker.stdin is not None:
        with suppress(OSError):
            caretaker.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            caretaker.wait(_TO_END)


_ours: _Care | None = None
_within: Path | None = None
"""The folder of the process that we are a worker of, which has ours in it."""
_making = threading.RLock()


def _care() -> _Care:
    global _ours
    with _making:
        if _ours is not None and not _ours.folder.is_dir():  # somebody has cleaned up
            _ours.finish()
            _ours = None
        _ours = _ours or _Care()
        return _ours


def _forget() -> None:
    """In a forked process: the folder and the process beside are the other one's."""
    global _ours, _making
    left, _ours, _making = _ours, None, threading.RLock()
    if left is not None:
        left.finish.cancel()
        os.close(left.lock)
        if left.caretaker is not None:
            left.caretaker.returncode = 0  # it is not our child
            if left.caretaker.stdin is not None:
                left.caretaker.stdin.close()
                left.caretaker.stdin = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


# Workers --------------------------------------------------------------------------------------

_PR_SET_PDEATHSIG = 1
_A_LOOK = 0.5  # seconds between two looks whether it is still there
_watched: set[Owner] = set()


@dataclass(frozen=True)
class Owner:
    """A process that has workers, and when it began: numbers are given again."""

    number: int
    began: float
    folder: Path

    def is_alive(self) -> bool:
        """Whether it still runs."""
        import psutil

        try:
            process = psutil.Process(self.number)
            began, status = process.create_time(), process.status()
        except psutil.NoSuchProcess:
            return False
        except psutil.Error:  # we may not look
            return True
        return began == self.began and status != psutil.STATUS_ZOMBIE


def this_process() -> Owner:
    """This process, for its workers."""
    import psutil

    return Owner(os.getpid(), psutil.Process().create_time(), _care().folder)


@contextmanager
def dying_with(owner: Owner) -> Iterator[None]:
    """Work in a worker of another process, which must not go on when that process is gone.

    A thread looks after it. Where the system can, it ends us during the block as well: code that
    holds the interpreter's lock keeps our thread from running.
    """
    global _within
    if owner.number != os.getpid() and owner not in _watched:
        _watched.add(owner)
        _within = owner.folder
        threading.Thread(target=_end_with, args=(owner,), daemon=True).start()
    child = owner.number == os.getppid()
    if child:
        _parent_death_signal(signal.SIGKILL)
    try:
        yield
    finally:
        # The system means the thread that started us, which may end before its process does.
        if child:
            _parent_death_signal(0)


def _end_with(owner: Owner) -> None:
    while owner.is_alive():
        time.sleep(_A_LOOK)
    os.kill(os.getpid(), signal.SIGKILL)


def _parent_death_signal(number: int) -> None:
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)
