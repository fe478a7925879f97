"""Findings as text, for terminals and Python's prompt; and as HTML for notebooks.

The HTML has no colours of its own, for light and dark notebooks alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from unveil._text import harmless, table_lines
from unveil.errors import Text, View, shown
from unveil.findings import Story, Table

# Notebooks give <pre> a font, and breaks within words, that would take columns apart.
_WHOLE = (
    "font-family: var(--jp-code-font-family, monospace); line-height: 1.4; white-space: pre; "
    "word-break: normal; overflow-x: auto; margin: 0"
)
_HANGING = 2  # letters by which the second line of a sentence is further in


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
    return harmless(cell[1] if isinstance(cell, tuple) else shown(cell, view))


def text_html(text: str) -> str:
    """A text from the data: shown as it is, whatever it looks like.

    The direction of a text is its own affair: what is written from right to left does not turn
    what stands beside it.

    >>> text_html('<script>alert("1")</script>')
    '<bdi>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;</bdi>'
    """
    return f"<bdi>{escape(harmless(text))}</bdi>"


def html_of(summary: str) -> str:
    """What a finding prints. A row of a table stays one row; a sentence takes several lines.

    >>> print(html_of("Found: 2\\n  a   <1").replace("><", ">\\n<"))
    <pre style="...">
    <span style="...">
    <b>Found: 2</b>
    </span>
    <span style="display: block">  a   &lt;1</span>
    </pre>
    """
    first, *rest = summary.split("\n")
    lines = [_sentence(first, bold=True), *(_line(line) for line in rest)]
    return f'<pre style="{_WHOLE}">{"".join(lines)}</pre>'


def _line(line: str) -> str:
    if not line.strip():
        return '<span style="display: block">&nbsp;</span>'
    if "  " in line.strip():  # what stands in columns
        return f'<span style="display: block">{escape(line)}</span>'
    return _sentence(line)


def _sentence(line: str, *, bold: bool = False) -> str:
    text = escape(line.strip())
    inner = len(line) - len(line.lstrip()) + _HANGING
    style = (
        f"display: block; white-space: pre-wrap; overflow-wrap: break-word; "
        f"padding-left: {inner}ch; text-indent: -{_HANGING}ch"
    )
    return f'<span style="{style}">{f"<b>{text}</b>" if bold else text}</span>'
