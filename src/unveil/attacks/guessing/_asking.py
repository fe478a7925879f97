"""What an adversary answers about people, beside what is true.

Five numbers for each person: how much of the belief is on the true value; how likely his guess is
right (of several values that are believed equally he picks one at random); whether he is sure; how
likely he is sure and right; and whether he believes anything at all. Whoever has no belief about
somebody is neither right nor sure.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary
from unveil.attacks._beliefs import Knowledge
from unveil.attacks.relative_risk import ROUNDING
from unveil.microdata import AnyRelease

__all__ = ["BELIEF", "KNOWN", "RIGHT", "SURE", "SURE_RIGHT", "answers", "asked", "by_prior"]

BELIEF, RIGHT, SURE, SURE_RIGHT, KNOWN = range(5)
"""The rows of answers."""

_STEP = 4096  # people asked about at a time


def answers(
    beliefs: NDArray[np.float64], true: NDArray[np.integer], confidence: float
) -> NDArray[np.float64]:
    """The five numbers for each person, from beliefs (people × values).

    Parameters
    ----------
    beliefs : array
        NaN for somebody about whom nothing is believed.
    true : array
        The code of each person's own value.
    confidence : float
        How much belief in one value makes him sure.

    Examples
    --------
    >>> beliefs = np.array([[0.7, 0.3], [0.5, 0.5], [np.nan, np.nan]])
    >>> answers(beliefs, np.array([0, 1, 1]), 0.6).T
    array([[0.7, 1. , 1. , 1. , 1. ],
           [0.5, 0.5, 0. , 0. , 1. ],
           [0. , 0. , 0. , 0. , 0. ]])
    """
    each = np.arange(len(true))
    known = np.logical_not(np.isnan(beliefs).any(axis=1))
    believed = np.where(known.reshape(-1, 1), beliefs, 0.0)
    top = believed.max(axis=1)
    first: NDArray[np.bool_] = np.greater_equal(believed, top[:, None] - ROUNDING)
    right = np.where(first[each, true] & known, 1 / first.sum(axis=1), 0.0)
    sure = known & (top >= confidence - ROUNDING)
    return np.stack([believed[each, true], right, sure, sure * right, known])


def asked(
    known: Knowledge,
    adversary: Adversary,
    release: AnyRelease,
    records: NDArray[np.intp],
    confidence: float,
) -> NDArray[np.float64]:
    """What an adversary answers about some records from a release: five numbers × records."""
    first, which = _each_once(known, records)
    order = np.argsort(which, kind="stable")
    ends = np.searchsorted(which[order], np.arange(len(first) + 1))
    found = np.empty((5, len(records)))
    for start in range(0, len(first), _STEP):
        stop = min(start + _STEP, len(first))
        beliefs = known.believed(adversary, release, first[start:stop])
        rows = order[ends[start] : ends[stop]]
        true = known.microdata.sensitive.codes[records[rows]]
        found[:, rows] = answers(beliefs[which[rows] - start], true, confidence)
    return found


def by_prior(
    known: Knowledge, shares: NDArray[np.float64], records: NDArray[np.intp], confidence: float
) -> NDArray[np.float64]:
    """The same of somebody who has seen no release: he has a prior, or the shares of the values."""
    prior = shares if known.prior is None else known.prior
    rows = prior[records] if prior.ndim == 2 else np.broadcast_to(prior, (len(records), len(prior)))
    return answers(rows, known.microdata.sensitive.codes[records], confidence)


def _each_once(
    known: Knowledge, records: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """One record for all whose quasi-identifiers are the same, and for each which one that is.

    Unless the adversary knows different things about them beforehand.
    """
    if known.prior is not None and known.prior.ndim == 2:
        return records, np.arange(len(records))
    _, first, which = np.unique(
        known.microdata.cells.cell_of[records], return_index=True, return_inverse=True
    )
    return records[first], which.ravel()
