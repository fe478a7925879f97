"""`unveil definetti`: what it prints, writes, refuses, and how it exits."""

import json
import re

import pandas as pd
import pytest
from command_line import ROLES, run

import unveil as uv
from unveil.cli import _console


@pytest.fixture(autouse=True)
def _quiet(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_console, "_PATIENCE", 3600)  # nothing is said about compiling


@pytest.fixture
def survey(table):
    return uv.read_csv(table, quasi=["age", "town"], sensitive="vote")


def test_a_release_is_told_as_the_library_tells_it(table, survey):
    done = run("definetti", table, *ROLES, "--sanitizer", "mondrian:k=5", "--rounds", "3")
    finding = uv.definetti(uv.Mondrian(k=5).sanitize(survey), survey, rounds=3)
    assert finding.verdict() in " ".join(done.stdout.split())


def test_several_are_compared_and_what_cannot_be_done_is_told(table, tmp_path):
    done = run(
        "definetti", table, *ROLES, "--sanitizer", "mondrian:k=5", "--sanitizer", "anatomy:l=2",
        "--sanitizer", "randomized-response:epsilon=1", "--worst", "2", "--plot", "picture.png",
        "--json", "found.json", "--records", code=2,
    )  # fmt: skip
    assert "guessed within groups" in done.stdout
    assert "The worst-placed under" in done.stdout
    assert "publishes values of vote that need not be" in done.stderr
    assert (tmp_path / "picture.png").stat().st_size > 10_000
    content = json.loads((tmp_path / "found.json").read_text())
    assert [one["finding"] for one in content["findings"]] == ["definetti"] * 2
    assert len(content["failed"]) == 1
    assert len(content["findings"][0]["records"]["row"]) == 60


def test_tables_of_anatomy_alone(survey):
    release = uv.Permuted.from_groups(survey, [i // 3 for i in range(60)])
    release.write("anatomy")
    done = run(
        "definetti", *ROLES, "--anatomy", "anatomy", "--method", "foreground", "--by", "town",
        "--json", "-",
    )  # fmt: skip
    (found,) = json.loads(done.stdout)["findings"]
    assert (found["method"], found["learnt_from"], found["right"]) == ("foreground", ["town"], None)
    expected = uv.definetti(release, method="foreground", by="town")
    assert found["exceeding"] == int(expected.exceeding.sum())


def test_people_of_another_file(table, survey):
    uv.Mondrian(k=5).sanitize(survey).to_frame(by_class=True).to_csv("published.csv", index=False)
    pd.read_csv(table)[["name", "age", "town"]].to_csv("register.csv", index=False)
    done = run(
        "definetti", *ROLES, "--release", "published.csv", "--external", "register.csv",
        "--json", "-",
    )  # fmt: skip
    (found,) = json.loads(done.stdout)["findings"]
    assert found["source"] == "register.csv"
    assert (found["placed"], found["right"]) == (60, None)
    done = run(
        "definetti", table, *ROLES, "--release", "published.csv", "--external", "register.csv",
        "--identifier", "name", "--json", "-",
    )  # fmt: skip
    (found,) = json.loads(done.stdout)["findings"]
    assert found["known"] == 60
    done = run(
        "definetti", *ROLES, "--release", "published.csv", "--external", "register.csv",
        "--identifier", "name", "--about", pd.read_csv(table)["name"][0],
    )  # fmt: skip
    assert "belief in each vote" in done.stdout
    done = run("definetti", *ROLES, "--release", "published.csv", code=2)
    assert "give the original, FILE, or a table of the people, --external" in " ".join(
        done.stderr.split()
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "there is nothing to look at"),
        (["--anatomy", "a", "--external", "nobody.csv"], "nobody.csv"),
        (["--anatomy", "a", "--records"], "--records adds to the JSON"),
    ],
)
def test_what_can_be_wrong_is_told_at_once(args, message):
    done = run("definetti", *ROLES, *args, code=2)
    assert message in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--worst", "-1"], "error: --worst -1.* must be a whole number from 0 up"),
        (["--smoothing", "0"], "error: --smoothing 0.* must be a number above 0"),
        (["--by", "twon"], "--by names 'twon', .* did you mean 'town'"),
        (["--method", "foreground", "--rounds", "4"], "--rounds must be 1 for foreground"),
    ],
)
def test_options_are_refused_before_anything_is_read(table, options, message):
    done = run("definetti", table, *ROLES, "--sanitizer", "anatomy:l=2", *options, code=2)
    assert re.search(message, done.stderr)
    assert not done.stdout
