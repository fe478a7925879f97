"""Any sanitizer and any adversary, on any number of workers: the same numbers."""

import os
import signal
import threading

import numpy as np
import pytest
from dask_cluster import dask_cluster
from distributed import Client
from sklearn.naive_bayes import BernoulliNB

import unveil as uv
from unveil.adversary import Adversary, ConditionalFrequency, NaiveBayes
from unveil.errors import InputError

PEOPLE = uv.datasets.census(120, seed=3)
MONDRIAN = uv.Mondrian(k=4)
PLAIN = uv.differential_inference(PEOPLE, MONDRIAN, path="general", jobs=1)


def test_the_number_of_workers_does_not_matter():
    for options in ({"jobs": 2}, {"jobs": 2, "backend": "threading"}):
        finding = uv.differential_inference(PEOPLE, MONDRIAN, path="general", **options)
        np.testing.assert_array_equal(finding.distances, PLAIN.distances)
        assert finding.way == "general"


def test_the_general_way_equals_the_fast_one():
    fast = uv.differential_inference(PEOPLE, MONDRIAN)
    assert fast.way == "fast"
    np.testing.assert_allclose(fast.distances, PLAIN.distances, rtol=0, atol=1e-15)


def test_a_dask_cluster_that_loses_a_worker_gives_the_same_numbers(tmp_path):
    flag, here = tmp_path / "killed", os.getpid()

    def kills_its_worker_once(microdata):
        import os
        import signal

        if os.getpid() != here and not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return MONDRIAN(microdata)

    oracle = uv.Oracle(kills_its_worker_once, takes="microdata")
    with dask_cluster(tmp_path) as cluster, Client(cluster.address) as client:
        client.wait_for_workers(2, timeout=60)
        finding = uv.differential_inference(PEOPLE, oracle, backend="dask")
        assert flag.exists()
        assert any(worker.poll() is not None for worker in cluster.workers)
    np.testing.assert_array_equal(finding.distances, PLAIN.distances)
    assert finding.not_tested == {}


def test_a_killed_process_does_not_change_the_numbers(tmp_path):
    flag, here = tmp_path / "killed", os.getpid()

    def kills_its_process_once(microdata):
        if os.getpid() != here and not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return MONDRIAN(microdata)

    oracle = uv.Oracle(kills_its_process_once, takes="microdata")
    finding = uv.differential_inference(PEOPLE, oracle, jobs=2)
    assert flag.exists()
    np.testing.assert_array_equal(finding.distances, PLAIN.distances)


def test_an_oracle_that_cannot_be_sent_is_asked_here_and_it_is_said():
    lock = threading.Lock()

    def guarded(microdata):
        with lock:
            return MONDRIAN(microdata)

    finding = uv.differential_inference(PEOPLE, uv.Oracle(guarded, takes="microdata"), jobs=2)
    np.testing.assert_array_equal(finding.distances, PLAIN.distances)
    assert any("tested in one process" in note for note in finding.notes)


class Counted(uv.Mondrian):
    """A Mondrian that counts its runs and has no fast path."""

    leave_one_out = None
    runs = 0

    def sanitize(self, microdata):
        type(self).runs += 1
        return super().sanitize(microdata)


def test_several_adversaries_share_the_releases_and_each_gets_what_it_gets_alone():
    Counted.runs = 0
    oracle = uv.Oracle(Counted(k=4), takes="microdata")
    alone = [
        uv.differential_inference(PEOPLE, oracle, adversary=a, targets=30, jobs=1)
        for a in ("naive-bayes", "conditional-frequency")
    ]
    before, Counted.runs = Counted.runs, 0
    both = uv.differential_inference(
        PEOPLE, oracle, adversary=["naive-bayes", "conditional-frequency"], targets=30, jobs=1
    )
    assert Counted.runs == before / 2
    for finding, one in zip(both.against.values(), alone, strict=True):
        np.testing.assert_array_equal(finding.distances, one.distances)
    distances = np.stack([one.distances for one in alone])
    np.testing.assert_array_equal(both.distances, distances.max(axis=0))
    np.testing.assert_array_equal(both.strongest, distances.argmax(axis=0))
    assert both.delta == max(one.delta for one in alone)
    assert sum(both.strongest_for().values()) == 30


def test_several_adversaries_in_words_and_tables():
    both = uv.differential_inference(
        PEOPLE, MONDRIAN, adversary=[NaiveBayes(), ConditionalFrequency()], predictions=True
    )
    assert "the strongest of Bernoulli naive Bayes and conditional frequency" in both.summary()
    assert "strongest for" in both.summary()
    frame = both.to_frame()
    each = [frame[f"distance: {name}"] for name in both.against]
    np.testing.assert_array_equal(frame["distance"], np.maximum(*each))
    assert set(frame["strongest"]) <= set(both.against)
    content = both.to_dict()
    assert [one["adversary"] for one in content["against"]] == list(both.against)
    # The beliefs are those of the strongest.
    half = np.abs(both.present - both.absent).sum(axis=1) / 2
    np.testing.assert_allclose(half, both.distances, atol=1e-12)


def test_the_same_adversary_twice_or_none_is_told():
    with pytest.raises(InputError, match="given twice"):
        uv.differential_inference(PEOPLE, MONDRIAN, adversary=[NaiveBayes(), "naive-bayes"])
    with pytest.raises(InputError, match="adversary= is empty"):
        uv.differential_inference(PEOPLE, MONDRIAN, adversary=[])


class Fails(Adversary):
    """Cannot cope with the release without the record of one target, and has a colleague."""

    def predict(self, release, codes):
        if len(release) < len(PEOPLE) and (codes[:, 0] == PEOPLE.codes[:, 7]).all():
            raise RuntimeError("out of my depth")
        return np.full((codes.shape[1], release.sensitive.size), 1 / release.sensitive.size)


def test_an_adversary_that_fails_for_somebody_is_said_and_the_others_go_on():
    finding = uv.differential_inference(
        PEOPLE, uv.Oracle(MONDRIAN), adversary=["naive-bayes", Fails()], targets=[6, 7, 8], jobs=1
    )
    lonely = finding.against["Fails"]
    assert lonely.not_tested == {"the adversary failed on the release with or without them": 1}
    assert lonely.failures == ((7, "the adversary Fails failed: RuntimeError: out of my depth"),)
    np.testing.assert_array_equal(np.isnan(lonely.distances), [False, True, False])
    assert finding.not_tested == {}  # somebody else could be tested on all of them
    bayes = PLAIN.against["Bernoulli naive Bayes"]
    np.testing.assert_array_equal(finding.distances, bayes.distances[6:9])


def test_an_adversary_that_fails_for_everybody_is_told_before_the_long_work():
    class Broken(Adversary):
        def predict(self, release, codes):
            raise RuntimeError("nothing works")

    Counted.runs = 0
    with pytest.raises(uv.UnveilError, match="Broken failed: RuntimeError: nothing works"):
        uv.differential_inference(
            PEOPLE, uv.Oracle(Counted(k=4), takes="microdata"), adversary=Broken(), jobs=1
        )
    assert Counted.runs <= 2


# Priors


def bernoulli_with_prior(release, codes, prior):
    """scikit-learn's own naive Bayes on the bits of one target, with a prior in its place."""
    covers = np.stack([r.covers(int(c)) for r, c in zip(release.regions, codes, strict=True)])
    bits, secrets = covers.T[release.class_of], release.sensitive.codes
    model = BernoulliNB(class_prior=prior[np.unique(secrets)]).fit(bits, secrets)
    belief = np.zeros(release.sensitive.size)
    belief[model.classes_] = model.predict_proba(np.ones((1, len(codes))))[0]
    return belief


@pytest.mark.parametrize("path", ["fast", "general"])
@pytest.mark.parametrize("own", [False, True])
def test_a_prior_replaces_the_shares_in_the_release(path, own):
    rng = np.random.default_rng(5)
    values = PEOPLE.sensitive.size
    prior = rng.dirichlet(np.ones(values), size=len(PEOPLE) if own else None)
    targets = [0, 11, 40, 77]
    finding = uv.differential_inference(
        PEOPLE,
        MONDRIAN,
        prior=prior,
        targets=targets,
        path=path,
        predictions=True,
        jobs=1,
        adversary="naive-bayes",
    )
    assert finding.prior
    assert "prior of their own" in finding.summary()
    for place, record in enumerate(targets):
        known = prior[record] if own else prior
        for beliefs, table in (
            (finding.present, PEOPLE),
            (finding.absent, PEOPLE.without(record)),
        ):
            expected = bernoulli_with_prior(
                MONDRIAN.sanitize(table), PEOPLE.codes[:, record], known
            )
            np.testing.assert_allclose(beliefs[place], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("path", ["fast", "general"])
def test_equal_records_may_have_priors_of_their_own(path):
    twins = uv.read_table(
        {"age": [30, 30, 40, 40, 50], "vote": ["a", "a", "b", "a", "b"]},
        quasi="age", sensitive="vote",
    )  # fmt: skip
    prior = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5], [0.5, 0.5], [0.5, 0.5]])
    together = uv.differential_inference(twins, uv.Identity(), prior=prior, path=path)
    apart = [
        uv.differential_inference(twins, uv.Identity(), prior=prior[i], targets=[i]).delta
        for i in range(5)
    ]
    np.testing.assert_allclose(together.distances, apart, atol=1e-15)
    assert together.distances[0] != together.distances[1]


def test_a_prior_by_name_and_what_can_be_wrong_with_it():
    shares = dict.fromkeys(PEOPLE.sensitive.texts, 1 / PEOPLE.sensitive.size)
    finding = uv.differential_inference(PEOPLE, MONDRIAN, prior=shares, targets=5)
    assert finding.prior
    first = PEOPLE.sensitive.texts[0]
    with pytest.raises(InputError, match="sum"):
        uv.differential_inference(PEOPLE, MONDRIAN, prior={**shares, first: 0.9})
    with pytest.raises(InputError, match=first):
        uv.differential_inference(
            PEOPLE, MONDRIAN, prior={v: s for v, s in shares.items() if v != first}
        )


# Part of the records


class Clock:
    """Time that passes only when it is looked at."""

    def __init__(self, step):
        self.now, self.step = 0.0, step

    def __call__(self):
        self.now += self.step
        return self.now


@pytest.mark.parametrize(("path", "budget"), [("fast", 0.4), ("general", 2.0)])
def test_a_budget_stops_in_the_middle_and_says_what_follows(monkeypatch, path, budget):
    monkeypatch.setattr("unveil.attacks.differential._plan.time.perf_counter", Clock(0.1))
    monkeypatch.setattr("unveil.attacks.differential._beliefs._STEP", 10)
    everybody = np.full(len(PEOPLE), np.nan)
    everybody[PLAIN.targets] = PLAIN.distances
    finding = uv.differential_inference(PEOPLE, MONDRIAN, path=path, budget=budget, jobs=1)
    assert 1 <= len(finding.targets) < len(PEOPLE)
    assert (finding.how, finding.wanted) == ("worst-first", len(PEOPLE))
    assert str(finding.budget) == f"{budget:g} s"
    assert not finding.facts["reproducible"]
    assert f"a time ({budget:g} s): how much was done in it depends" in finding.summary()
    np.testing.assert_allclose(finding.distances, everybody[finding.targets], atol=1e-15)
    assert f"as the budget of {budget:g} s allowed" in finding.summary()
    assert "With 95% confidence at most" in finding.summary()


@pytest.mark.parametrize(("budget", "tested"), [("7 runs", 7), ("1 run", 1), ("12 people", 12)])
def test_a_budget_of_work_is_done_exactly(budget, tested):
    runs = []

    class Counted(uv.Mondrian):
        def sanitize(self, microdata):
            runs.append(len(microdata))
            return super().sanitize(microdata)

    found = [
        uv.differential_inference(PEOPLE, uv.Oracle(Counted(k=4)), budget=budget, jobs=1)
        for _ in range(2)
    ]
    assert runs.count(len(PEOPLE) - 1) == 2 * tested
    assert len(found[0].targets) >= tested  # those who equal them are known, too
    assert found[0].to_dict(records=True) == found[1].to_dict(records=True)
    assert found[0].notes == found[1].notes
    assert f"as the budget of {found[0].budget} allowed" in found[0].summary()


def test_a_budget_of_runs_is_for_ways_that_run_it():
    assert uv.differential_inference(PEOPLE, MONDRIAN, budget="1 run").how == "all"
    some = uv.differential_inference(PEOPLE, MONDRIAN, budget="9 people")
    assert len(some.tested) == 9


def test_two_models_share_the_runs():
    found = uv.differential_inference(
        PEOPLE, uv.Oracle(MONDRIAN), budget="10 runs", jobs=1,
        adversary=["naive-bayes", "conditional-frequency"],
    )  # fmt: skip
    assert len(found.tested) == 10  # they attack the same releases


def test_a_budget_tests_at_least_one_and_a_generous_one_all():
    short = uv.differential_inference(PEOPLE, uv.Oracle(MONDRIAN), budget=1e-9, jobs=1)
    assert len(short.tested) >= 1
    long = uv.differential_inference(PEOPLE, MONDRIAN, budget="1 h")
    assert long.how == "all"
    np.testing.assert_allclose(long.distances, PLAIN.distances, atol=1e-15)


def test_a_budget_takes_records_in_an_order_of_the_seed(monkeypatch):
    def tested(seed):
        with monkeypatch.context() as patch:
            patch.setattr("unveil.attacks.differential._plan.time.perf_counter", Clock(0.1))
            return uv.differential_inference(
                PEOPLE, uv.Oracle(MONDRIAN), budget=2.0, seed=seed, jobs=1
            ).targets

    assert set(tested(1)) != set(tested(2))
    np.testing.assert_array_equal(tested(1), tested(1))


@pytest.mark.parametrize("draw", ["random", "stratified", "exposed"])
def test_some_targets_and_a_bound_for_all(draw):
    finding = uv.differential_inference(PEOPLE, MONDRIAN, targets=40, draw=draw)
    assert finding.how == draw
    assert len(set(finding.targets)) == 40
    np.testing.assert_allclose(finding.distances, PLAIN.distances[finding.targets], atol=1e-15)
    bound = finding.bound(0.05)
    true = (PLAIN.distances > 0.05).mean()
    assert bound.low <= true <= bound.high
    assert bound.in_words() in finding.summary()


def test_exposed_targets_are_those_whom_few_records_cover():
    finding = uv.differential_inference(PEOPLE, uv.Identity(), targets=10, draw="exposed")
    release = uv.Identity().sanitize(PEOPLE)
    cover = release.joint_counts(PEOPLE.codes).sum(axis=1)
    assert cover[finding.targets].max() <= np.sort(cover)[9]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"draw": "randon"}, "did you mean 'random'"),
        ({"targets": 121}, "the table has 120 records"),
        ({"targets": "all"}, "targets= must be a number"),
        ({"budget": "soon"}, "soon"),
        ({"budget": -1}, "-1"),
        ({"seed": True}, "it must be a whole number"),
        ({"backend": "pigeons"}, "joblib has no backend 'pigeons'"),
    ],
)
def test_wrong_options_are_told(options, message):
    with pytest.raises(InputError, match=message):
        uv.differential_inference(PEOPLE, MONDRIAN, **options)
