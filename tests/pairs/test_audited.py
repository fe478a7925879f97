"""An audit made from the two files of a pair gives the facts that are true of it, or asks."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from pair_recipes.checking import PairOfFiles, linked

import unveil as uv
from unveil.errors import InputError, View
from unveil.projects import TwoFiles, two_files

HERE = Path(__file__).parent
NAMES = sorted(path.parent.name for path in HERE.glob("*/truth.toml"))
PLAIN = [  # where unveil's linkage and that of `linked` mean the same
    name for name in NAMES if name not in ("gaps", "noise-income", "shuffled", "pseudonym")
]
FROM_SHELL = ["salary-bands", "hospital-de", "two-secrets", "ambiguous-dates"]


@pytest.fixture
def pair(request: pytest.FixtureRequest) -> PairOfFiles:
    return PairOfFiles(HERE / request.param)


def entry(pair: PairOfFiles, published: str) -> dict[str, Any]:
    """The truth about a published column."""
    return next(one for one in pair.truth["columns"] if one.get("published") == published)


def original(pair: PairOfFiles, published: str) -> str:
    """What a published column is called in the original, as tables are read."""
    name: str = entry(pair, published)["original"]
    return name.strip()


def answers(pair: PairOfFiles) -> dict[str, dict[str, str]]:
    """The truth's answers to what must be asked, by option."""
    found: dict[str, dict[str, str]] = {}
    for question in pair.truth.get("questions", []):
        for option, answer in question["answer"].items():
            found.setdefault(option, {}).update(answer)
    return found


def opened(pair: PairOfFiles, **options: Any) -> TwoFiles:
    return two_files(
        pair.folder / pair.truth["original"], pair.folder / pair.truth["published"], **options
    )


def audited(pair: PairOfFiles, **options: Any) -> uv.Audit:
    """The audit with the roles of the truth."""
    facts = pair.truth["facts"]
    both = opened(pair, **answers(pair), **options)
    quasi = [original(pair, name) for name in facts["quasi"]]
    secrets = [original(pair, one["sensitive"]) for one in facts["secrets"]]
    roles = both.roles(quasi, secrets)
    assert both.open_questions(roles) == []
    project = both.project(roles)
    return project.audit(attacks=["measures", "linkage"], baseline=False, progress=False)


@pytest.mark.parametrize("pair", NAMES, indirect=True)
def test_facts_come_out(pair: PairOfFiles) -> None:
    audit = audited(pair)
    facts = pair.truth["facts"]
    named = {original(pair, one["sensitive"]): one for one in facts["secrets"]}
    assert {one.sensitive for one in audit.secrets} == set(named)
    for one in audit.secrets:
        (release,) = one.audited
        fact, figures, made = named[one.sensitive], release.figures, release.subject.made
        assert release.error is None
        assert isinstance(made, uv.Release)
        assert len(made) - made.suppressed == fact["records"]
        assert made.suppressed == facts["suppressed_records"]
        assert figures["k"] == fact["k"]
        assert figures["unique"] == pytest.approx(fact["unique"] / len(made))
        if fact["records"] == facts["records"]:
            assert len(made.class_sizes) == facts["classes"]


@pytest.mark.parametrize("pair", PLAIN, indirect=True)
def test_people_are_linked_as_counted_plainly(pair: PairOfFiles) -> None:
    """Person by person, where everybody has the secret and nobody was left out."""
    facts = pair.truth["facts"]
    audit = audited(pair)
    named = {original(pair, one["sensitive"]): one for one in facts["secrets"]}
    for one in audit.secrets:
        fact, figures = named[one.sensitive], one.audited[0].figures
        if fact["records"] + facts["suppressed_records"] < facts["records"]:
            continue
        found = linked(pair, facts["quasi"], fact["sensitive"])
        assert figures["linked"] == pytest.approx(found.to_one_record / found.people)
        assert figures["one_value"] == pytest.approx(found.to_one_value / found.people)


@pytest.mark.parametrize("pair", ["gaps", "noise-income"], indirect=True)
def test_what_is_not_certain_is_read_as_the_larger_risk(pair: PairOfFiles) -> None:
    """An empty cell may mean missing, and noise leaves values that are near one another."""
    facts = pair.truth["facts"]
    (one,) = audited(pair).secrets
    found = linked(pair, facts["quasi"], facts["secrets"][0]["sensitive"])
    figures = one.audited[0].figures
    for name, plain in (("linked", found.to_one_record), ("one_value", found.to_one_value)):
        value = figures[name]
        assert value is not None
        assert value >= plain / found.people


@pytest.mark.parametrize(
    "pair",
    [name for name in NAMES
     if any(q["must"] for q in PairOfFiles(HERE / name).truth.get("questions", []))],
    indirect=True,
)  # fmt: skip
def test_what_must_be_asked_is_asked_before_any_figure(pair: PairOfFiles) -> None:
    both = opened(pair)
    project = both.project()
    asked = [str(one.text) for one in both.open_questions(project.roles)]
    for question in pair.truth["questions"]:
        if question["must"]:
            assert any(f"'{question['column']}'" in one for one in asked)
    try:  # nor is anything found by a project that was written without an answer
        audit = project.audit(attacks=["measures"], progress=False, baseline=False)
    except InputError:
        return
    assert all(one.error is not None for one in audit.releases)


@pytest.mark.parametrize("pair", FROM_SHELL, indirect=True)
def test_from_the_shell(pair: PairOfFiles, tmp_path: Path) -> None:
    facts = pair.truth["facts"]
    files = [str(pair.folder / pair.truth[side]) for side in ("original", "published")]
    given = answers(pair)
    if any(question["must"] for question in pair.truth.get("questions", [])):
        told = run("audit", *files, code=2).stderr
        assert "question: " in told
        assert f"--form {next(iter(given['forms']))}=" in told
    roles = [
        "--quasi", ",".join(original(pair, name) for name in facts["quasi"]),
        "--sensitive", ",".join(original(pair, one["sensitive"]) for one in facts["secrets"]),
    ]  # fmt: skip
    typed = [
        part for option, answer in given.items() for name, value in answer.items()
        for part in (f"--{option.removesuffix('s') if option == 'forms' else option}",
                     f"{name}={value}")
    ]  # fmt: skip
    page, numbers = tmp_path / "report.html", tmp_path / "report.json"
    run(
        "audit", *files, *roles, *typed, "--attack", "measures,linkage", "--fail-on", "k < 5",
        "--report", str(page), "--json", str(numbers), code=1,
    )  # fmt: skip
    assert page.stat().st_size > 10_000
    found = json.loads(numbers.read_text())
    named = {original(pair, one["sensitive"]): one for one in facts["secrets"]}
    for one in found["secrets"]:
        assert one["releases"][0]["figures"]["k"] == named[one["sensitive"]]["k"]
    prints = found["reproduce"]["fingerprints"]
    assert {Path(file).name for file in files} <= set(prints)


@pytest.mark.parametrize("pair", ["hospital-de", "dutch", "two-secrets"], indirect=True)
def test_the_project_that_init_writes_runs(pair: PairOfFiles, tmp_path: Path) -> None:
    files = [str(pair.folder / pair.truth[side]) for side in ("original", "published")]
    out = tmp_path / "unveil.toml"
    run("init", *files, "-o", str(out))
    text = out.read_text()
    assert "[releases.how]" in text
    project = uv.Project.read(out)
    (release,) = project.releases
    both = opened(pair)
    assert release.options["how"] == both.project().releases[0].options["how"]
    shown = both.project(written=True).releases[0].options.get("cells", {})
    assert all(len(pair.original[name]) for name in shown)
    for name in shown:  # no value that few people have
        counts = [pair.original[name].count(value) for value in set(pair.original[name])]
        assert min(counts) >= 5
    run("audit", "--project", str(out), "--attack", "measures,linkage")
    direct = both.project().audit(attacks=["measures", "linkage"], progress=False)
    again = project.audit(attacks=["measures", "linkage"], progress=False)
    assert [one.figures for one in again.releases] == [one.figures for one in direct.releases]


def test_files_that_have_nothing_to_do_with_one_another(tmp_path: Path) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_text("age,vote\n" + "".join(f"{20 + n % 40},{'ab'[n % 2]}\n" for n in range(80)))
    other.write_text("colour,size\n" + "red,4\nblue,7\ngreen,7\n" * 10)
    said = run("audit", str(one), str(other), code=2).stderr
    assert "nothing shows that" in said
    missing = str(tmp_path / "none.csv")
    for command in (["audit", str(one), missing], ["init", str(one), missing], ["init", missing]):
        assert "none.csv" in run(*command, code=2).stderr


def test_roles_that_are_given_go_before_those_that_are_proposed() -> None:
    both = two_files(HERE / "salary-bands/original.csv", HERE / "salary-bands/published.csv")
    project = both.project(both.roles(["hired"], []))
    assert project.quasi == ("hired",)
    assert project.sensitive == ("salary",)
    with pytest.raises(InputError, match=r"is not in .*did you mean 'hired'"):
        both.roles(["hird"])
    with pytest.raises(InputError, match=r"'name' is not in .*rename="):
        both.roles(["name"])


@pytest.mark.parametrize("pair", ["ambiguous-dates"], indirect=True)
def test_what_is_asked_is_answered_by_the_command_that_is_shown(
    pair: PairOfFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for side in ("original", "published"):
        shutil.copy(pair.folder / pair.truth[side], tmp_path)
    monkeypatch.chdir(tmp_path)
    told = run("init", "original.csv", "published.csv").stdout
    assert "To answer first: 'date_of_birth'" in told
    assert "unveil audit" not in told
    shown = [line.strip() for line in told.splitlines() if line.startswith("  unveil init")]
    assert len(shown) == 2
    assert all(f"# if that is true: {one}" in Path("unveil.toml").read_text() for one in shown)
    said = run("audit", "--project", "unveil.toml", "--attack", "measures", code=2).stderr
    assert 'date_of_birth = "dd/mm/yyyy" under [forms]' in said  # nothing can be typed beside it
    assert "--form" not in said
    run(*shlex.split(shown[0])[1:])
    assert "which" not in run("audit", "--project", "unveil.toml", "--attack", "measures").stderr
    assert "--project unveil.toml" in run("audit", code=2).stderr


@pytest.mark.parametrize("pair", ["hospital-de"], indirect=True)
def test_what_is_told_before_a_project(pair: PairOfFiles, tmp_path: Path) -> None:
    files = [str(pair.folder / pair.truth[side]) for side in ("original", "published")]
    out = tmp_path / "unveil.toml"
    told = run("init", *files, "-o", str(out)).stdout
    for file in ("original.csv", "published.csv"):  # each is told once
        assert told.count(f"- {file} is not in UTF-8") == 1
    assert "hierarchy" not in told  # what points to people is coarsened already
    text = out.read_text()
    assert 'Gewicht = "unchanged"' in text  # of every column, so that its role can be corrected
    assert "is learned from the rows of both files" in text
    out.write_text(text.replace('Gewicht = "other"', 'Gewicht = "quasi"'))
    found = run("audit", "--project", str(out), "--attack", "measures,differential-inference")
    assert "An attacker knows Geburtsdatum, Geschlecht, PLZ, Aufnahme, Gewicht" in found.stdout
    assert found.stdout.count("differential-inference") == 1


@pytest.mark.parametrize("pair", ["emails-left"], indirect=True)
def test_what_names_people_keeps_its_published_name(pair: PairOfFiles) -> None:
    both = opened(pair)
    audit = both.project().audit(attacks=["measures"], progress=False, baseline=False)
    assert "the column 'contact' is equal to the original's column" in audit.verdict()


@pytest.mark.parametrize("pair", NAMES, indirect=True)
def test_every_project_that_is_proposed_runs_or_asks(pair: PairOfFiles, tmp_path: Path) -> None:
    both = opened(pair)
    file = tmp_path / "unveil.toml"
    both.project(written=True).write(file)

    def audit() -> uv.Audit:
        project = uv.Project.read(file)
        return project.audit(attacks=["measures"], progress=False, baseline=False)

    if not (asked := both.open_questions(both.roles())):
        assert all(one.error is None and one.figures["k"] for one in audit().releases)
        return
    text = file.read_text()
    assert all(f"# to answer first: {one.text.shown(View('shell'))}" in text for one in asked)
    assert all(one.answers for one in asked)
    given: dict[str, dict[str, str]] = {}
    for one in asked:  # as the command that is shown
        for option, answer in one.answers[0].items():
            given.setdefault(option, {}).update(answer)
    again = opened(pair, **given)
    assert again.open_questions(again.roles()) == []
    again.project(written=True).write(file, force=True)
    assert all(one.error is None and one.figures["k"] for one in audit().releases)


NONE = {3, 17, 40, 41}  # people who gave no age
HIDDEN = {5, 23}


@pytest.mark.parametrize("mark", ["", "."])
@pytest.mark.parametrize("asked", [NONE, NONE | {8, 9}])
def test_numbers_of_which_some_people_have_none(tmp_path: Path, mark: str, asked: set[int]) -> None:
    """Gaps on both sides, in bands of numbers: as counted plainly, with everybody kept."""
    people = [(20 + n * 7 % 60, "mf"[n % 2], ("flu", "hiv", "cold")[n * n % 7 % 3])
              for n in range(90)]  # fmt: skip
    original, published = tmp_path / "original.csv", tmp_path / "published.csv"
    original.write_text("age,sex,illness\n" + "".join(
        f"{mark if n in NONE else age},{sex},{ill}\n" for n, (age, sex, ill) in enumerate(people)
    ))  # fmt: skip
    cells = [
        mark if n in asked else "*" if n in HIDDEN else f"{age // 20 * 20}-{age // 20 * 20 + 19}"
        for n, (age, _, _) in enumerate(people)
    ]
    published.write_text("age,sex,illness\n" + "".join(
        f"{cell},{sex},{ill}\n" for cell, (_, sex, ill) in zip(cells, people, strict=True)
    ))  # fmt: skip
    both = two_files(original, published)
    assert both.project().data.missing == "keep"
    roles = both.roles(["age", "sex"], ["illness"])
    audit = both.project(roles).audit(attacks=["linkage"], progress=False, baseline=False)
    told = asked == NONE  # or an empty cell may hide an age

    def covers(record: int, person: int) -> bool:
        cell, age = cells[record], people[person][0]
        if people[record][1] != people[person][1]:
            return False
        if cell == mark and told:
            return person in NONE
        if cell in ("*", mark):
            return True
        return person not in NONE and int(cell[:2]) <= age <= int(cell[3:])

    found = [sum(covers(record, person) for record in range(90)) for person in range(90)]
    assert audit.releases[0].error is None
    values = audit.releases[0].looked["linkage"].finding
    assert values is not None
    assert values.candidates.tolist() == found
