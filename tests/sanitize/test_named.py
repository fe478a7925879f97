"""Sanitizers by name: what is printed can be typed, and what is wrong is told."""

from dataclasses import dataclass
from typing import Literal

import pytest

from unveil.errors import InputError
from unveil.sanitize import SANITIZERS, Identity, Mondrian, Sanitizer, sanitizer_named


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
        ("mondrian:k=five", "mondrian's option k must be a whole number, got 'five'"),
        ("mondrian:k=2.5", "mondrian's option k must be a whole number, got '2.5'"),
        ("mondrian", "Mondrian needs a goal: give k=5, l=2 or t=0.2"),
        ("mondrian:", "Mondrian needs a goal"),
        ("mondrian:k=0", "Mondrian cannot take k=0: k must be a whole number from 1 up"),
        ("mondrian:k", "cannot read 'k' in the options of mondrian; write name=value"),
        ("mondrian:5", "cannot read '5' in the options of mondrian; write name=value"),
        ("mondrian:k=", "cannot read 'k=' in the options of mondrian"),
        ("mondrian:k=5,,l=2", "cannot read '' in the options of mondrian"),
        ("mondrian:k=5,k=6", "mondrian is given the option 'k' twice"),
        ("mondrian:regions=tigt", "must be tight or cut, got 'tigt'; did you mean 'tight'?"),
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
        ("noise:scale=x", "noise's option scale must be a number, got 'x'"),
        ("noise:rounded=perhaps", "noise's option rounded must be yes or no, got 'perhaps'"),
        ("noise:limit=x", "noise's option limit must be a whole number, got 'x'"),
    ):
        with pytest.raises(InputError, match=message):
            sanitizer_named(text)
