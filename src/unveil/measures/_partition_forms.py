"""The forms in which a partition can be written: bands, cut points, hierarchy levels, texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from unveil.engine.counting import Secret, text_of
from unveil.errors import InputError
from unveil.microdata import Hierarchy

__all__ = [
    "Band",
    "HierarchyLevel",
    "band_in",
    "bands_between",
    "is_number",
    "listed",
    "parse_partition",
]

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
