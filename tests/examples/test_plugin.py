"""The plug-in of examples/plugin, installed and used as others would; and plug-ins that fail."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import unveil as uv

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "plugin"
SOURCE = Path(uv.__file__).resolve().parents[1]
ROLES = ["--quasi", "age,education", "--sensitive", "party"]

BROKEN = {
    "attacks": {
        "no-module": "unveil_broken.nowhere:DECLARATION",
        "raises": "unveil_broken.raises:DECLARATION",
        "not-declared": "unveil_broken:NUMBER",
        "no-function": "unveil_broken:NO_FUNCTION",
        "other-name": "unveil_broken:NO_FUNCTION",
        "linkage": "unveil_broken:LINKAGE",
        "taken": "unveil_broken:TAKEN",
        "audit": "unveil_broken:AUDIT",
        "fails": "unveil_broken:FAILS",
    },
    "sanitizers": {"mondrian": "unveil_broken:Again", "plain": "unveil_broken:NUMBER"},
    "adversaries": {"naive-bayes": "unveil_broken:make", "odd": "unveil_broken.nowhere:make"},
}
BROKEN_CODE = """
from dataclasses import dataclass, replace
from unveil.attacks.linkage import DECLARATION
from unveil.findings import Figure, Question
from unveil.sanitize import Identity

def failing(release, *, often: int = 1):
    return 1 / 0

def make():
    return 3

NUMBER = 7
TAKEN_FIGURE = Figure(name="linked", title="x", says="x", question=Question.UTILITY)
BASE = replace(DECLARATION, figures=(), default=True)
NO_FUNCTION = replace(BASE, name="no-function", function="unveil_broken.nowhere:attack")
LINKAGE = replace(BASE, function=failing)
TAKEN = replace(BASE, name="taken", function=failing, figures=(TAKEN_FIGURE,))
AUDIT = replace(BASE, name="audit", function=failing)
FAILS = replace(BASE, name="fails", function=failing)

@dataclass(frozen=True)
class Again(Identity):
    pass
"""


def installed(project: Path, target: Path) -> None:
    """Install a package into a folder with pip; its builder, hatchling, comes with the tests."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
           "--no-deps", "--no-build-isolation", "--no-index"]  # fmt: skip
    subprocess.run([*pip, "--target", str(target), str(project)], check=True)


def test_the_page_has_the_same_entry_points():
    page = (EXAMPLE.parents[1] / "docs" / "write-your-own.md").read_text("utf-8")
    listed = page.split("```text\n")[1].split("```")[0]
    assert listed in (EXAMPLE / "pyproject.toml").read_text("utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the plug-in in ``there``, and a survey."""
    made = tmp_path_factory.mktemp("plugin")
    copy = made / "project"
    shutil.copytree(EXAMPLE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    installed(copy, made / "there")
    table = uv.datasets.election_survey().take(range(200)).to_frame()
    table[["age", "education", "party"]].to_csv(made / "survey.csv", index=False)
    return made


@pytest.fixture(scope="module")
def broken(folder):
    """The same with a plug-in in ``broken`` that fails in every way."""
    project = folder / "broken_project"
    package = project / "src" / "unveil_broken"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(BROKEN_CODE)
    (package / "raises.py").write_text("raise RuntimeError('I am broken')\n")
    entries = [
        f'[project.entry-points."unveil.{group}"]\n'
        + "".join(f'{name} = "{where}"\n' for name, where in some.items())
        for group, some in BROKEN.items()
    ]
    (project / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        '[project]\nname = "unveil-broken"\nversion = "1.0"\n' + "\n".join(entries)
    )
    installed(project, folder / "broken")
    return folder


def ran(folder, *words, with_broken=False, code=0):
    """Run Python where the plug-in is installed."""
    places = [folder / "there", *([folder / "broken"] if with_broken else []), SOURCE]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places)), "NO_COLOR": "1",
           "COLUMNS": "100"}  # fmt: skip
    done = subprocess.run(
        [sys.executable, *map(str, words)], cwd=folder, env=env, capture_output=True, text=True,
        encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done


def shell(folder, *words, **options):
    return ran(folder, "-m", "unveil", *words, **options)


IN_PYTHON = """
import json
import numpy as np
import unveil as uv
from unveil import registry
from unveil.adversary import adversary_named
from unveil.sanitize import sanitizer_named

table = uv.read_csv("survey.csv", quasi=["age", "education"], sensitive="party")
declared = registry.declared("majority")
release = sanitizer_named("blocks:width=10").sanitize(table)
finding = declared.call()(release)
frame = release.to_frame()
plain = frame.groupby(["age", "education"])["party"].agg(lambda one: one.value_counts().max())
audit = uv.audit(table, ["blocks:width=10"], attacks=["majority"], fail_on=["majority > 1%"])
print(json.dumps({
    "plugin": declared.plugin, "options": list(declared.options()),
    "majority": finding.figures[0].value, "plain": int(plain.sum()) / len(table),
    "json": finding.to_dict()["figures"], "verdict": finding.verdict(),
    "chart": finding.story().charts[0].title, "rows": len(finding.to_frame()),
    "adversary": adversary_named("stump:depth=2").label, "passed": audit.passed,
    "figure": registry.figures()["majority"].title, "errors": len(registry.load_errors()),
}))
"""


def test_by_name_in_python(folder):
    told = json.loads(ran(folder, "-c", IN_PYTHON).stdout)
    assert told["plugin"] == "unveil-majority"
    assert told["options"] == ["at_least"]
    assert told["majority"] == pytest.approx(told["plain"])
    assert told["json"] == {"majority": {"value": told["majority"]}}
    assert told["verdict"].startswith("Under Blocks(width=10), the party of ")
    assert told["chart"] == "How frequent the most frequent value of a class is"
    assert told["rows"] == 200
    assert told["adversary"].startswith("DecisionTreeClassifier(max_depth=2)")
    assert told["passed"] is False
    assert told["figure"] == "guessed by majority"
    assert told["errors"] == 0


def test_by_name_in_the_shell(folder):
    listed = shell(folder, "--help")
    assert "majority" in listed.stdout
    assert not listed.stderr
    shown = " ".join(shell(folder, "majority", "--help").stdout.replace("│", " ").split())
    for part in ("--at-least SHARE", "From plug-ins: blocks", "--plot", "unveil majority --rel"):
        assert part in shown
    done = shell(folder, "majority", "survey.csv", *ROLES, "--sanitizer", "blocks:width=10",
                 "--sanitizer", "mondrian:k=5", "--json", "out.json", "--plot", "out.svg",
                 "--at-least", "0.5")  # fmt: skip
    assert "Majority: 200 records by Blocks(width=10)" in done.stdout
    written = json.loads((folder / "out.json").read_text("utf-8"))["findings"]
    assert [one["finding"] for one in written] == ["majority", "majority"]
    assert "How frequent the most" in (folder / "out.svg").read_text("utf-8")
    wrong = shell(folder, "majority", "survey.csv", *ROLES, "--sanitizer", "identity",
                  "--at-least", "2", code=2)  # fmt: skip
    assert "--at-least 2.0 is not possible: it must be a number from 0 to 1" in wrong.stderr


def test_in_a_project_an_audit_and_its_report(folder):
    (folder / "unveil.toml").write_text(
        """
[data]
file = "survey.csv"

[roles]
age = "quasi"
education = "quasi"
party = "sensitive"

[threat]
adversary = "stump"

[[releases]]
sanitizer = "blocks:width=10"

[attacks]
use = ["majority", "inference"]

[attacks.majority]
at_least = 0.1

[thresholds]
fail_on = ["majority > 1%"]
"""
    )
    done = shell(folder, "audit", "--project", "unveil.toml", "--report", "report.html", code=1)
    assert "Blocks(width=10) FAILS: majority is" in " ".join(done.stdout.split())
    page = (folder / "report.html").read_text("utf-8")
    for part in (
        "Majority: whose value is the most frequent one of their class",
        "The attacker finds the class of a person",
        "How frequent the most frequent value of a class is",
        "guessed by majority",
        "DecisionTreeClassifier(max_depth=1)",
    ):
        assert part in page


def test_plugins_that_fail_are_named_and_do_no_harm(broken):
    listed = shell(broken, "--help", with_broken=True)
    for name in ("majority", "linkage", "audit", "composition"):
        assert name in listed.stdout
    for name in ("no-module", "raises", "not-declared", "other-name", "linkage", "taken", "audit"):
        assert f"note: the plug-in '{name}' of unveil-broken" in listed.stderr
    assert "(RuntimeError: I am broken); update or uninstall it" in listed.stderr
    assert "it is 7, and a Declaration is needed" in listed.stderr
    assert "there is another figure 'linked'" in listed.stderr
    assert "unveil-majority" not in listed.stderr
    unusable = shell(broken, "no-function", "survey.csv", *ROLES, with_broken=True, code=2)
    assert "error: the plug-in 'no-function' of unveil-broken cannot be loaded" in unusable.stderr
    assert "Traceback" not in unusable.stderr
    done = shell(broken, "majority", "survey.csv", *ROLES, "--sanitizer", "mondrian:k=5",
                 with_broken=True)  # fmt: skip
    assert "Under Mondrian(k=5), the party of" in done.stdout
    assert "note: the plug-in 'mondrian' of unveil-broken is left out: there is" in done.stderr


def test_an_audit_goes_on_without_them(broken):
    code = """
import unveil as uv
from unveil import registry
from unveil.auditing.parts import PARTS
table = uv.read_csv("survey.csv", quasi=["age", "education"], sensitive="party")
found = uv.audit(table, ["mondrian:k=5"], attacks=["majority", "fails", "measures"])
(one,) = found.releases
print({name: look.status for name, look in one.looked.items()})
print(one.looked["fails"].why)
print("no-function" in PARTS, "composition" in PARTS, "taken" in PARTS)
print(*registry.load_errors(), sep="\\n")
"""
    told = ran(broken, "-c", code, with_broken=True).stdout.splitlines()
    assert told[0] == (
        "{'fails': 'failed', 'measures': 'done', 'majority': 'done', 'identifiers': 'done'}"
    )
    assert told[1].startswith("the plug-in 'fails' of unveil-broken failed (ZeroDivisionError")
    assert told[2] == "False False False"
    named = "\n".join(told[3:])
    for some in BROKEN.values():
        for name in some:
            if name not in ("audit", "fails"):  # a name that only the shell has; found later
                assert f"'{name}' of unveil-broken" in named
