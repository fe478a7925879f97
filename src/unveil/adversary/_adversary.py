"""What an adversary is: A, from a release to a belief about a target's sensitive value.

The frequencies of sensitive values among the records that cover a target make the two simplest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Text
from unveil.microdata import AnyRelease, Microdata, Release, Statistic


class Adversary(ABC):
    """Learns from a release and predicts the sensitive value from a target's quasi-identifiers."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "label" not in vars(cls) and isinstance(cls.label, str):
            # A variant of an adversary must not have the same name.
            setattr(cls, "label", cls.__name__)  # noqa: B010  (mypy knows it as a property)

    @property
    def label(self) -> str:
        """Its name, by default that of the class. A class attribute is enough."""
        return type(self).__name__

    @property
    def explained(self) -> str:
        """What it knows and does, as the rest of a sentence "who …"; printed with every finding."""
        return "is one of your own"

    @property
    def notes(self) -> tuple[Text, ...]:
        """What a reader has to know about its training so far, such as models that did not fit."""
        return ()

    @property
    def own_prior(self) -> str | None:
        """The setting that gives it a prior other than the shares in the release, if any."""
        return None

    def prepared(self, microdata: Microdata) -> Microdata:
        """The table as it is to be sanitized for this adversary; by default unchanged."""
        return microdata

    def with_seed(self, seed: int) -> Adversary:
        """The same adversary with another random seed; by default nothing is random."""
        return self

    def understands(self, release: AnyRelease) -> bool:
        """Whether it can learn from a release of this kind; by default only from records."""
        return isinstance(release, Release)

    @abstractmethod
    def predict(self, release: Any, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """Beliefs about targets (columns × targets): one row per target, one column per value.

        The release is a `Release`, unless `understands` accepts other kinds.
        """


class UpdatingAdversary(Adversary):
    """An adversary who can forget one released record exactly, without retraining.

    It pays off if a sanitizer treats each record by itself, so that leaving one out before
    sanitizing only deletes its row.
    """

    @abstractmethod
    def predict_without(
        self, release: Release, codes: NDArray[np.int32], rows: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Beliefs about targets, each from the release without the row given for that target.

        Equal to `predict` on a release that lacks the row.
        """


class CountingAdversary(Adversary):
    """An adversary whose belief follows from counts of released records that cover the target.

    Define which counts (`statistic`) and what follows from them (`from_counts`). Sanitizers that
    know these counts without each record need not be run again for each.
    """

    statistic: ClassVar[Statistic]

    @abstractmethod
    def from_counts(self, counts: NDArray[Any], totals: NDArray[np.integer]) -> NDArray[np.float64]:
        """Beliefs from the counts of each target, and the number of released records of each value.

        ``totals`` has one row for all targets or one for each.
        """

    def understands(self, release: AnyRelease) -> bool:
        return self.statistic in release.statistics

    def predict(self, release: AnyRelease, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        return self.from_counts(release.statistic(self.statistic, codes), release.totals)


@dataclass(frozen=True)
class ConditionalFrequency(CountingAdversary):
    """The share of each sensitive value among the released records whose cells cover the target.

    A target that no record covers gets the shares in the whole release.

    Examples
    --------
    >>> from unveil.adversary import ConditionalFrequency
    >>> counts = np.array([[3, 1], [0, 0]])                        # two targets
    >>> ConditionalFrequency().from_counts(counts, np.array([6, 4]))
    array([[0.75, 0.25],
           [0.6 , 0.4 ]])
    """

    statistic: ClassVar[Statistic] = Statistic.JOINT
    label: ClassVar[str] = "conditional frequency"
    explained: ClassVar[str] = (
        "knows everybody's quasi-identifiers and takes the shares among the released records that "
        "cover the target, or in the whole release where none does"
    )

    def from_counts(self, counts: NDArray[Any], totals: NDArray[np.integer]) -> NDArray[np.float64]:
        covered = counts.sum(axis=1, keepdims=True)
        counts = np.where(covered > 0, counts, totals)
        return counts / counts.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class SmoothedFrequency(CountingAdversary):
    """The share of each sensitive value among the records that cover the target, each plus one.

    So nothing is impossible, and a target that no record covers could have any value. This is the
    adversary of the 2019 report against noisy counts.

    Examples
    --------
    >>> from unveil.adversary import SmoothedFrequency
    >>> counts = np.array([[3, 1], [0, 0]])                        # two targets
    >>> SmoothedFrequency().from_counts(counts, np.array([6, 4]))
    array([[0.66666667, 0.33333333],
           [0.5       , 0.5       ]])
    """

    statistic: ClassVar[Statistic] = Statistic.JOINT
    label: ClassVar[str] = "smoothed frequency"
    explained: ClassVar[str] = (
        "knows everybody's quasi-identifiers and takes the shares among the released records that "
        "cover the target, with one record of each value added"
    )

    def from_counts(self, counts: NDArray[Any], totals: NDArray[np.integer]) -> NDArray[np.float64]:
        smoothed = counts + 1.0
        return smoothed / smoothed.sum(axis=1, keepdims=True)
