"""Samplers of a permuted release: pairs of rows of a group exchange their sensitive values.

*Collapsed*: a random pair exchanges with its conditional probability given all other rows, with π
integrated out. *Gibbs*: in turns π is drawn given the rows, and pairs exchange given π. The
expected number of rows (s, r) if each row may exchange with another is recorded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._problem import Vertical
from unveil.attacks.relative_risk.samplers import _kernels as kernels
from unveil.attacks.relative_risk.samplers._walk import (
    Algorithm,
    NaiveBayes,
    Random,
    Saturated,
    Seed,
    Walk,
)


class _Dealt(NamedTuple):
    """The rows of group g have the tuples ``tuples[start[g]:start[g + 1]]``.

    ``codes`` (tuples × columns) are positions in the counts of values; in the saturated model a
    tuple is its own only column.
    """

    start: NDArray[np.int64]
    tuples: NDArray[np.int32]
    codes: NDArray[np.int64]


class _Swaps(Walk):
    """The sensitive value of each row. The plan is the algorithm."""

    @staticmethod
    def planned(problem: Vertical, algorithm: Algorithm = "collapsed") -> Algorithm:
        return algorithm

    @staticmethod
    def scattered(
        problem: Vertical, plan: Algorithm, random: Random, seed: Seed
    ) -> tuple[NDArray[np.int32]]:
        groups, values = np.nonzero(problem.counts)
        of_row = np.repeat(values, problem.counts[groups, values]).astype(np.int32)
        kernels.shuffle(random, problem.start, of_row)
        return (of_row,)

    def deal(self, codes: NDArray[np.int64], width: int) -> None:
        """Say how the rows are counted, and count them."""
        self._dealt = _Dealt(self.problem.start, self.problem.tuples, codes)
        self.count_rows(self.latent[0], codes[self.problem.tuples], width)
        self._weight = np.empty((0, 0) if self.plan == "collapsed" else self.count.shape)

    def sweep(self, sweeps: int) -> None:
        beta, expected = self.problem.beta, self.expected.reshape(self.problem.values, -1)
        rest = self._dealt, self.count, self._weight, self.latent[0]
        kernels.sweep_swaps(self.random, beta, sweeps, *rest)
        kernels.look_swaps(beta, *rest, expected)


class SaturatedSwaps(_Swaps, Saturated):
    """Swaps in the saturated model."""

    def prepare(self) -> None:
        values, tuples = self.problem.values, self.problem.domain.codes.shape[1]
        numbers, base = self.problem.watched_numbers, np.arange(values)[:, None] * tuples
        self.at(np.where(numbers >= 0, base + numbers, -1), np.ones(values * tuples))
        self.deal(np.arange(tuples, dtype=np.int64)[:, None], tuples)


class ColumnSwaps(_Swaps, NaiveBayes):
    """Swaps under naive Bayes."""

    def prepare(self) -> None:
        super().prepare()
        codes = self.problem.domain.codes
        self.expected = np.empty((self.problem.values, codes.shape[1]))
        self.deal(self.coded(codes), int(self.population.offset[-1]))
