"""An audit in other forms than its page: text, a notebook's HTML, and a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unveil._text import display_name
from unveil.auditing._discretion import PRIVATE
from unveil.auditing._figures import Figure, Question
from unveil.auditing._finding import Audited, OneSecret, verdict_of
from unveil.auditing._names import public_name
from unveil.auditing._thresholds import State, worst
from unveil.errors import InputError, Listed
from unveil.render import draw, text_html

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.auditing._finding import Audit, OneSecret


_ACROSS = 6  # releases side by side; more have a line each


def summary_of(audit: Audit) -> str:
    """What an audit prints."""
    knows = ", ".join(audit.asked.knows or audit.ground.quasi)
    source = public_name(audit.ground.source)
    lines = [f"Audit of {source}{_records(audit)}; the attacker knows {knows}"]
    if audit.asked.discretion.private:
        lines.append(f"  {PRIVATE}")
    lines += [f"  {sentence}" for sentence in verdict_of(audit)]
    for one in audit.secrets:
        lines += ["", f"  {one.sensitive}", *(f"  {line}" for line in _side_by_side(one))]
    lines += [f"  * {among}" for one in audit.secrets for among in one.among]
    return "\n".join(lines)


def _records(audit: Audit) -> str:
    said = str(audit.whose).rstrip(".")
    return f": {said}" if said else ""


def _side_by_side(one: OneSecret) -> list[str]:
    """A line for each figure, a column for each release; or the other way round, if many."""
    shown = one.shown
    cells = [[audited.told(f) for audited in one.beside] for f in shown]
    releases = [display_name(audited.name) for audited in one.beside]
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


# Colours that can be read on white and on black; a sign says the same without them.
_COLORS = {
    State.PASSES: "#1a936f", State.FAILS: "#d1495b", State.NOT_KNOWN: "#b7791f",
    State.NOT_TESTED: "#7a7f87",
}  # fmt: skip
# Notebooks would take what stands between two dollars for a formula, except in <pre> and in these.
_NO_FORMULAS = "tex2jax_ignore mathjax_ignore"
_LINE = "border-bottom: 1px solid rgba(128, 128, 128, 0.4)"
_CELL = "padding: 0.2em 0.8em; text-align: right; background: none"
_NAME = "padding: 0.2em 0.8em 0.2em 0; text-align: left; background: none"


def shown(audit: Audit) -> str:
    """The HTML."""
    source = text_html(public_name(audit.ground.source))
    known = audit.asked.knows or audit.ground.quasi
    knows = ", ".join(text_html(name) for name in known)
    return "".join(
        [
            f'<div class="{_NO_FORMULAS}" style="overflow-x: auto">',
            f"<p><b>Audit of {source}</b>{_records(audit)}; the attacker knows {knows}</p>",
            f"<p><b>{PRIVATE}</b></p>" if audit.asked.discretion.private else "",
            *_verdict(audit),
            *(_of_secret(one) for one in audit.secrets),
            "</div>",
        ]
    )


def _verdict(audit: Audit) -> list[str]:
    sentences = [f"<li>{text_html(sentence)}</li>" for sentence in verdict_of(audit)]
    items = f"<ul>{''.join(sentences)}</ul>" if sentences else ""
    state = audit.state
    if state is None:
        return [items]
    word = f"{state.sign} {str(state).capitalize()}"
    return [f'<p style="color: {_COLORS[state]}"><b>{word}</b></p>', items]


def _of_secret(one: OneSecret) -> str:
    there = one.shown
    heads = "".join(
        f'<th scope="col" style="{_CELL}; {_LINE}">{text_html(display_name(audited.name))}</th>'
        for audited in one.beside
    )
    rows = [
        f'<tr><th scope="col" style="{_NAME}; {_LINE}">{text_html(one.sensitive)}</th>{heads}</tr>'
    ]
    for question in Question:
        figures = [figure for figure in there if figure.question is question]
        if figures:
            rows.append(
                f'<tr><th colspan="{len(one.beside) + 1}" scope="rowgroup" '
                f'style="{_NAME}; padding-top: 0.7em; font-style: italic; font-weight: normal">'
                f"{question}</th></tr>"
            )
            rows += [_row(figure, one) for figure in figures]
    return f'<table style="border-collapse: collapse">{"".join(rows)}</table>'


def _row(figure: Figure, one: OneSecret) -> str:
    cells = "".join(_cell(figure, audited) for audited in one.beside)
    return (
        f'<tr title="{figure.says}"><th scope="row" style="{_NAME}; font-weight: normal">'
        f"{figure.title}</th>{cells}</tr>"
    )


def _cell(figure: Figure, audited: Audited) -> str:
    checks = [check for check in audited.checks if check.threshold.figure.name == figure.name]
    text = audited.told(figure)
    if not checks:
        return f'<td style="{_CELL}">{text}</td>'
    state = worst(check.state for check in checks)
    assert state is not None
    return f'<td style="{_CELL}; color: {_COLORS[state]}"><b>{text} {state.sign}</b></td>'


def privacy_against_utility(audit: Audit, ax: Axes | None = None) -> Axes:
    """Draw a point for each release that has both."""
    from unveil.render.page import PRIVACY, trade_chart

    chart = trade_chart(audit.to_dict())
    if chart is None:
        raise InputError(
            "there is no picture without both sides: audit with attacks that include utility, and "
            "one that gives {figures}",
            figures=Listed(PRIVACY, "or"),
        )
    return draw(chart, ax)
