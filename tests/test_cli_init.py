"""`unveil init`: what it prints, writes, refuses, and how it exits."""

from __future__ import annotations

import tomllib

import pandas as pd
import pytest
from command_line import run

import unveil as uv
from unveil.microdata import Role


def test_it_writes_a_project_and_says_why(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = run("init", table).stdout
    assert text.startswith("survey.csv: 60 rows, 4 columns.\n")
    lines = [line.rstrip() for line in text.splitlines() if line]
    rows = {line.split()[0]: line.split(maxsplit=2)[1:] for line in lines}
    assert rows["name"] == ["identifier", "a name, by its name, and almost every value occurs once"]
    assert rows["age"][0] == "quasi"
    assert rows["vote"][1].rstrip() == "politics, by its name: 3 values"
    assert text.endswith("Written to unveil.toml. Read it, correct it, and then:\n"
                         "  unveil audit --project unveil.toml\n")  # fmt: skip
    assert max(map(len, text.splitlines())) <= 100
    project = uv.Project.read("unveil.toml")
    assert project.roles == {
        "name": Role.IDENTIFIER, "age": Role.QUASI, "town": Role.QUASI, "vote": Role.SENSITIVE,
    }  # fmt: skip
    assert len(project.microdata()[0]) == 60


def test_it_overwrites_only_if_told(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "unveil.toml").write_text("mine")
    said = run("init", table, code=2).stderr
    assert said == ("error: 'unveil.toml' is there already; --force replaces it, -o names another "
                    "file\n")  # fmt: skip
    assert (tmp_path / "unveil.toml").read_text() == "mine"
    run("init", table, "--force")
    assert uv.Project.read("unveil.toml").sensitive == ("vote",)
    assert "would be overwritten" in run("init", table, "--force", "-o", table, code=2).stderr


def test_elsewhere_and_on_standard_output(table, tmp_path):
    (tmp_path / "a b").mkdir()
    place = tmp_path / "a b" / "p.toml"
    text = run("init", table, "-o", place).stdout
    assert f"unveil audit --project '{place}'" in text
    assert uv.Project.read(place).data.file == "../survey.csv"
    result = run("init", table, "-o", "-")
    assert tomllib.loads(result.stdout)["roles"]["vote"] == "sensitive"
    assert result.stderr.startswith("survey.csv: 60 rows")


def test_a_file_without_a_header(tmp_path):
    file = tmp_path / "people.data"
    file.write_text("31;Rome;a\n" * 9 + "45;Lyon;b\n" * 9)
    out = ["-o", tmp_path / "p.toml"]
    said = run("init", file, *out, code=2).stderr
    assert said.startswith("error: ")
    assert said.endswith("--columns\n")
    assert "Rome" not in said
    run("init", file, *out, "--columns", "age,town,vote", "--delimiter", ";")
    assert uv.Project.read(out[1]).microdata()[0]["age"].texts == ("31", "45")


def test_columns_that_are_nothing_share_a_line(tmp_path):
    file = tmp_path / "answers.csv"
    answers = {f"q{i}": ["yes", "no"] * 20 for i in range(30)}
    pd.DataFrame({"age": [30, 40] * 20, "vote": ["a", "b"] * 20, **answers}).to_csv(
        file, index=False
    )
    text = run("init", file, "-o", tmp_path / "p.toml").stdout
    assert text.count("yes or no") == 1
    assert all(name in text for name in answers)


@pytest.mark.parametrize("name", ["a\x1b[31mb", "[bold]x[/bold]", "a\nb", '"><img src=x>', "😀"])
def test_names_cannot_steer_the_terminal(name, tmp_path):
    file = tmp_path / "people.parquet"
    people = pd.DataFrame({"age": [30, 40] * 20, name: ["a", "b"] * 20})
    people.to_parquet(file, index=False)
    text = run("init", file, "-o", tmp_path / "p.toml").stdout
    assert "\x1b" not in text
    assert name.encode("unicode_escape").decode() in text or name in text
    assert list(uv.Project.read(tmp_path / "p.toml").roles) == ["age", name]


def test_very_many_columns_that_are_nothing_are_counted(tmp_path):
    file = tmp_path / "answers.csv"
    answers = {f"q{i}": ["yes", "no"] * 20 for i in range(300)}
    pd.DataFrame({"age": [30, 40] * 20, "vote": ["a", "b"] * 20, **answers}).to_csv(
        file, index=False
    )
    text = " ".join(run("init", file, "-o", tmp_path / "p.toml").stdout.split())
    assert "and 260 more" in text
    assert "q299" not in text
    assert 'q299 = "other"' in (tmp_path / "p.toml").read_text(encoding="utf-8")
