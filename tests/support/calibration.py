"""Simulation-based calibration, after Talts, Betancourt, Simpson, Vehtari and Gelman (2018).

A population is drawn from the prior, a table from the population, and the table is published in a
way that was fixed in advance. Then truth and what a sampler draws given the release come from one
and the same distribution, and any number made of the truth has every rank among as many made of
the draws with the same probability.

*Fixed in advance* means that how a row is published tells nothing of the other rows. Vertically
each row has its group before it has values. Horizontally it has a *way* before it has values: a way
cuts all tuples into sets, and the row is published in that set of its way that has its tuple. Sets
of different ways overlap.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from scipy import stats

from unveil.attacks.relative_risk import Horizontal, horizontal_problem, vertical_problem
from unveil.attacks.relative_risk._domain import Domain
from unveil.attacks.relative_risk._lumped import cells_of
from unveil.attacks.relative_risk.samplers.horizontal import Atoms, Columns, InBoxes, Tuples
from unveil.microdata import Column, Kind, Microdata, Permuted, Release, Role, Sets

SIZES = (4, 3)
TUPLES = np.array(list(itertools.product(*map(range, SIZES))), dtype=np.int32).T
ALPHA, BETA = np.array([2.0, 1.0, 0.5]), 0.5
ROWS = 40
DRAWS = 7
WATCHED = np.array([[0, 2], [1, 2]], dtype=np.int32)  # two tuples, columns × tuples

# Into which part of its column each value goes.
BOX_WAYS = [
    ((0, 0, 1, 1), (0, 1, 2)),
    ((0, 1, 1, 1), (0, 0, 0)),
    ((0, 0, 0, 0), (0, 0, 1)),
    ((0, 1, 0, 2), (0, 1, 0)),
]
# Into which set each tuple goes; these are no boxes.
SET_WAYS = [
    (0, 0, 1, 1, 1, 0, 0, 2, 2, 1, 2, 2),
    (0, 1, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1),
    (0,) * 12,
]


@dataclass(frozen=True)
class Truth:
    """A population and a table: the joint probabilities (values × tuples), and the rows."""

    joint: np.ndarray
    secrets: np.ndarray
    tuples: np.ndarray


def truth(rng, likelihood):
    """What the prior may come up with."""
    if likelihood == "saturated":
        given = rng.dirichlet(np.full(TUPLES.shape[1], BETA), size=len(ALPHA))
    else:
        given = np.ones((len(ALPHA), TUPLES.shape[1]))
        for size, codes in zip(SIZES, TUPLES, strict=True):
            given *= rng.dirichlet(np.full(size, BETA), size=len(ALPHA))[:, codes]
    joint = rng.dirichlet(ALPHA)[:, None] * given
    rows = rng.choice(joint.size, size=ROWS, p=joint.ravel() / joint.sum())
    return Truth(joint, *np.divmod(rows, TUPLES.shape[1]))


def _table(real):
    """The rows as microdata."""
    quasi = [
        Column(
            name=f"q{c}", role=Role.QUASI, kind=Kind.CATEGORICAL, codes=codes[real.tuples],
            values=np.array([f"v{v}" for v in range(size)], dtype=object),
        )
        for c, (size, codes) in enumerate(zip(SIZES, TUPLES, strict=True))
    ]  # fmt: skip
    secret = Column(
        name="secret", role=Role.SENSITIVE, kind=Kind.CATEGORICAL,
        codes=real.secrets.astype(np.int32),
        values=np.array([f"s{s}" for s in range(len(ALPHA))], dtype=object),
    )  # fmt: skip
    return Microdata(columns=(*quasi, secret), rows=np.arange(ROWS), source="a draw")


def in_boxes(real):
    """Published in boxes."""
    table = _table(real)
    way = np.arange(ROWS) % len(BOX_WAYS)
    cells = np.array([
        (w, *(BOX_WAYS[w][c][code] for c, code in enumerate(codes)))
        for w, codes in zip(way, table.codes.T, strict=True)
    ])  # fmt: skip
    classes, class_of = np.unique(cells, axis=0, return_inverse=True)
    regions = []
    for c in range(len(SIZES)):
        parts = [np.flatnonzero(np.equal(BOX_WAYS[one[0]][c], one[c + 1])) for one in classes]
        start = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
        regions.append(Sets(start, np.concatenate(parts).astype(np.int32)))
    release = Release(
        quasi=table.quasi, sensitive=table.sensitive, regions=tuple(regions),
        class_of=class_of.ravel().astype(np.int32),
    )  # fmt: skip
    problem = horizontal_problem(release, domain="product", alpha=ALPHA, beta=BETA)
    return problem.watching(WATCHED)


def in_sets(real):
    """Published in sets of tuples that are no boxes, as they are among observed tuples."""
    way = np.arange(ROWS) % len(SET_WAYS)
    cells = np.stack([way, np.array(SET_WAYS)[way, real.tuples]], axis=1)
    classes, class_of = np.unique(cells, axis=0, return_inverse=True)
    members = [np.flatnonzero(np.equal(SET_WAYS[w], part)) for w, part in classes]
    start = np.concatenate([[0], np.cumsum([len(one) for one in members])])
    counts = np.zeros((len(classes), len(ALPHA)), dtype=np.int64)
    np.add.at(counts, (class_of.ravel(), real.secrets), 1)
    sizes, n = np.array(SIZES), TUPLES.shape[1]
    return Horizontal(
        counts=counts, domain=Domain(name="observed", sizes=sizes, size=n, codes=TUPLES),
        alpha=ALPHA, beta=BETA, watched=WATCHED, group_of_class=np.arange(len(classes)),
        members=(start, np.concatenate(members).astype(np.int32)),
    )  # fmt: skip


def shuffled(real):
    """Published with the sensitive values of each group shuffled."""
    release = Permuted.from_groups(_table(real), np.arange(ROWS) % 5)
    problem = vertical_problem(release, domain="product", alpha=ALPHA, beta=BETA)
    return problem.watching(WATCHED)


def rows_in(problem, state):
    """How many rows a state has of each sensitive value at each place, value after value.

    Places are tuples; but atoms where a sampler puts tuples together, and the values of each
    column where it looks at columns one by one.
    """
    (rows, *_), cells = state.latent, cells_of(problem.counts)
    if state.walk is Columns:
        parts = zip(state.latent, SIZES, strict=True)
        return np.concatenate([np.bincount(row, minlength=len(ALPHA) * n) for row, n in parts])
    if state.walk is Atoms:
        return np.bincount(rows, minlength=len(problem.lumped.size))
    if state.walk is InBoxes:
        words = (rows[:, problem.packed.word] >> problem.packed.shift) & problem.packed.field
        tuples = words.T.astype(np.int64)
    elif state.walk is Tuples:
        tuples = problem.domain.codes[:, rows]
    else:
        return _counted(rows, _numbered(problem.domain.codes[:, problem.tuples]))
    return _counted(np.repeat(cells.value, cells.rows), _numbered(tuples))


def true_rows(problem, state, real):
    """The same of the table that was published."""
    if state.walk is Columns:
        each = zip(TUPLES, SIZES, strict=True)
        return np.concatenate([_counted(real.secrets, code[real.tuples], n) for code, n in each])
    if state.walk is Atoms:
        found = problem.lumped.atom_of[real.secrets, problem.domain.find(TUPLES)[real.tuples]]
        return np.bincount(found, minlength=len(problem.lumped.size))
    return _counted(real.secrets, real.tuples)


def _counted(secrets, places, n=TUPLES.shape[1]):
    return np.bincount(secrets * n + places, minlength=len(ALPHA) * n)


def _numbered(codes):
    return np.ravel_multi_index(tuple(codes), SIZES)


def ranked(rows, shares):
    """What is ranked: some rows, how bunched all of them are, and f(s | r, π) of two values."""
    return [rows[0], rows[::3].sum(), (rows**2).sum(), *shares[:2].ravel()]


def ranks(real, problem, sampler, rng, *, thin):
    """The ranks of the truth among draws of a chain; those that are equal in random order."""
    problem = problem.with_panel(np.arange(WATCHED.shape[1]))
    state = sampler.init(problem, int(rng.integers(2**32)))
    state, _ = sampler.kernel(problem, state, kept=1, thin=3 * thin)
    drawn = []
    for _ in range(DRAWS):
        state, info = sampler.kernel(problem, state, kept=1, thin=thin, conditional="panel")
        drawn.append(ranked(rows_in(problem, state), info.conditional[0]))
    joint = real.joint[:, _numbered(WATCHED)]
    true = ranked(true_rows(problem, state, real), joint / joint.sum(axis=0))
    less, same = np.less(drawn, true), np.equal(drawn, true)
    return less.sum(axis=0) + rng.integers(same.sum(axis=0) + 1)


def chance(found):
    """How likely ranks (simulations × numbers) are as uneven as these, if all are equally likely.

    The most uneven ones count, and that they were chosen among several is taken into account.
    """
    n, numbers = found.shape
    counts = np.stack([np.bincount(one, minlength=DRAWS + 1) for one in found.T])
    expected = n / (DRAWS + 1)
    uneven = ((counts - expected) ** 2 / expected).sum(axis=1)
    return min(1.0, numbers * float(stats.chi2.sf(uneven.max(), DRAWS)))
