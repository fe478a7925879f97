"""(α, k)-anonymity: classes of at least k records, in which no value has a share above α.

R. Wong, J. Li, A. Fu, K. Wang, *(α, k)-Anonymity: An Enhanced k-Anonymity Model for Privacy
Preserving Data Publishing*, KDD 2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
import pandas as pd

from unveil.engine.counting import Contingency, Histograms
from unveil.errors import Text
from unveil.findings import Story, Value
from unveil.measures._classes import (
    ClassMeasure,
    Deciding,
    Extreme,
    by_value_of,
    measured,
    of_the_counts,
    top_values,
)
from unveil.measures._counted import Counting, count
from unveil.measures._declared import ALPHA
from unveil.measures._texts import bar_chart, in_words, joined


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
    def figures(self) -> tuple[Value, ...]:
        return (ALPHA.of(self.alpha),)

    def _facts(self, *, records: bool) -> dict[str, Any]:
        return {
            **self.attributes("alpha k"),
            **({"by_value": self.by_value} if records else {}),
            "deciding": self.deciding.content(records=records),
            "smallest": self.smallest.content(records=records),
        }

    def story(self, release: Text | None = None) -> Story:
        shares = dict(sorted(self.by_value.items(), key=lambda one: -one[1]))
        return Story(
            title=f"(α, k)-anonymity of {self.source}: α = {in_words(self.alpha)}, k = {self.k:,}",
            about=[
                f"the largest share of a class is that of {self.sensitive} = {joined(self.values)}",
                self.decided_by,
            ],
            charts=[
                bar_chart(
                    f"{self.sensitive} in {self.source}: α = {in_words(self.alpha)}",
                    list(shares), {"share": list(shares.values())},
                    label="largest share of a class", share=True,
                )
            ],
        )  # fmt: skip


class AlphaKLooking:
    """Looks for the largest share that each value has of a class."""

    def __init__(self, counts: Contingency) -> None:
        self._secret = counts.need_secret("(α, k)-anonymity")
        self._counts = counts
        self._by_value = np.zeros(len(self._secret.values))
        self._prevailing = Extreme(counts)
        self._smallest = Extreme(counts, least=True)

    def look(self, block: Histograms) -> None:
        np.maximum.at(self._by_value, block.codes, block.shares)
        self._prevailing.look(block, block.largest(block.shares))
        self._smallest.look(block, block.sizes)

    def finding(self) -> AlphaK:
        return AlphaK(
            **of_the_counts(self._counts),
            sensitive=self._secret.name,
            alpha=float(self._by_value.max()),
            k=int(self._smallest.score),
            by_value=by_value_of(self._secret, self._by_value, self._counts.totals),
            deciding=self._prevailing.deciding(),
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
