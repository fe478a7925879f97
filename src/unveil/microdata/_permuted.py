"""A permuted release: exact quasi-identifiers and exact secrets, but not which belong together.

This is what Anatomy publishes (Xiao and Tao, VLDB 2006): one table of records with their
quasi-identifiers and group numbers, and one with the sensitive values of each group and how many
records have them. Who of a group has which value is lost.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import IO, Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil._memory import room_for
from unveil.errors import File, InputError, MissingValuesError, Row
from unveil.files import Writer, not_written, same_file, write_together
from unveil.microdata._cell_columns import column_cells
from unveil.microdata._distinct import Distinct
from unveil.microdata._microdata import Column, Microdata, distinct_rows
from unveil.microdata._persons import unknown_persons
from unveil.microdata._release import SHOWN, AnyRelease
from unveil.microdata._sources import from_table

FILE_NAMES = "quasi_table", "sensitive_table"
"""The two files in a folder, without suffix."""

_WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)  # a number as the name of a group


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Permuted(AnyRelease):
    """Groups of records with exact quasi-identifiers, and the sensitive values of each group.

    Made by `from_groups` and `read_anatomy`. Both sort the records by group and values, so their
    order discloses nothing and affects no result.

    Attributes
    ----------
    quasi : tuple of Column
        The quasi-identifiers; their ``codes`` are those of the published records.
    sensitive : Column
        The sensitive column's domain. Its ``codes`` are empty: no record has a value of its own.
    made_by, notes
        As in every release.
    group_of : array
        The group of each record.
    groups : tuple of str
        The name of each group.
    counts : array of shape (groups, sensitive values)
        Number of records. A row sums to the size of its group.
    dropped : int
        Number of the original's records that are not in it, if known.
    """

    instead: ClassVar[str] = "only quasi-identifiers and sensitive values apart from each other"

    group_of: NDArray[np.int32]
    groups: tuple[str, ...]
    counts: NDArray[np.int64]
    dropped: int = 0

    @classmethod
    def from_groups(
        cls, microdata: Microdata, group_of: Sequence[Any] | NDArray[Any], *,
        made_by: str = "somebody",
    ) -> Permuted:  # fmt: skip
        """The release of a table whose records are in these groups.

        Parameters
        ----------
        microdata : Microdata
        group_of : sequence
            The group of each record, by number or name.
        made_by : str
            Name of the sanitizer.

        Examples
        --------
        >>> import unveil as uv
        >>> from unveil.microdata import Permuted
        >>> survey = uv.read_table(
        ...     {"age": [41, 30, 34, 52], "vote": ["a", "b", "b", "b"]},
        ...     quasi="age", sensitive="vote")
        >>> release = Permuted.from_groups(survey, [1, 1, 2, 2])
        >>> release
        Permuted release by somebody: 4 records in 2 groups of 2
          group  records  vote
          1      2        a 1, b 1
          2      2        b 2
        >>> quasi_table, sensitive_table = release.tables()
        >>> quasi_table["age"].tolist()                      # sorted within the group
        [30, 41, 34, 52]
        """
        named = column_cells(from_table({"group": group_of}), "group")
        if len(named.codes) != len(microdata):
            raise InputError(
                "{n} groups were given for {records} records of {source}; each record needs one",
                n=len(named.codes), records=len(microdata),
                source=microdata.file,
            )  # fmt: skip
        refuse_gaps(named)
        groups, (numbers,) = numbered_groups([named])
        room_for(len(groups), microdata.sensitive.size)
        counts = np.zeros((len(groups), microdata.sensitive.size), dtype=np.int64)
        np.add.at(counts, (numbers, microdata.sensitive.codes), 1)
        release = cls(
            quasi=microdata.quasi, sensitive=microdata.sensitive, group_of=numbers, groups=groups,
            counts=counts, made_by=made_by, notes=microdata.notes,
            persons=unknown_persons(microdata),
        )  # fmt: skip
        return release.in_order()

    def in_order(self) -> Permuted:
        """The same with records sorted by group and values, and no codes of sensitive values."""
        order = np.lexsort([*self.codes[::-1], self.group_of])
        return replace(
            self,
            quasi=tuple(column.take(order) for column in self.quasi),
            sensitive=replace(self.sensitive, codes=np.empty(0, dtype=np.int32)),
            group_of=self.group_of[order],
        )

    def __len__(self) -> int:
        return len(self.group_of)

    def published(self) -> tuple[Column, ...]:
        values = np.arange(self.sensitive.size, dtype=np.int32)
        return (*self.quasi, replace(self.sensitive, codes=np.repeat(values, self.totals)))

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.counts)

    @cached_property
    def codes(self) -> NDArray[np.int32]:
        """Codes of the quasi-identifiers: shape (columns, records)."""
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

    # Counts are expected counts: in a group of four with one flu, each record counts as a quarter
    # of a record with flu, because all matches are equally likely.

    def cover_counts(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        each = zip(self.codes, codes, strict=True)
        if codes.shape[1] == 1:
            return np.stack([self._shares(ours == theirs) for ours, theirs in each])[None]
        return np.stack([self._expected(ours, theirs) for ours, theirs in each], axis=1)

    def joint_counts(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        if codes.shape[1] == 1:
            return self._shares((self.codes == codes).all(axis=0))[None]
        _, numbers = distinct_rows(np.hstack([self.codes, codes]))
        return self._expected(numbers[: len(self)], numbers[len(self) :])

    def _shares(self, some: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Expected counts of some records: each group's counts, shared by its records."""
        groups, number = np.unique(self.group_of[some], return_counts=True)
        shares: NDArray[np.float64] = (number / self.sizes[groups]) @ self.counts[groups]
        return shares

    def _expected(
        self, records: NDArray[np.integer], targets: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """Expected counts of the records equal to each target: targets × sensitive values."""
        from scipy.sparse import csr_array

        asked, of_target = np.unique(targets, return_inverse=True)
        place = np.full(max(records.max(), targets.max(initial=0)) + 1, -1)
        place[asked] = np.arange(len(asked))
        rows = place[records]
        like = rows >= 0
        # Number of equal records in each group: duplicates are summed.
        alike = csr_array(
            (np.ones(like.sum()), (rows[like], self.group_of[like])),
            shape=(len(asked), self.n_groups),
        )
        alike.data /= self.sizes[alike.indices]
        return (alike @ self.counts.astype(np.float64))[of_target]

    @property
    def group_name(self) -> str:
        """Name of the column with the groups, different from all others."""
        return free_name("group", [column.name for column in (*self.quasi, self.sensitive)])

    @cached_property
    def _labels(self) -> NDArray[Any]:
        """The names of the groups; as numbers if all are."""
        numbers = [int(name) for name in self.groups if _WHOLE.fullmatch(name)]
        if [str(number) for number in numbers] == list(self.groups):
            return np.array(numbers, dtype=np.int64)
        return np.array(self.groups, dtype=object)

    def tables(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The table of quasi-identifiers and the table of sensitive values.

        The first has one row per record: its group and its values. The second has one row per
        group and sensitive value in it: the number of records. The columns ``group`` and ``count``
        are called ``group in the release`` and so on if the table has such a column.
        """
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
        record's*: the values of a group are sorted on their own. ``by_class`` has no effect: the
        order cannot link.
        """
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
        """Write the two tables, to be read by `read_anatomy`: both, or after an error none.

        Parameters
        ----------
        where : path
            A folder for ``quasi_table.csv`` and ``sensitive_table.csv``; or the file for the table
            of quasi-identifiers, if ``sensitive_table`` is given too.
        sensitive_table : path, optional
            The file for the table of sensitive values. Files are CSV (``.csv``) or Parquet
            (``.parquet``, ``.pq``).

        Returns
        -------
        tuple of Path
            The two files.
        """
        (first, _), (second, _) = writers = self.writers(where, sensitive_table)
        write_together(writers)
        return first, second

    @staticmethod
    def files_in(folder: str | os.PathLike[str]) -> list[Path]:
        """The two files that `write` makes in a folder."""
        return [Path(folder) / f"{name}.csv" for name in FILE_NAMES]

    def writers(
        self,
        where: str | os.PathLike[str],
        sensitive_table: str | os.PathLike[str] | None = None,
    ) -> list[tuple[Path, Writer]]:
        """The two files of `write`, and what writes them; a folder is made."""
        if sensitive_table is None:
            if Path(where).suffix.lower() in _WRITERS or Path(where).is_file():
                raise InputError(
                    "a permuted release is two tables; give a folder, or a second file beside "
                    "{file}",
                    file=File(where),
                )
            _make_folder(Path(where))
            files = self.files_in(where)
        else:
            files = [Path(where), Path(sensitive_table)]
        for file in files:
            if file.suffix.lower() not in _WRITERS:
                raise InputError("{file} must end in {suffixes}", file=File(file),
                                 suffixes=", ".join(_WRITERS))  # fmt: skip
        if same_file(*files):
            raise InputError("the two tables cannot both be written to {file}", file=File(files[0]))
        return [
            (file, partial(_WRITERS[file.suffix.lower()], table))
            for file, table in zip(files, self.tables(), strict=True)
        ]

    def __repr__(self) -> str:
        rows = [["group", "records", self.sensitive.name]]
        for name, size, counts in zip(self.groups[:SHOWN], self.sizes, self.counts, strict=False):
            often = [s for s in np.argsort(-counts, kind="stable") if counts[s]]
            told = [f"{self.sensitive.texts[s]} {counts[s]:,}" for s in often[:SHOWN]]
            rows.append([name, f"{size:,}", ", ".join(told + ["…"] * (len(often) > SHOWN))])
        return self._listing(rows, "group", kind="Permuted release")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise not_written(folder, error) from error


def _write_csv(table: pd.DataFrame, file: IO[bytes]) -> None:
    texts = table.select_dtypes(include=["object", "string"])
    # Python's writer does not quote a carriage return, which ends a line, too.
    returns = any("\r" in text for name in texts for text in texts[name].unique())
    quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    table.to_csv(file, index=False, lineterminator="\n", encoding="utf-8", quoting=quoting)


def _write_parquet(table: pd.DataFrame, file: IO[bytes]) -> None:
    table.to_parquet(file, index=False)


_WRITERS = {".csv": _write_csv, ".parquet": _write_parquet, ".pq": _write_parquet}


def free_name(name: str, taken: Iterable[str]) -> str:
    """A name for a column that no other column has.

    >>> free_name("group", ["age"]), free_name("group", ["age", "group"])
    ('group', 'group in the release')
    """
    names = set(taken)
    while name in names:
        name += " in the release"
    return name


def refuse_gaps(column: Distinct) -> None:
    """Refuse a column with missing values."""
    if column.missing.any():
        row = int(column.rows[np.argmax(column.missing)]) + 1
        raise MissingValuesError(
            "{row}, {where} is empty; a permuted release needs a value in every row; if missing is "
            "a value like any other, write '(missing)'", row=Row(row), where=column.where,
        )  # fmt: skip


def numbered_groups(
    columns: Sequence[Distinct],
) -> tuple[tuple[str, ...], list[NDArray[np.int32]]]:
    """The names of all groups in some columns, numbers first, and the group of each row."""
    texts = [[text.strip() for text in column.texts()] for column in columns]
    names = sorted({name for each in texts for name in each}, key=_numbers_first)
    number = {name: i for i, name in enumerate(names)}
    return tuple(names), [
        np.array([number[name] for name in each], dtype=np.int32)[column.codes]
        for each, column in zip(texts, columns, strict=True)
    ]


def _numbers_first(name: str) -> tuple[bool, int, str]:
    is_number = _WHOLE.fullmatch(name) is not None
    return not is_number, int(name) if is_number else 0, name
