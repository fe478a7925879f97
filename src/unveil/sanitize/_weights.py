"""How sanitizers count where a person may have several rows: people, who all weigh the same.

Of c rows that a person has in a class, or in the table, each counts 1/c. Weights are whole numbers
of parts of a person, so that equal shares are equal: exact for up to 28 rows of a person in a
class, and beyond that rounded up by less than 1 / 10^10 of a person for each row, so that ℓ is
never taken for met when it is not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Cell, Column, File, GoalError, InputError, Listed, Option
from unveil.microdata import Microdata, Persons
from unveil.sanitize._sanitizer import Sanitizer

WHOLE = 80_313_433_200
"""The parts of a person: the smallest number that 1 to 28 divide."""


def shares(most: int) -> NDArray[np.int64]:
    """The weight of each of c rows, for c from 0 (where it is 0) to ``most``.

    >>> shares(3) / WHOLE
    array([0.        , 1.        , 0.5       , 0.33333333])
    """
    rows = np.arange(1, most + 1)
    return np.concatenate([[0], -(-WHOLE // rows)]).astype(np.int64)


class Weighed(NamedTuple):
    """A table in which a person may have several rows.

    Attributes
    ----------
    persons : Persons
        Whose the records are.
    records : array
        The weight of each record in the whole table.
    counts : array
        The weight of each sensitive value in the whole table.
    """

    persons: Persons
    records: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, microdata: Microdata) -> Weighed | None:
        """Those of a table; None if each record is another person's."""
        persons = microdata.several
        if persons is None:
            return None
        if persons.of is None:
            raise InputError(
                "a person may have several rows in {source} ({columns} says whose a row is), and "
                "nobody knows whose these rows are, so no class can be made of people",
                source=File(microdata.source, bare=True),
                columns=Listed([Column(name) for name in persons.columns], "and"),
            )  # fmt: skip
        records = shares(int(persons.rows.max()))[persons.rows[persons.of]]
        counts = np.zeros(microdata.sensitive.size, dtype=np.int64)
        np.add.at(counts, microdata.sensitive.codes, records)
        return cls(persons, records, counts)

    @property
    def whose(self) -> NDArray[np.int64]:
        """The person of each record."""
        assert self.persons.of is not None  # else nothing is weighed
        return self.persons.of

    def possible_without(self, microdata: Microdata, k: int, l: int) -> NDArray[np.bool_]:  # noqa: E741
        """Whether the whole table without each person is of k people, and meets ℓ."""
        rest = self.persons.count - 1
        bound = rest * WHOLE // l
        possible = np.full(self.persons.count, rest >= max(k, l, 1))
        # Only a few values can be above the bound.
        for value in np.flatnonzero(self.counts > bound):
            those = microdata.sensitive.codes == value
            own = np.zeros(self.persons.count, dtype=np.int64)
            np.add.at(own, self.whose[those], self.records[those])
            possible &= self.counts[value] - own <= bound
        return possible


def refuse_few_people(
    sanitizer: Sanitizer, microdata: Microdata, weighed: Weighed, k: int, goal: str = "k"
) -> None:
    """The whole table has fewer people than a class needs, for a goal k or ℓ."""
    n = weighed.persons.count
    if n < k:
        raise GoalError(
            "{label} cannot be met: the {rows:record} of {source} are of {n:person}, fewer than "
            "{k}; the largest possible {goal} is {most}",
            label=File(sanitizer.public_label, bare=True), rows=len(microdata),
            source=File(microdata.source, bare=True), n=n, k=Option(goal, k), goal=goal, most=n,
        )  # fmt: skip


def refuse_frequent_by_weight(
    sanitizer: Sanitizer,
    microdata: Microdata,
    weighed: Weighed,
    l: int,  # noqa: E741
    remark: str = "",
) -> None:
    """One value has more than 1/ℓ of the whole table, where all people weigh the same."""
    refuse_few_people(sanitizer, microdata, weighed, l, "l")
    most, n = int(weighed.counts.max()), weighed.persons.count
    if most > n * WHOLE // l:
        value = int(weighed.counts.argmax())
        having = len(np.unique(weighed.whose[microdata.sensitive.codes == value]))
        raise GoalError(
            "{label} cannot be met: {value} is the {column} of {share:.1%} of the {n:person} of "
            "{source}, more than 1/{l} (a person with several rows counts for each value by its "
            "share of their rows); the largest possible l is {largest}{remark}",
            label=File(sanitizer.public_label, bare=True),
            value=Cell(microdata.sensitive.texts[value], people=having),
            column=Column(microdata.sensitive.name), n=n, share=most / n / WHOLE,
            source=File(microdata.source, bare=True), l=l, largest=n * WHOLE // most,
            remark=remark,
        )  # fmt: skip
