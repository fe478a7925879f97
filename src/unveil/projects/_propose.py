"""Look at a table and propose roles: what names people, what others know, what is sensitive.

A proposal is a start: no table says what an attacker knows. So every role comes with its reason,
and what is in doubt is listed. The evidence is a column's name in six languages and the form of its
values (`microdata.vocabulary`), how often they occur, and the rest of the table (`unveil.roles`).
Nothing is learned and nothing is looked up elsewhere: the same table gets the same proposal.

A proposal can be passed around. It has no value that fewer than five people have, and none of an
identifier.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from unveil._text import harmless
from unveil.errors import Cell, Column, File, InputError, Listed, Message, Text
from unveil.microdata import Kind, Missing, Role
from unveil.projects._form import Data
from unveil.projects._kinds import USED, KindOf, hierarchies_beside, kind_of, meaning_of_missing
from unveil.projects._project import Project, seen_from
from unveil.roles import (
    SECRETS,
    ColumnNames,
    LookedAt,
    Settled,
    look_at,
    profiles_of,
    settle,
    share,
)


def propose(
    table: Any,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    columns: ColumnNames | None = None,
    sheet: str | None = None,
) -> Proposal:
    """Propose a role for every column of a table, and say why.

    Parameters
    ----------
    table : path, pandas, polars or Arrow table, or a mapping of columns
        A path is that of a Parquet file (``.parquet``, ``.pq``) or a CSV file. Of a large table a
        sample is looked at; the notes say so. Hierarchies in a folder ``hierarchies`` beside a
        file are used if they fit.
    delimiter, encoding, columns, sheet
        As in `read_csv`. The notes say so if the encoding is in doubt.

    Returns
    -------
    Proposal

    Examples
    --------
    >>> import unveil as uv
    >>> people = {"name": ["Ann", "Bob", "Cem"], "age": [34, 28, 61],
    ...           "disease": ["flu", "hiv", "flu"]}
    >>> uv.propose(people)
    Proposal for table: 3 rows, 3 columns
      name: identifier; a name, by its name, and almost every value occurs once
      age: quasi-identifier; an age, by its name: whole numbers
      disease: sensitive; health, by its name: 2 values
    """
    seen = look_at(table, delimiter=delimiter, encoding=encoding, columns=columns, sheet=sheet)
    settled = settle(profiles_of(seen))
    used = [one for one in settled if one.role in USED]
    kinds = {one.name: kind_of(one, whole=not seen.is_sample) for one in settled}
    trees, kinds, about_trees = hierarchies_beside(seen.file, settled, kinds)
    missing, kinds, about_missing = meaning_of_missing(used, kinds)
    return Proposal(
        source=seen.name, rows=seen.rows,
        columns=tuple(_column(one, kinds[one.name]) for one in settled),
        sensitive=_secrets(settled), missing=missing, hierarchies=trees,
        notes=(*seen.notes, *about_trees, *about_missing, *_about_roles(settled, seen)),
        about_missing=tuple(about_missing),
        file=seen.file, delimiter=delimiter, encoding=encoding, names=columns, sheet=sheet,
    )  # fmt: skip


def _column(one: Settled, kind: KindOf) -> ColumnProposal:
    profile = one.profile
    reason = one.reason
    if profile.missing and profile.filled:
        codes = " and ".join(repr(marker) for marker in profile.markers)
        reason += f"; {codes or 'missing'} in {share(profile.missing)} of the rows"
    return ColumnProposal(
        name=one.name, role=one.role, reason=reason, kind=kind.kind, levels=kind.levels,
        missing_values=profile.markers, missing=profile.missing, unsure=one.unsure,
    )  # fmt: skip


def _secrets(settled: list[Settled]) -> tuple[str, ...]:
    """The most protected first, then in the order of the table."""
    secrets = [one for one in settled if one.role is Role.SENSITIVE]
    rank = {leaning: place for place, leaning in enumerate(SECRETS)}
    return tuple(one.name for one in sorted(secrets, key=lambda o: rank.get(o.leaning, len(rank))))


def _about_roles(settled: list[Settled], seen: LookedAt) -> list[Message]:
    notes = []
    secrets = _secrets(settled)
    if len(secrets) > 1:
        notes.append(Message(
            "{count} columns may be sensitive ({names}): each is tested in turn, and the attacker "
            "knows none of the others",
            count=len(secrets), names=Listed([Column(name) for name in secrets]),
        ))  # fmt: skip
    for role, what in ((Role.QUASI, "known to an attacker (quasi)"),
                       (Role.SENSITIVE, "sensitive")):  # fmt: skip
        if not any(one.role is role for one in settled):
            notes.append(Message("no column of {table} looks {what}; say which one is",
                                 table=File(seen.name, bare=True), what=what))  # fmt: skip
    return notes


@dataclass(frozen=True, kw_only=True)
class ColumnProposal:
    """The proposal for one column.

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
        What to check.
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
        The table.
    rows : int
        Number of rows that were looked at.
    columns : tuple of ColumnProposal
        In the order of the table.
    missing : {'error', 'drop', 'category'}
        How missing values are treated.
    hierarchies : mapping of str to path
        Files beside the table that fit.
    notes : tuple of Message
        Notes on the whole table.
    about_missing : tuple of Message
        Those of them that are about missing values.
    sensitive : tuple of str
        Columns that an attacker may want to know, the most protected first.
    file, delimiter, encoding, names, sheet
        How the file was read; see `read_csv` (`names` are its ``columns``).
    """

    source: str
    rows: int
    columns: tuple[ColumnProposal, ...]
    sensitive: tuple[str, ...]
    missing: Missing = "error"
    hierarchies: Mapping[str, Path] = field(default_factory=dict)
    notes: tuple[Text, ...] = ()
    about_missing: tuple[Text, ...] = ()
    file: Path | None = None
    delimiter: str | None = None
    encoding: str | None = None
    names: ColumnNames | None = None
    sheet: str | None = None

    def __getitem__(self, name: str) -> ColumnProposal:
        for column in self.columns:
            if column.name == name:
                return column
        raise InputError("there is no column {name} in {table}", name=Cell(name),
                         table=File(self.source, bare=True))  # fmt: skip

    @property
    def quasi(self) -> tuple[str, ...]:
        """Columns that an attacker may know, in the order of the table."""
        return tuple(one.name for one in self.columns if one.role is Role.QUASI)

    @property
    def identifier(self) -> tuple[str, ...]:
        """Columns that name a person."""
        return tuple(one.name for one in self.columns if one.role is Role.IDENTIFIER)

    @property
    def unsure(self) -> tuple[Text, ...]:
        """What to check: column by column, and for the whole table."""
        asked = [f"{one.name}: {one.unsure}" for one in self.columns if one.unsure]
        return (*asked, *self.notes)

    def project(self, file: str | os.PathLike[str] | None = None) -> Project:
        """The project that follows, to be corrected, written and audited.

        Parameters
        ----------
        file : path, optional
            The table, if it was not read from a file.
        """
        table = self.file if file is None else Path(file)
        if table is None:
            raise InputError(
                "a project needs a file, and the proposal is for a table in memory; write the "
                "table to a file and name it: project('survey.csv')"
            )
        used = [one for one in self.columns if one.role in USED]
        data = Data(
            file=table.name, delimiter=self.delimiter, encoding=self.encoding,
            columns=_columns(self.names), sheet=self.sheet,
            missing=self.missing,
            missing_values={
                one.name: one.missing_values for one in used if one.missing_values
            } or (),
        )  # fmt: skip
        return Project(
            folder=table.parent, data=data, roles={one.name: one.role for one in self.columns},
            kinds={one.name: kind for one in used if (kind := _kind(one)) is not None},
            hierarchies={
                name: seen_from(table.parent, tree) for name, tree in self.hierarchies.items()
            } or None,
            reasons={
                one.name: f"{one.reason}. To check: {one.unsure}" if one.unsure else one.reason
                for one in self.columns
            },
        )  # fmt: skip

    def to_frame(self) -> pd.DataFrame:
        """One row per column: its role, kind, the reason, and what to check."""
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
        return "\n".join([*lines, *(f"  to check: {harmless(str(one))}" for one in self.unsure)])


def _columns(names: ColumnNames | None) -> ColumnNames | None:
    return names if names is None or isinstance(names, Mapping) else tuple(names)


def _kind(one: ColumnProposal) -> str | tuple[str, ...] | None:
    """What the file says about a kind; nothing if the table itself has the order."""
    return (one.levels or None) if one.kind is Kind.ORDINAL else str(one.kind)
