"""Uniqueness: records whose combination of keys no other record of the table has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from unveil.errors import Text
from unveil.findings import Story, Value
from unveil.measures._classes import CountMeasure, SizeLooking, measured
from unveil.measures._counted import Counting, count_people
from unveil.measures._declared import UNIQUE
from unveil.measures._texts import percent, sizes_chart

if TYPE_CHECKING:
    import pandas as pd


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

    @property
    def figures(self) -> tuple[Value, ...]:
        return (UNIQUE.of(self.share),)

    def _facts(self, *, records: bool) -> dict[str, Any]:
        return {
            **self.attributes("unique share classes smallest_class"),
            "deciding": self.deciding.content(records=records),
        }

    def story(self, release: Text | None = None) -> Story:
        who = f"{self.unique:,} of {self.records:,} records" if self.unique else "nobody"
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
