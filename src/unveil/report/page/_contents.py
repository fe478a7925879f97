"""What a page shows of an audit's JSON, put in an order in which people can read it.

Walls of numbers and of sentences are folded, not left out: nothing of the JSON is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from unveil.auditing import FIGURES, Question
from unveil.render import Kind, lies_flat
from unveil.report.page._parameter import Family, families_of, over_parameter

__all__ = ["contents_of", "questions_of"]

_ACROSS = 6  # releases side by side; more have a row each
_FOLDED = 10  # rows: longer tables are folded
_SENTENCES = 3  # more are folded
_LONG = 330  # letters below a chart; more are folded
_MAPS = 1  # heat maps of the same kind; more are folded
_PRIVACY = ("delta", "gr", "prosecutor", "one_value")

_LEGENDS: dict[str, Kind] = {
    "distribution": "line", "lines": "line", "curves": "line", "points": "mark", "dots": "mark",
    "bars": "bar",
}  # fmt: skip


def contents_of(audit: Mapping[str, Any]) -> list[dict[str, Any]]:
    """For each sensitive attribute: the releases side by side, and the sections."""
    return [_secret(audit, secret) for secret in audit["secrets"]]


def _secret(audit: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    secret = _noted_once(told, audit["data"]["notes"])
    families = families_of(secret["releases"])
    groups = _groups(audit, secret["releases"])
    return {
        "sensitive": secret["sensitive"],
        "releases": secret["releases"],
        "across": len(secret["releases"]) <= _ACROSS,
        "groups": groups,
        "trade": _trade(audit, secret["releases"], families),
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
            if figure["question"] == str(question) and any(name in r["figures"] for r in releases)
        ]
        rows = [_row(name, audit["figures"][name], releases) for name in names]
        if rows:
            groups.append({"question": str(question), "rows": rows})
    return groups


def _row(
    name: str, figure: Mapping[str, Any], releases: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    values = [release["figures"].get(name) for release in releases]
    known = [value for value in values if _is_number(value)]
    best = (min if figure["lower_is_better"] else max)(known, default=None)
    told_apart = len({_text(name, value) for value in values}) > 1
    return {
        "name": name,
        "title": figure["title"],
        "cells": [
            {
                "value": "" if value is None else value,
                "text": _text(name, value),
                "best": told_apart and best is not None and _text(name, value) == _text(name, best),
            }
            for value in values
        ],
    }


def _text(name: str, value: float | str | None) -> str:
    if isinstance(value, str):
        return value
    if name in FIGURES:
        return FIGURES[name].text(value)
    return "–" if value is None else f"{value:.3g}"  # of a newer version


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _trade(
    audit: Mapping[str, Any], releases: Sequence[Mapping[str, Any]], families: Sequence[Family]
) -> dict[str, Any] | None:
    """Privacy against utility: a point for each release that has both, families joined."""
    privacy = next(
        (
            name
            for name in _PRIVACY
            if any(_is_number(one["figures"].get(name)) for one in releases)
        ),
        None,
    )
    if privacy is None:
        return None
    both = {
        one["shown"]: (one["figures"]["loss"], one["figures"][privacy])
        for one in releases
        if all(_is_number(one["figures"].get(name)) for name in ("loss", privacy))
    }
    if not both:
        return None
    figure = audit["figures"][privacy]
    without = [one["shown"] for one in releases if one["shown"] not in both]
    missing = f" Without a point, as one of the two is not known: {', '.join(without)}."
    in_families = {name for family in families for name in family.members}
    alone = [name for name in both if name not in in_families]
    series = [_points("other releases", both, alone, alone)] if alone else []
    series += [
        _points(
            family.name, both, [name for name in family.members if name in both],
            [
                f"{family.parameter}={value:g}"
                for value, name in zip(family.values, family.members, strict=True)
                if name in both
            ],
            joined=True,
        )
        for family in families
    ]  # fmt: skip
    return {
        "charts": [
            _shown(
                {
                    "kind": "points",
                    "title": "Privacy against utility",
                    "says": "The further to the left, the less is lost; the further down, the "
                    f"less is given away. {figure['title']}: {figure['says']}."
                    f"{missing if without else ''}",
                    "x": {"label": "information loss", "scale": "linear", "share": True},
                    "y": {"label": figure["title"], "scale": "linear", "share": figure["share"]},
                    "series": series,
                    "matrix": None,
                }
            )
        ]
    }


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
    return {
        **chart,
        "legend": [(n, _LEGENDS[kind], one["name"]) for n, one in enumerate(series)],
        "says_folded": len(chart["says"]) > _LONG,
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


_ASKED = {
    Question.SINGLING_OUT: "Can somebody's record be isolated?",
    Question.LINKABILITY: "Can records be linked to a person, or to each other?",
    Question.INFERENCE: "Can something be inferred about a person?",
}


def questions_of(audit: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The three questions of European guidance, and the sections that answer them."""
    return [
        {
            "name": str(question),
            "asks": asks,
            "answers": [
                {"title": section["title"], "places": places}
                for section in audit["secrets"][0]["sections"]
                if str(question) in section["questions"]
                and (places := _told_at(section["part"], audit["secrets"]))
            ],
            "figures": [
                (name, one["title"])
                for name, one in audit["figures"].items()
                if one["question"] == str(question)
                and any(name in r["figures"] for s in audit["secrets"] for r in s["releases"])
            ],
        }
        for question, asks in _ASKED.items()
    ]  # fmt: skip
