"""An audit in a notebook: the verdict, and the releases side by side. The page says the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unveil._text import display_name
from unveil.auditing._audited import Audited, OneSecret
from unveil.auditing._figures import FIGURES, Figure, Question
from unveil.auditing._naming import public_name
from unveil.auditing._verdict import verdict_of
from unveil.render import text_html

if TYPE_CHECKING:
    from unveil.auditing._finding import Audit

__all__ = ["shown"]

# Colours that can be read on white and on black; a sign says the same without them.
_PASSED, _FAILED = "#1a936f", "#d1495b"
# Notebooks would take what stands between two dollars for a formula, except in <pre> and in these.
_NO_FORMULAS = "tex2jax_ignore mathjax_ignore"
_LINE = "border-bottom: 1px solid rgba(128, 128, 128, 0.4)"
_CELL = "padding: 0.2em 0.8em; text-align: right; background: none"
_NAME = "padding: 0.2em 0.8em 0.2em 0; text-align: left; background: none"


def shown(audit: Audit) -> str:
    """The HTML."""
    table = audit.secrets[0].microdata
    source = text_html(public_name(table.source))
    known = audit.asked.knows or [column.name for column in table.quasi]
    knows = ", ".join(text_html(name) for name in known)
    return "".join(
        [
            f'<div class="{_NO_FORMULAS}" style="overflow-x: auto">',
            f"<p><b>Audit of {source}</b>: {len(table):,} records; the attacker knows {knows}</p>",
            *_verdict(audit),
            *(_of_secret(one) for one in audit.secrets),
            "</div>",
        ]
    )


def _verdict(audit: Audit) -> list[str]:
    sentences = [f"<li>{text_html(sentence)}</li>" for sentence in verdict_of(audit)]
    items = f"<ul>{''.join(sentences)}</ul>" if sentences else ""
    if audit.passed is None:
        return [items]
    color, word = (_PASSED, "✓ Passed") if audit.passed else (_FAILED, "✗ Failed")
    return [f'<p style="color: {color}"><b>{word}</b></p>', items]


def _of_secret(one: OneSecret) -> str:
    there = [f for name, f in FIGURES.items() if any(name in a.figures for a in one.audited)]
    heads = "".join(
        f'<th scope="col" style="{_CELL}; {_LINE}">{text_html(display_name(audited.name))}</th>'
        for audited in one.audited
    )
    rows = [
        f'<tr><th scope="col" style="{_NAME}; {_LINE}">{text_html(one.sensitive)}</th>{heads}</tr>'
    ]
    for question in Question:
        figures = [figure for figure in there if figure.question is question]
        if figures:
            rows.append(
                f'<tr><th colspan="{len(one.audited) + 1}" scope="rowgroup" '
                f'style="{_NAME}; padding-top: 0.7em; font-style: italic; font-weight: normal">'
                f"{question}</th></tr>"
            )
            rows += [_row(figure, one) for figure in figures]
    return f'<table style="border-collapse: collapse">{"".join(rows)}</table>'


def _row(figure: Figure, one: OneSecret) -> str:
    cells = "".join(_cell(figure, audited) for audited in one.audited)
    return (
        f'<tr title="{figure.says}"><th scope="row" style="{_NAME}; font-weight: normal">'
        f"{figure.title}</th>{cells}</tr>"
    )


def _cell(figure: Figure, audited: Audited) -> str:
    checks = [check for check in audited.checks if check.threshold.figure.name == figure.name]
    text = figure.text(audited.figures.get(figure.name))
    if not checks:
        return f'<td style="{_CELL}">{text}</td>'
    passed = all(check.passed for check in checks)
    color, sign = (_PASSED, "✓") if passed else (_FAILED, "✗")
    return f'<td style="{_CELL}; color: {color}"><b>{text} {sign}</b></td>'
