"""What a sanitizer is: a function f from microdata to a release."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import Field, fields, is_dataclass, replace
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unveil.errors import (
    Call,
    Cell,
    Column,
    File,
    GoalError,
    InputError,
    Message,
    Option,
    Text,
)
from unveil.microdata import AnyRelease, Microdata, Statistic


class NeedsMicrodataError(InputError):
    """A plain table was given where microdata, a table with roles, is needed."""


def as_microdata(table: Any, what: str) -> Microdata:
    """Return microdata as it is, and refuse anything else."""
    if isinstance(table, Microdata):
        return table
    raise NeedsMicrodataError(
        "{what} needs microdata, a table whose columns have roles, and got a {kind}; make it with "
        "{read_table}(table, quasi=[…], sensitive=…)",
        what=what, kind=type(table).__name__, read_table=Call("read_table"),
    )  # fmt: skip


class Sanitizer(ABC):
    """Turns microdata into a release. Constructors only store; `sanitize` does the work."""

    treats_equals_alike: ClassVar[bool] = False
    """Whether the release depends only on quasi-identifiers and sensitive values, not on the order
    of the records. Then one of several equal records is tested for all of them."""

    row_by_row: ClassVar[bool] = False
    """Whether f(D without i) is f(D) with i's row deleted, in the order of the records."""

    deterministic: ClassVar[bool] = False
    """Whether the same table always gives the same release. Where this is not known, a test that
    samples assumes that the sanitizer is random."""

    is_random: ClassVar[bool] = False
    """Whether it is known to be random and `with_seed` controls all of it: then a test samples it
    by default."""

    attacked_by: ClassVar[str] = "naive-bayes"
    """The default adversary."""

    @abstractmethod
    def sanitize(self, microdata: Microdata) -> AnyRelease:
        """Return f(D)."""

    def sanitize_without(self, microdata: Microdata, record: int) -> AnyRelease:
        """Return f(D without i)."""
        return self.sanitize(microdata.without(record))

    def with_seed(self, seed: int) -> Sanitizer:
        """The same sanitizer with another random seed.

        By default itself: it is not random, or its randomness is out of reach.
        """
        return self

    def can_leave_out(self, microdata: Microdata) -> NDArray[np.intp] | None:
        """The records for which f(D without i) is available; None: all of them."""
        return None

    def missing_of(self, microdata: Microdata, records: NDArray[np.intp]) -> Text | None:
        """What is missing to leave out these records, and what to do; None: nothing."""
        available = self.can_leave_out(microdata)
        gone = 0 if available is None else int((~np.isin(records, available)).sum())
        if not gone:
            return None
        return Message(
            "{label} cannot leave out {gone} of the {asked} records asked for; test only those "
            "that it can with {available}",
            label=File(self.label, bare=True), gone=gone, asked=len(records),
            available=Option("targets", "available"),
        )  # fmt: skip

    @property
    def leaves_one_out(self) -> bool:
        """Whether it has `leave_one_out` and need not be run again without each record."""
        return isinstance(self, LeavesOneOut)

    @property
    def label(self) -> str:
        """Its name for people: ``Mondrian(k=5)``. Options at their defaults are left out."""
        known: tuple[Field[Any], ...] = fields(self) if is_dataclass(self) else ()
        options = (
            f"{f.name}={_plain(getattr(self, f.name))!r}"
            for f in known
            if getattr(self, f.name) != f.default
        )
        return f"{type(self).__name__}({', '.join(options)})"

    @property
    def public_label(self) -> str:
        """The label without the seed, which must stay secret."""
        seeded = is_dataclass(self) and any(f.name == "seed" for f in fields(self))
        return replace(self, seed=None).label if seeded else self.label  # type: ignore[type-var]

    def __call__(self, microdata: Microdata) -> AnyRelease:
        return self.sanitize(microdata)


def _plain(value: Any) -> Any:
    """numpy's numbers as Python's, which print as they were meant."""
    return value.item() if isinstance(value, np.generic) else value


class LeaveOneOut(NamedTuple):
    """The same statistic of f(D) and of f(D without i), for each target i."""

    present: NDArray[np.int32]
    absent: NDArray[np.int32]
    possible: NDArray[np.bool_]
    """Whether the table without the target can be sanitized at all."""


@runtime_checkable
class LeavesOneOut(Protocol):
    """A sanitizer that knows f(D without i) for every i without starting again each time."""

    def leave_one_out(
        self,
        microdata: Microdata,
        records: NDArray[np.intp],
        statistic: Statistic,
        *,
        jobs: int | None,
        done: Callable[[int], None],
    ) -> LeaveOneOut:
        """Count for the given records; ``done`` is told how many have been finished."""


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
            column=Column(microdata.sensitive.name), most=most, n=n,
            source=File(microdata.source, bare=True), l=l, largest=n // most, remark=remark,
        )  # fmt: skip
