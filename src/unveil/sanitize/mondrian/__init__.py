"""Mondrian: k-anonymity, ℓ-diversity and t-closeness by recursive cuts.

After K. LeFevre, D. DeWitt, R. Ramakrishnan, *Mondrian Multidimensional K-Anonymity*, ICDE 2006, in
its strict form: the parts are disjoint boxes.

A part is cut along its widest column. Width is relative to the whole column: the range of a numeric
column, the levels of an ordinal one, the leaves below the lowest common hierarchy node of a
categorical one (its distinct values if it has no hierarchy). Ties go to the column named first.
Numeric and ordinal columns, and categorical ones without a hierarchy in sorted order, are cut at
the median: between the two neighbouring values that give the most even halves, the lower place if
there are two. A hierarchy is cut into its node's children. A cut is accepted only if *every* part
with records meets k, ℓ and t; if not, the next widest column is tried. A part that no column can
cut is a class.

Some people may ask for a larger class than k: their *crowd*. A part must then also be as large as
the largest crowd that one of its members asks for. Refusing the cut that would have isolated
someone leaves them together with their neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil._text import counted
from unveil.errors import Cell, Column, File, GoalError, InputError, Listed, Option
from unveil.microdata import Intervals, Microdata, Regions, Release, Sets, Statistic, value_text
from unveil.sanitize._goals import Grouping, refuse_few, refuse_frequent
from unveil.sanitize._sanitizer import LeaveOneOut, as_microdata
from unveil.sanitize._weights import Weighed, refuse_few_people, refuse_frequent_by_weight
from unveil.sanitize.mondrian import _kernels as kernels
from unveil.sanitize.mondrian._partition import (
    Partition,
    cut_kind,
    extents,
    leave_one_out,
    make_rules,
)

if TYPE_CHECKING:
    CrowdsLike: TypeAlias = "Crowds | Mapping[Any, int] | pd.Series[int] | pd.DataFrame"

__all__ = ["Crowds", "Mondrian", "Partition", "cut_kind", "extents", "kernels"]

_LARGEST = np.iinfo(np.int32).max


@dataclass(frozen=True, kw_only=True)
class Mondrian(Grouping):
    """k-anonymity, ℓ-diversity and t-closeness by Mondrian's recursive cuts.

    At least one of k, l and t must be given.

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
        the earth mover's distance (see `unveil.t_closeness`).
    t_distance : {"equal", "ordered", "hierarchical"}, optional
        Distance between sensitive values. Default: ``"hierarchical"`` if they have a hierarchy,
        else ``"ordered"`` if they have an order, else ``"equal"``.
    regions : {"tight", "cut"}
        What a class publishes: the range (numeric, ordinal) or set (categorical) of its members'
        values, or the region between the cuts.
    crowds : Crowds or mapping, optional
        For some combinations of quasi-identifiers, in the order of the table's columns, the
        smallest class that their people accept, such as ``{(34, "Bachelors"): 20}``.

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

    One of the five patients has cancer. The two classes are 0.2 and 0.13 away from that share:

    >>> uv.Mondrian(k=2, t=0.15).sanitize(patients).n_classes
    1
    """

    regions: Literal["tight", "cut"] = "tight"
    # Too long to be written into the name of a sanitizer.
    crowds: Crowds | Mapping[Any, int] | None = field(default=None, metadata={"by_name": False})

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.crowds is not None:
            object.__setattr__(self, "crowds", Crowds.of(self.crowds))

    @property
    def looks_at_secrets(self) -> bool:
        """Classes may also be larger around people who stand out, which may be by their values."""
        return super().looks_at_secrets or self.crowds is not None

    def _asked(self, microdata: Microdata) -> NDArray[np.int32] | None:
        """The class size that each record asks for; None if no one asks for more than k."""
        if not self.crowds:
            return None
        asked = Crowds.of(self.crowds).asked(microdata)
        return asked if asked.max(initial=0) > self.least[0] else None

    def sanitize(self, microdata: Microdata) -> Release:
        microdata = as_microdata(microdata, "Mondrian")
        partition = self.partition(microdata)
        columns = range(len(microdata.quasi))
        regions = tuple(_regions(partition, microdata, j) for j in columns)
        return self._released(microdata, partition.class_of, regions)

    def partition(self, microdata: Microdata) -> Partition:
        """The tree of cuts behind the release."""
        asked, weighed = self._asked(microdata), Weighed.of(microdata)
        self._check_goal(microdata, asked, weighed)
        rules = self._rules(microdata, asked, weighed)
        if weighed is None:
            return Partition.grow(microdata, rules, asked)
        from unveil.sanitize.mondrian._people import grown  # most tables need no such code

        return grown(microdata, rules, asked, weighed)

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
                "{label} does not know itself without a person who may have several rows, because "
                "of {t}; run sanitize_without for each",
                label=File(self.label, bare=True), t=Option("t", self.t),
            )  # fmt: skip
        asked, weighed = self._asked(microdata), Weighed.of(microdata)
        self._check_goal(microdata, asked, weighed)
        rules = self._rules(microdata, asked, weighed)
        if weighed is not None:
            from unveil.sanitize.mondrian._people import leave_people_out

            return leave_people_out(
                microdata, records, statistic, rules=rules, asked=asked, weighed=weighed,
                possible=self._possible_without_people(microdata, asked, weighed), jobs=jobs,
                done=done,
            )  # fmt: skip
        return leave_one_out(
            microdata,
            records,
            statistic,
            rules=rules,
            asked=asked,
            possible=self._possible_without(microdata, asked, records),
            jobs=jobs,
            done=done,
        )

    @property
    def _leaves_out_people(self) -> bool:
        """Not for t: the whole table, which classes are compared with, is another without each."""
        return self.t is None

    def _rules(
        self, microdata: Microdata, asked: NDArray[np.int32] | None, weighed: Weighed | None
    ) -> kernels.Rules:
        k, l = self.least  # noqa: E741
        rules = make_rules(
            microdata,
            k=k,
            l=l,
            stretches=self.stretches(microdata, weighed),
            crowds=asked is not None,
            tight=self.regions == "tight",
        )
        if weighed is None:
            return rules
        # In a class of fewer than ℓ people nobody is hidden among ℓ, whatever values they have.
        return rules._replace(k=max(k, l), records=weighed.persons.count)

    def _check_goal(
        self, microdata: Microdata, asked: NDArray[np.int32] | None, weighed: Weighed | None
    ) -> None:
        n, (k, l) = len(microdata), self.least  # noqa: E741
        if weighed is not None:
            n = weighed.persons.count
            refuse_few_people(self, microdata, weighed, k)
        refuse_few(self, microdata, k)
        if asked is not None and n < asked.max():
            raise GoalError(
                "{label} cannot be met: {source} has {n} {what}, fewer than the crowd of {crowd} "
                "that someone asks for",
                label=File(self.label, bare=True), source=File(microdata.source, bare=True),
                n=n, what="records" if weighed is None else "people", crowd=int(asked.max()),
            )  # fmt: skip
        if weighed is not None:
            refuse_frequent_by_weight(self, microdata, weighed, l)
        else:
            refuse_frequent(self, microdata, microdata.sensitive_counts, l)

    def _possible_without(
        self,
        microdata: Microdata,
        asked: NDArray[np.int32] | None,
        records: NDArray[np.intp],
    ) -> NDArray[np.bool_]:
        """Whether the whole table still meets the goal without each of the records."""
        counts, rest, (k, l) = microdata.sensitive_counts, len(microdata) - 1, self.least  # noqa: E741
        largest = counts == counts.max()
        most = counts.max() - (largest & (largest.sum() == 1))[microdata.sensitive.codes[records]]
        possible: NDArray[np.bool_] = (rest >= k) & (most * l <= rest)
        if asked is not None:
            # Only one person may ask for more than the others are: the one left out.
            too_much = asked > rest
            possible &= too_much.sum() - too_much[records] == 0
        return possible

    def _possible_without_people(
        self, microdata: Microdata, asked: NDArray[np.int32] | None, weighed: Weighed
    ) -> NDArray[np.bool_]:
        """Whether the whole table still meets the goal without each of the people."""
        possible = weighed.possible_without(microdata, *self.least)
        if asked is not None:
            crowd = np.zeros(len(possible), dtype=np.int64)
            np.maximum.at(crowd, weighed.whose, asked)
            too_much = crowd > len(possible) - 1
            possible &= too_much.sum() - too_much == 0
        return possible


def _regions(partition: Partition, microdata: Microdata, j: int) -> Regions:
    """What the classes publish for column j."""
    tree, order, starts = partition.tree, partition.order, partition.class_starts
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


@dataclass(frozen=True, repr=False)
class Crowds:
    """For some combinations of quasi-identifiers, the smallest class that their people accept.

    A crowd depends on quasi-identifiers, not on record numbers. So it is well defined for a table
    without one of its records, and equal people are treated alike.

    Parameters
    ----------
    sizes : tuple of (tuple of str, int)
        The quasi-identifiers as texts, in the order of the table's columns, and the size. `of`
        makes this from other types.

    Examples
    --------
    >>> crowds = Crowds.of({(34, "Bachelors"): 20, (71, "Doctorate"): 40})
    >>> crowds
    2 kinds of people
    >>> crowds.merged({("71", "Doctorate"): 80, ("18", "School"): 10}).sizes[1:]
    ((('34', 'Bachelors'), 20), (('71', 'Doctorate'), 80))
    """

    sizes: tuple[tuple[tuple[str, ...], int], ...] = ()

    @classmethod
    def of(cls, given: CrowdsLike) -> Crowds:
        """From a mapping of quasi-identifiers (one value, or a tuple of them) to sizes.

        A Series is such a mapping. A DataFrame has a column for each quasi-identifier and the
        sizes in the last one.
        """
        if isinstance(given, Crowds):
            return given
        sizes: dict[tuple[str, ...], int] = {}
        for values, size in _pairs(given):
            if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
                raise InputError(
                    "the crowd for {values} must be a whole number from 1 up, got {size}",
                    values=Cell(values), size=repr(size),
                )  # fmt: skip
            key = _texts(values)
            sizes[key] = max(int(size), sizes.get(key, 0))
        return cls(tuple(sorted(sizes.items())))

    def merged(self, more: Mapping[tuple[str, ...], int]) -> Crowds:
        """These and others; for the same people, the larger size."""
        sizes = dict(self.sizes)
        for key, size in more.items():
            sizes[key] = max(size, sizes.get(key, 0))
        return Crowds(tuple(sorted(sizes.items())))

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        return f"{counted(len(self), 'kind')} of people"

    def asked(self, microdata: Microdata) -> NDArray[np.int32]:
        """The class size that each record asks for; 0 for none."""
        columns = microdata.quasi
        keys = [key for key, _ in self.sizes]
        if any(len(key) != len(columns) for key in keys):
            key = next(key for key in keys if len(key) != len(columns))
            raise InputError(
                "a crowd is given for {key}, but {source} has {n} quasi-identifiers: {names}; give "
                "a value for each, in this order",
                key=Listed([Cell(text, bare=True) for text in key]),
                source=File(microdata.source, bare=True), n=len(columns),
                names=Listed([Column(column.name) for column in columns]),
            )  # fmt: skip
        # Values that no record has belong to people who are not in the table.
        codes = np.array(
            [[c.places.get(text, -1) for c, text in zip(columns, key, strict=True)] for key in keys]
        ).reshape(len(keys), len(columns))
        known = (codes >= 0).all(axis=1)
        sizes = np.array([min(size, _LARGEST) for _, size in self.sizes], dtype=np.int32)
        asks = pd.MultiIndex.from_arrays(list(codes[known].T))
        place = asks.get_indexer(pd.MultiIndex.from_arrays(list(microdata.codes)))
        return np.append(sizes[known], np.int32(0))[place]  # -1, the last one: they ask for nothing


def _pairs(given: Any) -> Iterable[tuple[Any, Any]]:
    if hasattr(given, "itertuples"):  # a DataFrame
        return [(tuple(row[:-1]), row[-1]) for row in given.itertuples(index=False)]
    if hasattr(given, "items"):
        return list(given.items())
    raise InputError(
        "{crowds} must map quasi-identifiers to class sizes, such as {example}, got a {kind}",
        crowds=Option("crowds"), example='{(34, "Bachelors"): 20}', kind=type(given).__name__,
    )  # fmt: skip


def _texts(values: Any) -> tuple[str, ...]:
    many = isinstance(values, Iterable) and not isinstance(values, str)
    return tuple(value_text(value) for value in values) if many else (value_text(values),)
