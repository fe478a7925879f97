"""What a release has lost of the quasi-identifiers: information and entropy.

Information loss is the normalized certainty penalty of J. Xu, W. Wang, J. Pei, X. Wang, B. Shi,
A. Fu, *Utility-Based Anonymization Using Local Recoding*, KDD 2006: what a cell leaves open, from 0
(one value) to 1 (any value), on average over all records and quasi-identifiers.

Entropy loss is the measure of A. G. de Waal and L. C. R. J. Willenborg, *Information Loss through
Global Recoding and Local Suppression*, Netherlands Official Statistics 14 (1999), in its
non-uniform form by A. Gionis and T. Tassa, *k-Anonymization with Minimal Loss of Information*, IEEE
TKDE 21 (2009): to tell somebody's value from their cell takes −log₂ Pr(value | cell) bits, where
values are as frequent as they are in the original. The probability of a value in its cell is the
number of people who have the value over the number of people whose value the cell covers. So the
sum of the logarithms over all records has two parts: one depends only on the release, the other
only on the original. Nobody needs to know whose cell is whose.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.errors import Column as ColumnName
from unveil.errors import Message, Text
from unveil.findings import Figure, Story
from unveil.measures._declared import LOSS
from unveil.measures._released import (
    LossMeasure,
    mass_of,
    missing_from,
    reach_of,
    records_of,
    release_of,
    share_text,
)
from unveil.microdata import Column, Microdata, Regions, Release


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class InformationLoss(LossMeasure):
    """What a release leaves open of the quasi-identifiers.

    Attributes
    ----------
    loss : float
        From 0, every value is published as it is, to 1, nothing is.
    by_column : dict of str to float
        The same for each quasi-identifier.
    records, missing : int
        Number of released records, and of the original's that are not. These are a loss of 1.
    classes : int
    mean_class, smallest_class : float, int
        Number of records in a class.
    """

    entry: ClassVar[str] = "information loss"
    numbers: ClassVar[Mapping[Figure, str]] = {LOSS: "loss"}
    said: ClassVar[str] = "loss classes mean_class smallest_class"

    loss: float
    by_column: dict[str, float]
    classes: int
    smallest_class: int

    @property
    def mean_class(self) -> float:
        """Records in a class, on average."""
        return self.records / self.classes

    def to_frame(self) -> pd.DataFrame:
        """One row per quasi-identifier."""
        return pd.DataFrame({"column": list(self.by_column), "loss": list(self.by_column.values())})

    def story(self, release: Text | None = None) -> Story:
        missing = f"; {self.missing:,} records are missing, each a loss of 100%"
        return self._told(
            f"Information loss of {self.made_by}: {self.loss:.1%}",
            f"{self.records:,} records in {self.classes:,} classes of {self.mean_class:,.1f} on "
            f"average, the smallest of {self.smallest_class:,}{missing if self.missing else ''}",
            {self.entry: (self.loss, self.by_column)},
        )


def information_loss(release: Release, microdata: Microdata | None = None) -> InformationLoss:
    """Information loss: how much of the quasi-identifiers a release leaves open, from 0 to 1.

    A cell of a numeric or ordinal column loses its width over that of the whole column; a cell of
    a categorical column that covers v of its n values loses (v − 1) / (n − 1), with or without a
    hierarchy. So a single value loses nothing and ``*`` everything. A missing record, and a cell
    that covers no value of the column, lose everything.

    Parameters
    ----------
    release : Release
    microdata : Microdata, optional
        The original table, to count the records that were not released. Default: those found
        missing when the release was read.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [28, 36, 47, 53, 72], "gender": ["M", "M", "F", "M", "F"],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"]},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> uv.information_loss(uv.Mondrian(k=2).sanitize(patients))
    Information loss of Mondrian(k=2): 50.7%
      5 records in 2 classes of 2.5 on average, the smallest of 2
    <BLANKLINE>
      column   information loss
      age                 41.4%
      gender              60.0%
    """
    release = records_of(release, "information_loss", true=True)
    missing = missing_from(release, microdata)
    everybody = len(release) + missing
    by_column = {}
    for column, regions in zip(release.quasi, release.regions, strict=True):
        lost = float(penalties(column, regions) @ release.sizes) + missing
        by_column[column.name] = lost / everybody
    return InformationLoss(
        loss=float(np.mean(list(by_column.values()))),
        by_column=by_column,
        records=len(release),
        missing=missing,
        classes=len(release.class_sizes),
        smallest_class=int(release.class_sizes.min()),
        made_by=release.made_by,
    )


def penalties(column: Column, regions: Regions) -> NDArray[np.float64]:
    """What each class's cell of one column leaves open, from 0 to 1."""
    reach = reach_of(regions, column.size)
    left_open = (reach.number - 1).astype(np.float64)
    whole = column.size - 1.0
    if column.is_ordered:
        line = column.positions
        left_open = line[reach.last] - line[reach.first]
        whole = float(line[-1] - line[0])
    penalty = left_open / whole if whole > 0 else np.zeros(len(regions))
    return np.where(reach.number > 0, penalty, 1.0)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EntropyLoss(LossMeasure):
    """The bits that a release has lost of the quasi-identifiers.

    Attributes
    ----------
    lost : dict of str to float
        For each quasi-identifier, the bits that are missing to know everybody's value.
    bits : dict of str to float
        The bits that would be missing if nothing were published.
    records, missing : int
        Number of released records, and of the original's that are not. These lose everything.
    made_by : str
    notes : tuple of str or Message
        Columns whose cells do not cover the values that they should.
    """

    entry: ClassVar[str] = "entropy loss"
    said: ClassVar[str] = "loss bits"

    lost: dict[str, float]
    bits: dict[str, float]
    notes: tuple[Text, ...] = ()

    @property
    def loss(self) -> float | None:
        """The share of all bits that are lost; None, undefined, if there are none."""
        return _share(math.fsum(self.lost.values()), math.fsum(self.bits.values()))

    @property
    def by_column(self) -> dict[str, float | None]:
        """The same for each quasi-identifier; undefined if everybody has the same value."""
        return {name: _share(lost, self.bits[name]) for name, lost in self.lost.items()}

    def to_frame(self) -> pd.DataFrame:
        """One row per quasi-identifier."""
        frame = pd.DataFrame({"lost": self.lost, "bits": self.bits, "loss": self.by_column})
        return frame.astype(np.float64).rename_axis("column").reset_index()

    @property
    def facts(self) -> Mapping[str, Any]:
        return {**super().facts, "lost_bits": self.lost}

    def story(self, release: Text | None = None) -> Story:
        lost, bits = math.fsum(self.lost.values()), math.fsum(self.bits.values())
        missing = f"; {self.missing:,} records are missing, each with all it said"
        return self._told(
            f"Entropy loss of {self.made_by}: {share_text(self.loss)}",
            f"{lost:,.0f} of {bits:,.0f} bits{missing if self.missing else ''}",
            {self.entry: (self.loss, self.by_column)},
        )


def _share(lost: float, bits: float) -> float | None:
    return lost / bits if bits > 0 else None


def entropy_loss(release: Release, microdata: Microdata) -> EntropyLoss:
    """Entropy loss: how many bits of the quasi-identifiers are lost, and which share of all.

    A cell that covers m people of the original loses log₂(m / n) bits of a value that n people
    have: nothing if it covers no other value that occurs, everything if it covers all. Records
    that were not released, and cells that cover nobody's value, lose everything. The order of the
    records does not matter.

    Parameters
    ----------
    release : Release
    microdata : Microdata
        The original table, for the frequencies of values.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [28, 36, 47, 53, 72], "gender": ["M", "M", "F", "M", "F"],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"]},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> uv.entropy_loss(uv.Mondrian(k=2).sanitize(patients), patients)
    Entropy loss of Mondrian(k=2): 61.6%
      10 of 16 bits
    <BLANKLINE>
      column   entropy loss
      age             58.2%
      gender          69.6%
    """
    release = release_of(release, microdata, "entropy_loss", true=True)
    missing = missing_from(release, microdata)
    lost, bits = {}, {}
    notes: list[Text] = []
    for column, regions in zip(microdata.quasi, release.regions, strict=True):
        people = np.bincount(column.codes, minlength=column.size)
        mass = mass_of(regions, people)
        lost[column.name] = _bits(np.where(mass > 0, mass, len(microdata)), release.sizes,
                                  people, missing)  # fmt: skip
        bits[column.name] = _bits(mass[:0], mass[:0], people, len(microdata))
        notes += _about_misfits(column, regions, release.sizes, people, missing)
    return EntropyLoss(
        lost=lost,
        bits=bits,
        records=len(release),
        missing=missing,
        made_by=release.made_by,
        notes=tuple(notes),
    )


def _bits(
    mass: NDArray[np.int64], sizes: NDArray[np.int64], people: NDArray[np.int64], missing: int
) -> float:
    """The bits to tell everybody's value from classes of these masses and sizes.

    The class of a missing record is the whole table.
    """
    some = people[people > 0]
    level = np.concatenate([mass, [people.sum()], some])
    number = np.concatenate([sizes, [missing], -some])
    # What the release still says cancels exactly, as whole numbers, what the original said.
    levels, place = np.unique(level, return_inverse=True)
    times = np.zeros(len(levels), dtype=np.int64)
    np.add.at(times, place.ravel(), number)
    return math.fsum((times * np.log2(levels)).tolist())


def _about_misfits(
    column: Column,
    regions: Regions,
    sizes: NDArray[np.int64],
    people: NDArray[np.int64],
    missing: int,
) -> list[Text]:
    """A note if fewer released cells cover a value than people have it.

    Then somebody's cell does not cover their own value, as with means and rounded bounds.
    """
    covering = regions.cover_counts(sizes[:, None], column.size)[:, 0]
    misfits = int(np.maximum(people - covering, 0).sum()) - missing
    if misfits <= 0:
        return []
    return [
        Message(
            "{column}: the cells of {records} or more records do not cover their values, so its "
            "loss says what the cells leave open, not what is lost",
            column=ColumnName(column.name),
            records=misfits,
        )
    ]
