"""What commands are about: files that were published, or what a sanitizer would publish."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from unveil._exits import Exit, ExitCode
from unveil._faults import contained
from unveil.cli._console import say
from unveil.cli._guard import in_command_line_words
from unveil.cli._reading import Reading, named_file
from unveil.cli._testing import warm_up
from unveil.errors import InputError, InternalError, Option, Text, UnveilError
from unveil.files import told_apart
from unveil.measures import identifiers
from unveil.microdata import (
    AnyRelease,
    Microdata,
    csv_layout,
    is_parquet,
    is_workbook,
    read_anatomy,
    read_release,
)
from unveil.sanitize import Mondrian, Sanitizer, sanitizers_named


@dataclass(frozen=True, kw_only=True)
class ToRead:
    """One release that was asked for, and how to come by it."""

    kind: Literal["release", "sanitizer"]
    name: str
    get: Callable[[], AnyRelease]
    file: Path | None = None
    sanitizer: Sanitizer | None = None
    notes: Callable[[], Sequence[str]] = tuple
    """What to say of it once it is read."""
    named_people: Callable[[], Sequence[Text]] = tuple
    """What to say of published identifiers once it is read."""


@dataclass(kw_only=True)
class Collected:
    """What has become of the releases so far; one is no matter to the others."""

    releases: list[tuple[ToRead, Any]] = field(default_factory=list)
    failed: list[tuple[ToRead, str]] = field(default_factory=list)
    notes: list[Text] = field(default_factory=list)
    wanted: int = 0
    ended_at: ToRead | None = None
    """Where the user ended it."""
    internal: bool = False
    """Whether unveil itself failed with one of them."""

    def fail(self, one: ToRead, error: UnveilError) -> None:
        """Remember why a release could not be used."""
        self.internal |= isinstance(error, InternalError)
        said = in_command_line_words(error)
        self.failed.append((one, said if one.name in said else f"{one.name}: {said}"))

    @property
    def interrupted(self) -> bool:
        """Whether the user ended it before its end."""
        return self.ended_at is not None

    def failures(self) -> list[dict[str, str]]:
        """What is missing from the report, for JSON: what failed, and what was not come to."""
        failed = [{one.kind: one.name, "error": error} for one, error in self.failed]
        all_of_them = [one for one, _ in self.releases]
        if self.ended_at is None or self.ended_at not in all_of_them:
            return failed
        left = all_of_them[all_of_them.index(self.ended_at) :]
        return [*failed, *({one.kind: one.name, "error": "interrupted"} for one in left)]

    def finish(self, done: int) -> None:
        """Say by the exit code that something is missing from the report.

        ``done`` is how many releases were looked at to the end.
        """
        for _, error in self.failed:
            say(f"error: {error}")
        if self.interrupted:
            say(f"interrupted: {done} of {self.wanted} releases were looked at to the end")
            raise Exit(ExitCode.INTERRUPTED)
        if self.failed:
            raise Exit(ExitCode.INTERNAL_ERROR if self.internal else ExitCode.WRONG_INPUT)


def read_all(wanted: Sequence[ToRead], done: Collected) -> None:
    """Read or make releases."""
    if any(one.kind == "sanitizer" for one in wanted):
        warm_up([Mondrian(k=1)], adversary=None)
    for one in wanted:
        try:
            with contained():
                done.releases.append((one, one.get()))
        except UnveilError as error:
            done.fail(one, error)
    done.wanted = len(wanted)


@dataclass(frozen=True, kw_only=True)
class Given:
    """The releases that were asked for, as typed."""

    releases: Sequence[Path]
    anatomies: Sequence[Path]
    sensitive_tables: Sequence[Path]
    sanitizers: Sequence[str]
    notation: Mapping[str, str] = field(default_factory=dict)
    how: Mapping[str, str] = field(default_factory=dict)
    cells: Mapping[str, Any] = field(default_factory=dict)
    rename: Mapping[str, str] = field(default_factory=dict)
    group: str | None = None
    domains: Mapping[str, Any] | None = None
    may_change_sensitive: bool = False
    of_others: bool = False
    """Whether a release may be of another table than FILE, which has some of its people."""

    def __bool__(self) -> bool:
        return bool(self.releases or self.anatomies or self.sanitizers)

    @property
    def files(self) -> list[Path]:
        """What was published, without the names before it."""
        return [file for _, file in map(named_file, [*self.releases, *self.anatomies])]

    def check(self, reading: Reading, *, names_people: bool = False) -> None:
        """What can be wrong without opening a file.

        With ``names_people`` the identifier is also that of another table than the original.
        """
        self._check_anatomies()
        for text in self.sanitizers:
            sanitizers_named(text)
        for option in ("notation", "how", "cells", "rename"):
            if getattr(self, option) and not self.releases:
                raise InputError("{option} is for generalized cells; give them with {release}",
                                 option=Option(option), release=Option("published"))  # fmt: skip
        if self.may_change_sensitive and not self.releases:
            raise InputError(
                "--may-change-sensitive is for what others publish; give it with --published"
            )
        if reading.file is None:
            self._check_alone(reading, names_people)
        elif self.domains and not self.of_others:
            raise InputError(
                "--domains is for a release without its original; FILE has the values of its "
                "columns"
            )

    def _check_anatomies(self) -> None:
        if self.sensitive_tables and len(self.sensitive_tables) != len(self.anatomies):
            raise InputError(
                f"there are {len(self.anatomies)} --anatomy and {len(self.sensitive_tables)} "
                "--sensitive-table; give one for each, or none where a folder or a single file "
                "has both"
            )
        if self.group is not None and not self.anatomies:
            raise InputError("--group is for the tables of --anatomy")

    def _check_alone(self, reading: Reading, names_people: bool) -> None:
        if not (self.releases or self.anatomies):
            raise InputError(
                "there is nothing to look at: give the original table as FILE, or without it what "
                "was published: --published or --anatomy"
            )
        if self.sanitizers:
            raise InputError("--sanitizer needs the table that it sanitizes: give it as FILE")
        for option in ("cuts", "parts", "quantiles", "columns", "identifier", "missing_values"):
            if reading.get(option) and not (names_people and option == "identifier"):
                raise _about_original(option)
        if reading.get("missing", "error") != "error":
            raise _about_original("missing")
        for option in ("how", "cells", "rename"):
            if getattr(self, option):
                raise _about_original(option)
        if self.domains and not self.releases:
            raise InputError("--domains is for generalized cells; give them with --published")

    def to_read(self, reading: Reading, microdata: Microdata | None) -> list[ToRead]:
        """All that was asked for, in the order of the options."""
        found = self.files_to_read(reading, microdata)
        named = (one for text in self.sanitizers for one in sanitizers_named(text))
        for sanitizer in dict.fromkeys(named):
            assert microdata is not None  # checked
            found.append(sanitized(sanitizer, microdata))
        return found

    def files_to_read(self, reading: Reading, microdata: Microdata | None) -> list[ToRead]:
        """What was published."""
        releases, anatomies = map(named_file, self.releases), map(named_file, self.anatomies)
        typed = [*releases, *anatomies]
        tables: Sequence[Path | None] = self.sensitive_tables or [None] * len(self.anatomies)

        unnamed = [file for name, file in typed if name is None]
        names = dict(zip(unnamed, told_apart(unnamed), strict=True))

        def called(name: str | None, file: Path) -> str:
            return name or names[file] or str(file)

        first = typed[: len(self.releases)]
        found = [
            self._release(file, called(name, file), reading, microdata) for name, file in first
        ]
        return found + [
            self._anatomy(file, table, called(name, file), reading, microdata)
            for (name, file), table in zip(typed[len(first) :], tables, strict=True)
        ]

    def _release(
        self, file: Path, name: str, reading: Reading, microdata: Microdata | None
    ) -> ToRead:
        options: dict[str, Any] = {
            "made_by": name, "notation": self.notation,
            "count": _count(file, reading, microdata),
            "encoding": reading.get("encoding"),
        }  # fmt: skip

        def of_file() -> AnyRelease:
            said: dict[str, Any] = {
                "how": self.how, "cells": self.cells, "rename": self.rename,
            }  # fmt: skip
            return read_release(
                file, microdata, may_change=self.may_change_sensitive, **said, **options
            )

        def alone() -> AnyRelease:
            return read_release(
                file, quasi=reading.quasi, sensitive=reading.get("sensitive"),
                domains=self.domains, person=reading.get("person"), **_kinds(reading),
                **options,
                delimiter=reading.get("delimiter") if reading.file is None else None,
                sheet=reading.get("sheet") if reading.file is None and is_workbook(file) else None,
            )  # fmt: skip

        def notes() -> list[str]:
            known = (*reading.quasi, reading.get("sensitive"))
            if "group" in known or "group" not in _columns(file):
                return []
            return [
                f"{name} has a column 'group', which is not used; if sensitive values are shuffled "
                "within groups, as Anatomy's are, give it with --anatomy"
            ]

        get = self._either(of_file, alone, microdata)
        return _noting(
            ToRead(kind="release", name=name, get=get, file=file, notes=notes), microdata
        )

    def _anatomy(
        self, file: Path, table: Path | None, name: str, reading: Reading,
        microdata: Microdata | None,
    ) -> ToRead:  # fmt: skip
        options: dict[str, Any] = {
            "made_by": name, "group": self.group,
            "count": _count(table or file, reading, microdata) or None,
            "encoding": reading.get("encoding"),
        }  # fmt: skip

        def of_file() -> AnyRelease:
            return read_anatomy(file, table, microdata=microdata, **options)

        def alone() -> AnyRelease:
            return read_anatomy(
                file, table, quasi=reading.quasi, sensitive=reading.get("sensitive"),
                **_kinds(reading), **options,
                delimiter=reading.get("delimiter") if reading.file is None else None,
            )  # fmt: skip

        get = self._either(of_file, alone, microdata)
        return _noting(ToRead(kind="release", name=name, get=get, file=file), microdata)

    def _either(
        self,
        of_file: Callable[[], AnyRelease],
        alone: Callable[[], AnyRelease],
        microdata: Microdata | None,
    ) -> Callable[[], AnyRelease]:
        """How to read a release: as one of FILE, or by itself, or, if either may be, as it fits."""
        if microdata is None:
            return alone
        if not self.of_others:
            return of_file

        def get() -> AnyRelease:
            try:
                return of_file()
            except InputError as error:
                try:
                    return alone()
                except InputError:
                    raise error from None  # FILE says more of the columns than nobody does

        return get


def _about_original(option: str) -> InputError:
    return InputError("{option} is about the original table: give it as {file}",
                      option=Option(option), file=Option("microdata"))  # fmt: skip


def _count(file: Path, reading: Reading, microdata: Microdata | None) -> Any:
    """The column with numbers of people, if it is one of a published file.

    Where it was one of the original, the file need not have it.
    """
    count = reading.get("count")
    if microdata is None or not count or microdata.counted_by != count:
        return count
    return count if count in _columns(file) else None


def _noting(one: ToRead, microdata: Microdata | None) -> ToRead:
    """The same, with something to say if it publishes identifiers."""
    read: list[AnyRelease] = []

    def get() -> AnyRelease:
        read[:] = [one.get()]
        return read[0]

    def named_people() -> list[Text]:
        found = [identifiers(release, microdata) for release in read]
        return [finding.story().verdict for finding in found if finding.found]

    return replace(one, get=get, named_people=named_people)


def sanitized(sanitizer: Sanitizer, microdata: Microdata) -> ToRead:
    """What a sanitizer publishes."""
    return ToRead(
        kind="sanitizer", name=sanitizer.label, sanitizer=sanitizer,
        get=lambda: sanitizer.sanitize_to_test(microdata, 0),
    )  # fmt: skip


def _columns(file: Path) -> Sequence[str]:
    """The columns of a file that could be read; none if its first line is an odd one."""
    if is_parquet(file):
        import pyarrow.parquet

        return list(pyarrow.parquet.read_schema(file).names)
    try:
        return csv_layout(file, None).names
    except InputError:
        return ()


def _kinds(reading: Reading) -> dict[str, Any]:
    """What the columns are, where there is no original to tell."""
    own = ("numeric", "categorical", "ordinal", "forms", "hierarchies")
    return {name: one for name, one in reading.options.items() if name in own}
