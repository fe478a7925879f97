"""An audit in other forms than its page: text, a notebook's HTML, and a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unveil._axes import new_axes, written
from unveil.auditing._figures import FIGURES, Figure, Question
from unveil.auditing._finding import Audited, OneSecret, verdict_of
from unveil.auditing._names import public_name
from unveil.errors import InputError
from unveil.render import text_html
from unveil.report import display_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.auditing._finding import Audit, OneSecret

__all__ = ["PRIVACY", "privacy_against_utility", "shown", "summary_of"]


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


PRIVACY = ("delta", "gr", "prosecutor", "one_value")
"""What stands for privacy: the first that the releases have."""

_MARK = 6.0  # points across


def privacy_against_utility(audit: Audit, ax: Axes | None = None) -> Axes:
    """Draw a point for each release that has both."""
    privacy = next(
        (
            name
            for name in PRIVACY
            if any(audited.figures.get(name) is not None for audited in audit.releases)
        ),
        None,
    )
    if privacy is None or not any("loss" in audited.figures for audited in audit.releases):
        raise InputError(
            "there is no picture without both sides: audit with attacks that include utility, and "
            f"one that gives {', '.join(PRIVACY[:-1])} or {PRIVACY[-1]}"
        )
    if ax is None:
        ax = new_axes()
    from matplotlib.ticker import PercentFormatter

    together: dict[tuple[float, float], list[str]] = {}
    for place, one in enumerate(audit.secrets):
        points = [
            (loss, given_away, display_name(audited.name))
            for audited in one.audited
            if (loss := audited.figures.get("loss")) is not None
            and (given_away := audited.figures.get(privacy)) is not None
        ]
        # Later ones are smaller: what lies on the same point is seen all the same.
        size = _MARK * (1 + 0.5 * (len(audit.secrets) - 1 - place))
        (marks,) = ax.plot(
            [x for x, _, _ in points], [y for _, y, _ in points], "o", markersize=size,
            label=written(one.sensitive),
        )  # fmt: skip
        _join(ax, one, points, marks.get_color())
        for x, y, name in points:
            names = together.setdefault((x, y), [])
            if name not in names:
                names.append(name)
    _name(ax, together)
    ax.set(
        xlabel="information loss", ylabel=f"{FIGURES[privacy].title} ({privacy})",
        title="To the left, less is lost; below, less is given away",
    )  # fmt: skip
    ax.xaxis.set_major_formatter(PercentFormatter(xmax=1))
    if FIGURES[privacy].share:
        ax.yaxis.set_major_formatter(PercentFormatter(xmax=1))
    ax.margins(0.15)
    ax.grid(True, alpha=0.25)
    if len(audit.secrets) > 1:
        ax.legend(frameon=False)
    return ax


def _name(ax: Axes, together: Mapping[tuple[float, float], Sequence[str]]) -> None:
    """Write the names of the releases beside their points, to the side where there is room."""
    losses = [x for x, _ in together] or [0.0]
    for (x, y), names in together.items():
        left = 2 * x > min(losses) + max(losses)
        ax.annotate(
            written(", ".join(names)), (x, y), xytext=(-6 if left else 6, 4), fontsize=9,
            textcoords="offset points", ha="right" if left else "left",
            # No line goes through a name.
            bbox={"facecolor": ax.get_facecolor(), "edgecolor": "none", "alpha": 0.8, "pad": 0.5},
        )  # fmt: skip


def _join(
    ax: Axes, one: OneSecret, points: Sequence[tuple[float, float, str]], colour: Any
) -> None:
    """A line through the releases that differ in one parameter, in its order."""
    from unveil.report.page import families_of

    at = {name: (x, y) for x, y, name in points}
    families = families_of(
        [
            {"name": a.name, "shown": display_name(a.name), "kind": a.subject.kind}
            for a in one.audited
        ]
    )
    for family in families:
        curve = [at[name] for name in family.members if name in at]
        ax.plot([x for x, _ in curve], [y for _, y in curve], color=colour, linewidth=1, alpha=0.6)
