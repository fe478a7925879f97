"""Published files: what can be said of them without running the anonymization again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from unveil.attacks import Inference, inference
from unveil.cli._guard import in_command_line_words
from unveil.microdata import Microdata, read_release
from unveil.report import harmless

__all__ = ["NEEDS_SANITIZER", "published_findings", "show_published"]

NEEDS_SANITIZER = (
    "that needs the anonymization itself, to run it again without each person: give it with "
    "--sanitizer or --oracle (a command, a URL, or a folder that has full.csv and, for each "
    "person left out, without_000017.csv)"
)


def published_findings(
    files: Sequence[Path],
    microdata: Microdata,
    beliefs: dict[str, Any],
    notation: dict[str, str],
) -> list[Inference]:
    """What each adversary believes from each file."""
    named = beliefs["adversary"]
    adversaries = named if isinstance(named, list) else [named]
    releases = [
        read_release(file, microdata, made_by=file.name, notation=notation) for file in files
    ]
    return [
        inference(release, microdata, adversary=adversary, prior=beliefs["prior"])
        for release in releases
        for adversary in adversaries
    ]


def show_published(findings: Sequence[Inference], out: Console, *, tested: bool) -> None:
    """Describe the files, say what is believed, and what it would take to say more."""
    described = set()
    for finding in findings:
        release = finding.release
        if release.made_by not in described:
            described.add(release.made_by)
            _describe(finding, out)
        out.print(
            f"  {finding.adversary.label} guesses the {harmless(release.sensitive.name)} of "
            f"{finding.accuracy:.1%} of the people; by always naming the most frequent one he "
            f"would be right for {finding.baseline:.1%}."
        )
    if findings:
        out.print()
    if findings and not tested:
        out.print(
            "How much of that comes from people's own records is what the differential test "
            f"tells; {NEEDS_SANITIZER}.\n"
        )


def _describe(finding: Inference, out: Console) -> None:
    release = finding.release
    out.print(harmless(release.made_by), style="bold")
    out.print(
        f"  {len(release):,} records in {release.n_classes:,} classes of {release.sizes.min():,} "
        f"to {release.sizes.max():,}"
    )
    for column, notation in release.notations.items():
        out.print(f"  {harmless(column)}: {notation}")
    for note in release.notes:
        if note not in finding.microdata.notes:
            out.print(f"  Note: {in_command_line_words(note)}")
