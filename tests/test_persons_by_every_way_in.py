"""A row is not a person, by every way in: no unsafe release passes because rows were counted.

One patient with five visits is alone in her class. By rows that class has k = 5.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import run

import unveil as uv
from unveil.errors import InputError, PersonsError, UnveilError, View
from unveil.options import counted_by
from unveil.registry import declarations
from unveil.testing import assert_release

# Patients 1 to 25 have a visit or two in a class of many; patient 0 has five in one of her own.
VISITS = pd.DataFrame(
    [(f"P{100 + i}", 30, "f" if i % 2 else "m", "flu" if i % 3 else "asthma")
     for i in range(1, 26) for _ in range(1 + i % 2)]
    + [("P100", 80, "f", illness) for illness in ("flu", "asthma", "I50", "I50", "C50")],
    columns=["patient", "age", "sex", "illness"],
)  # fmt: skip
ROLES = {"quasi": ["age", "sex"], "sensitive": "illness"}
SHELL = ["--quasi", "age,sex", "--sensitive", "illness"]
AUDIT = ["--attack", "measures", "--fail-on", "k < 5", "--sanitizer", "identity"]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    VISITS.to_csv("visits.csv", index=False)
    VISITS.drop(columns="patient").to_csv("published.csv", index=False)
    names = {one: f"#{i}" for i, one in enumerate(sorted(set(VISITS["patient"]), reverse=True))}
    VISITS.assign(patient=VISITS["patient"].map(names)).to_csv("pseudonyms.csv", index=False)


def squeezed(text):
    return " ".join(text.split())


def k_of(audit):
    return audit.releases[0].figures["k"]


def test_in_python():
    for role in ({}, {"identifier": "patient"}):
        with pytest.raises(PersonsError, match="give person='patient'; if each row"):
            uv.read_csv("visits.csv", **ROLES, **role)
    table = uv.read_csv("visits.csv", **ROLES, person="patient")
    assert (len(table), table.several.count) == (43, 26)
    audit = uv.audit(table, "identity", fail_on="k < 5", attacks=["measures"])
    assert (k_of(audit), audit.passed) == (1, False)
    said = uv.read_csv("visits.csv", **ROLES, identifier="patient", person=False)
    audit = uv.audit(said, "identity", fail_on="k < 5", attacks=["measures"])
    assert (k_of(audit), audit.passed) == (5, True)
    assert uv.read_csv("published.csv", **ROLES).one_each is False  # nobody knows, and it is said
    assert "each taken to be another person's" in str(
        uv.audit(uv.read_csv("published.csv", **ROLES), "identity", attacks=["measures"])
    )


def test_several_secrets_with_gaps():
    """As many people as records: those of the sensitive column that most have."""
    table = VISITS.assign(cost=[None if i % 4 else i for i in range(len(VISITS))])
    kept = [uv.read_table(table, **{**ROLES, "sensitive": one}, person="patient", missing="keep")
            for one in ("cost", "illness")]  # fmt: skip
    assert kept[0].persons.count < kept[1].persons.count == 26
    audit = uv.audit(kept, "identity", attacks=["measures"], progress=False)
    assert (audit.records, audit.people) == (43, 26)
    assert "43 records of 26 people" in str(audit)


def test_in_a_shell():
    for asked in ([], ["--identifier", "patient"]):
        done = run("audit", "visits.csv", *SHELL, *AUDIT, *asked, code=2)
        assert "give --person patient; if each row is another person's, give --person none" in (
            squeezed(done.stderr)
        )
    assert "26 values of 'patient'" in squeezed(run("measures", "visits.csv", *SHELL,
                                                    code=2).stderr)  # fmt: skip
    into = ["--json", "audit.json", "--junit", "unveil.xml", "--report", "r.html"]
    done = run("audit", "visits.csv", *SHELL, *AUDIT, "--person", "patient", *into, code=1)
    assert "visits.csv: 43 records of 26 people." in squeezed(done.stdout)
    assert "k is 1, which is below 5" in squeezed(done.stdout)
    data = json.loads(Path("audit.json").read_text())["data"]
    assert (data["records"], data["people"]) == (43, 26)
    assert "43 records of 26 people" in Path("r.html").read_text()
    assert "P100" not in Path("r.html").read_text() + Path("audit.json").read_text()
    run("audit", "visits.csv", *SHELL, *AUDIT, "--person", "none", code=0)
    done = run("measures", "visits.csv", *SHELL, "--person", "patient")
    assert "There are 43 rows of 26 people" in squeezed(done.stdout)
    run("measures", "visits.csv", *SHELL, "--person", "none")
    done = run("linkage", "visits.csv", *SHELL, "--person", "patient", "--sanitizer", "identity",
               "--about", "P100")  # fmt: skip
    assert "1 (3.8%) is linked to a single person by one of their rows" in squeezed(done.stdout)
    assert "P100, row 39 of visits.csv: illness of the candidates" in squeezed(done.stdout)
    VISITS[["patient", "age", "sex"]].to_csv("list.csv", index=False)
    done = run("linkage", "--published", "visits.csv", *SHELL, "--person", "patient", "--external",
               "list.csv", "--about", "P101")  # fmt: skip
    assert "26 people with 43 rows of list.csv" in squeezed(done.stdout)
    done = run("relative-risk", "visits.csv", *SHELL, "--person", "patient", "--sanitizer",
               "identity", code=2)  # fmt: skip
    assert "its model draws rows independently of each other; unveil inference" in (
        squeezed(done.stderr)
    )


def test_a_published_file():
    """Without the column nobody knows whose a row is, and nothing passes; with pseudonyms it is."""
    asked = ["audit", "visits.csv", *SHELL, "--person", "patient", "--attack", "measures",
             "--attack", "identifiers", "--release"]  # fmt: skip
    done = run(*asked, "published.csv", "--fail-on", "k < 2", code=3)
    assert "nobody knows whose the published rows are" in squeezed(done.stdout)
    table = uv.read_csv("visits.csv", **ROLES, person="patient")
    with pytest.raises(InputError, match="nobody knows whose the published rows are"):
        uv.measures(uv.read_release("published.csv", table))
    for release in (
        uv.read_release("pseudonyms.csv", table),
        uv.read_release("pseudonyms.csv", **ROLES, person="patient"),
    ):
        found = uv.measures(release)
        assert (found.k, found.people, found.records) == (1, 26, 43)


def test_what_was_published_alone():
    asked = ["audit", "--published", "pseudonyms.csv", *SHELL, "--attack", "measures", "--fail-on",
             "k < 5"]  # fmt: skip
    done = run(*asked, code=3)  # it was not tested
    assert "give --person patient; if each row is another person's" in squeezed(done.stderr)
    done = run(*asked, "--person", "patient", code=1)
    assert "k is 1, which is below 5" in squeezed(done.stdout)
    assert "every record is of another person" not in squeezed(done.stdout)
    done = run(*asked, "--person", "none", code=0)
    assert "takes for granted that every record is of another person" in squeezed(done.stdout)


def test_two_files_in_the_same_order():
    """Nobody published whose the rows are, but their order tells."""
    bands = VISITS["age"].map({30: "30-39", 80: "80-89"})
    VISITS.drop(columns="patient").assign(age=bands).to_csv("bands.csv", index=False)
    done = run("audit", "visits.csv", "bands.csv", "--attack", "measures", "--fail-on", "k < 5",
               code=1)  # fmt: skip
    assert "visits.csv: 43 records of 26 people." in squeezed(done.stdout)
    assert "k is 1, which is below 5" in squeezed(done.stdout)
    run("init", "visits.csv", "bands.csv", "--force")
    assert "in_order = true" in Path("unveil.toml").read_text()
    table = uv.read_csv("visits.csv", **ROLES, person="patient")
    assert uv.measures(uv.read_release("bands.csv", table, in_order=True)).k == 1
    pd.read_csv("bands.csv").iloc[1:].to_csv("shorter.csv", index=False)
    with pytest.raises(InputError, match="in_order= was said, but"):
        uv.read_release("shorter.csv", table, in_order=True)


PROJECT = """
[data]
file = "visits.csv"
{data}
[roles]
patient = "{role}"
age = "quasi"
sex = "quasi"
illness = "sensitive"
[attacks]
use = ["measures"]
[thresholds]
fail_on = ["k < 5"]
[[releases]]
sanitizer = "identity"
"""


def project(role, data=""):
    Path("unveil.toml").write_text(PROJECT.format(role=role, data=data))
    return "unveil.toml"


def test_in_a_project():
    done = run("audit", "--project", project("identifier"), code=2)
    assert 'give patient = "person"; if each row is another person\'s, give person = "none"' in (
        squeezed(done.stderr)
    )
    done = run("audit", "--project", project("person"), code=1)
    assert "43 records of 26 people" in squeezed(done.stdout)
    run("audit", "--project", project("identifier", 'person = "none"'), code=0)


def test_in_a_test():
    table = uv.read_csv("visits.csv", **ROLES, person="patient")
    with pytest.raises(AssertionError, match="k"):
        assert_release(table, uv.Identity(), "k >= 5")
    assert_release(table, uv.Mondrian(k=20), "k >= 5")


def test_the_role_is_proposed():
    done = run("init", "visits.csv")
    text = Path("unveil.toml").read_text()
    assert 'patient = "person"' in text
    assert "26 values in 43 rows" in squeezed(done.stdout)
    assert "43 records of 26 people" in squeezed(run("audit", "-p", "unveil.toml", "--attack",
                                                     "measures", code=None).stdout)  # fmt: skip


def test_names_and_addresses_are_shared_by_families():
    people = pd.DataFrame({"surname": ["Ek", "Ek", *"abcdefghijklmnopqr"], "age": range(20),
                           "vote": list("xy") * 10})  # fmt: skip
    read = {"quasi": "age", "sensitive": "vote", "identifier": "surname"}
    assert uv.read_table(people, **read).one_each
    with pytest.raises(PersonsError, match="10 values of 'surname'"):
        uv.read_table(people.assign(surname=np.repeat(list("abcdefghij"), 2),
                                    town=np.repeat(list("abcdefghij"), 2)), **read)  # fmt: skip
    namesakes = people.assign(surname=np.repeat(list("abcdefghij"), 2))
    assert uv.read_table(namesakes, **read).one_each  # of other ages, and of both parties
    with pytest.raises(InputError, match="row 3: it says whose a row is, and is empty"):
        uv.read_table(people.assign(who=["a", "b", None, *"cdefghijklmnopqrs"]), quasi="age",
                      sensitive="vote", person="who")  # fmt: skip


def test_logs_have_many_rows_of_each():
    """However many: only a column of few values may be one of groups."""
    rng = np.random.default_rng(0)
    users, n = [f"u{i}" for i in range(25)], 7_500
    log = pd.DataFrame({"user": np.repeat(users, n // 25), "hour": rng.integers(0, 24, n),
                        "page": rng.choice(list("abc"), n)})  # fmt: skip
    with pytest.raises(PersonsError, match="25 values of 'user'"):
        uv.read_table(log, quasi="hour", sensitive="page")
    with pytest.raises(PersonsError, match="25 values of 'user'"):  # that is another question
        uv.k_anonymity(log, quasi="hour", count=False)
    assert uv.k_anonymity(log, quasi="hour", person=False).k > 5
    assert uv.propose(log)["user"].role == "person"


def test_what_the_attacker_knows_is_a_key():
    table = uv.read_csv("visits.csv", **ROLES, person="patient")
    release = uv.Identity().sanitize(table)
    assert uv.measures(release, knows=["sex"]).k == uv.measures(release, knows="sex").k == 12
    with pytest.raises(InputError, match=r"knows= names 'agee', .*did you mean 'age'"):
        uv.measures(release, knows=["sex", "agee"])


def test_several_columns_say_it_together_in_a_project():
    with pytest.raises(PersonsError) as error:
        uv.read_table(
            {"first": list("aabbccddee"), "last": list("xxyyzzuuvv"), "zip": list("1122334455"),
             "ill": list("pqpqpqpqpq")}, quasi="zip", sensitive="ill", identifier=["first", "last"],
        )  # fmt: skip
    said = error.value.message.shown(View("project"))
    assert 'give first = "person" and last = "person"; if each' in said


def test_what_counts_rows_is_refused():
    """Nothing that was not made to count people gives a number, in audits and called by itself."""
    table = uv.read_csv("visits.csv", **ROLES, person="patient")
    audit = uv.audit(table, "mondrian:k=3", attacks="all", baseline=False, progress=False,
                     fail_on=["relative_risk > 2", "k < 1"])  # fmt: skip
    looked = audit.releases[0].looked
    done = {name for name, one in looked.items() if one.status == "done"}
    by_person = {name for name, one in declarations().items() if counted_by(one.call()) is None}
    assert done == by_person & set(looked) >= {"measures", "identifiers", "inference"}
    refused = [one.why for name, one in looked.items() if name not in done]
    assert refused
    assert all("counts rows, and here a person may have several" in str(why) for why in refused)
    assert audit.passed is False
    release = uv.Mondrian(k=3).sanitize(table)
    for call in (
        lambda: uv.uniqueness(release), lambda: uv.l_diversity(table),
        lambda: uv.compare_measures({"a": release}), lambda: uv.definetti(release),
        lambda: uv.skewness(release, table),
        lambda: uv.identity_disclosure(release, table), lambda: uv.unique_subsets(table),
        lambda: uv.measures(release, subsets=2),
        lambda: uv.measures(uv.Anatomy(l=2).sanitize(table)),
    ):  # fmt: skip
        with pytest.raises(UnveilError):
            call()


# Four stays of ten are one patient's. Without one of the four belief hardly moves.
STAYS = pd.DataFrame({"patient": ["P200"] * 4 + [f"P20{i}" for i in range(1, 7)], "age": 30,
                      "sex": "f", "illness": ["HIV"] * 4 + ["flu"] * 6})  # fmt: skip
DELTA = ["--attack", "differential-inference", "--fail-on", "delta > 0.2", "--sanitizer",
         "identity"]  # fmt: skip
BELIEF = """
[data]
file = "stays.csv"
{data}
[roles]
patient = "{role}"
age = "quasi"
sex = "quasi"
illness = "sensitive"
[attacks]
use = ["differential-inference"]
[thresholds]
fail_on = ["delta > 0.2"]
[[releases]]
{release}
"""


def test_what_own_records_give_away():
    """By rows it passes, and by people it fails: in Python, a shell, a project and a test."""
    STAYS.to_csv("stays.csv", index=False)
    for person, code, delta in (("patient", 1, 0.4), (False, 0, 0.082)):
        table = uv.read_csv("stays.csv", **ROLES, person=person)
        audit = uv.audit(table, "identity", fail_on="delta > 0.2", progress=False,
                         attacks=["differential-inference"])  # fmt: skip
        assert audit.releases[0].figures["delta"] == pytest.approx(delta, abs=0.001)
        assert audit.passed is (code == 0)
        done = run("audit", "stays.csv", *SHELL, *DELTA, "--person", person or "none", code=code)
        assert ("FAILS: delta is" in squeezed(done.stdout)) is (code == 1)
        said = ('person = "none"', "identifier") if not person else ("", "person")
        Path("unveil.toml").write_text(
            BELIEF.format(data=said[0], role=said[1], release='sanitizer = "identity"')
        )
        run("audit", "--project", "unveil.toml", code=code)
        if person:
            with pytest.raises(AssertionError, match="delta is"):
                assert_release(table, uv.Identity(), "delta <= 0.2")
            assert audit.releases[0].coarse.people == 7  # a mean is of so many
        else:
            assert_release(table, uv.Identity(), "delta <= 0.2")
    done = run("differential-inference", "stays.csv", *SHELL, "--person", "patient",
               "--sanitizer", "identity")  # fmt: skip
    assert "7 of 7 people tested" in squeezed(done.stdout)
    assert "Removing their own records" in squeezed(done.stdout)


def test_programs_get_numbers_only_if_it_is_said():
    """A program that fails without the column is given it by a shell and by a project."""
    STAYS.to_csv("stays.csv", index=False)
    Path("needs.py").write_text(
        "import shutil, sys\n"
        "names = open(sys.argv[1]).readline()\n"
        "if 'patient' not in names or 'P20' in open(sys.argv[1]).read():\n"
        "    sys.exit('no numbers')\n"
        "shutil.copy(sys.argv[1], sys.argv[2])\n"
    )
    line = f"{sys.executable} needs.py {{input}} {{output}}"
    asked = ["audit", "stays.csv", *SHELL, "--person", "patient", "--attack", "measures",
             "--fail-on", "k < 2", "--oracle", line]  # fmt: skip
    assert "no numbers" in squeezed(run(*asked, code=3).stderr)
    run(*asked, "--gives-person", code=0)
    Path("unveil.toml").write_text(
        BELIEF.format(data="", role="person", release=f'oracle = "{line}"\ngives_person = true')
        .replace("differential-inference", "measures").replace("delta > 0.2", "k < 2")
    )  # fmt: skip
    run("audit", "--project", "unveil.toml", code=0)
    done = run("audit", "stays.csv", *SHELL, "--sanitizer", "identity", "--gives-person", code=2)
    assert "--gives-person is for programs of others; give one with --oracle" in (
        squeezed(done.stderr)
    )


def test_oracles_do_not_get_the_column():
    given = []

    def program(frame):
        given.append(list(frame.columns))
        return frame

    table = uv.read_csv("visits.csv", **ROLES, person="patient")
    release = uv.Oracle(program).sanitize(table)
    assert given == [["age", "sex", "illness"]]
    # All rows came back in their places, so it is known whose they are.
    np.testing.assert_array_equal(release.several.of, table.several.of)
