"""What a sanitizer is: f, from microdata to a release."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import Field, fields, is_dataclass, replace
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unveil.errors import GoalError, InputError
from unveil.microdata import AnyRelease, Microdata, Statistic

__all__ = [
    "LeaveOneOut",
    "LeavesOneOut",
    "NeedsMicrodataError",
    "Sanitizer",
    "as_microdata",
    "refuse_empty",
]


class NeedsMicrodataError(InputError):
    """A plain table was given where microdata, a table with roles, is needed."""


def as_microdata(table: Any, what: str) -> Microdata:
    """Let microdata pass, and say what to do with anything else."""
    if isinstance(table, Microdata):
        return table
    raise NeedsMicrodataError(
        f"{what} needs microdata, a table whose columns have roles, and got a "
        f"{type(table).__name__}; make it with unveil.read_table(table, quasi=[…], sensitive=…)"
    )


class Sanitizer(ABC):
    """Turns microdata into a release. Constructors only store; `sanitize` does the work."""

    treats_equals_alike: ClassVar[bool] = False
    """Whether the release depends on the quasi-identifiers and sensitive values alone, and not on
    the order of the records: then one of several equal records can be tested for all of them."""

    row_by_row: ClassVar[bool] = False
    """Whether f(D without i) is just f(D) with i's row deleted, in the order of the records."""

    deterministic: ClassVar[bool] = False
    """Whether the same table is always sanitized alike. Where this is not known, it is taken to
    depend on chance by a test that samples."""

    is_random: ClassVar[bool] = False
    """Whether it is known to depend on chance, and `with_seed` reaches all of it: then a test
    samples it unasked."""

    attacked_by: ClassVar[str] = "naive-bayes"
    """The adversary who attacks it unless the user names another."""

    @abstractmethod
    def sanitize(self, microdata: Microdata) -> AnyRelease:
        """Return f(D)."""

    def sanitize_without(self, microdata: Microdata, record: int) -> AnyRelease:
        """Return f(D without i)."""
        return self.sanitize(microdata.without(record))

    def with_seed(self, seed: int) -> Sanitizer:
        """The same sanitizer drawing other random numbers.

        By default itself: one that is not random, or takes its chances where we cannot reach.
        """
        return self

    def can_leave_out(self, microdata: Microdata) -> NDArray[np.intp] | None:
        """The records whose f(D without i) can be had; None: all of them."""
        return None

    def missing_of(self, microdata: Microdata, records: NDArray[np.intp]) -> str | None:
        """What is lacking to leave out these records, and the remedy; None: nothing."""
        available = self.can_leave_out(microdata)
        gone = 0 if available is None else int((~np.isin(records, available)).sum())
        if not gone:
            return None
        return (
            f"{self.label} cannot leave out {gone:,} of the {len(records):,} records asked for; "
            'test only those that it can with targets="available"'
        )

    @property
    def leaves_one_out(self) -> bool:
        """Whether it has `leave_one_out`, and need not be run anew without each record."""
        return isinstance(self, LeavesOneOut)

    @property
    def label(self) -> str:
        """How people call it: ``Mondrian(k=5)``; options left at their defaults are left out."""
        known: tuple[Field[Any], ...] = fields(self) if is_dataclass(self) else ()
        options = (
            f"{f.name}={_plain(getattr(self, f.name))!r}"
            for f in known
            if getattr(self, f.name) != f.default
        )
        return f"{type(self).__name__}({', '.join(options)})"

    @property
    def public_label(self) -> str:
        """The same without a seed: that is not to be told, and the user need not have given it."""
        seeded = is_dataclass(self) and any(f.name == "seed" for f in fields(self))
        return replace(self, seed=None).label if seeded else self.label  # type: ignore[type-var]

    def __call__(self, microdata: Microdata) -> AnyRelease:
        return self.sanitize(microdata)


def refuse_empty(sanitizer: Sanitizer, microdata: Microdata) -> None:
    """A table without records cannot be published."""
    if len(microdata) == 0:
        raise GoalError(
            f"{sanitizer.public_label} cannot be met: {microdata.source} has no records"
        )


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
    """A sanitizer that knows f(D without i) for every i without starting anew each time."""

    def leave_one_out(
        self,
        microdata: Microdata,
        records: NDArray[np.intp],
        statistic: Statistic,
        *,
        n_jobs: int | None,
        done: Callable[[int], None],
    ) -> LeaveOneOut:
        """Count for the given records; ``done`` is told how many have been finished."""
