"""Hardening by larger classes, and both strategies side by side."""

import json
from fractions import Fraction
from math import floor

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import tables_and_goals, texts_of

import unveil as uv
from unveil.hardening import _harden


def part(share, n):
    """So many of n, by decimal fractions."""
    return floor(Fraction(str(share)) * n)


def plainly(microdata, sanitizer, goal, rounds, at_most, at_a_time):
    """The same by hand: all in a class with somebody over the goal ask for half as many again."""
    n, crowds, history = len(microdata), {}, []
    most = min(part(at_most, n), n - 1)
    while True:
        f = uv.Mondrian(**sanitizer, crowds=crowds)
        finding = uv.differential_inference(microdata, f)
        release = f.sanitize(microdata)
        history.append(finding.delta)
        if (finding.delta <= goal and not finding.not_tested) or len(history) > rounds:
            return history
        size = {i: int(release.sizes[release.class_of[i]]) for i in range(n)}
        over = [(-d, i) for i, d in enumerate(finding.distances) if d > goal and size[i] < most]
        if not over:
            return history
        worst = {int(release.class_of[i]) for _, i in sorted(over)[: max(1, part(at_a_time, n))]}
        for i in range(n):
            if int(release.class_of[i]) in worst:
                who = texts_of(microdata, i)
                crowds[who] = max(crowds.get(who, 0), min(-(-3 * size[i] // 2), most))


@examples(80)
@given(tables_and_goals(), st.sampled_from([0.01, 0.05, 0.2]), st.integers(1, 5),
       st.sampled_from([0.3, 0.9]), st.sampled_from([0.01, 0.1]))  # fmt: skip
def test_rounds_are_those_done_by_hand(case, goal, rounds, at_most, at_a_time):
    microdata, options = case
    limits = {"rounds": rounds, "at_most": at_most, "at_a_time": at_a_time}
    hardening = uv.harden(microdata, uv.Mondrian(**options), delta=goal, strategy="merge", **limits)
    found = [one.delta for one in hardening.rounds]
    np.testing.assert_array_equal(found, plainly(microdata, options, goal, **limits))
    assert len(hardening.removed) == 0
    assert len(hardening.release) == len(microdata)


def test_the_goal_holds_for_what_is_offered_and_nobody_is_lost(survey):
    f = uv.Mondrian(k=5, regions="cut")
    hardening = uv.harden(survey, f, delta=0.2, strategy="merge")
    assert hardening.holds
    assert hardening.strategy == "merge"
    assert hardening.microdata is survey
    again = uv.differential_inference(survey, hardening.sanitizer)
    assert again.delta == hardening.best.delta <= 0.2
    assert hardening.best.enlarged == len(hardening.sanitizer.crowds) > 0
    assert hardening.best.loss > hardening.rounds[0].loss
    assert hardening.release.made_by.startswith("Mondrian(k=5, regions='cut', crowds=")
    assert "larger classes for" in repr(hardening)
    assert "tight" not in repr(hardening)


def test_own_crowds_are_kept(survey):
    own = {texts_of(survey, 0): 100}
    hardening = uv.harden(survey, uv.Mondrian(k=5, crowds=own), strategy="merge", rounds=2)
    sizes = dict(hardening.course.attempt.sanitizer.crowds.sizes)
    assert sizes[texts_of(survey, 0)] >= 100


def test_where_classes_may_not_grow_it_ends(survey):
    hardening = uv.harden(survey, uv.Mondrian(k=5), delta=0.001, strategy="merge", at_most=0.008)
    assert hardening.course.ended == (
        "all who are over the goal are in classes of at least 7 (at_most=)"
    )
    assert max(size for _, size in hardening.course.attempt.sanitizer.crowds.sizes) <= 7


def test_tight_regions_are_said_to_be_in_the_way(survey):
    hardening = uv.harden(survey, uv.Mondrian(k=5), delta=0.01, strategy="merge", rounds=2)
    assert not hardening.holds
    assert "A tight region ends where its members end" in repr(hardening)


def test_both_side_by_side(survey):
    f = uv.Mondrian(k=5, regions="cut")
    both = uv.harden(survey, f, delta=0.2, strategy="both")
    assert list(both.courses) == ["remove", "merge"]
    for name, course in both.courses.items():
        alone = uv.harden(survey, f, delta=0.2, strategy=name)
        assert [(r.removed, r.enlarged, r.delta) for r in course.rounds] == [
            (r.removed, r.enlarged, r.delta) for r in alone.rounds
        ]
    assert both.holds
    losses = {name: c.best.loss for name, c in both.courses.items() if c.best.holds}
    assert both.strategy == min(losses, key=losses.get)
    frame = both.to_frame()
    assert frame.groupby("strategy").size().to_dict() == {
        name: len(course.rounds) for name, course in both.courses.items()
    }
    assert frame["best"].sum() == 2
    assert list(uv.harden(survey, f, delta=0.9, strategy=["merge", "both"]).courses) == [
        "merge", "remove",
    ]  # fmt: skip
    listed = uv.harden(survey, f, strategy=["merge", "remove"])
    assert list(listed.courses) == ["merge", "remove"]
    assert listed.strategy == both.strategy


def test_an_interrupt_in_one_strategy_ends_all(survey, monkeypatch):
    test, calls = _harden.differential_inference, []

    def third_is_interrupted(*args, **options):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return test(*args, **options)

    monkeypatch.setattr(_harden, "differential_inference", third_is_interrupted)
    hardening = uv.harden(survey, uv.Mondrian(k=5), strategy="both")
    assert list(hardening.courses) == ["remove"]
    assert len(hardening.rounds) == 2
    assert hardening.interrupted


def test_as_json(survey):
    both = uv.harden(survey, uv.Mondrian(k=5), delta=0.1, strategy="both")
    content = json.loads(both.to_json())
    assert content["finding"] == "hardening"
    assert content["holds"] is both.holds
    assert [c["strategy"] for c in content["strategies"]] == ["remove", "merge"]
    assert content["strategies"][0]["rounds"][0]["delta"] == both.rounds[0].delta
    assert "removed_records" not in content["strategies"][0]
    told = both.to_dict(records=True)["strategies"]
    assert told[0]["removed_records"] == both.courses["remove"].removed.tolist()
    assert told[1]["removed_records"] == []


def test_as_a_picture(survey):
    both = uv.harden(survey, uv.Mondrian(k=5), delta=0.1, strategy="both")
    axes = both.plot()
    drawn = {
        tuple(np.round(line.get_ydata(), 12)) for line in axes.lines if len(line.get_xdata()) > 2
    }
    for course in both.courses.values():
        assert tuple(np.round([one.delta for one in course.rounds], 12)) in drawn
        assert tuple(np.round([one.mean for one in course.rounds], 12)) in drawn
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    lines = [f"{name}: {what}" for name in both.courses for what in ("δ", "mean")]
    assert labels == [*lines, "goal 0.1"]
    assert f"{both.strategy} (offered): " in both.story().charts[0].says
    assert both.plot(axes) is axes


def test_what_cannot_be_tested_is_drawn_as_nothing():
    two = uv.read_table({"q": [1, 2], "s": ["a", "b"]}, quasi="q", sensitive="s")
    axes = uv.harden(two, uv.Mondrian(k=2)).plot()
    assert np.isnan(axes.lines[0].get_ydata()).all()
