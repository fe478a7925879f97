"""Intervals of sampled figures: they cover what is exactly so, and do not hang on chain length."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proofs import examples
from random_risks import loosely_grouped, random_problem, small_table

import unveil as uv
from unveil.attacks.relative_risk import exact_answer
from unveil.attacks.relative_risk._guesses import Guesses
from unveil.attacks.relative_risk._intervals import Possible, _bounds, _Error
from unveil.attacks.relative_risk._symmetry import tied_by_symmetry
from unveil.attacks.tolerance import Near
from unveil.microdata import Column, Kind, Role

# Coverage -------------------------------------------------------------------------------------


def simulated(kind, seed):
    """A small release that can be enumerated, and its table; secrets depend on the tuples."""
    rng = np.random.default_rng([seed, kind == "vertical"])
    n, sizes = int(rng.integers(12, 20)), (3, 2)
    table = small_table(rng, n, sizes, 3)
    secret = table.sensitive
    follows = (table.quasi[0].codes + rng.integers(2, size=n)) % 3
    codes = np.where(rng.random(n) < 0.6, follows, secret.codes).astype(np.int32)
    secret = Column(name="secret", role=Role.SENSITIVE, kind=Kind.CATEGORICAL, codes=codes,
                    values=secret.values)  # fmt: skip
    table = uv.Microdata(columns=(*table.quasi, secret), rows=np.arange(n), source="simulated")
    group_of = rng.permutation(np.arange(n) // 3)
    if kind == "vertical":
        return uv.Permuted.from_groups(table, group_of), table
    return loosely_grouped(rng, table, group_of, 0.2), table


def covered(kind, repeats, **options):
    """For each release with a known answer, whether each interval covers; and the widths of GR."""
    found, widths = [], []
    seed = -1
    while len(found) < repeats:
        seed += 1
        release, table = simulated(kind, seed)
        try:
            exact = uv.relative_risk(release, table, exact="always", **options)
        except uv.errors.InputError:  # too many tables to enumerate
            continue
        if exact.how == "closed form":
            continue
        sampled = uv.relative_risk(
            release, table, exact="never", seed=seed, progress=False, jobs=1, **options
        )
        assert sampled.converged
        (low, high), (least, most) = sampled.gr_interval, sampled.relative_risk_interval
        assert low <= sampled.gr <= high
        worst = exact.worst_relative_risk or 0.0
        tiny = 1e-9
        found.append(
            (low - tiny <= exact.gr <= high + tiny, least - tiny <= worst <= most * (1 + tiny))
        )
        widths.append(high - low)
    return np.array(found), np.array(widths)


def repeats():
    """300 in ``make proofs``, and a bounded share of them in every run."""
    return 300 if settings().max_examples >= 100 else 20


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("vertical", {}),
        ("horizontal", {}),
        ("vertical", {"ties": "full", "beta": 0.5}),
        ("horizontal", {"learner": "conditional"}),
        ("vertical", {"likelihood": "naive-bayes", "ties": "none"}),
    ],
)
def test_intervals_cover_what_is_exactly_so(kind, options):
    n = repeats()
    found, widths = covered(kind, n, **options)
    missed = n - found.sum(axis=0)
    assert (missed <= 0.05 * n).all(), missed
    # They say something: anything from 0 to 1 would cover, too.
    assert np.median(widths) < 0.5


def test_without_room_for_errors_they_would_not_cover():
    """That the above can fail: GR of the samples alone is often another one."""
    missed = 0
    for seed in range(30):
        release, table = simulated("vertical", seed)
        try:
            exact = uv.relative_risk(release, table, exact="always", ties="full")
        except uv.errors.InputError:
            continue
        few = uv.relative_risk(release, table, exact="never", ties="full", seed=seed, jobs=1)
        missed += abs(exact.gr - few.gr) > 1e-9
    assert missed > 3


# What is surely tied --------------------------------------------------------------------------


@given(seed=st.integers(0, 2**32 - 1), kind=st.sampled_from(["vertical", "horizontal"]))
@examples(100)
def test_what_is_tied_by_symmetry_is_tied_in_every_table(seed, kind):
    rng = np.random.default_rng(seed)
    n, groups = int(rng.integers(4, 9)), int(rng.integers(2, 5))
    problem = random_problem(
        seed, n, (3, 2), 4, groups, kind=kind, domain="observed", alpha=1.0, beta=0.7
    )
    for likelihood in ("saturated", "naive-bayes"):
        tied, answer = tied_by_symmetry(problem, likelihood), exact_answer(problem, likelihood)
        if tied is None or answer is None:
            continue
        for column, labels in zip(answer.rows.T, tied.label.T, strict=True):
            for label in np.unique(labels):
                assert np.ptp(column[labels == label]) < 1e-9
        np.testing.assert_allclose(tied.evened(answer.rows), answer.rows, atol=1e-9)


def test_most_ties_of_anatomy_are_found():
    table = small_table(np.random.default_rng(1), 300, (40, 30), 6)
    release = uv.Anatomy(l=3, seed=1).sanitize(table)
    finding = uv.relative_risk(release, table, exact="never")
    assert finding.under_attacker.tied.sum() > 100
    (low, high), exactly = finding.gr_interval, finding.gr
    assert low <= exactly <= high < low + 0.3


def test_steps_of_the_search_are_limited():
    table = small_table(np.random.default_rng(1), 30, (4, 3), 3)
    problem = uv.relative_risk(uv.Anatomy(l=2, seed=1).sanitize(table), table).problem
    assert tied_by_symmetry(problem, "saturated", steps=0) is None


# What possible guesses lead to ----------------------------------------------------------------


def counted(right, chosen, ties):
    """Records that count if these guesses are tied; each record has one true value."""
    if ties == "full":
        return right[chosen].sum()
    if ties == "none":
        return right[chosen].sum() if len(chosen) == 1 else 0.0
    return right[chosen].mean()


@given(seed=st.integers(0, 2**32 - 1), ties=st.sampled_from(["full", "fraction", "none"]))
@examples(100)
def test_bounds_are_over_all_that_is_possible(seed, ties):
    rng = np.random.default_rng(seed)
    values, tuples = int(rng.integers(2, 5)), int(rng.integers(1, 4))
    right = rng.integers(0, 3, size=(values, tuples)).astype(float)
    best = rng.random((values, tuples)) < 0.4
    best[rng.integers(values, size=tuples), np.arange(tuples)] = True
    others = (rng.random((values, tuples)) < 0.4) & ~best
    low, high = 0.0, 0.0
    for t in range(tuples):
        sure, maybe = np.flatnonzero(best[:, t]), np.flatnonzero(others[:, t])
        outcomes = [
            counted(right[:, t], np.array([*head, *some], dtype=int), ties)
            for head in (sure, [])
            for k in range(len(maybe) + 1)
            for some in itertools.combinations(maybe, k)
            if len(head) or k
        ]
        low, high = low + min(outcomes), high + max(outcomes)
    found = _bounds(best, others, right, right.sum(axis=0).astype(int), ties)
    assert found[0] <= low + 1e-12
    assert found[1] >= high - 1e-12
    if ties == "fraction":
        assert found == pytest.approx((low, high))


@given(seed=st.integers(0, 2**32 - 1), of_value=st.booleans())
@examples(100)
def test_guesses_of_numbers_are_those_of_the_tolerance(seed, of_value):
    rng = np.random.default_rng(seed)
    values, tuples, n = 8, 4, 12
    near = Near(values=np.sort(rng.choice(40, values, replace=False)).astype(float),
                amount=0.2 if of_value else 3.0, of_value=of_value)  # fmt: skip
    beliefs = rng.dirichlet(np.ones(values), size=tuples).T * (rng.random((values, tuples)) < 0.7)
    beliefs[0] += 1e-3
    beliefs /= beliefs.sum(axis=0)
    tuple_of, secret = rng.integers(tuples, size=n), rng.integers(values, size=n)
    guesses = Guesses(tuple_of=tuple_of, secret=secret, values=values, tuples=tuples, near=near)
    expected = near.guess(beliefs.T, tuple_of, secret)
    np.testing.assert_allclose(guesses.chances(beliefs[None])[0].max(axis=0), expected.chance)
    np.testing.assert_allclose(guesses.near_own(beliefs)[secret, tuple_of], expected.own)
    certain = Possible.by(guesses, beliefs, np.zeros_like(beliefs), 1.0)
    np.testing.assert_array_equal(certain.guesses.hits(certain.best), expected.hits)
    share = (expected.hits / expected.tied[tuple_of]).sum()
    assert certain.counts("fraction") == pytest.approx((share, share))
    anything = Possible.by(guesses, beliefs, np.full_like(beliefs, np.inf), np.inf)
    low, high = anything.counts("fraction")
    assert low <= share <= high


def test_the_error_is_that_of_a_mean_and_of_chains_that_differ():
    rng = np.random.default_rng(0)
    batches = rng.normal(size=(12, 2, 3))
    alike = _Error(np.full(12, 1 / 12), np.arange(12))
    np.testing.assert_allclose(alike(batches), batches.std(axis=0, ddof=1) / np.sqrt(12))
    apart = batches + 100.0 * np.repeat([0, 1, 2, 3], 3)[:, None, None]
    chains = _Error(np.full(12, 1 / 12), np.repeat([0, 1, 2, 3], 3))
    means = apart.reshape(4, 3, 2, 3).mean(axis=1)
    np.testing.assert_allclose(chains(apart), means.std(axis=0, ddof=1) / 2)


# What is not known ----------------------------------------------------------------------------


def test_figures_of_chains_that_have_not_converged_are_not_known():
    release, table = simulated("vertical", 1)
    finding = uv.relative_risk(release, table, exact="never", sweeps=8)
    assert not finding.converged
    gr, worst = finding.figures
    assert (gr.value, gr.low, gr.high, worst.value) == (None, 0.0, 1.0, None)
    assert str(gr.why_not) == (
        "the chains have not converged; the limit of sweeps was reached; give more with sweeps="
    )
    assert finding.gr_interval == (0.0, 1.0)
    assert "it is not known how much more an attacker learns" in finding.verdict()
    assert "%" not in finding.verdict()
    assert "GR, the global relative risk: not known" in finding.summary()
    assert finding.to_dict()["figures"]["gr"]["value"] is None


def test_sampled_figures_with_a_small_beta_are_not_known():
    """Chains that stay together look converged: in simulations the intervals do not cover."""
    release, table = simulated("horizontal", 1)
    finding = uv.relative_risk(release, table, exact="never", beta=0.05)
    assert finding.converged
    assert not finding.is_known
    assert [one.value for one in finding.figures] == [None, None]
    assert "with β = 0.05 chains may seem to have converged" in finding.verdict()
    assert uv.relative_risk(release, table, exact="always", beta=0.05).is_known


def test_what_is_not_known_does_not_pass_an_audit():
    _, table = simulated("vertical", 1)
    audit = uv.audit(
        table, "anatomy:l=2", attacks={"relative-risk": {"exact": "never", "sweeps": 8}},
        fail_on=["gr > 50%", "relative_risk > 1000"], progress=False,
    )  # fmt: skip
    assert audit.passed is False
    assert "gr is not known: the chains have not converged" in audit.verdict()


def test_an_audit_passes_by_the_upper_end_alone():
    release, table = simulated("vertical", 3)
    sampled = uv.relative_risk(release, table, exact="never")
    gr = replace(sampled.figures[0], value=0.02, low=0.0, high=0.3)
    below, between = (uv.auditing.Threshold.parse(f"gr > {x}").check(gr) for x in (0.5, 0.1))
    assert below.passed
    assert not between.passed
    assert str(between) == (
        "gr is 2.0%, which is not above 10.0%, but it may be up to 30.0%: sample longer (ess=, "
        "budget=)"
    )


def test_exact_figures_need_no_interval():
    release, table = simulated("vertical", 1)
    gr, worst = uv.relative_risk(release, table, exact="always").figures
    assert (gr.low, gr.high, worst.low, worst.high) == (None,) * 4


def test_sampled_figures_have_intervals_that_are_told():
    release, table = simulated("vertical", 1)
    finding = uv.relative_risk(release, table, exact="never")
    gr, worst = finding.figures
    assert (gr.low, gr.high) == finding.gr_interval
    assert (worst.low, worst.high) == finding.relative_risk_interval
    assert "95% intervals: GR " in finding.summary()
    assert finding.to_dict()["risk"]["gr_interval"] == [gr.low, gr.high]
