"""Models that can forget one record exactly, without being retrained."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.adversary.exact._learners import ExactModel, exact_learner
    from unveil.adversary.exact._neighbours import NearestNeighbours
    from unveil.adversary.exact._statistics import one_thread

__all__, __getattr__ = lazily(__name__)
