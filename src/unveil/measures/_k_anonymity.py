"""k-anonymity: everybody is in a class of at least k records.

P. Samarati, *Protecting Respondents' Identities in Microdata Release*, IEEE Transactions on
Knowledge and Data Engineering, 2001; L. Sweeney, *k-Anonymity: A Model for Protecting Privacy*,
International Journal on Uncertainty, Fuzziness and Knowledge-based Systems, 2002.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
import pandas as pd

from unveil.errors import Text
from unveil.findings import Story, Value
from unveil.measures._classes import ClassMeasure, SizeLooking, measured
from unveil.measures._counted import Counting, count_people
from unveil.measures._declared import K
from unveil.measures._texts import sizes_chart


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class KAnonymity(ClassMeasure):
    """How large the classes of a table are.

    Attributes
    ----------
    k : int
        Number of records in the smallest class.
    sizes : dict of int to int
        Number of classes of each size; sizes ascend.
    deciding : Deciding
        The smallest classes.
    """

    entry: ClassVar[str] = "k-anonymity"

    k: int
    sizes: dict[int, int]

    @property
    def classes(self) -> int:
        """Number of classes."""
        return sum(self.sizes.values())

    @property
    def mean_class(self) -> float:
        """Records in a class, on average."""
        return self._in_classes / self.classes

    @property
    def _in_classes(self) -> int:
        return sum(size * number for size, number in self.sizes.items())

    def share_below(self, k: int) -> float:
        """The share of records in classes of fewer than k.

        Where classes overlap, a record counts once in each of its classes.
        """
        few = sum(size * number for size, number in self.sizes.items() if size < k)
        return few / self._in_classes

    def to_frame(self) -> pd.DataFrame:
        """One row per class size: its number of classes, and of records in them."""
        size = np.array(list(self.sizes), dtype=np.int64)
        number = np.array(list(self.sizes.values()), dtype=np.int64)
        return pd.DataFrame({"size": size, "classes": number, "records": size * number})

    @property
    def figures(self) -> tuple[Value, ...]:
        return (K.of(self.k),)

    def _facts(self, *, records: bool) -> dict[str, Any]:
        return {
            **self.attributes("k classes mean_class"),
            "sizes": [{"size": size, "classes": number} for size, number in self.sizes.items()],
            "deciding": self.deciding.content(records=records),
        }

    def story(self, release: Text | None = None) -> Story:
        return Story(
            title=f"k-anonymity of {self.source}: k = {self.k:,}",
            about=[
                f"{self.records:,} records in {self.classes:,} classes of {self.mean_class:,.1f} "
                f"on average, the largest of {max(self.sizes):,}",
                self.decided_by,
            ],
            charts=[sizes_chart(release or self.source, self.sizes)],
        )


class KAnonymityLooking(SizeLooking):
    """Counts the classes of each size."""

    def finding(self) -> KAnonymity:
        secret = self._counts.secret
        return KAnonymity(
            **self._measured(),
            sensitive=None if secret is None else secret.name,
            k=self._sizes.smallest,
            sizes=self._sizes.by_size,
        )


def k_anonymity(table: Any, **counting: Unpack[Counting]) -> KAnonymity:
    """k-anonymity: the size of the smallest class (Samarati 2001, Sweeney 2002).

    A class is a combination of values of the quasi-identifiers that occurs. An attacker who knows
    a person's quasi-identifiers, and that the person is in the table, is left with at least k
    records. k says nothing about what those records have in common.

    Parameters
    ----------
    table : Release, Microdata, data frame, path, Ibis table or Contingency
    **counting
        See `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": ["2*", "2*", "3*", "3*", "3*"], "zip": ["75*", "75*", "69*", "69*", "75*"],
    ...      "disease": ["flu", "flu", "flu", "aids", "none"]},
    ...     quasi=["age", "zip"], sensitive="disease")
    >>> found = uv.k_anonymity(patients)
    >>> found
    k-anonymity of table: k = 1
      5 records in 3 classes of 1.7 on average, the largest of 2
      decided by 1 class: age=3*, zip=75* (1 record)
    >>> found.share_below(2), found.sizes
    (0.2, {1: 1, 2: 2})
    """
    counts = count_people(table, **counting)
    return measured(counts, KAnonymityLooking(counts))
