"""Texts for people to read: from the data, shares, and tables."""

from __future__ import annotations

import math
from collections.abc import Collection

__all__ = ["harmless", "of_all", "percent", "table_lines"]

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


def of_all(number: int, whole: int) -> str:
    """A number of people, and the share that they are.

    >>> of_all(0, 40), of_all(10, 40), of_all(40, 40), of_all(1, 1)
    ('none', '10 (25%)', 'all 40', '1')
    """
    if not number or whole == 1:
        return str(number) if number else "none"
    return f"all {whole:,}" if number == whole else f"{number:,} ({percent(number / whole)})"


def table_lines(rows: list[list[str]], left: Collection[int] = ()) -> list[str]:
    """A table of texts, its first column and those of ``left`` to the left, others to the right."""
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    return [
        "  " + "   ".join(
            cell.ljust(w) if j == 0 or j in left else cell.rjust(w)
            for j, (cell, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]  # fmt: skip
