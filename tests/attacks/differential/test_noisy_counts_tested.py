"""The test of noisy counts: directly, sampled as published, and by the general way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import random_microdata

import unveil as uv
from unveil.attacks.differential import _noisy_counts


def plain_distance(counts, own, epsilon, n, rng):
    """The published method for one record, in so many words."""
    sides = []
    for change in (0, 1):
        c = np.array(counts, dtype=float)
        c[own] -= change
        noisy = 1 + np.maximum(0, c + rng.laplace(0, 1 / epsilon, (n, len(c))))
        sides.append(noisy / noisy.sum(axis=1, keepdims=True))
    ordered = [np.sort(side, axis=0) for side in sides]
    return np.abs(ordered[0] - ordered[1]).mean(axis=0).sum() / 2


@pytest.fixture(scope="module")
def table():
    return random_microdata(4, 60, ("ordinal", "flat"), 4)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_three_ways_agree(table, epsilon):
    sanitizer = uv.LaplaceCounts(epsilon=epsilon)
    direct = uv.differential_inference(table, sanitizer)
    sampled = uv.differential_inference(table, sanitizer, samples=4000, seed=1)
    general = uv.differential_inference(
        table, sanitizer, samples=200, seed=1, path="general", targets=8
    )
    assert (direct.way, sampled.way, general.way) == ("direct", "counts", "sampled")
    z = (sampled.distances - direct.distances) / sampled.sampling.standard_error
    assert np.abs(z).max() < 4.5
    off = general.distances - direct.distances[general.targets]
    sampling = general.sampling
    assert (off > -4 * sampling.standard_error - sampling.bias - 1e-12).all()
    assert (off < 4 * sampling.standard_error + 1e-12).all()
    low, high = sampled.delta_within(0.999)
    assert low <= direct.delta <= high


def test_as_published_is_the_published_method(table):
    sampled = uv.differential_inference(table, uv.LaplaceCounts(epsilon=0.5), samples=3000, seed=2)
    rng, cells = np.random.default_rng(3), table.cells
    for record in range(0, 60, 12):
        counts = cells.counts[cells.cell_of[record]]
        own = table.sensitive.codes[record]
        again = [plain_distance(counts, own, 0.5, 3000, rng) for _ in range(12)]
        spread = max(np.std(again, ddof=1), 1e-4)
        found = sampled.sampling.as_published[record]
        assert abs(found - np.mean(again)) < 5 * spread


@examples(25)
@given(st.integers(0, 10_000), st.integers(1, 30), st.floats(0.05, 10))
def test_direct_on_random_tables_is_within_sampling_error(seed, n, epsilon):
    table = random_microdata(seed, n + 1, ("ordinal",), 3)
    direct = uv.differential_inference(table, uv.LaplaceCounts(epsilon=epsilon))
    sampled = uv.differential_inference(
        table, uv.LaplaceCounts(epsilon=epsilon), samples=500, seed=seed
    )
    off = np.abs(sampled.distances - direct.distances)
    assert (off <= 5.5 * sampled.sampling.standard_error + 1e-12).all()
    assert (direct.distances > 0).all()


def test_no_noise_is_the_exact_test(table):
    direct = uv.differential_inference(table, uv.LaplaceCounts(epsilon=float("inf")))
    plain = uv.differential_inference(table, uv.Identity(), adversary="smoothed-frequency")
    sampled = uv.differential_inference(table, uv.LaplaceCounts(epsilon=float("inf")), samples=50)
    assert direct.distances == pytest.approx(plain.distances, abs=1e-12)
    assert sampled.distances == pytest.approx(plain.distances, abs=1e-12)
    assert np.array_equal(direct.mode_changed, plain.mode_changed)
    conditional = uv.differential_inference(
        table,
        uv.LaplaceCounts(epsilon=float("inf")),
        adversary="conditional-frequency",
        samples=50,
    )
    for one in (direct, sampled, conditional):
        assert one.sampling is None  # nothing depends on chance
        assert one.tail(0.01).probability.tolist() == (one.distances >= 0.01).tolist()


def test_l1_is_twice_total_variation(table):
    sanitizer = uv.LaplaceCounts(epsilon=1)
    for options in ({}, {"samples": 100}):
        half = uv.differential_inference(table, sanitizer, **options)
        whole = uv.differential_inference(table, sanitizer, distance="l1", **options)
        assert whole.distances == pytest.approx(2 * half.distances)


def test_beliefs_are_expected_ones(table):
    finding = uv.differential_inference(table, uv.LaplaceCounts(epsilon=1), predictions=True)
    sampled = uv.differential_inference(
        table, uv.LaplaceCounts(epsilon=1), predictions=True, samples=20_000
    )
    assert finding.present.sum(axis=1) == pytest.approx(1)
    assert sampled.present == pytest.approx(finding.present, abs=0.01)
    assert sampled.absent == pytest.approx(finding.absent, abs=0.01)
    own = table.sensitive.codes
    each = np.arange(len(own))
    moved = finding.present[each, own] - finding.absent[each, own]
    assert finding.distances == pytest.approx(moved)


def test_samples_until_it_is_exact_enough(table):
    finding = uv.differential_inference(table, uv.LaplaceCounts(epsilon=1), error=0.004)
    assert (finding.sampling.error <= 0.004).all()
    assert finding.sampling.too_coarse == 0
    few = uv.differential_inference(table, uv.LaplaceCounts(epsilon=1), error=1e-4, samples=2000)
    assert few.sampling.most == 2000
    assert few.sampling.too_coarse == len(table)
    assert "NOT AS EXACT" in few.summary()


def test_same_seed_same_numbers_whatever_the_threads(table):
    one, two = (
        uv.differential_inference(table, uv.LaplaceCounts(epsilon=1), samples=500, jobs=jobs)
        for jobs in (1, 2)
    )
    assert np.array_equal(one.distances, two.distances)
    assert np.array_equal(one.sampling.over, two.sampling.over)
    other = uv.differential_inference(table, uv.LaplaceCounts(epsilon=1), samples=500, seed=1)
    assert not np.array_equal(one.distances, other.distances)


def test_records_with_the_same_counts_share_one_computation(table, monkeypatch):
    asked = []
    plain = _noisy_counts._Sampled.sample
    monkeypatch.setattr(
        _noisy_counts._Sampled,
        "sample",
        lambda self, case: (asked.append(case), plain(self, case))[1],
    )
    uv.differential_inference(table, uv.LaplaceCounts(epsilon=1), samples=10, jobs=1)
    cells, secrets = table.cells, table.sensitive.codes
    counts = cells.counts[cells.cell_of]
    cases = {
        (row[own], *sorted(np.delete(row, own)))
        for row, own in zip(counts.tolist(), secrets.tolist(), strict=True)
    }
    assert len(asked) == len(cases) < len(table.distinct)


def test_one_record_alone_leaves_nothing_but_noise():
    table = random_microdata(1, 1, ("ordinal",), 2)
    ways = ({}, {"samples": 2000}, {"samples": 200, "path": "general"})
    direct, *sampled = (
        uv.differential_inference(table, uv.LaplaceCounts(epsilon=1), predictions=True, **way)
        for way in ways
    )
    assert direct.absent[0] == pytest.approx([0.5, 0.5])
    for one in sampled:
        assert not one.not_tested
        assert one.distances == pytest.approx(direct.distances, abs=one.sampling.error[0])


def test_tails(table):
    finding = uv.differential_inference(
        table, uv.LaplaceCounts(epsilon=1), samples=400, epsilons=[0.05, 0.2]
    )
    tail = finding.tail(0.05)
    assert ((tail.low <= tail.probability) & (tail.probability <= tail.high)).all()
    assert tail.delta <= tail.everybody <= 1
    assert (finding.tail(0.2).probability <= tail.probability).all()
    assert list(finding.tails()["epsilon"]) == [0.05, 0.2]
    with pytest.raises(uv.UnveilError, match=r"epsilons=\[0.1\]"):
        finding.tail(0.1)
    direct = uv.differential_inference(table, uv.LaplaceCounts(epsilon=1))
    with pytest.raises(uv.UnveilError, match="nothing was sampled"):
        direct.tail(0.05)


def test_json_says_how_exact_it_is(table):
    finding = uv.differential_inference(table, uv.LaplaceCounts(epsilon=1), samples=100)
    sampling = finding.to_dict()["sampling"]
    assert sampling["samples_most"] == 100
    assert sampling["delta_within"][0] <= finding.delta <= sampling["delta_within"][1]
    assert "Sampled: 100 releases" in finding.summary()
    assert (
        uv.differential_inference(table, uv.LaplaceCounts(epsilon=1)).to_dict()["sampling"] is None
    )


def test_adversaries_who_need_records_are_refused(table):
    with pytest.raises(uv.UnveilError, match="publishes none, only counts"):
        uv.differential_inference(table, uv.LaplaceCounts(epsilon=1), adversary="naive-bayes")


def test_a_prior_is_sampled(table):
    prior = dict(zip(table.sensitive.texts, [0.7, 0.1, 0.1, 0.1], strict=True))
    finding = uv.differential_inference(
        table, uv.LaplaceCounts(epsilon=1), prior=prior, samples=50, targets=3, predictions=True
    )
    plain = uv.differential_inference(
        table, uv.LaplaceCounts(epsilon=1), samples=50, targets=3, predictions=True
    )
    assert finding.way == "sampled"
    assert (finding.present[:, 0] > plain.present[:, 0]).all()


def test_bounds_leave_open_what_sampling_cannot_tell(table):
    sanitizer = uv.LaplaceCounts(epsilon=1)
    exact = uv.differential_inference(table, sanitizer)
    threshold = float(np.median(exact.distances))
    few = uv.differential_inference(table, sanitizer, samples=30).bound(threshold)
    assert few.undecided > 0
    assert few.untested_failures == 0
    assert few.at_least <= exact.bound(threshold).over <= few.at_most
    assert "were not sampled often enough to tell" in few.in_words()
    assert uv.differential_inference(table, sanitizer, samples=30).bound(0.9).undecided == 0


def test_as_published_is_never_below_the_corrected_distance():
    """Beliefs sum to one, so the order statistics cannot be closer than the means."""
    table = random_microdata(7, 80, ("ordinal",), 12)
    for seed in range(5):
        found = uv.differential_inference(
            table, uv.LaplaceCounts(epsilon=1), samples=300, seed=seed
        )
        assert (found.sampling.as_published >= found.distances - 1e-12).all()


def test_very_many_values_stand_in_for_each_other():
    counts = np.array([2, *[0] * 90, *[1] * 9])
    kept, times = _noisy_counts._stand_ins(counts)
    assert kept[0] == 0
    assert times.sum() == len(counts)
    assert times[counts[kept] == 0].sum() == pytest.approx(90)
    assert len(kept) <= 65
    small = _noisy_counts._stand_ins(counts[:10])
    assert small[0].tolist() == list(range(10))


def test_several_adversaries_keep_the_error_of_those_who_were_sampled(table):
    sanitizer = uv.LaplaceCounts(epsilon=1)
    names = ["conditional-frequency", "smoothed-frequency"]
    for adversaries in (names, names[::-1]):
        both = uv.differential_inference(table, sanitizer, adversary=adversaries)
        alone = both.against["conditional frequency"]
        assert alone.sampling is not None
        assert both.against["smoothed frequency"].sampling is None
        low, high = both.delta_within()
        assert low < both.delta < high
        assert high >= alone.delta_within()[1]  # wider, for both at once
        with pytest.raises(uv.UnveilError, match="nothing was sampled"):
            both.tail(0.05)
    sampled = uv.differential_inference(table, sanitizer, adversary=names, samples=200)
    tails = [one.tail(0.05).probability for one in sampled.against.values()]
    assert np.array_equal(sampled.tail(0.05).probability, np.maximum(*tails))


def test_bounds_of_sampled_distances_are_no_certainty(table):
    finding = uv.differential_inference(table, uv.LaplaceCounts(epsilon=1), samples=100)
    for threshold in (0.02, 0.05, 0.9):
        bound = finding.bound(threshold)
        assert bound.method == "sampled"
        assert bound.confidence == 0.95
        assert bound.in_words().startswith("With 95% confidence between")


def test_few_samples_have_wide_intervals(table):
    """With two samples the spread itself is hardly known."""
    exact = uv.differential_inference(table, uv.LaplaceCounts(epsilon=1))
    right = total = 0
    for seed in range(60):
        found = uv.differential_inference(
            table, uv.LaplaceCounts(epsilon=1), samples=2, seed=seed, jobs=1
        )
        off = np.abs(found.distances - exact.distances)
        right += int((off <= found.sampling.error).sum())
        total += len(off)
        assert found.delta_within()[1] <= 1
    assert right / total > 0.93


def test_a_prior_without_noise_is_exact(table):
    prior = dict(zip(table.sensitive.texts, [0.7, 0.1, 0.1, 0.1], strict=True))
    sanitizer = uv.LaplaceCounts(epsilon=float("inf"))
    finding = uv.differential_inference(table, sanitizer, prior=prior, samples=50, targets=5)
    assert finding.way == "general"
    assert finding.certain
    assert finding.sampling is None


def test_a_tiny_budget_still_tests_somebody(table):
    finding = uv.differential_inference(table, uv.LaplaceCounts(epsilon=1), samples=50, budget=1e-9)
    assert len(finding.tested) > 0
