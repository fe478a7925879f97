"""A permuted release: exact quasi-identifiers and exact secrets, but not which belong together.

This is what Anatomy publishes (Xiao and Tao, VLDB 2006): one table of records with their
quasi-identifiers and the number of their group, another one with the sensitive values of each
group and how many records have them. Who of a group has which value is lost.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError
from unveil.microdata._column import Column
from unveil.microdata._microdata import Microdata
from unveil.microdata._permuted_files import write_tables
from unveil.microdata._permuted_groups import (
    WHOLE,
    combinations,
    free_name,
    numbered_groups,
    refuse_gaps,
)
from unveil.microdata._release import AnyRelease, Statistic
from unveil.microdata._release_source import column_cells
from unveil.microdata._sources import from_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Permuted"]

_SHOWN = 5  # groups, and values of each


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Permuted(AnyRelease):
    """What is published: groups of records with exact quasi-identifiers, and each group's secrets.

    Made by `from_groups` and `read_anatomy`. Both sort the records by group and values, so that
    their order tells nothing and no result depends on it.

    Attributes
    ----------
    quasi : tuple of Column
        The quasi-identifiers; their ``codes`` are those of the published records.
    sensitive : Column
        The sensitive column's domain. Its ``codes`` are empty: no record has a secret of its own.
    group_of : array
        The group of each record.
    groups : tuple of str
        What each group is called.
    counts : array of shape (groups, sensitive values)
        How many records of the group have the value. A row adds up to the size of its group.
    made_by : str
        The sanitizer, for people.
    notes : tuple of str
        What a reader has to know, such as how missing values were treated.
    dropped : int
        How many of the original's records it does not have, if that is known.
    """

    statistics: ClassVar[frozenset[Statistic]] = frozenset(Statistic)
    instead: ClassVar[str] = "only quasi-identifiers and sensitive values apart from each other"

    quasi: tuple[Column, ...]
    sensitive: Column
    group_of: NDArray[np.int32]
    groups: tuple[str, ...]
    counts: NDArray[np.int64]
    made_by: str = "somebody"
    notes: tuple[str, ...] = ()
    dropped: int = 0

    @classmethod
    def from_groups(
        cls, microdata: Microdata, group_of: Sequence[Any] | NDArray[Any], *,
        made_by: str = "somebody",
    ) -> Permuted:  # fmt: skip
        """What is published of a table if its records are put into these groups.

        Parameters
        ----------
        microdata : Microdata
        group_of : sequence
            The group of each record, by number or name.
        made_by : str
            For people.

        Examples
        --------
        >>> import unveil as uv
        >>> from unveil.microdata import Permuted
        >>> survey = uv.read_table(
        ...     {"age": [41, 30, 34, 52], "vote": ["a", "b", "b", "b"]},
        ...     quasi="age", sensitive="vote")
        >>> release = Permuted.from_groups(survey, [1, 1, 2, 2])
        >>> release
        Permuted release by somebody: 4 records in 2 groups of 2 to 2
          group  records  vote
          1      2        a 1, b 1
          2      2        b 2
        >>> quasi_table, sensitive_table = release.tables()
        >>> quasi_table["age"].tolist()                      # sorted within the group
        [30, 41, 34, 52]
        """
        named = column_cells(from_table({"group": group_of}), "group").distinct
        if len(named.codes) != len(microdata):
            raise InputError(
                f"{len(named.codes):,} groups were given for {len(microdata):,} records of "
                f"{microdata.source}: each record needs one"
            )
        refuse_gaps(named)
        groups, (numbers,) = numbered_groups([named])
        counts = np.zeros((len(groups), microdata.sensitive.size), dtype=np.int64)
        np.add.at(counts, (numbers, microdata.sensitive.codes), 1)
        release = cls(
            quasi=microdata.quasi, sensitive=microdata.sensitive, group_of=numbers, groups=groups,
            counts=counts, made_by=made_by, notes=microdata.notes,
        )  # fmt: skip
        return release.in_order()

    def in_order(self) -> Permuted:
        """The same with its records sorted by group and values, and no codes of secrets."""
        order = np.lexsort([*self.codes[::-1], self.group_of])
        return replace(
            self,
            quasi=tuple(column.take(order) for column in self.quasi),
            sensitive=replace(self.sensitive, codes=np.empty(0, dtype=np.int32)),
            group_of=self.group_of[order],
        )

    def __len__(self) -> int:
        return len(self.group_of)

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return len(self.counts)

    @cached_property
    def codes(self) -> NDArray[np.int32]:
        """Codes of the quasi-identifiers, one row a column: shape (columns, records)."""
        return np.stack([column.codes for column in self.quasi])

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Records in each group."""
        return np.bincount(self.group_of, minlength=self.n_groups)

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """Records of each sensitive value."""
        return self.counts.sum(axis=0)

    @property
    def in_short(self) -> str:
        return (
            f"{len(self):,} records by {self.made_by} in {self.n_groups:,} groups, the smallest "
            f"of {int(self.sizes.min()):,}, each with its values of {self.sensitive.name} shuffled"
        )

    def statistic(self, statistic: Statistic, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """What a counting adversary wants to know about targets (columns × targets).

        Counts are expected ones: in a group of four with one flu, each record counts as a quarter
        of a record with flu, for the shuffling made all matches equally likely.
        """
        return (self.cover_counts if statistic is Statistic.COVER else self.joint_counts)(codes)

    def cover_counts(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """For targets (columns × targets): records that have the target's value, by column.

        Returns the expected counts in an array of shape (targets, columns, sensitive values).
        """
        each = zip(self.codes, codes, strict=True)
        if codes.shape[1] == 1:
            return np.stack([self._shares(ours == theirs) for ours, theirs in each])[None]
        return np.stack([self._expected(ours, theirs) for ours, theirs in each], axis=1)

    def joint_counts(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """For targets (columns × targets): records that have the target's value in every column.

        Returns the expected counts in an array of shape (targets, sensitive values).
        """
        if codes.shape[1] == 1:
            return self._shares((self.codes == codes).all(axis=0))[None]
        numbers = combinations(np.hstack([self.codes, codes]))
        return self._expected(numbers[: len(self)], numbers[len(self) :])

    def _shares(self, some: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Expected counts of some records: what each one's group has, shared by its records."""
        groups, number = np.unique(self.group_of[some], return_counts=True)
        shares: NDArray[np.float64] = (number / self.sizes[groups]) @ self.counts[groups]
        return shares

    def _expected(
        self, records: NDArray[np.integer], targets: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """Expected counts of the records that are like each target: targets × sensitive values."""
        from scipy.sparse import csr_array

        asked, of_target = np.unique(targets, return_inverse=True)
        place = np.full(max(records.max(), targets.max(initial=0)) + 1, -1)
        place[asked] = np.arange(len(asked))
        rows = place[records]
        like = rows >= 0
        # How many records of each group are like it: those that stand twice are added up.
        alike = csr_array(
            (np.ones(like.sum()), (rows[like], self.group_of[like])),
            shape=(len(asked), self.n_groups),
        )
        alike.data /= self.sizes[alike.indices]
        return (alike @ self.counts.astype(np.float64))[of_target]

    @property
    def group_name(self) -> str:
        """What the column with the groups is called: not like any other."""
        return free_name("group", [column.name for column in (*self.quasi, self.sensitive)])

    @cached_property
    def _labels(self) -> NDArray[Any]:
        """The groups' names: numbers, where they are written as such."""
        numbers = [int(name) for name in self.groups if WHOLE.fullmatch(name)]
        if [str(number) for number in numbers] == list(self.groups):
            return np.array(numbers, dtype=np.int64)
        return np.array(self.groups, dtype=object)

    def tables(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """What is published: the table of quasi-identifiers, and that of sensitive values.

        The first has one row a record: its group and its values. The second has one row a group
        and sensitive value that occurs in it: how many records have it. The columns ``group`` and
        ``count`` are called ``group in the release`` and so on if the table has such a column.
        """
        import pandas as pd

        group, count = self.group_name, free_name("count", [self.sensitive.name])
        records = {group: self._labels[self.group_of]}
        records |= {column.name: column.decode() for column in self.quasi}
        g, s = np.nonzero(self.counts)
        secrets = {
            group: self._labels[g],
            self.sensitive.name: self.sensitive.values[s],
            count: self.counts[g, s],
        }
        return pd.DataFrame(records), pd.DataFrame(secrets)

    def to_frame(self, *, by_class: bool = False) -> pd.DataFrame:
        """Both tables as one, group by group.

        A row has a record's quasi-identifiers and one of the group's sensitive values, *not that
        record's*: the values of a group are sorted by themselves. ``by_class`` is for releases
        whose order could link; this one's cannot.
        """
        import pandas as pd

        order = np.argsort(self.group_of, kind="stable")
        table = {self.group_name: self._labels[self.group_of[order]]}
        table |= {column.name: column.decode()[order] for column in self.quasi}
        secrets = np.tile(np.arange(self.sensitive.size), self.n_groups)
        table[self.sensitive.name] = self.sensitive.values[np.repeat(secrets, self.counts.ravel())]
        return pd.DataFrame(table)

    def write(
        self,
        where: str | os.PathLike[str],
        sensitive_table: str | os.PathLike[str] | None = None,
    ) -> tuple[Path, Path]:
        """Write the two tables, to be read by `read_anatomy`.

        Parameters
        ----------
        where : path
            A folder, in which ``quasi_table.csv`` and ``sensitive_table.csv`` are written; or the
            file for the table of quasi-identifiers, if ``sensitive_table`` is given too.
        sensitive_table : path, optional
            The file for the table of sensitive values. Files are CSV (``.csv``) or Parquet
            (``.parquet``, ``.pq``).

        Returns
        -------
        tuple of Path
            The two files.
        """
        return write_tables(self.tables(), where, sensitive_table)

    def __repr__(self) -> str:
        lines = [
            f"Permuted release by {self.made_by}: {len(self):,} records in {self.n_groups:,} "
            f"groups of {self.sizes.min():,} to {self.sizes.max():,}"
        ]
        rows = [["group", "records", self.sensitive.name]]
        for name, size, counts in zip(self.groups[:_SHOWN], self.sizes, self.counts, strict=False):
            often = [s for s in np.argsort(-counts, kind="stable") if counts[s]]
            told = [f"{self.sensitive.texts[s]} {counts[s]:,}" for s in often[:_SHOWN]]
            rows.append([name, f"{size:,}", ", ".join(told + ["…"] * (len(often) > _SHOWN))])
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines += [
            "  " + "  ".join(t.ljust(w) for t, w in zip(row, widths, strict=True)) for row in rows
        ]
        if self.n_groups > _SHOWN:
            lines.append(f"  … and {self.n_groups - _SHOWN:,} more groups")
        return "\n".join(line.rstrip() for line in [*lines, *(f"  {n}" for n in self.notes)])
