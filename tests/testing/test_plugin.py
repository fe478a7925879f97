"""The plugin: its fixture, its option, and that it costs nothing."""

from __future__ import annotations

import ast
import json
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from unveil.testing import _reports

ROOT = Path(__file__).resolve().parents[2]
TABLE = """
import unveil as uv

table = uv.read_table(
    {"age": [21, 22, 23, 31, 32, 33, 34], "vote": list("xyxyxyx")}, quasi="age", sensitive="vote")
release = uv.Mondrian(k=3).sanitize(table)
"""
TESTS = f"""{TABLE}
import pytest
from unveil.testing import assert_release as imported

def test_holds(assert_release):
    assert assert_release(table, release, "k >= 3").passed

@pytest.mark.parametrize("k", [3, 4])
def test_of_k(k, assert_release):
    assert_release(table, release, f"k >= {{k}}")

def test_twice():
    imported(table, release, "k >= 1")
    imported(table, release, "k >= 2")
"""


def test_it_is_where_pytest_looks_for_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    plugin = import_module(project["entry-points"]["pytest11"]["unveil"])
    assert hasattr(plugin, "pytest_addoption")


def test_a_failure_shows_the_test_and_the_verdict(run) -> None:
    result = run(TESTS)
    result.assert_outcomes(passed=3, failed=1)
    shown = result.stdout.str()
    assert 'assert_release(table, release, f"k >= {k}")' in shown
    assert "AssertionError: Mondrian(k=3): the requirement does not hold" in shown
    assert "✗ k >= 4: k is 3, which is below 4" in shown
    assert "_assert_release.py" not in shown  # its own lines are nobody's business
    assert "unveil: reports" not in shown


def test_reports_are_named_by_their_tests(run, pytester: pytest.Pytester) -> None:
    result = run(TESTS, "--unveil-report", "made/reports")
    result.assert_outcomes(passed=3, failed=1)
    folder = pytester.path / "made" / "reports"
    assert f"unveil: reports into {folder}" in result.stdout.str()
    tests = ["test_holds", "test_of_k[3]", "test_of_k[4]", "test_twice"]
    names = [_reports.name_of(f"test_survey.py::{test}") for test in tests]
    names.append(f"{names[-1]}-2")
    assert sorted(file.name for file in folder.iterdir()) == sorted(
        name + ending for name in names for ending in (".html", ".json")
    )
    passed = {name: json.loads((folder / f"{name}.json").read_text())["verdict"] for name in names}
    assert [name for name, verdict in passed.items() if not verdict["passed"]] == [names[2]]
    assert f"report: {folder / names[2]}.html" in result.stdout.str()
    assert (folder / f"{names[0]}.html").read_text().startswith("<!doctype html>")
    assert _reports._running == []


def test_a_file_is_no_folder(run, pytester: pytest.Pytester) -> None:
    pytester.makefile(".txt", notes="mine")
    result = run("def test(): pass", "--unveil-report", "notes.txt")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--unveil-report needs a folder, and 'notes.txt' is a file" in result.stderr.str()


def test_names_of_tests_are_kept_apart() -> None:
    alike = [
        "a/b.py::t[x/y]",
        "a/b.py::t[x-y]",
        "a-b.py::t[x/y]",
        "t" * 400,
        "t" * 401,
        "✗",
        "../..",
    ]
    names = [_reports.name_of(test) for test in alike]
    assert len(set(names)) == len(alike)
    assert all(name.isascii() and len(name) < 120 and "/" not in name for name in names)


def test_it_loads_nothing_heavy(run) -> None:
    heavy = {"numpy", "numba", "pandas", "matplotlib", "scipy", "unveil.auditing"}
    result = run(
        "import sys\n"
        "def test(assert_release):\n"
        "    assert 'unveil.testing.plugin' in sys.modules\n"
        f"    assert not {heavy} & set(sys.modules)",
        anew=True,
    )
    result.assert_outcomes(passed=1)


def test_where_functions_are_compiled_nothing_is_asserted() -> None:
    # pytest rewrites the assertions of packages with a plugin, into code that numba cannot read.
    texts = {
        file: file.read_text(encoding="utf-8")
        for file in (ROOT / "src" / "unveil").rglob("*kernels.py")
    }
    compiled = {file: text for file, text in texts.items() if "unveil._compiled import" in text}
    assert len(compiled) >= 5
    asserting = [
        str(file)
        for file, text in compiled.items()
        if any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(text)))
    ]
    assert asserting == []


NAMED = f"""{TABLE}
frame = release.to_frame().assign(mail=[f"p{{n}}@example.org" for n in range(7)])
named = uv.read_release(frame, table, made_by="published")

def test_names(assert_release):
    assert_release(table, named, "k >= 3")

def test_more(assert_release):
    more = uv.read_release(release.to_frame().assign(hobby="chess"), table)
    assert_release(table, more, "k >= 3")
    assert_release(table, more, "k >= 3", strict_columns=True)
"""


def test_published_identifiers_fail_a_test(run) -> None:
    result = run(NAMED)
    result.assert_outcomes(failed=2)
    shown = result.stdout.str()
    assert "published: it fails whatever is required" in shown
    assert "the column 'mail' looks like e-mail addresses" in shown
    assert "unroled is 1, which is above 0: 'hobby'" in shown


BROKEN = f"""{TABLE}
from unveil.attacks.linkage import _linkage
from unveil.testing import assert_release

def fails(*_, **__):
    raise KeyError("p17 of Rome")

def test_crash(monkeypatch):
    monkeypatch.setattr(_linkage, "Links", fails)
    assert_release(table, release, "linked <= 99%")
"""
FAILS = """
def test_fails():
    assert_release(table, release, "k >= 4")
"""


def test_a_crash_is_not_a_failure(run) -> None:
    result = run(BROKEN, "-n", "1", anew=True)
    result.assert_outcomes(failed=1)
    assert result.ret == 70
    assert "InternalError: Mondrian(k=3): the requirement is not known to hold" in (
        result.stdout.str())  # fmt: skip
    assert "linked is not known: an internal error (KeyError in" in result.stdout.str()
    assert run(BROKEN + FAILS, anew=True).ret == pytest.ExitCode.TESTS_FAILED
