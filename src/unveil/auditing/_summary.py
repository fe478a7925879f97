"""An audit as text: the verdict, and the releases side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unveil._text import display_name
from unveil.auditing._audited import OneSecret
from unveil.auditing._figures import FIGURES, Question
from unveil.auditing._naming import public_name
from unveil.auditing._verdict import verdict_of

if TYPE_CHECKING:
    from unveil.auditing._finding import Audit

__all__ = ["summary_of"]

_ACROSS = 6  # releases side by side; more have a line each


def summary_of(audit: Audit) -> str:
    """What an audit prints."""
    table = audit.secrets[0].microdata
    knows = ", ".join(audit.asked.knows or [column.name for column in table.quasi])
    source = public_name(table.source)
    lines = [f"Audit of {source}: {len(table):,} records; the attacker knows {knows}"]
    if audit.asked.discretion.include_records:
        lines.append("  Its report shows original records: guard it like the data itself.")
    lines += [f"  {sentence}" for sentence in verdict_of(audit)]
    for one in audit.secrets:
        lines += ["", f"  {one.sensitive}", *(f"  {line}" for line in _side_by_side(one))]
    return "\n".join(lines)


def _side_by_side(one: OneSecret) -> list[str]:
    """A line for each figure, a column for each release; or the other way round, if many."""
    shown = [f for name, f in FIGURES.items() if any(name in a.figures for a in one.audited)]
    cells = [[f.text(audited.figures.get(f.name)) for audited in one.audited] for f in shown]
    releases = [display_name(audited.name) for audited in one.audited]
    if len(releases) > _ACROSS:
        titles = [f.name for f in shown]
        return _lined(
            [
                ["", *titles],
                *(
                    [name, *column]
                    for name, column in zip(releases, zip(*cells, strict=True), strict=True)
                ),
            ]
        )
    rows: list[list[str]] = [["", *releases]]
    for question in Question:
        rows += [
            [f.title, *row] for f, row in zip(shown, cells, strict=True) if f.question is question
        ]
    return _lined(rows)


def _lined(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        "  ".join(
            text.ljust(width) if place == 0 else text.rjust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
