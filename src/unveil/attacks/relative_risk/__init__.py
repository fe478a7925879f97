"""Relative risk: what an attacker learns about a person beyond what anyone can learn."""

from unveil.attacks.relative_risk._beliefs import (
    ROUNDING,
    Answer,
    attacker,
    given_tuple,
    joint_learner,
)
from unveil.attacks.relative_risk._boxes import boxes_of
from unveil.attacks.relative_risk._chains import Chains
from unveil.attacks.relative_risk._exact import (
    LIKELIHOODS,
    Likelihood,
    exact_answer,
    is_settled,
)
from unveil.attacks.relative_risk._finding import RelativeRisk
from unveil.attacks.relative_risk._pictures import KINDS, grid, panels
from unveil.attacks.relative_risk._problem import (
    Horizontal,
    Problem,
    Vertical,
    horizontal_problem,
    vertical_problem,
)
from unveil.attacks.relative_risk._relative_risk import relative_risk
from unveil.attacks.relative_risk._texts import records
from unveil.attacks.relative_risk._victim import Victim

__all__ = [
    "KINDS",
    "LIKELIHOODS",
    "ROUNDING",
    "Answer",
    "Chains",
    "Horizontal",
    "Likelihood",
    "Problem",
    "RelativeRisk",
    "Vertical",
    "Victim",
    "attacker",
    "boxes_of",
    "exact_answer",
    "given_tuple",
    "grid",
    "horizontal_problem",
    "is_settled",
    "joint_learner",
    "panels",
    "records",
    "relative_risk",
    "vertical_problem",
]
