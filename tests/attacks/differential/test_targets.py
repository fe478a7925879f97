"""Whom to test: same seed, same targets, and every beginning of a draw is a draw."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import random_microdata, tables

import unveil as uv
from unveil.attacks.differential._attack import WhichTargets
from unveil.attacks.differential._targets import How, _allocated, draw
from unveil.errors import InputError
from unveil.options import shell_of

TABLE = random_microdata(3, 60, ("numeric", "flat", "tree"))
RELEASE = uv.Mondrian(k=4).sanitize(TABLE)
DRAWS = get_args(How)


@settings(deadline=None)
@given(tables(), st.sampled_from(DRAWS), st.integers(0, 99), st.data())
def test_different_records_and_the_same_for_the_same_seed(table, how, seed, data):
    n = data.draw(st.integers(1, len(table)))
    targets = draw(table, n, how, seed).records
    assert len(targets) == n == len(set(targets.tolist()))
    assert set(targets.tolist()) <= set(range(len(table)))
    np.testing.assert_array_equal(targets, draw(table, n, how, seed).records)


@pytest.mark.parametrize("how", DRAWS)
def test_another_seed_another_draw(how):
    drawn = {tuple(draw(TABLE.take([0] * 30), 10, how, seed).records.tolist()) for seed in range(5)}
    assert len(drawn) == 5


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(1, 60), st.integers(0, 9))
def test_the_first_of_a_random_draw_are_a_random_draw(m, n, seed):
    m, n = min(m, n), max(m, n)
    np.testing.assert_array_equal(
        draw(TABLE, n, "random", seed).records[:m], draw(TABLE, m, "random", seed).records
    )


def test_everybody_is_as_likely_as_anybody():
    """Also to be tested first, and of their value under a stratified draw."""
    codes = TABLE.sensitive.codes
    for how in ("random", "stratified"):
        for place in (0, 1):
            times = np.zeros(60)
            for seed in range(1500):
                drawn = draw(TABLE, 12, how, seed).records
                if how == "stratified":
                    drawn = drawn[codes[drawn] == 0]
                times[drawn[place]] += 1
            possible = np.arange(60) if how == "random" else np.flatnonzero(codes == 0)
            assert times[possible].sum() == 1500
            expected = 1500 / len(possible)
            chi2 = ((times[possible] - expected) ** 2 / expected).sum()
            freedom = len(possible) - 1
            assert abs(chi2 - freedom) < 4 * np.sqrt(2 * freedom)


sizes_and_number = st.lists(st.integers(1, 50), min_size=1, max_size=9).flatmap(
    lambda sizes: st.tuples(st.just(np.array(sizes)), st.integers(1, sum(sizes)))
)


@settings(deadline=None)
@given(sizes_and_number)
def test_allocation_is_in_proportion(case):
    sizes, n = case
    due = _allocated(sizes, n)
    shares = n * sizes / sizes.sum()
    assert due.sum() == n
    assert (due <= sizes).all()
    if n >= len(sizes):
        assert (due >= 1).all()
    if (np.floor(shares) >= 1).all() or n < len(sizes):
        assert (np.abs(due - shares) < 1).all()
        # The largest remainders were rounded up.
        up, down = due > np.floor(shares), due == np.floor(shares)
        rest = shares - np.floor(shares)
        assert rest[up].min(initial=1) >= rest[down & (rest > 0)].max(initial=0) - 1e-9
    larger = sizes[:, None] > sizes[None, :]
    assert (due[:, None] >= due[None, :])[larger].all()


@settings(deadline=None)
@given(sizes_and_number, st.integers(0, 9))
def test_every_beginning_of_a_stratified_draw_is_about_in_proportion(case, seed):
    sizes, n = case
    codes = np.repeat(np.arange(len(sizes)), sizes).tolist()
    table = uv.read_table(
        {"q": [0] * len(codes), "s": [f"v{c:02}" for c in codes]}, quasi="q", sensitive="s"
    )
    drawn = table.sensitive.codes[draw(table, n, "stratified", seed).records]
    due = np.bincount(drawn, minlength=len(sizes))
    np.testing.assert_array_equal(due, _allocated(sizes, n))
    so_far = np.cumsum(drawn[:, None] == np.arange(len(sizes)), axis=0)
    pace = np.arange(1, n + 1)[:, None] * due / n
    # Each is within one of the common pace, which is within half a record a value of the place.
    assert (np.abs(so_far - pace) <= 1 + len(sizes) * due / n + 1e-9).all()


def test_every_value_is_tested_if_that_is_possible():
    table = uv.read_table(
        {"q": [0] * 103, "s": ["common"] * 100 + ["rare", "rarer", "rarest"]},
        quasi="q", sensitive="s",
    )  # fmt: skip
    for seed in range(5):
        values = table.sensitive.decode()[draw(table, 6, "stratified", seed).records]
        assert sorted(values) == ["common"] * 3 + ["rare", "rarer", "rarest"]
    assert set(table.sensitive.decode()[draw(table, 2, "stratified", 0).records]) == {"common"}


def exposure(table, release, record):
    """The keys of one record, by looking at every class and every record."""
    mine = table.codes[:, record]
    covering = 0
    if release is not None:
        for g in range(release.n_classes):
            if all(r.covers(int(v))[g] for r, v in zip(release.regions, mine, strict=True)):
                covering += int(release.sizes[g])
    alike = sum((table.codes[:, other] == mine).all() for other in range(len(table)))
    rarity = 0.0
    for row, value in zip(table.codes, mine, strict=True):
        rarity += np.log((row == value).sum())
    return covering, int(alike), rarity


@settings(deadline=None)
@given(tables(max_size=25), st.booleans(), st.integers(0, 5))
def test_the_most_exposed_come_first(table, with_release, seed):
    release = uv.Mondrian(k=min(3, len(table))).sanitize(table) if with_release else None
    order = draw(table, len(table), "exposed", seed, release=release).records
    keys = [exposure(table, release, record) for record in order.tolist()]
    assert keys == sorted(keys)


def test_the_exposed_by_what_the_release_covers():
    """A loner the release hides well comes after one it does not."""
    table = uv.read_table(
        {"age": [30, 31, 32, 33, 90, 91], "s": list("ababab")}, quasi="age", sensitive="s"
    )
    coarse = uv.Oracle(lambda t: t.assign(age=["[30, 33]"] * 4 + ["90", "91"])).sanitize(table)
    assert set(draw(table, 2, "exposed", 0, release=coarse).records.tolist()) == {4, 5}


@pytest.mark.parametrize(
    ("n", "how", "message"),
    [
        (61, "random", "targets=61: the table has 60 records to choose from"),
        (0, "random", "targets=0: the table has 60 records to choose from"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn(n, how, message):
    with pytest.raises(InputError) as error:
        draw(TABLE, n, how, 0)
    assert str(error.value) == message


@pytest.mark.parametrize("text", ["0", "some", "1" * 5000])
def test_what_is_no_number_of_targets_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="must be a number of records from 1 up"):
        shell_of(WhichTargets).parse([text])
