"""The finding of a linkage attack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.linking._external import External
from unveil.attacks.linking._index import Index
from unveil.attacks.linking._links import Links, Right
from unveil.findings import Finding
from unveil.microdata import Permuted, Release

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Linkage"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Linkage(Finding):
    """Who of an external table is found in a release, and what that tells.

    Attributes
    ----------
    release : Release or Permuted
    people : External
        Whom the attacker knows.
    known : tuple of str
        The quasi-identifiers that he knows.
    links : Links
        What he sees, for each person.
    right : Right or None
        What is true of it, if the original is known.
    persons : array
        How many of the people each box of the index covers: a class, or the records of a permuted
        release that are alike.
    """

    release: Release | Permuted
    people: External
    known: tuple[str, ...]
    links: Links
    right: Right | None
    persons: NDArray[np.int64]
    index: Index
    codes: NDArray[np.int32]
    seconds: float
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.people)

    @property
    def candidates(self) -> NDArray[np.int64]:
        """How many records each person may be."""
        return self.links.candidates

    @property
    def values(self) -> NDArray[np.int64]:
        """How many sensitive values each person may have."""
        return self.links.values

    @property
    def found(self) -> int:
        """How many people have a candidate at all."""
        return int((self.candidates > 0).sum())

    @property
    def unique(self) -> NDArray[np.bool_]:
        """Who is linked to a single record."""
        return self.candidates == 1

    @property
    def one_value(self) -> NDArray[np.bool_]:
        """Who is linked to a single sensitive value, by one record or by several."""
        return self.values == 1

    @property
    def in_table(self) -> int | None:
        """How many people are in the original; None if that is not known."""
        return None if self.right is None else int(self.right.in_table.sum())

    @property
    def own_among(self) -> int | None:
        """How many of them have their own record among their candidates."""
        return None if self.right is None else int(self.right.among.sum())

    @property
    def unique_right(self) -> int | None:
        """How many of those who are linked to a single record are linked to their own."""
        return None if self.right is None else int((self.unique & self.right.among).sum())

    @property
    def one_value_right(self) -> int | None:
        """How many of those who are linked to a single value are linked to their own."""
        if self.right is None:
            return None
        return int((self.one_value & (self.right.value == 1)).sum())

    @property
    def record_right(self) -> float | None:
        """Of those in the original, the expected share of right links to a record.

        The attacker picks one of the candidates at random: the mean of 1 / candidates, and 0
        where the own record is not among them.
        """
        if self.right is None or not self.in_table:
            return None
        among = self.right.among
        return float((1 / self.candidates[among]).sum() / self.in_table)

    @property
    def value_right(self) -> float | None:
        """Of those in the original, the expected share of right values, guessed in the same way."""
        if self.right is None or not self.in_table:
            return None
        return float(self.right.value[self.right.in_table].sum() / self.in_table)

    @property
    def value_by_chance(self) -> float | None:
        """The same if any record of the release is picked, whomever its cells cover."""
        if self.right is None or not self.in_table:
            return None
        return float(self.right.chance[self.right.in_table].sum() / self.in_table)

    @property
    def records_of_one(self) -> int:
        """How many records have cells that cover exactly one of the people."""
        return int(self.index.records[self.persons == 1].sum())

    @property
    def records_of_nobody(self) -> int:
        """How many records have cells that cover none of the people."""
        return int(self.index.records[self.persons == 0].sum())

    def candidates_of(self, person: int | str) -> pd.DataFrame:
        """What one person's candidates have: a row for each sensitive value.

        Parameters
        ----------
        person : int or str
            Their number, counted from 0 as in `to_frame`, or their name.

        Returns
        -------
        pandas.DataFrame
            ``value``; ``records``, how many candidates have it (of a permuted release, how many
            are expected to); ``share``.
        """
        import pandas as pd

        one = self.people.number_of(person)
        found = next(self.index.search(self.codes[one : one + 1]))
        order = np.argsort(found.value)
        value, number = found.value[order], found.number[order]
        exact = isinstance(self.release, Release)
        return pd.DataFrame(
            {
                "value": self.release.sensitive.values[value],
                "records": number.astype(np.int64) if exact else number,
                "share": number / max(1, int(found.records[0])),
            }
        )

    def to_frame(self) -> pd.DataFrame:
        """One row a person: who it is, what an attacker sees, and what is true of it.

        ``name``, ``row`` (of the external table, from 0), ``candidates``, ``classes``,
        ``values``, ``likeliest`` (the value that most candidates have) and ``share`` of them; with
        the original also ``in_table``, ``own_among`` and ``own_value``, the share of the
        candidates that have the person's own.
        """
        import pandas as pd

        links, texts = self.links, np.array([*self.release.sensitive.texts, None], dtype=object)
        frame = pd.DataFrame(
            {
                "name": pd.Series(self.people.names, dtype=object),
                "row": self.people.rows,
                "candidates": links.candidates,
                "classes": links.classes,
                "values": links.values,
                "likeliest": pd.Series(texts[links.likeliest], dtype=object),
                "share": links.share,
            }
        )
        if self.right is not None:
            frame["in_table"] = self.right.in_table
            frame["own_among"] = self.right.among
            frame["own_value"] = self.right.value
        return frame

    def content(self, *, records: bool) -> dict[str, Any]:
        from unveil.attacks.linking._texts import content_of

        return content_of(self, records=records)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share of people with at most so many candidates; returns the axes.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.attacks.linking._picture import candidate_curves

        return candidate_curves(self, ax)

    def verdict(self, name: str | None = None) -> str:
        """What the attacker achieves, in one sentence; ``name`` is that of the release."""
        from unveil.attacks.linking._texts import verdict_of

        return verdict_of(self, name)

    def summary(self) -> str:
        from unveil.attacks.linking._texts import summary_of

        return summary_of(self)
