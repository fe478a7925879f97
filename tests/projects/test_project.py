"""Project files: what is written can be read, and as the options would; mistakes are named."""

from __future__ import annotations

import csv
import os
import sys
import tomllib
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from command_line import run
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from proofs import examples

import unveil as uv
from unveil.errors import InputError, View
from unveil.microdata import Role, _readers
from unveil.projects import Data, Project, ReleaseAsked

NAMES = st.text(
    st.one_of(st.sampled_from("ab.=\"'#[]{}\\\n\t\r\u2028é😀 "),
              st.characters(exclude_categories=["Cs"])), min_size=1, max_size=8,
).map(str.strip).filter(lambda name: name and "\0" not in name)  # fmt: skip


def column(draw, n, rng):
    kind = draw(st.sampled_from(["few", "numbers", "fractions", "alone", "gaps", "same", "yes",
                                 "dates", "brackets", "infinite"]))  # fmt: skip
    if kind == "numbers":
        return rng.integers(0, 40, n)
    if kind == "fractions":
        return rng.normal(size=n)
    if kind == "infinite":
        return rng.choice([1.5, 2.5, np.inf], n)
    if kind == "alone":
        return [f"#{i}" for i in range(n)]
    if kind == "same":
        return ["x"] * n
    if kind == "dates":
        return np.datetime64("1984-05-23") + rng.integers(0, 99, n)
    values = {
        "few": ["red", "blue", '"green"'], "gaps": ["red", "?", None, "NA"], "yes": ["yes", "no"],
        "brackets": ["<10", "10-19", "20-29", "30+"],
    }[kind]  # fmt: skip
    return np.array(values, dtype=object)[rng.integers(0, len(values), n)]


@st.composite
def any_tables(draw):
    names = draw(st.lists(
        st.one_of(NAMES, st.sampled_from(["age", "income", "disease", "zip", "job", "id", "q"])),
        min_size=1, max_size=5, unique_by=str.strip,
    ))  # fmt: skip
    n = draw(st.integers(1, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return pd.DataFrame({name: column(draw, n, rng) for name in names})


@settings(examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=any_tables(), as_text=st.booleans())
def test_every_column_has_a_role_and_the_file_can_be_read(table, as_text, tmp_path):
    if as_text:
        file = tmp_path / "table.csv"
        table.to_csv(file, index=False, quoting=csv.QUOTE_ALL)
    else:
        file = tmp_path / "table.parquet"
        table.to_parquet(file, index=False)
    proposal = uv.propose(file)
    assert [one.name for one in proposal.columns] == list(table)
    assert all(one.role in Role and one.reason for one in proposal.columns)
    project = proposal.project()
    written = project.write(tmp_path / "unveil.toml", force=True)
    again = Project.read(written)
    assert again == project
    assert again.roles == {one.name: one.role for one in proposal.columns}
    assume(proposal.quasi and proposal.sensitive)
    for read, secret in zip(again.microdata(), again.sensitive, strict=True):
        assert [c.name for c in read.quasi] == list(proposal.quasi)
        assert read.sensitive.name == secret
        for one in proposal.columns:
            if one.name in (*proposal.quasi, secret):
                assert read[one.name].kind is one.kind


@examples(100)
@given(
    names=st.lists(NAMES, min_size=1, max_size=4, unique=True),
    texts=st.lists(NAMES, min_size=1, max_size=3, unique=True),
    data=st.data(),
)
def test_any_project_can_be_written_and_read(names, texts, data):
    roles = {name: data.draw(st.sampled_from(Role)) for name in names}
    secrets = tuple(name for name, role in roles.items() if role is Role.SENSITIVE)
    project = Project(
        data=Data(
            file="a\n'\".csv", delimiter="\t", encoding="latin-1", comment="#",
            columns=data.draw(st.sampled_from([tuple(names), dict(enumerate(names)), None])),
            missing="drop",
            missing_values=data.draw(st.sampled_from([tuple(texts), {names[0]: tuple(texts)}])),
        ),
        roles=roles,
        kinds={names[0]: data.draw(st.sampled_from(["numeric", tuple(texts)]))},
        hierarchies=data.draw(st.sampled_from([None, "trees", {names[0]: texts[0]}])),
        partitions={name: {text: [text]} for name in secrets for text in texts},
        wants=secrets,
        adversary=("forest", "tree"),
        attacks=data.draw(st.sampled_from([(), ("linkage", "measures")])),
        options=data.draw(st.sampled_from([{}, {"relative-risk": {"beta": 0.5}, "utility": {}}])),
        seed=data.draw(st.sampled_from([None, 0, 7])), jobs=2,
        releases=(
            ReleaseAsked(file=texts[0], options={"notation": {names[0]: "range"}}),
            ReleaseAsked(oracle="./x {input}", name=texts[0], options={"retries": 2}),
            ReleaseAsked(sanitizer="mondrian:k=2..8"),
        ),
        fail_on=("k < 5", "delta > 0.05"), smallest=3, private=True,
        reasons={names[0]: "\n".join(texts)},
    )  # fmt: skip
    from unveil.projects._file import project_from

    values = tomllib.loads(project.to_toml())
    assert project_from(values, project.folder / "unveil.toml") == project
    validator().validate(values)


@cache
def validator():
    form = Project.schema()
    Draft202012Validator.check_schema(form)
    return Draft202012Validator(form)


@pytest.fixture
def people(tmp_path):
    """A survey with gaps, in a folder of its own, and its project file beside that folder."""
    rng = np.random.default_rng(3)
    folder = tmp_path / "data"
    folder.mkdir()
    frame = pd.DataFrame({
        "name": [f"p{i}" for i in range(80)], "age": rng.integers(20, 70, 80),
        "town": rng.choice(["Rome", "Lyon", "Nice"], 80),
        "income": [*["?"] * 3, *rng.choice(["low", "mid", "high"], 77)],
        "debts": [*rng.choice(["yes", "no"], 78), *["?"] * 2],
    })  # fmt: skip
    frame.to_csv(folder / "people.csv", index=False)
    return folder / "people.csv"


def same(a, b):
    assert [c.name for c in a.columns] == [c.name for c in b.columns]
    for one, other in zip(a.columns, b.columns, strict=True):
        assert (one.role, one.kind, one.texts) == (other.role, other.kind, other.texts)
        assert (one.codes == other.codes).all()
    assert (a.rows == b.rows).all()


def test_it_reads_what_the_options_would(people, tmp_path):
    written = uv.propose(people).project().write(tmp_path / "unveil.toml")
    project = replace(Project.read(written), wants=("income",))
    assert project.data.file == "data/people.csv"
    by_hand = uv.read_csv(
        people, quasi=["age", "town"], sensitive="income", identifier="name", numeric=["age"],
        categorical=["town"], ordinal={"income": ["low", "mid", "high"]}, missing="drop",
        missing_values=["?"],
    )  # fmt: skip
    same(project.microdata()[0], by_hand)


def test_several_secrets_are_asked_about_the_same_people(people):
    tables = uv.propose(people).project().microdata()
    assert [table.sensitive.name for table in tables] == ["income", "debts"]
    assert [table.rows.tolist() for table in tables] == [list(range(3, 78))] * 2
    assert "2 more records dropped: another sensitive column" in tables[0].notes[-1]
    audit = uv.propose(people).project().audit(
        releases="mondrian:k=5", attacks=["measures"], progress=False
    )  # fmt: skip
    assert {secret.sensitive for secret in audit.secrets} == {"income", "debts"}


def test_the_file_is_opened_once_whatever_the_number_of_secrets(people, monkeypatch):
    opened = []
    plain = _readers.from_csv
    project = uv.propose(people).project()
    monkeypatch.setattr(_readers, "from_csv", lambda *a, **k: opened.append(a) or plain(*a, **k))
    assert len(project.microdata()) == 2
    assert len(opened) == 1


def test_the_audit_of_a_project(people):
    project = replace(
        uv.propose(people).project(), wants=("income",), knows=("age",),
        adversary=("naive-bayes",), fail_on=("k < 3",), smallest=7, private=True,
        partitions={"income": "much:high,little:low|mid"},
        releases=(ReleaseAsked(sanitizer="mondrian:k=2,5"),),
    )  # fmt: skip
    audit = project.audit(progress=False)
    passed = {one.name: one.passed for one in audit.releases}
    assert passed == {"Mondrian(k=2)": False, "Mondrian(k=5)": True}
    assert (audit.asked.discretion.smallest, audit.asked.discretion.private) == (7, True)
    rates = audit.secrets[0].audited[1].looked["discrimination-rate"].finding
    assert rates.partition.members == {"much": ("high",), "little": ("low", "mid")}
    assert [c.name for c in audit.secrets[0].microdata.quasi] == ["age", "town"]
    assert rates.keys == ("age",)
    assert audit.to_dict()["threat"]["knows"] == ["age"]


def test_releases_of_others_are_found_from_the_file(people, tmp_path, monkeypatch):
    table = uv.propose(people).project().microdata()[0]
    uv.Mondrian(k=4).sanitize(table).to_frame().to_csv(tmp_path / "theirs.csv", index=False)
    uv.Anatomy(l=2).sanitize(table).write(tmp_path / "two")
    program = tmp_path / "anonymize"
    program.write_text(
        f"#!{sys.executable}\nimport shutil, sys\nshutil.copy(sys.argv[1], sys.argv[2])\n"
    )
    program.chmod(0o755)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    project = replace(
        uv.propose(people).project().moved(tmp_path), wants=("income",),
        releases=(
            ReleaseAsked(oracle="./anonymize {input} {output}"), ReleaseAsked(file="theirs.csv"),
            ReleaseAsked(file="two", name="anatomy"),
        ),
    )  # fmt: skip
    project.write(tmp_path / "unveil.toml")
    read = Project.read(tmp_path / "unveil.toml")
    audit = read.audit(attacks=["measures"], fail_on="k < 4", progress=False)
    passed = {one.name: (one.error, one.passed) for one in audit.releases}
    assert passed == {
        "Oracle(anonymize)": (None, False), "theirs.csv": (None, True),
        "anatomy": (None, False),
    }  # fmt: skip


def test_a_file_is_one_release_for_each_secret(people, tmp_path):
    project = uv.propose(people).project()
    table = project.microdata()[0]
    published = uv.Mondrian(k=4).sanitize(table).to_frame()
    debts = pd.read_csv(people)["debts"][table.rows].to_numpy()
    published.assign(debts=debts).to_csv(people.parent / "theirs.csv", index=False)
    project = replace(project, releases=(ReleaseAsked(file="theirs.csv"),))
    audit = project.audit(attacks=["measures"], progress=False)
    assert {one.sensitive: [found.name for found in one.audited] for one in audit.secrets} == {
        "income": ["theirs.csv"], "debts": ["theirs.csv"],
    }  # fmt: skip
    for one in audit.secrets:
        release = one.audited[0].subject.release
        assert release.sensitive.name == one.sensitive
        expected = uv.l_diversity(uv.read_release(people.parent / "theirs.csv", one.microdata))
        measured = one.audited[0].looked["measures"].finding
        assert measured.l_diversity.distinct == expected.distinct


def test_a_file_that_is_not_there_is_said_before_any_work(people):
    project = replace(uv.propose(people).project(), releases=(ReleaseAsked(file="none.csv"),))
    with pytest.raises(InputError, match=r"\[\[releases\]\]: there is no file 'none.csv'"):
        project.audit()


def test_a_file_without_one_of_the_secrets_fails_for_that_one_alone(people):
    project = uv.propose(people).project()
    published = uv.Mondrian(k=4).sanitize(project.microdata()[0]).to_frame()
    published.to_csv(people.parent / "theirs.csv", index=False)
    project = replace(project, releases=(ReleaseAsked(file="theirs.csv"),))
    audit = project.audit(attacks=["measures"], progress=False)
    errors = {one.sensitive: one.audited[0].error for one in audit.secrets}
    assert errors["income"] is None
    assert "debts" in errors["debts"]


def test_every_secret_has_its_own_categories(people):
    categories = {"income": "much:high,little:low|mid", "debts": {"any": ["yes", "no"]}}
    project = replace(uv.propose(people).project(), partitions=categories)
    audit = project.audit(releases="mondrian:k=5", attacks=["discrimination-rate"], progress=False)
    found = {
        one.sensitive: one.audited[0].looked["discrimination-rate"].finding.partition.members
        for one in audit.secrets
    }
    assert found["income"] == {"much": ("high",), "little": ("low", "mid")}
    assert sorted(found["debts"]["any"]) == ["no", "yes"]
    wrong = replace(project, partitions={"income": "much:high"})
    with pytest.raises(InputError, match="leaves out"):
        wrong.audit()


def test_attacks_and_their_options(people):
    project = replace(
        uv.propose(people).project(), wants=("income",), attacks=("relative-risk", "measures"),
        options={"relative-risk": {"beta": 0.5}, "utility": {"k": 3}}, seed=7, jobs=1,
        releases=(ReleaseAsked(sanitizer="mondrian:k=5,9"),),
    )  # fmt: skip
    audit = project.audit(progress=False)
    assert [part.name for part in audit.parts] == ["relative-risk", "measures"]
    assert [one.name for one in audit.releases] == ["Mondrian(k=5)", "Mondrian(k=9)"]
    assert audit.releases[0].looked["relative-risk"].finding.problem.beta == 0.5
    assert (audit.asked.seed, audit.asked.jobs) == (7, 1)
    other = project.audit(attacks="relative-risk", seed=1, progress=False)
    assert [part.name for part in other.parts] == ["relative-risk"]
    assert other.asked.options["relative-risk"] == {"beta": 0.5}
    assert other.asked.seed == 1
    own = project.audit(attacks={"relative-risk": {"beta": 2.0}}, progress=False)
    assert own.releases[0].looked["relative-risk"].finding.problem.beta == 2.0


def test_names_of_releases(people):
    project = uv.propose(people).project()
    series = replace(project, releases=(ReleaseAsked(sanitizer="mondrian:k=2,5", name="a"),))
    with pytest.raises(InputError, match="is a series of sanitizers, and each has its own name"):
        series.audit()
    twice = replace(project, releases=(ReleaseAsked(sanitizer="mondrian:k=2"),) * 2)
    with pytest.raises(InputError, match=r"number 2: there is already a release 'Mondrian\(k=2\)'"):
        twice.audit()


FINE = '[data]\nfile = "a.csv"\n[roles]\nage = "quasi"\nvote = "sensitive"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "p.toml, [data]: file is missing; name the table"),
        ("[dta]", "p.toml: there is no table 'dta'; did you mean 'data'?"),
        ("[data]\nfiel = 'a.csv'", "p.toml, [data]: there is no key 'fiel'; did you mean 'file'?"),
        ("[data]\nfile = 3", "p.toml, [data]: file must be a text, but is 3"),
        ("data = 3", "p.toml: data must be a table, [data], but is 3"),
        ("[data]\nfile = 'a'\nmissing = 'dorp'", "missing must be 'error', 'drop', 'category' or "
         "'keep', but is 'dorp'; did you mean 'drop'?"),
        ("[data]\nfile = 'a'\ndelimiter = ',,'", "delimiter must be one character"),
        ("[data]\nfile = 'a'\ncolumns = 'age'\nencoding = 1", "encoding must be a text, but is 1"),
        ("[data]\nfile = 'a'\ncolumns = { one = 'age' }", "columns must be a list of names, or "),
        ("[data]\nfile = 'a'\nmissing_values = [1]", "must be a text or a list of texts"),
        ("[data]\nfile = 'a.pq'\ndelimiter = ','", "delimiter is for CSV files, and a.pq is Parq"),
        ("[roles]\nage = 'quassi'\n[data]\nfile = 'a'", "p.toml, [roles]: 'age' must be "
         "'identifier', 'person', 'quasi', 'sensitive', 'count' or 'other', but is 'quassi'; did "
         "you mean 'quasi'?"),
        (FINE + "[kinds]\nage = 'ordinal'", "p.toml, [kinds]: 'age' must be 'numeric', "),
        (FINE + "[kinds]\nage = []", "or the list of its levels from low to high, but is []"),
        (FINE + "[kinds]\nagee = 'numeric'", "p.toml, [kinds]: 'agee' is not among the columns of "
         "[roles]; did you mean 'age'?"),
        (FINE + "[hierarchies.files]\nVote = 'b.csv'", "p.toml, [hierarchies.files]: 'Vote' is not "
         "among the columns of [roles]; did you mean 'vote'?"),
        (FINE + "[hierarchies]\nfolder = 'a'\nfiles = { age = 'b' }", "not both"),
        (FINE + "[partitions]\nage = 'a:b'", "p.toml, [partitions]: 'age', whose role under [roles]"
         " is not sensitive"),
        (FINE + "[partitions]\nvote = 3", "'vote' must be a text such as 'low:0-20,high:20-'"),
        (FINE + "[threat]\nknows = ['agee']", "p.toml, [threat]: knows names 'agee', whose role "
         "under [roles] is not quasi; did you mean 'age'?"),
        (FINE + "[threat]\nwants = 'age'", "wants names 'age', whose role under [roles] is not"),
        (FINE + "[threat]\ntolerance = 'near'", "p.toml, [threat]: tolerance must be a number from "
         "0 up, or a share of the true value from 0% to below 100%"),
        (FINE + "[attacks.inference]\ntolerance = -1", "tolerance = -1 is not possible: it must be "
         "a number from 0 up, or a share of the true value from 0% to below 100%"),
        (FINE + "[attacks]\nuse = 'linkag'", "p.toml, [attacks]: use names 'linkag', which is no "
         "attack; did you mean 'linkage'?"),
        (FINE + "[attacks]\nseeed = 1", "there is no key 'seeed'; did you mean 'seed'?"),
        (FINE + "[attacks]\njobs = 0", "jobs must be a whole number from 1 up, but is 0"),
        (FINE + "[attacks]\nlinkage = 3", "linkage must be a table, [attacks.linkage], but is 3"),
        (FINE + "[attacks.linkage]\nknow = 'age'", "p.toml, [attacks.linkage]: linkage has no "
         "option 'know'; did you mean 'knows'?"),
        (FINE + "[attacks.relative-risk]\nchains = 0", "[attacks.relative-risk]: chains = 0 is not "
         "possible: it must be a whole number from "),
        (FINE + "[thresholds]\nfail_on = 'detla > 1'", "p.toml, [thresholds]: no figure 'detla'"),
        (FINE + "[report]\nsmallest = 0", "smallest must be a whole number from 1 up, but is 0"),
        (FINE + "[report]\nprivate = 1", "private must be true or false"),
        (FINE + "[releases]\nfile = 'b'", "releases must be tables, each headed [[releases]]"),
        (FINE + "[[releases]]\nname = 'b'", "p.toml, [[releases]] number 1: give one of file, "
         "sanitizer and oracle, but there is none"),
        (FINE + "[[releases]]\nfile = 'b'\noracle = 'c'", "there is file and oracle"),
        (FINE + "[[releases]]\nfile = 'b'\nretries = 2", "there is no key 'retries'"),
        (FINE + "[[releases]]\noracle = 'b'\nretries = -2", "retries must be a whole number"),
        (FINE + "[[releases]]\nfile = 'b'\nnotation = 'range'", "notation must be a table"),
        ("[data", "p.toml is not TOML: "),
    ],
)  # fmt: skip
def test_mistakes_are_named_by_their_place(text, said, tmp_path):
    file = tmp_path / "p.toml"
    file.write_text(text)
    with pytest.raises(InputError) as told:
        Project.read(file)
    assert said in str(told.value)


@pytest.mark.parametrize("text", [
    "[data]\nfiel = 'a.csv'", "[data]\nfile = 3", "data = 3", "[roles]\nage = 'quasi'",
    FINE + "[roless]", FINE + "[kinds]\nage = []", FINE + "[attacks]\njobs = 0",
    FINE + "[attacks.linkag]", FINE + "[attacks.linkage]\nknow = 'age'",
    FINE + "[attacks.linkage]\nunknown = 'appart'", FINE + "[[releases]]\nname = 'b'",
    FINE + "[[releases]]\nfile = 'b'\noracle = 'c'",
])  # fmt: skip
def test_the_schema_refuses_what_is_refused(text, tmp_path):
    (tmp_path / "p.toml").write_text(text)
    with pytest.raises(InputError):
        Project.read(tmp_path / "p.toml")
    assert not validator().is_valid(tomllib.loads(text))


def test_a_wrong_value_is_refused_alike_everywhere(people, tmp_path):
    said = "is not possible: it must be 'error' or 'apart'; did you mean 'apart'?"
    project = replace(
        uv.propose(people).project().moved(tmp_path), wants=("income",), attacks=("linkage",),
        releases=(ReleaseAsked(sanitizer="mondrian:k=5"),),
    )  # fmt: skip
    (table,) = project.microdata()
    release = uv.Mondrian(k=5).sanitize(table)
    for call in (
        lambda: uv.linkage(release, table, unknown="appart"),
        lambda: uv.audit(table, release, attacks={"linkage": {"unknown": "appart"}}),
    ):
        with pytest.raises(InputError) as told:
            call()
        assert str(told.value) == f"unknown='appart' {said}"
        assert told.value.shown(View("shell")) == f"--unknown appart {said}"
        assert told.value.shown(View("project")) == f'unknown = "appart" {said}'
    file = replace(project, options={"linkage": {"unknown": "appart"}}).write(tmp_path / "p.toml")
    with pytest.raises(InputError) as told:
        Project.read(file)
    # Whoever reads the file, it is the file that has to be changed.
    in_file = f'p.toml, [attacks.linkage]: unknown = "appart" {said}'
    assert [told.value.shown(View(medium)) for medium in ("python", "shell", "project")] == (
        [in_file] * 3
    )
    done = run("audit", "--project", str(file), code=2)
    assert " ".join(done.stderr.split()) == f"error: {in_file}"
    typed = run("linkage", str(people), "-q", "age,town", "-s", "income", "--missing", "drop",
                "--missing-values", "?", "--sanitizer", "mondrian:k=5", "--unknown", "appart",
                code=2)  # fmt: skip
    assert " ".join(typed.stderr.split()) == f"error: --unknown appart {said}"


def test_a_column_that_is_not_there(people):
    project = uv.propose(people).project()
    wrong = replace(project, roles={**project.roles, "agee": Role.QUASI}, wants=("income",))
    with pytest.raises(InputError, match=r"column 'agee' is not in people.csv; did you mean 'age'"):
        wrong.microdata()
    nothing = replace(project, roles={"age": Role.QUASI})
    with pytest.raises(InputError, match=r"unveil.toml, \[roles\]: no column is 'sensitive'"):
        nothing.microdata()


def test_files_that_cannot_be_read_or_written(people, tmp_path):
    with pytest.raises(InputError, match="there is no project file"):
        Project.read(tmp_path / "unveil.toml")
    with pytest.raises(InputError, match=r"there is no project file '.*unveil.toml'"):
        Project.read(tmp_path)
    (tmp_path / "folder" / "unveil.toml").mkdir(parents=True)
    with pytest.raises(InputError, match="cannot read"):
        Project.read(tmp_path / "folder")
    (tmp_path / "p.toml").write_bytes(b"a = '\xff'")
    with pytest.raises(InputError, match="is not in UTF-8"):
        Project.read(tmp_path / "p.toml")
    project = uv.propose(people).project()
    with pytest.raises(InputError, match="already exists; force=True replaces it"):
        project.write(tmp_path / "p.toml")
    with pytest.raises(InputError, match="cannot write"):
        project.write(tmp_path / "nowhere" / "p.toml")
    assert project.write(tmp_path / "p.toml", force=True).read_text().startswith("# What is audit")
    with pytest.raises(InputError, match="the proposal is for a table in memory"):
        uv.propose({"age": [1]}).project()


def test_paths_follow_the_file(people, tmp_path):
    (people.parent / "hierarchies").mkdir()
    (people.parent / "hierarchies" / "town.csv").write_text("Rome;*\nLyon;*\nNice;*\n")
    project = uv.propose(people).project()
    moved = replace(project, releases=(ReleaseAsked(file="r.csv"),)).moved(tmp_path / "a" / "b")
    assert moved.data.file == "../../data/people.csv"
    assert moved.hierarchies == {"town": "../../data/hierarchies/town.csv"}
    assert moved.releases[0].file == "../../data/r.csv"
    assert moved.moved(people.parent).data.file == "people.csv"
    away = replace(project, data=replace(project.data, file=os.fspath(people)), hierarchies="h")
    assert away.moved(tmp_path).data.file == os.fspath(people)
    assert away.moved(tmp_path).hierarchies == "data/h"
