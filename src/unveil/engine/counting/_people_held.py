"""People in memory: who has rows in which classes, where a person may have several rows.

In a class all people weigh the same: one of c rows there adds 1/c for each. In the whole table,
too; so the weights of the table are not the sums of those of the classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting._contingency import Contingency, Counts, Histograms, Secret, sparse
from unveil.engine.counting._held import Held, KeyColumn, combined
from unveil.engine.counting._weights import Weighed, parts_of, scale_of
from unveil.errors import InputError, Text
from unveil.microdata import AnyRelease, silence


@dataclass(frozen=True, eq=False, kw_only=True)
class PeopleHistograms(Histograms):
    """Classes in which people are counted; the numbers of the cells are weights.

    Attributes
    ----------
    members : array (3, …)
        The class, the person and the code of each value that a person has in a class, each once.
    share : array (classes,)
        The weight of each class in the whole table: the probability that a random row of a random
        person is in it.
    """

    members: Counts
    share: NDArray[np.float64]

    @cached_property
    def sizes(self) -> Counts:
        """People in each class."""
        pairs = np.unique(self.members[:2], axis=1)
        return np.bincount(pairs[0], minlength=len(self))

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        return self.numbers / self.add_up(self.numbers)[self.class_of]

    @cached_property
    def told(self) -> Counts:
        """People who have the value, for each cell."""
        width = int(self.members[2].max()) + 1
        _, found = np.unique(self.members[0] * width + self.members[2], return_counts=True)
        return found

    def share_of(self, rows: int) -> NDArray[np.float64]:
        return self.share

    def number_in(self, classes: NDArray[np.bool_]) -> int:
        return len(np.unique(self.members[1][classes[self.members[0]]]))

    def merged(self, groups: Counts) -> PeopleHistograms:
        found = super().merged(groups)
        of_class, person, code = self.members
        return PeopleHistograms(
            **_fields(found), share=self.share,
            members=np.unique(np.stack([of_class, person, groups[code]]), axis=1),
        )  # fmt: skip


def _fields(found: Histograms) -> dict[str, Any]:
    """The fields of histograms."""
    names = ("start", "codes", "numbers", "weights", "key_of")
    return {name: getattr(found, name) for name in names}


class PeopleHeld(Contingency):
    """The people of a table in memory, by the classes of their rows.

    What is said of people is said of those who are in a class; ``suppressed`` are rows.

    Attributes
    ----------
    class_of : array
        The class of each row; -1 for suppressed rows, which are in none.
    whose : array
        The person of each row.
    """

    unit = "person"

    def __init__(
        self, *, keys: Mapping[str, KeyColumn], whose: Counts, secret: Secret, codes: Counts,
        source: str, notes: tuple[Text, ...] = (), made_from: AnyRelease | None = None,
    ) -> None:  # fmt: skip
        """Keys, people and codes of the secret are those of the rows."""
        self.columns, self.whose, self.codes = dict(keys), whose, codes
        self.keys, self.secret, self.source = tuple(keys), secret, source
        self.notes, self.made_from = notes, made_from
        columns = self.columns.values()
        self._silence = silence(
            [one.is_hidden() for one in columns], [one.is_same for one in columns],
            [one.is_written("*") for one in columns],
        )  # fmt: skip
        shown = np.flatnonzero(~self._silence.suppressed)
        first, of_row = combined([one.codes[shown] for one in columns])
        self._first = shown[first]
        self.class_of = np.full(len(whose), -1, dtype=np.int64)
        self.class_of[shown] = of_row

    @property
    def rows(self) -> int:
        """Number of people."""
        return int(self.whose.max(initial=-1)) + 1

    @property
    def records(self) -> int:
        return len(self.whose)

    @property
    def each_one_row(self) -> Counts:
        """Among how many people each who has a row in a class is found, by the worst row."""
        found = np.full(self.rows, np.iinfo(np.int64).max)
        shown = self.class_of >= 0
        np.minimum.at(found, self.whose[shown], self.histograms.sizes[self.class_of[shown]])
        return found[found < np.iinfo(np.int64).max]

    @property
    def one_row(self) -> dict[int, int]:
        """Among how many people how many are found by the row that tells most."""
        sizes, people = np.unique(self.each_one_row, return_counts=True)
        return dict(zip(sizes.tolist(), people.tolist(), strict=True))

    @property
    def suppressed(self) -> int:
        return int(self._silence.suppressed.sum())

    @property
    def hidden(self) -> int:
        return int(self._silence.hidden.sum())

    @cached_property
    def in_class(self) -> Counts:
        """How many rows of the same person are in the same class, for each row."""
        pairs = self.class_of * self.rows + self.whose
        _, of_pair, number = np.unique(pairs, return_inverse=True, return_counts=True)
        return number[of_pair]

    @cached_property
    def in_table(self) -> Counts:
        """How many rows the same person has, for each row."""
        return np.bincount(self.whose)[self.whose]

    @cached_property
    def _scale(self) -> int:
        assert self.secret is not None
        each = np.union1d(self.in_class, self.in_table)
        return scale_of(each, self.rows * (len(self.secret.values) + 1))

    @cached_property
    def totals(self) -> Counts:
        """The weight of each value of the secret in the whole table."""
        assert self.secret is not None
        found = np.zeros(len(self.secret.values), dtype=np.int64)
        np.add.at(found, self.codes, parts_of(self._scale, self.in_table))
        return found

    @property
    def gone(self) -> tuple[float, Counts]:
        where = self.class_of < 0
        assert self.secret is not None
        found = np.zeros(len(self.secret.values), dtype=np.int64)
        np.add.at(found, self.codes[where], parts_of(self._scale, self.in_class[where]))
        return float((1 / self.in_table[where]).sum()) / self.rows, found

    @cached_property
    def histograms(self) -> PeopleHistograms:
        """All classes."""
        shown = np.flatnonzero(self.class_of >= 0)
        of_class, codes, number = self.class_of[shown], self.codes[shown], len(self._first)
        found = sparse(of_class, codes, parts_of(self._scale, self.in_class[shown]),
                       np.ones(number, dtype=np.int64), self._key_of)  # fmt: skip
        weights = np.bincount(of_class, weights=1 / self.in_table[shown], minlength=number)
        return PeopleHistograms(
            **_fields(found), share=weights / self.rows,
            members=np.unique(np.stack([of_class, self.whose[shown], codes]), axis=1),
        )  # fmt: skip

    def _key_of(self, g: int) -> tuple[object, ...]:
        row = self._first[g]
        return tuple(column.values[column.codes[row]] for column in self.columns.values())

    def blocks(self) -> Iterator[Histograms]:
        yield self.histograms

    def weighed(self) -> Weighed:
        """The weights as numbers of records, for measures of shares alone."""
        found = self.histograms
        inner = Held(
            keys={"class": KeyColumn(np.arange(len(found)), tuple(range(len(found))))},
            secret=self.secret, class_of=found.class_of, codes=found.codes, numbers=found.numbers,
            source=self.source,
        )  # fmt: skip
        return Weighed(inner, self.totals)

    def over(self, keys: Sequence[str]) -> PeopleHeld:
        asked = self.check_keys(keys)
        if asked == self.keys:
            return self
        assert self.secret is not None
        return PeopleHeld(
            keys={name: self.columns[name] for name in asked}, whose=self.whose,
            secret=self.secret, codes=self.codes, source=self.source, notes=self.notes,
            made_from=self.made_from,
        )  # fmt: skip

    def where(self, values: Mapping[str, object]) -> Counts:
        raise InputError("a person may have several rows: there is no rate of one value; the rates "
                         "of all values are those by their keys")  # fmt: skip
