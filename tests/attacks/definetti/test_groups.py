"""Who is in which class: whoever is seated is there in every way that people can be seated."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples

from unveil.attacks.definetti._groups import DOUBTED, NOWHERE, UNDECIDED, seated
from unveil.microdata import Intervals


def seats(points, people, cells, records):
    """Seat people by one column of codes."""
    low, high = np.array(cells, dtype=np.int32).T
    return seated(
        np.array(points, dtype=np.int32)[:, None], np.array(people), [Intervals(low, high)], [20],
        [np.zeros(len(cells), dtype=bool)], np.array(records),
    )  # fmt: skip


def all_seatings(points, cells, records):
    """Every way to give people classes that cover them, with as many people as records."""
    may = [[g for g, (a, b) in enumerate(cells) if a <= p <= b] for p in points]
    for way in itertools.product(*may):
        if all(way.count(g) == n for g, n in enumerate(records)):
            yield way


@examples(150, derandomize=True)
@given(st.integers(0, 2**32 - 1))
def test_nobody_is_seated_who_could_be_elsewhere(seed):
    """In tables where everybody is known and has a record."""
    rng = np.random.default_rng(seed)
    n, classes = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    points = np.arange(n)
    ends = np.sort(rng.integers(0, n, (classes, 2)), axis=1)
    ends[0] = 0, n - 1  # so that everybody is covered
    cells = [tuple(pair) for pair in np.unique(ends, axis=0).tolist()]
    truth = [int(rng.choice([g for g, (a, b) in enumerate(cells) if a <= p <= b])) for p in points]
    records = np.bincount(truth, minlength=len(cells))
    some = np.flatnonzero(records)  # a class without records is not published
    cells, records = [cells[g] for g in some], records[some]
    found = seats(points, np.ones(n, dtype=np.int64), cells, records)
    ways = list(all_seatings(points, cells, records))
    assert ways
    for person, class_of in enumerate(found.class_of):
        assert class_of not in (NOWHERE, DOUBTED)
        if class_of >= 0:
            assert {way[person] for way in ways} == {class_of}
    placed = np.bincount(found.class_of[found.class_of >= 0], minlength=len(cells))
    assert (found.strangers == records - placed).all()


def test_suppressed_records_are_left_to_those_who_are_left():
    """Codes 0 and 1 fill their class; the third class covers all, and gets the others."""
    found = seats([0, 1, 5, 9], [1, 2, 1, 1], [(0, 1), (5, 5), (0, 9)], [3, 1, 1])
    assert found.class_of.tolist() == [0, 0, 1, 2]
    assert found.strangers.tolist() == [0, 0, 0]


def test_undecided_doubted_and_strangers():
    # Both classes may have either person.
    found = seats([1, 2], [1, 1], [(0, 5), (1, 9)], [1, 1])
    assert found.class_of.tolist() == [UNDECIDED, UNDECIDED]
    assert found.strangers.tolist() == [1, 1]
    # Three people for two records; somebody whom nothing covers; a class with nobody.
    found = seats([1, 2, 8], [2, 1, 1], [(0, 5), (6, 7)], [2, 2])
    assert found.class_of.tolist() == [DOUBTED, DOUBTED, NOWHERE]
    # One person is known of three records.
    found = seats([1], [1], [(0, 5)], [3])
    assert found.class_of.tolist() == [0]
    assert found.strangers.tolist() == [2]


def test_people_whom_many_classes_cover_stay_undecided():
    cells = [(a, b) for a in range(10) for b in range(10, 20)]
    found = seats([10], [1], cells, np.ones(100, dtype=np.int64))
    assert found.class_of.tolist() == [UNDECIDED]
    # A hundred people for a hundred records, yet nobody is looked for in so many classes.
    found = seats([10], [100], cells, np.ones(100, dtype=np.int64))
    assert found.strangers.sum() == 100
