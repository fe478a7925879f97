"""Files that are written whole or not at all, and several together.

A file is drafted beside its place, synced to disk, and renamed. Of several files, all are drafted
and synced before the first is renamed, and if a rename fails, those before it are taken back: after
any error all of them are the old ones. Each rename is atomic; several are not, so a process that is
killed between two of them leaves some files new and some old, each of them whole.

What exists keeps its mode and, where the system permits, its owner. A symbolic link is followed.
Pipes, devices and open files (``/dev/stdout``) are written to directly. A table that was read is
never written over.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, TypeAlias

from unveil._signals import Uninterrupted
from unveil.errors import File, Foreign, InputError, Message

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

Writer: TypeAlias = Callable[[IO[bytes]], object]
"""Writes the content of one file."""
Place: TypeAlias = str | os.PathLike[str]

_DRAFT = re.compile(r"\.unveil-[0-9a-f]{16}\.part")
_OPEN_FILE = re.compile(r"/dev/(?:fd/|(?=std))(stdout|stderr|\d+)|/proc/self/fd/(\d+)")
_STREAMS = {"stdout": 1, "stderr": 2}


class NotWrittenError(InputError):
    """A file that cannot be written. What was there before is still there."""


def write_text(path: Place, text: str) -> Path:
    """Write a text as UTF-8, whole or not at all.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_text(pathlib.Path(folder, "report.txt"), "δ = 0.25").read_bytes()
    b'\\xce\\xb4 = 0.25'
    """
    write_together([(path, writer_of(text))])
    return Path(path)


def writer_of(content: str | bytes) -> Writer:
    """What writes bytes, or a text as UTF-8."""
    return lambda file: file.write(_bytes(content))


def _bytes(content: str | bytes) -> bytes:
    # Names of files need not be Unicode; what is not is written as in a Python text.
    return content.encode(errors="backslashreplace") if isinstance(content, str) else content


def write_together(files: Iterable[tuple[Place, Writer]]) -> None:
    """Write several files, each whole, and after an error none of them.

    Pipes and devices come last: what they were given cannot be taken back.

    Raises
    ------
    NotWrittenError
        If a file cannot be written; it names the file and what to do.
    """
    given = [(Path(path), into) for path, into in files]
    for path, _ in given:
        refuse_input(path)
        if sum(same_file(path, other) for other, _ in given) > 1:
            raise InputError("several results are to be written to {file}", file=File(path))
    direct = [one for one in given if is_special(one[0])]
    with ExitStack() as stack:
        drafts = [stack.enter_context(_drafted(*one)) for one in given if one not in direct]
        _put_in_place(drafts)
    for path, into in direct:
        with _told(path), _opened_directly(path) as file:
            into(file)


def write_new(path: Place, content: bytes, *, private: bool = False) -> Path:
    """Write a file unless there is one already; a private one is its owner's alone.

    Raises
    ------
    FileExistsError
        If there is a file, or a link, of this name.
    """
    place = Path(path)
    mode = 0o600 if private else 0o666
    with _told(place), _Draft(place, new=mode) as draft:
        draft.file.write(content)
        draft.sync()
        if (
            private
            and os.name == "posix"
            and stat.S_IMODE(os.fstat(draft.file.fileno()).st_mode) & 0o077
        ):
            raise NotWrittenError(
                "cannot keep {file} from others: its file system has no permissions; name a file "
                "on another disk", file=File(place),
            )  # fmt: skip
        draft.place_new(content, mode)
    return place


def is_special(path: Place) -> bool:
    """Whether this is a pipe, a device or an open file, in whose place no other file can be put.

    >>> is_special("/dev/stdout"), is_special("report.html")
    (True, False)
    """
    return _number(path) is not None or (os.path.exists(path) and not _is_ordinary(path))


def same_file(one: Place, other: Place) -> bool:
    """Whether two names stand for one file, which may not exist yet.

    >>> same_file("report.html", "./report.html"), same_file("report.html", "report.json")
    (True, False)
    """
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def _is_ordinary(path: Place) -> bool:
    return os.path.isfile(path) or os.path.isdir(path)  # a folder is refused when it is opened


def _number(path: Place) -> int | None:
    """The number of the open file that a name stands for."""
    found = _OPEN_FILE.fullmatch(os.path.abspath(path))
    if found is None or os.name != "posix":
        return None
    name = found[1] or found[2]
    return _STREAMS.get(name) or int(name)


@contextmanager
def _opened_directly(path: Path) -> Iterator[IO[bytes]]:
    number = _number(path)
    if number is not None:
        for stream in (sys.stdout, sys.stderr):  # what was printed before comes before
            stream.flush()
    with open(path if number is None else os.dup(number), "wb") as file:
        yield file


# What was read --------------------------------------------------------------------------------

_read: set[str] = set()


def note_input(path: Place) -> None:
    """Remember a table that was read, so that nothing is written over it."""
    _read.add(os.path.realpath(path))


def refuse_input(path: Place) -> None:
    """Refuse to write over a table that was read, whatever it is called here."""
    if os.path.isfile(path) and any(same_file(known, path) for known in _read):
        raise InputError("{file} was read as a table, and would be overwritten; name another file",
                         file=File(path))  # fmt: skip


# Drafts ---------------------------------------------------------------------------------------


@contextmanager
def _drafted(path: Path, into: Writer) -> Iterator[_Draft]:
    """A draft with its whole content, on disk."""
    with ExitStack() as stack:
        with _told(path):
            draft = stack.enter_context(_Draft(path))
            into(draft.file)
            draft.sync()
        yield draft


_TRIES = 20  # memory that runs out may be there a moment later


def _put_in_place(drafts: list[_Draft]) -> None:
    """Rename all drafts, or none.

    The old files have second names before the first rename. All of it is in this thread: a second
    one would go on renaming while the first, which has failed, removes the drafts.
    """
    if len(drafts) > 1:
        for draft in drafts:
            with _told(draft.path):
                draft.keep_old()
    folders = dict.fromkeys(draft.target.parent for draft in drafts)
    with Uninterrupted():
        try:
            for draft in drafts:
                with _told(draft.path):
                    os.replace(draft.draft, draft.target)
        except BaseException:
            if len(drafts) > 1:
                _take_back(drafts)
            raise
    for folder in folders:
        _sync_folder(folder)


def _take_back(drafts: list[_Draft]) -> None:
    """Put the old files back, and try again where that fails."""
    at = tries = 0
    while at < len(drafts):
        try:
            drafts[at].take_back()
        except BaseException:
            tries += 1
            if tries < _TRIES:
                continue
        at, tries = at + 1, 0  # what cannot be put back stays as it is, whole


class _Draft:
    """A file beside its place, locked as long as its writer lives."""

    def __init__(self, path: Path, *, new: int | None = None) -> None:
        self.path = path
        self.target = Path(os.path.realpath(path)) if new is None else path
        if new is None and self.target.is_symlink():
            raise _error(errno.ELOOP)
        if self.target.is_dir():
            raise _error(errno.EISDIR)
        self.old = self.target.stat() if new is None and self.target.exists() else None
        self.backup: Path | None = None
        sweep_drafts(self.target.parent)
        # Nobody may read it who may not read the file; a new one is as open as the user has it.
        mode = 0o666 if self.old is None else 0o600
        self.file, self.draft, self.inode = _new_draft(self.target.parent, new or mode)

    def __enter__(self) -> _Draft:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            for path in (self.draft, self.backup):
                if path is not None:
                    with suppress(OSError):
                        os.unlink(path)
        finally:
            with suppress(OSError):  # a full disk has been told of
                self.file.close()

    def sync(self) -> None:
        """Bring the content to disk, and the mode and owner of the old file to the draft."""
        self.file.flush()
        if self.old is not None and os.name == "posix":
            _take_over(self.target, self.old, self.file.fileno())
        os.fsync(self.file.fileno())
        if fcntl is None:  # Windows renames no open file
            self.file.close()

    def keep_old(self) -> None:
        """Give the old file a second name, if its file system has such."""
        if self.old is not None:
            name = _draft_name(self.target.parent)
            with suppress(OSError):
                os.link(self.target, name)
                self.backup = name

    def take_back(self) -> None:
        """Put the old file back in its place; or nothing, if there was none."""
        if _inode(os.stat(self.target)) != self.inode:
            return
        if self.backup is not None:
            os.replace(self.backup, self.target)
        elif self.old is None:
            os.unlink(self.target)

    def place_new(self, content: bytes, mode: int) -> None:
        """Put the draft in its place unless there is something."""
        try:
            os.link(self.draft, self.target)
        except FileExistsError:
            raise
        except OSError:  # a file system without second names
            _write_exclusively(self.target, content, mode)
        _sync_folder(self.target.parent)


def _write_exclusively(path: Path, content: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(path, flags, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(handle)
    except BaseException:
        os.unlink(path)
        raise


def _draft_name(folder: Path) -> Path:
    # Short, whatever the file is called: names have a longest length.
    return folder / f".unveil-{secrets.token_hex(8)}.part"


def _new_draft(folder: Path, mode: int) -> tuple[IO[bytes], Path, tuple[int, int]]:
    while True:
        name = _draft_name(folder)
        try:
            file = open(name, "x+b", opener=partial(os.open, mode=mode))  # noqa: SIM115
        except FileExistsError:
            continue
        try:
            if locked(file.fileno()):
                return file, name, _inode(os.fstat(file.fileno()))
        except BaseException:
            file.close()
            with suppress(OSError):
                os.unlink(name)
            raise
        file.close()


def _take_over(path: Path, old: os.stat_result, handle: int) -> None:
    """Give a draft the mode, the owner and the access lists of a file, as far as permitted."""
    mode, new = stat.S_IMODE(old.st_mode), os.fstat(handle)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.fchown(handle, old.st_uid, old.st_gid)
        except OSError:
            mode &= 0o777
            try:
                os.fchown(handle, -1, old.st_gid)
            except OSError:
                mode &= 0o707  # it is another group, which was not meant
    os.fchmod(handle, mode)
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            for name in os.listxattr(path):
                with suppress(OSError):
                    os.setxattr(handle, name, os.getxattr(path, name))


def _inode(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _sync_folder(folder: Path) -> None:
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # not everywhere is a folder opened
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno in (errno.EIO, errno.ENOSPC, errno.EDQUOT):
            raise NotWrittenError(
                "the files in {folder} are written, but may be lost if the machine stops now: "
                "{why}; copy them to another disk",
                folder=File(folder), why=os.strerror(error.errno),
            ) from error  # fmt: skip
    finally:
        os.close(handle)


# What killed processes have left --------------------------------------------------------------


def locked(handle: int) -> bool:
    """Lock a new file as long as this process lives; False if a sweep was there before."""
    try:
        return held(handle)
    except OSError:  # a file system without locks: nothing is swept there
        return True


def held(handle: int) -> bool:
    """Lock a file; False if another process has it, or has removed it."""
    if fcntl is None:
        raise _error(errno.ENOLCK)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return os.fstat(handle).st_nlink > 0


def sweep_drafts(folder: Place) -> None:
    """Remove the drafts in a folder whose writers were killed."""
    if fcntl is None:
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _DRAFT.fullmatch(entry.name):
                with suppress(OSError):
                    _sweep(entry.path)


def _sweep(draft: str) -> None:
    handle = os.open(draft, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        status = os.fstat(handle)
        ours = status.st_uid == os.geteuid() and stat.S_ISREG(status.st_mode)
        if ours and held(handle):
            os.unlink(draft)
    finally:
        os.close(handle)


# Errors ---------------------------------------------------------------------------------------

_NO_ROOM = "make room there, or name a file on another disk"
_REMEDIES = {
    errno.ENOSPC: _NO_ROOM,
    errno.EDQUOT: _NO_ROOM,
    errno.EFBIG: "raise the limit on the size of files, or name a file on another disk",
    errno.EIO: "the disk may be failing; name a file on another disk",
    errno.ENAMETOOLONG: "give the file a shorter name",
    errno.ENOENT: "make its folder first",
    errno.ENOTDIR: "what should be its folder is a file",
    errno.EISDIR: "name a file in it",
    errno.ELOOP: "the link leads back to itself; remove it",
    errno.EBUSY: "it may be mounted by itself; mount its folder, or name another file",
}
_ELSEWHERE = (
    "a file is replaced by a new one, so its folder must be writable, too; name a file in a folder "
    "where you may write"
)
_REMEDIES |= dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), _ELSEWHERE)


def _error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say which file cannot be written, why, and what to do."""
    try:
        yield
    except (BrokenPipeError, FileExistsError):  # nobody reads any more; or `write_new`
        raise
    except OSError as error:
        raise not_written(path, error) from error


def not_written(path: Place, error: OSError) -> NotWrittenError:
    """What to tell of a file that cannot be written.

    >>> print(not_written("report.html", OSError(errno.ENOSPC, "No space left on device")))
    cannot write 'report.html': No space left on device; make room there, or name a file on another
    disk
    """
    remedy = _REMEDIES.get(error.errno or 0)
    why = Foreign(error.strerror or str(error))
    return NotWrittenError(
        "cannot write {file}: {why}", file=File(path),
        why=why if remedy is None else Message("{why}; {remedy}", why=why, remedy=remedy),
    )  # fmt: skip


def told_apart(files: Sequence[Path]) -> list[str]:
    """Names of files without folders; of those with the same name, each with one that differs.

    >>> told_apart([Path("old/a.csv"), Path("new/a.csv"), Path("b.csv")])
    ['a.csv (old)', 'a.csv (new)', 'b.csv']
    >>> told_apart([Path("a.csv"), Path("/1/x/a.csv"), Path("/2/x/a.csv")])[1:]
    ['a.csv (1)', 'a.csv (2)']
    """
    whole = {file: Path(os.path.abspath(file)).parts for file in files}
    found = []
    for file in files:
        alike = [parts for one, parts in whole.items() if one.name == file.name]
        folder = ""
        for depth in range(2, len(whole[file]) + 1):
            there = {parts[-depth] if depth <= len(parts) else "" for parts in alike}
            if len(there) == len(alike):
                folder = whole[file][-depth].strip(os.sep)
                break
        found.append(f"{file.name} ({folder})" if folder and len(alike) > 1 else file.name)
    return found
