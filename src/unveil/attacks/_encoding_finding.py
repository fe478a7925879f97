"""The finding of a comparison of encodings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Encoding
from unveil.errors import Text
from unveil.findings import Finding
from unveil.microdata import Microdata

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["EncodingComparison"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EncodingComparison(Finding):
    """How well the same adversary guesses when it reads the cells in different ways.

    Attributes
    ----------
    encodings : tuple of Encoding
    sanitizers : tuple of str
    accuracy : array (encodings, sanitizers)
        The share of the records whose true value is the one believed most.
    features : array (encodings, sanitizers)
        How many numbers a record becomes.
    seconds : array (encodings, sanitizers)
        For learning from the release and guessing everybody's value.
    """

    encodings: tuple[Encoding, ...]
    sanitizers: tuple[str, ...]
    accuracy: NDArray[np.float64]
    features: NDArray[np.int64]
    seconds: NDArray[np.float64]
    microdata: Microdata
    model: str
    """Who guesses, without the encoding."""
    seed: int
    notes: tuple[Text, ...] = field(default=())

    @property
    def baseline(self) -> float:
        """The share of the most frequent value: what naming it for everybody would give."""
        return float(self.microdata.sensitive_counts.max() / len(self.microdata))

    @property
    def order(self) -> NDArray[np.intp]:
        """The encodings by mean accuracy, the best first; of equals, the one of fewer features."""
        return np.lexsort([self.features.mean(axis=1), -self.accuracy.mean(axis=1)])

    @property
    def best(self) -> Encoding:
        """The encoding with the highest mean accuracy."""
        return self.encodings[int(self.order[0])]

    def to_frame(self) -> pd.DataFrame:
        """One row an encoding and sanitizer."""
        import pandas as pd

        n = len(self.sanitizers)
        return pd.DataFrame(
            {
                "encoding": np.repeat([str(e) for e in self.encodings], n),
                "continuous": np.repeat([e.continuous for e in self.encodings], n),
                "categorical": np.repeat([e.categorical for e in self.encodings], n),
                "sanitizer": list(self.sanitizers) * len(self.encodings),
                "accuracy": self.accuracy.ravel(),
                "features": self.features.ravel(),
                "seconds": self.seconds.ravel(),
            }
        )

    def content(self, *, records: bool) -> dict[str, Any]:
        return {
            "finding": "comparison of encodings",
            "source": self.microdata.source,
            "adversary": self.model,
            "quasi": [c.name for c in self.microdata.quasi],
            "sensitive": self.microdata.sensitive.name,
            "records": len(self.microdata),
            "sanitizers": list(self.sanitizers),
            "baseline": self.baseline,
            "encodings": {
                str(encoding): {
                    "accuracy": self.accuracy[i].tolist(),
                    "features": self.features[i].tolist(),
                    "seconds": self.seconds[i].tolist(),
                }
                for i, encoding in enumerate(self.encodings)
            },
            "seed": self.seed,
            "notes": [str(note) for note in self.notes],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw mean accuracy and features of each encoding as a table of colours.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.attacks._encoding_picture import heat_map

        return heat_map(self, ax)

    def summary(self) -> str:
        releases = self.sanitizers[0] if len(self.sanitizers) == 1 else (
            f"{len(self.sanitizers)} sanitizers, from {self.sanitizers[0]} to "
            f"{self.sanitizers[-1]}")  # fmt: skip
        width = max(len(str(e)) for e in self.encodings)
        lines = [
            f"Encodings compared: {self.model} on {self.microdata.source}, {releases}",
            "",
            f"  {'encoding':{width}}  accuracy  features   seconds",
        ]
        lines += [
            f"  {self.encodings[i]!s:{width}}  {self.accuracy[i].mean():8.2%}  "
            f"{self.features[i].mean():8,.4g}  {self.seconds[i].mean():8.2g}"
            for i in self.order
        ]
        lines += [
            f"  {'(most frequent value)':{width}}  {self.baseline:8.2%}",
            "",
            f"  Accuracy: the share of the {len(self.microdata):,} people whose "
            f"{self.microdata.sensitive.name} the adversary guesses from a release that they are "
            "in.",
        ]
        if len(self.sanitizers) > 1:
            lines.append("  All numbers are means over the sanitizers.")
        return "\n".join([*lines, *(f"  Note: {note}" for note in self.notes)])
