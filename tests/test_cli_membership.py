"""`unveil membership`: what it prints, writes, refuses, and how it exits."""

import json
import sys

import numpy as np
import pandas as pd
import pytest
from command_line import ROLES, run

import unveil as uv
from unveil.attacks.membership._attackers import Removal
from unveil.cli import _membership


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
    assert text.startswith("crowd.csv: 120 people are published, 120 are held out, 60 are the ")
    finding = uv.membership(
        uv.read_csv(crowd, quasi=["age", "town"], sensitive="vote"), uv.Mondrian(k=5)
    )
    rows = text[text.index("Mondrian(k=5)") :].splitlines()[1:4]
    for row, (attacker, found) in zip(rows, finding.against.items(), strict=True):
        assert f"{attacker} " in row
        assert f" {found.auc} " in row
        assert f" {found.tpr[0.01].in_percent()} " in row
    for fact in ("no anonymization", "TPR at 0.1%", "Too few to tell: 120 people held out cannot "
                 "show a rate of false alarms of 0.1%; 1,000 can.", "an interval can begin "
                 "above 0 only if 368 people are held out", "Under Mondrian(k=5)", "Attackers know",
                 "Beliefs: those of Bernoulli naive Bayes"):  # fmt: skip
        assert fact in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 100


def test_whose_beliefs_they_are_is_said_of_each(crowd):
    text = run("membership", crowd, *ROLES, "--sanitizer", "laplace-counts:epsilon=1",
               "--sanitizer", "mondrian:k=5", "--sanitizer", "identity",
               "--attacker", "release").stdout  # fmt: skip
    words = " ".join(text.split())
    assert "Beliefs under LaplaceCounts(epsilon=1.0): those of smoothed frequency" in words
    assert "Beliefs under Mondrian(k=5), no anonymization: those of Bernoulli naive Bayes" in words


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
    for one in (found, again):
        one.pop("seconds")
    assert found == again


def test_json_on_standard_output_and_the_scores_of_everybody(crowd):
    done = run("membership", crowd, *ROLES, "--sanitizer", "identity", "--attacker", "release",
               "--json", "-", "--records")  # fmt: skip
    (found,) = json.loads(done.stdout)["findings"]
    assert [one["attacker"] for one in found["attackers"]] == ["release"]
    assert len(found["attackers"][0]["scores"]) == len(found["record"]) == 300
    assert "AUC" in done.stderr


def test_a_first_look_leaves_out_what_the_members_cannot_meet(table):
    text = run("membership", table, *ROLES, "--sanitizer", "mondrian:k=20").stdout
    assert "NOT SCORED under Mondrian(k=20) by population: 48 people" in text
    text = run("membership", table, *ROLES).stdout
    assert "Mondrian(k=20)" not in text  # 24 members, of whom some are to be left out
    assert "Mondrian(k=10)" in text
    text = run("membership", table, *ROLES, "--held-out", 0.8).stdout
    assert "Mondrian(k=10)" not in text  # 9 members
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
    text = run("membership", here, *ROLES, "--held-out-file", there, "--sanitizer", "identity",
               "--attacker", "release", "--attacker", "removal").stdout  # fmt: skip
    assert text.startswith("members.csv: 200 people are published, 100 are held out.\n")
    text = run("membership", here, *ROLES, "--held-out-file", there, "--sanitizer", "identity",
               "--attacker", "population").stdout  # fmt: skip
    assert text.startswith("members.csv: 200 people are published, 80 are held out, 20 are the ")


def test_those_held_out_have_other_codes(crowd, tmp_path):
    frame = pd.read_csv(crowd)
    here, there = tmp_path / "members.csv", tmp_path / "others.csv"
    frame[:200].to_csv(here, index=False)
    frame[200:].assign(town=frame.town.str.upper()).to_csv(there, index=False)
    asked = ["membership", here, *ROLES, "--held-out-file", there, "--sanitizer", "identity",
             "--attacker", "release"]  # fmt: skip
    told = run(*asked, code=2).stderr
    assert "other names for the same values, give --recode 'town=" in told
    remedy = told[told.index("--recode '") + len("--recode '") :].split("'")[0]
    assert run(*asked, "--recode", remedy).stdout.startswith("members.csv: 200 people are")
    done = run("membership", here, *ROLES, "--recode", remedy, code=2)
    assert "--recode is about the values of --held-out-file: give it" in done.stderr


def test_somebody_elses_program(crowd, tmp_path):
    program = tmp_path / "copy.py"
    program.write_text("import shutil, sys\nshutil.copy(sys.argv[1], sys.argv[2])\n")
    text = run("membership", crowd, *ROLES, "--oracle",
               f"{sys.executable} {program} {{input}} {{output}}", "--attacker", "release",
               "--attacker", "population", "--sanitizer", "identity").stdout  # fmt: skip
    plain, oracle = (
        [line for line in text.splitlines() if attacker in line and " to " in line][:2]
        for attacker in (" release ", "population ")
    )
    # It publishes what there is, so it is as bad as no anonymization at all.
    for first, second in (plain, oracle):
        assert first.split()[-6:] == second.split()[-6:]


def test_one_that_cannot_be_done_is_told_and_the_others_are_tested(crowd, tmp_path):
    out = tmp_path / "out.json"
    done = run("membership", crowd, *ROLES, "--sanitizer", "mondrian:k=121", "--sanitizer",
               "mondrian:k=2", "--json", out, code=2)  # fmt: skip
    message = (
        "Mondrian(k=121) cannot be met: the members' part of crowd.csv has 120 records, fewer "
        "than k=121; the largest possible k is 120"
    )
    assert f"error: {message}" in done.stderr
    assert "Mondrian(k=2)" in done.stdout
    content = json.loads(out.read_text(encoding="utf-8"))
    assert content["failed"] == [{"sanitizer": "Mondrian(k=121)", "error": message}]
    assert len(content["findings"]) == 1
    nothing = run("membership", crowd, *ROLES, "--sanitizer", "mondrian:k=121", code=2)
    assert message in nothing.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--held-out", 0], "--held-out must be a share above 0 and below 1, got 0"),
        (["--held-out", 1.5], "--held-out must be a share above 0 and below 1, got 1.5"),
        (["--own", 0], "--own must be a share above 0 and below 1, got 0"),
        (["--held-out", 0.5, "--held-out-file", "x.csv"], "give either --held-out or"),
        (["--held-out-file", "nowhere.csv"], "nowhere.csv"),
        (["--attacker", "releas"], "no attacker 'releas'; did you mean 'release'?"),
        (["--adversary", "naive-bays"], "did you mean 'naive-bayes'?"),
        (["--sanitizer", "mondrain:k=2"], "did you mean 'mondrian'?"),
        (["--records"], "--records adds to the JSON"),
        (["--json", "same.png", "--plot", "same.png"], "--json and --plot name the same file"),
        (["--plot", "roc.txt"], "must end in .png, .svg or .pdf"),
        (["--notation", "age=range"], "--notation is for oracles; give one with --oracle"),
        (["--may-change-sensitive"], "--may-change-sensitive is for oracles"),
        (["--time-limit", "3 s"], "--time-limit is for oracles; give one with --oracle"),
        (["--held-out", 0.001], "none of the 300 records of crowd.csv is held out"),
    ],
)
def test_bad_options_are_told_at_once(crowd, options, message, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_membership, "membership", pytest.fail)
    assert message in run("membership", crowd, *ROLES, *options, code=2).stderr


def test_an_interrupt_keeps_what_was_found(crowd, tmp_path, monkeypatch):
    real = uv.membership

    def impatient(microdata, sanitizer, **options):
        if sanitizer == uv.Mondrian(k=5):
            raise KeyboardInterrupt
        return real(microdata, sanitizer, **options)

    monkeypatch.setattr(_membership, "membership", impatient)
    out = tmp_path / "out.json"
    done = run("membership", crowd, *ROLES, "--sanitizer", "identity", "--sanitizer",
               "mondrian:k=5", "--sanitizer", "mondrian:k=9", "--json", out, code=130)  # fmt: skip
    assert "no anonymization" in done.stdout
    assert "Mondrian(k=9)" not in done.stdout
    assert "interrupted: 1 of 3 anonymizations were tested to the end" in done.stderr
    content = json.loads(out.read_text(encoding="utf-8"))
    assert [one["sanitizer"] for one in content["findings"]] == ["Identity()"]
    assert content["failed"] == [
        {"sanitizer": "Mondrian(k=5)", "error": "Mondrian(k=5): interrupted"}
    ]


def test_an_interrupt_in_the_middle_of_one(crowd, monkeypatch):
    monkeypatch.setattr(Removal, "others", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
    done = run("membership", crowd, *ROLES, "--sanitizer", "identity", "--sanitizer",
               "mondrian:k=5", code=130)  # fmt: skip
    assert "NOT SCORED under no anonymization by removal: 240 people: interrupted" in done.stdout
    assert "interrupted: 0 of 2 anonymizations were tested to the end" in done.stderr


def test_the_members_are_not_held_out(table):
    done = run("membership", table, *ROLES, "--held-out-file", table, code=2)
    assert "is the members' own table" in " ".join(done.output.split())


def test_one_adversary_only(table):
    done = run(
        "membership", table, *ROLES, "--adversary", "naive-bayes", "--adversary", "tree", code=2
    )
    assert "give one --adversary; got naive-bayes, tree" in " ".join(done.output.split())
