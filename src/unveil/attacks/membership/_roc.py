"""How well scores tell two groups of people apart, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.membership._area import area_under_curve
from unveil.attacks.membership._estimates import Estimate, group_sizes
from unveil.attacks.membership._found import found_at

__all__ = ["RATES", "Separation", "roc_points", "separation"]

RATES = (0.01, 0.001)
"""Rates of false alarms at which the share of members found is reported."""


@dataclass(frozen=True, kw_only=True)
class Separation:
    """How well an attacker's scores tell members from people who were held out.

    Attributes
    ----------
    auc : Estimate
        The share of all pairs of a member and somebody held out in which the member has the
        higher score; equal scores count one half. Guessing gives 0.5.
    tpr : dict of float to (Estimate or None)
        For rates of false alarms, the share of the members found: the threshold is the smallest
        that at most this share of those held out reach. None where they are too few to tell.
    advantage : float
        The largest difference between the share of the members and the share of those held out
        that reach a threshold.
    members, held_out : int
        How many of each have a score.
    groups : int
        How many of those held out were asked about by themselves; people who were asked about
        together count as one.
    """

    auc: Estimate
    tpr: dict[float, Estimate | None]
    advantage: float
    members: int
    held_out: int
    groups: int


def separation(
    members: NDArray[np.float64],
    held_out: NDArray[np.float64],
    *,
    together: NDArray[np.intp] | None = None,
) -> Separation:
    """Compare the scores of members with those of people who were held out.

    Parameters
    ----------
    members, held_out : arrays
        Scores, at least one each; infinite ones are fine.
    together : array of int, optional
        For each of those held out, a number that they share with those asked about together, and
        whose scores therefore are not independent.

    Examples
    --------
    >>> found = separation(np.array([0.3, 0.9, 0.9]), np.array([0.1, 0.3]))
    >>> round(found.auc.value, 3), found.tpr[0.01]
    (0.917, None)
    """
    return Separation(
        auc=area_under_curve(members, held_out, together),
        tpr={rate: found_at(rate, members, held_out, together) for rate in RATES},
        advantage=_advantage(members, held_out),
        members=len(members),
        held_out=len(held_out),
        groups=len(group_sizes(len(held_out), together)),
    )


def roc_points(
    members: NDArray[np.float64], held_out: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Thresholds from high to low, and the shares of both groups that reach them (FPR, TPR).

    The first threshold is above all scores.
    """
    thresholds = np.unique(np.concatenate([members, held_out]))[::-1]
    fpr, tpr = (_share_reaching(group, thresholds) for group in (held_out, members))
    return (
        np.concatenate([[np.inf], thresholds]),
        np.concatenate([[0.0], fpr]),
        np.concatenate([[0.0], tpr]),
    )


def _share_reaching(
    scores: NDArray[np.float64], thresholds: NDArray[np.float64]
) -> NDArray[np.float64]:
    below = np.searchsorted(np.sort(scores), thresholds, side="left")
    return 1 - below / len(scores)


def _advantage(members: NDArray[np.float64], held_out: NDArray[np.float64]) -> float:
    _, fpr, tpr = roc_points(members, held_out)
    return float((tpr - fpr).max())
