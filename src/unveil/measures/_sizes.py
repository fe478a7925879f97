"""Measures of class sizes: k-anonymity, uniqueness, average class size.

k-anonymity: everybody is in a class of at least k records. P. Samarati, *Protecting Respondents'
Identities in Microdata Release*, IEEE Transactions on Knowledge and Data Engineering, 2001;
L. Sweeney, *k-Anonymity: A Model for Protecting Privacy*, International Journal on Uncertainty,
Fuzziness and Knowledge-based Systems, 2002.

Uniqueness: records whose combination of keys no other record of the table has.

Average class size: how large classes are compared with how large they have to be, as normalized by
K. LeFevre, D. J. DeWitt and R. Ramakrishnan, *Mondrian Multidimensional K-Anonymity*, ICDE 2006.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Unpack

import numpy as np
import pandas as pd
from annotated_types import Ge

from unveil._text import counted
from unveil.engine.counting import Contingency
from unveil.errors import Text
from unveil.findings import Figure, Story
from unveil.measures._classes import ClassMeasure, CountMeasure, SizeLooking, measured
from unveil.measures._counted import Counting, count_people
from unveil.measures._declared import MEAN_CLASS, UNIQUE, K
from unveil.measures._texts import bar_chart, percent, sizes_chart
from unveil.measures._whose import people_by_class
from unveil.options import by_person, checked


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class KAnonymity(ClassMeasure):
    """How large the classes of a table are.

    Attributes
    ----------
    k : int
        Number of records in the smallest class; of people, where a person may have several rows.
    sizes : dict of int to int
        Number of classes of each size; sizes ascend.
    deciding : Deciding
        The smallest classes.
    """

    entry: ClassVar[str] = "k-anonymity"
    numbers: ClassVar[Mapping[Figure, str]] = {K: "k"}
    said: ClassVar[str] = "k classes mean_class"

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
    def _told(self) -> int:
        # A person may be in several classes, and in none with all rows.
        return self.records if self.unit == "person" else self.in_classes

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
    def facts(self) -> Mapping[str, Any]:
        sizes = [{"size": size, "classes": number} for size, number in self.sizes.items()]
        return {**super().facts, "sizes": sizes}

    def story(self, release: Text | None = None) -> Story:
        return Story(
            title=f"k-anonymity of {self.source}: k = {self.k:,}",
            about=[
                f"{counted(self._told, self.unit)} in {self.classes:,} classes of "
                f"{self.mean_class:,.1f} "
                f"on average, the largest of {max(self.sizes):,}",
                self.decided_by,
            ],
            charts=[
                sizes_chart(
                    release or self.source,
                    self.sizes,
                    "people" if self.unit == "person" else "records",
                )
            ],
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


@by_person
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
    counts = people_by_class(table, **counting)
    return measured(counts, KAnonymityLooking(counts))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Uniqueness(CountMeasure):
    """Records that are alone in their class.

    Attributes
    ----------
    unique : int
        Number of records that are alone.
    classes, smallest_class : int
    class_sizes : dict of int to int
        Number of classes of each size.
    deciding : Deciding
        The smallest classes; single people, if anybody is alone.
    """

    entry: ClassVar[str] = "uniqueness"
    numbers: ClassVar[Mapping[Figure, str]] = {UNIQUE: "share"}
    said: ClassVar[str] = "unique share classes smallest_class"

    unique: int
    classes: int
    smallest_class: int
    class_sizes: dict[int, int]

    @property
    def share(self) -> float:
        """The share of records that are alone, of those that are not suppressed."""
        return self.unique / self.in_classes

    def to_frame(self) -> pd.DataFrame:
        """One row per class size: its number of classes."""
        return pd.DataFrame(
            {"records": list(self.class_sizes), "classes": list(self.class_sizes.values())}
        )

    def story(self, release: Text | None = None) -> Story:
        who = f"{self.unique:,} of {self.in_classes:,} records" if self.unique else "nobody"
        are = "is" if self.unique < 2 else "are"
        return Story(
            title=f"Uniqueness of {self.source}: {percent(self.share)}, {who} {are} alone with "
            f"{', '.join(self.keys)}",
            about=[
                f"{self.classes:,} classes, the smallest of {self.smallest_class:,}: "
                f"{self.deciding}"
            ],
            charts=[sizes_chart(release or self.source, self.class_sizes)],
        )


class UniquenessLooking(SizeLooking):
    """Counts the classes of one record."""

    def finding(self) -> Uniqueness:
        return Uniqueness(
            **self._measured(),
            unique=self._sizes.alone,
            classes=self._sizes.classes,
            smallest_class=self._sizes.smallest,
            class_sizes=self._sizes.by_size,
        )


def uniqueness(table: Any, **counting: Unpack[Counting]) -> Uniqueness:
    """Uniqueness: how many records are alone with their combination of keys.

    Parameters
    ----------
    table : Release, Microdata, table in memory, path, Ibis table or counts
    **counting
        See `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> people = uv.read_table(
    ...     {"age": [28, 28, 36, 36, 47], "gender": list("MMFMF"), "disease": list("abcab")},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> uv.uniqueness(people)
    Uniqueness of table: 60%, 3 of 5 records are alone with age, gender
      4 classes, the smallest of 1: age=36, gender=F (1 record); age=36, gender=M (1 record);
      age=47, gender=F (1 record)
    >>> uv.uniqueness(people, quasi="gender").unique
    0
    """
    counts = count_people(table, **counting)
    return measured(counts, UniquenessLooking(counts))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AverageClassSize(CountMeasure):
    """The average number of records in a class.

    Attributes
    ----------
    classes : int
    k : int
        How large classes have to be: the goal, or the size of the smallest class.
    goal : bool
        Whether k is a given goal.
    smallest_class : int
        Number of records in each of the smallest classes, which are `deciding`.
    """

    entry: ClassVar[str] = "average class size"
    numbers: ClassVar[Mapping[Figure, str]] = {MEAN_CLASS: "mean"}
    said: ClassVar[str] = "mean normalized k k_is classes smallest_class"

    classes: int
    k: int
    goal: bool
    smallest_class: int

    @property
    def mean(self) -> float:
        """Records in a class, on average."""
        return self.in_classes / self.classes

    @property
    def normalized(self) -> float:
        """C_avg: the average class size over k. 1 is best."""
        return self.in_classes / (self.classes * self.k)

    @property
    def k_is(self) -> str:
        """What k is, in words."""
        return "the goal" if self.goal else "the smallest class"

    def to_frame(self) -> pd.DataFrame:
        """One row."""
        names = "mean normalized k k_is records classes smallest_class"
        return pd.DataFrame([self.attributes(names)])

    def story(self, release: Text | None = None) -> Story:
        k = f"{'the goal k' if self.goal else self.k_is} = {self.k:,}"
        short = f", and the smallest has only {self.smallest_class:,}"
        sizes = {"average class": self.mean, "smallest class": float(self.smallest_class)}
        if self.goal:
            sizes["goal"] = float(self.k)
        return Story(
            title=f"Average class size of {self.source}: {self.mean:,.4g}",
            about=[
                f"{self.normalized:,.4g} times {k}{short if self.smallest_class < self.k else ''}",
                f"{self.in_classes:,} records in {self.classes:,} classes",
                f"smallest: {self.deciding}",
            ],
            charts=[
                bar_chart(
                    f"{self.classes:,} classes of {self.source}: {self.normalized:.3g} times as "
                    "large as they must be",
                    list(sizes), {"records": list(sizes.values())}, label="records",
                )
            ],
        )  # fmt: skip


class ClassSizeLooking(SizeLooking):
    """Counts the classes."""

    apart = "the average class size"

    def __init__(self, counts: Contingency, *, k: int | None = None) -> None:
        super().__init__(counts)
        self._k = k

    def finding(self) -> AverageClassSize:
        smallest = self._sizes.smallest
        return AverageClassSize(
            **self._measured(),
            classes=self._sizes.classes,
            k=smallest if self._k is None else self._k,
            goal=self._k is not None,
            smallest_class=smallest,
        )


@checked
def average_class_size(
    table: Any, *, k: Annotated[int | None, Ge(1)] = None, **counting: Unpack[Counting]
) -> AverageClassSize:
    """The average class size, and how many times k it is.

    Suppressed records, whose keys are all hidden, form no class.

    Parameters
    ----------
    table : Release, Microdata, table, path or Contingency
        What is measured.
    k : int, optional
        How large classes have to be. Default: the size of the smallest class, the k that holds.
    **counting
        See `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [28, 36, 47, 53, 72], "gender": ["M", "M", "F", "M", "F"],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"]},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> uv.average_class_size(uv.Mondrian(k=2).sanitize(patients), k=2)
    Average class size of the release by Mondrian(k=2): 2.5
      1.25 times the goal k = 2
      5 records in 2 classes
      smallest: age=[28, 36], gender=M (2 records)
    """
    counts = count_people(table, **counting)
    return measured(counts, ClassSizeLooking(counts, k=k))
