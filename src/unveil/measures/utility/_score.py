"""A mean over repeated splits of one table, and how far it can be trusted.

Splits of the same table share records, so their scores vary less than those of new tables would.
The variance is corrected for that after C. Nadeau and Y. Bengio, *Inference for the Generalization
Error*, Machine Learning 52 (2003).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["CONFIDENCE", "Score", "score_of"]

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Score:
    """A mean and its 95 % interval.

    >>> print(Score(0.731, 0.7122, 0.7498))
    73.1% (71.2% to 75.0%)
    """

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.1%} ({self.low:.1%} to {self.high:.1%})"

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {"mean": self.mean, "low": self.low, "high": self.high}


def score_of(
    scores: NDArray[np.float64], *, training: int, held_out: int, least: float, most: float = 1.0
) -> Score:
    """The mean of a score over several splits, which can be from ``least`` to ``most``.

    Parameters
    ----------
    scores : array, one a split
        Two or more.
    training, held_out : int
        Records in the two parts of every split.

    Examples
    --------
    >>> print(score_of(np.array([0.70, 0.73, 0.74]), training=70, held_out=30, least=0))
    72.3% (64.5% to 80.2%)
    """
    from scipy.special import stdtrit

    splits = len(scores)
    mean = math.fsum(scores.tolist()) / splits
    variance = math.fsum(((scores - mean) ** 2).tolist()) / (splits - 1)
    error = math.sqrt(variance * (1 / splits + held_out / training))
    half = float(stdtrit(splits - 1, (1 + CONFIDENCE) / 2)) * error
    return Score(mean, max(least, mean - half), min(most, mean + half))
