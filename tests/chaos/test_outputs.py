"""Whatever happens while files are written, each is the whole old or the whole new one.

After an error of the system, several files are all old or all new. After a kill, those that were
renamed first may be new and the others old: several renames are not one.
"""

from __future__ import annotations

import errno
import os
import random
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO

import pytest

from chaos import Faulty, begun, dies, fails_with, forked, raises
from unveil import files
from unveil.errors import InputError
from unveil.files import write_new, write_together, writer_of

NAMES = ("audit.json", "report.html", "unveil.xml")
SIZE = 300_000  # several writes, several pages


def content(version: int) -> bytes:
    """A file that is whole if it has one number throughout, and all of it."""
    return b"%09d\n" % version * (SIZE // 10)


def version_of(path: Path) -> int | None:
    """The version of a whole file; None if there is no file."""
    if not path.exists():
        return None
    found = path.read_bytes()
    version = int(found[:9])
    assert found == content(version), "torn"
    return version


def write(folder: Path, version: int, names: tuple[str, ...] = NAMES) -> None:
    write_together([(folder / name, writer_of(content(version))) for name in names])


def versions(folder: Path) -> list[int | None]:
    return [version_of(folder / name) for name in NAMES]


def is_clean_after_the_next(folder: Path) -> bool:
    """Whether the next run leaves nothing but the files."""
    write(folder, 9)
    return versions(folder) == [9] * 3 and {path.name for path in folder.iterdir()} == set(NAMES)


@pytest.fixture(params=["over old files", "new files", "some of each"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    there = {"over old files": NAMES, "new files": (), "some of each": NAMES[1:2]}[request.param]
    for name in there:
        (tmp_path / name).write_bytes(content(1))
    return tmp_path


@contextmanager
def faulty(at: int, do: Callable[[], object]) -> Iterator[Faulty]:
    system = Faulty(at, do)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "os", system)
        yield system


def calls_of(write: Callable[[], object]) -> list[str]:
    with faulty(10**9, dies) as system:
        write()
    return system.calls


def again(folder: Path, before: dict[str, bytes]) -> None:
    """Put everything back as it was."""
    for path in folder.iterdir():
        path.unlink()
    for name, old in before.items():
        (folder / name).write_bytes(old)


def state(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


FAULTS = {
    "ENOSPC": fails_with(errno.ENOSPC), "EIO": fails_with(errno.EIO),
    "EDQUOT": fails_with(errno.EDQUOT), "EACCES": fails_with(errno.EACCES),
    "memory": raises(MemoryError), "interrupt": raises(KeyboardInterrupt),
}  # fmt: skip


SOME = [pytest.param(1, marks=pytest.mark.chaos, id="every call"), pytest.param(3, id="a third")]


@pytest.mark.parametrize("every", SOME)
@pytest.mark.parametrize("fault", FAULTS)
def test_after_an_error_at_any_call_all_are_old_or_all_are_new(
    fault: str, every: int, folder: Path
) -> None:
    before, old = state(folder), versions(folder)
    calls = calls_of(partial(write, folder, 2))
    assert {"open", "fsync", "replace", "unlink"} <= set(calls)
    # Faults begin at other calls, so that together they hit every one.
    for at in [*range(list(FAULTS).index(fault) % every, len(calls), every), len(calls)]:
        again(folder, before)
        failed = False
        with faulty(at, FAULTS[fault]):
            try:
                write(folder, 2)
            except (InputError, MemoryError, KeyboardInterrupt, OSError):
                failed = True
        found = versions(folder)
        assert found in (old, [2, 2, 2]), calls[at]
        assert failed or found == [2, 2, 2]
        assert is_clean_after_the_next(folder)
    assert not failed  # at last there was no call left to fail


def test_an_error_that_stays_leaves_the_old_ones(folder: Path) -> None:
    """A disk that is full at one call is full at the next."""
    before, old = state(folder), versions(folder)
    for name in ("open", "fsync", "replace"):
        for first in range(4):
            again(folder, before)
            real, calls = getattr(os, name), [0]

            def stays(*args: object, real=real, first=first, calls=calls, **options: object):
                calls[0] += 1
                if calls[0] > first:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                return real(*args, **options)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(files.os, name, stays)
                with suppress(files.NotWrittenError):
                    write(folder, 2)
            if name != "replace":
                assert versions(folder) in (old, [2, 2, 2])
            else:  # what was renamed cannot be renamed back; each is whole
                assert all(one in (None, 1, 2) for one in versions(folder))
            assert is_clean_after_the_next(folder)


def killed_at(at: int, work: Callable[[], object]) -> bool:
    """Whether a child came to this call, where it is killed."""

    def child() -> None:
        with faulty(at, dies):
            work()

    code = forked(child)
    assert code in (0, -signal.SIGKILL)
    return code != 0


@pytest.mark.parametrize("every", SOME)
def test_after_a_kill_at_any_call_every_file_is_whole(every: int, folder: Path) -> None:
    before, old = state(folder), versions(folder)
    calls = calls_of(partial(write, folder, 2))
    for at in range(len(before) % every, len(calls), every):
        again(folder, before)
        assert killed_at(at, partial(write, folder, 2))
        found = versions(folder)
        new = found.count(2)
        assert found == [2] * new + old[new:], "renamed in their order"
        assert is_clean_after_the_next(folder)
    again(folder, before)
    assert not killed_at(len(calls), partial(write, folder, 2))


@pytest.mark.parametrize("links", [True, False], ids=["with links", "without links"])
def test_after_a_kill_at_any_call_a_key_is_whole_or_not_there(links: bool, tmp_path: Path) -> None:
    key = tmp_path / "report.key"

    def work() -> None:
        if not links:  # as on FAT
            os.link = fails_with(errno.EPERM)  # in a child
        write_new(key, b"ab" * 32, private=True)

    at = 0
    while killed_at(at, work):
        if links:
            assert not key.exists() or key.read_bytes() == b"ab" * 32
        elif key.exists():  # without a second name a kill may leave a part, which is refused
            assert key.read_bytes() == b"ab" * 32 or key.stat().st_size == 0
        for path in tmp_path.iterdir():
            path.unlink()
        at += 1
    assert at > 8
    assert key.read_bytes() == b"ab" * 32


@pytest.mark.parametrize(
    "kills", [12, pytest.param(400, marks=pytest.mark.chaos)], ids=["a few", "many"]
)
def test_kills_at_random_moments(kills: int, tmp_path: Path) -> None:
    chance, mixed, last = random.Random(21), 0, 1
    write(tmp_path, last)

    def for_ever() -> None:
        version = last
        while True:
            version += 1
            write(tmp_path, version)

    for _ in range(kills):
        child = begun(for_ever)
        time.sleep(chance.uniform(0.001, 0.06))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        found = versions(tmp_path)
        assert None not in found
        first, *_, final = found
        assert found == sorted(found, reverse=True)
        assert first - final in (0, 1)
        mixed += first != final
        last = first
        assert len(list(tmp_path.glob(".unveil-*"))) <= 2 * len(NAMES)
    assert is_clean_after_the_next(tmp_path)
    assert last > 1
    print(f"{kills} kills, {last:,} versions, {mixed} between two renames")


@pytest.mark.parametrize("first", range(3))
def test_signals_wait_until_all_are_renamed(first: int, tmp_path: Path) -> None:
    """Two signals at one rename: the files are all new, and both are handled, in order."""
    write(tmp_path, 1)
    came: list[tuple[int, list[int | None]]] = []

    def note(number: int, _: object) -> None:
        came.append((number, versions(tmp_path)))
        if number == signal.SIGUSR1:
            raise KeyboardInterrupt

    def both() -> None:
        signal.raise_signal(signal.SIGUSR1)
        signal.raise_signal(signal.SIGUSR2)

    at = [i for i, call in enumerate(calls_of(partial(write, tmp_path, 1))) if call == "replace"]
    before = {number: signal.signal(number, note) for number in (signal.SIGUSR1, signal.SIGUSR2)}
    try:
        with faulty(at[first], both), pytest.raises(KeyboardInterrupt):
            write(tmp_path, 2)
        assert {signal.getsignal(number) for number in before} == {note}
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert came == [(signal.SIGUSR1, [2, 2, 2]), (signal.SIGUSR2, [2, 2, 2])]
    assert is_clean_after_the_next(tmp_path)


def test_the_undoing_is_tried_again(tmp_path: Path) -> None:
    write(tmp_path, 1)
    calls = [0]

    def replace(old: Path, new: Path) -> None:
        calls[0] += 1
        if calls[0] in (3, 4, 6, 7):  # the last rename, and then those of old files
            raise MemoryError
        os.rename(old, new)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files.os, "replace", replace)
        with pytest.raises(MemoryError):
            write(tmp_path, 2)
    assert calls == [8]
    assert versions(tmp_path) == [1, 1, 1]
    assert is_clean_after_the_next(tmp_path)


# Full disks -------------------------------------------------------------------------------------


def test_files_that_may_not_grow_at_any_size(folder: Path) -> None:
    """The limit is the system's own, so it hits in the middle of a write."""
    before, old = state(folder), versions(folder)
    for limit in [*range(0, SIZE, SIZE // 24), SIZE - 1, SIZE]:
        again(folder, before)

        def work(limit: int = limit) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            if limit == SIZE:
                write(folder, 2)
                return
            with pytest.raises(files.NotWrittenError, match="File too large; raise the limit on"):
                write(folder, 2)

        assert forked(work) == 0
        assert versions(folder) == ([2] * 3 if limit == SIZE else old)
        assert is_clean_after_the_next(folder)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """A function that makes a disk with so many bytes."""
    made: list[Path] = []

    def mounted(size: int) -> Path:
        there = tmp_path / f"disk {len(made)}"
        there.mkdir()
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", there],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")
        made.append(there)
        return there

    yield mounted
    for there in made:
        subprocess.run(["umount", there], check=True)


def test_a_full_disk_leaves_the_old_files(disk: Callable[[int], Path]) -> None:
    """With room for a part of one file, of the second, of the third, and for all."""
    pages = SIZE // 4096 + 1
    failed = 0
    for room in range(0, 3 * pages + 60, pages // 3):
        there = disk((3 * pages + room) * 4096)
        write(there, 1)
        said = ""
        try:
            write(there, 2)
        except files.NotWrittenError as error:
            said = str(error)
        assert said == "" or said.endswith("make room there, or name a file on another disk")
        assert versions(there) == ([1, 1, 1] if said else [2, 2, 2])
        failed += said != ""
        assert {path.name for path in there.iterdir()} == set(NAMES)
    assert failed >= 8
    assert versions(there) == [2, 2, 2]


# Memory -----------------------------------------------------------------------------------------


def out_of_memory(at: int, work: Callable[[], object]) -> None:
    testing = pytest.importorskip("_testcapi", reason="this Python cannot run out of memory")
    testing.set_nomemory(at, at + 1)
    try:
        work()
    except (MemoryError, InputError):
        pass
    finally:
        testing.remove_mem_hooks()


@pytest.mark.parametrize(
    "places", [25, pytest.param(10**6, marks=pytest.mark.chaos)], ids=["some", "all"]
)
def test_after_an_allocation_that_fails_all_are_old_or_all_are_new(
    places: int, tmp_path: Path
) -> None:
    pytest.importorskip("_testcapi", reason="this Python cannot run out of memory")

    def is_written(at: int) -> bool:
        """Whether the files are written if this allocation fails."""
        write(tmp_path, 1)
        # Python itself may not survive it; the files do. It must not wait for ever.
        code = forked(lambda: out_of_memory(at, lambda: write(tmp_path, 2)))
        assert code != -signal.SIGALRM
        assert versions(tmp_path) in ([1, 1, 1], [2, 2, 2])
        return versions(tmp_path) == [2, 2, 2]

    end = 1000
    while not is_written(end):  # how many there are depends on what was done before
        end += end // 4
    tried = range(0, end, max(1, end // places))
    new = sum(is_written(at) for at in tried)
    assert new < len(tried)
    print(f"{len(tried):,} failing allocations, {new:,} after the last rename")
    assert is_clean_after_the_next(tmp_path)


def test_writers_that_fail_at_any_write(folder: Path) -> None:
    before, old = state(folder), versions(folder)
    for fault in FAULTS.values():
        for at in range(8):
            again(folder, before)

            def into(file: IO[bytes], at: int = at, fault: Callable[[], object] = fault) -> None:
                for number in range(6):
                    if number == at:
                        fault()
                    file.write(content(2)[number * SIZE // 6 : (number + 1) * SIZE // 6])

            try:
                write_together([(folder / name, into) for name in NAMES])
            except (InputError, MemoryError, KeyboardInterrupt):
                assert versions(folder) == old
            else:
                assert at >= 6
                assert versions(folder) == [2, 2, 2]
            assert is_clean_after_the_next(folder)
