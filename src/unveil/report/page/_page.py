"""An audit's JSON as one HTML page that asks nobody for anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unveil.auditing import FIGURES, Question
from unveil.errors import MissingExtraError
from unveil.report.page._drawing import drawn

__all__ = ["page_of"]


def page_of(audit: Mapping[str, Any]) -> str:
    """The page, from what `Audit.to_dict` gives, or a file of it."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise MissingExtraError(
            "a report needs jinja2; install it with: pip install 'unveil[report]'"
        ) from error
    environment = Environment(
        loader=PackageLoader("unveil.report.page"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters["drawn"] = drawn
    environment.filters["figure"] = _figure_text
    return environment.get_template("audit.html").render(
        audit=audit, questions=_questions(audit), side_by_side=_side_by_side, trade=_trade,
    )  # fmt: skip


def _figure_text(value: float | str | None, name: str) -> str:
    if isinstance(value, str):
        return value
    return FIGURES[name].text(value)


def _side_by_side(audit: Mapping[str, Any], secret: Mapping[str, Any]) -> list[str]:
    """The figures that the releases are compared by: those that any of them has."""
    return [
        name
        for name in audit["figures"]
        if any(name in one["figures"] for one in secret["releases"])
    ]


def _trade(audit: Mapping[str, Any], secret: Mapping[str, Any]) -> dict[str, Any] | None:
    """Privacy against utility: a point for each release that has both."""
    privacy = next(
        (
            name
            for name in ("delta", "gr", "prosecutor")
            if any(_is_number(one["figures"].get(name)) for one in secret["releases"])
        ),
        None,
    )
    both = [
        one
        for one in secret["releases"]
        if privacy and all(_is_number(one["figures"].get(n)) for n in ("loss", privacy))
    ]
    if privacy is None or not both:
        return None
    figure = audit["figures"][privacy]
    return {
        "kind": "points",
        "title": "Privacy against utility",
        "says": "to the left, less is lost; below, less is given away",
        "x": {"label": "information loss", "scale": "linear", "share": True},
        "y": {"label": f"{figure['title']} ({privacy})", "scale": "linear",
              "share": figure["share"]},
        "series": [
            {
                "name": "releases",
                "x": [one["figures"]["loss"] for one in both],
                "y": [one["figures"][privacy] for one in both],
                "marks": [one["shown"] for one in both],
                "low": [], "high": [],
            }
        ],
        "matrix": None,
    }  # fmt: skip


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


_ASKED = {
    Question.SINGLING_OUT: "Can somebody's record be isolated?",
    Question.LINKABILITY: "Can records be linked to a person?",
    Question.INFERENCE: "Can something be inferred about a person?",
}


def _questions(audit: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The three questions of European guidance, and the sections that answer them."""
    sections = audit["secrets"][0]["sections"]
    return [
        {
            "name": str(question),
            "asks": asks,
            "sections": [one for one in sections if str(question) in one["questions"]],
            "figures": [
                name for name, one in audit["figures"].items() if one["question"] == str(question)
            ],
        }
        for question, asks in _ASKED.items()
    ]
