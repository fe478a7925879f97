"""The audit of a project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unveil.auditing import Audit, audit
from unveil.auditing.parts import DEFAULT
from unveil.errors import InputError
from unveil.microdata import AnyRelease, Microdata, read_anatomy, read_release
from unveil.projects._paths import oracle_at
from unveil.sanitize import Oracle, Sanitizer, sanitizers_named

if TYPE_CHECKING:
    from unveil.projects._project import Project, ReleaseAsked

__all__ = ["audit_of", "categories_of", "releases_of"]

_WITH_CATEGORIES = "discrimination-rate"


def audit_of(project: Project, overrides: dict[str, Any]) -> Audit:
    """Run `audit` as the project says, and the caller before it."""
    tables = project.microdata()
    options: dict[str, Any] = {
        "fail_on": project.fail_on or None,
        "adversary": _alone(project.adversary),
        "include_records": project.include_records,
    }
    if project.smallest is not None:
        options["smallest"] = project.smallest
    if project.partitions:
        options["attacks"] = {**{part: {} for part in DEFAULT}, **categories_of(project)}
    if "releases" not in overrides:
        options["releases"] = releases_of(project, tables)
    return audit(tables, **{**options, **overrides})


def _alone(names: Sequence[str]) -> str | list[str] | None:
    """One name, several, or none."""
    return names[0] if len(names) == 1 else list(names) or None


def releases_of(
    project: Project, tables: Sequence[Microdata]
) -> dict[str, Sanitizer | AnyRelease] | None:
    """What is audited, by name; None if the project names nothing."""
    found: dict[str, Sanitizer | AnyRelease] = {}
    for number, one in enumerate(project.releases, start=1):
        for name, made in _made(one, project, tables).items():
            if name in found:
                raise InputError(
                    f"{project.source}, [releases, number {number}]: {name!r} is there already; "
                    "give it a name of its own, such as name = 'second'"
                )
            found[name] = made
    return found or None


def _made(
    one: ReleaseAsked, project: Project, tables: Sequence[Microdata]
) -> dict[str, Sanitizer | AnyRelease]:
    if one.sanitizer is not None:
        series = sanitizers_named(one.sanitizer)
        if len(series) > 1 and one.name is not None:
            raise InputError(
                f"{project.source}: the release {one.name!r} is a series of sanitizers, which have "
                "names of their own; leave out its name"
            )
        return {one.name or sanitizer.label: sanitizer for sanitizer in series}
    if one.oracle is not None:
        oracle = Oracle(oracle_at(project.folder, one.oracle), **one.options)
        return {one.name or one.oracle: oracle}
    assert one.file is not None
    name = one.name or one.file
    return {
        # A release is of one sensitive column; a report needs a name for each.
        name if len(tables) == 1 else f"{name} ({table.sensitive.name})": _published(
            one, project, table, name
        )
        for table in tables
    }


def _published(one: ReleaseAsked, project: Project, table: Microdata, name: str) -> AnyRelease:
    assert one.file is not None
    file = project.folder / one.file
    if file.is_dir():
        return read_anatomy(file, microdata=table, made_by=name)
    return read_release(file, table, made_by=name, **one.options)


def categories_of(project: Project) -> dict[str, dict[str, Any]]:
    """What the discrimination rate is told of the project's partitions: nothing without any."""
    if not project.partitions:
        return {}
    if len(project.sensitive) > 1:
        raise InputError(
            f"{project.source}, [partitions]: categories are of one sensitive column, and "
            f"{len(project.sensitive)} are to be audited ({', '.join(project.sensitive)}); want "
            "one of them, under [threat]"
        )
    given = project.partitions.get(project.sensitive[0])
    return {} if given is None else {_WITH_CATEGORIES: {"partition": given}}
