"""What an adversary is: A, from a release to a belief about a target's sensitive value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import AnyRelease, Microdata, Release, Statistic

__all__ = ["Adversary", "CountingAdversary", "UpdatingAdversary"]


class Adversary(ABC):
    """Learns from a release and predicts, for a target's quasi-identifiers, the sensitive value."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "label" not in vars(cls) and isinstance(cls.label, str):
            # A variant of an adversary must not go by the other's name.
            setattr(cls, "label", cls.__name__)  # noqa: B010  (mypy knows it as a property)

    @property
    def label(self) -> str:
        """How people call it; by default like its class. A plain class attribute will do."""
        return type(self).__name__

    @property
    def explained(self) -> str:
        """What it knows and does, going on from "who …"; printed with every finding."""
        return "is one of your own"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader has to know of what it learned so far, such as models that did not fit."""
        return ()

    @property
    def own_prior(self) -> str | None:
        """What it takes for prior instead of the shares in the release; None: those."""
        return None

    def prepared(self, microdata: Microdata) -> Microdata:
        """The table as it is to be sanitized for this adversary; by default as it is."""
        return microdata

    def with_seed(self, seed: int) -> Adversary:
        """The same adversary drawing other random numbers; by default he draws none."""
        return self

    def understands(self, release: AnyRelease) -> bool:
        """Whether he can learn from a release of this kind; by default only from records."""
        return isinstance(release, Release)

    @abstractmethod
    def predict(self, release: Any, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """Beliefs about targets (columns × targets): one row a target, one column a value.

        The release is a `Release`, unless `understands` says more.
        """


class UpdatingAdversary(Adversary):
    """An adversary who can forget one released record exactly, without learning anew.

    It pays where a sanitizer treats every record by itself, so that leaving one out before
    sanitizing deletes its row and nothing else.
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

    Say which counts (`statistic`) and what follows from them (`from_counts`). Sanitizers that
    know these counts without each record then need not be run again for each.
    """

    statistic: ClassVar[Statistic]

    @abstractmethod
    def from_counts(self, counts: NDArray[Any], totals: NDArray[np.integer]) -> NDArray[np.float64]:
        """Beliefs from the counts of each target, and the released records of each value.

        ``totals`` has one row for all targets or one for each.
        """

    def understands(self, release: AnyRelease) -> bool:
        return self.statistic in release.statistics

    def predict(self, release: AnyRelease, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        return self.from_counts(release.statistic(self.statistic, codes), release.totals)
