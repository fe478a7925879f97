"""What is found out about the targets, put together as it comes in."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from unveil.attacks._beliefs import NO_BELIEF, Beliefs
from unveil.attacks._distances import Distance
from unveil.attacks.chance import Drawn, Sampling
from unveil.errors import Text

__all__ = ["Results"]

_EQUAL = 1e-12  # beliefs that differ by no more than rounding does
_BY_CHANCE = 3.0  # standard errors within which sampled beliefs may well be equal


class Results:
    """Results of one adversary on the records tested, filled in batch by batch."""

    def __init__(self, n: int, values: int, measure: Distance, *, predictions: bool) -> None:
        keep = (n if predictions else 0, values)
        self.distances = np.full(n, np.nan)
        self.mode_changed = np.zeros(n, dtype=bool)
        self.reached = np.zeros(n, dtype=bool)
        self.present, self.absent = np.full(keep, np.nan), np.full(keep, np.nan)
        self.notes: dict[Text, None] = {}  # each once, in the order they came
        self._reasons: dict[int, str] = {}
        self._details: dict[int, str] = {}
        self._measure, self._predictions = measure, predictions
        self.sampling: Sampling | None = None

    def take(self, batch: Beliefs) -> None:
        """Note what a batch of targets gave."""
        had = ~np.isnan(batch.present + batch.absent).any(axis=1)
        places = batch.places
        present, absent = batch.present[had], batch.absent[had]
        self.reached[places] = True
        self.notes.update(dict.fromkeys(batch.notes))
        if isinstance(batch, Drawn):
            self.distances[places[had]] = batch.distances[had]
            if batch.sampling is not None:
                self._note_sampling(places, batch.sampling)
        else:
            self.distances[places[had]] = self._measure(present, absent)
        self.mode_changed[places[had]] = _another_favourite(present, absent, _slack(batch)[had])
        if self._predictions:
            self.present[places], self.absent[places] = batch.present, batch.absent
        for row in np.flatnonzero(~had).tolist():
            self._forget(int(places[row]))  # it may have been had with fewer samples
            self._reasons[int(places[row])] = batch.reasons.get(row, NO_BELIEF)
        self._details.update({int(places[row]): said for row, said in batch.details.items()})

    def _forget(self, place: int) -> None:
        self.distances[place] = np.nan
        if self.sampling is not None:
            nothing = Sampling.none(1, self.sampling.epsilons.tolist(), self.sampling.wanted)
            self.sampling.put(np.array([place]), nothing)

    def _note_sampling(self, places: NDArray[np.intp], found: Sampling) -> None:
        if self.sampling is None:
            epsilons = found.epsilons.tolist()
            self.sampling = Sampling.none(len(self.distances), epsilons, found.wanted)
        self.sampling.put(places, found)

    def give_up(self, reason: str) -> None:
        """Nobody who has not been reached will be."""
        left = np.flatnonzero(~self.reached)
        self.reached[left] = True
        self._reasons.update(dict.fromkeys(left.tolist(), reason))

    def not_tested(self, where: NDArray[np.intp]) -> dict[str, int]:
        """Reasons and how many targets, whose places are ``where``, each of them holds for."""
        return dict(Counter(self._reasons[p] for p in where.tolist() if p in self._reasons))

    def failures(
        self, records: NDArray[np.intp], where: NDArray[np.intp]
    ) -> tuple[tuple[int, str], ...]:
        """What was said about targets that could not be tested, by their record numbers."""
        each = zip(records.tolist(), where.tolist(), strict=True)
        return tuple((record, self._details[p]) for record, p in each if p in self._details)


def _slack(batch: Beliefs) -> NDArray[np.float64]:
    """By how much beliefs about each target may differ and still count as equal."""
    if isinstance(batch, Drawn) and batch.sampling is not None:
        return _EQUAL + _BY_CHANCE * batch.sampling.standard_error
    return np.full(len(batch.places), _EQUAL)


def _another_favourite(
    present: NDArray[np.float64], absent: NDArray[np.float64], slack: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Whether nothing that is believed most at first is believed most afterwards.

    Several values may be; that rounding or sampling puts one of them in front is no change.
    """
    before = present >= present.max(axis=1, keepdims=True, initial=0) - slack[:, None]
    after = absent >= absent.max(axis=1, keepdims=True, initial=0) - slack[:, None]
    return ~(before & after).any(axis=1)
