"""What goes wrong for some people, or in the middle, takes nobody else along."""

import os
import signal

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, GaussianNB

import unveil as uv
from unveil.adversary import Adversary, EncodedNaiveBayes, NaiveBayes, UpdatingAdversary
from unveil.engine import _parallel
from unveil.errors import InputError

PEOPLE = uv.datasets.census(60, seed=5)
MONDRIAN = uv.Mondrian(k=4)
PLAIN = uv.differential_inference(PEOPLE, MONDRIAN, path="general", jobs=1, adversary="naive-bayes")
UNLUCKY = {0, 17, 18, 41}  # the first target among them


class Picky(NaiveBayes):
    """Cannot stand some people, whoever is asked about with them."""

    def predict(self, release, codes):
        for record in UNLUCKY:
            if (codes == PEOPLE.codes[:, [record]]).all(axis=0).any():
                raise RuntimeError("not them")
        return super().predict(release, codes)


@pytest.mark.parametrize("jobs", [1, 2])
def test_whom_an_adversary_cannot_handle_takes_no_others_along(jobs):
    alike = {
        i for i in range(60) for j in UNLUCKY if (PEOPLE.codes[:, i] == PEOPLE.codes[:, j]).all()
    }
    finding = uv.differential_inference(
        PEOPLE, MONDRIAN, adversary=Picky(), path="general", jobs=jobs
    )
    assert set(np.flatnonzero(np.isnan(finding.distances)).tolist()) == alike
    others = [i for i in range(60) if i not in alike]
    np.testing.assert_array_equal(finding.distances[others], PLAIN.distances[others])


class PickyLearner(UpdatingAdversary):
    """The same, and it cannot forget the fifth record."""

    def predict(self, release, codes):
        return Picky().predict(release, codes)

    def predict_without(self, release, codes, rows):
        if 5 in rows:
            raise RuntimeError("nor five")
        without = [uv.Identity().sanitize(PEOPLE.without(int(row))) for row in rows]
        return np.vstack([NaiveBayes().predict(r, codes[:, [t]]) for t, r in enumerate(without)])


def test_nor_does_it_on_the_updating_way():
    finding = uv.differential_inference(PEOPLE, uv.Identity(), adversary=PickyLearner())
    assert finding.way == "updating"
    expected = uv.differential_inference(PEOPLE, uv.Identity(), adversary="naive-bayes")
    had = ~np.isnan(finding.distances)
    assert not had[5]
    assert 0 < (~had).sum() < 12
    np.testing.assert_allclose(finding.distances[had], expected.distances[had], atol=1e-12)


def test_a_record_that_ends_every_worker_takes_no_others_along(monkeypatch):
    # Every round starts processes anew; that there are several is tested with work that is quick.
    monkeypatch.setattr(_parallel, "_ROUNDS", 1)
    here, last = os.getpid(), PEOPLE.rows[17]

    def kills(microdata):
        if os.getpid() != here and last not in microdata.rows:
            os.kill(os.getpid(), signal.SIGKILL)
        return MONDRIAN(microdata)

    oracle = uv.Oracle(kills, takes="microdata")
    finding = uv.differential_inference(
        PEOPLE, oracle, adversary="naive-bayes", jobs=2, targets=range(10, 30)
    )
    assert np.flatnonzero(np.isnan(finding.distances)).tolist() == [7]
    assert finding.not_tested == {"the sanitizer failed": 1}
    others = np.delete(np.arange(20), 7)
    np.testing.assert_array_equal(finding.distances[others], PLAIN.distances[10:30][others])


class Interrupts(uv.Mondrian):
    """The user has had enough at the tenth run."""

    leave_one_out = None
    runs = 0

    def sanitize(self, microdata):
        type(self).runs += 1
        if type(self).runs == 10:
            raise KeyboardInterrupt
        return super().sanitize(microdata)


def test_an_interrupt_ends_all_runs_and_is_said():
    Interrupts.runs = 0
    finding = uv.differential_inference(
        PEOPLE,
        uv.Oracle(Interrupts(k=4), takes="microdata"),
        adversary=["naive-bayes", EncodedNaiveBayes("quantiles-before-hot")],
        jobs=1,
    )
    assert Interrupts.runs <= 12  # the second adversary's release, and no more
    assert finding.not_tested == {"interrupted": len(PEOPLE)}
    first = finding.against["Bernoulli naive Bayes"]
    assert 0 < len(first.tested) < len(PEOPLE)
    assert first.not_tested["interrupted"] == len(PEOPLE) - len(first.tested)


def test_an_interrupt_of_the_updating_way_keeps_what_was_found(monkeypatch):
    monkeypatch.setattr("unveil.attacks.differential._beliefs._STEP", 10)

    class Impatient(UpdatingAdversary):
        def predict(self, release, codes):
            return NaiveBayes().predict(release, codes)

        def predict_without(self, release, codes, rows):
            if 35 in rows:
                raise KeyboardInterrupt
            return NaiveBayes().predict(release, codes)

    finding = uv.differential_inference(PEOPLE, uv.Identity(), adversary=Impatient())
    assert len(finding.tested) >= 10
    assert set(finding.not_tested) == {"interrupted"}


def test_an_adversary_that_could_not_be_tested_is_noted_beside_the_others():
    class Broken(Adversary):
        def predict(self, release, codes):
            if len(release) < len(PEOPLE):
                raise RuntimeError("too few")
            return NaiveBayes().predict(release, codes)

    finding = uv.differential_inference(
        PEOPLE, MONDRIAN, adversary=["naive-bayes", Broken()], targets=8, jobs=1
    )
    assert any("Broken could not be tested on 8 of 8 targets" in note for note in finding.notes)


def test_the_sample_of_several_is_that_of_the_one_who_came_to_the_fewest(monkeypatch):
    class Slow(Adversary):
        def predict(self, release, codes):
            clock.now += 1.0
            return NaiveBayes().predict(release, codes)

    class Clock:
        now = 0.0

        def __call__(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr("unveil.attacks.differential._plan.time.perf_counter", clock)
    finding = uv.differential_inference(
        PEOPLE, MONDRIAN, adversary=["naive-bayes", Slow()], budget=10, jobs=1
    )
    assert finding.against["Bernoulli naive Bayes"].how == "all"
    assert len(finding.targets) < len(PEOPLE)
    assert finding.how == "worst-first"
    assert finding.bound(0.05).method == "hypergeometric"
    assert "as the budget of 10 s allowed" in finding.summary()


def test_the_most_exposed_are_the_same_for_all_adversaries():
    finding = uv.differential_inference(
        PEOPLE, MONDRIAN, targets=7, draw="exposed",
        adversary=["naive-bayes", EncodedNaiveBayes("quantiles-before-hot")],
    )  # fmt: skip
    assert len(finding.targets) == 7
    for one in finding.against.values():
        np.testing.assert_array_equal(one.targets, finding.targets)


def test_the_seed_reaches_models_that_are_made_here():
    def delta(seed, adversary):
        return uv.differential_inference(
            PEOPLE, MONDRIAN, adversary=adversary, targets=[3], seed=seed, jobs=1
        ).delta

    forest = RandomForestClassifier(n_estimators=5)
    for adversary in ("forest:n_estimators=5", forest):
        assert delta(1, adversary) == delta(1, adversary)
        assert delta(1, adversary) != delta(2, adversary)
    assert delta(1, "forest:n_estimators=5") == delta(1, forest)


@pytest.mark.parametrize(
    "model",
    [
        BernoulliNB(fit_prior=False),
        GaussianNB(priors=np.full(PEOPLE.sensitive.size, 1 / PEOPLE.sensitive.size)),
        LogisticRegression(class_weight="balanced"),
    ],
)
def test_a_model_with_a_prior_of_its_own_cannot_be_given_another(model):
    shares = dict.fromkeys(PEOPLE.sensitive.texts, 1 / PEOPLE.sensitive.size)
    with pytest.raises(InputError, match="has a prior of its own"):
        uv.differential_inference(PEOPLE, MONDRIAN, adversary=model, prior=shares, targets=2)
    with pytest.raises(InputError, match="has a prior of its own"):
        uv.inference(MONDRIAN.sanitize(PEOPLE), PEOPLE, adversary=model, prior=shares)


def test_no_belief_is_no_guess():
    class Shrugs(Adversary):
        def predict(self, release, codes):
            return np.full((codes.shape[1], release.sensitive.size), np.nan)

    finding = uv.inference(MONDRIAN.sanitize(PEOPLE), PEOPLE, adversary=Shrugs())
    assert finding.accuracy == 0
    assert "NaN" not in finding.to_json(records=True)


def test_inference_from_a_release_of_another_table_is_refused():
    other = uv.read_table(
        pd.DataFrame({"age": [1, 2], "vote": ["a", "b"]}), quasi="age", sensitive="vote"
    )
    with pytest.raises(InputError, match="does not belong to"):
        uv.inference(uv.Identity().sanitize(other), PEOPLE)


def test_equal_beliefs_are_no_change_of_the_favourite():
    from unveil.attacks.differential._plan import _another_favourite

    present = np.array([[0.4, 0.4, 0.2], [0.4 + 1e-15, 0.4, 0.2], [0.5, 0.3, 0.2]])
    absent = np.array([[0.4 - 1e-16, 0.4, 0.2], [0.4, 0.4 + 1e-15, 0.2], [0.3, 0.5, 0.2]])
    assert _another_favourite(present, absent, np.full(3, 1e-12)).tolist() == [False, False, True]


def test_a_target_listed_twice_counts_once():
    finding = uv.differential_inference(PEOPLE, MONDRIAN, targets=[5, 3, 3, 5, 9])
    assert finding.targets.tolist() == [5, 3, 9]
