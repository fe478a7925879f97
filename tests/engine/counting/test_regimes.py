"""Every way to count gives what a dictionary over rows gives."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from plain_counts import check_counts, odd_tables, plain, plain_classes, secret_text
from proofs import examples
from random_tables import tables

from unveil.engine.counting import Held, InEngine, Secret, _expressions, text_of
from unveil.errors import InputError
from unveil.measures import count

FEWER = examples(20, suppress_health_check=[HealthCheck.function_scoped_fixture])

REGIMES = {
    "fetched": None,
    "look-alikes": {},
    "look-alikes, kept": {"kept": 1000},
    "streamed": {"wide": 0},
    "fetched in vain": {"fetched": 0},
}


@pytest.fixture(params=REGIMES)
def regime(request, tiny):
    """Makes small tables be counted in one of the ways for large ones."""
    if REGIMES[request.param] is not None:
        tiny(**REGIMES[request.param])
    return request.param


@FEWER
@given(table=odd_tables())
def test_all_regimes_count_alike(duckdb, regime, table):
    keys = list(table)[1:]
    counts = count(table, quasi=keys, sensitive="secret", engine=duckdb)
    assert isinstance(counts, Held if regime == "fetched" else InEngine)
    check_counts(counts, table, keys, "secret")
    check_counts(counts, table, keys, "secret")  # and again: what was kept is the same


@FEWER
@given(table=odd_tables())
def test_classes_alone_are_counted_without_a_secret(duckdb, regime, table):
    keys = list(table)[1:]
    check_counts(count(table, quasi=keys, engine=duckdb), table, keys, None)


@FEWER
@given(table=odd_tables(), data=st.data())
def test_fewer_keys(duckdb, regime, table, data):
    keys = list(table)[1:]
    counts = count(table, quasi=keys, sensitive="secret", engine=duckdb)
    asked = data.draw(st.lists(st.sampled_from(keys), min_size=1, unique=True))
    check_counts(counts.over(asked), table, asked, "secret")


@FEWER
@given(table=odd_tables(), data=st.data())
def test_one_class_by_its_values(duckdb, regime, table, data):
    keys = list(table)[1:]
    counts = count(table, quasi=keys, sensitive="secret", engine=duckdb)
    asked = data.draw(st.lists(st.sampled_from(keys), min_size=1, unique=True))
    row = data.draw(st.integers(0, len(table["secret"]) - 1))
    values = {name: plain(table[name][row]) for name in asked}
    expected = plain_classes(table, asked, "secret")[tuple(values.values())]
    for given_as in (values, {name: text_of(value) for name, value in values.items()}):
        found = counts.where(given_as)
        assert {
            text: number
            for text, number in zip(counts.secret.texts, found.tolist(), strict=True)
            if number
        } == expected


@FEWER
@given(table=odd_tables(), data=st.data())
def test_values_put_together(duckdb, regime, table, data):
    keys = list(table)[1:]
    counts = count(table, quasi=keys, sensitive="secret", engine=duckdb)
    names = counts.secret.texts
    group_of = {name: data.draw(st.integers(0, 1), label=name) for name in names}
    merged = counts.merged(
        np.array([group_of[name] for name in names], dtype=np.int64),
        Secret(name="half", values=("low", "high")),
    )
    halves = [("low", "high")[group_of[secret_text(value)]] for value in table["secret"]]
    check_merged(merged, {**table, "secret": halves}, keys)
    check_merged(merged.over(keys[:1]), {**table, "secret": halves}, keys[:1])
    values = {keys[0]: plain(table[keys[0]][0])}
    found = plain_classes({**table, "secret": halves}, keys[:1], "secret")[tuple(values.values())]
    assert merged.where(values).tolist() == [found["low"], found["high"]]


def check_merged(merged, table, keys):
    """The same multiset of histograms; look-alikes are those of before the values were merged."""
    expected = sorted(sorted(c.items()) for c in plain_classes(table, keys, "secret").values())
    seen = []
    for block in merged.blocks():
        for g in range(len(block)):
            row = zip(("low", "high"), block.dense(g, 2).tolist(), strict=True)
            seen += [sorted((name, n) for name, n in row if n)] * int(block.weights[g])
    assert sorted(seen) == expected
    assert merged.rows == len(table["secret"])


@given(microdata=tables())
def test_microdata_is_counted_row_by_row(microdata):
    keys = [column.name for column in microdata.quasi]
    table = {c.name: list(c.decode()) for c in (*microdata.quasi, microdata.sensitive)}
    counts = count(microdata)
    check_counts(counts, table, keys, "secret")
    check_counts(counts.over(keys[-1:]), table, keys[-1:], "secret")


@pytest.mark.parametrize("regime", [None, {}], ids=["fetched", "in the engine"])
def test_what_is_not_there(duckdb, tiny, regime):
    if regime is not None:
        tiny(**regime)
    table = {"age": [20, 30, 30], "town": ["Rome", None, "Lyon"], "s": ["x", "y", "x"]}
    counts = count(table, quasi=["age", "town"], sensitive="s", engine=duckdb)
    assert counts.where({"age": "30", "town": None}).tolist() == [0, 1]
    for values in ({"age": 40}, {"age": "old"}, {"town": "Paris"}):
        with pytest.raises(InputError, match=r"no value|no record of table has"):
            counts.where(values)
    with pytest.raises(InputError, match="'towm' is not among the keys that were counted; did you"):
        counts.over(["towm"])
    with pytest.raises(InputError, match="'age' is named twice"):
        counts.over(["age", "age"])
    with pytest.raises(InputError, match="name at least one key"):
        counts.over([])


def test_there_are_two_questions_at_once(duckdb, tiny, monkeypatch):
    """DuckDB forgets what it has not yet sent when it is asked something else."""
    tiny(wide=0)
    monkeypatch.setattr(_expressions, "_STREAMED", 500)
    n = 20_000
    table = {"k": list(range(n)), "s": [i % 7 for i in range(n)]}
    counts = count(table, quasi="k", sensitive="s", engine=duckdb)
    seen = 0
    for i, block in enumerate(counts.blocks()):
        seen += int(block.sizes.sum())
        if i == 3:
            assert counts.where({"k": 5}).sum() == 1
            other = counts.blocks()
            first = int(next(other).sizes.sum())
    assert seen == n
    assert first + sum(int(block.sizes.sum()) for block in other) == n


def test_a_table_that_changes_meanwhile_is_noticed(tiny):
    import ibis

    from unveil.errors import UnveilError

    tiny()
    connection = ibis.duckdb.connect()
    connection.raw_sql("CREATE TABLE people AS SELECT i AS k, 'x' AS s FROM range(5) t(i)")
    counts = count(connection.table("people"), quasi="k", sensitive="s")
    connection.raw_sql("INSERT INTO people VALUES (9, 'x')")
    with pytest.raises(
        UnveilError, match=r"changed while it was counted: it had 5 records, and now 6"
    ):
        list(counts.blocks())
    connection.raw_sql("DROP TABLE people")
    with pytest.raises(InputError, match=r"duckdb cannot count people .*does not exist"):
        list(counts.blocks())
