"""Who is alone with some of their rows: the unicity curve of de Montjoye and others (2013)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import Drawn, Members

POINTS = (1, 2, 3, 4)
"""Numbers of rows that the attacker of the unicity curve knows."""

DRAWN = 2_000
"""People whose rows are drawn for the curve; all, if there are fewer."""

_FIRST = 1_000  # people of the smallest class that are looked at first
_TAIL = 0.025


@dataclass(frozen=True, kw_only=True)
class Unicity:
    """How many people only they fit, of those whose rows were drawn.

    Attributes
    ----------
    rows : int
        How many of a person's rows the attacker knows, drawn at random; all, if there are fewer.
    alone, drawn : int
    """

    rows: int
    alone: int
    drawn: int

    @property
    def share(self) -> float:
        """The share of people who are alone."""
        return self.alone / self.drawn

    @property
    def interval(self) -> tuple[float, float]:
        """The exact interval of Clopper and Pearson (1934), with 95 % confidence.

        >>> [round(end, 3) for end in Unicity(rows=4, alone=5, drawn=10).interval]
        [0.187, 0.813]
        """
        from scipy.special import betaincinv

        n, yes = self.drawn, self.alone
        low = float(betaincinv(yes, n - yes + 1, _TAIL)) if yes else 0.0
        return low, float(betaincinv(yes + 1, n - yes, 1 - _TAIL)) if yes < n else 1.0


def some_rows(person: Drawn) -> list[int]:
    """The classes of some rows of a person, drawn at random, in the order drawn."""
    rng = np.random.default_rng(person.key)
    every = np.repeat(person.classes, person.rows)
    chosen: list[int] = every[rng.permutation(len(every))[: POINTS[-1]]].tolist()
    return chosen


def unicity(
    drawn: Sequence[tuple[int, Sequence[int]]], everybody: Iterable[Members]
) -> tuple[Unicity, ...]:
    """The curve, from the drawn people, the classes of their drawn rows, and who is in these.

    ``everybody`` may come in parts: whoever is not alone beside the people of one part is not
    alone.

    >>> there = Members(*np.array([[0, 0, 1, 1], [0, 2, 1, 2], [3, 1, 1, 1]]))
    >>> [one.alone for one in unicity([(0, [0, 0]), (1, [1]), (2, [1, 0])], [there])]
    [0, 2, 2, 2]
    """
    # Who fits more rows fits the first of them: up to so many rows somebody else fits, too.
    beside = [0] * len(drawn)
    for members in everybody:
        for place, (person, own) in enumerate(drawn):
            for m in POINTS[beside[place] :]:
                if not _another(members, person, own[:m]):
                    break
                beside[place] = m
    return tuple(
        Unicity(rows=m, alone=sum(one < m for one in beside), drawn=len(drawn)) for m in POINTS
    )


def _another(members: Members, person: int, own: Sequence[int]) -> bool:
    """Whether somebody else has rows in these classes, as many in each."""
    needed = Counter(own)
    there = sorted(((*members.of(one), n) for one, n in needed.items()),
                   key=lambda one: len(one[0]))  # fmt: skip
    smallest = there[0][0]
    first, size = 0, _FIRST
    while first < len(smallest):  # the first of them often fits
        fits: NDArray[np.int64] = smallest[first : first + size]
        fits = fits[fits != person]
        for people, rows, n in there:
            at = np.searchsorted(people, fits)
            at[at == len(people)] = 0
            fits = fits[(people[at] == fits) & (rows[at] >= n)]
        if len(fits):
            return True
        first, size = first + size, 8 * size
    return False
