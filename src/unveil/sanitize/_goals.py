"""Goals for classes: k-anonymity, ℓ-diversity and t-closeness, and tables that cannot meet them.

t-closeness (N. Li, T. Li, S. Venkatasubramanian, *t-Closeness: Privacy Beyond k-Anonymity and
ℓ-Diversity*, ICDE 2007) is how far the sensitive values of a class are from those of the whole
table. With each of its ground distances, the earth mover's distance is a sum over *stretches* of
neighbouring values: the number of records that the class has too many or too few in a stretch,
times a weight. For ``"ordered"`` the stretches are the first value, the first two, the first three,
…: every record too many has to be carried over the end. For ``"hierarchical"`` they are the nodes
of the tree, and the weight is how much higher the parent is: a surplus goes up to the parent and
down again elsewhere, half of the way each. ``"equal"`` is a tree without inner nodes.

Kernels sum in whole numbers: shares are multiplied by the records of class and table, so that equal
shares are equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from unveil.errors import Cell, File, GoalError, InputError, Option
from unveil.errors import Column as Named
from unveil.microdata import Column, Hierarchy, Microdata
from unveil.sanitize._sanitizer import Sanitizer

if TYPE_CHECKING:
    from unveil.sanitize._weights import Weighed

Distance: TypeAlias = Literal["equal", "ordered", "hierarchical"]

_SLACK = 1e-12  # by which rounding may push a distance over t
_EXPECTED = 3  # the column of Stretches.rows that depends on the table


def heights(tree: Hierarchy) -> NDArray[np.int64]:
    """The number of steps on the longest path from each node down to a leaf."""
    height = np.zeros(len(tree.names), dtype=np.int64)
    for level in range(tree.depth - 1, 0, -1):
        nodes = np.flatnonzero(tree.levels == level)
        np.maximum.at(height, tree.parent[nodes], height[nodes] + 1)
    return height


class Stretches(NamedTuple):
    """A ground distance as a sum over stretches of sensitive values; empty where t is no goal.

    Attributes
    ----------
    rows : array
        The first and the last code of each stretch, the cost of carrying one record out of it, and
        how many records of the whole table are in it. Stretches with the same first code are
        adjacent, the shorter ones first.
    far : float
        The largest sum that is allowed, per record of class and table.
    one : int
        The sum for a distance of 1, per record of class and table.
    """

    rows: NDArray[np.int64]
    far: float = 0.0
    one: int = 0


def stretches(
    secret: Column, counts: NDArray[np.int64], t: float | None, distance: Distance | None
) -> Stretches:
    """The stretches of a column; ``counts``: how many records of the table have each value.

    >>> import unveil as uv
    >>> pay = uv.read_table({"age": [1, 1, 2], "pay": [3, 4, 6]}, quasi="age", sensitive="pay")
    >>> stretches(pay.sensitive, pay.sensitive_counts, 1, "ordered").rows
    array([[0, 0, 1, 1],
           [0, 1, 1, 2]])
    >>> stretches(pay.sensitive, pay.sensitive_counts, 1, "equal").rows
    array([[0, 0, 1, 1],
           [1, 1, 1, 1],
           [2, 2, 1, 1]])
    """
    if t is None:
        return Stretches(np.zeros((0, 4), dtype=np.int64))
    kind, tree = distance_between(secret, distance), secret.hierarchy
    codes: NDArray[Any] = np.arange(secret.size)
    first, last, weight, one = codes, codes, np.ones_like(codes), 2
    if kind == "ordered":
        first, last, weight, one = 0 * codes[1:], codes[:-1], weight[1:], secret.size - 1
    elif kind == "hierarchical" and tree is not None:
        height = heights(tree)
        below = np.flatnonzero(tree.parent >= 0)
        below = below[np.lexsort((tree.last[below], tree.first[below]))]
        first, last = tree.first[below], tree.last[below]
        weight, one = height[tree.parent[below]] - height[below], 2 * int(height[tree.root])
    upto = np.concatenate([[0], np.cumsum(counts)])
    rows = np.stack([first, last, weight, upto[last + 1] - upto[first]], axis=1)
    return Stretches(rows.astype(np.int64), (t + _SLACK) * one, one)


def rows_without(rows: NDArray[np.int64], secret: int) -> NDArray[np.int64]:
    """The rows of `Stretches` for the table without one record that has this sensitive value."""
    rows = rows.copy()
    rows[:, _EXPECTED] -= (rows[:, 0] <= secret) & (secret <= rows[:, 1])
    return rows


def distance_between(secret: Column, wanted: Distance | None) -> Distance:
    """The ground distance that was asked for, or the default of `unveil.t_closeness`."""
    if wanted == "ordered" and not secret.is_ordered:
        raise _lacks(secret, "order", Option("ordinal", {secret.name: ["…"]}))
    if wanted == "hierarchical" and secret.hierarchy is None:
        raise _lacks(secret, "hierarchy", Option("hierarchies", {secret.name: "…"}))
    if wanted is not None:
        return wanted
    if secret.hierarchy is not None:
        return "hierarchical"
    return "ordered" if secret.is_ordered else "equal"


def _lacks(secret: Column, what: str, remedy: Option) -> InputError:
    return InputError(
        "column {column} has no {what}: give one with {remedy}, or use {equal}",
        column=Named(secret.name), what=what, remedy=remedy, equal=Option("t_distance", "equal"),
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Grouping(Sanitizer):
    """A sanitizer that puts records into classes that meet k, ℓ and t."""

    treats_equals_alike: ClassVar[bool] = True
    deterministic: ClassVar[bool] = True

    k: Annotated[int | None, Ge(1)] = None
    l: Annotated[int | None, Ge(1)] = None  # noqa: E741  (it is called l everywhere in this field)
    t: Annotated[float | None, Ge(0), Le(1)] = None
    t_distance: Distance | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        name, t = type(self).__name__, Option("t", 0.2)
        if self.k is None and self.l is None and self.t is None:
            raise InputError(
                "{who} needs a goal: give {k}, {l} or {t}, for instance",
                who=name, k=Option("k", 5), l=Option("l", 2), t=t,
            )  # fmt: skip
        if self.t_distance is not None and self.t is None:
            raise InputError(
                "{who} cannot take {option} without t; give t, such as {t}",
                who=name, option=Option("t_distance", self.t_distance), t=t,
            )  # fmt: skip

    @property
    def looks_at_secrets(self) -> bool:
        """For ℓ and t it has to."""
        return self.l is not None or self.t is not None

    @property
    def least(self) -> tuple[int, int]:
        """k and ℓ; 1 demands nothing."""
        return int(self.k or 1), int(self.l or 1)

    def stretches(self, microdata: Microdata, weighed: Weighed | None = None) -> Stretches:
        """How far the sensitive values of a class may be from those of the table."""
        counts = microdata.sensitive_counts if weighed is None else weighed.counts
        return stretches(microdata.sensitive, counts, self.t, self.t_distance)


# Goals that a table cannot meet, and the largest that it could ----------------------------------


def refuse_empty(sanitizer: Sanitizer, microdata: Microdata) -> None:
    """A table without records cannot be published."""
    if len(microdata) == 0:
        raise GoalError(
            "{label} cannot be met: {source} has no records",
            label=File(sanitizer.public_label, bare=True), source=File(microdata.source, bare=True),
        )  # fmt: skip


def refuse_few(sanitizer: Sanitizer, microdata: Microdata, k: int) -> None:
    """The whole table is smaller than a class of k."""
    refuse_empty(sanitizer, microdata)
    n = len(microdata)
    if n < k:
        raise GoalError(
            "{label} cannot be met: {source} has {n} records, fewer than {k}; the largest "
            "possible k is {n}",
            label=File(sanitizer.public_label, bare=True),
            source=File(microdata.source, bare=True), n=n, k=Option("k", k),
        )  # fmt: skip


def refuse_frequent(
    sanitizer: Sanitizer,
    microdata: Microdata,
    counts: NDArray[np.int64],
    l: int,  # noqa: E741  (it is called l everywhere in this field)
    remark: str = "",
) -> None:
    """One value has more than 1/ℓ of all records; ``counts`` are those of the published values."""
    n, most = int(counts.sum()), int(counts.max())
    if most * l > n:
        raise GoalError(
            "{label} cannot be met: {value} is the {column} of {most} of the {n} records of "
            "{source}, more than 1/{l} of them; the largest possible l is {largest}{remark}",
            label=File(sanitizer.public_label, bare=True),
            value=Cell(microdata.sensitive.texts[int(counts.argmax())], people=most),
            column=Named(microdata.sensitive.name), most=most, n=n,
            source=File(microdata.source, bare=True), l=l, largest=n // most, remark=remark,
        )  # fmt: skip
