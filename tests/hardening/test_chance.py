"""Hardening what depends on chance: when the goal holds, and what is said and offered."""

import math

import numpy as np
import pytest
from moody import Moody
from random_tables import random_microdata

import unveil as uv
from unveil.errors import InputError
from unveil.hardening import Merged, _harden, round_line
from unveil.microdata import Intervals, Release
from unveil.sanitize import Crowds, Sanitizer

COUNTING = {"adversary": "conditional-frequency", "jobs": 1}


def hidden(microdata):
    """One class of everybody, of any age."""
    top = microdata.quasi[0].size - 1
    return Release(
        quasi=microdata.quasi,
        sensitive=microdata.sensitive,
        class_of=np.zeros(len(microdata), dtype=np.int32),
        regions=(Intervals(np.array([0], np.int32), np.array([top], np.int32)),),
        made_by="hidden",
    )


class Coin(Sanitizer):
    """Publishes the table as it is with probability ½, otherwise hides every age."""

    def __init__(self, seed=None):
        self.seed = seed

    @property
    def label(self):
        return "Coin()"

    def with_seed(self, seed):
        return Coin(seed)

    def sanitize(self, microdata):
        if np.random.default_rng(self.seed).random() < 0.5:
            return uv.Identity().sanitize(microdata)
        return hidden(microdata)


class Turns(Sanitizer):
    """Publishes the table as it is every other time; without somebody it hides every age."""

    def __init__(self):
        self.times = 0

    def sanitize(self, microdata):
        self.times += 1
        return uv.Identity().sanitize(microdata) if self.times % 2 else hidden(microdata)

    def sanitize_without(self, microdata, record):
        return hidden(microdata.without(record))


@pytest.fixture(scope="module")
def people():
    """A dozen people of four ages."""
    ages = [20, 20, 20, 30, 30, 30, 40, 40, 40, 40, 50, 50]
    votes = list("aabaabbbabba")
    return uv.read_table({"age": ages, "vote": votes}, quasi="age", sensitive="vote")


def shared(rounds, strategies=1):
    """The confidence of one round, so that all of them hold with 95 %."""
    return 1 - 0.05 / (1 + rounds * strategies)


def test_a_sampled_goal_holds_only_if_the_upper_end_does(people):
    options = {**COUNTING, "samples": 100, "seed": 1}
    finding = uv.differential_inference(people, Coin(), **options)
    high = finding.delta_within(shared(2))[1]
    assert finding.delta < finding.delta_within()[1] < high

    between = uv.harden(people, Coin(), delta=(finding.delta + high) / 2, rounds=2, **options)
    assert not between.holds
    assert len(between.rounds) == 1
    assert between.best.delta == finding.delta
    assert between.best.delta_at_most == high
    assert between.course.ended == (
        "no sampled distance is over the goal, but they are not exact enough to rule it "
        "out; sample more, such as samples=400, or ask for a smaller error"
    )
    within = uv.harden(people, Coin(), delta=high, rounds=2, **options)
    assert within.holds
    assert f"δ is {finding.delta:.3g} (at most {high:.3g})" in repr(within)
    assert "holds with 95 % confidence for all records and all rounds together" in repr(within)


def plainly(microdata, sanitizer, goal, rounds, at_most, at_a_time, **options):
    """By hand: test, drop the worst that are over the goal as sampled, again."""
    kept, history = list(range(len(microdata))), []
    while True:
        finding = uv.differential_inference(microdata.take(kept), sanitizer, **options)
        high = finding.delta_within(shared(rounds))[1]
        history.append((len(kept), finding.delta, high))
        over = [(-d, i) for i, d in enumerate(finding.distances) if d > goal]
        allowed = min(at_a_time, at_most - (len(microdata) - len(kept)))
        if high <= goal or len(history) > rounds or not over or allowed <= 0:
            return history
        gone = {i for _, i in sorted(over)[:allowed]}
        kept = [record for i, record in enumerate(kept) if i not in gone]


@pytest.mark.parametrize("goal", [0.08, 0.15, 0.3])
def test_sampled_rounds_are_those_done_by_hand(people, goal):
    options = {**COUNTING, "samples": 60}
    hardening = uv.harden(
        people, Coin(), delta=goal, rounds=3, at_most=0.5, at_a_time=0.1, **options
    )
    found = [(12 - one.removed, one.delta, one.delta_at_most) for one in hardening.rounds]
    assert found == plainly(people, Coin(), goal, 3, at_most=6, at_a_time=1, **options)
    assert all(one.sampled and not one.one_draw for one in hardening.rounds)
    assert all(one.holds == (one.delta_at_most <= goal) for one in hardening.rounds)
    if not hardening.holds:
        assert hardening.best.delta_at_most == min(one.delta_at_most for one in hardening.rounds)


def test_strategies_share_what_may_go_wrong(people):
    options = {**COUNTING, "samples": 40, "delta": 0.1, "rounds": 1}
    both = uv.harden(people, Coin(), strategy="both", **options)
    finding = uv.differential_inference(people, Coin(), **COUNTING, samples=40)
    for course in both.courses.values():
        assert course.rounds[0].delta_at_most == finding.delta_within(shared(1, 2))[1]


def test_luck_in_one_draw_is_said_to_be_one_and_sampling_does_not_fall_for_it(people):
    options = {**COUNTING, "delta": 0.1, "rounds": 1}
    lucky = uv.harden(people, Turns(), **options)
    # What was tested is hidden, and what is offered is not: both are its draws.
    assert lucky.holds
    assert lucky.release.n_classes == 4
    assert lucky.best.one_draw
    assert lucky.best.delta_at_most == lucky.best.delta
    text = repr(lucky)
    assert "holds in one draw as it is" in text
    assert "If the goal holds, that may be luck" in text
    assert "what is offered is another draw. Have it sampled with samples=100" in text
    assert "Turns() is random: between two releases of the same table" in text
    content = lucky.to_dict()
    assert content["sampled"] is None
    assert content["strategies"][0]["rounds"][0]["one_draw"] is True

    sampled = uv.harden(people, Turns(), samples=100, at_most=0.1, **options)
    assert not sampled.holds
    assert "may be luck" not in repr(sampled)
    assert "the test is about all that it may draw" in repr(sampled)


def test_one_round_that_shows_chance_tells_about_all(people):
    class Late(Turns):
        """Random only on the table that is left: no longer hidden when it is asked again."""

        def sanitize(self, microdata):
            self.times += len(microdata) < len(people)
            return uv.Identity().sanitize(microdata) if self.times > 1 else hidden(microdata)

    hardening = uv.harden(people, Late(), delta=0.001, rounds=1, at_most=0.5, **COUNTING)
    assert [one.one_draw for one in hardening.rounds] == [False, True]
    assert hardening.best.number == 0
    assert "Each round tests one draw of a random sanitizer" in repr(hardening)


def test_a_sanitizer_that_answers_alike_is_no_draw(people):
    options = {**COUNTING, "delta": 0.1, "rounds": 1}
    for f in (uv.Oracle(uv.Mondrian(k=2)), Coin(seed=1), uv.Mondrian(k=2)):
        hardening = uv.harden(people, f, **options)
        assert not any(one.one_draw or one.sampled for one in hardening.rounds)
        assert "draw" not in repr(hardening)
        again = hardening.sanitizer.sanitize(hardening.microdata)
        assert again.to_frame().equals(hardening.release.to_frame())


def test_the_order_of_the_released_rows_is_no_chance(people):
    def shuffled(table):
        return table.sample(frac=1)

    hardening = uv.harden(people, uv.Oracle(shuffled), delta=0.9, **COUNTING)
    assert not hardening.best.one_draw


def test_a_sanitizer_that_fails_when_asked_again_is_not_known_to_be_random(people):
    class Tired(Turns):
        def sanitize(self, microdata):
            self.times += 1
            if self.times > 2:
                raise InputError("enough")
            return hidden(microdata)

    hardening = uv.harden(people, Tired(), delta=0.9, **COUNTING)
    assert hardening.holds
    assert not hardening.best.one_draw


def test_a_random_adversary_draws_no_releases(people):
    hardening = uv.harden(
        people, uv.Mondrian(k=3), adversary=Moody(), samples=40, delta=0.05, rounds=1, jobs=1
    )
    assert hardening.best.sampled
    assert "δ is sampled" in repr(hardening)
    assert "one release of a sanitizer" not in repr(hardening)


def test_until_it_is_exact_enough(people):
    options = {**COUNTING, "samples": 400, "error": 0.2}
    hardening = uv.harden(people, Coin(), delta=0.9, **options)
    assert hardening.finding.sampling.wanted == 0.2
    assert hardening.finding.sampling.least < 400
    content = hardening.to_dict()
    assert content["sampled"]["error_wanted"] == 0.2
    assert content["sampled"]["confidence"] == 0.95
    assert content["sampled"]["samples_least"] == hardening.finding.sampling.least
    [one] = content["strategies"][0]["rounds"]
    assert one["delta_at_most"] == hardening.best.delta_at_most > one["delta"]


def test_the_table_the_line_and_the_picture_show_the_upper_end(people):
    hardening = uv.harden(people, Coin(), delta=0.1, rounds=2, at_most=0.5, samples=40, **COUNTING)
    heads, *rows = repr(hardening).split("  remove\n")[1].splitlines()[: 1 + len(hardening.rounds)]
    assert heads.split()[2:5] == ["δ", "at", "most"]
    for one, row in zip(hardening.rounds, rows, strict=True):
        assert row.split()[2:4] == [f"{one.delta:.3g}", f"{one.delta_at_most:.3g}"]
        told = f"δ {one.delta:.3g} (at most {one.delta_at_most:.3g})"
        assert told in round_line("remove", one)
    assert list(hardening.to_frame()["delta_at_most"]) == [
        one.delta_at_most for one in hardening.rounds
    ]
    axes = hardening.plot()
    np.testing.assert_array_equal(
        axes.lines[0].get_ydata(), [one.delta_at_most for one in hardening.rounds]
    )
    assert "at most (95% sure)" in axes.get_title()


def test_who_cannot_be_tested_does_not_pass_a_sampled_goal(people):
    class Fragile(Coin):
        def with_seed(self, seed):
            return Fragile(seed)

        def sanitize_without(self, microdata, record):
            if record == 3:
                raise InputError("not without him")
            return super().sanitize_without(microdata, record)

    hardening = uv.harden(people, Fragile(), delta=0.9, samples=20, **COUNTING)
    assert not hardening.holds
    assert hardening.best.not_tested == 1
    assert "some records could not be tested" in hardening.course.ended


def test_what_is_merged_afterwards_draws_what_the_sanitizer_draws(people):
    crowds = Crowds.of({20: 6})
    f = Merged(Coin(), crowds)
    assert not f.deterministic
    assert Merged(uv.Identity(), crowds).deterministic
    for seed in range(6):
        found = f.with_seed(seed).sanitize(people)
        inner = Coin(seed).sanitize(people)
        assert (found.n_classes == 1) == (inner.n_classes == 1)
    sampled = uv.differential_inference(people, f, samples=30, **COUNTING)
    chances = sampled.sampling.by_chance
    assert (chances > 0).any()  # two releases of the same table do differ


def test_everybody_is_attacked_by_the_sanitizers_own_adversary(people, monkeypatch):
    class Counted(Coin):
        attacked_by = "conditional-frequency"

    told = []

    def seen(table, f, *, adversary, **options):
        told.append((type(f), adversary))
        return uv.differential_inference(table, f, adversary=adversary, **options)

    monkeypatch.setattr(_harden, "differential_inference", seen)
    options = {"delta": 0.01, "rounds": 1, "at_most": 0.5, "jobs": 1, "strategy": "both"}
    uv.harden(people, Counted(seed=2), **options)
    assert told == [(kind, ("conditional-frequency",)) for kind in (Counted, Counted, Merged)]
    assert uv.harden(people, uv.Mondrian(k=2), delta=0.9).finding.adversary.label == (
        "the strongest of Bernoulli naive Bayes and conditional frequency"
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"samples": 1}, "it must be a whole number from 2 up"),
        ({"samples": 2.5}, "it must be a whole number"),
        ({"error": 0}, "it must be a number above 0 below 1"),
    ],
)
def test_bad_input_is_told_before_anything_is_tested(people, wrong, message, monkeypatch):
    monkeypatch.setattr(_harden, "differential_inference", None)
    with pytest.raises(InputError, match=message):
        uv.harden(people, Coin(), **wrong)


def test_where_nothing_is_random_there_is_nothing_to_sample(people):
    options = {"delta": 0.05, "rounds": 2, "at_most": 0.5}
    hardening = uv.harden(people, uv.Mondrian(k=2), samples=10, **options)
    exact = uv.harden(people, uv.Mondrian(k=2), **options)
    assert [one.delta for one in hardening.rounds] == [one.delta for one in exact.rounds]
    assert not any(one.sampled for one in hardening.rounds)
    assert "nothing was sampled" in repr(hardening)


def test_the_bound_is_that_of_all_adversaries(people):
    both = ["conditional-frequency", Moody()]
    finding = uv.differential_inference(
        people, uv.Mondrian(k=3), adversary=both, samples=30, jobs=1
    )
    exact = uv.differential_inference(people, uv.Mondrian(k=3), adversary=both[0])
    assert finding.delta == exact.delta  # who never sleeps is the strongest
    high = finding.delta_within(shared(1))[1]
    assert high > exact.delta
    goal = (exact.delta + high) / 2
    hardening = uv.harden(
        people, uv.Mondrian(k=3), adversary=both, samples=30, jobs=1, delta=goal, rounds=1
    )
    assert not hardening.holds
    assert hardening.best.delta_at_most == high
    assert "such as samples=120" in hardening.course.ended


@pytest.mark.parametrize(
    ("sanitizer", "classes"),
    [
        (uv.Anatomy(l=2, seed=0), 10),
        (uv.Microaggregation(k=4), 5),
        (uv.LaplaceCounts(epsilon=1.0, seed=0), 0),
    ],
    ids=lambda given: given.label if isinstance(given, Sanitizer) else None,
)
def test_without_cells_that_cover_people_records_are_removed_and_no_loss_is_told(
    sanitizer, classes
):
    votes = [f"v{i % 3}" for i in range(20)]
    table = uv.read_table({"age": range(20, 40), "vote": votes}, quasi="age", sensitive="vote")
    hardening = uv.harden(table, sanitizer, delta=1e-6, rounds=1, at_a_time=0.1, samples=4, jobs=1)
    before, after = hardening.rounds
    assert (before.removed, after.removed) == (0, 2)
    assert before.classes == classes
    assert math.isnan(after.loss)
    assert hardening.to_dict()["strategies"][0]["rounds"][1]["loss"] is None
    assert "What is lost is not told: no cells are published" in hardening.summary()
    with pytest.raises(InputError, match=r"merging enlarges classes .* use strategy='remove'"):
        uv.harden(table, sanitizer, strategy="both", samples=4, jobs=1)


def test_what_is_worked_out_is_about_all_draws():
    table = random_microdata(1, 20, ("flat",))
    hardening = uv.harden(table, uv.LaplaceCounts(epsilon=1.0), delta=0.9)
    assert hardening.holds
    assert not hardening.best.one_draw
    assert "the test is about all that it may draw" in hardening.summary()
