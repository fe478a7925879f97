"""Whom to test where not everybody can be: three ways to draw targets.

A test may stop in the middle, so the *order* matters as much as the choice. What the first m of a
draw say about the whole table is worked out in `unveil.attacks._bounds`:

- **random**: the first m are themselves a simple random draw of m.
- **stratified**: within each sensitive value the targets come in random order, so that the first
  m are a simple random draw *of every value*, of as many as have been tested of it; and every
  value has about its share of them.
- **exposed**: nothing is random but ties. It finds bad cases early and says nothing about those
  who were not tested.

The first two hold as long as what ends the test has nothing to do with its results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, did_you_mean
from unveil.microdata import Microdata, Release

__all__ = ["DRAWS", "How", "draw"]

How: TypeAlias = Literal["random", "stratified", "exposed"]

DRAWS: tuple[How, ...] = ("random", "stratified", "exposed")


def draw(
    microdata: Microdata,
    n: int,
    how: How,
    seed: int,
    *,
    release: Release | None = None,
    among: Sequence[int] | NDArray[np.integer] | None = None,
) -> NDArray[np.intp]:
    """Choose n records, in the order in which to test them.

    Parameters
    ----------
    microdata : Microdata
    n : int
    how : {"random", "stratified", "exposed"}
        Simple random; by sensitive value, in proportion, and at least one of every value that
        occurs if n allows; or the most exposed first: those whom the fewest released records
        cover in all columns, then those with the rarest combination of quasi-identifiers, then
        those with the rarest values.
    seed : int
        Same seed, same targets.
    release : Release, optional
        What is attacked, for ``"exposed"``. Without it their combinations and values decide.
    among : sequence of int, optional
        Choose among these records only; neither their order nor repetitions matter.

    Returns
    -------
    array of int
        Positions of n different records.

    Examples
    --------
    >>> import unveil as uv
    >>> people = uv.read_table(
    ...     {"age": [31, 31, 31, 31, 31, 98], "diagnosis": ["flu"] * 4 + ["gout"] * 2},
    ...     quasi="age", sensitive="diagnosis")
    >>> int(draw(people, 1, "exposed", seed=0)[0])
    5
    >>> sorted(people["diagnosis"].decode()[draw(people, 3, "stratified", seed=0)])
    ['flu', 'flu', 'gout']
    """
    pool = _pool(among, len(microdata))
    _check(n, how, len(pool), among is not None)
    rng = np.random.default_rng(seed)
    if how == "random":
        order = rng.permutation(pool)
    elif how == "stratified":
        order = _stratified(microdata.sensitive.codes, pool, n, rng)
    else:
        order = _most_exposed_first(microdata, release, pool, rng)
    return order[:n]


def _pool(among: Sequence[int] | NDArray[np.integer] | None, records: int) -> NDArray[np.intp]:
    """The records to choose among, each once."""
    if among is None:
        return np.arange(records)
    pool = np.unique(np.asarray(among, dtype=np.intp))
    if len(pool) and not (pool[0] >= 0 and pool[-1] < records):
        wrong = pool[0] if pool[0] < 0 else pool[-1]
        raise InputError(f"among has {wrong}, but records are numbered from 0 to {records - 1:,}")
    return pool


def _check(n: int, how: str, available: int, chosen: bool) -> None:
    if how not in DRAWS:
        raise InputError(
            f"no way {how!r} to draw targets{did_you_mean(str(how), DRAWS)} "
            f"(known: {', '.join(DRAWS)})"
        )
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 1 <= n <= available:
        among = f"there are {available:,} records" if chosen else (
            f"the table has {available:,} records")  # fmt: skip
        raise InputError(f"targets={n!r}: {among} to choose from")


def _stratified(
    values: NDArray[np.int32], pool: NDArray[np.intp], n: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """As many of each value as are due to it, spread evenly over the order."""
    shuffled = rng.permutation(pool)
    by_value = np.argsort(values[shuffled], kind="stable")
    sizes = np.bincount(values[pool])
    sizes = sizes[sizes > 0]
    due = _allocated(sizes, n)
    # How many-th of its value each record is; the first ones of each value are taken.
    nth = np.arange(len(pool)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    dues = np.repeat(due, sizes)
    taken = nth < dues
    # The j-th of m stands at (j + ½)/m of the way: all values advance at the same pace.
    way = (nth[taken] + 0.5) / dues[taken]
    chosen = shuffled[by_value[taken]]
    return chosen[np.lexsort([rng.random(n), way])]


def _allocated(sizes: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Divide n among strata in proportion, whole numbers by largest remainders.

    Where n allows, nobody is left with none: strata whose share rounds to zero are given one, and
    the rest is divided among the others.

    >>> _allocated(np.array([90, 9, 1]), 10), _allocated(np.array([90, 9, 1]), 2)
    (array([8, 1, 1]), array([2, 0, 0]))
    """
    due = np.zeros(len(sizes), dtype=np.int64)
    rest = np.ones(len(sizes), dtype=bool)
    while True:
        shares = (n - due[~rest].sum()) * sizes[rest] / sizes[rest].sum()
        due[rest] = np.floor(shares)
        left = n - due.sum()
        first = np.argsort(due[rest] - shares, kind="stable")[:left]
        due[np.flatnonzero(rest)[first]] += 1
        empty = due == 0
        if n < len(sizes) or not empty.any():
            return due
        due[empty], rest[empty] = 1, False


def _most_exposed_first(
    microdata: Microdata,
    release: Release | None,
    pool: NDArray[np.intp],
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    combinations, which, alike = np.unique(
        microdata.codes, axis=1, return_inverse=True, return_counts=True
    )
    which = which.ravel()
    wanted, place = np.unique(
        which[pool], return_inverse=True
    )  # each combination is looked at once
    codes = combinations[:, wanted]
    covering = np.zeros(len(wanted), dtype=np.int64)
    if release is not None:
        covering = release.joint_counts(codes).sum(axis=1)
    rarity = np.zeros(len(wanted))
    for column, row in zip(microdata.quasi, codes, strict=True):
        counts = np.bincount(column.codes, minlength=column.size)
        rarity += np.log(counts[row])  # the product of their shares, up to a constant
    keys = [rarity, alike[wanted], covering]
    return pool[np.lexsort([rng.random(len(pool)), *(key[place] for key in keys)])]
