"""Uniqueness: records whose combination of keys no other record of the table has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from unveil.measures._classes import CountMeasure, SizeLooking, measured
from unveil.measures._counted import Counting, count_people
from unveil.measures._texts import class_sizes, percent

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Uniqueness", "UniquenessLooking", "uniqueness"]


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

    unique: int
    classes: int
    smallest_class: int
    class_sizes: dict[int, int]

    @property
    def share(self) -> float:
        """The share of records that are alone."""
        return self.unique / self.records

    def to_frame(self) -> pd.DataFrame:
        """One row per class size: its number of classes."""
        import pandas as pd

        return pd.DataFrame(
            {"records": list(self.class_sizes), "classes": list(self.class_sizes.values())}
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share of records in classes up to a size (needs matplotlib)."""
        return class_sizes({self.source: self.class_sizes}, ax)

    def content(self, *, records: bool) -> dict[str, Any]:
        return {
            **self.head("uniqueness"),
            "unique": self.unique,
            "share": self.share,
            "classes": self.classes,
            "smallest_class": self.smallest_class,
            "deciding": self.deciding.content(records=records),
        }

    def summary(self) -> str:
        who = f"{self.unique:,} of {self.records:,} records" if self.unique else "nobody"
        are = "is" if self.unique < 2 else "are"
        return "\n".join(
            [
                f"Uniqueness of {self.source}: {percent(self.share)}, {who} {are} alone with "
                f"{', '.join(self.keys)}",
                f"  {self.classes:,} classes, the smallest of {self.smallest_class:,}: "
                f"{self.deciding}",
                *(f"  {note}" for note in self.notes),
            ]
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
