"""What is believed about one more victim, after chains have run or where none had to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._answer import Answer, attacker, given_tuple, joint_learner
from unveil.attacks.relative_risk._chains import Goal, going_on, mean_answer
from unveil.attacks.relative_risk._diagnostics import diagnosed
from unveil.attacks.relative_risk._exact import Likelihood, exact_answer, is_settled
from unveil.attacks.relative_risk._exact_saturated import atoms_of_watched
from unveil.attacks.relative_risk._problem import Horizontal, Problem
from unveil.attacks.relative_risk._victim import LEVEL
from unveil.attacks.relative_risk.samplers import Info, Sampler
from unveil.attacks.relative_risk.samplers._info import random_state
from unveil.attacks.relative_risk.samplers._kernels import draw_conditional

__all__ = ["Believed", "Teller"]

_LOOKS = 250  # of each chain, at one victim, if that does not take too long
_SECONDS = 15.0
_MIXED = 1.05  # R-hat of chains that have converged before, or serve intervals only
_WARM_UP = 1000  # sweeps, where the answer is exact and chains serve intervals only
_DRAWS = 4000  # where nothing has to be sampled but π


@dataclass(frozen=True, eq=False, kw_only=True)
class Believed:
    """About one victim: beliefs, and the limits (low, high × sensitive values) of intervals."""

    attacker: NDArray[np.float64]
    learner: NDArray[np.float64]
    attacker_interval: NDArray[np.float64]
    learner_interval: NDArray[np.float64]
    error: float
    converged: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class Teller:
    """All that it takes to say something about any victim.

    ``states`` are those of chains that have warmed up; there are none if the answer is exact.
    """

    problem: Problem
    likelihood: Likelihood
    sampler: Sampler
    states: tuple[Any, ...]
    conditional: bool
    goal: Goal
    chains: int
    seed: int
    n_jobs: int | None

    def about(
        self, codes: NDArray[np.int32], known: Answer | None = None, traces: Sequence[Info] = ()
    ) -> Believed:
        """What is believed about a victim (columns × 1).

        ``known`` is the answer about him, if there is one already, and ``traces`` what the chains
        have seen of him, if he is of the panel; if not, he is asked about now.
        """
        problem = self.problem.watching(codes)
        exact = not self.states
        answer = known
        if answer is None and exact:
            answer = exact_answer(problem, self.likelihood, conditional=self.conditional)
        if exact and is_settled(problem, self.likelihood):
            assert answer is not None
            return self._without_sampling(problem, answer)
        infos = traces or going_on(
            problem, self.sampler, self.states or self._warmed_up,
            looks=_LOOKS, thin=self.goal.thin, seconds=_SECONDS, n_jobs=self.n_jobs,
        )  # fmt: skip
        return self._with_traces(problem, infos, answer, exact=exact)

    @cached_property
    def _warmed_up(self) -> tuple[Any, ...]:
        seeds = np.random.SeedSequence(self.seed).spawn(self.chains)
        nobody = self.problem.watching(self.problem.watched[:, :0])
        states = [self.sampler.init(nobody, seed) for seed in seeds]
        return tuple(
            self.sampler.kernel(nobody, state, kept=1, thin=_WARM_UP)[0] for state in states
        )

    def _with_traces(
        self, problem: Problem, infos: Sequence[Info], answer: Answer | None, *, exact: bool
    ) -> Believed:
        found = diagnosed(problem, infos, conditional=self.conditional)
        rows = np.concatenate([info.rows[:, :, 0] for info in infos])
        shares = np.concatenate(
            [info.conditional[:, :, 0] for info in infos if info.conditional is not None]
        )
        if answer is None:
            answer = mean_answer([info.answer for info in infos], [1.0] * len(infos))
        p_attacker, p_learner = self._beliefs(problem, answer)
        total = rows.sum(axis=1, keepdims=True)
        seen = rows[total[:, 0] > 0] / total[total[:, 0] > 0]
        # Chains that have converged before need only show that they do about him, too.
        mixed = found.worst_rhat <= max(self.goal.rhat, _MIXED)
        told = mixed or not exact  # exact beliefs have no intervals rather than wrong ones
        return Believed(
            attacker=p_attacker, learner=p_learner,
            attacker_interval=_interval(seen if told else seen[:0], p_attacker),
            learner_interval=_interval(shares if told else shares[:0], p_learner),
            error=0.0 if exact else found.largest_error, converged=exact or mixed,
        )  # fmt: skip

    def _without_sampling(self, problem: Problem, answer: Answer) -> Believed:
        """Every row's atom is certain, and so what the attacker believes; π is drawn as it is."""
        assert isinstance(problem, Horizontal)
        there, size = atoms_of_watched(problem)
        random, drawn = random_state(self.seed), np.empty((_DRAWS, problem.values, 1))
        place = np.arange(problem.values, dtype=np.int64)[:, None]
        for one in drawn:
            draw_conditional(
                random, problem.alpha + problem.totals, problem.beta, float(problem.domain.size),
                problem.totals.astype(np.float64), place, size[:, 0].astype(np.float64),
                there[:, 0].astype(np.float64), one,
            )  # fmt: skip
        p_attacker, p_learner = self._beliefs(problem, answer)
        return Believed(
            attacker=p_attacker, learner=p_learner,
            attacker_interval=np.stack([p_attacker, p_attacker]),
            learner_interval=_interval(drawn[:, :, 0], p_learner), error=0.0, converged=True,
        )  # fmt: skip

    def _beliefs(
        self, problem: Problem, answer: Answer
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        learner = (
            answer.conditional if self.conditional
            else given_tuple(joint_learner(problem, answer.density))
        )  # fmt: skip
        assert learner is not None
        return attacker(answer.rows)[:, 0], learner[:, 0]


def _interval(draws: NDArray[np.float64], belief: NDArray[np.float64]) -> NDArray[np.float64]:
    if len(draws) == 0:
        return np.full((2, len(belief)), np.nan)
    return np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
