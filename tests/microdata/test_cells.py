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


def covered(name, cell, **options):
    """The values of a column that a cell covers."""
    table = {column.name: ["*"] for column in PEOPLE.quasi} | {name: [cell], "vote": ["x"]}
    release = read_release(table, PEOPLE, **options)
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
        ("[25, 35[", [25, 30]),
        ("]25, 35]", [30, 35]),
        ("]25, 35[", [30]),
        ("[25; 35]", [25, 30, 35]),
        ("[25-35)", [25, 30]),
        ("[25, ∞)", [25, 30, 35, 40]),
        ("25-35", [25, 30, 35]),
        (" 25 – 35 ", [25, 30, 35]),
        ("25 to 35", [25, 30, 35]),
        ("25..35", [25, 30, 35]),
        ("-5-25", [20, 25]),
        ("-10--5", []),
        ("−10 − 20", [20]),
        ("24,5-30,5", [25, 30]),
        ("0-4", []),
        ("35+", [35, 40]),
        ("≥35", [35, 40]),
        ("≤ 25,5", [20, 25]),
        ("2*", [20, 25]),
        ("3*.*", [30, 35]),
        ("25.*", [25]),
        ("-2*", []),
        ("*5", [25, 35]),
        ("**", [20, 25, 30, 35, 40]),
        ("{20, 31, 40}", [20, 40]),
        ("{20}", [20]),
        ("20;40", [20, 40]),
        ("20|25|40", [20, 25, 40]),
        ("20, 25, 40", [20, 25, 40]),
        ("20,5;40,0", [40]),
        ("[20, 30, 40]", [20, 30, 40]),
        ("[30]", [30]),
        ("['20', '40']", [20, 40]),
        ("['20-30']", [20, 25, 30]),
        ("frozenset({20, 40})", [20, 40]),
        ("25,0", [25]),
        ("NA", [20, 25, 30, 35, 40]),
        ("nan", [20, 25, 30, 35, 40]),
        ("", [20, 25, 30, 35, 40]),
        (None, [20, 25, 30, 35, 40]),
        ("2.5e1", [25]),
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
        ("low-mid", ["low", "mid"]),
        ("mid – high", ["mid", "high"]),
        ("mid+", ["mid", "high"]),
        ("{low, high}", ["low", "high"]),
        ("low;high", ["low", "high"]),
        ("low, high", ["low", "high"]),
        ("['low', 'high']", ["low", "high"]),
        ("[low, mid, high]", ["low", "mid", "high"]),
        ("null", ["low", "mid", "high"]),
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
        ("{France, Bonn}", ["Lyon", "Nice", "Bonn"]),
        ("{'Rome', 'Bonn'}", ["Rome", "Bonn"]),
        ("Rome;Bonn", ["Rome", "Bonn"]),
        ("Rome | Bonn", ["Rome", "Bonn"]),
        ("Rome,Bonn", ["Rome", "Bonn"]),
        ("['Rome', 'Bonn']", ["Rome", "Bonn"]),
        ('["Rome", "Bonn"]', ["Rome", "Bonn"]),
        ("('Rome', 'Bonn')", ["Rome", "Bonn"]),
        ("('Rome',)", ["Rome"]),
        ("['Rome' 'Bonn']", ["Rome", "Bonn"]),
        ("['Rome,Bonn']", ["Rome", "Bonn"]),
        ("[Lyon, Rome, Bonn]", ["Lyon", "Rome", "Bonn"]),
        ("[Rome]", ["Rome"]),
        ("{Rome}", ["Rome"]),
        ("Ro**", ["Rome"]),
        ("*o**", ["Rome", "Bonn"]),
        ("<NA>", ["Lyon", "Nice", "Rome", "Bonn"]),
        (["Rome", "Bonn"], ["Rome", "Bonn"]),
        ({"Rome", "Bonn"}, ["Rome", "Bonn"]),
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
        (" c ", ["c"]),
        ("a, b, c", ["a, b", "c"]),
        ("c;a, b", ["a, b", "c"]),
        ("{a, b, e}", ["a, b", "e"]),
        ("['a, b', 'e']", ["a, b", "e"]),
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
        ("1990-01-02 - 1990-01-04", [2, 3, 4]),
        ("1990-01-02-1990-01-04", [2, 3, 4]),
        ("1990-01-02 – 2000", [2, 3, 4, 5]),
        ("1990-01", [1, 2, 3, 4, 5]),
        ("1990", [1, 2, 3, 4, 5]),
        ("1989-1990", [1, 2, 3, 4, 5]),
        ("> 1990-01", []),
        ("[1989, 1990-01-02]", [1, 2]),
        ("[-inf, 1990-01-02]", [1, 2]),
        ("1990-01-**", [1, 2, 3, 4, 5]),
        ("1990-01-*3", [3]),
        ("{1990-01-01, 1990-01-05}", [1, 5]),
        ("1990-01-03 00:00:00", [3]),
        ("NaT", [1, 2, 3, 4, 5]),
    ],
)
def test_cells_of_dates(cell, days):
    assert covered("born", cell) == [f"1990-01-0{day}" for day in days]


MAY_BE = (
    "; cells may be a value, an interval such as [20, 35] or ≤ 36, a range such as 20-35, a mask "
    "such as 2*, a set such as {France, Germany}, a hierarchy node, or *"
)


@pytest.mark.parametrize(
    ("name", "cell", "why"),
    [
        ("age", "young", "'young' is not a number"),
        ("age", "[20, old]", "'old' is not a number"),
        ("age", "20-old", "'old' is not a number"),
        ("age", "{20, old}", "'old' is not a number"),
        ("age", "≤", "'' is not a number"),
        ("age", "20-", "'20-' is not a number; did you mean '20'?"),
        ("age", "1_000", "'1_000' is not a number"),
        ("age", "30-20", "its bounds run backwards"),
        ("level", "high-low", "its bounds run backwards"),
        ("level", "midd", "'midd' is not a value of the column; did you mean 'mid'?"),
        ("level", "≤ hig", "'hig' is not a value of the column; did you mean 'high'?"),
        ("born", "yesterday", "'yesterday' is not a date"),
        ("born", "1990-02-30", "'1990-02-30' is not a date; did you mean '1990-01-05'?"),
        ("city", "Frnace", "'Frnace' is not a value of the column; did you mean 'France'?"),
        ("city", "{Rome, Pariss}", "'Pariss' is not a value of the column"),
        ("city", "Rome;Pariss", "'Pariss' is not a value of the column"),
        ("city", "['Rome', 'Pariss']", "'Pariss' is not a value of the column"),
        ("city", "{}", "'' is not a value of the column"),
        ("city", "Rome-Bonn", "'Rome-Bonn' is not a value of the column; did you mean 'Rome'?"),
        ("city", '"Pariss"', "'Pariss' is not a value of the column"),
        ("city", "X***", "'X***' is not a value of the column"),
    ],
)
def test_a_cell_that_is_none_is_told_so(name, cell, why):
    with pytest.raises(InputError) as error:
        covered(name, cell)
    node = (
        "; the column has no hierarchy: if the cell is a node of one, give "
        f"hierarchies={{'{name}': '{name}.csv'}}"
    )
    assert str(error.value) == (
        f"row 1, column {name!r}: cannot read the cell {cell!r}: {why}{MAY_BE}"
        f"{node if cell in ('young', 'yesterday') else ''}"
    )


@pytest.mark.parametrize(
    ("name", "cell", "why", "values"),
    [
        ("age", "[35, 20]", "runs backwards", ["20", "35"]),
        ("level", "[high, low]", "runs backwards", ["low", "high"]),
        ("city", "[Lyon, Rome]", "has no meaning in a column without order", ["Lyon", "Rome"]),
    ],
)
def test_two_in_brackets_may_be_bounds_or_a_list(name, cell, why, values):
    with pytest.raises(InputError) as error:
        covered(name, cell)
    assert str(error.value) == (
        f"row 1, column {name!r}: the cell {cell!r} may be a list, or the bounds of an interval "
        f"that {why}; if it is a list, give notation={{'{name}': 'list'}}"
    )
    assert covered(name, cell, notation={name: "list"}) == values


def test_a_level_that_looks_like_notation_is_that_level():
    levels = ["<18", "18-65", ">65", "[x, y]"]
    table = read_table(
        {"a": levels, "v": list("xyxy")}, quasi="a", sensitive="v", ordinal={"a": levels}
    )
    release = read_release(
        {"a": [*levels, "≤ <18"], "v": list("xyxyx")}, table.take([0, 1, 2, 3, 0])
    )
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


def test_a_category_with_a_dash_is_no_range():
    work = ["Self-emp-not-inc", "Self", "inc", "2020-01-01"]
    table = read_table({"a": work, "v": list("xyxy")}, quasi="a", sensitive="v", categorical="a")
    release = read_release({"a": work, "v": list("xyxy")}, table)
    assert [int(release.regions[0].covers(code).sum()) for code in range(4)] == [1, 1, 1, 1]


def test_truth_is_written_in_more_than_one_way():
    table = read_table({"a": [True, False], "v": list("xy")}, quasi="a", sensitive="v")
    release = read_release({"a": ["TRUE", "false"], "v": list("xy")}, table)
    assert [release.regions[0].covers(code).tolist() for code in (0, 1)] == [
        [False, True],
        [True, False],
    ]


def test_a_value_within_blanks_does_not_hide_a_set():
    table = read_table({"a": ["a", "b", " {a, b}"], "v": list("xyx")}, quasi="a", sensitive="v")
    release = read_release({"a": ["{a, b}", " {a, b}", "b "], "v": list("xyx")}, table)
    covers = np.stack([release.regions[0].covers(code) for code in range(3)])[:, release.class_of]
    assert [list(np.array(table["a"].texts)[row]) for row in covers.T] == [
        ["a", "b"],
        [" {a, b}"],
        ["b"],
    ]


@pytest.mark.parametrize(
    ("cell", "above"),
    [("[26, 29]", 2), ("26", 2), ("26-29", 2), ("≥ 91", 5), ("1-9", 0), ("1*", 0), ("9*", 5),
     ("(30, 30]", 3), ("27,5", 2)],
)  # fmt: skip
def test_a_cell_that_covers_no_value_still_lies_somewhere(cell, above):
    table = {column.name: ["*"] for column in PEOPLE.quasi} | {"age": [cell], "vote": ["x"]}
    regions = read_release(table, PEOPLE).regions[0]
    assert (regions.low.tolist(), regions.high.tolist()) == ([above], [above - 1])
