"""Which sampler is for which problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

from unveil.attacks.relative_risk._exact import Likelihood
from unveil.attacks.relative_risk._problem import Horizontal, Problem
from unveil.attacks.relative_risk.samplers import (
    boxes,
    collapsed,
    collapsed_columns,
    columns,
    gibbs,
    gibbs_columns,
    gibbs_swaps,
    swaps,
)
from unveil.attacks.relative_risk.samplers._info import Info
from unveil.errors import InputError, did_you_mean

__all__ = ["ALGORITHMS", "Algorithm", "Sampler", "sampler_for"]

Algorithm: TypeAlias = Literal["collapsed", "gibbs"]
ALGORITHMS: tuple[Algorithm, ...] = get_args(Algorithm)


@dataclass(frozen=True)
class Sampler:
    """How to begin a chain, and how to go on with it.

    Attributes
    ----------
    name : str
    init : callable
        ``init(problem, seed)`` returns a state; the seed is a number or a numpy ``SeedSequence``.
    kernel : callable
        ``kernel(problem, state, kept=…, thin=…, conditional=…)`` sweeps ``kept`` × ``thin`` times
        and returns another state, and an `Info` of what was seen after every ``thin`` sweeps.
    """

    name: str
    init: Callable[..., Any]
    kernel: Callable[..., tuple[Any, Info]]


def sampler_for(
    problem: Problem, likelihood: Likelihood = "saturated", algorithm: str = "collapsed"
) -> Sampler:
    """The sampler for a problem.

    Raises
    ------
    InputError
        If there is none of that name, or the published one would have to number too many tuples.

    Examples
    --------
    >>> import unveil as uv
    >>> from unveil.attacks.relative_risk import horizontal_problem
    >>> survey = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> release = uv.read_release({"age": ["30-39", "30-39", "*"], "vote": ["a", "b", "a"]}, survey)
    >>> problem = horizontal_problem(release, survey)
    >>> sampler = sampler_for(problem)
    >>> state, info = sampler.kernel(problem, sampler.init(problem, seed=1), kept=1000, thin=2)
    >>> info.answer.rows.round(1)
    array([[0.9, 0.9, 0.2],
           [0.5, 0.5, 0. ]])
    """
    if algorithm not in ALGORITHMS:
        raise InputError(
            f"sampler must be 'collapsed' or 'gibbs', but got {algorithm!r}"
            f"{did_you_mean(str(algorithm), ALGORITHMS)}"
        )
    if not isinstance(problem, Horizontal):
        module = swaps if algorithm == "collapsed" else gibbs_swaps
        return Sampler(algorithm, partial(swaps.init, likelihood=likelihood), module.kernel)
    if likelihood == "naive-bayes":
        if problem.boxes is not None:
            init = partial(columns.init, algorithm=algorithm)
            return Sampler(algorithm, init, columns.kernel)
        if algorithm == "collapsed":
            return Sampler(algorithm, collapsed_columns.init, collapsed_columns.kernel)
        return Sampler(algorithm, gibbs_columns.init, gibbs_columns.kernel)
    if problem.members is None:
        if algorithm == "gibbs":
            raise InputError(
                "the published sampler draws a probability for each of the "
                f"{problem.domain.size:,} tuples of the domain, which are too many: "
                "take sampler='collapsed', or domain='observed' if the original table may be used"
            )
        return Sampler(algorithm, boxes.init, boxes.kernel)
    if algorithm == "collapsed":
        return Sampler(algorithm, collapsed.init, collapsed.kernel)
    return Sampler(algorithm, gibbs.init, gibbs.kernel)
