"""Several adversaries at once: for each target, the one for whom leaving them out changes most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks._differential_finding import DifferentialInference

__all__ = ["SeveralAdversaries", "strongest"]


@dataclass(frozen=True)
class SeveralAdversaries:
    """Stands for all of them in a finding."""

    labels: tuple[str, ...]

    @property
    def label(self) -> str:
        """How people call them."""
        return f"the strongest of {', '.join(self.labels[:-1])} and {self.labels[-1]}"

    @property
    def explained(self) -> str:
        """What they do."""
        return "is for each person the one whose belief moves most"


def strongest(findings: Sequence[DifferentialInference]) -> DifferentialInference:
    """One finding from those of several adversaries against the same sanitizer.

    A target whom some adversaries could not be tested on counts with the others; one whom none
    could is not tested.
    """
    records = reduce(_common, (finding.targets for finding in findings))
    at = [_places(finding, records) for finding in findings]
    distances = np.stack([f.distances[where] for f, where in zip(findings, at, strict=True)])
    best = np.argmax(np.where(np.isnan(distances), -np.inf, distances), axis=0)
    each = np.arange(len(records))
    untested = np.isnan(distances).all(axis=0)

    def of_best(name: str) -> Any:
        parts = [getattr(f, name)[where] for f, where in zip(findings, at, strict=True)]
        return np.stack(parts)[best, each]

    first = findings[0]
    kept = first.present is not None
    lost = set(records[untested].tolist())
    failures = {r: said for f in findings for r, said in f.failures if r in lost}
    return replace(
        first,
        distances=distances[best, each],
        targets=records,
        mode_changed=of_best("mode_changed"),
        present=of_best("present") if kept else None,
        absent=of_best("absent") if kept else None,
        not_tested=_not_tested(findings, int(untested.sum())),
        failures=tuple(failures.items()),
        adversary=SeveralAdversaries(tuple(f.adversary.label for f in findings)),
        way="general" if any(f.way == "general" for f in findings) else first.way,
        seconds=_seconds(findings),
        notes=tuple(dict.fromkeys(note for f in findings for note in f.notes)),
        against={f.adversary.label: f for f in findings},
        strongest=np.where(untested, -1, best),
    )


def _common(a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.intp]:
    """Those in both, in the order of the first."""
    return a[np.isin(a, b)]


def _places(finding: DifferentialInference, records: NDArray[np.intp]) -> NDArray[np.intp]:
    """Where these records are among the targets of a finding."""
    order = np.argsort(finding.targets, kind="stable")
    return order[np.searchsorted(finding.targets, records, sorter=order)]


def _not_tested(findings: Sequence[DifferentialInference], count: int) -> dict[str, int]:
    """How many could be tested against nobody; the reason is the one that is given most."""
    if not count:
        return {}
    reasons: Counter[str] = Counter()
    for finding in findings:
        reasons.update(finding.not_tested)
    return {reasons.most_common(1)[0][0]: count}


def _seconds(findings: Sequence[DifferentialInference]) -> float:
    """Those who shared their releases took their time together."""
    shared = [f.seconds for f in findings if f.way == "general"]
    return sum(f.seconds for f in findings if f.way != "general") + max(shared, default=0.0)
