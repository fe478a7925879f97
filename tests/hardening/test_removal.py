"""Hardening by leaving out the worst: what each round does, and when it ends."""

from dataclasses import replace
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import random_microdata, tables_and_goals

import unveil as uv
from unveil.errors import GoalError, InputError
from unveil.hardening import _harden


def part(share, n):
    """So many of n, by decimal fractions."""
    return floor(Fraction(str(share)) * n)


def plainly(microdata, sanitizer, goal, rounds, at_most, at_a_time, **options):
    """The same by hand: test, drop the worst that are over the goal, again."""
    n, kept = len(microdata), list(range(len(microdata)))
    at_most, at_a_time = part(at_most, n), max(1, part(at_a_time, n))
    history = []
    while True:
        table = microdata.take(kept)
        finding = uv.differential_inference(table, sanitizer, **options)
        history.append((n - len(kept), finding.delta))
        if (finding.delta <= goal and not finding.not_tested) or len(history) > rounds:
            return history
        over = [(-d, i) for i, d in enumerate(finding.distances) if d > goal]
        allowed = min(at_a_time, at_most - (n - len(kept)))
        if not over or allowed <= 0:
            return history
        gone = {i for _, i in sorted(over)[:allowed]}
        kept = [record for i, record in enumerate(kept) if i not in gone]
        try:
            sanitizer.sanitize(microdata.take(kept))
        except GoalError:
            return history


@examples(80)
@given(tables_and_goals(), st.sampled_from([0.01, 0.05, 0.2]), st.integers(1, 5),
       st.sampled_from([0.05, 0.3, 0.9]), st.sampled_from([0.01, 0.1]))  # fmt: skip
def test_rounds_are_those_done_by_hand(case, goal, rounds, at_most, at_a_time):
    microdata, options = case
    f = uv.Mondrian(**options)
    limits = {"rounds": rounds, "at_most": at_most, "at_a_time": at_a_time}
    hardening = uv.harden(microdata, f, delta=goal, **limits)
    found = [(one.removed, one.delta) for one in hardening.rounds]
    np.testing.assert_array_equal(found, plainly(microdata, f, goal, **limits))
    assert len(hardening.rounds) <= rounds + 1
    assert hardening.best.removed <= part(at_most, len(microdata))
    assert hardening.best.removed == len(hardening.removed)


def test_the_goal_holds_for_what_is_offered(survey):
    f = uv.Mondrian(k=5)
    seen = []
    hardening = uv.harden(
        survey,
        f,
        delta=0.1,
        adversary="naive-bayes",
        watch=lambda strategy, one: seen.append((strategy, one)),
    )
    assert hardening.holds
    assert seen == [("remove", one) for one in hardening.rounds]
    again = uv.differential_inference(
        hardening.microdata, hardening.sanitizer, adversary="naive-bayes"
    )
    assert again.delta == hardening.finding.delta == hardening.best.delta <= 0.1
    assert hardening.sanitizer == f
    kept = np.setdiff1d(np.arange(len(survey)), hardening.removed)
    np.testing.assert_array_equal(hardening.microdata.codes, survey.codes[:, kept])
    assert len(hardening.release) == len(hardening.microdata)
    assert hardening.best.loss == uv.information_loss(hardening.release, survey).loss
    assert hardening.best.loss > uv.information_loss(hardening.release).loss


def test_what_holds_already_is_left_alone(survey):
    hardening = uv.harden(survey, uv.Mondrian(k=5), delta=0.9)
    assert len(hardening.rounds) == 1
    assert len(hardening.removed) == 0
    assert "holds as it is" in repr(hardening)
    assert "was chosen" not in repr(hardening)


def test_a_goal_that_is_not_reached_is_said_with_the_best_round(survey):
    hardening = uv.harden(survey, uv.Mondrian(k=5), delta=0.001, rounds=3)
    assert not hardening.holds
    assert hardening.best.delta == min(one.delta for one in hardening.rounds)
    verdict = hardening.verdict()
    assert verdict.startswith("The goal of 0.001 does not hold")
    assert f"{hardening.best.delta:.3g}" in verdict
    assert verdict in repr(hardening)
    assert "Ended: all 3 rounds are used." in repr(hardening)
    assert repr(hardening).count("← best") == 1


def test_no_more_are_removed_than_may_be(survey):
    hardening = uv.harden(survey, uv.Mondrian(k=5), delta=0.001, at_most=0.02, at_a_time=0.015)
    assert [one.removed for one in hardening.rounds] == [0, 14, 18]
    assert [one.changed for one in hardening.rounds] == [0, 14, 4]
    assert "no more than 18 may be removed in all" in repr(hardening)


@pytest.mark.parametrize(("n", "share", "number"), [(100, 0.29, 29), (50, 0.58, 29), (7, 0.3, 2)])
def test_a_share_is_that_of_decimal_fractions(n, share, number):
    table = random_microdata(1, n, ("numeric",))
    found = uv.harden(table, uv.Mondrian(k=2), delta=0.9, at_most=share, at_a_time=share)
    assert found.limits.at_most == found.limits.at_a_time == number


def test_a_table_too_small_to_remove_anybody_from():
    few = random_microdata(0, 9, ("numeric",))
    hardening = uv.harden(few, uv.Mondrian(k=2), delta=1e-6)
    assert len(hardening.rounds) == 1
    assert "no round made it better" in repr(hardening)


def test_when_the_table_left_cannot_be_anonymized_what_was_done_is_kept():
    table = uv.read_table(
        {"q": [1, 2, 3, 4, 5, 6], "s": ["a", "b", "a", "b", "c", "a"]}, quasi="q", sensitive="s"
    )
    hardening = uv.harden(table, uv.Mondrian(k=5), delta=1e-6, at_most=0.9)
    assert [one.removed for one in hardening.rounds] == [0, 1]
    assert hardening.rounds[-1].not_tested == 5
    assert hardening.best.number == 0
    assert "NOT TESTED in the last round: 5 records" in repr(hardening)
    assert "some records could not be tested" in hardening.course.ended


def test_a_goal_error_on_the_way_ends_it():
    table = uv.read_table({"q": [1, 2, 3, 9], "s": list("abca")}, quasi="q", sensitive="s")
    f = uv.Mondrian(k=3)
    hardening = uv.harden(table, f, delta=1e-9, at_most=0.9, at_a_time=0.5)
    assert len(hardening.rounds) == 1
    assert "cannot be met" in hardening.course.ended


def test_who_could_not_be_tested_does_not_pass():
    one = uv.read_table({"q": [1, 2], "s": ["a", "b"]}, quasi="q", sensitive="s")
    hardening = uv.harden(one, uv.Mondrian(k=2))
    assert not hardening.holds
    assert np.isnan(hardening.best.delta)
    assert hardening.to_dict()["strategies"][0]["rounds"][0]["delta"] is None


def test_an_interrupt_keeps_the_rounds_that_were_finished(survey, monkeypatch):
    test, calls = _harden.differential_inference, []

    def third_is_interrupted(*args, **options):
        calls.append(1)
        # Everybody may have been tested, if not as exactly as was asked for.
        return replace(test(*args, **options), interrupted=len(calls) == 3)

    whole = uv.harden(survey, uv.Mondrian(k=5), delta=0.01, rounds=3)
    monkeypatch.setattr(_harden, "differential_inference", third_is_interrupted)
    hardening = uv.harden(survey, uv.Mondrian(k=5), delta=0.01, rounds=3)
    assert hardening.interrupted
    found = [(one.removed, one.delta) for one in hardening.rounds]
    assert found == [(one.removed, one.delta) for one in whole.rounds[:2]]
    assert "Ended: it was interrupted." in repr(hardening)


def test_an_interrupt_before_the_first_round_is_one(survey, monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(_harden, "differential_inference", interrupted)
    with pytest.raises(KeyboardInterrupt):
        uv.harden(survey, uv.Mondrian(k=5))


def test_what_the_test_is_told_is_handed_on(survey):
    options = {"adversary": "conditional-frequency", "distance": "hellinger"}
    hardening = uv.harden(survey, uv.Mondrian(k=5), delta=1e-3, rounds=1, **options)
    first = uv.differential_inference(survey, uv.Mondrian(k=5), **options)
    assert hardening.rounds[0].delta == first.delta
    assert hardening.rounds[0].mean == first.mean
    assert hardening.finding.distance == "Hellinger"


def test_a_prior_of_each_goes_with_its_record():
    table = random_microdata(2, 60, ("numeric", "flat"))
    prior = np.random.default_rng(0).dirichlet(np.ones(4), 60)
    f, options = uv.Mondrian(k=3), {"at_a_time": 0.05, "rounds": 1}
    hardening = uv.harden(table, f, delta=1e-3, prior=prior, **options)
    gone = np.setdiff1d(np.arange(60), hardening.course.attempt.kept)
    assert hardening.best.number == 0 or len(gone) == 3
    kept = np.setdiff1d(np.arange(60), _worst(table, f, prior, 3))
    last = uv.differential_inference(table.take(kept), f, prior=prior[kept])
    assert hardening.rounds[1].delta == last.delta


def _worst(table, f, prior, n):
    return uv.differential_inference(table, f, prior=prior).worst_places(n)


def test_oracles_can_be_hardened():
    table = random_microdata(4, 40, ("numeric", "flat"))
    f = uv.Mondrian(k=3)
    options = {"delta": 0.02, "rounds": 3, "at_most": 0.3}
    known = uv.harden(table, f, **options)
    hidden = uv.harden(table, uv.Oracle(f), **options)
    assert [one.removed for one in hidden.rounds] == [one.removed for one in known.rounds]
    np.testing.assert_allclose(
        [one.delta for one in hidden.rounds], [one.delta for one in known.rounds], atol=1e-12
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"delta": 0}, "it must be a number above 0"),
        ({"delta": float("nan")}, "it must be a number above 0"),
        ({"delta": "0.05"}, "it must be a number above 0"),
        ({"rounds": 0}, "it must be a whole number from 1 up"),
        ({"rounds": 2.5}, "it must be a whole number"),
        ({"at_most": 0}, "it must be a number above 0 below 1"),
        ({"at_most": 1.0}, "it must be a number above 0 below 1"),
        ({"at_a_time": 1.5}, "it must be a number above 0 below 1"),
        ({"strategy": "remov"}, "strategy= must be .* got 'remov'; did you mean 'remove'"),
        ({"strategy": []}, r"strategy= must be .* got \[\]"),
        ({"strategy": None}, "strategy= must be remove, merge or both, got None"),
        ({"strategy": [None]}, "strategy= must be .* got None"),
        ({"strategy": [[1]]}, r"strategy= must be .* got \[1\]"),
        ({"strategy": {"remove"}}, "strategy= must be .* got {'remove'}"),
        ({"strategy": ["remove", "merg"]}, "got 'merg'; did you mean 'merge'"),
        ({"strategy": np.array(["remove", "merge"])}, "strategy= must be .* got array"),
        ({"adversary": "navie-bayes"}, "did you mean 'naive-bayes'"),
        ({"distance": "total-variatoin"}, "did you mean 'total-variation'"),
        ({"prior": {"a": 1.0}}, "prior"),
    ],
)
def test_bad_input_is_told_before_anything_is_tested(survey, wrong, message, monkeypatch):
    monkeypatch.setattr(_harden, "differential_inference", None)
    with pytest.raises(InputError, match=message):
        uv.harden(survey, uv.Mondrian(k=5), **wrong)


def test_releases_made_beforehand_are_not_enough(tmp_path):
    table = random_microdata(4, 12, ("numeric", "flat"))
    f = uv.Mondrian(k=3)
    f.sanitize(table).to_frame().to_csv(tmp_path / "full.csv", index=False)
    without = f.sanitize(table.without(3)).to_frame()
    without.to_csv(tmp_path / "without_000003.csv", index=False)
    with pytest.raises(InputError, match="has only releases made beforehand"):
        uv.harden(table, uv.Oracle(tmp_path))


def test_an_adversary_for_whom_the_table_is_changed_is_refused(survey):
    guesser = uv.Classifier(uv.NearestNeighbours(), encoding="quantiles-before-hot")
    with pytest.raises(InputError, match="changes the table before it is sanitized"):
        uv.harden(survey, uv.Mondrian(k=5), adversary=guesser)


def test_a_table_without_roles_is_told_so():
    with pytest.raises(InputError, match="harden needs microdata"):
        uv.harden({"q": [1]}, uv.Mondrian(k=1))
