"""Semantic partitions: which sensitive values mean the same to an attacker.

An attacker who wants to know whether a salary is low does not care which low salary it is. A
partition puts every value into one category. It is part of the attacker model and comes from the
user, in one of several forms: lists, mappings, bands, cut points, hierarchy levels, texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
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
_LEVEL = re.compile(r"level\s*=\s*(\d{1,9})", re.ASCII)
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


class _Band(NamedTuple):
    """Numbers from ``low`` to below ``high``; None is no limit."""

    low: Any
    high: Any

    def covers(self, value: Any) -> bool:
        return bool(
            (self.low is None or value >= self.low) and (self.high is None or value < self.high)
        )

    def __str__(self) -> str:
        if self.low is None:
            return f"below {text_of(self.high)}"
        end = "" if self.high is None else f" to below {text_of(self.high)}"
        return f"{'from ' if self.high is None else ''}{text_of(self.low)}{end}"


def _is_band(item: Any) -> bool:
    """Whether something is a tuple of two limits, at least one of them a number."""
    ends = item if isinstance(item, tuple) and len(item) == 2 else ()
    return any(map(is_number, ends)) and all(end is None or is_number(end) for end in ends)


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
            nodes = given.nodes(secret)
            place = {name: group for group, name in enumerate(dict.fromkeys(nodes))}
            groups = np.array([place[node] for node in nodes], dtype=np.int64)
            return Partition(secret=secret, names=tuple(place), groups=groups)
        return _Reader(secret).partition(given)

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
            raise _Reader(secret).left_out(unknown)
        places = [self.secret.places[text] for text in secret.texts]
        return Partition(secret=secret, names=self.names, groups=self.groups[places])

    def __repr__(self) -> str:
        return f"Partition of {self.secret.name}: " + "; ".join(
            f"{name}: {_listed(texts)}" for name, texts in self.members.items()
        )


def _is_collection(item: Any) -> bool:
    return isinstance(item, Iterable) and not isinstance(item, (str, bytes, Mapping))


def _members(category: Any) -> list[Any]:
    # A tuple of two numbers is a band. Two values cannot be mistaken for a band: the largest
    # number of all tuples would be a value that no band includes, which is refused.
    return [category] if _is_band(category) else [*category]


class _Reader:
    """Reads a partition of the values of a secret."""

    def __init__(self, secret: Secret) -> None:
        self._secret = secret
        self._numbers = {v: code for code, v in enumerate(secret.values) if is_number(v)}
        words = [v for v in secret.values if v is not None and not is_number(v)]
        self._words = words  # bands and cut points need a secret without
        self._bands = False  # whether there are any

    def _wrong(self, text: str, **parts: Any) -> InputError:
        column = Column(self._secret.name)
        return InputError("the partition of {column} " + text, column=column, **parts)

    def _code(self, value: Any) -> int | None:
        """The code of a value, whatever its type, or None."""
        if is_number(value) and value in self._numbers:  # 4.00 of an exact type is 4, too
            return self._numbers[value]
        return self._secret.places.get(text_of(value))

    def _codes(self, member: Any) -> list[int]:
        """The values that a member of a category stands for; none if it is strange."""
        band = self._band(member)
        if band is None:
            code = self._code(member)
            return [] if code is None else [code]
        self._bands = True
        return [code for value, code in self._numbers.items() if band.covers(value)]

    def _band(self, member: Any) -> _Band | None:
        """The band that a member of a category stands for, if it is not a value."""
        if isinstance(member, tuple):
            if not _is_band(member):
                raise self._wrong(
                    "has the tuple {member}; a band is a tuple of two numbers, such as (0, 20) or "
                    "(20, None), and values are given in a list",
                    member=Cell(member),
                )
            return self._checked(_Band(*member))
        if not isinstance(member, str) or self._code(member) is not None or self._words:
            return None
        if found := _BAND.fullmatch(member.strip()):
            low, high = found.groups()
            return self._checked(_Band(float(low), None if high is None else float(high)))
        found = _BELOW.fullmatch(member.strip())
        return self._checked(_Band(None, float(found[1]))) if found else None

    def _checked(self, band: _Band) -> _Band:
        if self._words:
            raise InputError(
                "bands and cut points need numbers, but {column} has {value}: list the values of "
                "each category",
                column=Column(self._secret.name),
                value=Cell(self._words[0]),
            )
        if band.low is not None and band.high is not None and not band.low < band.high:
            raise InputError(
                "the band from {low} to {high} of {column} is empty: {limits}",
                low=text_of(band.low), high=text_of(band.high), column=Column(self._secret.name),
                limits=_LIMITS,
            )  # fmt: skip
        return band

    def _categories(self, given: Any) -> list[tuple[str | None, list[Any]]]:
        """The name of each category, if it has one, and its members."""
        if isinstance(given, Mapping):
            return self._of_mapping(given)
        if not _is_collection(given):
            raise self._wrong(
                "must be a list of lists, a mapping, a HierarchyLevel or a text such as "
                "'low:0-20,high:20-', but is {given}",
                given=Cell(given),
            )
        items = list(given)
        if items and all(is_number(item) for item in items):
            return [(str(band), [band]) for band in self._between(items)]
        for item in items:
            if not _is_collection(item):
                raise self._wrong(
                    "has {item} where a list of values should be: give [[…], […]], or only "
                    "numbers, as cut points",
                    item=Cell(item),
                )
        return [(None, _members(item)) for item in items]

    def _between(self, cuts: Sequence[Any]) -> list[_Band]:
        """The bands that cut points make."""
        for before, after in pairwise(cuts):
            if not before < after:
                raise InputError(
                    "the cut points of {column} must ascend, but {after} comes after {before}",
                    column=Column(self._secret.name), after=text_of(after), before=text_of(before),
                )  # fmt: skip
        return [self._checked(_Band(*ends)) for ends in pairwise([None, *cuts, None])]

    def _of_mapping(self, given: Mapping[Any, Any]) -> list[tuple[str | None, list[Any]]]:
        collections = [key for key, value in given.items() if _is_collection(value)]
        if len(collections) == len(given):
            return [(text_of(name), _members(value)) for name, value in given.items()]
        if collections:
            single = next(key for key in given if key not in collections)
            raise self._wrong(
                "maps {several} to values and {single} to {value}: map every name to a list of "
                "values, or every value to a name",
                several=Cell(collections[0]), single=Cell(single), value=Cell(given[single]),
            )  # fmt: skip
        if all(self._code(value) is None for value in given) and all(
            self._code(name) is not None for name in given.values()
        ):
            raise self._wrong(
                "maps names to single values; write them as lists, such as {example}",
                example=Cell({next(iter(given)): [next(iter(given.values()))]}),
            )
        by_name: dict[str | None, list[Any]] = {}
        for value, name in given.items():
            by_name.setdefault(text_of(name), []).append(value)
        return list(by_name.items())

    def partition(self, given: Any) -> Partition:
        """The partition, if every value is in one category."""
        texts = self._secret.texts
        groups = np.full(len(texts), -1, dtype=np.int64)
        names: list[str] = []
        strange, twice = [], []
        for group, (name, members) in enumerate(self._categories(given)):
            if not members:
                raise self._wrong(
                    "has a category without values{name}: leave it out",
                    name="" if name is None else Message(", {name}", name=Cell(name)),
                )
            inside: set[int] = set()
            for member in members:
                inside.update(codes := self._codes(member))
                strange += [] if codes or self._band(member) else [text_of(member)]
            codes = sorted(inside)
            twice += [texts[code] for code in codes if groups[code] >= 0]
            groups[codes] = group
            if name is None:
                name = f"{{{_listed([texts[code] for code in codes], most=4)}}}"
                if len(members) == 1 and isinstance(members[0], tuple):
                    name = str(_Band(*members[0]))
            names.append(name)
        if strange:
            near = did_you_mean(strange[0], texts)
            raise self._wrong(
                "names {strange}, which nobody has{near} (values: {values})",
                strange=_cells(strange), near=Cell(near, bare=True) if near else "",
                values=_cells(texts),
            )  # fmt: skip
        if twice:
            raise self._wrong(
                "has {twice} in more than one category: every value belongs to one{bands}",
                twice=_cells(list(dict.fromkeys(twice))),
                bands=f" ({_LIMITS})" if self._bands else "",
            )
        if (groups < 0).any():
            raise self.left_out([texts[code] for code in np.flatnonzero(groups < 0)])
        same = [name for i, name in enumerate(names) if name in names[:i]]
        if same:
            raise self._wrong("has two categories {name}", name=Cell(same[0]))
        return Partition(secret=self._secret, names=tuple(names), groups=groups)

    def left_out(self, left: Sequence[str]) -> InputError:
        """The error for values that are in no category."""
        missing = None in self._secret.values and text_of(None) in left
        return self._wrong(
            "leaves out {left}: every value must be in a category{missing}{bands}",
            left=_cells(left),
            missing=", also a missing one, which is named by None" if missing else "",
            bands=f"; {_LIMITS}, and (40, None) has no upper limit" if self._bands else "",
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
