"""The *basic* Mondrian that the reports of 2018 and 2019 ran, quirks and all.

It is here to reproduce what was published, and no option of unveil, because it does not keep what
it promises: the right part of a numeric split is not checked against k.

The walk. Of a part's columns the one with the largest normalized width is tried, the first of
several; a column that does not split the part is not tried again in it. A numeric column's width is
that of the range last known, the whole domain at first. A categorical column's is its node's number
of leaves over the column's, 0 for a leaf. A numeric column splits at the first value at which the
cumulative count reaches ⌊n/2⌋, if that is at least the goal and the value is not the last. A
categorical one splits into all the children of its node that have records.

For k, every non-empty *child* must have k records, and trying a numeric column makes its actual
range known. For ℓ, every part of every split must have ℓ records, ℓ distinct sensitive values and
none that more than 1/ℓ of it has; and a numeric column's range changes by splitting alone.

A class publishes the range last known of each numeric column and the node of each categorical one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal

import basic_kernels as kernels
import numpy as np
from numpy.typing import NDArray
from text_regions import TextIntervals, ranks_as_text

from unveil.engine import Task, run_tasks, workers
from unveil.errors import GoalError, InputError
from unveil.microdata import (
    Column,
    Hierarchy,
    Intervals,
    Kind,
    Microdata,
    Regions,
    Release,
    Statistic,
)
from unveil.sanitize import LeaveOneOut, Sanitizer

__all__ = ["BasicMondrian", "Comparison"]

Comparison = Literal["text", "number"]

_PIECES = 4  # that a worker's targets are cut into


@dataclass(frozen=True, kw_only=True)
class BasicMondrian(Sanitizer):
    """k-anonymity or ℓ-diversity as the reports ran them.

    Parameters
    ----------
    k, l : int
        The goal: one of them.
    compare : {"number", "text"}
        How whoever reads the release finds out whether a numeric range covers a value.
    """

    treats_equals_alike: ClassVar[bool] = True

    k: int | None = None
    l: int | None = None  # noqa: E741  (it is called l everywhere in this field)
    compare: Comparison = "number"

    def __post_init__(self) -> None:
        if (self.k is None) == (self.l is None):
            raise InputError("the basic Mondrian has one goal: give k, such as k=5, or l")
        if self._goal < 1:
            raise InputError(f"k and l must be whole numbers from 1 up, got {self._goal}")
        if self.compare not in ("text", "number"):
            raise InputError(f'compare must be "text" or "number", got {self.compare!r}')

    @property
    def _goal(self) -> int:
        return int(self.k if self.l is None else self.l)  # type: ignore[arg-type]

    def sanitize(self, microdata: Microdata) -> Release:
        if len(microdata) == 0:
            raise GoalError(f"{self.label} cannot be met: {microdata.source} has no records")
        return self._release(microdata, _Walk(self, microdata))

    def leave_one_out(
        self,
        microdata: Microdata,
        records: NDArray[np.intp],
        statistic: Statistic,
        *,
        jobs: int | None = None,
        done: Callable[[int], None] = lambda _: None,
    ) -> LeaveOneOut:
        """What a counting adversary sees with and without each record; exact for every one."""
        walk = _Walk(self, microdata)
        present = self._release(microdata, walk).statistic(statistic, microdata.codes[:, records])
        once, where = np.unique(records, return_inverse=True)
        counts = np.empty((len(once), *present.shape[1:]), dtype=np.int64)
        counts[where] = present
        joint = statistic is Statistic.JOINT
        walk.without(once, counts[:, None] if joint else counts, joint, workers(jobs), done)
        done(len(records) - len(once))
        possible = np.full(len(records), len(microdata) > 1)
        return LeaveOneOut(present.astype(np.int32), counts[where].astype(np.int32), possible)

    def _release(self, microdata: Microdata, walk: _Walk) -> Release:
        class_of, cells = walk.classes()
        return Release(
            quasi=microdata.quasi,
            sensitive=microdata.sensitive,
            class_of=class_of,
            regions=tuple(
                self._regions(column, low, high)
                for column, (low, high) in zip(microdata.quasi, cells, strict=True)
            ),
            made_by=self.label,
            notes=microdata.notes,
        )

    def _regions(self, column: Column, low: NDArray[np.int32], high: NDArray[np.int32]) -> Regions:
        if not column.is_ordered:
            tree = _hierarchy(column)
            return Intervals(tree.first[low], tree.last[low])
        if self.compare == "text" and column.kind is Kind.NUMERIC:
            return TextIntervals(low, high, ranks_as_text(column))
        return Intervals(low, high)


class _Walk:
    """The walk through one table."""

    def __init__(self, sanitizer: BasicMondrian, microdata: Microdata) -> None:
        self.n, self.secret = len(microdata), microdata.sensitive.codes
        self.rules, self.first_nodes = _rules(sanitizer, microdata)
        self.table = np.ascontiguousarray(microdata.codes)
        # For k nobody's sensitive value matters to the walk.
        diverse = self.rules.diverse
        self.label = self.secret if diverse else np.zeros(self.n, dtype=np.int32)
        self.labels = microdata.sensitive.size if diverse else 1
        known = [
            (0, c.size - 1) if c.is_ordered else 2 * (_hierarchy(c).root + first,)
            for c, first in zip(microdata.quasi, self.first_nodes, strict=True)
        ]
        self.root = np.array([0, self.n, *np.ravel(known)], dtype=np.int64)
        self.grown = kernels.new_work(self.rules, self.n, self.labels)
        self.grown.records[kernels.ORDER] = np.arange(self.n)
        self.n_classes = kernels.grow(self.rules, self.grown, self.table, self.label, self.root)

    def classes(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The class of each record, and columns × 2 × classes: codes, or the column's own nodes."""
        found = self.grown.found[: self.n_classes][::-1]
        sizes = found[:, kernels.END] - found[:, kernels.START]
        class_of = np.empty(self.n, dtype=np.int32)
        class_of[self.grown.records[kernels.ORDER]] = np.repeat(np.arange(len(found)), sizes)
        cells = found[:, kernels.STATE :].reshape(len(found), -1, 2) - self.first_nodes[:, None]
        return class_of, cells.transpose(1, 2, 0).astype(np.int32)

    def without(
        self,
        targets: NDArray[np.intp],
        counts: NDArray[np.int64],
        joint: bool,
        jobs: int,
        done: Callable[[int], None],
    ) -> None:
        """Turn the counts of each target into those of the release without it."""

        def task(places: NDArray[np.intp]) -> Task:
            def run() -> Iterable[Task]:
                whole = kernels.Work(*(array.copy() for array in self.grown))
                again = kernels.new_work(self.rules, self.n, self.labels)
                waiting = np.full(self.n, -1, dtype=np.int64)
                waiting[targets[places]] = places
                kernels.walk(
                    self.rules, whole, again, self.table, self.label, self.secret, self.root,
                    self.n_classes, waiting, joint, counts,
                )  # fmt: skip
                done(len(places))
                return ()

            return run

        # Neighbours in the walk go together: a piece looks only at parts that have its targets.
        place_in_walk = np.argsort(self.grown.records[kernels.ORDER])
        pieces = np.array_split(np.argsort(place_in_walk[targets]), _PIECES * jobs)
        run_tasks([task(places) for places in pieces if len(places)], jobs)


def _hierarchy(column: Column) -> Hierarchy:
    """A categorical column's hierarchy, which the basic Mondrian cannot do without."""
    if column.hierarchy is None:
        raise InputError(
            f"the basic Mondrian needs a hierarchy for the column {column.name!r}; give one, such "
            "as unveil.flat_hierarchy"
        )
    return column.hierarchy


def _rules(
    sanitizer: BasicMondrian, microdata: Microdata
) -> tuple[kernels.Rules, NDArray[np.int64]]:
    """The rules for a table, and where each column's nodes begin among those of all columns."""
    columns = microdata.quasi
    first_nodes = np.zeros(len(columns), dtype=np.int64)
    extent, codes = np.empty(len(columns)), []
    nodes: list[NDArray[np.int64]] = []
    children = [np.empty(0, dtype=np.int64)]
    for j, column in enumerate(columns):
        as_text = sanitizer.compare == "text" and column.kind is Kind.NUMERIC
        ranks = ranks_as_text(column) if as_text else np.arange(column.size)
        codes.append(np.stack([column.positions, ranks]))
        if column.is_ordered:
            extent[j] = column.positions[-1] - column.positions[0]
            continue
        tree = _hierarchy(column)
        first_nodes[j], extent[j] = sum(len(some) for some in nodes), tree.n_leaves
        starts = tree.child_start[:-1] + sum(len(some) for some in children)
        nodes.append(np.stack([tree.first, tree.last, starts], axis=1))
        children.append(tree.child_list + first_nodes[j])
    child = np.concatenate(children)
    node = np.zeros((sum(len(some) for some in nodes) + 1, 4), dtype=np.int64)
    node[:-1, : kernels.CHILD] = np.concatenate([*nodes, np.empty((0, 3), dtype=np.int64)])
    node[-1, kernels.CHILDREN] = len(child)  # every node but the roots is somebody's child
    node[: len(child), kernels.CHILD] = child
    sizes = np.array([column.size for column in columns])
    rules = kernels.Rules(
        column=np.stack([[c.is_ordered for c in columns], np.cumsum(sizes) - sizes], axis=1),
        code=np.concatenate(codes, axis=1).astype(np.float64),
        extent=extent,
        node=node,
        goal=sanitizer._goal,
        diverse=sanitizer.l is not None,
    )
    return rules, first_nodes
