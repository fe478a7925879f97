"""A project: data, roles, threat model, releases and thresholds, in a file ``unveil.toml``.

The file is what a team agrees on and keeps beside its data, so that everyone runs the same audit.
`unveil init` writes a first one with a reason beside every role; people correct it. Paths in it
start from its own folder.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unveil.errors import File, InputError, Option
from unveil.microdata import Microdata, Missing, Role
from unveil.projects._looking import ColumnNames

if TYPE_CHECKING:
    from unveil.auditing import Audit

ROLE_NAMES = {
    "identifier": Role.IDENTIFIER,
    "quasi": Role.QUASI,
    "sensitive": Role.SENSITIVE,
    "other": Role.OTHER,
}
"""Roles as they are written in the file."""


@dataclass(frozen=True, kw_only=True)
class Data:
    """``[data]``: the table, and how it is read; see `read_csv`."""

    file: str
    delimiter: str | None = None
    encoding: str | None = None
    comment: str | None = None
    columns: ColumnNames | None = None
    missing: Missing = "error"
    missing_values: Mapping[str, tuple[str, ...]] | tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ReleaseAsked:
    """``[[releases]]``: a file that was published, a sanitizer, or an oracle."""

    file: str | None = None
    sanitizer: str | None = None
    oracle: str | None = None
    name: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of an oracle (``timeout``, ``memory``, ``retries``, ``may_drop``,
    ``may_change_sensitive``) or a file (``may_change``), and the ``notation`` of both."""


@dataclass(frozen=True, kw_only=True)
class Project:
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
    hierarchies : str, or mapping of str to str
        A folder, or a file per column.
    partitions : mapping of str to (str, list or mapping)
        Categories of sensitive columns, for the discrimination rate; see `Partition.of`.
    knows, wants : tuple of str
        The published quasi-identifiers that the attacker knows, and the sensitive columns that
        they want to know; by default all.
    adversary : tuple of str
        The attacker's model; by default the one that fits what was published.
    releases : tuple of ReleaseAsked
    attacks : tuple of str
        Attacks and measures; by default those of `audit`, and those that have options.
    options : mapping of str to mapping
        Options of attacks and measures, by name.
    seed, jobs : int, optional
        See `audit`.
    fail_on : tuple of str
        What makes a release fail, such as ``delta > 0.05``.
    smallest : int, optional
    include_records : bool
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
    hierarchies: str | Mapping[str, str] | None = None
    partitions: Mapping[str, Any] = field(default_factory=dict)
    knows: tuple[str, ...] = ()
    wants: tuple[str, ...] = ()
    adversary: tuple[str, ...] = ()
    releases: tuple[ReleaseAsked, ...] = ()
    attacks: tuple[str, ...] = ()
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    seed: int | None = None
    jobs: int | None = None
    fail_on: tuple[str, ...] = ()
    smallest: int | None = None
    include_records: bool = False
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
        ['attacks', 'data', 'hierarchies']
        """
        from unveil.projects._form import schema

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
        try:
            with file.open("w" if force else "x", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
        except FileExistsError:
            raise InputError("{file} already exists; {force} replaces it", file=File(file),
                             force=Option("force", True)) from None  # fmt: skip
        except OSError as error:
            raise InputError("cannot write {file}: {why}", file=File(file),
                             why=error.strerror or str(error)) from None  # fmt: skip
        return file

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
        return replace(
            self, folder=target, data=replace(self.data, file=path(self.data.file)),
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

    def _having(self, role: Role) -> tuple[str, ...]:
        return tuple(name for name, one in self.roles.items() if one is role)

    def microdata(self) -> list[Microdata]:
        """The table, read once for each sensitive column."""
        from unveil.projects._running import tables_of

        return tables_of(self)

    def audit(self, *, microdata: Sequence[Microdata] | None = None, **overrides: Any) -> Audit:
        """Audit the releases.

        Parameters
        ----------
        microdata : sequence of Microdata, optional
            What `microdata` returned, if the table has been read already.
        **overrides
            Options of `audit` that replace those of the project, ``releases`` included.
        """
        from unveil.projects._running import audit_of

        return audit_of(self, microdata, overrides)


def seen_from(folder: Path, file: str | os.PathLike[str]) -> str:
    """A path as it is written in a file of that folder."""
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # on another drive
        return Path(file).resolve().as_posix()
