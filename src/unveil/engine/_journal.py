"""What long work has found so far, in a file that survives a kill at any byte.

A journal is a file of records, each of them what a piece of work is called, and what came of it.
Records are only ever appended, and each has a checksum of its own. Work that is done again, after
an interruption, asks for its records first (`kept`, `checkpointed`): what is whole is used, and
everything else is computed. So a lost or damaged record costs time, never a number.

**Damage.** What a kill left half-written at the end is cut off. A record that has changed in the
middle is skipped. Both are said (`Journal.damage`).

**No code.** What a record holds is unpacked by `unpacked`, which makes arrays, plain values and
unveil's own classes, and calls nothing else, whatever the file says. What has no such form, such as
a model of another package, is not kept but computed again.

**When it is on disk.** A record is handed to the operating system when it is complete, so that the
death of the process loses nothing. It is forced to the disk (`fsync`) at most once a second, and
when the journal is closed: a power failure may cost the last second.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast

from unveil.engine._fingerprints import value_fingerprint
from unveil.errors import UnveilError

Result = TypeVar("Result")

_BEGIN = b"\x93unveil\n"  # of every record
_HEAD = struct.Struct("<8sQQ32s")  # the begin; sizes of name and content; a checksum
_BETWEEN_SYNCS = 1.0  # seconds
_PROTOCOL = 5


class Journal:
    """A file of records, opened by one process at a time.

    Parameters
    ----------
    path : Path
        Made if it is not there.

    Attributes
    ----------
    cut : int
        Bytes at the end that were half-written, and have been cut off.
    skipped : int
        Bytes in the middle that have changed since they were written, and are not used.

    Examples
    --------
    >>> import tempfile
    >>> from unveil.engine import Journal
    >>> path = Path(tempfile.mkdtemp()) / "journal"
    >>> with Journal(path) as journal:
    ...     journal.add("half of 84", b"42")
    >>> with Journal(path) as journal:
    ...     journal.of("half of 84"), journal.of("half of 86")
    ([b'42'], [])
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._places: dict[str, list[tuple[int, int]]] = {}
        self._synced = time.monotonic()
        self.cut = self.skipped = 0
        self._end = self._scanned()
        if self.cut:
            os.ftruncate(self._file, self._end)
            os.fsync(self._file)

    def _scanned(self) -> int:
        """Find all whole records; returns the end of the last one."""
        content = _whole(self._file)
        at = end = 0
        while at < len(content):
            found = _record_at(content, at)
            if found is None:
                at = content.find(_BEGIN, at + 1)
                if at < 0:
                    break
                continue
            name, begin, after = found
            self.skipped += at - end
            self._places.setdefault(name, []).append((begin, after - begin))
            at = end = after
        self.cut = len(content) - end
        return end

    def __len__(self) -> int:
        return sum(map(len, self._places.values()))

    def of(self, name: str) -> list[bytes]:
        """What was kept under a name, in the order in which it was."""
        return [os.pread(self._file, size, at) for at, size in self._places.get(name, ())]

    def last_of(self, name: str) -> bytes | None:
        """The newest of them."""
        places = self._places.get(name)
        return os.pread(self._file, places[-1][1], places[-1][0]) if places else None

    def add(self, name: str, content: bytes) -> None:
        """Append a record."""
        called = name.encode()
        head = _head(called, content)
        self._write(head + called + content)
        begin = self._end + len(head) + len(called)
        self._places.setdefault(name, []).append((begin, len(content)))
        self._end = begin + len(content)
        if time.monotonic() - self._synced >= _BETWEEN_SYNCS:
            self.sync()

    def _write(self, record: bytes) -> None:
        at, view = self._end, memoryview(record)
        while view:
            written = os.pwrite(self._file, view, at)
            at, view = at + written, view[written:]

    def sync(self) -> None:
        """Force to the disk what was written."""
        os.fsync(self._file)
        self._synced = time.monotonic()

    def close(self) -> None:
        """Force everything to the disk, and close the file."""
        if self._file >= 0:
            self.sync()
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _whole(file: int) -> bytes:
    parts, at = [], 0
    while part := os.pread(file, 2**24, at):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def _head(name: bytes, content: bytes) -> bytes:
    sizes = struct.pack("<QQ", len(name), len(content))
    return _HEAD.pack(_BEGIN, len(name), len(content), _checksum(sizes, name, content))


def _checksum(*parts: bytes | memoryview) -> bytes:
    found = hashlib.sha256()
    for part in parts:
        found.update(part)
    return found.digest()


def _record_at(content: bytes, at: int) -> tuple[str, int, int] | None:
    """The name of a record, and where its content begins and ends; None if it is not whole."""
    if len(content) - at < _HEAD.size:
        return None
    begin, name_size, size, checksum = _HEAD.unpack_from(content, at)
    inside = at + _HEAD.size
    after = inside + name_size + size
    if begin != _BEGIN or after > len(content):
        return None
    view = memoryview(content)
    sizes, name = content[at + len(_BEGIN) : at + len(_BEGIN) + 16], view[inside:][:name_size]
    if _checksum(sizes, name, view[inside + name_size : after]) != checksum:
        return None
    return str(name, "utf-8"), inside + name_size, after


# What is kept in a record ------------------------------------------------------------------------


class CannotBeKeptError(Exception):
    """A value has a part that has no form in a record."""


_PLAIN = {
    ("builtins", name): getattr(__import__("builtins"), name)
    for name in ("set", "frozenset", "slice", "complex", "range", "bytearray")
}
_OTHERS = {
    ("collections", "OrderedDict"), ("collections", "Counter"), ("collections", "defaultdict"),
    ("numpy", "ndarray"), ("numpy", "dtype"),
    ("numpy._core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "scalar"),
    ("numpy.core.multiarray", "_reconstruct"), ("numpy.core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"), ("numpy.core.numeric", "_frombuffer"),
    ("pathlib", "PosixPath"), ("pathlib", "PurePosixPath"), ("pathlib._local", "PosixPath"),
}  # fmt: skip


def _known(module: str, name: str) -> Any:
    """What a record may name: plain types, arrays, and classes of unveil."""
    if (module, name) in _PLAIN:
        return _PLAIN[module, name]
    if (module, name) in _OTHERS:
        return getattr(import_module(module), name)
    if module == "unveil" or module.startswith("unveil."):
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
        if isinstance(found, type) and found.__module__ == module and _holds_values(found):
            return found
    raise CannotBeKeptError(f"{module}.{name}")


def _holds_values(found: type) -> bool:
    """Whether it is a class of values: making one does nothing else."""
    acts = ("unveil.sanitize.oracle", "unveil.cli", "unveil.testing")
    return not found.__module__.startswith(acts) and (
        is_dataclass(found) or issubclass(found, tuple | Enum | UnveilError)
    )


class _Packer(pickle.Pickler):
    """Packs a value; what both sides have (a table, a release) is left out, by its name."""

    def __init__(self, file: io.BytesIO, shared: Mapping[str, Any]) -> None:
        super().__init__(file, _PROTOCOL)
        self._names = {id(one): name for name, one in shared.items()}

    def persistent_id(self, thing: Any) -> str | None:
        return self._names.get(id(thing))


class _Unpacker(pickle.Unpickler):
    def __init__(self, content: bytes, shared: Mapping[str, Any]) -> None:
        super().__init__(io.BytesIO(content))
        self._shared = shared

    def find_class(self, module: str, name: str) -> Any:
        return _known(module, name)

    def persistent_load(self, name: Any) -> Any:
        if name not in self._shared:
            raise CannotBeKeptError(repr(name))
        return self._shared[name]


def packed(value: Any, shared: Mapping[str, Any]) -> bytes | None:
    """A value as the content of a record; None if it has no such form.

    >>> import numpy as np
    >>> unpacked(packed({"a": np.arange(3), "b": (1.5, None)}, {}), {})
    {'a': array([0, 1, 2]), 'b': (1.5, None)}
    >>> packed(print, {}) is None
    True
    """
    file = io.BytesIO()
    try:
        _Packer(file, shared).dump(value)
        unpacked(file.getvalue(), shared)  # whoever goes on must be able to read it
    except Exception:  # the parts of a finding may be anybody's, and fail as they like
        return None
    return file.getvalue()


def unpacked(content: bytes, shared: Mapping[str, Any]) -> Any:
    """The value that was packed."""
    return _Unpacker(content, shared).load()


# What work asks for ------------------------------------------------------------------------------

_JOURNAL: ContextVar[Journal | None] = ContextVar("journal", default=None)
_WITHIN: ContextVar[tuple[str, ...]] = ContextVar("within", default=())


@contextmanager
def journalled(journal: Journal | None) -> Iterator[None]:
    """Keep what is computed in here."""
    token = _JOURNAL.set(journal)
    try:
        yield
    finally:
        _JOURNAL.reset(token)


@contextmanager
def within(*names: str) -> Iterator[None]:
    """Name what the work in here is a part of, so that no other work has its records."""
    token = _WITHIN.set((*_WITHIN.get(), *names))
    try:
        yield
    finally:
        _WITHIN.reset(token)


class Kept:
    """What a piece of work has found so far, and where it puts more.

    Without a journal there is nothing, and nothing is kept.
    """

    def __init__(self, journal: Journal | None, name: str, shared: Mapping[str, Any]) -> None:
        self._journal, self._name, self._shared = journal, name, shared

    def __bool__(self) -> bool:
        return self._journal is not None

    def all(self) -> list[Any]:
        """Everything that was found, in its order."""
        return [] if self._journal is None else self._read(self._journal.of(self._name))

    def last(self) -> Any | None:
        """The newest."""
        content = None if self._journal is None else self._journal.last_of(self._name)
        found = [] if content is None else self._read([content])
        return found[0] if found else None

    def _read(self, contents: Iterable[bytes]) -> list[Any]:
        found = []
        for content in contents:
            try:
                found.append(unpacked(content, self._shared))
            except Exception:  # a record that cannot be read is work that is not done
                continue
        return found

    def add(self, value: Any) -> None:
        """Keep more; what has no form in a record is not kept."""
        if self._journal is None:
            return
        content = packed(value, self._shared)
        if content is not None:
            self._journal.add(self._name, content)


def kept(*what: Any, shared: Sequence[Any] = ()) -> Kept:
    """What was kept of the work that ``what`` describes: tables, arrays, numbers and words.

    Parameters
    ----------
    *what
        All that the result depends on, beside what `within` names.
    shared : sequence
        Large things that results refer to, and that are there anyway: tables, releases.
    """
    journal = _JOURNAL.get()
    if journal is None:
        return Kept(None, "", {})
    return Kept(journal, "/".join([*_WITHIN.get(), _named(what)]), _by_name(shared))


def _by_name(shared: Sequence[Any]) -> dict[str, Any]:
    """Things, and the parts of them that are dataclasses (the columns of a table), by names."""
    found: dict[str, Any] = {}
    for number, one in enumerate(shared):
        found[f"{number}"] = one
        for field in fields(one) if is_dataclass(one) else ():
            part = getattr(one, field.name)
            for place, inner in enumerate(part if isinstance(part, tuple) else (part,)):
                if is_dataclass(inner):
                    found[f"{number}.{field.name}.{place}"] = inner
    return found


def _named(what: Iterable[Any]) -> str:
    """Words for what is short, and a fingerprint of all of it."""
    what = list(what)
    words = [str(one) for one in what if isinstance(one, str | int)]
    return f"{' '.join(words)[:80]} {value_fingerprint(what)[:32]}"


def checkpointed(*what: Any, compute: Callable[[], Result], shared: Sequence[Any] = ()) -> Result:
    """The result of some work: as it was kept, or else computed, and kept.

    >>> import tempfile
    >>> from unveil.engine import Journal, checkpointed, journalled
    >>> with Journal(Path(tempfile.mkdtemp()) / "journal") as journal, journalled(journal):
    ...     checkpointed("answer", compute=lambda: 42), checkpointed("answer", compute=lambda: 43)
    (42, 42)
    """
    earlier = kept(*what, shared=shared)
    found = earlier.all()
    if found:
        return cast(Result, found[-1])
    result = compute()
    earlier.add(result)
    return result
