"""Markov chains in parallel, until a panel of victims has converged or a limit is reached.

All chains advance in rounds. The first half of the recorded states, or somewhat less, is warm-up
and discarded. Budgets are sweeps, so that the same seed gives the same numbers, whatever the number
of threads and however busy the machine is; only a budget of time depends on the clock.

R-hat and effective sample sizes are computed for what the attacker and the learner believe about
each victim of the panel, not for the density of the whole state: that may look converged long
before the victims are. Beliefs are ratios of expectations; their traces are linearized, so that
the mean of a trace is the error of the belief. The diagnostics are those of ArviZ: rank-normalized
split R-hat, bulk effective sample size, and the Monte Carlo standard error of a mean.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._beliefs import Answer, mean_answer
from unveil.attacks.relative_risk._problem import Problem
from unveil.attacks.relative_risk.samplers import Draws, Info, Sampler
from unveil.engine import Kept, Progress, kept, workers

Stopped: TypeAlias = Literal["converged", "sweeps", "budget", "time", "interrupted"]

_LOOKS = 25  # recorded states per round
_MOST_VISITS = 5_000_000  # of rows by all chains in a round: well under a second
_MOST_BLOCKS = 8  # of recorded states; even
_MORE = 1.25  # growth of the recorded states between two diagnoses
_STILL = 1e-12  # range of a belief that does not move


@dataclass(frozen=True, kw_only=True)
class Goal:
    """When chains may stop, and when they must.

    Attributes
    ----------
    rhat, ess : float
        The largest R-hat and the smallest effective sample size allowed for the worst victim.
    sweeps : int
        The most sweeps of each chain.
    most : int, optional
        The most sweeps of each chain that a budget of work allows.
    seconds : float, optional
        The time budget.
    thin : int
        Sweeps between recorded states.
    """

    rhat: float = 1.01
    ess: float = 400.0
    sweeps: int = 20_000
    most: int | None = None
    seconds: float | None = None
    thin: int = 4

    @property
    def looks(self) -> int:
        """The most recorded states of each chain."""
        sweeps = self.sweeps if self.most is None else min(self.sweeps, self.most)
        return max(1, sweeps // self.thin)


@dataclass(frozen=True, eq=False, kw_only=True)
class Sampling:
    """How a problem is sampled: by which sampler, until when, and in how many chains."""

    sampler: Sampler
    goal: Goal = field(default_factory=Goal)
    chains: int = 4
    seed: int = 0
    jobs: int | None = None

    def started(self, problem: Problem) -> list[Any]:
        """The first state of each chain."""
        seeds = np.random.SeedSequence(self.seed).spawn(self.chains)
        return [self.sampler.init(problem, seed) for seed in seeds]


@dataclass(frozen=True, eq=False, kw_only=True)
class Diagnostics:
    """One number per victim of the panel: the worst over sensitive values and both parties.

    Attributes
    ----------
    rhat : array
        Rank-normalized R-hat; 1 if nothing moves, infinite if chains are stuck apart.
    ess : array
        Bulk effective sample size; infinite if nothing moves.
    error : array
        The largest Monte Carlo standard error of a belief of the attacker or the learner.
    """

    rhat: NDArray[np.float64]
    ess: NDArray[np.float64]
    error: NDArray[np.float64]

    @property
    def worst_rhat(self) -> float:
        """The largest R-hat of the panel."""
        return float(self.rhat.max(initial=1.0))

    @property
    def least_ess(self) -> float:
        """The smallest effective sample size of the panel."""
        return float(self.ess.min(initial=np.inf))

    @property
    def largest_error(self) -> float:
        """The largest Monte Carlo standard error of the panel."""
        return float(self.error.max(initial=0.0))


@dataclass(frozen=True, eq=False, kw_only=True)
class Chains:
    """What chains have shown after their warm-up.

    Attributes
    ----------
    infos : tuple of Info
        For each chain: means for all watched tuples, and traces of the panel.
    states : tuple
        The last state of each chain, from which it can continue.
    sweeps, warm_up : int
        The number of sweeps of each chain, and how many of them were discarded.
    batches : tuple of tuples of Info
        The same as ``infos``, in several batches of consecutive states: batches × chains. How much
        they differ is the Monte Carlo error; it is dropped once that is known.
    """

    sampling: Sampling
    infos: tuple[Info, ...]
    states: tuple[Any, ...]
    sweeps: int
    warm_up: int
    diagnostics: Diagnostics
    stopped: Stopped
    seconds: float
    batches: tuple[tuple[Info, ...], ...] = ()

    @property
    def converged(self) -> bool:
        """Whether the worst victim of the panel has reached the goal.

        A few records of victims whose beliefs do not move prove nothing: there must be at least as
        many as the effective sample size asked for.
        """
        looks = len(self.infos) * self.infos[0].kept
        goal = self.sampling.goal
        return looks >= goal.ess and _reached(self.diagnostics, goal)

    @cached_property
    def answer(self) -> Answer:
        """The mean over all chains."""
        return mean_answer([info.answer for info in self.infos], [1.0] * len(self.infos))

    def trace(self, name: Literal["rows", "density", "conditional"]) -> NDArray[np.float64]:
        """Chains × recorded × sensitive values × panel."""
        return np.stack([getattr(info, name) for info in self.infos])

    def about(self, victim: int) -> tuple[Info, ...]:
        """For each chain, the traces of one victim of the panel."""
        one = [victim]
        return tuple(
            replace(
                info, rows=info.rows[:, :, one], density=info.density[:, :, one],
                conditional=None if info.conditional is None else info.conditional[:, :, one],
            )
            for info in self.infos
        )  # fmt: skip


def run_chains(
    problem: Problem, sampling: Sampling, *, conditional: bool, progress: bool | None = None
) -> Chains:
    """Run chains from their start until the goal or a limit is reached.

    ``conditional`` says whether the learner is that of eq. 5.
    """
    # Draws for the panel are always kept, as traces of the population.
    drawn: Draws = "watched" if conditional else "panel"
    sampler, goal, chains = sampling.sampler, sampling.goal, sampling.chains
    states = sampling.started(problem)
    earlier = _Checkpoints(
        kept("chains", sampler.name, sampling.seed, chains, goal, drawn, problem)
    )
    # The first call compiles the kernel, which must not count against the time budget.
    sampler.kernel(problem, states[0], kept=1, thin=1, conditional=drawn)
    begun = time.monotonic()
    states, seen = earlier.last(states)
    stopped: Stopped | None = None
    most, a_round = goal.looks, _looks_of_a_round(problem, chains, goal.thin)
    with (
        Progress("sampling", chains * most * goal.thin, progress, unit="sweeps") as shown,
        ThreadPoolExecutor(min(workers(sampling.jobs), chains)) as pool,
    ):
        try:
            fresh = seen.looks == 0
            while stopped is None:
                if fresh:
                    looks = min(a_round, most - seen.looks)
                    went = _round(pool, problem, sampler, states, looks, goal.thin, drawn)
                    states = [state for state, _ in went]
                    seen.add([info for _, info in went])
                    earlier.add(states, seen)
                fresh = True  # what an earlier run came by is looked at before chains go on
                shown.reach(chains * seen.looks * goal.thin)
                found = seen.diagnosis(problem, goal, conditional=conditional)
                if found is not None and _reached(found, goal):
                    stopped = "converged"
                elif seen.looks >= most:
                    stopped = "sweeps" if most == goal.sweeps // goal.thin else "budget"
                elif goal.seconds is not None and time.monotonic() - begun > goal.seconds:
                    stopped = "time"
                elif found is not None:
                    shown.expect(*_outlook(found, goal, chains, seen.looks, most))
        except KeyboardInterrupt:
            if seen.looks == 0:
                raise
            found, stopped = None, "interrupted"
    infos = seen.kept()
    if found is None or stopped != "converged":
        found = diagnosed(problem, infos, conditional=conditional)
    return Chains(
        sampling=sampling, infos=tuple(infos), states=tuple(states),
        sweeps=seen.looks * goal.thin, warm_up=(seen.looks - infos[0].kept) * goal.thin,
        diagnostics=found, stopped=stopped, seconds=time.monotonic() - begun,
        batches=seen.batches(),
    )  # fmt: skip


def continued(
    problem: Problem, sampling: Sampling, states: Sequence[Any], *, looks: int, visits: int
) -> list[Info]:
    """Continue chains from their states, for ``looks`` records, or about so many visits of rows.

    The states themselves are not changed.
    """
    blocks, seen, thin = list[list[Info]](), 0, sampling.goal.thin
    of_a_look = int(problem.counts.sum()) * thin * len(states)
    looks = max(1, min(looks, visits // max(of_a_look, 1)))
    a_round = _looks_of_a_round(problem, len(states), thin)
    if a_round == _LOOKS:  # this takes moments
        a_round = looks
    with ThreadPoolExecutor(min(workers(sampling.jobs), len(states))) as pool:
        while seen < looks:
            some = min(a_round, looks - seen)
            went = _round(pool, problem, sampling.sampler, states, some, thin, "watched")
            states = [state for state, _ in went]
            blocks.append([info for _, info in went])
            seen += some
    return _chained(blocks)


def _looks_of_a_round(problem: Problem, chains: int, thin: int) -> int:
    """Few enough to keep a time budget, and to be interrupted soon.

    It depends on the problem and not on the clock.
    """
    visits = int(problem.counts.sum()) * thin * chains
    return max(1, min(_LOOKS, _MOST_VISITS // max(visits, 1)))


def _round(
    pool: ThreadPoolExecutor, problem: Problem, sampler: Sampler, states: Sequence[Any],
    looks: int, thin: int, drawn: Draws,
) -> list[tuple[Any, Info]]:  # fmt: skip
    waiting = [
        pool.submit(sampler.kernel, problem, state, kept=looks, thin=thin, conditional=drawn)
        for state in states
    ]
    return [one.result() for one in waiting]


def _reached(found: Diagnostics, goal: Goal) -> bool:
    return found.worst_rhat <= goal.rhat and found.least_ess >= goal.ess


def _outlook(found: Diagnostics, goal: Goal, chains: int, looks: int, most: int) -> tuple[int, str]:
    """An estimate of the number of sweeps, and the distance to the goal in words."""
    factor = max(goal.ess / max(found.least_ess, 1.0), 1.0)
    if found.worst_rhat > goal.rhat:  # falls about as fast as the sweeps grow
        factor = max(factor, (found.worst_rhat - 1) / max(goal.rhat - 1, 1e-6))
    wanted = math.ceil(min(looks * factor, most))  # chains that are stuck apart never agree
    return chains * wanted * goal.thin, f"worst R-hat {found.worst_rhat:.3f}"


class _Checkpoints:
    """Where chains are after a round, now and then: all that they need to go on.

    It takes a while to write that much, so it is written when it has taken ten times as long to
    come by.
    """

    def __init__(self, kept: Kept) -> None:
        self._kept, self._at, self._took = kept, time.monotonic(), 0.0

    def last(self, states: Sequence[Any]) -> tuple[list[Any], _Seen]:
        """The states of the chains and what they have shown, as far as an earlier run came."""
        found = self._kept.last()
        if found is None:
            return list(states), _Seen()
        where, seen = found
        return [
            replace(state, latent=latent, random=random)
            for state, (latent, random) in zip(states, where, strict=True)
        ], _Seen(*seen)

    def add(self, states: Sequence[Any], seen: _Seen) -> None:
        """Keep where they are now, if it is time to."""
        now = time.monotonic()
        if self._kept and now - self._at >= 10 * self._took:
            self._kept.add(([(one.latent, one.random) for one in states], seen.parts))
            self._at = time.monotonic()
            self._took = self._at - now


class _Seen:
    """The records of all chains, in a few blocks of equal length, the oldest of which are dropped.

    Half of the records are kept, plus at most one block. Blocks become longer with time, so that
    at least a quarter is dropped.
    """

    def __init__(
        self, looks: int = 0, blocks: Sequence[list[Info]] = (), length: int = _LOOKS,
        diagnosed: int = 0,
    ) -> None:  # fmt: skip
        self.looks = looks
        self._blocks: list[list[Info]] = list(blocks)
        self._length = length
        self._diagnosed = diagnosed

    @property
    def parts(self) -> tuple[int, list[list[Info]], int, int]:
        """All of it, as it is made from."""
        return self.looks, self._blocks, self._length, self._diagnosed

    def add(self, infos: list[Info]) -> None:
        """Add a round; an interrupt in the middle leaves everything as it was."""
        looks, blocks, length = self.looks + infos[0].kept, list(self._blocks), self._length
        if blocks and blocks[-1][0].kept < length:
            infos = _chained([blocks.pop(), infos])
        blocks.append(infos)
        kept = sum(block[0].kept for block in blocks)
        while kept - blocks[0][0].kept >= looks / 2:
            kept -= blocks.pop(0)[0].kept
        if len(blocks) == _MOST_BLOCKS:
            pairs = zip(blocks[::2], blocks[1::2], strict=True)
            blocks, length = [_chained(pair) for pair in pairs], 2 * length
        self.looks, self._blocks, self._length = looks, blocks, length

    @property
    def _kept(self) -> int:
        return sum(block[0].kept for block in self._blocks)

    def diagnosis(self, problem: Problem, goal: Goal, *, conditional: bool) -> Diagnostics | None:
        """Diagnose the panel; None if there are not enough new records since the last time."""
        chains = len(self._blocks[0])
        if chains * self._kept < goal.ess or self.looks < _MORE * self._diagnosed:
            return None
        self._diagnosed = self.looks
        found = diagnosed(problem, self.kept(), conditional=conditional, quickly=True)
        if not _reached(found, goal):
            return found
        # Now it is worth checking every belief.
        return diagnosed(problem, self.kept(), conditional=conditional)

    def kept(self) -> list[Info]:
        """The records that are kept, for each chain."""
        return _chained(self._blocks)

    def batches(self) -> tuple[tuple[Info, ...], ...]:
        """The same in batches: batches × chains."""
        return tuple(tuple(block) for block in self._blocks)


def _chained(blocks: Sequence[list[Info]]) -> list[Info]:
    """For each chain, its records in all blocks."""
    return [_joined(infos) for infos in zip(*blocks, strict=True)]


def _joined(infos: Sequence[Info]) -> Info:
    if len(infos) == 1:
        return infos[0]
    drawn = [info.conditional for info in infos if info.conditional is not None]
    return Info(
        kept=sum(info.kept for info in infos), sweeps=sum(info.sweeps for info in infos),
        answer=mean_answer([info.answer for info in infos], [float(info.kept) for info in infos]),
        rows=np.concatenate([info.rows for info in infos]),
        density=np.concatenate([info.density for info in infos]),
        conditional=np.concatenate(drawn) if drawn else None,
    )  # fmt: skip


# Diagnostics ----------------------------------------------------------------------------------


def diagnosed(
    problem: Problem, infos: Sequence[Info], *, conditional: bool, quickly: bool = False
) -> Diagnostics:
    """Diagnose the traces of several chains, all of the same length.

    Parameters
    ----------
    conditional : bool
        Whether the learner's beliefs are the draws of f(s | r, π), or follow from the densities.
        They may move where the attacker's do not, as among rows with one sensitive value.
    quickly : bool
        Check only the belief about each victim that moves most.
    """
    parts = [_linearized(np.stack([info.rows for info in infos]))]
    if conditional:
        parts.append(np.stack([info.conditional for info in infos if info.conditional is not None]))
    else:
        weights = problem.alpha + problem.totals
        parts.append(_linearized(np.stack([info.density for info in infos]) * weights[:, None]))
    traces = np.concatenate(parts, axis=2)  # chains × recorded × beliefs × panel
    victims = traces.shape[3]
    rhat, ess, error = np.ones(victims), np.full(victims, np.inf), np.zeros(victims)
    for v in range(victims):
        width = np.ptp(traces[..., v], axis=(0, 1))
        which = [int(np.argmax(width))] if quickly else np.flatnonzero(width > _STILL)
        if width.max() > _STILL:
            rhat[v], ess[v], error[v] = _worst(traces[:, :, which, v])
    return Diagnostics(rhat=rhat, ess=ess, error=error)


def _linearized(traces: NDArray[np.float64]) -> NDArray[np.float64]:
    """How each record moves the shares (axis 2) of the mean; the mean of the moves is 0."""
    mean = traces.mean(axis=(0, 1))
    total = mean.sum(axis=0)
    share = np.divide(mean, total, out=np.zeros_like(mean), where=total > 0)
    moves = traces - share * traces.sum(axis=2, keepdims=True)
    return np.divide(moves, total, out=np.zeros_like(moves), where=total > 0)


def _worst(traces: NDArray[np.float64]) -> tuple[float, float, float]:
    from arviz_stats.base import array_stats  # imports slowly

    # A trace that is constant in each chain, at different values, has no variance within chains.
    with np.errstate(divide="ignore", invalid="ignore"):
        rhat = array_stats.rhat(traces, chain_axis=0, draw_axis=1)
        ess = array_stats.ess(traces, chain_axis=0, draw_axis=1)
        error = array_stats.mcse(traces, chain_axis=0, draw_axis=1)
    return (
        float(np.nan_to_num(rhat, nan=np.inf, posinf=np.inf).max()),
        float(np.nan_to_num(ess, nan=0.0).min()),
        float(np.nan_to_num(error, nan=np.inf, posinf=np.inf).max()),
    )
