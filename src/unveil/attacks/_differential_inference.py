"""Differential inference testing: does a prediction about me change when I am left out?

After A. Kassem, G. Ács, C. Castelluccia (2018) and, with C. Palamidessi, 2019. For every
individual i, an adversary predicts i's sensitive value from the release of the whole table, and
again from the release of the table *without i*. What he would have learned anyway is a fact about
the population; what changes is what i's own record gives away:

    d_i = distance(A(f(D), q_i), A(f(D without i), q_i)),

and f(D) is δ-indifferentiable with respect to A for δ = max d_i. The sanitizer is run again
without i, which is not the same as deleting i's row from the release.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary, CountingAdversary, adversary_named
from unveil.attacks._beliefs import (
    NO_BELIEF,
    Beliefs,
    fast_beliefs,
    general_beliefs,
    has_fast_way,
)
from unveil.attacks._differential_finding import DifferentialInference
from unveil.attacks._distances import Distance, distance_named
from unveil.engine import Progress, workers
from unveil.errors import InputError, UnveilError
from unveil.microdata import Microdata, Release
from unveil.sanitize import LeavesOneOut, Sanitizer, as_microdata, as_sanitizer

__all__ = ["differential_inference"]

_ASKED_TWICE = 1000  # targets on whom two releases of the same table are compared


def differential_inference(
    microdata: Microdata,
    sanitizer: Sanitizer | Callable[[Any], Any],
    *,
    adversary: Adversary | str = "naive-bayes",
    distance: Distance | str = "total-variation",
    targets: int | Sequence[int] | NDArray[Any] | None = None,
    seed: int = 0,
    path: Literal["auto", "fast", "general"] = "auto",
    predictions: bool = False,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> DifferentialInference:
    """Test how much each individual's own record gives them away.

    Parameters
    ----------
    microdata : Microdata
        The original table.
    sanitizer : Sanitizer or callable
        What is tested. It is run again without each target, exactly.
    adversary : Adversary or {"naive-bayes", "conditional-frequency"}
        Who attacks.
    distance : {"total-variation", "l1"} or callable
        Between the beliefs with and without the target's record.
    targets : int or sequence of int, optional
        Which records to test: all (default), so many drawn at random, or these.
    seed : int
        On which the random choice of targets hangs.
    path : {"auto", "fast", "general"}
        ``"fast"`` is exact and quick but needs a sanitizer and an adversary that allow it;
        ``"general"`` runs the sanitizer anew for each target. ``"auto"`` takes the fast one
        where it exists.
    predictions : bool
        Keep the adversary's beliefs, for `DifferentialInference.to_frame`.
    n_jobs : int, optional
        Threads of the fast path; default: all cores. The numbers do not depend on it.
    progress : bool, optional
        Show progress; default: if standard error is a terminal.

    Returns
    -------
    DifferentialInference
        The distances of all targets and what follows from them.

    Examples
    --------
    The worked example of the 2019 report, whose adversary counts and whose distance is Σ:

    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [28, 36, 47, 53, 72], "gender": ["M", "M", "F", "M", "F"],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"]},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> finding = uv.differential_inference(
    ...     patients, uv.Mondrian(k=2, regions="cut"),
    ...     adversary="conditional-frequency", distance="l1")
    >>> finding.distances.round(3)
    array([1.   , 1.   , 0.667, 0.333, 0.333])
    """
    microdata = as_microdata(microdata, "differential_inference")
    f, attacker = as_sanitizer(sanitizer), adversary_named(adversary)
    distance_name, measure = distance_named(distance)
    seed, n_jobs = _seed(seed), workers(n_jobs)
    records, drawn = _targets(targets, len(microdata), seed)
    fast = _choose_path(path, f, attacker)
    started = time.perf_counter()
    release = f.sanitize(microdata)  # a goal that cannot be met is told before anything else
    notes = release.notes if fast else (*release.notes, *_chance(microdata, release, f, attacker))
    tested, where = _once_each(microdata, records, f)
    with Progress(f"testing {f.label}", len(tested), progress) as shown:
        if fast:
            # has_fast_way has made sure of both.
            batches = fast_beliefs(
                microdata, cast(LeavesOneOut, f), cast(CountingAdversary, attacker), tested,
                shown, n_jobs,
            )  # fmt: skip
        else:
            batches = general_beliefs(microdata, release, f, attacker, tested, shown)
        result = _Result.empty(len(tested), microdata.sensitive.size, predictions)
        for batch in batches:
            result.take(batch, measure)
    return DifferentialInference(
        distances=result.distances[where],
        targets=records,
        mode_changed=result.mode_changed[where],
        present=result.present[where] if predictions else None,
        absent=result.absent[where] if predictions else None,
        not_tested=result.not_tested(where),
        failures=result.failures(records, where),
        microdata=microdata,
        sanitizer=f.label,
        adversary=attacker,
        distance=distance_name,
        n_classes=release.n_classes,
        smallest_class=int(release.sizes.min()),
        fast=fast,
        drawn=drawn,
        seed=seed,
        seconds=time.perf_counter() - started,
        notes=notes,
    )


def _chance(
    microdata: Microdata, release: Release, sanitizer: Sanitizer, adversary: Adversary
) -> tuple[str, ...]:
    """A warning if the same table is not sanitized alike twice, which this test takes for granted.

    Not asked of built-in sanitizers that are known for it.
    """
    if sanitizer.treats_equals_alike:
        return ()
    some = microdata.codes[:, :_ASKED_TWICE]
    try:
        again = adversary.predict(sanitizer.sanitize(microdata), some)
    except UnveilError:  # it did it once; what it fails at later is counted there
        return ()
    moved = np.abs(adversary.predict(release, some) - again).sum(axis=1).max(initial=0) / 2
    if not moved > 1e-9:
        return ()
    return (
        f"{sanitizer.label} is random: with two releases of the same table the belief about "
        f"somebody moves by {moved:.3g}, so these distances mix chance with what records give away",
    )


class _Result:
    """Results of the records tested, filled in batch by batch."""

    def __init__(self, n: int, keep: tuple[int, int]) -> None:
        self.distances = np.full(n, np.nan)
        self.mode_changed = np.zeros(n, dtype=bool)
        self.present, self.absent = np.full(keep, np.nan), np.full(keep, np.nan)
        self.reasons: dict[int, str] = {}
        self.details: dict[int, str] = {}

    @classmethod
    def empty(cls, n: int, values: int, predictions: bool) -> _Result:
        return cls(n, (n if predictions else 0, values))

    def take(self, batch: Beliefs, measure: Distance) -> None:
        had = ~np.isnan(batch.present + batch.absent).any(axis=1)
        places = np.arange(batch.targets.start, batch.targets.stop)
        present, absent = batch.present[had], batch.absent[had]
        self.distances[places[had]] = measure(present, absent)
        self.mode_changed[places[had]] = present.argmax(axis=1) != absent.argmax(axis=1)
        if len(self.present):
            self.present[places], self.absent[places] = batch.present, batch.absent
        for place in np.flatnonzero(~had).tolist():
            self.reasons[batch.targets.start + place] = batch.reasons.get(place, NO_BELIEF)
        self.details.update({batch.targets.start + p: said for p, said in batch.details.items()})

    def not_tested(self, where: NDArray[np.intp]) -> dict[str, int]:
        """Reasons and how many targets, whose places are ``where``, each of them holds for."""
        return dict(Counter(self.reasons[p] for p in where.tolist() if p in self.reasons))

    def failures(
        self, records: NDArray[np.intp], where: NDArray[np.intp]
    ) -> tuple[tuple[int, str], ...]:
        """What was said about targets that could not be tested, by their record numbers."""
        each = zip(records.tolist(), where.tolist(), strict=True)
        return tuple((record, self.details[p]) for record, p in each if p in self.details)


def _choose_path(path: str, sanitizer: Sanitizer, adversary: Adversary) -> bool:
    if path not in ("auto", "fast", "general"):
        raise InputError(f'path must be "auto", "fast" or "general", got {path!r}')
    possible = has_fast_way(sanitizer, adversary)
    if path == "fast" and not possible:
        raise InputError(
            f"there is no fast path for {sanitizer.label} against {adversary.label}; "
            'use path="general", which runs the sanitizer anew for each target'
        )
    return possible and path != "general"


def _once_each(
    microdata: Microdata, records: NDArray[np.intp], sanitizer: Sanitizer
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The records to test, and for each target its place among them."""
    if not sanitizer.treats_equals_alike:
        return records, np.arange(len(records))
    groups, where = np.unique(microdata.distinct_of[records], return_inverse=True)
    return microdata.distinct[groups], where.ravel()


def _seed(seed: Any) -> int:
    if isinstance(seed, int | np.integer) and seed >= 0:
        return int(seed)
    raise InputError(f"seed must be a whole number from 0 up, got {seed!r}")


def _targets(targets: Any, n: int, seed: int) -> tuple[NDArray[np.intp], bool]:
    """Positions of the records to test, and whether they were drawn at random."""
    if targets is None:
        return np.arange(n), False
    if isinstance(targets, int | np.integer) and not isinstance(targets, bool):
        if not 1 <= targets <= n:
            raise InputError(f"targets={targets}: the table has {n:,} records to choose from")
        drawn = np.random.default_rng(seed).choice(n, size=int(targets), replace=False)
        return np.sort(drawn), True
    chosen = np.asarray(targets)
    if chosen.dtype == bool and chosen.shape == (n,):
        chosen = np.flatnonzero(chosen)
    if chosen.ndim != 1 or len(chosen) == 0 or not np.issubdtype(chosen.dtype, np.integer):
        raise InputError(
            "targets must be a number of records, a list of record numbers counted from 0, "
            f"or a mask of {n:,} truth values; got {targets!r}"
        )
    wrong = chosen[(chosen < 0) | (chosen >= n)]
    if len(wrong):
        raise InputError(f"targets has {wrong[0]}, but records are numbered from 0 to {n - 1:,}")
    return chosen.astype(np.intp), False
