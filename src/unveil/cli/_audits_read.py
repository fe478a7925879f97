"""Commands for audits that were done before: ``report``, ``compare`` and ``resolve``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console

from unveil._exits import Exit, ExitCode
from unveil._text import counted, display_name
from unveil.auditing import PRIVATE, compare_audits, is_reference, key_from, read_audit, rows_behind
from unveil.cli._audited_table import AuditedTable, AuditTable
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
from unveil.cli._sources import OPTIONS, OUTPUT, Published, typed
from unveil.errors import Cell, File, InputError, Option
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
    at_risk: Annotated[
        bool, typed(OPTIONS, "Instead of references: list everybody at risk in the releases that "
                     "are given, or in those of the project, why, and their original records. "
                     "Do not hand on."),
    ] = False,
    table: AuditTable = AuditTable(),
    published: Published = Published(),
) -> None:  # fmt: skip
    """Tell the owner of the table and the key who is behind the references of a report."""
    references = [text for text in what if is_reference(text)]
    files = [text for text in what if not is_reference(text)]
    options = table.values()
    project = options.pop("project", None)
    if at_risk:
        _check_alone(references, files)
        _show_at_risk(Path(files[0]) if files else None, key, table, published)
        return
    _check(references, files, project)
    given = published.given()
    opening = {name: options.pop(name, None) for name in ("delimiter", "encoding", "columns")}
    for name in [*(name for name, one in options.items() if one and one != "error"),
                 *(["published"] if given else [])]:  # fmt: skip
        raise InputError("{option} is for {at_risk}: references need only the table and the key",
                         option=Option(name), at_risk=Option("at_risk"))  # fmt: skip
    secret = key_from(key)
    source = open_table(files[0], **opening) if project is None else Project.read(project).opened()
    found = rows_behind(references, range(source.n_rows), secret, source.name)
    out = console()
    for reference, row in found.items():
        _show(reference, row, source, out)


def _check_alone(references: Sequence[str], files: Sequence[str]) -> None:
    if references:
        raise InputError(
            "{at_risk} lists everybody; leave out the reference {reference}",
            at_risk=Option("at_risk"), reference=Cell(references[0], bare=True),
        )  # fmt: skip
    if files[1:]:
        raise InputError("{text} is one table too many: give the one that was audited",
                         text=Cell(files[1]))  # fmt: skip


def _show_at_risk(file: Path | None, key: Path, table: AuditTable, published: Published) -> None:
    """Everybody at risk in each release, with their original records."""
    from unveil.auditing import Threshold
    from unveil.auditing.parts import PARTS
    from unveil.cli._audit import AuditRun

    secret, given = key_from(key), published.given()
    audited = table.audited(file, given)
    if audited.roles_are_proposed and audited.project_file is None:
        audited.check()
        raise InputError("{at_risk} needs the roles that were audited: give {quasi} and "
                         "{sensitive}, or the project", at_risk=Option("at_risk"),
                         quasi=Option("quasi"), sensitive=Option("sensitive"))  # fmt: skip
    if audited.is_alone:
        audited.check()
        raise InputError("{at_risk} needs the original table: give it as {file}",
                         at_risk=Option("at_risk"), file=Option("microdata"))  # fmt: skip
    if audited.project is None and not given:
        raise InputError("{at_risk} needs what was published: give {release}, or the project",
                         at_risk=Option("at_risk"), release=Option("published"))  # fmt: skip
    thresholds = () if audited.project is None else map(Threshold.parse, audited.project.fail_on)
    figures = {"linked", "k", *(one.figure.name for one in thresholds)}
    parts = [name for name, part in PARTS.items() if figures & set(part.figures)]
    run = AuditRun(table=audited, given=given, programs=(), attacks=parts)
    run.check()
    found = run.audited(audited.read()).under(secret)
    for one in found.releases:
        if one.error is not None:
            raise InputError("{release} cannot be looked at: {error}",
                             release=File(one.name, bare=True), error=one.error)  # fmt: skip
    source = _source_of(audited)
    out = console()
    people = found.at_risk()
    tell(out, PRIVATE)
    for one in found.releases:
        mine = people[
            (people["release"] == display_name(one.name))
            & (people["sensitive"] == one.subject.ground.sensitive)
        ]
        tell(
            out,
            f"{display_name(one.name)}, {one.subject.ground.sensitive}: "
            f"{len(mine):,} of {counted(one.subject.records, 'person')} at risk",
        )
        for row, reference, why in zip(mine["row"], mine["reference"], mine["why"], strict=True):
            _show(reference, int(row), source, out, f": {why}")


def _source_of(audited: AuditedTable) -> Source:
    project = audited.project
    return audited.reading.opened() if project is None else project.opened()


def _check(references: Sequence[str], files: Sequence[str], project: Path | None) -> None:
    # One that is not a reference may be the table, unless a project names it.
    wrong = files[1:]
    if project is not None:
        wrong = [text for text in files if not Path(text).exists()]
    if wrong:
        raise InputError(
            "{text} is not a reference; a report writes them as #0a1b2c3d4e5f6071, and in a "
            "shell they stand in quotes",
            text=Cell(wrong[0]),
        )
    if not references:
        raise InputError(
            "no reference is given; a report writes them as #0a1b2c3d4e5f6071, and in a "
            "shell they stand in quotes"
        )
    if files and project is not None:
        raise InputError(
            "both a table, {file}, and a project, which names its own, are given; leave one out",
            file=File(files[0]),
        )
    if not files and project is None:
        raise InputError("no table is given; give it as FILE or with --project")


def _show(reference: str, row: int, table: Source, out: Console, why: str = "") -> None:
    cells = ", ".join(f"{name} {array[row].as_py()}" for name, array in table.arrays.items())
    tell(out, f"{reference}: row {row + 1:,} of {table.name}{why}")
    tell(out, f"  {cells}")
