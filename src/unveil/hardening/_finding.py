"""The finding of a hardening: how far it got, and what it has to offer."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks import DifferentialInference
from unveil.findings import Finding
from unveil.hardening._rounds import Course, Round
from unveil.hardening._strategies import Limits
from unveil.microdata import AnyRelease, Microdata
from unveil.sanitize import Sanitizer

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Hardening"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Hardening(Finding):
    """What became of δ, round by round, and the best that was reached.

    Attributes
    ----------
    goal : float
        The distance that nobody's was to be over. Where distances are sampled, it holds only if
        the upper end of what δ may be (`Round.delta_at_most`) is not over it.
    courses : dict of str to Course
        For each strategy, all of its rounds. What follows here is of the best strategy: one that
        reached the goal at the least loss, else the one of the smallest δ.
    """

    goal: float
    limits: Limits
    courses: dict[str, Course]
    original: Microdata
    asked: str
    """The sanitizer that was to be hardened."""

    @property
    def course(self) -> Course:
        """The best strategy's."""
        return min(self.courses.values(), key=lambda course: course.best.rank)

    @property
    def strategy(self) -> str:
        """The best strategy."""
        return self.course.strategy

    @property
    def holds(self) -> bool:
        """Whether the goal holds: everybody was tested, and nobody is over it.

        Of a random sanitizer that was not sampled, only in one draw; see `Round.one_draw`.
        """
        return self.course.best.holds

    @property
    def interrupted(self) -> bool:
        """Whether the user ended it before its end."""
        return any(course.interrupted for course in self.courses.values())

    @property
    def rounds(self) -> tuple[Round, ...]:
        """All rounds; round 0 is the test of the table as it was given."""
        return self.course.rounds

    @property
    def best(self) -> Round:
        """The round in which the goal holds; if it never does, that of the smallest δ.

        Of a sampled δ the bound counts, `Round.delta_at_most`.
        """
        return self.course.best

    @property
    def finding(self) -> DifferentialInference:
        """The test of the best round."""
        return self.course.attempt.finding

    @property
    def release(self) -> AnyRelease:
        """What would be published after the best round.

        It is made by `sanitizer` from `microdata`. If that is random, it is one draw, and not one
        of those that the test has seen; a test that samples is about all that it may draw.
        """
        return self.course.attempt.release

    @property
    def sanitizer(self) -> Sanitizer:
        """The sanitizer of the best round."""
        return self.course.attempt.sanitizer

    @property
    def microdata(self) -> Microdata:
        """The records of the best round."""
        return self.course.attempt.microdata

    @property
    def removed(self) -> NDArray[np.intp]:
        """The numbers of the records that are not among them, counted from 0."""
        return self.course.removed

    def to_frame(self) -> pd.DataFrame:
        """One row a strategy and round."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"strategy": course.strategy, **asdict(one), "best": one == course.best}
                for course in self.courses.values()
                for one in course.rounds
            ]
        )

    def content(self, *, records: bool) -> dict[str, Any]:
        from unveil.hardening._texts import content_of

        return content_of(self, records=records)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw δ and the mean distance over the rounds, a line for each strategy.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.hardening._picture import over_rounds

        return over_rounds(self, ax)

    def summary(self) -> str:
        from unveil.hardening._texts import summary_of

        return summary_of(self)
