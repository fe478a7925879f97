"""Samplers draw from the posterior: the truth is like any of their draws."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest
from calibration import BETA, chance, in_boxes, in_sets, ranks, shuffled, truth

from unveil.attacks.relative_risk.samplers import Sampler, sampler_for, sampler_of
from unveil.attacks.relative_risk.samplers._walk import begin
from unveil.attacks.relative_risk.samplers.horizontal import Atoms, InBoxes

SIMULATIONS = 200
ONCE_IN = 1e-6  # how often a right sampler may be taken for a wrong one


@dataclass(frozen=True)
class Way:
    """How tables are drawn and published, and by what sampler they are then drawn again."""

    likelihood: str
    publish: object
    algorithm: str = "collapsed"
    sampler: Sampler | None = None
    thin: int = 40

    def ranks(self, simulations, seed, *, mistaken=lambda problem: problem):
        """Ranks of true numbers: simulations × numbers. Mistakes are made in between."""
        rng = np.random.default_rng(seed)
        found = []
        for _ in range(simulations):
            real = truth(rng, self.likelihood)
            problem = mistaken(self.publish(real))
            used = self.sampler or sampler_for(problem, self.likelihood, self.algorithm)
            found.append(ranks(real, problem, used, rng, thin=self.thin))
        return np.stack(found)


def copying(problem, seed):
    """Begin a chain that copies other rows in every set, however small."""
    plan = Atoms.planned(problem)
    plan = plan._replace(by_copy=np.ones_like(plan.by_copy))
    return begin(Atoms, "collapsed", problem, seed, plan)


def in_boxes_apart(real):
    """Published in boxes, no two tuples of which are put together."""
    return replace(in_boxes(real), apart=True)


# Sweeps between draws are such that 4,000 simulations show nothing either: draws that hang together
# crowd to one side of the truth.
SATURATED, BAYES = partial(Way, "saturated"), partial(Way, "naive-bayes")
WAYS = {
    "collapsed": SATURATED(in_boxes),
    "collapsed, tuples apart": SATURATED(in_boxes_apart),
    "collapsed, copying": SATURATED(in_boxes, sampler=Sampler("", copying)),
    "gibbs": SATURATED(in_boxes, "gibbs"),
    "boxes": SATURATED(in_boxes, sampler=sampler_of(InBoxes)),
    "each column": BAYES(in_boxes),
    "each column, gibbs": BAYES(in_boxes, "gibbs"),
    "collapsed columns": BAYES(in_sets),
    "gibbs columns": BAYES(in_sets, "gibbs", thin=80),
    "swaps": SATURATED(shuffled),
    "gibbs swaps": SATURATED(shuffled, "gibbs", thin=80),
    "swaps of columns": BAYES(shuffled),
    "gibbs swaps of columns": BAYES(shuffled, "gibbs", thin=80),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_truth_has_any_rank(way):
    assert chance(WAYS[way].ranks(SIMULATIONS, seed=list(way.encode()))) > ONCE_IN


# That the above can fail: mistakes are found, and most of them in fewer simulations.


def too_even(problem):
    """The problem to somebody who thinks that tuples are more alike than they are."""
    return replace(problem, beta=10 * BETA)


@pytest.mark.parametrize("way", WAYS)
def test_a_wrong_prior_of_tuples_is_found(way):
    assert chance(WAYS[way].ranks(SIMULATIONS // 4, seed=1, mistaken=too_even)) < ONCE_IN


@pytest.mark.parametrize("way", ["collapsed", "gibbs columns", "swaps"])
def test_a_wrong_prior_of_sensitive_values_is_found(way):
    def too_common(problem):
        return replace(problem, alpha=problem.alpha * [1, 200, 1])

    assert chance(WAYS[way].ranks(SIMULATIONS // 2, seed=1, mistaken=too_common)) < ONCE_IN


@pytest.mark.parametrize("publish", [in_sets, shuffled])
def test_the_other_likelihood_is_found(publish):
    wrong = sampler_for(publish(truth(np.random.default_rng(0), "saturated")), "naive-bayes")
    way = SATURATED(publish, sampler=wrong)
    assert chance(way.ranks(2 * SIMULATIONS, seed=1)) < ONCE_IN


@pytest.mark.parametrize("way", ["collapsed", "swaps"])
def test_rows_that_stay_where_they_were_scattered_are_found(way):
    def begun(problem, seed):
        return sampler_for(problem).init(problem, seed)

    def scattered(problem, state, *, kept, thin, conditional="none"):
        state = begun(problem, np.random.SeedSequence(state.random.tolist()))
        kernel = sampler_for(problem).kernel
        return kernel(problem, state, kept=kept, thin=0, conditional=conditional)

    lazy = replace(WAYS[way], sampler=Sampler("", begun, scattered))
    assert chance(lazy.ranks(SIMULATIONS // 4, seed=1)) < ONCE_IN
