"""A row is not a person: measures that count people, beside brute force."""

import itertools
from collections import Counter
from fractions import Fraction
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples

import unveil as uv
from unveil.measures import person_measures
from unveil.microdata import Persons

EXAMPLE = {
    "patient": list("AAABCC"),
    "age": ["30s", "30s", "30s", "40s", "40s", "30s"],
    "disease": ["flu", "flu", "asthma", "flu", "flu", "asthma"],
}


def read(table, **options):
    return uv.read_table(
        table, quasi=[name for name in table if name not in ("patient", "disease")],
        sensitive="disease", **{"person": "patient", **options},
    )  # fmt: skip


def test_the_worked_example():
    found = uv.measures(read(EXAMPLE))
    assert (found.k, found.k_all_rows) == (2, 1)
    assert found.one_row.each.tolist() == [2, 2, 2]
    assert found.all_rows.each.tolist() == [1, 1, 1]
    # Two rows: A and C are alone; all that B has is one row, which C shares.
    assert [(one.rows, one.alone, one.drawn) for one in found.unicity][1:] == [
        (2, 2, 3), (3, 2, 3), (4, 2, 3),
    ]  # fmt: skip
    figures = {one.figure.name: one.value for one in found.figures}
    assert figures["alpha"] == 1  # 40s: flu
    assert figures["l"] == 1
    # Flu is 2/3 of A, all of B and 1/2 of C: 13/18. Among the 30s it is 1/3: A's 2/3, C's 0.
    assert figures["t"] == pytest.approx(13 / 18 - 1 / 3)
    assert figures["mean_class"] == 2


@st.composite
def rows(draw):
    n = draw(st.integers(1, 12))
    column = st.lists(st.integers(0, 2), min_size=n, max_size=n)
    people = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    return {
        "patient": [f"p{one}" for one in people],
        "age": draw(column),
        "sex": [f"s{one}" for one in draw(column)],
        "disease": [f"d{one}" for one in draw(column)],
    }


def classes_of(table):
    return list(zip(table["age"], table["sex"], strict=True))


def of_each(table):
    """The rows of each person, in the order of the people's first values."""
    found = {}
    for person, there in zip(table["patient"], classes_of(table), strict=True):
        found.setdefault(person, []).append(there)
    return found


@examples(200)
@given(table=rows())
def test_people_among_whom_somebody_is_found(table):
    several = Persons(("patient",), np.unique(table["patient"], return_inverse=True)[1])
    found = person_measures(read(table), several)
    own, everybody = of_each(table), classes_of(table)
    inside = {there: {p for p in own if there in own[p]} for there in everybody}
    one_row = {p: min(len(inside[there]) for there in own[p]) for p in own}
    all_rows = {p: sum(Counter(own[p]) == Counter(own[q]) for q in own) for p in own}
    assert found.one_row.each.tolist() == [one_row[p] for p in sorted(own)]
    assert found.all_rows.each.tolist() == [all_rows[p] for p in sorted(own)]


@examples(200)
@given(table=rows())
def test_who_is_alone_with_some_rows(table):
    """With as many rows as anybody has, or more, nothing is drawn at random."""
    several = Persons(("patient",), np.unique(table["patient"], return_inverse=True)[1])
    found = person_measures(read(table), several).unicity[-1]
    own = of_each(table)
    if max(map(len, own.values())) > found.rows:
        return
    fits = {p: sum(not Counter(own[p]) - Counter(own[q]) for q in own) for p in own}
    assert (found.alone, found.drawn) == (sum(n == 1 for n in fits.values()), len(own))


@examples(200)
@given(table=rows())
def test_people_weigh_the_same_in_a_class(table):
    several = Persons(("patient",), np.unique(table["patient"], return_inverse=True)[1])
    found = person_measures(read(table), several)
    figures = {one.figure.name: one.value for one in found.figures}

    def weighed(kept):
        """The shares of diseases, where each person in these rows counts as one."""
        number = Counter(table["patient"][i] for i in kept)
        shares = Counter()
        for i in kept:
            shares[table["disease"][i]] += Fraction(1, number[table["patient"][i]])
        return {value: share / len(number) for value, share in shares.items()}

    where = classes_of(table)
    whole = weighed(range(len(where)))
    inside = {
        one: weighed([i for i, there in enumerate(where) if there == one]) for one in set(where)
    }
    people = {
        one: {p for p, there in zip(table["patient"], where, strict=True) if there == one}
        for one in inside
    }
    assert figures["alpha"] == pytest.approx(float(max(max(s.values()) for s in inside.values())))
    far = [sum(max(s.get(v, 0) - whole[v], 0) for v in whole) for s in inside.values()]
    assert figures["t"] == pytest.approx(float(max(far)), abs=1e-12)
    gain = [(s[v] - whole[v]) / whole[v] for s in inside.values() for v in s]
    assert figures["beta"] == pytest.approx(max(0.0, float(max(gain))), abs=1e-12)
    values = min(1 if len(people[one]) == 1 else len(s) for one, s in inside.items())
    assert figures["l"] == values
    least = min(2 ** -sum(float(p) * log2(p) for p in s.values()) for s in inside.values())
    assert figures["l_entropy"] == pytest.approx(min(values, least))


@examples(100)
@given(table=rows(), k=st.integers(1, 3))
def test_with_one_row_each_they_are_the_ordinary_measures(table, k):
    microdata = read({name: column for name, column in table.items() if name != "patient"},
                     person=None)  # fmt: skip
    n = len(microdata)
    try:
        release = uv.Mondrian(k=min(k, n)).sanitize(microdata)
    except uv.UnveilError:
        return
    by_row = {one.figure.name: one.value for one in uv.measures(release).figures}
    found = person_measures(release, Persons(("patient",), np.arange(n)))
    by_person = {one.figure.name: one.value for one in found.figures}
    for name, value in by_row.items():
        assert by_person[name] == pytest.approx(value), name
    assert found.one_row.each.tolist() == found.all_rows.each.tolist()
    assert by_person["k_all_rows"] == by_row["k"]
    assert uv.measures(read(table | {"patient": list(range(n))})).k_anonymity.k >= 1


def test_many_rows_of_each_are_drawn():
    rng = np.random.default_rng(0)
    whose = np.repeat(np.arange(3_000), rng.integers(1, 40, 3_000))
    table = {"patient": whose, "age": rng.integers(0, 40, len(whose)),
             "disease": rng.integers(0, 3, len(whose))}  # fmt: skip
    found = uv.measures(uv.read_table(table, quasi="age", sensitive="disease", person="patient"))
    shares = [one.share for one in found.unicity]
    assert shares == sorted(shares)
    assert all(one.drawn == 2_000 for one in found.unicity)
    assert all(low <= share <= high for share, (low, high) in
               zip(shares, (one.interval for one in found.unicity), strict=True))  # fmt: skip
    again = uv.measures(uv.read_table(table, quasi="age", sensitive="disease", person="patient"))
    assert again.unicity == found.unicity


def test_the_interval_of_the_curve_covers():
    """Of people who are alone with a share p, the interval holds p in 95 % of draws."""
    from unveil.measures import Unicity

    rng = np.random.default_rng(0)
    for p, n in itertools.product((0.02, 0.3, 0.9), (40, 400)):
        inside = [
            low <= p <= high
            for alone in rng.binomial(n, p, 2_000)
            for low, high in [Unicity(rows=4, alone=int(alone), drawn=n).interval]
        ]
        assert np.mean(inside) >= 0.95, (p, n)
