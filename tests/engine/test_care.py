"""What is temporary goes with the process that has it, however that ends; real processes."""

from __future__ import annotations

import os
import pickle
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from own_folder import own_temporary_folder

import unveil as uv
from unveil.engine import _care, for_a_while, sweep, temporary_folder
from unveil.engine._parallel import _packed
from unveil.sanitize.oracle._command import Tree

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

WITH_A_PROGRAM = """
from unveil.engine import started, temporary_folder
(temporary_folder() / "table.csv").write_text("age")
started([sys.executable, "-c", {program!r}, {mark!r}])
"""

# A child that leaves its group and its parent, as daemons do.
DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
time.sleep(600)
"""


def until(true: Callable[[], object]) -> bool:
    """Whether something comes about; the limit is for a machine that does nothing any more."""
    end = time.monotonic() + 120
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def having(word: str) -> list[int]:
    """The processes that have a word in their command line or environment, but not this one."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            texts = [Path(f"/proc/{name}/{kind}").read_bytes() for kind in ("cmdline", "environ")]
        except OSError:
            continue
        if int(name) != os.getpid() and any(word.encode() in text for text in texts):
            found.append(int(name))
    return found


@contextmanager
def process(there: Path, code: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process with its temporary data in a folder, once it has done what the code says."""
    ready = there.with_name("ready")
    script = f"import pathlib, sys, time\n{code}\npathlib.Path({str(ready)!r}).touch()\n"
    environment = {**os.environ, "TMPDIR": str(there), "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", script + "time.sleep(600)"], env=environment
    ) as running:
        try:
            assert until(lambda: ready.exists() or running.poll() is not None)
            assert running.poll() is None
            yield running
        finally:
            running.kill()


@pytest.fixture
def there(tmp_path: Path) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    "number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT,
               signal.SIGSEGV, signal.SIGABRT],
    ids=lambda number: number.name,
)  # fmt: skip
def test_nothing_stays_of_a_process_that_is_ended(number: signal.Signals, there: Path) -> None:
    mark = f"mark-{there.parent.name}"
    with process(there, WITH_A_PROGRAM.format(program=DAEMON, mark=mark)) as running:
        assert until(lambda: len(having(mark)) >= 3)  # it, the program and its daemon
        assert len(list(there.glob("unveil-*/*/table.csv"))) == 1
        running.send_signal(number)
        running.wait(60)
    assert until(lambda: having(mark) == [])
    assert until(lambda: list(there.iterdir()) == [])


def test_what_two_kills_leave_is_swept_by_the_next(
    there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = f"mark-{there.parent.name}"
    with process(there, WITH_A_PROGRAM.format(program=DAEMON, mark=mark)) as running:
        assert until(lambda: len(having(mark)) >= 3)
        [left] = there.iterdir()
        [beside] = [one for one in having(str(left)) if one not in having(mark)]
        os.kill(beside, signal.SIGKILL)
        running.kill()
        running.wait()
    assert (left / "lock").exists()
    assert len(having(mark)) == 2
    monkeypatch.setattr(tempfile, "tempdir", str(there))
    sweep()
    assert list(there.iterdir()) == []
    assert having(mark) == []


def test_the_living_and_what_is_not_ours_stay(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "from unveil.engine import temporary_folder\ntemporary_folder()"
    empty, full, foreign, other, link = (
        there / name
        for name in (f"unveil-{'a' * 16}", f"unveil-{'b' * 16}", f"unveil-{'c' * 16}",
                     "unveil-kept-abcdef", f"unveil-{'d' * 16}")
    )  # fmt: skip
    for folder in (empty, full, foreign, other):
        folder.mkdir(mode=0o700)
    (full / "no lock").touch()
    for folder in (foreign, other):
        (folder / "lock").touch()
    os.chown(foreign, 1234, 1234)
    link.symlink_to(other)
    with process(there, code):
        [living] = set(there.iterdir()) - {empty, full, foreign, other, link}
        monkeypatch.setattr(tempfile, "tempdir", str(there))
        sweep()
        assert set(there.iterdir()) == {living, full, foreign, other, link}
        assert len(list(living.iterdir())) == 2


def test_a_fork_leaves_what_is_its_parents(there: Path) -> None:
    with own_temporary_folder(there):
        mine = temporary_folder()
        child = os.fork()
        if child == 0:
            its = temporary_folder()
            apart = its.parent != mine.parent
            _care._ours.finish()
            os._exit(0 if apart and mine.is_dir() and not its.exists() else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert mine.is_dir()
    assert list(there.iterdir()) == []


def test_a_fork_before_a_program_says_nothing(there: Path) -> None:
    """As Java is started for Spark, in whose output a warning would stand."""
    code = """
import os, subprocess
from unveil.engine import temporary_folder
temporary_folder()
subprocess.run(["true"], preexec_fn=os.setsid, check=True)
"""
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", code], capture_output=True, check=True,
        env={**os.environ, "TMPDIR": str(there), "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (b"", b"")
    assert list(there.iterdir()) == []


def test_folders_are_ours_alone(there: Path) -> None:
    before = os.umask(0)
    try:
        with own_temporary_folder(there), for_a_while() as folder:
            assert [stat.S_IMODE(one.stat().st_mode) for one in (folder, folder.parent)] == [
                0o700, 0o700,
            ]  # fmt: skip
    finally:
        os.umask(before)


def test_without_a_process_beside_the_next_run_cleans_up(
    there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with own_temporary_folder(there):
        temporary_folder()
        assert _care._ours.caretaker is None
    assert list(there.iterdir()) == []


def test_a_caretaker_that_is_killed_is_no_matter(there: Path) -> None:
    with own_temporary_folder(there):
        temporary_folder()
        _care._ours.caretaker.kill()
        _care._ours.caretaker.wait()
        with subprocess.Popen(["true"]) as program:
            _care._ours.tell("started", program.pid)
            _care._ours.tell("ended", program.pid)
    assert list(there.iterdir()) == []


def test_a_daemon_is_ended_with_what_started_it(tmp_path: Path) -> None:
    """As after a time limit. It has left the group and the parent that it came from."""
    mark = f"mark-{tmp_path.name}"
    with own_temporary_folder(tmp_path):
        tree = Tree([sys.executable, "-c", DAEMON, mark])
        other = Tree([sys.executable, "-c", DAEMON, f"other-{mark}"])
        assert until(lambda: len(having(mark)) == 4)
        tree.kill()
        assert len(having(mark)) == len(having(f"other-{mark}")) == 2
        other.kill()
    assert having(mark) == []


def test_a_daemon_that_an_oracle_leaves_ends_with_us(there: Path) -> None:
    mark = f"mark-{there.parent.name}"
    leaving = DAEMON.replace("    os._exit(0)\ntime.sleep(600)", "    os._exit(0)")
    code = "from unveil.engine import started\nstarted([sys.executable, '-c', {!r}, {!r}])"
    with process(there, code.format(leaving, mark)) as running:
        assert until(lambda: len(having(mark)) >= 2)
        running.send_signal(signal.SIGINT)
        running.wait()
    assert until(lambda: having(mark) == [])


WORKERS = """
import os
from unveil.engine import chosen_backend, run_everywhere, started
def work(mark, part):
    started([sys.executable, "-c", "import time; time.sleep(600)", mark])
    open(os.path.join(os.environ["TMPDIR"], "..", f"at work {{part}}"), "w").close()
    {busy}
def main():
    for _ in run_everywhere(work, {mark!r}, [1, 2], chosen_backend(2, "loky")):
        pass
import threading
threading.Thread(target=main, daemon=True).start()
while sum(name.startswith("at work") for name in os.listdir(os.environ["TMPDIR"] + "/..")) < 2:
    time.sleep(0.05)
"""


@pytest.mark.parametrize(
    "busy",
    ["time.sleep(600)", "import ctypes; ctypes.PyDLL(None).sleep(600)"],
    ids=["Python", "a library that holds the lock"],
)
def test_workers_and_their_programs_die_with_us(busy: str, there: Path) -> None:
    mark = f"mark-{there.parent.name}"
    with process(there, WORKERS.format(mark=mark, busy=busy)) as running:
        children = having(str(there))  # workers have our environment
        assert len(children) >= 4
        assert len(having(mark)) >= 2
        running.kill()
        running.wait()
    assert until(lambda: having(str(there)) == [])
    assert until(lambda: list(there.iterdir()) == [])


def test_what_duckdb_spills_is_gone_with_us(there: Path) -> None:
    code = """
    from unveil.engine.counting._engines import connected
    connection = connected("duckdb", "50MB").con
    connection.execute("set threads to 1")
    connection.execute("create temp table big as select range as n, md5(range::varchar) as t "
                       "from range(3000000)")
    """
    with process(there, textwrap.dedent(code)) as running:
        assert list(there.glob("unveil-*/*/*.tmp"))
        running.kill()
        running.wait()
    assert until(lambda: list(there.iterdir()) == [])


# Identifiers ------------------------------------------------------------------------------------

TABLE = "name,age,vote\n" + "".join(f"Person{i},{20 + i},{'ab'[i % 2]}\n" for i in range(20))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "people.csv"
    file.write_text(TABLE)
    return file


def test_workers_do_not_get_identifiers(table: Path) -> None:
    people = uv.read_csv(table, quasi="age", sensitive="vote", identifier="name")
    assert b"Person7" in pickle.dumps(people)
    content = _packed((print, {"a": [people, people.without(3)]}))
    assert b"Person" not in content
    _, shared = pickle.loads(content)
    assert [column.name for column in shared["a"][0].columns] == ["age", "vote"]
    assert len(shared["a"][1]) == 19


@pytest.mark.parametrize("takes", ["table", "microdata"])
@pytest.mark.parametrize("timeout", [None, 60])
def test_functions_do_not_get_identifiers(takes: str, timeout: int | None, table: Path) -> None:
    people = uv.read_csv(table, quasi="age", sensitive="vote", identifier="name")

    def columns(given: object) -> object:
        frame = given if takes == "table" else given.to_frame()  # type: ignore[attr-defined]
        names = [c if takes == "table" else c.name for c in given.columns]  # type: ignore[attr-defined]
        assert list(names) == ["age", "vote"], names
        return frame

    oracle = uv.Oracle(columns, takes=takes, timeout=timeout)
    assert len(oracle.sanitize(people)) == 20
    assert len(oracle.sanitize_without(people, 3)) == 19


def test_a_table_on_standard_input_is_never_on_disk(table: Path, there: Path) -> None:
    """It has names in it. While it is read, no file has them."""
    command = [sys.executable, "-m", "unveil", "measures", "-", "--quasi", "age", "--sensitive",
               "vote", "--sanitizer", "mondrian:k=2"]  # fmt: skip
    seen = there.parent / "seen.py"
    seen.write_text(
        textwrap.dedent("""
        import os, pathlib, sys
        from unveil.cli import _reading, main
        from unveil.microdata import open_table as opened
        import unveil.microdata
        def look(file, **options):
            there = pathlib.Path(os.environ["TMPDIR"])
            files = [one for one in there.rglob("*") if one.is_file() and not one.is_symlink()]
            assert files != [], "the lock"
            assert all(b"Person" not in one.read_bytes() for one in files), files
            print("looked", file=sys.stderr)
            return opened(file, **options)
        unveil.microdata.open_table = look
        main(sys.argv[1:])
    """)
    )
    done = subprocess.run(
        [sys.executable, str(seen), "definetti", *command[4:]], input=TABLE, text=True,
        env={**os.environ, "TMPDIR": str(there), "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, check=False,
    )  # fmt: skip
    assert "looked" in done.stderr, done.stderr
    assert "AssertionError" not in done.stderr
    assert list(there.iterdir()) == []
