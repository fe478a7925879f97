"""The finding of a differential inference test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary
from unveil.attacks._bounds import Chosen, ShareBound, sampled_bound, share_bound
from unveil.attacks.chance import (
    Sampling,
    TailProbabilities,
    certain_tail,
    curve,
    most_often,
    tails_picture,
    within,
)
from unveil.errors import InputError, Text
from unveil.findings import Finding
from unveil.microdata import Microdata

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from unveil.attacks._strongest import SeveralAdversaries

__all__ = ["DifferentialInference"]

_QUANTILES = (0.5, 0.9, 0.99)
_LARGEST = {"total variation": 1.0, "l1": 2.0}  # of the distances that can be sampled


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
        Whether the most likely value is another without the record; of several that are equally
        likely, whether none is left.
    present, absent : arrays of shape (targets, sensitive values), or None
        The beliefs with and without the record, if they were asked for.
    not_tested : dict
        Kinds of reasons why targets could not be tested, and of how many.
    failures : tuple of (record, message)
        What the sanitizer said about each of them, where it said something. It may speak of
        people, so it goes no further than here unless asked for.
    against : dict of str to DifferentialInference
        If several adversaries attacked: the finding of each. The distances here are then, for
        each target, those of the strongest.
    strongest : array of int, or None
        Which of them that is, for each target; -1 for those that could not be tested.
    sampling : Sampling, or None
        If the distances were sampled: how often, how exact they are, and what they would be
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
    """``fast``, ``updating`` or ``general``, which are exact; where chance decides, ``direct``,
    which needs no sampling, ``counts`` or ``sampled``."""
    how: Chosen
    """Who the targets are: ``all``, ``random``, ``stratified``, ``exposed`` or ``chosen``."""
    wanted: int
    """How many targets there were to be; fewer are tested if the budget ended before."""
    budget: float | None = None
    prior: bool = False
    """Whether a prior was given."""
    seed: int
    seconds: float
    notes: tuple[Text, ...] = field(default=())
    against: dict[str, DifferentialInference] = field(default_factory=dict)
    strongest: NDArray[np.intp] | None = None
    sampling: Sampling | None = None
    certain: bool = True
    """Whether nothing depends on chance: then d is one number, and not between distributions."""
    interrupted: bool = False
    """Whether the user ended the test before its end."""

    @property
    def fast(self) -> bool:
        """Whether it was computed without running the sanitizer again."""
        return self.way not in ("general", "sampled")

    @property
    def tested(self) -> NDArray[np.float64]:
        """The distances of those that could be tested."""
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
        """What follows for *all* records from those tested: how many can be over a threshold?

        Exact if all were tested, with the given confidence if they were drawn at random, and
        certain but wide if they were chosen otherwise. Of sampled distances those count as
        unknown that are too close to the threshold to tell. ``print(finding.bound(0.05))`` says
        it in words.
        """
        secrets, distances, share, undecided = (
            self.microdata.sensitive,
            self.distances,
            confidence,
            0,
        )
        if self.sampling is not None and 0 < confidence < 1:
            # Half of what may go wrong is left to sampling, half to the draw of targets.
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

        The worst of many sampled distances is the worst by chance, too, so the bounds are wider
        than the error of the worst record.
        """
        if not 0 < confidence < 1:
            raise InputError(
                f"confidence must be between 0 and 1, such as 0.95; got {confidence!r}"
            )
        if not len(self.tested):
            return float("nan"), float("nan")
        low, high = self._within(confidence)
        return float(np.nanmax(low)), float(np.nanmax(high))

    def _within(self, confidence: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Between what the distance of each target lies, for all adversaries and targets at once.

        The largest distance may be that of an adversary who seems weaker but is less exact.
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

        Where nothing is random it is 0 or 1. If several adversaries attacked, it is that of the
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
                "how often belief moves by so much was not counted, for nothing was sampled; test "
                "again with samples=1000 or more"
            )
        return certain_tail(np.where(gone, np.nan, one.distances[places]), epsilon)

    def tails(self) -> pd.DataFrame:
        """The curve over ε of a sampled finding: δ, a bound for all, the mean, and chance alone."""
        if self.sampling is None:
            raise InputError("nothing was sampled; test again with samples=1000 or more")
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
        """Where in `targets` the n worst are, the worst first; those not tested never are."""
        # NaN sorts last either way; a stable sort keeps equal ones in the table's order.
        return np.argsort(-self.distances, kind="stable")[: max(0, min(n, len(self.tested)))]

    def worst(self, n: int = 10) -> pd.DataFrame:
        """The records that give themselves away most: who they are, and how much."""
        order = self.worst_places(n)
        frame = self.to_frame().iloc[order].reset_index(drop=True)
        records = self.targets[order]
        for column in (*self.microdata.quasi, self.microdata.sensitive):
            # A column of the table may be called "distance", too.
            name = f"{column.name} in the table" if column.name in frame else column.name
            frame[name] = column.values[column.codes[records]]
        return frame

    def to_frame(self) -> pd.DataFrame:
        """One row a target: record, row of the source, distance, and beliefs if they were kept."""
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
        from unveil.attacks._differential_texts import content_of

        return content_of(self, records=records)

    def plot(self, ax: Axes | None = None, **line: Any) -> Axes:
        """Draw the share of records below each distance, on a log axis; returns the axes.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.attacks._pictures import cumulative

        line = {"label": self.sanitizer, **line}
        return cumulative(self.tested, ax=ax, distance=self.distance, **line)

    def plot_tails(self, ax: Axes | None = None) -> Axes:
        """Draw how often belief moves by ε or more, over ε; returns the axes.

        For findings that were sampled. Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        return tails_picture(self.tails(), ax, self.sanitizer)

    def summary(self) -> str:
        from unveil.attacks._differential_texts import summary_of

        return summary_of(self)
