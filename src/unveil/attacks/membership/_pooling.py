"""A member is a person: the scores of a person's rows, pooled.

Where a person may have several rows, all of them are in the table or none. The attacker scores each
row and takes of a person's scores

- the *sum*: of logarithms of likelihood ratios of independent rows that is the strongest test;
- the *mean*, which does not depend on how many rows somebody has;
- the *largest*, which finds people of whom one row stands out.

Each is an attacker of their own, and the strongest counts, as of several models. Of the sum, a row
that is ruled out (-∞) rules the person out, unless another row is possible for members alone (+∞):
then nothing follows, and the score is 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.held_out import People

if TYPE_CHECKING:
    from unveil.attacks.membership._attackers import Scores

_DECIMALS = 9  # sums in another order differ by rounding errors, and must be ties


def _sum(scores: NDArray[np.float64], whose: NDArray[np.intp]) -> NDArray[np.float64]:
    """The sum of each person's scores.

    >>> _sum(np.array([1.0, 2.0, -np.inf, 1.0, np.inf, -np.inf]), np.array([0, 0, 1, 1, 2, 2]))
    array([  3., -inf,   0.])
    """
    finite = np.where(np.isfinite(scores), scores, 0.0)
    found = np.bincount(whose, finite).astype(np.float64).round(_DECIMALS)
    low, high = (np.bincount(whose, scores == end) > 0 for end in (-np.inf, np.inf))
    found[low], found[high], found[low & high] = -np.inf, np.inf, 0.0
    return found


def _mean(scores: NDArray[np.float64], whose: NDArray[np.intp]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = _sum(scores, whose) / np.maximum(np.bincount(whose), 1)
    return found.round(_DECIMALS)


def _largest(scores: NDArray[np.float64], whose: NDArray[np.intp]) -> NDArray[np.float64]:
    found = np.full(int(whose.max()) + 1, -np.inf)
    np.maximum.at(found, whose, scores)
    return found


POOLS: dict[str, Callable[[NDArray[np.float64], NDArray[np.intp]], NDArray[np.float64]]] = {
    "sum of a person's rows": _sum,
    "mean of a person's rows": _mean,
    "largest of a person's rows": _largest,
}
"""How an attacker may pool the scores of a person's rows; rows without a score are left out."""


def pooled(people: People, scored: Scores) -> list[Scores]:
    """The scores of people, from those of their rows: one for each way to pool them.

    Where each row is another person's, they are the same. Whoever has a row with a score has one.
    """
    if scored.why is None or people.everybody.several is None:
        return [scored]
    whose, n = people.whose, len(people.first)
    known = ~np.isnan(scored.scores)
    there = np.zeros(n, dtype=bool)
    there[whose[known]] = True
    first = np.unique(whose, return_index=True)[1]
    why = np.full(n, "", dtype=object)
    for row in np.flatnonzero(scored.why != "")[::-1]:  # the first row's reason stays
        why[whose[row]] = scored.why[row]
    reasons = dict(Counter(why[~there].tolist()))
    found = []
    for words, pool in POOLS.items():
        scores = np.full(n, np.nan)
        if known.any():
            theirs = pool(scored.scores[known], whose[known])
            scores[: len(theirs)] = theirs
        scores[~there] = np.nan
        found.append(replace(
            scored, scores=scores, reasons=reasons, why=None,
            together=None if scored.together is None else scored.together[first],
            model=words if scored.model is None else f"{scored.model}, {words}",
        ))  # fmt: skip
    return found
