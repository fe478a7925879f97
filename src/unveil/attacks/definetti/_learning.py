"""Learn from groups, re-weigh within groups, learn again.

Both steps make what is published more likely, or the beliefs a better account of it: this is the
EM algorithm, so that the likelihood (with the prior of smoothing) never falls from one round to
the next. The same holds where Bethe's approximation takes its place in some groups, for the sum
that its beliefs maximize.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.definetti._groups import Groups
from unveil.attacks.definetti._kernels import ASTRAY, BETHE, reweigh
from unveil.attacks.definetti._model import Knowledge, Model
from unveil.engine import Progress

__all__ = ["Learned", "learned"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Learned:
    """What has come of it.

    Attributes
    ----------
    beliefs : array
        As `Groups.entry` says.
    model : Model
        The last that was learnt, by which these beliefs were found.
    likelihood : array
        Of what is published and the prior, its logarithm after each round.
    moved : float
        By how much beliefs moved in the last round, on average over people (total variation).
    tolerance : float
        What it was to come to; infinite if one round is all that was wanted.
    how : array, one a group
    """

    beliefs: NDArray[np.float64]
    model: Model
    likelihood: NDArray[np.float64]
    moved: float
    tolerance: float
    how: NDArray[np.int64]

    @property
    def rounds(self) -> int:
        """How many there were."""
        return len(self.likelihood)

    @property
    def settled(self) -> bool:
        """Whether beliefs had come to rest."""
        return self.moved <= self.tolerance

    @property
    def approximate(self) -> NDArray[np.bool_]:
        """Which groups have approximate answers."""
        return self.how >= BETHE

    @property
    def astray(self) -> int:
        """In how many groups the approximation had not come to rest."""
        return int((self.how == ASTRAY).sum())


def learned(
    groups: Groups,
    knowledge: Knowledge,
    *,
    rounds: int,
    tolerance: float,
    steps: int,
    progress: bool | None = None,
) -> Learned:
    """Start from random worlds; learn and re-weigh until beliefs rest, or rounds are over."""
    sheet = groups.sheet(knowledge.codes, steps)
    before, beliefs = groups.shares, np.empty(len(groups.shares))
    how = np.zeros(len(groups), dtype=np.int64)
    weight = groups.people[groups.entry_row] / (2 * groups.people.sum())
    likelihood: list[float] = []
    with Progress("learning and re-weighing", rounds, progress, unit="rounds") as shown:
        while True:
            model = knowledge.learnt(sheet, before)
            found = reweigh(sheet, knowledge.offset, model.table, beliefs, how)
            likelihood.append(found + model.log_prior)
            moved = float(np.abs(beliefs - before) @ weight)
            shown.advance(1)
            if len(likelihood) == rounds or moved <= tolerance:
                break
            before, beliefs = beliefs, before if len(likelihood) > 1 else np.empty_like(beliefs)
    return Learned(beliefs=beliefs, model=model, likelihood=np.array(likelihood), moved=moved,
                   tolerance=tolerance, how=how)  # fmt: skip
