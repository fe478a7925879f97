"""The finding of differential inference: its numbers, text, JSON and pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil._axes import new_axes, written
from unveil.adversary import Adversary
from unveil.attacks.differential._bounds import Chosen, ShareBound, sampled_bound, share_bound
from unveil.attacks.differential._sampling import (
    Sampling,
    TailProbabilities,
    certain_tail,
    curve,
    most_often,
    within,
)
from unveil.errors import InputError, Option, Text
from unveil.findings import Finding
from unveil.microdata import Microdata

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["MAIN_THRESHOLD", "DifferentialInference", "SeveralAdversaries", "sampling_in_words"]


MAIN_THRESHOLD = 0.05
"""The threshold for which a bound is put into words."""

_THRESHOLDS = (0.001, 0.01, 0.05, 0.1)  # above which the share of records is reported
_QUANTILES = (0.5, 0.9, 0.99)
_FLOOR = 1e-6  # smaller distances are drawn here: a log axis has no zero
_LARGEST = {"total variation": 1.0, "l1": 2.0}  # of the distances that can be sampled


@dataclass(frozen=True)
class SeveralAdversaries:
    """Stands for several adversaries in a finding."""

    labels: tuple[str, ...]

    @property
    def label(self) -> str:
        """How they are called together."""
        return f"the strongest of {', '.join(self.labels[:-1])} and {self.labels[-1]}"

    @property
    def explained(self) -> str:
        """What they do."""
        return "is for each person the one whose belief moves most"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DifferentialInference(Finding):
    """How far the belief about each target moves when the target's own record is left out.

    Attributes
    ----------
    distances : array
        d_i of each target, in the order of `targets`, which by default is that of the records;
        NaN for those that could not be tested.
    targets : array
        The numbers of the records tested, counted from 0.
    mode_changed : array of bool
        Whether the most likely value is a different one without the record; of several that are
        equally likely, whether none is left.
    present, absent : arrays of shape (targets, sensitive values), or None
        The beliefs with and without the record, if they were asked for.
    not_tested : dict
        Reasons why targets could not be tested, and for how many.
    failures : tuple of (record, message)
        The messages of the sanitizer about single targets. They may name people, so they are not
        shown elsewhere unless asked for.
    against : dict of str to DifferentialInference
        If several adversaries attacked: the finding of each. The distances here are then, for
        each target, those of the strongest.
    strongest : array of int, or None
        Which of them is the strongest, for each target; -1 for those that could not be tested.
    sampling : Sampling, or None
        If the distances were sampled: the number of samples, the errors, and the distances
        without correction.
    """

    distances: NDArray[np.float64]
    targets: NDArray[np.intp]
    mode_changed: NDArray[np.bool_]
    present: NDArray[np.float64] | None
    absent: NDArray[np.float64] | None
    not_tested: dict[str, int]
    failures: tuple[tuple[int, str], ...] = ()
    microdata: Microdata
    sanitizer: str
    adversary: Adversary | SeveralAdversaries
    distance: str
    distance_explained: str = ""
    n_classes: int | None
    smallest_class: int | None
    """None if the release has no classes, or groups, of records."""
    way: str
    """``fast``, ``updating`` or ``general``, which are exact; where something is random,
    ``direct``, which needs no sampling, ``counts`` or ``sampled``."""
    how: Chosen
    """Who the targets are: ``all``, ``random``, ``stratified``, ``exposed`` or ``chosen``."""
    wanted: int
    """Number of targets asked for; fewer are tested if the budget ends before."""
    budget: float | None = None
    prior: bool = False
    """Whether a prior was given."""
    seed: int
    seconds: float
    notes: tuple[Text, ...] = ()
    against: dict[str, DifferentialInference] = field(default_factory=dict)
    strongest: NDArray[np.intp] | None = None
    sampling: Sampling | None = None
    certain: bool = True
    """Whether nothing is random: then d is one number, and not between distributions."""
    interrupted: bool = False
    """Whether the user interrupted the test."""

    @property
    def fast(self) -> bool:
        """Whether it was computed without running the sanitizer again."""
        return self.way not in ("general", "sampled")

    @property
    def tested(self) -> NDArray[np.float64]:
        """The distances of the targets that could be tested."""
        return self.distances[~np.isnan(self.distances)]

    @property
    def delta(self) -> float:
        """δ, the distance of the worst record."""
        return float(self.tested.max()) if len(self.tested) else float("nan")

    @property
    def mean(self) -> float:
        """The mean distance; infinite if one is."""
        return float(self.tested.mean()) if len(self.tested) else float("nan")

    @property
    def infinite(self) -> int:
        """For how many targets the distance is infinite, which some distances can be."""
        return int(np.isinf(self.tested).sum())

    @property
    def std(self) -> float:
        """The standard deviation of the distances (of these records, not of a sample)."""
        if self.infinite:
            return float("inf")
        return float(self.tested.std()) if len(self.tested) else float("nan")

    def quantiles(self, q: Sequence[float] = _QUANTILES) -> dict[float, float]:
        """Distances that the given shares of the records stay below."""
        if not len(self.tested):
            return dict.fromkeys(q, float("nan"))
        # Between a number and infinity there is nothing to interpolate.
        method: Any = "inverted_cdf" if self.infinite else "linear"
        return dict(zip(q, np.quantile(self.tested, q, method=method).tolist(), strict=True))

    def share_over(self, threshold: float) -> float:
        """The share of the records whose distance is over a threshold."""
        return float((self.tested > threshold).mean()) if len(self.tested) else float("nan")

    def bound(self, threshold: float, confidence: float = 0.95) -> ShareBound:
        """Bound the share of *all* records that are over a threshold.

        Exact if all were tested, with the given confidence if they were drawn at random, and
        certain but wide if they were chosen otherwise. Sampled distances that are too close to the
        threshold to tell count as unknown. ``print(finding.bound(0.05))`` prints a sentence.
        """
        secrets, distances, share = self.microdata.sensitive, self.distances, confidence
        undecided = 0
        if self.sampling is not None and 0 < confidence < 1:
            # Half of the error probability is for sampling, half for the draw of targets.
            share = 1 - (1 - confidence) / 2
            low, high = self._within(share)
            unclear = (low <= threshold) & (threshold < high)
            distances, undecided = np.where(unclear, np.nan, distances), int(unclear.sum())
        bound = share_bound(
            distances,
            threshold,
            len(self.microdata),
            confidence=share,
            how=self.how,
            strata=(secrets.codes[self.targets], self.microdata.sensitive_counts),
        )
        return bound if self.sampling is None else sampled_bound(bound, undecided, confidence)

    def delta_within(self, confidence: float = 0.95) -> tuple[float, float]:
        """Bounds of δ that hold for all targets at once; equal where nothing was sampled.

        The largest of many sampled distances is partly large by chance, so the bounds are wider
        than the error of the worst record.
        """
        if not 0 < confidence < 1:
            raise InputError(
                "{option} must be between 0 and 1, such as 0.95; got {confidence}",
                option=Option("confidence"), confidence=repr(confidence),
            )  # fmt: skip
        if not len(self.tested):
            return float("nan"), float("nan")
        low, high = self._within(confidence)
        return float(np.nanmax(low)), float(np.nanmax(high))

    def _within(self, confidence: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Bounds of the distance of each target, for all adversaries and targets at once.

        The largest distance may be that of an adversary that seems weaker but is less exact.
        """
        parts = list(self.against.values()) or [self]
        each = 1 - (1 - confidence) / (len(parts) * max(1, len(self.tested)))
        bounds = []
        for one in parts:
            places = one.places_of(self.targets)
            sampling = None if one.sampling is None else one.sampling.take(places)
            bounds.append(within(one.distances[places], sampling, each))
        gone = np.isnan(self.distances)
        low, high = (np.fmax.reduce(side) for side in zip(*bounds, strict=True))
        largest = _LARGEST.get(self.distance, np.inf)
        return np.where(gone, np.nan, low), np.where(gone, np.nan, np.minimum(high, largest))

    def tail(self, epsilon: float) -> TailProbabilities:
        """Pr[d ≥ ε] of each target, over the randomness of the sanitizer and the adversary.

        It is 0 or 1 where nothing is random. If several adversaries attacked, it is that of the
        one whose belief moves most often.
        """
        if self.against:
            return most_often([self._tail(one, epsilon) for one in self.against.values()])
        return self._tail(self, epsilon)

    def _tail(self, one: DifferentialInference, epsilon: float) -> TailProbabilities:
        places, gone = one.places_of(self.targets), np.isnan(self.distances)
        if one.sampling is not None:
            sampling = one.sampling.take(places)
            sampling.samples[gone] = 0
            return sampling.tail(epsilon, of=max(1, len(self.against)))
        if not one.certain:
            raise InputError(
                "how often belief moves by ε was not counted, because nothing was sampled; test "
                "again with {option} or more",
                option=Option("samples", 1000),
            )
        return certain_tail(np.where(gone, np.nan, one.distances[places]), epsilon)

    def tails(self) -> pd.DataFrame:
        """The curve over ε of a sampled finding: δ, a bound for all, the mean, and chance alone."""
        if self.sampling is None:
            raise InputError(
                "nothing was sampled; test again with {option} or more",
                option=Option("samples", 1000),
            )
        return curve(self.tail(epsilon) for epsilon in self.sampling.epsilons.tolist())

    def places_of(self, records: NDArray[np.intp]) -> NDArray[np.intp]:
        """Where these records are among the targets."""
        order = np.argsort(self.targets, kind="stable")
        return order[np.searchsorted(self.targets, records, sorter=order)]

    def strongest_for(self) -> dict[str, int]:
        """For how many targets each of several adversaries is the strongest."""
        if self.strongest is None:
            return {self.adversary.label: len(self.tested)}
        counts = np.bincount(self.strongest[self.strongest >= 0], minlength=len(self.against))
        return dict(zip(self.against, counts.tolist(), strict=True))

    @property
    def modes_changed(self) -> float:
        """The share of the records whose most likely value changes: a weak measure on its own."""
        had = ~np.isnan(self.distances)
        return float(self.mode_changed[had].mean()) if had.any() else float("nan")

    def worst_places(self, n: int) -> NDArray[np.intp]:
        """Places in `targets` of the n worst, the worst first, without those not tested."""
        # NaN sorts last; a stable sort keeps equal ones in the order of the table.
        return np.argsort(-self.distances, kind="stable")[: max(0, min(n, len(self.tested)))]

    def worst(self, n: int = 10) -> pd.DataFrame:
        """The records with the largest distances, with their values."""
        order = self.worst_places(n)
        frame = self.to_frame().iloc[order].reset_index(drop=True)
        records = self.targets[order]
        for column in (*self.microdata.quasi, self.microdata.sensitive):
            # A column of the table may be called "distance", too.
            name = f"{column.name} in the table" if column.name in frame else column.name
            frame[name] = column.values[column.codes[records]]
        return frame

    def to_frame(self) -> pd.DataFrame:
        """One row per target: record, row of the source, distance, and beliefs if kept."""
        import pandas as pd

        frame = pd.DataFrame(
            {
                "record": self.targets,
                "row": self.microdata.rows[self.targets],
                "distance": self.distances,
                "mode_changed": pd.array(self.mode_changed, dtype="boolean"),
            }
        )
        frame.loc[np.isnan(self.distances), "mode_changed"] = pd.NA
        if self.sampling is not None:
            frame["error"], frame["samples"] = self.sampling.error, self.sampling.samples
        if self.strongest is not None:
            names = np.array([*self.against, None], dtype=object)
            frame["strongest"] = names[self.strongest]
            for name, finding in self.against.items():
                each = pd.Series(finding.distances, index=finding.targets)
                frame[f"distance: {name}"] = each.reindex(self.targets).to_numpy()
        for when, beliefs in (("with", self.present), ("without", self.absent)):
            if beliefs is not None:
                for text, belief in zip(self.microdata.sensitive.texts, beliefs.T, strict=True):
                    frame[f"P {when}: {text}"] = belief
        return frame

    def content(self, *, records: bool) -> dict[str, Any]:
        return _content(self, records=records)

    def plot(self, ax: Axes | None = None, **line: Any) -> Axes:
        """Draw the share of records below each distance, on a log axis; returns the axes.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        line = {"label": self.sanitizer, **line}
        return _draw_distribution(self.tested, ax=ax, distance=self.distance, **line)

    def plot_tails(self, ax: Axes | None = None) -> Axes:
        """Draw how often belief moves by ε or more, over ε; returns the axes.

        For findings that were sampled. Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        return _draw_tails(self.tails(), ax, self.sanitizer)

    def summary(self) -> str:
        return _summary(self)


def _content(finding: DifferentialInference, *, records: bool) -> dict[str, Any]:
    """The content of the JSON."""
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
        "share_over": {f"{t:g}": _plain(finding.share_over(t)) for t in _THRESHOLDS},
        "share_of_all_over": {f"{t:g}": _bound(finding, t) for t in _THRESHOLDS},
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
        content["against"] = [_content(f, records=records) for f in finding.against.values()]
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


def _summary(finding: DifferentialInference) -> str:
    """The text of a finding."""
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
    """The errors of sampled distances, and how many are larger than asked for."""
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
    over = ", ".join(f"{finding.share_over(t):.1%} over {t:g}" for t in _THRESHOLDS)
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
    known = "; it has a prior of its own" if finding.prior else ""
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
    """Three significant digits.

    >>> _number(0.19834), _number(0.0000123)
    ('0.198', '1.23e-05')
    """
    return f"{value:.3g}"


def _plain(value: float) -> float | str | None:
    """JSON has neither NaN nor infinity."""
    if np.isnan(value):
        return None
    return float(value) if np.isfinite(value) else "infinity"


def _draw_distribution(
    distances: NDArray[np.float64],
    *,
    ax: Axes | None = None,
    label: str,
    distance: str,
    **line: Any,
) -> Axes:
    """Draw the empirical distribution of distances on a log axis."""
    if ax is None:
        ax = new_axes()
    values = np.sort(np.maximum(distances[np.isfinite(distances)], _FLOOR))
    infinite = len(distances) - len(values)
    label = written(label)
    if infinite:  # not on the axis: the line ends below 1
        label = f"{label} (∞ for {infinite:,})"
    # From the decade of the first percentile to 1, where total variation ends, or as far as the
    # lines that are already drawn.
    above = values[values > _FLOOR]
    left = 10 ** math.floor(math.log10(np.quantile(above, 0.01))) if len(above) else 0.1
    left, right = min(left, 0.1), float(values.max(initial=1.0))
    if ax.lines:
        left, right = min(left, ax.get_xlim()[0]), max(right, ax.get_xlim()[1])
    share = np.arange(1, len(values) + 1) / max(1, len(distances))
    steps = np.concatenate([[_FLOOR], values, [right]])
    shares = np.concatenate([[0.0], share, share[-1:] if len(share) else [0.0]])
    ax.step(steps, shares, where="post", label=label, **line)
    if len(values):
        ax.plot(
            values[-1], share[-1], "o", color=ax.lines[-1].get_color(), markersize=5, clip_on=False
        )
    ax.set(
        xscale="log", xlim=(left, right), ylim=(0, 1), ylabel="share of records",
        xlabel=f"d: how far belief about a person moves without their record ({distance})",
    )  # fmt: skip
    ax.grid(True, alpha=0.25)
    # Beside the picture: lines may run anywhere within.
    ax.legend(
        frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), title="● δ, the worst record"
    )
    return ax


def _draw_tails(tails: pd.DataFrame, ax: Axes | None, label: str) -> Axes:
    """Draw Pr[d ≥ ε] over ε: of the worst record, on average, and by chance alone."""
    if ax is None:
        ax = new_axes()
    epsilon = tails["epsilon"].to_numpy()
    worst = ax.plot(
        epsilon, tails["delta"].to_numpy(), label=f"{written(label)}: the worst record"
    )[0]
    color = worst.get_color()
    ax.fill_between(
        epsilon, tails["delta"].to_numpy(), tails["delta at most"].to_numpy(), color=color,
        alpha=0.15, linewidth=0, label="up to the 95 % bound for all",
    )  # fmt: skip
    ax.plot(epsilon, tails["mean"].to_numpy(), color=color, linestyle="--", label="all, on average")
    for what, line, name in (
        ("by chance, at most", "-.", "by chance (two releases with the record): at most"),
        ("by chance", ":", "by chance: on average"),
    ):
        ax.plot(epsilon, tails[what].to_numpy(), color="0.45", linestyle=line, label=name)
    ax.set(
        xscale="log", xlim=(epsilon[0], epsilon[-1]), ylim=(0, 1.02),
        xlabel="ε: how far belief about a person moves from one release to another",
        ylabel="how often it moves by ε or more",
    )  # fmt: skip
    ax.grid(True, alpha=0.25)
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax
