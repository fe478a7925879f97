"""Sanitizers by name, series of them, and those tried by default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil as uv
from unveil.errors import InputError
from unveil.sanitize import (
    SANITIZERS,
    Identity,
    Mondrian,
    Sanitizer,
    first_look,
    sanitizer_named,
    sanitizers_named,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("identity", Identity()),
        ("mondrian:k=5", Mondrian(k=5)),
        ("mondrian:k=5,l=2,regions=cut", Mondrian(k=5, l=2, regions="cut")),
        (" Mondrian: k = 5 , l = 2 ", Mondrian(k=5, l=2)),
    ],
)
def test_names_and_options(text, expected):
    assert sanitizer_named(text) == expected


@pytest.mark.parametrize(
    "sanitizer", [Identity(), Mondrian(k=5), Mondrian(k=3, l=2, regions="cut")]
)
def test_labels_can_be_typed(sanitizer):
    assert sanitizer_named(sanitizer.label) == sanitizer


def test_a_sanitizer_passes():
    sanitizer = Mondrian(k=3)
    assert sanitizer_named(sanitizer) is sanitizer


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mondrain:k=5", "no sanitizer 'mondrain'; did you mean 'mondrian'? (known: identity, "),
        (
            "mondrian:kk=5",
            "mondrian has no option 'kk'; did you mean 'k'? "
            "(options: k, l, t, t_distance, regions)",
        ),
        (
            "mondrian:k=five",
            "'mondrian:k=five' is not possible: it must be a whole number",
        ),
        ("mondrian:k=2.5", "'mondrian:k=2.5' is not possible: it must be a whole number from 1 up"),
        ("mondrian", "Mondrian needs a goal: give k=5, l=2 or t=0.2"),
        ("mondrian:", "Mondrian needs a goal"),
        ("mondrian:k=0", "'mondrian:k=0' is not possible: it must be a whole number from 1 up"),
        ("mondrian:k", "cannot read 'k' in the options of mondrian; write name=value"),
        ("mondrian:5", "cannot read '5' in the options of mondrian; write name=value"),
        ("mondrian:k=", "cannot read 'k=' in the options of mondrian"),
        ("mondrian:k=5,,l=2", "cannot read '' in the options of mondrian"),
        ("mondrian:k=5,k=6", "mondrian is given the option 'k' twice"),
        ("mondrian:regions=tigt", "must be 'tight' or 'cut'; did you mean 'tight'?"),
        ("identity:k=5", "identity has no option 'k' (it has none)"),
        ("", "cannot read '' as a sanitizer"),
        ("mondrian(k=5", "cannot read 'mondrian(k=5' as a sanitizer"),
        (5, "cannot read 5 as a sanitizer"),
    ],
)
def test_what_is_wrong_is_told(text, message):
    with pytest.raises(InputError) as error:
        sanitizer_named(text)
    assert message in str(error.value)


def test_a_registered_sanitizer_brings_its_fields_along(monkeypatch):
    @dataclass(frozen=True, kw_only=True)
    class Noise(Sanitizer):
        scale: float = 1.0
        rounded: bool = False
        limit: int | None = 3
        kind: Literal["laplace", "gauss"] = "laplace"
        name: str = ""

        def sanitize(self, microdata):
            return None

    monkeypatch.setitem(SANITIZERS, "noise", Noise)
    made = sanitizer_named("noise:scale=0.5,rounded=yes,limit=none,kind=gauss,name=mine")
    assert made == Noise(scale=0.5, rounded=True, limit=None, kind="gauss", name="mine")
    assert sanitizer_named("noise:limit=7") == Noise(limit=7)
    for text, message in (
        ("noise:scale=x", "'noise:scale=x' is not possible: it must be a number"),
        (
            "noise:rounded=perhaps",
            "rounded=perhaps' is not possible: it must be true or false",
        ),
        ("noise:limit=x", "'noise:limit=x' is not possible: it must be a whole number"),
    ):
        with pytest.raises(InputError, match=message):
            sanitizer_named(text)


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


@pytest.mark.parametrize(
    ("people", "sizes"),
    [(1, []), (2, []), (3, [2]), (5, [2]), (6, [2]), (7, [2, 5]), (24, [2, 5, 10]),
     (25, [2, 5, 10, 20]), (1000, [2, 5, 10, 20])],
)  # fmt: skip
def test_there_are_people_to_spare(people: int, sizes: list[int]) -> None:
    table = uv.read_table(
        {"age": list(range(people)), "ill": ["a"] * people}, quasi="age", sensitive="ill"
    )
    assert first_look(table) == [uv.Identity(), *(uv.Mondrian(k=k) for k in sizes)]


def test_nothing_of_it_fails_on_a_very_small_table() -> None:
    table = uv.read_table(
        {"age": [34, 45, 34, 51, 29], "ill": ["flu", "HIV", "flu", "flu", "cold"]},
        quasi="age", sensitive="ill",
    )  # fmt: skip
    audit = uv.audit(table, attacks=["differential-inference", "measures"], progress=False)
    assert [one.name for one in audit.releases] == ["Identity()", "Mondrian(k=2)"]
    assert {look.status for one in audit.releases for look in one.looked.values()} == {"done"}
