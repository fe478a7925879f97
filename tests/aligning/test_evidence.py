"""Evidence, embedded rows and joint counts, beside plain brute force."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil as uv
from unveil.aligning._detection import PairOfColumns
from unveil.aligning._evidence import explained, joint_of
from unveil.aligning._names import NAMED, SAME, likeness
from unveil.aligning._rows import _covered, _embedded
from unveil.aligning._sheets import Cells, Sheet
from unveil.microdata.coarsening import parse_how

VALUES = st.lists(st.sampled_from(["", "3", "12", "17", "25", "NA"]), min_size=1, max_size=14)


def cells(values: list[str], name: str = "x") -> Cells:
    sheet = Sheet.open({name: np.array(values, dtype=object)}, delimiter=None, encoding=None,
                       sheet=None, forms={})  # fmt: skip
    return sheet.columns[name]


@given(values=VALUES, data=st.data())
def test_joint_counts_and_bits(values: list[str], data: Any) -> None:
    texts = data.draw(st.lists(st.sampled_from(["10", "20", "0", "*", ""]),
                               min_size=len(values), max_size=len(values)))  # fmt: skip
    of = np.array(data.draw(st.permutations(range(-1, len(values) - 1))), dtype=np.int64)
    o, p = cells(values), cells(texts)
    pair = PairOfColumns(o, p)
    joint = joint_of(o, p, of, pair.hidden)
    gaps = ("", "NA")
    rows = [(values[i], text) for i, text in zip(of.tolist(), texts, strict=True) if i >= 0]
    told = [(v, t) for v, t in rows if v not in gaps and t not in ("", "*")]
    assert joint.rows == len(told)
    assert joint.filled_gaps == sum(v in gaps and t not in ("", "*") for v, t in rows)
    assert joint.blanked == sum(v not in gaps and t == "" for v, t in rows)
    assert joint.hidden == sum(v not in gaps and t == "*" for v, t in rows)
    view = o.view("number")
    if view is None:
        return
    for match in pair.matches():
        if match.how != parse_how("floor 10"):
            continue
        found = explained(match, o, joint)
        filled = [int(v) for v in values if v not in gaps]
        right = [(v, t) for v, t in told if int(v) // 10 * 10 == int(t)]
        assert found.disagree == len(told) - len(right) + joint.filled_gaps
        share = {t: sum(v // 10 * 10 == int(t) for v in filled) / len(filled) for _, t in right}
        assert found.bits == pytest.approx(-sum(math.log2(share[t]) for _, t in right))


KEYS = st.lists(st.integers(0, 2), min_size=1, max_size=7)


@given(ours=KEYS, data=st.data())
def test_rows_in_order_are_found_wherever_there_are_some(ours: list[int], data: Any) -> None:
    theirs = data.draw(st.lists(st.sampled_from([-2, 0, 1, 2]), min_size=1, max_size=len(ours)))
    found = _embedded([(np.array(ours), np.array(theirs))], np.arange(len(ours)))
    plain = next(
        (
            rows
            for rows in itertools.combinations(range(len(ours)), len(theirs))
            if all(key in (-2, ours[row]) for row, key in zip(rows, theirs, strict=True))
        ),
        None,
    )
    assert (None if found is None else tuple(found.tolist())) == plain


@given(data=st.data())
def test_combinations_that_are_in_the_original(data: Any) -> None:
    def rows(codes: tuple[int, ...]) -> list[tuple[int, int]]:
        pairs = st.tuples(st.sampled_from(codes), st.sampled_from(codes))
        return list(data.draw(st.lists(pairs, min_size=1, max_size=8)))

    ours, theirs = rows((-1, 0, 1)), rows((-2, 0, 1))
    keys = [(np.array([one[i] for one in ours]), np.array([one[i] for one in theirs]))
            for i in range(2)]  # fmt: skip
    plain = sum(
        any(all(b in (-2, a) for a, b in zip(our, their, strict=True)) for our in ours)
        for their in theirs
    )
    assert _covered(keys) == plain


@pytest.mark.parametrize(
    ("one", "other", "least"),
    [
        ("Age_Years", " age years ", SAME),
        ("EducationLevel", "Education level", SAME),
        ("marital_status", "burgerlijke_staat", NAMED),
        ("birthdate", "birthyear", NAMED),
        ("zip", "zip3", NAMED),
        ("AGE", "AGEGRP", NAMED),
        ("code_postal", "PLZ", NAMED),
    ],
)
def test_names_that_are_alike(one: str, other: str, least: float) -> None:
    assert likeness(one, other) >= least
    assert likeness(one, other) == likeness(other, one)


@pytest.mark.parametrize(("one", "other"), [("q1", "q2"), ("age", "vote"), ("a", "b"), ("", "x")])
def test_names_that_are_not(one: str, other: str) -> None:
    assert likeness(one, other) < NAMED


@given(seed=st.integers(0, 500), n=st.integers(1, 40))
def test_columns_without_connection_are_hardly_ever_paired(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    ours = {"alpha": rng.integers(0, 3, n), "beta": rng.integers(0, 50, n)}
    theirs = {"gamma": rng.choice(["u", "v", "w"], n), "delta": rng.choice(["k", "l"], n)}
    found = uv.align(ours, theirs)
    assert {one.how for one in found.columns if one.published is not None} == {"new"}
