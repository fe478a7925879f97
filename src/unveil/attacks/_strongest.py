"""Several adversaries at once: for each target, the one for whom leaving them out changes most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks._beliefs import INTERRUPTED
from unveil.attacks._differential_finding import DifferentialInference
from unveil.attacks.chance import Sampling

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

    A target whom some adversaries could not be tested on counts with the others, and a note says
    so; one whom none could, or before whom the user has had enough, is not tested.
    """
    records = reduce(_common, (finding.targets for finding in findings))
    at = [finding.places_of(records) for finding in findings]
    distances = np.stack([f.distances[where] for f, where in zip(findings, at, strict=True)])
    missing = np.isnan(distances)
    cut_short = np.array([INTERRUPTED in finding.not_tested for finding in findings])
    untested = missing.all(axis=0) | missing[cut_short].any(axis=0)
    best = np.argmax(np.where(missing, -np.inf, distances), axis=0)
    each = np.arange(len(records))

    def of_best(name: str) -> Any:
        parts = [getattr(f, name)[where] for f, where in zip(findings, at, strict=True)]
        return np.stack(parts)[best, each]

    first = findings[0]
    kept = first.present is not None
    lost = set(records[untested].tolist())
    failures = {r: text for f in findings for r, text in f.failures if r in lost}
    # Whoever came to the fewest targets says in which sense these are a sample of all.
    fewest = min(findings, key=lambda finding: len(finding.targets))
    return replace(
        first,
        distances=np.where(untested, np.nan, distances[best, each]),
        targets=records,
        mode_changed=of_best("mode_changed"),
        present=of_best("present") if kept else None,
        absent=of_best("absent") if kept else None,
        not_tested=_not_tested(findings, int(untested.sum())),
        failures=tuple(failures.items()),
        adversary=SeveralAdversaries(tuple(f.adversary.label for f in findings)),
        n_classes=fewest.n_classes,
        smallest_class=min(
            (f.smallest_class for f in findings if f.smallest_class is not None), default=None
        ),
        way=next((f.way for f in findings if not f.fast), first.way),
        how=fewest.how,
        wanted=fewest.wanted,
        seconds=_seconds(findings),
        notes=(*dict.fromkeys(note for f in findings for note in f.notes), *_gaps(findings)),
        against={f.adversary.label: f for f in findings},
        strongest=np.where(untested, -1, best),
        sampling=_sampling(findings, at, best),
        certain=all(f.certain for f in findings),
        interrupted=any(f.interrupted for f in findings),
    )


def _sampling(
    findings: Sequence[DifferentialInference],
    at: Sequence[NDArray[np.intp]],
    best: NDArray[np.intp],
) -> Sampling | None:
    """How the strongest ones' distances were sampled; some of them may be exact."""
    sampled = next((f.sampling for f in findings if f.sampling is not None), None)
    if sampled is None:
        return None
    merged = Sampling.none(len(best), sampled.epsilons.tolist(), sampled.wanted)
    for number, (finding, where) in enumerate(zip(findings, at, strict=True)):
        his = np.flatnonzero(best == number)
        part = finding.sampling
        if part is None:
            part = Sampling.exact(finding.distances, sampled.epsilons.tolist(), sampled.wanted)
        merged.put(his, part.take(where[his]))
    return merged


def _gaps(findings: Sequence[DifferentialInference]) -> list[str]:
    """Whom single adversaries could not be tested on."""
    return [
        f"{f.adversary.label} could not be tested on {n:,} of {len(f.targets):,} targets "
        f"({reason}), so they may be worse off than they seem"
        for f in findings
        for reason, n in f.not_tested.items()
        if reason != INTERRUPTED
    ]


def _common(a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.intp]:
    """Those in both, in the order of the first."""
    return a[np.isin(a, b)]


def _not_tested(findings: Sequence[DifferentialInference], count: int) -> dict[str, int]:
    """How many were not tested; the reason is an interrupt, or the one that is given most."""
    if not count:
        return {}
    reasons: Counter[str] = Counter()
    for finding in findings:
        reasons.update(finding.not_tested)
    return {INTERRUPTED if INTERRUPTED in reasons else reasons.most_common(1)[0][0]: count}


def _seconds(findings: Sequence[DifferentialInference]) -> float:
    """Those who shared their releases took their time together."""
    shared = [f.seconds for f in findings if not f.fast]
    return sum(f.seconds for f in findings if f.fast) + max(shared, default=0.0)
