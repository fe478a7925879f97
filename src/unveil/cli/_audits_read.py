"""Commands for audits that were done before: ``report``, ``compare`` and ``resolve``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console

from unveil._exits import Exit, ExitCode
from unveil.auditing import compare_audits, is_reference, key_from, read_audit, rows_behind
from unveil.cli._console import console, tell
from unveil.cli._guard import guarded, if_anybody_reads
from unveil.cli._outputs import (
    Files,
    check_output,
    check_report,
    is_stdout,
    print_text,
    write_text,
)
from unveil.cli._sources import OPTIONS, OUTPUT, ROLES, Opening, typed
from unveil.errors import Cell, File, InputError
from unveil.microdata import Source, open_table
from unveil.projects import Project

_Audit = Annotated[Path, Parameter(help="What unveil audit --json wrote.")]


@guarded
def report(
    audit: _Audit,
    /,
    *,
    out: Annotated[
        Path | None, typed(OUTPUT, "Where the page goes. A dash (-) means standard output. "
                            "Default: beside the JSON, audit.html.", "FILE", "--out", "-o"),
    ] = None,
) -> None:  # fmt: skip
    """Make the report of an earlier audit from its JSON."""
    from unveil.render.page import page_of

    page = audit.with_suffix(".html") if out is None else out
    check_report(page, "-o")
    write_text(page, page_of(read_audit(audit)))
    if not is_stdout(page):
        tell(console(), f"report: {page}")


@guarded
def compare(
    before: _Audit,
    after: Annotated[Path, Parameter(help="The same, later.")],
    /,
    *,
    strict: Annotated[
        bool, typed(OPTIONS, "Exit code 1 if a figure got worse, or is no longer known.")
    ] = False,
    json: Annotated[
        Path | None, typed(OUTPUT, "Write the comparison as JSON. A dash (-) means standard "
                            "output.", "FILE"),
    ] = None,
) -> None:  # fmt: skip
    """Compare two audits: what got better, and what got worse."""
    check_output(json, "--json")
    found = compare_audits(read_audit(before), read_audit(after))
    with Files() as files, if_anybody_reads():
        if json is not None:
            files.findings(json, [found], records=False)
            files.write()
        print_text(found.summary(), console(stderr=is_stdout(json)))
    if strict and found.got_worse:
        raise Exit(ExitCode.FAILS)


@guarded
def resolve(
    *what: Annotated[
        str, Parameter(name="FILE REFERENCE", help="The table that was audited, and references as "
                       "the report has them."),
    ],
    key: Annotated[
        Path, typed(OPTIONS, "What the audit wrote beside its report.", "FILE")
    ],
    project: Annotated[
        Path | None, typed(ROLES, "Instead of FILE: the project that was audited.", "FILE",
                            "--project", "-p"),
    ] = None,
    how: Opening = Opening(),
) -> None:  # fmt: skip
    """Tell the owner of the table and the key who is behind the references of a report."""
    references = [text for text in what if is_reference(text)]
    files = [text for text in what if not is_reference(text)]
    _check(references, files, project)
    secret = key_from(key)
    table = (
        open_table(files[0], **how.values()) if project is None else Project.read(project).opened()
    )
    found = rows_behind(references, range(table.n_rows), secret, table.name)
    out = console()
    for reference, row in found.items():
        _show(reference, row, table, out)


def _check(references: Sequence[str], files: Sequence[str], project: Path | None) -> None:
    # One that is not a reference may be the table, unless a project names it.
    wrong = files[1:]
    if project is not None:
        wrong = [text for text in files if not Path(text).exists()]
    if wrong:
        raise InputError(
            "{text} is not a reference; a report writes them as #0a1b2c3d4e5f, and in a shell they "
            "stand in quotes",
            text=Cell(wrong[0]),
        )
    if not references:
        raise InputError(
            "no reference is given; a report writes them as #0a1b2c3d4e5f, and in a shell they "
            "stand in quotes"
        )
    if files and project is not None:
        raise InputError(
            "both a table, {file}, and a project, which names its own, are given; leave one out",
            file=File(files[0]),
        )
    if not files and project is None:
        raise InputError("no table is given; give it as FILE or with --project")


def _show(reference: str, row: int, table: Source, out: Console) -> None:
    cells = ", ".join(f"{name} {array[row].as_py()}" for name, array in table.arrays.items())
    tell(out, f"{reference}: row {row + 1:,} of {table.name}")
    tell(out, f"  {cells}")
