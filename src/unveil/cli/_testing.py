"""Several sanitizers tested on one table; what goes wrong with one is no matter to the others."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from unveil.attacks import (
    INTERRUPTED,
    DifferentialInference,
    differential_inference,
)
from unveil.cli._console import slow_start
from unveil.cli._guard import in_command_line_words
from unveil.cli._outputs import save_picture, write_findings
from unveil.errors import UnveilError
from unveil.findings import Finding
from unveil.microdata import Microdata, read_table
from unveil.report import Outcome, display_name
from unveil.sanitize import SANITIZERS, LaplaceCounts, Sanitizer

__all__ = [
    "Trial",
    "draw",
    "findings_of",
    "warm_up",
    "was_interrupted",
    "write_json",
]


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A table and how its anonymizations are tested."""

    microdata: Microdata
    options: dict[str, Any]
    """What `differential_inference` is told besides."""
    closer: bool = False
    """Whether somebody will look closer at the worst records."""

    def run(self, sanitizers: Sequence[Sanitizer]) -> list[Outcome]:
        """Test all of them; an interrupt ends the work but keeps what has been found."""
        outcomes: list[Outcome] = []
        for sanitizer in sanitizers:
            try:
                # What depends on chance says something else the next time.
                kept = self.closer and not sanitizer.deterministic
                finding = differential_inference(
                    self.microdata, sanitizer, predictions=kept, **self.options
                )
            except UnveilError as error:
                outcomes.append(_failed(sanitizer, in_command_line_words(error)))
                continue
            except KeyboardInterrupt:
                outcomes.append(_failed(sanitizer, INTERRUPTED))
                break
            outcomes.append(Outcome(sanitizer=sanitizer.label, finding=finding))
            if finding.interrupted:
                break
        return outcomes

    def look_closer(
        self, finding: DifferentialInference, sanitizer: Sanitizer, n: int
    ) -> DifferentialInference:
        """The same test of the worst records alone, with the beliefs about them.

        Keeping everybody's beliefs the first time would cost memory by the record. Where they
        were kept, because another run might say something else, there is nothing to do.
        """
        if finding.present is not None:
            return finding
        worst = finding.targets[finding.worst_places(n)]
        options = {**self.options, "targets": worst, "predictions": True}
        return differential_inference(self.microdata, sanitizer, **options)


def _failed(sanitizer: Sanitizer, why: str) -> Outcome:
    text = why if sanitizer.label in why else f"{sanitizer.label}: {why}"
    return Outcome(sanitizer=sanitizer.label, error=text)


def findings_of(outcomes: Sequence[Outcome]) -> list[DifferentialInference]:
    """The findings there are."""
    return [outcome.finding for outcome in outcomes if outcome.finding is not None]


def was_interrupted(outcomes: Sequence[Outcome]) -> bool:
    """Whether the user ended the work before its end."""
    return any(
        outcome.error == f"{outcome.sanitizer}: {INTERRUPTED}"
        if outcome.finding is None
        else outcome.finding.interrupted
        for outcome in outcomes
    )


def warm_up(
    sanitizers: Sequence[Sanitizer], *, adversary: str | None, sampled: bool = False
) -> None:
    """Have the kernels compiled (or fetched from numba's cache) before any clock runs.

    Those of each sanitizer, and no others. Without an adversary only those that sanitize;
    ``sampled`` says whether samples were asked for, which noisy counts need kernels for.
    """
    table = _four_people()
    with slow_start():
        for easy in dict.fromkeys(map(_easier, filter(_is_built_in, sanitizers))):
            if adversary is None:
                easy.sanitize(table)
                continue
            drawn = sampled if isinstance(easy, LaplaceCounts) else easy.is_random
            # What an adversary cannot do is told by the test itself, in its own words.
            with suppress(UnveilError):
                differential_inference(
                    table, easy, adversary=_heard_by(easy, adversary),
                    samples=2 if drawn else None, n_jobs=1, progress=False,
                )  # fmt: skip


def _heard_by(sanitizer: Sanitizer, adversary: str) -> str:
    """The adversary, or one who can make something of counts."""
    return sanitizer.attacked_by if isinstance(sanitizer, LaplaceCounts) else adversary


def _is_built_in(sanitizer: Sanitizer) -> bool:
    """Whether it is one of ours: an oracle is not asked more often than the user wants."""
    return type(sanitizer) in SANITIZERS.values()


def _easier(sanitizer: Sanitizer) -> Sanitizer:
    """The same sanitizer with goals that four people can meet."""
    options = {f.name for f in fields(sanitizer)}  # type: ignore[arg-type]
    goals = {"k": 1, "l": 1, "t": 1.0, "crowds": None, "t_distance": None, "seed": 0}
    asked = {name for name in options & goals.keys() if getattr(sanitizer, name) is not None}
    return replace(sanitizer, **{name: goals[name] for name in asked})  # type: ignore[type-var]


def _four_people() -> Microdata:
    return read_table(
        {"x": [0, 1, 2, 3], "y": ["a", "b", "a", "b"], "s": ["u", "v", "v", "u"]},
        quasi=["x", "y"],
        sensitive="s",
    )


def draw(path: Path, findings: Sequence[DifferentialInference], out: Console) -> None:
    """Draw the distributions of all findings into one picture."""
    if not findings:
        return
    axes = None
    for finding in findings:
        axes = finding.plot(axes, label=display_name(finding.sanitizer))
    assert axes is not None
    save_picture(path, axes, out)


def write_json(
    path: Path,
    outcomes: Sequence[Outcome],
    *,
    records: bool,
    others: Sequence[Finding] = (),
    after: Sequence[Finding] = (),
    failed: Sequence[tuple[str, str]] = (),
) -> None:
    """Write what became of every sanitizer, other findings and failures before them, and others
    ``after`` them.
    """
    write_findings(
        path,
        [*others, *findings_of(outcomes), *after],
        records=records,
        failed=[
            *({"release": name, "error": error} for name, error in failed),
            *(
                {"sanitizer": outcome.sanitizer, "error": outcome.error}
                for outcome in outcomes
                if outcome.error is not None
            ),
        ],
    )
