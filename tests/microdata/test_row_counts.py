"""Tables of counts: read as people where that is said, and asked about where it is not."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples

import unveil as uv
from unveil.engine.counting import _in_engine
from unveil.errors import CountsError, InputError
from unveil.measures import count as counted
from unveil.microdata import is_called_count

ROLES = {"quasi": ["sex", "age"], "sensitive": "disease"}
CELLS = [("f", 20, "flu", 12), ("f", 20, "hiv", 3), ("f", 40, "flu", 7), ("m", 20, "flu", 9),
         ("m", 20, "hiv", 0), ("m", 40, "flu", 1), ("m", 40, "hiv", 2)]  # fmt: skip


def cells(name="n"):
    return pd.DataFrame(CELLS, columns=["sex", "age", "disease", name])


def one_row_each(frame, name):
    return frame.loc[np.repeat(frame.index, frame[name])].drop(columns=name)


def figures(finding):
    return {value.figure.name: value.value for value in finding.figures}


@st.composite
def people(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 60))
    frame = pd.DataFrame({"sex": rng.choice(["f", "m"], n), "age": rng.choice(["2*", "3*"], n),
                          "disease": rng.choice(["flu", "hiv", "none"], n)})  # fmt: skip
    if draw(st.booleans()):
        frame.loc[rng.random(n) < 0.2, ["sex", "age"]] = None
    return frame


@examples(24)
@given(people())
def test_counts_are_the_people_they_count(frame):
    """In memory, and as an engine counts them in both of its ways."""
    table = frame.value_counts(dropna=False).rename("cases").reset_index()
    read = uv.read_table(table, **ROLES, missing="category", count="cases")
    plain = uv.read_table(frame, **ROLES, missing="category")
    assert len(read) == len(plain) == len(frame)
    assert figures(uv.measures(read)) == figures(uv.measures(plain))
    assert sorted(read.rows.tolist()) == np.repeat(table.index, table["cases"]).tolist()
    asked = figures(uv.measures(frame, **ROLES, count=False))
    assert figures(uv.measures(table, **ROLES, count="cases")) == pytest.approx(asked)


@examples(12)
@given(people(), st.data())
def test_an_engine_that_keeps_its_counts(frame, data):
    table = frame.value_counts(dropna=False).rename("cases").reset_index()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_in_engine, "FETCHED", data.draw(st.sampled_from([0, 3])))
        found = counted(table, **ROLES, count="cases")
        asked = counted(frame, **ROLES, count=False)
        assert found.rows == asked.rows == len(frame)
        assert found.totals.tolist() == asked.totals.tolist()
        assert figures(uv.measures(found)) == pytest.approx(figures(uv.measures(asked)))
        again = found.over(["sex"])
        assert figures(uv.measures(again)) == pytest.approx(figures(uv.measures(asked.over("sex"))))


@pytest.mark.parametrize("kind", ["csv", "parquet", "pandas", "mapping"])
def test_every_table_is_asked_about_and_read(kind, tmp_path):
    frame, file = cells(), tmp_path / f"cells.{kind}"
    if kind == "csv":
        frame.to_csv(file, index=False)
    elif kind == "parquet":
        frame.to_parquet(file, index=False)
    read = {"csv": uv.read_csv, "parquet": uv.read_parquet}.get(kind, uv.read_table)
    given = {"pandas": frame, "mapping": frame.to_dict("list")}.get(kind, file)
    said = "looks like a table of counts.*give count='n'; if each row is one person.*count=False"
    with pytest.raises(CountsError, match=said):
        read(given, **ROLES)
    with pytest.raises(CountsError, match=said):
        uv.measures(given, **ROLES)
    table = read(given, **ROLES, count="n")
    assert (len(table), table.counted_by, table.source_rows) == (34, "n", 7)
    assert [column.name for column in table.columns] == ["sex", "age", "disease"]
    assert str(table.notes[0]) == (
        "the column 'n' gives the number of records of each row: 7 rows, 34 records"
    )
    assert len(read(given, **ROLES, count=False)) == 7
    found = uv.measures(given, **ROLES, count="n")
    assert (found.k_anonymity.k, found.k_anonymity.records) == (3, 34)
    assert uv.measures(given, **ROLES, count=False).k_anonymity.records == 7


def test_numbers_of_people_are_whole_and_there():
    for wrong in (2.5, -1, None, "many"):
        frame = cells().astype({"n": object})
        frame.loc[2, "n"] = wrong
        frame["n"] = frame["n"].astype(str) if wrong == "many" else pd.to_numeric(frame["n"])
        with pytest.raises(InputError, match="row 3, column 'n' of pandas table"):
            uv.read_table(frame, **ROLES, count="n")
        with pytest.raises(InputError, match="in 1 of 7 rows there is no whole number"):
            uv.measures(frame, **ROLES, count="n")
    nobody = cells().assign(n=0)
    for read in (uv.read_table, uv.measures):
        with pytest.raises(InputError, match="all numbers are 0, so the table has nobody"):
            read(nobody, **ROLES, count="n")
    with pytest.raises(InputError, match="at most 100,000,000"):
        uv.read_table(cells().assign(n=10**9), **ROLES, count="n")
    assert uv.measures(cells().assign(n=10**9), **ROLES, count="n").k_anonymity.k == 10**9


def test_a_column_has_one_role():
    for count, said in (("sex", "cannot be both"), ("nn", "is not in"), (3, "must be a column")):
        for read in (uv.read_table, uv.measures):
            with pytest.raises(InputError, match=said):
                read(cells(), **ROLES, count=count)
    table = uv.read_table(cells(), **ROLES, count="n")
    with pytest.raises(InputError, match="one record per person already: give count="):
        uv.measures(table, count="n")
    with pytest.raises(InputError, match="count= must be given when counting"):
        uv.measures(counted(table), count="n")


# what looks like one -----------------------------------------------------------------------------


def test_all_combinations_whatever_the_name_of_the_numbers():
    sizes = itertools.product("abc", range(4), ["x", "y"])
    frame = pd.DataFrame(list(sizes), columns=["a", "b", "c"])
    frame["votes"] = np.arange(24) ** 2
    roles = {"quasi": ["a", "b"], "sensitive": "c"}
    for read in (uv.read_table, uv.measures):
        with pytest.raises(CountsError, match="column 'votes'"):
            read(frame, **roles)
        read(frame.iloc[:-1], **roles)  # one is missing: it may be a coincidence
        read(frame.assign(votes=np.arange(24)), **roles)  # numbers of rows
        read(frame.assign(votes=frame["votes"] + 0.5), **roles)
        read(frame.assign(votes=1), **roles)


def test_people_are_not_asked_about():
    survey = uv.datasets.election_survey().to_frame()
    roles = {"quasi": ["age", "education"], "sensitive": "vote"}
    for name in ("count", "n", "cases"):
        frame = survey.assign(**{name: np.arange(len(survey)) % 7})
        for read in (uv.read_table, uv.measures):
            assert read(frame, **roles) is not None
    wide = pd.DataFrame(np.random.default_rng(0).integers(0, 90, (50, 6)), columns=list("abcdef"))
    roles = {"quasi": list("abcde"), "sensitive": "f"}
    assert len(uv.read_table(wide.assign(count=range(50, 100)), **roles)) == 50
    # A number of a row tells all rows apart, and says nothing.
    alike = pd.DataFrame({"id": range(100), "a": ["x", "y"] * 50, "b": ["u"] * 100,
                          "n": [3, 1] * 50})  # fmt: skip
    assert len(uv.read_table(alike, quasi="a", sensitive="b")) == 100


@pytest.mark.parametrize("name", ["n", "N", "Count", "freq", "Anzahl", "Häufigkeit", "casos"])
def test_names_of_counts(name):
    assert is_called_count(name)
    with pytest.raises(CountsError):
        uv.read_table(cells(name), **ROLES)


def test_columns_that_are_other_things_by_name():
    assert not any(map(is_called_count, ["phone_number", "number_of_children", "country", "age"]))


def test_columns_that_nobody_uses_count_too():
    """By the two that are used, rows are alike; by all of them they are not."""
    with pytest.raises(CountsError):
        uv.read_table(cells(), quasi="sex", sensitive="disease")
    with pytest.raises(CountsError):
        uv.measures(cells(), quasi="sex")


# releases ------------------------------------------------------------------------------------


def test_a_published_table_of_counts():
    table = uv.read_table(one_row_each(cells(), "n"), **ROLES)
    # It adds up: the numbers are of records, whatever it is called.
    for name in ("n", "Anzahl"):
        release = uv.read_release(cells(name), table)
        assert (len(release), release.extras.names) == (34, ())
    less = cells().assign(n=[11, *cells()["n"][1:]])
    with pytest.raises(CountsError, match="column 'n'"):
        uv.read_release(less, table)
    assert len(uv.read_release(less, table, count="n")) == 33
    assert len(uv.read_release(less, table, count=False)) == 7
    with pytest.raises(CountsError):
        uv.read_release(cells(), **ROLES)
    assert len(uv.read_release(cells(), **ROLES, count="n")) == 34


def test_the_original_and_its_release_are_tables_of_counts():
    table = uv.read_table(cells("people of the cell"), **ROLES, count="people of the cell")
    release = uv.read_release(cells("people of the cell"), table)
    assert len(release) == len(table) == 34


# proposals -----------------------------------------------------------------------------------


def test_init_proposes_the_role(tmp_path):
    file = tmp_path / "cells.csv"
    cells().to_csv(file, index=False)
    proposal = uv.propose(file)
    assert str(proposal["n"].role) == "number of people"
    assert "if a row is one person, make it other" in proposal["n"].unsure
    project = proposal.project().write(tmp_path / "unveil.toml")
    assert 'n = "count"' in project.read_text()
    [table] = uv.Project.read(project).microdata()
    assert len(table) == 34
    project.write_text(project.read_text().replace('n = "count"', 'n = "other"'))
    [table] = uv.Project.read(project).microdata()
    assert len(table) == 7


def test_a_survey_gets_no_such_role():
    survey = uv.datasets.election_survey().to_frame()
    for frame in (survey, survey.assign(count=np.arange(len(survey)) % 7)):
        assert not [c.name for c in uv.propose(frame).columns if c.role == "number of people"]
