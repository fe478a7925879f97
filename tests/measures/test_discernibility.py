"""Discernibility and class sizes, against counting record by record."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_utility import says_nothing
from random_tables import tables_and_goals
from split_counts import SplitCounts

import unveil as uv
from unveil.engine.counting import Held, Histograms, KeyColumn
from unveil.errors import InputError
from unveil.measures import average_class_size, count, discernibility
from unveil.measures._classes import one_pass
from unveil.measures._discernibility import DiscernibilityLooking, discernibility_looking
from unveil.measures._sizes import ClassSizeLooking
from unveil.microdata import Release


def plain_cost(release: Release, everybody: int) -> int:
    """What each record costs, looked up among all the others."""
    cells = list(zip(*(np.array(t)[release.class_of] for t in release.cells()), strict=True))
    cost = 0
    for record, own in enumerate(cells):
        cost += everybody if says_nothing(release, record) else cells.count(own)
    return cost + (everybody - len(release)) * everybody


@given(tables_and_goals(max_size=25), st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_it_is_what_every_record_costs(case, missing, seed):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    original = microdata.take([*range(len(microdata)), *[0] * missing])
    found = discernibility(release, original=original)
    n = len(original)
    assert found.cost == plain_cost(release, n)
    assert (found.records, found.missing, found.everybody) == (len(microdata), missing, n)
    if n == 1:
        assert found.normalized is None
    else:
        assert found.normalized == pytest.approx((found.cost - n) / (n**2 - n), abs=1e-15)
        assert 0 <= found.normalized <= 1
    # However an engine sends the classes.
    counts = SplitCounts(count(release), seed)
    looking = discernibility_looking(release, counts, n)
    assert one_pass(counts, [looking])[0].cost == found.cost


@given(tables_and_goals(max_size=25), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_class_sizes_record_by_record(case, k, seed):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    rows = list(release.to_frame().drop(columns="secret").itertuples(index=False, name=None))
    sizes = pd.Series(rows).value_counts()
    for counts in (count(release), SplitCounts(count(release), seed)):
        found = average_class_size(counts)
        assert found.mean == pytest.approx(sizes.mean())
        assert (found.classes, found.k, found.goal) == (len(sizes), sizes.min(), False)
        assert found.smallest_class == sizes.min() >= options["k"]
        assert found.deciding.number == (sizes == sizes.min()).sum()
        goal = average_class_size(counts, k=k)
        assert goal.normalized == pytest.approx(len(rows) / len(sizes) / k)
        assert goal.goal


def test_by_hand():
    # Two classes of 3 and 2, one record hidden, four of the original not there: N = 10.
    published = {"age": ["2*"] * 3 + ["3*"] * 2 + ["*"], "town": ["Rome"] * 3 + ["*"] * 3}
    survey = uv.read_table(
        {**published, "vote": list("abaabb")}, quasi=["age", "town"], sensitive="vote"
    )
    found = discernibility(survey, original=10)
    assert found.cost == 9 + 4 + 1 * 10 + 4 * 10
    assert (found.hidden, found.missing) == (1, 4)
    assert found.normalized == pytest.approx((63 - 10) / 90)
    assert found.deciding.classes[0].keys == {"age": "2*", "town": "Rome"}
    # Over the towns alone, three say nothing.
    assert discernibility(survey, quasi="town").cost == 9 + 3 * 6
    assert discernibility(survey, quasi="age").cost == 9 + 4 + 6
    assert average_class_size(survey, k=2).normalized == 5 / 2 / 2  # the hidden form none


def test_a_table_is_measured_like_a_release_of_it():
    survey = uv.datasets.election_survey()
    release = uv.Mondrian(k=5, regions="cut").sanitize(survey)
    frame, names = release.to_frame(), [column.name for column in release.quasi]
    found = discernibility(frame, quasi=names)
    assert found.cost == discernibility(release).cost == 6634
    assert average_class_size(frame, quasi=names).mean == average_class_size(release).mean


def test_columns_of_numbers_have_no_star():
    frame = pd.DataFrame({"age": [1, 1, 2], "zip": ["*", "*", "*"], "s": list("aba")})
    assert discernibility(frame, quasi=["age", "zip"], sensitive="s").cost == 4 + 1
    assert discernibility(frame, quasi="zip", sensitive="s").cost == 9


def test_the_best_and_the_worst():
    people = uv.read_table({"age": [20, 30, 40, 50], "s": list("abab")}, quasi="age", sensitive="s")
    assert discernibility(people).normalized == 0
    assert discernibility(uv.Mondrian(k=4).sanitize(people)).normalized == 1
    hidden = uv.read_release({"age": ["*"] * 3, "s": list("aba")}, people)
    assert hidden.dropped == 1
    assert discernibility(hidden).cost == 16
    assert discernibility(hidden).normalized == 1


def test_costs_have_no_end():
    many, alike = 3_000_000_019, 5
    block = Histograms(
        start=np.array([0, 1]), codes=np.array([0]), numbers=np.array([many]),
        weights=np.array([alike]), key_of=lambda g: ("x",),
    )  # fmt: skip
    one = Held(
        keys={"q": KeyColumn(np.array([0]), ("x",))}, secret=None, class_of=np.array([0]),
        codes=np.array([0]), numbers=np.array([many * alike]), source="much",
    )  # fmt: skip
    looking = DiscernibilityLooking(one, missing=many)
    looking.look(block)
    found = looking.finding()
    assert found.cost == alike * many**2 + many * (alike + 1) * many > 2**63
    assert 0 < found.normalized < 1
    assert json.loads(found.to_json())["cost"] == found.cost
    assert found.to_frame()["cost"][0] == found.cost


def test_they_print_and_turn_into_tables_and_json():
    people = uv.read_table({"age": [20, 20, 40], "s": list("aba")}, quasi="age", sensitive="s")
    found = discernibility(people, original=4)
    assert "1 missing" in repr(found)
    assert "age=20 (2 records)" in repr(found)
    content = found.to_dict()
    assert content["finding"] == "discernibility"
    assert content["deciding"] == {"number": 1}
    assert found.to_dict(records=True)["deciding"]["classes"][0]["keys"] == {"age": "20"}
    size = average_class_size(people, k=2)
    assert "0.75 times the goal k = 2, and the smallest has only 1" in repr(size)
    assert size.to_dict()["k_is"] == "the goal"
    assert size.to_frame()["mean"].tolist() == [1.5]
    alone = discernibility(people.take([0]))
    assert alone.to_dict()["normalized"] is None
    assert "undefined for one record" in repr(alone)


@pytest.mark.parametrize("k", [0, 1.5, True, "2"])
def test_no_such_k(k):
    with pytest.raises(InputError, match=f"k={k!r} is not possible: it must be a whole number"):
        average_class_size("no such file", k=k)


def test_an_original_that_it_is_not_of():
    people = uv.read_table({"age": [20, 20, 40], "s": list("aba")}, quasi="age", sensitive="s")
    with pytest.raises(InputError, match=r"has 3 records and the original table only 2; give"):
        discernibility(people, original=2)
    with pytest.raises(InputError, match=r"original table, table, only 2"):
        discernibility(people, original=people.take([0, 1]))
    for wrong in (0, True, 2.5, "3"):
        with pytest.raises(InputError, match="original= must be microdata, or its number"):
            discernibility(people, original=wrong)


def test_classes_that_share_records_are_refused():
    counts = count(
        uv.read_table({"age": ["2*", "*"], "s": list("ab")}, quasi="age", sensitive="s"),
        wildcard="*",
    )
    for looking in (DiscernibilityLooking, ClassSizeLooking):
        with pytest.raises(InputError, match="needs classes that do not overlap"):
            looking(counts)
