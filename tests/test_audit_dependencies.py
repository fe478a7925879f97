"""The check of dependencies: what is found fails, and what could not be asked is said."""

import doctest
import importlib.util
import json
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "audit_dependencies.py"
_spec = importlib.util.spec_from_file_location("audit_dependencies", TOOL)
tool = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = tool  # dataclasses look there
_spec.loader.exec_module(tool)

GOOD = {"name": "numpy", "version": "2.0", "vulns": []}
BAD = {"name": "old", "version": "1.0", "vulns": [{"id": "PYSEC-2020-1", "fix_versions": ["1.1"]}]}
SKIPPED = {"name": "numpy", "skip_reason": "not found on PyPI and could not be audited"}
MIT = [{"Name": "numpy", "License": "MIT"}]


@pytest.fixture
def run(tmp_path, capsys):
    """The check, with programs in place of both tools that give these answers."""

    def made(answers, listed=MIT):
        programs, there = tmp_path / "tools" / "bin", tmp_path / "env"
        programs.mkdir(parents=True, exist_ok=True)
        (there / "lib" / "python3" / "site-packages").mkdir(parents=True, exist_ok=True)
        (there / "bin").mkdir(exist_ok=True)
        (there / "bin" / "python").touch()
        body = (
            f"#!{sys.executable}\nimport sys\nanswers = {answers!r}\n"
            "service = sys.argv[sys.argv.index('--vulnerability-service') + 1]\n"
            "answer = answers.get(service)\n"
            "sys.exit('cannot reach ' + service) if answer is None else print(answer)\n"
        )
        (programs / "pip-audit").write_text(body)
        text = listed if isinstance(listed, str) else json.dumps(listed)
        (programs / "pip-licenses").write_text(f"#!{sys.executable}\nprint({text!r})\n")
        for program in programs.iterdir():
            program.chmod(0o755)
        code = tool.main([str(there), str(tmp_path / "tools")])
        return code, capsys.readouterr().out

    return made


def answer(*dependencies):
    return json.dumps({"dependencies": list(dependencies), "fixes": []})


def test_examples():
    assert doctest.testmod(tool) == (0, doctest.testmod(tool).attempted)
    assert doctest.testmod(tool).attempted >= 5


def test_nothing_is_found(run):
    code, said = run({"pypi": answer(GOOD)})
    assert code == 0
    assert said.splitlines() == [
        "known vulnerabilities: 1 packages checked, 0 found",
        "licences: 1 packages checked, 0 found",
    ]


def test_a_vulnerability_fails(run):
    code, said = run({"pypi": answer(GOOD, BAD)})
    assert code == 1
    assert "FOUND: old 1.0: PYSEC-2020-1; mended in 1.1" in said


def test_a_source_that_cannot_be_reached_fails_nothing_and_says_so(run):
    """Neither an error, nor an answer that knows no package, is taken for a good one."""
    for pypi in (None, answer(SKIPPED), answer(), "no JSON"):
        code, said = run({"pypi": pypi} if pypi else {})
        assert code == 0
        assert (
            "known vulnerabilities: NOT CHECKED: no source of advisories could be reached" in said
        )
        assert "osv: cannot reach osv" in said


def test_the_other_source_is_asked(run):
    code, said = run({"pypi": answer(SKIPPED), "osv": answer(BAD)})
    assert code == 1
    assert "PYSEC-2020-1" in said


def test_what_was_not_looked_up_is_named(run):
    code, said = run({"pypi": answer(GOOD, {**SKIPPED, "name": "private"})})
    assert code == 0
    assert "not checked: private: not found on PyPI" in said


@pytest.mark.parametrize("licence", ["GPL-3.0-only", "UNKNOWN", "MIT AND AGPL-3.0-only", "MPL-2.0"])
def test_a_licence_that_is_not_allowed_fails(run, licence):
    code, said = run({"pypi": answer(GOOD)}, [*MIT, {"Name": "other", "License": licence}])
    assert code == 1
    assert f"FOUND: other: {licence!r} is not allowed" in said


def test_licences_that_could_not_be_listed_are_said(run):
    code, said = run({"pypi": answer(GOOD)}, "")
    assert code == 0
    assert "licences: NOT CHECKED" in said


def test_tools_that_cannot_be_installed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(tool, "installed_tools", lambda place: None)
    assert tool.main([str(tmp_path), str(tmp_path)]) == 0
    assert "NOT CHECKED, neither" in capsys.readouterr().out


def test_it_is_part_of_the_checks_before_anything_lands():
    assert "make audit-dependencies" in (TOOL.parents[1] / ".ci" / "run").read_text()
