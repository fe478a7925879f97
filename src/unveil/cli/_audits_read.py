"""What is made of audits that were done before: ``unveil report`` and ``unveil compare``."""

from __future__ import annotations

from pathlib import Path

import typer

from unveil.auditing import compare_audits, read_audit
from unveil.cli._console import console
from unveil.cli._guard import if_anybody_reads
from unveil.cli._outputs import (
    check_output,
    check_report,
    is_stdout,
    print_text,
    write_findings,
    write_text,
)

__all__ = ["compare", "render"]

WORSE = 1
"""The exit code if something got worse and that matters."""


def render(audit: Path, out: Path | None) -> None:
    """Make the page of an audit from its JSON."""
    from unveil.report.page import page_of

    page = audit.with_suffix(".html") if out is None else out
    check_report(page, "-o")
    write_text(page, page_of(read_audit(audit)))
    if not is_stdout(page):
        console().print(f"report: {page}", soft_wrap=True)


def compare(before: Path, after: Path, *, strict: bool, json: Path | None) -> None:
    """Say what got better and what worse, by the exit code, too, if that is wanted."""
    check_output(json, "--json")
    found = compare_audits(read_audit(before), read_audit(after))
    if json is not None:
        write_findings(json, [found], records=False)
    with if_anybody_reads():
        print_text(found.summary(), console(stderr=is_stdout(json)))
    if strict and found.got_worse:
        raise typer.Exit(WORSE)
