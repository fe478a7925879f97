"""Randomized response: some of the sensitive values are not true, and nobody can tell which.

After S. Warner, *Randomized Response: A Survey Technique for Eliminating Evasive Answer Bias*,
JASA 1965, for two values; for m values as *m-ary randomized response* (P. Kairouz, S. Oh and
P. Viswanath, *Extremal Mechanisms for Local Differential Privacy*, 2014). Everybody keeps their
true value with the probability

    e^ε / (e^ε + m - 1),

and otherwise takes one of the m - 1 others, each as likely as the other. Whatever value is
published, one true value makes it at most e^ε times as likely as another: that is ε-local
differential privacy of the sensitive value. It would hold even if everybody drew at home and
nobody ever had the table.

The quasi-identifiers are published as they are: who is in the table is no secret.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Microdata, Release
from unveil.sanitize._identity import Identity
from unveil.sanitize._option_checks import check_epsilon, check_seed, seed_or_secret
from unveil.sanitize._sanitizer import Sanitizer, as_microdata, refuse_empty

__all__ = ["RandomizedResponse"]


@dataclass(frozen=True, kw_only=True)
class RandomizedResponse(Sanitizer):
    """Publish exact quasi-identifiers, and sensitive values of which some are not true.

    Parameters
    ----------
    epsilon : float
        The privacy parameter: the smaller, the more values are changed. ``float("inf")`` changes
        none.
    seed : int, optional
        Of the random choices; default: a secret one from the operating system for every release.
        Whoever knows the seed can tell what was changed.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.read_table(
    ...     {"age": [20, 30, 40, 50, 60, 70], "vote": ["a", "a", "a", "b", "b", "c"]},
    ...     quasi="age", sensitive="vote")
    >>> f = uv.RandomizedResponse(epsilon=1, seed=3)
    >>> round(f.keeps(3), 3)                                            # e / (e + 2)
    0.576
    >>> f.sanitize(survey).to_frame()["vote"].tolist()
    ['c', 'a', 'a', 'b', 'b', 'b']
    """

    # Whatever the order of the records, the same ones are changed: see `_randomized`.
    treats_equals_alike: ClassVar[bool] = True
    is_random: ClassVar[bool] = True

    epsilon: float
    seed: int | None = None

    def __post_init__(self) -> None:
        check_epsilon("RandomizedResponse's", self.epsilon, "values are changed")
        check_seed("RandomizedResponse's", self.seed)

    def with_seed(self, seed: int) -> RandomizedResponse:
        return replace(self, seed=seed)

    def keeps(self, values: int) -> float:
        """How likely somebody's true value is published, if there are so many values."""
        return 1 / (1 + (values - 1) * math.exp(-float(self.epsilon)))

    def sanitize(self, microdata: Microdata) -> Release:
        microdata = as_microdata(microdata, "RandomizedResponse")
        refuse_empty(self, microdata)
        release = Identity().sanitize(microdata)
        secret = release.sensitive
        rng = np.random.default_rng(seed_or_secret(self.seed))
        codes = np.empty_like(secret.codes)
        # In the order of their values, so that the order in which they came plays no part.
        order = np.argsort(microdata.distinct_of, kind="stable")
        codes[order] = _randomized(secret.codes[order], secret.size, self.keeps(secret.size), rng)
        return replace(
            release,
            sensitive=replace(secret, codes=codes),
            made_by=self.public_label,
            notes=(*microdata.notes, *self._notes(microdata)),
            perturbed=(secret.name,),
        )

    def _notes(self, microdata: Microdata) -> tuple[str, ...]:
        secret = microdata.sensitive
        return (
            f"each {secret.name} is the true one with probability {self.keeps(secret.size):.3g}, "
            f"and otherwise one of the {secret.size - 1:,} others by chance",
        )


def _randomized(
    codes: NDArray[np.int32], values: int, keeps: float, rng: np.random.Generator
) -> NDArray[np.int32]:
    """The codes, or with probability 1 - ``keeps`` another one of so many."""
    if values == 1:
        return codes
    others = rng.integers(0, values - 1, len(codes), dtype=np.int32)
    others += others >= codes  # all but the true one
    return np.where(rng.random(len(codes)) < keeps, codes, others)
