"""Relative risk: what does an attacker learn beyond what anybody learns from a release?

From a release in groups everybody can learn about the population. An attacker knows more: that
his victim *is in the table*. M. Boreale, F. Corradi and C. Viscardi ("Relative privacy threats and
learning from anonymized data", IEEE Transactions on Information Forensics and Security, 2020)
compare the two in a Bayesian model, which generalizes Kifer's deFinetti attack: the population is
unknown, the table is drawn from it, and the release leaves open which tuple a row has. What is
left open is summed up exactly where that is possible, and sampled where it is not.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks._targets import seed_number
from unveil.attacks.relative_risk._answer import Answer
from unveil.attacks.relative_risk._at_risk import checked_ties
from unveil.attacks.relative_risk._beliefs_of_victims import Teller
from unveil.attacks.relative_risk._chains import Chains, Goal, run_chains
from unveil.attacks.relative_risk._domain import TooManyCoveredError, checked_domain, tuples_once
from unveil.attacks.relative_risk._exact import (
    Likelihood,
    checked_likelihood,
    exact_answer,
    is_settled,
)
from unveil.attacks.relative_risk._finding import How, Learner, RelativeRisk
from unveil.attacks.relative_risk._panel import chosen_panel, random_tuples
from unveil.attacks.relative_risk._problem import Problem, horizontal_problem, vertical_problem
from unveil.attacks.relative_risk.samplers import Sampler, sampler_for
from unveil.engine import parse_duration, workers
from unveil.errors import InputError, did_you_mean
from unveil.microdata import AnyRelease, Microdata, Permuted, Release
from unveil.sanitize import Sanitizer, as_microdata

__all__ = ["relative_risk"]

_LEARNERS: tuple[Learner, ...] = ("joint", "conditional")

_SMALL_BETA = 0.1
_STICKY = (
    "β = {:g} is small: chains may stay where they are together, far from other tables that are as "
    "likely, and look converged; exact=True, where it can be, or a larger β is safer"
)


def relative_risk(
    release: Release | Permuted,
    microdata: Microdata | None = None,
    *,
    alpha: float | NDArray[np.floating] = 1.0,
    beta: float = 1.0,
    likelihood: str = "saturated",
    domain: str | None = None,
    learner: str = "joint",
    ties: str = "full",
    sampler: str = "collapsed",
    exact: bool | None = None,
    chains: int = 4,
    panel: int = 16,
    rhat: float = 1.01,
    ess: float = 400.0,
    sweeps: int = 20_000,
    budget: float | str | None = "10 min",
    thin: int = 4,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> RelativeRisk:
    """Compare what an attacker and a learner believe about people, given a release in groups.

    Both know the release and how likely populations are before they see it. The learner asks about
    anybody with the victim's quasi-identifiers; the attacker knows that his victim is in the table.

    Parameters
    ----------
    release : Release or Permuted
        What was published: generalized records of any kind, or the two tables of Anatomy.
    microdata : Microdata, optional
        The original table. Without it the finding answers about victims that are described to it;
        with it, it also says who is at risk.
    alpha, beta : float
        Of the Dirichlet priors of sensitive values (one number, or one a value) and of tuples given
        a sensitive value: how many rows the prior is worth, for each of them.
    likelihood : {"saturated", "naive-bayes"}
        Whether every tuple has a probability of its own given the sensitive value, as published,
        or every column's value has one and columns are independent. Only the second carries over
        what is learnt about one tuple to others that share a value with it.
    domain : {"observed", "product", "covered"}, optional
        Which tuples there are: those of the original table (which the attacker is then taken to
        know; default if there is one), all combinations of the columns' values, or those that the
        release covers (default without the original, if they can be counted).
    learner : {"joint", "conditional"}
        Whether the learner averages over populations before he conditions on the victim's tuple
        (eq. 4 of the paper), or after (eq. 5). They are two numbers.
    ties : {"full", "fraction", "none"}
        How records count whose sensitive value is one of several that are most likely.
    sampler : {"collapsed", "gibbs"}
        With the population integrated out, or as published.
    exact : bool, optional
        By default the answer is exact where the sets are disjoint or the problem is small enough
        to write down all that may be, and sampled elsewhere. True: or an error; False: sampled.
    chains : int
        How many.
    panel : int
        How many victims' traces are kept and diagnosed.
    rhat, ess : float
        The chains run on until R-hat is at most and the effective sample size at least this for
        the worst victim of the panel.
    sweeps : int
        Each chain makes at most so many.
    budget : float or str, optional
        Time after which they stop in any case, in seconds or such as "10 min".
    thin : int
        Sweeps from one look at the state to the next; no more than ``sweeps``.
    seed : int
        On which all random choices hang.
    n_jobs : int, optional
        Threads; default: all cores.
    progress : bool, optional
        Show progress; default: if standard error is a terminal.

    Returns
    -------
    RelativeRisk

    Raises
    ------
    InputError
        If α or β is not above 0, a group covers no tuple of the domain, the release is not one of
        the microdata, or there are no chains.

    Examples
    --------
    >>> import unveil as uv
    >>> people = uv.read_table(
    ...     {"nationality": ["Malaysia", "Japan", "Japan", "Japan", "China", "Japan", "India",
    ...                      "Malaysia"],
    ...      "disease": ["Heart", "Flu", "Flu", "Stomach", "HIV", "Diabetes", "Flu", "Heart"]},
    ...     quasi="nationality", sensitive="disease")
    >>> published = {"nationality": ["{Malaysia, Japan}"] * 2 + ["Japan"] * 2
    ...              + ["{China, Japan}"] * 2 + ["{India, Malaysia}"] * 2,
    ...              "disease": people["disease"].decode()}
    >>> release = uv.read_release(published, people)
    >>> finding = uv.relative_risk(release, people)
    >>> finding.how
    'enumeration'
    >>> malaysian = finding.victim(nationality="Malaysia")
    >>> dict(zip(malaysian.values, malaysian.attacker.round(4).tolist(), strict=True))
    {'Diabetes': 0.0, 'Flu': 0.4545, 'HIV': 0.0, 'Heart': 0.5455, 'Stomach': 0.0}
    >>> finding.n_attacker, finding.n_learner, round(finding.gr, 3)
    (6.0, 4.0, 0.25)
    """
    begun = time.perf_counter()
    asked = _Asked(
        likelihood=checked_likelihood(likelihood), learner=_checked_learner(learner),
        sampler=sampler, exact=_checked_exact(exact), chains=_count("chains", chains, 1),
        panel=_count("panel", panel, 1), seed=seed_number(seed), n_jobs=n_jobs, progress=progress,
        goal=Goal(
            rhat=_above("rhat", rhat, 1.0), ess=_above("ess", ess, 0.0),
            sweeps=_count("sweeps", sweeps, 1), thin=min(_count("thin", thin, 1), sweeps),
            seconds=None if budget is None else parse_duration(budget),
        ),
    )  # fmt: skip
    ties_counted = checked_ties(ties)
    workers(n_jobs)  # what is wrong with it is told now
    original = None if microdata is None else as_microdata(microdata, "relative risk")
    problem, notes = _problem(release, original, domain, alpha, beta)
    problem, tuple_of = _with_people(problem, original, asked)
    chosen = sampler_for(problem, asked.likelihood, asked.sampler)
    answer, how, sampled = _answered(problem, asked, chosen)
    if sampled is not None and beta < _SMALL_BETA:
        notes += (_STICKY.format(beta),)
    return RelativeRisk(
        release=release.made_by, kind="vertical" if isinstance(release, Permuted) else "horizontal",
        quasi=release.quasi, sensitive=release.sensitive, problem=problem, microdata=original,
        tuple_of=tuple_of, answer=answer, how=how, chains=sampled, likelihood=asked.likelihood,
        learner_is=asked.learner, ties=ties_counted,
        teller=Teller(
            problem=problem, likelihood=asked.likelihood, sampler=chosen,
            states=() if sampled is None else sampled.states,
            conditional=asked.learner == "conditional", goal=asked.goal, chains=asked.chains,
            seed=asked.seed, n_jobs=n_jobs,
        ),
        seed=asked.seed, seconds=time.perf_counter() - begun, notes=(*release.notes, *notes),
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What was asked for, checked."""

    likelihood: Likelihood
    learner: Learner
    sampler: str
    exact: bool | None
    chains: int
    panel: int
    goal: Goal
    seed: int
    n_jobs: int | None
    progress: bool | None


def _problem(
    release: Any, microdata: Microdata | None, domain: str | None, alpha: Any, beta: float
) -> tuple[Problem, tuple[str, ...]]:
    _check_kind(release)
    if domain is not None:
        checked_domain(domain)
    if isinstance(release, Permuted):
        return vertical_problem(
            release, microdata, domain=domain or "observed", alpha=alpha, beta=beta
        ), ()
    notes: tuple[str, ...] = ()
    name = domain or ("observed" if microdata is not None else "covered")
    try:
        problem = horizontal_problem(release, microdata, domain=name, alpha=alpha, beta=beta)
    except TooManyCoveredError:
        if domain is not None:
            raise
        problem = horizontal_problem(release, microdata, domain="product", alpha=alpha, beta=beta)
        notes = ("domain 'product', for the release covers too many tuples to be counted",)
    return problem, notes


def _check_kind(release: Any) -> None:
    if isinstance(release, Release | Permuted):
        return
    if isinstance(release, Sanitizer):
        raise InputError(
            f"relative risk is about a release, and {release.label} is a sanitizer; give what it "
            "publishes: sanitizer.sanitize(microdata)"
        )
    if isinstance(release, AnyRelease):
        raise InputError(
            f"relative risk is about records in groups, and the release by {release.made_by} "
            f"publishes {release.instead}; differential_inference and membership test such releases"
        )
    raise InputError(
        f"relative risk is about a release, and got a {type(release).__name__}; read one with "
        "unveil.read_release(…) or unveil.read_anatomy(…)"
    )


def _with_people(
    problem: Problem, microdata: Microdata | None, asked: _Asked
) -> tuple[Problem, NDArray[np.int64]]:
    """Watch the people of the table, or some who may be in it, and choose a panel of them."""
    rng = np.random.default_rng([asked.seed, 1])
    if microdata is None:
        found = random_tuples(problem, asked.likelihood, asked.panel, rng)
        return problem.watching(found), np.zeros(0, dtype=np.int64)
    tuples, tuple_of = tuples_once(microdata.codes)
    problem = problem.watching(tuples)
    records = np.bincount(tuple_of, minlength=tuples.shape[1])
    panel = chosen_panel(problem, asked.likelihood, asked.panel, records, rng)
    return problem.with_panel(panel), tuple_of


def _answered(
    problem: Problem, asked: _Asked, sampler: Sampler
) -> tuple[Answer, How, Chains | None]:
    conditional = asked.learner == "conditional"
    if asked.exact is not False:
        answer = exact_answer(problem, asked.likelihood, conditional=conditional)
        if answer is not None:
            settled = is_settled(problem, asked.likelihood)
            return answer, "closed form" if settled else "enumeration", None
        if asked.exact:
            raise InputError(
                "there is no exact answer: the groups' sets overlap, and what may be behind them "
                "is too much to be written down; take exact=None and it is sampled"
            )
    sampled = run_chains(
        problem, sampler, chains=asked.chains, goal=asked.goal, seed=asked.seed,
        conditional=conditional, n_jobs=asked.n_jobs, progress=asked.progress,
    )  # fmt: skip
    return sampled.answer, "sampling", sampled


def _checked_learner(name: str) -> Learner:
    for known in _LEARNERS:
        if name == known:
            return known
    near = did_you_mean(name, _LEARNERS) if isinstance(name, str) else ""
    raise InputError(f"learner must be 'joint' or 'conditional', but got {name!r}{near}")


def _checked_exact(exact: Any) -> bool | None:
    if exact is None or isinstance(exact, bool):
        return exact
    raise InputError(f"exact must be True, False or None, but got {exact!r}")


def _count(name: str, number: Any, least: int) -> int:
    if isinstance(number, bool) or not isinstance(number, Integral) or number < least:
        raise InputError(f"{name} must be a whole number from {least} up, got {number!r}")
    return int(number)


def _above(name: str, number: Any, least: float) -> float:
    if isinstance(number, bool) or not isinstance(number, Real) or not float(number) > least:
        raise InputError(f"{name} must be a number above {least:g}, got {number!r}")
    return float(number)
