"""The finding of differential inference: its numbers. What it tells is in `_story`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import pandas as pd
from annotated_types import Gt, Lt
from numpy.typing import ArrayLike, NDArray

from unveil.adversary import Adversary
from unveil.attacks.differential import DELTA, MEAN_D, OVER, OVER_BOUND
from unveil.attacks.differential._bounds import ShareBound, front_and_others, share_bound
from unveil.attacks.differential._forecast import Forecast, forecast
from unveil.attacks.differential._intervals import Ends, mean_of_all
from unveil.attacks.differential._sampling import (
    CONFIDENCE,
    Sampling,
    TailProbabilities,
    certain_tail,
    curve,
    most_often,
)
from unveil.attacks.differential._targets import Chosen
from unveil.engine import Budget
from unveil.errors import InputError, Option, Text
from unveil.findings import Finding, Story, Value
from unveil.microdata import Microdata
from unveil.options import check

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MAIN_THRESHOLD = 0.05
"""The threshold of the figure ``over``, and for which a bound is put into words."""

_Confidence = Annotated[float, Gt(0), Lt(1)]
_THRESHOLDS = (0.001, 0.01, 0.05, 0.1)  # above which the share of records is reported
_QUANTILES = (0.5, 0.9, 0.99)


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
        The numbers of the records tested, counted from 0. Where a person may have several: the
        first record of each person, and all other arrays are of people, too.
    mode_changed : array of bool
        Whether the most likely value is a different one without the record; of several that are
        equally likely, whether none is left.
    present, absent : arrays of shape (targets, sensitive values), or None
        The beliefs with and without the record, if they were asked for.
    farthest : array, or None
        Where a person may have several records: the one whose distance is the person's, because it
        is the largest. Beliefs are about this record.
    means : array, or None
        And the mean distance of all their records.
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

    entry: ClassVar[str] = "differential-inference"

    distances: NDArray[np.float64]
    targets: NDArray[np.intp]
    mode_changed: NDArray[np.bool_]
    present: NDArray[np.float64] | None
    absent: NDArray[np.float64] | None
    farthest: NDArray[np.intp] | None = None
    means: NDArray[np.float64] | None = None
    not_tested: dict[str, int]
    failures: tuple[tuple[int, str], ...] = ()
    microdata: Microdata
    sanitizer: str
    adversary: Adversary | SeveralAdversaries
    distance: str
    distance_explained: str = ""
    largest: float = np.inf
    """The largest value that the distance can have."""
    n_classes: int | None
    smallest_class: int | None
    """None if the release has no classes, or groups, of records."""
    way: str
    """``fast``, ``updating`` or ``general``, which are exact; where something is random,
    ``direct``, which needs no sampling, ``counts`` or ``sampled``."""
    how: Chosen
    """Who the targets are: ``all``, ``worst-first``, ``random``, ``stratified``, ``exposed`` or
    ``chosen``."""
    front: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    """Where the likely worst were tested first: their records, reached or not."""
    wanted: int
    """Number of targets asked for; fewer are tested if the budget ends before."""
    budget: Budget | None = None
    prior: bool = False
    """Whether a prior was given."""
    seed: int
    seconds: float
    each: float = 0.0
    """Seconds per target, at the pace of all workers together."""
    notes: tuple[Text, ...] = ()
    against: dict[str, DifferentialInference] = field(default_factory=dict)
    strongest: NDArray[np.intp] | None = None
    sampling: Sampling | None = None
    certain: bool = True
    """Whether nothing is random: then d is one number, and not between distributions."""
    interrupted: bool = False
    """Whether the user interrupted the test."""
    listed: int = 0
    """How many of the worst-placed people the story lists with their values."""
    closer: DifferentialInference | None = None
    """If some are listed: the finding about them alone, with the beliefs about them."""

    @property
    def people(self) -> int:
        """How many people the table is of."""
        return len(self.microdata.people)

    @property
    def shown(self) -> NDArray[np.intp]:
        """The record of each target that its distance is of."""
        return self.targets if self.farthest is None else np.where(
            self.farthest < 0, self.targets, self.farthest
        )  # fmt: skip

    @property
    def fast(self) -> bool:
        """Whether it was computed without running the sanitizer again."""
        return self.way not in ("general", "sampled")

    @property
    def tested(self) -> NDArray[np.float64]:
        """The distances of the targets that could be tested."""
        return self.distances[~np.isnan(self.distances)]

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """How many people each target that could be tested stands for; None if all count the same.

        Of the likely worst more are tested than of the others, and they must not count for more.
        """
        # All are targets if the user interrupted, but not all were tested.
        some = len(self.tested) < self.people
        if not (some and len(self.front) and self.how in ("worst-first", "all")):
            return None
        of, sizes = front_and_others(
            self.targets[~np.isnan(self.distances)], self.front, self.people
        )
        drawn = np.bincount(of, minlength=2)
        if not drawn.all():
            return None
        people = np.array([len(self.front), sizes[1]])
        return (people / drawn)[of]

    def _average(self, of_each: ArrayLike) -> float:
        """The mean of a number of each target that could be tested."""
        values = np.asarray(of_each, dtype=np.float64)
        return float(np.average(values, weights=self.weights)) if len(values) else float("nan")

    @property
    def delta(self) -> float:
        """δ, the distance of the worst record."""
        return float(self.tested.max()) if len(self.tested) else float("nan")

    @property
    def mean(self) -> float:
        """The mean distance; infinite if one is.

        If the likely worst were tested first, it is an estimate of the mean of all.
        """
        return self._average(self.tested)

    @property
    def infinite(self) -> int:
        """For how many targets the distance is infinite, which some distances can be."""
        return int(np.isinf(self.tested).sum())

    @property
    def std(self) -> float:
        """The standard deviation of the distances (of these records, not of a sample)."""
        if self.infinite:
            return float("inf")
        return float(np.sqrt(self._average((self.tested - self.mean) ** 2)))

    def quantiles(self, q: Sequence[float] = _QUANTILES) -> dict[float, float]:
        """Distances that the given shares of the records stay below."""
        if not len(self.tested):
            return dict.fromkeys(q, float("nan"))
        # Between a number and infinity there is nothing to interpolate.
        weights = self.weights
        method: Any = "linear" if weights is None and not self.infinite else "inverted_cdf"
        found = np.quantile(self.tested, q, method=method, weights=weights)
        return dict(zip(q, found.tolist(), strict=True))

    def share_over(self, threshold: float) -> float:
        """The share of the records whose distance is over a threshold."""
        return self._average(self.tested > threshold)

    def bound(self, threshold: float, confidence: float = 0.95) -> ShareBound:
        """Bound the share of *all* records that are over a threshold.

        Exact if all were tested, with the given confidence if they were drawn at random, and
        certain but wide if they were chosen otherwise. Sampled distances that are too close to the
        threshold to tell count as unknown. ``print(finding.bound(0.05))`` prints a sentence.
        """
        check("confidence", _Confidence, confidence)
        distances, share = self.distances, confidence
        undecided = 0
        if self.sampling is not None:
            # Half of the error probability is for sampling, half for the draw of targets.
            share = 1 - (1 - confidence) / 2
            low, high = self._within(share)
            unclear = (low <= threshold) & (threshold < high)
            distances, undecided = np.where(unclear, np.nan, distances), int(unclear.sum())
        bound = share_bound(
            distances,
            threshold,
            self.people,
            confidence=share,
            how=self.how,
            strata=self._strata,
            counts="records" if self.microdata.several is None else "people",
        )
        if self.sampling is None:
            return bound
        return replace(
            bound,
            confidence=confidence,
            untested_failures=bound.untested_failures - undecided,
            undecided=undecided,
            method="sampled" if bound.method in ("exact", "certain") else bound.method,
        )

    @property
    def _strata(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The stratum of each target, and the sizes of all strata."""
        if self.how == "stratified":
            secret, people = self.microdata.sensitive, self.microdata.people
            sizes = np.bincount(secret.codes[people], minlength=secret.size)
            return secret.codes[self.targets], sizes
        return front_and_others(self.targets, self.front, self.people)

    def forecast(self, threshold: float = MAIN_THRESHOLD, confidence: float = 0.95) -> Forecast:
        """Forecast what it would cost to know more about people who were not tested.

        The number of people, and about how long it takes at the pace of this test, until everybody
        is tested and until the bound of the share over a threshold is lower.
        ``print(finding.forecast())`` prints a sentence.
        """
        bound = self.bound(threshold, confidence)
        if self.how not in ("worst-first", "random") or self.sampling is not None:
            everybody = self.people - len(self.targets)
            return Forecast(everybody=everybody, seconds=everybody * self.each, for_bound={},
                            each=self.each)  # fmt: skip
        of, sizes = self._strata
        drawn, perhaps = (
            np.bincount(of[some], minlength=3)
            for some in (slice(None), ~(self.distances <= threshold))
        )
        return forecast(perhaps, drawn, sizes, within=(bound.low, bound.high), alpha=1 - confidence,
                        each=self.each)  # fmt: skip

    def delta_within(self, confidence: float = 0.95) -> tuple[float, float]:
        """Bounds of δ that hold for all targets at once; equal where nothing was sampled.

        The largest of many sampled distances is partly large by chance, so the bounds are wider
        than the error of the worst record.
        """
        check("confidence", _Confidence, confidence)
        if not len(self.tested):
            return float("nan"), float("nan")
        low, high = self._within(confidence)
        return float(np.nanmax(low)), float(np.nanmax(high))

    def number_over(self, threshold: float, confidence: float = 0.95) -> tuple[int, int]:
        """How many of those tested are surely over a threshold, and how many may be."""
        check("confidence", _Confidence, confidence)
        low, high = self._within(confidence)
        return int((low > threshold).sum()), int((high > threshold).sum())

    def mean_within(self, confidence: float = 0.95) -> tuple[float, float]:
        """Bounds of the mean distance of those tested; equal where nothing was sampled."""
        check("confidence", _Confidence, confidence)
        if not len(self.tested):
            return float("nan"), float("nan")
        low, high = (self._average(end[~np.isnan(end)]) for end in self._mean_ends(confidence))
        return max(0.0, low), min(high, self.largest)

    def mean_bound(self, confidence: float = 0.95) -> tuple[float, float]:
        """Bounds of the mean distance of *all* records, with this confidence for both together.

        Exact if all were tested without sampling. If some were drawn at random, the bounds hold
        whatever the distances of the others are; otherwise nothing is known about them.
        """
        check("confidence", _Confidence, confidence)
        share = confidence
        if self.sampling is not None and len(self.targets) < self.people:
            share = 1 - (1 - confidence) / 2  # half for sampling, half for the draw of targets
        return mean_of_all(
            self._mean_ends(share), self.people, self.largest, confidence=share,
            how=self.how, strata=self._strata,
        )  # fmt: skip

    def _mean_ends(self, confidence: float) -> Ends:
        """Numbers for each target; with this confidence, their mean encloses that of the distances.

        People share releases, so their errors may all have the same sign. The error of the mean is
        therefore taken to be the mean of the errors, which it never exceeds. Each attacker's mean
        is at most that of the strongest for each person.

        The largest of a person's several distances is not a mean of anything. For these the ends
        hold for all people at once.
        """
        if self.farthest is not None:
            return self._within(confidence)
        ends = self._each_within(1 - (1 - confidence) / max(1, len(self.against)))
        # Somebody may be tested against others only: their distance is not below 0.
        gone = np.isnan(self.distances)
        lows = [np.where(np.isnan(one.low) & ~gone, 0.0, one.low) for one in ends]
        low = max(lows, key=lambda low: float(np.nansum(low)))
        return Ends(low, np.fmax.reduce([one.high for one in ends]))

    def _within(self, confidence: float) -> Ends:
        """Bounds of the distance of each target, for all adversaries and targets at once.

        The largest distance may be that of an adversary that seems weaker but is less exact.
        """
        many = max(1, len(self.against)) * max(1, len(self.tested))
        ends = self._each_within(1 - (1 - confidence) / many)
        low = np.maximum(np.fmax.reduce([one.low for one in ends]), 0)
        high = np.minimum(np.fmax.reduce([one.high for one in ends]), self.largest)
        return Ends(low, high)

    def _each_within(self, confidence: float) -> list[Ends]:
        """Bounds of the distance of each target with this confidence for each, by adversary."""
        ends = []
        for one in [one.about(self.targets) for one in self.against.values()] or [self]:
            low = high = np.where(np.isnan(self.distances), np.nan, one.distances)
            if one.sampling is not None:
                error = one.sampling.bias + one.sampling.chance(confidence)
                low, high = low - error, high + error
            ends.append(Ends(low, high))
        return ends

    def tail(self, epsilon: float) -> TailProbabilities:
        """Pr[d ≥ ε] of each target, over the randomness of the sanitizer and the adversary.

        It is 0 or 1 where nothing is random. If several adversaries attacked, it is that of the
        one whose belief moves most often.
        """
        parts = self.against.values() or [self]
        return most_often([self._tail(one, epsilon) for one in parts])

    def _tail(self, one: DifferentialInference, epsilon: float) -> TailProbabilities:
        one, gone = one.about(self.targets), np.isnan(self.distances)
        if one.sampling is not None:
            one.sampling.samples[gone] = 0
            return one.sampling.tail(epsilon, of=max(1, len(self.against)))
        if not one.certain:
            raise InputError(
                "how often belief moves by ε was not counted, because nothing was sampled; test "
                "again with {option} or more",
                option=Option("samples", 1000),
            )
        return certain_tail(np.where(gone, np.nan, one.distances), epsilon)

    def tails(self) -> pd.DataFrame:
        """The curve over ε of a sampled finding: δ, a bound for all, the mean, and chance alone."""
        if self.sampling is None:
            raise InputError(
                "nothing was sampled; test again with {option} or more",
                option=Option("samples", 1000),
            )
        return curve(self.tail(epsilon) for epsilon in self.sampling.epsilons.tolist())

    def about(self, records: NDArray[np.intp]) -> DifferentialInference:
        """The finding about some of the targets alone, in this order."""
        order = np.argsort(self.targets, kind="stable")
        at = order[np.searchsorted(self.targets, records, sorter=order)]
        return replace(
            self,
            targets=records,
            distances=self.distances[at],
            mode_changed=self.mode_changed[at],
            present=None if self.present is None else self.present[at],
            absent=None if self.absent is None else self.absent[at],
            farthest=None if self.farthest is None else self.farthest[at],
            means=None if self.means is None else self.means[at],
            sampling=None if self.sampling is None else self.sampling.take(at),
        )

    @property
    def moved_most(self) -> str:
        """The adversary whose belief about the worst-placed person moves by δ."""
        if self.strongest is None or not len(self.tested):
            return self.adversary.label
        return list(self.against)[int(self.strongest[self.worst_places(1)[0]])]

    def strongest_for(self) -> dict[str, int]:
        """For how many targets each of several adversaries is the strongest."""
        if self.strongest is None:
            return {self.adversary.label: len(self.tested)}
        counts = np.bincount(self.strongest[self.strongest >= 0], minlength=len(self.against))
        return dict(zip(self.against, counts.tolist(), strict=True))

    @property
    def modes_changed(self) -> float:
        """The share of the records whose most likely value changes: a weak measure on its own."""
        return self._average(self.mode_changed[~np.isnan(self.distances)])

    def worst_places(self, n: int) -> NDArray[np.intp]:
        """Places in `targets` of the n worst, the worst first, without those not tested."""
        # NaN sorts last; a stable sort keeps equal ones in the order of the table.
        return np.argsort(-self.distances, kind="stable")[: max(0, min(n, len(self.tested)))]

    def worst(self, n: int = 10) -> pd.DataFrame:
        """The records with the largest distances, with their values; one of each person."""
        order = self.worst_places(n)
        frame = self.to_frame().iloc[order].reset_index(drop=True)
        records = self.shown[order]
        for column in (*self.microdata.quasi, self.microdata.sensitive):
            # A column of the table may be called "distance", too.
            name = f"{column.name} in the table" if column.name in frame else column.name
            frame[name] = column.values[column.codes[records]]
        return frame

    def to_frame(self) -> pd.DataFrame:
        """One row per target: record, row of the source, distance, and beliefs if kept.

        Where a person may have several records, there is one row per person: the record and row
        whose distance is largest, how many records there are, and the mean distance of all.
        ``failure`` is what a sanitizer said about single targets that could not be tested.
        """
        frame = pd.DataFrame(
            {
                "record": self.shown,
                "row": self.microdata.rows[self.shown],
                **self._of_several(),
                "distance": self.distances,
                "mode_changed": pd.array(self.mode_changed, dtype="boolean"),
            }
        )
        frame.loc[np.isnan(self.distances), "mode_changed"] = pd.NA
        if self.failures:
            said = dict(self.failures)
            frame["failure"] = [said.get(record) for record in self.targets.tolist()]
        if self.sampling is not None:
            frame["error"], frame["samples"] = self.sampling.error, self.sampling.samples
        if self.strongest is not None:
            names = np.array([*self.against, None], dtype=object)
            frame["strongest"] = names[self.strongest]
            for name, finding in self.against.items():
                frame[f"distance: {name}"] = finding.about(self.targets).distances
        for when, beliefs in (("with", self.present), ("without", self.absent)):
            if beliefs is not None:
                for text, belief in zip(self.microdata.sensitive.texts, beliefs.T, strict=True):
                    frame[f"P {when}: {text}"] = belief
        return frame

    def _of_several(self) -> dict[str, NDArray[Any]]:
        """What there is of people with several records besides."""
        several = self.microdata.several
        if several is None or several.of is None or self.means is None:
            return {}
        people = several.of[self.targets]
        return {
            "first_record": self.targets,
            "records": several.rows[people],
            "mean_of_records": self.means,
        }

    @property
    def figures(self) -> tuple[Value, ...]:
        tested, people = len(self.tested), self.people
        some = f"the {tested:,} of {people:,} people tested"
        among = None if tested == people else f"among {some}"
        if not tested:
            return tuple(
                figure.of(None, among=among) for figure in (DELTA, MEAN_D, OVER, OVER_BOUND)
            )
        everybody = self.adversary.label
        by = {DELTA: self.moved_most, MEAN_D: everybody, OVER: everybody}
        at_most = self.bound(MAIN_THRESHOLD)
        found = (
            (DELTA, self.delta),
            (MEAN_D, self.mean),
            (OVER, self.share_over(MAIN_THRESHOLD)),
        )
        if among is None and self.sampling is None:
            return (
                *(figure.of(value, by=by[figure]) for figure, value in found),
                OVER_BOUND.of(at_most.high, by=everybody),
            )
        remedy = None
        if 0 < len(self.targets) < people and self.how != "chosen":
            remedy = self.forecast().remedy
        sure = " with 95% confidence" if at_most.confidence < 1 else ""
        of_all = among and f"for everybody{sure}, from {some}"
        bound = OVER_BOUND.of(
            at_most.high, low=at_most.low, high=at_most.high, among=of_all, by=everybody,
            remedy=remedy, people=tested,
        )  # fmt: skip
        # Those of whom many are likely worst do not count for more.
        whom = [among, *[among if self.weights is None else f"estimated from {some}"] * 2]
        # Of a few people who were chosen, the figure may be outside of what is certain of all.
        values = [
            figure.of(value, low=min(low, value), high=max(high, value), among=about,
                      by=by[figure], remedy=remedy, people=tested)
            for (figure, value), (low, high), about in zip(
                found, self._intervals(), whom, strict=True
            )
        ]  # fmt: skip
        if self.only_front:
            why = f"only people who are probably worst off were tested, {tested:,} of {people:,}"
            values[1:] = [figure.of(None, among=among, why_not=why) for figure in (MEAN_D, OVER)]
        return (*values, bound)

    @property
    def only_front(self) -> bool:
        """Whether all who were tested are likely worst: no estimate of a mean or a share of all."""
        some = 0 < len(self.tested) < self.people
        return some and bool(np.isin(self.targets[~np.isnan(self.distances)], self.front).all())

    def _intervals(self) -> tuple[tuple[float, float], ...]:
        """95 % intervals of the figures for all people, also those who were not tested."""
        low, high = self.delta_within()
        if len(self.tested) < self.people:
            high = self.largest  # whoever was not tested may be the worst
        over = self.bound(MAIN_THRESHOLD, 1 - (1 - CONFIDENCE) / 2)  # for each of its two ends
        return (low, high), self.mean_bound(), (over.low, over.high)

    @property
    def facts(self) -> Mapping[str, Any]:
        bounds = {threshold: self.bound(threshold) for threshold in _THRESHOLDS}
        facts = {
            "source": self.microdata.source,
            "sanitizer": self.sanitizer,
            "adversary": self.adversary.label,
            "quasi": [column.name for column in self.microdata.quasi],
            "sensitive": self.microdata.sensitive.name,
            "people": self.people,
            **({} if self.microdata.several is None else {"rows": len(self.microdata)}),
            "classes": self.n_classes,
            "targets": len(self.targets),
            "targets_are": self.how,
            "targets_wanted": self.wanted,
            "budget": None if self.budget is None else str(self.budget),
            "reproducible": self.budget is None or self.budget.seconds is None,
            "tested": len(self.tested),
            "quantiles": {f"{q:g}": d for q, d in self.quantiles().items()},
            "share_over": {f"{t:g}": self.share_over(t) for t in _THRESHOLDS},
            "share_of_all_over": {
                f"{t:g}": {"low": one.low, "high": one.high, "confidence": one.confidence}
                for t, one in bounds.items()
            },
            "forecast": self._forecast_facts(),
            "mean_of_all": dict(zip(("low", "high"), self.mean_bound(), strict=True)),
            "path": self.way,
            "sampling": self._sampling_facts(),
            **self.attributes(
                "prior distance smallest_class not_tested delta mean std infinite modes_changed "
                "seed interrupted"
            ),
        }
        if self.against:
            facts["strongest_for"] = self.strongest_for()
            facts["against"] = [dict(one.facts) for one in self.against.values()]
        return facts

    def _forecast_facts(self) -> dict[str, Any] | None:
        if len(self.targets) == self.people:
            return None
        found = self.forecast()
        return {
            "people_untested": found.everybody,
            "people_for_bound": {f"{share:g}": n for share, n in found.for_bound.items()},
        }

    def _sampling_facts(self) -> dict[str, Any] | None:
        found = self.sampling
        if found is None:
            return None
        try:
            tails = self.tails().to_dict("records")
        except InputError:  # not all adversaries' beliefs were counted
            tails = None
        return {
            "samples_least": found.least,
            "samples_most": found.most,
            "error_wanted": found.wanted,
            "error_most": float(np.nanmax(found.error, initial=0)),
            "too_coarse": found.too_coarse,
            "delta_within": self.delta_within(),
            "mean_within": self.mean_within(),
            "delta_as_published": float(np.nanmax(found.as_published, initial=0)),
            "tails": tails and [
                {str(key).replace(",", "").replace(" ", "_"): value for key, value in row.items()}
                for row in tails
            ],
        }  # fmt: skip

    def story(self, release: Text | None = None) -> Story:
        from unveil.attacks.differential._story import story_of

        return story_of(self, release)

    def plot_tails(self, ax: Axes | None = None) -> Axes:
        """Draw how often belief moves by ε or more, over ε; returns the axes.

        For findings that were sampled. Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.attacks.differential._story import tails_chart
        from unveil.render import draw

        return draw(tails_chart(self), ax)
