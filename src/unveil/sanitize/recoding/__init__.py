"""Recoding: k-anonymity, ℓ-diversity and t-closeness by publishing coarser values.

*Global* recoding (P. Samarati, L. Sweeney) generalizes whole columns: one level of the hierarchy
for all records, so that a value is published in one way only. Classes that still miss the goal are
suppressed, up to a share of the records. The combination of levels with the least loss is found
exactly: see `_lattice`. *Local* recoding generalizes each class by itself: see `_local`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from unveil._text import counted
from unveil.errors import Column, File, GoalError, InputError, Option
from unveil.microdata import Intervals, Microdata, Release, Statistic
from unveil.options import Share
from unveil.sanitize._goals import Grouping, refuse_empty, refuse_few, refuse_frequent
from unveil.sanitize._sanitizer import LeaveOneOut, as_microdata
from unveil.sanitize._weights import (
    Weighed,
    refuse_few_people,
    refuse_frequent_by_weight,
    shares,
)
from unveil.sanitize.recoding import _kernels as kernels
from unveil.sanitize.recoding._lattice import Lattice, Loss, Node
from unveil.sanitize.recoding._local import merged, node_regions, range_regions
from unveil.sanitize.recoding._search import (
    Judged,
    Problem,
    largest_l,
    least_loss,
    suppressible,
)
from unveil.sanitize.recoding._without import leave_one_out

__all__ = ["Judged", "Node", "Problem", "Recoding"]


_WHOLE = " (for local recoding the whole table has to meet it, before any suppression)"


@dataclass(frozen=True, kw_only=True)
class Recoding(Grouping):
    """k-anonymity, ℓ-diversity and t-closeness by recoding columns, globally or locally.

    Parameters
    ----------
    k : int
        Every class has at least k records; of k people, where a person may have several.
    l : int
        In every class no sensitive value has more than 1/ℓ of the records (so there are at least
        ℓ distinct ones). Where a person may have several records, all people of a class weigh the
        same, and there are at least ℓ of them.
    t : float
        The sensitive values of every class are at most t away from those of the whole table, by
        the earth mover's distance.
    suppression : float
        The share of the records that may be suppressed: all their quasi-identifiers are ``*``,
        and they form one class that need not meet the goal.
    scheme : {"global", "local"}
        One level for a whole column, with the best combination of levels; or separate cells for
        each class, made by merging the nearest classes.
    loss : {"values", "width"}
        The loss to minimize: the share of the column's values that a cell covers, (v − 1)/(n − 1)
        for v of n; or, for numeric and ordinal columns, the width of a cell over the column's, as
        in `unveil.information_loss`. A suppressed record loses everything.
    t_distance : {"equal", "ordered", "hierarchical"}, optional
        Distance between sensitive values; by default as in `unveil.t_closeness`.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [28, 36, 47, 53, 72, 75], "gender": ["M", "M", "F", "M", "F", "F"],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu", "Gout"]},
    ...     quasi=["age", "gender"], sensitive="disease",
    ...     hierarchies={"age": lambda ages: uv.interval_hierarchy(ages, widths=(20, 40))})
    >>> uv.Recoding(k=2, suppression=0.2).sanitize(patients)
    Release by Recoding(k=2, suppression=0.2): 6 records in 2 classes of 2 to 3; 1 is suppressed
      age       gender  records
      [0, 40)   M       2
      [40, 80)  F       3
      *         *       1
      recoded: age to level 2 of 3, gender to level 0 of 1; 1 of 6 records is suppressed

    Locally recoded cells may overlap:

    >>> others = uv.read_table(
    ...     {"nationality": ["Malaysia", "Japan", "Japan", "Japan", "China", "Japan"],
    ...      "zip": ["45501", "45502", "55503", "55504", "66601", "66601"],
    ...      "disease": ["Heart", "Flu", "Flu", "Stomach", "HIV", "Diabetes"]},
    ...     quasi=["nationality", "zip"], sensitive="disease")
    >>> uv.Recoding(k=2, scheme="local").sanitize(others).to_frame()
             nationality    zip   disease
    0  {Japan, Malaysia}  4550*     Heart
    1  {Japan, Malaysia}  4550*       Flu
    2              Japan  5550*       Flu
    3              Japan  5550*   Stomach
    4     {China, Japan}  66601       HIV
    5     {China, Japan}  66601  Diabetes
    """

    suppression: Share = 0.0
    scheme: Literal["global", "local"] = "global"
    loss: Loss = "values"

    def sanitize(self, microdata: Microdata) -> Release:
        microdata = as_microdata(microdata, "Recoding")
        if self.scheme == "local":
            return self._local(microdata)
        return self._published(*self.searched(microdata))

    def searched(self, microdata: Microdata) -> tuple[Problem, Judged]:
        """The search problem of global recoding, and the node of the lattice that it chooses."""
        problem = self._problem(microdata)
        return problem, self._chosen(problem)

    def levels(self, microdata: Microdata) -> dict[str, int]:
        """The level to which global recoding brings each column; 0: values as they are.

        Levels of a hierarchy that change nothing are not counted.

        >>> import unveil as uv
        >>> towns = uv.read_table({"town": ["Nice", "Rome"], "vote": ["a", "b"]},
        ...                       quasi="town", sensitive="vote")
        >>> uv.Recoding(k=1).levels(towns), uv.Recoding(k=2).levels(towns)
        ({'town': 0}, {'town': 1})
        """
        if self.scheme != "global":
            raise InputError(
                "only {scheme} has one level for a whole column", scheme=Option("scheme", "global")
            )
        _, chosen = self.searched(as_microdata(microdata, "Recoding"))
        return dict(zip((c.name for c in microdata.quasi), chosen.node, strict=True))

    @property
    def leaves_one_out(self) -> bool:
        """Only the global scheme does; the local one is run again without each record."""
        return self.scheme == "global"

    def leave_one_out(
        self,
        microdata: Microdata,
        records: NDArray[np.intp],
        statistic: Statistic,
        *,
        jobs: int | None = None,
        done: Callable[[int], None] = lambda _: None,
    ) -> LeaveOneOut:
        """The counts of an adversary with and without each record; exact for every one."""
        if not self.leaves_out(microdata):
            raise InputError(
                "only {scheme}, where each record is another person's, knows its levels without "
                "each record; run sanitize_without for each", scheme=Option("scheme", "global"),
            )  # fmt: skip
        problem = self._problem(microdata)
        return leave_one_out(
            problem,
            self._chosen(problem),
            records,
            statistic,
            limit=suppressible(self.suppression, len(microdata) - 1),
            done=done,
        )

    def _goal(self, microdata: Microdata, weighed: Weighed | None) -> kernels.Goal:
        apart, (k, l) = self.stretches(microdata, weighed), self.least  # noqa: E741
        n, share = len(microdata), np.zeros(0, dtype=np.int64)
        if weighed is not None:
            n, share = weighed.persons.count, shares(int(weighed.persons.rows.max()))
        return kernels.Goal(k, l, microdata.sensitive.size, n, apart.rows, apart.far, share)

    def _problem(self, microdata: Microdata) -> Problem:
        refuse_empty(self, microdata)
        weighed = Weighed.of(microdata)
        return Problem(
            microdata=microdata,
            lattice=Lattice.of(microdata.quasi),
            goal=self._goal(microdata, weighed),
            limit=suppressible(self.suppression, len(microdata)),
            loss=self.loss,
            one=self.stretches(microdata).one,
            weighed=weighed,
        )

    def _chosen(self, problem: Problem) -> Judged:
        """The best node, or an error that says what could be met."""
        found = least_loss(problem)
        if found is not None:
            return found
        if problem.weighed is not None:
            refuse_few_people(self, problem.microdata, problem.weighed, self.least[0])
        refuse_few(self, problem.microdata, self.least[0])
        raise GoalError(
            "{label} cannot be met: at no levels of the columns of {source} do the classes have "
            "{l} values of {column}, none of them in more than 1/{l} of the {what}; the largest "
            "possible l is {largest}{kept}",
            what="records" if problem.weighed is None else "people",
            label=File(self.label, bare=True), source=File(problem.microdata.source, bare=True),
            l=self.l, column=Column(problem.microdata.sensitive.name), largest=largest_l(problem),
            kept=f" if at most {counted(problem.limit, 'record')} may be suppressed"
            if problem.limit else "",
        )  # fmt: skip

    def _local(self, microdata: Microdata) -> Release:
        k, l = self.least  # noqa: E741
        whole, weighed = _WHOLE if self.suppression else "", Weighed.of(microdata)
        if weighed is None:
            refuse_few(self, microdata, k)
            refuse_frequent(self, microdata, microdata.sensitive_counts, l, whole)
        else:
            refuse_few_people(self, microdata, weighed, k)
            refuse_frequent_by_weight(self, microdata, weighed, l, whole)
        limit = suppressible(self.suppression, len(microdata))
        found = merged(microdata, self._goal(microdata, weighed), limit, self.loss, weighed)
        return self._released(microdata, found.class_of, found.regions)

    def _published(self, problem: Problem, chosen: Judged) -> Release:
        """The release of a node: the classes that meet the goal, then one of the suppressed."""
        microdata = problem.microdata
        kept = np.flatnonzero(~chosen.misses)
        number = np.full(len(chosen.misses), len(kept))
        number[kept] = np.arange(len(kept))
        class_of = number[chosen.classes.class_of][problem.distinct.tuple_of]
        suppressed = int((class_of == len(kept)).sum())
        # One combination of each class; which one does not matter.
        rows = np.append(chosen.classes.first[kept], [0] if suppressed else []).astype(np.intp)
        hidden = np.arange(len(rows)) == len(kept)
        columns = range(len(microdata.quasi))
        return self._released(
            microdata,
            class_of,
            [_regions(problem, chosen, j, rows, hidden) for j in columns],
            _note(problem, chosen, suppressed),
        )


def _regions(
    problem: Problem,
    chosen: Judged,
    j: int,
    rows: NDArray[np.intp],
    hidden: NDArray[np.bool_],
) -> Intervals:
    """What the classes publish for column j."""
    column, codes = problem.microdata.quasi[j], problem.distinct.table.codes[j, rows]
    node = problem.lattice.ladders[j].node[chosen.node[j]][codes]
    if column.hierarchy is not None:
        return node_regions(column, column.hierarchy, node, hidden)
    return range_regions(column, codes, codes, hidden | (node < 0))


def _note(problem: Problem, chosen: Judged, suppressed: int) -> str:
    """The level of each column, in words."""
    levels = ", ".join(
        f"{column.name} left out, as it has no hierarchy"
        if column.hierarchy is None and level
        else f"{column.name} to level {level} of {len(ladder) - 1}"
        for column, level, ladder in zip(
            problem.microdata.quasi, chosen.node, problem.lattice.ladders, strict=True
        )
    )
    n = len(problem.microdata)
    are = "is" if suppressed == 1 else "are"
    gone = f"; {suppressed:,} of {n:,} records {are} suppressed" if suppressed else ""
    return f"recoded: {levels}{gone}"
