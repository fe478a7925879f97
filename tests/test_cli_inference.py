"""``unveil inference``, run as users do."""

import functools
import json

import numpy as np
import pandas as pd
import pytest
from command_line import ROLES, run

import unveil as uv
from unveil.attacks.inference import _inference


def _instead(monkeypatch, function):
    """Put another function in the place of the attack's own."""
    monkeypatch.setattr(_inference, "inference", functools.wraps(uv.inference)(function))


@pytest.fixture
def halves(table, tmp_path):
    """The survey's first 40 people, what was published of them, and the others."""
    frame = pd.read_csv(table)
    here, there, published = (tmp_path / f"{n}.csv" for n in ("members", "others", "published"))
    frame[:40].to_csv(here, index=False)
    frame[40:].to_csv(there, index=False)
    people = uv.read_csv(here, quasi=["age", "town"], sensitive="vote")
    uv.Mondrian(k=4).sanitize(people).to_frame().to_csv(published, index=False)
    return here, there, published


def test_folds_and_the_python_numbers(table, tmp_path):
    out = tmp_path / "out.json"
    text = run("inference", table, *ROLES, "--sanitizer", "mondrian:k=3", "--folds", 4, "--seed",
               2, "--adversary", "naive-bayes", "--adversary", "conditional-frequency",
               "--confidence", 0.5, "--json", out, "--records").stdout  # fmt: skip
    content = json.loads(out.read_text(encoding="utf-8"))
    people = uv.read_csv(table, quasi=["age", "town"], sensitive="vote")
    finding = uv.inference(
        uv.Mondrian(k=3), people, folds=4, seed=2, confidence=0.5,
        adversary=["naive-bayes", "conditional-frequency"],
    )  # fmt: skip
    again = finding.to_dict(records=True)
    (found,) = content["findings"]
    assert found == again
    assert content["failed"] == []
    words = " ".join(text.split())
    assert " ".join(finding.verdict().split()) in words
    assert "people's own records add" in words
    assert max(map(len, text.splitlines())) <= 100


def test_a_first_look_and_a_picture(table, tmp_path):
    out = tmp_path / "guesses.svg"
    text = run("inference", table, *ROLES, "--held-out", 0.7, "--plot", out).stdout
    assert "no anonymization" in text
    assert "Mondrian(k=10)" in text
    assert "Mondrian(k=20)" not in text  # 18 are published
    assert out.read_text(encoding="utf-8").lstrip().startswith("<?xml")


def test_a_published_file_and_people_who_are_not_in_it(halves):
    here, there, published = halves
    alone = run("inference", here, *ROLES, "--release", published).stdout
    words = " ".join(alone.split())
    assert "Give people who are not in the release as --held-out, or the sanitizer" in words
    both = json.loads(
        run("inference", here, *ROLES, "--release", published, "--sanitizer", "mondrian:k=4",
            "--held-out", there, "--json", "-").stdout
    )["findings"]  # fmt: skip
    for found in both:
        assert len(found["adversaries"]) == 2
        for one in found["adversaries"]:
            assert (one["inside"]["people"], one["outside"]["people"]) == (40, 20)
    # The file is what the sanitizer publishes, also for ages that only the others have.
    assert both[0]["adversaries"][0]["inside"] == both[1]["adversaries"][0]["inside"]
    # A cell as it was written covers ages in between, and the sanitizer's own does the same.
    assert np.isfinite(both[0]["adversaries"][0]["gap"]["value"])


def test_anatomy_s_tables(table, tmp_path):
    people = uv.read_csv(table, quasi=["age", "town"], sensitive="vote")
    release = uv.Anatomy(l=2, seed=1).sanitize(people)
    release.write(tmp_path / "records.csv", tmp_path / "secrets.csv")
    done = run("inference", table, *ROLES, "--anatomy", tmp_path / "records.csv",
               "--sensitive-table", tmp_path / "secrets.csv", "--json", "-")  # fmt: skip
    [found] = json.loads(done.stdout)["findings"]
    assert found["accuracy"] == uv.inference(release, people).accuracy


def test_values_that_were_changed(table, tmp_path):
    people = uv.read_csv(table, quasi=["age", "town"], sensitive="vote")
    path = tmp_path / "changed.csv"
    uv.RandomizedResponse(epsilon=1, seed=1).sanitize(people).to_frame().to_csv(path, index=False)
    done = run("inference", table, *ROLES, "--release", path, code=2)
    assert "--may-change-sensitive" in done.stderr
    done = run("inference", table, *ROLES, "--release", path, "--may-change-sensitive")
    assert "changed.csv" in done.stdout


def test_one_that_cannot_be_done_is_told_and_the_others_are_tested(table, tmp_path):
    out = tmp_path / "out.json"
    done = run("inference", table, *ROLES, "--sanitizer", "mondrian:k=50", "--sanitizer",
               "identity", "--json", out, code=2)  # fmt: skip
    assert "survey.csv without fold 1 of 5 has 48 records" in done.stderr
    assert "Identity()" in done.stdout
    content = json.loads(out.read_text(encoding="utf-8"))
    assert [one["sanitizer"] for one in content["failed"]] == ["Mondrian(k=50)"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--held-out", 2], "--held-out 2.0 is not possible: it must be a number above 0 below 1"),
        (["--held-out", 0.5, "--held-out", "x.csv"], "--held-out is given twice"),
        (["--adversary", "naive-bays"], "did you mean 'naive-bayes'?"),
        (["--sanitizer", "mondrain:k=2"], "did you mean 'mondrian'?"),
        (["--records"], "--records adds to the JSON"),
        (["--group", "g"], "--group is for the tables of --anatomy"),
        (["--timeout", "3 s"], "--timeout is for programs of others"),
        (["--held-out", "survey.csv"], "--held-out survey.csv is FILE itself"),
        (["--confidence", 0], "--confidence 0.0 is not possible"),
        (["--folds", 1], "--folds 1 is not possible"),
        (["--targets", "x"], "--targets x is not possible"),
    ],
)
def test_bad_options_are_told_at_once(table, options, message, monkeypatch):
    monkeypatch.chdir(table.parent)
    _instead(monkeypatch, lambda **_: pytest.fail("it has begun"))
    assert message in " ".join(run("inference", table, *ROLES, *options, code=2).stderr.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--targets", 61], "--targets 61: the table has 60 records"),
        (
            ["--held-out", 0.5, "--folds", 3],
            "--folds 3 and --held-out both say who is held out",
        ),
        (["--folds", 61], "--folds 61 is too many: survey.csv has 60 records"),
    ],
)
def test_messages_in_command_line_words(table, options, message):
    done = run("inference", table, *ROLES, "--sanitizer", "identity", *options, code=2)
    assert message in " ".join(done.stderr.split())


def test_an_interrupt_keeps_what_was_found(table, monkeypatch):
    real = uv.inference

    def impatient(published, **options):
        if published == uv.Mondrian(k=5):
            raise KeyboardInterrupt
        return real(published, **options)

    _instead(monkeypatch, impatient)
    done = run("inference", table, *ROLES, "--sanitizer", "identity", "--sanitizer",
               "mondrian:k=500", "--sanitizer", "mondrian:k=5", "--sanitizer", "mondrian:k=9",
               code=130)  # fmt: skip
    assert "Identity()" in done.stdout
    assert "error: Mondrian(k=500) cannot be met" in done.stderr
    assert "interrupted: 1 of 4 releases were looked at to the end" in done.stderr
