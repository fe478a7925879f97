"""`unveil measures`, as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from command_line import run as run_command
from reference_tables import ORIGINAL, T_CLOSE, THREE_DIVERSE

import unveil as uv


@pytest.fixture
def published(tmp_path, monkeypatch):
    """The reference tables of the discrimination rate, in files."""
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(THREE_DIVERSE).to_csv("diverse.csv", index=False)
    close = pd.DataFrame(T_CLOSE).rename(columns={"Age**": "Age*"})
    close.to_csv("close.csv", index=False)
    pd.DataFrame(ORIGINAL).to_csv("original.csv", index=False)
    return tmp_path


def run(*words: str):
    return run_command("measures", *words, code=None)


KEYS = ("--quasi", "ZIP*,Age*", "--sensitive", "Salary")


def test_a_table(published):
    done = run("diverse.csv", *KEYS)
    assert done.exit_code == 0, done.output
    assert "0.375   furthest class from the table, ordered distance" in done.output
    assert "355**" not in done.output  # no cell of the table, unless asked
    named = run("diverse.csv", *KEYS, "--classes")
    assert "  t\n    ZIP*=355**, Age*=2* (3 records)" in named.output


def test_two_side_by_side(published):
    thirds = ("--partition", "low:4-7,middle:7-10,high:10-")
    done = run("diverse.csv", "close.csv", *KEYS, *thirds, "--json", "both.json", "--records")
    assert done.exit_code == 0, done.output
    both = json.loads((published / "both.json").read_text())
    rates = {
        one["source"]: one["measures"]["semantic_discrimination_rate"]["rate"]
        for one in both["findings"]
    }
    assert list(rates) == ["diverse.csv", "close.csv"]
    first = uv.discrimination_rate(THREE_DIVERSE, quasi=["ZIP*", "Age*"], sensitive="Salary",
                                   partition=[[4, 5, 6], [7, 8, 9], [10, 11, 12]])  # fmt: skip
    assert rates["diverse.csv"] == pytest.approx(first.rate, rel=1e-12)
    assert "SeDR" in done.output


def test_a_picture(published):
    done = run("diverse.csv", "close.csv", *KEYS, "--plot", "classes.png")
    assert done.exit_code == 0, done.output
    assert (published / "classes.png").read_bytes().startswith(b"\x89PNG")
    both = uv.compare_measures(
        {name: uv.count(name, quasi=["ZIP*", "Age*"]) for name in ("diverse.csv", "close.csv")}
    )
    axes = both.plot()
    assert [text.get_text() for text in axes.get_legend().get_texts()] == list(both.tables)
    # Three classes of three, and three of three.
    assert axes.lines[0].get_ydata().tolist() == [0.0, 1.0]


def test_json_on_standard_output(published):
    done = run("diverse.csv", *KEYS, "--json", "-")
    assert done.exit_code == 0
    [found] = json.loads(done.stdout)["findings"]
    assert found["finding"] == "measures"
    assert found["measures"]["t_closeness"]["t"] == pytest.approx(0.375)
    assert "355**" not in done.stdout


def test_subsets_population_and_levels(published):
    done = run("diverse.csv", *KEYS, "--subsets", "2", "--population-size", "1000",
               "--distance", "equal", "--l", "3", "--threshold", "0.05")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "journalist average" in done.output
    assert "c for ℓ = 3" in done.output
    assert "Unique subsets" in done.output
    assert "Discrimination rates" in done.output
    done = run("diverse.csv", "--quasi", "Age*", "--sensitive", "Disease", "--ordinal",
               "Disease=" + "|".join(sorted(set(THREE_DIVERSE["Disease"]))))  # fmt: skip
    assert "ordered distance" in done.output


def test_what_is_lost(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    survey = uv.datasets.election_survey()
    survey.to_frame().to_csv("survey.csv", index=False)
    release = uv.Mondrian(k=5).sanitize(survey)
    release.to_frame().to_csv("release.csv", index=False)
    trees = str(Path(uv.datasets.__file__).parent / "hierarchies")
    keys = ("--quasi", "age,education,income,population", "--sensitive", "party",
            "--hierarchies", trees)  # fmt: skip
    done = run("release.csv", *keys, "--original", "survey.csv", "--json", "out.json")
    assert done.exit_code == 0, done.output
    found, lost = json.loads((tmp_path / "out.json").read_text())["findings"]
    assert found["measures"]["k_anonymity"]["k"] == 5
    assert lost["information_loss"]["loss"] > 0


def test_a_hierarchy_of_the_secret(published):
    (published / "trees").mkdir()
    lines = [f"{d};{'cancer' if 'cancer' in d else 'other'};*" for d in
             sorted(set(THREE_DIVERSE["Disease"]))]  # fmt: skip
    (published / "trees" / "Disease.csv").write_text("\n".join(lines))
    keys = ("--quasi", "ZIP*,Age*", "--sensitive", "Disease", "--hierarchies", "trees")
    done = run("diverse.csv", *keys, "--partition", "level=1")
    assert done.exit_code == 0, done.output
    assert "hierarchical distance" in done.output
    assert "SeDR" in done.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing.csv", *KEYS], "nothing.csv' does not exist"),
        (["diverse.csv", "--quasi", "Zip*"], "did you mean 'ZIP*'?"),
        (["diverse.csv", "--quasi", "Age*", "--partition", "low:4-7,high:7-"], "--sensitive"),
        (["diverse.csv", *KEYS, "--partition", "low:0-5,high:7-"], "5, 6"),
        (["diverse.csv", *KEYS, "--records"], "--json"),
        (["diverse.csv", "diverse.csv", *KEYS], "named twice"),
        (["diverse.csv", "--quasi", "Age*", "--original", "original.csv"], "--sensitive"),
        (["diverse.csv", *KEYS, "--memory", "much"], "much"),
        (["diverse.csv", *KEYS, "--memory", "4"], "such as 4GB"),
        (["diverse.csv", *KEYS, "--population-size", "5"], "the population only 5 people"),
        (
            ["diverse.csv", *KEYS, "--partition", "Salary"],
            "has 'Salary' where a category should be",
        ),
        (
            ["diverse.csv", "--quasi", "Age*", "--sensitive", "Disease", "--distance", "ordered"],
            "--ordinal 'Disease=…|…', or use --distance equal",
        ),
        (
            [
                "diverse.csv",
                "--quasi",
                "Age*",
                "--sensitive",
                "Disease",
                "--distance",
                "hierarchical",
            ],
            "give one with --hierarchies",
        ),
        (
            ["diverse.csv", *KEYS, "--population-size", "90", "--population", "close.csv"],
            "give --population or --population-size",
        ),
        (
            ["diverse.csv", *KEYS, "--wildcard", "2*", "--population-size", "90"],
            "leave out --wildcard",
        ),
        (["diverse.csv"], "diverse.csv has the columns ZIP*, Age*, Salary, Disease"),
    ],
)
def test_bad_input(published, words, said):
    done = run(*words)
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.output


def test_standard_input_and_a_file_without_a_header(published):
    text = (published / "diverse.csv").read_text()
    done = run_command("measures", "-", *KEYS, code=None, input=text)
    assert done.exit_code == 0, done.output
    assert done.output.startswith("Measures of standard input by ZIP*, Age*")
    (published / "bare.csv").write_text(text.split("\n", 1)[1])
    done = run("bare.csv", *KEYS, "--columns", "ZIP*,Age*,Salary,Disease")
    assert done.exit_code == 0, done.output
    assert "0.375   furthest class" in done.output


def test_an_empty_table_and_a_ragged_one(published):
    (published / "empty.csv").write_text("age,vote\n")
    done = run("empty.csv", "--quasi", "age")
    assert done.exit_code == 2
    assert "empty.csv has no records" in done.stderr
    (published / "ragged.csv").write_text("age,vote\n1,a\n2,b,c\n3,a\n")
    done = run("ragged.csv", "--quasi", "age")
    assert done.exit_code == 2
    assert "ragged.csv" in done.stderr


def test_a_population_behind_generalized_cells(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people = pd.DataFrame(
        {"age": range(20, 40), "sex": ["Female", "Male"] * 10, "s": list("xy") * 10}
    )
    table = uv.read_table(people[:8], quasi=["age", "sex"], sensitive="s")
    release = uv.Mondrian(k=2).sanitize(table)
    release.to_frame().to_csv("published.csv", index=False)
    everybody = uv.read_table(people, quasi=["age", "sex"], sensitive="s")
    expected = uv.reidentification_risk(release, population=everybody)
    people.drop(columns="s").assign(sex=people.sex.str[0]).to_csv("people.csv", index=False)
    asked = ("published.csv", "--quasi", "age,sex", "--population", "people.csv")
    done = run(*asked)
    assert done.exit_code == 2
    remedy = "sex=F->Female|M->Male"
    assert f"give --recode '{remedy}'" in done.output
    done = run(*asked, "--recode", remedy, "--json", "out.json")
    assert done.exit_code == 0, done.output
    (found,) = json.loads((tmp_path / "out.json").read_text())["findings"]
    risk = found["measures"]["reidentification_risk"]
    again = expected.to_dict()
    assert risk["k_map"] == again["k_map"]
    assert risk["journalist"]["average"] == again["journalist"]["average"]
    assert (
        "'age': read as cells, which match everybody in people.csv whom they cover" in done.output
    )
    done = run("published.csv", "--quasi", "age,sex", "--recode", remedy)
    assert "--recode is about the values of a population: give --population" in done.output


def test_nodes_of_hierarchies_that_a_population_is_beneath(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"town": ["Italy", "Italy", "Lyon"]}).to_csv("published.csv", index=False)
    pd.DataFrame({"town": ["Rome", "Bari", "Rome", "Lyon", "Nice"]}).to_csv("all.csv", index=False)
    Path("trees").mkdir()
    Path("trees/town.csv").write_text(
        "Rome;Italy;*\nBari;Italy;*\nLyon;France;*\nNice;France;*\n", encoding="utf-8"
    )
    asked = ("published.csv", "--quasi", "town", "--population", "all.csv")
    done = run(*asked)
    assert done.exit_code == 2
    assert "if they are groups of these, give --hierarchies" in done.output
    done = run(*asked, "--hierarchies", "trees", "--json", "-")
    assert done.exit_code == 0, done.output
    (found,) = json.loads(done.stdout)["findings"]
    assert found["measures"]["reidentification_risk"]["k_map"] == 1  # Lyon; of Italy there are 3
    assert found["measures"]["reidentification_risk"]["marketer"]["average"] == pytest.approx(
        (2 * (1 / 3) + 1) / 3
    )


def test_what_was_published_is_named_as_in_an_audit_and_several_secrets_are_measured(published):
    one = run("diverse.csv", *KEYS)
    assert run("--published", "diverse.csv", *KEYS).output == one.output
    done = run("--published", "first=diverse.csv", "close.csv", "--quasi", "ZIP*,Age*",
               "--sensitive", "Salary,Disease", "--categorical", "Salary",
               "--json", "all.json")  # fmt: skip
    assert done.exit_code == 0, done.output
    found = json.loads((published / "all.json").read_text())["findings"]
    assert [(one["sensitive"], one["source"]) for one in found] == [
        (secret, file) for secret in ("Salary", "Disease") for file in ("close.csv", "diverse.csv")
    ]  # fmt: skip
    assert "first" in done.output
    assert "equal distance" in done.output  # words have no order
    assert run("--published", "diverse.csv", *KEYS, "--form", "Age=1,2").exit_code == 2
