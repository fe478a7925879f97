"""Who is in which release: one split of the people, or folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.membership import split_people
from unveil.errors import Cell, Column, File, InputError, Option, did_you_mean
from unveil.microdata import AnyRelease, Mapped, Microdata, same_domains
from unveil.sanitize import Sanitizer

__all__ = ["Splits", "in_folds", "made_once", "published_by"]

_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Split:
    """Record numbers of people in a release, and of people held out, who may be none."""

    members: NDArray[np.intp]
    held_out: NDArray[np.intp]


@dataclass(frozen=True, eq=False, kw_only=True)
class Splits:
    """Everybody, and who is in each release.

    Attributes
    ----------
    everybody : Microdata
    each : tuple of Split
    fold_of : array or None
        The fold in which each person is held out, if there are folds.
    """

    everybody: Microdata
    each: tuple[Split, ...]
    fold_of: NDArray[np.intp] | None = None

    @property
    def ever_in(self) -> NDArray[np.intp]:
        """Who is in any release."""
        return np.unique(np.concatenate([split.members for split in self.each]))


def in_folds(microdata: Microdata, folds: Any, seed: int) -> Splits:
    """Hold everybody out of one release, and put them into all others.

    Sensitive values are dealt out evenly. If a fold had more of a value than its share, the other
    folds would have less, and an adversary who goes by frequencies would be wrong about it.

    >>> import unveil as uv
    >>> votes = ["a", "b", "a", "b", "a", "b"]
    >>> table = uv.read_table({"age": range(6), "vote": votes}, quasi="age", sensitive="vote")
    >>> [sorted(table.sensitive.decode()[split.held_out])
    ...  for split in in_folds(table, 3, seed=0).each]
    [['a', 'b'], ['a', 'b'], ['a', 'b']]
    """
    n, wanted = len(microdata), _FOLDS if folds is None else folds
    if isinstance(wanted, bool) or not isinstance(wanted, int | np.integer) or wanted < 2:
        raise InputError(
            "{folds} must be a whole number of at least 2, got {given}",
            folds=Option("folds"), given=repr(folds),
        )  # fmt: skip
    if wanted > n:
        raise InputError(
            "{folds} is too many: {source} has {n} {records}, and a fold needs at least one; "
            "{remedy}",
            folds=Option("folds", wanted), source=File(microdata.source, bare=True), n=n,
            records="record" if n == 1 else "records",
            remedy=f"take at most {n:,}" if n > 1 else "there is nobody to compare with",
        )  # fmt: skip
    rng = np.random.default_rng([seed, 5])
    shuffled = rng.permutation(n)
    by_value = shuffled[np.argsort(microdata.sensitive.codes[shuffled], kind="stable")]
    fold_of = np.empty(n, dtype=np.intp)
    fold_of[by_value] = np.arange(n) % int(wanted)
    each = tuple(
        Split(np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold))
        for fold in range(int(wanted))
    )
    return Splits(everybody=microdata, each=each, fold_of=fold_of)


def made_once(
    microdata: Microdata, held_out: Any, release: AnyRelease | None, seed: int, *,
    mapping: Mapped = None,
) -> Splits:  # fmt: skip
    """One release of all people but those held out (None: nobody), who may be a share of them.

    If there is a release, people held out must be named, and have values that it knows.
    """
    if held_out is None:
        nobody = np.arange(0)
        return Splits(everybody=microdata, each=(Split(np.arange(len(microdata)), nobody),))
    if release is not None and isinstance(held_out, int | float | np.number):
        raise InputError(
            "{held_out} would draw people, but the release by {made_by} already exists; name the "
            "people who are not in it by a table of other people or by record numbers, or give the "
            "sanitizer instead of its release",
            held_out=Option("held_out", held_out), made_by=File(release.made_by, bare=True),
        )  # fmt: skip
    people = split_people(microdata, held_out, own=0, mapping=mapping, seed=seed)
    if release is not None:
        _check_domains(people.everybody, release, held_out)
    return Splits(everybody=people.everybody, each=(Split(people.members, people.held_out),))


def published_by(sanitizer: Sanitizer, splits: Splits, seed: int) -> Iterator[AnyRelease]:
    """The release of each split's members, each with random numbers of its own."""
    everybody, several = splits.everybody, splits.fold_of is not None
    for number, split in enumerate(splits.each):
        # Errors about a goal that this part cannot meet name the source.
        out = f"fold {number + 1} of {len(splits.each)}" if several else "those held out"
        part = everybody.take(split.members)
        if len(split.held_out):
            part = replace(part, source=f"{everybody.source} without {out}")
        state = np.random.SeedSequence([seed, 6, number]).generate_state(1, np.uint64)
        yield sanitizer.with_seed(int(state[0])).sanitize(part)


def _check_domains(everybody: Microdata, release: AnyRelease, others: Any) -> None:
    """Refuse people held out whose values the release's columns do not have."""
    if same_domains(release, everybody):
        return
    columns = zip((*everybody.quasi, everybody.sensitive), (*release.quasi, release.sensitive),
                  strict=True)  # fmt: skip
    name, text, known = next(
        (ours.name, text, theirs.texts)
        for ours, theirs in columns
        for text in ours.texts
        if text not in theirs.places
    )
    source, near = getattr(others, "source", everybody.source), did_you_mean(text, known)
    raise InputError(
        "column {column} of the people held out, {source}, has {value}, which is not one of its "
        "values in the release by {made_by}{near}; if it is another name for one of them, rename "
        "it before reading; otherwise read all people as one table, take members and people held "
        "out from it (everybody.take(…)), and read or make the release with these members",
        column=Column(name), source=File(source, bare=True), value=Cell(text),
        made_by=File(release.made_by, bare=True), near=Cell(near, bare=True) if near else "",
    )  # fmt: skip
