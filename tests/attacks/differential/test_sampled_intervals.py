"""The intervals of the figures have the truth, also with few samples and few people tested."""

from dataclasses import replace

import numpy as np
import pytest
from proofs import repeats
from scipy.stats import beta

import unveil as uv
from unveil.attacks.differential._bounds import share_bound
from unveil.attacks.differential._intervals import Ends, _furthest, mean_of_all
from unveil.attacks.differential._sampling import Sampling, estimate

CASES = {  # Dirichlet distributions of beliefs with and without the record
    "same": ((2, 2, 2), (2, 2, 2)),
    "spread": ((2, 2), (4, 4)),
    "both": ((2, 2, 2), (3, 2.6, 2.2)),
    "seven": ((2,) * 7, (3,) + (2,) * 6),
}
TIMES = repeats(300)


def truth_of(case):
    """From the distribution functions of the beliefs, which are beta distributions."""
    x = (np.arange(20_000) + 0.5) / 20_000
    a, b = (np.array(one, dtype=float) for one in CASES[case])
    gaps = [
        np.abs(beta.cdf(x, a[j], a.sum() - a[j]) - beta.cdf(x, b[j], b.sum() - b[j])).mean()
        for j in range(len(a))
    ]
    return sum(gaps) / 2


def people(n):
    table = {"age": [20 + i // 2 for i in range(n)], "vote": ["a", "b"] * (n // 2)}
    return uv.read_table(table, quasi="age", sensitive="vote")


EIGHT = uv.differential_inference(people(8), uv.LaplaceCounts(epsilon=1))
FORTY = uv.differential_inference(people(40), uv.LaplaceCounts(epsilon=1))


def sampled(cases, n, rng, finding=EIGHT, targets=None):
    """A finding about people whose beliefs follow these distributions."""
    found = [estimate(*(rng.dirichlet(one, n) for one in CASES[case])) for case in cases]
    arrays = {
        name: np.array([getattr(one, name) for one in found]) / 2 for name in found[0]._fields
    }
    many = len(found)
    sampling = replace(
        Sampling.none(many, [0.1], None), samples=np.full(many, n),
        as_published=arrays["as_published"], bias=arrays["bias"], floor=arrays["floor"],
        standard_error=arrays["standard_error"], unseen=np.zeros(many),
    )  # fmt: skip
    targets = np.arange(many) if targets is None else targets
    return replace(
        finding, distances=arrays["distance"], sampling=sampling, targets=targets,
        how="all" if many == len(finding.microdata) else "random",
        mode_changed=np.zeros(many, dtype=bool),
    )  # fmt: skip


def few(misses, times):
    """Whether so many misses are possible if at most 5 in 100 are expected."""
    return misses <= 0.05 * times + 3 * np.sqrt(0.05 * 0.95 * times)


def misses(figures, wanted):
    """Which intervals do not have the truth."""
    for figure in figures:
        assert 0 <= figure.low <= figure.value <= figure.high <= 1
    return np.array([
        not figure.low - 1e-9 <= value <= figure.high + 1e-9
        for figure, value in zip(figures[:3], wanted[:3], strict=True)
    ])  # fmt: skip


@pytest.mark.parametrize("n", [20, 50, 200])
@pytest.mark.parametrize("case", ["spread", "both", "seven"])
def test_the_estimate_has_less_bias_than_either_of_its_parts(case, n):
    rng, truth, times = np.random.default_rng(n), truth_of(case), 300
    found = [estimate(*(rng.dirichlet(one, n) for one in CASES[case])) for _ in range(times)]
    middle, published, bias = (
        np.array([getattr(one, name) for one in found]) / 2
        for name in ("distance", "as_published", "bias")
    )
    low, error = middle - bias, 3 * middle.std() / np.sqrt(times)
    assert low.mean() - error < truth < published.mean() + error
    off = abs(middle.mean() - truth)
    assert off < published.mean() - truth + error
    assert off < truth - low.mean() + error
    assert off < 0.5 * bias.mean() + error


@pytest.mark.parametrize("n", [5, 50])
@pytest.mark.parametrize(
    "cases", [["same"] * 8, ["both"] * 8, ["same", "spread", "both", "seven"] * 2],
    ids=["same", "both", "mixed"],
)  # fmt: skip
def test_intervals_of_everybody(cases, n):
    truth = np.array([truth_of(case) for case in cases])
    wanted = truth.max(), truth.mean(), (truth > 0.05).mean()
    rng = np.random.default_rng(n)
    missed = sum(misses(sampled(cases, n, rng).figures, wanted) for _ in range(TIMES))
    assert all(few(one, TIMES) for one in missed), missed


def test_intervals_if_some_were_tested_by_sampling():
    cases = np.array((["same"] * 5 + ["both"] * 2 + ["seven"]) * 5)
    truth = np.array([truth_of(case) for case in cases])
    wanted = truth.max(), truth.mean(), (truth > 0.05).mean()
    rng, missed = np.random.default_rng(8), 0
    for _ in range(TIMES):
        who = rng.permutation(40)[:10]
        finding = sampled(cases[who], 30, rng, FORTY, who)
        assert finding.figures[0].among == "among the 10 of 40 people tested"
        missed = missed + misses(finding.figures, wanted)
    assert all(few(one, TIMES) for one in missed), missed


@pytest.mark.parametrize("n", [10, 100])
def test_intervals_of_noisy_counts(n):
    """All people share the noise, so their errors do not cancel out. Some people are tested."""
    survey = uv.datasets.election_survey()
    survey = uv.quantize(survey, {"age": [-np.inf, 30, 50, 65, np.inf]})
    f = uv.LaplaceCounts(epsilon=1)
    exact = [one.value for one in uv.differential_inference(survey, f).figures]
    missed = 0
    for seed in range(TIMES):
        found = uv.differential_inference(survey, f, targets=60, samples=n, seed=seed)
        missed = missed + misses(found.figures, exact)
    assert all(few(one, TIMES) for one in missed), missed


def test_intervals_of_everybody_with_noisy_counts():
    table, f = people(40), uv.LaplaceCounts(epsilon=1)
    exact = [one.value for one in uv.differential_inference(table, f).figures]
    missed = sum(
        misses(uv.differential_inference(table, f, samples=30, seed=seed).figures, exact)
        for seed in range(TIMES)
    )
    assert all(few(one, TIMES) for one in missed), missed


def test_intervals_of_randomized_response():
    """Two of each age, one a and one b. The attacker believes in the shares of an age.

    With the record, 0, ½ or 1 of the two answers is a; without it, the other answer is or is not.
    Each is true with probability q. By hand, the distributions are at ½ (q² + (1 − q)²).
    """
    f, table = uv.RandomizedResponse(epsilon=1), people(8)
    q = f.keeps(2)
    d = (q**2 + (1 - q) ** 2) / 2
    missed, middle = 0, []
    for seed in range(TIMES):
        found = uv.differential_inference(
            table, f, adversary="conditional-frequency", samples=20, seed=seed, jobs=1
        )
        missed = missed + misses(found.figures, (d, d, 1.0))
        middle.append(found.mean)
    assert all(few(one, TIMES) for one in missed), missed
    assert np.mean(middle) == pytest.approx(d, abs=0.02)


def skewed(rng, n):
    """Distances most of which are small, and some as large as possible."""
    d = rng.beta(0.3, rng.choice([1.0, 10.0, 60.0]), n)
    d[rng.random(n) < rng.choice([0, 0.01, 0.1])] = 1
    return d


@pytest.mark.parametrize("how", ["random", "stratified"])
@pytest.mark.parametrize("drawn", [3, 20, 150])
def test_bounds_of_all_from_a_draw(how, drawn):
    rng, n, missed = np.random.default_rng(drawn), 200, np.zeros(2)
    strata = rng.choice(3, n, p=[0.7, 0.25, 0.05])
    sizes = np.bincount(strata)
    for _ in range(TIMES):
        d = skewed(rng, n) ** (1 + strata)  # strata differ
        order = rng.permutation(n)
        if how == "stratified":
            due = np.minimum(sizes, [drawn // 2, drawn // 3 + 1, drawn // 10])  # not in proportion
            order = np.concatenate([order[strata[order] == h][: due[h]] for h in range(3)])
        who = order[:drawn]
        found = d[who].copy()
        found[rng.random(len(who)) < 0.05] = np.nan  # could not be tested
        options = {"how": how, "strata": (strata[who], sizes)}
        low, high = mean_of_all(Ends(found, found), n, 1.0, confidence=0.95, **options)
        over = share_bound(found, 0.05, n, confidence=0.975, **options)
        missed += [not low <= d.mean() <= high, not over.low <= (d > 0.05).mean() <= over.high]
    assert all(few(one, TIMES) for one in missed), missed


def test_furthest_by_brute_force():
    """The divergence, tried at many numbers."""
    grid = np.linspace(0, 1, 200_001)[1:-1]
    for x, enough in ((0.0, 0.02), (0.017, 0.0184), (0.5, 0.1), (0.93, 0.3), (1.0, 0.05)):
        terms = [np.zeros(len(grid)), np.zeros(len(grid))]
        if x > 0:
            terms[0] = x * np.log(x / grid)
        if x < 1:
            terms[1] = (1 - x) * np.log((1 - x) / (1 - grid))
        near = grid[sum(terms) <= enough]
        assert _furthest(x, 1.0, enough) == pytest.approx(1 if x == 1 else near.max(), abs=1e-5)
        assert _furthest(x, 0.0, enough) == pytest.approx(0 if x == 0 else near.min(), abs=1e-5)


def test_the_chance_of_a_miss_in_every_draw():
    """Of six people, all draws of three, without simulation: each end misses 2.5 % at most."""
    from itertools import combinations

    for d in ([0, 0, 0, 0, 0, 1], [0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.9, 1]):
        d = np.array(d, dtype=float)
        bounds = [
            mean_of_all(Ends(d[list(who)], d[list(who)]), 6, 1.0)
            for who in combinations(range(6), 3)
        ]
        assert np.mean([high < d.mean() - 1e-12 for _, high in bounds]) <= 0.025
        assert np.mean([low > d.mean() + 1e-12 for low, _ in bounds]) <= 0.025


def test_chosen_people_say_nothing_about_the_others():
    finding = uv.differential_inference(people(40), uv.LaplaceCounts(epsilon=1), targets=range(10))
    delta, mean, over, _ = finding.figures
    assert (delta.low, delta.high) == (delta.value, 1)
    assert mean.low == pytest.approx(finding.tested.sum() / 40)
    assert mean.high == pytest.approx((finding.tested.sum() + 30) / 40)
    many = int((finding.tested > 0.05).sum())
    assert (over.low, over.high) == (many / 40, (many + 30) / 40)


def test_people_who_could_not_be_tested_may_be_the_worst():
    finding = replace(FORTY, distances=np.append(FORTY.distances[:-1], np.nan))
    delta, mean, over, _ = finding.figures
    assert (delta.low, delta.high) == (delta.value, 1)
    assert mean.low == pytest.approx(finding.tested.sum() / 40)
    assert mean.high == pytest.approx((finding.tested.sum() + 1) / 40)
    assert over.high - over.low == pytest.approx(1 / 40)
    none = replace(FORTY, distances=np.full(40, np.nan))
    assert [one.value for one in none.figures] == [None] * 4


def test_a_distance_without_a_largest_value_has_no_upper_end():
    finding = uv.differential_inference(
        people(40), uv.Mondrian(k=4), targets=10, distance="max-ratio"
    )
    delta, mean, over, _ = finding.figures
    assert delta.high == mean.high == float("inf")
    assert over.high <= 1
    assert any("of all 40 people is not known" in str(line) for line in finding.story().diagnostics)


def test_what_was_not_sampled_has_no_interval():
    for figure in EIGHT.figures:
        assert (figure.low, figure.high, figure.among) == (None, None, None)
    assert EIGHT.mean_within() == pytest.approx((EIGHT.mean, EIGHT.mean))
    assert EIGHT.mean_bound() == pytest.approx((EIGHT.mean, EIGHT.mean))


def test_intervals_narrow_with_more_samples():
    rng = np.random.default_rng(5)
    wide, narrow = (sampled(["both"] * 8, n, rng).figures for n in (20, 2000))
    for one, other in zip(wide, narrow, strict=True):
        assert other.high - other.low <= one.high - one.low
    truth = truth_of("both")
    assert narrow[1].low == pytest.approx(truth, abs=0.025)
    assert narrow[1].high == pytest.approx(truth, abs=0.025)


def test_plain_intervals():
    """The ends by hand: cross-fitted less chance, published plus chance."""
    finding = sampled(["both", "same"] * 4, 50, np.random.default_rng(6))
    found = finding.sampling
    chance, many = found.chance(0.95), found.chance(1 - 0.05 / 8)
    least = finding.distances - found.bias
    low, high = finding.mean_within()
    assert low == pytest.approx(max(0, (least - chance).mean()))
    assert high == pytest.approx((found.as_published + chance).mean())
    lows, highs = np.maximum(least - many, 0), found.as_published + many
    assert finding.delta_within() == pytest.approx((lows.max(), highs.max()))


def test_several_attackers():
    both = ["naive-bayes", "conditional-frequency"]
    finding = uv.differential_inference(
        people(8), uv.RandomizedResponse(epsilon=1), adversary=both, samples=20
    )
    delta, mean, over, _ = finding.figures
    errors = [one.sampling.bias + one.sampling.chance(0.975) for one in finding.against.values()]
    found = [one.distances for one in finding.against.values()]
    low = max(0, *(np.mean(d - error) for d, error in zip(found, errors, strict=True)))
    high = np.max([d + error for d, error in zip(found, errors, strict=True)], axis=0).mean()
    assert (mean.low, mean.high) == pytest.approx((min(low, mean.value), min(high, 1)))
    assert delta.low <= delta.value <= delta.high
    assert over.low <= over.value <= over.high


def test_words_say_what_sampling_leaves_open():
    finding = sampled(["same"] * 8, 30, np.random.default_rng(1))
    surely, perhaps = finding.number_over(0.05)
    assert (surely, perhaps) == (0, 8)
    said = finding.verdict()
    assert "about 0 to 8 of the 8 people tested by more than 5 points" in said
    assert said.count("as far as sampling can tell") == 1
    rows = {str(name): text for name, text in finding.story().tables[0].rows}
    assert rows["people over 0.05, 95% interval"] == "0% to 100%"
    assert rows["δ, 95% interval"].startswith("0.00 to ")
    assert not any("interval" in str(name) for name, _ in EIGHT.story().tables[0].rows)
