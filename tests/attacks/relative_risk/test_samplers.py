"""Samplers against everything that may be behind small releases, within their own error."""

from dataclasses import replace
from itertools import pairwise
from unittest import mock

import malaysian
import numba
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from proofs import examples
from random_risks import PRIORS, loosely_grouped, random_problem, small_table
from scipy import stats

import unveil as uv
from unveil.attacks.relative_risk import (
    _boxes,
    attacker,
    exact_answer,
    horizontal_problem,
    vertical_problem,
)
from unveil.attacks.relative_risk._boxes import boxes_that_meet
from unveil.attacks.relative_risk.samplers import Sampler, _kernels, sampler_for, sampler_of
from unveil.attacks.relative_risk.samplers._walk import begin, random_state
from unveil.attacks.relative_risk.samplers.horizontal import Atoms, InBoxes, Tuples
from unveil.errors import InputError

ALL_BOXES = ("product", "covered")
# What is sampled, the domains that it is for, and how. β of 0.1 ties rows together, and given π
# they come loose slowly: more sweeps between looks for the published samplers.
WAYS = {
    "collapsed": ("horizontal", "saturated", None, "collapsed", 2),
    "gibbs": ("horizontal", "saturated", None, "gibbs", 8),
    "collapsed columns": ("horizontal", "naive-bayes", ("observed",), "collapsed", 2),
    "gibbs columns": ("horizontal", "naive-bayes", ("observed",), "gibbs", 8),
    "each column, collapsed": ("horizontal", "naive-bayes", ALL_BOXES, "collapsed", 2),
    "each column, gibbs": ("horizontal", "naive-bayes", ALL_BOXES, "gibbs", 8),
    "swaps": ("vertical", "saturated", None, "collapsed", 4),
    "gibbs swaps": ("vertical", "saturated", None, "gibbs", 16),
    "swaps of columns": ("vertical", "naive-bayes", None, "collapsed", 4),
    "gibbs swaps of columns": ("vertical", "naive-bayes", None, "gibbs", 16),
}
KEPT = 4000
ERRORS = 5.0
# The same examples every time: such errors are rare, and chains that hardly mix do not know theirs.


def standard_errors(trace):
    """Of the means of traces (looked at × …): batch means, the largest of three lengths."""
    found = np.zeros(trace.shape[1:])
    for batches in (20, 40, 80):
        means = trace.reshape(batches, len(trace) // batches, *trace.shape[1:]).mean(axis=1)
        found = np.maximum(found, means.std(axis=0, ddof=1) / np.sqrt(batches))
    return found


def check(problem, exact, sampler, *, thin, seed=11):
    """A chain's means are the exact ones, up to its errors and what it cannot have seen."""
    problem = problem.with_panel(np.arange(problem.watched.shape[1]))
    state, _ = sampler.kernel(problem, sampler.init(problem, seed), kept=1, thin=200)
    _, info = sampler.kernel(problem, state, kept=KEPT, thin=thin, conditional="watched")
    for name in ("rows", "density", "conditional"):
        trace, expected = getattr(info, name), getattr(exact, name)
        off = np.abs(trace.mean(axis=0) - expected)
        allowed = ERRORS * standard_errors(trace) + 2 / KEPT
        assert (off <= allowed).all(), (name, (off / allowed).max())
        off = np.abs(getattr(info.answer, name) - expected)
        assert (off <= allowed).all(), (name, (off / allowed).max())
    assert info.kept == KEPT
    assert info.sweeps == KEPT * thin


@pytest.mark.parametrize("shape", [0.1, 0.7, 1.0, 1.3, 2.0, 7.5, 100.0])
def test_gamma_variables(shape):
    found = np.empty(100_000)
    draw_gammas(random_state(3), shape, found)
    assert stats.kstest(found, stats.gamma(shape).cdf).pvalue > 0.001


@numba.njit
def draw_gammas(random, shape, found):
    for i in range(len(found)):
        found[i] = _kernels._gamma(random, shape)


def test_the_tails_of_normal_variables():
    """Beyond the last strip there are other formulas."""
    found = np.empty(2_000_000)
    draw_normals(random_state(5), found)
    for sign in (-1, 1):
        beyond = sign * found[sign * found > _kernels._TAIL]
        expected = len(found) * stats.norm.sf(_kernels._TAIL)
        assert abs(len(beyond) - expected) < 4 * np.sqrt(expected)
        tail = stats.truncnorm(_kernels._TAIL, np.inf)
        assert stats.kstest(beyond, tail.cdf).pvalue > 0.001
    assert stats.kstest(found, stats.norm.cdf).pvalue > 0.001


@numba.njit
def draw_normals(random, found):
    for i in range(len(found)):
        found[i] = _kernels._normal(random)


@pytest.mark.parametrize("way", WAYS)
@given(
    seed=st.integers(0, 2**32 - 1), rows=st.integers(1, 9), groups=st.integers(1, 3),
    values=st.integers(1, 3), sizes=st.sampled_from([(4,), (3, 2), (2, 2, 2)]),
    priors=st.sampled_from(PRIORS), place=st.integers(0, 2),
)  # fmt: skip
@examples(6, derandomize=True)
def test_samplers_find_what_enumeration_does(way, seed, rows, groups, values, sizes, priors, place):
    kind, likelihood, domains, algorithm, thin = WAYS[way]
    if kind == "horizontal" and likelihood == "naive-bayes":
        # Rows of the same value hold each other so fast that no chain of this length moves them.
        assume(priors[1] >= 0.3)
    domains = domains or ("observed", "product", "covered")
    problem = random_problem(
        seed, rows, sizes, values, groups, kind=kind, domain=domains[place % len(domains)],
        alpha=priors[0], beta=priors[1],
    )  # fmt: skip
    exact = exact_answer(problem, likelihood, conditional=True, steps=200_000)
    assume(exact is not None)
    check(problem, exact, sampler_for(problem, likelihood, algorithm), thin=thin)


@pytest.mark.parametrize("bits", [64, 6])
@given(seed=st.integers(0, 2**32 - 1), priors=st.sampled_from(PRIORS), listed=st.booleans())
@examples(4, derandomize=True)
def test_boxes_that_are_not_written_out(bits, seed, priors, listed):
    """In words of so many bits: a tuple takes one of them, or two."""
    problem = random_problem(seed, 9, (4, 2, 2), 3, 3, kind="horizontal", domain="product",
                             alpha=priors[0], beta=priors[1])  # fmt: skip
    exact = exact_answer(problem, conditional=True, steps=200_000)
    assume(exact is not None)
    with mock.patch.object(_boxes, "_BITS", bits):
        plan = InBoxes.planned(problem)
    if not listed:
        plan = plan._replace(near=plan.near[:0], near_start=np.zeros_like(plan.near_start))
    sampler = Sampler("boxes", lambda p, s: begin(InBoxes, "collapsed", p, s, plan))
    check(problem, exact, sampler, thin=2)


@given(seed=st.integers(0, 2**32 - 1), priors=st.sampled_from(PRIORS))
@examples(6, derandomize=True)
def test_copying_other_rows_is_as_good_as_going_through_the_list(seed, priors):
    problem = random_problem(seed, 9, (3, 2, 2), 2, 3, kind="horizontal", domain="product",
                             alpha=priors[0], beta=priors[1])  # fmt: skip
    exact = exact_answer(problem, conditional=True, steps=200_000)
    assume(exact is not None)
    plan = Atoms.planned(problem)
    plan = plan._replace(by_copy=np.ones_like(plan.by_copy))
    sampler = Sampler("copying", lambda p, s: begin(Atoms, "collapsed", p, s, plan))
    check(problem, exact, sampler, thin=4)


@pytest.mark.parametrize("algorithm", ["collapsed", "gibbs"])
@pytest.mark.parametrize("apart", [False, True])
def test_putting_tuples_together_changes_nothing(algorithm, apart):
    problem = random_problem(3, 9, (3, 3), 2, 3, kind="horizontal", domain="product", alpha=1.0,
                             beta=0.5)  # fmt: skip
    assert (problem.lumped.size > 1).any()
    exact = exact_answer(problem, conditional=True, steps=10**6)
    problem = replace(problem, apart=apart)
    check(problem, exact, sampler_for(problem, algorithm=algorithm), thin=4)


@pytest.mark.parametrize("algorithm", ["collapsed", "gibbs"])
@pytest.mark.parametrize("likelihood", ["saturated", "naive-bayes"])
@pytest.mark.parametrize("release", ["recoded", "anatomized"])
def test_the_malaysian_by_every_sampler(release, likelihood, algorithm):
    columns = ("nationality", "zip")
    table, published = malaysian.patients(*columns), getattr(malaysian, release)(*columns)
    make = horizontal_problem if release == "recoded" else vertical_problem
    problem = make(published, table)
    exact = exact_answer(problem, likelihood, conditional=True)
    check(problem, exact, sampler_for(problem, likelihood, algorithm), thin=4)


def every_sampler():
    """A problem that is not small for each sampler there is, and the sampler."""
    for way, (kind, likelihood, domains, algorithm, _) in WAYS.items():
        problem = random_problem(
            5, 200, (4, 3, 2), 4, 20, kind=kind, domain=(domains or ("observed",))[0], alpha=1.0,
            beta=0.5,
        )  # fmt: skip
        yield pytest.param(problem, sampler_for(problem, likelihood, algorithm), id=way)
    # With a small β, rows that come into question are counted and not tried out.
    product = random_problem(5, 200, (4, 3, 2), 4, 20, kind="horizontal", domain="product",
                             alpha=1.0, beta=0.05)  # fmt: skip
    yield pytest.param(product, sampler_of(InBoxes), id="boxes")


@pytest.mark.parametrize(("problem", "sampler"), list(every_sampler()))
def test_chains_are_pure_and_hang_on_their_seed(problem, sampler):
    problem = problem.with_panel(np.array([0, 3]))
    begun = sampler.init(problem, np.random.SeedSequence(7))
    first, seen = sampler.kernel(problem, begun, kept=5, thin=2, conditional="watched")
    again, seen_again = sampler.kernel(problem, begun, kept=5, thin=2, conditional="watched")
    for name in ("rows", "density", "conditional"):
        np.testing.assert_array_equal(getattr(seen, name), getattr(seen_again, name))
        np.testing.assert_array_equal(getattr(seen.answer, name), getattr(seen_again.answer, name))
    same = sampler.kernel(problem, sampler.init(problem, 7), kept=5, thin=2)[1]
    np.testing.assert_array_equal(same.rows[0], seen.rows[0])
    other = sampler.kernel(problem, sampler.init(problem, 8), kept=5, thin=2)[1]
    assert (other.rows != same.rows).any()
    _, after = sampler.kernel(problem, first, kept=5)
    _, after_again = sampler.kernel(problem, again, kept=5)
    np.testing.assert_array_equal(after.rows, after_again.rows)
    assert after.answer.conditional is None
    assert after.conditional is None
    _, drawn = sampler.kernel(problem, first, kept=5, conditional="panel")
    assert drawn.answer.conditional is None
    np.testing.assert_allclose(drawn.conditional.sum(axis=1), 1)
    assert after.rows.shape == (5, problem.values, 2)


@pytest.mark.parametrize(("problem", "sampler"), list(every_sampler()))
def test_rows_are_neither_lost_nor_made(problem, sampler):
    _, info = sampler.kernel(problem, sampler.init(problem, 1), kept=3, thin=3)
    np.testing.assert_allclose(info.answer.rows.sum(axis=1), problem.totals, rtol=1e-9)
    assert (info.answer.rows >= -1e-9).all()
    assert (info.answer.density > 0).all()


def test_disjoint_sets_of_a_strict_mondrian_release_stay_where_they_are():
    rng = np.random.default_rng(3)
    survey = uv.read_table(
        {"age": rng.integers(18, 60, 150), "town": rng.integers(0, 20, 150),
         "vote": rng.choice(list("abc"), 150)},
        quasi=["age", "town"], sensitive="vote",
    )  # fmt: skip
    problem = horizontal_problem(uv.Mondrian(k=4, regions="cut").sanitize(survey), survey)
    exact = exact_answer(problem)
    sampler = sampler_of(Atoms)
    _, info = sampler.kernel(problem, sampler.init(problem, 1), kept=2)
    np.testing.assert_allclose(info.answer.rows, exact.rows, atol=1e-9)
    apart = replace(problem, apart=True)
    check(apart, exact_answer(problem, conditional=True), sampler, thin=4)


def test_large_sets_are_not_gone_through():
    rng = np.random.default_rng(0)
    table = small_table(rng, 3000, (30, 20, 10), 2)
    group_of = np.arange(3000) // 5
    release = loosely_grouped(rng, table, group_of, 0.0)
    whole = replace(release, regions=tuple(
        type(r)(
            np.concatenate([[0, c.size], r.start[2:] + c.size - r.start[1]]),
            np.concatenate([np.arange(c.size, dtype=np.int32), r.members[r.start[1] :]]),
        )
        for r, c in zip(release.regions, table.quasi, strict=True)
    ))  # fmt: skip
    problem = horizontal_problem(whole, table)
    plan = Atoms.planned(problem)
    everything = problem.group_of_class[0]
    assert plan.by_copy[problem.lumped.cells.group == everything].all()
    assert not plan.by_copy.all()


def test_the_published_sampler_needs_numbers_for_tuples():
    rng = np.random.default_rng(0)
    table = small_table(rng, 50, (40,) * 6, 3)
    release = loosely_grouped(rng, table, np.arange(50) // 5, 0.6)
    problem = horizontal_problem(release, table, domain="product").watching(table.codes)
    with pytest.raises(InputError, match=r"each of the 4,096,000,000 tuples.*'collapsed'"):
        sampler_for(problem, "saturated", "gibbs")
    sampler = sampler_for(problem)
    _, info = sampler.kernel(problem, sampler.init(problem, 1), kept=20, thin=2)
    assert np.isfinite(attacker(info.answer.rows)).all()
    by_columns = sampler_for(problem, "naive-bayes", "gibbs")
    _, info = by_columns.kernel(problem, by_columns.init(problem, 1), kept=20, thin=2)
    assert np.isfinite(attacker(info.answer.rows)).all()


def test_modules_of_naive_bayes_are_for_observed_tuples():
    """On boxes they find the same as each column by itself does."""
    problem = random_problem(9, 8, (3, 2), 2, 3, kind="horizontal", domain="covered", alpha=1.0,
                             beta=1.0)  # fmt: skip
    exact = exact_answer(problem, "naive-bayes", conditional=True, steps=10**6)
    for algorithm in ("collapsed", "gibbs"):
        check(problem, exact, sampler_of(Tuples, algorithm), thin=4)


@given(seed=st.integers(0, 2**32 - 1), bits=st.sampled_from([64, 6]))
@examples(40)
def test_boxes_meet_that_share_a_tuple_and_a_sensitive_value(seed, bits):
    rng = np.random.default_rng(seed)
    sizes = (5, 4, 3)
    table = small_table(rng, 20, sizes, 70)
    group_of = np.unique(rng.integers(8, size=20), return_inverse=True)[1]
    release = loosely_grouped(rng, table, group_of, rng.choice([0.0, 0.3]))
    problem = horizontal_problem(release, table, domain="product")
    wanted = rng.random(len(problem.counts)) < 0.7
    with mock.patch.object(_boxes, "_BITS", bits):
        start, others = boxes_that_meet(problem.packed, problem.counts, wanted, 1000)
    begins, members = problem.members
    sets = [set(members[a:b].tolist()) for a, b in pairwise(begins)]
    for g, counts in enumerate(problem.counts):
        expected = [
            h for h, other in enumerate(problem.counts)
            if wanted[g] and sets[g] & sets[h] and ((counts > 0) & (other > 0)).any()
        ]  # fmt: skip
        assert sorted(others[start[g] : start[g + 1]].tolist()) == expected
