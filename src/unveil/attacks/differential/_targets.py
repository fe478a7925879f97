"""Which records are tested, and in which order.

A test may stop in the middle, so the *order* matters as much as the choice. `_bounds` says what
follows for the whole table from the first m of a draw:

- **random**: the first m are themselves a simple random sample of size m;
- **stratified**: within each sensitive value the targets come in random order, so that the first
  m are a simple random sample *of every value*, and every value has about its share of them;
- **exposed**: nothing is random but ties. It finds bad cases early and says nothing about records
  that were not tested.

The first two hold as long as the end of the test does not depend on its results.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.differential._bounds import Chosen
from unveil.errors import InputError, Option
from unveil.microdata import Microdata, Release
from unveil.sanitize import Sanitizer

How: TypeAlias = Literal["random", "stratified", "exposed"]


def draw(
    microdata: Microdata, n: int, how: How, seed: int, *, release: Release | None = None
) -> NDArray[np.intp]:
    """Draw n different records, in the order in which to test them.

    Parameters
    ----------
    microdata : Microdata
    n : int
    how : {"random", "stratified", "exposed"}
        Simple random; by sensitive value, in proportion, and at least one of every value that
        occurs if n allows; or the most exposed first: those covered by the fewest released
        records, then those with the rarest combination of quasi-identifiers, then those with the
        rarest values.
    seed : int
        Random seed.
    release : Release, optional
        What is attacked, for ``"exposed"``. Without it only combinations and values count.

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
    pool = np.arange(len(microdata))
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 1 <= n <= len(pool):
        raise InputError(
            "{option}: the table has {records} records to choose from",
            option=Option("targets", n), records=len(pool),
        )  # fmt: skip
    rng = np.random.default_rng(seed)
    if how == "random":
        order = rng.permutation(pool)
    elif how == "stratified":
        order = _stratified(microdata.sensitive.codes, n, rng)
    else:
        order = _most_exposed_first(microdata, release, rng)
    return order[:n]


def _stratified(values: NDArray[np.int32], n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Each value in proportion, spread evenly over the order."""
    shuffled = rng.permutation(len(values))
    by_value = np.argsort(values[shuffled], kind="stable")
    sizes = np.bincount(values)
    sizes = sizes[sizes > 0]
    due = _allocated(sizes, n)
    # The rank of each record within its value; the first ones of each value are taken.
    nth = np.arange(len(values)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    dues = np.repeat(due, sizes)
    taken = nth < dues
    # The j-th of m comes at (j + ½)/m of the way: all values advance at the same pace.
    way = (nth[taken] + 0.5) / dues[taken]
    chosen = shuffled[by_value[taken]]
    return chosen[np.lexsort([rng.random(n), way])]


def _allocated(sizes: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Divide n among strata in proportion, by largest remainders.

    If n is large enough, every stratum gets at least one: strata whose share rounds to zero get
    one, and the rest is divided among the others.

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
    microdata: Microdata, release: Release | None, rng: np.random.Generator
) -> NDArray[np.intp]:
    codes, place, alike = np.unique(
        microdata.codes, axis=1, return_inverse=True, return_counts=True
    )
    place = place.ravel()
    covering = np.zeros(len(alike), dtype=np.int64)
    if release is not None:
        covering = release.joint_counts(codes).sum(axis=1)
    rarity = np.zeros(len(alike))
    for column, row in zip(microdata.quasi, codes, strict=True):
        counts = np.bincount(column.codes, minlength=column.size)
        rarity += np.log(counts[row])  # the product of their shares, up to a constant
    keys = [rarity, alike, covering]
    return np.lexsort([rng.random(len(place)), *(key[place] for key in keys)])


AVAILABLE = "available"


@dataclass(frozen=True)
class Targets:
    """Records in the order in which they are tested.

    ``how`` is ``all``, a way to draw, or ``chosen`` by the user.
    """

    records: NDArray[np.intp]
    how: Chosen


def chosen_targets(
    targets: Any,
    microdata: Microdata,
    sanitizer: Sanitizer,
    release: Release | None,
    *,
    how: How,
    seed: int,
    shuffled: bool,
) -> Targets:
    """The targets that the user asks for, all of which the sanitizer must be able to leave out.

    The release is needed only for ``"exposed"``. ``shuffled`` puts the targets in random order,
    because the test may end in the middle.
    """
    n = len(microdata)
    if isinstance(targets, str) and targets == AVAILABLE:
        targets = sanitizer.can_leave_out(microdata)
    if targets is None:
        if not shuffled:
            found = Targets(np.arange(n), "all")
        else:
            found = Targets(draw(microdata, n, how, seed, release=release), how)
    elif isinstance(targets, int | np.integer) and not isinstance(targets, bool):
        found = Targets(draw(microdata, int(targets), how, seed, release=release), how)
    else:
        chosen = _once(_listed(targets, n))
        if shuffled:
            chosen = np.random.default_rng(seed).permutation(chosen)
        found = Targets(chosen, "chosen")
    lacking = sanitizer.missing_of(microdata, found.records)
    if lacking is not None:
        raise InputError(lacking)
    return found


def _once(records: NDArray[np.intp]) -> NDArray[np.intp]:
    """Each record once, in the given order."""
    return records[np.sort(np.unique(records, return_index=True)[1])]


def _listed(targets: Any, n: int) -> NDArray[np.intp]:
    """Record numbers, from record numbers or a mask."""
    chosen = np.asarray(targets)
    if chosen.dtype == bool and chosen.shape == (n,):
        chosen = np.flatnonzero(chosen)
    if chosen.ndim != 1 or len(chosen) == 0 or not np.issubdtype(chosen.dtype, np.integer):
        raise InputError(
            "{option} must be a number of records, a list of record numbers counted from 0, a mask "
            'of {records} truth values, or "available"; got {given}',
            option=Option("targets"), records=n, given=repr(targets),
        )  # fmt: skip
    wrong = chosen[(chosen < 0) | (chosen >= n)]
    if len(wrong):
        raise InputError(
            "{option} has {wrong}, but records are numbered from 0 to {last}",
            option=Option("targets"), wrong=int(wrong[0]), last=n - 1,
        )  # fmt: skip
    return chosen.astype(np.intp)
