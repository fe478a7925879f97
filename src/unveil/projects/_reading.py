"""From the tables of a project file to a `Project`, with every mistake named by its place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from unveil.errors import InputError, did_you_mean
from unveil.microdata import Missing, Role, is_parquet
from unveil.projects._checking import Section
from unveil.projects._looking import ColumnNames
from unveil.projects._project import Data, Project, ReleaseAsked

__all__ = ["ROLE_NAMES", "project_from"]

ROLE_NAMES = {
    "identifier": Role.IDENTIFIER,
    "quasi": Role.QUASI,
    "sensitive": Role.SENSITIVE,
    "other": Role.OTHER,
}
"""As they are written in the file."""

_TABLES = (
    "data", "roles", "kinds", "hierarchies", "partitions", "threat", "attacks", "releases",
    "thresholds", "report",
)  # fmt: skip
_DATA = ("file", "delimiter", "encoding", "comment", "columns", "missing", "missing_values")
_WHAT = ("file", "sanitizer", "oracle")
_OPTIONS = {
    "file": ("may_change", "notation"),
    "sanitizer": (),
    "oracle": ("timeout", "memory", "retries", "may_drop", "may_change_sensitive", "notation"),
}
_KINDS = ("numeric", "categorical")
_RUN = ("use", "seed", "jobs")  # of [attacks], beside a table for each attack


def project_from(values: Mapping[str, Any], file: Path) -> Project:
    """The project that a file's tables say."""
    whole = Section(file=file.name, name="", values=values)
    whole.known(_TABLES)
    threat, report = whole.section("threat"), whole.section("report")
    threat.known(("knows", "wants", "adversary"))
    report.known(("smallest", "include_records"))
    thresholds, attacks = whole.section("thresholds"), whole.section("attacks")
    thresholds.known(("fail_on",))
    roles = _roles(whole.section("roles"))
    return Project(
        folder=file.parent, source=file.name, data=_data(whole.section("data")), roles=roles,
        kinds=_kinds(whole.section("kinds"), roles),
        hierarchies=_hierarchies(whole.section("hierarchies"), roles),
        partitions=_partitions(whole.section("partitions"), roles),
        knows=_with_role(threat, "knows", roles, Role.QUASI),
        wants=_with_role(threat, "wants", roles, Role.SENSITIVE),
        adversary=threat.texts("adversary") or (),
        attacks=_attacks(attacks), options=_options(attacks), seed=attacks.whole("seed", 0),
        n_jobs=attacks.whole("jobs", 1),
        releases=tuple(_release(one) for one in whole.sections("releases")),
        fail_on=_thresholds(thresholds), smallest=report.whole("smallest", 1),
        include_records=bool(report.flag("include_records")),
    )  # fmt: skip


def _data(section: Section) -> Data:
    section.known(_DATA)
    file = section.text("file")
    if file is None:
        raise section.wrong("file is lacking: say which table it is, such as file = 'survey.csv'")
    delimiter = section.values.get("delimiter")  # a tab is all blanks
    if delimiter is not None and not (isinstance(delimiter, str) and len(delimiter) == 1):
        raise section.wrong(f"delimiter must be one character, but is {delimiter!r}")
    missing: Any = section.choice("missing", get_args(Missing)) or "error"
    data = Data(
        file=file, delimiter=delimiter, encoding=section.text("encoding"),
        comment=section.text("comment"), columns=_columns(section), missing=missing,
        missing_values=_missing_values(section),
    )  # fmt: skip
    if is_parquet(file):
        for option in ("delimiter", "encoding", "comment", "columns"):
            if getattr(data, option) is not None:
                raise section.wrong(f"{option} is for CSV files, and {file} is Parquet")
    return data


def _columns(section: Section) -> ColumnNames | None:
    given = section.values.get("columns")
    if not isinstance(given, Mapping):
        return section.texts("columns")
    places = section.section("columns")
    for place, name in given.items():
        if not (place.isascii() and place.isdigit()) or not isinstance(name, str):
            raise places.wrong(
                f"{place} = {name!r} must be a position, counted from 0, and the name of the "
                "column there"
            )
    return {int(place): name for place, name in given.items()}


def _missing_values(section: Section) -> Mapping[str, tuple[str, ...]] | tuple[str, ...]:
    if not isinstance(section.values.get("missing_values"), Mapping):
        return section.texts("missing_values") or ()
    by_column = section.section("missing_values")
    return {column: by_column.texts(column) or () for column in by_column.values}


def _roles(section: Section) -> dict[str, Role]:
    roles = {}
    for column, name in section.values.items():
        role = ROLE_NAMES.get(name) if isinstance(name, str) else None
        if role is None and name == str(Role.QUASI):
            role = Role.QUASI
        if role is None:
            near = did_you_mean(name, ROLE_NAMES) if isinstance(name, str) else ""
            raise section.wrong(
                f"{column!r} must be one of {', '.join(ROLE_NAMES)}, but is {name!r}{near}"
            )
        roles[column] = role
    return roles


def _listed(section: Section, roles: Mapping[str, Role]) -> None:
    """What is said of columns that have no role would be said in vain."""
    for column in section.values:
        if column not in roles:
            raise section.wrong(
                f"{column!r} is not among the columns of [roles]{did_you_mean(column, roles)}"
            )


def _kinds(section: Section, roles: Mapping[str, Role]) -> dict[str, str | tuple[str, ...]]:
    _listed(section, roles)
    kinds: dict[str, str | tuple[str, ...]] = {}
    for column, kind in section.values.items():
        if isinstance(kind, list):
            kinds[column] = section.texts(column) or ()
            if kinds[column]:
                continue
        elif kind in _KINDS:
            kinds[column] = kind
            continue
        near = did_you_mean(kind, _KINDS) if isinstance(kind, str) else ""
        raise section.wrong(
            f"{column!r} must be 'numeric', 'categorical', or the list of its levels from low to "
            f"high, but is {kind!r}{near}"
        )
    return kinds


def _hierarchies(section: Section, roles: Mapping[str, Role]) -> str | dict[str, str] | None:
    section.known(("folder", "files"))
    folder, files = section.text("folder"), section.section("files")
    if folder is not None and files.values:
        raise section.wrong("give a folder, or files for the columns, not both")
    if not files.values:
        return folder
    _listed(files, roles)
    return {column: files.text(column) or "" for column in files.values}


def _partitions(section: Section, roles: Mapping[str, Role]) -> dict[str, Any]:
    for column, given in section.values.items():
        _check_role(section, column, roles, Role.SENSITIVE)
        if not isinstance(given, str | list | Mapping) or not given:
            raise section.wrong(
                f"{column!r} must be a text such as 'low:0-20,high:20-', a list of lists of "
                f"values, or a table of categories, but is {given!r}"
            )
    return dict(section.values)


def _with_role(
    section: Section, key: str, roles: Mapping[str, Role], role: Role
) -> tuple[str, ...]:
    names = section.texts(key) or ()
    for name in names:
        _check_role(section, name, roles, role, f"{key} names ")
    return names


def _check_role(
    section: Section, name: str, roles: Mapping[str, Role], role: Role, said: str = ""
) -> None:
    having = [column for column, one in roles.items() if one is role]
    if name not in having:
        raise section.wrong(
            f"{said}{name!r}, whose role under [roles] is not "
            f"{'quasi' if role is Role.QUASI else 'sensitive'}{did_you_mean(name, having)}"
        )


def _release(section: Section) -> ReleaseAsked:
    given = [what for what in _WHAT if what in section.values]
    if len(given) != 1:
        raise section.wrong(
            f"say one of file, sanitizer and oracle, but there is {' and '.join(given) or 'none'}"
        )
    what = given[0]
    section.known((what, "name", *_OPTIONS[what]))
    options = {key: section.values[key] for key in _OPTIONS[what] if key in section.values}
    for key in ("may_change", "may_drop", "may_change_sensitive"):
        section.flag(key)
    section.whole("retries", 0)
    notation = section.section("notation")
    for column in notation.values:
        notation.text(column)
    texts = {key: section.text(key) for key in (*_WHAT, "name")}
    return ReleaseAsked(**texts, options=options)


def _attacks(section: Section) -> tuple[str, ...]:
    if not section.values:
        return ()
    from unveil.auditing.parts import PARTS  # heavy, and most files have none

    section.known((*_RUN, *PARTS))
    names = section.texts("use") or ()
    for name in names:
        if name not in PARTS:
            raise section.wrong(
                f"use names {name!r}, which is no attack{did_you_mean(name, PARTS)} (known: "
                f"{', '.join(PARTS)})"
            )
    return names


def _options(section: Section) -> dict[str, dict[str, Any]]:
    found = {name: section.section(name) for name in section.values if name not in _RUN}
    for name, given in found.items():
        from unveil.auditing.parts import PARTS

        try:
            PARTS[name].check_options(given.values)
        except InputError as error:
            raise given.wrong(str(error)) from None
    return {name: dict(given.values) for name, given in found.items()}


def _thresholds(section: Section) -> tuple[str, ...]:
    texts = section.texts("fail_on") or ()
    for text in texts:
        from unveil.auditing import Threshold  # heavy, and most files have none

        try:
            Threshold.parse(text)
        except InputError as error:
            raise section.wrong(str(error)) from None
    return texts
