"""k-anonymity: everybody is in a class of at least k records.

P. Samarati, *Protecting Respondents' Identities in Microdata Release*, IEEE Transactions on
Knowledge and Data Engineering, 2001; L. Sweeney, *k-Anonymity: A Model for Protecting Privacy*,
International Journal on Uncertainty, Fuzziness and Knowledge-based Systems, 2002.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from unveil.engine.counting import Contingency, Histograms
from unveil.measures._classes import ClassMeasure, Extreme, decided_by, measured, of_the_counts
from unveil.measures._counted import Counting, count_people

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["KAnonymity", "KAnonymityLooking", "k_anonymity"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class KAnonymity(ClassMeasure):
    """How large the classes of a table are.

    Attributes
    ----------
    k : int
        Records in the smallest class.
    sizes : dict of int to int
        How many classes have so many records; sizes ascend.
    deciding : Deciding
        The smallest classes.
    """

    k: int
    sizes: dict[int, int]

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return sum(self.sizes.values())

    @property
    def mean_class(self) -> float:
        """Records in a class, on average."""
        return self._in_classes / self.classes

    @property
    def _in_classes(self) -> int:
        return sum(size * number for size, number in self.sizes.items())

    def share_below(self, k: int) -> float:
        """The share of the records that are in a class of fewer than k.

        Where classes overlap, a record counts once in each class it is in.
        """
        few = sum(size * number for size, number in self.sizes.items() if size < k)
        return few / self._in_classes

    def to_frame(self) -> pd.DataFrame:
        """One row a class size: how many classes have it, and how many records are in them."""
        import pandas as pd

        size = np.array(list(self.sizes), dtype=np.int64)
        number = np.array(list(self.sizes.values()), dtype=np.int64)
        return pd.DataFrame({"size": size, "classes": number, "records": size * number})

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how many records are in classes of at most so many.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.measures._texts import class_sizes

        return class_sizes({self.source: self.sizes}, ax)

    def content(self, *, records: bool) -> dict[str, Any]:
        return {
            **self.head("k-anonymity"),
            "k": self.k,
            "classes": self.classes,
            "mean_class": self.mean_class,
            "sizes": [
                {"size": size, "classes": number} for size, number in self.sizes.items()
            ],
            "deciding": self.deciding.content(records=records),
        }  # fmt: skip

    def summary(self) -> str:
        return self.lines(
            f"k-anonymity of {self.source}: k = {self.k:,}",
            f"{self.records:,} records in {self.classes:,} classes of {self.mean_class:,.1f} on "
            f"average, the largest of {max(self.sizes):,}",
            decided_by(self.deciding),
        )


class KAnonymityLooking:
    """Counts the classes of each size."""

    def __init__(self, counts: Contingency) -> None:
        self._counts = counts
        self._sizes: Counter[int] = Counter()
        self._smallest = Extreme(counts, least=True)

    def look(self, block: Histograms) -> None:
        """Take some classes into account."""
        self._smallest.look(block, block.sizes)
        sizes, place = np.unique(block.sizes, return_inverse=True)
        number = np.zeros(len(sizes), dtype=np.int64)
        np.add.at(number, place, block.weights)
        self._sizes.update(dict(zip(sizes.tolist(), number.tolist(), strict=True)))

    def finding(self) -> KAnonymity:
        """What was found."""
        return KAnonymity(
            **of_the_counts(self._counts),
            k=min(self._sizes),
            sizes=dict(sorted(self._sizes.items())),
            deciding=self._smallest.deciding(),
        )


def k_anonymity(table: Any, **counting: Unpack[Counting]) -> KAnonymity:
    """How large the smallest class is: k-anonymity (Samarati 2001, Sweeney 2002).

    A class is a combination of values of the quasi-identifiers that occurs. Whoever knows a
    person's quasi-identifiers, and that the person is in the table, is left with k records at
    least. It says nothing about what those records have in common.

    Parameters
    ----------
    table : Release, Microdata, data frame, path, Ibis table or Contingency
    **counting
        How the table is counted: see `unveil.measures.count`.

    Examples
    --------
    >>> import unveil as uv
    >>> from unveil.measures import k_anonymity
    >>> patients = uv.read_table(
    ...     {"age": ["2*", "2*", "3*", "3*", "3*"], "zip": ["75*", "75*", "69*", "69*", "75*"],
    ...      "disease": ["flu", "flu", "flu", "aids", "none"]},
    ...     quasi=["age", "zip"], sensitive="disease")
    >>> found = k_anonymity(patients)
    >>> found
    k-anonymity of table: k = 1
      5 records in 3 classes of 1.7 on average, the largest of 2
      decided by 1 class: age=3*, zip=75* (1 record)
    >>> found.share_below(2), found.sizes
    (0.2, {1: 1, 2: 2})
    """
    counts = count_people(table, **counting)
    return measured(counts, KAnonymityLooking(counts))
