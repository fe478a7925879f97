"""The scripts of examples/reproductions: published cells to the digit, wrong settings told."""

import doctest
import json
import subprocess
import sys
from pathlib import Path

import adult
import computing_times
import experiment
import internet_usage
import matplotlib.image
import numpy as np
import published
import pytest
import reproduction
import text_regions
from experiment import Outcome, Setting
from reproduction import run

SCRIPTS = {module.__name__: module.main for module in (adult, computing_times, internet_usage)}


def test_published_cells_of_internet_usage_to_the_digit(real_data):
    table = internet_usage._read(real_data, internet_usage.SIX)
    assert (len(table), len(table.distinct)) == (9_799, 9_506)
    settings = [Setting("k", 20), Setting("l", 4)]
    outcomes = list(experiment.measure(table, settings, ["text", "number"], None))
    assert [round(o.of("delta"), 3) for o in outcomes] == [0.512, 0.100, 0.171, 0.070]
    for setting, as_text in zip(settings, outcomes[::2], strict=True):
        printed = published.DELTA[published.INTERNET][setting.goal][setting.value]
        assert reproduction.agreement(printed, as_text.of("delta")) == "same"
        assert len(as_text.distances) == 9_506
    assert outcomes[0].smallest_class == 6  # of a 20-anonymous release


def test_internet_usage_side_by_side(real_data, tmp_path, capsys):
    words = ["--k", "80", "--l", "7", "--columns", "age,race", "--jobs", "1", "--data", real_data]
    words += ["--out", tmp_path / "new" / "pictures", "--json", tmp_path / "numbers.json"]
    assert run(internet_usage.main, [str(word) for word in words]) == 0
    printed = capsys.readouterr().out
    assert "Internet Usage by age, race: δ, the worst record" in printed
    assert "Mondrian(l=7) cannot be met: '$50-74' is the 'household_income' of" in printed
    content = json.loads((tmp_path / "numbers.json").read_text(encoding="utf-8"))
    assert content["reproduction"] == "internet_usage"
    assert content["settings"]["k"] == [80]
    found = {(r.get("k"), r["variant"]): r for r in content["results"]}
    assert found[80, "unveil"]["smallest_class"] >= 80
    assert found[80, "text"]["tested"] == found[80, "unveil-cut"]["tested"]
    assert found[None, "unveil"]["delta"] is None
    pictures = sorted((tmp_path / "new" / "pictures").glob("*.png"))
    assert [path.stem for path in pictures] == [
        f"internet_usage-{what}" for what in ("distances", "distributions", "shares")
    ]
    for path in pictures:
        assert np.ptp(matplotlib.image.imread(path)) > 0.9  # not blank


def test_draws_of_adult(real_data, tmp_path, capsys):
    words = ["--records", "300", "--draws", "2", "--k", "1,5", "--compare", "number"]
    words += ["--data", str(real_data), "--out", str(tmp_path), "--json", str(tmp_path / "n.json")]
    assert run(adult.main, words) == 0
    printed = capsys.readouterr().out
    assert "Median and range over 2 random draws" in printed
    assert " to " in printed
    results = json.loads((tmp_path / "n.json").read_text())["results"]
    assert {r["draw"] for r in results} == {0, 1}
    plain = [r for r in results if r["k"] == 1]
    assert len({(r["draw"], r["delta"]) for r in plain}) == 2  # the same in every variant
    assert run(adult.main, words) == 0
    again = json.loads((tmp_path / "n.json").read_text())["results"]
    assert [r["delta"] for r in again] == [r["delta"] for r in results]


def test_a_draw_keeps_no_values_that_only_others_have(real_data):
    table = adult.uv.datasets.adult(real_data)
    some = adult.drawn(table, 50, seed=3, draw=1)
    assert len(some) == 50
    assert some["age"].size == len(set(some["age"].decode()))
    assert some["education"].size == table["education"].size  # by its hierarchy
    other = adult.drawn(table, 50, seed=3, draw=2)
    assert some.rows.tolist() != other.rows.tolist()


def test_computing_times(real_data, tmp_path, capsys):
    words = ["--k", "80", "--sample", "1", "--data", str(real_data), "--out", str(tmp_path)]
    assert run(computing_times.main, [*words, "--json", str(tmp_path / "times.json")]) == 0
    printed = capsys.readouterr().out
    assert "Machines differ" in printed
    results = json.loads((tmp_path / "times.json").read_text())["results"]
    assert [(r["data"], r["published_minutes"]) for r in results] == [
        ("Adult", 60), ("Internet Usage", 48),
    ]  # fmt: skip
    assert all(r["anew_minutes"] * 60 > r["fast_seconds"] > 0 for r in results)


WRONG = [
    ("internet_usage", ["--k", "two"], "--k: 'two' is no whole number from 1 up; give one, or "
     "several with commas, such as --k 2,5"),
    ("internet_usage", ["--l", "2,0"], "--l: '0' is no whole number from 1 up"),
    ("internet_usage", ["--k", ""], "nothing to do: give values of k or ℓ, such as --k 2,5"),
    ("internet_usage", ["--compare", "txt"], "--compare must be text or number, got 'txt'; did "
     "you mean 'text'?"),
    ("internet_usage", ["--columns", "agee"], "did you mean 'age'?"),
    ("internet_usage", ["--columns", ","], "--columns is empty"),
    ("internet_usage", ["--jobs", "0"], "--jobs: '0' is no whole number from 1 up"),
    ("internet_usage", ["--jobs", "1,2"], "--jobs takes one whole number, got '1,2'"),
    ("internet_usage", ["--json", "."], "--json: '.' is a folder; name a file in it"),
    ("internet_usage", ["--out", "file/in/it"], "the folder 'file/in/it' cannot be made"),
    ("adult", ["--records", "50000"], "--records 50000: the table has 45,222 records to draw from"),
    ("adult", ["--seed", "-1"], "--seed: '-1' is no whole number from 0 up"),
    ("computing_times", ["--columns", "age"], "times were published for the report's own columns"),
]  # fmt: skip


@pytest.mark.parametrize(("script", "words", "message"), WRONG)
def test_wrong_settings(script, words, message, real_data, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    assert run(SCRIPTS[script], [*words, "--data", str(real_data)]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("error: ")
    assert message in printed.err
    assert printed.out == ""


def test_without_the_data_it_says_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UNVEIL_DATA", "nowhere")
    assert run(internet_usage.main, ["--quick"]) == 2
    error = capsys.readouterr().err
    assert "there is no folder 'nowhere' with public microdata" in error
    assert "--data FOLDER or the environment variable UNVEIL_DATA" in error
    assert run(adult.main, ["--data", str(tmp_path)]) == 2
    assert "there is no file 'adult/adult.data' in" in capsys.readouterr().err


def test_as_users_call_it():
    words = [sys.executable, internet_usage.__file__, "--k", "x"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: --k: 'x'")


def test_an_interrupt_is_no_failure(capsys):
    def interrupted(words):
        raise KeyboardInterrupt

    assert run(interrupted) == 130
    assert capsys.readouterr().err == "interrupted\n"


@pytest.mark.parametrize("module", [reproduction, text_regions])
def test_examples_in_docstrings(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_what_no_variant_can_do_is_a_dash():
    nothing = Outcome(setting=Setting("l", 9), variant="unveil", distances=np.empty(0))
    assert np.isnan(nothing.of("delta"))
    assert nothing.to_dict()["mean"] is None
    assert reproduction.shown(nothing.of("std")) == "–"
