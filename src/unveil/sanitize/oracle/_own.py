"""What belongs to one thread of one process: folders, connections, child processes."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing import util
from pathlib import Path
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from unveil.microdata import Microdata
from unveil.sanitize.oracle._written import Written

__all__ = ["Desks", "Own", "when_gone"]

T = TypeVar("T")


class Own(Generic[T]):
    """Something that every thread of every process makes for itself when it first needs it.

    It does not travel: sent to another process, or seen from a forked one, it is made anew there.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._here = threading.local()

    def get(self) -> T:
        """The thing, made now if this thread has none yet."""
        thing = self.made()
        if thing is None:
            thing = self._here.thing = self._make()
            self._here.process = os.getpid()
        return thing

    def made(self) -> T | None:
        """The thing, if this thread has made it."""
        ours = getattr(self._here, "process", None) == os.getpid()
        thing: T | None = self._here.thing if ours else None
        return thing

    def drop(self) -> None:
        """Let go of it; whoever needs it next makes a new one."""
        self._here.__dict__.clear()

    def __reduce__(self) -> tuple[Any, ...]:
        return Own, (self._make,)


def when_gone(thing: Any, do: Callable[..., Any], *args: Any) -> None:
    """Do something once a thing is collected, or at the end of the process that made it.

    Python's own finalizers are not run at the end of processes that multiprocessing has started;
    its are.
    """
    util.Finalize(thing, do, args=args, exitpriority=10)


class Desk:
    """A folder of our own, where tables are written for others and answers are read.

    Nobody else may look into it, and it is removed in the end: it holds microdata.
    """

    def __init__(self, within: Path | None) -> None:
        self._within = within
        self._written: WeakKeyDictionary[Microdata, Written] = WeakKeyDictionary()
        self._files: WeakKeyDictionary[Microdata, _File] = WeakKeyDictionary()
        self.folder = self._new_folder()

    def _new_folder(self) -> Path:
        there = self._within is not None and self._within.is_dir()
        made = tempfile.mkdtemp(prefix="unveil-oracle-", dir=self._within if there else None)
        when_gone(self, shutil.rmtree, made, True)
        return Path(made)

    def _set_up(self) -> None:
        """If the folder that ours was in is gone, so is ours, and we need another."""
        if not self.folder.is_dir():
            self._files.clear()
            self.folder = self._new_folder()

    @contextmanager
    def sheet(self) -> Iterator[Path]:
        """A folder for one answer."""
        self._set_up()
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def written(self, microdata: Microdata, form: str) -> Written:
        """The table as bytes, made once."""
        if microdata not in self._written:
            self._written[microdata] = Written.of(microdata, form)
        return self._written[microdata]

    def file(self, microdata: Microdata, form: str) -> Path:
        """A file with the whole table, written once and kept as long as the table is."""
        if microdata not in self._files:
            written = self.written(microdata, form)
            handle, name = tempfile.mkstemp(dir=self.folder, suffix=written.suffix)
            os.close(handle)
            written.to_file(Path(name))
            self._files[microdata] = _File(Path(name))
        return self._files[microdata].path


class _File:
    """A file that goes when nobody knows it any more."""

    def __init__(self, path: Path) -> None:
        self.path = path
        when_gone(self, path.unlink, True)


class Desks(Own[Desk]):
    """A desk for each thread of each process.

    Those of other processes stand within the one of the process that their work comes from: should
    they be killed in the middle of it, their folders go with that one.
    """

    def __init__(self, within: Path | None = None) -> None:
        super().__init__(partial(Desk, within))
        self._within = within

    def __reduce__(self) -> tuple[Any, ...]:
        desk = self.made()
        return Desks, (self._within if desk is None else desk.folder,)
