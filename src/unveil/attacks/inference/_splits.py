"""Who is in which release: one split of the people, or folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.membership._people import split_people
from unveil.errors import InputError, did_you_mean
from unveil.microdata import AnyRelease, Mapped, Microdata, same_domains
from unveil.sanitize import Sanitizer

__all__ = ["FOLDS", "Split", "Splits", "in_folds", "made_once", "published_by"]

FOLDS = 5


@dataclass(frozen=True, eq=False)
class Split:
    """Record numbers of those in a release, and of those who are not; nobody may be held out."""

    members: NDArray[np.intp]
    held_out: NDArray[np.intp]


@dataclass(frozen=True, eq=False, kw_only=True)
class Splits:
    """Everybody, and who of them is in each release.

    Attributes
    ----------
    everybody : Microdata
    each : tuple of Split
    fold_of : array or None
        If there are folds, that in which each person is held out.
    """

    everybody: Microdata
    each: tuple[Split, ...]
    fold_of: NDArray[np.intp] | None = None

    @property
    def ever_in(self) -> NDArray[np.intp]:
        """Who is in a release at all."""
        return np.unique(np.concatenate([split.members for split in self.each]))


def in_folds(microdata: Microdata, folds: Any, seed: int) -> Splits:
    """Everybody is held out of one release, and in all the others.

    Sensitive values are dealt out evenly: if a fold had more of one than its share, the others
    had less, and whoever goes by what is frequent would be wrong about the fold more often.

    Examples
    --------
    >>> import unveil as uv
    >>> votes = ["a", "b", "a", "b", "a", "b"]
    >>> table = uv.read_table({"age": range(6), "vote": votes}, quasi="age", sensitive="vote")
    >>> [sorted(table.sensitive.decode()[split.held_out])
    ...  for split in in_folds(table, 3, seed=0).each]
    [['a', 'b'], ['a', 'b'], ['a', 'b']]
    """
    n, wanted = len(microdata), FOLDS if folds is None else folds
    if isinstance(wanted, bool) or not isinstance(wanted, int | np.integer) or wanted < 2:
        raise InputError(f"folds must be a whole number from 2 up, got {folds!r}")
    if wanted > n:
        could = f"take at most {n:,}" if n > 1 else "there is nobody to compare with"
        raise InputError(
            f"folds={wanted}: {microdata.source} has {n:,} record{'' if n == 1 else 's'}, and a "
            f"fold needs at least one; {could}"
        )
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
    """One release, of all the people but those held out.

    Parameters
    ----------
    microdata : Microdata
    held_out : Microdata, sequence of int, mask, share or None
        As `split_people` takes it; None: nobody. A share only if there is no release yet.
    release : AnyRelease or None
        If it is there, codes must mean in it what they mean in the tables.
    seed : int
    mapping : optional
        As `split_people` takes it.
    """
    if held_out is None:
        nobody = np.arange(0)
        return Splits(everybody=microdata, each=(Split(np.arange(len(microdata)), nobody),))
    if release is not None and isinstance(held_out, int | float | np.number):
        raise InputError(
            f"held_out={held_out}: who is in the release by {release.made_by} is settled; say who "
            "is not, by a table of other people or record numbers, or give the sanitizer in place "
            "of its release"
        )
    people = split_people(microdata, held_out, own=0, mapping=mapping, seed=seed)
    if release is not None:
        _check_domains(people.everybody, release, held_out)
    return Splits(everybody=people.everybody, each=(Split(people.members, people.held_out),))


def published_by(sanitizer: Sanitizer, splits: Splits, seed: int) -> Iterator[AnyRelease]:
    """What is published of the members of each split, each with random numbers of its own."""
    everybody, several = splits.everybody, splits.fold_of is not None
    for number, split in enumerate(splits.each):
        # A goal that a part cannot meet is told with the source's name.
        out = f"fold {number + 1} of {len(splits.each)}" if several else "those held out"
        part = everybody.take(split.members)
        if len(split.held_out):
            part = replace(part, source=f"{everybody.source} without {out}")
        state = np.random.SeedSequence([seed, 6, number]).generate_state(1, np.uint64)
        yield sanitizer.with_seed(int(state[0])).sanitize(part)


def _check_domains(everybody: Microdata, release: AnyRelease, others: Any) -> None:
    """Refuse people held out with values that the release's columns do not have."""
    if same_domains(release, everybody):
        return
    source = others.source if isinstance(others, Microdata) else everybody.source
    columns = zip((*everybody.quasi, everybody.sensitive), (*release.quasi, release.sensitive),
                  strict=True)  # fmt: skip
    name, text, near = next(
        (ours.name, text, did_you_mean(text, theirs.texts))
        for ours, theirs in columns
        for text in ours.texts
        if text not in theirs.places
    )
    raise InputError(
        f"column {name!r} of those held out, {source}, has {text!r}, which is no value of it in "
        f"the release by {release.made_by}{near}; if it is another name for one of them, rename it "
        "before reading; else read all people as one table, take the members and those held out "
        "from it (everybody.take(…)), and read or make the release with these members"
    )
