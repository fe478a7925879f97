"""Relative risk as a part of ``unveil audit``: of every release in groups, in a short time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rich.console import Console

from unveil._text import harmless
from unveil.attacks import RelativeRisk, relative_risk
from unveil.cli._guard import in_command_line_words
from unveil.cli._risk_words import MEANING, compared, was_interrupted
from unveil.errors import UnveilError
from unveil.microdata import AnyRelease, Microdata
from unveil.report import display_name
from unveil.sanitize import Sanitizer

__all__ = ["Risks", "risks_of", "show_risks"]

LIMIT = "30 s"
"""For the sampling of one release."""


@dataclass(kw_only=True)
class Risks:
    """What was found, and of which releases nothing can be said and why."""

    names: list[str] = field(default_factory=list)
    findings: list[RelativeRisk] = field(default_factory=list)
    unfit: list[tuple[str, str]] = field(default_factory=list)
    interrupted: bool = False


def risks_of(
    microdata: Microdata, published: Sequence[AnyRelease], sanitizers: Sequence[Sanitizer], *,
    seed: int, n_jobs: int | None,
) -> Risks:  # fmt: skip
    """The relative risk of releases that were published, and of those that sanitizers make.

    What it makes no sense for (counts, changed sensitive values) is no error, but said.
    """
    done = Risks()

    def releases() -> Iterator[tuple[str, AnyRelease | Sanitizer]]:
        yield from ((release.made_by, release) for release in published)
        yield from ((sanitizer.label, sanitizer) for sanitizer in sanitizers)

    for name, one in releases():
        try:
            release = one.sanitize(microdata) if isinstance(one, Sanitizer) else one
            finding = relative_risk(
                release, microdata, limit=LIMIT, seed=seed, n_jobs=n_jobs  # type: ignore[arg-type]
            )  # fmt: skip
        except UnveilError as error:
            # The remedies behind it would be those of another command.
            done.unfit.append((name, in_command_line_words(str(error)).partition(";")[0]))
            continue
        except KeyboardInterrupt:
            done.interrupted = True
            break
        done.names.append(name)
        done.findings.append(finding)
        if was_interrupted(finding):
            done.interrupted = True
            break
    return done


_MODEL = (
    "Taken for granted: every combination of the table's own values has a probability of its own "
    "(saturated, observed), with priors worth one record each (α = β = 1); values that are equally "
    "likely count fully. unveil risk has the other choices."
)


def show_risks(risks: Risks, out: Console) -> None:
    """A table, what it means, and what is not in it."""
    if not risks.findings and not risks.unfit:
        return
    out.print("Relative risk", style="bold")
    if risks.findings:
        out.print(
            "What does an attacker who knows that somebody is in the table believe about them, "
            "beyond what anybody learns from the release?"
        )
        out.print()
        for name, finding in zip(risks.names, risks.findings, strict=True):
            if finding.chains is not None and not finding.converged:
                within = f" within {LIMIT}" if finding.chains.stopped == "time" else ""
                out.print(
                    f"NOT CONVERGED{within}: {harmless(display_name(name))}; take its numbers as "
                    "rough, and give it longer with unveil risk."
                )
        out.print(compared(risks.findings, risks.names))
        out.print()
        out.print(MEANING)
        out.print()
        most = max(risks.findings, key=lambda finding: finding.gr)
        name = risks.names[risks.findings.index(most)]
        out.print(harmless(in_command_line_words(most.verdict(display_name(name)))))
        out.print(_MODEL)
    for name, why in risks.unfit:
        out.print(f"None is told for {harmless(display_name(name))}: {harmless(why)}.")
    out.print()
