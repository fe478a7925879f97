"""The finding of a differential inference test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary
from unveil.findings import Finding
from unveil.microdata import Microdata

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["THRESHOLDS", "DifferentialInference"]

THRESHOLDS = (0.001, 0.01, 0.05, 0.1)
"""Distances above which the share of records is reported."""

_QUANTILES = (0.5, 0.9, 0.99)


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
        Whether the most likely value is another without the record.
    present, absent : arrays of shape (targets, sensitive values), or None
        The beliefs with and without the record, if they were asked for.
    not_tested : dict
        Kinds of reasons why targets could not be tested, and of how many.
    failures : tuple of (record, message)
        What the sanitizer said about each of them, where it said something. It may speak of
        people, so it goes no further than here unless asked for.
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
    adversary: Adversary
    distance: str
    n_classes: int
    smallest_class: int
    fast: bool
    drawn: bool = False
    """Whether the targets were drawn at random, by the seed."""
    seed: int
    seconds: float
    notes: tuple[str, ...] = field(default=())

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
        """The mean distance."""
        return float(self.tested.mean()) if len(self.tested) else float("nan")

    @property
    def std(self) -> float:
        """The standard deviation of the distances (of these records, not of a sample)."""
        return float(self.tested.std()) if len(self.tested) else float("nan")

    def quantiles(self, q: Sequence[float] = _QUANTILES) -> dict[float, float]:
        """Distances that the given shares of the records stay below."""
        if not len(self.tested):
            return dict.fromkeys(q, float("nan"))
        return dict(zip(q, np.quantile(self.tested, q).tolist(), strict=True))

    def share_over(self, threshold: float) -> float:
        """The share of the records whose distance is over a threshold."""
        return float((self.tested > threshold).mean()) if len(self.tested) else float("nan")

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
        for when, beliefs in (("with", self.present), ("without", self.absent)):
            if beliefs is not None:
                for text, belief in zip(self.microdata.sensitive.texts, beliefs.T, strict=True):
                    frame[f"P {when}: {text}"] = belief
        return frame

    def content(self, *, records: bool) -> dict[str, Any]:
        content: dict[str, Any] = {
            "finding": "differential inference",
            "source": self.microdata.source,
            "sanitizer": self.sanitizer,
            "adversary": self.adversary.label,
            "distance": self.distance,
            "quasi": [c.name for c in self.microdata.quasi],
            "sensitive": self.microdata.sensitive.name,
            "records": len(self.microdata),
            "classes": self.n_classes,
            "smallest_class": self.smallest_class,
            "targets": len(self.targets),
            "tested": len(self.tested),
            "not_tested": self.not_tested,
            "delta": _plain(self.delta),
            "mean": _plain(self.mean),
            "std": _plain(self.std),
            "quantiles": {f"{q:g}": _plain(d) for q, d in self.quantiles().items()},
            "share_over": {f"{t:g}": _plain(self.share_over(t)) for t in THRESHOLDS},
            "modes_changed": _plain(self.modes_changed),
            "path": "fast" if self.fast else "general",
            "seed": self.seed,
            "seconds": self.seconds,
            "notes": list(self.notes),
        }
        if records:
            content["record"] = self.targets.tolist()
            content["distances"] = [_plain(d) for d in self.distances.tolist()]
            content["failures"] = [list(failure) for failure in self.failures]
        return content

    def plot(self, ax: Axes | None = None, **line: Any) -> Axes:
        """Draw the share of records below each distance, on a log axis; returns the axes.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.attacks._pictures import cumulative

        line = {"label": self.sanitizer, **line}
        return cumulative(self.tested, ax=ax, distance=self.distance, **line)

    def summary(self) -> str:
        secret, n = self.microdata.sensitive.name, len(self.tested)
        lines = [
            f"Differential inference: {self.sanitizer} on {self.microdata.source}",
            f"  {n:,} of {len(self.microdata):,} records tested, each by leaving it out, in "
            f"{self.seconds:.2g} s; release of {self.n_classes:,} classes, the smallest of "
            f"{self.smallest_class:,}",
        ]
        if len(self.targets) < len(self.microdata):
            lines.append("  Only some records were targets; the worst of all may be worse.")
        for reason, count in self.not_tested.items():
            lines.append(f"  NOT TESTED: {count:,} records: {reason}")
        if self.failures:
            lines.append("    What was said about each of them is in finding.failures.")
        if n:
            half, most, nearly_all = self.quantiles().values()
            over = ", ".join(f"{self.share_over(t):.1%} over {t:g}" for t in THRESHOLDS)
            lines += [
                "",
                f"  δ, the worst record   {_number(self.delta)}",
                f"  mean ± std            {_number(self.mean)} ± {_number(self.std)}",
                f"  quantiles             50% below {_number(half)}, 90% below {_number(most)}, "
                f"99% below {_number(nearly_all)}",
                f"  records               {over}",
                f"  most likely value     changes for {self.modes_changed:.1%} of the records",
                "",
                f"  Leaving out their own record moves what an attacker believes about the worst-"
                f"placed person's {secret}",
                f"  by {_number(self.delta)} ({self.distance}), and by {_number(self.mean)} on "
                "average. What does not move is a fact about the population.",
            ]
        lines.append(f"  Adversary: {self.adversary.label}, who {self.adversary.explained}.")
        lines += [f"  Note: {note}" for note in self.notes]
        return "\n".join(lines)


def _number(value: float) -> str:
    """Three digits that count.

    >>> _number(0.19834), _number(0.0000123)
    ('0.198', '1.23e-05')
    """
    return f"{value:.3g}"


def _plain(value: float) -> float | None:
    """JSON has no NaN."""
    return None if np.isnan(value) else float(value)
