"""The tree itself, and the hierarchies made in code."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import HierarchyError
from unveil.microdata import Hierarchy, flat_hierarchy, interval_hierarchy, prefix_hierarchy

JOBS = Hierarchy.from_paths(
    [
        ("Engineer", "Professional", "ANY"),
        ("Dancer", "Artist", "ANY"),
        ("Lawyer", "Professional", "ANY"),
        ("Writer", "Artist", "ANY"),
    ]
)


def test_leaves_stand_in_depth_first_order_of_first_appearance():
    assert JOBS.leaves == ("Engineer", "Lawyer", "Dancer", "Writer")
    assert JOBS.names[4:] == ("ANY", "Professional", "Artist")
    assert JOBS.n_leaves == 4
    assert JOBS.names[JOBS.root] == "ANY"
    assert JOBS.source == "built in code"
    assert JOBS.depth == 3


def test_numbers_of_a_tree():
    assert JOBS.parent.tolist() == [5, 5, 6, 6, -1, 4, 4]
    assert JOBS.first.tolist() == [0, 1, 2, 3, 0, 0, 2]
    assert JOBS.last.tolist() == [0, 1, 2, 3, 3, 1, 3]
    assert [JOBS.children(node).tolist() for node in range(7)] == [
        [], [], [], [], [5, 6], [0, 1], [2, 3],
    ]  # fmt: skip
    assert JOBS.levels.tolist() == [2, 2, 2, 2, 0, 1, 1]


@pytest.mark.parametrize("name", ["parent", "first", "last", "child_start", "child_list", "levels"])
def test_arrays_are_read_only_and_int32(name):
    array = getattr(JOBS, name)
    assert array.dtype == np.int32
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


def test_a_tree_of_one_leaf_has_a_root_above_it():
    tree = Hierarchy.from_paths([("only", "*")])
    assert (tree.n_leaves, tree.root, tree.depth) == (1, 1, 2)
    assert repr(tree) == "Hierarchy built in code: 1 leaf, 2 levels\n  *\n    only"


def test_paths_lose_blanks_empty_labels_and_repeats():
    tree = Hierarchy.from_paths([(" a ", "", "a", "b ", "b", "*"), ("c", "*", "*", "*")])
    assert tree.path(0) == ("a", "b", "*")
    assert tree.path(1) == ("c", "*")


def test_the_same_path_twice_is_one_leaf():
    assert flat_hierarchy(["a"]).names == Hierarchy.from_paths([("a", "*"), ("a", "*")]).names


def test_lookup_by_name():
    assert JOBS.leaf("Lawyer") == JOBS.node("Lawyer") == 1
    assert JOBS.node("Artist") == 6


@pytest.mark.parametrize(
    ("look", "message"),
    [
        (lambda: JOBS.leaf("Lawier"),
         "'Lawier' is not a leaf of the hierarchy built in code; did you mean 'Lawyer'?"),
        (lambda: JOBS.leaf("Artist"),
         "'Artist' is not a leaf of the hierarchy built in code but a node above leaves"),
        (lambda: JOBS.node("Artists"),
         "'Artists' is not in the hierarchy built in code; did you mean 'Artist'?"),
        (lambda: JOBS.distance("Lawyer", "zzz"), "'zzz' is not in the hierarchy built in code"),
        (lambda: JOBS.with_leaf("Artist"), "'Artist' is already in the hierarchy built in code"),
    ],
)  # fmt: skip
def test_lookup_of_what_is_not_there(look, message):
    with pytest.raises(HierarchyError) as error:
        look()
    assert str(error.value) == message


def test_distance():
    assert JOBS.distance("Engineer", "Artist") == 3
    assert JOBS.distance("Dancer", "Writer") == 2
    assert JOBS.distance("Dancer", "Dancer") == 0
    assert JOBS.distance("ANY", "Dancer") == 2


def test_with_leaf_adds_the_last_leaf_beneath_the_root():
    tree = JOBS.with_leaf("(missing)")
    assert tree.leaves == (*JOBS.leaves, "(missing)")
    assert tree.path(4) == ("(missing)", "ANY")
    assert [tree.path(i) for i in range(4)] == [JOBS.path(i) for i in range(4)]


def test_restricted_keeps_the_order_asked_for():
    tree = JOBS.restricted(["Writer", "Dancer", "Lawyer"])
    assert tree.leaves == ("Writer", "Dancer", "Lawyer")
    assert tree.path(2) == ("Lawyer", "Professional", "ANY")


def test_restricted_drops_nodes_without_leaves():
    assert JOBS.restricted(["Dancer"]).names == ("Dancer", "ANY", "Artist")


def test_restricted_refuses_an_order_that_tears_a_node_apart():
    with pytest.raises(HierarchyError) as error:
        JOBS.restricted(["Engineer", "Dancer", "Lawyer"])
    assert str(error.value) == (
        "hierarchy built in code: 'Professional' covers 'Lawyer' but not 'Dancer', which comes "
        "before it"
    )


def test_a_large_tree_prints_its_beginning():
    lines = repr(interval_hierarchy(range(100))).splitlines()
    assert lines[0] == "Hierarchy built in code: 100 leaves, 5 levels"
    assert lines[1:5] == ["  *", "    [0, 20)", "      [0, 10)", "        [0, 5)"]
    assert lines[-1] == "  … and 116 more"


def test_a_tree_survives_pickling():
    again = pickle.loads(pickle.dumps(JOBS))
    assert again.names == JOBS.names
    np.testing.assert_array_equal(again.parent, JOBS.parent)


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ([], "hierarchy built in code is empty; it needs one path per value"),
        ([("a", "*"), ("b",)],
         "hierarchy built in code, path 2 has only 'b'; write a value, then the labels above "
         "it, up to a common top such as '*'"),
        ([("*", "*")],
         "hierarchy built in code, path 1 has only '*'; write a value, then the labels above "
         "it, up to a common top such as '*'"),
        (["abc"], "hierarchy built in code, path 1: 'abc' is a text, not a sequence of labels"),
        ([("a", "x", "y", "x", "*")],
         "hierarchy built in code, path 1: 'x' appears again above itself (a → x → y → x → *)"),
        ([("a", "x", "y", "*"), ("b", "y", "x", "*")],
         "hierarchy built in code, path 2: 'x' is above 'y' here but below it in path 1"),
        ([("a", "x", "y"), ("b", "y", "x")],
         "hierarchy built in code, path 2: 'x' is above 'y' here but below it in path 1"),
        ([("a", "x", "*"), ("a", "y", "*")],
         "hierarchy built in code, path 2: the value 'a' is below 'y' here but below 'x' in "
         "path 1; it can have only one parent"),
        ([("a", "x", "y", "*"), ("b", "x", "z", "*")],
         "hierarchy built in code, path 2: the node 'x' is below 'z' here but below 'y' in path "
         "1; it can have only one parent"),
        ([("a", "x", "*"), ("x", "y", "*")],
         "hierarchy built in code, path 2: 'x' is a value, but in path 1 it is a node above "
         "'a'; rename one of the two"),
        ([("a", "x", "*"), ("b", "all")],
         "hierarchy built in code, path 2 ends in 'all' but path 1 in '*'; a tree has one top, "
         "so end all paths in a common one such as '*'"),
    ],
)  # fmt: skip
def test_what_is_not_a_tree(paths, message):
    with pytest.raises(HierarchyError) as error:
        Hierarchy.from_paths(paths)
    assert str(error.value) == message


def test_prefixes():
    tree = prefix_hierarchy(["35567", "35568", "36000"])
    assert tree.path(1) == ("35568", "3556*", "355**", "35***", "3****", "*")
    assert tree.leaves == ("35567", "35568", "36000")


def test_prefixes_of_chosen_lengths_and_mask():
    tree = prefix_hierarchy(["AB1", "AB2", "CD1"], lengths=[1, 2], mask="#")
    assert tree.path(0) == ("AB1", "AB#", "A##", "#")


def test_prefixes_of_codes_that_differ_in_length():
    tree = prefix_hierarchy(["A01", "A01.1", "B2"])
    assert tree.path(tree.leaf("A01.1")) == ("A01.1", "A01.*", "A01**", "A0***", "A****", "*")
    assert tree.path(tree.leaf("A01")) == ("A01", "A01**", "A0***", "A****", "*")
    assert tree.path(tree.leaf("B2")) == ("B2", "B2***", "B****", "*")


def test_prefixes_of_digits_must_not_have_lost_their_zeros():
    with pytest.raises(HierarchyError) as error:
        prefix_hierarchy([1234, 35567])
    assert str(error.value) == (
        "codes of digits must have one length, but '1234' has 4 characters and '35567' has 5; "
        "if leading zeros were lost, read the column as text or restore them with str.zfill(5)"
    )


def test_prefixes_of_impossible_lengths():
    with pytest.raises(HierarchyError) as error:
        prefix_hierarchy(["123"], lengths=[3])
    assert str(error.value) == (
        "lengths= must be between 1 and 2 for codes of 3 characters, but 3 was given"
    )


def test_values_given_as_one_text():
    with pytest.raises(HierarchyError, match="values must be a sequence of values, but 'abc'"):
        flat_hierarchy("abc")


def test_intervals_nest():
    tree = interval_hierarchy([38, 21, 24], widths=(5, 10, 20))
    assert tree.leaves == ("21", "24", "38")
    assert tree.path(0) == ("21", "[20, 25)", "[20, 30)", "[20, 40)", "*")
    assert tree.path(2) == ("38", "[35, 40)", "[30, 40)", "[20, 40)", "*")


def test_intervals_between_bounds():
    tree = interval_hierarchy([3, 18, 29, 31, 67, 70], widths=(10, 20), low=18, high=67)
    assert [tree.path(i)[1:] for i in range(6)] == [
        ("< 18", "*"),
        ("[18, 28)", "[18, 38)", "*"),
        ("[28, 38)", "[18, 38)", "*"),
        ("[28, 38)", "[18, 38)", "*"),
        (">= 67", "*"),
        (">= 67", "*"),
    ]


def test_an_interval_cut_at_the_upper_bound_is_one_node():
    tree = interval_hierarchy([1, 9], widths=(4, 8), high=10)
    assert tree.path(1) == ("9", "[8, 10)", "*")


def test_intervals_of_fractions_are_exact():
    tree = interval_hierarchy([0.3, 0.7, -0.1], widths=(0.1, 0.5))
    assert tree.path(0) == ("-0.1", "[-0.1, 0)", "[-0.5, 0)", "*")
    assert tree.path(1) == ("0.3", "[0.3, 0.4)", "[0, 0.5)", "*")


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([1], {"widths": (5, 12)},
         "each of widths= must be a multiple of the one before, so that intervals nest, but 12 "
         "follows 5"),
        ([1], {"widths": (5, 5)},
         "each of widths= must be a multiple of the one before, so that intervals nest, but 5 "
         "follows 5"),
        ([1], {"widths": ()}, "widths=() must be positive"),
        ([1], {"widths": (0, 5)}, "widths=(0, 5) must be positive"),
        ([1], {"low": 5, "high": 5}, "low=5 must be below high=5"),
        (["old"], {}, "intervals need finite numbers, but found 'old'"),
        ([float("inf")], {}, "intervals need finite numbers, but found inf"),
    ],
)  # fmt: skip
def test_intervals_that_cannot_be(values, options, message):
    with pytest.raises(HierarchyError) as error:
        interval_hierarchy(values, **options)
    assert str(error.value) == message


@st.composite
def trees(draw):
    """A random ragged tree: every path is a chain of groups that refine one another."""
    n = draw(st.integers(1, 25))
    paths = []
    for leaf in range(n):
        steps = draw(st.lists(st.integers(0, 2), max_size=4))
        # A group is named by the whole way down to it, so that it has one parent.
        groups = [f"group {steps[:depth]}" for depth in range(len(steps), 0, -1)]
        paths.append((f"leaf {leaf}", *groups, "*"))
    return paths, Hierarchy.from_paths(paths)


@given(trees())
def test_every_node_is_one_interval_of_leaves(drawn):
    paths, tree = drawn
    for node, name in enumerate(tree.names):
        below = {path[0] for path in paths if name in path}
        assert set(tree.leaves[tree.first[node] : tree.last[node] + 1]) == below
        children = tree.children(node)
        if len(children):
            assert tree.first[children[0]] == tree.first[node]
            assert tree.last[children[-1]] == tree.last[node]
            assert (tree.first[children[1:]] == tree.last[children[:-1]] + 1).all()
            assert (tree.parent[children] == node).all()
        else:
            assert node < tree.n_leaves


@given(trees())
def test_paths_come_back(drawn):
    paths, tree = drawn
    assert {path[0]: tuple(path) for path in paths} == {
        tree.names[leaf]: tree.path(leaf) for leaf in range(tree.n_leaves)
    }
    assert tree.depth == max(len(path) for path in paths)


@given(trees(), st.data())
def test_lowest_common_ancestor_is_the_smallest_node_over_both(drawn, data):
    _, tree = drawn
    a = data.draw(st.integers(0, tree.n_leaves - 1))
    b = data.draw(st.integers(0, tree.n_leaves - 1))
    covers = (tree.first <= min(a, b)) & (tree.last >= max(a, b))
    found = tree.lowest_common_ancestor(a, b)
    assert covers[found]
    assert tree.levels[found] == tree.levels[covers].max()
    assert tree.distance(tree.names[a], tree.names[b]) == (
        tree.levels[a] + tree.levels[b] - 2 * tree.levels[found]
    )


@given(trees(), st.data())
def test_restriction_keeps_the_paths_of_those_that_stay(drawn, data):
    _, tree = drawn
    kept = data.draw(st.sets(st.sampled_from(tree.leaves), min_size=1))
    order = [leaf for leaf in tree.leaves if leaf in kept]
    small = tree.restricted(order)
    assert list(small.leaves) == order
    for number, leaf in enumerate(order):
        assert small.path(number) == tree.path(tree.leaf(leaf))


@given(st.sets(st.integers(-10_000, 10_000), min_size=1, max_size=50))
def test_intervals_hold_their_values(values):
    tree = interval_hierarchy(values, widths=(5, 10, 50))
    assert [int(leaf) for leaf in tree.leaves] == sorted(values)
    for leaf in range(tree.n_leaves):
        for interval in tree.path(leaf)[1:-1]:
            left, right = interval[1:-1].split(", ")
            assert int(left) <= int(tree.names[leaf]) < int(right)
