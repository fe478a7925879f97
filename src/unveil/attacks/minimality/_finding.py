"""The finding of a minimality attack."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.minimality._attempts import Attempt
from unveil.errors import InputError, Text
from unveil.findings import Finding
from unveil.microdata import Microdata, Release

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Minimality"]

_SURE = 1e-9  # belief that rounding may take from 1, or add to 0
_ERRORS = 4  # standard errors by which a drawn belief has to exceed a bound


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Minimality(Finding):
    """What is believed of people by those who know how a release was made.

    Attributes
    ----------
    microdata : Microdata
    release : Release
    path : str
        ``"fast"``: the sanitizer was looked into; ``"general"``: it was run on worlds.
    asks_inside : bool
        Whether the goal is about secrets at all.
    belief : array
        Groups of people of whom the same is believed × sensitive values.
    group_of : array
        The group of each person.
    error, how : arrays
        For each group, the standard error of what is believed, and how it was found: ``"exact"``,
        ``"drawn"`` or ``"walked"``.
    alone : array of bool
        For each group, whether its class was looked at alone, without what ties it to others.
    kept : float
        The share of the worlds of which the sanitizer makes this release; nan where chains walked,
        or classes were looked at alone.
    components : int
        How many sets of classes hang together through something that was refused.
    rhat : float
        The worst R-hat of the chains; 1 without chains.
    refused : mapping
        For each class of which something is told, what was tried and refused.
    bound : array
        For each sensitive value, the largest belief that the goal promised.
    bound_in_words : str
    """

    microdata: Microdata
    release: Release
    path: str
    asks_inside: bool
    belief: NDArray[np.float64]
    group_of: NDArray[np.int64]
    error: NDArray[np.float64]
    how: NDArray[np.object_]
    alone: NDArray[np.bool_]
    kept: float
    components: int
    rhat: float
    refused: dict[int, tuple[Attempt, ...]]
    bound: NDArray[np.float64]
    bound_in_words: str
    seconds: float
    notes: tuple[Text, ...] = ()

    def __len__(self) -> int:
        return len(self.microdata)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """What is believed from the release alone: classes × values."""
        shares: NDArray[np.float64] = self.release.counts / self.release.sizes[:, None]
        return shares

    @cached_property
    def _class_of_group(self) -> NDArray[np.int64]:
        found = np.zeros(len(self.belief), dtype=np.int64)
        found[self.group_of] = self.release.class_of
        return found

    @property
    def released_own(self) -> NDArray[np.float64]:
        """Everybody's true value: what is believed in it from the release alone."""
        own = self.microdata.sensitive.codes
        return self.shares[self.release.class_of, own]

    @property
    def believed_own(self) -> NDArray[np.float64]:
        """The same, by those who know how the release was made."""
        return self.belief[self.group_of, self.microdata.sensitive.codes]

    @property
    def released_most(self) -> NDArray[np.float64]:
        """Everybody's likeliest value: what is believed in it from the release alone."""
        most: NDArray[np.float64] = self.shares.max(axis=1)[self.release.class_of]
        return most

    @property
    def likeliest(self) -> NDArray[np.int64]:
        """The code of everybody's likeliest value, by those who know how it was made."""
        codes: NDArray[np.int64] = self.belief.argmax(axis=1)[self.group_of]
        return codes

    @property
    def believed_most(self) -> NDArray[np.float64]:
        """What is believed in it."""
        most: NDArray[np.float64] = self.belief.max(axis=1)[self.group_of]
        return most

    @property
    def error_of(self) -> NDArray[np.float64]:
        """The standard error of beliefs about everybody; 0 where all worlds were counted."""
        return self.error[self.group_of]

    @property
    def change(self) -> NDArray[np.float64]:
        """How far belief in everybody's value moves: the total variation of both beliefs."""
        moved = np.abs(self.belief - self.shares[self._class_of_group]).sum(axis=1) / 2
        return moved[self.group_of]

    @property
    def above_before(self) -> NDArray[np.bool_]:
        """Of whom the release alone lets more be believed than the goal promised."""
        over: NDArray[np.bool_] = np.any(self.shares > self.bound + _SURE, axis=1)
        return over[self.release.class_of]

    @property
    def above(self) -> NDArray[np.bool_]:
        """Of whom more is believed than was promised; where worlds are drawn, 4 errors more."""
        sure = self.bound + _SURE + _ERRORS * self.error[:, None]
        over: NDArray[np.bool_] = np.any(self.belief > sure, axis=1)
        return over[self.group_of]

    @property
    def determined(self) -> NDArray[np.bool_]:
        """Whose value is certain, by counting all worlds."""
        exact = self.how == "exact"
        return ((self.belief.max(axis=1) > 1 - _SURE) & exact)[self.group_of]

    @property
    def excluded(self) -> NDArray[np.int64]:
        """How many values of the class everybody is known not to have, by counting all worlds."""
        there = self.shares[self._class_of_group] > 0
        gone = ((self.belief < _SURE) & there).sum(axis=1) * (self.how == "exact")
        return gone[self.group_of]

    @property
    def unknown(self) -> NDArray[np.bool_]:
        """Of whom nothing could be found out, because hardly a world was come by that is kept."""
        return self.error_of >= 1

    @property
    def looked_at_alone(self) -> NDArray[np.bool_]:
        """Whose class was looked at alone: who takes everything into account may know more."""
        return self.alone[self.group_of]

    @property
    def told(self) -> int:
        """Of how many people anything is told at all."""
        return (
            int(self.release.sizes[list(self.refused)].sum())
            if self.path == "fast"
            else int((self.change > _SURE).sum())
        )

    def people_by(self, how: str) -> int:
        """Of how many people beliefs were found so: ``"exact"``, ``"drawn"`` or ``"walked"``."""
        return int((self.how[self.group_of] == how).sum())

    def beliefs_of(self, person: int) -> pd.DataFrame:
        """What is believed of one person: a row for each value of the class.

        Parameters
        ----------
        person : int
            The record, counted from 0.

        Returns
        -------
        pandas.DataFrame
            ``value``, ``released`` (believed from the release alone), ``believed``; and ``error``,
            if worlds were drawn.
        """
        import pandas as pd

        group, g = self.group_of[self._number(person)], self.release.class_of[person]
        there = np.flatnonzero(self.shares[g])
        frame = pd.DataFrame(
            {
                "value": self.release.sensitive.values[there],
                "released": self.shares[g, there],
                "believed": self.belief[group, there],
            }
        )
        if self.how[group] != "exact":
            frame["error"] = self.error[group]
        return frame

    def why(self, person: int) -> str:
        """What was refused about a person's class, and what follows, in words."""
        from unveil.attacks.minimality._texts import why

        return why(self, self._number(person))

    def _number(self, person: int) -> int:
        if not isinstance(person, int | np.integer) or not 0 <= person < len(self):
            raise InputError(f"people are numbered from 0 to {len(self) - 1:,}, got {person!r}")
        return int(person)

    def worst(self, n: int = 10) -> pd.DataFrame:
        """The people of whom most is believed beyond the release, as in `to_frame`."""
        gain = self.believed_most - _ERRORS * self.error_of - self.released_most
        return self.to_frame().iloc[np.argsort(-gain, kind="stable")[:n]]

    def to_frame(self) -> pd.DataFrame:
        """One row a person.

        ``row`` of the table, ``class``, ``released_own`` and ``believed_own`` of the true value,
        ``released_most``, ``likeliest`` and ``believed_most``, ``change``, ``error``, ``alone``,
        ``above``, ``determined``, ``excluded``.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "row": self.microdata.rows,
                "class": self.release.class_of,
                "released_own": self.released_own,
                "believed_own": self.believed_own,
                "released_most": self.released_most,
                "likeliest": self.release.sensitive.values[self.likeliest],
                "believed_most": self.believed_most,
                "change": self.change,
                "error": self.error_of,
                "alone": self.looked_at_alone,
                "above": self.above,
                "determined": self.determined,
                "excluded": self.excluded,
            }
        )

    def content(self, *, records: bool) -> dict[str, Any]:
        from unveil.attacks.minimality._texts import content_of

        return content_of(self, records=records)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what is believed from the release alone against what is with its way of working.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.attacks.minimality._picture import belief_curves

        return belief_curves(self, ax)

    def verdict(self, name: str | None = None) -> str:
        """What the attacker gains, in one sentence or two; ``name`` is the release's."""
        from unveil.attacks.minimality._texts import verdict_of

        return verdict_of(self, name)

    def summary(self) -> str:
        from unveil.attacks.minimality._texts import summary_of

        return summary_of(self)
