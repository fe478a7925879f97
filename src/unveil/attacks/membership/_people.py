"""Who is in the table, who is not, and whom the attacker has data of besides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.membership._tables import joined
from unveil.errors import InputError
from unveil.microdata import Mapped, Microdata

__all__ = ["People", "split_people"]

_FEWEST = 2  # of a group: one person shows no variation, and a table without them is empty


@dataclass(frozen=True, eq=False, kw_only=True)
class People:
    """Everybody, and the three parts they fall into, as record numbers in ascending order.

    Attributes
    ----------
    everybody : Microdata
    members : array
        Whose records are sanitized and published.
    held_out : array
        Whose are not.
    own : array
        Whose records the attacker has himself; empty if he has none.
    """

    everybody: Microdata
    members: NDArray[np.intp]
    held_out: NDArray[np.intp]
    own: NDArray[np.intp]

    @cached_property
    def asked(self) -> NDArray[np.intp]:
        """About whom the attacker asks: members and those held out, in ascending order."""
        return np.sort(np.concatenate([self.members, self.held_out]))

    @cached_property
    def is_member(self) -> NDArray[np.bool_]:
        """Which of those he asks about are members."""
        return np.isin(self.asked, self.members)

    @cached_property
    def table(self) -> Microdata:
        """D, the table of the members."""
        return self._part(self.members, "the members' part of")

    @cached_property
    def own_table(self) -> Microdata:
        """The table that the attacker has himself."""
        return self._part(self.own, "the attacker's own part of")

    def _part(self, records: NDArray[np.intp], what: str) -> Microdata:
        # A goal that a part cannot meet is told with the source's name.
        part = self.everybody.take(records)
        return replace(part, source=f"{what} {self.everybody.source}")


def split_people(
    microdata: Microdata,
    held_out: Any = 0.5,
    *,
    own: float = 0.2,
    mapping: Mapped = None,
    seed: int = 0,
) -> People:
    """Draw, or take as given, who is held out and whom the attacker has data of.

    Parameters
    ----------
    microdata : Microdata
    held_out : float, sequence of int, mask or Microdata
        As `membership` takes it.
    own : float
        Share of the people that the attacker gets for himself, as `membership` takes it; 0:
        nobody.
    mapping : mapping of str to mapping, optional
        What values of a table of those held out are called here, as `membership` takes it.
    seed : int

    Examples
    --------
    >>> import unveil as uv
    >>> people = split_people(uv.datasets.census(100))
    >>> len(people.members), len(people.held_out), len(people.own)
    (40, 40, 20)
    """
    if isinstance(own, bool) or not isinstance(own, int | float | np.number) or not 0 <= own < 1:
        raise InputError(f"own must be a share from 0 up and below 1, got {own!r}")
    n, rng, everybody = len(microdata), np.random.default_rng([seed, 1]), microdata
    if mapping is not None and not isinstance(held_out, Microdata):
        raise InputError("mapping= is about the values of a table of those held out: give one")
    if held_out is microdata:
        raise InputError(
            "the people held out are the members themselves; give a table of other people, or a "
            "share of this one to hold out, such as 0.5"
        )
    if isinstance(held_out, Microdata):  # the members' table is published whole
        everybody = joined(microdata, held_out, mapping)
        for_him, held = _drawn(own, np.arange(n, len(everybody)), rng)
        members = np.arange(n)
    elif _is_number(held_out):
        for_him, left = _drawn(own, np.arange(n), rng)
        held, members = np.split(left, [round(_share(held_out) * len(left))])
    else:
        held = _listed(held_out, n)
        for_him, members = _drawn(own, np.setdiff1d(np.arange(n), held), rng)
    people = People(
        everybody=everybody, members=np.sort(members), held_out=np.sort(held), own=np.sort(for_him)
    )
    _check(people, needs_own=own > 0)
    return people


def _drawn(
    share: float, people: NDArray[np.intp], rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """A share of some people, and the others, both in random order."""
    first, others = np.split(rng.permutation(people), [round(share * len(people))])
    return first, others


def _is_number(held_out: Any) -> bool:
    return isinstance(held_out, int | float | np.number | np.bool_)


def _share(held_out: Any) -> float:
    if isinstance(held_out, bool | np.bool_) or not 0 < held_out < 1:
        nobody = "nobody would be held out to compare members with; " if held_out == 0 else ""
        raise InputError(
            f"{nobody}held_out must be a share of the people above 0 and below 1, such as 0.5, "
            f"got {held_out!r}"
        )
    return float(held_out)


def _listed(held_out: Any, n: int) -> NDArray[np.intp]:
    """Record numbers, from record numbers or a mask."""
    try:
        chosen = np.asarray(held_out)
    except ValueError:  # lists of different lengths
        chosen = np.zeros((0, 0))
    if chosen.dtype == bool and chosen.shape == (n,):
        chosen = np.flatnonzero(chosen)
    elif chosen.ndim != 1 or (len(chosen) and not np.issubdtype(chosen.dtype, np.integer)):
        raise InputError(
            "held_out must be a share such as 0.5, a list of record numbers counted from 0, a mask "
            f"of {n:,} truth values, or microdata of other people; got a "
            f"{type(held_out).__name__}"
        )
    wrong = chosen[(chosen < 0) | (chosen >= n)]
    if len(wrong):
        raise InputError(f"held_out has {wrong[0]}, but records are numbered from 0 to {n - 1:,}")
    return np.unique(chosen).astype(np.intp)


def _check(people: People, *, needs_own: bool) -> None:
    """Every part has enough people, or it is said which has not and what to do."""
    source = people.everybody.source
    if not len(people.held_out):
        raise InputError(
            f"nobody of the {len(people.everybody):,} records of {source} is held out, so there is "
            "nobody to compare members with; hold out a share of them, such as 0.5"
        )
    counts = {"members": len(people.members), "people held out": len(people.held_out)}
    if needs_own:
        counts["people of the attacker's own"] = len(people.own)
    for what, count in counts.items():
        if count < _FEWEST:
            raise InputError(
                f"{source} has {len(people.everybody):,} records, too few to split like this: "
                f"{count} {what} are left, and at least {_FEWEST} are needed"
            )
