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
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from annotated_types import Ge, Gt
from numpy.typing import NDArray

from unveil.attacks.relative_risk._beliefs import Answer, Learner, Ties
from unveil.attacks.relative_risk._chains import Chains, Goal, Sampling, run_chains
from unveil.attacks.relative_risk._domain import (
    DomainName,
    Members,
    TooManyCoveredError,
    tuples_once,
)
from unveil.attacks.relative_risk._exact import Likelihood, exact_answer, is_settled
from unveil.attacks.relative_risk._finding import SMALL_BETA, How, RelativeRisk
from unveil.attacks.relative_risk._guesses import Guesses
from unveil.attacks.relative_risk._intervals import Errors, errors_of, evened
from unveil.attacks.relative_risk._problem import (
    Beta,
    Horizontal,
    Problem,
    Vertical,
    horizontal_problem,
    vertical_problem,
)
from unveil.attacks.relative_risk._symmetry import tied_by_symmetry
from unveil.attacks.relative_risk._victim import Victim, Victims, described
from unveil.attacks.relative_risk.samplers import Algorithm, sampler_for
from unveil.attacks.tolerance import near_of
from unveil.engine import Budget, parse_budget, workers
from unveil.errors import Call, File, InputError, Message, Option, Text
from unveil.microdata import AnyRelease, Microdata, Permuted, Release
from unveil.options import Help, Jobs, Progress, Run, Seed, Shell, Tolerance, Units, by_row, checked
from unveil.sanitize import Sanitizer, as_microdata

Exact: TypeAlias = Literal["auto", "always", "never"]


def _weights(texts: Sequence[str]) -> float | list[float]:
    """The option ``alpha`` as it is typed: one number, or one per sensitive value.

    >>> _weights(["2"]), _weights(["1,2,0.5"])
    (2.0, [1.0, 2.0, 0.5])
    """
    try:
        found = [float(one) for text in texts for one in text.split(",")]
    except ValueError:
        raise InputError("cannot read {alpha}; write a number, or one per sensitive value with "
                         "commas between them", alpha=Option("alpha", texts)) from None  # fmt: skip
    return found[0] if len(found) == 1 else found


@checked
@by_row(
    "its model draws rows independently of each other",
    instead=["inference", "differential_inference"],
)
def relative_risk(
    release: Release | Permuted,
    microdata: Microdata | None = None,
    *,
    victim: Victims = None,
    worst: Annotated[int | None, Ge(0), Shell(metavar="N")] = None,
    alpha: Annotated[
        float | NDArray[np.floating],
        Help("Weight of the prior, in rows, of each sensitive value: one number or one per value."),
        Shell(parse=_weights, metavar="ROWS"),
    ] = 1.0,
    beta: Beta = 1.0,
    likelihood: Likelihood = "saturated",
    domain: DomainName | None = None,
    learner: Learner = "joint",
    ties: Ties = "fraction",
    tolerance: Tolerance = None,
    sampler: Algorithm = "collapsed",
    exact: Exact = "auto",
    chains: Annotated[int, Ge(1), Shell(metavar="N")] = 4,
    panel: Annotated[int, Ge(1), Shell(metavar="N")] = 16,
    rhat: Annotated[
        float, Gt(1), Help("Sample until the worst victim of the panel has at most this R-hat."),
        Shell(metavar="R"),
    ] = 1.01,
    ess: Annotated[
        float, Gt(0),
        Help("Sample until the worst victim of the panel has at least this effective sample size."),
        Shell(metavar="N"),
    ] = 400.0,
    sweeps: Annotated[int, Ge(1), Shell(metavar="N")] = 20_000,
    budget: Annotated[
        str | float | None,
        Help("How much to sample: a number of sweeps of each chain, such as '5000 sweeps', of "
             "recorded states of all chains ('5000 draws'), or a time such as '10 min', with "
             "which the result depends on the machine. Default: what takes about ten minutes."),
        Units("sweeps", "draws"), Shell(metavar="SWEEPS|TIME"),
    ] = None,
    thin: Annotated[int, Ge(1), Shell(metavar="N")] = 4,
    seed: Seed = 0,
    jobs: Jobs = None,
    progress: Progress = None,
    run: Run = None,
) -> RelativeRisk:  # fmt: skip
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
    worst : int, optional
        List this many of the worst-placed people with their values. By default 5 are listed, by
        their rows alone.
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
        How to count records whose sensitive value is one of several most likely ones: fully, by
        its share (an attacker has to pick one of them), or not.
    sampler : {"collapsed", "gibbs"}
        With the population integrated out, or as published.
    exact : {"auto", "always", "never"}
        By default the answer is exact if the sets are disjoint or the problem is small enough to
        enumerate, and sampled otherwise. "always": exact or an error. "never": sampled.
    chains : int
        Number of chains.
    panel : int
        Number of victims whose traces are kept and diagnosed.
    sweeps : int
        The most sweeps of each chain, if the budget allows them.
    thin : int
        Sweeps between recorded states.

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
    (5.5, 3.5, 0.25)
    """
    begun = time.perf_counter()
    work = parse_budget(budget, ("sweeps", "draws"))
    goal = Goal(rhat=rhat, ess=ess, sweeps=sweeps, thin=min(thin, sweeps),
                seconds=None if work is None else work.seconds)  # fmt: skip
    workers(jobs)  # a wrong value is reported now
    original = None if microdata is None else as_microdata(microdata, "relative risk")
    problem, notes = _problem(release, original, domain, alpha, beta)
    near = near_of(original, release.sensitive.name, tolerance)
    asked = [victim] if isinstance(victim, Mapping) else list(victim or ())
    for one in asked:  # before the long work
        described(one, release.quasi, problem.domain)
    rng = np.random.default_rng([seed, 1])
    problem, tuple_of = _with_people(problem, original, likelihood, panel, rng)
    conditional = learner == "conditional"
    chosen = sampler_for(problem, likelihood, sampler)
    goal = replace(goal, most=_most_sweeps(work, problem, chains, goal.thin))
    sampling = Sampling(sampler=chosen, goal=goal, chains=chains, seed=seed, jobs=jobs)
    answer, how = _exactly(problem, likelihood, exact, conditional=conditional)
    sampled: Chains | None = None
    errors: Errors | None = None
    if answer is None:
        sampled = run_chains(problem, sampling, conditional=conditional, progress=progress)
        tied = tied_by_symmetry(problem, likelihood)
        answer = evened(problem, sampled.answer, tied, likelihood)
        if original is not None:
            guesses = Guesses.about(original, problem, tuple_of, near)
            errors = errors_of(problem, sampled, guesses, tied=tied, likelihood=likelihood,
                               learner=learner)  # fmt: skip
        sampled = replace(sampled, batches=())
        notes += (_sticky(beta),) if beta < SMALL_BETA else ()
        notes += (work.note(instead="2000 sweeps"),) if work is not None and work.seconds else ()
    finding = RelativeRisk(
        release=release.made_by, kind="vertical" if isinstance(release, Permuted) else "horizontal",
        quasi=release.quasi, sensitive=release.sensitive, problem=problem, microdata=original,
        tuple_of=tuple_of, answer=answer, how=how, chains=sampled, errors=errors,
        likelihood=likelihood, learner_is=learner, ties=ties, sampling=sampling, seed=seed,
        seconds=time.perf_counter() - begun, near=near,
        notes=(*release.notes, *notes, *(near.notes if near else ())),
        worst_listed=worst, interrupted=sampled is not None and sampled.stopped == "interrupted",
    )  # fmt: skip
    return finding if finding.interrupted or not asked else _with_victims(finding, asked)


# Visits of rows by all chains, on a usual machine.
_IN_SECONDS = 30_000_000  # about 3 s, as an audit samples
_IN_MINUTES = 4_000_000_000  # about 10 min
_LEAST_SWEEPS = 200  # fewer say nothing about convergence


def _most_sweeps(work: Budget | None, problem: Problem, chains: int, thin: int) -> int | None:
    """The most sweeps of each chain; None where a clock runs.

    By default they follow from the size of the release, not from the clock.
    """
    if work is not None and not work.is_auto:
        draws = work.work("draws")
        return work.work("sweeps") if draws is None else max(1, draws // chains) * thin
    visits = _IN_MINUTES if work is None else _IN_SECONDS
    return max(_LEAST_SWEEPS, visits // max(int(problem.counts.sum()) * chains, 1))


def _with_victims(finding: RelativeRisk, asked: Sequence[Mapping[str, Any]]) -> RelativeRisk:
    """The same, and what is believed about some victims; an interrupt keeps what was found."""
    told: list[Victim] = []
    try:
        told.extend(finding.victim(one) for one in asked)
    except KeyboardInterrupt:
        return replace(finding, victims=tuple(told), interrupted=True)
    return replace(finding, victims=tuple(told))


def _sticky(beta: float) -> Message:
    return Message(
        "β = {beta} is small: chains may stay together in one region, far from other tables that "
        "are as likely, and look converged; {exact}, where possible, or a larger β is safer",
        beta=f"{beta:g}", exact=Option("exact", "always"),
    )  # fmt: skip


def _problem(
    release: Any, microdata: Microdata | None, domain: DomainName | None, alpha: Any, beta: float
) -> tuple[Problem, tuple[Text, ...]]:
    _check_kind(release)
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


def _exactly(
    problem: Problem, likelihood: Likelihood, exact: Exact, *, conditional: bool
) -> tuple[Answer | None, How]:
    """The exact answer, if there is one and it may be used, and how the answer is found."""
    if exact == "never":
        return None, "sampling"
    answer = exact_answer(problem, likelihood, conditional=conditional)
    if answer is not None:
        return answer, "closed form" if is_settled(problem, likelihood) else "enumeration"
    if exact == "always":
        raise InputError(
            "there is no exact answer: the groups' sets overlap, and too many tables are "
            "consistent with them to enumerate; leave out {exact} to sample",
            exact=Option("exact", "always"),
        )
    return None, "sampling"


# The panel: victims whose traces are kept ---------------------------------------------------------


def _with_people(
    problem: Problem, microdata: Microdata | None, likelihood: Likelihood, size: int,
    rng: np.random.Generator,
) -> tuple[Problem, NDArray[np.int64]]:  # fmt: skip
    """Watch the people of the table, or some who may be in it, and choose a panel of them."""
    if microdata is None:
        found = random_tuples(problem, likelihood, size, rng)
        return problem.watching(found), np.zeros(0, dtype=np.int64)
    tuples, tuple_of = tuples_once(microdata.codes)
    problem = problem.watching(tuples)
    records = np.bincount(tuple_of, minlength=tuples.shape[1])
    panel = _chosen_panel(problem, likelihood, size, records, rng)
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
        groups[problem.lumped.cells.group[~problem.lumped.is_settled]] = True
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
        regions = problem.boxes.region[group]
        return np.array([rng.choice(problem.boxes.codes(x)) for x in regions], dtype=np.int32)
    start, members = _tuples_of_groups(problem)
    assert problem.domain.codes is not None
    return problem.domain.codes[:, rng.choice(members[start[group] : start[group + 1]])]


def _tuples_of_groups(problem: Problem) -> Members:
    if isinstance(problem, Horizontal):
        assert problem.members is not None
        return problem.members
    assert isinstance(problem, Vertical)
    return problem.start, problem.tuples
