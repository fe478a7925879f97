"""Texts that try to be something else: tags, scripts, formulas, templates."""

from __future__ import annotations

__all__ = ["HOSTILE", "OVERRIDE"]

OVERRIDE = "before\u202egnidaer rof txet\u202eafter"
"""A name that turns round what follows it, unless it is isolated."""

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    '=HYPERLINK("http://example.invalid/steal")',
    "javascript:alert(3)",
    "</style></svg></title><script>alert(4)</script>",
    "{{7*7}} {% raw %} %s %(x)d",
    "שלום עולם",
    "🦄 & <b>bold</b>",
    "**Markdown** [link](javascript:alert(5)) `code`",
    "$x^2$ \\frac #010203",
    "x" * 200,
    "a'b\"c.csv",
)
