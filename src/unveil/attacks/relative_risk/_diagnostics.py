"""Have the chains come to an answer? R-hat and effective sample sizes on a panel of victims.

What is looked at is what the attacker and the learner believe about each victim of the panel, not
the density of the whole state: that may look settled long before the victims are. Beliefs are
ratios of expectations; their traces are linearized, so that a trace's mean is the belief's error.
The diagnostics are those of ArviZ: rank-normalized split R-hat, bulk effective sample size, and
the Monte Carlo standard error of a mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._problem import Problem
from unveil.attacks.relative_risk.samplers import Info

__all__ = ["Diagnostics", "diagnosed"]

_STILL = 1e-12  # of a belief that does not move at all


@dataclass(frozen=True, eq=False, kw_only=True)
class Diagnostics:
    """One number a victim of the panel each: the worst over sensitive values and both parties.

    Attributes
    ----------
    rhat : array
        Rank-normalized R-hat; 1 where nothing moves, infinite where chains are stuck apart.
    ess : array
        Bulk effective sample size; infinite where nothing moves.
    error : array
        The largest Monte Carlo standard error of what the attacker or the learner believes.
    """

    rhat: NDArray[np.float64]
    ess: NDArray[np.float64]
    error: NDArray[np.float64]

    @property
    def worst_rhat(self) -> float:
        """Of all victims."""
        return float(self.rhat.max(initial=1.0))

    @property
    def least_ess(self) -> float:
        """Of all victims."""
        return float(self.ess.min(initial=np.inf))

    @property
    def largest_error(self) -> float:
        """Of all victims."""
        return float(self.error.max(initial=0.0))


def diagnosed(
    problem: Problem, infos: Sequence[Info], *, conditional: bool, quickly: bool = False
) -> Diagnostics:
    """Look at the traces of several chains, all of the same length.

    Parameters
    ----------
    conditional : bool
        What the learner's beliefs are made of: the draws of f(s | r, π), or the densities. They
        move where the attacker's stand still, as among rows that have one sensitive value.
    quickly : bool
        Look only at the belief about each victim that moves most.
    """
    parts = [_linearized(np.stack([info.rows for info in infos]))]
    if conditional:
        parts.append(np.stack([info.conditional for info in infos if info.conditional is not None]))
    else:
        weights = problem.alpha + problem.totals
        parts.append(_linearized(np.stack([info.density for info in infos]) * weights[:, None]))
    traces = np.concatenate(parts, axis=2)  # chains × looked at × beliefs × panel
    victims = traces.shape[3]
    rhat, ess, error = np.ones(victims), np.full(victims, np.inf), np.zeros(victims)
    for v in range(victims):
        width = np.ptp(traces[..., v], axis=(0, 1))
        which = [int(np.argmax(width))] if quickly else np.flatnonzero(width > _STILL)
        if width.max() > _STILL:
            rhat[v], ess[v], error[v] = _worst(traces[:, :, which, v])
    return Diagnostics(rhat=rhat, ess=ess, error=error)


def _linearized(traces: NDArray[np.float64]) -> NDArray[np.float64]:
    """How each look moves the shares (axis 2) of the mean; their own means are 0."""
    mean = traces.mean(axis=(0, 1))
    total = mean.sum(axis=0)
    share = np.divide(mean, total, out=np.zeros_like(mean), where=total > 0)
    moves = traces - share * traces.sum(axis=2, keepdims=True)
    return np.divide(moves, total, out=np.zeros_like(moves), where=total > 0)


def _worst(traces: NDArray[np.float64]) -> tuple[float, float, float]:
    from arviz_stats.base import array_stats  # imports slowly

    # A trace that stands still in each chain, but not at the same place, has no variance within.
    with np.errstate(divide="ignore", invalid="ignore"):
        rhat = array_stats.rhat(traces, chain_axis=0, draw_axis=1)
        ess = array_stats.ess(traces, chain_axis=0, draw_axis=1)
        error = array_stats.mcse(traces, chain_axis=0, draw_axis=1)
    return (
        float(np.nan_to_num(rhat, nan=np.inf, posinf=np.inf).max()),
        float(np.nan_to_num(ess, nan=0.0).min()),
        float(np.nan_to_num(error, nan=np.inf, posinf=np.inf).max()),
    )
