"""Differential privacy: noise that hides whether someone is in a table, or what their value is.

*Laplace counts.* After C. Dwork, F. McSherry, K. Nissim and A. Smith (2006); as tested in the 2019
report on differential inference. One record changes one count by one, so noise of scale 1/ε makes
the table of all counts ε-differentially private *if which counts there are does not depend on the
data*: with domains that come from the data, somebody with a value of their own adds combinations.

*Randomized response.* Some sensitive values are not true, and no one can tell which. After
S. Warner, *Randomized Response: A Survey Technique for Eliminating Evasive Answer Bias*, JASA 1965,
for two values; for m values as *m-ary randomized response* (P. Kairouz, S. Oh and P. Viswanath,
*Extremal Mechanisms for Local Differential Privacy*, 2014). Everyone keeps their true value with
probability

    e^ε / (e^ε + m - 1),

and otherwise takes one of the m - 1 others, all equally likely. Any published value is at most e^ε
times as likely for one true value as for another: ε-local differential privacy of the sensitive
value, *if the m values do not depend on the data*. The quasi-identifiers are published unchanged:
who is in the table is not secret.

*Simulations.* Both are for tests. Laplace noise from floating-point numbers does not have the
Laplace distribution: which numbers can come out depends on the count beneath (I. Mironov, *On
Significance of the Least Significant Bits for Differential Privacy*, CCS 2012).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Column as ColumnName
from unveil.errors import File, InputError, Listed, Option, Text
from unveil.microdata import (
    AnyRelease,
    Column,
    Microdata,
    NoisyCounts,
    Release,
    Worded,
    unknown_persons,
)
from unveil.sanitize._goals import refuse_empty
from unveil.sanitize._identity import Identity
from unveil.sanitize._sanitizer import Sanitizer, Seed, as_microdata, seed_or_secret

_SMALLEST = 1e-12  # ε; 1/ε is as large as counts can be


@dataclass(frozen=True, kw_only=True)
class _Private(Sanitizer):
    """A sanitizer with a privacy parameter ε and noise from a seed."""

    # The order of the records does not matter.
    treats_equals_alike: ClassVar[bool] = True
    is_random: ClassVar[bool] = True

    epsilon: float
    seed: Seed = None
    domains: Literal["data", "declared"] = "data"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (_SMALLEST <= self.epsilon <= 1 / _SMALLEST or self.epsilon == math.inf):
            raise InputError(
                "{option} is not possible: it must be a number above 0, such as 0.5 or 1 (the "
                "smaller, the more noise; inf is none)",
                option=Option("epsilon", self.epsilon),
            )

    def _claims(self, microdata: Microdata, columns: Sequence[Column], what: _Words) -> list[Text]:
        """What must not be believed about the release; ``columns`` are those with noise."""
        if self.domains == "declared":
            _refuse_from_data(microdata, columns)
        if math.isinf(self.epsilon):
            return [what.exact]
        found: list[Text] = [what.from_data] if self.domains == "data" else []
        if microdata.several is not None:
            found.append(_OF_ROWS)
        return [*found, what.simulated]


@dataclass(frozen=True, kw_only=True)
class _Words:
    """What a release says about itself."""

    exact: str
    """Nothing is random."""
    from_data: str
    """The domains come from the data, for all that is known."""
    simulated: str


_OF_ROWS = (
    "epsilon is that of one row, and a person may have several: for a person with m rows it is up "
    "to m times as large"
)
_COUNTS = _Words(
    exact="not differentially private: epsilon is infinite, so the counts are exact",
    from_data="not differentially private: which combinations are published comes from the data, "
    "and a person with a value of their own adds some. No figure includes what that gives away. If "
    "the values of all columns were fixed without looking at the data, declare them and give "
    "domains=declared",
    simulated="a simulation, for tests only: noise from floating-point numbers leaks the counts "
    "(Mironov 2012). Publish with a library that is made for differential privacy",
)
_ANSWERS = _Words(
    exact="not locally differentially private: epsilon is infinite, so every value is the true one",
    from_data="not locally differentially private: the possible values come from the data, so a "
    "value is published only if somebody has it. No figure includes what that gives away. If they "
    "were fixed without looking at the data, declare them and give domains=declared",
    simulated="a simulation, for tests only: its random numbers are not made to withstand attacks. "
    "Publish with a library that is made for differential privacy",
)


def _refuse_from_data(microdata: Microdata, columns: Sequence[Column]) -> None:
    """A domain that comes from the data was not declared, whatever the user says."""
    found = [ColumnName(column.name) for column in columns if not column.declared]
    if found:
        raise InputError(
            "domains=declared is not true of {columns}: the values come from {source}. List them "
            "as levels ({ordinal}) or as the leaves of a hierarchy ({hierarchies}), or group "
            "numbers at edges of your own ({cuts})",
            columns=Listed(found, "and"), source=File(microdata.source, bare=True),
            ordinal=Option("ordinal"), hierarchies=Option("hierarchies"),
            cuts=Worded("unveil.quantize", typed="--cuts"),
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class LaplaceCounts(_Private):
    """Publish, for every combination of quasi-identifiers, noisy counts of the sensitive values.

    Combinations that no one has are published, too. Counts below zero are published as zero. This
    is a simulation of ε-differential privacy, for tests: see ``domains``, and mind that
    floating-point noise leaks.

    Parameters
    ----------
    epsilon : float
        Privacy parameter. The noise has the scale 1/ε; ``float("inf")`` adds none.
    seed : int, optional
        Random seed of the noise. Default: a secret one from the operating system for every
        release. Anyone who knows the seed can subtract the noise.
    domains : {"data", "declared"}
        ``"declared"``: you fixed the values of all quasi-identifiers and of the sensitive column
        without looking at the data, as levels, as the leaves of a hierarchy or as edges of parts.
        By default they are assumed to come from the data. Then the release is not differentially
        private, and says so.

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

    attacked_by: ClassVar[str | tuple[str, ...]] = "smoothed-frequency"

    @property
    def scale(self) -> float:
        """Scale of the noise."""
        return 0.0 if math.isinf(self.epsilon) else 1 / float(self.epsilon)

    def sanitize(self, microdata: Microdata) -> NoisyCounts:
        return self._published(as_microdata(microdata, "LaplaceCounts"))

    def sanitize_without(self, microdata: Microdata, record: int) -> AnyRelease:
        if microdata.several is not None:
            return super().sanitize_without(microdata, record)
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
            persons=unknown_persons(microdata),
            notes=(
                *microdata.notes,
                *_mostly_noise(microdata),
                *self._claims(microdata, (*microdata.quasi, microdata.sensitive), _COUNTS),
            ),
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


@dataclass(frozen=True, kw_only=True)
class RandomizedResponse(_Private):
    """Publish exact quasi-identifiers, and sensitive values some of which are not true.

    Parameters
    ----------
    epsilon : float
        Privacy parameter: the smaller, the more values are changed. ``float("inf")`` changes none.
    seed : int, optional
        Random seed. Default: a secret one from the operating system for every release. Anyone who
        knows the seed can tell what was changed.
    domains : {"data", "declared"}
        ``"declared"``: you fixed the possible sensitive values without looking at the data, as
        levels or as the leaves of a hierarchy. By default they are assumed to come from the data.
        Then the release is not locally differentially private, and says so.

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
            persons=unknown_persons(microdata),
            notes=(
                *microdata.notes,
                self._note(microdata),
                *self._claims(microdata, [microdata.sensitive], _ANSWERS),
            ),
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
