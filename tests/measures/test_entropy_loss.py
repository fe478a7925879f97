"""Bits that are lost, against the definition record by record."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_utility import covered_codes
from random_tables import tables_and_goals

import unveil as uv
from unveil.errors import InputError
from unveil.measures import entropy_loss
from unveil.measures._released import mass_of
from unveil.microdata import Intervals, Microdata, Release, Sets


def plain_bits(release: Release, original: Microdata, kept: list[int], j: int) -> float:
    """−log₂ Pr(value | cell) of every record; what is not kept has all of the column for a cell."""
    values = [int(code) for code in original.quasi[j].codes]
    n, bits = len(values), 0.0
    place = {record: row for row, record in enumerate(kept)}
    for record, value in enumerate(values):
        cell = set(values)
        if record in place:
            cell = set(covered_codes(release, place[record], j))
            assert value in cell
        inside = sum(v in cell for v in values)
        bits -= math.log2(values.count(value) / n) - math.log2(inside / n)
    return bits


@given(tables_and_goals(max_size=25), st.integers(0, 3))
def test_it_is_the_sum_over_the_records(case, missing):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    n = len(microdata)
    original = microdata.take([*range(n), *[0] * missing])
    found = entropy_loss(release, original)
    assert found.notes == ()
    assert (found.records, found.missing) == (n, missing)
    nothing = Release(quasi=release.quasi, sensitive=release.sensitive,
                      class_of=release.class_of[:0], regions=release.regions)  # fmt: skip
    for j, column in enumerate(original.quasi):
        lost = plain_bits(release, original, list(range(n)), j)
        bits = plain_bits(nothing, original, [], j)
        assert found.lost[column.name] == pytest.approx(lost, abs=1e-9)
        assert found.bits[column.name] == pytest.approx(bits, abs=1e-9)
        loss = found.by_column[column.name]
        if np.ptp(column.codes) == 0:
            assert loss is None
        else:
            assert loss == pytest.approx(lost / bits, abs=1e-9)
            assert -1e-12 <= loss <= 1 + 1e-12


@given(tables_and_goals(max_size=25), st.integers(0, 2**32 - 1))
def test_the_order_of_the_records_plays_no_part(case, seed):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    shuffled = np.random.default_rng(seed).permutation(len(release))
    other = Release(
        quasi=release.quasi, sensitive=release.sensitive.take(shuffled),
        class_of=release.class_of[shuffled], regions=release.regions,
    )  # fmt: skip
    assert entropy_loss(other, microdata).lost == entropy_loss(release, microdata).lost


class Mask:
    """Regions of somebody else's kind: all they can say is what they cover."""

    def __init__(self, covered):
        self.covered = np.array(covered, dtype=bool)

    def __len__(self):
        return len(self.covered)

    def covers(self, code):
        return self.covered[:, code]


codes = st.lists(st.tuples(st.integers(-1, 6), st.integers(-1, 6)), min_size=1, max_size=5)
masks = st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=1, max_size=5)
regions = st.one_of(
    codes.map(lambda pairs: Intervals(*np.array(pairs, dtype=np.int32).T)),
    st.tuples(codes, st.lists(st.booleans(), min_size=6, max_size=6)).map(
        lambda both: Intervals(*np.array(both[0], dtype=np.int32).T, True, None, np.array(both[1]))
    ),
    masks.map(lambda rows: Sets(np.cumsum([0, *map(sum, rows)]),
                                np.nonzero(np.array(rows))[1].astype(np.int32))),
    masks.map(Mask),
)  # fmt: skip


@given(regions, st.lists(st.integers(0, 9), min_size=6, max_size=6))
def test_how_many_people_any_region_covers(some, people):
    people = np.array(people, dtype=np.int64)
    plain = [
        sum(int(people[code]) for code in range(6) if some.covers(code)[g])
        for g in range(len(some))
    ]
    assert mass_of(some, people).tolist() == plain


def four() -> Microdata:
    return uv.read_table(
        {"age": [20, 30, 50, 70], "town": ["Lyon", "Lyon", "Lyon", "Bonn"], "s": list("abab")},
        quasi=["age", "town"], sensitive="s",
    )  # fmt: skip


def test_from_nothing_lost_to_nothing_left():
    nothing = entropy_loss(uv.Identity().sanitize(four()), four())
    assert (nothing.loss, nothing.lost) == (0, {"age": 0, "town": 0})
    everything = entropy_loss(uv.Mondrian(k=4).sanitize(four()), four())
    assert (everything.loss, everything.lost) == (1, everything.bits)
    assert everything.bits["age"] == 8
    assert everything.bits["town"] == pytest.approx(3 * math.log2(4 / 3) + 2)


def test_by_hand_what_a_published_file_has_lost():
    published = pd.DataFrame({"age": ["20", "[30, 50]"], "town": ["Lyon", "*"], "s": ["a", "b"]})
    found = entropy_loss(uv.read_release(published, four()), four())
    # 20 is known, 30 is one of two, 50 and 70 are not there; of the towns one is known.
    assert found.lost["age"] == 0 + 1 + 2 + 2
    assert found.lost["town"] == pytest.approx(found.bits["town"] - math.log2(4 / 3))
    assert found.loss == pytest.approx(sum(found.lost.values()) / sum(found.bits.values()))
    assert "2 records are missing" in repr(found)


def test_cells_that_do_not_cover_their_values_are_told():
    means = {"age": [30, 30, 30, 60], "town": ["Lyon", "Lyon", "Lyon", "Bonn"], "s": list("abab")}
    wide = uv.read_table(
        {"age": [20, 30, 50, 60], "town": means["town"], "s": list("abab")},
        quasi=["age", "town"], sensitive="s",
    )  # fmt: skip
    found = entropy_loss(uv.read_release(means, wide), wide)
    assert found.notes == (
        "'age': the cells of 2 or more records do not cover their values, so its loss says what "
        "the cells leave open, not what is lost",
    )
    assert str(found.notes[0]) in repr(found)


def test_a_cell_that_covers_nobody_loses_everything():
    regions = (Intervals(np.array([0, 3], np.int32), np.array([0, 2], np.int32)),)
    ages = uv.read_table({"age": [20, 30, 50, 70], "s": list("abab")}, quasi="age", sensitive="s")
    release = Release(quasi=ages.quasi, sensitive=ages.sensitive,
                      class_of=np.array([0, 1, 1, 1], np.int32), regions=regions)  # fmt: skip
    assert entropy_loss(release, ages).lost["age"] == 6


def test_a_column_of_one_value_has_nothing_to_lose():
    same = uv.read_table(
        {"age": [20, 20], "town": ["Rome", "Nice"], "s": list("ab")},
        quasi=["age", "town"], sensitive="s",
    )  # fmt: skip
    found = entropy_loss(uv.Mondrian(k=2).sanitize(same), same)
    assert found.by_column == {"age": None, "town": 1}
    assert found.loss == 1
    assert found.to_dict()["by_column"] == {"age": None, "town": 1}
    assert found.to_frame()["loss"].isna().tolist() == [True, False]
    alone = same.take([0])
    nothing = entropy_loss(uv.Mondrian(k=1).sanitize(alone), alone)
    assert nothing.loss is None
    assert nothing.to_dict()["loss"] is None
    assert "Entropy loss of Mondrian(k=1): undefined" in repr(nothing)


def test_it_needs_the_original():
    release = uv.Mondrian(k=2).sanitize(four())
    with pytest.raises(InputError, match="entropy_loss needs microdata"):
        entropy_loss(release, None)
    with pytest.raises(InputError, match=r"has 4 records .* only 3; give the table"):
        entropy_loss(release, four().without(0))
