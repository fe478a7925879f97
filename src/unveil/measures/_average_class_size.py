"""How large the classes are on average, compared with how large they have to be.

The normalized average class size of K. LeFevre, D. J. DeWitt and R. Ramakrishnan, *Mondrian
Multidimensional K-Anonymity*, ICDE 2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from unveil.engine.counting import Contingency
from unveil.errors import Text
from unveil.findings import Story, Value
from unveil.measures._classes import CountMeasure, SizeLooking, check_apart, measured, whole_number
from unveil.measures._counted import Counting, count_people
from unveil.measures._declared import MEAN_CLASS
from unveil.measures._texts import bar_chart

if TYPE_CHECKING:
    import pandas as pd


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

    classes: int
    k: int
    goal: bool
    smallest_class: int

    @property
    def mean(self) -> float:
        """Records in a class, on average."""
        return self.records / self.classes

    @property
    def normalized(self) -> float:
        """C_avg: the average class size over k. 1 is best."""
        return self.records / (self.classes * self.k)

    def to_frame(self) -> pd.DataFrame:
        """One row."""
        import pandas as pd

        return pd.DataFrame([self._numbers()])

    def _numbers(self) -> dict[str, Any]:
        return {
            "mean": self.mean,
            "normalized": self.normalized,
            "k": self.k,
            "k_is": "the goal" if self.goal else "the smallest class",
            "records": self.records,
            "classes": self.classes,
            "smallest_class": self.smallest_class,
        }

    @property
    def figures(self) -> tuple[Value, ...]:
        return (MEAN_CLASS.of(self.mean),)

    def _facts(self, *, records: bool) -> dict[str, Any]:
        numbers = {name: one for name, one in self._numbers().items() if name != "records"}
        return {**numbers, "deciding": self.deciding.content(records=records)}

    def story(self, release: Text | None = None) -> Story:
        k = f"{'the goal k' if self.goal else 'the smallest class'} = {self.k:,}"
        short = f", and the smallest has only {self.smallest_class:,}"
        sizes = {"average class": self.mean, "smallest class": float(self.smallest_class)}
        if self.goal:
            sizes["goal"] = float(self.k)
        return Story(
            title=f"Average class size of {self.source}: {self.mean:,.4g}",
            about=[
                f"{self.normalized:,.4g} times {k}{short if self.smallest_class < self.k else ''}",
                f"{self.records:,} records in {self.classes:,} classes",
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

    def __init__(self, counts: Contingency, *, k: int | None = None) -> None:
        check_apart(counts, "the average class size")
        super().__init__(counts)
        self._k = check_k(k)

    def finding(self) -> AverageClassSize:
        smallest = self._sizes.smallest
        return AverageClassSize(
            **self._measured(),
            classes=self._sizes.classes,
            k=smallest if self._k is None else self._k,
            goal=self._k is not None,
            smallest_class=smallest,
        )


def check_k(k: int | None) -> int | None:
    """The goal, if it can be one."""
    return None if k is None else whole_number(k, "k", 1)


def average_class_size(
    table: Any, *, k: int | None = None, **counting: Unpack[Counting]
) -> AverageClassSize:
    """The average class size, and how many times k it is.

    Records whose keys are all hidden are a class like any other.

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
    goal = check_k(k)  # before anything is counted
    counts = count_people(table, **counting)
    return measured(counts, ClassSizeLooking(counts, k=goal))
