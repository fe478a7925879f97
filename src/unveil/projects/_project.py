"""A project: data, roles, threat model, releases and thresholds, in a file ``unveil.toml``.

The file is what a team agrees on and keeps beside its data, so that everyone runs the same audit.
`unveil init` writes a first one with a reason beside every role; people correct it. Paths in it
start from its own folder.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from unveil.errors import CountsError, File, InputError, Listed, Message, Option, PersonsError
from unveil.files import told_apart, write_new, write_text
from unveil.microdata import (
    AnyRelease,
    Microdata,
    Missing,
    Role,
    Source,
    is_parquet,
    open_table,
    read_anatomy,
    read_release,
    read_table,
)
from unveil.microdata.options import Domains
from unveil.options import shell_of
from unveil.projects._form import (
    AttacksTable,
    Data,
    ReleaseAsked,
    ReportTable,
    ThreatTable,
    ThresholdsTable,
)
from unveil.sanitize import Oracle, Sanitizer, sanitizers_named

if TYPE_CHECKING:
    from unveil.auditing import Audit, ToRead


@dataclass(frozen=True, kw_only=True)
class Project(ThreatTable, AttacksTable, ThresholdsTable, ReportTable):
    """What is audited, and under which threat model.

    Attributes
    ----------
    folder : Path
        Where paths start: the folder of the project file.
    data : Data
    roles : mapping of str to Role
        The role of each column; columns that are not listed are *other*.
    kinds : mapping of str to (str or tuple of str)
        ``numeric`` or ``categorical``, or the levels of an ordinal column.
    forms : mapping of str to str
        How dates and numbers are written, such as ``dd.mm.yyyy``.
    hierarchies : str, or mapping of str to str
        A folder, or a file per column.
    partitions : mapping of str to (str, list or mapping)
        Categories of sensitive columns, for the discrimination rate; see `Partition.of`.
    knows, wants : tuple of str
        The published quasi-identifiers that the attacker knows, and the sensitive columns that
        they want to know; by default all.
    external : str, optional
        A table of people whom the attacker knows; by default those of the table.
    adversary : tuple of str
        The attacker's model; by default the one that fits what was published.
    tolerance : str or float, optional
        How far a guess of a numeric sensitive value may be off; see `audit`.
    releases : tuple of ReleaseAsked
    attacks : tuple of str
        Attacks and measures; by default those of `audit`, and those that have options.
    options : mapping of str to mapping
        Options of attacks and measures, by name.
    seed, jobs : int, optional
        See `audit`.
    fail_on : tuple of str
        What makes a release fail, such as ``delta > 0.05``.
    strict_columns : bool
        Whether a release fails that publishes a column without a role.
    smallest : int, optional
    private : bool
        See `audit`.
    reasons : mapping of str to str
        Why a column has its role; written as comments.
    source : str
        The name of the file, for messages.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import unveil as uv
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "people.csv").write_text("age,vote\\n" + "31,a\\n45,b\\n" * 9)
    >>> file = uv.propose(folder / "people.csv").project().write(folder / "unveil.toml")
    >>> project = uv.Project.read(file)
    >>> project.roles["vote"]
    <Role.SENSITIVE: 'sensitive'>
    >>> [len(table) for table in project.microdata()]
    [18]
    """

    data: Data
    roles: Mapping[str, Role]
    folder: Path = field(default=Path("."), compare=False)
    kinds: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    forms: Mapping[str, str] = field(default_factory=dict)
    hierarchies: str | Mapping[str, str] | None = None
    partitions: Mapping[str, Any] = field(default_factory=dict)
    releases: tuple[ReleaseAsked, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict, compare=False)
    source: str = field(default="unveil.toml", compare=False)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Project:
        """Read a project file.

        Raises
        ------
        InputError
            If the file cannot be used. It names the file, the table and the key.
        """
        from unveil.projects._file import read

        return read(Path(path))

    @staticmethod
    def schema() -> dict[str, Any]:
        """The JSON Schema of a project file, for editors and other programs.

        >>> sorted(Project.schema()["properties"])[:3]
        ['attacks', 'data', 'forms']
        """
        from unveil.projects._file import schema

        return schema()

    def write(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the project, with comments that explain it.

        Parameters
        ----------
        path : path
            Where the file goes. Paths in it start from its folder.
        force : bool
            Whether an existing file may be replaced.
        """
        file = Path(path)
        text = self.moved(file.parent).to_toml()
        if force:
            return write_text(file, text)
        try:
            return write_new(file, text.encode())
        except FileExistsError:
            raise InputError("{file} already exists; {force} replaces it", file=File(file),
                             force=Option("force", True)) from None  # fmt: skip

    def moved(self, folder: str | os.PathLike[str]) -> Project:
        """The same project, with paths that start from another folder."""
        target = Path(folder)

        def path(text: str) -> str:
            return text if Path(text).is_absolute() else seen_from(target, self.folder / text)

        def release(one: ReleaseAsked) -> ReleaseAsked:
            if one.file is not None:
                return replace(one, file=path(one.file))
            if one.oracle is not None and (self.folder / one.oracle).exists():
                return replace(one, oracle=path(one.oracle))
            return one

        trees = self.hierarchies
        if isinstance(trees, Mapping):
            trees = {column: path(file) for column, file in trees.items()}
        elif trees is not None:
            trees = path(trees)
        data, external = self.data, self.external
        return replace(
            self, folder=target,
            data=data if data.file is None else replace(data, file=path(data.file)),
            external=None if external is None else path(external),
            hierarchies=trees, releases=tuple(release(one) for one in self.releases),
        )  # fmt: skip

    def to_toml(self) -> str:
        """The text of the file."""
        from unveil.projects._file import text_of

        return text_of(self)

    @property
    def quasi(self) -> tuple[str, ...]:
        """Columns that an attacker may know, published in a changed form."""
        return self._having(Role.QUASI)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Columns that the attacker wants to know."""
        return self.wants or self._having(Role.SENSITIVE)

    @property
    def identifier(self) -> tuple[str, ...]:
        """Columns that name a person."""
        return self._having(Role.IDENTIFIER)

    @property
    def person(self) -> tuple[str, ...]:
        """Columns that say whose a row is."""
        return self._having(Role.PERSON)

    @property
    def is_alone(self) -> bool:
        """Whether only what was published is known, and not the original."""
        return self.data.file is None

    def _having(self, role: Role) -> tuple[str, ...]:
        return tuple(name for name, one in self.roles.items() if one is role)

    def microdata(self) -> list[Microdata]:
        """The table for each sensitive column; the file is opened once."""
        self._check_roles()
        table = self.opened()
        try:
            with _worded_for_a_project():
                tables = [read_table(table, **_options(self, table, s)) for s in self.sensitive]
        except (CountsError, PersonsError) as error:
            from unveil.projects._file import wrong

            raise wrong(self.source, "[roles]", error.message) from None
        return same_records(tables, self.data.missing)

    def _check_roles(self) -> None:
        for names, role in ((self.quasi, "quasi"), (self.sensitive, "sensitive")):
            if not names:
                raise InputError(
                    "{file}, [roles]: no column is {role}; name one, such as {example} = {role}",
                    file=File(self.source, bare=True), role=repr(role),
                    example="age" if role == "quasi" else "income",
                )  # fmt: skip

    def opened(self) -> Source:
        """The table's file, open."""
        data = self.data
        if data.file is None:
            raise InputError(
                "{file} names no original table, only what was published; name it under [data], "
                "such as {example}",
                file=File(self.source, bare=True), example="file = 'survey.csv'",
            )  # fmt: skip
        file = self.folder / data.file
        if is_parquet(file):
            return open_table(file)
        return open_table(
            file, delimiter=data.delimiter, encoding=data.encoding, columns=data.columns,
            comment=data.comment, sheet=data.sheet, name_unnamed=True,
        )  # fmt: skip

    def audit(self, *, microdata: Sequence[Microdata] | None = None, **overrides: Any) -> Audit:
        """Audit the releases.

        Parameters
        ----------
        microdata : sequence of Microdata, optional
            What `microdata` returned, if the table has been read already.
        **overrides
            Options of `audit` that replace those of the project, ``releases`` included.
        """
        from unveil.auditing import audit

        asked: dict[str, Any] = {
            "fail_on": self.fail_on or None,
            "adversary": self.adversary[0] if len(self.adversary) == 1 else self.adversary or None,
            "knows": self.knows or None,
            "tolerance": self.tolerance,
            "partitions": {n: given for n, given in self.partitions.items() if n in self.sensitive},
            "private": self.private,
            "strict_columns": self.strict_columns,
        }
        for name in ("smallest", "seed", "jobs"):
            if getattr(self, name) is not None:
                asked[name] = getattr(self, name)
        if self.external is not None:
            asked["external"] = self.folder / self.external
        if self.external is not None or self.is_alone:
            asked["identifier"] = self.identifier
        if "releases" not in overrides:
            asked["releases"] = _releases(self)
        asked |= {**overrides, "attacks": _attacks(self, overrides.get("attacks"))}
        if self.is_alone:
            return audit(None, **asked)
        return audit(self.microdata() if microdata is None else microdata, **asked)


def seen_from(folder: Path, file: str | os.PathLike[str]) -> str:
    """A path as it is written in a file of that folder."""
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # on another drive
        return Path(file).resolve().as_posix()


def _options(project: Project, table: Source, sensitive: str) -> dict[str, Any]:
    """The options of the readers, as the project has them."""
    return {
        **_columns(project, sensitive),
        "identifier": [n for n, role in project.roles.items() if role is Role.IDENTIFIER],
        "person": _person(project),
        "missing": project.data.missing,
        "missing_values": project.data.missing_values or None,
        "count": _count(project, table),
    }


def _person(project: Project) -> list[str] | Literal[False] | None:
    """The columns that say whose a row is; False if each row is another person's."""
    return list(project.person) or (False if project.data.person else None)


def _columns(project: Project, sensitive: str) -> dict[str, Any]:
    """The columns that are used, and what their values are."""
    used = {*project.quasi, sensitive}
    kinds = {name: kind for name, kind in project.kinds.items() if name in used}
    trees: Any = project.hierarchies
    if isinstance(trees, Mapping):
        trees = {name: project.folder / file for name, file in trees.items() if name in used}
    elif trees is not None:
        trees = project.folder / trees
    return {
        "quasi": list(project.quasi),
        "sensitive": sensitive,
        "numeric": [name for name, kind in kinds.items() if kind == "numeric"],
        "categorical": [name for name, kind in kinds.items() if kind == "categorical"],
        "ordinal": {name: k for name, k in kinds.items() if not isinstance(k, str)} or None,
        "forms": {name: form for name, form in project.forms.items() if name in used} or None,
        "hierarchies": trees or None,
    }


def _count(project: Project, table: Source | None) -> str | Literal[False] | None:
    """The column with numbers of people; False if all columns are said to be something else."""
    found = [name for name, role in project.roles.items() if role is Role.COUNT]
    if len(found) > 1:
        raise InputError(
            "{file}, [roles]: {columns} are both count; one column has the number of people of a "
            "row", file=File(project.source, bare=True), columns=Listed(found[:2], "and"),
        )  # fmt: skip
    if found:
        return found[0]
    said = table is not None and project.roles.keys() >= set(table.columns)
    return False if said else None


def same_records(tables: list[Microdata], missing: Missing) -> list[Microdata]:
    """The records that all tables have, so that results can be compared.

    With ``missing="keep"`` each sensitive column is tested over all people who have it.
    """
    if missing == "keep":
        return tables
    rows = reduce(np.intersect1d, [table.rows for table in tables])
    return [_only(table, rows) for table in tables]


def _only(table: Microdata, rows: Any) -> Microdata:
    kept = np.flatnonzero(np.isin(table.rows, rows))
    gone = len(table) - len(kept)
    if not gone:
        return table
    if not len(kept):
        raise InputError(
            "no record of {table} has a value in every sensitive column; audit one sensitive "
            "column at a time",
            table=File(table.source, bare=True),
        )
    note = Message(
        "{gone} more {records} dropped: another sensitive column has a missing value there",
        gone=gone, records="record" if gone == 1 else "records",
    )  # fmt: skip
    return replace(table.take(kept), notes=(*table.notes, note))


def _attacks(project: Project, asked: Any) -> Mapping[str, Any] | None:
    """Attacks with the options of the project, unless they come with their own."""
    if isinstance(asked, Mapping) or (
        asked is None and not project.attacks and not project.options
    ):
        return asked
    from unveil.auditing.parts import DEFAULT

    if asked is None:
        asked = project.attacks or [*dict.fromkeys([*DEFAULT, *project.options])]
    names = [asked] if isinstance(asked, str) else list(asked)
    return {name: dict(project.options.get(name, {})) for name in names}


def _releases(project: Project) -> dict[str, Sanitizer | ToRead | list[ToRead]] | None:
    """What is audited, by name; None if the project names no release."""
    if project.is_alone:
        project._check_roles()
    found: dict[str, Sanitizer | ToRead | list[ToRead]] = {}
    for number, one in enumerate(project.releases, start=1):
        for name, made in _made(one, project).items():
            if name in found:
                raise InputError(
                    "{file}, [[releases]] number {number}: there is already a release {name}; "
                    "give this one another name, such as name = 'second'",
                    file=File(project.source, bare=True), number=number, name=File(name),
                )  # fmt: skip
            found[name] = made
    return found or None


def _made(one: ReleaseAsked, project: Project) -> Mapping[str, Sanitizer | ToRead | list[ToRead]]:
    from unveil.auditing import ToRead, public_name

    if one.sanitizer is not None:
        series = sanitizers_named(one.sanitizer)
        if len(series) > 1 and one.name is not None:
            raise InputError(
                "{file}, [[releases]]: {name} is a series of sanitizers, and each has its own "
                "name; leave out name",
                file=File(project.source, bare=True), name=File(one.name),
            )  # fmt: skip
        return {one.name or sanitizer.label: sanitizer for sanitizer in series}
    if one.oracle is not None:
        oracle = Oracle(_oracle_at(project.folder, one.oracle), **one.options)
        return {one.name or public_name(oracle.label): oracle}
    assert one.file is not None
    unnamed = [Path(other.file) for other in project.releases if other.file and not other.name]
    names = dict(zip(unnamed, told_apart(unnamed), strict=True))
    name = one.name or public_name(names[Path(one.file)])
    if not (project.folder / one.file).exists():
        raise InputError("{file}, [[releases]]: there is no file {name}",
                         file=File(project.source, bare=True), name=File(one.file))  # fmt: skip
    # A file may have several sensitive columns; it is read for each of them.
    if project.is_alone:
        return {name: [
            ToRead(read=partial(_alone, one, project, name, secret), quasi=project.quasi,
                   sensitive=secret)
            for secret in project.sensitive
        ]}  # fmt: skip
    return {name: ToRead(read=partial(_published, one, project, name))}


@contextmanager
def _worded_for_a_project() -> Iterator[None]:
    """Remedies are worded as they stand in the file: options cannot be typed beside it."""
    from unveil.projects._file import InFile

    try:
        yield
    except InputError as error:
        raise type(error)(InFile(error.message.text, **error.message.parts)) from error


def _published(one: ReleaseAsked, project: Project, name: str, table: Microdata) -> AnyRelease:
    assert one.file is not None
    file = project.folder / one.file
    if file.is_dir():
        return read_anatomy(file, microdata=table, made_by=name)
    from unveil.projects._two_files import with_learned_tables

    options = with_learned_tables(one, project)
    used = [column.name for column in (*table.quasi, table.sensitive)]
    for what in ("how", "cells"):  # of the other sensitive columns it has its own
        options[what] = {n: given for n, given in (options.get(what) or {}).items() if n in used}
    with _worded_for_a_project():
        return read_release(file, table, made_by=name, **options)


def _alone(
    one: ReleaseAsked, project: Project, name: str, sensitive: str, table: None
) -> AnyRelease:
    """What was published, read without the original."""
    assert one.file is not None
    file, options = project.folder / one.file, _columns(project, sensitive)
    for option in ("delimiter", "encoding"):
        options[option] = getattr(project.data, option)
    if file.is_dir():
        return read_anatomy(file, made_by=name, **options)
    own = {"count": _count(project, None), "person": _person(project), **one.options}
    own["domains"] = {
        column: parse([f"{column}={values}"])[column] if isinstance(values, str) else values
        for column, values in own.get("domains", {}).items() if (parse := shell_of(Domains).parse)
    }  # fmt: skip
    return read_release(file, made_by=name, **options, **own)


def _oracle_at(folder: Path, text: str) -> str:
    """An oracle, with its folder or program found from the folder of the project.

    Addresses, and programs that the system finds by name, stay as they are.
    """
    if (folder / text).exists():
        return str(folder / text)
    program, blank, rest = text.partition(" ")
    if "/" in program and not Path(program).is_absolute() and (folder / program).is_file():
        return f"{shlex.quote(str((folder / program).resolve()))}{blank}{rest}"
    return text
