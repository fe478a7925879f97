"""`unveil linkage` and `unveil composition`: what they print, write, refuse, and how they exit."""

import io
import json
from pathlib import Path

import pandas as pd
import pytest
from command_line import run

import unveil as uv
from unveil.cli import _console
from unveil.microdata import Permuted

PATIENTS = {
    "name": ["Ann", "Amy", "Cat", "Carl", "Bob"], "age": [25, 22, 35, 31, 35],
    "sex": ["Female", "Female", "Female", "Male", "Male"],
    "disease": ["Flu", "Flu", "HIV", "Flu", "Cold"],
}  # fmt: skip
CELLS = {
    "id": ["p1", "p2", "p3", "p4", "p5"],
    "age": ["20-29", "20-29", "30-39", "30-39", "30-39"],
    "sex": ["Female", "Female", "*", "*", "Male"], "disease": ["Flu", "Flu", "HIV", "Flu", "Cold"],
}  # fmt: skip
REGISTER = {
    "name": ["Ann", "Bob", "Cat", "Dan", "Eve"], "age": [25, 35, 35, 28, 35],
    "sex": ["Female", "Male", "Female", "Male", "Female"],
}  # fmt: skip
# Of other tables: the people of the first and the last row are in both.
CITY = {"id": list("abcdef"), "age": ["20-29"] * 3 + ["30-39"] * 3,
        "disease": ["Flu", "HIV", "Cold", "Flu", "Flu", "HIV"]}  # fmt: skip
COUNTY = {"id": list("axyzwd"), "age": ["25-34"] * 3 + ["35-60"] * 3,
          "disease": ["Flu", "HIV", "Asthma", "Cold", "Cold", "Flu"]}  # fmt: skip
BOTH = {"name": ["Ann", "Bob"], "age": [27, 37], "disease": ["Flu", "Flu"]}

ROLES = ["--quasi", "age,sex", "--sensitive", "disease", "--identifier", "name"]
RELEASE = ["--release", "published.csv"]
EXTERNAL = ["--external", "register.csv"]
AGE = ["--quasi", "age", "--sensitive", "disease", "--identifier", "name"]
TWO = ["--release", "city=city.csv", "--release", "county.csv"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The worked examples, as files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_console, "_PATIENCE", 3600)  # nothing is said about compiling
    tables = {"patients": PATIENTS, "published": CELLS, "register": REGISTER, "city": CITY,
              "county": COUNTY, "both": BOTH}  # fmt: skip
    for name, table in tables.items():
        pd.DataFrame(table).to_csv(f"{name}.csv", index=False)
    return tmp_path


def patients():
    return uv.read_csv("patients.csv", quasi=["age", "sex"], sensitive="disease", identifier="name")


def release():
    return uv.read_release("published.csv", patients(), made_by="published.csv")


def words(result):
    return " ".join(result.stdout.split())


def findings(result):
    return json.loads(result.stdout)["findings"]


def test_people_are_told_as_the_library_tells_it():
    done = run("linkage", "patients.csv", *ROLES, *RELEASE, *EXTERNAL)
    finding = uv.linkage(release(), "register.csv", identifier="name", microdata=patients())
    for line in finding.summary().splitlines():
        if " s" not in line[-3:]:  # the time is another
            assert " ".join(line.split()) in words(done)
    assert max(map(len, done.stdout.splitlines())) <= 100
    for name in REGISTER["name"]:  # nobody is named unasked
        assert name not in done.stdout


def test_json_and_rows_have_the_python_numbers():
    done = run("linkage", "patients.csv", *ROLES, *RELEASE, *EXTERNAL, "--knows", "age", "--json",
               "-", "--records", "--csv", "rows.csv")  # fmt: skip
    (found,) = findings(done)
    again = uv.linkage(
        release(), "register.csv", identifier="name", microdata=patients(), knows="age"
    )
    assert found == json.loads(json.dumps(again.to_dict(records=True)))
    assert "rows: rows.csv" in done.stderr
    rows = pd.read_csv("rows.csv")
    assert rows["name"].tolist() == REGISTER["name"]
    assert rows["row"].tolist() == [1, 2, 3, 4, 5]  # from 1, as in every message
    assert rows["candidates"].tolist() == again.candidates.tolist()
    (found,) = findings(run("linkage", "patients.csv", *ROLES, *RELEASE, *EXTERNAL, "--json", "-"))
    assert "records" not in found


def test_without_the_original_and_from_standard_input():
    alone = run("linkage", *ROLES, *RELEASE, *EXTERNAL)
    assert "whether these links are right is not known" in words(alone)
    assert "Give the original, FILE, to count which links are right." in words(alone)
    piped = run("linkage", *ROLES, *RELEASE, "--external", "-",
                input=pd.DataFrame(REGISTER).to_csv(index=False))  # fmt: skip
    assert "Linkage: 5 people of standard input against 5 records" in piped.stdout
    table = run("linkage", "-", *ROLES, *RELEASE, *EXTERNAL,
                input=pd.DataFrame(PATIENTS).to_csv(index=False))  # fmt: skip
    assert "own record among the candidates" in table.stdout


def test_the_people_of_the_table_itself():
    worst = run("linkage", "patients.csv", *ROLES, *RELEASE, "--json", "-")
    same = run("linkage", "patients.csv", *ROLES, *RELEASE, "--external", "patients.csv",
               "--json", "-")  # fmt: skip
    (first,), (second,) = findings(worst), findings(same)
    assert first == second
    assert (first["people"], first["in_table"]) == (5, 5)


def test_several_releases_are_compared_before_each_is_told():
    Permuted.from_groups(patients(), [1, 2, 1, 2, 1]).write("anatomy")
    done = run("linkage", "patients.csv", *ROLES, *RELEASE, "--anatomy", "shuffled=anatomy",
               "--sanitizer", "mondrian:k=2", *EXTERNAL, "--csv", "rows.csv")  # fmt: skip
    table = done.stdout[: done.stdout.index("Linkage:")].splitlines()
    heads = [line.split()[0] for line in table if "%" in line]
    assert heads == ["published.csv", "shuffled", "Mondrian(k=2)"]
    assert done.stdout.count("Linkage: ") == 3
    rows = pd.read_csv("rows.csv")
    assert rows.groupby("release").size().to_dict() == dict.fromkeys(heads, 5)
    alone = run("linkage", *ROLES, *RELEASE, "--anatomy", "anatomy", *EXTERNAL)
    assert "rightly" not in alone.stdout[: alone.stdout.index("Linkage:")].split("Found:")[0]


def test_other_names_for_columns_and_values():
    other = pd.DataFrame(REGISTER).rename(columns={"age": "years", "name": "who"})
    other["sex"] = other["sex"].str[0]
    other.to_csv("register.csv", index=False)
    asked = ["linkage", "patients.csv", *ROLES, *RELEASE, *EXTERNAL]
    done = run(*asked, code=2)
    assert "if it has another name there, say --rename age=…; if the attacker does" in done.stderr
    asked += ["--rename", "age=years", "--rename", "name=who"]
    done = run(*asked, code=2)
    remedy = "sex=F->Female|M->Male"
    assert f"give --recode '{remedy}'; if these people have values that nobody" in done.stderr
    assert "say --unknown apart" in done.stderr
    (found,) = findings(run(*asked, "--recode", remedy, "--json", "-"))
    again = uv.linkage(release(), pd.DataFrame(REGISTER), identifier="name", microdata=patients())
    assert found["own_among"] == again.own_among
    (apart,) = findings(run(*asked, "--unknown", "apart", "--json", "-"))
    assert apart["found"] == 3  # whom stars cover


def test_missing_values_of_people():
    pd.DataFrame(REGISTER).assign(sex=["Female", None, None, "Male", "Female"]).to_csv(
        "register.csv", index=False
    )
    done = run("linkage", *ROLES, *RELEASE, *EXTERNAL, code=2)
    assert "--missing-people any treats it as unknown" in done.stderr
    assert "--missing-people drop leaves these people out" in done.stderr
    for how, people in (("any", 5), ("drop", 3)):
        (found,) = findings(
            run("linkage", *ROLES, *RELEASE, *EXTERNAL, "--missing-people", how, "--json", "-")
        )
        assert found["people"] == people


def test_rows_instead_of_names():
    rows = pd.DataFrame(REGISTER).drop(columns="name").assign(row=[1, 5, 3, None, None])
    rows.to_csv("register.csv", index=False)
    asked = ["linkage", "patients.csv", *ROLES[:4], *RELEASE, *EXTERNAL, "--record-of", "row"]
    (found,) = findings(run(*asked, "--json", "-"))
    again = uv.linkage(release(), rows, microdata=patients(), record_of=[0, 4, 2, -1, -1]).to_dict()
    del again["external"], found["external"]
    assert found == json.loads(json.dumps(again))
    rows.assign(row=[1, 6, 3, 0, 2]).to_csv("register.csv", index=False)
    done = run(*asked, code=2)
    assert (
        "row 2, column 'row' of register.csv: '6' is not a row of patients.csv; rows are counted "
        "from 1 to 5" in done.stderr
    )


def test_somebody_is_looked_up():
    done = run("linkage", *ROLES, *RELEASE, *EXTERNAL, "--about", "Cat", "--about", "Dan",
               "--json", "out.json")  # fmt: skip
    told = done.stdout[done.stdout.index("Cat, row 3 of register.csv: disease of the candidates") :]
    assert "Flu             1     50%" in told
    assert "Dan, row 4 of register.csv has no candidates: no record can be" in words(done)
    with open("out.json", encoding="utf-8") as file:
        (found,) = json.load(file)["findings"]
    cat, dan = found["persons"]
    assert dan["rows"] == []
    assert ["Flu", [1.0, "1"], [0.5, "50%"]] in cat["rows"]
    unnamed = run("linkage", *ROLES[:4], *RELEASE, *EXTERNAL, "--about", "3")
    assert "row 3 of register.csv: disease of the candidates" in unnamed.stdout


def test_a_release_that_cannot_be_used_is_no_matter_to_the_others():
    pd.DataFrame(CELLS).assign(disease="Flu").to_csv("odd.csv", index=False)
    done = run("linkage", "patients.csv", *ROLES, "--release", "odd.csv", *RELEASE, "--sanitizer",
               "microaggregation:k=2", "--json", "out.json", code=2)  # fmt: skip
    assert "Linkage: 5 people of patients.csv against 5 records by published.csv" in words(done)
    first, second = done.stderr.splitlines()
    assert first.startswith("error: odd.csv returned 5 records with disease 'Flu' where the table")
    assert second.endswith(
        "that need not be; unveil differential-inference and unveil membership do not need that"
    )
    with open("out.json", encoding="utf-8") as file:
        document = json.load(file)
    assert len(document["findings"]) == 1
    assert [next(iter(one)) for one in document["failed"]] == ["release", "sanitizer"]
    changed = run("linkage", "patients.csv", *ROLES, "--release", "odd.csv",
                  "--may-change-sensitive")  # fmt: skip
    assert "publishes values of disease that need not be true" in words(changed)


def test_an_interrupt_keeps_what_was_found(monkeypatch):
    real = uv.linkage

    def impatient(release, external, **options):
        if release.made_by != "published.csv":
            raise KeyboardInterrupt
        return real(release, external, **options)

    import unveil.attacks.linkage._linkage as home

    monkeypatch.setattr(home, "linkage", impatient)
    done = run(
        "linkage",
        "patients.csv",
        *ROLES,
        *RELEASE,
        "--sanitizer",
        "identity",
        "--json",
        "part.json",
        code=130,
    )
    told = json.loads(Path("part.interrupted.json").read_text())
    assert told["failed"] == [{"sanitizer": "Identity()", "error": "interrupted"}]
    assert len(told["findings"]) == 1
    assert done.stdout.count("Linkage: ") == 1
    assert done.stderr == "interrupted: 1 of 2 releases were looked at to the end\n"


def test_pictures():
    run("linkage", *ROLES, *RELEASE, *EXTERNAL, "--plot", "one.png")
    done = run("linkage", "patients.csv", *ROLES, *RELEASE, "--sanitizer", "mondrian:k=2", "--plot",
               "two.svg")  # fmt: skip
    assert "picture: two.svg" in done.stdout
    with open("one.png", "rb") as file:
        assert file.read(4) == b"\x89PNG"
    with open("two.svg", encoding="utf-8") as file:
        assert "Mondrian(k=2)" in file.read()


WRONG = [
    (["--identifier", "id"], "give one --identifier, which names people; got name, id"),
    (
        ["--knows", "sez"],
        "--knows names 'sez', which is not a quasi-identifier; did you mean 'sex'",
    ),
    (["--rename", "age"], "cannot read --rename age; write it like 'zip=postcode'"),
    (
        ["--rename", "years=age"],
        "--rename names 'years', which is not a column that the attacker knows",
    ),
    (["--rename", "age=a", "--rename", "age=b"], "--rename names the column 'age' twice"),
    (
        ["--recode", "sex=F=Female"],
        "cannot read --recode sex=F=Female; write it like 'sex=F->Female|M->Male'",
    ),
    (["--recode", "sex=F->a|F->b"], "cannot read --recode 'sex=F->a|F->b'; write it like"),
    (["--recode", "sec=F->a"], "names the column 'sec', which is not compared"),
    (
        ["--recode", "sex=F->Femal"],
        "--recode of 'sex' makes 'F' 'Femal', which is not a value of it",
    ),
    (["--about", "Bib"], "nobody is called 'Bib' in register.csv"),
    (["--csv", "rows.txt"], "--csv 'rows.txt' must end in .csv"),
    (["--csv", "-", "--json", "-"], "--csv and --json name standard output"),
    (["--records"], "--records adds to the JSON; say where that goes with --json"),
    (["--record-of", "row"], "column 'row' is not in register.csv"),
    (["--group", "g"], "--group is for the tables of --anatomy"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_bad_options_are_told_without_a_traceback(options, message):
    done = run("linkage", "patients.csv", *ROLES, *RELEASE, *EXTERNAL, *options, code=2)
    shown = " ".join(done.stderr.replace("│", " ").split())
    assert message in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (EXTERNAL, "there is nothing to look into: give what was published with --published"),
        (RELEASE, "there is nobody to look for: give a table of people with --external, or"),
        (
            [*RELEASE, *EXTERNAL, "--record-of", "row"],
            "--record-of says which rows of FILE the people of --external are",
        ),
        (["--sanitizer", "identity", *EXTERNAL], "there is nothing to look at: give the original"),
        ([*RELEASE, *EXTERNAL, "--cuts", "age=1,2"], "--cuts is about the original table"),
        (["--anatomy", "a", "--may-change-sensitive", *EXTERNAL], "--may-change-sensitive is for"),
    ],
)
def test_what_is_needed_without_the_original(options, message):
    assert message in run("linkage", *ROLES, *options, code=2).stderr


# composition


def test_releases_of_larger_tables_together():
    done = run("composition", "both.csv", *AGE, *TWO, "--json", "-", "--records", "--about", "Bob")
    (found,) = findings(done)
    people = uv.read_csv("both.csv", quasi="age", sensitive="disease", identifier="name")
    options = {"quasi": "age", "sensitive": "disease"}
    again = uv.composition(
        {"city": uv.read_release("city.csv", **options, made_by="city"),
         "county.csv": uv.read_release("county.csv", **options, made_by="county.csv")}, people
    )  # fmt: skip
    (bob,) = found.pop("persons")
    assert found == json.loads(json.dumps(again.to_dict(records=True)))
    assert [one["title"] for one in bob["columns"]] == ["disease", "city", "county.csv", "together"]
    assert ["Flu", [2.0, "2"], [1.0, "1"], [1.0, "1"]] in bob["rows"]
    assert len(bob["rows"]) == len(again.candidates_of("Bob"))
    assert "Bob, row 2 of both.csv: disease of the candidates" in done.stderr


def test_two_releases_of_the_table_itself():
    done = run("composition", "patients.csv", *ROLES, *RELEASE, "--sanitizer", "mondrian:k=2",
               "--k", 3, "--csv", "-", "--plot", "left.png")  # fmt: skip
    assert "Composition: 5 people of patients.csv in 2 releases" in done.stderr
    assert "below 3" in done.stderr
    rows = pd.read_csv(io.StringIO(done.stdout))
    assert rows["name"].tolist() == PATIENTS["name"]
    assert "candidates: Mondrian(k=2)" in rows.columns


def test_pseudonyms_make_it_exact():
    done = run("composition", "both.csv", *AGE, *TWO, "--pseudonym", "id", "--json", "-")
    (found,) = findings(done)
    assert found["identified"]
    assert found["together"]["fewest_candidates"] == 1
    ours = run("composition", "patients.csv", *ROLES, "--sanitizer", "mondrian:k=2", "--sanitizer",
               "identity", "--pseudonym", "name", "--json", "-")  # fmt: skip
    assert findings(ours)[0]["identified"]
    done = run("composition", "both.csv", *AGE, *TWO, "--pseudonym", "idd", code=2)
    assert "column 'idd' is not in city.csv; did you mean 'id'?" in done.stderr
    pd.DataFrame(CITY).assign(id=["a", None, *"cdef"]).to_csv("city.csv", index=False)
    done = run("composition", "both.csv", *AGE, *TWO, "--pseudonym", "id", code=2)
    assert "row 2, column 'id' of city.csv: the cell is empty, and --pseudonym needs" in done.stderr


def test_people_of_another_table():
    pd.DataFrame(BOTH).drop(columns="disease").to_csv("people.csv", index=False)
    done = run("composition", *AGE, *TWO, "--external", "people.csv")
    assert "the disease of 1 (50%) follows from both together" in words(done)
    assert "Ann" not in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--release", "city.csv"],
         "composition combines two or more releases, got 1; unveil linkage takes one"),
        ([*TWO, "--pseudonym", "id", "--anatomy", "groups.csv", "--group", "g"],
         "groups.csv is a permuted release, whose records have no sensitive values of their own"),
        (["--release", "city=city.csv", "--release", "city=county.csv"],
         "two releases are called 'city'; give them names"),
        ([*TWO, "--release", "nowhere.csv"], "nowhere.csv"),
        ([*TWO, "--k", 0], "--k"),
        ([*TWO, "--sanitizer", "randomized-response:epsilon=1"],
         "that need not be; unveil differential-inference and unveil membership do not need that"),
    ],
)  # fmt: skip
def test_compositions_that_cannot_be_made(options, message):
    groups = {"id": ["a", "d"], "age": [27, 37], "g": [1, 1], "disease": ["Flu", "Cold"]}
    pd.DataFrame(groups).to_csv("groups.csv", index=False)
    done = run("composition", "both.csv", *AGE, *options, code=2)
    assert message in " ".join(done.stderr.replace("│", " ").split())


def test_help_has_examples():
    for command in ("linkage", "composition"):
        shown = run(command, "--help").stdout
        assert "Examples" in shown
        assert f"unveil {command}" in shown
