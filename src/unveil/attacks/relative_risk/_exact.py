"""Exact answers: in closed form for settled groups, by enumeration for small problems.

In the saturated model a group that is a single atom (see `Lumped`) leaves nothing open. If all
groups are, as with pairwise disjoint sets, the answer is p_A(s|r) = n_gs/n_g at any size. Otherwise
the problem falls into independent pieces: one for each sensitive value and each cluster of groups
whose sets overlap (horizontal), or one for each cluster of groups that share tuples (vertical). If
the pieces are small, all their states are enumerated. Under naive Bayes a sensitive value
(horizontal) or the whole release (vertical) is one piece.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from unveil.attacks.relative_risk._beliefs import Answer, Beliefs, saturated_density
from unveil.attacks.relative_risk._boxes import boxes_that_meet
from unveil.attacks.relative_risk._expectations import (
    Latent,
    Law,
    Part,
    Steps,
    TooManyError,
    Weigh,
    components,
    horizontal_latent,
    marginal,
    shares_of,
    vertical_latent,
)
from unveil.attacks.relative_risk._problem import Horizontal, Problem, Vertical

Likelihood: TypeAlias = Literal["saturated", "naive-bayes"]
LIKELIHOODS: tuple[Likelihood, ...] = get_args(Likelihood)

_STEPS = 100_000  # of enumeration: well under a second


def is_settled(problem: Problem, likelihood: Likelihood) -> bool:
    """Whether the closed form holds, so that neither sampling nor enumeration is needed."""
    if not isinstance(problem, Horizontal) or likelihood != "saturated":
        return False
    if problem.members is None:
        return _are_disjoint(problem)
    return bool(problem.lumped.is_settled.all())


def exact_answer(
    problem: Problem, likelihood: Likelihood = "saturated", *, conditional: bool = False,
    steps: int = _STEPS,
) -> Answer | None:  # fmt: skip
    """The answer about all watched tuples, or None if it takes too many steps.

    Parameters
    ----------
    problem : Horizontal or Vertical
    likelihood : {"saturated", "naive-bayes"}
    conditional : bool
        Also compute the learner of eq. 5, to about 1e-10.
    steps : int
        The most steps of enumeration. The closed form takes none.

    Examples
    --------
    >>> import unveil as uv
    >>> from unveil.attacks.relative_risk import attacker, horizontal_problem
    >>> survey = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> release = uv.read_release({"age": ["30-39", "30-39", "*"], "vote": ["a", "b", "a"]}, survey)
    >>> attacker(exact_answer(horizontal_problem(release, survey)).rows)
    array([[0.63636364, 0.63636364, 1.        ],
           [0.36363636, 0.36363636, 0.        ]])
    """
    if isinstance(problem, Horizontal) and problem.members is None:  # too many to number
        settled = is_settled(problem, likelihood)
        return _settled_answer(problem, conditional) if settled else None
    try:
        if likelihood == "naive-bayes":
            return _naive_bayes_answer(problem, conditional, Steps(steps))
        return _saturated_answer(problem, conditional, Steps(steps))
    except TooManyError:
        return None


# Saturated model ------------------------------------------------------------------------------


def _are_disjoint(problem: Horizontal) -> bool:
    """Whether no two boxes share both a tuple and a sensitive value."""
    n = len(problem.counts)
    start, _ = boxes_that_meet(problem.packed, problem.counts, np.ones(n, dtype=np.bool_), n)
    return bool((np.diff(start) == 1).all())


def _saturated_answer(problem: Problem, conditional: bool, steps: Steps) -> Answer:
    if isinstance(problem, Horizontal):
        if problem.lumped.is_settled.all():
            return _settled_answer(problem, conditional)
        place_of, size = problem.lumped.atom_of, problem.lumped.size
        latents = _horizontal_pieces(problem, steps)
    else:
        assert isinstance(problem, Vertical)
        assert problem.domain.codes is not None
        tuples = problem.domain.codes.shape[1]
        size = np.ones(tuples, dtype=np.int64)
        place_of = np.broadcast_to(np.arange(tuples, dtype=np.int32), (problem.values, tuples))
        latents = _vertical_pieces(problem, steps)
    numbers = problem.watched_numbers
    places = np.where(numbers >= 0, place_of[:, numbers], -1)
    pieces = _Pieces(problem, latents, size)
    rows = np.where(places >= 0, pieces.expected(places) / size[places], 0.0)
    shares = None
    if conditional:
        shares = shares_of([pieces.parts(column.tolist()) for column in places.T], problem.values)
    return Answer(rows=rows, density=saturated_density(problem, rows), conditional=shares)


def _settled_answer(problem: Horizontal, conditional: bool) -> Answer:
    """The closed form: every cell is a single atom."""
    there, size = atoms_of_watched(problem)
    shares = None
    if not conditional:  # in the place of what is not needed any more
        rows = np.divide(there, size, out=there)
        del size
    else:
        rows = there / size
        # Tuples of the same atoms have the same share, which is computed once.
        kinds, kind_of = np.unique(np.vstack([there, size]), axis=1, return_inverse=True)
        there_once, size_once = np.split(kinds, 2)
        parts = [
            [Part([s], np.ones(1), [[_tuple_law(problem, s, int(n), int(m))]])
             for s, (n, m) in enumerate(zip(there_once[:, w], size_once[:, w], strict=True))]
            for w in range(kinds.shape[1])
        ]  # fmt: skip
        shares = shares_of(parts, problem.values)[:, kind_of.ravel()]
    return Answer(rows=rows, density=saturated_density(problem, rows), conditional=shares)


def atoms_of_watched(problem: Horizontal) -> tuple[Beliefs, Beliefs]:
    """The number of rows in the atoms of watched tuples, if it is certain, and the atoms' sizes."""
    if problem.members is None:
        return _disjoint_boxes(problem)
    lumps, numbers = problem.lumped, problem.watched_numbers
    atom_of_cell = lumps.atoms[lumps.first] + lumps.atom_start[lumps.cells.value]
    in_atoms = np.bincount(atom_of_cell, weights=lumps.cells.rows, minlength=len(lumps.size))
    there, size = (np.empty((problem.values, len(numbers))) for _ in range(2))  # each freed alone
    for s, atom_of in enumerate(lumps.atom_of):  # a row at a time takes no memory
        atom = np.where(numbers >= 0, atom_of[numbers], -1)
        there[s] = np.where(atom >= 0, in_atoms[atom], 0.0)
        size[s] = np.where(atom >= 0, lumps.size[atom], 1)
    return there, size


def _disjoint_boxes(problem: Horizontal) -> tuple[Beliefs, Beliefs]:
    """Each box is an atom of each of its sensitive values."""
    assert problem.boxes is not None
    start, inside = problem.watched_in_boxes
    there = np.zeros((problem.values, problem.watched.shape[1]))
    size = np.ones_like(there)
    box = np.repeat(np.arange(problem.boxes.number), np.diff(start))
    # Each watched tuple in a box, with each sensitive value of the box.
    boxes, values = np.nonzero(problem.counts)
    first = np.searchsorted(boxes, np.arange(problem.boxes.number + 1))
    number = np.diff(first)[box]
    tuples, ours = np.repeat(inside, number), np.repeat(box, number)
    each = np.arange(len(tuples)) - np.repeat(np.cumsum(number) - number - first[box], number)
    there[values[each], tuples] = problem.counts[ours, values[each]]
    size[values[each], tuples] = problem.boxes.volumes[ours]
    return there, size


def _horizontal_pieces(problem: Horizontal, steps: Steps) -> list[Latent]:
    lumps = problem.lumped
    steps.check(int((lumps.last - lumps.first)[~lumps.is_settled].sum()))
    rows_of, value_start = lumps.cells.rows, lumps.cells.value_start
    sets = [lumps.of_cell(cell) for cell in range(len(rows_of))]
    weigh = _pochhammer(problem.beta * lumps.size)
    open_cells = ~lumps.is_settled
    latents = []
    for s in range(problem.values):
        cells = range(value_start[s], value_start[s + 1])
        for heap in components([sets[i] for i in cells]):
            ours = [cells[i] for i in heap]
            rows = [int(rows_of[i]) for i in ours]
            if not open_cells[ours].any():  # all rows are in one atom
                certain = np.array([[[sum(rows)]]], dtype=np.int64)
                latents.append(Latent(np.array([s]), sets[ours[0]], certain, np.ones(1)))
            else:
                latents.append(horizontal_latent(s, rows, [sets[i] for i in ours], weigh, steps))
    return latents


def _vertical_pieces(problem: Vertical, steps: Steps) -> list[Latent]:
    steps.check(len(problem.tuples))
    groups = _groups_of(problem)
    weigh = _pochhammer(np.full(int(problem.tuples.max()) + 1, problem.beta))
    return [
        vertical_latent(problem.values, [groups[i] for i in heap], weigh, steps)
        for heap in components([members for members, _ in groups])
    ]


def _pochhammer(weights: NDArray[np.floating]) -> Weigh:
    """The weight of counts with π integrated out: Γ(w + n) / Γ(w) for every place."""

    def weigh(counts: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.float64]:
        here = weights[places]
        return (gammaln(here + counts) - gammaln(here)).sum(axis=(1, 2))

    return weigh


class _Pieces:
    """Independent pieces of the latent rows, by place (tuple or atom)."""

    def __init__(self, problem: Problem, latents: list[Latent], size: NDArray[np.int64]) -> None:
        self._problem, self._latents, self._size = problem, latents, size
        self._where = {
            (s, place): (i, k)
            for i, latent in enumerate(latents)
            for s in latent.values.tolist()
            for k, place in enumerate(latent.places.tolist())
        }

    def expected(self, places: NDArray[np.integer]) -> Beliefs:
        """Expected numbers of rows: sensitive values × places (-1: none)."""
        found = np.zeros((self._problem.values, len(self._size)))
        for latent in self._latents:
            found[np.ix_(latent.values, latent.places)] = latent.expected()
        return found[np.arange(self._problem.values)[:, None], places]

    def parts(self, places: list[int]) -> list[Part]:
        """The parts of a tuple at these places, one place per sensitive value."""
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
    """The law of the share of one tuple, given the rows in its atom and the atom's size."""
    beta, total = problem.beta, int(problem.totals[s])
    betas = [
        (beta * size + rows, beta * (problem.domain.size - size) + total - rows),
        (beta, beta * (size - 1)),
    ]
    return float(problem.alpha[s]) + total, tuple((a, b) for a, b in betas if b > 0)


def _groups_of(problem: Vertical) -> list[tuple[NDArray[np.int32], NDArray[np.int64]]]:
    """The tuples and the counts by sensitive value of each group."""
    ends = zip(problem.start[:-1], problem.start[1:], problem.counts, strict=True)
    return [(problem.tuples[a:b], counts) for a, b, counts in ends]


# Naive Bayes ----------------------------------------------------------------------------------


def _naive_bayes_answer(problem: Problem, conditional: bool, steps: Steps) -> Answer:
    assert problem.domain.codes is not None
    weigh = _ColumnWeight(problem)
    if isinstance(problem, Horizontal):
        assert problem.members is not None
        start, members = problem.members
        steps.check(int(((problem.counts > 0).sum(axis=1) * np.diff(start)).sum()))
        latents = []
        for s in np.flatnonzero(problem.totals):
            active = np.flatnonzero(problem.counts[:, s])
            sets = [members[start[g] : start[g + 1]] for g in active]
            rows = problem.counts[active, s].tolist()
            latents.append(horizontal_latent(int(s), rows, sets, weigh, steps))
    else:
        assert isinstance(problem, Vertical)
        steps.check(len(problem.tuples))
        latents = [vertical_latent(problem.values, _groups_of(problem), weigh, steps)]
    rows = np.zeros((problem.values, problem.watched.shape[1]))
    density = np.empty_like(rows)
    density[:] = np.prod(1.0 / problem.domain.sizes)  # for values that no row has
    unseen = set(range(problem.values)).difference(*(latent.values.tolist() for latent in latents))
    of_tuples: list[list[Part]] = []
    numbers = problem.watched_numbers
    for latent in latents:
        rows[latent.values] = _expected_at(latent, numbers)
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


def _expected_at(latent: Latent, numbers: NDArray[np.int64]) -> Beliefs:
    """Expected numbers of rows with tuples, given by their numbers (-1: none)."""
    place = {number: k for k, number in enumerate(latent.places.tolist())}
    at = np.array([place.get(number, -1) for number in numbers.tolist()], dtype=np.int64)
    return np.where(at >= 0, latent.expected()[:, at], 0.0)


class _ColumnWeight:
    """The weights of counts under naive Bayes: the product over the columns."""

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
        """The number of rows that share each code of a tuple: states × values × columns."""
        same = self._codes[:, latent.places] == codes[:, None]
        return np.einsum("kvp,cp->kvc", latent.counts, same.astype(np.int64))

    def density(self, counts: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.float64]:
        """E[f(r | s, π)] given the numbers of rows that share the codes of r."""
        whole = self._problem.beta * self._problem.domain.sizes + self._problem.totals[values, None]
        return ((self._problem.beta + counts) / whole).prod(axis=2)

    def law(self, s: int, counts: list[int]) -> Law:
        """The law of the share of a tuple, given the numbers of rows that share its codes."""
        beta, total = self._problem.beta, int(self._problem.totals[s])
        betas = [
            (beta + n, beta * (int(size) - 1) + total - n)
            for n, size in zip(counts, self._problem.domain.sizes, strict=True)
        ]
        return float(self._problem.alpha[s]) + total, tuple((a, b) for a, b in betas if b > 0)
