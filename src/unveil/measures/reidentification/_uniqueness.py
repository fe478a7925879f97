"""Uniqueness: records whose combination of keys no other record of the table has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from unveil.engine.counting import Contingency, Histograms
from unveil.errors import Text
from unveil.findings import Finding
from unveil.measures._classes import ClassSizes, Deciding, Extreme, measured
from unveil.measures._counted import Counting, count_people
from unveil.measures._texts import class_sizes, percent

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Uniqueness", "UniquenessLooking", "uniqueness"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Uniqueness(Finding):
    """Records that are alone in their class.

    Attributes
    ----------
    unique : int
        Number of records that are alone.
    records, classes, smallest_class : int
    keys : tuple of str
    deciding : Deciding
        The smallest classes; single people, if anybody is alone.
    class_sizes : dict of int to int
        Number of classes of each size.
    source : str
    notes : tuple of str or Message
    """

    unique: int
    records: int
    classes: int
    smallest_class: int
    keys: tuple[str, ...]
    deciding: Deciding
    class_sizes: dict[int, int]
    source: str
    notes: tuple[Text, ...] = ()

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
            "finding": "uniqueness",
            "source": self.source,
            "keys": list(self.keys),
            "unique": self.unique,
            "share": self.share,
            "records": self.records,
            "classes": self.classes,
            "smallest_class": self.smallest_class,
            "deciding": self.deciding.content(records=records),
            "notes": [str(note) for note in self.notes],
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


class UniquenessLooking:
    """Uniqueness at work."""

    def __init__(self, counts: Contingency) -> None:
        self._counts = counts
        self._sizes = ClassSizes()
        self._smallest = Extreme(counts, least=True)

    def look(self, block: Histograms) -> None:
        self._sizes.look(block.sizes, block.weights)
        self._smallest.look(block, block.sizes)

    def finding(self) -> Uniqueness:
        found = self._sizes
        return Uniqueness(
            unique=found.alone,
            # Not the sum over the classes: where they overlap, a record is in several.
            records=self._counts.rows,
            classes=found.classes,
            smallest_class=found.smallest,
            keys=self._counts.keys,
            deciding=self._smallest.deciding(),
            class_sizes=found.by_size,
            source=self._counts.source,
            notes=self._counts.notes,
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
