"""Chains side by side, running on until a panel of victims has converged or a limit is reached.

All chains go on in rounds of so many looks. The first half of what was seen, or somewhat less, is
their warm-up and forgotten. Nothing but the limit of time depends on the clock, so that the same
seed gives the same numbers whatever the number of threads.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.risk._answer import Answer, Table
from unveil.attacks.risk._diagnostics import Diagnostics, Looked, diagnosed
from unveil.attacks.risk._problem import Problem
from unveil.attacks.risk.samplers import Info, Sampler
from unveil.attacks.risk.samplers._info import Draws
from unveil.engine import Progress, workers

__all__ = ["Chains", "Goal", "Stopped", "going_on", "mean_answer", "run_chains"]

Stopped: TypeAlias = Literal["converged", "sweeps", "time", "interrupted"]

_LOOKS = 25  # of a round
_MOST_BLOCKS = 8  # in which what was seen is kept; even
_MORE = 1.25  # times what was seen when the panel was diagnosed last


@dataclass(frozen=True, kw_only=True)
class Goal:
    """When chains may stop, and when they have to.

    Attributes
    ----------
    rhat, ess : float
        Of the worst victim of the panel: R-hat at most, effective samples at least.
    sweeps : int
        At most, of each chain.
    seconds : float, optional
        At most, in all.
    thin : int
        Sweeps from one look at the state to the next.
    """

    rhat: float = 1.01
    ess: float = 400.0
    sweeps: int = 20_000
    seconds: float | None = None
    thin: int = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class Chains:
    """What chains have shown after their warm-up.

    Attributes
    ----------
    infos : tuple of Info
        Of each chain: means for all watched tuples, and traces for the panel.
    states : tuple
        Where each chain has stopped, from where it can go on.
    sweeps, warm_up : int
        How many sweeps each chain made, and how many of these were forgotten.
    """

    sampler: Sampler
    infos: tuple[Info, ...]
    states: tuple[Any, ...]
    sweeps: int
    warm_up: int
    goal: Goal
    diagnostics: Diagnostics
    stopped: Stopped
    seconds: float

    @property
    def converged(self) -> bool:
        """Whether the worst victim of the panel has reached the goal."""
        return _reached(self.diagnostics, self.goal)

    @cached_property
    def answer(self) -> Answer:
        """The means of all chains."""
        return mean_answer([info.answer for info in self.infos], [1.0] * len(self.infos))

    def trace(self, name: Literal["rows", "density", "conditional"]) -> NDArray[np.float64]:
        """Chains × looked at × sensitive values × panel."""
        return np.stack([getattr(info, name) for info in self.infos])


def run_chains(
    problem: Problem, sampler: Sampler, *, chains: int, goal: Goal, learner: Looked, seed: int,
    n_jobs: int | None = None, progress: bool | None = None,
) -> Chains:  # fmt: skip
    """Run chains from their beginning until the goal or a limit is reached.

    ``learner`` is what his beliefs are made of, see `diagnosed`.
    """
    # Those of the panel are kept in any case, as the population's own traces.
    conditional: Draws = "watched" if learner == "conditional" else "panel"
    begun = time.monotonic()
    seeds = np.random.SeedSequence(seed).spawn(chains)
    states = [sampler.init(problem, one) for one in seeds]
    seen = _Seen()
    stopped: Stopped | None = None
    most = math.ceil(goal.sweeps / goal.thin)
    with (
        Progress("sampling", chains * most * goal.thin, progress, unit="sweeps") as shown,
        ThreadPoolExecutor(min(workers(n_jobs), chains)) as pool,
    ):
        try:
            while stopped is None:
                looks = min(_LOOKS, most - seen.looks)
                went = _round(pool, problem, sampler, states, looks, goal.thin, conditional)
                states = [state for state, _ in went]
                seen.add([info for _, info in went])
                shown.advance(chains * looks * goal.thin)
                found = seen.diagnosis(problem, learner, goal)
                if found is not None and _reached(found, goal):
                    stopped = "converged"
                elif seen.looks >= most:
                    stopped = "sweeps"
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
        found = diagnosed(problem, infos, learner)
    return Chains(
        sampler=sampler, infos=tuple(infos), states=tuple(states),
        sweeps=seen.looks * goal.thin, warm_up=(seen.looks - infos[0].kept) * goal.thin,
        goal=goal, diagnostics=found, stopped=stopped, seconds=time.monotonic() - begun,
    )  # fmt: skip


def going_on(
    problem: Problem, sampler: Sampler, states: Sequence[Any], *, looks: int, thin: int,
    n_jobs: int | None = None,
) -> list[Info]:  # fmt: skip
    """What chains see if they go on from where they are; nothing of them is changed."""
    with ThreadPoolExecutor(min(workers(n_jobs), len(states))) as pool:
        went = _round(pool, problem, sampler, states, looks, thin, "watched")
    return [info for _, info in went]


def _round(
    pool: ThreadPoolExecutor, problem: Problem, sampler: Sampler, states: Sequence[Any],
    looks: int, thin: int, conditional: Draws,
) -> list[tuple[Any, Info]]:  # fmt: skip
    waiting = [
        pool.submit(sampler.kernel, problem, state, kept=looks, thin=thin, conditional=conditional)
        for state in states
    ]
    return [one.result() for one in waiting]


def _reached(found: Diagnostics, goal: Goal) -> bool:
    return found.worst_rhat <= goal.rhat and found.least_ess >= goal.ess


def _outlook(found: Diagnostics, goal: Goal, chains: int, looks: int, most: int) -> tuple[int, str]:
    """How many sweeps there will be, as far as one can tell, and how far it is from the goal."""
    factor = max(goal.ess / max(found.least_ess, 1.0), 1.0)
    if found.worst_rhat > goal.rhat:  # which falls about as fast as the sweeps grow
        factor = max(factor, (found.worst_rhat - 1) / max(goal.rhat - 1, 1e-6))
    wanted = min(math.ceil(looks * factor), most)
    return chains * wanted * goal.thin, f"worst R-hat {found.worst_rhat:.3f}"


class _Seen:
    """What chains have seen, in a few blocks of the same length, of which the oldest are forgotten.

    More than half of what was seen is kept, by at most one block: they become longer as there is
    more to see, so that a quarter at least is forgotten.
    """

    def __init__(self) -> None:
        self.looks = 0
        self._blocks: list[list[Info]] = []
        self._length = _LOOKS
        self._diagnosed = 0

    def add(self, infos: list[Info]) -> None:
        """One more round."""
        self.looks += infos[0].kept
        if self._blocks and self._blocks[-1][0].kept < self._length:
            infos = _one_after_the_other([self._blocks.pop(), infos])
        self._blocks.append(infos)
        while self._kept - self._blocks[0][0].kept >= self.looks / 2:
            del self._blocks[0]
        if len(self._blocks) == _MOST_BLOCKS:
            pairs = zip(self._blocks[::2], self._blocks[1::2], strict=True)
            self._blocks = [_one_after_the_other(pair) for pair in pairs]
            self._length *= 2

    @property
    def _kept(self) -> int:
        return sum(block[0].kept for block in self._blocks)

    def diagnosis(self, problem: Problem, learner: Looked, goal: Goal) -> Diagnostics | None:
        """How the panel is doing; None if there is not enough more to see than the last time."""
        chains = len(self._blocks[0])
        if chains * self._kept < goal.ess or self.looks < _MORE * self._diagnosed:
            return None
        self._diagnosed = self.looks
        found = diagnosed(problem, self.kept(), learner, quickly=True)
        if not _reached(found, goal):
            return found
        return diagnosed(problem, self.kept(), learner)  # now it is worth to look at everything

    def kept(self) -> list[Info]:
        """What is not forgotten, of each chain."""
        return _one_after_the_other(self._blocks)


def _one_after_the_other(blocks: Sequence[list[Info]]) -> list[Info]:
    """Of each chain, what it saw in all blocks."""
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


def mean_answer(answers: Sequence[Answer], weights: Sequence[float]) -> Answer:
    """Of several answers about the same tuples."""
    whole = sum(weights)

    def mean(tables: Sequence[Table]) -> Table:
        total = tables[0] * (weights[0] / whole)
        for table, weight in zip(tables[1:], weights[1:], strict=True):
            total += table * (weight / whole)
        return total

    drawn = [answer.conditional for answer in answers if answer.conditional is not None]
    return Answer(
        rows=mean([answer.rows for answer in answers]),
        density=mean([answer.density for answer in answers]),
        conditional=mean(drawn) if drawn else None,
    )
