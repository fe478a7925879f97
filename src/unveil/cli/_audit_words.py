"""An audit on the terminal: the verdict in words, and the releases side by side."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from unveil._text import harmless
from unveil.auditing import FIGURES, Audit, Audited, Figure, OneSecret, Question
from unveil.cli._console import folded
from unveil.cli._guard import in_command_line_words
from unveil._text import display_name

__all__ = ["show_audit"]

_ACROSS = 5  # releases that fit side by side; more have a line each, with the main figures
_INSET = "  "
_BETWEEN = 2  # columns
_WIDEST = 24  # a longer word is broken
_MAIN = ("k", "linked", "one_value", "delta", "over", "gr", "gain", "t",
         "discrimination", "loss")  # fmt: skip


def show_audit(found: Audit, out: Console) -> None:
    """All that a reader of a terminal wants to know."""
    table = found.secrets[0].microdata
    knows = ", ".join(column.name for column in table.quasi)
    wants = " or ".join(one.sensitive for one in found.secrets)
    _say(
        f"{table.source}: {len(table):,} records. An attacker knows {knows} and wants to know "
        f"{wants}.", out,
    )  # fmt: skip
    out.print()
    for note in found.notes:
        _say(f"Note: {in_command_line_words(note)}", out)
        out.print()
    for sentence in found.verdict().splitlines():
        _say(f"- {in_command_line_words(sentence)}", out, inset="  ")
    out.print()
    for one in found.secrets:
        if len(found.secrets) > 1:
            out.print(harmless(one.sensitive), style="bold")
        for side_by_side in _side_by_side(one, out.width):
            out.print(side_by_side)
            out.print()
        _show_what_is_lacking(one, out)


def _say(text: str, out: Console, inset: str = "") -> None:
    first, *rest = folded(harmless(text), out.width - len(inset)).splitlines() or [""]
    out.print("\n".join([first, *(f"{inset}{line}" for line in rest)]), soft_wrap=True)


def _side_by_side(one: OneSecret, width: int) -> list[Table]:
    """A table, or several, of as many releases as have room without a break in a word."""
    shown = [f for name, f in FIGURES.items() if any(name in a.figures for a in one.audited)]
    if len(one.audited) > _ACROSS:
        return [_one_line_each(one.audited, [f for f in shown if f.name in _MAIN])]
    heads = [harmless(display_name(audited.name)) for audited in one.audited]
    room = width - max((len(figure.title) for figure in shown), default=0) - len(_INSET)
    if sum(len(head) + _BETWEEN for head in heads) > room:
        heads = [head.replace("(", "\n(") for head in heads]  # a sanitizer, and its options
    tables: list[list[int]] = [[]]
    left = room
    for place, head in enumerate(heads):
        takes = _BETWEEN + min(_WIDEST, max(map(len, head.split()), default=0))
        if takes > left and tables[-1]:
            tables.append([])
            left = room
        tables[-1].append(place)
        left -= takes
    return [
        _figures(
            [heads[place] for place in places], [one.audited[place] for place in places], shown
        )
        for places in tables
    ]


def _figures(heads: Sequence[str], releases: Sequence[Audited], shown: Sequence[Figure]) -> Table:
    """A line for each figure, a column for each release."""
    table = _table("")
    for head in heads:
        table.add_column(head, justify="right", overflow="fold")
    for question in Question:
        figures = [figure for figure in shown if figure.question is question]
        if figures:
            table.add_row(str(question).capitalize(), style="italic")
        for figure in figures:
            cells = [figure.text(audited.figures.get(figure.name)) for audited in releases]
            table.add_row(f"{_INSET}{figure.title}", *cells)
    return table


def _one_line_each(all_of_them: Sequence[Audited], figures: Sequence[Figure]) -> Table:
    table = _table("")
    for figure in figures:
        table.add_column(figure.title, justify="right", overflow="fold")
    for audited in all_of_them:
        cells = [figure.text(audited.figures.get(figure.name)) for figure in figures]
        table.add_row(harmless(display_name(audited.name)), *cells)
    return table


def _table(first: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(first, no_wrap=True)
    return table


def _show_what_is_lacking(one: OneSecret, out: Console) -> None:
    """Why there are dashes: each reason once."""
    reasons: dict[str, list[str]] = {}
    for audited in one.audited:
        for part, look in audited.looked.items():
            if look.why is not None:
                # What to do about it may be long, and is in the report.
                why = in_command_line_words(look.why).partition(";")[0]
                reasons.setdefault(f"{part}: {why}", []).append(display_name(audited.name))
    for why, releases in reasons.items():
        _say(f"Not told of {', '.join(releases)}, {why}.", out, inset="  ")
    if reasons:
        out.print()
