"""`unveil membership`: what it prints, writes, refuses, and how it exits."""

import functools
import json
import sys

import numpy as np
import pandas as pd
import pytest
from command_line import ROLES, run

import unveil as uv
from unveil.attacks.membership import _membership
from unveil.attacks.membership._attackers import Game


def _instead(monkeypatch, function):
    """Put another function in the place of the attack's own."""
    monkeypatch.setattr(_membership, "membership", functools.wraps(uv.membership)(function))


@pytest.fixture
def crowd(tmp_path):
    """A survey of 300 people in a CSV file."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({
        "age": rng.integers(20, 80, 300),
        "town": rng.choice(["Rome", "Lyon", "Nice"], 300),
        "vote": rng.choice(["a", "b", "c"], 300),
    })  # fmt: skip
    path = tmp_path / "crowd.csv"
    frame.to_csv(path, index=False)
    return path


def test_a_table_of_anonymizations_and_attackers(crowd):
    text = run("membership", crowd, *ROLES, "--sanitizer", "identity",
               "--sanitizer", "mondrian:k=5").stdout  # fmt: skip
    assert "120 members, 120 people held out, 60 in the attacker's own sample" in text
    finding = uv.membership(
        uv.read_csv(crowd, quasi=["age", "town"], sensitive="vote"), uv.Mondrian(k=5)
    )
    told = text[text.index("Membership: Mondrian(k=5)") :]
    rows = told[told.index("attacker  ") :].splitlines()[1:6]
    for row, (attacker, found) in zip(rows, finding.against.items(), strict=True):
        assert f"{attacker} " in row
        assert f" {found.auc} " in row
        assert f" {found.tpr[0.01].in_percent()} " in row
    for fact in ("no anonymization", "TPR at 0.1%", "Too few to tell: 120 people held out cannot "
                 "show a rate of false alarms of 0.1%; 1,000 can.", "an interval can begin "
                 "above 0 only if 368 people are held out", "Under Mondrian(k=5)",
                 "All others know a", "Beliefs are those of Bernoulli naive Bayes"):  # fmt: skip
        assert fact in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 100


def test_whose_beliefs_they_are_is_said_of_each(crowd):
    text = run("membership", crowd, *ROLES, "--sanitizer", "laplace-counts:epsilon=1",
               "--sanitizer", "mondrian:k=5", "--sanitizer", "identity",
               "--attackers", "release").stdout  # fmt: skip
    words = " ".join(text.split())
    assert words.count("Beliefs are those of smoothed frequency") == 1
    assert words.count("Beliefs are those of Bernoulli naive Bayes") == 2


def test_json_has_the_python_numbers(crowd, tmp_path):
    out = tmp_path / "out.json"
    run("membership", crowd, *ROLES, "--sanitizer", "mondrian:k=3", "--sanitizer", "mondrian:k=3",
        "--adversary", "conditional-frequency", "--held-out", 0.3, "--own", 0.1, "--seed", 4,
        "--removals", 7, "--jobs", 1, "--json", out)  # fmt: skip
    content = json.loads(out.read_text(encoding="utf-8"))
    again = uv.membership(
        uv.read_csv(crowd, quasi=["age", "town"], sensitive="vote"), uv.Mondrian(k=3),
        adversary="conditional-frequency", held_out=0.3, own=0.1, seed=4, removals=7,
    ).to_dict()  # fmt: skip
    (found,) = content["findings"]
    assert content["failed"] == []
    assert found == again


def test_json_on_standard_output_and_the_scores_of_everybody(crowd):
    done = run("membership", crowd, *ROLES, "--sanitizer", "identity", "--attackers", "release",
               "--json", "-", "--records")  # fmt: skip
    (found,) = json.loads(done.stdout)["findings"]
    assert [one["attacker"] for one in found["attackers"]] == ["release"]
    assert len(found["records"]["score: release"]) == len(found["records"]["record"]) == 300
    assert "AUC" in done.stderr


def test_a_first_look_leaves_out_what_the_members_cannot_meet(table):
    text = run("membership", table, *ROLES, "--sanitizer", "mondrian:k=20").stdout
    assert "NOT SCORED by population: 48 people" in text
    text = run("membership", table, *ROLES, "--held-out", 0.85).stdout
    assert "Mondrian(k=10)" not in text  # 7 members
    assert "Mondrian(k=5)" in text


@pytest.mark.parametrize("sanitizers", [["identity"], ["identity", "mondrian:k=5"]])
def test_pictures(crowd, tmp_path, sanitizers):
    out = tmp_path / "roc.svg"
    chosen = [word for name in sanitizers for word in ("--sanitizer", name)]
    text = run("membership", crowd, *ROLES, *chosen, "--plot", out).stdout
    assert f"picture: {out}" in text
    assert out.read_text(encoding="utf-8").lstrip().startswith("<?xml")


def test_people_held_out_in_a_file_of_their_own(crowd, tmp_path):
    frame = pd.read_csv(crowd)
    here, there = tmp_path / "members.csv", tmp_path / "others.csv"
    frame[:200].to_csv(here, index=False)
    frame[200:].assign(age=lambda f: f["age"] + 0.5).to_csv(there, index=False)
    text = run("membership", here, *ROLES, "--held-out", there, "--sanitizer", "identity",
               "--attackers", "release,removal").stdout  # fmt: skip
    assert "200 members, 100 people held out; " in text
    text = run("membership", here, *ROLES, "--held-out", there, "--sanitizer", "identity",
               "--attackers", "population").stdout  # fmt: skip
    assert "200 members, 80 people held out, 20 in the attacker's own sample" in text


def test_those_held_out_have_other_codes(crowd, tmp_path):
    frame = pd.read_csv(crowd)
    here, there = tmp_path / "members.csv", tmp_path / "others.csv"
    frame[:200].to_csv(here, index=False)
    frame[200:].assign(town=frame.town.str.upper()).to_csv(there, index=False)
    asked = ["membership", here, *ROLES, "--held-out", there, "--sanitizer", "identity",
             "--attackers", "release"]  # fmt: skip
    told = run(*asked, code=2).stderr
    assert "other names for the same values, give --recode 'town=" in " ".join(told.split())
    remedy = told[told.index("--recode '") + len("--recode '") :].split("'")[0]
    assert run(*asked, "--recode", remedy).stdout.count("200 members, 100 people held out")
    done = run("membership", here, *ROLES, "--recode", remedy, code=2)
    assert "--recode is about the values of a table of people held out" in done.stderr


def test_somebody_elses_program(crowd, tmp_path):
    program = tmp_path / "copy.py"
    program.write_text("import shutil, sys\nshutil.copy(sys.argv[1], sys.argv[2])\n")
    text = run("membership", crowd, *ROLES, "--oracle",
               f"{sys.executable} {program} {{input}} {{output}}", "--attackers", "release",
               "--attackers", "population", "--sanitizer", "identity").stdout  # fmt: skip
    plain, oracle = (
        [line for line in text.splitlines() if line.split()[:1] == [attacker]]
        for attacker in ("release", "population")
    )
    # It publishes what there is, so it is as bad as no anonymization at all.
    for first, second in (plain, oracle):
        assert first.split()[-6:] == second.split()[-6:]


def test_one_that_cannot_be_done_is_told_and_the_others_are_tested(crowd, tmp_path):
    out = tmp_path / "out.json"
    done = run("membership", crowd, *ROLES, "--sanitizer", "mondrian:k=121", "--sanitizer",
               "mondrian:k=2", "--json", out, code=2)  # fmt: skip
    message = "Mondrian(k=121) cannot be met: the members' part of crowd.csv has 120 records"
    assert f"error: {message}" in done.stderr
    assert "Mondrian(k=2)" in done.stdout
    content = json.loads(out.read_text(encoding="utf-8"))
    (failed,) = content["failed"]
    assert failed["sanitizer"] == "Mondrian(k=121)"
    assert failed["error"].startswith(message)
    assert len(content["findings"]) == 1
    nothing = run("membership", crowd, *ROLES, "--sanitizer", "mondrian:k=121", code=2)
    assert message in nothing.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--held-out", 0], "--held-out 0.0 is not possible: it must be a number above 0 below 1"),
        (["--held-out", 1.5], "--held-out 1.5 is not possible: it must be a number above 0"),
        (["--own", 1], "--own 1.0 is not possible: it must be a number from 0 below 1"),
        (["--removals", 0], "--removals 0 is not possible: it must be a whole number from 1 up"),
        (["--held-out", 0.5, "--held-out", "x.csv"], "--held-out is given twice"),
        (["--held-out", "nowhere.csv"], "nowhere.csv"),
        (["--attackers", "releas"], "no attacker 'releas'; did you mean 'release'?"),
        (["--adversary", "naive-bays"], "did you mean 'naive-bayes'?"),
        (["--sanitizer", "mondrain:k=2"], "did you mean 'mondrian'?"),
        (["--records"], "--records adds to the JSON"),
        (["--json", "same.png", "--plot", "same.png"], "--json and --plot name the same file"),
        (["--plot", "roc.txt"], "must end in .png, .svg or .pdf"),
        (["--notation", "age=range"], "--notation is for generalized cells"),
        (["--may-change-sensitive"], "--may-change-sensitive is for what others publish"),
        (["--timeout", "3 s"], "--timeout is for programs of others; give one with --oracle"),
    ],
)
def test_bad_options_are_told_at_once(crowd, options, message, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    _instead(monkeypatch, lambda **_: pytest.fail("it has begun"))
    assert message in run("membership", crowd, *ROLES, *options, code=2).stderr


def test_an_interrupt_keeps_what_was_found(crowd, tmp_path, monkeypatch):
    real = uv.membership

    def impatient(microdata, sanitizer, **options):
        if sanitizer == uv.Mondrian(k=5):
            raise KeyboardInterrupt
        return real(microdata, sanitizer, **options)

    _instead(monkeypatch, impatient)
    out = tmp_path / "out.json"
    done = run("membership", crowd, *ROLES, "--sanitizer", "identity", "--sanitizer",
               "mondrian:k=5", "--sanitizer", "mondrian:k=9", "--json", out, code=130)  # fmt: skip
    assert "Identity()" in done.stdout
    assert "Mondrian(k=9)" not in done.stdout
    assert "interrupted: 1 of 3 releases were looked at to the end" in done.stderr
    content = json.loads(out.with_suffix(".interrupted.json").read_text(encoding="utf-8"))
    assert [one["sanitizer"] for one in content["findings"]] == ["Identity()"]
    assert content["failed"] == [{"sanitizer": "Mondrian(k=5)", "error": "interrupted"}]


def test_an_interrupt_in_the_middle_of_one(crowd, monkeypatch):
    monkeypatch.setattr(Game, "others", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
    done = run("membership", crowd, *ROLES, "--sanitizer", "identity", "--sanitizer",
               "mondrian:k=5", code=130)  # fmt: skip
    assert "NOT SCORED by removal: 240 people: interrupted" in done.stdout
    assert "interrupted: 0 of 2 releases were looked at to the end" in done.stderr


def test_the_members_are_not_held_out(table):
    done = run("membership", table, *ROLES, "--held-out", table, code=2)
    assert "is FILE itself; give a table of other people" in " ".join(done.output.split())


def test_several_adversaries(table):
    models = ["--adversary", "naive-bayes", "--adversary", "tree"]
    text = " ".join(run("membership", table, *ROLES, *models).stdout.split())
    assert "AUC of removal by model, of which the largest counts: Bernoulli naive Bayes 0." in text
