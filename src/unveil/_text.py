"""Texts for people to read: from the data, and shares."""

from __future__ import annotations

import math

__all__ = ["harmless", "percent"]

_NEARLY_ALL, _HARDLY_ANY = 0.999, 0.0001


def harmless(text: str) -> str:
    """A text from the data without characters that could steer the terminal.

    >>> harmless("a\\x1b[31mred\\nb")
    'a\\\\x1b[31mred\\\\nb'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def percent(share: float) -> str:
    """A share with as many digits as tell it from nothing and from everything.

    >>> percent(0.9731), percent(0.0123), percent(0.00042), percent(0.9968)
    ('97%', '1.2%', '0.042%', '99.7%')
    >>> percent(1.0), percent(0.0), percent(0.99995), percent(0.000001)
    ('100%', '0%', 'over 99.9%', 'under 0.01%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    if share > _NEARLY_ALL or share < _HARDLY_ANY:
        return "over 99.9%" if share > _NEARLY_ALL else "under 0.01%"
    small = 1 - math.floor(math.log10(100 * share))
    large = -math.floor(math.log10(100 * (1 - share)))
    return f"{share:.{max(0, small, large)}%}"
