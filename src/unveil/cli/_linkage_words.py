"""Linkage and composition on the terminal: releases side by side, and people looked up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table

from unveil._text import harmless, percent
from unveil.attacks import Composition
from unveil.attacks.linkage import Linkage
from unveil.cli._people import person_number
from unveil.findings import Finding
from unveil.report import display_name

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MEANING", "LookedUp", "Person", "compared", "looked_up", "show_people"]

MEANING = (
    "Found: people with a candidate, a record whose cells cover them. One record, one value: those "
    "whose candidates are a single record, or all have the same sensitive value; rightly: how many "
    "of them are linked to their own. Right record, right value: of those in the table, if the "
    "attacker picks one of the candidates at random."
)
_SHOWN = 20  # values of a person


@dataclass(frozen=True, kw_only=True)
class Person:
    """Somebody who was asked about, and what the candidates have."""

    name: str
    row: int
    candidates: pd.DataFrame


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LookedUp(Finding):
    """A finding, and the people who were asked about."""

    name: str
    finding: Linkage | Composition
    persons: tuple[Person, ...] = ()

    def summary(self) -> str:
        return self.finding.summary()

    def to_frame(self) -> pd.DataFrame:
        """A row for everybody; rows of their table are counted from 1, as everywhere here."""
        frame = self.finding.to_frame()
        return frame.assign(row=frame["row"] + 1)

    def content(self, *, records: bool) -> dict[str, Any]:
        content = self.finding.content(records=records)
        if self.persons:
            content["persons"] = [
                {
                    "person": one.name,
                    "row": one.row,
                    "candidates": one.candidates.to_dict("records"),
                }
                for one in self.persons
            ]
        return content


def looked_up(finding: Linkage | Composition, name: str, persons: Sequence[str]) -> LookedUp:
    """Ask a finding about people."""
    found = []
    for person in persons:
        number = person_number(finding.people, person)
        row = int(finding.people.rows[number])
        found.append(Person(name=person, row=row, candidates=finding.candidates_of(number)))
    return LookedUp(name=name, finding=finding, persons=tuple(found))


def show_people(one: LookedUp, out: Console) -> None:
    """What the candidates of each person have."""
    secret = (
        one.finding.release.sensitive.name
        if isinstance(one.finding, Linkage)
        else one.finding.sensitive
    )
    for person in one.persons:
        out.print()
        frame = person.candidates
        who = harmless(f"{person.name} (row {person.row + 1:,} of {one.finding.people.source})")
        if not len(frame):
            out.print(f"{who} has no candidates: nobody of the release can be that person.")
            continue
        out.print(f"{who}: {harmless(secret)} of the candidates", style="bold")
        out.print(_values(frame))
        if len(frame) > _SHOWN:
            out.print(f"… and {len(frame) - _SHOWN:,} more values")


def _values(frame: pd.DataFrame) -> Table:
    """The most frequent values first."""
    by = frame.columns[-1]
    table = _grid()
    for head in frame.columns:
        table.add_column(
            harmless(display_name(head)), justify="left" if head == "value" else "right",
            overflow="fold",
        )  # fmt: skip
    for row in frame.sort_values(by, ascending=False, kind="stable").head(_SHOWN).itertuples():
        cells = dict(zip(frame.columns, row[1:], strict=True))
        table.add_row(*(_cell(head, value) for head, value in cells.items()))
    return table


def _cell(head: str, value: Any) -> str:
    if head == "value":
        return harmless(str(value))
    if head == "share":
        return percent(value)
    return f"{value:,}" if float(value).is_integer() else f"{value:,.2f}"


def _grid() -> Table:
    return Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)


def compared(findings: Sequence[Linkage], names: Sequence[str]) -> Table:
    """One row a release."""
    table = _grid()
    table.add_column("release", overflow="fold")
    known = findings[0].right is not None
    heads = ["found", "one\nrecord", "rightly", "one\nvalue", "rightly", "right\nrecord",
             "right\nvalue"]  # fmt: skip
    for head in heads if known else ["found", "one\nrecord", "one\nvalue"]:
        table.add_column(head, justify="right", no_wrap=True)
    for finding, name in zip(findings, names, strict=True):
        table.add_row(harmless(display_name(name)), *_cells(finding))
    return table


def _cells(finding: Linkage) -> list[str]:
    n = len(finding)
    unique, one = int(finding.unique.sum()), int(finding.one_value.sum())
    cells = [percent(finding.found / n), percent(unique / n), percent(one / n)]
    if finding.right is None:
        return cells
    assert finding.unique_right is not None
    assert finding.one_value_right is not None
    shares = (finding.record_right, finding.value_right)
    return [
        *cells[:2], percent(finding.unique_right / unique) if unique else "–", cells[2],
        percent(finding.one_value_right / one) if one else "–",
        *("–" if share is None else percent(share) for share in shares),
    ]  # fmt: skip
