"""What is not published, against looking at every cell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_utility import is_hidden, says_nothing
from random_tables import tables_and_goals

import unveil as uv
from unveil.errors import InputError
from unveil.measures import suppression


@given(tables_and_goals(max_size=25), st.integers(0, 3))
def test_it_is_what_the_cells_say(case, missing):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    original = microdata.take([*range(len(microdata)), *[0] * missing])
    found = suppression(release, original)
    records, n = range(len(release)), len(original)
    hidden = sum(says_nothing(release, i) for i in records)
    assert (found.hidden, found.missing) == (hidden, missing)
    assert found.of_records == pytest.approx((hidden + missing) / n)
    for j, column in enumerate(release.quasi):
        cells = sum(is_hidden(release, i, j) for i in records)
        assert found.cells[column.name] == cells
        assert found.by_column[column.name] == pytest.approx((cells + missing) / n)
    shares = list(found.by_column.values())
    assert found.of_cells == pytest.approx(sum(shares) / len(shares))


def people():
    return uv.read_table(
        {"age": [30, 34, 41, 52], "town": ["Rome", "Rome", "Lyon", "Nice"], "vote": list("abab")},
        quasi=["age", "town"], sensitive="vote",
    )  # fmt: skip


def test_by_hand():
    published = {"age": ["30", "[30, 52]", "*"], "town": ["{Lyon, Rome}", "*", ""],
                 "vote": list("aba")}  # fmt: skip
    release = uv.read_release(published, people())
    found = suppression(release)
    assert found.cells == {"age": 2, "town": 2}  # a range over everything says nothing
    assert (found.hidden, found.missing) == (2, 1)
    assert found.of_records == 3 / 4
    assert found.of_cells == (4 + 2) / 8
    assert suppression(release, people()).of_records == found.of_records
    assert suppression(uv.Identity().sanitize(people())).of_cells == 0
    assert suppression(uv.Mondrian(k=4).sanitize(people())).of_records == 1


def test_it_prints_and_turns_into_a_table_and_json():
    found = suppression(uv.Mondrian(k=4).sanitize(people()))
    assert repr(found).startswith("Suppression by Mondrian(k=4): 100.0% of the records, 100.0%")
    assert found.to_frame()["suppressed"].tolist() == [1, 1]
    content = found.to_dict()
    assert content["finding"] == "suppression"
    assert (content["hidden"], content["by_column"]) == (4, {"age": 1, "town": 1})


def test_what_it_cannot_be_asked_of():
    with pytest.raises(InputError, match="suppression needs a release, but got a Microdata"):
        suppression(people())
    with pytest.raises(InputError, match="suppression needs released records"):
        suppression(uv.LaplaceCounts(epsilon=1).sanitize(people()))
    release = uv.Mondrian(k=2).sanitize(people())
    with pytest.raises(InputError, match=r"has 4 records .* only 3; give the table"):
        suppression(release, people().without(0))
    with pytest.raises(InputError, match="suppression needs microdata"):
        suppression(release, people().to_frame())
    others = uv.read_table({"age": [1], "town": ["x"], "vote": ["a"]},
                           quasi=["age", "town"], sensitive="vote")  # fmt: skip
    with pytest.raises(InputError, match="is not one of table: their columns, or the values"):
        suppression(release, others)
