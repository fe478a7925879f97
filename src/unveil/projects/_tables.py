"""The microdata of a project: one for each sensitive column, all of the same records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil.errors import InputError
from unveil.microdata import Microdata, Role, is_parquet, read_csv, read_parquet

if TYPE_CHECKING:
    from unveil.projects._project import Project

__all__ = ["same_records", "tables_of"]


def tables_of(project: Project) -> list[Microdata]:
    """Read the table once for each sensitive column."""
    for names, role in ((project.quasi, "quasi"), (project.sensitive, "sensitive")):
        if not names:
            raise InputError(
                f"{project.source}, [roles]: no column is {role!r}; say which one is, such as "
                f"{'age' if role == 'quasi' else 'income'} = {role!r}"
            )
    return same_records([_read(project, sensitive) for sensitive in project.sensitive])


def _read(project: Project, sensitive: str) -> Microdata:
    data = project.data
    file = project.folder / data.file
    options = _options(project, sensitive)
    if is_parquet(file):
        return read_parquet(file, **options)
    return read_csv(
        file, **options, delimiter=data.delimiter, encoding=data.encoding or "utf-8",
        columns=data.columns, comment=data.comment,
    )  # fmt: skip


def _options(project: Project, sensitive: str) -> dict[str, Any]:
    """The reading options that the project stands for."""
    used = {*project.quasi, sensitive}
    kinds = {name: kind for name, kind in project.kinds.items() if name in used}
    trees: Any = project.hierarchies
    if isinstance(trees, Mapping):
        trees = {name: project.folder / file for name, file in trees.items() if name in used}
    elif trees is not None:
        trees = project.folder / trees
    missing: Any = project.data.missing_values
    if isinstance(missing, Mapping):
        missing = {name: list(texts) for name, texts in missing.items()}
    return {
        "quasi": list(project.quasi),
        "sensitive": sensitive,
        "identifier": [n for n, role in project.roles.items() if role is Role.IDENTIFIER],
        "numeric": [name for name, kind in kinds.items() if kind == "numeric"],
        "categorical": [name for name, kind in kinds.items() if kind == "categorical"],
        "ordinal": {name: k for name, k in kinds.items() if not isinstance(k, str)} or None,
        "hierarchies": trees or None,
        "missing": project.data.missing,
        "missing_values": missing or None,
    }


def same_records(tables: list[Microdata]) -> list[Microdata]:
    """Everybody of whom all sensitive values are known: so numbers can be compared."""
    rows = reduce(np.intersect1d, [table.rows for table in tables])
    return [_only(table, rows) for table in tables]


def _only(table: Microdata, rows: Any) -> Microdata:
    kept = np.flatnonzero(np.isin(table.rows, rows))
    gone = len(table) - len(kept)
    if not gone:
        return table
    if not len(kept):
        raise InputError(
            f"nobody in {table.source} has all sensitive values: want one of them at a time"
        )
    have = "record" if gone == 1 else "records"
    note = f"{gone:,} more {have} dropped: another sensitive column has a missing value there"
    return replace(table.take(kept), notes=(*table.notes, note))
