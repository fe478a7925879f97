"""Shares and small tables, for people."""

from __future__ import annotations

from collections.abc import Sequence

from unveil.engine.counting import text_of

__all__ = ["number_of", "percent", "table_of", "written"]


def percent(share: float | None) -> str:
    """A share in percent, with as many digits as tell something.

    >>> percent(0.2), percent(0.0712), percent(0.0000213), percent(0.0), percent(None)
    ('20%', '7.12%', '0.00213%', '0%', '–')
    """
    if share is None:
        return "–"
    digits = f"{100 * share:.3g}"
    return f"{float(digits):.10f}".rstrip("0").rstrip(".") + "%"


def number_of(number: int, one: str, many: str) -> str:
    """So many things.

    >>> number_of(1, "person", "people"), number_of(2000, "person", "people")
    ('1 person', '2,000 people')
    """
    return f"{number:,} {one if number == 1 else many}"


def table_of(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: the first column to the left, numbers to the right, a remark at the end."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1], strict=True)]
        lines.append("  " + "  ".join([*cells, row[-1]]).rstrip())
    return lines


def written(value: object) -> str:
    """A value as people and records are matched by it: a day is one, also as its midnight.

    >>> written("2020-01-01 00:00:00"), written(20.0)
    ('2020-01-01', '20')
    """
    return text_of(value).removesuffix(" 00:00:00")
