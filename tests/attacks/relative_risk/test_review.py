"""Relative risk where it is easily wrong: odd tables, left out records, chains that do not move."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from random_risks import loosely_grouped, random_problem, small_table

import unveil as uv
from unveil.attacks.relative_risk import _chains, _victim
from unveil.attacks.relative_risk._chains import Goal, Sampling, continued, run_chains
from unveil.attacks.relative_risk._relative_risk import random_tuples
from unveil.attacks.relative_risk.samplers import sampler_for
from unveil.errors import InputError

# One sensitive value: the attacker is sure, the learner is not ---------------------------------

ONE_VALUE = {"q": ["a", "b", "c", "a", "b"], "s": ["x"] * 5}


def overlapping(table):
    cells = ["{a, b}", "{b, c}", "{b, c}", "{a, b}", "{a, b}"]
    return uv.read_release({"q": cells, "s": table["s"].decode()}, table)


def test_the_learner_is_watched_where_the_attacker_has_nothing_to_learn():
    table = uv.read_table(ONE_VALUE, quasi="q", sensitive="s", ordinal={"s": ["x", "y"]})
    exact = uv.relative_risk(overlapping(table), table, beta=0.3)
    sampled = uv.relative_risk(overlapping(table), table, beta=0.3, exact="never", seed=4)
    assert exact.how == "enumeration"
    assert np.array_equal(sampled.attacker, exact.attacker)  # 1 and 0
    assert sampled.chains.diagnostics.least_ess < np.inf
    assert sampled.error > 0
    off = np.abs(sampled.learner - exact.learner).max()
    assert 0 < off < 5 * sampled.error


# Records that were left out --------------------------------------------------------------------


def test_nothing_is_believed_about_records_outside_of_the_domain():
    table = uv.read_table({"q": ["a", "b", "c"], "s": ["x"] * 3}, quasi="q", sensitive="s")
    release = uv.read_release({"q": ["{a, b}"] * 2, "s": ["x", "x"]}, table)
    covered = uv.relative_risk(release, table, domain="covered")
    assert covered.n_learner == 2
    assert np.isnan(covered.to_frame()["learner"]).tolist() == [False, False, True]
    assert covered.not_covered == 1
    for who in ({"q": "c"}, 2):
        with pytest.raises(InputError, match="'q' 'c' is outside the domain 'covered'"):
            covered.victim(who)
    product = uv.relative_risk(release, table, domain="product")  # the learner asks about anybody
    assert product.n_learner == 3
    assert product.victim(2).learner.tolist() == [1.0]
    assert "the attacker believes nothing about them" in product.summary()


# Values and names ------------------------------------------------------------------------------


def test_somebody_whose_value_is_missing_can_be_asked_about():
    table = uv.read_table(
        {"q": ["a", None, "b"], "s": ["x", "y", "x"]}, quasi="q", sensitive="s", missing="category"
    )
    finding = uv.relative_risk(uv.Permuted.from_groups(table, [1, 1, 2]), table)
    named = finding.victim(q="(missing)")
    for value in (None, float("nan"), pd.NA, np.nan):
        assert np.array_equal(finding.victim(q=value).attacker, named.attacker)
        assert finding.victim(q=value).who == {"q": "(missing)"}
    whole = uv.read_table({"q": ["a", "b"], "s": ["x", "y"]}, quasi="q", sensitive="s")
    with pytest.raises(InputError, match=r"'\(missing\)' is not a value of 'q'"):
        uv.relative_risk(uv.Permuted.from_groups(whole, [1, 1]), whole).victim(q=None)


def test_columns_that_are_called_like_those_of_the_finding():
    table = uv.read_table(
        {"row": [1, 2, 3], "record": ["a", "b", "a"], "attacker": ["x", "y", "x"]},
        quasi=["row", "record"], sensitive="attacker",
    )  # fmt: skip
    release = uv.read_release(
        {"row": ["1-3"] * 3, "record": ["*"] * 3, "attacker": ["x", "y", "x"]}, table
    )
    finding = uv.relative_risk(release, table)
    worst = finding.worst(3)
    assert worst["row in the table"].tolist() == [table["row"].decode()[i] for i in worst["record"]]
    assert worst["attacker in the table"].tolist() == [
        table["attacker"].decode()[i] for i in worst["record"]
    ]
    assert worst["row"].tolist() == worst["record"].tolist()
    victim = finding.victim(0)
    assert victim.to_frame()["attacker in the table"].tolist() == ["x", "y"]
    assert victim.to_frame()["attacker"].tolist() == victim.attacker.tolist()
    alone = uv.relative_risk(release).to_frame()
    assert set(alone["attacker in the table"]) == {"x", "y"}
    assert alone["attacker"].dtype == np.float64
    assert set(alone["record"]) == {"a", "b"}
    assert len(finding.worst(0)) == 0
    with pytest.raises(
        InputError, match="n=-1 is not possible: it must be a whole number from 0 up"
    ):
        finding.worst(-1)


def test_a_level_that_is_just_reached_counts():
    """0.9 is no number of a computer's, and what is computed may be next to it."""
    n = 10
    table = uv.read_table(
        {"q": ["a"] * n, "s": ["x"] * 9 + ["y"]}, quasi="q", sensitive="s"
    )  # fmt: skip
    finding = uv.relative_risk(uv.Permuted.from_groups(table, [1] * n), table)
    finding.attacker[0, 0] -= 1e-16 + np.spacing(0.9)
    assert finding.attacker[0, 0] < 0.9
    assert finding.levels.loc[0.9, "attacker"] == 9


@pytest.mark.parametrize(
    ("options", "said"),
    [({"alpha": "one"}, "alpha= must be a number or one number per sensitive value, but got 'one'"),
     ({"alpha": [[1], [2, 3]]}, "alpha= must be a number or one number per sensitive value"),
     ({"alpha": {"x": 1}}, "alpha= must be a number or one number per sensitive value"),
     ({"beta": "one"}, "beta='one' is not possible: it must be a number above 0"),
     ({"beta": [1.0, 2.0]}, r"beta=\[1.0, 2.0\] is not possible"),
     ({"beta": None}, "beta=None is not possible"),
     ({"exact": "no"}, "exact='no' is not possible: it must be 'auto', 'always' or 'never'")],
)  # fmt: skip
def test_options_of_the_wrong_kind(options, said):
    table = uv.read_table(ONE_VALUE, quasi="q", sensitive="s")
    with pytest.raises(InputError, match=said):
        uv.relative_risk(overlapping(table), table, **options)


# Chains ----------------------------------------------------------------------------------------


def test_chains_that_are_stuck_apart_are_an_answer_that_has_not_converged():
    table = small_table(np.random.default_rng(0), 40, (3,), 2)
    finding = uv.relative_risk(
        uv.Permuted.from_groups(table, np.arange(40) // 8), table, beta=1e-6, sampler="gibbs",
        exact="never", sweeps=1600,
    )  # fmt: skip
    assert not finding.converged
    assert finding.chains.stopped == "sweeps"
    lines = finding.summary().splitlines()
    assert lines[1].startswith("  NOT CONVERGED")
    assert "β = 1e-06 is small" in lines[-1]
    assert "it is not known how much more an attacker learns" in finding.verdict()
    keys = list(finding.to_dict())
    assert keys.index("converged") == keys.index("figures") + 1


def test_a_few_looks_at_what_stands_still_are_no_convergence():
    table = uv.read_table(
        {"q": ["a", "b", "c", "d"], "s": ["x", "y", "x", "y"]}, quasi="q", sensitive="s"
    )
    release = uv.Permuted.from_groups(table, [1, 1, 2, 2])
    short = uv.relative_risk(release, table, exact="never", sweeps=8)
    assert short.chains.diagnostics.least_ess == np.inf
    assert not short.converged
    assert uv.relative_risk(release, table, exact="never").converged


@pytest.mark.parametrize(("sweeps", "thin", "made"), [(10, 4, 8), (10, 100, 10), (1, 4, 1)])
def test_no_chain_makes_more_sweeps_than_it_may(sweeps, thin, made):
    table = small_table(np.random.default_rng(1), 12, (3, 2), 2)
    release = loosely_grouped(np.random.default_rng(2), table, np.arange(12) // 4, 0.4)
    finding = uv.relative_risk(release, table, exact="never", sweeps=sweeps, thin=thin)
    assert finding.chains.sweeps == made
    assert not finding.converged


@pytest.fixture(scope="module")
def problem():
    found = random_problem(5, 40, (4, 3), 3, 8, kind="horizontal", domain="product", alpha=1.0,
                           beta=1.0)  # fmt: skip
    return found.with_panel(np.arange(5))


def test_rounds_of_large_problems_are_short_and_change_nothing(problem, monkeypatch):
    """However they are cut, chains go the same way."""
    sampling = Sampling(sampler=sampler_for(problem), chains=2, seed=3, jobs=1,
                        goal=Goal(sweeps=400, rhat=1.0 + 1e-9))  # fmt: skip
    whole = run_chains(problem, sampling, conditional=False)
    monkeypatch.setattr(_chains, "_MOST_VISITS", 7 * 40 * 4 * 2)
    cut = run_chains(problem, sampling, conditional=False)
    kept = min(whole.infos[0].kept, cut.infos[0].kept)
    assert np.array_equal(whole.trace("rows")[:, -kept:], cut.trace("rows")[:, -kept:])
    assert 0.25 <= cut.warm_up / cut.sweeps <= 0.5
    sampling = replace(sampling, goal=Goal(seconds=1e-9))
    short = run_chains(problem, sampling, conditional=False)
    assert (short.stopped, short.sweeps) == ("time", 7 * 4)


def test_continued_stops_when_its_visits_are_used_up(problem, monkeypatch):
    sampling = Sampling(sampler=sampler_for(problem), goal=Goal(thin=2), chains=2, jobs=1)
    states = sampling.started(problem)
    whole = continued(problem, sampling, states, looks=30, visits=10**9)
    monkeypatch.setattr(_chains, "_MOST_VISITS", 4 * 40 * 2 * 2)
    cut = continued(problem, sampling, states, looks=30, visits=10**9)
    assert [info.kept for info in (*whole, *cut)] == [30] * 4
    assert all(np.array_equal(a.rows, b.rows) for a, b in zip(whole, cut, strict=True))
    short = continued(problem, sampling, states, looks=30, visits=4 * 40 * 2 * 2)
    assert [info.kept for info in short] == [4, 4]
    least = continued(problem, sampling, states, looks=30, visits=0)
    assert [info.kept for info in least] == [1, 1]


def test_an_interrupt_while_looks_are_put_together_loses_only_them(problem, monkeypatch):
    calls, plainly = [], _chains._joined

    def joined(infos):
        calls.append(len(infos))
        if len(calls) == 5:
            raise KeyboardInterrupt
        return plainly(infos)

    monkeypatch.setattr(_chains, "_MOST_VISITS", 10 * 40 * 4)
    monkeypatch.setattr(_chains, "_joined", joined)
    sampling = Sampling(sampler=sampler_for(problem), chains=1, seed=3, jobs=1,
                        goal=Goal(rhat=1.0 + 1e-9, ess=1e9))  # fmt: skip
    found = run_chains(problem, sampling, conditional=False)
    assert found.stopped == "interrupted"
    assert found.sweeps % 40 == 0
    assert found.sweeps == 4 * found.infos[0].kept + found.warm_up


def test_of_somebody_of_the_panel_the_chains_have_told_all(monkeypatch):
    table = small_table(np.random.default_rng(1), 12, (3, 2), 2)
    release = loosely_grouped(np.random.default_rng(2), table, np.arange(12) // 4, 0.4)
    finding = uv.relative_risk(release, table, exact="never", panel=3)
    record = int(np.flatnonzero(finding.tuple_of == finding.problem.panel[1])[0])
    other = next(r for r in range(12) if finding.tuple_of[r] not in finding.problem.panel)
    assert finding.victim(other).converged  # by going on
    monkeypatch.setattr(_victim, "continued", lambda *_, **__: pytest.fail("asked"))
    victim = finding.victim(record)
    assert victim.error == finding.chains.diagnostics.error[1]
    traces = finding.chains.trace("conditional")[..., 1].reshape(-1, 2)
    assert np.allclose(victim.learner_interval, np.quantile(traces, [0.025, 0.975], axis=0))


def test_exact_beliefs_have_no_intervals_rather_than_wrong_ones():
    table = small_table(np.random.default_rng(3), 12, (3,), 2)
    release = uv.Permuted.from_groups(table, np.arange(12) // 4)
    finding = uv.relative_risk(release, table, beta=1e-4, sampler="gibbs")
    assert finding.how == "enumeration"
    victim = finding.victim(0)
    assert victim.converged
    assert np.isnan(victim.learner_interval).all()
    assert np.isnan(victim.attacker_interval).all()
    assert np.isfinite(victim.learner).all()
    assert "–" in repr(victim)
    assert np.isfinite(uv.relative_risk(release, table).victim(0).learner_interval).all()


# The panel -------------------------------------------------------------------------------------


def test_without_the_original_the_panel_is_of_groups_that_leave_something_open():
    n = 400
    data = {"q": [f"v{i % 40}" for i in range(n)], "s": ["xy"[i % 2] for i in range(n)]}
    cells = list(data["q"])
    cells[0], cells[1], cells[2] = "{v0, v1}", "{v1, v2}", "{v0, v2}"
    table = uv.read_table(data, quasi="q", sensitive="s")
    release = uv.read_release({**data, "q": cells}, table)
    problem = uv.relative_risk(release, exact="never", sweeps=4).problem
    for seed in range(5):
        found = random_tuples(problem, "saturated", 3, np.random.default_rng(seed))
        assert {table["q"].texts[code] for code in found[0]} <= {"v0", "v1", "v2"}
