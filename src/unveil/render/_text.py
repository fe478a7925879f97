"""Findings as text, for terminals and for Python's prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unveil._text import table_lines
from unveil.errors import Text, View, shown
from unveil.findings import Story, Table


def text_of(story: Story, notes: Sequence[Text], view: View) -> str:
    """A finding as text: title, tables, sentences and notes."""
    lines = [shown(story.title, view), *(f"  {shown(line, view)}" for line in story.about)]
    for table in story.tables:
        if not table.private:
            lines += ["", table_text(table, view)]
    if story.verdict or story.sentences:
        lines.append("")
    lines += [
        f"  {shown(sentence, view)}"
        for sentence in (story.verdict, *story.sentences, *story.diagnostics)
        if sentence
    ]
    return "\n".join([*lines, *(f"  Note: {shown(note, view)}" for note in notes)])


def table_text(table: Table, view: View) -> str:
    """A table with its title, as text."""
    title = [f"  {shown(table.title, view)}"] if table.title else []
    lines = table_lines(_cells(table, view), table.texts) if table.rows else ()
    return "\n".join([*title, *lines])


def _cells(table: Table, view: View) -> list[list[str]]:
    head = [shown(column, view) for column in table.columns]
    rows = [[cell_text(cell, view) for cell in row] for row in table.rows]
    return [head, *rows] if any(head) else rows


def cell_text(cell: Any, view: View) -> str:
    """A cell of a table: a text, or a number with its text."""
    return cell[1] if isinstance(cell, tuple) else shown(cell, view)
