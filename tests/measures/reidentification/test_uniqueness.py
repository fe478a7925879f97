"""Who is alone, against counting records one by one."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import random_microdata, tables, texts_of
from split_counts import SplitCounts

import unveil as uv
from unveil.errors import InputError
from unveil.measures import count, uniqueness
from unveil.measures._classes import one_pass
from unveil.measures._sizes import UniquenessLooking
from unveil.measures.reidentification._risk import RiskLooking


@examples(150)
@given(tables(), st.integers(0, 2**32 - 1))
def test_it_is_what_the_records_say(microdata, seed):
    number = Counter(texts_of(microdata, i) for i in range(len(microdata)))
    found = uniqueness(microdata)
    assert found.unique == sum(n == 1 for n in number.values())
    assert found.share == found.unique / len(microdata)
    assert (found.records, found.classes) == (len(microdata), len(number))
    assert found.smallest_class == min(number.values())
    assert found.class_sizes == dict(sorted(Counter(number.values()).items()))
    assert found.deciding.number == sum(n == found.smallest_class for n in number.values())
    for one in found.deciding.classes:
        assert number[tuple(one.keys.values())] == one.records == found.smallest_class
    split = uniqueness(SplitCounts(count(microdata), seed))
    assert split.to_dict() == found.to_dict()
    frame = found.to_frame()
    assert int((frame["records"] * frame["classes"]).sum()) == len(microdata)


def test_one_pass_serves_several():
    counts = count(random_microdata(2, 60, ("flat", "numeric")))
    alone, risk = one_pass(counts, [UniquenessLooking(counts), RiskLooking(counts)])
    assert alone.to_dict() == uniqueness(counts).to_dict()
    assert risk.classes == alone.classes


def test_keys_may_be_chosen():
    people = uv.read_table(
        {"age": [28, 28, 36], "gender": list("MFM"), "disease": list("abc")},
        quasi=["age", "gender"], sensitive="disease",
    )  # fmt: skip
    assert uniqueness(people).unique == 3
    assert uniqueness(people, quasi="age").unique == 1
    assert repr(uniqueness(people, quasi="age")) == (
        "Uniqueness of table: 33.3%, 1 of 3 records is alone with age\n"
        "  2 classes, the smallest of 1: age=36 (1 record)"
    )


def test_nobody_is_alone_in_a_release():
    release = uv.Mondrian(k=3).sanitize(random_microdata(4, 60, ("flat", "numeric")))
    found = uniqueness(release)
    assert found.unique == 0
    assert found.smallest_class >= 3
    assert "0%, nobody is alone with" in repr(found)


def test_whoever_may_be_somebody_else_is_not_alone():
    table = {"age": ["28", "*", "36"], "town": ["Rome", "Rome", "Lyon"]}
    assert uniqueness(table, quasi=["age", "town"]).unique == 3
    found = uniqueness(table, quasi=["age", "town"], wildcard="*")
    assert (found.unique, found.records) == (1, 3)
    assert found.share == pytest.approx(1 / 3)


def test_single_people_are_named_only_if_asked_for():
    found = uniqueness({"town": ["Rome", "Lyon", "Lyon"]}, quasi="town")
    assert "Rome" not in found.to_json()
    told = json.loads(found.to_json(records=True))
    assert told["deciding"]["classes"][0]["keys"] == {"town": "Rome"}


def test_nothing_is_nothing_to_measure():
    with pytest.raises(InputError, match="has no records"):
        uniqueness(random_microdata(1, 5, ("flat",)).take([]))
