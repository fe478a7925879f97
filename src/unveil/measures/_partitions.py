"""Semantic partitions: which sensitive values mean the same to an attacker.

An attacker who wants to know whether a salary is low does not care which low salary it is. A
partition puts every value into one category. It is part of the attacker model and comes from the
user, in one of several forms: lists, mappings, bands, cut points, hierarchy levels, texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import Contingency, Secret, text_of
from unveil.errors import InputError, did_you_mean
from unveil.microdata import Hierarchy

__all__ = ["HierarchyLevel", "Partition", "is_number", "parse_partition"]

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"


_BAND = re.compile(rf"({_NUMBER})\s*-\s*({_NUMBER})?", re.ASCII)


_BELOW = re.compile(rf"<\s*({_NUMBER})", re.ASCII)


_LEVEL = re.compile(r"level\s*=\s*(\d+)", re.ASCII)


_CUTS = re.compile(rf"\s*{_NUMBER}\s*(?:,\s*{_NUMBER}\s*)*", re.ASCII)


def is_number(value: object) -> bool:
    """Whether a value is a number; True and False are none."""
    return isinstance(value, (int, float, Decimal, np.integer, np.floating)) and not isinstance(
        value, bool
    )


def listed(texts: Sequence[str], *, most: int = 10) -> str:
    """Values in a message, not too many of them."""
    shown = ", ".join(texts[:most])
    return shown + (f" … ({len(texts):,} in all)" if len(texts) > most else "")


class Band(NamedTuple):
    """Numbers from ``low`` to below ``high``; None is no end."""

    low: Any
    high: Any

    @classmethod
    def looks_like(cls, item: Any) -> bool:
        """Whether something is a pair of ends, at least one of them a number."""
        return (
            len(item) == 2
            and all(end is None or is_number(end) for end in item)
            and any(end is not None for end in item)
        )

    def codes(self, secret: Secret) -> list[int]:
        """The values of a secret that are in it."""
        return [
            code
            for code, value in enumerate(secret.values)
            if value is not None and self._has(value)
        ]

    def _has(self, value: Any) -> bool:
        return bool(
            (self.low is None or value >= self.low) and (self.high is None or value < self.high)
        )

    def __str__(self) -> str:
        if self.low is None:
            return f"below {text_of(self.high)}"
        end = "" if self.high is None else f" to below {text_of(self.high)}"
        return f"{'from ' if self.high is None else ''}{text_of(self.low)}{end}"


def band_in(member: Any, secret: Secret, *, is_value: Callable[[Any], int | None]) -> Band | None:
    """The band that something in a category is, if it is none of the values."""
    if isinstance(member, tuple):
        if not Band.looks_like(member):
            raise InputError(
                f"the partition of {secret.name!r} has the tuple {member!r}; a band is a tuple of "
                "two numbers, such as (0, 20) or (20, None), and values stand in a list"
            )
        return _checked(Band(*member), secret)
    if not isinstance(member, str) or is_value(member) is not None or not _numeric(secret):
        return None
    found = _BAND.fullmatch(member.strip())
    if found:
        low, high = found.groups()
        return _checked(Band(float(low), None if high is None else float(high)), secret)
    found = _BELOW.fullmatch(member.strip())
    return _checked(Band(None, float(found[1])), secret) if found else None


def bands_between(cuts: Sequence[Any], secret: Secret) -> list[Band]:
    """The bands that cut points make."""
    for before, after in pairwise(cuts):
        if not before < after:
            raise InputError(
                f"the cut points of {secret.name!r} have to ascend, but {text_of(after)} comes "
                f"after {text_of(before)}"
            )
    return [_checked(Band(*ends), secret) for ends in pairwise([None, *cuts, None])]


def _numeric(secret: Secret) -> bool:
    return all(value is None or is_number(value) for value in secret.values)


def _checked(band: Band, secret: Secret) -> Band:
    if not _numeric(secret):
        strange = next(v for v in secret.values if v is not None and not is_number(v))
        raise InputError(
            f"bands and cut points need numbers, and {secret.name!r} has {strange!r}: list the "
            "values of each category"
        )
    if band.low is not None and band.high is not None and not band.low < band.high:
        raise InputError(
            f"the band from {text_of(band.low)} to {text_of(band.high)} of {secret.name!r} is "
            "empty: it has its lower end and not its upper one"
        )
    return band


@dataclass(frozen=True, kw_only=True)
class HierarchyLevel:
    """The categories are the nodes of a hierarchy, so many steps beneath its root.

    A leaf that is nearer to the root is a category of its own, so that ragged trees make
    partitions, too.

    Parameters
    ----------
    level : int
        1 are the nodes right beneath the root, 2 those beneath them, and so on.
    hierarchy : Hierarchy, optional
        By default that of the sensitive column.

    Examples
    --------
    >>> import unveil as uv
    >>> tree = uv.Hierarchy.from_paths([("flu", "infection", "*"), ("aids", "infection", "*"),
    ...                                 ("none", "*")])
    >>> disease = Secret(name="disease", values=("aids", "flu", "none"))
    >>> uv.Partition.of(uv.HierarchyLevel(level=1, hierarchy=tree), disease)
    Partition of disease: infection: aids, flu; none: none
    """

    level: int
    hierarchy: Hierarchy | None = None

    def nodes(self, secret: Secret) -> list[str]:
        """The name of the node that each value of a secret is in."""
        tree = secret.hierarchy if self.hierarchy is None else self.hierarchy
        if tree is None:
            raise InputError(
                f"{secret.name!r} has no hierarchy whose level {self.level} could be its "
                "partition: give one, HierarchyLevel(level=…, hierarchy=…)"
            )
        if isinstance(self.level, bool) or not isinstance(self.level, int) or not (
            1 <= self.level < tree.depth
        ):  # fmt: skip
            raise InputError(
                f"the hierarchy {tree.source} of {secret.name!r} has the levels 1 to "
                f"{tree.depth - 1} beneath its root, but got {self.level!r}"
            )
        if None in secret.values and text_of(None) not in tree:
            raise InputError(
                f"{secret.name!r} has missing values, and the hierarchy {tree.source} has no place "
                f"for them: give hierarchy.with_leaf({text_of(None)!r})"
            )
        # From the root down to the leaf: what is at the level, or else the leaf itself.
        down = [tree.path(tree.leaf(text))[::-1] for text in secret.texts]
        return [path[min(self.level, len(path) - 1)] for path in down]


def parse_partition(text: str) -> dict[str, list[str]] | list[float] | HierarchyLevel:
    r"""Read a partition as it is written on a command line; `Partition.of` takes the result.

    Categories are parted by commas and values by bars, and a name stands before a colon. Bands
    have their lower end and not their upper one: ``0-20``, ``40-`` (from 40 on), ``<20``. What is
    a value of the column is that value, whatever it looks like. Cut points are numbers and
    commas, and ``level=1`` is a level of the column's hierarchy. A missing value is
    ``(missing)``. A backslash before a comma, a bar or a colon makes it part of the value.

    Examples
    --------
    >>> parse_partition("sick:flu|aids,well:none")
    {'sick': ['flu', 'aids'], 'well': ['none']}
    >>> parse_partition("low:0-20,middle:20-40,high:40-")
    {'low': ['0-20'], 'middle': ['20-40'], 'high': ['40-']}
    >>> parse_partition("20,40")
    [20.0, 40.0]
    >>> parse_partition("level=2")
    HierarchyLevel(level=2, hierarchy=None)
    """
    level = _LEVEL.fullmatch(text.strip())
    if level:
        return HierarchyLevel(level=int(level[1]))
    if _CUTS.fullmatch(text):
        return [float(cut) for cut in text.split(",")]
    categories: dict[str, list[str]] = {}
    for part in _parted(text, ","):
        name, *values = _parted(part, ":", most=1)
        name = _plain(name)
        if not values or not name or not values[0].strip():
            raise InputError(
                f"the partition {text!r} has {part.strip()!r} where a category should be; write "
                "name:value|value,name:value or low:0-20,high:20-"
            )
        if name in categories:
            raise InputError(f"the partition {text!r} has two categories {name!r}")
        categories[name] = [_plain(value) for value in _parted(values[0], "|")]
    return categories


def _parted(text: str, by: str, *, most: int = 0) -> list[str]:
    return re.split(rf"(?<!\\){re.escape(by)}", text, maxsplit=most)


def _plain(text: str) -> str:
    return re.sub(r"\\([,:|\\])", r"\1", text.strip())


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
