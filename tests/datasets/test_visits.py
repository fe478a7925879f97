"""Synthetic visits are a valid table with several rows per person, and hang together."""

from dataclasses import replace

import numpy as np
import pytest

import unveil as uv
from unveil.datasets import visits
from unveil.errors import InputError


@pytest.fixture(scope="module")
def stays():
    return visits(3_000, seed=1)


def test_people_come_several_times(stays):
    rows = stays.several.rows
    assert stays.several.count == 3_000
    assert 0.25 < (rows == 1).mean() < 0.5
    assert rows.max() > 15
    assert 2 < rows.mean() < 4


def test_they_fall_ill_with_the_same_grow_older_and_move(stays):
    whose, year = stays.persons.of, stays["year"].decode()
    first = np.zeros(3_000, dtype=int)
    first[whose] = stays["age"].decode() - year  # the year of birth, but for a constant
    assert (stays["age"].decode() - year == first[whose]).all()
    order = np.argsort(whose, kind="stable")
    same = whose[order][1:] == whose[order][:-1]
    ill = stays["diagnosis"].codes[order]
    assert (ill[1:] == ill[:-1])[same].mean() > (ill[1:] == ill[:-1])[~same].mean() + 0.1
    home = stays["zip"].codes[order]
    assert 0.02 < (home[1:] != home[:-1])[same].mean() < 0.3
    assert (stays["sex"].codes[order][1:] == stays["sex"].codes[order][:-1])[same].all()


def test_the_same_seed_gives_the_same_table(stays):
    again = visits(3_000, seed=1)
    assert all(
        (a.codes == b.codes).all() for a, b in zip(stays.columns, again.columns, strict=True)
    )
    assert len(visits(1)) >= 1
    with pytest.raises(InputError, match="persons"):
        visits(0)


def test_by_rows_it_would_look_safe(stays):
    """What is published with k = 5 by rows leaves people alone."""
    release = uv.Mondrian(k=5).sanitize(replace(stays, persons=None))
    found = uv.measures(replace(release, persons=stays.persons))
    assert release.sizes.min() >= 5
    assert found.k < 5
    assert found.all_rows.fewest == 1
    shares = [one.share for one in found.unicity]
    assert shares[0] < shares[1] < shares[3]
