"""Semantic partitions: which values of a sensitive attribute an attacker takes to be the same.

Somebody who wants to know whether a salary is low does not care which low salary it is. A
partition puts every value into one category. It is part of the attacker's model and comes from
the user, in whatever form is at hand; here all forms become the same thing, and what is no
partition is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import Contingency, Secret, text_of
from unveil.errors import InputError, did_you_mean
from unveil.measures._partition_forms import (
    Band,
    HierarchyLevel,
    band_in,
    bands_between,
    is_number,
    listed,
    parse_partition,
)

__all__ = ["HierarchyLevel", "Partition", "parse_partition"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Partition:
    """Every value of a secret in one category. Made by `Partition.of`.

    Attributes
    ----------
    secret : Secret
        Whose values they are.
    names : tuple of str
        The categories.
    groups : array
        The category of each value of the secret.
    """

    secret: Secret
    names: tuple[str, ...]
    groups: NDArray[np.int64]

    @classmethod
    def of(cls, given: Any, secret: Secret) -> Partition:
        """Read a partition of a secret's values.

        Parameters
        ----------
        given : list of lists, mapping, HierarchyLevel, str or Partition
            - Lists of values: ``[["flu", "aids"], ["none"]]``.
            - Names of categories with their values: ``{"sick": ["flu", "aids"], "well":
              ["none"]}``.
            - Values with the name of their category: ``{"flu": "sick", "none": "well"}``.
            - Bands of numbers: ``{"low": (0, 20), "high": (20, None)}``. A *tuple* of two numbers
              is a band. It has its lower end and not its upper one; None is no end. Values may
              stand beside bands: ``{"low": (0, 20), "high": [(20, None), 7.5]}``.
            - Cut points: ``[20, 40]`` are the bands below 20, from 20 to below 40, and from 40.
            - `HierarchyLevel`.
            - The text that `parse_partition` reads.

            A missing value is one like any other, and is named by None.
        secret : Secret
            Its values all have to be in one category, and no others may be named.

        Examples
        --------
        >>> salary = Secret(name="salary", values=(4, 5, 9, None), ordered=True)
        >>> Partition.of({"low": (None, 6), "high": (6, None), "unknown": [None]}, salary).members
        {'low': ('4', '5'), 'high': ('9',), 'unknown': ('(missing)',)}
        >>> Partition.of([[4, 5], [9]], salary)
        Traceback (most recent call last):
        unveil.errors.InputError: the partition of 'salary' leaves out (missing): every value has
        to be in a category, also a missing one, which is named by None
        """
        if isinstance(given, Partition):
            return given.fitted(secret)
        if isinstance(given, str):
            given = parse_partition(given)
        if isinstance(given, HierarchyLevel):
            return _by_level(given, secret)
        return _resolved(_categories(given, secret), secret)

    @cached_property
    def members(self) -> dict[str, tuple[str, ...]]:
        """The values of each category, written out."""
        found: dict[str, list[str]] = {name: [] for name in self.names}
        for text, group in zip(self.secret.texts, self.groups.tolist(), strict=True):
            found[self.names[group]].append(text)
        return {name: tuple(texts) for name, texts in found.items()}

    @cached_property
    def category(self) -> Secret:
        """What the attacker wants to know: the category."""
        return Secret(name=self.secret.name, values=self.names)

    def merged(self, counts: Contingency) -> Contingency:
        """The counts of the categories."""
        return counts.merged(self.groups, self.category)

    def fitted(self, secret: Secret) -> Partition:
        """The same partition of a secret whose values are all in it."""
        if secret is self.secret:
            return self
        unknown = [text for text in secret.texts if text not in self.secret.places]
        if unknown:
            raise _left_out(unknown, secret, bands=False)
        places = [self.secret.places[text] for text in secret.texts]
        return Partition(secret=secret, names=self.names, groups=self.groups[places])

    def __repr__(self) -> str:
        return f"Partition of {self.secret.name}: " + "; ".join(
            f"{name}: {listed(texts)}" for name, texts in self.members.items()
        )


class _Category(NamedTuple):
    """A category as it was given; without a name it is called by what is in it."""

    name: str | None
    members: list[Any]


def _categories(given: Any, secret: Secret) -> list[_Category]:
    if isinstance(given, Mapping):
        return _of_mapping(given, secret)
    if not _is_collection(given):
        raise InputError(
            f"a partition of {secret.name!r} is a list of lists, a mapping, a HierarchyLevel or "
            f"a text such as 'low:0-20,high:20-', but got {given!r}"
        )
    items = list(given)
    if items and all(is_number(item) for item in items):
        return [_Category(str(band), [band]) for band in bands_between(items, secret)]
    for item in items:
        if not _is_collection(item):
            raise InputError(
                f"the partition of {secret.name!r} has {item!r} where a list of values should be: "
                "[[…], […]], or numbers alone, as cut points"
            )
    return [_Category(None, _members(item)) for item in items]


def _of_mapping(given: Mapping[Any, Any], secret: Secret) -> list[_Category]:
    collections = [key for key, value in given.items() if _is_collection(value)]
    if len(collections) == len(given):
        return [_Category(text_of(name), _members(value)) for name, value in given.items()]
    if collections:
        single = next(key for key in given if key not in collections)
        raise InputError(
            f"the partition of {secret.name!r} maps {collections[0]!r} to values and {single!r} "
            f"to {given[single]!r}: map every name to a list of values, or every value to a name"
        )
    by_name: dict[str, list[Any]] = {}
    for value, name in given.items():
        by_name.setdefault(text_of(name), []).append(value)
    known = _Known(secret)
    if not any(known.code(value) is not None for value in given) and all(
        known.code(name) is not None for name in given.values()
    ):
        raise InputError(
            f"the partition of {secret.name!r} maps names to single values; write them as lists, "
            f"such as {{{next(iter(given))!r}: [{next(iter(given.values()))!r}]}}"
        )
    return [_Category(name, values) for name, values in by_name.items()]


def _is_collection(item: Any) -> bool:
    return isinstance(item, Iterable) and not isinstance(item, (str, bytes, Mapping))


def _members(category: Any) -> list[Any]:
    # A tuple of two numbers is a band. It cannot be taken for two values by mistake: the largest
    # number of all tuples would be a value that no band has, and that is refused.
    return [category] if isinstance(category, tuple) and Band.looks_like(category) else [*category]


class _Known:
    """Finds the code of a value, whatever type it is written in."""

    def __init__(self, secret: Secret) -> None:
        self._places = secret.places
        self._numbers = {
            value: code for code, value in enumerate(secret.values) if is_number(value)
        }

    def code(self, value: Any) -> int | None:
        """The code of a value, or None."""
        if is_number(value) and value in self._numbers:  # 4.00 of an exact type is 4, too
            return self._numbers[value]
        return self._places.get(text_of(value))


def _resolved(categories: Sequence[_Category], secret: Secret) -> Partition:
    known = _Known(secret)
    groups = np.full(len(secret.values), -1, dtype=np.int64)
    names: list[str] = []
    strange, twice, bands = [], [], False
    for group, (name, members) in enumerate(categories):
        if not members:
            raise InputError(
                f"the partition of {secret.name!r} has a category without values"
                f"{'' if name is None else f', {name!r}'}: leave it out"
            )
        inside: set[int] = set()
        for member in members:
            band = band_in(member, secret, is_value=known.code)
            if band is not None:
                bands = True
                inside.update(band.codes(secret))
                continue
            code = known.code(member)
            inside.update(() if code is None else (code,))
            strange += [member] if code is None else []
        codes = sorted(inside)
        twice += [secret.texts[code] for code in codes if groups[code] >= 0]
        groups[codes] = group
        names.append(_called(codes, members, secret) if name is None else name)
    _check(secret, names, groups, strange, twice, bands)
    return Partition(secret=secret, names=tuple(names), groups=groups)


def _called(codes: Sequence[int], members: Sequence[Any], secret: Secret) -> str:
    if len(members) == 1 and isinstance(members[0], tuple):
        return str(Band(*members[0]))
    return f"{{{listed([secret.texts[code] for code in codes], most=4)}}}"


def _check(
    secret: Secret,
    names: Sequence[str],
    groups: NDArray[np.int64],
    strange: Sequence[Any],
    twice: Sequence[str],
    bands: bool,
) -> None:
    if strange:
        near = did_you_mean(text_of(strange[0]), secret.texts)
        named = listed([text_of(value) for value in strange])
        raise InputError(
            f"the partition of {secret.name!r} names {named}, which nobody has{near} "
            f"(values: {listed(secret.texts)})"
        )
    if twice:
        raise InputError(
            f"the partition of {secret.name!r} has {listed(list(dict.fromkeys(twice)))} in more "
            "than one category: every value belongs to one"
            + (" (a band has its lower end and not its upper one)" if bands else "")
        )
    left = [secret.texts[code] for code in np.flatnonzero(groups < 0)]
    if left:
        raise _left_out(left, secret, bands=bands)
    if len(set(names)) < len(names):
        same = next(name for i, name in enumerate(names) if name in names[:i])
        raise InputError(f"the partition of {secret.name!r} has two categories {same!r}")


def _left_out(left: Sequence[str], secret: Secret, *, bands: bool) -> InputError:
    missing = any(value is None and text in left for value, text in
                  zip(secret.values, secret.texts, strict=True))  # fmt: skip
    return InputError(
        f"the partition of {secret.name!r} leaves out {listed(left)}: every value has to be in a "
        "category"
        + (", also a missing one, which is named by None" if missing else "")
        + ("; a band has its lower end and not its upper one, and (40, None) goes on for ever"
           if bands else "")
    )  # fmt: skip


def _by_level(given: HierarchyLevel, secret: Secret) -> Partition:
    nodes = given.nodes(secret)
    names = tuple(dict.fromkeys(nodes))
    place = {name: group for group, name in enumerate(names)}
    return Partition(
        secret=secret,
        names=names,
        groups=np.array([place[node] for node in nodes], dtype=np.int64),
    )
