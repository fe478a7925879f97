"""A grouped release: a short list of classes, each with a region a column and a histogram.

This is what attacks and measures work on. It can say which of its records cover a target's value
in each column, and which cover it in all of them: all that a counting adversary wants to know.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.microdata._column import Column
from unveil.microdata._joint import joint_counts
from unveil.microdata._notations import ReadAs
from unveil.microdata._regions import Regions

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AnyRelease", "Release", "Statistic"]


class Statistic(StrEnum):
    """What a counting adversary wants to know of a release about one target."""

    COVER = "cover"
    """Records whose cell covers the target's value: one count a column and sensitive value."""
    JOINT = "joint"
    """Records whose cells cover it in every column: one count a sensitive value."""


class AnyRelease(ABC):
    """What is published, of whatever kind: records in classes (`Release`), or counts."""

    statistics: ClassVar[frozenset[Statistic]]
    """What a counting adversary can ask it for."""
    instead: ClassVar[str]
    """What it publishes instead of records that can be looked at, for messages."""

    quasi: tuple[Column, ...]
    sensitive: Column
    made_by: str
    notes: tuple[str, ...]

    @property
    @abstractmethod
    def totals(self) -> NDArray[np.int64]:
        """What the release says of the sensitive values of everybody: a weight for each."""

    @abstractmethod
    def statistic(self, statistic: Statistic, codes: NDArray[np.int32]) -> NDArray[Any]:
        """What a counting adversary wants to know about targets (columns × targets)."""

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Records in each class or group; of counts there is none."""
        return np.zeros(0, dtype=np.int64)

    @abstractmethod
    def to_frame(self, *, by_class: bool = False) -> pd.DataFrame:
        """What is published, as a table."""

    @property
    @abstractmethod
    def in_short(self) -> str:
        """What is published, in a few words."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Release(AnyRelease):
    """What is published: classes of records that share their cells.

    Attributes
    ----------
    quasi : tuple of Column
        The quasi-identifiers whose domains the regions refer to.
    sensitive : Column
        The sensitive column; its ``codes`` are those of the released records, in their order.
    class_of : array
        The class of each released record.
    regions : tuple of Regions
        For each quasi-identifier, what every class publishes.
    made_by : str
        The sanitizer, for people.
    notes : tuple of str
        What a reader has to know, such as how missing values were treated.
    notations : mapping of str to ReadAs
        For a release that was read, how each quasi-identifier's cells were written, in words.
    suppressed : int
        For a release that was read, how many records have all their quasi-identifiers hidden.
    dropped : int
        For a release that was read, how many of the original's records it does not have.
    perturbed : tuple of str
        The columns whose published values need not be true of the records, such as means, or
        answers changed by chance. In all others a record's cell covers its value.
    """

    statistics: ClassVar[frozenset[Statistic]] = frozenset(Statistic)
    instead: ClassVar[str] = "nothing instead"

    quasi: tuple[Column, ...]
    sensitive: Column
    class_of: NDArray[np.int32]
    regions: tuple[Regions, ...]
    made_by: str = "somebody"
    notes: tuple[str, ...] = ()
    notations: Mapping[str, ReadAs] = field(default_factory=dict)
    suppressed: int = 0
    dropped: int = 0
    perturbed: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.class_of)

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.regions[0])

    @property
    def in_short(self) -> str:
        return (
            f"{len(self):,} records by {self.made_by} in {self.n_classes:,} classes, the smallest "
            f"of {int(self.sizes.min()):,}"
        )

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Records in each class."""
        return np.bincount(self.class_of, minlength=self.n_classes)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The heart: classes × sensitive values, how many records."""
        width = self.sensitive.size
        flat = self.class_of.astype(np.int64) * width + self.sensitive.codes
        return np.bincount(flat, minlength=self.n_classes * width).reshape(-1, width)

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """Records of each sensitive value."""
        return np.bincount(self.sensitive.codes, minlength=self.sensitive.size)

    @cached_property
    def _covering(self) -> tuple[NDArray[np.int64], ...]:
        return tuple(
            regions.cover_counts(self.counts, column.size)
            for column, regions in zip(self.quasi, self.regions, strict=True)
        )

    def statistic(self, statistic: Statistic, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """What a counting adversary wants to know about targets (columns × targets)."""
        return (self.cover_counts if statistic is Statistic.COVER else self.joint_counts)(codes)

    def cover_counts(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """For targets (columns × targets): released records whose cell covers the target's value.

        Returns an array of shape (targets, columns, sensitive values).
        """
        if codes.shape[1] == 1:  # no need to tabulate whole columns for one target
            each = zip(self.regions, codes[:, 0], strict=True)
            return np.stack([self.counts[r.covers(int(v))].sum(axis=0) for r, v in each])[None]
        return np.stack(
            [table[row] for table, row in zip(self._covering, codes, strict=True)], axis=1
        )

    def joint_counts(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """For targets (columns × targets): records whose cells cover the target in every column.

        Returns an array of shape (targets, sensitive values).
        """
        return joint_counts(self.regions, self.counts, codes)

    def cells(self) -> list[list[str]]:
        """For each quasi-identifier, the text every class publishes."""
        return [r.texts(c) for c, r in zip(self.quasi, self.regions, strict=True)]

    def to_frame(self, *, by_class: bool = False) -> pd.DataFrame:
        """The release as a table, one row a record, cells written out.

        Parameters
        ----------
        by_class : bool
            Put the records of a class together, sorted by their sensitive values, instead of
            keeping the order of the original's. Do that before publishing: an order can link.
        """
        import pandas as pd

        secret = self.sensitive.codes
        order = np.lexsort([secret, self.class_of]) if by_class else np.arange(len(self))
        table = {
            column.name: np.array(texts, dtype=object)[self.class_of[order]]
            for column, texts in zip(self.quasi, self.cells(), strict=True)
        }
        table[self.sensitive.name] = self.sensitive.values[secret[order]]
        return pd.DataFrame(table)

    def classes(self) -> pd.DataFrame:
        """The release as its classes: size, cells, and how many records of each sensitive value."""
        import pandas as pd

        table: dict[str, object] = {"records": self.sizes}
        for column, texts in zip(self.quasi, self.cells(), strict=True):
            # A column may be called "records", too.
            table[f"{column.name} in the table" if column.name in table else column.name] = texts
        for s, text in enumerate(self.sensitive.texts):
            table[f"{self.sensitive.name}={text}"] = self.counts[:, s]
        return pd.DataFrame(table)

    def __repr__(self) -> str:
        lines = [
            f"Release by {self.made_by}: {len(self):,} records in {self.n_classes:,} classes "
            f"of {self.sizes.min():,} to {self.sizes.max():,}"
        ]
        shown = min(5, self.n_classes)
        rows = [[c.name for c in self.quasi] + ["records"]]
        first = [
            regions.take(np.arange(shown)).texts(column)
            for column, regions in zip(self.quasi, self.regions, strict=True)
        ]
        for g, cells in enumerate(zip(*first, strict=True)):
            rows.append([_shortened(cell) for cell in cells] + [f"{self.sizes[g]:,}"])
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines += [
            "  " + "  ".join(t.ljust(w) for t, w in zip(row, widths, strict=True)) for row in rows
        ]
        if shown < self.n_classes:
            lines.append(f"  … and {self.n_classes - shown:,} more classes")
        read = [f"{name}: {how}" for name, how in self.notations.items() if not how.is_house]
        return "\n".join(
            line.rstrip() for line in [*lines, *(f"  {n}" for n in (*read, *self.notes))]
        )


def _shortened(text: str, width: int = 32) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
