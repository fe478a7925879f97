"""What samplers share: the state of a chain, how it continues, and what is recorded.

A sampler is a kind of `Walk`: it scatters the latent rows, draws them anew in place, and says what
is then expected. Everything else is the same for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._beliefs import Answer, Beliefs, saturated_density
from unveil.attacks.relative_risk._boxes import starts
from unveil.attacks.relative_risk._problem import Problem
from unveil.attacks.relative_risk.samplers import _kernels as kernels

Algorithm: TypeAlias = Literal["collapsed", "gibbs"]
ALGORITHMS: tuple[Algorithm, ...] = get_args(Algorithm)

Draws: TypeAlias = Literal["none", "panel", "watched"]
"""The tuples for which f(s | r, π) is drawn whenever the state is recorded."""

Random: TypeAlias = NDArray[np.uint64]
"""The four words of a chain's random state."""

Seed: TypeAlias = int | np.random.SeedSequence


@dataclass(frozen=True, eq=False, kw_only=True)
class Info:
    """What some sweeps of a chain have shown.

    Attributes
    ----------
    kept : int
        The number of recorded states.
    sweeps : int
        The number of sweeps.
    answer : Answer
        Means over the recorded states, for all watched tuples. ``answer.conditional`` is None
        unless f(s | r, π) was drawn for all of them.
    rows, density : arrays (recorded × sensitive values × panel)
        Traces of the panel: the expected number of rows, and E[f(r | s, π)], given the state.
    conditional : array (recorded × sensitive values × panel), optional
        f(s | r, π) of a π drawn given the state, if it was requested.
    """

    kept: int
    sweeps: int
    answer: Answer
    rows: NDArray[np.float64]
    density: NDArray[np.float64]
    conditional: NDArray[np.float64] | None


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """A chain between two calls of `advance`.

    Attributes
    ----------
    walk : type of Walk
    plan : object
        What the walk has prepared, once for all sweeps.
    latent : tuple of arrays
        The latent rows, in the walk's own form.
    random : array
    """

    walk: type[Walk]
    plan: Any
    latent: tuple[NDArray[Any], ...]
    random: Random


def begin(
    walk: type[Walk], algorithm: Algorithm, problem: Any, seed: Seed, plan: Any = None
) -> State:
    """A chain whose latent rows are scattered at random; the plan is made unless it is given."""
    plan, random = plan or walk.planned(problem, algorithm), random_state(seed)
    latent = walk.scattered(problem, plan, random, seed)
    return State(walk=walk, plan=plan, latent=latent, random=random)


def advance(
    problem: Any, state: State, *, kept: int, thin: int = 1, conditional: Draws = "none"
) -> tuple[State, Info]:
    """Sweep ``kept`` × ``thin`` times, and record the state after every ``thin`` sweeps."""
    latent, random = tuple(one.copy() for one in state.latent), state.random.copy()
    walk = state.walk(problem, state.plan, latent, random)
    everyone = np.arange(problem.watched.shape[1])
    shape = (kept, problem.values, len(problem.panel))
    rows, density = np.empty(shape), np.empty(shape)
    drawn = None if conditional == "none" else np.empty(shape)
    shares = np.zeros((problem.values, len(everyone))) if conditional == "watched" else None
    for i in range(kept):
        walk.sweep(thin)
        rows[i], density[i] = walk.look()
        if shares is not None and drawn is not None:
            now = walk.draw(everyone)
            shares += now
            drawn[i] = now[:, problem.panel]
        elif drawn is not None:
            drawn[i] = walk.draw(problem.panel)
    mean_rows, mean_density = walk.means(kept)
    answer = Answer(rows=mean_rows, density=mean_density,
                    conditional=None if shares is None else shares / kept)  # fmt: skip
    info = Info(kept=kept, sweeps=kept * thin, answer=answer, rows=rows, density=density,
                conditional=drawn)  # fmt: skip
    return replace(state, latent=latent, random=random), info


def seed_sequence(seed: Seed) -> np.random.SeedSequence:
    """A seed in numpy's form."""
    return seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)


def random_state(seed: Seed) -> Random:
    """The random state at the start of a chain."""
    return seed_sequence(seed).generate_state(4, np.uint64).astype(np.uint64)


class _Population(NamedTuple):
    """The posterior of π, for kernels that draw from it.

    Attributes
    ----------
    weight : array
        α plus the number of rows of each sensitive value.
    beta, tuples : float
        β, and the size of the domain.
    totals : array
        The number of rows of each sensitive value.
    offset : array
        Where each column begins in a list of the values of all columns.
    """

    weight: NDArray[np.float64]
    beta: float
    tuples: float
    totals: NDArray[np.float64]
    offset: NDArray[np.int64]


def _population_of(problem: Problem) -> _Population:
    return _Population(
        weight=problem.alpha + problem.totals, beta=problem.beta,
        tuples=float(problem.domain.size), totals=problem.totals.astype(np.float64),
        offset=starts(problem.domain.sizes),
    )  # fmt: skip


def draw_population(
    problem: Problem, there: NDArray[np.float64], size: NDArray[np.float64], seed: int, draws: int
) -> NDArray[np.float64]:
    """Draws of f(s | r, π) of one tuple, given the rows in its atoms and the atoms' sizes."""
    random, found = random_state(seed), np.empty((draws, problem.values, 1))
    place = np.arange(problem.values, dtype=np.int64)[:, None]
    population = _population_of(problem)
    for one in found:
        kernels.draw_conditional(random, population, place, size, there, one)
    return found[:, :, 0]


class Walk:
    """Latent rows in progress; ``latent`` and ``random`` are changed in place.

    ``count`` is the number of rows at each place, and ``expected`` the expected one given the
    state; what a place is depends on the model.
    """

    count: NDArray[np.int64]
    expected: NDArray[np.float64]

    def __init__(
        self, problem: Any, plan: Any, latent: tuple[NDArray[Any], ...], random: Random
    ) -> None:
        self.problem, self.plan, self.latent, self.random = problem, plan, latent, random
        self.population = _population_of(problem)
        self.prepare()

    @staticmethod
    def planned(problem: Any, algorithm: Algorithm) -> Any:
        """What is the same for all chains and sweeps."""
        raise NotImplementedError

    @staticmethod
    def scattered(problem: Any, plan: Any, random: Random, seed: Seed) -> tuple[NDArray[Any], ...]:
        """Latent rows to begin with."""
        raise NotImplementedError

    def prepare(self) -> None:
        """Make the arrays that sweeps change."""
        raise NotImplementedError

    def sweep(self, sweeps: int) -> None:
        """Draw all rows anew, ``sweeps`` times, and find what is then expected."""
        raise NotImplementedError

    def look(self) -> tuple[Beliefs, Beliefs]:
        """The expected rows of the panel, and E[f(r | s, π)], given the state; they are noted."""
        raise NotImplementedError

    def draw(self, some: NDArray[np.integer]) -> Beliefs:
        """f(s | r, π) of some of the watched tuples, with π drawn given the state."""
        raise NotImplementedError

    def means(self, kept: int) -> tuple[Beliefs, Beliefs]:
        """The means of what was noted, for all watched tuples."""
        raise NotImplementedError

    def rows_there(self) -> NDArray[np.float64]:
        """The number of rows at each place."""
        return self.count.astype(np.float64)

    def count_rows(
        self, secrets: NDArray[np.integer], places: NDArray[np.int64], width: int
    ) -> None:
        """Count the rows at their places (rows × columns), by sensitive value."""
        flat, shape = secrets[:, None] * np.int64(width) + places, (self.problem.values, width)
        found = np.bincount(flat.ravel(), minlength=self.problem.values * width)
        self.count = found.astype(np.int64).reshape(shape)


class Saturated(Walk):
    """A walk in the saturated model, in which a place is an atom or a tuple.

    ``place`` (sensitive values × watched tuples) is that of a watched tuple, -1 if no row can have
    it. ``size`` is the number of tuples at each place.
    """

    def at(self, place: NDArray[np.integer], size: NDArray[Any]) -> None:
        """Say where the watched tuples are."""
        # Sums over sensitive values depend on the memory layout, in their last digit.
        self.place = np.ascontiguousarray(place, dtype=np.int64)
        self.size = size.astype(np.float64)
        self._panel = self._sized(self.place[:, self.problem.panel])
        self.expected, self._sums = np.empty(len(size)), np.zeros(len(size))

    def look(self) -> tuple[Beliefs, Beliefs]:
        self._sums += self.expected
        return self._shared_out(self.expected, *self._panel)

    def draw(self, some: NDArray[np.integer]) -> Beliefs:
        place, there = np.ascontiguousarray(self.place[:, some]), self.rows_there().ravel()
        found = np.empty(place.shape)
        kernels.draw_conditional(self.random, self.population, place, self.size, there, found)
        return found

    def means(self, kept: int) -> tuple[Beliefs, Beliefs]:
        return self._shared_out(self._sums / kept, *self._sized(self.place))

    def _sized(self, place: NDArray[np.int64]) -> tuple[NDArray[np.int64], Beliefs]:
        """Places and their sizes, which are infinite where there are no rows."""
        return place, np.where(place >= 0, self.size[place], np.inf)

    def _shared_out(
        self, expected: NDArray[np.float64], place: NDArray[np.int64], size: Beliefs
    ) -> tuple[Beliefs, Beliefs]:
        """The tuples at one place have equal shares of its rows."""
        rows = expected[place] / size
        return rows, saturated_density(self.problem, rows)


class NaiveBayes(Walk):
    """A walk under naive Bayes, in which places are the values of all columns.

    ``count`` is sensitive values × values, and ``expected`` sensitive values × tuples.
    """

    def prepare(self) -> None:
        self.watched = self.coded(self.problem.watched)
        shape = (3, self.problem.values, len(self.watched))
        self._rows, self._density, self._now = np.zeros(shape)

    def coded(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """Tuples (columns × tuples) as positions in a list of the values of all columns."""
        return np.ascontiguousarray(codes.T + self.population.offset[:-1], dtype=np.int64)

    def look(self) -> tuple[Beliefs, Beliefs]:
        numbers, panel = self.problem.watched_numbers, self.problem.panel
        rows = np.where(numbers >= 0, self.expected[:, numbers], 0.0)
        kernels.look_columns(self.population, self.watched, self.rows_there(), self._now)
        self._rows += rows
        self._density += self._now
        return rows[:, panel], self._now[:, panel]

    def draw(self, some: NDArray[np.integer]) -> Beliefs:
        codes, there = self.watched[some], self.rows_there()
        found = np.empty((self.problem.values, len(codes)))
        kernels.draw_conditional_columns(self.random, self.population, codes, there, found)
        return found

    def means(self, kept: int) -> tuple[Beliefs, Beliefs]:
        return self._rows / kept, self._density / kept
