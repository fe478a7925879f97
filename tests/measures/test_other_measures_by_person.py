"""Discrimination rate, k and re-identification risk of people with several rows, by definition."""

from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples

import unveil as uv
from unveil.errors import InputError
from unveil.microdata import Persons

PEOPLE = "abcde"


@st.composite
def stays(draw):
    n = draw(st.integers(2, 12))

    def column(values, size=n):
        return draw(st.lists(st.sampled_from(values), min_size=size, max_size=size))

    people = column(PEOPLE, n - 1)
    return {"patient": [*people, people[0]], "age": column(["20", "30", "*"]),
            "sex": column("fm"), "illness": column(["flu", "aids", "none"])}  # fmt: skip


def read(table, **options):
    return uv.read_table(table, quasi=["age", "sex"], sensitive="illness",
                         **{"person": "patient", **options})  # fmt: skip


def weighed(table, rows):
    """The shares of illnesses where each person in these rows counts as one."""
    each, found = Counter(table["patient"][i] for i in rows), Counter()
    for i in rows:
        found[table["illness"][i]] += Fraction(1, each[table["patient"][i]] * len(each))
    return found


def bits(shares):
    return -sum(float(p) * log2(p) for p in shares.values() if p)


def classes(table, keys):
    found = defaultdict(list)
    for i, there in enumerate(zip(*(table[key] for key in keys), strict=True)):
        found[there].append(i)
    return found


@examples(100)
@given(table=stays(), keys=st.sampled_from([["age"], ["sex"], ["age", "sex"]]))
def test_discrimination_rate(table, keys):
    whole, everybody = weighed(table, range(len(table["age"]))), Counter(table["patient"])
    left, parts = 0.0, {}
    groups = classes(table, keys)
    for there, rows in groups.items():
        share = sum(Fraction(1, everybody[table["patient"][i]]) for i in rows) / len(everybody)
        parts[there] = float(share) * bits(weighed(table, rows))
        left += parts[there]
    found = uv.discrimination_rate(read(table), by=keys)
    assert (found.records, found.unit) == (len(everybody), "person")
    assert found.left == pytest.approx(left, abs=1e-12)
    if len(whole) == 1:
        assert found.rate is None
        return
    assert found.entropy == pytest.approx(bits(whole))
    assert found.rate == pytest.approx(max(0.0, 1 - left / bits(whole)), abs=1e-12)
    for one in found.by_value:
        there = tuple(one.values.values())
        assert one.records == len({table["patient"][i] for i in groups[there]})
        assert one.rate == pytest.approx(max(0.0, 1 - parts[there] / bits(whole)), abs=1e-12)
    sick = uv.discrimination_rate(read(table), by=keys, partition={
        "ill": [one for one in ("flu", "aids") if one in whole] or ["none"],
        **({"well": ["none"]} if "none" in whole and len(whole) > 1 else {}),
    })  # fmt: skip
    coarse = {**table, "illness": ["none" if one == "none" else "ill" for one in table["illness"]]}
    plain = uv.discrimination_rate(read(coarse), by=keys)
    assert (sick.rate, sick.left) == pytest.approx((plain.rate, plain.left), abs=1e-12)
    assert uv.discrimination_rate(read(table), quasi=keys, sensitive="illness").left == found.left
    ranked = uv.discrimination_rates(read(table)).rate(*keys)
    assert ranked == pytest.approx(found.rate, abs=1e-12)


@examples(60)
@given(table=stays(), threshold=st.sampled_from([0.2, 0.4, 0.9]))
def test_k_and_risk(table, threshold):
    people, inside = defaultdict(set), defaultdict(list)
    shown = classes(table, ["age", "sex"])
    starred = [there[0] == "*" for there in shown]
    if len(set(table["sex"])) == 1 and not all(starred):  # these tell nothing, and form no class
        shown = {there: rows for there, rows in shown.items() if there[0] != "*"}
    for there, rows in shown.items():
        people[there] = {table["patient"][i] for i in rows}
        for person in people[there]:
            inside[person].append(there)
    among = [min(len(people[there]) for there in own) for own in inside.values()]
    microdata = read(table)
    roles = {"quasi": ["age", "sex"], "person": "patient"}
    for found in (uv.k_anonymity(microdata), uv.k_anonymity(table, **roles)):
        assert (found.k, found.classes, found.unit) == (min(among), len(shown), "person")
        assert found.records == len(set(table["patient"]))
        assert found.sizes == Counter(map(len, people.values()))
    for found in (uv.reidentification_risk(microdata, threshold=threshold),
                  uv.reidentification_risk(table, **roles, threshold=threshold)):  # fmt: skip
        attacker = found.prosecutor
        assert attacker.highest == 1 / min(among)
        assert attacker.average == pytest.approx(np.mean([1 / one for one in among]))
        assert attacker.over == pytest.approx(np.mean([1 / one > threshold for one in among]))
        assert (found.journalist.highest, found.marketer.average) == (
            attacker.highest, attacker.average,
        )  # fmt: skip


@examples(60)
@given(table=stays())
def test_with_one_row_each_they_are_the_ordinary_measures(table):
    """Suppressed rows, too. Measures by person are made to count them as people all the same."""
    from unveil.measures import person_measures
    from unveil.measures._classes import measured
    from unveil.measures._sizes import KAnonymityLooking
    from unveil.measures._whose import people_held
    from unveil.measures.discrimination._rate import rate_by
    from unveil.measures.reidentification._risk import _risk_of_people

    microdata = read({name: one for name, one in table.items() if name != "patient"}, person=None)
    persons = Persons(("row",), np.arange(len(microdata)))
    there, release = people_held(microdata, persons), uv.Identity().sanitize(microdata)
    assert measured(there, KAnonymityLooking(there)).sizes == uv.k_anonymity(microdata).sizes
    of_rows, of_people = uv.discrimination_rate(microdata), rate_by(there)
    assert of_people.rate == pytest.approx(of_rows.rate, abs=1e-12)
    assert of_people.left == pytest.approx(of_rows.left, abs=1e-12)
    assert (of_people.combinations, of_people.determined) == (
        of_rows.combinations, of_rows.determined,
    )  # fmt: skip
    risk, expected = _risk_of_people(there, 0.4), uv.reidentification_risk(microdata, threshold=0.4)
    for one, other in zip(risk.attackers, expected.attackers, strict=True):
        assert (one.highest, one.over) == (other.highest, other.over)
        assert one.average == pytest.approx(other.average)
    for one in (microdata, release):
        by_row = {value.figure.name: value.value for value in uv.measures(one).figures}
        by_person = {v.figure.name: v.value for v in person_measures(one, persons).figures}
        for name, value in by_row.items():
            assert by_person[name] == pytest.approx(value, abs=1e-12), name


def test_what_is_told_says_people():
    table = {"patient": list("AAABCC"), "age": ["30", "30", "30", "40", "40", "30"],
             "sex": list("ffffff"),
             "illness": ["flu", "flu", "aids", "flu", "flu", "aids"]}  # fmt: skip
    microdata = read(table)
    rate = str(uv.discrimination_rate(microdata, by="age"))
    assert "3 people with 2 values, which determine illness for 2 people" not in rate
    assert "3 people with 2 values" in rate
    assert "age=40 (2 people)" in rate
    assert "record" not in rate.replace("6 records of 3 people", "")
    risk = str(uv.reidentification_risk(microdata))
    assert "3 people in 2 classes" in risk
    assert "record" not in risk.replace("6 records of 3 people", "")
    assert uv.k_anonymity(microdata).deciding.classes[0].to_dict() == {
        "keys": {"age": "30", "sex": "f"}, "people": 2, "counts": {"flu": 1, "aids": 2},
    }  # fmt: skip


def test_what_has_no_definition_is_refused():
    table = read({"patient": list("aab"), "age": ["1", "2", "2"], "sex": list("fmf"),
                  "illness": ["x", "y", "x"]})  # fmt: skip
    for options in ({"population_size": 100}, {"sampling_fraction": 0.1}, {"population": table}):
        with pytest.raises(InputError, match="people with several rows are in several classes"):
            uv.reidentification_risk(table, **options)
    with pytest.raises(InputError, match="there is no rate of one value"):
        uv.discrimination_rate(table, value={"age": "1"})
    with pytest.raises(InputError, match="are read already: give count= when reading"):
        uv.k_anonymity(table, count=False)
    with pytest.raises(InputError, match="there is no such measure yet"):
        uv.k_anonymity(table, wildcard="*")
    unknown = replace(uv.Identity().sanitize(table), persons=Persons(("patient",), None))
    for call in (uv.k_anonymity, uv.reidentification_risk, uv.discrimination_rate,
                 uv.discrimination_rates, uv.remedies):  # fmt: skip
        with pytest.raises(InputError, match="nobody knows whose the published rows are"):
            call(unknown)


def test_whose_a_row_is_cannot_be_said_too_late():
    """What is counted or read already counts rows: to say it then must not go unnoticed."""
    table = {"p": ["a", "a", "b"], "age": [1, 1, 1], "s": ["x", "y", "x"]}
    keys = {"quasi": "age", "sensitive": "s"}
    counts = uv.count(table, **keys, person=False)
    microdata = uv.read_table(table, **keys, person=False)
    for one in (counts, microdata, uv.Identity().sanitize(microdata)):
        for call in (uv.k_anonymity, uv.reidentification_risk, uv.discrimination_rate, uv.measures):
            with pytest.raises(InputError, match="person"):
                call(one, person="p")
    with pytest.raises(InputError, match=r"only unveil.measures, .* count people"):
        uv.discrimination_rate(table, **keys, person="p")


def test_losses_are_about_records():
    table = uv.datasets.visits(40, seed=1)
    release = uv.Mondrian(k=2).sanitize(table)
    found = uv.utility(release, table)
    alone = replace(table, persons=None)
    same = uv.utility(replace(release, persons=None), alone)
    assert found.figures == same.figures
    assert found.class_size.mean == same.class_size.mean
    assert "what is lost is about records" in str(found.notes[-1])
    for call in (uv.unique_subsets, lambda one: uv.skewness(one, table)):
        with pytest.raises(InputError, match="one row per person"):
            call(release)
