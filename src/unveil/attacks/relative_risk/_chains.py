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
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._answer import Answer, Table
from unveil.attacks.relative_risk._diagnostics import Diagnostics, diagnosed
from unveil.attacks.relative_risk._problem import Problem
from unveil.attacks.relative_risk.samplers import Info, Sampler
from unveil.attacks.relative_risk.samplers._info import Draws
from unveil.engine import Progress, workers

__all__ = ["Chains", "Goal", "Stopped", "going_on", "mean_answer", "run_chains"]

Stopped: TypeAlias = Literal["converged", "sweeps", "time", "interrupted"]

_LOOKS = 25  # of a round
_MOST_VISITS = 5_000_000  # of all chains to rows in a round: well under a second
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
        """Whether the worst victim of the panel has reached the goal.

        Few looks at victims who stand still tell nothing: there have to be as many as effective
        samples are asked for.
        """
        looks = len(self.infos) * self.infos[0].kept
        return looks >= self.goal.ess and _reached(self.diagnostics, self.goal)

    @cached_property
    def answer(self) -> Answer:
        """The means of all chains."""
        return mean_answer([info.answer for info in self.infos], [1.0] * len(self.infos))

    def trace(self, name: Literal["rows", "density", "conditional"]) -> NDArray[np.float64]:
        """Chains × looked at × sensitive values × panel."""
        return np.stack([getattr(info, name) for info in self.infos])

    def about(self, victim: int) -> tuple[Info, ...]:
        """Of each chain, the traces of one victim of the panel."""
        one = [victim]
        return tuple(
            replace(
                info, rows=info.rows[:, :, one], density=info.density[:, :, one],
                conditional=None if info.conditional is None else info.conditional[:, :, one],
            )
            for info in self.infos
        )  # fmt: skip


def run_chains(
    problem: Problem, sampler: Sampler, *, chains: int, goal: Goal, conditional: bool, seed: int,
    n_jobs: int | None = None, progress: bool | None = None,
) -> Chains:  # fmt: skip
    """Run chains from their beginning until the goal or a limit is reached.

    ``conditional`` says whether the learner is that of eq. 5.
    """
    # Those of the panel are kept in any case, as the population's own traces.
    drawn: Draws = "watched" if conditional else "panel"
    seeds = np.random.SeedSequence(seed).spawn(chains)
    states = [sampler.init(problem, one) for one in seeds]
    # The first time ever it is compiled, which must not count against the limit of time.
    sampler.kernel(problem, states[0], kept=1, thin=1, conditional=drawn)
    begun = time.monotonic()
    seen = _Seen()
    stopped: Stopped | None = None
    most, a_round = goal.sweeps // goal.thin, _looks_of_a_round(problem, chains, goal.thin)
    with (
        Progress("sampling", chains * most * goal.thin, progress, unit="sweeps") as shown,
        ThreadPoolExecutor(min(workers(n_jobs), chains)) as pool,
    ):
        try:
            while stopped is None:
                looks = min(a_round, most - seen.looks)
                went = _round(pool, problem, sampler, states, looks, goal.thin, drawn)
                states = [state for state, _ in went]
                seen.add([info for _, info in went])
                shown.advance(chains * looks * goal.thin)
                found = seen.diagnosis(problem, goal, conditional=conditional)
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
        found = diagnosed(problem, infos, conditional=conditional)
    return Chains(
        sampler=sampler, infos=tuple(infos), states=tuple(states),
        sweeps=seen.looks * goal.thin, warm_up=(seen.looks - infos[0].kept) * goal.thin,
        goal=goal, diagnostics=found, stopped=stopped, seconds=time.monotonic() - begun,
    )  # fmt: skip


def going_on(
    problem: Problem, sampler: Sampler, states: Sequence[Any], *, looks: int, thin: int,
    seconds: float, n_jobs: int | None = None,
) -> list[Info]:  # fmt: skip
    """What chains see if they go on from where they are; nothing of them is changed.

    They look so often, or until the time is over.
    """
    begun, blocks, seen = time.monotonic(), list[list[Info]](), 0
    a_round = _looks_of_a_round(problem, len(states), thin)
    if a_round == _LOOKS:  # it is a matter of moments
        a_round = looks
    with ThreadPoolExecutor(min(workers(n_jobs), len(states))) as pool:
        while seen < looks and (seen == 0 or time.monotonic() - begun < seconds):
            some = min(a_round, looks - seen)
            went = _round(pool, problem, sampler, states, some, thin, "watched")
            states = [state for state, _ in went]
            blocks.append([info for _, info in went])
            seen += some
    return _one_after_the_other(blocks)


def _looks_of_a_round(problem: Problem, chains: int, thin: int) -> int:
    """So few that the time limit is kept; they hang on the problem and not on the clock."""
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
    """How many sweeps there will be, as far as one can tell, and how far it is from the goal."""
    factor = max(goal.ess / max(found.least_ess, 1.0), 1.0)
    if found.worst_rhat > goal.rhat:  # which falls about as fast as the sweeps grow
        factor = max(factor, (found.worst_rhat - 1) / max(goal.rhat - 1, 1e-6))
    wanted = math.ceil(min(looks * factor, most))  # chains that are stuck apart never will
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
        """One more round; an interrupt in the midst of it leaves everything as it was."""
        looks, blocks, length = self.looks + infos[0].kept, list(self._blocks), self._length
        if blocks and blocks[-1][0].kept < length:
            infos = _one_after_the_other([blocks.pop(), infos])
        blocks.append(infos)
        kept = sum(block[0].kept for block in blocks)
        while kept - blocks[0][0].kept >= looks / 2:
            kept -= blocks.pop(0)[0].kept
        if len(blocks) == _MOST_BLOCKS:
            pairs = zip(blocks[::2], blocks[1::2], strict=True)
            blocks, length = [_one_after_the_other(pair) for pair in pairs], 2 * length
        self.looks, self._blocks, self._length = looks, blocks, length

    @property
    def _kept(self) -> int:
        return sum(block[0].kept for block in self._blocks)

    def diagnosis(self, problem: Problem, goal: Goal, *, conditional: bool) -> Diagnostics | None:
        """How the panel is doing; None if there is not enough more to see than the last time."""
        chains = len(self._blocks[0])
        if chains * self._kept < goal.ess or self.looks < _MORE * self._diagnosed:
            return None
        self._diagnosed = self.looks
        found = diagnosed(problem, self.kept(), conditional=conditional, quickly=True)
        if not _reached(found, goal):
            return found
        # Now it is worth to look at everything.
        return diagnosed(problem, self.kept(), conditional=conditional)

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
