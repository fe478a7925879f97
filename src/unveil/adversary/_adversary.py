"""What an adversary is: A, from a release to a belief about a target's sensitive value.

The frequencies of sensitive values among the records that cover a target make the two simplest.

Naive Bayes takes columns to be independent given the sensitive value. Its belief is a product over
the columns, so all there is to learn is one table per column, from the value that the target may
have to the likelihood under each sensitive value. Bits are Bernoulli with add-one smoothing, as in
scikit-learn's ``BernoulliNB``; quantities are Gaussian with the smoothing of ``GaussianNB``. For an
encoding with both, the belief is the product, for which scikit-learn has no model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from annotated_types import Gt, Lt
from numpy.typing import NDArray

from unveil.adversary._encoding import Encoding, Features, chunks
from unveil.errors import Text
from unveil.microdata import AnyRelease, Microdata, Regions, Release, Statistic
from unveil.options import check_fields


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


class EncodedAdversary(Adversary):
    """An adversary who learns from cells encoded as numbers."""

    encoding: Encoding | str

    def __post_init__(self) -> None:
        object.__setattr__(self, "encoding", Encoding.named(self.encoding))

    @property
    def _encoding(self) -> Encoding:
        return Encoding.named(self.encoding)

    def prepared(self, microdata: Microdata) -> Microdata:
        return self._encoding.prepared(microdata)


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


@dataclass(frozen=True)
class NaiveBayes(CountingAdversary):
    """Bernoulli naive Bayes on whether each cell covers the target's value.

    Every released record becomes one bit per column: does its cell cover the target's value? The
    target itself is all ones, so the counts of records that cover its values are enough. Beliefs
    equal those of scikit-learn's ``BernoulliNB`` trained on these bits.

    Examples
    --------
    >>> from unveil.adversary import NaiveBayes
    >>> counts = np.array([[[3, 0], [2, 1]]])        # one target, two columns, two values
    >>> NaiveBayes().from_counts(counts, np.array([3, 1])).round(4)
    array([[0.8663, 0.1337]])
    """

    statistic: ClassVar[Statistic] = Statistic.COVER
    label: ClassVar[str] = "Bernoulli naive Bayes"
    explained: ClassVar[str] = (
        "knows everybody's quasi-identifiers, takes them to be independent given the secret, "
        "and learns from which released cells cover the target's values"
    )

    def from_counts(self, counts: NDArray[Any], totals: NDArray[np.integer]) -> NDArray[np.float64]:
        rows = np.atleast_2d(totals)  # one may be for all
        # The prior, not yet normalized. Always in row order: sums of floating-point numbers
        # depend on their order.
        shape = len(counts), rows.shape[1]
        belief = np.broadcast_to(rows, shape).astype(np.float64, order="C")
        for j in range(counts.shape[1]):
            belief *= (counts[:, j] + 1) / (rows + 2)
            belief /= belief.max(axis=1, keepdims=True)  # many columns must not underflow
        return belief / belief.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class EncodedNaiveBayes(EncodedAdversary):
    """Naive Bayes on cells in one of the 24 encodings.

    On ``relative-relative`` its beliefs are those of `NaiveBayes`, which is faster in leave-one-out
    tests.

    Parameters
    ----------
    encoding : Encoding or str
        How cells become numbers, such as ``"bounds-hot-after"``.
    var_smoothing : float
        The share of the largest variance that is added to all variances, as in ``GaussianNB``.
        Only quantities have a variance, bits have none. Where no quantity varies at all, they are
        left out.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.datasets.election_survey()
    >>> release = uv.Mondrian(k=20).sanitize(survey)
    >>> EncodedNaiveBayes("bounds-hot").predict(release, survey.codes[:, :1]).round(2)
    array([[0.01, 0.05, 0.09, 0.02, 0.12, 0.46, 0.24]])
    """

    encoding: Encoding | str = "relative-relative"
    _: KW_ONLY
    var_smoothing: Annotated[float, Gt(0), Lt(np.inf)] = 1e-9

    def __post_init__(self) -> None:
        check_fields(self)
        super().__post_init__()

    @property
    def label(self) -> str:
        """The model and the encoding."""
        return f"naive Bayes on {self.encoding}"

    @property
    def explained(self) -> str:
        return (
            "knows everybody's quasi-identifiers, takes them to be independent given the secret, "
            f"and learns from the released cells, encoded as {self.encoding}"
        )

    def predict(self, release: Release, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        there = np.flatnonzero(release.totals)
        counts = release.counts[:, there]
        made = tuple(map(self._encoding.features, release.quasi, release.regions))
        quantities = [_Quantities.of(f, counts) if f and f.real else None for f in made]
        largest = max((float(q.overall.max()) for q in quantities if q), default=0.0)
        extra = self.var_smoothing * largest
        scores = np.tile(np.log(release.totals[there]), (codes.shape[1], 1))
        for j, row in enumerate(codes):
            features, quantity = made[j], quantities[j]
            values, which = np.unique(row, return_inverse=True)
            if features is None:
                covering = _covering(release.regions[j], counts, release.quasi[j].size, values)
                table = np.log(covering + 1) - np.log(release.totals[there] + 2)
            elif quantity is None:
                table = _bits(features, counts, values)
            elif largest == 0:
                continue
            else:
                table = quantity.scores(features.of_values(values), extra)
            scores += table[which]
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        beliefs = np.zeros((codes.shape[1], release.sensitive.size))
        beliefs[:, there] = odds / odds.sum(axis=1, keepdims=True)
        return beliefs


def _covering(
    regions: Regions, counts: NDArray[np.int64], size: int, values: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Number of records of each sensitive value whose cell covers each of the values."""
    if len(values) == 1:  # no need to tabulate the whole column
        return counts[regions.covers(int(values[0]))].sum(axis=0)[None]
    return regions.cover_counts(counts, size)[values]


def _bits(
    features: Features, counts: NDArray[np.int64], values: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Log-likelihood of the bits that a target of each value has (values × sensitive values)."""
    by_cell = _by_cell(features, counts)
    ones = features.rows.T @ by_cell + 1
    total = by_cell.sum(axis=0) + 2
    if_one, if_zero = np.log(ones) - np.log(total), np.log(total - ones) - np.log(total)
    table = np.empty((len(values), counts.shape[1]))
    for some in chunks(np.arange(len(values)), features.width):
        table[some] = features.of_values(values[some]) @ (if_one - if_zero) + if_zero.sum(axis=0)
    return table


def _by_cell(features: Features, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Number of records of each sensitive value with each distinct cell."""
    by_cell = np.zeros((len(features.rows), counts.shape[1]))
    np.add.at(by_cell, features.row_of, counts)
    return by_cell


@dataclass(frozen=True, eq=False)
class _Quantities:
    """Means and variances (sensitive values × features) of one column's quantities."""

    means: NDArray[np.float64]
    variances: NDArray[np.float64]
    overall: NDArray[np.float64]
    """Variances among all records."""

    @classmethod
    def of(cls, features: Features, counts: NDArray[np.int64]) -> _Quantities:
        by_cell = _by_cell(features, counts)
        means, variances = _moments(features.rows, by_cell)
        _, overall = _moments(features.rows, by_cell.sum(axis=1)[:, None])
        # A constant has a variance of 0, and not of a rounding error.
        return cls(means, variances, overall[0] * (np.ptp(features.rows, axis=0) > 0))

    def scores(self, points: NDArray[np.float64], extra: float) -> NDArray[np.float64]:
        """Log-densities of points (points × sensitive values)."""
        variances = self.variances + extra
        apart = (points[:, None, :] - self.means) ** 2 / variances
        return -0.5 * (np.log(2 * np.pi * variances) + apart).sum(axis=2)


def _moments(
    rows: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weighted means and variances of the rows, for each column of the weights."""
    share = (weights / weights.sum(axis=0)).T
    means = share @ rows
    apart = (rows[None, :, :] - means[:, None, :]) ** 2
    return means, np.einsum("sg,sgf->sf", share, apart)
