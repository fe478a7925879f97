"""Exact answers, where there is one: settled groups in closed form, small problems by enumeration.

In the saturated model a group that is a single atom (see `Lumped`) leaves nothing open, and where
all of them are, as with pairwise disjoint sets, the answer is p_A(s|r) = n_gs/n_g at any size.
What is left falls apart into pieces that have nothing to do with each other: one for each sensitive
value and each heap of groups that hang together by their sets (horizontal), one for each heap of
groups that share tuples (vertical). If they are small, everything that may be is written down.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from unveil.attacks.relative_risk._answer import Answer
from unveil.attacks.relative_risk._exact_columns import naive_bayes_answer
from unveil.attacks.relative_risk._exact_saturated import (
    are_disjoint,
    saturated_answer,
    settled_answer,
)
from unveil.attacks.relative_risk._latent import Budget, TooManyError
from unveil.attacks.relative_risk._problem import Horizontal, Problem
from unveil.errors import InputError, did_you_mean

__all__ = ["LIKELIHOODS", "Likelihood", "checked_likelihood", "exact_answer", "is_settled"]

Likelihood: TypeAlias = Literal["saturated", "naive-bayes"]
LIKELIHOODS: tuple[Likelihood, ...] = get_args(Likelihood)

_STEPS = 100_000  # of enumeration: well under a second


def checked_likelihood(name: str) -> Likelihood:
    """The name of a likelihood, if it is one."""
    for known in LIKELIHOODS:
        if name == known:
            return known
    raise InputError(
        f"likelihood must be 'saturated' or 'naive-bayes', but got {name!r}"
        f"{did_you_mean(str(name), LIKELIHOODS)}"
    )


def is_settled(problem: Problem, likelihood: Likelihood) -> bool:
    """Whether the closed form holds: no sampling, no enumeration."""
    if not isinstance(problem, Horizontal) or likelihood != "saturated":
        return False
    if problem.members is None:
        return are_disjoint(problem)
    return bool(problem.lumped.is_settled.all())


def exact_answer(
    problem: Problem, likelihood: Likelihood = "saturated", *, conditional: bool = False,
    steps: int = _STEPS,
) -> Answer | None:  # fmt: skip
    """The answer about all watched tuples, or None if it takes more than so many steps.

    Parameters
    ----------
    problem : Horizontal or Vertical
    likelihood : {"saturated", "naive-bayes"}
    conditional : bool
        Whether the learner of eq. 5 is wanted, too, exact to about 1e-10.
    steps : int
        How much may be written down. The closed form takes none.

    Examples
    --------
    >>> import unveil as uv
    >>> from unveil.attacks.relative_risk import attacker, horizontal_problem
    >>> survey = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> release = uv.read_release({"age": ["30-39", "30-39", "*"], "vote": ["a", "b", "a"]}, survey)
    >>> attacker(exact_answer(horizontal_problem(release, survey)).rows)
    array([[0.63636364, 0.63636364, 1.        ],
           [0.36363636, 0.36363636, 0.        ]])
    """
    if isinstance(problem, Horizontal) and problem.members is None:  # too many to be numbered
        settled = is_settled(problem, likelihood)
        return settled_answer(problem, conditional) if settled else None
    try:
        if likelihood == "naive-bayes":
            return naive_bayes_answer(problem, conditional, Budget(steps))
        return saturated_answer(problem, conditional, Budget(steps))
    except TooManyError:
        return None
