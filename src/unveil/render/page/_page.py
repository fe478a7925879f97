"""An audit's JSON as one HTML page that loads nothing from anywhere.

A name from the data may be written from right to left, or hold a character that turns round what
follows. Wherever such a name stands in a sentence, it is isolated (``bdi``).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Any

from unveil.errors import MissingExtraError
from unveil.render import svg_of, swatch
from unveil.render.page._contents import contents_of, questions_of

_TURNING = {"R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "FSI", "PDF", "PDI"}


def turns(text: str) -> bool:
    """Whether a text could turn round what stands beside it.

    >>> turns("age"), turns("שלום"), turns("a\\u202eb")
    (False, True, True)
    """
    return any(unicodedata.bidirectional(letter) in _TURNING for letter in text)


def breakable(name: str) -> Any:
    """A filter of templates: a name that may go on in another line after a bracket or a comma.

    >>> str(breakable("Mondrian(k=5,<b>)"))
    'Mondrian(<wbr>k=5,<wbr>&lt;b&gt;)'
    """
    from markupsafe import Markup, escape

    # A Markup would escape what is put into it.
    return Markup(re.sub(r"([(,])", r"\1<wbr>", str(escape(name))))


def names_of(audit: Mapping[str, Any]) -> set[str]:
    """All names in an audit that may come from the user's files."""
    data = audit["data"]
    releases = [release for secret in audit["secrets"] for release in secret["releases"]]
    return {
        data["source"], *data["quasi"], *data["sensitive"], *audit["reproduce"]["fingerprints"],
        *(release[name] for release in releases for name in ("name", "shown")),
        *(name for release in releases for name in release["unroled"]),
    }  # fmt: skip


def isolating(names: Iterable[str]) -> Callable[[str], Any]:
    """A filter of templates: a text with the names in it isolated, and everything escaped.

    >>> words = isolating(["שם"])
    >>> str(words("Under שם, 1 < 2"))
    '<bdi>Under <bdi>שם</bdi>, 1 &lt; 2</bdi>'
    """
    from markupsafe import Markup, escape

    turning = sorted((name for name in names if name and turns(name)), key=len, reverse=True)
    # Longer names first, as one may be a part of another.
    pattern = re.compile("|".join(re.escape(name) for name in turning)) if turning else None

    def words(text: str) -> Markup:
        if not turns(text):
            return escape(text)
        if pattern is None or not pattern.search(text):
            return Markup("<bdi>{}</bdi>").format(text)
        said, at = Markup("<bdi>"), 0
        for found in pattern.finditer(text):
            said += escape(text[at : found.start()]) + Markup("<bdi>{}</bdi>").format(found[0])
            at = found.end()
        return said + escape(text[at:]) + Markup("</bdi>")

    return words


def page_of(audit: Mapping[str, Any]) -> str:
    """The page, from what `Audit.to_dict` gives, or a file of it."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise MissingExtraError(
            "a report needs jinja2; install it with: pip install 'unveil[report]'"
        ) from error
    environment = Environment(
        loader=PackageLoader("unveil.render.page"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    numbers = count(1)
    environment.filters["drawn"] = lambda chart: svg_of(chart, f"chart-{next(numbers)}")
    environment.filters["breakable"] = breakable
    environment.filters["words"] = isolating(names_of(audit))
    return environment.get_template("audit.html").render(
        audit=audit,
        secrets=contents_of(audit),
        questions=questions_of(audit),
        swatch=swatch,
        conditions={
            check["threshold"]: check["figure"]
            for secret in audit["secrets"]
            for release in secret["releases"]
            for check in release["checks"]
        },
    )
