"""A project: data, roles, threat model, releases and thresholds, in a file ``unveil.toml``.

The file is what a team agrees on and keeps beside its data: whoever runs the audit, and wherever,
gets the same. `unveil init` writes a first one with a reason beside every role; people correct it.
Paths in it are meant from the folder that it is in.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unveil.errors import InputError
from unveil.microdata import Microdata, Missing, Role
from unveil.projects._looking import ColumnNames

if TYPE_CHECKING:
    from unveil.auditing import Audit

__all__ = ["Data", "Project", "ReleaseAsked"]


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
        Where the paths begin: the folder of the file it was read from.
    data : Data
    roles : mapping of str to Role
        The role of each column; columns that are not there are *other*.
    kinds : mapping of str to (str or tuple of str)
        ``numeric`` or ``categorical``, or the levels of an ordinal column.
    hierarchies : str, or mapping of str to str
        A folder, or a file for each column.
    partitions : mapping of str to (str, list or mapping)
        Categories of sensitive columns, for the discrimination rate; see `Partition.of`.
    knows, wants : tuple of str
        The quasi-identifiers that the attacker knows, of those that are published, and the
        sensitive columns that he wants to know; by default all of them.
    adversary : tuple of str
        Who guesses; by default each sanitizer has an attacker of its own.
    releases : tuple of ReleaseAsked
    attacks : tuple of str
        Which attacks and measures; by default those of `audit`, and those that have options.
    options : mapping of str to mapping
        Options of attacks and measures, by their names.
    seed, n_jobs : int, optional
        See `audit`.
    fail_on : tuple of str
        What makes a release fail, such as ``delta > 0.05``.
    smallest : int, optional
    include_records : bool
        See `audit`.
    reasons : mapping of str to str
        Why a column has its role; comments in the file.
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
    n_jobs: int | None = None
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
            That names the file, the table and the key that cannot be used.
        """
        from unveil.projects._reading import project_from

        file = Path(path)
        if file.is_dir():
            file /= "unveil.toml"
        try:
            values = tomllib.loads(file.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            raise InputError(
                f"there is no project file {str(file)!r}; 'unveil init FILE' writes one"
            ) from None
        except OSError as error:
            raise InputError(f"cannot read {str(file)!r}: {error.strerror or error}") from None
        except UnicodeDecodeError:
            raise InputError(f"{file.name} is not in UTF-8; save it as that") from None
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"{file.name} is not TOML: {error}") from None
        return project_from(values, file)

    def write(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the project, with comments that explain it.

        Parameters
        ----------
        path : path
            Paths in the project are written as seen from there.
        force : bool
            Whether a file that is there may be replaced.
        """
        file = Path(path)
        text = self.moved(file.parent).to_toml()
        try:
            with file.open("w" if force else "x", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
        except FileExistsError:
            raise InputError(f"{str(file)!r} is there already; force=True replaces it") from None
        except OSError as error:
            raise InputError(f"cannot write {str(file)!r}: {error.strerror or error}") from None
        return file

    def moved(self, folder: str | os.PathLike[str]) -> Project:
        """The same project with its paths as seen from another folder."""
        from unveil.projects._paths import moved

        return moved(self, Path(folder))

    def to_toml(self) -> str:
        """The text of the file."""
        from unveil.projects._template import text_of

        return text_of(self)

    @property
    def quasi(self) -> tuple[str, ...]:
        """What an attacker may know, and is published in a changed form."""
        return self._having(Role.QUASI)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """What the attacker wants to know."""
        return self.wants or self._having(Role.SENSITIVE)

    def _having(self, role: Role) -> tuple[str, ...]:
        return tuple(name for name, one in self.roles.items() if one is role)

    def microdata(self) -> list[Microdata]:
        """The table, read once for each sensitive column."""
        from unveil.projects._tables import tables_of

        return tables_of(self)

    def audit(self, *, microdata: Sequence[Microdata] | None = None, **overrides: Any) -> Audit:
        """Audit the releases.

        Parameters
        ----------
        microdata : sequence of Microdata, optional
            What `microdata` returned, if it has been read already.
        **overrides
            Options of `audit` that go before those of the project; ``releases``, too.
        """
        from unveil.projects._running import audit_of

        return audit_of(self, microdata, overrides)
