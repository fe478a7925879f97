"""Series of sanitizers, as typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import InputError
from unveil.sanitize import Mondrian, sanitizer_named, sanitizers_named


@given(st.integers(1, 50), st.integers(0, 200), st.integers(1, 40).filter(lambda step: step > 2))
def test_steps_are_those_of_range(first: int, more: int, step: int) -> None:
    last = first + more
    expected = sorted({*range(first, last + 1, step), last})
    if len(expected) > 100:
        return
    found = sanitizers_named(f"mondrian:k={first}..{last}+{step}")
    assert [one.k for one in found] == expected  # type: ignore[attr-defined]


def test_a_single_one_is_read_as_ever() -> None:
    for text in ("mondrian:k=5", "mondrian:k=5,l=2", "Mondrian(k=5, l=2)", "identity"):
        assert sanitizers_named(text) == [sanitizer_named(text)]


def test_tenths_are_tenths() -> None:
    found = sanitizers_named("mondrian:k=2,t=0.1..0.5+0.1")
    assert [one.t for one in found] == [0.1, 0.2, 0.3, 0.4, 0.5]  # type: ignore[attr-defined]


def test_the_same_is_tried_once() -> None:
    assert sanitizers_named("mondrian:k=2,2,4") == [Mondrian(k=2), Mondrian(k=4)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mondrian:k=64..2", "does not get from 64 to 2"),
        ("mondrian:k=2..64+0", "does not get from 2 to 64"),
        ("mondrian:k=2..64*1", "does not get from 2 to 64"),
        ("mondrian:k=0..64", "does not get from 0 to 64"),
        ("mondrian:k=2..", "cannot read '2..'"),
        ("mondrian:k=..5", "cannot read '..5'"),
        ("mondrian:k=1..1000+1", "at most 100"),
        ("mondrian:k=1..9+1,l=1..30+1", "270 sanitizers"),
        ("mondrian:kk=2..4", "no option 'kk'; did you mean 'k'?"),
        ("mondrian:k=2..4.5", "must be a whole number"),
        ("mondrain:k=2..4", "no sanitizer 'mondrain'; did you mean 'mondrian'?"),
        ("mondrian:k=5,,l=2", "cannot read"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, said: str) -> None:
    with pytest.raises(InputError) as told:
        sanitizers_named(text)
    assert said in str(told.value)
