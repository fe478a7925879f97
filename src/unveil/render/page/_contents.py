"""What a page shows of an audit's JSON, put in an order in which people can read it.

Walls of numbers and of sentences are folded, not left out: nothing of the JSON is lost. Releases
that differ in one parameter are plotted against that parameter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from unveil.findings import Figure, Question
from unveil.render import Kind, lies_flat, middle, range_of

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


_ACROSS = 6  # releases side by side; more have a row each
_FOLDED = 10  # rows: longer tables are folded
_SENTENCES = 3  # more are folded
_LONG = 330  # letters below a chart; more are folded
_MAPS = 1  # heat maps of the same kind; more are folded
PRIVACY = ("delta", "one_value", "gr", "prosecutor")

_LEGENDS: dict[str, Kind] = {
    "distribution": "line", "lines": "line", "curves": "line", "points": "mark", "dots": "mark",
    "bars": "bar",
}  # fmt: skip


_DRAWN_COARSELY = {
    "distribution": "Drawn in coarse steps, because this report may be handed on.",
    **dict.fromkeys(
        ("bars", "dots", "lines"),
        "Bars and points are in the middle of a range, because this report may be handed on.",
    ),
}  # fmt: skip


def contents_of(audit: Mapping[str, Any]) -> list[dict[str, Any]]:
    """For each sensitive attribute: the releases side by side, and the sections."""
    return [_secret(audit, secret) for secret in audit["secrets"]]


def _secret(audit: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    secret = _noted_once(told, audit["data"]["notes"])
    families = families_of(secret["releases"])
    baseline = [] if secret["baseline"] is None else [secret["baseline"]]
    beside = [*baseline, *secret["releases"]]
    groups = _groups(audit, beside)
    return {
        "sensitive": secret["sensitive"],
        "releases": secret["releases"],
        "beside": beside,
        "among": sorted({text for one in beside for text in one["among"].values()}),
        "across": len(beside) <= _ACROSS,
        "groups": groups,
        "trade": _trade(audit, beside, families),
        "in_short": _whole(secret["sections"][0]) if secret["sections"] else [],
        "sections": [_section(one, families, secret["releases"]) for one in secret["sections"]],
    }


def _noted_once(secret: Mapping[str, Any], notes: Sequence[str]) -> dict[str, Any]:
    """Without notes about how the table was read: these are told once, and not of each release."""

    def new(one: Mapping[str, Any]) -> dict[str, Any]:
        # With several secrets such a note says before what it is about.
        left = [
            note
            for note in one.get("notes", ())
            if not any(known == note or known.endswith(f", {note}") for known in notes)
        ]
        return {**one, "notes": left}

    return {
        **secret,
        "releases": [new(one) for one in secret["releases"]],
        "sections": [
            {**section, "looked": [new(look) for look in section["looked"]]}
            for section in secret["sections"]
        ],
    }


def _groups(
    audit: Mapping[str, Any], releases: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The figures that any release has, by the question that they answer."""
    groups = []
    for question in Question:
        names = [
            name
            for name, figure in audit["figures"].items()
            if figure["question"] == str(question)
            and figure["shown"]
            and any(name in r["figures"] for r in releases)
        ]
        rows = [_row(name, audit["figures"][name], releases) for name in names]
        if rows:
            groups.append({"question": str(question), "rows": rows})
    return groups


def _row(
    name: str, figure: Mapping[str, Any], releases: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    values = [release["figures"].get(name) for release in releases]
    known = [
        value
        for value, release in zip(values, releases, strict=True)
        if _size(value) is not None and not release["untouched"]
    ]
    best = (min if figure["lower_is_better"] else max)(
        known, key=lambda value: _size(value) or 0.0, default=None
    )
    several = sum(not release["untouched"] for release in releases) > 1
    told_apart = several and len({_text(name, value, figure) for value in values}) > 1
    return {
        "name": name,
        "title": figure["title"],
        "cells": [
            {
                "value": value[0] if isinstance(value, list) else "" if value is None else value,
                "text": _text(name, value, figure) + ("*" if name in release["among"] else ""),
                "best": told_apart
                and best is not None
                and not release["untouched"]
                and _text(name, value, figure) == _text(name, best, figure),
            }
            for value, release in zip(values, releases, strict=True)
        ],
    }


def _text(name: str, value: Any, told: Mapping[str, Any]) -> str:
    """A value as people read it; ``told`` is what the audit says of the figure."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return range_of(told, value)
    figure = Figure(
        name=name, title=told["title"], says=told["says"], question=Question(told["question"]),
        share=told["share"],
    )  # fmt: skip
    return figure.text(value)


def _size(value: Any) -> float | None:
    """A number; of a range its middle, where it is drawn."""
    if isinstance(value, list):
        return middle(value)
    return value if isinstance(value, int | float) else None


def _trade(
    audit: Mapping[str, Any], releases: Sequence[Mapping[str, Any]], families: Sequence[Family]
) -> dict[str, Any] | None:
    """Privacy against utility, on the page: one sensitive column at a time."""
    chart = _trade_chart(audit, {"": releases}, {"": families})
    return None if chart is None else {"charts": [_shown(chart)]}


def trade_chart(audit: Mapping[str, Any]) -> dict[str, Any] | None:
    """Privacy against utility, a point for each release; None where a side is missing.

    Of several sensitive columns each has series of its own.
    """
    several = len(audit["secrets"]) > 1
    releases = {
        one["sensitive"] if several else "": [
            *([] if one["baseline"] is None else [one["baseline"]]), *one["releases"],
        ]
        for one in audit["secrets"]
    }  # fmt: skip
    families = {secret: families_of(some) for secret, some in releases.items()}
    return _trade_chart(audit, releases, families)


def _trade_chart(
    audit: Mapping[str, Any],
    releases: Mapping[str, Sequence[Mapping[str, Any]]],
    families: Mapping[str, Sequence[Family]],
) -> dict[str, Any] | None:
    everything = [one for some in releases.values() for one in some]
    # The baseline alone is no comparison.
    compared = [one for one in everything if not one["untouched"]] or everything
    privacy = next(
        (
            name for name in PRIVACY
            if any(_size(one["figures"].get(name)) is not None for one in compared)
        ), None,
    )  # fmt: skip
    if privacy is None:
        return None
    series: list[dict[str, Any]] = []
    without: list[str] = []
    for secret, some in releases.items():
        both = {
            one["shown"]: (loss, given)
            for one in some
            if (loss := _size(one["figures"].get("loss"))) is not None
            and (given := _size(one["figures"].get(privacy))) is not None
        }
        without += [one["shown"] for one in some if one["shown"] not in both]
        series += _of_families(f"{secret}: " if secret else "", both, families[secret])
    if not any(one["x"] for one in series):
        return None
    figure = audit["figures"][privacy]
    missing = ", ".join(dict.fromkeys(without))
    return {
        "kind": "points",
        "title": f"Privacy against utility{' (private)' if audit['private'] else ''}",
        "says": "The further to the left, the less is lost; the further down, the less is given "
        f"away. {figure['title']}: {figure['says']}."
        + ("" if audit["private"] else " A range is drawn at its middle.")
        + (f" Without a point, because one of the two is not known: {missing}." if missing else ""),
        "x": {"label": "information loss", "scale": "linear", "share": True},
        "y": {"label": figure["title"], "scale": "linear", "share": figure["share"]},
        "series": series,
        "matrix": None,
        "coarse": not audit["private"],
    }


def _of_families(
    prefix: str, both: Mapping[str, tuple[float, float]], families: Sequence[Family]
) -> list[dict[str, Any]]:
    """A series for each family, joined, and one for all other releases."""
    in_families = {name for family in families for name in family.members}
    alone = [name for name in both if name not in in_families]
    series = [_points(f"{prefix}other releases", both, alone, alone)] if alone else []
    for family in families:
        there = [
            (value, name)
            for value, name in zip(family.values, family.members, strict=True)
            if name in both
        ]
        marks = [f"{family.parameter}={value:g}" for value, _ in there]
        members = [name for _, name in there]
        series.append(_points(f"{prefix}{family.name}", both, members, marks, joined=True))
    return series


def _points(
    name: str, both: Mapping[str, tuple[float, float]], members: Sequence[str],
    marks: Sequence[str], *, joined: bool = False,
) -> dict[str, Any]:  # fmt: skip
    return {
        "name": name, "joined": joined, "marks": list(marks), "low": [], "high": [],
        "x": [both[one][0] for one in members], "y": [both[one][1] for one in members],
    }  # fmt: skip


def _section(
    section: Mapping[str, Any], families: Sequence[Family], releases: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    whole = _whole(section)
    each = section["sentences"][: len(section["sentences"]) - len(whole)]
    charts = [
        _shown(one)
        for chart in section["charts"]
        for one in over_parameter(chart, families, releases)
    ]
    maps = [one for one in charts if one["kind"] == "heatmap"]
    return {
        **section,
        "whole": whole,
        "each": each,
        "each_folded": len(each) > _SENTENCES,
        "charts": [one for one in charts if one not in maps[_MAPS:]],
        "more_charts": maps[_MAPS:],
        "tables": [_table(one) for one in section["tables"] if one["rows"]],
        "looks": _alike(section["looked"]),
        "not_done": [one["shown"] for one in section["looked"] if one["status"] != "done"],
        "done": any(one["status"] == "done" for one in section["looked"]),
    }


def _whole(section: Mapping[str, Any]) -> list[str]:
    """What is said of all releases together, after a sentence for each."""
    done = sum(look["status"] == "done" for look in section["looked"])
    return list(section["sentences"][done:])


def _shown(chart: Mapping[str, Any]) -> dict[str, Any]:
    """A chart with what its legend says: the number of each series, and its name."""
    kind = "dots" if chart["kind"] == "bars" and not lies_flat(chart) else chart["kind"]
    series = chart["series"] if kind in _LEGENDS and len(chart["series"]) > 1 else []
    says = chart["says"]
    if chart["coarse"] and kind in _DRAWN_COARSELY:
        says = f"{says}{'. ' if says else ''}{_DRAWN_COARSELY[kind]}"
    return {
        **chart,
        "says": says,
        "legend": [(n, _LEGENDS[kind], one["name"]) for n, one in enumerate(series)],
        "says_folded": len(says) > _LONG,
        "empty": not any(one["x"] for one in chart["series"])
        and not (chart["matrix"] and chart["matrix"]["rows"]),
    }


def _table(table: Mapping[str, Any]) -> dict[str, Any]:
    return {**table, "folded": len(table["rows"]) > _FOLDED}


def _alike(looked: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What is to be known about how exact numbers are, said once for releases it is the same of."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for one in looked:
        said = (one["status"], one["why"], tuple(one["diagnostics"]), tuple(one["notes"]))
        groups.setdefault(said, []).append(one["shown"])
    return [
        {"releases": shown, "status": status, "why": why, "diagnostics": diagnostics,
         "notes": notes}
        for (status, why, diagnostics, notes), shown in groups.items()
    ]  # fmt: skip


def _told_at(part: str, secrets: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Where a part tells something of any release, secret by secret."""
    return [
        (f"{part}-{n}", secret["sensitive"])
        for n, secret in enumerate(secrets, start=1)
        for section in secret["sections"]
        if section["part"] == part and any(look["status"] == "done" for look in section["looked"])
    ]


def questions_of(audit: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The three questions of European guidance, their answers, and the sections that give them."""
    return [
        {
            "name": str(question),
            "asks": question.asks,
            "answers": _answers(audit, str(question)),
            "answered_by": [
                {"title": section["title"], "places": places}
                for section in audit["secrets"][0]["sections"]
                if str(question) in section["questions"]
                and (places := _told_at(section["part"], audit["secrets"]))
            ],
            "figures": [
                (name, one["title"])
                for name, one in audit["figures"].items()
                if one["question"] == str(question) and one["shown"]
                and any(name in r["figures"] for s in audit["secrets"] for r in s["releases"])
            ],
        }
        for question in Question
        if question.asks
    ]  # fmt: skip


def _answers(audit: Mapping[str, Any], question: str) -> list[dict[str, Any]]:
    """Those of every release, the baseline first."""
    titles = {name: figure["title"] for name, figure in audit["figures"].items()}
    return [
        {
            **answer, "release": release["shown"], "sensitive": secret["sensitive"],
            "not_tried": [titles.get(name, name) for name in answer["not_tried"]],
        }
        for secret in audit["secrets"]
        for release in [*([secret["baseline"]] if secret["baseline"] else []), *secret["releases"]]
        for answer in release["answers"]
        if answer["question"] == question
    ]  # fmt: skip
