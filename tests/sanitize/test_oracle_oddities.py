"""Oracles whose answers can be true, and look wrong: a note comes before any figure."""

import numpy as np
import pandas as pd
import pytest
from oracle_programs import SURVEY, TABLE, decades, program

import unveil as uv
from unveil.microdata import suspicions
from unveil.sanitize import OracleError

NOTHING = "the release does not tell people apart"
UNCHANGED = "its records are those of the table, unchanged"
OLD = "is older than the run"
SAME = "changed nothing at all"


def notes_of(answer, **options):
    return " / ".join(map(str, uv.Oracle(answer, **options).sanitize(SURVEY).notes))


@pytest.mark.parametrize("age", ["[0, 99]", "[30, 47]"])
def test_regions_that_all_cover_everybody(age):
    assert NOTHING in notes_of(lambda table: table.assign(age=age, zip="*"))


def test_an_answer_that_equals_the_input(tmp_path):
    assert UNCHANGED in notes_of(lambda table: table)
    assert UNCHANGED in notes_of(lambda table: table.sample(frac=1, random_state=3))
    assert UNCHANGED in notes_of("cat {input}")
    assert UNCHANGED in notes_of(lambda microdata: microdata, takes="microdata")


def test_what_is_generalized_is_not_suspected():
    found = notes_of(decades)
    assert NOTHING not in found
    assert UNCHANGED not in found


def test_a_file_of_a_former_run(tmp_path):
    stale = tmp_path / "made.csv"
    body = """
import shutil
publish(decades(read(sys.argv[1])), %r)
os.utime(%r, (1_000_000_000, 1_000_000_000))
shutil.copy2(%r, sys.argv[2])
""" % ((str(stale),) * 3)
    assert OLD in notes_of(f"{program(tmp_path, body)} {{input}} {{output}}")
    fresh = "publish(decades(read(sys.argv[1])), sys.argv[2])"
    assert OLD not in notes_of(f"{program(tmp_path, fresh)} {{input}} {{output}}")


def test_a_program_that_does_not_read_its_input():
    """It may drop records and change values, so that nothing refuses the same answer."""
    made = decades(pd.DataFrame({k: v for k, v in TABLE.items() if k != "name"})).iloc[:4]
    free = {"may_drop": True, "may_change_quasi": True, "may_change_sensitive": True}
    oracle = uv.Oracle(lambda table: made, **free)
    attackers = ["naive-bayes", "conditional-frequency"]
    found = uv.differential_inference(SURVEY, oracle, adversary=attackers, jobs=1)
    assert found.delta == 0
    assert SAME in " / ".join(map(str, found.notes))
    honest = uv.differential_inference(SURVEY, decades, adversary=attackers, jobs=1)
    assert SAME not in " / ".join(map(str, honest.notes))


def test_columns_that_are_swapped_are_refused():
    table = uv.read_table(
        {"floor": [1, 2, 3, 1, 2], "rooms": [3, 1, 2, 2, 3], "vote": list("ababa")},
        quasi=["floor", "rooms"], sensitive="vote",
    )  # fmt: skip

    def swapped(table):
        return table.rename(columns={"floor": "rooms", "rooms": "floor"})

    with pytest.raises(OracleError, match="records that are not those of the table"):
        uv.Oracle(swapped).sanitize(table)


def test_cells_that_cover_nobody_and_records_that_are_missing():
    with pytest.raises(OracleError, match="records that are not those of the table"):
        uv.Oracle(lambda table: table.assign(age="[80, 99]")).sanitize(SURVEY)
    few = notes_of(lambda table: decades(table).iloc[:1], may_drop=True)
    assert "5 of 6 records are not in the release" in few


def test_a_published_file_is_looked_at_in_the_same_way():
    age = SURVEY["age"].decode()
    whole = {"age": age, "zip": SURVEY["zip"].decode(), "vote": SURVEY["vote"].decode()}
    release = uv.read_release(whole, SURVEY)
    assert UNCHANGED in " / ".join(map(str, release.notes))
    audit = uv.audit(SURVEY, release, attacks=["measures"], progress=False)
    assert UNCHANGED in audit.to_json()


def test_one_other_record_is_not_the_table():
    release = uv.Identity().sanitize(SURVEY)
    assert suspicions(release, SURVEY)
    other = SURVEY.take(np.array([0, 1, 2, 3, 4, 4]))
    assert suspicions(release, other) == ()
