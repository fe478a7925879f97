"""Looking up the classes that cover people: the same as comparing everybody with every class."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from unveil.microdata import Intervals, Sets, _covering, _truth
from unveil.microdata._covering import Layers, Lookup
from unveil.microdata._regions import joint_counts

DOMAIN = 6


def made(rng, classes, shape):
    """Regions of one column: parts of it with some that cover all, or any."""
    low = rng.integers(0, DOMAIN, classes)
    high = rng.integers(0, DOMAIN, classes)  # some are empty: the ends have crossed
    if shape == "cut":
        low = low // 2 * 2
        high = low + 1
        whole = rng.random(classes) < 0.3
        low[whole], high[whole] = 0, DOMAIN - 1
    there = rng.random(DOMAIN) < 0.7 if shape != "sets" and rng.random() < 0.5 else None
    if shape != "sets":
        return Intervals(low.astype(np.int32), high.astype(np.int32), there=there)
    members = [np.flatnonzero(rng.random(DOMAIN) < 0.4) for _ in range(classes)]
    start = np.cumsum([0, *map(len, members)])
    return Sets(start, np.concatenate([*members, []]).astype(np.int32))


def by_looking(regions, people):
    """Everybody with every class (people × classes)."""
    inside = np.ones((people.shape[1], len(regions[0])), dtype=bool)
    for region, row in zip(regions, people, strict=True):
        inside &= np.stack([region.covers(int(code)) for code in row])
    return inside


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 30),
    st.lists(st.sampled_from(["cut", "any", "sets"]), min_size=1, max_size=4),
    st.sampled_from([2**62, 8]),
)  # fmt: skip
def test_the_classes_that_cover_people_are_those_found_by_looking(seed, classes, shapes, keys):
    rng = np.random.default_rng(seed)
    regions = [made(rng, classes, shape) for shape in shapes]
    people = rng.integers(0, DOMAIN, (len(shapes), 12)).astype(np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_covering, "_KEYS", keys)  # numbered anew within a few columns
        lookup = Lookup.of(regions, [DOMAIN] * len(shapes))
    inside = by_looking(regions, people)
    start, found = lookup.covering(people)
    assert [sorted(found[a:b]) for a, b in itertools.pairwise(start)] == [
        np.flatnonzero(row).tolist() for row in inside
    ]
    assert lookup.number(people).tolist() == inside.sum(axis=1).tolist()
    counts = rng.integers(0, 4, (classes, 3))
    assert (lookup.joint_counts(counts, people) == inside @ counts).all()
    assert (joint_counts(regions, counts, people) == inside @ counts).all()


@given(
    st.integers(0, 2**32 - 1), st.sampled_from(["cut", "any", "sets"]), st.sampled_from([0, 99])
)  # fmt: skip
def test_counts_that_cover_codes_are_those_of_the_whole_column(seed, shape, table):
    rng = np.random.default_rng(seed)
    regions = made(rng, 20, shape)
    counts = rng.integers(0, 4, (20, 3))
    layers = Layers.of(regions, DOMAIN)
    codes = rng.integers(0, DOMAIN, 9)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_covering, "_TABLE", table)
        found = layers.cover_counts(layers.by_region(counts), codes)
    assert (found == regions.cover_counts(counts, DOMAIN)[codes]).all()


def test_regions_that_overlap_in_too_many_ways_are_not_looked_up(monkeypatch):
    steps = Intervals(np.arange(5, dtype=np.int32), np.arange(5, dtype=np.int32) + 4)
    assert Lookup.of([steps], [9]) is not None
    monkeypatch.setattr(_covering, "_PATTERNS", 4)
    assert Lookup.of([steps], [9]) is None
    monkeypatch.setattr(_covering, "_LAYERS", 4)
    assert Layers.of(steps, 9) is None


@given(st.integers(0, 2**32 - 1), st.sampled_from(["cut", "any", "sets"]), st.booleans())
def test_records_without_people_are_those_found_by_looking(seed, shape, sparse):
    rng = np.random.default_rng(seed)
    regions = [made(rng, 15, shape), made(rng, 15, "cut")]
    columns = [SimpleNamespace(size=DOMAIN)] * 2
    codes = rng.integers(0, DOMAIN, (2, 30)).astype(np.int32)
    secrets = rng.integers(0, 3, 30).astype(np.int32)
    counts = rng.integers(0, 4, (15, 3))
    some = np.flatnonzero(rng.random(15) < 0.8)
    given = csr_array(counts) if sparse else counts
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_truth, "_AT_A_TIME", 0)
        found = _truth._too_many_looked_up(regions, given, columns, codes, secrets, some)
    inside = by_looking(regions, codes)
    there = np.stack([inside[secrets == s].sum(axis=0) for s in range(3)], axis=1)
    assert found == np.maximum(counts - there, 0)[some].sum()
    assert found == _truth._too_many(regions, given, columns, codes, secrets, some)
