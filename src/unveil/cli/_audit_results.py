"""What an audit found, on the terminal and in files.

Files are checked before the long work, and each is written whole or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.table import Table

from unveil._text import display_name, harmless
from unveil.auditing import (
    PRIVATE,
    Audit,
    Audited,
    Figure,
    Masking,
    OneSecret,
    Question,
    key_from,
    unanswered,
    write_key,
)
from unveil.cli._console import folded, tell
from unveil.cli._guard import if_anybody_reads, in_command_line_words
from unveil.cli._outputs import (
    Files,
    beside,
    check_output,
    check_plot,
    check_report,
    is_stdout,
)
from unveil.cli._sources import OUTPUT, typed
from unveil.errors import InputError
from unveil.files import is_special, same_file
from unveil.render import json_text


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class AuditOutputs:
    """Where what was found goes."""

    report: Annotated[
        Path | None, typed(OUTPUT, "Write the report: one HTML page that loads nothing from "
                            "anywhere.", "FILE"),
    ] = None  # fmt: skip
    json: Annotated[
        Path | None, typed(OUTPUT, "Write the audit as JSON. A dash (-) means standard output; "
                            "the words then go to standard error.", "FILE"),
    ] = None  # fmt: skip
    junit: Annotated[
        Path | None, typed(OUTPUT, "Write the result of every threshold as JUnit XML, for CI.",
                            "FILE"),
    ] = None  # fmt: skip
    plot: Annotated[Path | None, typed(OUTPUT, "Draw the result: .png, .svg or .pdf.", "FILE")] = (
        None
    )
    timings: Annotated[
        Path | None, typed(OUTPUT, "Write how long each part took, as JSON. The other files do not "
                            "depend on the machine.", "FILE"),
    ] = None  # fmt: skip
    key: Annotated[
        Path | None, typed(OUTPUT, "Key of the references to people. An existing one is used "
                            "again. Default: beside the report or the JSON, report.key.", "FILE"),
    ] = None  # fmt: skip
    private: Annotated[
        bool, typed(OUTPUT, "For the owner of the table alone: exact numbers, curves person by "
                     "person and original records. Do not hand it on."),
    ] = False  # fmt: skip

    def check(self) -> None:
        """Refuse, before the long work, what could not be written in the end."""
        check_report(self.report)
        check_output(self.json, "--json")
        check_output(self.junit, "--junit", suffixes=(".xml",))
        check_output(self.timings, "--timings")
        check_plot(self.plot)
        files = {"--report": self.report, "--json": self.json, "--junit": self.junit,
                 "--plot": self.plot, "--timings": self.timings, "--key": self.key}  # fmt: skip
        given = [(option, file) for option, file in files.items() if file is not None]
        for (first, one), (second, other) in combinations(given, 2):
            if same_file(one, other):
                where = "standard output" if is_stdout(one) else f"the same file, {str(other)!r}"
                raise InputError(f"{first} and {second} name {where}")
        if self.key is not None and is_stdout(self.key):
            raise InputError("--key needs a file, such as report.key")
        if self.key is not None and not self.key.exists():
            check_output(self.key, "--key")

    @property
    def to_stdout(self) -> bool:
        """Whether one of them goes to standard output, where nothing else may go then."""
        return any(is_stdout(file) for file in (self.report, self.json, self.junit, self.timings))

    @property
    def key_file(self) -> Path | None:
        """Where the key of the references is kept; None where there are none to resolve."""
        if self.key is not None:
            return self.key
        shown = [
            file for file in (self.report, self.json)
            if file and not is_stdout(file) and not is_special(file)
        ]  # fmt: skip
        return shown[0].with_suffix(".key") if shown and not self.private else None

    def known_key(self) -> str | None:
        """The key that is there already."""
        file = self.key_file
        return None if file is None or not file.exists() else key_from(file)

    def write(self, found: Audit, out: Console) -> list[InputError]:
        """Write all that was asked for; the key first, for without it references are lost.

        It is returned what could not be written, and why.
        """
        try:
            found = self._under_kept_key(found)
        except InputError as error:  # references that nobody can resolve are better than nothing
            failed = [error]
        else:
            failed = []
        try:
            with Files(out, interrupted=found.interrupted) as files, if_anybody_reads():
                if self.json is not None:
                    files.text(self.json, found.to_json() + "\n")
                if self.junit is not None:
                    files.text(self.junit, found.to_junit())
                if self.report is not None:
                    files.text(self.report, found.page())
                if self.plot is not None:
                    files.picture(self.plot, found.plot())
                if self.timings is not None:
                    files.text(self.timings, json_text(found.timings) + "\n")
                files.write()
        except InputError as error:
            failed.append(error)
        return failed

    def _under_kept_key(self, found: Audit) -> Audit:
        file = self.key_file
        if file is None:
            return found
        if not file.exists():
            write_key(found.key, file)
            return found
        # It was there, or another audit has put it there meanwhile: people are called by it.
        return found.under(key_from(file))

    def tell(self, found: Audit, out: Console) -> None:
        """Say where everything is."""
        for what, file in (
            ("report", self.report),
            ("JSON", self.json),
            ("JUnit", self.junit),
            ("timings", self.timings),
        ):
            if file is not None and not is_stdout(file):
                tell(out, f"{what}: {beside(file) if found.interrupted else file}")
        if self.key_file is not None:
            tell(out, f"key of the references, not to be handed on: {self.key_file}")


_ACROSS = 5  # releases that fit side by side; more have a line each, with the main figures
_INSET = "  "
_BETWEEN = 2  # columns
_WIDEST = 24  # a longer word is broken
_MAIN = ("k", "linked", "one_value", "delta", "over", "gr", "gain", "t",
         "discrimination", "loss")  # fmt: skip


def show_audit(found: Audit, out: Console) -> None:
    """All that a reader of a terminal wants to know."""
    knows = ", ".join(found.ground.quasi)
    wants = " or ".join(one.sensitive for one in found.secrets)
    records = f" {found.whose}".rstrip()
    _say(
        f"{found.ground.source}:{records} An attacker knows {knows} and wants to know {wants}.", out
    )
    if found.asked.discretion.private:
        _say(PRIVATE, out)
    out.print()
    alone = found.ground.original is None
    for note in () if alone else found.notes:
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
        for among in one.among:
            _say(f"* {among}", out)
        _show_what_is_lacking(one, found.masking(one), out)
        _show_what_to_change(found, one, out)
    if alone:
        for note in found.notes:
            _say(f"Note: {in_command_line_words(note)}", out)
        out.print()
        _say("What the original table would add:", out)
        for title, adds in unanswered():
            _say(f"- {title}: {adds}.", out, inset="  ")
        out.print()


def _say(text: str, out: Console, inset: str = "") -> None:
    first, *rest = folded(harmless(text), out.width - len(inset)).splitlines() or [""]
    out.print("\n".join([first, *(f"{inset}{line}" for line in rest)]), soft_wrap=True)


def _side_by_side(one: OneSecret, width: int) -> list[Table]:
    """A table, or several, of as many releases as have room without a break in a word."""
    shown = one.shown
    if len(one.beside) > _ACROSS:
        return [_one_line_each(one.beside, [f for f in shown if f.name in _MAIN])]
    heads = [harmless(display_name(audited.name)) for audited in one.beside]
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
        _figures([heads[place] for place in places], [one.beside[place] for place in places], shown)
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
            cells = [audited.told(figure) for audited in releases]
            table.add_row(f"{_INSET}{figure.title}", *cells)
    return table


def _one_line_each(all_of_them: Sequence[Audited], figures: Sequence[Figure]) -> Table:
    table = _table("")
    for figure in figures:
        table.add_column(figure.title, justify="right", overflow="fold")
    for audited in all_of_them:
        cells = [audited.told(figure) for figure in figures]
        table.add_row(harmless(display_name(audited.name)), *cells)
    return table


def _table(first: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(first, no_wrap=True)
    return table


def _show_what_to_change(found: Audit, one: OneSecret, out: Console) -> None:
    """Who is at risk, and what would help, in short; the report has it in full."""
    part = next((part for part in found.parts if part.name == "remedies"), None)
    if part is None or len(one.audited) > _ACROSS:
        return
    findings = {
        audited.name: look.finding
        for audited in one.audited
        if (look := audited.looked.get(part.name)) is not None and look.finding is not None
    }
    said = part.in_short(findings, found.asked_of(one), one.coarse) if findings else []
    if said:
        _say("What to change:", out)
        for sentence in said:
            _say(f"- {in_command_line_words(sentence)}", out, inset="  ")
        out.print()


def _show_what_is_lacking(one: OneSecret, masking: Masking, out: Console) -> None:
    """Why there are dashes: each reason once."""
    reasons: dict[str, list[str]] = {}
    for audited in one.audited:
        for part, look in audited.looked.items():
            if look.why is not None:
                # What to do about it may be long, and is in the report.
                why = (audited.told_why(part, masking) or "").partition(";")[0]
                why = why if why.replace(" ", "-").startswith(part) else f"{part}: {why}"
                reasons.setdefault(why, []).append(display_name(audited.name))
    for why, releases in reasons.items():
        _say(f"Not available for {', '.join(releases)}: {why}.", out, inset="  ")
    if reasons:
        out.print()
