"""Oracles of tables in which a person has several rows: what they get, and whose rows they return.

Every form gets the same table. Only what the user says tells it whose a row is.
"""

import json
import sys

import numpy as np
import pandas as pd
import pytest
from several_rows import read

import unveil as uv
from unveil.errors import InputError

STAYS = read(
    {"who": list("BAABCC"), "age": [1, 0, 1, 1, 2, 2], "sex": ["s0", "s1"] * 3,
     "ill": ["d0", "d1", "d0", "d2", "d1", "d1"]},
)  # fmt: skip
PROGRAM = """
import shutil, sys
content = open(sys.argv[1], "rb").read()
if content.startswith(b"PAR1"):
    import pyarrow.parquet
    table = pyarrow.parquet.read_table(sys.argv[1])
    names, rows = ",".join(table.column_names), table.num_rows
else:
    lines = content.decode().splitlines()
    names, rows = lines[0], len(lines) - 1
open(sys.argv[3], "a").write(f"{names}:{rows}\\n")
shutil.copy(sys.argv[1], sys.argv[2])
"""


def as_it_is(table):
    return table


def seen_by(**options):
    """What a function gets, and what comes of it."""
    given = []

    def program(table):
        given.append(table)
        return table

    return uv.Oracle(program, **options).sanitize(STAYS), given[0]


@pytest.fixture
def program(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    log = tmp_path / "log"
    log.write_text("")
    line = f"{sys.executable} {tmp_path}/program.py {{input}} {{output}} {log}"
    return line, lambda: log.read_text().splitlines()


def test_a_function_gets_no_column():
    release, table = seen_by()
    assert list(table.columns) == ["age", "sex", "ill"]
    # It returned every row in its place, so it is known whose they are.
    np.testing.assert_array_equal(release.persons.of, STAYS.persons.of)
    _, given = seen_by(takes="microdata")
    assert given.persons is None
    assert [column.name for column in given.columns] == ["age", "sex", "ill"]


def test_a_function_gets_numbers_if_the_user_says_so():
    release, table = seen_by(gives_person=True)
    assert table["who"].tolist() == [0, 1, 1, 0, 4, 4]  # the first row of each
    assert release.persons.count == 3
    _, given = seen_by(gives_person=True, takes="microdata")
    assert given.several.count == 3


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_command_gets_no_column(program, form):
    line, seen = program
    uv.Oracle(line, format=form).sanitize(STAYS)
    uv.Oracle(line, format=form, gives_person=True).sanitize(STAYS)
    assert seen() == ["age,sex,ill:6", "age,sex,ill,who:6"]


def test_d_without_a_person_is_without_all_rows(program):
    line, seen = program
    found = uv.differential_inference(STAYS, uv.Oracle(line), jobs=1, adversary="naive-bayes")
    plain = uv.differential_inference(STAYS, uv.Identity(), jobs=1, adversary="naive-bayes")
    np.testing.assert_allclose(found.distances, plain.distances, atol=1e-12)
    assert set(seen()) == {"age,sex,ill:6", "age,sex,ill:4"}
    for record in range(6):
        assert len(uv.Oracle(as_it_is).sanitize_without(STAYS, record)) == 4


def test_numbers_stay_where_others_are_left_out():
    given = []

    def program(table):
        given.append(table["who"].tolist())
        return table.drop(columns="who")

    uv.Oracle(program, gives_person=True).sanitize_without(STAYS, 0)
    assert given == [[1, 1, 4, 4]]


def test_a_program_that_counts_people():
    """With the column it can protect people; without it only rows."""

    def at_least_two(table):
        each, how = ("who", "nunique") if "who" in table else ("ill", "size")
        crowd = table.groupby("age")[each].transform(how)
        return table.assign(age=table["age"].where(crowd > 1, "*").astype(str), sex="*")

    people = uv.audit(STAYS, {"p": uv.Oracle(at_least_two, gives_person=True)}, progress=False,
                      attacks=["measures"], baseline=False)  # fmt: skip
    rows = uv.audit(STAYS, {"p": uv.Oracle(at_least_two)}, progress=False, attacks=["measures"],
                    baseline=False)  # fmt: skip
    assert rows.releases[0].figures["k"] == 1
    assert people.releases[0].figures["k"] == 2


def test_workers_get_numbers_too():
    def program(table):
        assert table["who"].tolist()
        return table.drop(columns="who")

    two, one = (
        uv.differential_inference(STAYS, uv.Oracle(program, gives_person=True), jobs=jobs)
        for jobs in (2, 1)
    )
    np.testing.assert_array_equal(two.distances, one.distances)


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.iloc[::-1],  # another order
        lambda table: table.iloc[[1, 0, *range(2, 6)]],
    ],
)
def test_in_another_order_nobody_knows(change):
    release = uv.Oracle(change).sanitize(STAYS)
    assert release.several.of is None


def test_fewer_rows_or_changed_ones_are_of_nobody():
    few = uv.Oracle(lambda table: table.iloc[:4], may_drop=True).sanitize(STAYS)
    assert few.several.of is None
    changed = uv.Oracle(as_it_is, may_change_quasi=True).sanitize(STAYS)
    assert changed.several.of is None


def test_a_published_pseudonym_says_whose_rows_are():
    def shuffled(table):
        return table.sample(frac=1, random_state=0).assign(who=lambda t: "x" + t["who"].astype(str))

    release = uv.Oracle(shuffled, gives_person=True).sanitize(STAYS)
    assert sorted(release.persons.rows.tolist()) == [2, 2, 2]


def test_our_own_sanitizer_as_an_oracle():
    """It gets no persons, so it counts rows; the audit counts people all the same."""
    release = uv.Oracle(uv.Mondrian(k=2)).sanitize(STAYS)
    assert release.several.count == 3
    np.testing.assert_array_equal(release.persons.of, STAYS.persons.of)
    known = uv.Oracle(uv.Mondrian(k=2), gives_person=True).sanitize(STAYS)
    np.testing.assert_array_equal(known.class_of, uv.Mondrian(k=2).sanitize(STAYS).class_of)


@pytest.mark.parametrize("person", ["who", None])
def test_tables_are_not_kept(person):
    """Neither a table that is handed over as it is nor what is made of one."""
    import gc
    import weakref

    gc.disable()
    try:
        frame = {"who": [1, 2, 1], "age": [1, 2, 2], "ill": list("aba")}
        table = uv.read_table(frame, quasi="age", sensitive="ill", person=person or False)
        uv.Oracle(as_it_is).sanitize(table)
        gone = weakref.ref(table)
        del table
        assert gone() is None
    finally:
        gc.enable()


def test_there_must_be_such_a_column():
    table = uv.read_table({"age": [1, 2], "ill": ["a", "b"]}, quasi="age", sensitive="ill")
    with pytest.raises(InputError, match=r"gives_person=True was said, but nobody has said whose"):
        uv.Oracle(as_it_is, gives_person=True).sanitize(table)


def test_one_row_each_is_handed_over_without_the_column():
    table = uv.read_table({"who": [1, 2, 3], "age": [1, 2, 2], "ill": list("aba")}, quasi="age",
                          sensitive="ill", person="who")  # fmt: skip
    given = []

    def program(frame):
        given.append(list(frame.columns))
        return frame

    found = uv.differential_inference(table, program, jobs=1)
    assert {tuple(names) for names in given} == {("age", "ill")}
    plain = uv.differential_inference(table, uv.Identity(), jobs=1)
    np.testing.assert_allclose(found.distances, plain.distances, atol=1e-12)


def test_no_name_reaches_what_is_kept(tmp_path):
    frame = pd.DataFrame({"who": ["Ottilie", "Ottilie", "Kasimir"], "age": [1, 2, 2],
                          "ill": list("aba")})  # fmt: skip
    table = uv.read_table(frame, quasi="age", sensitive="ill", person="who")
    given = []

    def program(frame):
        given.append(frame.to_json())
        return frame.drop(columns="who")

    audit = uv.audit(table, {"p": uv.Oracle(program, gives_person=True)}, progress=False,
                     attacks=["measures", "differential-inference"])  # fmt: skip
    everything = json.dumps(audit.to_dict()) + "".join(given)
    assert "Ottilie" not in everything
    assert "Kasimir" not in everything
