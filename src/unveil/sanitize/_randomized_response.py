"""Randomized response: some sensitive values are not true, and no one can tell which.

After S. Warner, *Randomized Response: A Survey Technique for Eliminating Evasive Answer Bias*,
JASA 1965, for two values; for m values as *m-ary randomized response* (P. Kairouz, S. Oh and
P. Viswanath, *Extremal Mechanisms for Local Differential Privacy*, 2014). Everyone keeps their true
value with probability

    e^ε / (e^ε + m - 1),

and otherwise takes one of the m - 1 others, all equally likely. Any published value is at most e^ε
times as likely for one true value as for another: ε-local differential privacy of the sensitive
value. It would hold even if everyone drew at home. The quasi-identifiers are published unchanged:
who is in the table is not secret.
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


@dataclass(frozen=True, kw_only=True)
class RandomizedResponse(Sanitizer):
    """Publish exact quasi-identifiers, and sensitive values some of which are not true.

    Parameters
    ----------
    epsilon : float
        Privacy parameter: the smaller, the more values are changed. ``float("inf")`` changes none.
    seed : int, optional
        Random seed. Default: a secret one from the operating system for every release. Anyone who
        knows the seed can tell what was changed.

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

    # The order of the records does not matter: see `sanitize`.
    treats_equals_alike: ClassVar[bool] = True
    is_random: ClassVar[bool] = True

    epsilon: float
    seed: int | None = None

    def __post_init__(self) -> None:
        check_epsilon("RandomizedResponse", self.epsilon, "values are changed")
        check_seed("RandomizedResponse", self.seed)

    def with_seed(self, seed: int) -> RandomizedResponse:
        return replace(self, seed=seed)

    def keeps(self, values: int) -> float:
        """Probability that a true value is published, given the number of values."""
        return 1 / (1 + (values - 1) * math.exp(-float(self.epsilon)))

    def sanitize(self, microdata: Microdata) -> Release:
        microdata = as_microdata(microdata, "RandomizedResponse")
        refuse_empty(self, microdata)
        release = Identity().sanitize(microdata)
        secret = release.sensitive
        rng = np.random.default_rng(seed_or_secret(self.seed))
        codes = np.empty_like(secret.codes)
        # Sorted by their values, so that the order of the records does not matter.
        order = np.argsort(microdata.distinct_of, kind="stable")
        codes[order] = _randomized(secret.codes[order], secret.size, self.keeps(secret.size), rng)
        return replace(
            release,
            sensitive=replace(secret, codes=codes),
            made_by=self.public_label,
            notes=(*microdata.notes, self._note(microdata)),
            perturbed=(secret.name,),
        )

    def _note(self, microdata: Microdata) -> str:
        secret = microdata.sensitive
        return (
            f"each {secret.name} is the true one with probability {self.keeps(secret.size):.3g}, "
            f"and otherwise one of the {secret.size - 1:,} others by chance"
        )


def _randomized(
    codes: NDArray[np.int32], values: int, keeps: float, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Each code, or with probability 1 - ``keeps`` another one."""
    if values == 1:
        return codes
    others = rng.integers(0, values - 1, len(codes), dtype=np.int32)
    others += others >= codes  # all but the true one
    return np.where(rng.random(len(codes)) < keeps, codes, others)
