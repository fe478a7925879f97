"""A project as a proposal has it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from unveil.errors import InputError
from unveil.microdata import Kind
from unveil.projects._kinds import USED
from unveil.projects._looking import ColumnNames
from unveil.projects._project import Data, Project, seen_from
from unveil.projects._proposal import ColumnProposal, Proposal

__all__ = ["project_of"]


def project_of(proposal: Proposal, file: str | os.PathLike[str] | None) -> Project:
    """The project that a proposal stands for, in the folder of the table."""
    table = proposal.file if file is None else Path(file)
    if table is None:
        raise InputError(
            "a project is about a file, and the proposal is for a table in memory; write it to a "
            "file, and say which: project('survey.csv')"
        )
    used = [one for one in proposal.columns if one.role in USED]
    data = Data(
        file=table.name, delimiter=proposal.delimiter, encoding=proposal.encoding,
        columns=_columns(proposal.names),
        missing=proposal.missing,
        missing_values={one.name: one.missing_values for one in used if one.missing_values} or (),
    )  # fmt: skip
    return Project(
        folder=table.parent, data=data, roles={one.name: one.role for one in proposal.columns},
        kinds={one.name: kind for one in used if (kind := _kind(one)) is not None},
        hierarchies={
            name: seen_from(table.parent, tree) for name, tree in proposal.hierarchies.items()
        } or None,
        reasons={
            one.name: one.reason if one.unsure is None else f"{one.reason}. To check: {one.unsure}"
            for one in proposal.columns
        },
    )  # fmt: skip


def _columns(names: ColumnNames | None) -> ColumnNames | None:
    return names if names is None or isinstance(names, Mapping) else tuple(names)


def _kind(one: ColumnProposal) -> str | tuple[str, ...] | None:
    """What has to be said of a kind; a table of categories tells their order by itself."""
    return (one.levels or None) if one.kind is Kind.ORDINAL else str(one.kind)
