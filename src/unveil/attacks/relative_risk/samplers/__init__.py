"""Samplers of the latent rows behind a release, one per file.

Each has a ``State``, an ``init`` and a ``kernel``. Kernels are pure: they take a problem and a
state, and return a new state and an `Info`. The random numbers are part of the state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from unveil.attacks.relative_risk._exact import Likelihood
from unveil.attacks.relative_risk._problem import Horizontal, Problem
from unveil.attacks.relative_risk.samplers import atoms, boxes, columns, swaps, tuples
from unveil.attacks.relative_risk.samplers._info import (
    ALGORITHMS,
    Algorithm,
    Draws,
    Info,
    draw_population,
)
from unveil.errors import InputError, Option

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "Draws",
    "Info",
    "Sampler",
    "draw_population",
    "sampler_for",
]


@dataclass(frozen=True)
class Sampler:
    """How to start a chain, and how to continue it.

    Attributes
    ----------
    name : str
    init : callable
        ``init(problem, seed)`` returns a state; the seed is a number or a numpy ``SeedSequence``.
    kernel : callable
        ``kernel(problem, state, kept=…, thin=…, conditional=…)`` sweeps ``kept`` × ``thin`` times
        and returns a new state and an `Info` about the states after every ``thin`` sweeps.
    """

    name: str
    init: Callable[..., Any]
    kernel: Callable[..., tuple[Any, Info]]


def sampler_for(
    problem: Problem, likelihood: Likelihood = "saturated", algorithm: Algorithm = "collapsed"
) -> Sampler:
    """The sampler for a problem.

    Raises
    ------
    InputError
        If Gibbs sampling would have to number too many tuples.

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
    if not isinstance(problem, Horizontal):
        init = partial(swaps.init, algorithm=algorithm, likelihood=likelihood)
        return Sampler(algorithm, init, swaps.kernel)
    if likelihood == "naive-bayes":
        module = tuples if problem.boxes is None else columns
        return Sampler(algorithm, partial(module.init, algorithm=algorithm), module.kernel)
    if problem.members is not None:
        return Sampler(algorithm, partial(atoms.init, algorithm=algorithm), atoms.kernel)
    if algorithm == "collapsed":
        return Sampler(algorithm, boxes.init, boxes.kernel)
    raise InputError(
        "{gibbs} draws a probability for each of the {size} tuples of the domain, which are too "
        "many: use {collapsed}, or {observed} if the original table may be used",
        gibbs=Option("sampler", "gibbs"), collapsed=Option("sampler", "collapsed"),
        observed=Option("domain", "observed"), size=problem.domain.size,
    )  # fmt: skip
