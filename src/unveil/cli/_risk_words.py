"""Relative risk on the terminal: several releases side by side, and the people worst off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rich import box
from rich.table import Table
from rich.text import Text

from unveil._text import harmless
from unveil.attacks import RelativeRisk, Victim
from unveil.attacks.relative_risk import records
from unveil.findings import Finding
from unveil.report import display_name

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MEANING", "Answered", "compared", "was_interrupted", "worst_people"]

MEANING = (
    "N_L, N_A: how many records' own values are the most likely ones to somebody who learns from "
    "the release, and to an attacker who knows that they are in the table. GR: by how much N_A is "
    "more, as a share of the records; values that are equally likely count fully unless ties are "
    "counted otherwise, which matters much with small groups. Right: how many records' values each "
    "of them guesses. Worst: how many times as credible somebody's own value is for being in the "
    "table."
)

_HEADS = ("release", "groups", "N_L", "N_A", "GR", "learner\nright", "attacker\nright",
          "worst\np_A/p_L", "how", "converged")  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Answered(Finding):
    """A finding of relative risk, and the victims who were asked about."""

    name: str
    finding: RelativeRisk
    victims: tuple[Victim, ...] = ()

    def summary(self) -> str:
        return "\n\n".join([self.finding.summary(), *map(repr, self.victims)])

    def to_frame(self) -> pd.DataFrame:
        return self.finding.to_frame()

    def content(self, *, records: bool) -> dict[str, Any]:
        content = self.finding.content(records=records)
        if self.victims:
            content["victims"] = [_as_dict(victim) for victim in self.victims]
        return content


def _as_dict(victim: Victim) -> dict[str, Any]:
    frame = victim.to_frame().iloc[:, 1:].astype(object)  # without the values
    beliefs = frame.where(frame.notna(), None).to_dict("records")
    return {
        "who": victim.who,
        "covered": victim.is_covered,
        "converged": victim.converged,
        "error": victim.error if np.isfinite(victim.error) else None,
        "beliefs": [
            {"value": value, **belief} for value, belief in zip(victim.values, beliefs, strict=True)
        ],
    }


def compared(findings: Sequence[RelativeRisk], names: Sequence[str]) -> Table:
    """One row a release, of findings that know the original table."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    table.add_column(_HEADS[0], overflow="fold")
    for head in _HEADS[1:8]:
        table.add_column(
            head, justify="right", no_wrap=True, style="bold" if head == "GR" else None
        )
    for head in _HEADS[8:]:
        table.add_column(head, no_wrap=True)
    for finding, name in zip(findings, names, strict=True):
        table.add_row(harmless(display_name(name)), *_cells(finding))
    return table


def _cells(finding: RelativeRisk) -> list[str]:
    exact, digits = finding.chains is None, _digits(finding)
    risks = finding.relative_risks
    worst = "–" if np.isnan(risks).all() else f"{np.nanmax(risks):.{digits}f}"
    return [
        f"{len(finding.problem.counts):,}", records(finding.n_learner),
        records(finding.n_attacker), f"{finding.gr:.{digits}%}",
        f"{finding.learner_accuracy:.{digits}%}", f"{finding.accuracy:.{digits}%}", worst,
        finding.how, "exact" if exact else "yes" if finding.converged else "NO",
    ]  # fmt: skip


def _digits(finding: RelativeRisk) -> int:
    """Sampled numbers have fewer."""
    return 2 if finding.chains is None else 1


def was_interrupted(finding: RelativeRisk) -> bool:
    """Whether the user ended the sampling before its end."""
    return finding.chains is not None and finding.chains.stopped == "interrupted"


def worst_people(finding: RelativeRisk, n: int) -> Table:
    """Those with the largest relative risk: it, who they are, and what is believed."""
    table = finding.microdata
    assert table is not None
    risks = finding.relative_risks
    first = np.argsort(-np.nan_to_num(risks, nan=-1.0), kind="stable")[:n]
    digits = _digits(finding)
    grid = Table.grid(padding=(0, 2))
    secret = table.sensitive
    for record in first[~np.isnan(risks[first])]:
        values = (f"{c.name} {c.texts[c.codes[record]]}" for c in table.quasi)
        text = Text.assemble(  # rows count from 1, as in every message
            harmless(f"row {table.rows[record] + 1}: {', '.join(values)}; "),
            (harmless(f"{secret.name} {secret.texts[secret.codes[record]]}"), "bold"),
            f"\nbelief: learner {finding.under_learner.of_truth[record]:.0%} → attacker "
            f"{finding.under_attacker.of_truth[record]:.0%}",
        )
        grid.add_row("", Text(f"{risks[record]:.{digits}f}", style="bold red"), text)
    return grid
