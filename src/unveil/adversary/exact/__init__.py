"""Models that can forget one record exactly, without being retrained."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.adversary.exact._learners import NearestNeighbours, exact_learner
    from unveil.adversary.exact._statistics import ProcessWide, one_thread
    from unveil.adversary.exact._table import ExactModel

__all__, __getattr__ = lazily(__name__)
