"""The inference problem that a release poses, as arrays for samplers and exact answers.

A *horizontal* release (generalization) gives for each group the number of rows with each sensitive
value and the set of tuples that they may have; groups with the same set are merged. A *vertical*
release (Anatomy) gives the same counts and the tuples themselves, without their order.

The population model is that of Boreale, Corradi and Viscardi: the sensitive value is drawn from
π_S ~ Dirichlet(α), and given it the tuple from π_{R|s} ~ Dirichlet(β) (saturated), or every column
independently from its own Dirichlet(β) (naive Bayes).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Self

import numpy as np
from annotated_types import Gt, Lt
from numpy.typing import NDArray

from unveil._memory import room_for
from unveil.attacks.relative_risk._boxes import Boxes, Packed, boxes_of, packed_boxes, starts
from unveil.attacks.relative_risk._domain import (
    Domain,
    DomainName,
    Members,
    covered_domain,
    members_of,
    observed_domain,
    product_domain,
    tuples_once,
)
from unveil.attacks.relative_risk._lumped import Lumped, lumped
from unveil.errors import Call, Cell, File, InputError, Listed, Message, Option
from unveil.errors import Column as ColumnName
from unveil.microdata import (
    Column,
    Microdata,
    Permuted,
    Release,
    check_permuted,
    check_release,
    refuse_perturbed,
)
from unveil.options import Help, Shell, by_row, checked

Beta = Annotated[
    float, Gt(0), Lt(np.inf),
    Help("Weight of the prior, in rows, of each tuple given a sensitive value."),
    Shell(metavar="ROWS"),
]  # fmt: skip
"""The option ``beta``."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """What is published, and what is assumed.

    Attributes
    ----------
    counts : array (groups × sensitive values)
        Numbers of rows.
    domain : Domain
    alpha : array
        Prior weight of each sensitive value; above 0.
    beta : float
        Prior weight of every tuple (saturated) or of every value of every column (naive Bayes);
        above 0.
    watched : array (columns × tuples)
        The tuples that the answer is about; at first all that are numbered.
    panel : array
        Positions in ``watched`` of the tuples whose traces are kept.
    """

    counts: NDArray[np.int64]
    domain: Domain
    alpha: NDArray[np.float64]
    beta: float
    watched: NDArray[np.int32]
    panel: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def values(self) -> int:
        """The number of sensitive values."""
        return self.counts.shape[1]

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """The number of rows with each sensitive value."""
        return self.counts.sum(axis=0)

    @cached_property
    def watched_numbers(self) -> NDArray[np.int64]:
        """The numbers of the watched tuples; -1 for those that no row can have."""
        return self.domain.find(self.watched)

    def with_panel(self, panel: NDArray[np.integer]) -> Self:
        """The same problem with traces of these watched tuples."""
        found = replace(self, panel=np.asarray(panel, dtype=np.int64))
        return self._with_computed(found, "watched_numbers", "watched_in_boxes")

    def watching(self, watched: NDArray[np.int32]) -> Self:
        """The same problem about other tuples (columns × tuples), with traces of all of them."""
        codes = np.ascontiguousarray(watched, dtype=np.int32)
        found = replace(self, watched=codes, panel=np.arange(codes.shape[1]))
        return self._with_computed(found)

    def _with_computed(self, other: Self, *names: str) -> Self:
        """The other problem with properties that were computed for this one, and hold for it."""
        for name in ("totals", "lumped", "packed", *names):
            if name in self.__dict__:
                other.__dict__[name] = self.__dict__[name]
        return other


@dataclass(frozen=True, eq=False, kw_only=True)
class Horizontal(Problem):
    """One set of tuples per group, all different.

    Attributes
    ----------
    members : (start, members), optional
        The numbers of the tuples of each group; None if they are too many.
    boxes : Boxes, optional
        The same sets as one region per column, if every tuple of these is in the domain.
    group_of_class : array
        The group of each class of the release.
    apart : bool
        Do not lump tuples that the release does not distinguish. Slower; for comparison.
    """

    members: Members | None
    boxes: Boxes | None = None
    group_of_class: NDArray[np.int64]
    apart: bool = False

    @cached_property
    def lumped(self) -> Lumped:
        """Cells and atoms of the saturated model; the tuples must be numbered."""
        assert self.members is not None
        assert self.domain.codes is not None
        tuples = self.domain.codes.shape[1]
        return lumped(self.counts, self.members, tuples, together=not self.apart)

    @cached_property
    def packed(self) -> Packed:
        """The boxes as words."""
        assert self.boxes is not None
        return packed_boxes(self.boxes)

    @cached_property
    def watched_in_boxes(self) -> Members:
        """The positions of the watched tuples that lie in each box."""
        assert self.boxes is not None
        size, sizes = self.watched.shape[1], self.domain.sizes
        return members_of(
            self.boxes, Domain(name="covered", sizes=sizes, size=size, codes=self.watched)
        )

    def column(self, c: int) -> Horizontal:
        """The problem of one column alone; naive Bayes treats columns separately."""
        assert self.boxes is not None
        boxes = self.boxes
        regions, group = np.unique(boxes.region[:, c], return_inverse=True)
        counts = np.zeros((len(regions), self.values), dtype=np.int64)
        np.add.at(counts, group.ravel(), self.counts)
        lists = [boxes.codes(x) for x in regions]
        start = starts([len(one) for one in lists])
        size = int(self.domain.sizes[c])
        codes = np.arange(size, dtype=np.int32)[None, :]
        return Horizontal(
            counts=counts, alpha=self.alpha, beta=self.beta, watched=codes,
            domain=Domain(name="product", sizes=self.domain.sizes[[c]], size=size, codes=codes),
            members=(start, np.concatenate(lists).astype(np.int32)),
            group_of_class=group.ravel().astype(np.int64), apart=True,
        )  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Vertical(Problem):
    """Tuples in groups: those of group g are ``tuples[start[g]:start[g + 1]]``."""

    start: NDArray[np.int64]
    tuples: NDArray[np.int32]


@checked
@by_row(
    "its model draws rows independently of each other",
    instead=["inference", "differential_inference"],
)
def horizontal_problem(
    release: Release,
    microdata: Microdata | None = None,
    *,
    domain: DomainName = "observed",
    alpha: float | NDArray[np.floating] = 1.0,
    beta: Beta = 1.0,
) -> Horizontal:
    """The problem that a grouped release poses.

    Parameters
    ----------
    release : Release
    microdata : Microdata, optional
        The original table. Without it there are no observed tuples.
    domain : {"observed", "product", "covered"}
    alpha, beta : float
        Prior weights; ``alpha`` may be one number per sensitive value.

    Raises
    ------
    InputError
        If α or β is not possible, the release is not one of the microdata, or a group covers no
        tuple of the domain.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> release = uv.read_release({"age": ["30-39", "30-39", "*"], "vote": ["a", "b", "a"]}, survey)
    >>> problem = horizontal_problem(release, survey)
    >>> problem.counts.tolist(), [part.tolist() for part in problem.members]
    ([[1, 1], [1, 0]], [[0, 2, 5], [0, 1, 0, 1, 2]])
    """
    priors = _checked_alpha(alpha, release.sensitive)
    refuse_perturbed(release, (*release.quasi, release.sensitive), "relative risk")
    if microdata is not None:
        check_release(release, microdata, may_drop=release.dropped > 0, may_change=False)
    boxes, group_of_class = boxes_of(release.quasi, release.regions)
    sizes = np.array([column.size for column in release.quasi], dtype=np.int64)
    _no_empty_group(np.where((boxes.widths > 0).all(axis=1), 1, 0), release, group_of_class, domain)
    found: Members | None
    if domain == "observed":
        if microdata is None:
            raise InputError(
                "{observed} means the tuples of the original table, which was not given: give "
                "{microdata}, or use {product} or {covered}",
                observed=Option("domain", "observed"), product=Option("domain", "product"),
                covered=Option("domain", "covered"), microdata=Option("microdata"),
            )  # fmt: skip
        tuples = observed_domain(microdata.codes, sizes)
        found = members_of(boxes, tuples)
        _no_empty_group(np.diff(found[0]), release, group_of_class, domain)
    elif domain == "product":
        tuples, found = product_domain(boxes, sizes)
    else:
        tuples, found = covered_domain(boxes, sizes)
    _room(boxes.number, tuples, release.sensitive.size)
    counts = np.zeros((boxes.number, release.sensitive.size), dtype=np.int64)
    from scipy.sparse import coo_array

    by_class = coo_array(release.histograms)
    np.add.at(counts, (group_of_class[by_class.row], by_class.col), by_class.data)
    return Horizontal(
        counts=counts, domain=tuples, alpha=priors, beta=float(beta),
        watched=tuples.numbered, members=found, group_of_class=group_of_class,
        boxes=None if domain == "observed" else boxes,
    )  # fmt: skip


@checked
@by_row(
    "its model draws rows independently of each other",
    instead=["inference", "differential_inference"],
)
def vertical_problem(
    permuted: Permuted,
    microdata: Microdata | None = None,
    *,
    domain: DomainName = "observed",
    alpha: float | NDArray[np.floating] = 1.0,
    beta: Beta = 1.0,
) -> Vertical:
    """The problem that a permuted release poses; see `horizontal_problem`.

    Such a release publishes its tuples. So the observed tuples are known without the microdata,
    and are the covered ones unless the release lacks records.

    Raises
    ------
    InputError
        If α or β is not possible, or the release is not one of the microdata, or lacks records
        without saying so.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [41, 30, 34, 30], "vote": ["a", "b", "b", "b"]},
    ...                        quasi="age", sensitive="vote")
    >>> problem = vertical_problem(uv.Permuted.from_groups(survey, [1, 1, 2, 2]), survey)
    >>> problem.counts.tolist(), problem.start.tolist(), problem.tuples.tolist()
    ([[1, 1], [0, 2]], [0, 2, 4], [0, 2, 0, 1])
    """
    priors = _checked_alpha(alpha, permuted.sensitive)
    sizes = np.array([column.size for column in permuted.quasi], dtype=np.int64)
    codes, which = tuples_once(permuted.codes)
    size = codes.shape[1]
    if microdata is not None:
        check_permuted(permuted, microdata)
        _nobody_lost(permuted, microdata)
        if domain == "observed":
            codes, which = _with_others(permuted.codes, microdata.codes)
            size = codes.shape[1]
    if domain == "product":
        size = int(np.prod(sizes.astype(object)))
    tuples = Domain(name=domain, sizes=sizes, size=size, codes=codes)
    _room(permuted.n_groups, tuples, permuted.sensitive.size)
    group_of = np.asarray(permuted.group_of)
    order = np.argsort(group_of, kind="stable")
    rows = np.bincount(group_of, minlength=len(permuted.counts))
    return Vertical(
        counts=np.asarray(permuted.counts, dtype=np.int64), domain=tuples, alpha=priors,
        beta=float(beta), watched=tuples.numbered,
        start=starts(rows),
        tuples=which[order].astype(np.int32),
    )  # fmt: skip


def _nobody_lost(permuted: Permuted, microdata: Microdata) -> None:
    """A release that lacks records has to say so, or it may belong to another table."""
    if permuted.dropped == 0 and len(permuted) < len(microdata):
        raise InputError(
            "the release by {release} has {some} records, {table} has {all}, and the release does "
            "not say that records were dropped: if they were, read it with {read} and {microdata}",
            release=File(permuted.made_by, bare=True), some=len(permuted), all=len(microdata),
            table=File(microdata.source, bare=True), read=Call("read_anatomy"),
            microdata=Option("microdata"),
        )  # fmt: skip


def _with_others(
    codes: NDArray[np.int32], others: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The distinct tuples of two tables, and the tuples of the records of the first."""
    distinct, which = tuples_once(np.hstack([codes, others]))
    return distinct, which[: codes.shape[1]]


def _room(groups: int, tuples: Domain, values: int) -> None:
    """Refuse what would not fit: beliefs of both parties about all values of all tuples."""
    room_for(groups + tuples.numbered.shape[1], values, times=6)


def _checked_alpha(alpha: object, sensitive: Column) -> NDArray[np.float64]:
    """The prior weight of each sensitive value."""
    try:
        each = np.asarray(alpha)
    except ValueError:  # lists of different lengths
        each = np.array(None)
    if each.dtype.kind not in "iuf":
        raise InputError(
            "{option} must be a number or one number per sensitive value, but got {given}",
            option=Option("alpha"), given=repr(alpha),
        )  # fmt: skip
    if each.ndim > 0 and each.shape != (sensitive.size,):
        raise InputError(
            "{alpha} must be one number or one for each of the {values} values of {column}, but "
            "{given} were given",
            alpha=Option("alpha"), values=sensitive.size, given=each.size,
            column=ColumnName(sensitive.name),
        )  # fmt: skip
    each = np.broadcast_to(each.astype(np.float64), (sensitive.size,)).copy()
    for number in each[~((each > 0) & (each < np.inf))]:
        must = "above 0: it is the number of rows that the prior is worth"
        raise InputError(
            "{option} is {number}, but must be {must}", option=Option("alpha"),
            number=f"{number:g}", must="finite" if np.isposinf(number) else must,
        )  # fmt: skip
    return each


def _no_empty_group(
    tuples: NDArray[np.integer], release: Release, group_of_class: NDArray[np.int64], domain: str
) -> None:
    """Every group must have some tuple that its rows may have."""
    empty = np.flatnonzero(tuples == 0)
    if len(empty) == 0:
        return
    which = int(np.argmax(np.isin(group_of_class, empty)))
    one, rows = np.array([which]), int(release.sizes[which])
    cells = [
        Message(
            "{column} {cell}", column=ColumnName(column.name),
            cell=Cell(regions.take(one).texts(column)[0], people=rows),
        )
        for column, regions in zip(release.quasi, release.regions, strict=True)
    ]  # fmt: skip
    more = f", nor do {len(empty) - 1:,} more groups" if len(empty) > 1 else ""
    remedy = (
        "; if the release is of another table, read it with that one, or use {covered}"
        if domain == "observed"
        else ""
    )
    raise InputError(
        "the group ({cells}) of {rows:record} covers no tuple of the domain{more}" + remedy,
        cells=Listed(cells), rows=rows, more=more,
        covered=Option("domain", "covered"),
    )  # fmt: skip
