"""Models that can forget one record exactly, without being retrained."""

from unveil.adversary.exact._learners import ExactModel, exact_learner
from unveil.adversary.exact._neighbours import NearestNeighbours
from unveil.adversary.exact._statistics import one_thread

__all__ = ["ExactModel", "NearestNeighbours", "exact_learner", "one_thread"]
