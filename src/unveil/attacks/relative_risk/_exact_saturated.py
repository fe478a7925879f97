"""Exact answers under the saturated model: in closed form, or piece by piece."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from unveil.attacks.relative_risk._answer import Answer, Table, saturated_density
from unveil.attacks.relative_risk._boxes import boxes_that_meet
from unveil.attacks.relative_risk._domain import Domain, members_of
from unveil.attacks.relative_risk._latent import (
    Budget,
    Latent,
    components,
    horizontal_latent,
    vertical_latent,
)
from unveil.attacks.relative_risk._pieces import groups_of, marginal, shares_of
from unveil.attacks.relative_risk._problem import Horizontal, Problem, Vertical
from unveil.attacks.relative_risk._ratio import Law, Part

__all__ = ["are_disjoint", "atoms_of_watched", "saturated_answer", "settled_answer"]


def are_disjoint(problem: Horizontal) -> bool:
    """Whether no two boxes share both a tuple and a sensitive value."""
    assert problem.boxes is not None
    everybody = np.ones(len(problem.boxes), dtype=np.bool_)
    start, _ = boxes_that_meet(problem.boxes, problem.counts, everybody, len(problem.boxes))
    return bool((np.diff(start) == 1).all())


def saturated_answer(problem: Problem, conditional: bool, budget: Budget) -> Answer:
    if isinstance(problem, Horizontal):
        if problem.lumped.is_settled.all():
            return settled_answer(problem, conditional)
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
        shares = shares_of([pieces.parts(column.tolist()) for column in places.T], problem.values)
    return Answer(rows=rows, density=saturated_density(problem, rows), conditional=shares)


def settled_answer(problem: Horizontal, conditional: bool) -> Answer:
    """The closed form: every cell is a single atom."""
    return _closed(problem, *atoms_of_watched(problem), conditional)


def atoms_of_watched(problem: Horizontal) -> tuple[Table, Table]:
    """How many rows are in the atoms of watched tuples, if that is certain, and their sizes."""
    if problem.members is None:
        return _disjoint_boxes(problem)
    lumps, numbers = problem.lumped, problem.watched_numbers
    cells = lumps.atoms[lumps.first] + lumps.atom_start[lumps.value]
    in_atoms = np.bincount(cells, weights=lumps.rows, minlength=len(lumps.size))
    atom = np.where(numbers >= 0, lumps.atom_of[:, numbers], -1)
    there = np.where(atom >= 0, in_atoms[atom], 0.0)
    return there, np.where(atom >= 0, lumps.size[atom], 1).astype(np.float64)


def _disjoint_boxes(problem: Horizontal) -> tuple[Table, Table]:
    """Each box is an atom of the sensitive values that it has."""
    assert problem.boxes is not None
    boxes, watched = problem.boxes, problem.watched
    sizes = problem.domain.sizes
    asked = Domain(name="covered", sizes=sizes, size=watched.shape[1], codes=watched)
    start, inside = members_of(boxes, asked)
    there = np.zeros((problem.values, watched.shape[1]))
    size = np.ones_like(there)
    box = np.repeat(np.arange(len(boxes)), np.diff(start))
    for s in range(problem.values):
        ours = problem.counts[box, s] > 0
        there[s, inside[ours]] = problem.counts[box[ours], s]
        size[s, inside[ours]] = boxes.volumes[box[ours]]
    return there, size


def _closed(
    problem: Problem, there: Table, size: NDArray[np.floating], conditional: bool
) -> Answer:
    """From how many rows are in the atoms of watched tuples, and how large these are."""
    rows = there / size
    shares = None
    if conditional:
        # Tuples of the same atoms are alike: once for all of them.
        kinds, kind_of = np.unique(np.vstack([there, size]), axis=1, return_inverse=True)
        there_once, size_once = np.split(kinds, 2)
        parts = [
            [Part([s], np.ones(1), [[_tuple_law(problem, s, int(n), int(m))]])
             for s, (n, m) in enumerate(zip(there_once[:, w], size_once[:, w], strict=True))]
            for w in range(kinds.shape[1])
        ]  # fmt: skip
        shares = shares_of(parts, problem.values)[:, kind_of.ravel()]
    return Answer(rows=rows, density=saturated_density(problem, rows), conditional=shares)


def _horizontal_pieces(problem: Horizontal, budget: Budget) -> list[Latent]:
    lumps = problem.lumped
    budget.check(int((lumps.last - lumps.first)[~lumps.is_settled].sum()))
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
    budget.check(len(problem.tuples))
    groups = groups_of(problem)
    weigh = _Pochhammer(np.full(int(problem.tuples.max()) + 1, problem.beta))
    return [
        vertical_latent(problem.values, [groups[i] for i in heap], weigh, budget)
        for heap in components([members for members, _ in groups])
    ]


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
            counts, probabilities = marginal(latent.counts[:, :, k], latent.probabilities)
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
