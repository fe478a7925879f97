"""Every notation of a published cell, and what is said about those that are none."""

import datetime

import numpy as np
import pytest

from unveil.errors import InputError
from unveil.microdata import Hierarchy, read_release, read_table

CITIES = Hierarchy.from_paths(
    [("Lyon", "France", "*"), ("Nice", "France", "*"), ("Rome", "Italy", "*"), ("Bonn", "*")]
)
AGES = [20, 25, 30, 35, 40]
PEOPLE = read_table(
    {
        "age": AGES,
        "level": ["low", "mid", "high", "mid", "low"],
        "city": ["Lyon", "Nice", "Rome", "Bonn", "Rome"],
        "born": np.array([f"1990-01-0{d}" for d in range(1, 6)], dtype="datetime64[D]"),
        "flat": ["a, b", "c", "{d}", "c", "e"],
        "vote": list("xyxyx"),
    },
    quasi=["age", "level", "city", "born", "flat"],
    sensitive="vote",
    ordinal={"level": ["low", "mid", "high"]},
    hierarchies={"city": CITIES},
)


def covered(name, cell):
    """The values of a column that a cell covers."""
    table = {column.name: ["*"] for column in PEOPLE.quasi} | {name: [cell], "vote": ["x"]}
    release = read_release(table, PEOPLE)
    column, regions = PEOPLE[name], release.regions[[c.name for c in PEOPLE.quasi].index(name)]
    return [text for code, text in enumerate(column.texts) if regions.covers(code)[0]]


@pytest.mark.parametrize(
    ("cell", "values"),
    [
        ("*", [20, 25, 30, 35, 40]),
        ("25", [25]),
        (25, [25]),
        (25.0, [25]),
        ("25.0", [25]),
        ("26", []),
        ("[25, 35]", [25, 30, 35]),
        ("(25, 35]", [30, 35]),
        ("[25, 35)", [25, 30]),
        ("(25, 35)", [30]),
        ("[ 25 ,35 ]", [25, 30, 35]),
        ("[21, 29.5]", [25]),
        ("[26, 29]", []),
        ("[30, 30]", [30]),
        ("(30, 30]", []),
        ("≤ 25", [20, 25]),
        ("<=25", [20, 25]),
        ("< 25", [20]),
        ("≥ 35", [35, 40]),
        (">= 35", [35, 40]),
        (">35", [40]),
        ("[-inf, 25]", [20, 25]),
        ("> 99", []),
    ],
)
def test_cells_of_numbers(cell, values):
    assert covered("age", cell) == [str(value) for value in values]


@pytest.mark.parametrize(
    ("cell", "values"),
    [
        ("*", ["low", "mid", "high"]),
        ("mid", ["mid"]),
        ('"mid"', ["mid"]),
        ("[low, mid]", ["low", "mid"]),
        ('["low", "mid"]', ["low", "mid"]),
        ("(low, high]", ["mid", "high"]),
        ("≤ mid", ["low", "mid"]),
        ('≤ "mid"', ["low", "mid"]),
        ("> low", ["mid", "high"]),
    ],
)
def test_cells_of_levels(cell, values):
    assert covered("level", cell) == values


@pytest.mark.parametrize(
    ("cell", "values"),
    [
        ("*", ["Lyon", "Nice", "Rome", "Bonn"]),
        ("Rome", ["Rome"]),
        ("France", ["Lyon", "Nice"]),
        ("Italy", ["Rome"]),
        ("{Nice, Bonn}", ["Nice", "Bonn"]),
        ("{Bonn,Nice , Bonn}", ["Nice", "Bonn"]),
        ('{"Rome"}', ["Rome"]),
    ],
)
def test_cells_of_a_hierarchy(cell, values):
    assert covered("city", cell) == values


@pytest.mark.parametrize(
    ("cell", "values"),
    [
        ("a, b", ["a, b"]),
        ('{"a, b", c}', ["a, b", "c"]),
        ("{d}", ["{d}"]),
        ('{"{d}", e}', ["e", "{d}"]),
        ('"a, b"', ["a, b"]),
        ("c", ["c"]),
    ],
)
def test_cells_of_plain_categories(cell, values):
    assert covered("flat", cell) == values


@pytest.mark.parametrize(
    ("cell", "days"),
    [
        ("1990-01-02", [2]),
        ("[1990-01-02, 1990-01-04)", [2, 3]),
        ("> 1990-01-03", [4, 5]),
        ("≤ 1989-12-31", []),
        (datetime.date(1990, 1, 5), [5]),
    ],
)
def test_cells_of_dates(cell, days):
    assert covered("born", cell) == [f"1990-01-0{day}" for day in days]


MAY_BE = (
    "; cells may be a value, an interval such as [20, 35] or ≤ 36, a set such as "
    "{France, Germany}, a hierarchy node, or *"
)


@pytest.mark.parametrize(
    ("name", "cell", "why"),
    [
        ("age", "young", "'young' is no number"),
        ("age", "[20, old]", "'old' is no number"),
        ("age", "[20, 30, 40]", "'[20, 30, 40]' is no number"),
        ("age", "≤", "'' is no number"),
        ("age", "nan", "'nan' is no number"),
        ("age", "[35, 20]", "its bounds run backwards"),
        ("level", "[high, low]", "its bounds run backwards"),
        ("level", "midd", "'midd' is no value of the column; did you mean 'mid'?"),
        ("level", "≤ hig", "'hig' is no value of the column; did you mean 'high'?"),
        ("born", "yesterday", "'yesterday' is no number"),
        ("born", "NaT", "'NaT' is no number"),
        ("city", "Frnace", "'Frnace' is no value of the column; did you mean 'France'?"),
        ("city", "{Rome, Pariss}", "'Pariss' is no value of the column"),
        ("city", "{}", "'' is no value of the column"),
        ("city", "[Lyon, Rome]", "'[Lyon, Rome]' is no value of the column"),
    ],
)
def test_a_cell_that_is_none_is_told_so(name, cell, why):
    with pytest.raises(InputError) as error:
        covered(name, cell)
    assert str(error.value) == (
        f"row 1, column {name!r}: cannot read the cell {cell!r}: {why}{MAY_BE}"
    )


def test_a_level_that_looks_like_notation_is_that_level():
    levels = ["<18", "18-65", ">65", "[x, y]"]
    table = read_table(
        {"a": levels, "v": list("xyxy")}, quasi="a", sensitive="v", ordinal={"a": levels}
    )
    release = read_release({"a": [*levels, "≤ <18"], "v": list("xyxyx")}, table)
    for code, level in enumerate(levels):
        covers = dict(zip(release.cells()[0], release.regions[0].covers(code), strict=True))
        assert [cell for cell in levels if covers[cell]] == [level]
        assert covers["≤ <18"] == (code == 0)


def test_a_node_that_looks_like_notation_is_that_node():
    tree = Hierarchy.from_paths([("20", "[20, 30[", "*"), ("29", "[20, 30[", "*"), ("31", "*")])
    table = read_table(
        {"a": [20, 29, 31], "v": list("xyx")}, quasi="a", sensitive="v", hierarchies={"a": tree}
    )
    release = read_release({"a": ["[20, 30["], "v": ["x"]}, table)
    assert [bool(release.regions[0].covers(code)[0]) for code in range(3)] == [True, True, False]
