"""A table of PostgreSQL is counted there, with the same numbers as anywhere."""

import datetime as dt
from collections import Counter
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given
from plain_counts import check_counts, odd_tables, plain_classes, texts
from proofs import examples

from unveil.engine.counting import Held, InEngine, paired_in_engine
from unveil.errors import InputError
from unveil.measures import count

FEWER = examples(10, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize(
    "limits", [None, {}, {"wide": 0}], ids=["fetched", "look-alikes", "streamed"]
)
@FEWER
@given(table=odd_tables(max_size=15))
def test_it_counts_like_a_dictionary(postgres, tiny, limits, table):
    if limits is not None:
        tiny(**limits)
    keys = list(table)[1:]
    counts = count(table, quasi=keys, sensitive="secret", engine=postgres)
    assert isinstance(counts, Held if limits is None else InEngine)
    check_counts(counts, table, keys, "secret")
    check_counts(counts.over(keys[:1]), table, keys[:1], "secret")


@pytest.fixture
def people(postgres):
    """A table of the database itself, with types and an order of letters that only it has."""
    postgres.raw_sql("""
        CREATE TEMP TABLE people AS SELECT age, "Mood" COLLATE "en-x-icu", pay, seen, s FROM (VALUES
            (20::smallint, 'Ärger', 1.50::numeric(6, 2), '2020-02-29 12:00+02'::timestamptz, 'x'),
            (20, 'Zorn', 2.50, '2020-02-29 10:00+00', 'y'),
            (NULL, 'arg', 1.50, NULL, 'x'),
            (NULL, 'arg', 1.50, NULL, NULL)
        ) AS t(age, "Mood", pay, seen, s)
    """).close()
    yield postgres.table("people")
    postgres.raw_sql("DROP TABLE people").close()


def test_a_table_of_its_own(people):
    counts = count(people, quasi=["age", "Mood", "pay", "seen"], sensitive="s")
    noon = dt.datetime(2020, 2, 29, 10)
    rows = {
        "age": [20, 20, None, None], "Mood": ["Ärger", "Zorn", "arg", "arg"],
        "pay": [Decimal("1.50"), Decimal("2.50"), Decimal("1.50"), Decimal("1.50")],
        "seen": [noon, noon, None, None], "s": ["x", "y", "x", None],
    }  # fmt: skip
    check_counts(counts, rows, ["age", "Mood", "pay", "seen"], "s")
    assert counts.source == "people (postgres)"


def test_the_first_of_several_classes_is_asked_for_once(people, tiny, monkeypatch):
    from unveil.engine.counting._engines import Fetching

    tiny()
    counts = count(people, quasi=["Mood"], sensitive="age")
    block = next(one for one in counts.blocks() if one.weights.max() == 2)
    asked = []
    really = Fetching.table
    monkeypatch.setattr(Fetching, "table", lambda self, e: asked.append(e) or really(self, e))
    names = [block.key_of(0) for _ in range(3)]
    assert names == [("Zorn",)] * 3  # Z stands before Ä, byte by byte
    assert len(asked) == 1


def test_classes_are_named_while_others_are_still_arriving(postgres, tiny):
    tiny()
    table = {"k": [*"abcdef"], "s": [*"xyzxyz"]}
    counts = count(table, quasi="k", sensitive="s", engine=postgres)
    named = Counter()
    for block in counts.blocks():
        for g in range(len(block)):
            named[texts(block.key_of(g))] += int(block.weights[g])
    assert named == {("a",): 2, ("b",): 2, ("c",): 2}


@FEWER
@given(table=odd_tables(max_size=12))
def test_classes_are_found_in_a_population(postgres, tiny, table):
    tiny()
    keys = list(table)[1:]
    half = {name: cells[::2] for name, cells in table.items()}
    everybody = pa.table({name: pa.array(cells) for name, cells in table.items()})
    every_other = everybody.take(pa.array(range(0, len(everybody), 2)))
    sample = count(every_other, quasi=keys, engine=postgres)
    population = count(everybody, quasi=keys, engine=postgres)
    ours, theirs = plain_classes(half, keys, None), plain_classes(table, keys, None)
    expected = Counter((ours[key][""], theirs[key][""]) for key in ours)
    found = Counter()
    for records, people, weights, key_of in paired_in_engine(sample, population):
        for g in range(len(weights)):
            found[int(records[g]), int(people[g])] += int(weights[g])
            alike = {
                texts(k) for k in ours if (ours[k][""], theirs[k][""]) == (records[g], people[g])
            }
            assert texts(key_of(g)) in alike
    assert found == expected


def test_what_it_complains_of_is_one_line(people, postgres, tiny):
    tiny()
    counts = count(people, quasi=["age"], sensitive="s")
    gone = postgres.table("people").mutate(half=people["Mood"].cast("int64"))
    with pytest.raises(InputError, match=r"^postgres cannot count .*invalid input syntax") as error:
        count(gone, quasi="half")
    assert "\n" not in str(error.value)
    assert "SELECT" not in str(error.value)
    check_counts(counts, {"age": [20, 20, None, None], "s": ["x", "y", "x", None]}, ["age"], "s")


def test_an_engine_for_a_table_of_another(people, duckdb):
    with pytest.raises(InputError, match="a table of postgres is counted by postgres"):
        count(people, quasi="age", engine="spark")
    assert count(people, quasi="age", engine=people.get_backend()).rows == 4
