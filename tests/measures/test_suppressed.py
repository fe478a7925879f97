"""Suppressed records form no class, whatever counts them, and every measure says how many."""

import json
import math
from pathlib import Path

import pandas as pd
import pytest
from command_line import run
from hypothesis import HealthCheck, given
from plain_suppressed import classes, starred_tables, suppressed_rows
from proofs import examples

import unveil as uv
from unveil.engine.counting import Held, InEngine, _in_engine
from unveil.measures import count

near = pytest.approx


def keys_of(table):
    return [name for name in table if name != "s"]


def measured(table, found):
    """All that a pass over the classes says, against loops."""
    keys = keys_of(table)
    plain, gone = classes(table, keys, "s"), len(suppressed_rows(table, keys))
    sizes = [one.total() for one in plain]
    assert found.k_anonymity.k == min(sizes)
    assert found.k_anonymity.classes == len(sizes)
    assert found.k_anonymity.records == len(table["s"])
    assert found.k_anonymity.suppressed == gone
    assert found.k_anonymity.in_classes == sum(sizes)
    assert found.uniqueness.unique == sizes.count(1)
    assert found.uniqueness.share == near(sizes.count(1) / sum(sizes))
    assert found.l_diversity.distinct == min(len(one) for one in plain)
    whole = pd.Series(table["s"]).value_counts(normalize=True)
    far = [
        sum(abs(one[v] / one.total() - share) for v, share in whole.items()) / 2 for one in plain
    ]
    assert found.t_closeness.t == near(max(far), abs=1e-12)  # all records are in the table
    assert found.average_class_size.mean == near(sum(sizes) / len(sizes))
    n, nothing_told = len(table["s"]), all(set(table[key]) == {"*"} for key in keys)
    cost = n**2 if nothing_told else sum(size**2 for size in sizes) + gone * n
    assert found.discernibility.cost == cost
    assert found.reidentification_risk.prosecutor.highest == near(1 / min(sizes))
    assert found.reidentification_risk.prosecutor.average == near(len(sizes) / sum(sizes))
    assert found.reidentification_risk.suppressed == gone
    said = [note for note in found.notes if "suppressed" in str(note)]
    assert len(said) == (gone > 0)
    # The rate of all keys: to be suppressed is one more group.
    bits = sum(one.total() * entropy(one.values()) for one in plain)
    left_out = [table["s"][i] for i in suppressed_rows(table, keys)]
    bits += gone * entropy(pd.Series(left_out).value_counts())
    everything = entropy(pd.Series(table["s"]).value_counts())
    assert found.discrimination_rate.left == near(bits / n, abs=1e-12)
    assert found.discrimination_rate.entropy == near(everything, abs=1e-12)
    assert found.discrimination_rate.suppressed == gone
    if everything:
        sure = sum(one.total() for one in plain if len(one) == 1)
        assert found.discrimination_rate.determined == sure
    for one in found.unique_subsets.subsets:
        kept = set(range(n)) - set(suppressed_rows(table, keys))
        cells = pd.Series([tuple(table[key][i] for key in one.keys) for i in kept]).value_counts()
        assert (one.unique, one.classes, one.records) == ((cells == 1).sum(), len(cells), len(kept))


def entropy(numbers):
    numbers = list(numbers)
    return -math.fsum(n / sum(numbers) * math.log2(n / sum(numbers)) for n in numbers)


def everything(table, counts, **options):
    return uv.measures(counts, subsets=2, distance="equal", **options)


@examples(150)
@given(starred_tables())
def test_in_memory(table):
    counts = count(table, quasi=keys_of(table), sensitive="s")
    assert isinstance(counts, Held)
    measured(table, everything(table, counts))


@pytest.mark.parametrize("fetched", [4_000_000, 0], ids=["fetched later", "never fetched"])
@examples(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=starred_tables(max_size=12))
def test_in_an_engine(monkeypatch, fetched, table):
    monkeypatch.setattr(_in_engine, "PROBED", 1)
    monkeypatch.setattr(_in_engine, "FEW", -1.0)
    monkeypatch.setattr(_in_engine, "FETCHED", fetched)
    frame = pd.DataFrame(table)
    counts = count(frame, quasi=keys_of(table), sensitive="s", engine="duckdb")
    assert isinstance(counts, InEngine)
    assert counts.shown.rows == counts.rows - counts.suppressed
    measured(table, everything(table, counts))


@pytest.mark.spark
def test_in_spark():
    pytest.importorskip("pyspark", reason="the extra 'spark' is not installed")
    table = {"a": ["x", "x", "*", "y", "y"], "b": ["*", "*", "*", "z", "z"], "s": list("uvuvw")}
    measured(
        table, everything(table, count(table, quasi=["a", "b"], sensitive="s", engine="spark"))
    )


@examples(60)
@given(starred_tables())
def test_a_release_is_measured_like_its_table(table):
    """A release knows its domains: a cell that covers all values is suppressed, however written."""
    keys = keys_of(table)
    domains = {key: ["x", "y"] for key in keys}
    release = uv.read_release(table, quasi=keys, sensitive="s", domains=domains)
    gone = len(suppressed_rows(table, keys))
    assert release.suppressed == gone
    measured(table, everything(table, count(release)))
    written = {key: ["{x, y}" if cell == "*" else cell for cell in table[key]] for key in keys}
    other = uv.read_release({**written, "s": table["s"]}, quasi=keys, sensitive="s",
                            domains=domains)  # fmt: skip
    assert other.suppressed == gone
    found, same = uv.k_anonymity(other), uv.k_anonymity(release)
    assert (found.k, found.sizes, found.suppressed) == (same.k, same.sizes, same.suppressed)


def test_what_looks_like_suppression_and_is_none():
    # A column that is * everywhere hides nobody; it was left out.
    table = {"age": ["2*", "2*", "3*"], "zip": ["*", "*", "*"], "s": list("aba")}
    assert uv.k_anonymity(table, quasi=["age", "zip"], sensitive="s").k == 1
    # All records are alike: one class of everybody.
    found = uv.k_anonymity(table, quasi="zip", sensitive="s")
    assert (found.k, found.suppressed) == (3, 0)
    # A record that shows one cell is not suppressed.
    table["zip"][0] = "12"
    assert uv.k_anonymity(table, quasi=["age", "zip"], sensitive="s").suppressed == 0


@pytest.fixture
def one_of_a_thousand(tmp_path, monkeypatch):
    """A thousand records in classes of 20 by age and sex, and one of them is suppressed."""
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({
        "age": [f"{20 + i // 40}" for i in range(1000)],
        "sex": ["F" if i % 2 else "M" for i in range(1000)],
        "disease": ["abcd"[i // 2 % 4] for i in range(1000)],
    })  # fmt: skip
    frame.to_csv("people.csv", index=False)
    frame.loc[17, ["age", "sex"]] = "*"
    frame.to_csv("published.csv", index=False)
    return frame


def test_one_suppressed_record_does_not_make_k_one(one_of_a_thousand):
    """In Python, in a shell, in a project file and in an audit."""
    frame, roles = one_of_a_thousand, {"quasi": ["age", "sex"], "sensitive": "disease"}
    found = uv.measures(frame, **roles)
    assert (found.k_anonymity.k, found.k_anonymity.suppressed) == (19, 1)
    assert (found.uniqueness.unique, found.l_diversity.distinct) == (0, 4)
    assert "1 of 1,000 records is suppressed" in str(found)
    assert "every record" not in str(found.verdict())
    original = uv.read_csv("people.csv", **roles, categorical="age")
    release = uv.read_release("published.csv", original)
    assert uv.k_anonymity(release).k == 19

    options = ("--quasi", "age,sex", "--sensitive", "disease")
    done = run("measures", "published.csv", *options, "--json", "found.json")
    assert "1 of 1,000 records is suppressed and forms no class" in done.output
    said = json.loads(Path("found.json").read_text())["findings"][0]["measures"]
    assert (said["k_anonymity"]["k"], said["k_anonymity"]["suppressed"]) == (19, 1)
    assert said["reidentification_risk"]["suppressed"] == 1

    Path("unveil.toml").write_text("""
[data]
file = "people.csv"
[roles]
age = "quasi"
sex = "quasi"
disease = "sensitive"
[kinds]
age = "categorical"
[attacks]
use = ["measures"]
[[releases]]
file = "published.csv"
[thresholds]
fail_on = ["k < 19", "unique > 0"]
""")
    done = run("audit", "--project", "unveil.toml", "--json", "audit.json")
    assert "1 of 1,000 records is suppressed" in Path("audit.json").read_text()
    stricter = run("audit", "--project", "unveil.toml", "--fail-on", "k < 20", code=None)
    assert stricter.exit_code == 1, stricter.output


@pytest.mark.parametrize(("words", "sizes", "suppressed"), [
    (["all", "all", "*", "all"], [3], 1),
    (["*", "*", "*", "*"], [4], 0),
    (["all", "all", "all", "all"], [4], 0),
    (["1-4", "all", "all", "*"], [1, 2], 1),
])  # fmt: skip
def test_where_whatever_is_published_covers_everybody(words, sizes, suppressed):
    """A word for all values is a class of those who have it; a star is none."""
    tree = uv.flat_hierarchy([1, 2, 3, 4], top="all")
    table = uv.read_table({"q": [1, 2, 3, 4], "s": list("abab")}, quasi="q", sensitive="s",
                          numeric=["q"], hierarchies={"q": tree})  # fmt: skip
    release = uv.read_release({"q": words, "s": list("abab")}, table)
    assert sorted(release.class_sizes.tolist()) == sizes
    assert release.suppressed == suppressed
    assert uv.k_anonymity(release).k == min(sizes)
