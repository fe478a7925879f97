"""The table that an audit is of: named by a project, by options, or with roles proposed."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from unveil.cli._console import working
from unveil.cli._reading import Reading
from unveil.cli._sources import ROLES, Table, group
from unveil.errors import File, InputError, Option
from unveil.options import Help, Shell, names

if TYPE_CHECKING:
    from unveil.cli._releases import Given
    from unveil.microdata import Microdata, Role
    from unveil.projects import Project, Proposal, TwoFiles

PROJECT = "unveil.toml"
_OPENING = ("delimiter", "encoding", "columns", "sheet")  # which go with a proposal, too


@group(ROLES)
class AuditTable(Table):
    """The roles of columns and how a table is read, where both may be proposed or in a project."""

    quasi: Annotated[
        Any,
        Help(
            "Quasi-identifiers: what the attacker may know of a person, such as "
            "age,education,country. Default, without --sensitive: both are proposed, as unveil "
            "init does."
        ),
        Shell(parse=names, metavar="COLUMNS", letter="q"),
    ] = None
    sensitive: Annotated[
        Any,
        Help(
            "Sensitive columns: what the attacker wants to know. Several, such as "
            "income,diagnosis, are tested in turn."
        ),
        Shell(parse=names, metavar="COLUMNS", letter="s"),
    ] = None
    project: Annotated[
        Path | None,
        Help("Instead of FILE and roles: a project file, as unveil init writes it."),
        Shell(metavar="FILE", letter="p", path=True),
    ] = None

    def audited(self, file: Path | None, published: "Given") -> "AuditedTable":
        """The table that is audited, or the files that were published without it."""
        options = self.values()
        project, sensitive = options.pop("project", None), options.pop("sensitive", ())
        reading = Reading(
            file=file, options=options,
            # The column with numbers of people may be one of what was published.
            counted_elsewhere=bool(published.files),
        )  # fmt: skip
        return AuditedTable(
            reading=reading, sensitive=sensitive, project_file=project, published=published.files
        )


@dataclass(frozen=True, kw_only=True)
class AuditedTable:
    """What was typed about the table."""

    reading: Reading
    sensitive: Sequence[str]
    """What the attacker wants to know; `reading` has none."""
    project_file: Path | None
    published: Sequence[Path] = ()
    """What was published; without the original it is all that is looked at."""
    released: Path | None = None
    """The published file, whose columns are put beside those of the table."""
    given: "Given | None" = None
    """What was typed about the columns of that file."""

    @property
    def is_alone(self) -> bool:
        """Whether there is no original."""
        if self.project_file is not None:
            return self.project is not None and self.project.is_alone
        return self.reading.file is None

    def check(self) -> None:
        """What is wrong about the options is told before a file is opened."""
        typed = {name: one for name, one in self.reading.options.items()
                 if one or one is False}  # fmt: skip
        if typed.get("missing") == "error":
            del typed["missing"]
        given = [name for name in typed if name not in _OPENING]
        roles = bool(self.reading.quasi), bool(self.sensitive)
        if self.project_file is not None:
            for option in (*given, *["sensitive"] * roles[1], *typed):
                raise InputError(
                    "{option} is said by the project: change {file}",
                    option=Option(option), file=File(self.project_file, bare=True),
                )  # fmt: skip
            if self.reading.file is not None:
                raise InputError(
                    "both a table, {file}, and a project, which names its own, are given; leave "
                    "one out", file=File(self.reading.file),
                )  # fmt: skip
            return
        if self.reading.file is None and not self.published and Path(PROJECT).is_file():
            raise InputError(
                "nothing was named to audit; for the project in this folder: {project}",
                project=Option("project", PROJECT),
            )
        if self.reading.file is None and not self.published:
            raise InputError(
                "there is nothing to audit: give the original table as FILE, what was published "
                "with {published}, or a project with {project}",
                published=Option("published"), project=Option("project"),
            )  # fmt: skip
        if self.released is not None:
            for option in given:
                if option not in ("quasi", "forms"):
                    raise InputError(
                        "{option} is proposed for two files; to say it yourself, write a project "
                        "with {init} and correct it", option=Option(option),
                        init=f"unveil init {self.reading.file} {self.released}",
                    )  # fmt: skip
            return
        if roles[0] != roles[1]:
            first, other = ("quasi", "sensitive") if roles[0] else ("sensitive", "quasi")
            raise InputError(
                "{first} is given and {other} is not; give both, or none, and both are proposed",
                first=Option(first), other=Option(other),
            )  # fmt: skip
        if not roles[0] and given:
            raise InputError(
                "{option} goes with {quasi} and {sensitive}; without these how the table is read "
                "is proposed, too",
                option=Option(given[0]), quasi=Option("quasi"), sensitive=Option("sensitive"),
            )  # fmt: skip

    @property
    def roles_are_proposed(self) -> bool:
        """Whether nobody has said what is what."""
        if self.released is not None:
            return not (self.reading.quasi and self.sensitive)
        return self.project_file is None and not self.reading.quasi

    @cached_property
    def two_files(self) -> "TwoFiles | None":
        """The table and what was published of it, if both were given."""
        from unveil.projects import two_files

        file, given = self.reading.file, self.given
        if self.released is None or file is None or given is None:
            return None
        with working(f"putting {file.name} and {self.released.name} beside each other"):
            return two_files(
                file, self.released, rename=given.rename, forms=self.reading.get("forms"),
                how=given.how, cells=given.cells, delimiter=self.reading.get("delimiter"),
                encoding=self.reading.get("encoding"), sheet=self.reading.get("sheet"),
            )  # fmt: skip

    @cached_property
    def proposal(self) -> "Proposal":
        """What is what, as it looks."""
        from unveil.projects import propose

        file = self.reading.file or self.published[0]
        if str(file) == "-":
            raise InputError(
                "roles of a table on standard input are not proposed: give --quasi and --sensitive"
            )
        opening = {name: self.reading.get(name) for name in _OPENING}
        with working(f"looking at {file.name}"):
            return propose(file, **opening)

    @cached_property
    def roles(self) -> "Mapping[str, Role]":
        """Of two files, the role of each column of the original."""
        assert self.two_files is not None
        return self.two_files.roles(self.reading.quasi, self.sensitive)

    @cached_property
    def project(self) -> "Project | None":
        """The project that was given, or that is proposed; None where options say all."""
        from unveil.projects import Project

        if self.project_file is not None:
            return Project.read(self.project_file)
        if self.two_files is not None:
            return _with_both_roles(
                self.two_files.project(self.roles), self.two_files.original.name
            )
        if not self.roles_are_proposed:
            return None
        return _with_both_roles(self.proposal.project(), self.proposal.source)

    def read(self) -> "list[Microdata] | None":
        """The table for each sensitive column, opened once; None where there is no original."""
        from unveil.projects import same_records

        if self.is_alone:
            return None
        if self.project is not None:
            return self.project.microdata()
        assert self.reading.file is not None  # checked
        table = self.reading.opened()
        tables = [self.reading.of(sensitive=s).read(table) for s in self.sensitive]
        return same_records(tables, self.reading.get("missing", "error"))

    @property
    def quasi(self) -> Sequence[str]:
        """What the attacker may know of a person."""
        return self.reading.quasi if self.project is None else self.project.quasi

    @property
    def secrets(self) -> Sequence[str]:
        """What the attacker wants to know."""
        return self.sensitive if self.project is None else self.project.sensitive

    def reading_of(self, sensitive: str) -> Reading:
        """How the table, or a release of it, is read, with one of the sensitive columns."""
        if self.project is None:
            return self.reading.of(sensitive=sensitive)
        data = self.project.data
        if self.reading.file is None and self.published:  # the kinds are those of its cells
            return self.reading.of(quasi=self.quasi, sensitive=sensitive)
        options = {"quasi": self.project.quasi, "sensitive": sensitive}
        if data.encoding is not None:
            options["encoding"] = data.encoding
        return Reading(file=self.file, options=options)

    @property
    def file(self) -> Path | None:
        """Where the table is; None where there is no original."""
        if self.project_file is not None and self.project is not None:
            file = self.project.data.file
            return None if file is None else self.project.folder / file
        return self.reading.file

    def fingerprints(self) -> Mapping[str, str]:
        """Of the files as they are on disk; none of what came by standard input."""
        files = [*([] if self.file is None else [self.file]), *self.published]
        files += [] if self.released is None else [self.released]
        if self.project_file is not None and self.project is not None:
            named = [one.file for one in self.project.releases if one.file is not None]
            files += [self.project.folder / file for file in named if not self.published]
        found = {}
        for file in files:
            if file.is_file():
                with file.open("rb") as stream:
                    digest = hashlib.file_digest(stream, "sha256").hexdigest()
                found[str(file) if file.name in found else file.name] = digest
        return found


def _with_both_roles(project: "Project", source: str) -> "Project":
    for role, found in (("--quasi", project.quasi), ("--sensitive", project.sensitive)):
        if not found:
            raise InputError(
                "no column of {file} looks like one for {role}; say which ones are what: --quasi "
                "age,education --sensitive income",
                file=File(source, bare=True),
                role=role,
            )
    return project
