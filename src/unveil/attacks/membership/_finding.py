"""The finding of a membership test."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary
from unveil.attacks.membership._attackers import Scores
from unveil.attacks.membership._people import People
from unveil.attacks.membership._roc import Separation, roc_points, separation
from unveil.errors import InputError, Text, did_you_mean
from unveil.findings import Finding
from unveil.microdata import Microdata

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Membership"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Membership(Finding):
    """How well attackers can tell whose records are in a release.

    Attributes
    ----------
    people : People
        Who the members are, who was held out, and whom the attacker has data of himself.
    played : dict of str to Scores
        By attacker, the scores of all whom he asked about and why some have none.
    """

    people: People
    played: dict[str, Scores]
    sanitizer: str
    adversary: Adversary
    n_classes: int | None
    smallest_class: int | None
    """None if the release has no classes, or groups, of records."""
    seed: int
    seconds: float
    notes: tuple[Text, ...] = field(default=())

    @property
    def microdata(self) -> Microdata:
        """Everybody: members, those held out, and the attacker's own sample."""
        return self.people.everybody

    @cached_property
    def against(self) -> dict[str, Separation | None]:
        """By attacker, how well he tells members from others; None if he could score nobody."""
        found: dict[str, Separation | None] = {}
        for attacker, scored in self.played.items():
            members, others = self._scores(attacker)
            together = scored.together
            if together is not None:
                together = self._had(attacker, members=False, of=together)
            found[attacker] = (
                separation(members, others, together=together)
                if len(members) and len(others)
                else None
            )
        return found

    @property
    def removals(self) -> int:
        """How many releases without a random member those held out were asked about with."""
        removal = self.played.get("removal")
        if removal is None or removal.together is None:
            return 0
        return len(np.unique(removal.together[~self.people.is_member]))

    @property
    def strongest(self) -> str:
        """The attacker with the largest AUC; of equal ones, the one who needs least for it."""
        auc = {name: one.auc.value for name, one in self.against.items() if one is not None}
        return max(auc, key=auc.__getitem__)

    @property
    def not_scored(self) -> dict[str, dict[str, int]]:
        """By attacker, kinds of reasons why people could not be scored, and how many."""
        return {name: scored.reasons for name, scored in self.played.items() if scored.reasons}

    @property
    def too_few(self) -> tuple[str, ...]:
        """What so few people held out cannot show, in sentences."""
        from unveil.attacks.membership._texts import too_few_of

        return too_few_of(self)

    def roc(self, attacker: str | None = None) -> pd.DataFrame:
        """The ROC curve of an attacker, by default the strongest.

        One row a threshold, from high to low: the share of those held out (``fpr``) and of the
        members (``tpr``) who reach it. The first threshold is above all scores.
        """
        import pandas as pd

        name = self.strongest if attacker is None else attacker
        if name not in self.played:
            near = did_you_mean(name, self.played) if isinstance(name, str) else ""
            raise InputError(
                f"no attacker {name!r} was played{near} (there are: {', '.join(self.played)})"
            )
        if self.against[name] is None:
            raise InputError(f"the attacker {name!r} could score nobody, so he has no curve")
        threshold, fpr, tpr = roc_points(*self._scores(name))
        return pd.DataFrame({"threshold": threshold, "fpr": fpr, "tpr": tpr})

    def _scores(self, attacker: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Of the members and of those held out who have one."""
        scores = self.played[attacker].scores
        return (
            self._had(attacker, members=True, of=scores),
            self._had(attacker, members=False, of=scores),
        )

    def _had(self, attacker: str, *, members: bool, of: NDArray[Any]) -> NDArray[Any]:
        scored = ~np.isnan(self.played[attacker].scores)
        return of[scored & (self.people.is_member == members)]

    def to_frame(self) -> pd.DataFrame:
        """One row a person: record, row of the source, whether a member, and the scores.

        Where those held out are from a table of their own, their records are numbered on from
        those of the first, and their rows are that table's.
        """
        import pandas as pd

        asked = self.people.asked
        frame = pd.DataFrame(
            {
                "record": asked,
                "row": self.microdata.rows[asked],
                "member": self.people.is_member,
            }
        )
        for attacker, scored in self.played.items():
            frame[f"score: {attacker}"] = scored.scores
        return frame

    def content(self, *, records: bool) -> dict[str, Any]:
        from unveil.attacks.membership._texts import content_of

        return content_of(self, records=records)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the ROC curves of all attackers on log axes; returns the axes.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.attacks.membership._picture import roc_curves

        return roc_curves(self, ax)

    def verdict(self, name: str | None = None) -> str:
        """What the strongest attacker can do, in one sentence.

        ``name`` is what the sanitizer is to be called, if not by its label.
        """
        from unveil.attacks.membership._texts import verdict_of

        return verdict_of(self, name)

    def summary(self) -> str:
        from unveil.attacks.membership._texts import summary_of

        return summary_of(self)
