"""Sets of keys, ranked, against plain loops; and their pictures."""

import json
import sys
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from plain_discrimination import plain_rate, rows_of
from proofs import examples
from random_tables import tables
from split_counts import SplitCounts

import unveil as uv
from unveil.errors import InputError, MissingExtraError
from unveil.measures import count, discrimination_rates
from unveil.render._together import shortened

PATIENTS = uv.read_table(
    {
        "age": [30, 30, 40, 40],
        "sex": ["f", "m", "f", "m"],
        "zip": ["1", "1", "1", "1"],
        "disease": ["flu", "aids", "none", "none"],
    },
    quasi=["age", "sex", "zip"],
    sensitive="disease",
    categorical="zip",
)
SAME = uv.read_table(
    {"age": [1, 2], "sex": ["f", "m"], "disease": ["flu", "flu"]},
    quasi=["age", "sex"], sensitive="disease",
)  # fmt: skip


@examples(40)
@given(tables(max_size=25), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_all_sets_against_the_rows(microdata, at_most, seed):
    found = discrimination_rates(SplitCounts(count(microdata), seed), at_most=at_most)
    names = [column.name for column in microdata.quasi]
    x = rows_of(microdata, ["secret"])
    rates = {(): 0.0}
    for size in range(1, min(at_most, len(names)) + 1):
        for by in combinations(names, size):
            rates[by] = plain_rate(x, rows_of(microdata, by))
    assert {one.by for one in found.ranked} == set(rates) - {()}
    if found.undefined:
        assert len(set(x)) == 1
        assert all(one.rate is None for one in found.ranked)
        assert set(found.adds.values()) == {None}
        return
    gained = {name: [] for name in names}
    for one in found.ranked:
        assert one.rate == pytest.approx(rates[one.by], abs=1e-12)
        for key, lost in one.without.items():
            rest = tuple(name for name in one.by if name != key)
            assert lost == pytest.approx(rates[one.by] - rates[rest], abs=1e-12)
            assert lost >= -1e-12  # more keys say no less
            gained[key].append(rates[one.by] - rates[rest])
    for key, adds in found.adds.items():
        assert adds == pytest.approx(np.mean(gained[key]), abs=1e-12)
    order = [(-round(one.rate, 11), len(one.by)) for one in found.ranked]
    assert [rate for rate, _ in order] == pytest.approx(sorted(r for r, _ in order), abs=1e-11)
    assert list(found.adds.values()) == pytest.approx(
        sorted(found.adds.values(), reverse=True), abs=1e-12
    )


def test_what_it_says():
    found = discrimination_rates(PATIENTS, at_most=3)
    assert found.rate("sex", "age") == 1
    assert found.rate("zip") == pytest.approx(0, abs=1e-12)
    assert [one.by for one in found.ranked[:2]] == [("age", "sex"), ("age", "sex", "zip")]
    assert list(found.adds) == ["age", "sex", "zip"]
    lines = found.summary().splitlines()
    assert lines[0] == "Discrimination rates of disease, in table, by up to 3 keys"
    assert lines[3] == "  age, sex        1.000"
    assert [line.split() for line in lines[-5:-2]] == [
        ["age", "0.667"], ["sex", "0.333"], ["zip", "0.000"]
    ]  # fmt: skip
    assert lines[-1] == "  What tells most of disease is age and sex."
    frame = found.to_frame()
    assert frame.columns.tolist() == [
        "by", "keys", "rate", "left", "without age", "without sex", "without zip"
    ]  # fmt: skip
    assert frame["without sex"].isna().sum() == 3
    told = json.loads(found.to_json())
    assert told["ranked"][0] == {
        "by": ["age", "sex"], "rate": 1.0, "left": 0.0,
        "without": {"age": pytest.approx(2 / 3), "sex": pytest.approx(1 / 3)},
    }  # fmt: skip
    with pytest.raises(KeyError):
        found.rate("agee")


def test_categories_and_some_keys():
    partition = {"sick": ["flu", "aids"], "well": ["none"]}
    found = discrimination_rates(PATIENTS, knows=["age", "sex"], at_most=1, partition=partition)
    assert found.keys == ("age", "sex")
    assert (found.rate("age"), found.rate("sex")) == (1, pytest.approx(0, abs=1e-12))
    assert json.loads(found.to_json())["partition"] == {"sick": ["aids", "flu"], "well": ["none"]}
    assert "by single keys" in found.summary()
    of_sex = discrimination_rates(PATIENTS, of="sex")
    assert of_sex.keys == ("age", "zip")


def test_long_rankings_are_cut_in_print():
    rng = np.random.default_rng(0)
    names = [f"key{i}" for i in range(6)]
    table = {name: rng.integers(0, 3, 30) for name in names}
    found = discrimination_rates(
        uv.read_table({**table, "x": rng.integers(0, 4, 30)}, quasi=names, sensitive="x")
    )
    assert len(found.ranked) == 21
    assert "  6 more sets are not listed." in found.summary().splitlines()


def test_nothing_to_tell():
    found = discrimination_rates(SAME)
    assert found.summary().endswith(found.undefined)
    assert json.loads(found.to_json())["adds"] == {"age": None, "sex": None}
    with pytest.raises(InputError, match=r"nothing to draw: .*undefined, because every record"):
        found.plot()


@pytest.mark.parametrize("at_most", [0, -1, True, 1.5, "2"])
def test_it_refuses_sizes(at_most):
    with pytest.raises(InputError, match=r"at_most=.* it must be a whole number from 1 up"):
        discrimination_rates(PATIENTS, at_most=at_most)


def test_it_refuses_too_many_sets():
    names = [f"key{i}" for i in range(30)]
    table = uv.read_table(
        {**{name: [1, 2] for name in names}, "x": ["a", "b"]}, quasi=names, sensitive="x"
    )
    with pytest.raises(
        InputError, match="30 keys have 31,930 sets of at most 4, and at most 5,000"
    ):
        discrimination_rates(table, at_most=4)


def test_bars():
    found = discrimination_rates(PATIENTS)
    ax = found.plot()
    assert [bar.get_width() for bar in ax.patches] == [one.rate for one in found.ranked]
    assert "age + sex" in [text.get_text() for text in ax.texts]
    assert ax.get_title() == "The most telling columns and pairs of columns"
    given = Figure(layout="constrained").subplots()
    assert found.plot(given) is given
    given.figure.draw_without_rendering()


def test_a_table_of_pairs():
    found = discrimination_rates(PATIENTS)
    matrix = found.story().charts[1].matrix
    assert matrix.rows == matrix.columns == list(found.keys)
    assert matrix.cells[1][0] == matrix.cells[0][1] == found.rate("age", "sex") == 1
    assert matrix.cells[2][2] == found.rate("zip")
    ax = found.plot(chart=1)
    shown = [text.get_text() for text in ax.texts]
    assert shown == ["0.67", "1.00", "0.33", "0.67", "0.33", "0.00"]  # half of what is alike
    ax.figure.draw_without_rendering()
    assert len(discrimination_rates(PATIENTS, at_most=1).story().charts) == 1


def test_equal_rates_have_one_order():
    rng = np.random.default_rng(1)
    names = [f"key{i}" for i in range(7)]
    table = {name: rng.integers(0, 2, 8) for name in names}
    found = discrimination_rates({**table, "x": range(8)}, quasi=names, sensitive="x")
    (bars,) = shortened(found.story().charts[0]).series
    assert list(zip(bars.y, bars.x, strict=True)) == sorted(
        zip(bars.y, bars.x, strict=True), key=lambda one: (-one[0], one[1])
    )
    assert len(bars.x) == 12
    ranged = replace(bars, x=names, y=[*range(7)], low=[y - 1 for y in range(7)], high=[9] * 7)
    (few,) = shortened(replace(found.story().charts[0], series=[ranged], most=2)).series
    assert (few.x, few.y, few.low, few.high) == (["key6", "key5"], [6, 5], [5, 4], [9, 9])


def test_all_sets_of_few_keys():
    found = discrimination_rates(PATIENTS, at_most=None)
    assert found.at_most == 3
    many = {f"key{i}": [1, 2, 3] for i in range(9)}
    assert discrimination_rates(
        {**many, "x": [1, 2, 2]}, quasi=list(many), sensitive="x", at_most=None
    ).at_most == 2  # fmt: skip


def test_a_picture_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'unveil\[plot\]'"):
        discrimination_rates(PATIENTS).plot()
