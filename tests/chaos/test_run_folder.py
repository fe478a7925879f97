"""A run folder is private, has one user at a time, and goes on with the same work alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import run

import unveil as uv
from unveil.engine import Plan, opened_run
from unveil.errors import InputError

ROLES = ["--quasi", "age,town", "--sensitive", "vote"]
WORDS = ["audit", "survey.csv", *ROLES, "--sanitizer", "mondrian:k=3", "--attack", "measures",
         "--json", "a.json", "--run", "run"]  # fmt: skip


@pytest.fixture(autouse=True)
def _in_its_folder(table, monkeypatch):
    monkeypatch.chdir(table.parent)


def test_it_is_private_and_says_so(table):
    run(*WORDS)
    folder = Path("run")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {one.stat().st_mode & 0o777 for one in folder.iterdir()} == {0o600}
    said = (folder / "README.txt").read_text()
    assert "PRIVATE" in said
    assert f"unveil resume {folder.absolute()}" in said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda: Path("survey.csv").write_bytes(Path("survey.csv").read_bytes() + b"x,30,Rome,a\n"),
         "not as it was: survey.csv"),
        (lambda: Path("run/plan.json").write_text(
            Path("run/plan.json").read_text().replace("mondrian:k=3", "mondrian:k=2")),
         "plan.json' was changed"),
        (lambda: Path("run/plan.json").unlink(), "there is no plan.json in it"),
        (lambda: Path("run/journal").chmod(0o666), "others may write to it"),
        (lambda: Path("run").chmod(0o777), "others may write to it"),
    ],
)  # fmt: skip
def test_what_is_not_as_it_was_is_refused(table, change, said):
    run(*WORDS)
    change()
    assert said in run("resume", "run", code=2).stderr


def test_links_are_refused(table):
    run(*WORDS)
    Path("run/journal").rename("elsewhere")
    Path("run/journal").symlink_to(Path("elsewhere").absolute())
    assert "an ordinary file, and no link" in run("resume", "run", code=2).stderr


def test_another_version_is_refused(table, monkeypatch):
    run(*WORDS)
    monkeypatch.setattr("unveil.engine._run_folder.__version__", "99.0")
    said = run("resume", "run", code=2).stderr
    assert "the version of unveil; undo the change, or begin again with another folder" in said


def test_the_same_words_go_on_and_others_are_refused(table):
    run(*WORDS)
    first = Path("a.json").read_bytes()
    assert "this run is complete" in run(*WORDS).stderr
    assert Path("a.json").read_bytes() == first
    assert "not as it was: the command" in run(*WORDS, "--seed", 1, code=2).stderr


def test_other_folders_are_left_alone(table):
    Path("mine").mkdir()
    Path("mine/letter.txt").write_text("dear …")
    said = run(*WORDS[:-1], "mine", code=2).stderr
    assert "has other files in it" in said
    assert [one.name for one in Path("mine").iterdir()] == ["letter.txt"]
    assert "there is no folder 'nowhere'" in run("resume", "nowhere", code=2).stderr
    assert "needs a table in a file" in run("audit", "-", *WORDS[2:], code=2).stderr


def test_one_process_at_a_time_whose_lock_dies_with_it(tmp_path):
    program = (
        "import sys, time; from pathlib import Path; from unveil.engine import Plan, opened_run\n"
        "with opened_run(Path(sys.argv[1]), lambda: Plan(asked={}, inputs={})):\n"
        "    print('open', flush=True); time.sleep(600)"
    )
    folder = tmp_path / "run"
    with subprocess.Popen(
        [sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        with (
            pytest.raises(InputError, match="another process is using the run folder"),
            opened_run(folder, lambda: Plan(asked={}, inputs={})),
        ):
            pass
        process.kill()
    with opened_run(folder, lambda: Plan(asked={}, inputs={})) as again:
        assert not again.was_complete


def test_a_call_in_python_goes_on_with_the_same_options(tmp_path):
    people = uv.datasets.census(60, seed=1)
    given = {"attacks": ["measures", "linkage"], "progress": False, "run": tmp_path / "run"}
    first = uv.audit(people, "mondrian:k=3", **given)
    assert uv.audit(people, "mondrian:k=3", **given).to_json() == first.to_json()
    others = [
        lambda: uv.audit(people, "mondrian:k=4", **given),
        lambda: uv.audit(uv.datasets.census(60, seed=2), "mondrian:k=3", **given),
        lambda: uv.audit(people, "mondrian:k=3", **given, seed=1),
        lambda: uv.relative_risk(
            uv.Mondrian(k=3).sanitize(people), people, run=given["run"]
        ),
    ]  # fmt: skip
    names = ["the option releases", "the option microdata", "the option seed", "the function"]
    for other, name in zip(others, names, strict=True):
        with pytest.raises(InputError, match=f"not as it was: .*{name}"):
            other()


SLOW = "import sys, time; print(open(sys.argv[1]).read()); time.sleep(float(sys.argv[2]))"


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_signals_end_everything_and_say_how_to_go_on(table, tmp_path, number, code):
    program = tmp_path / "slow.py"
    program.write_text(SLOW)
    Path("m.json").write_text("of a complete run")
    oracle = f"{sys.executable} {program} {{input}} 0.4"
    words = ["membership", "survey.csv", *ROLES, "--oracle", oracle, "--json", "m.json", "--run",
             "run", "--jobs", "1"]  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-m", "unveil", *words], stderr=subprocess.PIPE, text=True,
        stdout=subprocess.DEVNULL, start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:  # fmt: skip
        journal = Path("run/journal")
        while process.poll() is None and not (journal.exists() and journal.stat().st_size):
            time.sleep(0.05)
        process.send_signal(number)
        assert process.stderr is not None
        said = process.stderr.read()
        assert process.wait(60) == code
    assert "nothing is lost; to go on: unveil resume run\n" in said
    assert Path("m.json").read_text() == "of a complete run"


STUCK = """
import sys
from unveil.cli import main
from unveil.auditing.parts import PARTS
import threading, os, signal, time

def stuck(*given, **options):
    threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGTERM]).start()
    while True:  # as compiled code, or a library that swallows interrupts
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            continue

PARTS["measures"].look = stuck
sys.argv = ["unveil", *sys.argv[1:]]
main()
"""


def test_what_does_not_listen_is_ended(table):
    done = subprocess.run(
        [sys.executable, "-c", STUCK, *WORDS], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, timeout=300,
    )  # fmt: skip
    assert done.returncode == 143
    assert done.stderr.endswith(
        "interrupted\nnothing is lost; to go on: unveil resume run\n"
    )  # fmt: skip
    plan = json.loads(Path("run/plan.json").read_text())
    assert plan["plan"]["command"] == WORDS
