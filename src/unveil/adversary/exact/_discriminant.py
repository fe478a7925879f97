"""Discriminant analysis, trained on counts, and without one record.

In the linear model the sensitive values share one covariance. In coordinates that make it the
identity, forgetting a record is a stretch along one direction, so no matrix has to be decomposed.
If the rank of the covariance depends on the record, or features depend on each other and a target
does not fit in, the target's own model is trained with the same algebra as scikit-learn's, many
targets at a time. scikit-learn drops directions below a tolerance. If a direction is too near the
tolerance, or too thin for the precision of a scatter, the belief is NaN.

In the quadratic model each value has its own covariance, so a forgotten record only changes that of
its value. scikit-learn refuses to train if a value has one record or a covariance without full
rank; the belief is NaN there, and where a direction is too near the tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from unveil.adversary.exact._statistics import (
    NEAR,
    THIN,
    Scatter,
    Taken,
    decomposed,
    one_thread,
    shrunk,
)
from unveil.adversary.exact._table import Bools, Counts, Floats, Forgotten, ScoringModel, portions

Divisor = Literal["records", "degrees"]
"""Divisor of a scatter: its records, or its degrees of freedom (records minus means)."""

_NONE = 1e-13  # share of variance in a direction that is only rounding
_SOLVED = 1e-12  # share of all variance in a direction that a solver certainly keeps
_FREE = 1e-3  # one minus the leverage of a record, below which the update loses digits
_OUTSIDE = 1e-9  # distance of a target from the space of the features that is only rounding


@dataclass(eq=False)
class LinearModel(ScoringModel):
    """Normal features with one covariance for all values.

    ``tol`` is that of the solver "svd", which drops directions; None is for solvers that keep all.
    ``shrinkage`` moves the covariance towards a multiple of the identity.
    """

    tol: float | None = 1e-4
    shrinkage: float = 0.0
    divisor: Divisor = "records"

    def __post_init__(self, features: ArrayLike, counts: ArrayLike) -> None:
        super().__post_init__(features, counts)
        self._scatter = Scatter(self.table)
        self._kept = THIN if self.tol is None else max(THIN, self.tol**2 * (1 + NEAR))
        self._white = self._whitening()

    @property
    def entries(self) -> int:
        values, width = self._scatter.means.shape
        return values * width

    def scores(self, points: Floats, left: Counts, gone: Forgotten | None) -> Floats:
        scores = np.full(left.shape, np.nan)
        points = points - self._scatter.centre
        possible = self._possible(left)
        if gone is None:
            return self._by_all(points) if possible.all() else scores
        white = self._white
        if self.tol is None and white is not None and not white.complete:
            return scores  # the covariance is singular with and without the record
        updated = np.zeros_like(possible)
        if white is not None:
            some = np.flatnonzero(possible & white.holds(points))
            taken = self._scatter.taken(gone.places[some], gone.values[some])
            scores[some], updated[some] = self._updated(white, points[some], taken, left[some])
        anew = np.flatnonzero(possible & ~updated)
        for portion in portions(len(anew), max(self.entries, points.shape[1] ** 2)):
            some = anew[portion]
            taken = self._scatter.taken(gone.places[some], gone.values[some])
            scores[some] = self._anew(points[some], taken, left[some])
        return scores

    def _by_all(self, points: Floats) -> Floats:
        """Scores by the model of the whole table."""
        trained = self._trained(self.table.totals[np.newaxis], self._scatter.means[np.newaxis])
        deltas, places = trained.deltas[0], (points - trained.centres) @ trained.roots[0]
        scores = places @ deltas.T - (deltas**2).sum(axis=1) / 2
        return np.where(trained.sure, scores, np.nan)

    def _possible(self, left: Counts) -> Bools:
        """For which targets scikit-learn can be trained."""
        enough = left.sum(axis=1) > (left > 0).sum(axis=1)
        return enough & np.isfinite(self.prior.shares(self.table.totals, left)).all(axis=1)

    def _divisors(self, left: Counts) -> Floats:
        means = (left > 0).sum(axis=1) if self.divisor == "degrees" else 0
        return (left.sum(axis=1) - means).astype(np.float64)

    def _anew(self, points: Floats, taken: Taken, left: Counts) -> Floats:
        """Scores of each target's point by its own model."""
        means = np.tile(self._scatter.means, (len(points), 1, 1))
        means[np.arange(len(points)), taken.values] = taken.means
        trained = self._trained(left, means, taken)
        places = ((points - trained.centres)[:, np.newaxis] @ trained.roots)[:, 0]
        scores = _scores(trained.deltas, places)
        return np.where(trained.sure[:, np.newaxis], scores, np.nan)

    def _trained(self, left: Counts, means: Floats, taken: Taken | None = None) -> _Trained:
        """Train one model per row of ``left``, as scikit-learn does."""
        shares = self.prior.shares(self.table.totals, left)
        if self.tol is None:
            roots, sure = self._all_directions(shares / np.maximum(left, 1), taken)
        else:
            roots, sure = self._wide_directions(self.tol, left, taken)
        centres = (shares[:, np.newaxis] @ means)[:, 0]
        deltas = (means - centres[:, np.newaxis]) @ roots
        deltas, certain = _projected(deltas, shares, self.tol)
        return _Trained(roots, centres, deltas, sure & certain)

    def _wide_directions(
        self, tol: float, left: Counts, taken: Taken | None
    ) -> tuple[Floats, Bools]:
        """Coordinates of variance one in directions with variance; and where this is certain."""
        divisors = self._divisors(left)[:, np.newaxis]
        covariances, constant, unsure = self._scatter.pooled((left > 0) / divisors, taken)
        variances = np.diagonal(covariances, axis1=1, axis2=2)
        variances = variances * divisors / left.sum(axis=1, keepdims=True)
        spreads = np.sqrt(np.where(constant, 1.0, variances))
        extents, directions = decomposed(covariances, spreads)
        bar = tol**2
        unsure = unsure | ((extents > bar * (1 - NEAR)) & (extents < self._kept)).any(axis=1)
        wide = extents > bar
        unsure |= ~wide.any(axis=1)  # scikit-learn fails where nothing varies
        lengths = np.where(wide, 1 / np.sqrt(np.where(wide, extents, 1.0)), 0.0)
        return directions * lengths[:, np.newaxis], ~unsure

    def _all_directions(self, weights: Floats, taken: Taken | None) -> tuple[Floats, Bools]:
        """The same for all directions; certain if each has enough variance."""
        covariances = shrunk(self._scatter.pooled(weights, taken)[0], self.shrinkage)
        variances = np.diagonal(covariances, axis1=1, axis2=2)
        spreads = np.sqrt(np.where(variances > 0, variances, 1.0))
        extents, directions = decomposed(covariances, spreads)
        lengths = 1 / np.sqrt(np.maximum(extents, THIN))
        return directions * lengths[:, np.newaxis], _solvable(extents[:, 0], spreads)

    def _whitening(self) -> _Whitening | None:
        # A covariance weighted by given priors is not a multiple of the scatter.
        if self.shrinkage or (self.tol is None and self.prior.given is not None):
            return None
        return _Whitening.of(self._scatter, self._kept)

    def _updated(
        self, white: _Whitening, points: Floats, taken: Taken, left: Counts
    ) -> tuple[Floats, Bools]:
        """Scores by the update, and for which targets they are certain.

        With the scatter as the identity and the record at u from its mean, it becomes 1 − c u uᵀ.
        A stretch along u makes that the identity again.
        """
        off = white(taken.off)
        square = (off**2).sum(axis=1)
        free = 1 - taken.factor * square
        bar = self._kept if self.tol is not None else max(THIN, _SOLVED * white.lopsided)
        certain = (free >= _FREE) & (free * white.thinnest >= bar)
        free = np.where(certain, free, 1.0)
        stretch = (1 / np.sqrt(free) - 1) / np.where(square > 0, square, 1.0)
        rows, shares = np.arange(len(points)), self.prior.shares(self.table.totals, left)
        means = np.tile(white(self._scatter.means), (len(points), 1, 1))
        means[rows, taken.values] -= off / np.maximum(left[rows, taken.values], 1)[:, np.newaxis]
        centres = (shares[:, np.newaxis] @ means)[:, 0]
        vectors = np.concatenate([means, white(points)[:, np.newaxis]], axis=1)
        vectors -= centres[:, np.newaxis]
        along = (vectors @ off[:, :, np.newaxis]) * stretch[:, np.newaxis, np.newaxis]
        vectors += along * off[:, np.newaxis]
        vectors *= np.sqrt(self._divisors(left))[:, np.newaxis, np.newaxis]
        deltas, sure = _projected(vectors[:, :-1], shares, self.tol)
        scores = _scores(deltas, vectors[:, -1])
        return np.where(sure[:, np.newaxis], scores, np.nan), certain


@dataclass(frozen=True, eq=False)
class _Trained:
    """Models, one per row: positions of values and of a point in whitened coordinates."""

    roots: Floats
    centres: Floats
    deltas: Floats
    sure: Bools


def _scores(deltas: Floats, places: Floats) -> Floats:
    along: Floats = (deltas @ places[:, :, np.newaxis])[:, :, 0]
    return along - (deltas**2).sum(axis=2) / 2


def _projected(deltas: Floats, shares: Floats, tol: float | None) -> tuple[Floats, Bools]:
    """Drop the directions in which values hardly differ; and where this is certain."""
    if tol is None:
        return deltas, np.ones(len(deltas), dtype=bool)
    weighted = np.sqrt(shares)[:, :, np.newaxis] * deltas
    with one_thread:
        _, extents, directions = np.linalg.svd(weighted, full_matrices=False)
    bar = tol * extents[:, :1]
    near: Bools = np.any(np.abs(extents - bar) < NEAR * bar, axis=1)
    directions = directions * (extents > bar)[:, :, np.newaxis]
    return (deltas @ directions.swapaxes(1, 2)) @ directions, ~near


def _solvable(thinnest: Floats, spreads: Floats) -> Bools:
    """Whether solvers that should keep all directions do so, for covariances of these sizes."""
    least = spreads.min(axis=1) ** 2 * thinnest
    return (thinnest >= THIN) & (least >= _SOLVED * (spreads**2).sum(axis=1))


@dataclass(frozen=True, eq=False)
class _Whitening:
    """Coordinates in which the scatter within values is the identity."""

    varying: Bools
    spreads: Floats
    directions: Floats
    extents: Floats
    records: int
    origin: Floats

    @classmethod
    def of(cls, scatter: Scatter, kept: float) -> _Whitening | None:
        """None if it is not certain which directions there are, or a mean is outside them."""
        records = int(scatter.totals.sum())
        held = scatter.totals > 0
        covariance, constant, unsure = scatter.pooled(held[np.newaxis] / records)
        varying = ~constant[0]
        if unsure[0] or not varying.any():
            return None
        covariance = covariance[:, varying][:, :, varying]
        spreads = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
        extents, directions = (part[0] for part in decomposed(covariance, spreads))
        there = extents > _NONE
        directions = directions[:, there] * spreads[0][:, np.newaxis]
        means = scatter.means[held]
        white = cls(varying, spreads[0], directions, extents[there], records, means[0])
        clear = white.thinnest >= 2 * kept and bool(white.holds(means).all())
        return white if clear else None

    def __call__(self, vectors: Floats) -> Floats:
        roots = self.directions / np.sqrt(self.records * self.extents)
        return (vectors[:, self.varying] / self.spreads) @ roots

    def holds(self, points: Floats) -> Bools:
        """Which points can be reached from the origin in these directions."""
        scaled = (points - self.origin)[:, self.varying] / self.spreads
        outside = scaled - (scaled @ self.directions) @ self.directions.T
        bar = _OUTSIDE * (1 + np.abs(scaled).max(axis=1))
        return np.abs(outside).max(axis=1) <= bar

    @property
    def thinnest(self) -> float:
        return float(self.extents[0])

    @property
    def complete(self) -> bool:
        """Whether every feature varies, and none depends on the others."""
        return self.directions.shape == (len(self.varying),) * 2

    @property
    def lopsided(self) -> float:
        """Total variance relative to that of the narrowest feature."""
        return float((self.spreads**2).sum() / self.spreads.min() ** 2)


@dataclass(eq=False)
class QuadraticModel(ScoringModel):
    """Normal features with one covariance per value.

    ``towards_one`` moves each covariance towards the identity, ``shrinkage`` towards a multiple of
    it that has the same mean variance. ``record_a_feature`` is for the solver "svd", which refuses
    values with fewer records than features.
    """

    tol: float = 1e-4
    towards_one: float = 0.0
    shrinkage: float = 0.0
    divisor: Divisor = "records"
    record_a_feature: bool = True

    def __post_init__(self, features: ArrayLike, counts: ArrayLike) -> None:
        super().__post_init__(features, counts)
        self._means_taken = int(self.divisor == "degrees")
        self._fewest = max(2, self.table.features.shape[1] if self.record_a_feature else 0)
        self._scatter = Scatter(self.table)
        self._roots, self._logs = self._trained(np.diag(self._weights(self.table.totals)))

    def _weights(self, totals: Counts) -> Floats:
        divisors = np.maximum(totals - self._means_taken, 1)
        return np.where(totals >= self._fewest, 1 / divisors, 0.0)

    def scores(self, points: Floats, left: Counts, gone: Forgotten | None) -> Floats:
        points = points - self._scatter.centre
        scores = np.empty((len(points), len(self._logs)))
        for value, (mean, root, log) in enumerate(
            zip(self._scatter.means, self._roots, self._logs, strict=True)
        ):
            scores[:, value] = -((((points - mean) @ root) ** 2).sum(axis=1) + log) / 2
        if gone is None:
            return scores
        refused = np.isnan(self._logs) & (self.table.totals > 0)
        hopeful = np.flatnonzero(refused.sum() == refused[gone.values])  # no other is refused
        for portion in portions(len(hopeful), points.shape[1] ** 2):
            some = hopeful[portion]
            taken = self._scatter.taken(gone.places[some], gone.values[some])
            own = some, gone.values[some]
            weights = np.zeros((len(some), scores.shape[1]))
            weights[np.arange(len(some)), taken.values] = self._weights(left[own])
            roots, logs = self._trained(weights, taken)
            off = ((points[some] - taken.means)[:, np.newaxis] @ roots)[:, 0]
            scores[own] = -((off**2).sum(axis=1) + logs) / 2
        return scores

    def _trained(self, weights: Floats, taken: Taken | None = None) -> tuple[Floats, Floats]:
        """Coordinates of variance one, and the logarithms of determinants, which may be NaN."""
        covariances, _, _ = self._scatter.pooled(weights, taken)
        covariances = (1 - self.towards_one) * shrunk(covariances, self.shrinkage)
        covariances += self.towards_one * np.eye(covariances.shape[-1])
        variances = np.diagonal(covariances, axis1=1, axis2=2)
        spreads = np.sqrt(np.where(variances > 0, variances, 1.0))
        extents, directions = decomposed(covariances, spreads)
        least = self.tol * (1 + NEAR) + 1e-12 * variances.sum(axis=1)
        with one_thread:
            narrowest = np.linalg.eigvalsh(covariances)[:, 0]
        sure = (narrowest > least) & (extents[:, 0] >= THIN)
        sure &= weights.any(axis=1)
        extents = np.maximum(extents, THIN)
        logs = np.log(extents).sum(axis=1) + 2 * np.log(spreads).sum(axis=1)
        return directions / np.sqrt(extents)[:, np.newaxis], np.where(sure, logs, np.nan)
