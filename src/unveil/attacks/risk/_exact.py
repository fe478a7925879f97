"""Exact answers, where there is one: settled groups in closed form, small problems by enumeration.

In the saturated model a group that is a single atom (see `Lumped`) leaves nothing open, and where
all of them are, as with pairwise disjoint sets, the answer is p_A(s|r) = n_gs/n_g at any size.
What is left falls apart into pieces that have nothing to do with each other: one for each sensitive
value and each heap of groups that hang together by their sets (horizontal), one for each heap of
groups that share tuples (vertical). If they are small, everything that may be is written down.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from unveil.attacks.risk._answer import Answer, Table, saturated_density
from unveil.attacks.risk._boxes import boxes_that_meet
from unveil.attacks.risk._domain import Domain, members_of
from unveil.attacks.risk._latent import (
    Budget,
    Latent,
    TooManyError,
    components,
    horizontal_latent,
    vertical_latent,
)
from unveil.attacks.risk._problem import Horizontal, Problem, Vertical
from unveil.attacks.risk._ratio import Law, Part, Ratios
from unveil.errors import InputError, did_you_mean

__all__ = ["LIKELIHOODS", "Likelihood", "checked_likelihood", "exact_answer", "is_settled"]

Likelihood: TypeAlias = Literal["saturated", "naive-bayes"]
LIKELIHOODS: tuple[Likelihood, ...] = get_args(Likelihood)

_STEPS = 100_000  # of enumeration: well under a second


def checked_likelihood(name: str) -> Likelihood:
    """The name of a likelihood, if it is one."""
    for known in LIKELIHOODS:
        if name == known:
            return known
    raise InputError(
        f"likelihood must be 'saturated' or 'naive-bayes', but got {name!r}"
        f"{did_you_mean(str(name), LIKELIHOODS)}"
    )


def is_settled(problem: Problem, likelihood: Likelihood) -> bool:
    """Whether the closed form holds: no sampling, no enumeration."""
    if not isinstance(problem, Horizontal) or likelihood != "saturated":
        return False
    if problem.members is None:
        return _are_disjoint(problem)
    return bool(problem.lumped.is_settled.all())


def _are_disjoint(problem: Horizontal) -> bool:
    """Whether no two boxes share both a tuple and a sensitive value."""
    assert problem.boxes is not None
    everybody = np.ones(len(problem.boxes), dtype=np.bool_)
    start, _ = boxes_that_meet(problem.boxes, problem.counts, everybody, len(problem.boxes))
    return bool((np.diff(start) == 1).all())


def exact_answer(
    problem: Problem, likelihood: Likelihood = "saturated", *, conditional: bool = False,
    steps: int = _STEPS,
) -> Answer | None:  # fmt: skip
    """The answer about all watched tuples, or None if it takes more than so many steps.

    Parameters
    ----------
    problem : Horizontal or Vertical
    likelihood : {"saturated", "naive-bayes"}
    conditional : bool
        Whether the learner of eq. 5 is wanted, too, exact to about 1e-10.
    steps : int
        How much may be written down. The closed form takes none.

    Examples
    --------
    >>> import unveil as uv
    >>> from unveil.attacks.risk import attacker, horizontal_problem
    >>> survey = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> release = uv.read_release({"age": ["30-39", "30-39", "*"], "vote": ["a", "b", "a"]}, survey)
    >>> attacker(exact_answer(horizontal_problem(release, survey)).rows)
    array([[0.63636364, 0.63636364, 1.        ],
           [0.36363636, 0.36363636, 0.        ]])
    """
    if isinstance(problem, Horizontal) and problem.members is None:  # too many to be numbered
        settled = is_settled(problem, likelihood)
        return _disjoint(problem, conditional) if settled else None
    try:
        if likelihood == "naive-bayes":
            return _naive_bayes(problem, conditional, Budget(steps))
        return _saturated(problem, conditional, Budget(steps))
    except TooManyError:
        return None


# The saturated model --------------------------------------------------------------------------


def _saturated(problem: Problem, conditional: bool, budget: Budget) -> Answer:
    if isinstance(problem, Horizontal):
        place_of, size = problem.lumped.atom_of, problem.lumped.size
        latents = _horizontal_pieces(problem, budget)
    else:
        assert isinstance(problem, Vertical)
        assert problem.domain.codes is not None
        tuples = problem.domain.codes.shape[1]
        size = np.ones(tuples, dtype=np.int64)
        place_of = np.broadcast_to(np.arange(tuples, dtype=np.int32), (problem.values, tuples))
        latents = _vertical_pieces(problem, budget)
    numbers = problem.watched_numbers
    places = np.where(numbers >= 0, place_of[:, numbers], -1)
    pieces = _Pieces(problem, latents, size)
    rows = np.where(places >= 0, pieces.expected(places) / size[places], 0.0)
    shares = None
    if conditional:
        shares = _shares([pieces.parts(column.tolist()) for column in places.T], problem.values)
    return Answer(rows=rows, density=saturated_density(problem, rows), conditional=shares)


def _disjoint(problem: Horizontal, conditional: bool) -> Answer:
    """The closed form for boxes: each is an atom of the sensitive values that it has."""
    assert problem.boxes is not None
    boxes, watched = problem.boxes, problem.watched
    volume = np.concatenate([boxes.volumes, [1.0]])  # of no box at all, for the last
    asked = Domain(name="covered", sizes=problem.domain.sizes, size=watched.shape[1], codes=watched)
    start, inside = members_of(boxes, asked)
    box = np.full((problem.values, watched.shape[1]), -1, dtype=np.int64)
    for g in range(len(boxes)):
        for s in np.flatnonzero(problem.counts[g]):
            box[s, inside[start[g] : start[g + 1]]] = g
    counts = np.vstack([problem.counts, np.zeros_like(problem.counts[:1])])
    there = counts[box, np.arange(problem.values)[:, None]]
    rows = there / volume[box]
    shares = None
    if conditional:
        shares = _shares(
            [
                [
                    Part([s], np.ones(1), [[_tuple_law(problem, s, int(n), int(size))]])
                    for s, (n, size) in enumerate(zip(there[:, w], volume[box[:, w]], strict=True))
                ]
                for w in range(watched.shape[1])
            ],
            problem.values,
        )
    return Answer(rows=rows, density=saturated_density(problem, rows), conditional=shares)


def _horizontal_pieces(problem: Horizontal, budget: Budget) -> list[Latent]:
    lumps = problem.lumped
    sets = [lumps.of_cell(cell) for cell in range(len(lumps.rows))]
    weigh = _Pochhammer(problem.beta * lumps.size)
    open_cells = ~lumps.is_settled
    latents = []
    for s in range(problem.values):
        cells = range(lumps.value_start[s], lumps.value_start[s + 1])
        for heap in components([sets[i] for i in cells]):
            ours = [cells[i] for i in heap]
            rows = [int(lumps.rows[i]) for i in ours]
            if not open_cells[ours].any():  # all in one atom
                latents.append(_certain(s, sets[ours[0]], sum(rows)))
            else:
                latents.append(horizontal_latent(s, rows, [sets[i] for i in ours], weigh, budget))
    return latents


def _certain(value: int, atom: NDArray[np.int64], rows: int) -> Latent:
    counts = np.array([[[rows]]], dtype=np.int64)
    return Latent(np.array([value]), atom, counts, np.ones(1))


def _vertical_pieces(problem: Vertical, budget: Budget) -> list[Latent]:
    groups = _groups(problem)
    weigh = _Pochhammer(np.full(int(problem.tuples.max()) + 1, problem.beta))
    return [
        vertical_latent(problem.values, [groups[i] for i in heap], weigh, budget)
        for heap in components([members for members, _ in groups])
    ]


def _groups(problem: Vertical) -> list[tuple[NDArray[np.int32], NDArray[np.int64]]]:
    ends = zip(problem.start[:-1], problem.start[1:], problem.counts, strict=True)
    return [(problem.tuples[a:b], counts) for a, b, counts in ends]


class _Pochhammer:
    """The weight of counts with π integrated out: Γ(w + n) / Γ(w) for every place."""

    def __init__(self, weights: NDArray[np.floating]) -> None:
        self._weights = weights

    def __call__(self, counts: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.float64]:
        weights = self._weights[places]
        return (gammaln(weights + counts) - gammaln(weights)).sum(axis=(1, 2))


class _Pieces:
    """Independent pieces of the latent rows, to be asked about places (tuples or atoms)."""

    def __init__(self, problem: Problem, latents: list[Latent], size: NDArray[np.int64]) -> None:
        self._problem, self._latents, self._size = problem, latents, size
        self._where = {
            (s, place): (i, k)
            for i, latent in enumerate(latents)
            for s in latent.values.tolist()
            for k, place in enumerate(latent.places.tolist())
        }

    def expected(self, places: NDArray[np.integer]) -> Table:
        """How many rows are to be expected: sensitive values × places (-1: none)."""
        found = np.zeros((self._problem.values, len(self._size)))
        for latent in self._latents:
            found[np.ix_(latent.values, latent.places)] = latent.expected()
        return found[np.arange(self._problem.values)[:, None], places]

    def parts(self, places: list[int]) -> list[Part]:
        """What may be of a tuple that is at these places, one for each sensitive value."""
        parts, done = [], set()
        for s, place in enumerate(places):
            if s in done:
                continue
            if (s, place) not in self._where:
                parts.append(Part([s], np.ones(1), [[_tuple_law(self._problem, s, 0, 1)]]))
                continue
            i, k = self._where[s, place]
            latent = self._latents[i]
            values = latent.values.tolist()
            done.update(values)
            counts, probabilities = _marginal(latent.counts[:, :, k], latent.probabilities)
            size = int(self._size[place])
            laws = [
                [_tuple_law(self._problem, v, n, size) for v, n in zip(values, row, strict=True)]
                for row in counts.tolist()
            ]
            parts.append(Part(values, probabilities, laws))
        return parts


def _tuple_law(problem: Problem, s: int, rows: int, size: int) -> Law:
    """Of the share of one tuple, where so many rows are in its atom of this size."""
    beta, total = problem.beta, int(problem.totals[s])
    betas = [
        (beta * size + rows, beta * (problem.domain.size - size) + total - rows),
        (beta, beta * (size - 1)),
    ]
    return float(problem.alpha[s]) + total, tuple((a, b) for a, b in betas if b > 0)


def _marginal(
    counts: NDArray[np.int64], probabilities: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    distinct, which = np.unique(counts, axis=0, return_inverse=True)
    return distinct, np.bincount(which.ravel(), weights=probabilities).astype(np.float64)


def _shares(of_tuples: list[list[Part]], values: int) -> Table:
    """E[f(s | r, π)] of each tuple."""
    laws = {
        law for parts in of_tuples for part in parts for state in part.laws for law in state
    }  # fmt: skip
    if not of_tuples:
        return np.zeros((values, 0))
    ratios = Ratios(laws)
    known: dict[object, NDArray[np.float64]] = {}
    found = []
    for parts in of_tuples:
        key = tuple(
            (tuple(p.values), p.probabilities.tobytes(), tuple(map(tuple, p.laws))) for p in parts
        )
        if key not in known:
            known[key] = ratios.of(parts, values)
        found.append(known[key])
    return np.stack(found, axis=1)


# Naive Bayes ----------------------------------------------------------------------------------


def _naive_bayes(problem: Problem, conditional: bool, budget: Budget) -> Answer:
    assert problem.domain.codes is not None
    weigh = _ColumnWeight(problem)
    if isinstance(problem, Horizontal):
        assert problem.members is not None
        start, members = problem.members
        latents = []
        for s in np.flatnonzero(problem.totals):
            active = np.flatnonzero(problem.counts[:, s])
            sets = [members[start[g] : start[g + 1]] for g in active]
            rows = problem.counts[active, s].tolist()
            latents.append(horizontal_latent(int(s), rows, sets, weigh, budget))
    else:
        assert isinstance(problem, Vertical)
        latents = [vertical_latent(problem.values, _groups(problem), weigh, budget)]
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
            counts, probabilities = _marginal(shared.reshape(len(shared), -1), latent.probabilities)
            counts = counts.reshape(-1, *shared.shape[1:])
            density[latent.values, w] = probabilities @ weigh.density(counts, latent.values)
            values = latent.values.tolist()
            if conditional:
                laws = [[weigh.law(v, n.tolist()) for v, n in zip(values, state, strict=True)]
                        for state in counts]  # fmt: skip
                parts.append(Part(values, probabilities, laws))
        of_tuples.append(parts)
    shares = _shares(of_tuples, problem.values) if conditional else None
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
