"""Samplers of the latent rows behind a release: how they begin and continue a chain.

Chains are pure: they take a problem and a state, and return a new state and an `Info`. The random
numbers are part of the state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from unveil.attacks.relative_risk._exact import Likelihood
from unveil.attacks.relative_risk._problem import Horizontal, Problem
from unveil.attacks.relative_risk.samplers._walk import (
    ALGORITHMS,
    Algorithm,
    Draws,
    Info,
    Walk,
    advance,
    begin,
    draw_population,
)
from unveil.attacks.relative_risk.samplers.horizontal import Atoms, Columns, InBoxes, Tuples
from unveil.attacks.relative_risk.samplers.vertical import ColumnSwaps, SaturatedSwaps
from unveil.errors import InputError, Option

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "Draws",
    "Info",
    "Sampler",
    "draw_population",
    "sampler_for",
    "sampler_of",
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
    kernel: Callable[..., tuple[Any, Info]] = advance


def sampler_of(walk: type[Walk], algorithm: Algorithm = "collapsed") -> Sampler:
    """The sampler that walks in a given way."""
    return Sampler(algorithm, partial(begin, walk, algorithm))


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
        walk: type[Walk] = SaturatedSwaps if likelihood == "saturated" else ColumnSwaps
    elif likelihood == "naive-bayes":
        walk = Tuples if problem.boxes is None else Columns
    elif problem.members is not None:
        walk = Atoms
    elif algorithm == "collapsed":
        walk = InBoxes
    else:
        raise InputError(
            "{gibbs} draws a probability for each of the {size} tuples of the domain, which are "
            "too many: use {collapsed}, or {observed} if the original table may be used",
            gibbs=Option("sampler", "gibbs"), collapsed=Option("sampler", "collapsed"),
            observed=Option("domain", "observed"), size=problem.domain.size,
        )  # fmt: skip
    return sampler_of(walk, algorithm)
