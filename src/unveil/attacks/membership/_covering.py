"""Whether published cells cover a person: the simplest test of membership, and a strong one.

The cells of a person's own record cover that person, and the record has their sensitive value. So
somebody whom no cells cover is not in the table; and if cells are narrow, they cover few people who
are not in it.

Scores are finer than yes and no. Of N records, n are in a class whose cells cover a share μ of all
people. If there are many more than chance would put there, n / N ≫ μ, a person whom the cells cover
is likely to be one of them. A class of suppressed cells has μ = 1: it covers everybody, and says
nothing about anybody. The attacker estimates μ from the release alone, by how often values occur in
each column, as if columns were independent (`Index.chances`). The score is the logarithm of a
likelihood ratio,

    log Σ (n / N) / μ, over the classes that cover the person,

and -∞ if there is none. With the sensitive value, n counts the records of a class that have it, and
N those of all classes. In Anatomy's tables cells are values, and a record counts as its share of
each value of its group.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.people import Index, distinct_points
from unveil.microdata import AnyRelease, Intervals, Permuted, Release, has_true_cells

_NO_RECORDS = "the release has no records whose cells could cover anybody"
_UNTRUE_CELLS = "published cells need not cover the people they stand for"
_UNTRUE_VALUES = "published sensitive values need not be true"

_LARGEST = 600.0  # logarithm of a ratio: sums of many are finite


def why_not_covered(release: AnyRelease, *, with_value: bool) -> str | None:
    """Why it says nothing whether cells of a release cover somebody; None if it does."""
    if isinstance(release, Permuted):
        return None
    if not isinstance(release, Release):
        return _NO_RECORDS
    if not has_true_cells(release):
        return _UNTRUE_CELLS
    if with_value and release.sensitive.name in release.perturbed:
        return _UNTRUE_VALUES
    return None


def covering(
    release: Release | Permuted, codes: NDArray[np.int32], secrets: NDArray[np.integer]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Likelihood ratios that people (columns × people) are members; 0 if no cell covers them.

    The first are by quasi-identifiers alone, the second with the sensitive values, too.
    """
    regions = () if isinstance(release, Permuted) else release.regions
    sizes = [column.size for column in release.quasi]
    points, everything = np.array(codes.T, dtype=np.int32, order="C"), []
    for j, column in enumerate(regions):
        there = column.there if isinstance(column, Intervals) else None
        whole = np.zeros(len(column), dtype=bool)
        if there is not None:  # a cut says nothing about values that nobody has: see `Intervals`
            whole = column.covers(0) & column.covers(sizes[j] - 1)
            points[~there[points[:, j]], j] = sizes[j]
        everything.append(whole)
    index = Index.of(release, regions, sizes, everything)
    chances = index.chances(sizes)
    weights = np.exp(np.minimum(-chances, _LARGEST))
    weights[np.isinf(chances)] = 0  # covers nobody
    index = index.weighed(weights)
    first, kind = distinct_points(points, secrets[:, None])
    alone, with_value = np.zeros(len(first)), np.zeros(len(first))
    wanted = secrets[first]
    for found in index.search(points[first]):
        alone[found.points] = np.bincount(found.point, found.number, len(found.records))
        own = found.value == wanted[found.points][found.point]
        with_value[found.points] = np.bincount(
            found.point[own], found.number[own], len(found.records)
        )
    totals = release.totals[wanted]
    alone /= release.totals.sum()
    with_value = np.divide(with_value, totals, out=np.zeros(len(first)), where=totals > 0)
    return alone[kind], with_value[kind]
