"""``unveil harden``: what it prints, writes and refuses, and how it exits."""

import json
from functools import wraps

import pandas as pd
import pytest
from command_line import ROLES, run

import unveil as uv
from unveil.cli import _harden

MONDRIAN = ["--sanitizer", "mondrian:k=3"]
REACHED = ["--delta", "0.35", "--at-most", "0.5"]
NOT_REACHED = ["--delta", "0.001", "--rounds", "2"]


def microdata(table):
    return uv.read_csv(table, quasi=["age", "town"], sensitive="vote")


def test_a_goal_that_is_reached(table, tmp_path):
    out, found, plot = (tmp_path / name for name in ("out.csv", "out.json", "rounds.svg"))
    text = run("harden", table, *ROLES, *MONDRIAN, *REACHED, "-o", out, "--json", found,
               "--plot", plot).stdout  # fmt: skip
    hardening = uv.harden(microdata(table), uv.Mondrian(k=3), delta=0.35, at_most=0.5)
    assert hardening.holds
    for line in repr(hardening).splitlines():
        assert " ".join(line.split()) in " ".join(text.split())  # long ones are folded
    written = pd.read_csv(out)
    assert len(written) == len(hardening.microdata)
    pd.testing.assert_frame_equal(
        written.astype(str), hardening.release.to_frame(by_class=True).astype(str)
    )
    document = json.loads(found.read_text(encoding="utf-8"))
    assert document["holds"] is True
    assert "removed_records" not in document["strategies"][0]  # nothing about individuals
    assert plot.read_text(encoding="utf-8").lstrip().startswith("<?xml")


def test_a_goal_that_is_not_reached_exits_with_1_and_writes_the_best_round(table, tmp_path):
    out = tmp_path / "out.parquet"
    result = run("harden", table, *ROLES, *MONDRIAN, *NOT_REACHED, "-o", out, code=1)
    assert "The goal of 0.001 does not hold" in result.stdout
    hardening = uv.harden(microdata(table), uv.Mondrian(k=3), delta=0.001, rounds=2)
    assert len(pd.read_parquet(out)) == len(hardening.microdata)
    assert f"that of round {hardening.best.number} (remove)" in result.stdout


def test_strategies_side_by_side(table, tmp_path):
    out = tmp_path / "out.json"
    options = ["--strategy", "both", "--delta", "0.2", "--at-most", "0.5", "--json", out]
    run("harden", table, *ROLES, *MONDRIAN, *options)
    strategies = json.loads(out.read_text(encoding="utf-8"))["strategies"]
    both = uv.harden(microdata(table), uv.Mondrian(k=3), delta=0.2, at_most=0.5, strategy="both")
    for found, course in zip(strategies, both.courses.values(), strict=True):
        assert [one["delta"] for one in found["rounds"]] == [one.delta for one in course.rounds]


def test_json_on_standard_output_with_the_records(table):
    result = run("harden", table, *ROLES, *MONDRIAN, *REACHED, "--json", "-", "--records")
    document = json.loads(result.stdout)
    hardening = uv.harden(microdata(table), uv.Mondrian(k=3), delta=0.35, at_most=0.5)
    assert document["strategies"][0]["removed_records"] == hardening.removed.tolist()
    assert " holds" in result.stderr


def test_the_release_on_standard_output(table):
    result = run("harden", table, *ROLES, *MONDRIAN, *REACHED, "-o", "-")
    assert result.stdout.startswith("age,town,vote\n")
    assert " holds" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([*MONDRIAN, "--delta", "0"], "--delta 0.0 is not possible: it must be a number above 0"),
        ([*MONDRIAN, "--delta", "nan"], "--delta nan is not possible: it must be a number above 0"),
        (
            [*MONDRIAN, "--rounds", "0"],
            "it must be a whole number from 1 up",
        ),
        (
            [*MONDRIAN, "--at-most", "1.5"],
            "it must be a number above 0 below 1",
        ),
        ([*MONDRIAN, *MONDRIAN], "give one --sanitizer"),
        (["--sanitizer", "mondrain:k=3"], "did you mean 'mondrian'"),
        ([*MONDRIAN, "--adversary", "nobody"], "nobody"),
        ([*MONDRIAN, "--distance", "l2"], "l2"),
        ([*MONDRIAN, "--samples", "1"], "it must be a whole number from 2 up"),
        ([*MONDRIAN, "--error", "0"], "it must be a number above 0 below 1"),
        (
            ["--sanitizer", "laplace-counts:epsilon=1", "--strategy", "merge"],
            "use --strategy remove",
        ),
        ([*MONDRIAN, "-o", "out.txt"], "-o 'out.txt' must end in .csv"),
        ([*MONDRIAN, "-o", "-", "--json", "-"], "cannot both go to standard output"),
        (["--sanitizer", "mondrian:k=100"], "the largest possible k is 60"),
    ],
)
def test_wrong_input(table, options, message):
    assert message in run("harden", table, *ROLES, *options, code=2).stderr


def test_an_attacker_who_draws_lots_is_sampled(table):
    table.write_text("\n".join(table.read_text().splitlines()[:25]) + "\n")  # 24 people
    options = ["--adversary", "tree", "--samples", "4", "--jobs", "1", "--delta", "0.3"]
    result = run(
        "harden", table, *ROLES, *MONDRIAN, *options, "--rounds", "1", "--json", "-", code=1
    )
    document = json.loads(result.stdout)
    options = {"adversary": "tree", "samples": 4, "jobs": 1, "delta": 0.3, "rounds": 1}
    again = uv.harden(microdata(table), uv.Mondrian(k=3), **options)
    assert document["sampled"]["samples_most"] == 4
    found = [one["delta_at_most"] for one in document["strategies"][0]["rounds"]]
    assert found == [one.delta_at_most for one in again.rounds]
    assert f"(at most {again.best.delta_at_most:.3g})" in result.stderr


def test_more_samples_are_asked_for_in_the_words_of_the_shell(table):
    options = ["--adversary", "tree", "--samples", "4", "--jobs", "1", "--delta", "0.99"]
    result = run("harden", table, *ROLES, *MONDRIAN, *options, code=1)
    assert "sample more, such as --samples 16," in " ".join(result.stdout.split())


def test_the_sanitizer_names_its_attacker_unless_the_user_does(table, monkeypatch):
    told = []

    @wraps(uv.harden)
    def seen(*args, adversary=None, **options):
        told.append(adversary)
        return uv.harden(*args, adversary=adversary, **options)

    monkeypatch.setattr(_harden, "hardened", seen)
    run("harden", table, *ROLES, *MONDRIAN, *REACHED)
    run(
        "harden",
        table,
        *ROLES,
        *MONDRIAN,
        "--adversary",
        "conditional-frequency",
        "--delta",
        "0.99",
    )
    assert told == [None, ["conditional-frequency"]]


def test_an_interrupt_keeps_what_was_done(table, monkeypatch):
    @wraps(uv.harden)
    def interrupted_later(*args, watch, **options):
        def stop(strategy, one):
            if one.number == 1:
                raise KeyboardInterrupt

        return uv.harden(*args, watch=stop, **options)

    monkeypatch.setattr(_harden, "hardened", interrupted_later)
    result = run("harden", table, *ROLES, *MONDRIAN, *NOT_REACHED, code=130)
    assert "Ended: it was interrupted." in result.stdout
    assert result.stderr == "interrupted; the rounds that were finished are above\n"


def test_rounds_are_told_as_they_are_finished(table, capsys):
    hardening = uv.harden(
        microdata(table), uv.Mondrian(k=3), delta=0.001, rounds=1, at_a_time=0.05,
        watch=_harden._say_round,
    )  # fmt: skip
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith(f"remove, round 0: δ {hardening.rounds[0].delta:.3g}, loss ")
    assert told[1].startswith("remove, round 1: δ ")
    assert "3 removed" in told[1]


def test_a_table_and_its_options_are_read_as_by_other_commands(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("age;vote\n" + "".join(f"{20 + i};{'ab'[i % 2]}\n" for i in range(20)) + ";a\n")
    roles = ["--quasi", "age", "--sensitive", "vote", *MONDRIAN, "--delta", "0.9"]
    assert "1 of 21 records" in run("harden", path, *roles, "--missing", "drop").stdout


def test_two_tables_are_written_into_a_folder(table, tmp_path):
    anatomy = ["--sanitizer", "anatomy:l=2,seed=1", "--samples", "4"]
    result = run("harden", table, *ROLES, *anatomy, "-o", tmp_path / "out.csv", code=2)
    assert "publishes two tables" in result.output
    out = tmp_path / "out"
    run("harden", table, *ROLES, *anatomy, "--delta", "0.01", "--rounds", "1", "-o", out, code=1)
    assert uv.read_anatomy(out).n_groups > 10
