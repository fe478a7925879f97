"""The finding of empirical inference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary
from unveil.attacks._estimates import Estimate
from unveil.attacks.inference._guesses import Guesses, TwoSides
from unveil.errors import InputError, Text, did_you_mean
from unveil.findings import Finding
from unveil.microdata import AnyRelease, Microdata

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Inference"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Inference(Finding):
    """How well adversaries guess sensitive values, of people in the release and of others.

    Attributes
    ----------
    microdata : Microdata
        Everybody: those in the release and those held out.
    made_by : str
        The sanitizer, or who made the release.
    releases : tuple of AnyRelease
        What was published: one release, or one without each fold.
    folds : int or None
        How many folds there are; None if there is one release.
    against : dict of str to TwoSides
        By adversary, what he guesses about people in the release and about others.
    prior, prior_outside : Guesses
        What somebody guesses about the same people who only knows how frequent the values are.
    confidence : float
        How much belief makes an adversary sure.
    """

    microdata: Microdata
    made_by: str
    releases: tuple[AnyRelease, ...]
    folds: int | None
    against: dict[str, TwoSides]
    prior: Guesses
    prior_outside: Guesses | None
    confidence: float
    seed: int
    seconds: float
    notes: tuple[Text, ...] = ()

    @property
    def strongest(self) -> str:
        """The adversary with the largest gap; without people held out, with the best accuracy."""

        def strength(name: str) -> float:
            gap = self.against[name].gap
            return self.against[name].inside.accuracy.value if gap is None else gap.value

        return max(self.against, key=strength)

    @property
    def adversary(self) -> Adversary:
        """The strongest one."""
        return self.against[self.strongest].adversary

    @property
    def inside(self) -> Guesses:
        """What the strongest adversary guesses about people in the release."""
        return self.against[self.strongest].inside

    @property
    def outside(self) -> Guesses | None:
        """What he guesses about people who are not; None if there are none."""
        return self.against[self.strongest].outside

    @property
    def gap(self) -> Estimate | None:
        """How much more often he is right about people in the release."""
        return self.against[self.strongest].gap

    @property
    def prior_gap(self) -> Estimate | None:
        """How much more often the prior alone is right about people in the release.

        If that is not about 0, those held out are people of another kind. With folds it is: they
        are the same people.
        """
        if self.prior_outside is None:
            return None
        return TwoSides(adversary=self.adversary, inside=self.prior, outside=self.prior_outside).gap

    @property
    def accuracy(self) -> float:
        """The share of the people in the release about whom he is right."""
        return self.inside.accuracy.value

    @property
    def baseline(self) -> float:
        """The same of somebody who only knows how frequent the values are."""
        return self.prior.accuracy.value

    @property
    def belief(self) -> NDArray[np.float64]:
        """How much of his belief about each person in the release is on the true value, or NaN."""
        return self.inside.beliefs

    @property
    def release(self) -> AnyRelease:
        """The release, or the first of them."""
        return self.releases[0]

    def verdict(self, name: str | None = None) -> str:
        """What was found, in one sentence; ``name`` is what the sanitizer is called."""
        from unveil.attacks.inference._texts import verdict_of

        return verdict_of(self, name)

    def summary(self) -> str:
        from unveil.attacks.inference._texts import summary_of

        return summary_of(self)

    def content(self, *, records: bool) -> dict[str, Any]:
        from unveil.attacks.inference._texts import content_of

        return content_of(self, records=records)

    def to_frame(self, adversary: str | None = None) -> pd.DataFrame:
        """One row a person: belief in the true value and chance of a right guess, in and out.

        Parameters
        ----------
        adversary : str, optional
            Whose, by the names in `against`; default: the strongest's.

        Returns
        -------
        DataFrame
            ``belief_inside`` is the mean over the releases that the person is in, NaN if there is
            none; ``belief_outside`` that of releases without the person; ``belief_gap`` their
            difference, for people who are asked about on both sides. The same for ``right``.
        """
        import pandas as pd

        sides = self._of(adversary)
        outside = sides.outside
        parts = [sides.inside.records] + ([] if outside is None else [outside.records])
        records = np.unique(np.concatenate(parts))
        frame = pd.DataFrame({"record": records, "row": self.microdata.rows[records]})
        for what in ("belief", "right"):
            frame[f"{what}_inside"] = _column(sides.inside, what, records)
            frame[f"{what}_outside"] = _column(outside, what, records)
            frame[f"{what}_gap"] = frame[f"{what}_inside"] - frame[f"{what}_outside"]
        return frame

    def _of(self, adversary: str | None) -> TwoSides:
        name = self.strongest if adversary is None else adversary
        if name not in self.against:
            near = did_you_mean(name, self.against) if isinstance(name, str) else ""
            raise InputError(
                f"no adversary {name!r} in this finding{near} (there are: "
                f"{', '.join(self.against)})"
            )
        return self.against[name]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw prior, people held out and people in the release side by side, with intervals.

        Needs matplotlib (the extra ``plot``). Returns the axes.
        """
        from unveil.attacks.inference._picture import side_bars

        return side_bars([self], ax=ax)


def _column(guesses: Guesses | None, what: str, records: NDArray[np.intp]) -> NDArray[np.float64]:
    """The numbers of some people; NaN for those about whom nobody was asked."""
    found = np.full(len(records), np.nan)
    if guesses is not None:
        numbers = guesses.beliefs if what == "belief" else guesses.right
        found[np.searchsorted(records, guesses.records)] = numbers
    return found
