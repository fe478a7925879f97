"""What an audit is of: the original table, or without it what was published, alone.

Nobody but its owner has the original. An auditor has the published file, and whatever is known from
outside. Everything that an audit says of the table before it looks at any release is asked of its
*ground*: the columns that the attacker knows and wants to know, and the original if there is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unveil._text import display_name
from unveil.auditing._discretion import numbers_in
from unveil.auditing._names import public_name
from unveil.errors import (
    Call,
    Cell,
    Column,
    File,
    InputError,
    Listed,
    Message,
    Option,
    Text,
    did_you_mean,
)
from unveil.measures import Partition, secret_of
from unveil.microdata import AnyRelease, Kind, Microdata, Role
from unveil.microdata import Column as DataColumn
from unveil.registry import audited
from unveil.sanitize import as_microdata


@dataclass(frozen=True, eq=False, kw_only=True)
class ToRead:
    """What was published and has yet to be read, for each sensitive attribute anew.

    One that cannot be read does not affect the other releases.

    Attributes
    ----------
    read : callable
        Of the original, or of None where there is none.
    quasi, sensitive : tuple of str, and str
        Without the original: the columns with which it is read.
    """

    read: Callable[[Any], AnyRelease]
    quasi: tuple[str, ...] = ()
    sensitive: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Ground:
    """What is known of the table, with one sensitive column.

    Attributes
    ----------
    source : str
        The original, or what was published.
    quasi : tuple of str
        What an attacker may know of a person.
    sensitive : str
        What the attacker wants to know.
    original : Microdata, optional
    """

    source: str
    quasi: tuple[str, ...]
    sensitive: str
    original: Microdata | None = None

    @classmethod
    def of(cls, original: Microdata) -> Ground:
        """The ground where the original is there."""
        return cls(
            source=original.source, quasi=tuple(column.name for column in original.quasi),
            sensitive=original.sensitive.name, original=original,
        )  # fmt: skip

    @property
    def file(self) -> File:
        """The source, for messages."""
        return File(self.source, bare=True)


def grounds_of(microdata: Any, releases: Any) -> list[Ground]:
    """One for each sensitive column: of the original, or without it of what was published."""
    if microdata is None:
        return _alone(published_alone(releases))
    many = microdata if isinstance(microdata, list | tuple) else [microdata]
    tables = [as_microdata(table, "audit") for table in many]
    if not tables:
        raise InputError("audit needs microdata, and got an empty list")
    names = [table.sensitive.name for table in tables]
    for table in tables[1:]:
        same_columns = [c.name for c in table.quasi] == [c.name for c in tables[0].quasi]
        # People without a value of one sensitive column may be left out of its table alone.
        same_people = table.rows.tolist() == tables[0].rows.tolist() or (
            max(table.left_out, tables[0].left_out) > 0
            and len(table) + table.left_out == len(tables[0]) + tables[0].left_out
        )
        if not same_columns or not same_people:
            raise InputError(
                "audit got two tables that are not the same: {one} and {other} differ in their "
                "quasi-identifiers or their records; audit them one after the other",
                one=File(tables[0].source, bare=True), other=File(table.source, bare=True),
            )  # fmt: skip
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError("the sensitive column {column} is to be audited twice",
                         column=Column(twice))  # fmt: skip
    return [Ground.of(table) for table in tables]


def published_alone(given: Any) -> list[tuple[str | None, AnyRelease | ToRead]]:
    """What was published, with names where it has some; refused if it is anything else."""
    pairs: list[tuple[str | None, Any]]
    if isinstance(given, Mapping):
        pairs = [(str(name), one) for name, some in given.items() for one in _each(some)]
    else:
        pairs = [(None, one) for one in _each(given)]
    if not pairs or given is None:
        raise InputError(
            "there is nothing to audit: give the original table as {original}, or what was "
            "published", original=Option("microdata"),
        )  # fmt: skip
    for _, one in pairs:
        if hasattr(one, "columns"):
            raise InputError(
                "a {kind} does not say what its columns are; read what was published with "
                "{read}(table, quasi=…, sensitive=…)",
                kind=type(one).__name__, read=Call("read_release"),
            )  # fmt: skip
        if not isinstance(one, AnyRelease | ToRead):
            raise InputError(
                "{given} needs the original table: give it as {original}; without it only "
                "releases that were read are audited",
                given=Cell(one, bare=True) if isinstance(one, str) else f"a {type(one).__name__}",
                original=Option("microdata"),
            )  # fmt: skip
        if isinstance(one, ToRead) and not one.sensitive:
            raise InputError("a release that is yet to be read without the original needs the "
                             "names of its columns")  # fmt: skip
    return pairs


def _each(some: Any) -> list[Any]:
    single = isinstance(some, str | AnyRelease | ToRead) or not isinstance(some, Iterable)
    return [some] if single or hasattr(some, "columns") else [*some]


def _alone(pairs: Sequence[tuple[str | None, AnyRelease | ToRead]]) -> list[Ground]:
    """A ground for each sensitive column that is published."""
    known = [(name, _quasi(one), sensitive_of(one)) for name, one in pairs]
    first = known[0][1]
    for name, quasi, _ in known:
        if set(quasi) != set(first):
            raise InputError(
                "releases with other quasi-identifiers cannot be compared: {first} has {ones}, and "
                "{name} has {others}; audit them one after the other",
                first=File(_named(*pairs[0]), bare=True), ones=Listed(first, "and"),
                name=File(name or "another", bare=True), others=Listed(quasi, "and"),
            )  # fmt: skip
    sources = list(dict.fromkeys(_named(*pair) for pair in pairs))
    return [
        Ground(source=" and ".join(sources), quasi=first, sensitive=secret)
        for secret in dict.fromkeys(secret for *_, secret in known)
    ]


def _named(name: str | None, one: AnyRelease | ToRead) -> str:
    if name is None and isinstance(one, AnyRelease):
        name = one.made_by
    return display_name(public_name(name or "published"))


def _quasi(one: AnyRelease | ToRead) -> tuple[str, ...]:
    return one.quasi if isinstance(one, ToRead) else tuple(column.name for column in one.quasi)


def sensitive_of(one: AnyRelease | ToRead) -> str:
    """The sensitive column; of what is yet to be read "" if it is read for whichever is asked."""
    return one.sensitive if isinstance(one, ToRead) else one.sensitive.name


def known_of(knows: str | Sequence[str] | None, ground: Ground) -> tuple[str, ...] | None:
    """What the attacker knows, in the table's order; None if that is every quasi-identifier."""
    if knows is None:
        return None
    asked = [knows] if isinstance(knows, str) else list(knows)
    for name in asked:
        if name not in ground.quasi:
            raise InputError(
                "the attacker cannot know {name}, which is not a quasi-identifier of "
                "{table}{near} (quasi-identifiers: {known})",
                name=Cell(name), table=ground.file,
                near=did_you_mean(str(name), ground.quasi), known=Listed(ground.quasi),
            )  # fmt: skip
    if not asked:
        raise InputError("an attacker who knows nothing finds nobody; name a quasi-identifier")
    known = tuple(name for name in ground.quasi if name in asked)
    return None if known == ground.quasi else known


def partitions_of(given: Mapping[str, Any] | None, grounds: Sequence[Ground]) -> dict[str, Any]:
    """Categories by the names of sensitive columns; those that do not fit are refused."""
    secrets = {ground.sensitive: ground for ground in grounds}
    for name, categories in (given or {}).items():
        if name not in secrets:
            raise InputError(
                "{option} is about sensitive columns, and {name} is none of {secrets}{near}",
                option=Option("partitions"), name=Cell(name), secrets=Listed([*secrets]),
                near=did_you_mean(str(name), secrets),
            )  # fmt: skip
        table = secrets[name].original
        if table is not None:  # refused now, not in each attack
            Partition.of(categories, secret_of(table.sensitive))
    return dict(given or {})


def published_columns(releases: Iterable[AnyRelease]) -> list[DataColumn]:
    """What was published, column by column: which texts it has, and how many records have each.

    This is what a report without the original masks by: a value of few records, and the bounds of
    ranges that few records have.
    """
    found = []
    for release in releases:
        found += [replace(column, bounds=_bounds(column)) for column in release.published()]
        for name in release.extras.names:
            for _, cells in release.extras.cells(name):
                if cells is not None:
                    found.append(DataColumn(
                        name=name, role=Role.OTHER, kind=Kind.CATEGORICAL,
                        codes=cells.codes[cells.codes >= 0],
                        values=np.array(cells.texts(), dtype=object),
                    ))  # fmt: skip
    return found


def _bounds(column: DataColumn) -> dict[str, int]:
    """How many records have a cell with each number in it."""
    records = np.bincount(column.codes, minlength=column.size)
    found: Counter[str] = Counter()
    for text, n in zip(column.texts, records.tolist(), strict=True):
        for number in numbers_in(text):
            found[number] += n
    return dict(found)


# What nobody knows without the original ----------------------------------------------------------


def assumed_alone(ground: Ground, releases: Sequence[AnyRelease]) -> list[Text]:
    """What an audit without the original takes for granted; it is said before anything else."""
    said: list[Text] = [
        Message(
            "The original table was not given: this is an audit of {published} alone. It takes for "
            "granted that {each}the published cells are true.", published=ground.file,
            each="" if all(one.several is not None for one in releases)
            else "every record is of another person, and that ",
        )
    ]  # fmt: skip
    inferred = list(dict.fromkeys(
        column.name for release in releases for column in (*release.quasi, release.sensitive)
        if not column.declared
    ))  # fmt: skip
    if inferred:
        said.append(Message(
            "Nobody has said which values {columns} can have: those that the published cells name "
            "are taken to be all. If there are others, numbers that depend on them are wrong; the "
            "option {option} declares all of them.",
            columns=Listed([Column(name) for name in inferred], "and"), option=Option("domains"),
        ))  # fmt: skip
    return said


def unanswered() -> Iterator[tuple[str, str]]:
    """What the original would add: each attack that takes one, and what it would say with it.

    Of those that run without one it is what they cannot say.
    """
    for one in audited().values():
        if "microdata" not in one.sources():
            continue
        title = one.title.partition(":")[0]
        adds = one.original_adds or one.title.partition(":")[2].strip() or one.help
        program = (
            ", given the program that made the release" if "sanitizer" in one.sources() else ""
        )
        yield title, f"{adds}{program}"
