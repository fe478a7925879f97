"""Thresholds: what is read, what is refused, and what does not pass."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil as uv
from unveil.auditing import FIGURES, Question, State, Threshold
from unveil.auditing._thresholds import worst
from unveil.errors import InputError

OF_SIGN = {
    "<": lambda value, bound: value < bound,
    "<=": lambda value, bound: value <= bound,
    ">": lambda value, bound: value > bound,
    ">=": lambda value, bound: value >= bound,
}


@given(
    st.sampled_from(sorted(FIGURES)),
    st.sampled_from(sorted(OF_SIGN)),
    st.floats(-1, 1),
    st.floats(-100, 100),
)
def test_a_release_fails_exactly_where_the_condition_holds(
    name: str, sign: str, bound: float, value: float
) -> None:
    threshold = Threshold.condition(f"{name}{sign}{bound!r}")
    assert threshold.bound == bound
    if math.isclose(value, bound, rel_tol=1e-9, abs_tol=1e-12):
        value = bound
    assert threshold.check(value).passed is not OF_SIGN[sign](value, bound)


@given(st.sampled_from(sorted(FIGURES)), st.sampled_from(sorted(OF_SIGN)), st.floats(-1, 1))
def test_what_is_printed_can_be_typed(name: str, sign: str, bound: float) -> None:
    threshold = Threshold.condition(f"{name} {sign} {bound!r}")
    assert threshold.bound == bound
    assert Threshold.condition(str(threshold)) == threshold


@given(
    st.sampled_from(sorted(FIGURES)),
    st.sampled_from(sorted(OF_SIGN)),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_what_is_said_of_two_numbers_tells_them_apart(
    name: str, sign: str, bound: float, value: float
) -> None:
    check = Threshold.condition(f"{name} {sign} {bound!r}").check(value)
    said, _, of_bound = str(check).removeprefix(f"{name} is ").partition(", which is ")
    if not math.isclose(value, bound, rel_tol=1e-9, abs_tol=1e-12):
        assert said != of_bound.split(" ")[-1]
    assert ("not " in of_bound) is check.passed


def test_rounding_is_no_difference() -> None:
    value = 0.1 + 0.2
    assert value > 0.3
    assert (
        str(Threshold.parse("delta > 0.3").check(value)) == "delta is 0.3, which is not above 0.3"
    )
    assert not Threshold.parse("t >= 0.3").check(0.3 - 1e-16).passed
    assert not Threshold.parse("delta > 0.3").check(0.3 + 1e-8).passed


def test_what_is_short_of_one_is_not_called_one() -> None:
    check = Threshold.parse("delta > 99.9%").check(0.9995)
    assert str(check) == "delta is 0.9995, which is above 0.999"
    assert str(Threshold.parse("t > 0.5").check(0.9995)) == "t is >0.99, which is above 0.5"


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_what_must_hold_is_not_taken_for_what_makes_a_release_fail(name: str) -> None:
    figure = FIGURES[name]
    good, bad = ("<=", ">") if figure.lower_is_better else (">=", "<")
    assert str(Threshold.parse(f"{name} {bad} 0.5")) == f"{name} {bad} 0.5"
    if figure.question is Question.UTILITY:  # wanted from both sides
        assert str(Threshold.parse(f"{name} {good} 0.5")) == f"{name} {good} 0.5"
        return
    with pytest.raises(InputError, match=rf"did you mean '{name} {bad} 0.5'\?"):
        Threshold.parse(f"{name} {good} 0.5")


def test_percent_where_a_number_is_never_above_one() -> None:
    for figure in FIGURES.values():
        sign = ">" if figure.lower_is_better else "<"
        if figure.at_most_one:
            assert Threshold.parse(f"{figure.name} {sign} 5%").bound == 0.05
            with pytest.raises(InputError, match=r"never above 1.*or in percent: 5%"):
                Threshold.parse(f"{figure.name} {sign} 5")
        else:
            assert Threshold.parse(f"{figure.name} {sign} 5").bound == 5
            with pytest.raises(InputError, match="is not a share"):
                Threshold.parse(f"{figure.name} {sign} 5%")


def test_a_loss_is_no_small_gain() -> None:
    assert FIGURES["gain"].text(-0.05) == "−5.0%"
    assert FIGURES["gain"].text(-0.0001) == "−0.1%"


@pytest.mark.parametrize("value", [None, math.nan])
def test_what_is_not_known_does_not_pass(value: float | None) -> None:
    check = Threshold.parse("delta > 0.05").check(value, "a file cannot be made anew")
    assert not check.passed
    assert str(check) == "delta is not known: a file cannot be made anew"


def test_a_check_names_who_attains_the_figure() -> None:
    survey = uv.datasets.election_survey()
    audit = uv.audit(
        survey, "mondrian:k=5", fail_on=["delta > 0.05", "mean_d > 0.05", "accuracy > 30%",
        "gain > 1", "membership > 0.9", "k < 5"], progress=False,
        attacks=["differential-inference", "inference", "membership", "measures"],
    )  # fmt: skip
    of = {check.threshold.figure.name: check for check in audit.releases[0].checks}
    looked = audit.releases[0].looked
    moved, guessed, told = (looked[name].finding for name in
                            ("differential-inference", "inference", "membership"))  # fmt: skip
    assert isinstance(moved, uv.DifferentialInference)
    assert isinstance(guessed, uv.Inference)
    assert isinstance(told, uv.Membership)
    largest = {name: one.delta for name, one in moved.against.items()}
    by = str(of["delta"].of.by)
    assert largest[by] == moved.delta == max(largest.values()) > min(largest.values())
    assert of["mean_d"].of.by == moved.adversary.label
    assert guessed.against[str(of["accuracy"].of.by)].inside.accuracy.value == of["accuracy"].value
    gap = guessed.against[str(of["gain"].of.by)].gap
    assert gap is not None
    assert gap.value == of["gain"].value
    assert str(of["membership"].of.by).startswith(f"the attacker {told.strongest}")
    assert of["k"].of.by is None
    for name in ("delta", "mean_d", "accuracy", "gain", "membership"):
        check = of[name]
        assert f" by {check.of.by}, which is" in str(check)
    (content,) = audit.to_dict()["secrets"][0]["releases"]
    assert content["by"] == {
        name: value.by for name, value in audit.releases[0].values.items() if value.by
    }
    assert set(of) - set(content["by"]) == {"k"}
    assert guessed.to_dict()["figures"]["accuracy"]["by"] == guessed.strongest


@pytest.mark.parametrize(
    ("text", "low", "high", "among", "state"),
    [
        ("over > 10%", 0.01, 0.08, None, State.PASSES),
        ("over > 10%", 0.01, 0.12, None, State.NOT_KNOWN),
        ("over > 10%", 0.01, 0.1, None, State.PASSES),
        ("over >= 10%", 0.01, 0.1, None, State.NOT_KNOWN),
        ("over > 4%", 0.01, 0.12, None, State.FAILS),
        ("over > 10%", None, None, None, State.PASSES),
        ("over > 10%", None, None, "among 3 of 9 people", State.NOT_KNOWN),
        ("over > 10%", 0.01, 0.08, "among 3 of 9 people", State.PASSES),
        ("over > 10%", 0.01, None, None, State.NOT_KNOWN),
        ("over > 4%", None, None, "among 3 of 9 people", State.FAILS),
    ],
)
def test_thresholds_act_on_the_unfavourable_end(
    text: str, low: float | None, high: float | None, among: str | None, state: State
) -> None:
    value = FIGURES["over"].of(0.05, low=low, high=high, among=among)
    check = Threshold.parse(text).check(value)
    assert check.state is state
    assert check.passed is (state is State.PASSES)


def test_where_more_is_better_the_low_end_decides() -> None:
    k = FIGURES["k"]
    assert Threshold.parse("k < 5").check(k.of(8, low=6, high=9)).state is State.PASSES
    unsure = Threshold.parse("k < 5").check(k.of(8, low=2, high=9, remedy="give more draws"))
    assert unsure.state is State.NOT_KNOWN
    assert str(unsure) == "k is 8, which is not below 5, but it may be down to 2: give more draws"


def test_the_worst_state_decides() -> None:
    assert [str(state) for state in State] == ["fails", "not tested", "not known", "passes"]
    assert [state.exit_code for state in State] == [1, 3, 3, 0]
    assert worst([]) is None
    assert worst([State.PASSES, State.NOT_TESTED, State.FAILS]) is State.FAILS


def test_infinity_is_above_everything() -> None:
    check = Threshold.parse("beta > 5").check(math.inf)
    assert not check.passed
    assert str(check) == "beta is infinite, which is above 5"


def test_percent_and_greek() -> None:
    assert Threshold.parse("unique > 5 %").bound == 0.05
    assert Threshold.parse("δ ≥ 0.1") == Threshold.parse("delta >= 0.1")
    assert Threshold.parse("ℓ<3") == Threshold.parse("l < 3")


def test_digits_suffice_to_tell_them_apart() -> None:
    assert str(Threshold.parse("delta > 0.05").check(0.0501)) == (
        "delta is 0.0501, which is above 0.05"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("delta", "cannot read 'delta' as a threshold; write a figure, one of < <= > >="),
        ("delta = 0.05", "cannot read"),
        ("delta > ", "cannot read"),
        ("delta > a", "cannot read"),
        ("delta > nan", "cannot read"),
        ("delta > inf", "cannot read"),
        ("> 0.05", "cannot read"),
        ("0.05 < delta", "cannot read"),
        ("5 < 6", "no figure '5'"),
        ("delta > 0.05 or k < 5", "cannot read"),
        ("detla > 0.05", "no figure 'detla'; did you mean 'delta'?"),
        ("k < 5%", "k is not a share"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, said: str) -> None:
    with pytest.raises(InputError) as told:
        Threshold.parse(text)
    assert said in str(told.value)
