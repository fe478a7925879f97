"""The guesses that a party may make about a tuple, their chances, and whom they are right about.

A guess is a sensitive value; of a number that need only be near, it is the middle of a window of
values (`unveil.attacks.tolerance`), and is numbered by the value at which its window ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._beliefs import ROUNDING, Beliefs
from unveil.attacks.relative_risk._problem import Problem
from unveil.attacks.tolerance import Near
from unveil.microdata import Microdata

_CELLS = 2**22  # numbers that are held in memory


@dataclass(frozen=True, eq=False, kw_only=True)
class Guesses:
    """Guesses about records.

    Attributes
    ----------
    tuple_of, secret : array
        The tuple and the sensitive value of each record.
    values, tuples : int
    near : Near, optional
        How near a guess must be; None if it must be exact.
    place : array (values × tuples), optional
        Where the guesses are, if numbers need only be near.
    """

    tuple_of: NDArray[np.integer]
    secret: NDArray[np.integer]
    values: int
    tuples: int
    near: Near | None = None
    place: NDArray[np.float64] | None = None

    @classmethod
    def about(
        cls, microdata: Microdata, problem: Problem, tuple_of: NDArray[np.integer],
        near: Near | None,
    ) -> Guesses:  # fmt: skip
        """Guesses about the records of a table, whose tuples are watched."""
        return cls(
            tuple_of=tuple_of, secret=microdata.sensitive.codes, values=problem.values,
            tuples=problem.watched.shape[1], near=near,
        )  # fmt: skip

    @property
    def _near(self) -> Near | None:
        return None if self.near is None or self.near.is_exact else self.near

    def chances(self, beliefs: NDArray[np.float64]) -> NDArray[np.float64]:
        """The chance of each guess (last axes: values × tuples); -1 without any belief in it."""
        if self._near is None:
            return np.where(np.isnan(beliefs), -1.0, beliefs)
        found = self._summed(beliefs, self._near.begins, np.arange(1, self.values + 1))
        believed = (beliefs > ROUNDING).any(axis=0) if beliefs.ndim == 3 else beliefs > ROUNDING
        return np.where(believed, found, -1.0)

    def near_own(self, beliefs: NDArray[np.float64]) -> NDArray[np.float64]:
        """The belief in what is within the tolerance of each value."""
        return beliefs if self._near is None else self._summed(beliefs, *self._near.similar)

    @staticmethod
    def _summed(
        beliefs: NDArray[np.float64], first: NDArray[np.int64], last: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Sums of beliefs over ranges of values (axis -2)."""
        zero = np.zeros((*beliefs.shape[:-2], 1, beliefs.shape[-1]))
        below = np.concatenate([zero, beliefs.cumsum(axis=-2)], axis=-2)
        summed: NDArray[np.float64] = below[..., last, :] - below[..., first, :]
        return summed

    def placed(self, beliefs: Beliefs) -> Guesses:
        """The same, with the places of guesses by these beliefs."""
        if self._near is None:
            return self
        low, high = self._near.accepted
        # The first value at or after each that is believed in.
        ahead = np.where(beliefs > ROUNDING, np.arange(self.values)[:, None], self.values - 1)
        ahead = np.minimum.accumulate(ahead[::-1], axis=0)[::-1]
        bottom = np.minimum(ahead[self._near.begins], np.arange(self.values)[:, None])
        return replace(self, place=(low[:, None] + high[bottom]) / 2)

    def _hit(self, some: slice) -> NDArray[np.bool_]:
        """Whether each guess about the tuple of some records is right: values × records."""
        secret, tuples = self.secret[some], self.tuple_of[some]
        if self._near is None:
            return np.arange(self.values)[:, None] == secret
        assert self.place is not None
        low, high = self._near.accepted
        place = self.place[:, tuples]
        return np.asarray((low[secret] <= place) & (place <= high[secret]))

    def _some(self) -> Iterator[slice]:
        step = max(1, _CELLS // max(1, self.values))
        return (slice(first, first + step) for first in range(0, len(self.tuple_of), step))

    def hits(self, guesses: NDArray[np.bool_]) -> NDArray[np.int64]:
        """For each record, how many of some guesses (values × tuples) are right."""
        if self._near is None:
            return guesses[self.secret, self.tuple_of].astype(np.int64)
        return np.concatenate([
            np.zeros(0, dtype=np.int64),
            *((guesses[:, self.tuple_of[some]] & self._hit(some)).sum(axis=0)
              for some in self._some()),
        ])  # fmt: skip

    def right(
        self,
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]]:
        """Some tuples, how many of their records each guess is right about, and how many of all.

        One part of the tuples after the other.
        """
        order = np.argsort(self.tuple_of, kind="stable")
        step = max(1, _CELLS // max(1, self.values))
        ends = np.searchsorted(self.tuple_of[order], np.arange(self.tuples + 1))
        first = 0
        while first < self.tuples:
            last = int(np.searchsorted(ends, ends[first] + step, side="right")) - 1
            last = max(first + 1, min(last, first + step, self.tuples))
            records = order[ends[first] : ends[last]]
            found = np.zeros((self.values, last - first))
            own = replace(self, tuple_of=self.tuple_of[records], secret=self.secret[records])
            value, record = np.nonzero(own._hit(slice(None)))
            np.add.at(found, (value, own.tuple_of[record] - first), 1.0)
            yield np.arange(first, last), found, np.diff(ends[first : last + 1])
            first = last
