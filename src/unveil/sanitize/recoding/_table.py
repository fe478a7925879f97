"""The distinct combinations of a table's quasi-identifiers, and the classes they make at a node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Microdata
from unveil.sanitize.recoding import _kernels as kernels
from unveil.sanitize.recoding._goal import looks_inside

__all__ = ["Classes", "Classifier", "Distinct", "Table", "distinct"]

_SPAN = 2**62  # numbers below it fit into 64 bits
_DENSE = 16  # places for one entry, up to which all places are gone through


class Table(NamedTuple):
    """Distinct combinations of codes (columns × combinations), and their entries.

    An entry is a row: a combination, a sensitive value, and how many records have both. They are
    sorted.
    """

    codes: NDArray[np.int32]
    entry: NDArray[np.int64]

    @property
    def size(self) -> int:
        """How many combinations there are."""
        return self.codes.shape[1]

    def rolled_up(self, classes: Classes, values: int) -> Table:
        """The table of the classes: one combination of each, and the entries of all."""
        flat = classes.class_of[self.entry[:, kernels.TUPLE]] * values
        flat += self.entry[:, kernels.SECRET]
        number = self.entry[:, kernels.COUNT]
        room = len(classes.first) * values
        if room <= _DENSE * len(flat):  # counting beats sorting
            counts = np.bincount(flat, weights=number, minlength=room)
            found = np.flatnonzero(counts)
            number = counts[found].astype(np.int64)
        else:
            found, which = np.unique(flat, return_inverse=True)
            number = np.bincount(which, weights=number).astype(np.int64)
        rows = np.stack([found // values, found % values, number], axis=1)
        return Table(np.ascontiguousarray(self.codes[:, classes.first]), rows)

    def without_secrets(self) -> Table:
        """The same with all sensitive values alike, for goals that do not look at them."""
        sizes = np.bincount(self.entry[:, kernels.TUPLE], weights=self.entry[:, kernels.COUNT])
        rows = np.zeros((len(sizes), 3), dtype=np.int64)
        rows[:, kernels.TUPLE], rows[:, kernels.COUNT] = np.arange(len(sizes)), sizes
        return Table(self.codes, rows)


@dataclass(frozen=True, eq=False)
class Distinct:
    """A table, and which of its combinations and entries each record is."""

    table: Table
    tuple_of: NDArray[np.int64]
    entry_of: NDArray[np.int64]


def distinct(microdata: Microdata) -> Distinct:
    """Count the combinations of a table.

    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 20, 30], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> distinct(survey).table.entry
    array([[0, 1, 1],
           [1, 0, 2]])
    """
    codes, secret = microdata.codes, microdata.sensitive
    keys, span = np.zeros(len(microdata), dtype=np.int64), 1
    for row, column in zip(codes, microdata.quasi, strict=True):
        if span > _SPAN // column.size:  # count only the combinations that there are
            kept, keys = np.unique(keys, return_inverse=True)
            span = len(kept)
        keys = keys * column.size + row
        span *= column.size
    _, first, tuple_of = np.unique(keys, return_index=True, return_inverse=True)
    flat = tuple_of * secret.size + secret.codes
    found, entry_of, number = np.unique(flat, return_inverse=True, return_counts=True)
    rows = np.stack([found // secret.size, found % secret.size, number], axis=1)
    table = Table(np.ascontiguousarray(codes[:, first]), rows.astype(np.int64))
    return Distinct(table, tuple_of, entry_of)


class Classes(NamedTuple):
    """Combinations in classes.

    Attributes
    ----------
    class_of : array
        The class of each combination. Classes are numbered by their first one.
    first : array
        The first combination of each class.
    sizes : array
        Records in each class.
    """

    class_of: NDArray[np.int64]
    first: NDArray[np.int64]
    sizes: NDArray[np.int64]


class Classifier:
    """Makes classes of a table's combinations, or of a smaller table's, and judges them."""

    def __init__(self, table: Table, group: NDArray[np.int32], goal: kernels.Goal) -> None:
        self.goal = goal
        self._group = group
        self._work = np.zeros((3, table.size), dtype=np.int64)
        self._slots = np.zeros(1 << max(4, (2 * table.size).bit_length()), dtype=np.int64)
        self._room = np.zeros((2, len(table.entry) + 1), dtype=np.int64)
        self._hist = np.zeros(len(goal.totals), dtype=np.int64)
        self._known = np.full(len(goal.totals), -1)
        self._tree = np.zeros((len(goal.parent), 2), dtype=np.int64)

    def classes(self, table: Table, at: NDArray[np.int64]) -> Classes:
        """The classes of a node; ``at`` as `Lattice.at` gives it."""
        n = kernels.classes(table.codes, self._group, at, self._work, self._slots)
        class_of = self._work[kernels.CLASS, : table.size].copy()
        sizes = np.bincount(
            class_of[table.entry[:, kernels.TUPLE]], weights=table.entry[:, kernels.COUNT]
        )
        first = self._work[kernels.FIRST_OF, :n].copy()
        return Classes(class_of, first, sizes.astype(np.int64))

    def misses(self, table: Table, classes: Classes) -> NDArray[np.bool_]:
        """Which classes miss the goal."""
        misses = self.misses_within(table, classes, int(classes.sizes.sum()))
        assert misses is not None  # no more records than there are
        return misses

    def misses_within(
        self, table: Table, classes: Classes, limit: int, *, spared: bool = False
    ) -> NDArray[np.bool_] | None:
        """The same; None where more than ``limit`` records are in classes that miss the goal.

        With ``spared``, not counting the largest such class.
        """
        # ℓ values none of which is frequent need ℓ records. So much is known without looking.
        misses = classes.sizes < max(self.goal.k, self.goal.l)
        missing = classes.sizes[misses]
        known = int(missing.sum() - (missing.max(initial=0) if spared else 0))
        if known <= limit and looks_inside(self.goal):
            known = kernels.judge(
                table.entry, classes.class_of, classes.sizes, self.goal, self._room, self._hist,
                self._tree, int(spared), limit, misses,
            )  # fmt: skip
        return misses if known <= limit else None

    def too_small(self, classes: Classes) -> int:
        """How many records are in classes that miss the goal whatever is in them."""
        return int(classes.sizes[classes.sizes < max(self.goal.k, self.goal.l)].sum())

    def misses_without(
        self, table: Table, classes: Classes, is_target: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """For each entry that is a target, whether its class misses the goal with one record less.

        One of that entry.
        """
        class_of_entry = classes.class_of[table.entry[:, kernels.TUPLE]]
        misses: NDArray[np.bool_] = (classes.sizes <= self.goal.k)[class_of_entry]
        if looks_inside(self.goal):
            kernels.judge_without(
                table.entry, classes.class_of, classes.sizes, self.goal, self._room, self._hist,
                self._known, self._tree, is_target, misses,
            )  # fmt: skip
        return misses
