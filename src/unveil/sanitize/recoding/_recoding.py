"""Recoding: k-anonymity, ℓ-diversity and t-closeness by publishing coarser values.

*Global* recoding (P. Samarati, L. Sweeney) generalizes the whole column: one level of the hierarchy
for all records, so that a value is published in one way only. Classes that still miss the goal are
suppressed, up to a share of the records. Of all combinations of levels the one that loses least is
found, and it is the least indeed: see `_lattice` for what is not looked at and why.

*Local* recoding generalizes each class by itself: see `_local`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from unveil.errors import GoalError, InputError
from unveil.microdata import Microdata, Release, Statistic
from unveil.sanitize._closeness import Distance
from unveil.sanitize._goal_checks import refuse_few, refuse_frequent
from unveil.sanitize._option_checks import check_goals, check_share
from unveil.sanitize._sanitizer import LeaveOneOut, Sanitizer, as_microdata, refuse_empty
from unveil.sanitize.recoding import _kernels as kernels
from unveil.sanitize.recoding._goal import goal_for, suppressible
from unveil.sanitize.recoding._lattice import Lattice
from unveil.sanitize.recoding._local import merged
from unveil.sanitize.recoding._losses import Loss
from unveil.sanitize.recoding._published import published
from unveil.sanitize.recoding._search import Judged, Problem, largest_l, least_loss
from unveil.sanitize.recoding._without import leave_one_out

__all__ = ["Recoding"]

_CHOICES = {
    "scheme": ("global", "local"),
    "loss": ("values", "width"),
}


_WHOLE = " (for local recoding the whole table has to meet it, before anything is suppressed)"


@dataclass(frozen=True, kw_only=True)
class Recoding(Sanitizer):
    """k-anonymity, ℓ-diversity and t-closeness by recoding columns, globally or locally.

    Parameters
    ----------
    k : int
        Every class has at least k records.
    l : int
        In every class no sensitive value belongs to more than 1/ℓ of the records (so there are
        at least ℓ distinct ones).
    t : float
        The sensitive values of every class are at most t away from those of the whole table, by
        the earth mover's distance.
    suppression : float
        The share of the records that may be suppressed: all their quasi-identifiers are ``*``,
        and they are one class, of which nothing is asked.
    scheme : {"global", "local"}
        One level of its hierarchy for a whole column, the best combination of levels there is; or
        cells of its own for each class, made by merging the nearest classes.
    loss : {"values", "width"}
        What is to be least: the share of the column's values that a cell covers, (v − 1)/(n − 1)
        for v of n; or, for numeric and ordinal columns, the width of a cell over the column's, as
        `unveil.information_loss` has it. A suppressed record has lost everything.
    t_distance : {"equal", "ordered", "hierarchical"}, optional
        How far sensitive values are apart; by default as for `unveil.t_closeness`.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [28, 36, 47, 53, 72, 75], "gender": ["M", "M", "F", "M", "F", "F"],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu", "Gout"]},
    ...     quasi=["age", "gender"], sensitive="disease",
    ...     hierarchies={"age": lambda ages: uv.interval_hierarchy(ages, widths=(20, 40))})
    >>> uv.Recoding(k=2, suppression=0.2).sanitize(patients)
    Release by Recoding(k=2, suppression=0.2): 6 records in 3 classes of 1 to 3
      age       gender  records
      [0, 40)   M       2
      [40, 80)  F       3
      *         *       1
      recoded: age to level 2 of 3, gender to level 0 of 1; 1 of 6 records are suppressed

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

    treats_equals_alike: ClassVar[bool] = True
    deterministic: ClassVar[bool] = True

    k: int | None = None
    l: int | None = None  # noqa: E741  (it is called l everywhere in this field)
    t: float | None = None
    suppression: float = 0.0
    scheme: Literal["global", "local"] = "global"
    loss: Loss = "values"
    t_distance: Distance | None = None

    def __post_init__(self) -> None:
        check_goals("Recoding", k=self.k, l=self.l, t=self.t, t_distance=self.t_distance)
        check_share("Recoding's", "suppression", self.suppression)
        for name, allowed in _CHOICES.items():
            value = getattr(self, name)
            if value not in allowed:
                words = " or ".join(f'"{word}"' for word in allowed)
                raise InputError(f"Recoding's {name} must be {words}, got {value!r}")

    def sanitize(self, microdata: Microdata) -> Release:
        microdata = as_microdata(microdata, "Recoding")
        if self.scheme == "local":
            return self._local(microdata)
        return published(*self.searched(microdata), self.label)

    def searched(self, microdata: Microdata) -> tuple[Problem, Judged]:
        """What global recoding searches, and the node of the lattice that it takes."""
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
            raise InputError('only scheme="global" has one level for a whole column')
        _, chosen = self.searched(as_microdata(microdata, "Recoding"))
        return dict(zip((c.name for c in microdata.quasi), chosen.node, strict=True))

    @property
    def leaves_one_out(self) -> bool:
        """Only the global scheme does: the local one merges anew without each kind of record."""
        return self.scheme == "global"

    def leave_one_out(
        self,
        microdata: Microdata,
        records: NDArray[np.intp],
        statistic: Statistic,
        *,
        n_jobs: int | None = None,
        done: Callable[[int], None] = lambda _: None,
    ) -> LeaveOneOut:
        """What a counting adversary sees with and without each record; exact for every one.

        The levels without each of them are searched for together.
        """
        if self.scheme != "global":
            raise InputError(
                'only scheme="global" knows its levels without each record; run sanitize_without '
                "for each"
            )
        problem = self._problem(microdata)
        return leave_one_out(
            problem,
            self._chosen(problem),
            records,
            statistic,
            limit=suppressible(self.suppression, len(microdata) - 1),
            done=done,
        )

    def _goal(self, microdata: Microdata) -> kernels.Goal:
        return goal_for(
            microdata.sensitive, microdata.sensitive_counts,
            k=self.k, l=self.l, t=self.t, distance=self.t_distance,
        )  # fmt: skip

    def _problem(self, microdata: Microdata) -> Problem:
        refuse_empty(self, microdata)
        return Problem(
            microdata=microdata,
            lattice=Lattice.of(microdata.quasi),
            goal=self._goal(microdata),
            limit=suppressible(self.suppression, len(microdata)),
            loss=self.loss,
        )

    def _chosen(self, problem: Problem) -> Judged:
        """The best node, or an error that says what could be met."""
        found = least_loss(problem)
        if found is not None:
            return found
        refuse_few(self, problem.microdata, int(self.k or 1))
        largest = largest_l(problem)
        some = "1 record is" if problem.limit == 1 else f"{problem.limit:,} records are"
        kept = f" if at most {some} suppressed" if problem.limit else ""
        raise GoalError(
            f"{self.label} cannot be met: at no levels of the columns of "
            f"{problem.microdata.source} do the classes have {self.l} values of "
            f"{problem.microdata.sensitive.name}, none of them in more than 1/{self.l} of the "
            f"records; the largest possible l is {largest}{kept}"
        )

    def _local(self, microdata: Microdata) -> Release:
        refuse_few(self, microdata, int(self.k or 1))
        whole = _WHOLE if self.suppression else ""
        refuse_frequent(self, microdata, microdata.sensitive_counts, int(self.l or 1), whole)
        found = merged(
            microdata,
            self._goal(microdata),
            suppressible(self.suppression, len(microdata)),
            self.loss,
        )
        return Release(
            quasi=microdata.quasi,
            sensitive=microdata.sensitive,
            class_of=found.class_of,
            regions=found.regions,
            made_by=self.label,
            notes=microdata.notes,
            suppressed=found.suppressed,
        )
