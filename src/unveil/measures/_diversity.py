"""How diverse the sensitive values of a class are: (α, k)-anonymity and ℓ-diversity.

(α, k)-anonymity: classes have at least k records, and no value has a share above α. R. Wong, J. Li,
A. Fu, K. Wang, *(α, k)-Anonymity: An Enhanced k-Anonymity Model for Privacy Preserving Data
Publishing*, KDD 2006.

ℓ-diversity: every class has ℓ well-represented values. A. Machanavajjhala, D. Kifer, J. Gehrke,
M. Venkitasubramaniam, *ℓ-Diversity: Privacy Beyond k-Anonymity*, ICDE 2006 and ACM Transactions on
Knowledge Discovery from Data 2007. The paper gives three meanings to "well represented"; all three
are measured.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Unpack

import numpy as np
import pandas as pd
from annotated_types import Ge
from numpy.typing import NDArray

from unveil.engine.counting import Contingency, Histograms
from unveil.errors import Text
from unveil.findings import Figure, Story
from unveil.measures._classes import (
    ClassMeasure,
    Deciding,
    Extreme,
    SecretLooking,
    measured,
    plog2p,
    top_values,
)
from unveil.measures._counted import Counting, count
from unveil.measures._declared import ALPHA, L_ENTROPY, L
from unveil.measures._texts import in_words, joined
from unveil.options import check, checked

_Level = Annotated[int, Ge(1)]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AlphaK(ClassMeasure):
    """The largest share of one sensitive value in a class.

    Attributes
    ----------
    alpha : float
        The largest share that one value has of a class: the smallest α that holds.
    k : int
        Number of records in the smallest class.
    by_value : dict of str to float
        The largest share of each sensitive value.
    deciding, smallest : Deciding
        The classes in which one value has the share α, and the classes of k records.
    """

    entry: ClassVar[str] = "(alpha, k)-anonymity"
    numbers: ClassVar[Mapping[Figure, str]] = {ALPHA: "alpha"}
    said: ClassVar[str] = "alpha k"

    alpha: float
    k: int
    by_value: dict[str, float]
    smallest: Deciding

    @property
    def values(self) -> tuple[str, ...]:
        """The values that have the share α of a class."""
        return top_values(self.by_value)

    def to_frame(self) -> pd.DataFrame:
        """One row per sensitive value."""
        return pd.DataFrame(list(self.by_value.items()), columns=["value", "alpha"])

    @property
    def private_facts(self) -> Mapping[str, Any]:
        return {**super().private_facts, "by_value": self.by_value}

    def story(self, release: Text | None = None) -> Story:
        alpha = f"α = {in_words(self.alpha)}"
        return Story(
            title=f"(α, k)-anonymity of {self.source}: {alpha}, k = {self.k:,}",
            about=[
                f"the largest share of a class is that of {self.sensitive} = {joined(self.values)}",
                self.decided_by,
            ],
            charts=[
                self.value_chart(
                    alpha, {"share": self.by_value}, label="largest share of a class", share=True
                )
            ],
        )


class AlphaKLooking(SecretLooking):
    """Looks for the largest share that each value has of a class."""

    measure = "(α, k)-anonymity"

    def __init__(self, counts: Contingency) -> None:
        super().__init__(counts)
        self._smallest = Extreme(counts, least=True)

    def look(self, block: Histograms) -> None:
        self._look_for_largest(block, block.shares)
        self._smallest.look(block, block.sizes)

    def finding(self) -> AlphaK:
        return AlphaK(
            **self._measured(),
            alpha=float(self._by_value.max()),
            k=int(self._smallest.score),
            by_value=self._named(self._by_value),
            smallest=self._smallest.deciding(),
        )


def alpha_k(table: Any, **counting: Unpack[Counting]) -> AlphaK:
    """(α, k)-anonymity: the smallest α and the largest k that hold (Wong et al. 2006).

    α is the largest share that one sensitive value has of a class. An attacker who finds a
    person's class, and knows nothing else, can be that sure of one value.

    Parameters
    ----------
    table : Release, Microdata, data frame, path, Ibis table or Contingency
    **counting
        See `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": ["2*", "2*", "3*", "3*", "3*"],
    ...      "disease": ["flu", "none", "flu", "flu", "none"]},
    ...     quasi=["age"], sensitive="disease")
    >>> found = uv.alpha_k(patients)
    >>> found
    (α, k)-anonymity of table: α = 0.6667, k = 2
      the largest share of a class is that of disease = flu
      decided by 1 class: age=3* (3 records)
    >>> found.by_value["none"]
    0.5
    """
    counts = count(table, **counting)
    return measured(counts, AlphaKLooking(counts))


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
    numbers: ClassVar[Mapping[Figure, str]] = {L: "distinct", L_ENTROPY: "entropy"}
    said: ClassVar[str] = "distinct entropy"

    distinct: int
    entropy: float
    deciding_entropy: Deciding
    deciding_recursive: Deciding
    deciding_l: int
    infima: tuple[float, ...]

    def recursive(self, l: int) -> float:  # noqa: E741  (it is called l everywhere in this field)
        """The number that c must exceed for recursive (c, ℓ)-diversity; may be infinite."""
        check("l", _Level, l)
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
    def facts(self) -> Mapping[str, Any]:
        levels = range(2, self.distinct + 1)
        recursive = [{"l": level, "c_above": self.recursive(level)} for level in levels]
        return {**super().facts, "recursive": recursive}

    def _decided(self, *, records: bool) -> dict[str, Any]:
        at = {"l": self.deciding_l, "c_above": self.recursive(self.deciding_l)}
        return {
            "deciding": {
                "distinct": self.deciding.content(records=records),
                "entropy": self.deciding_entropy.content(records=records),
                "recursive": {**at, **self.deciding_recursive.content(records=records)},
            }
        }

    def story(self, release: Text | None = None) -> Story:
        c, level = self.recursive(self.deciding_l), self.deciding_l
        recursive = f"for every c > {in_words(c)}"
        if math.isinf(c):
            recursive = f"for no c, a class has fewer than {level} values"
        least = self.deciding_entropy.classes[0]
        return Story(
            title=f"ℓ-diversity of {self.source}: ℓ = {self.distinct:,} in {self.sensitive}",
            about=[
                f"distinct ℓ = {self.distinct:,}; fewest values: {self.deciding}",
                f"entropy ℓ = {in_words(self.entropy)}; least entropy: {self.deciding_entropy}",
                f"recursive (c, {level}): {recursive}; worst: {self.deciding_recursive}",
            ],
            charts=[
                self.value_chart(
                    f"ℓ = {self.distinct:,}, by entropy {in_words(self.entropy)}",
                    {"records": least.counts},
                    label=f"records of a class of {least.records:,} that is least diverse",
                )
            ],
        )


class LDiversityLooking(SecretLooking):
    """Looks for the least diverse classes."""

    measure = "ℓ-diversity"

    def __init__(self, counts: Contingency, *, l: int = 2) -> None:  # noqa: E741
        super().__init__(counts, least=True)
        self._l = l
        # Above the fewest values of a class no c is large enough: nothing is kept there.
        self._infima = np.zeros(len(self._secret.values))
        self._least = Extreme(counts, least=True)
        self._worst = Extreme(counts)

    def look(self, block: Histograms) -> None:
        if len(block) == 0:
            return
        self._extreme.look(block, block.distinct)
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
            **self._measured(),
            distinct=int(self._extreme.score),
            entropy=self._least.score,
            deciding_entropy=self._least.deciding(),
            deciding_recursive=self._worst.deciding(),
            deciding_l=self._l,
            infima=tuple(self._infima.tolist()),
        )


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


@checked
def l_diversity(
    table: Any,
    *,
    l: _Level = 2,  # noqa: E741  (it is called l everywhere in this field)
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
    counts = count(table, **counting)
    return measured(counts, LDiversityLooking(counts, l=l))
