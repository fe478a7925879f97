"""An audit's JSON as one HTML page that asks nobody for anything."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

from unveil.errors import MissingExtraError
from unveil.render import svg_of, swatch
from unveil.report.page._contents import contents_of, questions_of
from unveil.report.page._texts import breakable, isolating, names_of

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
    numbers = count(1)
    environment.filters["drawn"] = lambda chart: svg_of(chart, f"chart-{next(numbers)}")
    environment.filters["breakable"] = breakable
    environment.filters["words"] = isolating(names_of(audit))
    return environment.get_template("audit.html").render(
        audit=audit, secrets=contents_of(audit), questions=questions_of(audit), swatch=swatch,
        passing=_passing(audit),
    )  # fmt: skip


def _passing(audit: Mapping[str, Any]) -> tuple[int, int]:
    """How many releases pass, and how many there are; a release counts once for each secret."""
    passed = [one["passed"] for secret in audit["secrets"] for one in secret["releases"]]
    return sum(bool(one) for one in passed), len(passed)
