"""What a sanitizer is: a function f from microdata to a release."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import Field, fields, is_dataclass, replace
from functools import cache
from typing import (
    Annotated,
    Any,
    ClassVar,
    NamedTuple,
    Protocol,
    TypeAlias,
    get_type_hints,
    runtime_checkable,
)

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from unveil.errors import Call, File, InputError, Message, Option, Text
from unveil.microdata import AnyRelease, Microdata, Regions, Release, Statistic, unknown_persons
from unveil.options import check

Seed: TypeAlias = Annotated[int | None, Ge(0), Le(2**64 - 1)]
"""A random seed; None: a secret one for every release."""


def seed_or_secret(seed: int | None) -> int:
    """The seed, or a secret one from the operating system."""
    return secrets.randbits(64) if seed is None else int(seed)


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


def combinations(microdata: Microdata) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """The combinations of quasi-identifiers, sorted (columns × combinations).

    Also which of them each of `Microdata.distinct` has, some of which differ in secrets alone.
    """
    codes = microdata.codes[:, microdata.distinct]
    new = np.ones(codes.shape[1], dtype=bool)
    new[1:] = (codes[:, 1:] != codes[:, :-1]).any(axis=0)
    return np.ascontiguousarray(codes[:, new]), np.cumsum(new) - 1


class Sanitizer(ABC):
    """Turns microdata into a release. Constructors only check and store; `sanitize` does the work.

    A sanitizer that is a dataclass has its options checked by the annotations of its fields.
    """

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

    attacked_by: ClassVar[str | tuple[str, ...]] = ("naive-bayes", "conditional-frequency")
    """Who attacks by default; the first is the model where only one is used. Naive Bayes pools all
    records, so one record hardly matters to it; conditional frequency looks at the few that cover
    the target. Each is blind to some of what the other sees."""

    publishes: ClassVar[str | None] = None
    """The kind of its releases (`unveil.registry.KINDS`), if they have no records to attack."""

    def __post_init__(self) -> None:
        for name, annotation in _options_of(type(self)).items():
            check(name, annotation, getattr(self, name))

    @abstractmethod
    def sanitize(self, microdata: Microdata) -> AnyRelease:
        """Return f(D)."""

    def sanitize_without(self, microdata: Microdata, record: int) -> AnyRelease:
        """Return f(D without i): without all records of i's person, if they have more than one."""
        return self.sanitize(microdata.without(record))

    def with_seed(self, seed: int) -> Sanitizer:
        """The same sanitizer with another random seed.

        Itself, if it is not random or its randomness is out of reach.
        """
        return replace(self, seed=seed) if self.is_random and self._is_seeded else self  # type: ignore[type-var]

    def sanitize_to_test(self, microdata: Microdata, seed: int) -> AnyRelease:
        """A release that is tested, and not published: the same for the same seed.

        By default what is published depends on a secret seed, and a test of such a release could
        not be repeated. Here it depends on the seed of the test, unless the sanitizer has its own.
        """
        if not (self.is_random and self._is_seeded and getattr(self, "seed", 0) is None):
            return self.sanitize(microdata)
        return replace(self.with_seed(seed).sanitize(microdata), made_by=self.label)

    def ending_at(self, ends: float) -> Sanitizer:
        """The same, ended when a budget of time ends (of `time.time`); itself, if that is ours."""
        return self

    @property
    def may_not_end(self) -> bool:
        """Whether it may run without end, and nothing can end it."""
        return False

    def can_leave_out(self, microdata: Microdata) -> NDArray[np.intp] | None:
        """The records for which f(D without i) is available; None: all of them."""
        return None

    def refuse_made_beforehand(self, microdata: Microdata) -> None:
        """Refuse releases that are without one row each, where a person may have several."""
        if microdata.several is not None and self.can_leave_out(microdata) is not None:
            raise InputError(
                "{label} has releases without one row each, and here a person may have several, "
                "all of which must be left out; give the program that made them",
                label=File(self.label, bare=True),
            )  # fmt: skip

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
    def adversaries(self) -> tuple[str, ...]:
        """`attacked_by`, as a tuple."""
        named = self.attacked_by
        return (named,) if isinstance(named, str) else named

    @property
    def looks_at_secrets(self) -> bool:
        """Whether classes and cells may depend on who has which sensitive value.

        Then the sizes of classes tell something about people. True unless a sanitizer says
        otherwise.
        """
        return True

    @property
    def leaves_one_out(self) -> bool:
        """Whether it has `leave_one_out` and need not be run again without each record."""
        return isinstance(self, LeavesOneOut)

    def leaves_out(self, microdata: Microdata) -> bool:
        """Whether `leave_one_out` is exact for this table.

        Where a person has several records, leaving somebody out is leaving all of theirs out, which
        a sanitizer has to say that it can.
        """
        return self.leaves_one_out and (microdata.several is None or self._leaves_out_people)

    @property
    def _leaves_out_people(self) -> bool:
        return False

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
        return replace(self, seed=None).label if self._is_seeded else self.label  # type: ignore[type-var]

    @property
    def _is_seeded(self) -> bool:
        return is_dataclass(self) and any(f.name == "seed" for f in fields(self))

    def _released(
        self,
        microdata: Microdata,
        class_of: NDArray[np.integer],
        regions: Sequence[Regions],
        *notes: str,
        **more: Any,
    ) -> Release:
        """The release of a table by its classes."""
        return Release(
            quasi=microdata.quasi,
            sensitive=microdata.sensitive,
            class_of=class_of.astype(np.int32),
            regions=tuple(regions),
            made_by=self.label,
            notes=(*microdata.notes, *notes),
            persons=microdata.persons
            if len(class_of) == len(microdata)
            else unknown_persons(microdata),
            **more,
        )

    def __call__(self, microdata: Microdata) -> AnyRelease:
        return self.sanitize(microdata)


@cache
def _options_of(kind: type[Any]) -> dict[str, Any]:
    """The options of a sanitizer that is a dataclass, and their annotations."""
    try:
        hints = get_type_hints(kind, include_extras=True)
    except NameError:  # types of a plug-in's that only type checkers see
        return {}
    return {f.name: hints[f.name] for f in fields(kind) if f.init}


def _plain(value: Any) -> Any:
    """numpy's numbers as Python's, which print as they were meant."""
    return value.item() if isinstance(value, np.generic) else value


class LeaveOneOut(NamedTuple):
    """The same statistic of f(D) and of f(D without i), for each target i.

    Where a person has several records, D without i is without all of i's person.
    """

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
