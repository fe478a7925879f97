"""The experiment of v2 with differential privacy, on any table: noisy counts for several ε.

Numbers are put into a few parts beforehand, for a count of every age would be mostly noise. Each
distinct record is tested once, by the adversary who takes the counts plus one for shares.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from experiment import summary_of
from numpy.typing import NDArray
from published_sampling import cases_of, sample_all
from reproduction import whole_numbers

import unveil as uv
from unveil.errors import InputError, did_you_mean
from unveil.microdata import Kind, Microdata

__all__ = [
    "CUTS",
    "HOW",
    "Noise",
    "Noisy",
    "cuts_for",
    "cuts_named",
    "in_parts",
    "measure_noise",
    "written",
]

CUTS: dict[str, tuple[int, ...]] = {"age": (20, 40, 60), "hours_per_week": (20, 40, 60)}
"""Where the parts of a column *end*: up to 20, from 21 to 40, from 41 to 60, and above."""

HOW = {
    "published": "sampled as published",
    "corrected": "sampled, corrected",
    "direct": "without sampling",
}

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Noise:
    """How noisy counts are tested."""

    epsilon: float
    samples: int
    """With and without each record; 0 for none."""
    seed: int = 0

    @property
    def label(self) -> str:
        return f"ε = {written(self.epsilon)}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Noisy:
    """What came out for one ε; arrays have an entry a distinct record."""

    noise: Noise
    distances: dict[str, Array]
    """By how they were found, see `HOW`."""
    seconds: dict[str, float]
    modes_changed: float
    floor: Array = field(default_factory=lambda: np.empty(0))
    """What the published method would say if the record made no difference."""
    error: Array = field(default_factory=lambda: np.empty(0))
    """Of the corrected distances, with 95 % confidence."""
    sampled: uv.DifferentialInference | None = None

    def of(self, summary: str, how: str = "direct") -> float:
        """``delta``, ``mean``, ``std`` or ``over`` (the threshold); NaN if not tested this way."""
        d = self.distances.get(how)
        return float("nan") if d is None else summary_of(d, summary)

    @property
    def outside(self) -> float:
        """The share of the corrected distances that are farther from the direct ones than said."""
        off = np.abs(self.distances["corrected"] - self.distances["direct"])
        return float((off > self.error + 1e-12).mean())  # both are rounded

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON, which has no infinity."""
        found: dict[str, Any] = {
            "epsilon": written(self.noise.epsilon),
            "tested": len(self.distances["direct"]),
            "modes_changed": self.modes_changed,
        }
        for how in self.distances:
            numbers = {name: self.of(name, how) for name in ("delta", "mean", "std", "over")}
            found[how] = numbers | {"seconds": self.seconds[how]}
        if len(self.floor):
            found["published"]["floor"] = float(self.floor.mean())
            found["corrected"] |= {"error": float(self.error.max()), "outside": self.outside}
        return found


def written(epsilon: float) -> str:
    """As it is read aloud.

    >>> written(0.5), written(1.0), written(float("inf"))
    ('0.5', '1', '∞')
    """
    return "∞" if np.isinf(epsilon) else f"{epsilon:g}"


def measure_noise(table: Microdata, noise: Noise, jobs: int | None) -> Noisy:
    """Test every distinct record for one ε, directly and, if samples are wanted, by sampling."""
    sanitizer, records = uv.LaplaceCounts(epsilon=noise.epsilon), table.distinct
    direct = uv.differential_inference(table, sanitizer, jobs=jobs, progress=False)
    found = {"direct": direct.distances[records]}
    seconds = {"direct": direct.seconds}
    modes = float(direct.mode_changed[records].mean())
    if not noise.samples:
        return Noisy(noise=noise, distances=found, seconds=seconds, modes_changed=modes)
    started = time.perf_counter()
    cases = cases_of(table, records)
    published = sample_all(cases, noise.epsilon, noise.samples, seed=noise.seed, jobs=jobs)
    seconds["published"] = time.perf_counter() - started
    sampled = uv.differential_inference(
        table, sanitizer, samples=noise.samples, seed=noise.seed, jobs=jobs, progress=False
    )
    seconds["corrected"] = sampled.seconds
    records_error = np.zeros(len(records))  # without noise nothing is sampled
    if sampled.sampling is not None:
        records_error = sampled.sampling.error[records]
    return Noisy(
        noise=noise,
        distances={
            "published": published.distance,
            "corrected": sampled.distances[records],
            **found,
        },
        seconds=seconds,
        modes_changed=modes,
        floor=published.floor,
        error=records_error,
        sampled=sampled,
    )


# Parts ------------------------------------------------------------------------------------------


def cuts_named(given: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """What ``age=20,40,60`` says, for several columns.

    >>> cuts_named(["age=40,30,60"])
    {'age': (30, 40, 60)}
    """
    found: dict[str, tuple[int, ...]] = {}
    for text in given:
        name, equals, rest = (part.strip() for part in text.partition("="))
        if not (name and equals and rest):
            raise InputError(f"cannot read --cuts {text!r}; write it like --cuts age=20,40,60")
        if name in found:
            raise InputError(f"--cuts names the column {name!r} twice")
        found[name] = tuple(sorted(whole_numbers(rest, f"--cuts {name}", least=0)))
    return found


def cuts_for(
    table: Microdata, cuts: Mapping[str, Sequence[int]], known: Iterable[str]
) -> dict[str, tuple[int, ...]]:
    """Where the parts of a table's numeric quasi-identifiers end: as given, or as in `CUTS`.

    ``known`` are the columns that may be named: some other table may have those that this has not.
    """
    known = sorted(known)
    numeric = {column.name for column in table.quasi if column.kind is Kind.NUMERIC}
    for name in cuts:
        if name not in known:
            raise InputError(
                f"--cuts: there is no quasi-identifier {name!r}{did_you_mean(name, known)} "
                f"(there are: {', '.join(known)})"
            )
        if name not in numeric and any(column.name == name for column in table.quasi):
            raise InputError(f"--cuts: {name!r} has no numbers; cut one that has, such as 'age'")
    return {name: tuple(ends) for name, ends in {**CUTS, **cuts}.items() if name in numeric}


def in_parts(table: Microdata, cuts: Mapping[str, Sequence[int]]) -> Microdata:
    """The table with columns in parts that end with these whole numbers."""
    # unveil's parts begin at their edges: up to 20 is below 21.
    edges = {name: [-np.inf, *(end + 1 for end in ends), np.inf] for name, ends in cuts.items()}
    return uv.quantize(table, edges) if edges else table
