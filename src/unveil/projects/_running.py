"""A project at work: its table read once per sensitive column, its releases, and its audit."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil.errors import File, InputError, Message
from unveil.microdata import (
    AnyRelease,
    Microdata,
    Role,
    is_parquet,
    read_anatomy,
    read_csv,
    read_parquet,
    read_release,
)
from unveil.sanitize import Oracle, Sanitizer, sanitizers_named

if TYPE_CHECKING:
    from unveil.auditing import Audit, ToRead
    from unveil.projects._project import Project, ReleaseAsked


def tables_of(project: Project) -> list[Microdata]:
    """Read the table once for each sensitive column."""
    for names, role in ((project.quasi, "quasi"), (project.sensitive, "sensitive")):
        if not names:
            raise InputError(
                "{file}, [roles]: no column is {role}; name one, such as {example} = {role}",
                file=File(project.source, bare=True), role=repr(role),
                example="age" if role == "quasi" else "income",
            )  # fmt: skip
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
    """The options of the readers, as the project has them."""
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
    """The records that all tables have, so that results can be compared."""
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


def audit_of(
    project: Project, tables: Sequence[Microdata] | None, overrides: dict[str, Any]
) -> Audit:
    """Run `audit` with the options of the project, and those of the caller before them."""
    from unveil.auditing import audit

    options: dict[str, Any] = {
        "fail_on": project.fail_on or None,
        "adversary": _alone(project.adversary),
        "knows": project.knows or None,
        "partitions": {
            name: given for name, given in project.partitions.items() if name in project.sensitive
        },
        "include_records": project.include_records,
    }
    for name in ("smallest", "seed", "jobs"):
        if getattr(project, name) is not None:
            options[name] = getattr(project, name)
    if "releases" not in overrides:
        options["releases"] = _releases(project)
    attacks = _attacks(project, overrides.get("attacks"))
    return audit(
        project.microdata() if tables is None else tables,
        **{**options, **overrides, "attacks": attacks},
    )


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


def _alone(names: Sequence[str]) -> str | list[str] | None:
    """One name, several, or none."""
    return names[0] if len(names) == 1 else list(names) or None


def _releases(project: Project) -> dict[str, Sanitizer | ToRead] | None:
    """What is audited, by name; None if the project names no release."""
    found: dict[str, Sanitizer | ToRead] = {}
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


def _made(one: ReleaseAsked, project: Project) -> dict[str, Sanitizer | ToRead]:
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
        return {one.name or public_name(one.oracle): oracle}
    assert one.file is not None
    name = one.name or public_name(one.file)
    if not (project.folder / one.file).exists():
        raise InputError("{file}, [[releases]]: there is no file {name}",
                         file=File(project.source, bare=True), name=File(one.file))  # fmt: skip
    # A file may have several sensitive columns; it is read for each of them.
    return {name: ToRead(read=partial(_published, one, project, name))}


def _published(one: ReleaseAsked, project: Project, name: str, table: Microdata) -> AnyRelease:
    assert one.file is not None
    file = project.folder / one.file
    if file.is_dir():
        return read_anatomy(file, microdata=table, made_by=name)
    return read_release(file, table, made_by=name, **one.options)


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
