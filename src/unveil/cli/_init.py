"""``unveil init``: propose roles for the columns of a table, and write a project file."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.table import Table

from unveil._text import harmless
from unveil.cli._alignment import ROLES, show_alignment
from unveil.cli._audited_table import PROJECT
from unveil.cli._console import console, tell, working
from unveil.cli._guard import guarded, in_command_line_words
from unveil.cli._outputs import check_output, is_stdout, write_text
from unveil.cli._sources import OUTPUT, Answers, Opening, Released, typed
from unveil.errors import File as FileName
from unveil.errors import InputError, Option
from unveil.microdata import Role
from unveil.projects import Proposal, propose, two_files

_LISTED = 40  # columns that are nothing, for the same reason


@guarded
def init(
    file: Annotated[Path, Parameter(help="The original table.")],
    released: Released = None,
    /,
    *,
    out: Annotated[
        Path, typed(OUTPUT, "Where the project file goes. A dash (-) means standard output.",
                     "FILE", "--out", "-o"),
    ] = Path(PROJECT),
    force: Annotated[bool, typed(OUTPUT, "Replace an existing project file.")] = False,
    how: Opening = Opening(),
    answers: Answers = Answers(),
) -> None:  # fmt: skip
    """Look at a table, and at what was published of it, and write a project file."""
    check_output(out, "-o", source=file)
    if out.exists() and not force and not is_stdout(out):
        raise InputError("{file} is there already; {force} replaces it, -o names another file",
                         file=FileName(out), force=Option("force"))  # fmt: skip
    with working(f"looking at {file.name}"):
        if released is None:
            proposal = propose(file, **how.values())
            project = proposal.project()
        else:
            options = {n: one for n, one in how.values().items() if n != "columns"}
            both = two_files(file, released, **answers.values(), **options)
            project = both.project(written=True)
    if is_stdout(out):
        write_text(out, project.moved(Path()).to_toml())
    else:
        project.write(out, force=force)
    told = console(stderr=is_stdout(out))
    if released is None:
        show_proposal(proposal, told)
    else:
        show_alignment(both, project.roles, told)
        if questions := both.open_questions(project.roles):
            for question in questions:
                tell(told, f"To answer first: {harmless(in_command_line_words(question.text))}")
            told.print()
            where = "" if is_stdout(out) else f"Written to {out}. "
            other = "" if str(out) in ("-", PROJECT) else f" -o {shlex.quote(str(out))}"
            tell(told, f"{where}Nothing is tested before that is answered. Run what is true:")
            for command in both.answering(questions):
                tell(told, f"  {command}{other}")
            return
    if not is_stdout(out):
        tell(told, f"Written to {out}. Read it, correct it, and then:")
        tell(told, f"  unveil audit --project {shlex.quote(str(out))}")


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
            out.print(f"- {harmless(in_command_line_words(one))}")
        out.print()


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _rows(proposal: Proposal) -> Iterator[tuple[str, str, str]]:
    """One row a column; columns that are nothing, for the same reason, share one."""
    for role, shown in ROLES.items():
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
