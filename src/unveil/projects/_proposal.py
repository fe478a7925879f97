"""What `propose` says: a role for every column, and why."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from unveil._text import harmless
from unveil.errors import InputError
from unveil.microdata import Kind, Missing, Role
from unveil.projects._looking import ColumnNames

if TYPE_CHECKING:
    import pandas as pd

    from unveil.projects._project import Project

__all__ = ["ColumnProposal", "Proposal"]


@dataclass(frozen=True, kw_only=True)
class ColumnProposal:
    """What one column may be.

    Attributes
    ----------
    name : str
    role : Role
    reason : str
        Why. It shows no value that fewer than five people have, and none of an identifier.
    kind : Kind
    levels : tuple of str
        Of an ordinal column, from low to high.
    missing_values : tuple of str
        Texts in it that mean missing.
    missing : float
        The share of rows without a value, those with such a text included.
    unsure : str, optional
        What to think about before relying on it.
    """

    name: str
    role: Role
    reason: str
    kind: Kind
    levels: tuple[str, ...] = ()
    missing_values: tuple[str, ...] = ()
    missing: float = 0.0
    unsure: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Proposal:
    """A role for every column of a table, with reasons; made by `propose`.

    Attributes
    ----------
    source : str
        What was looked at.
    rows : int
        How many of its rows.
    columns : tuple of ColumnProposal
        In the order of the table.
    missing : {'error', 'drop', 'category'}
        What to do about missing values.
    hierarchies : mapping of str to path
        Files beside the table that fit.
    notes : tuple of str
        What holds for the whole table.
    sensitive : tuple of str
        What an attacker may want to know, the most protected first.
    file, delimiter, encoding, names
        How the file was read: see `read_csv` (`names` are its ``columns``).
    """

    source: str
    rows: int
    columns: tuple[ColumnProposal, ...]
    sensitive: tuple[str, ...]
    missing: Missing = "error"
    hierarchies: Mapping[str, Path] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    file: Path | None = None
    delimiter: str | None = None
    encoding: str | None = None
    names: ColumnNames | None = None

    def __getitem__(self, name: str) -> ColumnProposal:
        for column in self.columns:
            if column.name == name:
                return column
        raise InputError(f"there is no column {name!r} in {self.source}")

    @property
    def quasi(self) -> tuple[str, ...]:
        """What an attacker may know, in the order of the table."""
        return tuple(one.name for one in self.columns if one.role is Role.QUASI)

    @property
    def identifier(self) -> tuple[str, ...]:
        """What names a person."""
        return tuple(one.name for one in self.columns if one.role is Role.IDENTIFIER)

    @property
    def unsure(self) -> tuple[str, ...]:
        """What to look at: column by column, and the whole table."""
        asked = [f"{one.name}: {one.unsure}" for one in self.columns if one.unsure]
        return (*asked, *self.notes)

    def project(self, file: str | os.PathLike[str] | None = None) -> Project:
        """The same as a project, to be corrected, written and audited.

        Parameters
        ----------
        file : path, optional
            The table, where it was not read from a file.
        """
        from unveil.projects._from_proposal import project_of

        return project_of(self, file)

    def to_frame(self) -> pd.DataFrame:
        """One row a column: its role, kind, the reason, and what is unsure."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "column": one.name, "role": str(one.role), "kind": str(one.kind),
                    "reason": one.reason, "missing": one.missing, "unsure": one.unsure,
                }
                for one in self.columns
            ],
            columns=["column", "role", "kind", "reason", "missing", "unsure"],
        )  # fmt: skip

    def __repr__(self) -> str:
        lines = [f"Proposal for {self.source}: {self.rows:,} rows, {len(self.columns)} columns"]
        lines += [f"  {harmless(one.name)}: {one.role}; {one.reason}" for one in self.columns]
        return "\n".join([*lines, *(f"  to check: {one}" for one in map(harmless, self.unsure))])
