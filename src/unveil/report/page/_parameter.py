"""Releases that differ in one parameter: what is told of each is told over that parameter."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

__all__ = ["Family", "families_of", "over_parameter"]

_NUMBER = re.compile(r"\b([a-z_]\w*)=(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?=[,)])")
_FEWEST = 3  # two points are no curve


@dataclass(frozen=True)
class Family:
    """Releases that differ in one number.

    Attributes
    ----------
    name : str
        What they have in common: ``Mondrian(k=…)``.
    parameter : str
    values : tuple of float
        In ascending order.
    members : tuple of str
        The names under which they are shown, in the order of their values.
    """

    name: str
    parameter: str
    values: tuple[float, ...]
    members: tuple[str, ...]

    @property
    def logarithmic(self) -> bool:
        """Whether values grow by factors rather than by steps."""
        return self.values[0] > 0 and self.values[-1] / self.values[0] >= 8


def families_of(releases: Sequence[Mapping[str, Any]]) -> list[Family]:
    """Families of three or more, the largest first; nobody is in two.

    >>> names = ["Identity()", *(f"Mondrian(k={k})" for k in (2, 16, 4)), "Mondrian(k=4, l=3)"]
    >>> releases = [{"name": name, "shown": name, "kind": "sanitizer"} for name in names]
    >>> [(one.name, one.values, one.logarithmic) for one in families_of(releases)]
    [('Mondrian(k=…)', (2.0, 4.0, 16.0), True)]
    """
    found: dict[tuple[str, str], dict[float, str]] = {}
    for release in releases:
        if release["kind"] != "sanitizer":
            continue  # what a file is called is no parameter
        name = release["name"]
        for number in _NUMBER.finditer(name):
            start, end = number.span(2)
            alike = found.setdefault((f"{name[:start]}…{name[end:]}", number[1]), {})
            alike[float(number[2])] = release["shown"]
    families, taken = [], set[str]()
    for (name, parameter), members in sorted(found.items(), key=lambda item: -len(item[1])):
        free = {value: one for value, one in sorted(members.items()) if one not in taken}
        if len(free) >= _FEWEST:
            families.append(Family(name, parameter, tuple(free), tuple(free.values())))
            taken |= set(free.values())
    return families


def over_parameter(
    chart: Mapping[str, Any], families: Sequence[Family], releases: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Bars of releases as lines over their parameter, one chart for each family.

    Releases that are in no family stand apart in each of them. Any other chart stays as it is.
    """
    names = list(chart["series"][0]["x"]) if chart["series"] else []
    if chart["kind"] != "bars" or not set(names) <= {one["shown"] for one in releases}:
        return [chart]
    drawn = [one for one in families if sum(name in names for name in one.members) >= _FEWEST]
    if not drawn:
        return [chart]
    in_families = {name for one in drawn for name in one.members}
    apart = [name for name in names if name not in in_families]
    return [_lines(chart, family, apart, several=len(drawn) > 1) for family in drawn]


def _lines(
    chart: Mapping[str, Any], family: Family, apart: Sequence[str], *, several: bool
) -> dict[str, Any]:
    names = list(chart["series"][0]["x"])
    known = [
        (value, name)
        for value, name in zip(family.values, family.members, strict=True)
        if name in names
    ]
    places = [math.log2(value) if family.logarithmic else value for value, _ in known]
    step = median(b - a for a, b in pairwise(places))
    before = [places[0] - step * (len(apart) - n) for n in range(len(apart))]
    order = [names.index(name) for name in (*apart, *(name for _, name in known))]

    def ordered(values: Sequence[Any]) -> list[Any]:
        return [values[place] for place in order] if len(values) else []

    return {
        **chart,
        "kind": "lines",
        "title": f"{chart['title']}: {family.name}" if several else chart["title"],
        "x": {"label": family.parameter, "scale": "linear", "share": False},
        "series": [
            {**one, **{side: ordered(one[side]) for side in ("x", "y", "low", "high")}}
            for one in chart["series"]
        ],
        "places": [*before, *places],
        "ticks": [*apart, *(f"{value:g}" for value, _ in known)],
        "apart": len(apart),
    }
