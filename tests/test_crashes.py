"""A crash is not a verdict: with faults put in, by every way in, nothing passes or fails."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import duckdb
import numpy as np
import pytest
from command_line import ROLES, run

import unveil as uv
from unveil.auditing import State
from unveil.errors import InternalError
from unveil.testing import assert_release

SECRET = "p17 of Rome"  # what an error may name
LARGE = np._core._exceptions._ArrayMemoryError((10**9, 60_000), np.dtype(float))
FAULTS = {
    "KeyError": KeyError(SECRET),
    "MemoryError": MemoryError(SECRET),
    "_ArrayMemoryError": LARGE,
    "OutOfMemoryException": duckdb.OutOfMemoryException(SECRET),
    "RecursionError": RecursionError(SECRET),
    "BrokenProcessPool": BrokenProcessPool(SECRET),
    "SystemExit": SystemExit(0),
    "ValueError": ValueError(SECRET),
    "OSError": OSError(SECRET),
}
ATTACKED = ["--sanitizer", "mondrian:k=3"]
BOTH = ["--attack", "inference", "--attack", "measures"]


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(params=FAULTS)
def fault(request):
    return FAULTS[request.param]


@pytest.fixture
def break_inference(monkeypatch):
    """Let inference, and nothing else, fail."""

    def broken(error):
        def fails(*_, **__):
            somebody = SECRET  # noqa: F841
            raise error

        monkeypatch.setattr("unveil.attacks.inference._inference.adversaries_named", fails)

    return broken


def words(text):
    return " ".join(text.split())


def told(error, text):
    """What every way in says of a fault: its class, not its words."""
    name = type(error).__name__
    assert f"({name} in unveil/attacks/inference/_inference.py, line " in words(text)
    assert "which says nothing about a release" in words(text) or "a bug of unveil" in words(text)
    assert SECRET not in text
    assert "Traceback" not in text


def test_a_part_that_fails_costs_itself_alone(table, fault, break_inference):
    break_inference(fault)
    people = uv.read_csv(table, quasi=["age", "town"], sensitive="vote")
    audit = uv.audit(people, "mondrian:k=3", attacks=["inference", "measures"], progress=False,
                     fail_on=["k < 3", "accuracy > 99%"])  # fmt: skip
    (one,) = audit.releases
    assert {name: look.status for name, look in one.looked.items()} == {
        "inference": "failed", "measures": "done", "identifiers": "done",
    }  # fmt: skip
    assert [check.state for check in one.checks] == [State.PASSES, State.NOT_KNOWN]
    assert audit.state is State.NOT_KNOWN
    assert audit.crashes
    told(fault, audit.summary())
    told(fault, audit.page())
    written = audit.to_dict()["secrets"][0]
    assert written["releases"][0]["figures"]["k"] == one.figures["k"]
    (looked,) = (part["looked"][0] for part in written["sections"] if part["part"] == "inference")
    assert looked["status"] == "failed"
    told(fault, looked["why"])


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [([], 70), (["k < 3"], 70), (["k < 3", "accuracy > 99%"], 3), (["k < 99", "accuracy > 9%"], 1)],
)
def test_exit_codes_of_an_audit_in_which_a_part_fails(table, break_inference, fail_on, code):
    break_inference(KeyError(SECRET))
    limits = [word for text in fail_on for word in ("--fail-on", text)]
    done = run("audit", table, *ROLES, *ATTACKED, *BOTH, *limits, "--junit", "out.xml",
               "--json", "out.json", "--report", "out.html", code=code)  # fmt: skip
    assert "error: inference of Mondrian(k=3): an internal error (KeyError in " in done.stderr
    for text in (done.output, *map(Path.read_text, map(Path, ("out.xml", "out.json", "out.html")))):
        assert SECRET not in text
    failures = {
        case.get("name"): case.find("failure") for case in ET.parse("out.xml").iter("testcase")
    }
    if "accuracy > 99%" in fail_on:
        assert failures["not accuracy > 0.99"].get("type") == "not known"


def test_in_a_shell(table, fault, break_inference):
    break_inference(fault)
    done = run("audit", table, *ROLES, *ATTACKED, *BOTH, code=70)
    told(fault, done.stderr)
    assert "Mondrian(k=3)" in done.stdout
    # A command of its own tells about the releases that could be looked at.
    told(fault, run("inference", table, *ROLES, *ATTACKED, code=70).output)


def test_in_a_project(table, fault, break_inference):
    break_inference(fault)
    Path("unveil.toml").write_text(
        f'[data]\nfile = "{table}"\n[roles]\nname = "identifier"\nage = "quasi"\ntown = "quasi"\n'
        'vote = "sensitive"\n[attacks]\nuse = ["inference", "measures"]\n'
        '[thresholds]\nfail_on = ["accuracy > 99%"]\n[[releases]]\nsanitizer = "mondrian:k=3"\n'
    )
    told(fault, run("audit", "--project", "unveil.toml", code=3).output)


def test_in_a_test(table, fault, break_inference):
    people = uv.read_csv(table, quasi=["age", "town"], sensitive="vote")
    break_inference(fault)
    with pytest.raises(InternalError) as failed:
        assert_release(people, "mondrian:k=3", "accuracy <= 99%", "k >= 3")
    told(fault, str(failed.value))
    assert not isinstance(failed.value, AssertionError)
    with pytest.raises(AssertionError, match="k is 3, which is below 9"):
        assert_release(people, "mondrian:k=3", "accuracy <= 99%", "k >= 9")


def test_a_story_that_fails_costs_its_part(table, monkeypatch):
    def fails(*_, **__):
        raise KeyError(SECRET)

    monkeypatch.setattr("unveil.attacks.inference._finding.Inference.story", fails)
    done = run("audit", table, *ROLES, *ATTACKED, *BOTH, "--report", "out.html", code=70)
    assert SECRET not in done.output + Path("out.html").read_text()
    assert "Mondrian(k=3)" in done.stdout


def test_making_a_release_may_fail_as_well(table, fault, monkeypatch):
    def fails(*_, **__):
        raise fault

    monkeypatch.setattr("unveil.sanitize.mondrian.Mondrian.sanitize", fails)
    both = ["--sanitizer", "identity", *ATTACKED, "--attack", "measures", "--json", "out.json"]
    done = run("audit", table, *ROLES, *both, code=70)
    assert "Identity()" in done.stdout or "no anonymization" in done.stdout
    assert f"({type(fault).__name__}" in done.stderr
    assert SECRET not in done.output
    done = run("audit", table, *ROLES, *both, "--fail-on", "k < 1", code=3)
    states = [
        one["state"] for one in json.loads(Path("out.json").read_text())["secrets"][0]["releases"]
    ]
    assert sorted(states) == ["not tested", "passes"]


COMMANDS = {
    "differential-inference": ("unveil.microdata.read_table", ["TABLE", *ROLES]),
    "init": ("unveil.cli._init.propose", ["TABLE"]),
    "report": ("unveil.cli._audits_read.read_audit", ["TABLE"]),
    "compare": ("unveil.cli._audits_read.compare_audits", ["AUDIT", "AUDIT", "--strict"]),
    "resolve": ("unveil.cli._audits_read.key_from", ["TABLE", "#0a1b2c3d4e5f6071", "--key", "k"]),
    "anonymize": ("unveil.cli._anonymize.warm_up", ["TABLE", *ROLES, *ATTACKED, "-o", "out.csv"]),
    "harden": ("unveil.cli._harden.warm_up", ["TABLE", *ROLES, *ATTACKED]),
    "measures": ("unveil.measures.measures", ["TABLE", "--quasi", "age"]),
    "compare-encodings": ("unveil.cli._encodings.warm_up", ["TABLE", *ROLES]),
    "linkage": ("unveil.attacks.linkage._linkage.Links", ["TABLE", *ROLES, *ATTACKED]),
    "demo": ("unveil.cli._demo.warm_up", []),
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command(table, command, fault, monkeypatch):
    where, typed = COMMANDS[command]

    def fails(*_, **__):
        raise fault

    if "AUDIT" in typed:
        run("audit", table, *ROLES, *ATTACKED, "--attack", "measures", "--json", "audit.json")
    files = {"TABLE": table, "AUDIT": "audit.json"}
    module, _, name = where.rpartition(".")
    __import__(module)
    monkeypatch.setattr(sys.modules[module], name, fails)
    done = run(command, *(files.get(word, word) for word in typed), code=70)
    assert f"({type(fault).__name__}" in done.stderr
    assert SECRET not in done.output
    assert "Traceback" not in done.output


def test_the_traceback_for_whoever_asks(table, break_inference):
    break_inference(KeyError(SECRET))
    done = run("inference", table, *ROLES, *ATTACKED, code=70, env={"UNVEIL_TRACEBACK": "1"})
    assert "Traceback (most recent call last):" in done.stderr
    assert SECRET in done.stderr
    assert SECRET not in done.stdout


@pytest.mark.parametrize("module", ["cyclopts", "numba", "rich", "numpy"])
@pytest.mark.parametrize("code", ["raise KeyError('p17 of Rome')", "raise SystemExit(0)",
                                  "raise MemoryError", "import nothing_of_that_name"])  # fmt: skip
def test_what_fails_at_import(table, tmp_path, module, code):
    (tmp_path / f"{module}.py").write_text(code)
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "unveil", "inference", str(table), *ROLES, *ATTACKED],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 70, done.stderr
    assert SECRET not in done.stderr
    assert "Traceback" not in done.stderr
    assert "internal error" in done.stderr or "out of memory" in done.stderr
