"""What a sanitizer says its release would be without a record is what it is when run without it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from left_out import BOTH, assert_exact
from proofs import examples
from random_tables import (
    KINDS,
    random_microdata,
    tables,
    tables_and_crowds,
    tables_and_goals,
    texts_of,
)

import unveil as uv
from unveil.errors import GoalError
from unveil.microdata import Hierarchy, Statistic, flat_hierarchy
from unveil.sanitize import LeavesOneOut
from unveil.sanitize.mondrian import _partition


@examples(400)
@given(tables_and_goals(), st.sampled_from(BOTH), st.integers(1, 2))
def test_every_record_of_small_tables(case, statistic, jobs):
    microdata, options = case
    everybody = np.arange(len(microdata))
    assert_exact(uv.Mondrian(**options), microdata, everybody, statistic, jobs)


@examples(300)
@given(tables_and_crowds(), st.sampled_from(BOTH), st.integers(1, 2))
def test_every_record_of_tables_in_which_some_ask_for_crowds(case, statistic, jobs):
    microdata, options = case
    everybody = np.arange(len(microdata))
    assert_exact(uv.Mondrian(**options), microdata, everybody, statistic, jobs)


@examples(60)
@given(tables(), st.sampled_from(BOTH))
def test_every_record_of_unsanitized_tables(microdata, statistic):
    assert_exact(uv.Identity(), microdata, np.arange(len(microdata)), statistic)


@examples(60)
@given(tables_and_goals(), st.sampled_from(BOTH), st.data())
def test_records_in_any_order_and_any_number_of_times(case, statistic, data):
    microdata, options = case
    some = st.lists(st.integers(0, len(microdata) - 1), min_size=1, max_size=12)
    records = np.array(data.draw(some), dtype=np.intp)
    assert_exact(uv.Mondrian(**options), microdata, records, statistic)


MIXTURES = [
    ("fine", "fine"),
    ("numeric", "tree", "flat"),
    ("tree", "tree", "ordinal"),
    ("fine", "flat", "tree", "numeric"),
    ("flat", "ordinal"),
    ("numeric",),
]


@pytest.mark.parametrize("statistic", BOTH)
@pytest.mark.parametrize("regions", ["tight", "cut"])
@pytest.mark.parametrize(("n", "k", "l"), [(300, 3, 1), (700, 1, 2), (3000, 5, 1), (1200, 4, 3)])
def test_larger_tables_on_many_small_tasks(n, k, l, regions, statistic, monkeypatch):  # noqa: E741
    monkeypatch.setattr(_partition, "_SMALLEST", 16)
    for seed, kinds in enumerate(MIXTURES):
        microdata = random_microdata(seed, n, kinds, sensitive_values=9)
        rng = np.random.default_rng(seed)
        records = np.sort(rng.choice(n, 12, replace=False))
        f = uv.Mondrian(k=k, l=l, regions=regions)
        assert_exact(f, microdata, records, statistic, jobs=3)


@pytest.mark.parametrize("statistic", BOTH)
@pytest.mark.parametrize("regions", ["tight", "cut"])
@pytest.mark.parametrize(("k", "l"), [(3, 1), (2, 2)])
def test_crowds_in_larger_tables_on_many_small_tasks(k, l, regions, statistic, monkeypatch):  # noqa: E741
    monkeypatch.setattr(_partition, "_SMALLEST", 16)
    for seed, kinds in enumerate(MIXTURES):
        microdata = random_microdata(seed, 600, kinds, sensitive_values=9)
        rng = np.random.default_rng(seed)
        askers = rng.choice(600, 15, replace=False)
        crowds = {texts_of(microdata, i): int(rng.integers(2, 60)) for i in askers}
        records = np.sort(np.concatenate([askers[:8], rng.choice(600, 6, replace=False)]))
        f = uv.Mondrian(k=k, l=l, regions=regions, crowds=crowds)
        assert_exact(f, microdata, records, statistic, jobs=3)


@pytest.mark.parametrize("statistic", BOTH)
@pytest.mark.parametrize("kinds", MIXTURES)
def test_the_number_of_threads_does_not_matter(kinds, statistic, monkeypatch):
    microdata = random_microdata(11, 2000, kinds, sensitive_values=9)
    f, everybody = uv.Mondrian(k=3, l=2), np.arange(2000)
    alone = f.leave_one_out(microdata, everybody, statistic, jobs=1)
    monkeypatch.setattr(_partition, "_SMALLEST", 8)
    monkeypatch.setattr(_partition, "_SHARES", 64)
    for jobs in (2, 5):
        many = f.leave_one_out(microdata, everybody, statistic, jobs=jobs)
        np.testing.assert_array_equal(alone.present, many.present)
        np.testing.assert_array_equal(alone.absent, many.absent)
        np.testing.assert_array_equal(alone.possible, many.possible)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("regions", ["tight", "cut"])
def test_the_one_at_the_end_of_a_column_changes_everybodys_widths(kind, regions):
    n = 60
    microdata = random_microdata(3, n, (kind, "numeric"))
    frame = microdata.to_frame().assign(far=[*np.arange(n - 1) % 10, 1000.0])
    trees = {c.name: c.hierarchy for c in microdata.quasi if c.hierarchy}
    wide = uv.read_table(frame, quasi=["q0", "far", "q1"], sensitive="secret", hierarchies=trees)
    f = uv.Mondrian(k=4, regions=regions)
    for statistic in BOTH:
        assert_exact(f, wide, np.arange(n), statistic)


def test_a_single_sensitive_value():
    same = uv.read_table({"a": [1, 2, 3, 4], "s": ["x"] * 4}, quasi="a", sensitive="s")
    for statistic in BOTH:
        assert_exact(uv.Mondrian(k=2), same, np.arange(4), statistic)
    assert not uv.Mondrian(k=4).leave_one_out(same, np.arange(4), BOTH[0]).possible.any()


def test_without_the_one_who_holds_up_the_hierarchy_node():
    tree = Hierarchy.from_paths(
        [("Lyon", "France", "*"), ("Nice", "France", "*"), ("Rome", "Italy", "*")]
    )
    table = uv.read_table(
        {"city": ["Lyon", "Lyon", "Nice", "Nice", "Rome"], "s": list("ababa")},
        quasi="city", sensitive="s", hierarchies={"city": tree},
    )  # fmt: skip
    for regions in ("tight", "cut"):
        for statistic in BOTH:
            f = uv.Mondrian(k=2, regions=regions)
            assert_exact(f, table, np.array([4, 4, 0, 4]), statistic)
    cells = uv.Mondrian(k=2).sanitize(table.without(4)).cells()
    assert cells == [["Lyon", "Nice"]]


def test_which_sanitizers_know_themselves_without_a_record():
    assert isinstance(uv.Mondrian(k=2), LeavesOneOut)
    assert isinstance(uv.Identity(), LeavesOneOut)
    assert not isinstance(uv.Oracle(uv.Mondrian(k=2)), LeavesOneOut)


@examples(80)
@given(tables_and_goals(max_size=25), st.data())
def test_leaving_out_a_record_is_reading_the_table_without_it(case, data):
    """`without` keeps the domain; a table that never had the record gives the same cells."""
    microdata, options = case
    record = data.draw(st.integers(0, len(microdata) - 1))
    kinds = {
        "numeric": [c.name for c in microdata.quasi if c.kind == "numeric"],
        "ordinal": {c.name: list(c.values) for c in microdata.quasi if c.kind == "ordinal"},
        "hierarchies": {c.name: c.hierarchy for c in microdata.quasi if c.hierarchy},
    }
    frame = microdata.to_frame().drop(index=record)
    quasi = [c.name for c in microdata.quasi]
    f = uv.Mondrian(**options)
    try:
        kept = f.sanitize(microdata.without(record)).to_frame()
    except GoalError:
        return
    fresh = f.sanitize(uv.read_table(frame, quasi=quasi, sensitive="secret", **kinds)).to_frame()
    pd.testing.assert_frame_equal(kept, fresh, check_dtype=False)


@pytest.mark.parametrize("regions", ["tight", "cut"])
def test_without_the_only_one_of_a_part_another_column_is_cut(regions):
    """The widest column cannot be cut because of one record alone in the middle of it."""
    table = uv.read_table(
        {"city": list("aaaabcccc"), "age": [1, 2, 3, 4, 5, 1, 2, 3, 9], "s": list("xyxyxyxyx")},
        quasi=["city", "age"], sensitive="s", hierarchies={"city": flat_hierarchy},
    )  # fmt: skip
    f = uv.Mondrian(k=3, regions=regions)
    assert f.sanitize(table).cells()[0][0] != "a"
    assert f.sanitize(table.without(4)).cells()[0] == ["a", "c"]
    for statistic in BOTH:
        assert_exact(f, table, np.arange(9), statistic)


def test_beneath_the_last_node_of_one_hierarchy_another_columns_nodes_do_not_count():
    # Without record 3 the others share the last node of q2's tree, and q3's nodes come next.
    table = random_microdata(25, 13, ("tree", "fine", "tree", "tree"))
    sanitizer = uv.Mondrian(l=2, regions="cut")
    counts = sanitizer.leave_one_out(table, np.array([3]), Statistic.COVER)
    release = sanitizer.sanitize(table.without(3))
    assert release.n_classes == 4
    assert (counts.absent[0] == release.cover_counts(table.codes[:, [3]])[0]).all()


def test_a_category_that_only_the_left_out_one_had_is_in_no_cell():
    cities = uv.read_table(
        {"city": list("aabcc"), "vote": ["x", "y", "x", "x", "y"]}, quasi="city", sensitive="vote"
    )
    f = uv.Mondrian(k=2, regions="cut")
    assert f.sanitize(cities).cells() == [["a", "{b, c}"]]
    assert f.sanitize(cities.without(2)).cells() == [["a", "c"]]
    finding = uv.differential_inference(cities, f, adversary="conditional-frequency")
    # With b's record: 2 x, 1 y in {b, c}. Without: nobody covers b, so the shares of all: 2 x, 2 y.
    assert finding.distances[2] == pytest.approx(2 / 3 - 1 / 2)
