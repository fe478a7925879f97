"""Every example and every command in the README and on the documentation's pages runs."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from unveil import datasets
from unveil.cli import app
from unveil.microdata import Permuted, read_csv, read_table
from unveil.sanitize import Mondrian

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
CONSOLE_BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = PYTHON_BLOCK.findall(page.read_text(encoding="utf-8"))
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=FLAGS)
    # One page is one conversation: later blocks use what earlier ones defined.
    test = parser.get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    report: list[str] = []
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)
    assert all(">>>" in block for block in blocks), f"{page.name}: an example that is not run"
    assert page.name in ("command-line.md", "speed.md") or test.examples


def commands(page: Path) -> list[list[str]]:
    """The unveil commands in a page's console blocks, without their remarks."""
    found = []
    for block in CONSOLE_BLOCK.findall(page.read_text(encoding="utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:2] == ["$", "unveil"]:
                found.append(words[2:])
    return found


def somebody_elses_anonymization(survey: Path) -> None:
    """A program that publishes decades instead of ages, what it published, and a folder of it."""
    program = Path("anonymize")
    program.write_text(
        f"#!{sys.executable}\n"
        "import csv, sys\n"
        "rows = list(csv.DictReader(open(sys.argv[1])))\n"
        "with open(sys.argv[2], 'w', newline='') as file:\n"
        "    writer = csv.DictWriter(file, rows[0])\n"
        "    writer.writeheader()\n"
        "    for row in rows:\n"
        "        low = int(row['age']) // 10 * 10\n"
        "        writer.writerow({**row, 'age': f'{low}-{low + 9}'})\n"
    )
    program.chmod(0o755)
    lines = survey.read_text().splitlines(keepends=True)
    Path("releases").mkdir()
    for name, left_out in (("full", None), ("without_000003", 3), ("without_000017", 17)):
        kept = [line for number, line in enumerate(lines, start=-1) if number != left_out]
        Path("input.csv").write_text("".join(kept))
        subprocess.run(["./anonymize", "input.csv", f"releases/{name}.csv"], check=True)
    shutil.copy("releases/full.csv", "published.csv")


def register_and_hospitals(survey: pd.DataFrame) -> None:
    """People with names and other codes, and two releases with the people who are in both."""
    codes = survey.country.str[0]
    voters = survey[["name", "age", "education"]].assign(nation=codes)
    voters[:40].to_csv("voters.csv", index=False)
    both = survey[20:60]
    both.to_csv("both.csv", index=False)
    both[["name", "age", "education", "country"]].to_csv("people.csv", index=False)
    for name, part in (("city", survey[:60]), ("county", survey[20:])):
        table = read_table(part, quasi=["age", "education", "country"], sensitive="income")
        Mondrian(k=5).sanitize(table).to_frame().assign(id=part.name.to_numpy()).to_csv(
            f"{name}.csv", index=False
        )


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda p: p.name)
def test_commands_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    survey = datasets.election_survey().take(range(80)).to_frame()
    names = ["Ann Smith", *(f"Person {number}" for number in range(1, 80))]
    survey = survey.assign(country=["France", "Germany"] * 40, name=names)
    survey.to_csv("survey.csv", index=False)
    others = datasets.election_survey().take(range(80, 160)).to_frame()
    others.assign(country=["France", "Germany"] * 40).to_csv("others.csv", index=False)
    shutil.copytree(Path(datasets.__file__).parent / "hierarchies", "hierarchies")
    Path("hierarchies/country.csv").write_text("France;Europe;*\nGermany;Europe;*\n")
    somebody_elses_anonymization(Path("survey.csv"))
    people = read_csv("survey.csv", quasi=["age", "education", "country"], sensitive="income")
    Permuted.from_groups(people, [row // 4 for row in range(80)]).write(
        "records.csv", "secrets.csv"
    )
    register_and_hospitals(survey)
    for words in commands(page):
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, (words, result.output)
