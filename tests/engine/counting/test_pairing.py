"""A sample's classes in a population, counted by an engine and by dictionaries."""

from collections import Counter

import ibis
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from plain_counts import odd_tables, plain_classes, texts
from proofs import examples

from unveil.engine.counting import Held, InEngine, _in_engine, paired_in_engine
from unveil.errors import InputError
from unveil.measures import count

FEWER = examples(25, suppress_health_check=[HealthCheck.function_scoped_fixture])


def check_pairs(pairs, ours, theirs):
    sizes = {texts(key): (ours[key][""], theirs[key][""]) for key in ours}
    found = Counter()
    for records, people, weights, key_of in pairs:
        for g, numbers in enumerate(zip(records.tolist(), people.tolist(), strict=True)):
            found[numbers] += int(weights[g])
            assert sizes[texts(key_of(g))] == numbers
    assert found == Counter(sizes.values())


@pytest.mark.parametrize("held", ["neither", "sample", "population"])
@FEWER
@given(table=odd_tables(), data=st.data())
def test_it_is_what_dictionaries_give(duckdb, monkeypatch, held, table, data):
    keys = list(table)[1:]
    n = len(table["secret"])
    chosen = data.draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(any))
    sample = {
        name: [cell for cell, yes in zip(cells, chosen, strict=True) if yes]
        for name, cells in table.items()
    }
    counted = {}
    everybody = pa.table({name: pa.array(cells) for name, cells in table.items()})
    for name, rows in (("sample", everybody.filter(pa.array(chosen))), ("population", everybody)):
        with monkeypatch.context() as limits:
            if name != held:
                limits.setattr(_in_engine, "PROBED", 1)
                limits.setattr(_in_engine, "FEW", -1.0)
            counted[name] = count(rows, quasi=keys, engine=duckdb)
            assert isinstance(counted[name], Held if name == held else InEngine)
    pairs = paired_in_engine(counted["sample"], counted["population"])
    check_pairs(pairs, plain_classes(sample, keys, None), plain_classes(table, keys, None))


def test_people_that_the_population_lacks(duckdb, tiny):
    tiny()
    sample = count({"k": [1, 1, 2]}, quasi="k", engine=duckdb)
    population = count({"k": [2, 2, 3]}, quasi="k", engine=duckdb)
    ((records, people, weights, key_of),) = paired_in_engine(sample, population)
    assert records.tolist() == [1, 2]
    assert people.tolist() == [2, 0]
    assert weights.tolist() == [1, 1]
    assert key_of(1) == (1,)


def test_numbers_of_different_widths_are_numbers(duckdb, tiny):
    tiny()
    sample = count({"k": [1, 2]}, quasi="k", engine=duckdb)
    population = count({"k": [1.0, 2.0, 2.0]}, quasi="k", engine=duckdb)
    ((_, people, weights, _),) = paired_in_engine(sample, population)
    assert people.tolist() == [1, 2]
    assert weights.tolist() == [1, 1]


def test_keys_of_different_types(duckdb, tiny, monkeypatch):
    held = count({"k": ["old", "young"]}, quasi="k", engine=duckdb)
    tiny()
    numbers = count({"k": [1, 2]}, quasi="k", engine=duckdb)
    words = count({"k": ["old", "young"]}, quasi="k", engine=duckdb)
    with pytest.raises(
        InputError,
        match=r"^the key 'k' is of type int64 in the sample \(table\) and string in the population",
    ):
        next(paired_in_engine(numbers, words))
    with pytest.raises(
        InputError,
        match=r"^the key 'k' is of type int64 in one table, but table has values such as 'old'",
    ):
        next(paired_in_engine(numbers, held))


def test_two_connections(tiny):
    tiny()
    sample, population = (
        count({"k": [1, 2]}, quasi="k", engine=ibis.duckdb.connect()) for _ in range(2)
    )
    with pytest.raises(InputError, match="open both with the same connection"):
        next(paired_in_engine(sample, population))
    assert next(paired_in_engine(sample, count({"k": [1]}, quasi="k", engine=sample.connection)))


def test_classes_that_overlap(duckdb, tiny):
    matching = count({"k": ["*", "a"]}, quasi="k", wildcard="*", engine=duckdb)
    tiny()
    counts = count({"k": ["*", "a"]}, quasi="k", engine=duckdb)
    with pytest.raises(InputError, match="the classes of table overlap and cannot be matched"):
        next(paired_in_engine(counts, matching))
