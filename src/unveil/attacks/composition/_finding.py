"""The finding of a composition attack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.composition._intersection import Left, Problem, candidates_of_one
from unveil.attacks.people import External
from unveil.errors import Text
from unveil.findings import Finding
from unveil.microdata import Permuted, Release

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Composition"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Composition(Finding):
    """What several releases together tell about people, beside what each tells alone.

    Attributes
    ----------
    releases : tuple of Release or Permuted
    labels : tuple of str
        What they are called.
    people : External
        Whom the attacker looks for.
    known : tuple of str
        The quasi-identifiers that he knows.
    texts : tuple of str
        All sensitive values; codes of values are places in it.
    k : int
        How many candidates a person should have.
    alone : tuple of Left
        For each release, what it leaves of everybody's candidates.
    left : Left
        What all of them together leave.
    is_known : array
        Whose own value is known.
    problem : Problem
        The releases as they are searched, to look somebody up.
    """

    releases: tuple[Release | Permuted, ...]
    labels: tuple[str, ...]
    people: External
    known: tuple[str, ...]
    texts: tuple[str, ...]
    k: int
    alone: tuple[Left, ...]
    left: Left
    is_known: NDArray[np.bool_]
    problem: Problem
    seconds: float
    notes: tuple[Text, ...] = ()

    def __len__(self) -> int:
        return len(self.people)

    @property
    def identified(self) -> bool:
        """Whether records are the same person's in all releases by their pseudonyms.

        Then the number of candidates that are left is exact, else it is at most this.
        """
        return self.problem.joint is not None

    @property
    def sensitive(self) -> str:
        """The sensitive column."""
        return self.releases[0].sensitive.name

    @property
    def determined(self) -> NDArray[np.bool_]:
        """Who has one sensitive value left."""
        return self.left.values == 1

    @property
    def newly_determined(self) -> NDArray[np.bool_]:
        """Who has, and in no release alone."""
        before = np.any([left.values == 1 for left in self.alone], axis=0)
        return self.determined & ~before

    @property
    def below_k(self) -> NDArray[np.bool_]:
        """Who has candidates left, but fewer than k."""
        return (self.left.candidates > 0) & (self.left.candidates < self.k)

    @property
    def newly_below_k(self) -> NDArray[np.bool_]:
        """Who has, and in no release alone."""
        before = np.any([left.candidates < self.k for left in self.alone], axis=0)
        return self.below_k & ~before

    @property
    def contradicted(self) -> NDArray[np.bool_]:
        """Who has nothing left: they cannot be in all the tables."""
        return self.left.values == 0

    @property
    def lost(self) -> NDArray[np.bool_]:
        """Whose own value is known, and not left: they are not in all the tables."""
        return self.is_known & ~self.left.own

    @property
    def determined_right(self) -> int | None:
        """How many are determined, and rightly so; None if nobody's own value is known."""
        if not self.is_known.any():
            return None
        return int((self.determined & self.left.own).sum())

    def candidates_of(self, person: int | str) -> pd.DataFrame:
        """What is left of one person: a row for each sensitive value that any release has.

        Parameters
        ----------
        person : int or str
            Their number, counted from 0 as in `to_frame`, or their name.

        Returns
        -------
        pandas.DataFrame
            ``value``; for each release, under its name, how many candidates have it; and
            ``together``, how many are left (unless `identified`: at most).
        """
        import pandas as pd

        numbers = candidates_of_one(self.problem, self.people.number_of(person))
        some = np.flatnonzero(numbers.any(axis=0))
        frame = pd.DataFrame(
            {"value": pd.Series([self.texts[value] for value in some], dtype=object)}
        )
        for number, label in enumerate((*self.labels, "together")):
            frame.insert(number + 1, label, numbers[number, some], allow_duplicates=True)
        return frame

    def to_frame(self) -> pd.DataFrame:
        """One row a person.

        ``name``, ``row`` (of the table of people, from 0), ``candidates`` and ``values`` that all
        releases together leave, the sensitive column (the value, where one is left); for each
        release ``candidates: …`` and ``values: …``; and ``own_left``, if own values are known.
        """
        import pandas as pd

        texts = np.array([*self.texts, None], dtype=object)
        secret, only = self.sensitive, pd.Series(texts[self.left.value], dtype=object)
        taken = ("name", "row", "candidates", "values", "own_left")
        frame: dict[str, Any] = {
            "name": pd.Series(self.people.names, dtype=object),
            "row": self.people.rows,
            "candidates": self.left.candidates,
            "values": self.left.values,
            f"{secret} left" if secret in taken else secret: only,
        }
        for label, left in zip(self.labels, self.alone, strict=True):
            frame[f"candidates: {label}"] = left.candidates
            frame[f"values: {label}"] = left.values
        if self.is_known.any():
            own = self.left.own.astype(object)
            own[~self.is_known] = None
            frame["own_left"] = pd.Series(own, dtype=object)
        return pd.DataFrame(frame)

    def content(self, *, records: bool) -> dict[str, Any]:
        from unveil.attacks.composition._texts import content_of

        return content_of(self, records=records)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share of people with at most so many candidates, alone and together.

        Returns the axes. Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.attacks.composition._picture import left_curves

        return left_curves(self, ax)

    def verdict(self) -> str:
        """What the attacker learns from all releases, in one sentence."""
        from unveil.attacks.composition._texts import verdict_of

        return verdict_of(self)

    def summary(self) -> str:
        from unveil.attacks.composition._texts import summary_of

        return summary_of(self)
