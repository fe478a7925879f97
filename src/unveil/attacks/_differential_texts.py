"""A finding of the differential inference test, written out for people and for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unveil.errors import InputError

if TYPE_CHECKING:
    from unveil.attacks._differential_finding import DifferentialInference

__all__ = [
    "MAIN_THRESHOLD",
    "THRESHOLDS",
    "content_of",
    "sampling_in_words",
    "summary_of",
]

THRESHOLDS = (0.001, 0.01, 0.05, 0.1)
"""Distances above which the share of records is reported."""
MAIN_THRESHOLD = 0.05
"""The one that a bound is put into words for."""


def content_of(finding: DifferentialInference, *, records: bool) -> dict[str, Any]:
    """What goes into JSON."""
    content: dict[str, Any] = {
        "finding": "differential inference",
        "source": finding.microdata.source,
        "sanitizer": finding.sanitizer,
        "adversary": finding.adversary.label,
        "prior": finding.prior,
        "distance": finding.distance,
        "quasi": [c.name for c in finding.microdata.quasi],
        "sensitive": finding.microdata.sensitive.name,
        "records": len(finding.microdata),
        "classes": finding.n_classes,
        "smallest_class": finding.smallest_class,
        "targets": len(finding.targets),
        "targets_are": finding.how,
        "targets_wanted": finding.wanted,
        "budget_seconds": finding.budget,
        "tested": len(finding.tested),
        "not_tested": finding.not_tested,
        "delta": _plain(finding.delta),
        "mean": _plain(finding.mean),
        "std": _plain(finding.std),
        "infinite": finding.infinite,
        "quantiles": {f"{q:g}": _plain(d) for q, d in finding.quantiles().items()},
        "share_over": {f"{t:g}": _plain(finding.share_over(t)) for t in THRESHOLDS},
        "share_of_all_over": {f"{t:g}": _bound(finding, t) for t in THRESHOLDS},
        "modes_changed": _plain(finding.modes_changed),
        "path": finding.way,
        "sampling": _sampling(finding),
        "seed": finding.seed,
        "seconds": finding.seconds,
        "interrupted": finding.interrupted,
        "notes": [str(note) for note in finding.notes],
    }
    if finding.against:
        content["strongest_for"] = finding.strongest_for()
        content["against"] = [content_of(f, records=records) for f in finding.against.values()]
    if records:
        content["record"] = finding.targets.tolist()
        content["distances"] = [_plain(d) for d in finding.distances.tolist()]
        if finding.sampling is not None:
            content["errors"] = [_plain(e) for e in finding.sampling.error.tolist()]
        content["failures"] = [list(failure) for failure in finding.failures]
    return content


def _sampling(finding: DifferentialInference) -> dict[str, Any] | None:
    found = finding.sampling
    if found is None:
        return None
    low, high = finding.delta_within()
    return {
        "samples_least": found.least,
        "samples_most": found.most,
        "error_wanted": found.wanted,
        "error_most": _plain(float(np.nanmax(found.error, initial=0))),
        "too_coarse": found.too_coarse,
        "delta_within": [_plain(low), _plain(high)],
        "delta_as_published": _plain(float(np.nanmax(found.as_published, initial=0))),
        "tails": _tails(finding),
    }


def _tails(finding: DifferentialInference) -> list[dict[str, Any]] | None:
    """The curve over ε; None if not all adversaries' beliefs were counted."""
    try:
        rows = finding.tails().to_dict("records")
    except InputError:
        return None
    return [
        {str(key).replace(",", "").replace(" ", "_"): _plain(value) for key, value in row.items()}
        for row in rows
    ]


def _bound(finding: DifferentialInference, threshold: float) -> dict[str, Any]:
    bound = finding.bound(threshold)
    return {"low": bound.low, "high": bound.high, "confidence": bound.confidence}


def summary_of(finding: DifferentialInference) -> str:
    """What a finding prints."""
    lines = [
        f"Differential inference: {finding.sanitizer} on {finding.microdata.source}",
        f"  {len(finding.tested):,} of {len(finding.microdata):,} records tested, each by leaving "
        f"it out, in {finding.seconds:.2g} s; release of {_released(finding)}",
        *(f"  {line}" for line in _who(finding)),
    ]
    for reason, count in finding.not_tested.items():
        lines.append(f"  NOT TESTED: {count:,} records: {reason}")
    if finding.failures:
        lines.append("    What was said about each of them is in finding.failures.")
    if len(finding.tested):
        lines += _numbers(finding)
        lines += [f"  {line}" for line in sampling_in_words(finding)]
    lines += _adversaries(finding)
    lines += [f"  Note: {note}" for note in finding.notes]
    return "\n".join(lines)


def _released(finding: DifferentialInference) -> str:
    if finding.n_classes is None:
        return "counts"
    return f"{finding.n_classes:,} classes, the smallest of {finding.smallest_class:,}"


def sampling_in_words(finding: DifferentialInference) -> list[str]:
    """How exact sampled distances are, and how many are less exact than was asked for."""
    found = finding.sampling
    if found is None or not found.most:
        return []
    many = f"{found.most:,}"
    if found.least < found.most:
        many = f"{found.least:,} to {found.most:,}"
    worst = finding.worst_places(1)
    low, high = finding.delta_within()
    lines = []
    if found.too_coarse:
        lines.append(
            f"NOT AS EXACT as asked for ({_number(found.wanted or 0)}) are {found.too_coarse:,} "
            f"records: {_ended(finding)} ended before."
        )
    lines += [
        f"Sampled: {many} releases with and as many without each record; distances are exact to "
        f"{_number(float(np.nanmax(found.error)))} (95 % each; they hang together, so the mean may "
        "be off by as much as they are), and δ lies between "
        f"{_number(low)} and {_number(high)} (95 %, all records together).",
        f"Without the correction for the bias of sampling the worst would be at "
        f"{_number(float(np.nanmax(found.as_published)))}; two samples of the same beliefs are "
        f"about {_number(float(found.floor[worst[0]]))} apart.",
    ]
    return lines


def _ended(finding: DifferentialInference) -> str:
    if finding.interrupted:
        return "it was interrupted; sampling"
    return "the samples" if finding.budget is None else "the samples or the budget"


def _who(finding: DifferentialInference) -> list[str]:
    """Who was tested, if not all were, and what follows for the others."""
    if len(finding.targets) == len(finding.microdata):
        return []
    lines = []
    if len(finding.targets) < finding.wanted:
        lines.append(
            f"The budget of {finding.budget or 0:g} s ended after {len(finding.targets):,} of "
            f"{finding.wanted:,} targets."
        )
    lines.append("Only some records were targets; the worst of all may be worse.")
    lines.append(finding.bound(MAIN_THRESHOLD).in_words())
    return lines


def _numbers(finding: DifferentialInference) -> list[str]:
    half, most, nearly_all = finding.quantiles().values()
    over = ", ".join(f"{finding.share_over(t):.1%} over {t:g}" for t in THRESHOLDS)
    lines = [
        "",
        f"  δ, the worst record   {_number(finding.delta)}",
        f"  mean ± std            {_number(finding.mean)} ± {_number(finding.std)}",
        f"  quantiles             50% below {_number(half)}, 90% below {_number(most)}, "
        f"99% below {_number(nearly_all)}",
        f"  records               {over}",
        f"  most likely value     changes for {finding.modes_changed:.1%} of the records",
    ]
    if finding.infinite:
        finite = finding.tested[np.isfinite(finding.tested)]
        rest = f"; the mean of the others is {_number(float(finite.mean()))}" if len(finite) else ""
        lines.append(f"  INFINITE              for {finding.infinite:,} records{rest}")
    if finding.infinite:
        moves = "beyond all bounds"
    else:
        moves = f"by {_number(finding.delta)} ({finding.distance}), "
        moves += f"and by {_number(finding.mean)} on average"
    return [
        *lines,
        "",
        "  Leaving out their own record moves what an attacker believes about the worst-placed "
        f"person's {finding.microdata.sensitive.name}",
        f"  {moves}. What does not move is a fact about the population.",
    ]


def _adversaries(finding: DifferentialInference) -> list[str]:
    known = "; he has a prior of his own" if finding.prior else ""
    lines = [f"  Adversary: {finding.adversary.label}, who {finding.adversary.explained}{known}."]
    if finding.against:
        width = max(len(name) for name in finding.against)
        best = finding.strongest_for()
        lines += [
            f"    {name.ljust(width)}  δ {_number(one.delta):<8}  mean {_number(one.mean):<8}  "
            f"strongest for {best[name]:,}"
            for name, one in finding.against.items()
        ]
    return lines


def _number(value: float) -> str:
    """Three digits that count.

    >>> _number(0.19834), _number(0.0000123)
    ('0.198', '1.23e-05')
    """
    return f"{value:.3g}"


def _plain(value: float) -> float | str | None:
    """JSON has neither NaN nor infinity."""
    if np.isnan(value):
        return None
    return float(value) if np.isfinite(value) else "infinity"
