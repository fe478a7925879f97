"""A program with little time, by every way in: a bad one fails, a good one is not known to pass.

A good one passes by a threshold on the bound for all people.
"""

import json
import shlex
import sys

import pytest
from command_line import run

import unveil as uv
from unveil.testing import assert_release

SURVEY = uv.datasets.election_survey()
QUASI = [column.name for column in SURVEY.quasi]
PROGRAM = """
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
with open(sys.argv[2], "w", newline="") as file:
    writer = csv.DictWriter(file, rows[0])
    writer.writeheader()
    for row in rows:
        if sys.argv[3] == "good":
            half = "18-49" if int(row["age"]) < 50 else "50-99"
            row = {**row, "age": half, "education": "*", "income": "*", "population": "*"}
        writer.writerow(row)
"""
OPTIONS = {"differential-inference": {"budget": "12 runs"}}
STATES = [
    ("bad", "delta > 0.05", "fails", 1),
    ("good", "delta > 0.05", "not known", 3),
    ("good", "over_bound > 90%", "passes", 0),
    ("good", "over_bound > 0%", "not known", 3),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ways")
    (folder / "anonymize.py").write_text(PROGRAM)
    SURVEY.to_frame().to_csv(folder / "survey.csv", index=False)
    return folder


def command(files, which):
    program = shlex.join([sys.executable, str(files / "anonymize.py")])
    return f"{program} {{input}} {{output}} {which}"


def options(files, which):
    roles = ["--quasi", ",".join(QUASI), "--sensitive", SURVEY.sensitive.name]
    oracle = ["--oracle", command(files, which), "--budget", "12 runs"]
    return [str(files / "survey.csv"), *roles, *oracle]


def says_of_whom(text):
    said = " ".join(text.split())
    return "people tested" in said and "of 944" in said


@pytest.mark.parametrize(("which", "fail_on", "state", "code"), STATES)
def test_the_audit_in_python_and_in_a_shell(files, tmp_path, which, fail_on, state, code):
    oracle = uv.Oracle(command(files, which))
    audit = uv.audit(SURVEY, oracle, fail_on=fail_on, attacks=OPTIONS)
    [audited] = audit.releases
    assert [str(check.state) for check in audited.checks] == [state]
    assert says_of_whom(audit.summary())
    if state == "not known":
        assert "until everybody is tested" in " ".join(audit.summary().split())
    out = tmp_path / "audit.json"
    result = run("audit", *options(files, which), "--attack", "differential-inference",
                 "--fail-on", fail_on, "--json", str(out), code=code)  # fmt: skip
    assert says_of_whom(result.stdout)
    [release] = json.loads(out.read_text())["secrets"][0]["releases"]
    figures = ["delta", "mean_d", "over", "over_bound"]
    assert list(release["among"]) == list(release["intervals"]) == figures
    assert all(says_of_whom(text) for text in release["among"].values())
    bound = audited.values["over_bound"]
    assert 0 <= bound.low < bound.value <= 1
    # Of so few people others see nothing of a share beyond a limit.
    assert release["figures"]["over_bound"] == [0, 1]
    assert release["intervals"]["over_bound"] == [None, None]


@pytest.mark.parametrize("which", ["bad", "good"])
def test_the_attack_alone_in_a_shell(files, which):
    result = run("differential-inference", *options(files, which))
    said = " ".join(result.stdout.split())
    assert "worst-placed person tested" in said  # the table
    assert "for the worst-placed of those tested" in said  # the verdict
    assert "δ is known once everybody is tested: " in said
    if which == "good":
        assert "If no further person is over, a bound of" in said


def test_the_first_two_people_are_enough_for_a_bad_program(files):
    oracle = uv.Oracle(command(files, "bad"))
    found = uv.differential_inference(SURVEY, oracle, targets=2, draw="worst-first", jobs=1)
    assert found.delta > 0.05


@pytest.mark.parametrize(("which", "fail_on", "state", "code"), STATES[:3])
def test_a_project(files, tmp_path, which, fail_on, state, code):
    project = tmp_path / "unveil.toml"
    roles = "\n".join(f'{name} = "quasi"' for name in QUASI)
    project.write_text(
        f"""
[data]
file = {json.dumps(str(files / "survey.csv"))}
[roles]
{roles}
{SURVEY.sensitive.name} = "sensitive"
[[releases]]
name = "ours"
oracle = {json.dumps(command(files, which))}
[attacks]
use = ["differential-inference"]
[attacks.differential-inference]
budget = "12 runs"
[thresholds]
fail_on = [{json.dumps(fail_on)}]
"""
    )
    assert says_of_whom(run("audit", "--project", str(project), code=code).stdout)


@pytest.mark.parametrize(
    ("which", "required", "said"),
    [
        ("bad", "delta <= 0.05", "✗"),
        ("good", "delta <= 0.05", "?"),
        ("good", "over_bound <= 90%", ""),
    ],
)
def test_the_assertion(files, which, required, said):
    oracle = uv.Oracle(command(files, which))
    if not said:
        assert assert_release(SURVEY, oracle, required, options=OPTIONS).passed
        return
    with pytest.raises(AssertionError) as told:
        assert_release(SURVEY, oracle, required, options=OPTIONS)
    assert f"{said} {required}: delta is " in str(told.value)
    assert says_of_whom(str(told.value))
