"""Findings in notebooks: HTML without colours of its own, for light and dark ones alike."""

from __future__ import annotations

from html import escape

from unveil._text import harmless

# Notebooks give <pre> a font, and breaks within words, that would take columns apart.
_WHOLE = (
    "font-family: var(--jp-code-font-family, monospace); line-height: 1.4; white-space: pre; "
    "word-break: normal; overflow-x: auto; margin: 0"
)
_HANGING = 2  # letters by which the second line of a sentence is further in


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
