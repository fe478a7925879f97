"""Histograms of secrets with very many values are sparse, and everything equals the dense ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unveil as uv
from unveil.attacks.inference._guesses import answers
from unveil.attacks.tolerance import Near
from unveil.microdata import _release, check_truth, untruth
from unveil.microdata._microdata import histograms_at
from unveil.microdata._regions import Intervals, Sets


def sparsely(release, tables=2**25):
    """The same release, whose histograms are sparse whatever its size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_release, "_DENSE", 0)
        patch.setattr(_release, "_SPARSE", 0)
        patch.setattr(_release, "_TABLES", tables)
        made = release.take(np.arange(len(release)))
        assert not isinstance(made.histograms, np.ndarray)
        yield made


def table_of(rng, n, values):
    return uv.read_table(
        {"age": rng.integers(0, 12, n), "town": rng.choice(list("vwxyz"), n),
         "pay": rng.integers(0, values, n)},
        quasi=["age", "town"], sensitive="pay",
    )  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(8, 60), st.integers(1, 200), st.booleans(),
       st.sampled_from([2**25, 0]))  # fmt: skip
def test_counts_equal_those_of_dense_histograms(seed, n, values, sets, tables):
    rng = np.random.default_rng(seed)
    table = table_of(rng, n, values)
    how = uv.Recoding(k=2, suppression=0.5) if sets else uv.Mondrian(k=2)
    release = how.sanitize(table)
    assert isinstance(release.histograms, np.ndarray)
    for sparse in sparsely(release, tables):
        assert (sparse.histograms.toarray() == release.counts).all()
        for some in (table.codes, table.codes[:, :1]):
            assert (sparse.cover_counts(some) == release.cover_counts(some)).all()
            assert (sparse.joint_counts(some) == release.joint_counts(some)).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(8, 60), st.integers(1, 200), st.booleans())
def test_what_cannot_be_true_is_found_alike(seed, n, values, moved):
    rng = np.random.default_rng(seed)
    table = table_of(rng, n, values)
    release = uv.Mondrian(k=2).sanitize(table)
    if moved:  # somebody else's sensitive values
        release = uv.Mondrian(k=2).sanitize(table.take(rng.permutation(n)))
        release = _release.replace(release, sensitive=release.sensitive.take(rng.permutation(n)))
    for sparse in sparsely(release):
        assert str(untruth(sparse, table)) == str(untruth(release, table))
        if not moved:
            check_truth(sparse, table, uv.errors.File("it"))


@given(st.integers(0, 2**32 - 1))
def test_pairs_of_classes_and_codes(seed):
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 9, 6).astype(np.int32)
    high = (low + rng.integers(-1, 4, 6)).astype(np.int32)
    rows = np.arange(6)[low <= high]
    there = rng.random(20) < 0.7
    for regions in (
        Intervals(low, high),
        Intervals(low, high, there=there),
        Sets.of_runs(rows, low[rows], high[rows], 6),
    ):
        classes, codes = rng.integers(0, 6, 30), rng.integers(0, 14, 30)
        expected = [bool(regions.covers(int(c))[g]) for g, c in zip(classes, codes, strict=True)]
        assert regions.covers_each(classes, codes).tolist() == expected


@given(st.integers(0, 2**32 - 1))
def test_histograms_of_some_parts(seed):
    rng = np.random.default_rng(seed)
    table = table_of(rng, 30, 9)
    secret, parts = table.sensitive, table.quasi[0].codes
    wanted = parts[rng.integers(0, 30, 12)]
    expected = [
        [int(((parts == part) & (secret.codes == s)).sum()) for s in range(secret.size)]
        for part in wanted
    ]
    assert histograms_at(wanted, parts, secret).tolist() == expected


@given(st.integers(0, 2**32 - 1), st.sampled_from([None, 3]))
def test_people_who_share_beliefs_need_no_rows_of_their_own(seed, tolerance):
    rng = np.random.default_rng(seed)
    table = table_of(rng, 30, 50)
    size = table.sensitive.size
    beliefs = rng.dirichlet(np.full(size, 0.3), 5)
    beliefs[2] = np.nan
    of, true = rng.integers(0, 5, 40), rng.integers(0, size, 40)
    near = tolerance and Near.of(table.sensitive, table.sensitive_counts, tolerance)
    together = answers(beliefs, true, 0.5, near, of=of)
    assert (together == answers(beliefs[of], true, 0.5, near)).all()


def test_a_secret_with_very_many_values_takes_little_memory():
    """Dense, classes by values would be 3,000 × 12,000, and they are not made."""
    rng = np.random.default_rng(0)
    table = uv.read_table(
        {"age": rng.integers(18, 90, 12_000), "zip": rng.integers(0, 100, 12_000),
         "pay": rng.permutation(40_000)[:12_000]},
        quasi=["age", "zip"], sensitive="pay",
    )  # fmt: skip
    release = uv.Mondrian(k=4).sanitize(table)
    assert untruth(release, table) is None
    found = uv.linkage(release, table)
    assert len(found.people) == 12_000
    release.joint_counts(table.codes[:, :20])
    release.cover_counts(table.codes[:, :20])
    assert "counts" not in vars(release)
