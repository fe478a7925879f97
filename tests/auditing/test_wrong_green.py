"""What once passed and must not: columns that repeat others, and several rows of one person."""

import json

import numpy as np
import pandas as pd
import pytest
from command_line import run

import unveil as uv
from unveil.errors import PersonsError
from unveil.testing import assert_release

RNG = np.random.default_rng(0)
N = 300
RAW = pd.DataFrame({
    "age": RNG.integers(20, 70, N), "ward": RNG.choice(list("ABCDEFGH"), N),
    "sex": RNG.choice(["f", "m"], N), "diagnosis": RNG.choice([f"I{c}" for c in range(10, 22)], N),
})  # fmt: skip
QUASI = ["age", "ward", "sex"]
SHELL = ["--quasi", ",".join(QUASI), "--sensitive", "diagnosis"]
STARS = RAW.assign(age="*", ward="*", sex="*")


def read(table=RAW, **options):
    return uv.read_table(table, quasi=QUASI, sensitive="diagnosis", **options)


def audited(published, table=None, fail_on="linked > 50%", part="linkage", **options):
    table = read() if table is None else table
    release = uv.read_release(published, table, **options)
    [one] = uv.audit(table, release, fail_on=fail_on, attacks=[part], progress=False).releases
    return one


# columns that repeat what was generalized --------------------------------------------------------


@pytest.mark.parametrize("order", ["kept", "shuffled"])
@pytest.mark.parametrize("column", QUASI)
def test_a_generalized_column_under_another_name(column, order):
    more = STARS.assign(other=RAW[column])
    more = more if order == "kept" else more.sample(frac=1, random_state=1)
    one = audited(more)
    assert str(one.state) == "fails"
    assert one.figures["repeated"] == 1
    assert f"the column 'other' has the values of '{column}'" in str(one.checks[-1])
    assert one.besides.assumed == ()
    assert one.besides.unroled == ("other",)


def test_a_generalized_column_in_other_words():
    words = {age: f"{chr(97 + age % 26)}{age}" for age in range(20, 70)}
    for other in (2026 - RAW["age"], RAW["age"] * 12, RAW["age"].map(words)):
        one = audited(STARS.assign(other=other.sample(frac=1, random_state=4).to_numpy()))
        assert str(one.state) == "fails"
        assert "the column 'other' has the values of 'age'" in str(one.checks[-1])
    # As many people of each: that any other column may have.
    even = RAW.assign(age=np.repeat(np.arange(20, 50), 10))
    other = RNG.permutation(np.repeat(np.arange(100, 130), 10))
    assert audited(STARS.assign(other=other), read(even)).figures["repeated"] == 0


def test_without_thresholds_too():
    table = read()
    more = uv.read_release(STARS.assign(other=RAW["age"]), table)
    assert str(uv.audit(table, more, attacks=["measures"]).releases[0].state) == "fails"


def test_columns_that_only_look_alike():
    for other in (
        RNG.integers(0, 1000, N),  # other numbers
        RNG.choice(list("ABCDEFGH"), N),  # the same few values, about as often
        RAW["age"] // 10,
        RNG.choice(RAW["age"], N),  # drawn again: about two in three are there as often
    ):
        one = audited(STARS.assign(other=other))
        assert one.figures["repeated"] == 0
        assert str(one.state) == "passes"
    # Published as it is anyway: it tells nothing new.
    assert audited(RAW.assign(other=RAW["age"]), fail_on="l < 1", part="measures").figures[
        "repeated"
    ] == 0  # fmt: skip


def test_secrets_that_are_published_apart_and_again():
    table = read()
    release = uv.Anatomy(l=2, seed=1).sanitize(table)
    records, secrets = release.to_frame(), release.counts
    assert secrets.sum() == len(records)
    names = [*QUASI, release.group_name]
    pairs = pd.DataFrame(
        [(group, table.sensitive.texts[s], release.counts[g, s])
         for g, group in enumerate(release.groups) for s in range(table.sensitive.size)
         if release.counts[g, s]], columns=[release.group_name, "diagnosis", "count"],
    )  # fmt: skip
    for more, found in ((records[names], 0), (records[names].assign(code=RAW["diagnosis"]), 1)):
        again = uv.read_anatomy(more, pairs, microdata=table, group=release.group_name)
        assert uv.identifiers(again, table).figures[1].value == found


def test_repeated_by_every_way_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    RAW.to_csv("table.csv", index=False)
    STARS.assign(alter=RAW["age"]).to_csv("published.csv", index=False)
    options = ["--release", "published.csv", "--attack", "linkage", "--fail-on", "linked > 50%"]
    done = run("audit", "table.csv", *SHELL, *options, "--json", "audit.json", code=1)
    assert "the column 'alter' has the values of 'age'" in " ".join(done.stdout.split())
    [secret] = json.loads((tmp_path / "audit.json").read_text())["secrets"]
    assert secret["releases"][0]["state"] == "fails"
    table = uv.read_csv("table.csv", quasi=QUASI, sensitive="diagnosis")
    release = uv.read_release("published.csv", table)
    with pytest.raises(AssertionError, match=r"repeated is 1.*, which is above 0"):
        assert_release(table, release, "linked <= 50%")
    (tmp_path / "unveil.toml").write_text("""
[data]
file = "table.csv"
[roles]
age = "quasi"
ward = "quasi"
sex = "quasi"
diagnosis = "sensitive"
[attacks]
use = ["linkage"]
[thresholds]
fail_on = ["linked > 50%"]
[[releases]]
file = "published.csv"
""")
    run("audit", "--project", "unveil.toml", code=1)


# several rows per person -------------------------------------------------------------------------


def test_five_rows_of_one_person_are_no_crowd():
    rows = RAW.loc[RAW.index[:60].repeat(5)].assign(diagnosis=RAW["diagnosis"].to_numpy())
    rows = rows.assign(name=[f"P{i // 5}" for i in range(N)])
    with pytest.raises(PersonsError, match="300 rows and 60 values of 'name'"):
        read(rows, identifier="name")
    table = read(rows, person="name")
    one = audited(rows.drop(columns="name"), table, fail_on="k < 5", part="measures")
    assert "k" not in one.figures  # nobody knows whose the published rows are
    assert str(one.state) == "not known"
    assert "the original has 300 records of 60 people" in str(one.checks[-1])
    found = uv.identifiers(uv.read_release(rows.drop(columns="name"), table), table)
    assert (found.people, found.whose_is_known) == (60, False)
    counted = uv.audit(table, "identity", attacks=["measures"], fail_on="k < 2", progress=False)
    assert counted.releases[0].figures["k"] == 1
    assert counted.passed is False


def test_namesakes_are_people():
    names = [f"P{i}" for i in range(N - 10)] + [f"P{i}" for i in range(10)]
    table = read(RAW.assign(name=names), identifier="name")
    assert str(audited(STARS, table, fail_on="k < 5", part="measures").state) == "passes"
    numbered = RAW.assign(name="P", surname=[f"Q{i}" for i in range(N)])
    table = read(numbered, identifier=["name", "surname"])
    assert str(audited(STARS, table, fail_on="k < 5", part="measures").state) == "passes"


# the untouched table -----------------------------------------------------------------------------


def test_the_table_as_it_is_by_another_name_is_untouched():
    assert audited(RAW, fail_on="l < 1", part="measures").is_untouched
    assert audited(RAW.sample(frac=1, random_state=3), fail_on="l < 1",
                   part="measures").is_untouched  # fmt: skip
    assert not audited(STARS, fail_on="l < 1", part="measures").is_untouched
    noisy = uv.audit(read(), "randomized-response:epsilon=1", attacks=["inference"])
    assert not noisy.releases[0].is_untouched
