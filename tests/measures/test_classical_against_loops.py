"""Every classical measure against its definition, class by class and value by value."""

import math
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_classes import Measured, measured_tables

from unveil.measures import alpha_k, beta_likeness, delta_disclosure, k_anonymity, l_diversity

near = pytest.approx


def number_with(scores: list[object], score: object) -> int:
    return sum(one == score for one in scores)


@given(measured_tables(), st.integers(1, 12))
def test_k_anonymity(case: Measured, k: int):
    found = k_anonymity(case.counts)
    sizes = [one.total() for one in case.classes]
    assert found.k == min(sizes)
    assert found.sizes == Counter(sizes)
    assert list(found.sizes) == sorted(found.sizes)
    assert found.classes == len(sizes)
    assert found.mean_class == near(len(case.microdata) / len(sizes))
    assert found.records == len(case.microdata)
    below = sum(size for size in sizes if size < k)
    assert found.share_below(k) == near(below / len(case.microdata), abs=1e-15)
    assert found.deciding.number == number_with(sizes, min(sizes))
    frame = found.to_frame()
    assert (frame["classes"].sum(), frame["records"].sum()) == (len(sizes), len(case.microdata))


@given(measured_tables())
def test_alpha_k(case: Measured):
    found = alpha_k(case.counts)
    largest = [max(case.share(value, one) for value in one) for one in case.classes]
    assert found.alpha == float(max(largest))
    assert found.k == min(one.total() for one in case.classes)
    assert found.by_value == {
        value: float(max(case.share(value, one) for one in case.classes)) for value in case.table
    }
    assert {*found.values} == {v for v, share in found.by_value.items() if share == found.alpha}
    assert found.deciding.number == number_with(largest, max(largest))
    assert found.smallest.number == k_anonymity(case.counts).deciding.number


def plain_infimum(one: Counter[str], l: int) -> Fraction | float:  # noqa: E741
    frequent = sorted(one.values(), reverse=True)
    tail = sum(frequent[l - 1 :])
    return Fraction(frequent[0], tail) if tail else math.inf


@given(measured_tables(), st.integers(1, 4))
def test_l_diversity(case: Measured, l: int):  # noqa: E741
    found = l_diversity(case.counts, l=l)
    distinct = [len(one) for one in case.classes]
    assert found.distinct == min(distinct)
    assert found.deciding.number == number_with(distinct, min(distinct))
    effective = [
        math.exp(-math.fsum(float(p) * math.log(p) for p in shares))
        for shares in ([case.share(value, one) for value in one] for one in case.classes)
    ]
    assert found.entropy == near(min(effective), rel=1e-12)
    assert found.deciding_entropy.number == sum(one == near(min(effective)) for one in effective)
    for level in range(1, len(case.domain) + 3):
        infima = [plain_infimum(one, level) for one in case.classes]
        assert found.recursive(level) == float(max(infima))
        if level == l:
            assert found.deciding_recursive.number == number_with(infima, max(infima))
    assert found.to_frame()["l"].tolist() == list(range(2, min(distinct) + 1))


@given(measured_tables(), st.integers(1, 5), st.fractions(0, 8, max_denominator=6))
def test_recursive_diversity_is_strict(case: Measured, l: int, c: Fraction):  # noqa: E741
    plain = []
    for one in case.classes:
        frequent = sorted(one.values(), reverse=True)
        plain.append(frequent[0] < c * sum(frequent[l - 1 :]))
    assert l_diversity(case.counts).is_recursive(c=float(c), l=l) == all(plain)


@given(measured_tables())
def test_beta_likeness(case: Measured):
    found = beta_likeness(case.counts)
    gains = [max((p - q) / q, Fraction(0)) for _, _, p, q in case.pairs()]
    assert found.basic == near(float(max(gains)), rel=1e-12, abs=0)
    beyond = {
        value
        for (_, value, _, q), gain in zip(case.pairs(), gains, strict=True)
        if gain > -math.log(q)
    }
    assert {*found.beyond_values} == beyond
    assert found.enhanced == (None if beyond else found.basic)
    by_class: dict[int, Fraction] = {}
    for (one, *_), gain in zip(case.pairs(), gains, strict=True):
        by_class[id(one)] = max(by_class.get(id(one), Fraction(0)), gain)
    assert found.deciding.number == number_with([*by_class.values()], max(gains))
    assert (found.beyond.number > 0) == bool(beyond)
    assert found.to_frame()["gain"].max() == found.basic


@given(measured_tables())
def test_delta_disclosure(case: Measured):
    found = delta_disclosure(case.counts)
    changes = [abs(math.log(p / q)) if p else math.inf for _, _, p, q in case.pairs()]
    assert found.delta == near(max(changes), rel=1e-12)
    assert found.in_bits == near(max(changes) / math.log(2))
    assert found.finite == near(max(c for c in changes if c < math.inf), rel=1e-12)
    lacking = Counter(value for _, value, p, _ in case.pairs() if p == 0)
    assert found.lacking == {value: lacking[value] for value in case.table}
    if lacking:
        short = sum(len(one) < len(case.table) for one in case.classes)
        assert found.deciding.number == short
        assert {*found.values} == {v for v, n in lacking.items() if n == max(lacking.values())}


def test_even_classes_have_a_whole_entropy_l():
    """3 values that are equally frequent are 3, not 2.9999999999999996."""
    import unveil as uv

    for values in range(1, 60):
        table = uv.read_table(
            {"age": [1] * 2 * values, "vote": [f"v{i}" for i in range(values)] * 2},
            quasi=["age"], sensitive="vote",
        )  # fmt: skip
        assert l_diversity(table).entropy == values
