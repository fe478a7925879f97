"""What holds for any table: blocks do not matter, and coarser classes are never worse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_classes import Measured, measured_tables
from split_counts import SplitCounts, classes_of

from unveil.findings import Finding
from unveil.measures import count
from unveil.measures._classes import one_pass
from unveil.measures._measures import classical


def findings(counts) -> dict[str, Finding]:
    lookings = classical(counts)
    return dict(zip(lookings, one_pass(counts, list(lookings.values())), strict=True))


def numbers(counts) -> dict[str, object]:
    """Everything the measures say, but for which of many deciding classes are named."""
    return {name: found.content(records=False) for name, found in findings(counts).items()}


def same(one, other) -> bool:
    """Equal up to the last digits of fractions."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == pytest.approx(other, rel=1e-12, abs=1e-12) if isinstance(one, float) else (
        one == other)  # fmt: skip


@given(measured_tables(), st.integers(0, 2**32 - 1))
def test_blocks_do_not_matter(case: Measured, seed: int):
    held = count(case.microdata, quasi=case.keys)
    assert same(numbers(SplitCounts(held, seed, most_blocks=8)), numbers(held))


@given(measured_tables(), st.integers(0, 2**32 - 1))
def test_split_counts_are_the_same_counts(case: Measured, seed: int):
    held = count(case.microdata, quasi=case.keys)
    split = SplitCounts(held, seed)
    assert sum(weight for _, weight, _ in classes_of(split)) == len(held.histograms)
    assert sum(weight * sum(h.values()) for h, weight, _ in classes_of(split)) == held.rows
    for histogram, _, key in classes_of(split):
        where = split.where(dict(zip(split.keys, key, strict=True)))
        assert {code: n for code, n in enumerate(where.tolist()) if n} == histogram


@given(measured_tables())
def test_fewer_keys_are_never_worse(case: Measured):
    """Classes that are put together are larger, more diverse, and nearer to the table."""
    fine = findings(count(case.microdata))
    coarse = findings(case.counts)
    slack = 1e-12
    assert coarse["k_anonymity"].k >= fine["k_anonymity"].k
    assert coarse["alpha_k"].alpha <= fine["alpha_k"].alpha
    assert coarse["l_diversity"].distinct >= fine["l_diversity"].distinct
    assert coarse["l_diversity"].entropy >= fine["l_diversity"].entropy - slack
    assert coarse["t_closeness"].t <= fine["t_closeness"].t + slack
    assert coarse["t_closeness"].mean <= fine["t_closeness"].mean + slack
    assert coarse["beta_likeness"].basic <= fine["beta_likeness"].basic
    assert coarse["delta_disclosure"].delta <= fine["delta_disclosure"].delta


@given(measured_tables())
def test_one_implies_another(case: Measured):
    found = findings(case.counts)
    distinct, entropy = found["l_diversity"].distinct, found["l_diversity"].entropy
    assert 1 <= entropy <= distinct + 1e-12
    assert distinct <= found["k_anonymity"].k
    assert found["alpha_k"].k == found["k_anonymity"].k
    assert found["l_diversity"].recursive(1) == found["alpha_k"].alpha >= 1 / entropy - 1e-12
    assert 0 <= found["t_closeness"].mean <= found["t_closeness"].t + 1e-12 <= 1 + 2e-12


@given(measured_tables())
def test_one_class_is_the_whole_table(case: Measured):
    """Where all keys are the same, nothing is learned from the class."""
    whole = count(case.microdata)
    merged = type("Whole", (SplitCounts,), {"blocks": lambda self: iter([_whole(whole)])})
    found = findings(merged(whole, 0))
    assert found["t_closeness"].t == found["beta_likeness"].basic == 0
    assert found["delta_disclosure"].delta == 0
    assert found["k_anonymity"].k == len(case.microdata)


def _whole(counts):
    import numpy as np

    from unveil.engine.counting import Histograms

    there = np.flatnonzero(counts.totals)
    return Histograms(
        start=np.array([0, len(there)]), codes=there, numbers=counts.totals[there],
        weights=np.array([1]), key_of=lambda g: tuple("*" for _ in counts.keys),
    )  # fmt: skip
