"""Models that can forget one record exactly, without being trained anew."""

from unveil.adversary.exact._learners import ExactLearner, ExactModel, exact_learner
from unveil.adversary.exact._neighbours import NearestNeighbours
from unveil.adversary.exact._threads import one_thread

__all__ = ["ExactLearner", "ExactModel", "NearestNeighbours", "exact_learner", "one_thread"]
