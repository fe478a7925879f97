"""The audit of a project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from unveil.auditing import Audit, ToRead, audit, public_name
from unveil.auditing.parts import DEFAULT
from unveil.errors import InputError
from unveil.microdata import AnyRelease, Microdata, read_anatomy, read_release
from unveil.projects._paths import oracle_at
from unveil.sanitize import Oracle, Sanitizer, sanitizers_named

if TYPE_CHECKING:
    from unveil.projects._project import Project, ReleaseAsked

__all__ = ["audit_of", "releases_of"]


def audit_of(
    project: Project, tables: Sequence[Microdata] | None, overrides: dict[str, Any]
) -> Audit:
    """Run `audit` as the project says, and the caller before it."""
    options: dict[str, Any] = {
        "fail_on": project.fail_on or None,
        "adversary": _alone(project.adversary),
        "knows": project.knows or None,
        "partitions": {
            name: given for name, given in project.partitions.items() if name in project.sensitive
        },
        "include_records": project.include_records,
    }
    for name in ("smallest", "seed", "n_jobs"):
        if getattr(project, name) is not None:
            options[name] = getattr(project, name)
    if "releases" not in overrides:
        options["releases"] = releases_of(project)
    attacks = attacks_of(project, overrides.get("attacks"))
    return audit(
        project.microdata() if tables is None else tables,
        **{**options, **overrides, "attacks": attacks},
    )


def attacks_of(project: Project, asked: Any) -> Mapping[str, Any] | None:
    """Attacks with the options of the project, unless they come with their own."""
    if isinstance(asked, Mapping) or (
        asked is None and not project.attacks and not project.options
    ):
        return asked
    if asked is None:
        asked = project.attacks or [*dict.fromkeys([*DEFAULT, *project.options])]
    names = [asked] if isinstance(asked, str) else list(asked)
    return {name: dict(project.options.get(name, {})) for name in names}


def _alone(names: Sequence[str]) -> str | list[str] | None:
    """One name, several, or none."""
    return names[0] if len(names) == 1 else list(names) or None


def releases_of(project: Project) -> dict[str, Sanitizer | ToRead] | None:
    """What is audited, by name; None if the project names nothing."""
    found: dict[str, Sanitizer | ToRead] = {}
    for number, one in enumerate(project.releases, start=1):
        for name, made in _made(one, project).items():
            if name in found:
                raise InputError(
                    f"{project.source}, [releases, number {number}]: {name!r} is there already; "
                    "give it a name of its own, such as name = 'second'"
                )
            found[name] = made
    return found or None


def _made(one: ReleaseAsked, project: Project) -> dict[str, Sanitizer | ToRead]:
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
        return {one.name or public_name(one.oracle): oracle}
    assert one.file is not None
    name = one.name or public_name(one.file)
    if not (project.folder / one.file).exists():
        raise InputError(f"{project.source}, [[releases]]: there is no file {one.file!r}")
    # A file may have several sensitive columns; it is read for each of them.
    return {name: ToRead(read=partial(_published, one, project, name))}


def _published(one: ReleaseAsked, project: Project, name: str, table: Microdata) -> AnyRelease:
    assert one.file is not None
    file = project.folder / one.file
    if file.is_dir():
        return read_anatomy(file, microdata=table, made_by=name)
    return read_release(file, table, made_by=name, **one.options)
