"""Which columns single people out, against going through all subsets."""

import json
import sys
from collections import Counter
from itertools import combinations

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from proofs import examples
from random_tables import random_microdata, tables
from split_counts import SplitCounts

from unveil.errors import InputError
from unveil.measures import count, unique_subsets
from unveil.measures.reidentification._unique_subsets import _numbered


def plain_subsets(microdata, at_most):
    """Each subset of the columns: records alone, classes, smallest class."""
    columns = microdata.quasi
    found = {}
    for size in range(1, min(at_most, len(columns)) + 1):
        for chosen in combinations(columns, size):
            rows = zip(*(column.codes.tolist() for column in chosen), strict=True)
            number = Counter(rows).values()
            found[tuple(column.name for column in chosen)] = (
                sum(n == 1 for n in number), len(number), min(number),
            )  # fmt: skip
    return found


@examples(150)
@given(tables(), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_every_subset_is_counted(microdata, at_most, seed):
    found = unique_subsets(microdata, at_most=at_most)
    expected = plain_subsets(microdata, at_most)
    assert {
        one.keys: (one.unique, one.classes, one.smallest_class) for one in found.subsets
    } == expected
    assert all(one.records == len(microdata) for one in found.subsets)
    ranks = [(-one.unique, len(one.keys)) for one in found.subsets]
    assert ranks == sorted(ranks)
    split = unique_subsets(SplitCounts(count(microdata), seed), at_most=at_most)
    assert split.to_dict() == found.to_dict()


@examples(100)
@given(tables(max_size=20), st.sampled_from([0.0, 0.05, 0.3, 1.0]))
def test_minimal_subsets_have_no_part_that_does(microdata, share):
    found = unique_subsets(microdata, at_most=4)
    enough = {
        keys for keys, (unique, *_) in plain_subsets(microdata, 4).items()
        if unique > 0 and unique / len(microdata) >= share
    }  # fmt: skip
    minimal = {
        keys for keys in enough if not any(set(other) < set(keys) for other in enough)
    }  # fmt: skip
    assert {one.keys for one in found.minimal(share)} == minimal


@examples(60)
@given(tables(max_size=20), st.integers(1, 4))
def test_what_a_key_adds_is_the_mean_of_what_it_adds_to_each(microdata, at_most):
    found = unique_subsets(microdata, at_most=at_most)
    n = len(microdata)
    unique = {frozenset(k): u for k, (u, *_) in plain_subsets(microdata, at_most).items()}
    unique[frozenset()] = int(n == 1)
    for key, added in found.added.items():
        gains = [(u - unique[keys - {key}]) / n for keys, u in unique.items() if key in keys]
        assert added == pytest.approx(sum(gains) / len(gains), abs=1e-12)
        assert added >= 0
    assert list(found.added.values()) == sorted(found.added.values(), reverse=True)


def test_many_values_are_sorted_and_few_are_counted():
    rng = np.random.default_rng(0)
    for highest in (10, 10**12):
        group = rng.integers(0, highest, 500)
        records = rng.integers(1, 9, 500)
        numbered, totals = _numbered(group, records)
        assert len(totals) == len(set(group.tolist())) == numbered.max() + 1
        for g in set(group.tolist()):
            (place,) = set(numbered[group == g].tolist())
            assert totals[place] == records[group == g].sum()


TABLE = random_microdata(7, 200, ("numeric", "flat", "ordinal", "tree", "fine"))


def test_the_best_of_a_size():
    found = unique_subsets(TABLE)
    expected = plain_subsets(TABLE, 3)
    for size in (1, 2, 3):
        best = found.best(size)
        assert len(best.keys) == size
        assert best.unique == max(u for keys, (u, *_) in expected.items() if len(keys) == size)
    assert found.best() == found.subsets[0]
    with pytest.raises(InputError) as error:
        found.best(4)
    assert str(error.value) == "size= must be from 1 to 3, the keys of a subset, but got 4"


def test_the_table_has_a_row_a_subset():
    found = unique_subsets(TABLE)
    frame = found.to_frame()
    assert len(frame) == 5 + 10 + 10
    assert frame["share"].is_monotonic_decreasing
    assert frame["keys"][0] == ", ".join(found.best().keys)
    told = json.loads(found.to_json())
    assert [one["keys"] for one in told["subsets"]] == [list(one.keys) for one in found.subsets]


def test_it_prints_the_ten_that_single_out_most():
    lines = repr(unique_subsets(TABLE)).splitlines()
    assert lines[0] == "Unique subsets of random table: 200 records, up to 3 of 5 keys"
    assert lines[1] == "  15 more subsets are not listed"
    assert lines[2].startswith("  fewest keys that single somebody out: q")
    assert lines[3].startswith("  a key adds on average: q4 ")
    assert len(lines) == 4 + 3 + 10
    together = unique_subsets({"a": [1, 1], "b": [2, 2]}, quasi=["a", "b"])
    assert "single somebody out: none of these subsets does" in repr(together)


@pytest.mark.parametrize("at_most", [0, -1, 1.5, True])
def test_at_most_is_a_number_of_keys(at_most):
    with pytest.raises(InputError) as error:
        unique_subsets(TABLE, at_most=at_most)
    assert str(error.value) == (
        f"at_most={at_most!r} is not possible: it must be a whole number from 1 up"
    )


def test_at_most_may_be_of_any_whole_type():
    assert unique_subsets(TABLE, at_most=np.int64(2)).at_most == 2
    assert json.loads(unique_subsets(TABLE, at_most=np.int64(2)).to_json())["at_most"] == 2


def test_a_share_is_a_share():
    with pytest.raises(InputError) as error:
        unique_subsets(TABLE).minimal(1.2)
    assert str(error.value) == "share=1.2 is not possible: it must be a number from 0 to 1"


def test_an_empty_table_is_refused():
    with pytest.raises(InputError, match="has no records"):
        unique_subsets(TABLE.take([]))


@pytest.fixture
def _no_window():
    matplotlib.use("agg")
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.mark.usefixtures("_no_window")
def test_the_picture_has_a_bar_a_subset(tmp_path):
    found = unique_subsets(TABLE)
    ax = found.plot()
    assert isinstance(ax, Axes)
    drawn = found.subsets[:12]
    assert [bar.get_width() for bar in ax.patches] == [one.share for one in drawn]
    (bars,) = found.story().charts[0].series
    assert bars.x[0] == f"{' + '.join(drawn[0].keys)} ({drawn[0].unique} records)"
    assert found.plot(ax) is ax
    ax.figure.savefig(tmp_path / "subsets.png")
    assert (tmp_path / "subsets.png").stat().st_size > 1000
