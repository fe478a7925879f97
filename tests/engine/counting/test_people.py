"""People are counted in an engine as they are in memory, whatever their number."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from proofs import examples

import unveil as uv
from unveil.errors import InputError
from unveil.measures import person_measures

ROLES = {"quasi": ["age", "town"], "sensitive": "illness", "person": "patient"}
FEWER = examples(15, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def stays(draw, most=14):
    n = draw(st.integers(2, most))
    people = draw(st.lists(st.integers(0, 4), min_size=n - 1, max_size=n - 1))

    values = draw(st.sampled_from([["flu", "aids", None, "", "none"], [1, 2, 5]]))

    def column(values):
        return draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))

    return {
        "patient": [f"p{one}" for one in [*people, people[0]]],  # somebody has two rows
        "age": column(["20", "30", "*", None]),
        "town": column(["Rome", "*", "", None, "Lyon"]),
        "illness": [values[0], *column(values)[1:]],
    }


def in_memory(table):
    read = uv.read_table(table, **ROLES, missing="category")
    return person_measures(read, read.persons)


def check_alike(found, expected):
    assert found.one_row.people == expected.one_row.people
    assert found.all_rows.people == expected.all_rows.people
    assert found.sizes == expected.sizes
    names = ("records", "people", "suppressed", "keys", "sensitive", "k", "k_all_rows")
    assert [getattr(found, n) for n in names] == [getattr(expected, n) for n in names]
    for name, value in expected.secrets.items():
        assert found.secrets[name].value == pytest.approx(value.value, abs=1e-12), name


def check_as_in_memory(table, engine):
    found, expected = uv.measures(table, **ROLES, engine=engine), in_memory(table)
    check_alike(found, expected)
    if max(np.unique(table["patient"], return_counts=True)[1]) <= 4:  # nothing is left to chance
        assert found.unicity[-1] == expected.unicity[-1]


@pytest.mark.parametrize("limits", [None, {}, {"wide": 0}], ids=["fetched", "in engine", "wide"])
@FEWER
@given(table=stays())
def test_in_duckdb(duckdb, tiny, limits, table):
    if limits is not None:
        tiny(**limits)
    check_as_in_memory(table, duckdb)


@examples(8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=stays(8))
def test_in_postgres(postgres, table):
    check_as_in_memory(table, postgres)


def test_files_of_every_kind_are_counted_alike(tmp_path, duckdb):
    """And somebody who is alone is found behind many rows of the same classes."""
    visits = uv.datasets.visits(300, seed=3)
    frame = visits.to_frame().assign(patient=visits.persons.of)
    frame.to_csv(tmp_path / "stays.csv", index=False)
    frame.to_parquet(tmp_path / "stays.parquet")
    roles = {"quasi": ["year", "age"], "sensitive": "diagnosis", "person": "patient"}
    read = uv.read_csv(tmp_path / "stays.csv", **roles)
    expected = uv.measures(read)
    for name in ("stays.csv", "stays.parquet"):
        check_alike(uv.measures(tmp_path / name, **roles), expected)
    both = [uv.measures(one, **roles).unicity for one in (frame, tmp_path / "stays.csv")]
    assert both[0] == both[1]  # the same rows are drawn
    for one, other in zip(both[0], expected.unicity, strict=True):  # others are drawn in memory
        assert one.interval[0] < other.share < one.interval[1]


def test_whose_a_row_is_must_be_known(duckdb):
    table = {"p": ["a", "a", None], "age": [1, 2, 3], "s": ["x", "y", "x"]}
    with pytest.raises(InputError, match="'p' of table says whose a row is, and is empty in 1 row"):
        uv.measures(table, quasi="age", sensitive="s", person="p", engine=duckdb)
    with pytest.raises(InputError, match="'age' says whose a row is: it cannot be a key"):
        uv.measures(table, quasi="age", sensitive="s", person="age", engine=duckdb)
    with pytest.raises(InputError, match="exclude each other"):
        uv.measures(table, quasi="age", sensitive="s", person="p", count="p", engine=duckdb)


def test_one_row_each_is_counted_as_ever(duckdb):
    table = {"p": ["a", "b", "c"], "age": [1, 1, 3], "s": ["x", "y", "x"]}
    found = uv.measures(table, quasi="age", sensitive="s", person="p", engine=duckdb)
    assert (found.k_anonymity.k, found.k_anonymity.records) == (1, 3)


def test_several_columns_say_it_together(duckdb):
    table = {"clinic": list("aabb"), "no": [1, 1, 1, 2], "age": [1, 1, 1, 2], "s": list("xyxy")}
    found = uv.measures(table, quasi="age", sensitive="s", person=["clinic", "no"], engine=duckdb)
    assert (found.people, found.sizes, found.one_row.people) == (3, {1: 1, 2: 1}, {1: 1, 2: 2})


def test_k_of_many_classes(duckdb, monkeypatch):
    """Classes of as many people are counted at once; one of them is named."""
    monkeypatch.setattr("unveil.engine.counting._people._NAMED", 0)
    table = {
        "p": list("aabbcd"),
        "age": [1, 1, 1, 2, 2, 3],
        "town": ["x", "x", "x", None, "y", "x"],
    }
    whose = {"quasi": ["age", "town"], "person": "p", "engine": duckdb}
    found = uv.k_anonymity(table, **whose)
    assert (found.k, found.sizes, found.records) == (1, {1: 3, 2: 1}, 4)
    assert found.deciding.number == 3
    assert [str(one) for one in found.deciding.classes] == ["age=2, town=y (1 person)"]
    assert uv.reidentification_risk(table, **whose).prosecutor.average == (3 + 1 / 2) / 4
