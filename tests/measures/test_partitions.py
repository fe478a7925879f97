"""Every form of a partition, and what is none."""

import datetime
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import random_hierarchy

import unveil as uv
from unveil.engine.counting import Secret
from unveil.errors import InputError
from unveil.measures import HierarchyLevel, Partition, parse_partition

SALARY = Secret(name="salary", values=(4, 5, 6, 7, 8, 9), ordered=True)
DISEASE = Secret(name="disease", values=("aids", "flu", "none", None))
HALVES = {"low": ("4", "5", "6"), "high": ("7", "8", "9")}


@pytest.mark.parametrize(
    "given",
    [
        {"low": [4, 5, 6], "high": [7, 8, 9]},
        {"low": {4, 5, 6}, "high": range(7, 10)},
        {"low": np.array([4, 5, 6]), "high": ("7", "8", 9.0)},
        {4: "low", 5: "low", 6: "low", 7: "high", 8: "high", 9: "high"},
        {"low": (4, 7), "high": (7, 10)},
        {"low": (None, 7), "high": (7, None)},
        {"low": (0, 6.5), "high": [(7, 9), 9]},
        {"low": [Decimal("4.00"), 5, 6], "high": (7, None)},
        "low:4|5|6,high:7|8|9",
        "low:4-7,high:7-",
        "low:<7, high:7-9|9",
        "low: 0 - 7,high:7-1e2",
    ],
)
def test_all_forms_say_the_same(given):
    partition = Partition.of(given, SALARY)
    assert partition.members == HALVES
    assert partition.groups.tolist() == [0, 0, 0, 1, 1, 1]
    assert partition.groups.dtype == np.int64
    assert partition.category.texts == ("low", "high")


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ([[4, 5, 6], [7, 8, 9]], ("{4, 5, 6}", "{7, 8, 9}")),
        ([[6, 5, 4], {9, 8, 7}], ("{4, 5, 6}", "{7, 8, 9}")),
        ([(None, 7), (7, None)], ("below 7", "from 7")),
        ([[4], [5, 6, 7, 8, 9]], ("{4}", "{5, 6, 7, 8 … (5 in all)}")),
        ([7], ("below 7", "from 7")),
        ([5, 8.5], ("below 5", "5 to below 8.5", "from 8.5")),
        ("5,8.5", ("below 5", "5 to below 8.5", "from 8.5")),
        ([5, 100], ("below 5", "5 to below 100", "from 100")),
    ],
)
def test_categories_without_names_are_called_by_what_is_in_them(given, names):
    assert Partition.of(given, SALARY).names == names


def test_a_band_that_nobody_is_in_is_no_mistake():
    assert Partition.of([5, 100], SALARY).groups.tolist() == [0, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    "given",
    [
        {"sick": ["flu", "aids"], "well": ["none", None]},
        {"flu": "sick", "aids": "sick", "none": "well", None: "well"},
        "sick:flu|aids,well:none|(missing)",
    ],
)
def test_a_missing_value_is_a_value(given):
    assert Partition.of(given, DISEASE).members == {
        "sick": ("aids", "flu"), "well": ("none", "(missing)")
    }  # fmt: skip


def test_a_text_that_is_a_value_is_that_value():
    bands = Secret(name="income", values=("0-20", "20-40", "40-"))
    partition = Partition.of("low:0-20|20-40,high:40-", bands)
    assert partition.members == {"low": ("0-20", "20-40"), "high": ("40-",)}
    below = Secret(name="degrees", values=(-20, 0, 20))
    assert Partition.of("frost:-20,none:0|20", below).groups.tolist() == [0, 1, 1]
    assert Partition.of("frost:-30--10,none:-10-", below).groups.tolist() == [0, 1, 1]


def test_commas_bars_and_colons_in_values():
    secret = Secret(name="job", values=("a,b", "c|d", "e:f"))
    partition = Partition.of(r"one:a\,b|c\|d,two\:x:e:f", secret)
    assert partition.members == {"one": ("a,b", "c|d"), "two:x": ("e:f",)}


TREE = uv.Hierarchy.from_paths(
    [("flu", "virus", "infection", "*"), ("aids", "virus", "infection", "*"),
     ("angina", "infection", "*"), ("none", "*")]
)  # fmt: skip
ILL = Secret(name="disease", values=("aids", "angina", "flu", "none"), hierarchy=TREE)


def test_a_level_of_a_hierarchy():
    assert Partition.of(HierarchyLevel(level=1), ILL).members == {
        "infection": ("aids", "angina", "flu"), "none": ("none",)
    }  # fmt: skip
    two = {"virus": ("aids", "flu"), "angina": ("angina",), "none": ("none",)}
    assert Partition.of(HierarchyLevel(level=2, hierarchy=TREE), ILL).members == two
    assert Partition.of("level=2", ILL).members == two
    assert len(Partition.of("level=3", ILL).names) == 4


@examples(80)
@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.data())
def test_any_level_of_any_tree_is_a_partition(seed, leaves, data):
    tree = random_hierarchy(np.random.default_rng(seed), leaves)
    if tree.depth == 1:
        return
    level = data.draw(st.integers(1, tree.depth - 1))
    secret = Secret(name="x", values=tuple(sorted(tree.leaves)), hierarchy=tree)
    partition = Partition.of(HierarchyLevel(level=level), secret)
    for name, texts in partition.members.items():
        node = tree.node(name)
        below = tree.leaves[tree.first[node] : tree.last[node] + 1]
        assert set(texts) == set(below)
        assert tree.levels[node] == level or (node < tree.n_leaves and tree.levels[node] < level)


@examples(80)
@given(st.lists(st.integers(-50, 50), min_size=1, unique=True), st.data())
def test_cut_points_against_a_plain_loop(values, data):
    cuts = sorted(data.draw(st.lists(st.integers(-60, 60), min_size=1, max_size=6, unique=True)))
    secret = Secret(name="x", values=tuple(sorted(values)), ordered=True)
    groups = Partition.of(cuts, secret).groups.tolist()
    assert groups == [sum(cut <= value for cut in cuts) for value in secret.values]


def test_it_fits_a_secret_with_fewer_values():
    partition = Partition.of({"sick": ["flu", "aids"], "well": ["none", None]}, DISEASE)
    assert partition.fitted(DISEASE) is partition
    fewer = Secret(name="disease", values=("none", "flu"))
    assert Partition.of(partition, fewer).groups.tolist() == [1, 0]
    with pytest.raises(InputError, match="'disease' leaves out cough"):
        partition.fitted(Secret(name="disease", values=("none", "cough")))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[4, 5], [7, 8]], "'salary' leaves out 6, 9: every value must be in a category$"),
        ([[4, 5, 6], [6, 7, 8, 9]], "'salary' has 6 in more than one category: every value"),
        ([[4, 5, 66], [7, 8, 9]], r"names 66, which nobody has.*\(values: 4, 5, 6, 7, 8, 9\)"),
        ([[4, 5, 6, 7, 8, 9], []], "has a category without values: leave it out"),
        ({"low": [], "high": [4]}, "has a category without values, 'low': leave it out"),
        ({"a": (4, 6), "b": (6, 9)}, r"leaves out 9: .* and \(40, None\) has no upper limit"),
        ({"a": (4, 8), "b": (6, None)}, "has 6, 7 in more than one category.*excludes its upper"),
        ({"a": (6, 4)}, "the band from 6 to 4 of 'salary' is empty"),
        ({"a": [(4, 5, 6)]}, r"has the tuple \(4, 5, 6\); a band is a tuple of two numbers"),
        ({"a": [4, 5], "b": 6}, "maps 'a' to values and 'b' to 6: map every name to a list"),
        ([[4, 5], 6], "has 6 where a list of values should be"),
        (["4", "5"], "has '4' where a list of values should be"),
        ([7, 5], "cut points of 'salary' must ascend, but 5 comes after 7"),
        (7, "must be a list of lists, a mapping, a HierarchyLevel or a text"),
        ({1: [4, 5, 6], "1": [7, 8, 9]}, "has two categories '1'"),
        ("level=1", "'salary' has no hierarchy, so it cannot be partitioned"),
        ("low", "'low' has 'low' where a category should be; write name:value"),
        ("low:4|5|6,:7", "has ':7' where a category should be"),
        ("low:4|5|6,high:", "has 'high:' where a category should be"),
        ("a:4,a:5", "has two categories 'a'"),
        ("low:four|5|6", "names four, which nobody has"),
    ],
)  # fmt: skip
def test_what_is_no_partition_of_numbers(given, message):
    with pytest.raises(InputError, match=message):
        Partition.of(given, SALARY)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([["aids", "flu"], ["none"]], r"leaves out \(missing\): .* named by None"),
        ([["aids", "flue"], ["none", None]], "names flue, which nobody has; did you mean 'flu'"),
        ({"aids": "sick", "flu": "sick", "well": "none"}, "names well, which nobody has"),
        ({"a": "aids", "b": "flu"}, r"maps names to single values; write .* \{'a': \['aids'\]\}"),
        ([20, 40], "bands and cut points need numbers, but 'disease' has 'aids'"),
        ("a:0-20,b:20-", "names 0-20, 20-, which nobody has"),
    ],
)
def test_what_is_no_partition_of_texts(given, message):
    with pytest.raises(InputError, match=message):
        Partition.of(given, DISEASE)


def test_what_is_no_level():
    for level in (0, 4, True, 1.5):
        with pytest.raises(InputError, match="has the levels 1 to 3 below its root, but got"):
            Partition.of(HierarchyLevel(level=level), ILL)
    more = Secret(name="disease", values=("aids", "flue"), hierarchy=TREE)
    with pytest.raises(InputError, match=r"'flue' is not a leaf .*; did you mean 'flu'"):
        Partition.of(HierarchyLevel(level=1), more)
    gap = Secret(name="disease", values=("aids", None), hierarchy=TREE)
    with pytest.raises(InputError, match=r"no leaf for them: add one, hierarchy.with_leaf\("):
        Partition.of(HierarchyLevel(level=1), gap)
    grown = HierarchyLevel(level=1, hierarchy=TREE.with_leaf("(missing)"))
    assert Partition.of(grown, gap).names == ("infection", "(missing)")


def test_a_pair_of_numbers_cannot_be_taken_for_two_values():
    # As values it would be a partition; as bands, the largest of all ends is in none.
    secret = Secret(name="x", values=(0, 20, 30, 40))
    with pytest.raises(InputError, match="leaves out 20, 40"):
        Partition.of({"a": (0, 20), "b": (30, 40)}, secret)


def test_dates_and_truth_values_by_their_texts():
    days = Secret(name="day", values=(datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)))
    assert Partition.of([["2020-01-01"], [datetime.date(2020, 1, 2)]], days).groups.tolist() == [
        0,
        1,
    ]
    with pytest.raises(InputError, match="bands and cut points need numbers"):
        Partition.of([1], days)
    yes = Secret(name="smokes", values=("False", "True"))
    assert Partition.of({"n": [False], "y": [True]}, yes).groups.tolist() == [0, 1]


def test_it_prints_itself():
    assert repr(Partition.of("low:<7,high:7-", SALARY)) == (
        "Partition of salary: low: 4, 5, 6; high: 7, 8, 9"
    )


@examples(60)
@given(
    st.dictionaries(
        st.text("ab:,|é ", min_size=1).filter(lambda t: t.strip() == t),
        st.lists(st.text("xy:,|0 ", min_size=1).filter(lambda t: t.strip() == t), min_size=1),
        min_size=1,
    )
)
def test_the_text_form_can_say_everything(categories):
    def quoted(text):
        return "".join(f"\\{c}" if c in ",:|" else c for c in text)

    text = ",".join(
        f"{quoted(name)}:{'|'.join(quoted(value) for value in values)}"
        for name, values in categories.items()
    )
    assert parse_partition(text) == categories
