"""Sampling sanitizers and adversaries we know nothing about."""

import json
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from moody import Moody

import unveil as uv
from unveil.adversary import Adversary
from unveil.attacks.differential import _sampled_beliefs
from unveil.attacks.differential._sampled_beliefs import affordable
from unveil.microdata import Intervals, Release
from unveil.sanitize import Sanitizer


class Coin(Sanitizer):
    """Publishes the table as it is with probability ½, otherwise hides every age."""

    def __init__(self, seed=0):
        self.seed = seed

    def with_seed(self, seed):
        return Coin(seed)

    def sanitize(self, microdata):
        if np.random.default_rng(self.seed).random() < 0.5:
            return uv.Identity().sanitize(microdata)
        top = microdata.quasi[0].size - 1
        return Release(
            quasi=microdata.quasi,
            sensitive=microdata.sensitive,
            class_of=np.zeros(len(microdata), dtype=np.int32),
            regions=(Intervals(np.array([0], np.int32), np.array([top], np.int32)),),
            made_by="Coin()",
        )


@pytest.fixture(scope="module")
def survey():
    ages = [20, 20, 30, 30, 40, 50]
    votes = ["a", "b", "a", "a", "b", "a"]
    return uv.read_table({"age": ages, "vote": votes}, quasi="age", sensitive="vote")


def truth(survey, record):
    """Value by value the distribution has two points; its distance by hand."""
    shares = []
    for table in (survey, survey.without(record)):
        exact = uv.Identity().sanitize(table)
        counts = exact.joint_counts(survey.codes[:, [record]])[0].astype(float)
        total = table.sensitive_counts.astype(float)
        open_ = counts if counts.sum() else total
        shares.append((open_ / open_.sum(), total / total.sum()))
    (open_with, shut_with), (open_without, shut_without) = shares
    distance = 0.0
    for j in range(survey.sensitive.size):
        x = np.sort([open_with[j], shut_with[j]])
        y = np.sort([open_without[j], shut_without[j]])
        distance += np.abs(x - y).mean()
    return distance / 2


def test_a_random_sanitizer(survey):
    finding = uv.differential_inference(
        survey, Coin(), adversary="conditional-frequency", samples=600
    )
    assert finding.way == "sampled"
    for record in range(len(survey)):
        off = finding.distances[record] - truth(survey, record)
        slack = 4 * finding.sampling.standard_error[record]
        assert -slack - finding.sampling.bias[record] <= off <= slack


def test_a_random_adversary(survey):
    finding = uv.differential_inference(survey, uv.Identity(), adversary=Moody(), samples=400)
    plain = uv.differential_inference(survey, uv.Identity(), adversary="conditional-frequency")
    # Every other belief does not move at all.
    for record in range(len(survey)):
        slack = 4 * finding.sampling.standard_error[record] + finding.sampling.bias[record]
        assert finding.distances[record] <= plain.distances[record] + slack
    tail = finding.tail(0.01).probability
    assert (tail[plain.distances > 0.01] > 0.1).all()


def test_same_seed_same_numbers_whatever_the_workers(survey):
    options = {"adversary": "conditional-frequency", "samples": 20, "targets": [0, 2, 4]}
    one = uv.differential_inference(survey, Coin(), jobs=1, **options)
    again = uv.differential_inference(survey, Coin(), jobs=1, **options)
    two = uv.differential_inference(survey, Coin(), backend="threading", jobs=2, **options)
    assert np.array_equal(one.distances, again.distances)
    assert np.array_equal(one.distances, two.distances)


def test_goes_on_until_it_is_exact_enough(survey):
    finding = uv.differential_inference(
        survey, Coin(), adversary="conditional-frequency", error=0.1, samples=4096
    )
    assert (finding.sampling.error <= 0.1).all()
    assert finding.sampling.least < 4096
    assert len(set(finding.sampling.samples.tolist())) > 1  # no more than each one needs


def test_budget_ends_it(survey):
    finding = uv.differential_inference(
        survey, Coin(), adversary="conditional-frequency", error=1e-6, budget=0.3
    )
    assert finding.sampling.too_coarse == len(finding.targets) > 0
    assert "the samples or the budget ended before" in finding.summary()


@pytest.mark.parametrize("asked", [{}, {"samples": 40}, {"error": 1e-6}])
def test_a_budget_of_runs_is_kept_and_the_same_every_time(survey, asked):
    runs = []

    class Counted(Coin):
        is_random = True

        def with_seed(self, seed):
            return Counted(seed)

        def sanitize(self, microdata):
            runs.append(1)
            return super().sanitize(microdata)

    def tested():
        runs.clear()
        return uv.differential_inference(
            survey, Counted(), adversary="conditional-frequency", budget="400 runs", jobs=1, **asked
        )

    one, other = tested(), tested()
    # What is published and what the adversary sees of it before take two more.
    assert 200 < len(runs) <= 400 + 3
    assert one.to_dict(records=True) == other.to_dict(records=True)
    assert one.facts["budget"] == "400 runs"
    assert one.facts["reproducible"]


def test_a_budget_asks_about_no_more_people_than_it_reaches(survey, monkeypatch):
    """Of those whom it does not reach nothing is held, and nothing is drawn to compare with."""

    class Known(Coin):
        is_random = True

        def with_seed(self, seed):
            return Known(seed)

    fitting = []
    monkeypatch.setattr(_sampled_beliefs, "affordable", lambda runs, samples, people: (40, 2))
    monkeypatch.setattr(
        _sampled_beliefs,
        "_fitting",
        lambda question, records, chance: fitting.append(len(records)) or 99,
    )
    finding = uv.differential_inference(
        survey, Known(), adversary="conditional-frequency", budget="1 h"
    )
    assert fitting == [2]
    assert len(finding.targets) >= 2  # those who equal them are known, too
    assert set(finding.sampling.samples.tolist()) == {40}
    asked = uv.differential_inference(
        survey, Known(), adversary="conditional-frequency", budget="1 h", samples=30
    )
    assert set(asked.sampling.samples.tolist()) == {30}
    assert len(asked.targets) == len(survey)


@given(st.integers(0, 10**9), st.integers(2, 2000), st.integers(1, 50_000))
def test_what_can_be_afforded(runs, samples, people):
    often, many = affordable(runs, samples, people)
    assert min(32, samples) <= often <= samples
    assert 1 <= many <= people
    # The least that there can be is one person, and that may take more.
    assert often * (many + 1) <= runs or many == 1
    # There are no runs left for one more person, and another sample of everybody.
    more = (often + 1) * (many + 2)
    assert (often, many) == (samples, people) or many == people or more > runs


def test_several_adversaries_share_the_releases(survey):
    finding = uv.differential_inference(
        survey, Coin(), adversary=["conditional-frequency", "naive-bayes"], samples=40
    )
    assert set(finding.against) == {"conditional frequency", "Bernoulli naive Bayes"}
    best = np.maximum(*(one.distances for one in finding.against.values()))
    assert np.array_equal(finding.distances, best)
    for place, who in enumerate(finding.strongest):
        one = list(finding.against.values())[who]
        assert finding.sampling.as_published[place] == one.sampling.as_published[place]


def test_a_warning_where_nobody_asked_for_samples(survey):
    rng = np.random.default_rng(0)

    def flips(table):
        return table.assign(age=rng.permutation(table["age"]))

    finding = uv.differential_inference(survey, uv.Oracle(flips, may_change_quasi=True), jobs=1)
    assert any("samples=100" in note for note in finding.notes)
    sampled = uv.differential_inference(
        survey, uv.Oracle(flips, may_change_quasi=True), samples=10, jobs=1
    )
    assert not any("is random" in note for note in sampled.notes)
    assert sampled.sampling.most == 10


def test_failures_are_counted_not_lost(survey):
    class Refuses(Coin):
        def with_seed(self, seed):
            return self

        def sanitize_without(self, microdata, record):
            if record == 2:
                raise ValueError("not without you")
            return uv.Identity().sanitize(microdata.without(record))

    finding = uv.differential_inference(
        survey, Refuses(), adversary="conditional-frequency", samples=5, jobs=1
    )
    assert np.isnan(finding.distances[2])
    assert finding.not_tested == {"the sanitizer failed": 1}
    assert finding.failures == ((2, "ValueError: not without you"),)
    assert np.isfinite(np.delete(finding.distances, 2)).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"samples": 1}, "it must be a whole number from 2 up"),
        ({"samples": 2.5}, "it must be a whole number from 2 up"),
        ({"error": 0}, "it must be a number above 0 below 1"),
        ({"error": float("nan")}, "it must be a number above 0 below 1"),
        ({"epsilons": [0.1, -1]}, "epsilons= must be numbers above 0"),
        ({"epsilons": "abc"}, "epsilons= must be numbers above 0"),
        ({"samples": 10, "distance": "kl"}, "use total-variation or l1"),
        ({"samples": 10**12}, "do not fit into memory"),
    ],
)
def test_bad_requests(survey, options, message):
    with pytest.raises(uv.UnveilError, match=message):
        uv.differential_inference(survey, Coin(), adversary="conditional-frequency", **options)


def test_nothing_to_sample(survey):
    exact = uv.differential_inference(survey, uv.Mondrian(k=2))
    asked = uv.differential_inference(survey, uv.Mondrian(k=2), samples=10)
    assert asked.way == "fast"
    assert np.array_equal(asked.distances, exact.distances)
    assert "nothing here is random, so nothing was sampled" in asked.notes


def test_models_draw_by_the_seed(survey):
    options = {"adversary": "forest:n_estimators=3", "samples": 6, "targets": 2, "jobs": 1}
    one = uv.differential_inference(survey, uv.Identity(), **options)
    two = uv.differential_inference(survey, uv.Identity(), **options)
    assert one.sampling.most == 6
    assert np.array_equal(one.distances, two.distances)
    assert (one.sampling.standard_error > 0).any()


class Rarely(Coin):
    """Publishes the table as it is in one of 25 cases."""

    def with_seed(self, seed):
        return Rarely(seed)

    def sanitize(self, microdata):
        open_ = np.random.default_rng(self.seed).random() < 0.04
        return (uv.Identity() if open_ else uv.Mondrian(k=len(microdata))).sanitize(microdata)


def test_what_is_rare_may_not_have_been_seen():
    """Not one sample may show it, but the error must leave room for it."""
    ids = uv.read_table({"id": range(20), "v": ["a", "b"] * 10}, quasi="id", sensitive="v")
    shut, open_ = (
        uv.differential_inference(ids, sanitizer, adversary="conditional-frequency").distances[0]
        for sanitizer in (uv.Mondrian(k=19), uv.Identity())
    )
    right = 0
    for seed in range(40):
        finding = uv.differential_inference(
            ids, Rarely(), adversary="conditional-frequency", samples=32, seed=seed,
            targets=[0], jobs=1,
        )  # fmt: skip
        low, high = finding.delta_within()
        right += low <= 0.96 * shut + 0.04 * open_ <= high
        assert finding.sampling.error[0] >= np.log(40) / 32 - 1e-9
    assert right >= 36


def test_budget_holds_before_the_first_target(survey):
    asked = []

    def slow(table):
        asked.append(0)
        time.sleep(0.01)
        return table.assign(age=np.random.default_rng(len(asked)).permutation(table["age"]))

    finding = uv.differential_inference(
        survey, uv.Oracle(slow, may_change_quasi=True), samples=5000, budget=0.2, jobs=1
    )
    assert len(finding.targets) >= 1
    assert finding.sampling.most < 5000


def test_one_failure_of_many_is_tried_again(survey):
    class Stumbles(Coin):
        def with_seed(self, seed):
            return Stumbles(seed)

        def sanitize(self, microdata):
            if np.random.default_rng([self.seed, 1]).random() < 0.1:
                raise OSError("no connection")
            return super().sanitize(microdata)

    finding = uv.differential_inference(
        survey, Stumbles(8), adversary="conditional-frequency", samples=60, jobs=1
    )
    assert np.isfinite(finding.distances).all()


def test_without_a_number_as_many_samples_as_fit(survey, monkeypatch):
    monkeypatch.setattr(_sampled_beliefs, "_MOST_BYTES", 8 * 2 * 6 * 2 * 50)
    finding = uv.differential_inference(
        survey, Coin(), adversary="conditional-frequency", error=1e-6, jobs=1
    )
    assert finding.sampling.most == 50
    assert any("only 50 samples fit into memory" in note for note in finding.notes)


def test_an_interrupt_of_refining_is_an_interrupt(survey, monkeypatch):
    plain = _sampled_beliefs._Sampler._stage

    def stage(self, waiting, done, upto):
        if done:
            raise KeyboardInterrupt
        yield from plain(self, waiting, done, upto)

    monkeypatch.setattr(_sampled_beliefs._Sampler, "_stage", stage)
    finding = uv.differential_inference(
        survey, Coin(), adversary="conditional-frequency", error=1e-6, jobs=1
    )
    assert finding.interrupted
    assert finding.not_tested == {}
    assert np.isfinite(finding.distances).all()
    assert "it was interrupted" in finding.summary()


class Calm(Adversary):
    """Counts, and draws nothing."""

    def predict(self, release, codes):
        counts = release.joint_counts(codes) + 1.0
        return counts / counts.sum(axis=1, keepdims=True)


class Never(Calm):
    """Has no belief about anybody."""

    def predict(self, release, codes):
        return np.full((codes.shape[1], release.sensitive.size), np.nan)


@pytest.mark.parametrize("adversaries", [[Calm(), Moody()], [Moody(), Calm()]])
def test_who_draws_is_sampled_whoever_stands_beside_him(survey, adversaries):
    both = uv.differential_inference(
        survey, uv.Mondrian(k=2), adversary=adversaries, samples=50, jobs=1
    )
    alone = uv.differential_inference(
        survey, uv.Mondrian(k=2), adversary=Moody(), samples=50, jobs=1
    )
    assert both.against["Moody"].way == "sampled"
    assert both.against["Calm"].way == "general"
    assert np.isfinite(both.against["Moody"].distances).all()
    assert both.against["Moody"].sampling.most == alone.sampling.most
    low, high = both.delta_within()
    assert low <= both.delta <= high <= 1
    with_calm = max(both.against["Calm"].delta, both.against["Moody"].delta)
    assert both.delta == with_calm
    json.loads(both.to_json(), parse_constant=pytest.fail)
    curve, tail = both.tails(), both.tail(0.05)
    assert curve.loc[np.isclose(curve["epsilon"], 0.05), "delta"].item() == tail.delta


@pytest.mark.parametrize("first", [True, False])
def test_one_without_beliefs_does_not_spoil_the_others(survey, first):
    adversaries = [Never(), "conditional-frequency"][:: 1 if first else -1]
    finding = uv.differential_inference(survey, Coin(), adversary=adversaries, samples=20, jobs=1)
    low, high = finding.delta_within()
    assert low <= finding.delta <= high
    tail = finding.tail(0.1)
    assert np.isfinite(tail.high).all()
    assert "between nan" not in finding.summary()


def test_bound_of_several_is_no_lower_than_that_of_one(survey):
    finding = uv.differential_inference(
        survey, uv.Mondrian(k=2), adversary=["naive-bayes", Moody()], samples=10, jobs=1
    )
    for threshold in (0.01, 0.1, 0.3):
        most = max(one.bound(threshold).at_most for one in finding.against.values())
        assert finding.bound(threshold).at_most >= most


def test_an_adversary_who_fails_on_some_is_not_tested_on_them(survey):
    class Picky(Moody):
        def with_seed(self, seed):
            return Picky(seed)

        def predict(self, release, codes):
            if (codes[0] == 0).any():
                raise ValueError("not that one")
            return super().predict(release, codes)

    finding = uv.differential_inference(
        survey, uv.Mondrian(k=2), adversary=Picky(), samples=10, jobs=1
    )
    gone = survey.codes[0] == 0
    assert np.array_equal(np.isnan(finding.distances), gone)
    assert list(finding.not_tested.values()) == [int(gone.sum())]
    assert {record for record, _ in finding.failures} == set(np.flatnonzero(gone).tolist())


def test_an_adversary_who_fails_now_and_then_is_asked_again(survey):
    class Absent(Moody):
        def with_seed(self, seed):
            return Absent(seed)

        def predict(self, release, codes):
            if self.seed % 10 == 0:
                raise ValueError("busy")
            return super().predict(release, codes)

    finding = uv.differential_inference(
        survey, uv.Mondrian(k=2), adversary=Absent(), samples=40, jobs=1
    )
    assert np.isfinite(finding.distances).all()
