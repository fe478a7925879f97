"""Naive Bayes: columns are assumed to be independent given the sensitive value.

Its belief is a product over the columns, so all there is to learn is one table per column, from
the value that the target may have to the likelihood under each sensitive value. Bits are Bernoulli
with add-one smoothing, as in scikit-learn's ``BernoulliNB``; quantities are Gaussian with the
smoothing of ``GaussianNB``. For an encoding with both, the belief is the product, for which
scikit-learn has no model.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.adversary._adversary import Adversary, CountingAdversary
from unveil.adversary._encoding import Encoding, Features, chunks
from unveil.errors import InputError
from unveil.microdata import Microdata, Regions, Release, Statistic


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
        totals = np.broadcast_to(totals, (len(counts), totals.shape[-1]))
        # The prior, not yet normalized. Always in row order: sums of floating-point numbers
        # depend on their order.
        belief = totals.astype(np.float64, order="C")
        for j in range(counts.shape[1]):
            belief *= (counts[:, j] + 1) / (totals + 2)
            belief /= belief.max(axis=1, keepdims=True)  # many columns must not underflow
        return belief / belief.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class EncodedNaiveBayes(Adversary):
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
    var_smoothing: float = 1e-9

    def __post_init__(self) -> None:
        if not 0 < self.var_smoothing < np.inf:
            raise InputError(f"var_smoothing must be a number above 0, got {self.var_smoothing}")
        object.__setattr__(self, "encoding", Encoding.named(self.encoding))

    @property
    def _encoding(self) -> Encoding:
        return Encoding.named(self.encoding)

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

    def prepared(self, microdata: Microdata) -> Microdata:
        return self._encoding.prepared(microdata)

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
