"""Texts from the data, for people to read."""

from __future__ import annotations

__all__ = ["harmless"]


def harmless(text: str) -> str:
    """A text from the data without characters that could steer the terminal.

    >>> harmless("a\\x1b[31mred\\nb")
    'a\\\\x1b[31mred\\\\nb'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
