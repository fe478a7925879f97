"""Files are written whole or not at all, and keep what they were."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

import unveil as uv
from unveil import files
from unveil.auditing import key_from, write_key
from unveil.cli._outputs import check_output
from unveil.errors import InputError
from unveil.files import NotWrittenError, write_new, write_text, write_together, writer_of


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every test leaves exactly what it means to: no draft stays."""
    monkeypatch.chdir(tmp_path)
    yield
    assert [path.name for path in tmp_path.rglob(".unveil-*")] == []


def full(file: IO[bytes]) -> None:
    file.write(b"a beginning")
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_what_exists_is_replaced_and_keeps_its_mode_and_owner() -> None:
    old = Path("report.html")
    old.write_text("old")
    os.chown(old, 1234, 1235)
    old.chmod(0o640)
    write_text(old, "new")
    status = old.stat()
    assert old.read_text() == "new"
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 1235, 0o640)


def test_a_file_of_somebody_else_is_never_opened_to_more_people(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Who may not give files away becomes the owner, and their group gets nothing by it."""

    def refused(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    old = Path("report.html")
    old.write_text("old")
    os.chown(old, 1234, 1235)
    old.chmod(0o664)
    monkeypatch.setattr(os, "fchown", refused)
    write_text(old, "new")
    status = old.stat()
    assert (status.st_uid, stat.S_IMODE(status.st_mode)) == (os.geteuid(), 0o604)


def test_access_lists_are_kept() -> None:
    old = Path("report.html")
    old.write_text("old")
    os.setxattr(old, "user.note", b"ours")
    write_text(old, "new")
    assert os.getxattr(old, "user.note") == b"ours"


def test_a_new_file_is_as_open_as_the_user_has_it() -> None:
    before = os.umask(0o027)
    try:
        write_text("report.html", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE(Path("report.html").stat().st_mode) == 0o640


def test_a_draft_is_not_open_to_who_may_not_read_the_file() -> None:
    Path("report.html").write_text("old")
    Path("report.html").chmod(0o600)
    seen = []

    def into(file: IO[bytes]) -> None:
        seen.extend(stat.S_IMODE(one.stat().st_mode) for one in Path().glob(".unveil-*"))
        file.write(b"new")

    write_together([("report.html", into)])
    assert seen == [0o600]


def test_a_link_is_followed_and_stays() -> None:
    Path("there").mkdir()
    Path("there/report.html").write_text("old")
    Path("report.html").symlink_to("there/report.html")
    Path("new.html").symlink_to("there/new.html")
    write_text("report.html", "new")
    write_text("new.html", "new")
    assert Path("report.html").is_symlink()
    assert Path("there/report.html").read_text() == Path("there/new.html").read_text() == "new"


def test_a_link_to_itself_is_told() -> None:
    Path("report.html").symlink_to("report.html")
    with pytest.raises(NotWrittenError, match="the link leads back to itself; remove it"):
        write_text("report.html", "new")


def test_pipes_and_devices_are_written_to() -> None:
    os.mkfifo("pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_bytes()))
    reader.start()
    write_together([("pipe", writer_of("through a pipe")), ("/dev/null", writer_of("to nobody"))])
    reader.join()
    assert read == [b"through a pipe"]
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_an_open_file_is_written_to_where_it_stands(name: str) -> None:
    """In a file that the shell has opened, what comes before and after stays."""
    script = (
        f"from unveil.files import write_text; print('before'); write_text({name!r}, 'in it\\n'); "
        "print('after')"
    )
    with open("out", "wb") as out:
        subprocess.run([sys.executable, "-c", script], stdout=out, check=True)
    assert Path("out").read_text() == "before\nin it\nafter\n"


def test_after_an_error_all_files_are_the_old_ones() -> None:
    for name in ("one", "two", "three"):
        Path(name).write_text("old")
    with pytest.raises(NotWrittenError, match="cannot write 'two': No space left on device; make"):
        write_together([("one", writer_of("new")), ("two", full), ("three", writer_of("new"))])
    assert [Path(name).read_text() for name in ("one", "two", "three")] == ["old"] * 3
    with pytest.raises(NotWrittenError):
        write_together([("four", writer_of("new")), ("five", full)])
    assert not Path("four").exists()


def test_a_rename_that_fails_takes_back_those_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where one of the files is mounted by itself."""
    Path("old").write_text("old")
    Path("busy").write_text("old")
    replace = os.replace

    def busy(source: Path, target: Path) -> None:
        if Path(target).name == "busy":
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        replace(source, target)

    monkeypatch.setattr(os, "replace", busy)
    with pytest.raises(NotWrittenError, match="'busy': Device or resource busy; it may be mounted"):
        write_together([(name, writer_of("new")) for name in ("old", "fresh", "busy")])
    assert Path("old").read_text() == Path("busy").read_text() == "old"
    assert not Path("fresh").exists()


def test_an_interrupt_leaves_the_old_files() -> None:
    def interrupted(file: IO[bytes]) -> None:
        raise KeyboardInterrupt

    Path("one").write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_together([("one", writer_of("new")), ("two", interrupted)])
    assert Path("one").read_text() == "old"
    assert not Path("two").exists()


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (errno.ENOSPC, "make room there, or name a file on another disk"),
        (errno.EDQUOT, "make room there, or name a file on another disk"),
        (errno.EIO, "the disk may be failing; name a file on another disk"),
        (errno.EROFS, "its folder must be writable, too; name a file in a folder where you may"),
        (errno.EACCES, "its folder must be writable, too; name a file in a folder where you may"),
    ],
)
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_failing_disk_is_told_with_a_remedy(
    call: str, number: int, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    Path("one").write_text("old")
    monkeypatch.setattr(os, call, fails)
    with pytest.raises(NotWrittenError) as told:
        write_together([("one", writer_of("new"))])
    assert str(told.value).startswith(f"cannot write 'one': {os.strerror(number)}; ")
    assert says in str(told.value)
    assert Path("one").read_text() == "old"


def test_names_that_cannot_be(tmp_path: Path) -> None:
    Path("folder").mkdir()
    for name, says in [
        ("x" * 300, "File name too long; give the file a shorter name"),
        ("nowhere/a.html", "No such file or directory; make its folder first"),
        ("folder", "Is a directory; name a file in it"),
    ]:
        with pytest.raises(NotWrittenError) as told:
            write_text(name, "new")
        assert str(told.value).endswith(says)
    write_text("y" * 255, "the longest name has room for its draft")


def test_one_file_twice_is_refused() -> None:
    Path("link").symlink_to("one")
    with pytest.raises(InputError, match="several results are to be written to"):
        write_together([("one", writer_of("1")), ("link", writer_of("2"))])


# What killed processes have left ----------------------------------------------------------------


def test_drafts_of_dead_processes_are_swept_and_those_of_living_ones_stay() -> None:
    left, somebody_elses, foreign = (Path(f".unveil-{n * 16}.part") for n in "abc")
    for path in (left, somebody_elses, foreign):
        path.write_text("draft")
    os.chown(foreign, 1234, 1234)
    with open(somebody_elses, "rb+") as living:
        assert files.locked(living.fileno())
        write_text("one", "new")
        assert (left.exists(), somebody_elses.exists(), foreign.exists()) == (False, True, True)
    write_text("one", "new")
    assert not somebody_elses.exists()
    assert foreign.exists()
    foreign.unlink()


# Tables that were read --------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["itself", "hard link", "symbolic link", "of a folder"])
def test_a_table_that_was_read_is_never_written_over(how: str) -> None:
    Path("data").mkdir()
    table = Path("data/quasi_table.csv")
    table.write_text("age,vote\n" + "30,a\n31,b\n" * 10)
    out = {"itself": "data/quasi_table.csv", "of a folder": "again/quasi_table.csv"}.get(
        how, "o.csv"
    )
    if how == "hard link":
        os.link(table, out)
    elif how == "symbolic link":
        Path(out).symlink_to(table)
    elif how == "of a folder":
        Path("again").symlink_to("data")
    release = uv.Anatomy(l=2).sanitize(uv.read_csv(table, quasi="age", sensitive="vote"))
    with pytest.raises(InputError, match="was read as a table, and would be overwritten; name ano"):
        release.write(out, "secrets.csv")
    assert table.read_text().startswith("age,vote\n30,a\n")
    assert not Path("secrets.csv").exists()


def test_both_tables_of_anatomy_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = uv.datasets.election_survey()
    uv.Anatomy(l=2, seed=1).sanitize(survey).write("out")
    before = {path.name: path.read_bytes() for path in Path("out").iterdir()}
    fsync, calls = os.fsync, [0]

    def full_at_the_second(handle: int) -> None:
        calls[0] += 1
        if calls[0] == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", full_at_the_second)
    with pytest.raises(NotWrittenError, match=r"sensitive_table.csv': No space left on device"):
        uv.Anatomy(l=2, seed=2).sanitize(survey).write("out")
    assert {path.name: path.read_bytes() for path in Path("out").iterdir()} == before


# Keys -------------------------------------------------------------------------------------------


def test_a_key_is_made_once_and_never_written_over() -> None:
    write_key("ab" * 32, "a.key")
    assert stat.S_IMODE(Path("a.key").stat().st_mode) == 0o600
    write_key("ab" * 32, "a.key")
    with pytest.raises(InputError, match=r"'a.key' has another key, by which people are called"):
        write_key("cd" * 32, "a.key")
    assert key_from("a.key") == "ab" * 32


def test_a_key_does_not_go_through_a_link() -> None:
    Path("a.key").symlink_to("elsewhere.key")
    with pytest.raises(InputError, match="is a link that leads nowhere; remove it"):
        write_key("ab" * 32, "a.key")
    assert not Path("elsewhere.key").exists()


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620])
def test_a_key_that_is_open_to_others_is_refused(mode: int) -> None:
    write_key("ab" * 32, "a.key")
    Path("a.key").chmod(mode)
    for use in (key_from, lambda path: write_key("ab" * 32, path)):
        with pytest.raises(InputError, match=r"'a.key' is open to other users.* chmod 600"):
            use("a.key")


def test_a_key_of_somebody_else_is_refused() -> None:
    write_key("ab" * 32, "a.key")
    os.chown("a.key", 1234, 1234)
    with pytest.raises(InputError, match=r"'a.key' belongs to another user"):
        key_from("a.key")


def test_a_key_may_come_from_a_vault_through_a_pipe() -> None:
    os.mkfifo("a.key")
    vault = threading.Thread(target=lambda: Path("a.key").write_text("ab" * 32))
    vault.start()
    assert key_from("a.key") == "ab" * 32
    vault.join()


@pytest.mark.parametrize("links", [True, False], ids=["with links", "without links"])
def test_a_new_file_is_whole_and_nobody_elses(links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """File systems such as FAT have no second names."""

    def refused(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    if not links:
        monkeypatch.setattr(os, "link", refused)
    write_new("a.key", b"content", private=True)
    assert Path("a.key").read_bytes() == b"content"
    assert stat.S_IMODE(Path("a.key").stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        write_new("a.key", b"other")
    assert Path("a.key").read_bytes() == b"content"


def test_a_project_that_is_there_is_not_replaced_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else may write it at the same moment."""
    Path("people.csv").write_text("age,vote\n" + "30,a\n31,b\n" * 20)
    project = uv.propose("people.csv").project()
    before = os.umask(0o022)
    try:
        project.write("unveil.toml")
    finally:
        os.umask(before)
    assert stat.S_IMODE(Path("unveil.toml").stat().st_mode) == 0o644
    Path("unveil.toml").write_text("corrected")
    with pytest.raises(InputError, match="already exists; force=True replaces it"):
        project.write("unveil.toml")
    assert Path("unveil.toml").read_text() == "corrected"


def test_a_folder_that_is_read_only_is_told_before_the_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("report.html").write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) == Path("report.html"))
    with pytest.raises(InputError, match=r"no permission to write into the folder '.'; a"):
        check_output(Path("report.html"), "--report")
