"""Which people are tested, and in which order. What they say about all is in `_bounds`.

A person is named by their first record, where they have several.

A test may stop in the middle, so the *order* matters as much as the choice:

- **random**: the first m are themselves a simple random sample of size m;
- **stratified**: within each sensitive value the targets come in random order, so that the first
  m are a simple random sample *of every value*, and every value has about its share of them; a
  person with several records is counted to the value of the first;
- **worst-first**: a *front* of people who are probably worst off (`_likely_worst`), in turn with
  people drawn at random from all others, until everybody of the front was tested. It finds bad
  cases early, and those drawn are a simple random sample of all who are not in the front;
- **exposed**: nothing is random but ties. It says nothing about records that were not tested.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.differential._by_person import first_of_each
from unveil.attacks.differential._likely_worst import likely_worst
from unveil.errors import InputError, Option
from unveil.microdata import AnyRelease, Microdata, Release
from unveil.sanitize import Sanitizer

How: TypeAlias = Literal["worst-first", "random", "stratified", "exposed"]

Chosen: TypeAlias = Literal["worst-first", "random", "stratified", "exposed", "all", "chosen"]

AT_RANDOM: tuple[Chosen, ...] = ("worst-first", "random", "stratified")
"""Those that say something about people who were not tested."""

_FRONT = 50  # people who are probably worst off; in turn with as many others


def draw(
    microdata: Microdata, n: int, how: How, seed: int, *, release: AnyRelease | None = None
) -> Targets:
    """Draw n different people, in the order in which to test them: a record of each, their first.

    Parameters
    ----------
    microdata : Microdata
    n : int
    how : {"worst-first", "random", "stratified", "exposed"}
        People who are probably worst off, in turn with others at random; simple random; by
        sensitive value, in proportion, and at least one of every value that occurs if n allows; or
        the most exposed first: those covered by the fewest released records, then those with the
        rarest combination of quasi-identifiers, then those with the rarest values.
    seed : int
        Random seed.
    release : Release, optional
        What is attacked, for ``"worst-first"`` and ``"exposed"``. Without it only combinations and
        values count.

    Examples
    --------
    >>> import unveil as uv
    >>> people = uv.read_table(
    ...     {"age": [31, 31, 31, 31, 31, 98], "diagnosis": ["flu"] * 4 + ["gout"] * 2},
    ...     quasi="age", sensitive="diagnosis")
    >>> int(draw(people, 1, "exposed", seed=0).records[0])
    5
    >>> sorted(people["diagnosis"].decode()[draw(people, 3, "stratified", seed=0).records])
    ['flu', 'flu', 'gout']
    """
    people = microdata.people
    if not 1 <= n <= len(people):
        raise InputError(
            "{option}: the table has {people} {what} to choose from",
            option=Option("targets", n), people=len(people),
            what="records" if microdata.several is None else "people",
        )  # fmt: skip
    rng = np.random.default_rng(seed)
    if how == "worst-first":
        front = likely_worst(microdata, release, min(_FRONT, (n + 1) // 2), rng)
        return Targets(_in_turn(front, people, rng)[:n], how, front)
    if how == "random":
        order = people[rng.permutation(len(people))]
    elif how == "stratified":
        order = people[_stratified(microdata.sensitive.codes[people], n, rng)]
    else:
        cells = release if isinstance(release, Release) else None
        order = first_of_each(microdata, _most_exposed_first(microdata, cells, rng))
    return Targets(order[:n], how)


def _in_turn(
    front: NDArray[np.intp], people: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.intp]:
    """The front and all others at random, in turn as long as there are some of both."""
    others = rng.permutation(np.setdiff1d(people, front))
    both = min(len(front), len(others))
    pairs = np.stack([front[:both], others[:both]], axis=1).ravel()
    return np.concatenate([pairs, front[both:], others[both:]])


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


class Targets(NamedTuple):
    """People in the order in which they are tested."""

    records: NDArray[np.intp]
    """The first record of each."""
    how: Chosen
    """``all``, a way to draw, or ``chosen`` by the user."""
    front: NDArray[np.intp] = np.zeros(0, dtype=np.intp)
    """Those who were chosen because they are probably worst off."""


def chosen_targets(
    targets: Any,
    microdata: Microdata,
    sanitizer: Sanitizer,
    release: AnyRelease | None,
    *,
    how: How,
    seed: int,
    shuffled: bool,
) -> Targets:
    """The targets that the user asks for, all of which the sanitizer must be able to leave out.

    The release is needed only for ``"worst-first"`` and ``"exposed"``. ``shuffled`` puts the
    targets in random order, because the test may end in the middle.
    """
    n = len(microdata.people)
    if isinstance(targets, str) and targets == "available":
        targets = sanitizer.can_leave_out(microdata)
    if targets is None and not shuffled:
        found = Targets(microdata.people, "all")
    elif targets is None or (
        isinstance(targets, int | np.integer) and not isinstance(targets, bool)
    ):
        number = n if targets is None else int(targets)
        found = draw(microdata, number, how, seed, release=release)
    else:
        chosen = first_of_each(microdata, _listed(targets, len(microdata)))
        if shuffled:
            chosen = np.random.default_rng(seed).permutation(chosen)
        found = Targets(chosen, "chosen")
    lacking = sanitizer.missing_of(microdata, found.records)
    if lacking is not None:
        raise InputError(lacking)
    return found


def _listed(targets: Any, n: int) -> NDArray[np.intp]:
    """Record numbers, each once in the given order, from record numbers or a mask."""
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
    first = np.sort(np.unique(chosen, return_index=True)[1])
    return chosen[first].astype(np.intp)
