"""Mondrian: k-anonymity, ℓ-diversity and t-closeness by cutting the table again and again.

After K. LeFevre, D. DeWitt, R. Ramakrishnan, *Mondrian Multidimensional K-Anonymity*, ICDE 2006,
in its strict form: the parts are disjoint boxes.

A part is cut along its widest column, width being measured against the whole column: the range of
a numeric column, the levels of an ordinal one, the leaves beneath the lowest common hierarchy node
of a categorical one (its distinct values where it has no hierarchy). Equally wide columns come in
the order they were named. Numeric and ordinal columns, and categorical ones without a hierarchy in
sorted order, are cut at the median: between the two neighbouring values that leave the most even
halves, the lower place if there are two. A hierarchy is cut into its node's children. A cut is
taken only if *every* part that has records keeps k, ℓ and t; if not, the next widest column is
tried. A part that no column can cut is a class.

Some people may ask for a larger class than k: their *crowd*. A part must then also be as large as
the largest crowd that one of its own members asks for. Refusing the cut that would have isolated
somebody leaves them together with their neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from unveil.errors import GoalError, InputError
from unveil.microdata import Intervals, Microdata, Regions, Release, Sets, Statistic
from unveil.sanitize import _kernels as kernels
from unveil.sanitize._closeness import Distance, distance_between, stretches
from unveil.sanitize._crowds import Crowds
from unveil.sanitize._goal_checks import refuse_few, refuse_frequent
from unveil.sanitize._leave_one_out import leave_one_out
from unveil.sanitize._option_checks import check_goals
from unveil.sanitize._partition import Partition, cut_kind, make_rules
from unveil.sanitize._sanitizer import LeaveOneOut, Sanitizer, as_microdata

__all__ = ["Mondrian"]


@dataclass(frozen=True, kw_only=True)
class Mondrian(Sanitizer):
    """k-anonymity, ℓ-diversity and t-closeness by Mondrian's recursive cuts.

    At least one of the three is given; what is not given is not asked for.

    Parameters
    ----------
    k : int
        Every class has at least k records.
    l : int
        In every class no sensitive value belongs to more than 1/ℓ of the records (so there are
        at least ℓ distinct ones).
    t : float
        The sensitive values of every class are at most t away from those of the whole table, by
        the earth mover's distance, as `unveil.t_closeness` measures it.
    t_distance : {"equal", "ordered", "hierarchical"}, optional
        How far sensitive values are apart; by default as for `unveil.t_closeness`:
        ``"hierarchical"`` if they have a hierarchy, else ``"ordered"`` if they have an order, else
        ``"equal"``.
    regions : {"tight", "cut"}
        What a class publishes: the range (numeric, ordinal) or set (categorical) of what its
        members have, or the region that the cuts have left to it.
    crowds : Crowds or mapping, optional
        For some combinations of quasi-identifiers, in the order of the table's columns, the
        smallest class that their people accept, such as ``{(34, "Bachelors"): 20}``. Everybody
        else is content with k.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [28, 36, 47, 53, 72], "gender": ["M", "M", "F", "M", "F"],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"]},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> uv.Mondrian(k=2).sanitize(patients)
    Release by Mondrian(k=2): 5 records in 2 classes of 2 to 3
      age       gender  records
      [28, 36]  M       2
      [47, 72]  {F, M}  3
    >>> uv.Mondrian(k=2, regions="cut").sanitize(patients).to_frame()
          age gender disease
    0    ≤ 36      *     Flu
    1    ≤ 36      *     Flu
    2    > 36      *  Cancer
    3    > 36      *     Flu
    4    > 36      *     Flu

    Of the five patients one has cancer. Apart, they would be 0.2 and 0.13 away from that:

    >>> uv.Mondrian(k=2, t=0.15).sanitize(patients).n_classes
    1
    """

    treats_equals_alike: ClassVar[bool] = True
    deterministic: ClassVar[bool] = True

    k: int | None = None
    l: int | None = None  # noqa: E741  (it is called l everywhere in this field)
    t: float | None = None
    t_distance: Distance | None = None
    regions: Literal["tight", "cut"] = "tight"
    # Too long to be written into the name of a sanitizer.
    crowds: Crowds | Mapping[Any, int] | None = field(default=None, metadata={"by_name": False})

    def __post_init__(self) -> None:
        check_goals("Mondrian", k=self.k, l=self.l, t=self.t, t_distance=self.t_distance)
        if self.regions not in ("tight", "cut"):
            raise InputError(f'Mondrian\'s regions must be "tight" or "cut", got {self.regions!r}')
        if self.crowds is not None:
            object.__setattr__(self, "crowds", Crowds.of(self.crowds))

    @property
    def _goal(self) -> tuple[int, int]:
        """k and ℓ; 1 asks for nothing."""
        return int(self.k or 1), int(self.l or 1)

    def _asked(self, microdata: Microdata) -> NDArray[np.int32] | None:
        """The class size that each record asks for; None if nobody asks for more than k."""
        if not self.crowds:
            return None
        asked = Crowds.of(self.crowds).asked(microdata)
        return asked if asked.max(initial=0) > self._goal[0] else None

    def sanitize(self, microdata: Microdata) -> Release:
        microdata = as_microdata(microdata, "Mondrian")
        partition = self.partition(microdata)
        starts = partition.class_starts
        class_of = np.empty(len(microdata), dtype=np.int32)
        sizes = np.diff(np.append(starts, len(microdata)))
        class_of[partition.order[0]] = np.repeat(np.arange(len(starts)), sizes)
        return Release(
            quasi=microdata.quasi,
            sensitive=microdata.sensitive,
            class_of=class_of,
            regions=tuple(
                _regions(partition, microdata, starts, j) for j in range(len(microdata.quasi))
            ),
            made_by=self.label,
            notes=microdata.notes,
        )

    def partition(self, microdata: Microdata) -> Partition:
        """The tree of cuts behind the release."""
        asked = self._asked(microdata)
        self._check_goal(microdata, asked)
        return Partition.grow(microdata, self._rules(microdata, asked), asked)

    def leave_one_out(
        self,
        microdata: Microdata,
        records: NDArray[np.intp],
        statistic: Statistic,
        *,
        n_jobs: int | None = None,
        done: Callable[[int], None] = lambda _: None,
    ) -> LeaveOneOut:
        """What a counting adversary sees with and without each record; exact for every one."""
        asked = self._asked(microdata)
        self._check_goal(microdata, asked)
        return leave_one_out(
            microdata,
            records,
            statistic,
            rules=self._rules(microdata, asked),
            asked=asked,
            possible=self._possible_without(microdata, asked, records),
            n_jobs=n_jobs,
            done=done,
        )

    def _rules(self, microdata: Microdata, asked: NDArray[np.int32] | None) -> kernels.Rules:
        secret, apart = microdata.sensitive, None
        if self.t is not None:
            apart = stretches(secret, distance_between(secret, self.t_distance))
        return make_rules(
            microdata,
            k=self._goal[0],
            l=self._goal[1],
            t=self.t,
            stretches=apart,
            crowds=asked is not None,
            tight=self.regions == "tight",
        )

    def _check_goal(self, microdata: Microdata, asked: NDArray[np.int32] | None) -> None:
        n, (k, l) = len(microdata), self._goal  # noqa: E741
        refuse_few(self, microdata, k)
        if asked is not None and n < asked.max():
            raise GoalError(
                f"{self.label} cannot be met: {microdata.source} has {n:,} records, fewer than "
                f"the crowd of {int(asked.max()):,} that somebody asks for"
            )
        refuse_frequent(self, microdata, microdata.sensitive_counts, l)

    def _possible_without(
        self,
        microdata: Microdata,
        asked: NDArray[np.int32] | None,
        records: NDArray[np.intp],
    ) -> NDArray[np.bool_]:
        """Whether the whole table still meets the goal without each of the records."""
        counts, rest = microdata.sensitive_counts, len(microdata) - 1
        order = np.argsort(counts)
        most = np.full(len(records), counts[order[-1]])
        runner_up = counts[order[-2]] if len(counts) > 1 else 0
        in_largest = microdata.sensitive.codes[records] == order[-1]
        most[in_largest] = max(counts[order[-1]] - 1, runner_up)
        possible: NDArray[np.bool_] = (rest >= self._goal[0]) & (most * self._goal[1] <= rest)
        if asked is not None:
            # Of those who ask for more than the others are, only one can be left out in peace.
            too_much = asked > rest
            possible &= too_much.sum() - too_much[records] == 0
        return possible


def _regions(
    partition: Partition, microdata: Microdata, starts: NDArray[np.int64], j: int
) -> Regions:
    """What the classes publish for column j."""
    tree, order = partition.tree, partition.order
    if not partition.rules.tight:
        low, high = tree.region[tree.leaf[starts, 1], j].astype(np.int32).T
        column = microdata.quasi[j]
        there = None
        if cut_kind(column) == kernels.FLAT:
            there = np.bincount(column.codes, minlength=column.size) > 0
        return Intervals(low, high, cuts=True, there=there)
    sorted_codes = microdata.codes[j, order[j]]
    if microdata.quasi[j].is_ordered:
        ends = np.append(starts[1:], len(sorted_codes)) - 1
        return Intervals(sorted_codes[starts], sorted_codes[ends])
    new = np.ones(len(sorted_codes), dtype=bool)
    new[1:] = sorted_codes[1:] != sorted_codes[:-1]
    new[starts] = True
    members_before = np.concatenate([[0], np.cumsum(new)])
    return Sets(np.append(members_before[starts], members_before[-1]), sorted_codes[new])
