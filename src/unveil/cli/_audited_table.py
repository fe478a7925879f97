"""The table that an audit is of: named by a project, by options, or with roles proposed."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from unveil.cli._console import working
from unveil.cli._reading import Reading, on_disk
from unveil.cli._sources import ROLES, Table, Texts, typed
from unveil.errors import InputError
from unveil.options import names

if TYPE_CHECKING:
    from unveil.microdata import Microdata
    from unveil.projects import Project, Proposal

# Options that a project, or a proposal, has an answer to of its own.
_READING = (
    "quasi", "identifier", "hierarchies", "missing_value", "numeric", "categorical", "ordinal",
    "cuts", "parts", "quantiles",
)  # fmt: skip
_OPENING = ("delimiter", "encoding", "columns")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class AuditTable(Table):
    """The roles of columns and how a table is read, where both may be proposed or in a project."""

    quasi: Annotated[
        Texts, typed(ROLES, "Quasi-identifiers: what the attacker may know of a person, such as "
                      "age,education,country. Default, without --sensitive: both are proposed, as "
                      "unveil init does.", "COLUMNS", "--quasi", "-q"),
    ] = None  # type: ignore[assignment]  # fmt: skip
    sensitive: Annotated[
        Texts, typed(ROLES, "Sensitive columns: what the attacker wants to know. Several, such as "
                      "income,diagnosis, are tested in turn.", "COLUMNS", "--sensitive", "-s"),
    ] = None  # type: ignore[assignment]  # fmt: skip
    project: Annotated[
        Path | None, typed(ROLES, "Instead of FILE and roles: a project file, as unveil init "
                            "writes it.", "FILE", "--project", "-p"),
    ] = None  # fmt: skip

    def audited(self, file: Path | None) -> "AuditedTable":
        """The table that is audited."""
        own = {name: one for name, one in vars(self).items() if name != "project"}
        table = Table(**{**own, "quasi": self.quasi or (), "sensitive": ""})
        return AuditedTable(
            reading=table.reading(file), sensitive=names(self.sensitive or ()),
            project_file=self.project,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class AuditedTable:
    """What was typed about the table."""

    reading: Reading
    sensitive: Sequence[str]
    """What the attacker wants to know; `reading` has none."""
    project_file: Path | None

    def check(self) -> None:
        """What is wrong about the options is told before a file is opened."""
        given = [option for option in _READING if getattr(self.reading, option)]
        given += ["missing"] if str(self.reading.missing) != "error" else []
        roles = bool(self.reading.quasi), bool(self.sensitive)
        if self.project_file is not None:
            opening = [option for option in _OPENING if getattr(self.reading, option)]
            for option in (*given, *["sensitive"] * roles[1], *opening):
                spelled = option.replace("_", "-")
                raise InputError(f"--{spelled} is said by the project: change {self.project_file}")
            if self.reading.is_given:
                raise InputError(
                    f"both a table, {str(self.reading.file)!r}, and a project, which names its "
                    "own, are given; leave one out"
                )
            return
        if not self.reading.is_given:
            raise InputError(
                "there is nothing to audit: give the original table as FILE, or a project with "
                "--project"
            )
        if roles[0] != roles[1]:
            given_one, other = ("quasi", "sensitive") if roles[0] else ("sensitive", "quasi")
            raise InputError(
                f"--{given_one} is given and --{other} is not; give both, or none, and both are "
                "proposed"
            )
        if not roles[0] and given:
            raise InputError(
                f"--{given[0].replace('_', '-')} goes with --quasi and --sensitive; without these "
                "how the table is read is proposed, too"
            )

    @property
    def roles_are_proposed(self) -> bool:
        """Whether nobody has said what is what."""
        return self.project_file is None and not self.reading.quasi

    @cached_property
    def proposal(self) -> "Proposal":
        """What is what, as it looks."""
        from unveil.projects import propose

        if str(self.reading.file) == "-":
            raise InputError(
                "roles of a table on standard input are not proposed: give --quasi and --sensitive"
            )
        with working(f"looking at {self.reading.file.name}"):
            return propose(
                self.reading.file,
                delimiter="\t" if self.reading.delimiter == "\\t" else self.reading.delimiter,
                encoding=self.reading.encoding,
                columns=names(self.reading.columns or ()) or None,
            )

    @cached_property
    def project(self) -> "Project | None":
        """The project that was given, or that is proposed; None where options say all."""
        from unveil.projects import Project

        if self.project_file is not None:
            return Project.read(self.project_file)
        if not self.roles_are_proposed:
            return None
        return _with_both_roles(self.proposal.project(), self.reading.file)

    def read(self) -> "list[Microdata]":
        """The table, once for each sensitive column."""
        from unveil.projects import same_records

        if self.project is not None:
            return self.project.microdata()
        with on_disk(self.reading.file) as file:  # standard input can be read once only
            reading = replace(self.reading, file=file)
            return same_records([replace(reading, sensitive=one).read() for one in self.sensitive])

    def reading_of(self, sensitive: str) -> Reading:
        """How the table, or a release of it, is read, with one of the sensitive columns."""
        if self.project is None:
            return replace(self.reading, sensitive=sensitive)
        data = self.project.data
        return Reading(
            file=self.project.folder / data.file, quasi=self.project.quasi, sensitive=sensitive,
            encoding=data.encoding,
        )  # fmt: skip

    @property
    def file(self) -> Path:
        """Where the table is."""
        if self.project is not None:
            return self.project.folder / self.project.data.file
        return self.reading.file

    def fingerprints(self) -> Mapping[str, str]:
        """Of the file as it is on disk; none of what came by standard input."""
        if not self.file.is_file():
            return {}
        with self.file.open("rb") as stream:
            return {self.file.name: hashlib.file_digest(stream, "sha256").hexdigest()}


def _with_both_roles(project: "Project", file: Path) -> "Project":
    for role, found in (("--quasi", project.quasi), ("--sensitive", project.sensitive)):
        if not found:
            raise InputError(
                f"no column of {file.name} looks like one for {role}; say which ones are what: "
                "--quasi age,education --sensitive income"
            )
    return project
