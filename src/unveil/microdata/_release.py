"""Releases: what is published of a table.

A grouped release (`Release`) is a short list of classes, each with one region per column and a
histogram of sensitive values. Attacks and measures work on that. It says which of its records
cover a target's value in each column, and which cover it in all of them: all that a counting
adversary asks for. `NoisyCounts` publishes counts instead of records. (Anatomy: `_permuted`.)
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, TypeGuard

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil._memory import room_for
from unveil._text import counted
from unveil.errors import File, InputError, Message, Text
from unveil.microdata._covering import Layers, Lookup
from unveil.microdata._extras import Extras
from unveil.microdata._levels import Level
from unveil.microdata._messages import Worded
from unveil.microdata._microdata import CellCounts, Column, Kind, Microdata
from unveil.microdata._notations import ReadAs
from unveil.microdata._persons import Persons
from unveil.microdata._regions import Histograms, Regions, joint_counts, shortened
from unveil.microdata._suppressed import Mask, Silence, counted_suppressed, silence_of

SHOWN = 5  # classes or groups in a repr
_TESTED = Worded("differential_inference and membership",
                 typed="unveil differential-inference and unveil membership")  # fmt: skip
_MOST_CELLS = 1_000_000  # rows of a table of counts
_DENSE = 2**22  # numbers up to which histograms of all classes are a plain array
_SPARSE = 8  # above that, how many numbers to a record make it a sparse one
_COMPARED = 2**16  # pairs of a class and a target up to which they are compared, not looked up
_TABLES = 2**22  # numbers up to which what covers each value of each column is tabulated


class Statistic(StrEnum):
    """What a counting adversary asks a release about one target."""

    COVER = "cover"
    """Records whose cell covers the target's value: one count per column and sensitive value."""
    JOINT = "joint"
    """Records whose cells cover it in every column: one count per sensitive value."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class AnyRelease(ABC):
    """A release of any kind.

    Attributes
    ----------
    quasi : tuple of Column
        The quasi-identifiers.
    sensitive : Column
        The sensitive column.
    made_by : str
        The sanitizer.
    notes : tuple of str or Message
        What a reader has to know, such as how missing values were treated.
    extras : Extras
        If read: the columns that are published besides.
    persons : Persons, optional
        Whose the records are, if a person may have several.
    """

    statistics: ClassVar[frozenset[Statistic]] = frozenset(Statistic)
    """What a counting adversary can ask for."""
    instead: ClassVar[str]
    """What it publishes instead of records, for messages."""

    quasi: tuple[Column, ...]
    sensitive: Column
    made_by: str = "somebody"
    notes: tuple[Text, ...] = ()
    extras: Extras = field(default_factory=Extras)
    persons: Persons | None = None

    @property
    def several(self) -> Persons | None:
        """Whose the records are, if somebody has or may have several; else None."""
        return self.persons if self.persons is not None and self.persons.repeat else None

    @property
    def maker(self) -> File:
        """The sanitizer, for messages."""
        return File(self.made_by, bare=True)

    @property
    @abstractmethod
    def totals(self) -> NDArray[np.int64]:
        """What the release says about the sensitive values overall: a weight for each."""

    def statistic(self, statistic: Statistic, codes: NDArray[np.int32]) -> NDArray[Any]:
        """What a counting adversary asks about targets (columns × targets)."""
        return (self.cover_counts if statistic is Statistic.COVER else self.joint_counts)(codes)

    @abstractmethod
    def cover_counts(self, codes: NDArray[np.int32]) -> NDArray[Any]:
        """Records that cover the value of each target (columns × targets), by column.

        Returns an array of shape (targets, columns, sensitive values).
        """

    @abstractmethod
    def joint_counts(self, codes: NDArray[np.int32]) -> NDArray[Any]:
        """Records that cover each target (columns × targets) in every column.

        Returns an array of shape (targets, sensitive values).
        """

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Records in each class or group; empty for counts."""
        return np.zeros(0, dtype=np.int64)

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        """The same without suppressed records, which form no class."""
        return self.sizes

    @abstractmethod
    def to_frame(self, *, by_class: bool = False) -> pd.DataFrame:
        """What is published, as a table."""

    def published(self) -> tuple[Column, ...]:
        """The columns with the texts of what is published as values, one code per record.

        Without any codes where there are no records that have them.
        """
        nobody = np.zeros(0, dtype=np.int32)
        return tuple(replace(column, codes=nobody) for column in (*self.quasi, self.sensitive))

    @property
    @abstractmethod
    def in_short(self) -> str:
        """What is published, in one line."""

    def _listing(
        self, rows: list[list[str]], part: str, notes: Sequence[Text] = (), kind: str = "Release"
    ) -> str:
        """The first few classes or groups, below their columns' names, for a repr."""
        sizes, shown, among = self.sizes, len(rows) - 1, self.class_sizes
        gone = int(sizes.sum() - among.sum())
        of = f"{among.min():,}" + (f" to {among.max():,}" if among.min() < among.max() else "")
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            f"{kind} by {self.made_by}: {counted(int(sizes.sum()), 'record')} in "
            f"{counted(len(among), part)} of {of}"
            f"{f'; {counted_suppressed(gone)}' if gone else ''}",
            *("  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows),
        ]
        if shown < len(sizes):
            lines.append("  … and " + counted(len(sizes) - shown, f"more {part}"))
        return "\n".join([*lines, *(f"  {note}" for note in (*notes, *self.notes))])


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Release(AnyRelease):
    """A grouped release: classes of records that share their cells.

    Attributes
    ----------
    quasi : tuple of Column
        The quasi-identifiers whose domains the regions refer to.
    sensitive : Column
        The sensitive column; its ``codes`` are those of the released records, in their order.
    made_by, notes
        As in every release.
    class_of : array
        The class of each released record.
    regions : tuple of Regions
        For each quasi-identifier, what every class publishes.
    notations : mapping of str to ReadAs
        If read: how each quasi-identifier's cells were written.
    dropped : int
        If read: number of the original's records that are not in it.
    perturbed : tuple of str
        Columns whose published values need not be true of the records, such as means, or answers
        changed at random. In all others a record's cell covers its value.
    level : Level, optional
        If read, and if the sensitive column is not published at the level of the original.
    """

    instead: ClassVar[str] = "nothing instead"

    class_of: NDArray[np.int32]
    regions: tuple[Regions, ...]
    notations: Mapping[str, ReadAs] = field(default_factory=dict)
    dropped: int = 0
    perturbed: tuple[str, ...] = ()
    level: Level | None = None

    def __len__(self) -> int:
        return len(self.class_of)

    def take(self, records: NDArray[np.intp]) -> Release:
        """Some of the records, in their classes; a class without any is left out."""
        classes, class_of = np.unique(self.class_of[records], return_inverse=True)
        return replace(
            self,
            persons=None if self.persons is None else self.persons.take(records),
            sensitive=self.sensitive.take(records),
            class_of=class_of.ravel().astype(np.int32),
            regions=tuple(regions.take(classes) for regions in self.regions),
        )

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.regions[0])

    @property
    def in_short(self) -> str:
        gone = f"; {counted_suppressed(self.suppressed)}" if self.suppressed else ""
        return (
            f"{counted(len(self), 'record')} by {self.made_by} in "
            f"{counted(len(self.class_sizes), 'class')}, the smallest of "
            f"{int(self.class_sizes.min()):,}{gone}"
        )

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Records in each class."""
        return np.bincount(self.class_of, minlength=self.n_classes)

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        return self.sizes[~self.suppressed_classes] if self.suppressed else self.sizes

    @cached_property
    def _silence(self) -> Silence:
        there = np.flatnonzero(self.sizes)
        if len(there) == self.n_classes:
            return silence_of(self.quasi, self.regions)
        # Whether records are suppressed must not depend on classes without any.
        some = silence_of(self.quasi, [regions.take(there) for regions in self.regions])
        whole = np.zeros((2, self.n_classes), dtype=bool)
        whole[:, there] = some
        return Silence(*whole)

    @property
    def suppressed_classes(self) -> Mask:
        """Which classes are suppressed: see `_suppressed`."""
        return self._silence.suppressed

    @property
    def suppressed(self) -> int:
        """Number of suppressed records, which form no class."""
        return int(self.sizes[self._silence.suppressed].sum())

    @property
    def hidden(self) -> int:
        """The same; or all records, if all cells of all of them are suppressed."""
        return int(self.sizes[self._silence.hidden].sum())

    @cached_property
    def shown(self) -> Release:
        """The release without suppressed records."""
        if not self.suppressed:
            return self
        return self.take(np.flatnonzero(~self.suppressed_classes[self.class_of]))

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Number of records: classes × sensitive values."""
        width = self.sensitive.size
        room_for(self.n_classes, width, times=2.5)  # attackers copy it, and add it up
        flat = self.class_of.astype(np.int64) * width + self.sensitive.codes
        return np.bincount(flat, minlength=self.n_classes * width).reshape(-1, width)

    @cached_property
    def histograms(self) -> Histograms:
        """The same as `counts`; sparse where records are few beside all values of all classes."""
        width = self.sensitive.size
        if self.n_classes * width < _DENSE or self.n_classes * width < _SPARSE * len(self):
            return self.counts
        from scipy.sparse import coo_array

        each = np.ones(len(self), dtype=np.int64)
        at = (self.class_of.astype(np.int64), self.sensitive.codes.astype(np.int64))
        return coo_array((each, at), shape=(self.n_classes, width)).tocsr()

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """Records of each sensitive value."""
        return np.bincount(self.sensitive.codes, minlength=self.sensitive.size)

    @cached_property
    def _covering(self) -> tuple[NDArray[np.int64], ...]:
        room_for(sum(column.size for column in self.quasi), self.sensitive.size, times=3)
        return tuple(
            regions.cover_counts(self.histograms, column.size)
            for column, regions in zip(self.quasi, self.regions, strict=True)
        )

    def cover_counts(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        width = self.sensitive.size
        room_for(codes.shape[1] * len(self.quasi), width)
        # Whole columns need not be tabulated for one target, and cannot be if they are long.
        if codes.shape[1] == 1 or sum(column.size for column in self.quasi) * width > _TABLES:
            found = np.empty((codes.shape[1], len(codes), width), dtype=np.int64)
            for j, row in enumerate(codes):
                found[:, j] = self._covering_some(j, row)
            return found
        return np.stack(
            [table[row] for table, row in zip(self._covering, codes, strict=True)], axis=1
        )

    def _covering_some(self, j: int, row: NDArray[np.int32]) -> NDArray[np.int64]:
        """Records that cover the values of some targets in one column, by sensitive value."""
        regions, layers = self.regions[j], None
        if self.n_classes * len(row) > _COMPARED:
            layers = self._layers[j]
        if layers is not None:
            return layers.cover_counts(self._by_region[j], row)
        values, which = np.unique(row, return_inverse=True)
        found = [self.histograms[regions.covers(int(value))].sum(axis=0) for value in values]
        return np.stack(found)[which.ravel()]

    def joint_counts(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        room_for(codes.shape[1], self.sensitive.size)
        if self.n_classes * codes.shape[1] > _COMPARED and self._lookup is not None:
            return self._lookup.joint_counts(self.histograms, codes)
        return joint_counts(self.regions, self.histograms, codes)

    @cached_property
    def _layers(self) -> tuple[Layers | None, ...]:
        return tuple(
            Layers.of(regions, column.size)
            for column, regions in zip(self.quasi, self.regions, strict=True)
        )

    @cached_property
    def _lookup(self) -> Lookup | None:
        """Where people's classes are looked up; None where they have to be compared."""
        found = [layers for layers in self._layers if layers is not None]
        return Lookup.over(tuple(found)) if len(found) == len(self.quasi) > 0 else None

    @cached_property
    def _by_region(self) -> tuple[Histograms, ...]:
        """The histograms of columns' regions, where these are in layers."""
        return tuple(
            None if layers is None else layers.by_region(self.histograms) for layers in self._layers
        )

    def published(self) -> tuple[Column, ...]:
        found = []
        for column, texts in zip(self.quasi, self.cells(), strict=True):
            values, codes = np.unique(np.array(texts, dtype=str), return_inverse=True)
            found.append(Column(
                name=column.name, role=column.role, kind=Kind.CATEGORICAL, values=values,
                codes=codes.ravel().astype(np.int32)[self.class_of],
            ))  # fmt: skip
        return (*found, self.sensitive)

    def cells(self) -> list[list[str]]:
        """For each quasi-identifier, the text that every class publishes."""
        return [r.texts(c) for c, r in zip(self.quasi, self.regions, strict=True)]

    def to_frame(self, *, by_class: bool = False) -> pd.DataFrame:
        """The release as a table, one row per record.

        Parameters
        ----------
        by_class : bool
            Sort the records by class and sensitive value instead of keeping the original's order.
            Do that before publishing: an order can link.
        """
        secret = self.sensitive.codes
        order = np.lexsort([secret, self.class_of]) if by_class else np.arange(len(self))
        table = {
            column.name: np.array(texts, dtype=object)[self.class_of[order]]
            for column, texts in zip(self.quasi, self.cells(), strict=True)
        }
        table[self.sensitive.name] = self.sensitive.values[secret[order]]
        return pd.DataFrame(table)

    def classes(self) -> pd.DataFrame:
        """One row per class: size, cells, and number of records with each sensitive value."""
        table: dict[str, object] = {"records": self.sizes}
        for column, texts in zip(self.quasi, self.cells(), strict=True):
            # A column may also be called "records".
            table[f"{column.name} in the table" if column.name in table else column.name] = texts
        for s, text in enumerate(self.sensitive.texts):
            table[f"{self.sensitive.name}={text}"] = self.counts[:, s]
        return pd.DataFrame(table)

    def __repr__(self) -> str:
        columns = [
            [column.name, *(shortened(cell, 32) for cell in some.texts(column))]
            for column, regions in zip(self.quasi, self.regions, strict=True)
            for some in [regions.take(np.arange(min(SHOWN, self.n_classes)))]
        ]
        columns.append(["records", *(f"{size:,}" for size in self.sizes[:SHOWN])])
        read = [f"{name}: {how}" for name, how in self.notations.items() if not how.is_house]
        return self._listing([list(row) for row in zip(*columns, strict=True)], "class", read)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class NoisyCounts(AnyRelease):
    """Counts of records for every combination of quasi-identifiers, with Laplace noise, at least 0.

    All combinations of the columns' domains are published: which ones occur would disclose people.
    There may be too many to write down, so the noise of a cell is drawn on demand, from a stream
    of its own that depends only on the seed and the cell.

    Attributes
    ----------
    quasi, sensitive, made_by, notes
        As in every release.
    exact : CellCounts
        The counts before noise, secret to the sanitizer. `counts_at` is what is published.
    left_out : tuple of (cell, sensitive code), optional
        A record to subtract from the exact counts.
    scale : float
        Scale of the noise: 1/ε; 0 is no noise.
    seed : int
        Random seed of the noise, secret too.
    """

    statistics: ClassVar[frozenset[Statistic]] = frozenset({Statistic.JOINT})
    instead: ClassVar[str] = "only counts"

    exact: CellCounts
    left_out: tuple[int, int] | None = None
    scale: float
    seed: int

    @property
    def n_cells(self) -> int:
        """Number of combinations of the quasi-identifiers' domains."""
        return math.prod(column.size for column in self.quasi)

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """Equal weights, because sums over all cells are mostly noise."""
        return np.ones(self.sensitive.size, dtype=np.int64)

    def cover_counts(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        raise InputError(
            "{maker} publishes counts of whole combinations of quasi-identifiers, not records "
            "with cells; use an adversary that counts matches, such as smoothed-frequency",
            maker=self.maker,
        )

    def joint_counts(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        return self.counts_at(codes)

    def counts_at(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """The published counts for people (columns × people): people × sensitive values."""
        counts = self.exact.at(codes).astype(np.float64)
        if self.left_out is not None:
            cell, secret = self.left_out
            alike = (codes == self.exact.codes[:, [cell]]).all(axis=0)
            counts[alike, secret] -= 1
        if not self.scale:
            return counts
        cells, which = np.unique(codes, axis=1, return_inverse=True)
        noise = np.stack([self._noise(cell) for cell in cells.T.tolist()])
        return np.maximum(counts + noise[which.ravel()], 0)

    def _noise(self, cell: list[int]) -> NDArray[np.float64]:
        place = 0
        for code, column in zip(cell, self.quasi, strict=True):
            place = place * column.size + code
        # The lowest 64 bits of the counter count the draws of one cell.
        bits = np.random.Philox(key=self.seed, counter=(place << 64) % 2**256)
        return np.random.Generator(bits).laplace(0, self.scale, self.sensitive.size)

    def to_frame(self, *, by_class: bool = False) -> pd.DataFrame:
        """The whole table of counts: one row per cell and sensitive value, including counts of 0.

        ``by_class`` has no effect: counts have no order that could link.
        """
        if self.n_cells * self.sensitive.size > _MOST_CELLS:
            raise InputError(
                "{maker} publishes {cells} combinations of quasi-identifiers with {values} values "
                "each, too many to write down; use fewer columns, or group numbers with {call}",
                maker=self.maker, cells=self.n_cells, values=self.sensitive.size,
                call=Worded("unveil.quantize", typed="--cuts or --parts"),
            )  # fmt: skip
        codes = np.array(list(product(*(range(c.size) for c in self.quasi))), dtype=np.int32).T
        counts = self.counts_at(codes)
        table: dict[str, object] = {
            column.name: np.repeat(column.values[row], self.sensitive.size)
            for column, row in zip(self.quasi, codes, strict=True)
        }
        table[self.sensitive.name] = np.tile(self.sensitive.values, codes.shape[1])
        name = "count in the cell" if "count" in table else "count"
        table[name] = counts.ravel()
        return pd.DataFrame(table)

    @property
    def in_short(self) -> str:
        noise = f"simulated noise of scale {self.scale:g}" if self.scale else "no noise"
        return (
            f"counts by {self.made_by} of {self.n_cells:,} combinations of "
            f"{', '.join(c.name for c in self.quasi)} with {self.sensitive.size} values of "
            f"{self.sensitive.name} each, {noise}"
        )

    def __repr__(self) -> str:
        return "\n".join([f"Release: {self.in_short}", *(f"  {note}" for note in self.notes)])


def same_domains(release: AnyRelease, microdata: Microdata) -> bool:
    """Whether the codes of a release have the same meaning as in the microdata."""
    ours = (*microdata.quasi, microdata.sensitive)
    theirs = (*release.quasi, release.sensitive)
    return len(ours) == len(theirs) and all(
        a.name == b.name and a.kind is b.kind and (a.values is b.values or a.texts == b.texts)
        for a, b in zip(ours, theirs, strict=True)
    )


def has_true_cells(release: AnyRelease) -> TypeGuard[Release]:
    """Whether a release has records whose cells cover their true values."""
    return isinstance(release, Release) and not any(
        column.name in release.perturbed for column in release.quasi
    )


def refuse_perturbed(
    release: Release, columns: Iterable[Column], what: str, *, instead: Text | None = None
) -> None:
    """Refuse a release whose values in some of these columns need not be true.

    ``what`` is the method, ``instead`` the methods that do not need that, with "do" or "does".
    """
    untrue = [column.name for column in columns if column.name in release.perturbed]
    if untrue:
        raise InputError(
            "{what} assumes that published values are true, and {maker} publishes values of "
            "{columns} that need not be; {instead} not need that", what=what, maker=release.maker,
            columns=", ".join(untrue), instead=instead or Message("{these} do", these=_TESTED),
        )  # fmt: skip


def with_records(release: AnyRelease, what: str, *, instead: Text | None = None) -> Release:
    """The release, refused if it has no records. ``instead`` says what does not need any."""
    if isinstance(release, Release):
        return release
    raise InputError(
        "{what} needs released records, and {maker} publishes none, {published}; {instead}",
        what=what, maker=release.maker, published=release.instead,
        instead=instead or Message("{these} test such releases", these=_TESTED),
    )  # fmt: skip
