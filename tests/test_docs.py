"""Every example and every command in the README and on the documentation's pages runs."""

from __future__ import annotations

import doctest
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from command_line import run
from pages import FLAGS, PAGES, ROOT, Block, Command, blocks, commands, extras, make_targets, says

import unveil
from unveil import Project, datasets
from unveil.auditing import write_key
from unveil.microdata import Permuted, read_csv, read_table
from unveil.sanitize import Mondrian

EXAMPLES = {"pycon", "python"}
LANGUAGES = {*EXAMPLES, "console", "toml", "yaml", "text"}
PLAYED = {"console", "toml"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = [block.text for block in blocks(page) if block.language in EXAMPLES]
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=FLAGS)
    # One page is one conversation: later blocks use what earlier ones defined.
    test = parser.get_doctest("\n".join(found), {}, page.name, str(page), 0)
    report: list[str] = []
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)
    assert all(">>>" in block for block in found), f"{page.name}: an example that is not run"
    assert {block.language for block in blocks(page)} <= LANGUAGES


def somebody_elses_anonymization(survey: Path) -> None:
    """A program that publishes decades instead of ages, what it published, and a folder of it."""
    program = Path("anonymize")
    program.write_text(
        f"#!{sys.executable}\n"
        "import csv, sys\n"
        "rows = list(csv.DictReader(open(sys.argv[1])))\n"
        "for row in rows:\n"
        "    row.pop('name', None)\n"
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


def everything_that_pages_name() -> None:
    """The files that commands on the pages read."""
    survey = datasets.election_survey().take(range(80)).to_frame()
    names = ["Ann Smith", *(f"Person {number}" for number in range(1, 80))]
    survey = survey.assign(country=["France", "Germany"] * 40, name=names)
    survey.to_csv("survey.csv", index=False)
    counts = survey.value_counts(["age", "education", "income"]).rename("n")
    counts.reset_index().to_csv("cells.csv", index=False)
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
    # The references on the pages are of this key; audits use a key that is there again.
    write_key(hashlib.sha256(b"unveil").hexdigest(), "report.key")


@pytest.fixture(scope="session")
def named(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that pages name, to be copied."""
    folder = tmp_path_factory.mktemp("named")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        everything_that_pages_name()
    return folder


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if PLAYED & {block.language for block in blocks(page)}],
    ids=lambda page: page.name,
)
def test_commands_run(
    page: Path, named: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(named, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    for block in blocks(page):
        if block.language == "toml":
            correct_the_project(block)
        if block.language == "console":
            for command in commands(block):
                play(command)


def correct_the_project(block: Block) -> None:
    """A whole project takes the place of ``unveil.toml``; a part of one has to fit into it."""
    whole = block.text.startswith("[data]")
    roles = '[data]\nfile = "survey.csv"\n[roles]\nage = "quasi"\nincome = "sensitive"\n'
    file = Path("unveil.toml" if whole else "part.toml")
    file.write_text(block.text if whole else roles + block.text)
    project = Project.read(file)
    assert project.microdata()
    assert project.releases or project.fail_on


def with_a_test_of_a_release(words: list[str]) -> None:
    """Run pytest as the page does; by itself it finds the plugin only where unveil is installed."""
    Path("test_release.py").write_text(
        "import unveil as uv\n"
        "survey = uv.read_csv('survey.csv', quasi='age', sensitive='income')\n"
        "def test_release(assert_release):\n"
        "    assert_release(survey, 'mondrian:k=10', 'k >= 10')\n"
    )
    source = str(Path(unveil.__file__).parents[1])
    subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "unveil.testing.plugin", *words],
        check=True, capture_output=True,
        env={**os.environ, "PYTHONPATH": source, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip
    assert list(Path("reports").glob("*test_release*.html"))


def play(command: Command) -> None:
    program, *words = command.words
    if program == "unveil":
        result = run(*words, code=command.exit_code)
        assert says(command.said, result.output), (command.words, result.output)
    elif program == "pytest":
        with_a_test_of_a_release(words)
    elif program == "make":
        assert set(words) <= make_targets()
    elif program == "pip":
        assert words[0] == "install"
        named = re.fullmatch(r"\.(?:\[(.+)\])?", words[1])
        assert named is not None
        assert set((named[1] or "").split(",")) - {""} <= extras()
    else:
        assert program == "python", f"{program} is not run"
        assert (ROOT / words[0]).is_file()
