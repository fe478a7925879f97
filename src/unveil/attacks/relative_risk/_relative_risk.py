"""Relative risk: what does an attacker learn beyond what anyone learns from a release?

Anyone can learn about the population from a release in groups. An attacker knows more: that the
victim *is in the table*. M. Boreale, F. Corradi and C. Viscardi ("Relative privacy threats and
learning from anonymized data", IEEE Transactions on Information Forensics and Security, 2020)
compare the two in a Bayesian model that generalizes Kifer's deFinetti attack: the population is
unknown, the table is drawn from it, and the release leaves open which tuple a row has. The
posterior is computed exactly where that is possible, and sampled elsewhere.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._beliefs import TIES, Answer
from unveil.attacks.relative_risk._chains import Chains, Goal, run_chains
from unveil.attacks.relative_risk._domain import (
    DOMAINS,
    Members,
    TooManyCoveredError,
    one_of,
    tuples_once,
)
from unveil.attacks.relative_risk._exact import (
    LIKELIHOODS,
    Likelihood,
    exact_answer,
    is_settled,
)
from unveil.attacks.relative_risk._finding import LEARNERS, How, Learner, RelativeRisk
from unveil.attacks.relative_risk._problem import (
    Horizontal,
    Problem,
    Vertical,
    horizontal_problem,
    vertical_problem,
)
from unveil.attacks.relative_risk._victim import Teller
from unveil.attacks.relative_risk.samplers import Sampler, sampler_for
from unveil.attacks.shared import seed_number
from unveil.engine import parse_duration, workers
from unveil.errors import Call, File, InputError, Message, Option, Text
from unveil.microdata import AnyRelease, Microdata, Permuted, Release
from unveil.sanitize import Sanitizer, as_microdata

__all__ = ["random_tuples", "relative_risk"]

_SMALL_BETA = 0.1


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

    Both know the release and the prior of populations. The learner asks about anyone with the
    victim's quasi-identifiers; the attacker knows that the victim is in the table.

    Parameters
    ----------
    release : Release or Permuted
        What was published: generalized records of any kind, or the two tables of Anatomy.
    microdata : Microdata, optional
        The original table. Without it the finding answers questions about described victims; with
        it, it also says who is at risk.
    alpha, beta : float
        Weights, in rows, of the Dirichlet priors: of each sensitive value (one number, or one per
        value), and of each tuple given a sensitive value.
    likelihood : {"saturated", "naive-bayes"}
        Whether every tuple has its own probability given the sensitive value, as published, or
        every column's value has one and columns are independent. Only naive Bayes transfers what
        is learned about one tuple to others that share a value with it.
    domain : {"observed", "product", "covered"}, optional
        Which tuples exist: those of the original table (which the attacker is then assumed to
        know; default if it is given), all combinations of the columns' values, or those that the
        release covers (default without the original table, if they can be counted).
    learner : {"joint", "conditional"}
        Whether the learner averages over populations before conditioning on the victim's tuple
        (eq. 4 of the paper), or after (eq. 5). The two give different numbers.
    ties : {"full", "fraction", "none"}
        How to count records whose sensitive value is one of several most likely ones.
    sampler : {"collapsed", "gibbs"}
        With the population integrated out, or as published.
    exact : bool, optional
        By default the answer is exact if the sets are disjoint or the problem is small enough to
        enumerate, and sampled otherwise. True: exact or an error. False: sampled.
    chains : int
        Number of chains.
    panel : int
        Number of victims whose traces are kept and diagnosed.
    rhat, ess : float
        The chains run until the worst victim of the panel has at most this R-hat and at least this
        effective sample size.
    sweeps : int
        The most sweeps of each chain.
    budget : float or str, optional
        Time after which sampling stops, in seconds or as in "10 min".
    thin : int
        Sweeps between recorded states; at most ``sweeps``.
    seed : int
        Random seed.
    n_jobs : int, optional
        Number of threads. Default: all cores.
    progress : bool, optional
        Show progress. Default: if standard error is a terminal.

    Returns
    -------
    RelativeRisk

    Raises
    ------
    InputError
        If an option is out of range, a group covers no tuple of the domain, or the release is not
        one of the microdata.

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
        likelihood=one_of("likelihood", likelihood, LIKELIHOODS),
        learner=one_of("learner", learner, LEARNERS),
        sampler=sampler, exact=_checked_exact(exact), chains=_count("chains", chains),
        panel=_count("panel", panel), seed=seed_number(seed), n_jobs=n_jobs, progress=progress,
        goal=Goal(
            rhat=_above("rhat", rhat, 1.0), ess=_above("ess", ess, 0.0),
            sweeps=_count("sweeps", sweeps), thin=min(_count("thin", thin), sweeps),
            seconds=None if budget is None else parse_duration(budget),
        ),
    )  # fmt: skip
    ties_counted = one_of("ties", ties, TIES)
    workers(n_jobs)  # a wrong value is reported now
    original = None if microdata is None else as_microdata(microdata, "relative risk")
    problem, notes = _problem(release, original, domain, alpha, beta)
    problem, tuple_of = _with_people(problem, original, asked)
    chosen = sampler_for(problem, asked.likelihood, asked.sampler)
    answer, how, sampled = _answered(problem, asked, chosen)
    if sampled is not None and beta < _SMALL_BETA:
        notes += (_sticky(beta),)
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
    """The checked options."""

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


def _sticky(beta: float) -> Message:
    return Message(
        "β = {beta} is small: chains may stay together in one region, far from other tables that "
        "are as likely, and look converged; {exact}, where possible, or a larger β is safer",
        beta=f"{beta:g}", exact=Option("exact", True),
    )  # fmt: skip


def _problem(
    release: Any, microdata: Microdata | None, domain: str | None, alpha: Any, beta: float
) -> tuple[Problem, tuple[Text, ...]]:
    _check_kind(release)
    if domain is not None:
        one_of("domain", domain, DOMAINS)
    priors = {"alpha": alpha, "beta": beta}
    if isinstance(release, Permuted):
        return vertical_problem(release, microdata, domain=domain or "observed", **priors), ()
    name = domain or ("observed" if microdata is not None else "covered")
    try:
        return horizontal_problem(release, microdata, domain=name, **priors), ()
    except TooManyCoveredError:
        if domain is not None:
            raise
    note = Message(
        "{domain} is used, because the release covers too many tuples to count",
        domain=Option("domain", "product"),
    )
    return horizontal_problem(release, microdata, domain="product", **priors), (note,)


def _check_kind(release: Any) -> None:
    if isinstance(release, Release | Permuted):
        return
    if isinstance(release, Sanitizer):
        raise InputError(
            "relative risk needs a release, but {sanitizer} is a sanitizer; give what it "
            "publishes: sanitizer.sanitize(microdata)",
            sanitizer=File(release.label, bare=True),
        )
    if isinstance(release, AnyRelease):
        raise InputError(
            "relative risk needs records in groups, but the release by {maker} publishes "
            "{instead}; {differential} and {membership} test such releases",
            maker=File(release.made_by, bare=True), instead=release.instead,
            differential=Call("differential_inference"), membership=Call("membership"),
        )  # fmt: skip
    raise InputError(
        "relative risk needs a release, but got a {type}; read one with {release} or {anatomy}",
        type=type(release).__name__, release=Call("read_release"), anatomy=Call("read_anatomy"),
    )  # fmt: skip


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
                "there is no exact answer: the groups' sets overlap, and too many tables are "
                "consistent with them to enumerate; leave out {exact} to sample",
                exact=Option("exact", True),
            )
    sampled = run_chains(
        problem, sampler, chains=asked.chains, goal=asked.goal, seed=asked.seed,
        conditional=conditional, n_jobs=asked.n_jobs, progress=asked.progress,
    )  # fmt: skip
    return sampled.answer, "sampling", sampled


def _checked_exact(exact: Any) -> bool | None:
    if exact is None or isinstance(exact, bool):
        return exact
    raise InputError(
        "{option} must be True, False or None, but got {exact}",
        option=Option("exact"), exact=repr(exact),
    )  # fmt: skip


def _count(name: str, number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, Integral) or number < 1:
        raise InputError(
            "{option} must be a whole number from 1 up, got {number}",
            option=Option(name), number=repr(number),
        )  # fmt: skip
    return int(number)


def _above(name: str, number: Any, least: float) -> float:
    if isinstance(number, bool) or not isinstance(number, Real) or not float(number) > least:
        raise InputError(
            "{option} must be a number above {least}, got {number}",
            option=Option(name), least=f"{least:g}", number=repr(number),
        )  # fmt: skip
    return float(number)


# The panel: victims whose traces are kept ---------------------------------------------------------


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
    panel = _chosen_panel(problem, asked.likelihood, asked.panel, records, rng)
    return problem.with_panel(panel), tuple_of


def _chosen_panel(
    problem: Problem, likelihood: Likelihood, size: int, records: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.int64]:  # fmt: skip
    """Positions of some watched tuples, drawn in proportion to the records that have them.

    Tuples about which the release leaves nothing open come last: their traces do not move, and
    would hide that others do.
    """
    keys = rng.exponential(size=len(records)) / np.maximum(records, 1e-9)
    order = np.lexsort([keys, ~_is_open(problem, likelihood)])
    return np.sort(order[:size])


def _is_open(problem: Problem, likelihood: Likelihood) -> NDArray[np.bool_]:
    """Which watched tuples have rows that may have another tuple."""
    groups = _open_groups(problem, likelihood)
    if groups.all():
        return np.ones(problem.watched.shape[1], dtype=np.bool_)
    start, members = _tuples_of_groups(problem)
    assert problem.domain.codes is not None
    found = np.zeros(problem.domain.codes.shape[1], dtype=np.bool_)
    found[members[np.repeat(groups, np.diff(start))]] = True
    numbers = problem.watched_numbers
    return np.where(numbers >= 0, found[numbers], False)


def _open_groups(problem: Problem, likelihood: Likelihood) -> NDArray[np.bool_]:
    """Which groups have rows whose tuple is not certain."""
    if isinstance(problem, Vertical):
        return (problem.counts > 0).sum(axis=1) > 1
    groups = np.ones(len(problem.counts), dtype=np.bool_)
    if isinstance(problem, Horizontal) and problem.members and likelihood == "saturated":
        groups[:] = False
        groups[problem.lumped.group[~problem.lumped.is_settled]] = True
    return groups


def random_tuples(
    problem: Problem, likelihood: Likelihood, size: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Distinct tuples of random groups, if possible of those that leave something open."""
    rows = problem.counts.sum(axis=1)
    is_open = _open_groups(problem, likelihood)
    if is_open.any():
        rows = np.where(is_open, rows, 0)
    groups = rng.choice(len(rows), 4 * size, p=rows / rows.sum())
    found = np.stack([_random_tuple(problem, int(group), rng) for group in groups], axis=1)
    _, first = np.unique(found, axis=1, return_index=True)
    return np.ascontiguousarray(found[:, np.sort(first)[:size]], dtype=np.int32)


def _random_tuple(problem: Problem, group: int, rng: np.random.Generator) -> NDArray[np.int32]:
    if isinstance(problem, Horizontal) and problem.members is None:
        assert problem.boxes is not None
        sets = [problem.boxes.codes(group, c) for c in range(len(problem.domain.sizes))]
        return np.array([rng.choice(one) for one in sets], dtype=np.int32)
    start, members = _tuples_of_groups(problem)
    assert problem.domain.codes is not None
    return problem.domain.codes[:, rng.choice(members[start[group] : start[group + 1]])]


def _tuples_of_groups(problem: Problem) -> Members:
    if isinstance(problem, Horizontal):
        assert problem.members is not None
        return problem.members
    assert isinstance(problem, Vertical)
    return problem.start, problem.tuples
