"""The likely worst are tested first, in turn with others, and the bound for all is still right."""

from dataclasses import replace
from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proofs import repeats
from random_tables import random_microdata, tables
from scipy.stats import hypergeom

import unveil as uv
from unveil.adversary import ConditionalFrequency, NaiveBayes
from unveil.attacks.differential._beliefs import Work
from unveil.attacks.differential._bounds import front_and_others, most_over, share_bound
from unveil.attacks.differential._forecast import forecast, more_people
from unveil.attacks.differential._intervals import Ends, mean_of_all
from unveil.attacks.differential._likely_worst import _moved, _shares_as_far_out, likely_worst
from unveil.attacks.differential._plan import _once_each, _reached
from unveil.attacks.differential._targets import _in_turn, draw
from unveil.auditing import Threshold
from unveil.microdata import Kind

PEOPLE = random_microdata(4, 300, ("numeric", "flat", "tree"), sensitive_values=4)
RELEASE = uv.Mondrian(k=6).sanitize(PEOPLE)
SURVEY = uv.datasets.election_survey()
RELEASED = uv.Mondrian(k=10).sanitize(SURVEY)


# Who comes first, against plain loops.


def rows_of(release, without=None):
    """Released records as (class, value), less one of a value."""
    rows = list(zip(release.class_of.tolist(), release.sensitive.codes.tolist(), strict=True))
    if without is not None:
        rows.remove(without)
    return rows


def counted(adversary, release, rows, codes):
    """Records that cover a target, one by one: in every column, or by column."""
    values = release.sensitive.size
    covers = np.array(
        [region.covers(int(v)) for region, v in zip(release.regions, codes, strict=True)]
    )
    joint, cover = np.zeros(values, int), np.zeros((len(codes), values), int)
    totals = np.zeros(values, int)
    for group, value in rows:
        joint[value] += covers[:, group].all()
        cover[:, value] += covers[:, group]
        totals[value] += 1
    counts = joint if isinstance(adversary, ConditionalFrequency) else cover
    return adversary.from_counts(counts[None], totals)[0]


@settings(deadline=None)
@given(tables(max_size=12), st.sampled_from([ConditionalFrequency(), NaiveBayes()]))
def test_one_row_of_the_release_is_deleted(table, adversary):
    release = uv.Mondrian(k=2 if len(table) > 1 else 1).sanitize(table)
    moved = _moved(adversary, release, table, table.distinct)
    for d, record in zip(moved, table.distinct.tolist(), strict=True):
        if len(table) < 2:
            assert d == 0
            continue
        codes, own = table.codes[:, record], int(table.sensitive.codes[record])
        # Any row of that value that covers the person; their own does.
        mine = (int(release.class_of[record]), own)
        before = counted(adversary, release, rows_of(release), codes)
        after = counted(adversary, release, rows_of(release, mine), codes)
        np.testing.assert_allclose(d, np.abs(before - after).sum(), atol=1e-12)


@settings(deadline=None)
@given(tables(max_size=20))
def test_the_share_of_people_as_far_out(table):
    found = _shares_as_far_out(table)
    n = len(table)
    for record in range(n):
        shares = []
        for column in table.quasi:
            mine, codes = column.codes[record], column.codes
            if column.kind is Kind.CATEGORICAL:
                shares.append(sum(codes == mine) / n)
            else:
                shares.append(min(sum(codes <= mine), sum(codes >= mine)) / n)
        assert found[record] == pytest.approx(min(shares))


@settings(deadline=None)
@given(tables(), st.booleans(), st.integers(0, 9), st.data())
def test_the_front_names_each_once_and_in_the_order_of_the_seed(table, with_release, seed, data):
    release = uv.Mondrian(k=min(2, len(table))).sanitize(table) if with_release else None
    n = data.draw(st.integers(1, len(table)))
    first, again = (likely_worst(table, release, n, np.random.default_rng(seed)) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert len(first) == min(n, len(table.distinct)) == len(set(first.tolist()))
    assert len(set(table.distinct_of[first].tolist())) == len(first)
    # A longer front begins with a shorter one.
    longer = likely_worst(table, release, len(table), np.random.default_rng(seed))
    np.testing.assert_array_equal(first, longer[: len(first)])


def test_the_front_and_others_come_in_turn():
    targets = draw(PEOPLE, 40, "worst-first", 1, release=RELEASE)
    assert targets.how == "worst-first"
    assert len(set(targets.records.tolist())) == 40
    np.testing.assert_array_equal(targets.records[::2], targets.front)
    assert not np.isin(targets.records[1::2], targets.front).any()
    # Of many, fifty are of the front.
    many = draw(PEOPLE, 250, "worst-first", 1, release=RELEASE)
    assert len(many.front) == 50
    np.testing.assert_array_equal(many.records[:100:2], many.front)
    assert not np.isin(many.records[100:], many.front).any()
    assert draw(PEOPLE, 1, "worst-first", 1, release=RELEASE).front.tolist() == [targets.front[0]]


def test_all_others_are_drawn_equally_often():
    front, times = np.array([2, 7, 19]), np.zeros(30)
    for seed in range(3000):
        order = _in_turn(front, np.arange(30), np.random.default_rng(seed))
        assert sorted(order.tolist()) == list(range(30))
        times[order[[1, 3, 5, 6]]] += 1
    assert (times[front] == 0).all()
    rest = np.delete(times, front)
    chi2 = ((rest - rest.mean()) ** 2 / rest.mean()).sum() / (1 - 4 / 27)
    assert abs(chi2 - 26) < 4 * np.sqrt(2 * 26)


# Bounds.


@pytest.mark.parametrize("reached", [(4, 3), (4, 20), (2, 2), (1, 0), (4, 26)])
def test_a_bound_is_that_of_its_parts(reached):
    front, n = np.array([3, 9, 11, 27]), 30
    others = np.setdiff1d(np.arange(n), front)
    targets = np.concatenate([front[: reached[0]], others[: reached[1]]])
    for over in range(len(targets) + 1):
        distances = np.zeros(len(targets))
        distances[np.random.default_rng(over).permutation(len(targets))[:over]] = 1.0
        x = int(distances[reached[0] :].sum())
        found = share_bound(distances, 0.5, n, how="worst-first",
                            strata=front_and_others(targets, front, n))  # fmt: skip
        # Plainly: the largest number under which so few are not too unlikely.
        possible = [k for k in range(27) if hypergeom.cdf(x, 26, k, reached[1]) > 0.05 * (1 - 1e-6)
                    and x <= k <= 26 - (reached[1] - x)]  # fmt: skip
        known = int(distances[: reached[0]].sum())
        assert found.at_most == known + max(possible) + (4 - reached[0])
        assert found.low <= (known + x) / n + 1e-12 or found.method == "hypergeometric"


def test_a_test_of_the_front_alone_says_nothing_about_others():
    targets = front = np.array([1, 2, 3])
    found = share_bound([0.0, 0.0, 0.9], 0.5, 100, how="worst-first",
                        strata=front_and_others(targets, front, 100))  # fmt: skip
    assert (found.low, found.high) == (0.01, 0.98)


D = np.random.default_rng(2).beta(0.4, 6, len(PEOPLE)) * 0.5


def distances_of(kind):
    """Of everybody: by chance, high for the likely worst, or high for all but these."""
    front = likely_worst(PEOPLE, RELEASE, 60, np.random.default_rng(0))
    d = D.copy()
    if kind != "chance":
        d = np.sort(d) if kind == "foreseen" else np.sort(d)[::-1]
        order = np.concatenate([np.setdiff1d(np.arange(len(d)), front), front[::-1]])
        d[order] = d.copy()
    # Equal people have equal distances.
    return d[PEOPLE.distinct[PEOPLE.distinct_of]]


@pytest.mark.parametrize("kind", ["chance", "foreseen", "against"])
@pytest.mark.parametrize("tests", [9, 60, 150])
def test_the_bound_has_the_truth_wherever_the_budget_ends(kind, tests):
    """So many tests; equal people are tested once, so that the number of targets is random."""
    d, n, times = distances_of(kind), len(PEOPLE), repeats(400)
    share, mean = (d > 0.05).mean(), d.mean()
    missed = np.zeros(3)
    estimates = []
    for seed in range(times):
        targets = draw(PEOPLE, n, "worst-first", seed, release=RELEASE)
        tested, where = _once_each(PEOPLE, targets.records, alike=True)
        reached = np.zeros(len(tested), dtype=bool)
        reached[:tests] = True
        records = targets.records[_reached(reached[where])]
        strata = front_and_others(records, targets.front, n)
        found = share_bound(d[records], 0.05, n, how="worst-first", strata=strata)
        low, high = mean_of_all(Ends(d[records], d[records]), n, 1.0, how="worst-first",
                                strata=strata)  # fmt: skip
        missed += [found.high < share - 1e-9, found.low > share + 1e-9, not low <= mean <= high]
        estimates.append(found.high)
    assert (missed <= 0.05 * times + 3 * np.sqrt(0.05 * 0.95 * times)).all(), missed
    if tests == 150:  # and it is not merely wide
        assert np.mean(estimates) < share + 0.12


def test_the_bound_of_a_random_part_misses_about_as_often_as_it_may():
    """Where the front says nothing, the confidence is used up."""
    rng, n, front = np.random.default_rng(3), 2000, np.arange(50)
    d = np.zeros(n)
    d[rng.permutation(np.arange(50, n))[:60]] = 1.0
    times = repeats(900)
    missed = 0
    for _ in range(times):
        targets = np.concatenate([front, rng.permutation(np.arange(50, n))[:150]])
        found = share_bound(d[targets], 0.5, n, how="worst-first",
                            strata=front_and_others(targets, front, n))  # fmt: skip
        missed += found.at_most < 60
    most = 0.05 * times + 3 * np.sqrt(0.05 * 0.95 * times)
    assert 0.005 * times < missed <= most


@pytest.mark.parametrize("over", range(7))
@pytest.mark.parametrize("sizes", [(1,) * 6, (4, 1, 1), (3, 3), (2, 2, 1, 1), (5, 1)])
def test_an_end_by_different_people_does_no_harm(sizes, over):
    """Every order of six people: the test ends before somebody unlike all so far is too many.

    Those over come first, so groups are either over or not: where a group is cut, it is two.
    """
    alpha, n = 0.2, 6
    d = (np.arange(n) < over).astype(float)
    group = np.repeat(np.arange(len(sizes)), sizes) * 2 + (d > 0)
    bounds = {}
    for tests in (1, 2, 3):
        too_low = too_high = 0
        for order in map(list, permutations(range(n))):
            different = [len(set(group[order[: m + 1]])) for m in range(n)]
            m = sum(count <= tests for count in different)
            x = int(d[order[:m]].sum())
            if (m, x) not in bounds:
                found = share_bound(d[order[:m]], 0.5, n, confidence=1 - alpha)
                bounds[m, x] = found.at_least, found.at_most
            low, high = bounds[m, x]
            too_low, too_high = too_low + (high < over), too_high + (low > over)
        assert max(too_low, too_high) <= alpha * factorial(n) + 1e-9


# The finding.


def decades(table):
    """A program that publishes decades, and everything about people of 90 or more."""
    ages = [str(a) if a >= 90 else f"{a // 10 * 10}-{a // 10 * 10 + 9}" for a in table["age"]]
    return table.assign(age=ages)


@pytest.fixture(scope="module")
def everybody():
    return uv.differential_inference(SURVEY, uv.Oracle(decades), jobs=1)


def some_tested(monkeypatch, tests, **options):
    """A finding whose budget ends after so many tests."""
    asked = []

    def enough(_):
        asked.append(1)
        return len(asked) >= tests

    with monkeypatch.context() as patch:
        patch.setattr(Work, "enough", enough)
        patch.setattr("unveil.attacks.differential._beliefs._A_PART", 1e-9)  # one at a time
        return uv.differential_inference(SURVEY, uv.Oracle(decades), budget="1 h", **options)


def test_a_budget_begins_with_the_likely_worst(monkeypatch, everybody):
    found = some_tested(monkeypatch, 20, jobs=1)
    assert (found.how, len(found.targets)) == ("worst-first", 20)
    np.testing.assert_allclose(found.distances, everybody.distances[found.targets], atol=1e-12)
    assert np.isin(found.targets, found.front).sum() == 10
    again = some_tested(monkeypatch, 20, jobs=1)
    np.testing.assert_array_equal(found.targets, again.targets)
    assert set(some_tested(monkeypatch, 20, jobs=1, seed=5).targets) != set(found.targets)


def test_the_order_does_not_depend_on_the_number_of_jobs(everybody):
    one, two = (
        uv.differential_inference(
            SURVEY, uv.Oracle(decades), targets=24, draw="worst-first", jobs=jobs
        )
        for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.targets, two.targets)
    np.testing.assert_array_equal(one.distances, two.distances)
    assert [v.value for v in one.figures] == [v.value for v in two.figures]
    np.testing.assert_allclose(one.distances, everybody.distances[one.targets], atol=1e-12)


def by_range(table):
    """Cuts the range of ages into eight: whoever is oldest decides about all."""
    low, high = table["age"].min(), table["age"].max()
    width = -(-(high - low + 1) // 8)
    begin = low + (table["age"] - low) // width * width
    return table.assign(age=[f"{a}-{a + width - 1}" for a in begin])


PROGRAMS = [decades, by_range, uv.Mondrian(k=20)]


@pytest.mark.parametrize("adversary", ["naive-bayes", "conditional-frequency"])
@pytest.mark.parametrize("program", PROGRAMS, ids=["decades", "range", "cuts"])
def test_a_bad_program_is_found_among_the_first_targets(program, adversary):
    """Of two thirds of the survey, so that it is three tables."""
    for seed in range(3):
        keep = np.sort(np.random.default_rng(seed).permutation(len(SURVEY))[:600])
        table, path = SURVEY.take(keep), "auto" if isinstance(program, uv.Mondrian) else "general"
        first = uv.differential_inference(
            table, program, targets=10, draw="worst-first", adversary=adversary, jobs=1, path=path
        )
        assert first.delta > 0.05


def test_figures_do_not_count_the_likely_worst_for_more(everybody):
    """The mean of many draws is that of everybody; that of those tested is far above."""
    means, overs, plain = [], [], []
    seeds = range(repeats(300))
    for seed in seeds:
        targets = draw(SURVEY, 60, "worst-first", seed, release=RELEASED)
        found = replace(
            everybody.about(targets.records), how="worst-first", front=targets.front,
            not_tested={},
        )  # fmt: skip
        means.append(found.mean)
        overs.append(found.share_over(0.05))
        plain.append(found.tested.mean())
    for values, truth in ((means, everybody.mean), (overs, everybody.share_over(0.05))):
        assert abs(np.mean(values) - truth) < 4 * np.std(values) / np.sqrt(len(seeds))
    assert np.mean(plain) > everybody.mean + 4 * np.std(plain) / np.sqrt(len(seeds))


def test_weighted_statistics_plainly(everybody):
    targets = draw(SURVEY, 61, "worst-first", 3, release=RELEASED)
    found = replace(everybody.about(targets.records), how="worst-first", front=targets.front)
    is_front = np.isin(targets.records, targets.front)
    n, f, d = len(SURVEY), len(targets.front), found.distances
    assert f == is_front.sum() == 31

    def average(x):
        return (f * x[is_front].mean() + (n - f) * x[~is_front].mean()) / n

    assert found.mean == pytest.approx(average(d))
    assert found.std == pytest.approx(np.sqrt(average((d - average(d)) ** 2)))
    assert found.share_over(0.05) == pytest.approx(average(d > 0.05))
    assert found.modes_changed == pytest.approx(average(found.mode_changed))
    # The smallest distance that at least half of the people do not exceed.
    half = min(t for t in d.tolist() if average(d <= t) >= 0.5)
    assert found.quantiles((0.5,))[0.5] == half
    curve = found.story().charts[0].series[0]
    for x, y in zip(curve.x, curve.y, strict=True):
        assert y == pytest.approx(average(d <= x))


def test_the_figure_of_the_bound(monkeypatch, everybody):
    found = some_tested(monkeypatch, 60, jobs=1)
    delta, mean, over, at_most = found.figures
    bound = found.bound(0.05)
    assert at_most.figure.name == "over_bound"
    assert (at_most.value, at_most.low, at_most.high) == (bound.high, bound.low, bound.high)
    assert at_most.among == "for everybody with 95% confidence, from the 60 of 944 people tested"
    assert at_most.low <= everybody.share_over(0.05) <= at_most.value
    assert delta.among == "among the 60 of 944 people tested"
    assert mean.among == over.among == "estimated from the 60 of 944 people tested"
    assert mean.low <= everybody.mean <= mean.high
    exact = everybody.figures[3]
    assert (exact.value, exact.low, exact.high) == (everybody.share_over(0.05), None, None)


def test_the_likely_worst_alone_are_no_estimate(monkeypatch):
    """One person of many fails a release by δ, and says nothing about shares and means."""
    delta, mean, over, at_most = some_tested(monkeypatch, 1, jobs=1).figures
    assert delta.value > 0.05
    assert (mean.value, over.value) == (None, None)
    assert str(over.why_not) == "only people who are probably worst off were tested, 1 of 944"
    assert (at_most.low, at_most.value) == (pytest.approx(1 / 944), 1.0)
    states = [
        str(Threshold.parse(text).check(value, value.why_not).state)
        for text, value in (
            ("delta > 0.05", delta),
            ("mean_d > 0.01", mean),
            ("over > 1%", over),
            ("over_bound > 1%", at_most),
        )
    ]
    assert states == ["fails", "not known", "not known", "not known"]


def test_an_interrupted_test_does_not_count_the_likely_worst_for_more(everybody):
    targets = draw(SURVEY, len(SURVEY), "worst-first", 1, release=RELEASED)
    distances = np.full(len(SURVEY), np.nan)
    reached = targets.records[:60]
    distances[reached] = everybody.distances[reached]
    found = replace(everybody, distances=distances, front=targets.front)
    is_front = np.isin(reached, targets.front)
    f, n, d = len(targets.front), len(SURVEY), distances[reached]
    expected = (f * d[is_front].mean() + (n - f) * d[~is_front].mean()) / n
    assert found.mean == pytest.approx(expected)


def test_a_threshold_on_the_bound(monkeypatch, everybody):
    """A bound fails a release only if what it bounds surely does."""
    found = some_tested(monkeypatch, 60, jobs=1, adversary="naive-bayes").figures[3]
    surely, at_most = found.low, found.value
    assert 0 < surely < at_most < 1
    checks = {
        limit: Threshold.parse(f"over_bound > {limit}").check(found)
        for limit in (at_most + 0.01, (surely + at_most) / 2, surely / 2)
    }
    assert [str(check.state) for check in checks.values()] == ["passes", "not known", "fails"]
    _, unknown, _ = map(str, checks.values())
    assert "; but it is a bound, and the truth may be " in unknown
    assert "give the test more to do (budget=): 884 more people until everybody is " in unknown
    truth = everybody.figures[3]
    assert str(Threshold.parse("over_bound > 0.1%").check(truth).state) == "fails"


# The forecast.


def test_more_people_plainly():
    for size, drawn, found, wanted in (
        (30, 0, 0, 5),
        (30, 10, 0, 3),
        (30, 10, 1, 6),
        (60, 5, 2, 9),
    ):
        n = drawn
        while True:
            k = max(k for k in range(found, size - (n - found) + 1)
                    if hypergeom.cdf(found, size, k, n) > 0.05 * (1 - 1e-6))  # fmt: skip
            assert most_over(found, n, size, 0.05) == k
            if k <= wanted:
                break
            n += 1
        assert more_people(wanted, found, drawn, size, 0.05) == n - drawn


def test_what_is_forecast_comes_true():
    """With so many more people, none of them over, the bound is as low; with one fewer not."""
    n, front = 500, np.arange(20)

    def bound(of_front, at_random):
        targets = np.concatenate([front[:of_front], 20 + np.arange(at_random)])
        distances = np.zeros(len(targets))
        distances[0] = 1.0
        strata = front_and_others(targets, front, n)
        found = share_bound(distances, 0.5, n, how="worst-first", strata=strata)
        counts = [
            np.bincount(strata[0][some], minlength=3) for some in (distances > 0.5, slice(None))
        ]
        return found.high, forecast(
            *counts, strata[1], within=(found.low, found.high), alpha=0.05, each=2.0
        )

    high, told = bound(12, 12)
    assert high > 0.1
    assert list(told.for_bound) == [0.1, 0.05]
    assert (told.everybody, told.seconds) == (476, 952.0)
    for share, people in told.for_bound.items():
        more = people - 8  # the rest of the front comes first
        assert bound(20, 12 + more)[0] <= share < bound(20, 12 + more - 1)[0]
    # If few others are needed, the rest of the front still comes in turn with some.
    few = front_and_others(np.array([0, 30]), front, n)
    counts = np.array([0, 0, 0]), np.bincount(few[0], minlength=3), few[1]
    told = forecast(*counts, within=(0.0, 1.0), alpha=0.5, each=1.0)
    order = _in_turn(front, np.arange(n), np.random.default_rng(0))

    def after(targets):
        strata = front_and_others(order[:targets], front, n)
        return share_bound(np.zeros(targets), 0.5, n, confidence=0.5, how="worst-first",
                           strata=strata).high  # fmt: skip

    assert told.for_bound[0.1] == 2 * len(front) - 1 - 2
    for share, people in told.for_bound.items():
        assert after(2 + people) <= share
    # One of 500 is over: 0.2%. So 0.1% cannot be reached.
    high, told = bound(20, 370)
    assert high > 0.001
    assert not told.for_bound
    # Nor is a bound forecast that is below what is surely over.
    half = forecast(
        np.array([0, 50, 0]), np.array([20, 100, 0]), np.array([20, 480, 0]),
        within=(0.4, 0.6), alpha=0.05, each=1.0,
    )  # fmt: skip
    assert half.for_bound == {}
    assert "If no further" not in str(half)


def test_the_forecast_of_a_finding(monkeypatch, everybody):
    found = some_tested(monkeypatch, 60, jobs=1)
    told = found.forecast()
    assert told.everybody == 944 - 60
    assert told.seconds == pytest.approx(told.everybody * found.each)
    assert found.each > 0
    assert told.in_words(paced=False) in found.summary()
    facts = found.facts["forecast"]
    assert facts["people_untested"] == 884
    assert everybody.facts["forecast"] is None
    assert "δ is known once" not in everybody.summary()
    chosen = uv.differential_inference(SURVEY, uv.Mondrian(k=5), targets=[1, 2])
    assert "δ is known once" not in chosen.summary()
