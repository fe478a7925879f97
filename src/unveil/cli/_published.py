"""Published files: what can be said of them without running the anonymization again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from unveil._text import harmless
from unveil.attacks import Inference, inference
from unveil.cli._guard import in_command_line_words
from unveil.errors import InputError
from unveil.microdata import Microdata, Release, read_release

__all__ = ["NEEDS_SANITIZER", "Examined", "Published", "show_published"]

NEEDS_SANITIZER = (
    "that needs the anonymization itself, to run it again without each person: give it with "
    "--sanitizer or --oracle (a command, a URL, or a folder that has full.csv and, for each "
    "person left out, without_000017.csv)"
)


@dataclass(frozen=True)
class Examined:
    """What came of the files: findings, and which could not be read and why."""

    findings: list[Inference] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Published:
    """Files to examine, and how to read them."""

    files: Sequence[Path]
    notation: dict[str, str]
    may_change: bool
    encoding: str | None

    def examined(self, microdata: Microdata, beliefs: dict[str, Any]) -> Examined:
        """What each adversary believes from each file; one that is unreadable is no matter to
        the others.
        """
        adversaries = beliefs["adversary"] or ["naive-bayes"]
        done = Examined()
        for file in self.files:
            alone = sum(other.name == file.name for other in self.files) == 1
            name = file.name if alone else str(file)
            try:
                release = read_release(
                    file, microdata, made_by=name, notation=self.notation,
                    may_change=self.may_change, encoding=self.encoding or "utf-8",
                )  # fmt: skip
            except InputError as error:
                said = in_command_line_words(str(error))
                done.failed.append((name, said if name in said else f"{name}: {said}"))
                continue
            done.findings.extend(
                inference(release, microdata, adversary=adversary, prior=beliefs["prior"])
                for adversary in adversaries
            )
        return done


def show_published(published: Examined, out: Console, *, tested: bool) -> None:
    """Describe the files, say what is believed, and what it would take to say more."""
    described = set()
    for finding in published.findings:
        release = finding.release
        if release.made_by not in described:
            described.add(release.made_by)
            _describe(finding, out)
        out.print(
            f"  {finding.adversary.label} guesses the {harmless(release.sensitive.name)} of "
            f"{finding.accuracy:.1%} of the people; by always naming the most frequent one he "
            f"would be right for {finding.baseline:.1%}."
        )
    if published.findings:
        out.print()
    if published.findings and not tested:
        out.print(
            "How much of that comes from people's own records is what the differential test "
            f"tells; {NEEDS_SANITIZER}.\n"
        )


def _describe(finding: Inference, out: Console) -> None:
    release = finding.release
    assert isinstance(release, Release)  # as `read_release` returns it
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
