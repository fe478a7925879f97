"""Exact answers under naive Bayes: everything that may be behind a small release, written down."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from unveil.attacks.relative_risk._answer import Answer, Table
from unveil.attacks.relative_risk._latent import Budget, Latent, horizontal_latent, vertical_latent
from unveil.attacks.relative_risk._pieces import groups_of, marginal, shares_of
from unveil.attacks.relative_risk._problem import Horizontal, Problem, Vertical
from unveil.attacks.relative_risk._ratio import Law, Part

__all__ = ["naive_bayes_answer"]


def naive_bayes_answer(problem: Problem, conditional: bool, budget: Budget) -> Answer:
    assert problem.domain.codes is not None
    weigh = _ColumnWeight(problem)
    if isinstance(problem, Horizontal):
        assert problem.members is not None
        start, members = problem.members
        budget.check(int(((problem.counts > 0).sum(axis=1) * np.diff(start)).sum()))
        latents = []
        for s in np.flatnonzero(problem.totals):
            active = np.flatnonzero(problem.counts[:, s])
            sets = [members[start[g] : start[g + 1]] for g in active]
            rows = problem.counts[active, s].tolist()
            latents.append(horizontal_latent(int(s), rows, sets, weigh, budget))
    else:
        assert isinstance(problem, Vertical)
        budget.check(len(problem.tuples))
        latents = [vertical_latent(problem.values, groups_of(problem), weigh, budget)]
    rows = np.zeros((problem.values, problem.watched.shape[1]))
    density = np.empty_like(rows)
    density[:] = np.prod(1.0 / problem.domain.sizes)  # of values that no row has
    unseen = set(range(problem.values)).difference(*(latent.values.tolist() for latent in latents))
    of_tuples: list[list[Part]] = []
    numbers = problem.watched_numbers
    for latent in latents:
        rows[latent.values] = _at(latent, numbers)
    for w, tuple_codes in enumerate(problem.watched.T):
        none = [0] * len(tuple_codes)
        parts = [Part([s], np.ones(1), [[weigh.law(s, none)]]) for s in sorted(unseen)]
        for latent in latents:
            shared = weigh.sharing(latent, tuple_codes)
            counts, probabilities = marginal(shared.reshape(len(shared), -1), latent.probabilities)
            counts = counts.reshape(-1, *shared.shape[1:])
            density[latent.values, w] = probabilities @ weigh.density(counts, latent.values)
            values = latent.values.tolist()
            if conditional:
                laws = [[weigh.law(v, n.tolist()) for v, n in zip(values, state, strict=True)]
                        for state in counts]  # fmt: skip
                parts.append(Part(values, probabilities, laws))
        of_tuples.append(parts)
    shares = shares_of(of_tuples, problem.values) if conditional else None
    return Answer(rows=rows, density=density, conditional=shares)


def _at(latent: Latent, numbers: NDArray[np.int64]) -> Table:
    """How many rows are to be expected at tuples, by their numbers (-1: none)."""
    place = {number: k for k, number in enumerate(latent.places.tolist())}
    at = np.array([place.get(number, -1) for number in numbers.tolist()], dtype=np.int64)
    return np.where(at >= 0, latent.expected()[:, at], 0.0)


class _ColumnWeight:
    """The weights of counts under naive Bayes: those of every column's counts, multiplied."""

    def __init__(self, problem: Problem) -> None:
        assert problem.domain.codes is not None
        self._codes, self._problem = problem.domain.codes, problem

    def __call__(self, counts: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.float64]:
        beta, found = self._problem.beta, np.zeros(len(counts))
        for row in self._codes[:, places]:
            for code in np.unique(row):
                with_code = counts[:, :, row == code].sum(axis=2)
                found += (gammaln(beta + with_code) - gammaln(beta)).sum(axis=1)
        return found

    def sharing(self, latent: Latent, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """How many rows share each column's code with a tuple: states × values × columns."""
        same = self._codes[:, latent.places] == codes[:, None]
        return np.einsum("kvp,cp->kvc", latent.counts, same.astype(np.int64))

    def density(self, counts: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.float64]:
        """E[f(r | s, π)] given how many rows share the codes of r."""
        whole = self._problem.beta * self._problem.domain.sizes + self._problem.totals[values, None]
        return ((self._problem.beta + counts) / whole).prod(axis=2)

    def law(self, s: int, counts: list[int]) -> Law:
        """Of the share of a tuple, where so many rows share each of its codes."""
        beta, total = self._problem.beta, int(self._problem.totals[s])
        betas = [
            (beta + n, beta * (int(size) - 1) + total - n)
            for n, size in zip(counts, self._problem.domain.sizes, strict=True)
        ]
        return float(self._problem.alpha[s]) + total, tuple((a, b) for a, b in betas if b > 0)
