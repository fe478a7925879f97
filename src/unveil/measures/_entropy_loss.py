"""Entropy loss: how many bits of the table a release has lost.

The entropy measure of A. G. de Waal and L. C. R. J. Willenborg, *Information Loss through Global
Recoding and Local Suppression*, Netherlands Official Statistics 14 (1999), in its non-uniform
form by A. Gionis and T. Tassa, *k-Anonymization with Minimal Loss of Information*, IEEE TKDE 21
(2009): to tell somebody's value from their cell takes −log₂ Pr(value | cell) bits, where values
are as frequent as they are in the original.

The probability of a value in its cell is the number of people who have the value over the number
of people whose value the cell covers. So the sum of the logarithms over all records has two parts:
one depends only on the release, the other only on the original. Nobody needs to know whose cell is
whose.
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
from unveil.findings import Finding, Story
from unveil.measures._released import (
    column_table,
    lost_chart,
    mass_of,
    missing_from,
    refuse_untrue,
    release_of,
    share_text,
)
from unveil.microdata import Column, Microdata, Regions, Release


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EntropyLoss(Finding):
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

    lost: dict[str, float]
    bits: dict[str, float]
    records: int
    missing: int
    made_by: str
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
        return pd.DataFrame(
            {
                "column": list(self.lost),
                "lost": list(self.lost.values()),
                "bits": list(self.bits.values()),
                "loss": np.array(list(self.by_column.values()), dtype=np.float64),
            }
        )

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "release": self.made_by,
            "record_count": self.records,
            "lost_bits": self.lost,
            **self.attributes("loss by_column bits missing"),
        }

    def story(self, release: Text | None = None) -> Story:
        lost, bits = math.fsum(self.lost.values()), math.fsum(self.bits.values())
        missing = f"; {self.missing:,} records are missing, each with all it said"
        return Story(
            title=f"Entropy loss of {self.made_by}: {share_text(self.loss)}",
            about=[f"{lost:,.0f} of {bits:,.0f} bits{missing if self.missing else ''}"],
            tables=[column_table({"entropy loss": self.by_column})],
            charts=[lost_chart({"entropy loss": (self.loss, self.by_column)}, self.made_by)],
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
    release = release_of(release, microdata, "entropy_loss")
    refuse_untrue(release, "entropy_loss")
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
