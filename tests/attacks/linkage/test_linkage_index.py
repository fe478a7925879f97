"""The tree of boxes finds exactly what a look at every box finds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from permuted_tables import groupings
from plain_linkage import candidates, entries
from random_tables import tables, tables_and_goals

import unveil as uv
from unveil.attacks.people import ANY, Index
from unveil.microdata import Intervals, Permuted, Release, Sets


def index_of(release, **options):
    sizes = [column.size for column in release.quasi]
    nothing = [np.zeros(len(release.sizes), dtype=bool)] * len(sizes)
    regions = () if isinstance(release, Permuted) else release.regions
    return Index.of(release, regions, sizes, nothing, **options)


def found_by(index, points, **options):
    """For each point: records, classes, and its values as a dictionary."""
    every = []
    for found in index.search(points, **options):
        for i in range(len(found.records)):
            mine = found.point == i
            values = dict(zip(found.value[mine].tolist(), found.number[mine].tolist(), strict=True))
            assert len(values) == mine.sum()
            every.append((int(found.records[i]), int(found.classes[i]), values))
    return every


def some_points(release, rng, n=12):
    """Codes of anybody; some of them are not known."""
    points = np.stack([rng.integers(0, c.size, n) for c in release.quasi], axis=1)
    points[rng.random(points.shape) < 0.15] = ANY
    return points.astype(np.int32)


def check(release, rng):
    points = some_points(release, rng)
    index = index_of(release)
    people = np.zeros(len(index.place), dtype=np.int64)
    got = found_by(index, points, people=people)
    seen = 0
    for point, (records, classes, values) in zip(points.tolist(), got, strict=True):
        plain, groups, expected = candidates(release, [None if c < 0 else c for c in point])
        assert (records, classes) == (len(plain), len(groups))
        assert values.keys() == expected.keys()
        for s, n in expected.items():
            assert abs(values[s] - n) < 1e-9
        seen += records
    assert people[index.place] @ index.records == seen


@st.composite
def loose_releases(draw):
    """Releases whose classes overlap as they like: intervals, sets, empty ones, everything."""
    table = draw(tables())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    classes = draw(st.integers(1, 40))
    regions = []
    for column in table.quasi:
        if rng.random() < 0.5:
            low, high = (rng.integers(0, column.size, classes, dtype=np.int32) for _ in range(2))
            whole = rng.random(classes) < 0.2
            low[whole], high[whole] = 0, column.size - 1
            regions.append(Intervals(low, high))
        else:
            inside = rng.random((classes, column.size)) < rng.random()
            start = np.concatenate([[0], np.cumsum(inside.sum(axis=1))])
            regions.append(Sets(start, np.nonzero(inside)[1].astype(np.int32)))
    class_of = rng.integers(0, classes, len(table), dtype=np.int32)
    return Release(
        quasi=table.quasi, sensitive=table.sensitive, class_of=class_of, regions=tuple(regions)
    )


@given(loose_releases(), st.integers(0, 2**32 - 1))
def test_boxes_of_any_kind(release, seed):
    check(release, np.random.default_rng(seed))


@given(tables_and_goals(), st.integers(0, 2**32 - 1))
def test_mondrian(table_and_goal, seed):
    table, goal = table_and_goal
    release = uv.Mondrian(**goal).sanitize(table)
    check(_everybody_there(release), np.random.default_rng(seed))


def _everybody_there(release):
    """Values that nobody has are placed by `Placing`, not by the index."""
    regions = tuple(
        Intervals(r.low, r.high) if isinstance(r, Intervals) else r for r in release.regions
    )
    return Release(
        quasi=release.quasi, sensitive=release.sensitive, class_of=release.class_of,
        regions=regions,
    )  # fmt: skip


@given(groupings(), st.integers(0, 2**32 - 1))
def test_permuted(table_and_groups, seed):
    release = Permuted.from_groups(*table_and_groups)
    rng = np.random.default_rng(seed)
    check(release, rng)
    points = some_points(release, rng)
    by_group = found_by(index_of(release, by_group=True), points)
    for point, (_, _, values) in zip(points.tolist(), by_group, strict=True):
        expected = entries(release, [None if c < 0 else c for c in point])
        assert {release.sensitive.texts[s]: n for s, n in values.items()} == expected


def test_large_domains_share_bits():
    """Sets of codes far apart, many more than there are bits for."""
    rng = np.random.default_rng(3)
    n, size = 600, 5000
    table = uv.read_table(
        {"code": [f"c{i:04}" for i in range(size)], "s": ["a", "b"] * (size // 2)},
        quasi="code", sensitive="s",
    )  # fmt: skip
    members = [np.sort(rng.choice(size, 9, replace=False)) for _ in range(n)]
    sets = Sets(np.arange(0, 9 * n + 1, 9), np.concatenate(members).astype(np.int32))
    release = Release(
        quasi=table.quasi, sensitive=table.sensitive,
        class_of=rng.integers(0, n, size).astype(np.int32), regions=(sets,),
    )  # fmt: skip
    points = rng.integers(0, size, (200, 1)).astype(np.int32)
    for (code,), (records, classes, _) in zip(
        points.tolist(), found_by(index_of(release), points), strict=True
    ):
        covering = [g for g in range(n) if code in members[g]]
        assert classes == sum(release.sizes[g] > 0 for g in covering)
        assert records == sum(int(release.sizes[g]) for g in covering)


def test_few_boxes_are_looked_at():
    """A search in a partition of 4,000 classes comes by few of them."""
    table = uv.datasets.census(20_000)
    release = uv.Mondrian(k=5).sanitize(table)
    index = index_of(release)
    assert len(index.tree.nodes) < release.n_classes
    leaves = index.tree.nodes[index.tree.nodes[:, 2] == np.arange(len(index.tree.nodes)) + 1]
    assert (leaves[:, 1] - leaves[:, 0]).max() <= 8
    reach, point = index.tree.reach, table.codes[:, 0]
    may = ((reach[:, :, 0] <= point) & (point <= reach[:, :, 1])).all(axis=1)
    assert may.sum() < len(may) / 20


def test_values_that_do_not_fit_into_one_block(monkeypatch):
    """Where the room for values is used up, a search goes on with a new block."""
    import unveil.attacks.people._index as module

    table = uv.datasets.census(400)
    index = index_of(uv.Mondrian(k=20).sanitize(table))
    points = np.ascontiguousarray(table.codes.T)
    whole = found_by(index, points)
    monkeypatch.setattr(module, "_ROOM", 1)
    blocks = list(index.search(points))
    assert len(blocks) > 100
    assert found_by(index, points) == whole
