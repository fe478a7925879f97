"""How a column is written is found out from the column as a whole, or asked, never guessed."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples

from unveil.errors import InputError
from unveil.microdata import Hierarchy, read_release, read_table
from unveil.microdata._notations import in_list, one_sided, range_parts, without_units

ROWS = 24


def table_of(values, **options):
    """Microdata whose only quasi-identifier has these values, many times over."""
    values = np.resize(np.array(values), max(ROWS, len(values)))
    return read_table({"q": values, "s": ["x"] * len(values)}, quasi="q", sensitive="s", **options)


def covered(original, cells, **options):
    """For each cell of a column, the values that it covers."""
    release = read_release({"q": cells, "s": ["x"] * len(cells)}, original, **options)
    column, regions = original["q"], release.regions[0]
    bits = np.stack([regions.covers(code) for code in range(column.size)], axis=1)
    return [list(np.array(column.texts)[row]) for row in bits[release.class_of]]


def words(original, cells, **options):
    release = read_release({"q": cells, "s": ["x"] * len(cells)}, original, **options)
    return str(release.notations["q"])


AGES = table_of([2, 20, 25, 29, 31, 1.2, 250])


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["20-30", "25", "*"], "ranges like 20-30, values, suppressed cells"),
        (["[20, 30)", "≥ 31"], "intervals like [20, 30)"),
        (["2*", "*", None], "masks like 2*, suppressed cells"),
        (["20;25", "{20, 29}"], "sets like 20;25"),
        (["[20, 25, 29]"], "lists like [20, 25, 29]"),
        ([20, 25], "values"),
        (["{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}"], "sets like {1, 2, 3, 4, 5, 6, 7, 8, 9, 1…"),
    ],
)
def test_it_is_said_how_a_column_was_read(cells, expected):
    assert words(AGES, cells) == expected


def test_only_what_unveil_would_not_write_is_shown_with_a_release():
    foreign = read_release({"q": ["20-30", "*"], "s": ["x", "x"]}, AGES)
    assert "\n  q: ranges like 20-30, suppressed cells\n" in repr(foreign)
    house = read_release({"q": ["[20, 30]", "*"], "s": ["x", "x"]}, AGES)
    assert "intervals" not in repr(house)
    assert str(house.notations["q"]) == "intervals like [20, 30], suppressed cells"


def test_nodes_are_told():
    tree = Hierarchy.from_paths([("a", "A", "*"), ("b", "A", "*"), ("c", "*")])
    assert words(table_of(list("abc"), hierarchies={"q": tree}), ["A", "c"]) == (
        "hierarchy nodes like A, values"
    )


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        # A list that cannot be an interval shows that the others are lists, too.
        (["[20, 25, 31]", "[20, 29]"], [["20", "25", "31"], ["20", "29"]]),
        (["[20]", "[31, 20]"], [["20"], ["20", "31"]]),
        (["[20, 29]", "[25, 31]"], [["20", "25", "29"], ["25", "29", "31"]]),
        # A comma is a decimal comma beside others that can be nothing else.
        (["1,2", "20,5-30"], [["1.2"], ["25", "29"]]),
        (["1,2", "2,20,25"], [["2"], ["2", "20", "25"]]),
        (["2,250", "2,20,25"], [["2", "250"], ["2", "20", "25"]]),
        # A star is a digit, wherever one fits.
        (["2*", "*"], [["20", "25", "29"], list(AGES["q"].texts)]),
        (["25*"], [["250"]]),
    ],
)
def test_the_column_tells_what_a_cell_cannot(cells, expected):
    assert covered(AGES, cells) == expected


ASKED = [
    (
        AGES,
        "1,2",
        "as a value it covers 1.2, as a set it covers 2",
        {"value": ["1.2"], "set": ["2"]},
    ),
    (
        table_of([10, 12, 14, 18], hierarchies={"q": Hierarchy.from_paths(
            [("10", "*"), ("12", "10-20", "*"), ("14", "10-20", "*"), ("18", "*")])}),
        "10-20",
        "as a node it covers 12 to 14, as a range it covers 10 to 18",
        {"node": ["12", "14"], "range": ["10", "12", "14", "18"]},
    ),
    (
        table_of(["47601", "47699", "5"]),
        "476*",
        "as a mask it covers nothing, as a prefix it covers '47601' to '47699'",
        {"mask": [], "prefix": ["47601", "47699"]},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("original", "cell", "ways", "said"), ASKED)
def test_what_is_unclear_is_asked_and_can_be_said(original, cell, ways, said):
    with pytest.raises(InputError) as error:
        covered(original, ["*", cell])
    remedy = " or ".join(f"notation={{'q': '{word}'}}" for word in said)
    assert str(error.value) == (
        f"row 2, column 'q': the cell {cell!r} can be read in 2 ways: {ways}; "
        f"give the one that is meant: {remedy}"
    )
    for word, values in said.items():
        assert covered(original, [cell], notation={"q": word}) == [values]


@pytest.mark.parametrize(
    ("values", "cell", "message"),
    [
        (
            ["a", "b", "c", "a,b", "b,c"],
            "a,b,c",
            "the cell 'a,b,c' can be read in 2 ways: as a set it covers 'a', 'b', 'c', as a "
            "set it covers 'a', 'b,c'; "
            'write the values in double quotes: {"a", "b"}',
        ),
        (
            [1, 1.25, 1250],
            "1,250",
            "the cell '1,250' can be read in 3 ways: as a value it covers 1.25, as a value it "
            "covers 1250, as a set it covers 1",
        ),
        (
            ["low-mid", "low", "mid-high", "high"],
            "low-mid-high",
            "the cell 'low-mid-high' can be read in 2 ways: as a range it covers 'low' to "
            "'mid-high', as a range it covers 'low-mid' to 'high'",
        ),
    ],
)
def test_one_notation_may_be_unclear_by_itself(values, cell, message):
    ordinal = {"ordinal": {"q": values}} if "high" in values else {}
    with pytest.raises(InputError) as error:
        covered(table_of(values, **ordinal), [cell])
    assert message in str(error.value)


def test_readings_that_agree_need_no_word():
    tree = Hierarchy.from_paths([("20", "20-29", "*"), ("25", "20-29", "*"), ("31", "*")])
    original = table_of([20, 25, 31], hierarchies={"q": tree})
    assert covered(original, ["20-29", "0-4"]) == [["20", "25"], []]


def test_a_value_of_the_original_goes_before_any_notation():
    values = ["a|b", "a", "b", "20-30", "2*", "NA", "{a}", "[a, b]"]
    original = table_of(values, categorical="q")
    assert covered(original, values) == [[value] for value in values]
    assert covered(original, ["a|2*", '"a"']) == [["2*", "a"], ["a"]]


@pytest.mark.parametrize("pair", [[20, 29], (20, 29), np.array([20, 29])])
def test_a_list_of_two_numbers_may_be_bounds(pair):
    with pytest.raises(InputError) as error:
        covered(AGES, [pair])
    assert str(error.value) == (
        "row 1, column 'q': the cell '[20, 29]' can be read in 2 ways: as an interval it covers "
        "20 to 29, as a list it covers 20, 29; give the one that is meant: notation={'q': "
        "'interval'} or notation={'q': 'list'}"
    )
    assert covered(AGES, [pair], notation={"q": "list"}) == [["20", "29"]]
    assert covered(AGES, [pair], notation={"q": "interval"}) == [["20", "25", "29"]]
    assert covered(AGES, [pair, [20, 25, 29]])[0] == ["20", "29"]


def test_a_set_of_two_numbers_is_a_set():
    assert covered(AGES, [{20, 29}, {25}]) == [["20", "29"], ["25"]]
    assert covered(AGES, [{29, 20}, frozenset({25, 31})]) == [["20", "29"], ["25", "31"]]


@pytest.mark.parametrize(
    ("notation", "cell", "message"),
    [
        (
            {"q": "range"},
            "{20, 25}",
            "row 1, column 'q': the cell '{20, 25}' is not a range, as notation= says; it could "
            "be a set",
        ),
        ({"q": "ranges"}, "20-25", "notation= of column 'q' must be one of value, range, "
                                   "interval, mask, prefix, set, list, node, but 'ranges' was "
                                   "given; did you mean 'range'?"),
        ({"qq": "range"}, "20-25", "notation= names 'qq', which is not a quasi-identifier; did "
                                   "you mean 'q'? (those are q)"),
        ("range", "20-25", "notation= must map columns to words, such as {'age': 'range'}, but "
                           "'range' was given"),
    ],
)  # fmt: skip
def test_what_the_user_says_must_fit(notation, cell, message):
    with pytest.raises(InputError) as error:
        covered(AGES, [cell], notation=notation)
    assert str(error.value) == message


def test_values_and_suppressed_cells_may_stand_beside_what_was_said():
    assert covered(AGES, ["20-25", "31", "*", None], notation={"q": "range"}) == [
        ["20", "25"],
        ["31"],
        *[list(AGES["q"].texts)] * 2,
    ]


def test_spellings_of_one_cell_are_one_class():
    cells = ["{20, 25}", "25;20", "['20', '25']", "*", "", "NA", "31", "31.0", " 20-25", "20-25 "]
    release = read_release({"q": cells, "s": ["x"] * len(cells)}, AGES)
    assert release.class_of.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 3, 3]
    assert release.cells() == [["{20, 25}", "*", "31", "20-25"]]


def test_cells_that_cover_nobody_remain_apart():
    release = read_release({"q": ["60-69", "70-79", "60-69"], "s": ["x"] * 3}, AGES)
    assert release.sizes.tolist() == [2, 1]
    assert release.cover_counts(AGES.codes).sum() == 0


# Whatever regions are written in whatever notation, they are read as those regions.

numbers = st.one_of(
    st.lists(st.integers(-30, 130), min_size=1, max_size=12, unique=True),
    st.lists(st.integers(-300, 300).map(lambda n: n / 10), min_size=1, max_size=12, unique=True),
)
bounds = st.tuples(st.integers(-40, 140), st.integers(-40, 140)).map(sorted)
dashes = st.sampled_from(["-", " - ", "–", " – ", "—", " to ", ".."])
brackets = st.tuples(st.sampled_from("[(]"), st.sampled_from("])["))


@examples(100)
@given(numbers, st.lists(bounds, min_size=1, max_size=8), dashes)
def test_ranges_of_numbers(values, pairs, dash):
    original = table_of(values)
    for scale in (1, 10):  # whole numbers, and with a digit behind the point
        scaled = [(low / scale, high / scale) for low, high in pairs]
        cells = [f"{low:g}{dash}{high:g}" for low, high in scaled]
        expected = [[v for v in sorted(values) if low <= v <= high] for low, high in scaled]
        assert as_numbers(covered(original, cells)) == expected


@examples(100)
@given(numbers, st.lists(st.tuples(bounds, brackets), min_size=1, max_size=8))
def test_intervals_of_numbers(values, cases):
    cells, expected = [], []
    for (low, high), (left, right) in cases:
        cells.append(f"{left}{low}, {high}{right}")
        above = [v for v in sorted(values) if v > low or (left == "[" and v == low)]
        expected.append([v for v in above if v < high or (right == "]" and v == high)])
    assert as_numbers(covered(table_of(values), cells)) == expected


@examples(100)
@given(numbers, st.lists(st.integers(-40, 140), min_size=1, max_size=8))
def test_bounds_on_one_side(values, limits):
    original = table_of(values)
    for form, holds in {
        ">={}": lambda v, x: v >= x, "≥ {}": lambda v, x: v >= x, "{}+": lambda v, x: v >= x,
        "> {}": lambda v, x: v > x, "<{}": lambda v, x: v < x, "≤{}": lambda v, x: v <= x,
        "<= {}": lambda v, x: v <= x,
    }.items():  # fmt: skip
        cells = [form.format(limit) for limit in limits]
        expected = [[v for v in sorted(values) if holds(v, limit)] for limit in limits]
        assert as_numbers(covered(original, cells)) == expected


@examples(100)
@given(st.data(), numbers)
def test_sets_of_numbers(data, values):
    original = table_of(values)
    some = st.lists(st.sampled_from(values), min_size=3, max_size=8)
    chosen = data.draw(st.lists(some, min_size=1, max_size=6))
    expected = [sorted(set(row)) for row in chosen]
    for write in (
        lambda row: "{" + ", ".join(map(str, row)) + "}",
        lambda row: ";".join(map(str, row)),
        lambda row: " | ".join(map(str, row)),
        lambda row: str(list(map(str, row))),
        str,
        list,
        tuple,
        set,
        frozenset,
    ):
        assert as_numbers(covered(original, [write(row) for row in chosen])) == expected


@examples(100)
@given(
    st.lists(st.integers(0, 9999), min_size=1, max_size=12, unique=True),
    st.lists(st.tuples(st.integers(1, 99), st.integers(1, 3)), min_size=1, max_size=8),
)
def test_masks_of_numbers(values, masks):
    cells = [f"{shown}{'*' * stars}" for shown, stars in masks]
    expected = [[v for v in sorted(values) if v // 10**n == shown] for shown, n in masks]
    read = covered(table_of(values), cells, notation={"q": "mask"})
    assert as_numbers(read) == expected


names = st.text(st.sampled_from("abXY .'é-"), min_size=1, max_size=6).filter(
    lambda name: name == name.strip() and name not in ("", "-", ".")
)


@examples(100)
@given(st.data(), st.lists(names, min_size=3, max_size=8, unique=True), st.booleans())
def test_sets_of_categories(data, values, ordered):
    kind = {"ordinal": {"q": values}} if ordered else {"categorical": "q"}
    original = table_of(values, **kind)
    some = st.lists(st.sampled_from(values), min_size=3, max_size=8)
    chosen = data.draw(st.lists(some, min_size=1, max_size=6))
    texts = list(original["q"].texts)
    expected = [sorted(set(row), key=texts.index) for row in chosen]
    for write in ("{}".format, ";".join, "|".join, ",".join, ", ".join, str, list, set, frozenset):
        cells = [write(row) if write != "{}".format else "{" + ", ".join(row) + "}"
                 for row in chosen]  # fmt: skip
        assert covered(original, cells) == expected


@examples(60)
@given(
    st.lists(st.text("0123456789", min_size=5, max_size=5), min_size=1, max_size=12, unique=True),
    st.data(),
)
def test_masks_of_codes(values, data):
    original = table_of(values, categorical="q")
    kept = data.draw(st.lists(st.integers(1, 4), min_size=len(values), max_size=len(values)))
    starts = [value[:n] for value, n in zip(values, kept, strict=True)]
    expected = [[v for v in sorted(values) if v.startswith(start)] for start in starts]
    assert covered(original, [start.ljust(5, "*") for start in starts]) == expected
    by_beginning = [f"{start}*" for start in starts]
    assert covered(original, by_beginning, notation={"q": "prefix"}) == expected


@examples(60)
@given(st.data(), st.integers(2, 9))
def test_ranges_of_levels(data, size):
    levels = [f"level {chr(97 + i)}" for i in range(size)]
    original = table_of(levels, ordinal={"q": levels})
    index = st.integers(0, size - 1)
    pairs = data.draw(st.lists(st.tuples(index, index).map(sorted), min_size=1, max_size=6))
    dash = data.draw(dashes)
    cells = [f"{levels[low]}{dash}{levels[high]}" for low, high in pairs]
    assert covered(original, cells) == [levels[low : high + 1] for low, high in pairs]


@examples(60)
@given(st.lists(bounds, min_size=1, max_size=6), st.sampled_from(["-", " - ", " – ", " to "]))
def test_ranges_of_dates(pairs, dash):
    days = np.arange(np.datetime64("2020-01-20"), np.datetime64("2020-03-20"), 3)
    start = np.datetime64("2020-01-01")
    ends = [(start + low, start + high) for low, high in pairs]
    expected = [[str(day) for day in days if low <= day <= high] for low, high in ends]
    original = table_of(days)
    assert covered(original, [f"{low}{dash}{high}" for low, high in ends]) == expected
    assert covered(original, [f"[{low}, {high}]" for low, high in ends]) == expected


def as_numbers(read):
    return [[float(text) for text in row] for row in read]


# What the patterns are to find, written so that they look again at every blank of a run.
PLAIN_BETWEEN = re.compile(
    r"(?:(?:between|zwischen|entre|tussen|tra|von|from|de|van|da)\s+)(.*\d.*?)"
    r"\s+(?:and|und|et|en|y|e|to|bis|à|a|tot)\s+(.*\d.*)", re.DOTALL | re.IGNORECASE,
)  # fmt: skip
PLAIN_TO = re.compile(
    r"\s*(?:[-–—−~]|\.{2,3}|…)\s*|\s+(?:to|bis)\s+"
    r"|(?<=\d)\s+(?:through|à|a|tot|t/m|hasta|al)\s+(?=\d)"
)
PLAIN_ITEM = re.compile(
    r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,'"]+?))\s*(,|\Z|(?=['"]))""", re.DOTALL
)


def plain_parts(text):
    if (found := PLAIN_BETWEEN.fullmatch(text)) is not None:
        return [(found[1], found[2])]
    parts, at = [], 1
    while (dash := PLAIN_TO.search(text, at)) is not None:
        if dash.end() < len(text):
            parts.append((text[: dash.start()], text[dash.end() :]))
        at = dash.end()
    return parts


def plain_items(text):
    text, items, at = text.strip().removesuffix(","), [], 0
    while at < len(text):
        if (item := PLAIN_ITEM.match(text, at)) is None:
            return None
        items.append(next(one for one in item.groups() if one is not None))
        at = item.end()
    return items or None


PIECES = ["between", "From", "von", "and", "TO", "bis", "a", "under", "up to", "1", "20", "٣", "x",
          ",", "'", "-", "..", "$", "through", "years", *" \t\n\u00a0" * 3]  # fmt: skip


@examples(400)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_runs_of_blanks_change_no_reading(text):
    assert list(range_parts(text)) == plain_parts(text)
    found = in_list(text)
    assert (found and found[0]) == plain_items(text)
    words = re.fullmatch(r"(under|up to)\s+(.*\d.*)", text, re.DOTALL)
    if words is not None:
        assert one_sided(text) == ({"under": "<", "up to": "≤"}[words[1]], words[2])
    if "years" not in text:
        assert without_units(text) == re.sub(r"\s*[$]\s*", "", text).strip()


@pytest.mark.parametrize("text", ["bıs 3", "ſeit 3", "3 oder mehr", "3 or leſſ"])
def test_letters_that_look_like_others_are_no_phrase(text):
    assert one_sided(text) == (("≥", "3") if text.isascii() else None)
