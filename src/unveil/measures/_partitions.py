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
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import Contingency, Secret, text_of
from unveil.errors import Cell, Column, File, InputError, Listed, Message, Option, did_you_mean
from unveil.microdata import Hierarchy
from unveil.options import Help, Shell

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_BAND = re.compile(rf"({_NUMBER})\s*-\s*({_NUMBER})?", re.ASCII)
_BELOW = re.compile(rf"<\s*({_NUMBER})", re.ASCII)
_LEVEL = re.compile(r"level\s*=\s*(\d+)", re.ASCII)
_LIMITS = "a band includes its lower limit and excludes its upper one"
_MOST = 10  # values that a message lists
_CUTS = re.compile(rf"\s*{_NUMBER}\s*(?:,\s*{_NUMBER}\s*)*", re.ASCII)


def is_number(value: object) -> bool:
    """Whether a value is a number; True and False are not."""
    return isinstance(value, (int, float, Decimal, np.integer, np.floating)) and not isinstance(
        value, bool
    )


def _listed(texts: Sequence[str], *, most: int = _MOST) -> str:
    """The first values."""
    shown = ", ".join(texts[:most])
    return shown + (f" … ({len(texts):,} in all)" if len(texts) > most else "")


def _cells(texts: Sequence[str]) -> Listed:
    """The first values, for a message."""
    more = [f"… ({len(texts):,} in all)"] if len(texts) > _MOST else []
    return Listed([*(Cell(text, bare=True) for text in texts[:_MOST]), *more])


def _wrong(text: str, secret: Secret, **parts: Any) -> InputError:
    """An error in the partition of a column."""
    return InputError("the partition of {column} " + text, column=Column(secret.name), **parts)


class _Band(NamedTuple):
    """Numbers from ``low`` to below ``high``; None is no limit."""

    low: Any
    high: Any

    @classmethod
    def looks_like(cls, item: Any) -> bool:
        """Whether something is a pair of limits, at least one of them a number."""
        return (
            len(item) == 2
            and all(end is None or is_number(end) for end in item)
            and any(end is not None for end in item)
        )

    def codes(self, secret: Secret) -> list[int]:
        """The values of a secret that are in the band."""
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


def _band_in(member: Any, secret: Secret, *, is_value: Callable[[Any], int | None]) -> _Band | None:
    """The band that a member of a category stands for, if it is not a value."""
    if isinstance(member, tuple):
        if not _Band.looks_like(member):
            raise _wrong(
                "has the tuple {member}; a band is a tuple of two numbers, such as (0, 20) or "
                "(20, None), and values are given in a list",
                secret,
                member=Cell(member),
            )
        return _checked(_Band(*member), secret)
    if not isinstance(member, str) or is_value(member) is not None or not _numeric(secret):
        return None
    found = _BAND.fullmatch(member.strip())
    if found:
        low, high = found.groups()
        return _checked(_Band(float(low), None if high is None else float(high)), secret)
    found = _BELOW.fullmatch(member.strip())
    return _checked(_Band(None, float(found[1])), secret) if found else None


def _bands_between(cuts: Sequence[Any], secret: Secret) -> list[_Band]:
    """The bands that cut points make."""
    for before, after in pairwise(cuts):
        if not before < after:
            raise InputError(
                "the cut points of {column} must ascend, but {after} comes after {before}",
                column=Column(secret.name), after=text_of(after), before=text_of(before),
            )  # fmt: skip
    return [_checked(_Band(*ends), secret) for ends in pairwise([None, *cuts, None])]


def _numeric(secret: Secret) -> bool:
    return all(value is None or is_number(value) for value in secret.values)


def _checked(band: _Band, secret: Secret) -> _Band:
    if not _numeric(secret):
        strange = next(v for v in secret.values if v is not None and not is_number(v))
        raise InputError(
            "bands and cut points need numbers, but {column} has {value}: list the values of each "
            "category",
            column=Column(secret.name),
            value=Cell(strange),
        )
    if band.low is not None and band.high is not None and not band.low < band.high:
        raise InputError(
            "the band from {low} to {high} of {column} is empty: a band includes its lower limit "
            "and excludes its upper one",
            low=text_of(band.low), high=text_of(band.high), column=Column(secret.name),
        )  # fmt: skip
    return band


@dataclass(frozen=True, kw_only=True)
class HierarchyLevel:
    """A partition by the nodes of a hierarchy at one level below its root.

    A leaf that is nearer to the root is a category of its own, so ragged trees work, too.

    Parameters
    ----------
    level : int
        1: the children of the root; 2: their children; and so on.
    hierarchy : Hierarchy, optional
        Default: that of the sensitive column.

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
                "{column} has no hierarchy, so it cannot be partitioned by a level of it: give "
                "one with HierarchyLevel(level=…, hierarchy=…)",
                column=Column(secret.name),
            )
        if isinstance(self.level, bool) or not isinstance(self.level, int) or not (
            1 <= self.level < tree.depth
        ):  # fmt: skip
            raise InputError(
                "the hierarchy {tree} of {column} has the levels 1 to {deepest} below its root, "
                "but got {level}",
                tree=File(tree.source, bare=True), column=Column(secret.name),
                deepest=tree.depth - 1, level=repr(self.level),
            )  # fmt: skip
        if None in secret.values and text_of(None) not in tree:
            raise InputError(
                "{column} has missing values, and the hierarchy {tree} has no leaf for them: add "
                "one, hierarchy.with_leaf({missing})",
                column=Column(secret.name),
                tree=File(tree.source, bare=True),
                missing=repr(text_of(None)),
            )
        # From the root down to the leaf: what is at the level, or else the leaf itself.
        down = [tree.path(tree.leaf(text))[::-1] for text in secret.texts]
        return [path[min(self.level, len(path) - 1)] for path in down]


def parse_partition(text: str) -> dict[str, list[str]] | list[float] | HierarchyLevel:
    r"""Read a partition as it is written on a command line; `Partition.of` takes the result.

    Commas separate categories, bars separate values, and the name of a category stands before a
    colon. Bands include their lower limit and exclude their upper one: ``0-20``, ``40-`` (from 40
    on), ``<20``. A text that is a value of the column means that value. Cut points are numbers
    with commas between them, and ``level=1`` is a level of the column's hierarchy. A missing
    value is ``(missing)``. A backslash before a comma, bar or colon makes it part of the value.

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
                "the partition {text} has {part} where a category should be; write "
                "name:value|value,name:value or low:0-20,high:20-",
                text=Cell(text),
                part=Cell(part.strip()),
            )
        if name in categories:
            raise InputError(
                "the partition {text} has two categories {name}", text=Cell(text), name=Cell(name)
            )
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
              is a band. It includes its lower limit and excludes its upper one; None is no limit.
              Values may stand beside bands: ``{"low": (0, 20), "high": [(20, None), 7.5]}``.
            - Cut points: ``[20, 40]`` are the bands below 20, from 20 to below 40, and from 40.
            - `HierarchyLevel`.
            - The text that `parse_partition` reads.

            None names a missing value, which is a value like any other.
        secret : Secret
            Each of its values must be in one category; no others may be named.

        Examples
        --------
        >>> salary = Secret(name="salary", values=(4, 5, 9, None), ordered=True)
        >>> Partition.of({"low": (None, 6), "high": (6, None), "unknown": [None]}, salary).members
        {'low': ('4', '5'), 'high': ('9',), 'unknown': ('(missing)',)}
        >>> Partition.of([[4, 5], [9]], salary)
        Traceback (most recent call last):
        unveil.errors.InputError: the partition of 'salary' leaves out (missing): every value must
        be in a category, also a missing one, which is named by None
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
        """The values of each category, as texts."""
        found: dict[str, list[str]] = {name: [] for name in self.names}
        for text, group in zip(self.secret.texts, self.groups.tolist(), strict=True):
            found[self.names[group]].append(text)
        return {name: tuple(texts) for name, texts in found.items()}

    @cached_property
    def category(self) -> Secret:
        """The category as a secret: what the attacker wants to know."""
        return Secret(name=self.secret.name, values=self.names)

    def merged(self, counts: Contingency) -> Contingency:
        """The counts of the categories."""
        return counts.merged(self.groups, self.category)

    def fitted(self, secret: Secret) -> Partition:
        """The same partition for a secret whose values are all in it."""
        if secret is self.secret:
            return self
        unknown = [text for text in secret.texts if text not in self.secret.places]
        if unknown:
            raise _left_out(unknown, secret, bands=False)
        places = [self.secret.places[text] for text in secret.texts]
        return Partition(secret=secret, names=self.names, groups=self.groups[places])

    def __repr__(self) -> str:
        return f"Partition of {self.secret.name}: " + "; ".join(
            f"{name}: {_listed(texts)}" for name, texts in self.members.items()
        )


class _Category(NamedTuple):
    """A category as it was given; without a name it is named by its members."""

    name: str | None
    members: list[Any]


def _categories(given: Any, secret: Secret) -> list[_Category]:
    if isinstance(given, Mapping):
        return _of_mapping(given, secret)
    if not _is_collection(given):
        raise _wrong(
            "must be a list of lists, a mapping, a HierarchyLevel or a text such as "
            "'low:0-20,high:20-', but is {given}",
            secret,
            given=Cell(given),
        )
    items = list(given)
    if items and all(is_number(item) for item in items):
        return [_Category(str(band), [band]) for band in _bands_between(items, secret)]
    for item in items:
        if not _is_collection(item):
            raise _wrong(
                "has {item} where a list of values should be: give [[…], […]], or only numbers, "
                "as cut points",
                secret,
                item=Cell(item),
            )
    return [_Category(None, _members(item)) for item in items]


def _of_mapping(given: Mapping[Any, Any], secret: Secret) -> list[_Category]:
    collections = [key for key, value in given.items() if _is_collection(value)]
    if len(collections) == len(given):
        return [_Category(text_of(name), _members(value)) for name, value in given.items()]
    if collections:
        single = next(key for key in given if key not in collections)
        raise _wrong(
            "maps {several} to values and {single} to {value}: map every name to a list of "
            "values, or every value to a name",
            secret,
            several=Cell(collections[0]), single=Cell(single), value=Cell(given[single]),
        )  # fmt: skip
    by_name: dict[str, list[Any]] = {}
    for value, name in given.items():
        by_name.setdefault(text_of(name), []).append(value)
    known = _Known(secret)
    if not any(known.code(value) is not None for value in given) and all(
        known.code(name) is not None for name in given.values()
    ):
        raise _wrong(
            "maps names to single values; write them as lists, such as {example}",
            secret,
            example=Cell({next(iter(given)): [next(iter(given.values()))]}),
        )
    return [_Category(name, values) for name, values in by_name.items()]


def _is_collection(item: Any) -> bool:
    return isinstance(item, Iterable) and not isinstance(item, (str, bytes, Mapping))


def _members(category: Any) -> list[Any]:
    # A tuple of two numbers is a band. Two values cannot be mistaken for a band: the largest
    # number of all tuples would be a value that no band includes, which is refused.
    return [category] if isinstance(category, tuple) and _Band.looks_like(category) else [*category]


class _Known:
    """Finds the code of a value, whatever its type."""

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
            raise _wrong(
                "has a category without values{name}: leave it out",
                secret,
                name="" if name is None else Message(", {name}", name=Cell(name)),
            )
        inside: set[int] = set()
        for member in members:
            band = _band_in(member, secret, is_value=known.code)
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
        return str(_Band(*members[0]))
    return f"{{{_listed([secret.texts[code] for code in codes], most=4)}}}"


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
        raise _wrong(
            "names {strange}, which nobody has{near} (values: {values})",
            secret,
            strange=_cells([text_of(value) for value in strange]),
            near=Cell(near, bare=True) if near else "",
            values=_cells(secret.texts),
        )
    if twice:
        raise _wrong(
            "has {twice} in more than one category: every value belongs to one{bands}",
            secret,
            twice=_cells(list(dict.fromkeys(twice))),
            bands=f" ({_LIMITS})" if bands else "",
        )
    left = [secret.texts[code] for code in np.flatnonzero(groups < 0)]
    if left:
        raise _left_out(left, secret, bands=bands)
    if len(set(names)) < len(names):
        same = next(name for i, name in enumerate(names) if name in names[:i])
        raise _wrong("has two categories {name}", secret, name=Cell(same))


def _left_out(left: Sequence[str], secret: Secret, *, bands: bool) -> InputError:
    missing = any(value is None and text in left for value, text in
                  zip(secret.values, secret.texts, strict=True))  # fmt: skip
    return _wrong(
        "leaves out {left}: every value must be in a category{missing}{bands}",
        secret,
        left=_cells(left),
        missing=", also a missing one, which is named by None" if missing else "",
        bands=f"; {_LIMITS}, and (40, None) has no upper limit" if bands else "",
    )


def _by_level(given: HierarchyLevel, secret: Secret) -> Partition:
    nodes = given.nodes(secret)
    names = tuple(dict.fromkeys(nodes))
    place = {name: group for group, name in enumerate(names)}
    return Partition(
        secret=secret,
        names=names,
        groups=np.array([place[node] for node in nodes], dtype=np.int64),
    )


def _typed(texts: Sequence[str]) -> Any:
    if len(texts) > 1:
        raise InputError("give one {option}: the categories of the sensitive column",
                         option=Option("partition"))  # fmt: skip
    return parse_partition(texts[0])


Categories = Annotated[
    Any,
    Help(
        "Categories of the sensitive column, for an attacker who only wants to know those: lists "
        "of values, a mapping, bands of numbers, a HierarchyLevel; in a shell "
        "'low:0-20,high:20-', 'cancer:lung|stomach,other:flu|aids' or 'level=1' (of its "
        "hierarchy)."
    ),
    Shell(parse=_typed, metavar="CATEGORIES"),
]
"""The option of all functions that take a partition."""
