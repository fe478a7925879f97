"""Relative risk: what an attacker learns about somebody beyond what anyone can learn."""

from unveil.attacks.risk._answer import Answer, attacker, given_tuple, joint_learner
from unveil.attacks.risk._exact import LIKELIHOODS, Likelihood, exact_answer, is_settled
from unveil.attacks.risk._problem import (
    Horizontal,
    Problem,
    Vertical,
    horizontal_problem,
    vertical_problem,
)

__all__ = [
    "LIKELIHOODS",
    "Answer",
    "Horizontal",
    "Likelihood",
    "Problem",
    "Vertical",
    "attacker",
    "exact_answer",
    "given_tuple",
    "horizontal_problem",
    "is_settled",
    "joint_learner",
    "vertical_problem",
]
