"""``unveil init``: propose roles for the columns of a table, and write a project file."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from unveil._text import harmless
from unveil.cli._console import console, working
from unveil.cli._guard import in_command_line_words
from unveil.cli._outputs import check_output, is_stdout, write_text
from unveil.cli._reading import names
from unveil.errors import InputError
from unveil.microdata import Role
from unveil.projects import Proposal, propose

__all__ = ["Init", "show_proposal"]

_LISTED = 40  # columns that are nothing, for the same reason
_SHOWN = {
    Role.IDENTIFIER: "identifier",
    Role.QUASI: "quasi",
    Role.SENSITIVE: "sensitive",
    Role.OTHER: "other",
}
"""The roles as the file has them, in the order of the table that is printed."""


@dataclass(frozen=True, kw_only=True)
class Init:
    """What `unveil init` was asked for."""

    file: Path
    out: Path
    force: bool
    delimiter: str | None
    encoding: str | None
    columns: Sequence[str] | None

    def run(self) -> None:
        """Look, write, and say what was found."""
        check_output(self.out, "-o", source=self.file)
        if self.out.exists() and not self.force and not is_stdout(self.out):
            raise InputError(
                f"{str(self.out)!r} is there already; --force replaces it, -o names another file"
            )
        with working(f"looking at {self.file.name}"):
            proposal = propose(
                self.file,
                delimiter="\t" if self.delimiter == "\\t" else self.delimiter,
                encoding=self.encoding,
                columns=names(self.columns) or None,
            )
        folder = Path() if is_stdout(self.out) else self.out.parent
        write_text(self.out, proposal.project().moved(folder).to_toml())
        out = console(stderr=is_stdout(self.out))
        show_proposal(proposal, out)
        if not is_stdout(self.out):
            out.print(f"Written to {self.out}. Read it, correct it, and then:", soft_wrap=True)
            out.print(f"  unveil audit --project {shlex.quote(str(self.out))}", soft_wrap=True)


def show_proposal(proposal: Proposal, out: Console) -> None:
    """Every column, its role and why; and what to check."""
    out.print(
        f"{harmless(proposal.source)}: {_counted(proposal.rows, 'row')}, "
        f"{_counted(len(proposal.columns), 'column')}.\n"
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("column", overflow="fold", ratio=3)
    table.add_column("role", no_wrap=True)
    table.add_column("why", overflow="fold", ratio=7)
    for column, role, why in _rows(proposal):
        table.add_row(column, role, why)
    out.print(table)
    out.print()
    if proposal.unsure:
        out.print("To check", style="bold")
        for one in proposal.unsure:
            out.print(f"- {in_command_line_words(harmless(one))}")
        out.print()


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _rows(proposal: Proposal) -> Iterator[tuple[str, str, str]]:
    """One row a column; columns that are nothing, for the same reason, share one."""
    for role, shown in _SHOWN.items():
        reasons: dict[str, list[str]] = {}
        for one in proposal.columns:
            if one.role is not role:
                continue
            if role is Role.OTHER:
                reasons.setdefault(one.reason, []).append(harmless(one.name))
            else:
                yield harmless(one.name), shown, harmless(one.reason)
        for reason, columns in reasons.items():
            more = len(columns) - _LISTED
            listed = ", ".join(columns[:_LISTED]) + (f" and {more:,} more" if more > 0 else "")
            yield listed, shown, harmless(reason)
