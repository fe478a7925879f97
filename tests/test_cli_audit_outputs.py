"""What becomes of an audit's verdict and files when they cannot all be told or written."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from command_line import ROLES, run

import unveil as uv
from unveil.auditing import read_audit, write_key
from unveil.errors import InputError

QUICK = [*ROLES, "--sanitizer", "mondrian:k=3", "--attack", "measures"]
FAILS = ["--fail-on", "k < 50"]


@pytest.fixture(autouse=True)
def beside_the_table(table, monkeypatch):
    monkeypatch.chdir(table.parent)


@pytest.mark.parametrize("output", [[], ["--json", "-"]])
def test_a_gate_fails_though_nobody_reads_what_it_says(table, output):
    """As with `unveil audit … | grep -q`, which ends at the first match."""
    command = [sys.executable, "-m", "unveil", "audit", table, *QUICK, *FAILS, *output]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        said = process.stderr.read()
    assert process.returncode == 1
    assert said.endswith("the release fails\n")


def test_a_file_that_cannot_be_written_keeps_nobody_from_the_others(table):
    done = run("audit", table, *QUICK, *FAILS, "--json", "/dev/full", "--key", "people.key",
               "--junit", "unveil.xml", "--report", "report.html", code=1)  # fmt: skip
    assert "Mondrian(k=3) FAILS" in done.stdout
    assert done.stderr == (
        "error: cannot write '/dev/full': No space left on device; make room there, or name a file "
        "on another disk\nthe release fails\n"
    )
    assert ET.parse("unveil.xml").getroot().get("failures") == "1"
    assert "FAILS" in Path("report.html").read_text("utf-8")


def test_a_key_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(InputError, match=r"cannot write '.*/nowhere/a.key': No such file .*folder"):
        write_key("0" * 64, tmp_path / "nowhere" / "a.key")


def test_junit_to_standard_output_is_alone_there(table):
    done = run("audit", table, *QUICK, *FAILS, "--junit", "-", code=1)
    assert ET.fromstring(done.stdout).get("failures") == "1"
    assert "Mondrian(k=3) FAILS" in done.stderr


def test_people_are_called_by_the_key_that_is_in_the_file(table, monkeypatch):
    """Another audit may have written the key while this one was running."""
    theirs = "ab" * 32
    as_before = uv.auditing.audit

    def meanwhile(*args, **kwargs):
        found = as_before(*args, **kwargs)
        write_key(theirs, "audit.key")
        return found

    monkeypatch.setattr("unveil.cli._audit.audit_tables", meanwhile)
    run("audit", table, *ROLES, "--sanitizer", "mondrian:k=3", "--attack",
        "differential-inference", "--json", "audit.json")  # fmt: skip
    people = uv.read_csv(table, quasi=["age", "town"], sensitive="vote")
    attacks = ["differential-inference"]
    again = uv.audit(people, uv.Mondrian(k=3), attacks=attacks, key=theirs)
    assert Path("audit.key").read_text() == f"{theirs}\n"
    assert _references(Path("audit.json").read_text("utf-8")) == _references(again.to_json()) != []


def _references(text):
    return re.findall("#[0-9a-f]{16}", text)


def test_a_failing_program_is_named_once_and_in_the_words_of_a_shell(table):
    oracle = f"{sys.executable} -c 'raise SystemExit(7)' {{input}} {{output}}"
    done = run("audit", table, *ROLES, "--oracle", oracle, "--attack", "measures", code=2)
    assert done.stderr.count("Oracle(") == 1
    assert "it ended with code 7" in done.stderr
    assert "Audited" not in done.stdout


def test_what_must_hold_is_no_threshold(table):
    done = run("audit", table, *QUICK, "--fail-on", "k >= 5", code=2)
    assert done.stderr.endswith("; did you mean 'k < 5'?\n")


def test_ci_systems_see_a_release_as_one_class(table):
    """They take what is before the last dot for a package."""
    run("audit", table, *ROLES, "--sanitizer", "mondrian:k=3,t=0.9", "--attack", "measures",
        "--junit", "unveil.xml")  # fmt: skip
    [case] = ET.parse("unveil.xml").getroot().iter("testcase")
    assert case.get("classname") == "unveil.Mondrian(k=3, t=0·9), vote"
    assert case.get("name") == "no threshold"


def test_several_secrets_of_a_table_on_standard_input(table):
    asked = ["--quasi", "age", "--sensitive", "vote,town", "--sanitizer", "mondrian:k=3",
             "--attack", "measures"]  # fmt: skip
    from_file = run("audit", table, *asked).stdout
    from_input = run("audit", "-", *asked, input=table.read_text()).stdout
    # Lines may break elsewhere.
    assert from_input.split() == from_file.replace("survey.csv", "standard input").split()


def test_oracles_that_would_have_the_same_name(table):
    """What is asked of a service may be secret, so nothing tells these two apart."""
    asked = [f"http://127.0.0.1:9/?token={one}" for one in ("abc", "def")]
    done = run("audit", table, *ROLES, "--oracle", asked[0], "--oracle", asked[1], code=2)
    assert done.stderr == (
        "error: Oracle(http://127.0.0.1:9/?…) is to be audited twice; leave one out, or give them "
        "names in a project file\n"
    )


def test_what_is_asked_of_a_service_is_in_no_message(table):
    done = run("audit", table, *ROLES, "--attack", "measures", "--oracle",
               "http://me:pw@127.0.0.1:9/?token=abc", "--retries", 0, code=2)  # fmt: skip
    assert "nothing answers at http://127.0.0.1:9/?…: connection refused" in done.stderr
    assert "abc" not in done.output


def test_who_is_ended_by_a_ci_system_keeps_what_was_found(table, tmp_path):
    slow = tmp_path / "slow.py"
    slow.write_text("import sys, time\nprint(open(sys.argv[1]).read())\ntime.sleep(2)\n")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    oracle = shlex.join([sys.executable, str(slow)]) + " {input}"
    with subprocess.Popen(
        [sys.executable, "-m", "unveil", "audit", table, *QUICK, "--oracle", oracle, "--json",
         "audit.json"],
        env={**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        ends = time.monotonic() + 60
        while not any(temporary.glob("unveil-*/*/*")) and time.monotonic() < ends:
            time.sleep(0.05)
        process.terminate()
        said = process.stderr.read()
        assert process.wait(60) == 143
    assert said.endswith("interrupted: the results so far are above\n")
    found = read_audit("audit.interrupted.json")
    assert found["interrupted"]
    first, _ = found["secrets"][0]["releases"]
    assert first["figures"]["k"] >= 3
    assert [path.name for path in temporary.iterdir() if path.name.startswith("unveil")] == []
