"""Differential privacy: counts with noise from a Laplace distribution.

After C. Dwork, F. McSherry, K. Nissim and A. Smith (2006); as tested in the 2019 report on
differential inference. One record changes one count by one, so noise of scale 1/ε makes the table
of all counts ε-differentially private.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from unveil.microdata import Microdata, NoisyCounts
from unveil.sanitize._option_checks import check_epsilon, check_seed, seed_or_secret
from unveil.sanitize._sanitizer import Sanitizer, as_microdata


@dataclass(frozen=True, kw_only=True)
class LaplaceCounts(Sanitizer):
    """Publish, for every combination of quasi-identifiers, noisy counts of the sensitive values.

    Combinations that no one has are published, too. Counts below zero are published as zero. The
    columns' domains are assumed to be public.

    Parameters
    ----------
    epsilon : float
        Privacy parameter. The noise has the scale 1/ε; ``float("inf")`` adds none.
    seed : int, optional
        Random seed of the noise. Default: a secret one from the operating system for every
        release. Anyone who knows the seed can subtract the noise.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.read_table({"sex": ["f", "f", "m"], "vote": ["a", "a", "b"]},
    ...                        quasi="sex", sensitive="vote")
    >>> uv.LaplaceCounts(epsilon=1).sanitize(survey)
    Release: counts by LaplaceCounts(epsilon=1) of 2 combinations of sex with 2 values of vote ...
    >>> uv.LaplaceCounts(epsilon=float("inf")).sanitize(survey).to_frame()
      sex vote  count
    0   f    a    2.0
    1   f    b    0.0
    2   m    a    0.0
    3   m    b    1.0
    """

    treats_equals_alike: ClassVar[bool] = True
    is_random: ClassVar[bool] = True
    attacked_by: ClassVar[str] = "smoothed-frequency"

    epsilon: float
    seed: int | None = None

    def __post_init__(self) -> None:
        check_epsilon("LaplaceCounts", self.epsilon, "noise")
        check_seed("LaplaceCounts", self.seed)

    @property
    def scale(self) -> float:
        """Scale of the noise."""
        return 0.0 if math.isinf(self.epsilon) else 1 / float(self.epsilon)

    def with_seed(self, seed: int) -> LaplaceCounts:
        return replace(self, seed=seed)

    def sanitize(self, microdata: Microdata) -> NoisyCounts:
        return self._published(as_microdata(microdata, "LaplaceCounts"))

    def sanitize_without(self, microdata: Microdata, record: int) -> NoisyCounts:
        cell, secret = microdata.cells.cell_of[record], microdata.sensitive.codes[record]
        return replace(self._published(microdata), left_out=(int(cell), int(secret)))

    def _published(self, microdata: Microdata) -> NoisyCounts:
        return NoisyCounts(
            quasi=microdata.quasi,
            sensitive=microdata.sensitive,
            exact=microdata.cells,
            scale=self.scale,
            seed=seed_or_secret(self.seed),
            made_by=self.public_label,
            notes=(*microdata.notes, *_mostly_noise(microdata)),
        )


def _mostly_noise(microdata: Microdata) -> tuple[str, ...]:
    """A warning if there are more cells than people."""
    cells = math.prod(column.size for column in microdata.quasi)
    if cells <= len(microdata):
        return ()
    return (
        f"there are {cells:,} combinations of quasi-identifiers for {len(microdata):,} records, so "
        "most counts are noise; use fewer columns, or put numbers into a few parts with "
        "unveil.quantize",
    )
