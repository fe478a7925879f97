"""ℓ-diversity: every class has ℓ well-represented sensitive values.

A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, *ℓ-Diversity: Privacy Beyond
k-Anonymity*, ICDE 2006 and ACM Transactions on Knowledge Discovery from Data 2007. The paper gives
three meanings to "well represented"; all three are measured.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.engine.counting import Contingency, Histograms
from unveil.errors import Text
from unveil.findings import Story, Value
from unveil.measures._classes import (
    ClassMeasure,
    Deciding,
    Extreme,
    measured,
    of_the_counts,
    plog2p,
    whole_number,
)
from unveil.measures._counted import Counting, count
from unveil.measures._declared import L_ENTROPY, L
from unveil.measures._texts import bar_chart, in_words


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LDiversity(ClassMeasure):
    """How diverse the sensitive values of a class are, in three senses.

    Attributes
    ----------
    distinct : int
        Every class has at least this many sensitive values.
    entropy : float
        The entropy of every class is at least the logarithm of this.
    deciding, deciding_entropy, deciding_recursive : Deciding
        The classes with the fewest values, with the least entropy, and those that need the
        largest c at `deciding_l`.
    deciding_l : int
    infima : tuple of float
        What c must exceed for each ℓ from 1 to the distinct one: see `recursive`.
    """

    entry: ClassVar[str] = "l-diversity"

    distinct: int
    entropy: float
    deciding_entropy: Deciding
    deciding_recursive: Deciding
    deciding_l: int
    infima: tuple[float, ...]

    def recursive(self, l: int) -> float:  # noqa: E741  (it is called l everywhere in this field)
        """The number that c must exceed for recursive (c, ℓ)-diversity; may be infinite."""
        _check_l(l)
        return self.infima[l - 1] if l <= len(self.infima) else math.inf

    def is_recursive(self, *, c: float, l: int) -> bool:  # noqa: E741
        """Whether the table is recursive (c, ℓ)-diverse: r₁ < c · (r_ℓ + … + r_m) everywhere."""
        return c > self.recursive(l)

    def to_frame(self) -> pd.DataFrame:
        """One row per ℓ: the number that c must exceed."""
        levels = range(2, self.distinct + 1)
        return pd.DataFrame(
            {"l": list(levels), "c": np.array([self.recursive(level) for level in levels])}
        )  # fmt: skip

    @property
    def figures(self) -> tuple[Value, ...]:
        return L.of(self.distinct), L_ENTROPY.of(self.entropy)

    def _facts(self, *, records: bool) -> dict[str, Any]:
        return {
            "distinct": self.distinct,
            "entropy": self.entropy,
            "recursive": [
                {"l": level, "c_above": self.recursive(level)}
                for level in range(2, self.distinct + 1)
            ],
            "deciding": {
                "distinct": self.deciding.content(records=records),
                "entropy": self.deciding_entropy.content(records=records),
                "recursive": {
                    "l": self.deciding_l,
                    "c_above": self.recursive(self.deciding_l),
                    **self.deciding_recursive.content(records=records),
                },
            },
        }

    def story(self, release: Text | None = None) -> Story:
        c, level = self.recursive(self.deciding_l), self.deciding_l
        recursive = f"for every c > {in_words(c)}"
        if math.isinf(c):
            recursive = f"for no c, a class has fewer than {level} values"
        least = self.deciding_entropy.classes[0]
        counts = dict(sorted(least.counts.items(), key=lambda one: -one[1]))
        return Story(
            title=f"ℓ-diversity of {self.source}: ℓ = {self.distinct:,} in {self.sensitive}",
            about=[
                f"distinct ℓ = {self.distinct:,}; fewest values: {self.deciding}",
                f"entropy ℓ = {in_words(self.entropy)}; least entropy: {self.deciding_entropy}",
                f"recursive (c, {level}): {recursive}; worst: {self.deciding_recursive}",
            ],
            charts=[
                bar_chart(
                    f"{self.sensitive} in {self.source}: ℓ = {self.distinct:,}, by entropy "
                    f"{in_words(self.entropy)}",
                    list(counts), {"records": list(counts.values())},
                    label=f"records of a class of {least.records:,} that is least diverse",
                )
            ],
        )  # fmt: skip


class LDiversityLooking:
    """Looks for the least diverse classes."""

    def __init__(self, counts: Contingency, *, l: int = 2) -> None:  # noqa: E741
        self._counts, self._l = counts, _check_l(l)
        self._secret = counts.need_secret("ℓ-diversity")
        # Above the fewest values of a class no c is large enough: nothing is kept there.
        self._infima = np.zeros(len(self._secret.values))
        self._fewest = Extreme(counts, least=True)
        self._least = Extreme(counts, least=True)
        self._worst = Extreme(counts)

    def look(self, block: Histograms) -> None:
        if len(block) == 0:
            return
        self._fewest.look(block, block.distinct)
        self._least.look(block, _effective_values(block))
        rank, ratio = _ratios(block)
        self._infima = self._infima[: int(block.distinct.min())]
        kept = rank < len(self._infima)
        np.maximum.at(self._infima, rank[kept], ratio[kept])
        worst = np.full(len(block), np.inf)
        at_l = rank == self._l - 1
        worst[block.class_of[at_l]] = ratio[at_l]
        self._worst.look(block, worst)

    def finding(self) -> LDiversity:
        return LDiversity(
            **of_the_counts(self._counts),
            sensitive=self._secret.name,
            distinct=int(self._fewest.score),
            entropy=self._least.score,
            deciding=self._fewest.deciding(),
            deciding_entropy=self._least.deciding(),
            deciding_recursive=self._worst.deciding(),
            deciding_l=self._l,
            infima=tuple(self._infima.tolist()),
        )


def _check_l(l: int) -> int:  # noqa: E741
    return whole_number(l, "l", 1)


def _effective_values(block: Histograms) -> NDArray[np.float64]:
    """The ℓ whose logarithm is the entropy of each class."""
    found = np.exp2(-block.add_up(plog2p(block.shares)))
    # Where all values are equally frequent, ℓ is their number, whatever rounding says.
    even = block.largest(block.numbers) * block.distinct == block.sizes
    return np.where(even, block.distinct, found)


def _ratios(block: Histograms) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The rank of each cell, and r₁ / (r_ℓ + … + r_m) for the ℓ that is one more than its rank.

    The most frequent value of a class has rank 0.
    """
    frequent_first = np.lexsort((-block.numbers, block.class_of))
    numbers = block.numbers[frequent_first]
    first = np.repeat(block.start[:-1], block.distinct)
    rank = np.arange(len(numbers)) - first
    before = np.cumsum(numbers) - numbers
    tail = np.repeat(block.sizes, block.distinct) - (before - before[first])
    return rank, numbers[first] / tail


def l_diversity(
    table: Any,
    *,
    l: int = 2,  # noqa: E741  (it is called l everywhere in this field)
    **counting: Unpack[Counting],
) -> LDiversity:
    """ℓ-diversity of the sensitive values of every class (Machanavajjhala et al. 2006).

    With r₁ ≥ r₂ ≥ … ≥ r_m for the frequencies of the values of a class:

    - *distinct* ℓ: m ≥ ℓ in every class.
    - *entropy* ℓ: the entropy of every class is at least log ℓ; ℓ need not be a whole number.
    - *recursive* (c, ℓ): r₁ < c · (r_ℓ + … + r_m) in every class. For each ℓ there is a number
      that c must exceed, `LDiversity.recursive`; above the distinct ℓ it is infinite.

    Parameters
    ----------
    table : Release, Microdata, data frame, path, Ibis table or Contingency
    l : int
        The ℓ for which the classes that decide the recursive definition are named.
    **counting
        See `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": ["2*", "2*", "3*", "3*", "3*"],
    ...      "disease": ["flu", "none", "flu", "flu", "none"]},
    ...     quasi=["age"], sensitive="disease")
    >>> found = uv.l_diversity(patients)
    >>> found
    ℓ-diversity of table: ℓ = 2 in disease
      distinct ℓ = 2; fewest values: age=2* (2 records); age=3* (3 records)
      entropy ℓ = 1.89; least entropy: age=3* (3 records)
      recursive (c, 2): for every c > 2; worst: age=3* (3 records)
    >>> found.is_recursive(c=2, l=2), found.is_recursive(c=2.5, l=2), found.recursive(3)
    (False, True, inf)
    """
    _check_l(l)  # before anything is counted
    counts = count(table, **counting)
    return measured(counts, LDiversityLooking(counts, l=l))
