"""What is shown of two files beside each other: columns, rows, what names people, what is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from unveil._text import harmless, percent
from unveil.aligning import AlignedColumn, Question
from unveil.cli._console import say, tell
from unveil.cli._guard import in_command_line_words
from unveil.errors import InputError
from unveil.microdata import Role
from unveil.projects import TwoFiles

ROLES = {
    Role.IDENTIFIER: "identifier", Role.PERSON: "person", Role.QUASI: "quasi",
    Role.SENSITIVE: "sensitive", Role.COUNT: "count", Role.OTHER: "other",
}  # fmt: skip
"""The roles as a project file has them, in the order of the table that is printed."""


def show_alignment(found: TwoFiles, roles: Mapping[str, Role], out: Console) -> None:
    """Every column, what was published of it, its role and why."""
    alignment = found.alignment
    reason = in_command_line_words(alignment.rows.reason)
    tell(out, harmless(
        f"{alignment.original}: {alignment.sizes[0]:,} rows; {alignment.published}: "
        f"{alignment.sizes[1]:,} rows. Rows: {alignment.rows.kind}; {reason}."
    ))  # fmt: skip
    out.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for head, ratio in (("column", 3), ("published as", 3), ("how", 2), ("role", 2), ("why", 6)):
        table.add_column(head, overflow="fold", ratio=ratio)
    for one in alignment.columns:
        role = "" if one.original is None else ROLES[roles[one.original]]
        published = one.published if one.published is not None else "-"
        table.add_row(
            harmless(one.original or "-"), harmless(published), _how(one), role,
            harmless(in_command_line_words(one.reason)),
        )  # fmt: skip
    out.print(table)
    out.print()
    for name, why in alignment.identifiers.items():
        out.print(harmless(f"- names people: {name}: {why}"))
    notes = found.notes
    for note in notes:
        out.print(f"- {harmless(in_command_line_words(note))}")
    if alignment.identifiers or notes:
        out.print()


def _how(one: AlignedColumn) -> str:
    shares = [f"{percent(one.suppressed)} hidden"] if one.suppressed else []
    empty = percent(one.gaps[1])  # empty cells may be those that are hidden
    shares += [f"{empty} empty"] if one.gaps[1] and f"{empty} hidden" not in shares else []
    return "; ".join([one.how, *shares])


def refuse_open(questions: Sequence[Question]) -> None:
    """End before any figure if something has to be answered."""
    if not questions:
        return
    for question in questions:
        say(f"question: {in_command_line_words(question.text)}")
    raise InputError(
        "nothing is tested before {n} answered; give the options that are named there",
        n="this question is" if len(questions) == 1 else "these questions are",
    )
