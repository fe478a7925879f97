"""Chains side by side: when they stop, what they forget, and what they say about themselves."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from random_risks import random_problem

from unveil.attacks.relative_risk import _chains
from unveil.attacks.relative_risk._beliefs import mean_answer
from unveil.attacks.relative_risk._chains import Goal, Sampling, diagnosed, run_chains
from unveil.attacks.relative_risk.samplers import Sampler, sampler_for


@pytest.fixture(scope="module")
def problem():
    found = random_problem(5, 40, (4, 3), 3, 8, kind="horizontal", domain="product", alpha=1.0,
                           beta=1.0)  # fmt: skip
    return found.with_panel(np.arange(5))


def run(problem, *, chains=3, goal=None, conditional=False, seed=7, sampler=None, jobs=2):
    sampling = Sampling(sampler=sampler or sampler_for(problem), goal=goal or Goal(), chains=chains,
                        seed=seed, jobs=jobs)  # fmt: skip
    return run_chains(problem, sampling, conditional=conditional)


def test_they_run_until_the_worst_of_the_panel_has_reached_the_goal(problem):
    goal = Goal(rhat=1.02, ess=600)
    found = run(problem, goal=goal)
    assert found.stopped == "converged"
    assert found.converged
    assert found.diagnostics.worst_rhat <= 1.02
    assert found.diagnostics.least_ess >= 600
    assert found.diagnostics.rhat.shape == (5,)
    again = diagnosed(problem, found.infos, conditional=False)
    assert np.array_equal(again.rhat, found.diagnostics.rhat)


def test_the_same_seed_gives_the_same_numbers_whatever_the_number_of_threads(problem):
    one, two, other = (
        run(problem, seed=seed, jobs=jobs) for seed, jobs in ((7, 1), (7, 3), (8, 3))
    )
    assert one.sweeps == two.sweeps
    assert np.array_equal(one.answer.rows, two.answer.rows)
    assert np.array_equal(one.trace("conditional"), two.trace("conditional"))
    assert not np.array_equal(one.answer.rows, other.answer.rows)


@pytest.mark.parametrize("looks", [60, 100, 175, 400, 1130])
def test_what_is_kept_is_the_end_of_one_long_walk(problem, looks):
    goal = Goal(rhat=1.0 + 1e-9, sweeps=4 * looks, thin=4)  # never reached
    found = run(problem, chains=2, goal=goal)
    assert found.stopped == "sweeps"
    assert found.sweeps == 4 * looks
    assert 0.25 <= found.warm_up / found.sweeps <= 0.5
    sampler = sampler_for(problem)
    for seed, info in zip(np.random.SeedSequence(7).spawn(2), found.infos, strict=True):
        state = sampler.init(problem, seed)
        _, plain = sampler.kernel(problem, state, kept=looks, thin=4, conditional="panel")
        kept = info.kept
        assert kept == looks - found.warm_up // 4
        assert np.array_equal(info.rows, plain.rows[-kept:])
        assert np.array_equal(info.density, plain.density[-kept:])
        assert np.array_equal(info.conditional, plain.conditional[-kept:])
        assert np.allclose(info.answer.rows[:, problem.panel], plain.rows[-kept:].mean(axis=0))


def test_the_mean_of_answers_is_weighted(problem):
    a, b = (run(problem, seed=seed).answer for seed in (1, 2))
    found = mean_answer([a, b], [1.0, 3.0])
    assert np.allclose(found.rows, (a.rows + 3 * b.rows) / 4)
    assert np.allclose(found.density, (a.density + 3 * b.density) / 4)
    assert found.conditional is None


def test_limits_of_sweeps_and_time(problem):
    few = run(problem, goal=Goal(sweeps=10, thin=4))
    assert (few.stopped, few.sweeps, few.converged) == ("sweeps", 8, False)
    short = run(problem, goal=Goal(seconds=1e-9))
    assert short.stopped == "time"
    assert short.sweeps == 100
    assert not short.converged


def test_the_limit_of_time_ends_them_after_the_round_in_which_it_is_over(problem, monkeypatch):
    """By a clock that goes on a second with every call of the kernel."""
    sampler, now = sampler_for(problem), [0.0]

    def kernel(*args, **options):
        now[0] += 1.0
        return sampler.kernel(*args, **options)

    monkeypatch.setattr(_chains, "time", SimpleNamespace(monotonic=lambda: now[0]))
    never = Goal(rhat=1.0 + 1e-9, seconds=6.5, thin=4)
    found = run(problem, chains=2, goal=never, sampler=Sampler("slow", sampler.init, kernel))
    assert (found.stopped, found.seconds) == ("time", 8.0)
    assert found.sweeps == 4 * 100  # rounds of two chains, two seconds each
    now[0] = 0.0
    monkeypatch.setattr(_chains, "_MOST_VISITS", 1)  # as with many rows
    found = run(problem, chains=2, goal=never, sampler=Sampler("slow", sampler.init, kernel))
    assert (found.stopped, found.seconds) == ("time", 8.0)
    assert found.sweeps == 4 * 4


def interrupting(problem, rounds):
    """A sampler that is interrupted in a round."""
    sampler, calls = sampler_for(problem), []

    def kernel(*args, **options):
        if options["kept"] > 1:  # not what only compiles it
            calls.append(1)
        if len(calls) > rounds:
            raise KeyboardInterrupt
        return sampler.kernel(*args, **options)

    return Sampler("interrupted", sampler.init, kernel)


def test_an_interrupt_loses_nothing_but_the_round_under_way(problem):
    never = Goal(rhat=1.0 + 1e-9)
    found = run(problem, chains=1, goal=never, sampler=interrupting(problem, 3), jobs=1)
    assert found.stopped == "interrupted"
    assert found.sweeps == 3 * 100
    plain = run(problem, chains=1, goal=replace(never, sweeps=300), jobs=1)
    assert np.array_equal(found.answer.rows, plain.answer.rows)
    with pytest.raises(KeyboardInterrupt):
        run(problem, chains=1, goal=never, sampler=interrupting(problem, 0), jobs=1)


def test_progress_says_sweeps_and_the_worst_rhat(problem, capsys, monkeypatch):
    said = []

    class Told(_chains.Progress):
        def expect(self, total, remark=""):
            said.append((total, remark))
            super().expect(total, remark)

    monkeypatch.setattr(_chains, "Progress", Told)
    run(problem, goal=Goal(rhat=1.0 + 1e-9, sweeps=1200))
    assert said
    assert all(remark.startswith("worst R-hat 1.") for _, remark in said)
    assert all(0 < total <= 3 * 1200 for total, _ in said)


def with_rows(problem, info, rows):
    """The same as if these rows had been expected, with the densities that follow from them."""
    whole = problem.beta * problem.domain.size + problem.totals
    density = (problem.beta + rows) / whole[:, None]
    return replace(info, kept=len(rows), rows=rows, density=density)


def test_chains_that_stand_still_at_different_places_have_not_converged(problem):
    info = run(problem, chains=1, goal=Goal(sweeps=100)).infos[0]
    still = np.broadcast_to(info.rows[:1], info.rows.shape)
    one = with_rows(problem, info, still)
    other = with_rows(problem, info, still * np.linspace(1, 2, 3)[:, None])
    apart = diagnosed(problem, [one, other], conditional=False)
    assert apart.worst_rhat == np.inf
    same = diagnosed(problem, [one, one], conditional=False)
    assert same.worst_rhat == 1.0
    assert same.least_ess == np.inf
    assert same.largest_error == 0.0


def test_a_slow_belief_is_seen_in_full_even_if_the_quick_look_is_good(problem):
    """The belief that moves most may be the one that mixes well."""
    rng = np.random.default_rng(1)
    info = run(problem, chains=1, goal=Goal(sweeps=100)).infos[0]
    rows = np.abs(rng.normal(1.0, 0.3, size=(4, 500, 3, 5)))
    rows[:, :, 2] = 0.01 + 0.001 * rng.normal(size=(4, 500, 5))
    rows[1, :, 2] += 0.005
    infos = [with_rows(problem, info, one) for one in rows]
    assert diagnosed(problem, infos, conditional=False, quickly=True).worst_rhat < 1.02
    assert diagnosed(problem, infos, conditional=False).worst_rhat > 1.1


def test_the_error_is_the_one_that_runs_show(problem):
    """The standard error of p_A, linearized, against how much independent runs differ."""
    goal = Goal(sweeps=1600, rhat=1.0 + 1e-9)
    runs = [run(problem, chains=2, goal=goal, seed=seed) for seed in range(24)]
    beliefs = np.stack([one.answer.rows / one.answer.rows.sum(axis=0) for one in runs])
    spread = beliefs.std(axis=0, ddof=1)[:, problem.panel].max(axis=0)
    told = np.mean([one.diagnostics.error for one in runs], axis=0)
    assert (told > 0.5 * spread).all()
    assert (told < 2.0 * spread).all()


@pytest.mark.parametrize("learner", ["density", "conditional"])
def test_the_learner_is_diagnosed_too(problem, learner):
    info = run(problem, chains=1, goal=Goal(sweeps=400), conditional=True).infos[0]
    rng = np.random.default_rng(2)
    good = replace(
        info, rows=np.ones((100, 3, 5)), density=np.ones((100, 3, 5)),
        conditional=rng.random((100, 3, 5)),
    )  # fmt: skip
    bad = {
        "density": np.ones((100, 3, 5)) * [[[1], [2], [1]]],
        "conditional": np.zeros((100, 3, 5)),
    }
    other = replace(good, **{learner: bad[learner]})
    conditional = learner == "conditional"
    assert diagnosed(problem, [good, other], conditional=conditional).worst_rhat > 1.5
    assert diagnosed(problem, [good, good], conditional=conditional).worst_rhat < 1.5
    # The other learner is not looked at.
    assert diagnosed(problem, [good, other], conditional=not conditional).worst_rhat < 1.5
