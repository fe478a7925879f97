"""Reading and writing a project file.

Every key is known and every value is one that it can have, or the file is refused: the error names
the file, the table and the key, and says what would be right. Options of attacks are checked
against what the attacks declare.

The standard library reads TOML and does not write it. It is written by hand, so that comments stand
beside the keys that they explain.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from unveil.errors import (
    Cell,
    Column,
    File,
    Foreign,
    InputError,
    Message,
    Text,
    View,
    did_you_mean,
)
from unveil.microdata import Role, is_parquet
from unveil.projects._form import (
    RELEASES,
    AnyRelease,
    AttacksTable,
    DataTable,
    ProjectFile,
    named,
)
from unveil.projects._project import ROLE_NAMES, Data, Project, ReleaseAsked


class _InFile(Message):
    """A message about a project file: options are worded as they stand there, in Python, too."""

    def shown(self, view: View) -> str:
        return super().shown(view if view.medium == "report" else replace(view, medium="project"))


def _wrong(file: str, table: str, said: Text, /, **parts: Any) -> InputError:
    """An error in a table of the file; the whole file if the table has no name."""
    inner = said if isinstance(said, Message) else Message(said, **parts)
    where = f", {table}" if table else ""
    return InputError(
        _InFile("{file}{where}: {said}", file=File(file, bare=True), where=where, said=inner)
    )


def _first_fault(error: ValidationError, file: str) -> InputError:
    """Pydantic's first error in our words; a key that does not exist is named first."""
    fault = min(error.errors(include_url=False), key=lambda one: one["type"] != "extra_forbidden")
    kind, given = fault["type"], fault["input"]
    loc = fault["loc"] if fault["loc"] != ("data",) or kind != "missing" else ("data", "file")
    *outer, last = loc
    table, key = _header(outer), str(last)
    if kind == "what" and isinstance(given, Mapping):
        return _wrong(
            file, _header(loc), "give one of file, sanitizer and oracle, but there is {given}",
            given=" and ".join(named(given)) or "none",
        )  # fmt: skip
    if kind in ("what", "list_type"):
        return _wrong(file, "", "releases must be tables, each headed [[releases]], but is {told}",
                      told=_told(given))  # fmt: skip
    if kind == "extra_forbidden":
        known = list(_model_of(outer).model_fields)
        return _wrong(
            file, table, "there is no {what} {key}{near} (known: {known})",
            what="key" if table else "table", key=repr(key), near=did_you_mean(key, known),
            known=", ".join(known),
        )  # fmt: skip
    if kind == "missing":
        return _wrong(file, table, "{key} is missing; name the table, such as file = 'survey.csv'",
                      key=key)  # fmt: skip
    about = Column(key) if table in _BY_COLUMN else _key(key)
    if kind != "wrong":
        return _wrong(file, table, _NO_TABLE, key=about, header=_header(loc), told=_told(given))
    context = fault["ctx"]
    near = did_you_mean(given, context["choices"]) if isinstance(given, str) else ""
    return _wrong(file, table, "{key} must be {right}, but is {told}{near}",
                  key=about, right=context["right"], told=_told(given), near=near)  # fmt: skip


_NO_TABLE = "{key} must be a table, {header}, but is {told}"
_BY_COLUMN = ("[roles]", "[kinds]", "[partitions]", "[hierarchies.files]")


def _header(loc: Sequence[int | str]) -> str:
    """A table as it is headed in the file: ``[hierarchies.files]``, ``[[releases]] number 2``."""
    if loc[:1] != ["releases"] and loc[:1] != ("releases",):
        return f"[{'.'.join(map(str, loc))}]" if loc else ""
    number = f" number {int(loc[1]) + 1}" if len(loc) > 1 else ""
    return ", ".join([f"[[releases]]{number}", *map(str, loc[3:])])  # loc[2] is what it is


def _model_of(loc: Sequence[int | str]) -> type[BaseModel]:
    if not loc:
        return ProjectFile
    if loc[0] == "releases":
        return RELEASES[str(loc[2])]
    found = ProjectFile.model_fields[str(loc[0])].annotation
    assert isinstance(found, type)
    assert issubclass(found, BaseModel)
    return found


def _told(value: Any) -> Cell:
    return Cell(_value(value), bare=True) if isinstance(value, Mapping) else Cell(value)


def read(path: Path) -> Project:
    """Read a project file, or the one of a folder."""
    file = path / "unveil.toml" if path.is_dir() else path
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise InputError("there is no project file {file}; 'unveil init FILE' writes one",
                         file=File(file)) from None  # fmt: skip
    except OSError as error:
        raise InputError("cannot read {file}: {why}", file=File(file),
                         why=error.strerror or str(error)) from None  # fmt: skip
    except UnicodeDecodeError:
        raise InputError("{file} is not in UTF-8; save it in that encoding",
                         file=File(file.name, bare=True)) from None  # fmt: skip
    except tomllib.TOMLDecodeError as error:
        raise InputError("{file} is not TOML: {why}", file=File(file.name, bare=True),
                         why=Foreign(str(error))) from None  # fmt: skip
    return project_from(values, file)


def project_from(values: Mapping[str, Any], file: Path) -> Project:
    """The project that the tables of a file describe."""
    try:
        form = ProjectFile.model_validate(values)
    except ValidationError as error:
        raise _first_fault(error, file.name) from None
    roles = {column: ROLE_NAMES.get(name, Role.QUASI) for column, name in form.roles.items()}
    _check_data(form.data, file.name)
    _check_columns(form, roles, file.name)
    options = form.attacks.model_extra or {}
    _check_attacks(_many(form.attacks.use), options, file.name)
    _check_thresholds(_many(form.thresholds.fail_on), file.name)
    return Project(
        folder=file.parent, source=file.name, data=_data(form.data), roles=roles,
        kinds={name: kind if isinstance(kind, str) else tuple(kind)
               for name, kind in form.kinds.items()},
        hierarchies=form.hierarchies.files or form.hierarchies.folder,
        partitions=form.partitions, knows=_many(form.threat.knows), wants=_many(form.threat.wants),
        adversary=_many(form.threat.adversary), attacks=_many(form.attacks.use), options=options,
        seed=form.attacks.seed, jobs=form.attacks.jobs,
        releases=tuple(_release(one) for one in form.releases),
        fail_on=_many(form.thresholds.fail_on), smallest=form.report.smallest,
        include_records=form.report.include_records,
    )  # fmt: skip


def _many(texts: str | list[str]) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else tuple(texts)


def _data(form: DataTable) -> Data:
    names, missing = form.columns, form.missing_values
    return Data(
        file=form.file, delimiter=form.delimiter, encoding=form.encoding, comment=form.comment,
        columns={int(place): name for place, name in names.items()} if isinstance(names, dict)
        else None if names is None else _many(names),
        missing=form.missing,
        missing_values={column: _many(texts) for column, texts in missing.items()}
        if isinstance(missing, dict) else _many(missing),
    )  # fmt: skip


def _release(form: AnyRelease) -> ReleaseAsked:
    given = form.model_dump(exclude_unset=True)
    own = {name: given.pop(name) for name in ("name", *RELEASES) if name in given}
    return ReleaseAsked(**own, options=given)


def _check_data(form: DataTable, file: str) -> None:
    for option in ("delimiter", "encoding", "comment", "columns"):
        if is_parquet(form.file) and getattr(form, option) is not None:
            raise _wrong(file, "[data]", "{option} is for CSV files, and {table} is Parquet",
                         option=option, table=File(form.file, bare=True))  # fmt: skip


def _check_columns(form: ProjectFile, roles: Mapping[str, Role], file: str) -> None:
    """Refuse columns that have no role, or not the one that they need."""
    if form.hierarchies.folder is not None and form.hierarchies.files:
        raise _wrong(file, "[hierarchies]", "give a folder, or files for the columns, not both")
    for table, listed in (("[kinds]", form.kinds), ("[hierarchies.files]", form.hierarchies.files)):
        for column in listed:
            if column not in roles:
                raise _wrong(file, table, "{column} is not among the columns of [roles]{near}",
                             column=Cell(column), near=did_you_mean(column, roles))  # fmt: skip
    for table, key, columns, role in (
        ("[partitions]", "", form.partitions, "sensitive"),
        ("[threat]", "knows names ", _many(form.threat.knows), "quasi"),
        ("[threat]", "wants names ", _many(form.threat.wants), "sensitive"),
    ):
        having = [column for column, one in roles.items() if one is ROLE_NAMES[role]]
        for column in columns:
            if column not in having:
                raise _wrong(
                    file, table, "{key}{column}, whose role under [roles] is not {role}{near}",
                    key=key, column=Cell(column), role=role, near=did_you_mean(column, having),
                )  # fmt: skip


def _check_attacks(names: Iterable[str], options: Mapping[str, Any], file: str) -> None:
    if not names and not options:
        return
    from unveil.auditing.parts import PARTS  # slow to import, and most files have no attacks
    from unveil.registry import declarations

    run = AttacksTable.model_fields
    for name, given in options.items():
        if name not in PARTS:
            raise _wrong(
                file, "[attacks]", "there is no key {name}{near} (known: {known})",
                name=repr(name), near=did_you_mean(name, [*run, *PARTS]),
                known=", ".join([*run, *PARTS]),
            )  # fmt: skip
        if not isinstance(given, Mapping):
            raise _wrong(file, "[attacks]", _NO_TABLE, key=name, told=_told(given),
                         header=_header(["attacks", name]))  # fmt: skip
    for name in names:
        if name not in PARTS:
            raise _wrong(
                file, "[attacks]", "use names {name}, which is no attack{near} (known: {known})",
                name=repr(name), near=did_you_mean(name, PARTS), known=", ".join(PARTS),
            )  # fmt: skip
    for name, given in options.items():
        try:
            (declarations().get(name) or PARTS[name]).check_options(given)
        except InputError as error:
            raise _wrong(file, _header(["attacks", name]), error.message) from None


def _check_thresholds(texts: Iterable[str], file: str) -> None:
    for text in texts:
        from unveil.auditing import Threshold  # slow to import, and most files have none

        try:
            Threshold.parse(text)
        except InputError as error:
            raise _wrong(file, "[thresholds]", error.message) from None


_NAME_OF = {role: name for name, role in ROLE_NAMES.items()}
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {
    "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\",
}  # fmt: skip

_HEAD = """\
# What is audited, and against whom. Paths start from the folder of this file."""

_ROLES = """\
# identifier: names a person, and is never used
# quasi:      an attacker may know it about a person
# sensitive:  what an attacker wants to know; several are tested in turn
# other:      none of these"""

_KINDS = """\
# numeric, categorical (no order), or the levels of an ordinal column from low to high. Only values
# with an order can be published as a range."""

_HIERARCHIES = """\
# How values generalize: one file per column, or folder = "hierarchies"."""

_THREAT = """\
# Who attacks. By default the attacker knows every quasi-identifier, wants every sensitive column
# (each in turn), and uses the model that fits what was published.
#   knows = ["age", "sex"]
#   wants = ["income"]
#   adversary = "naive-bayes\""""

_PARTITIONS = """\
# Categories of a sensitive column, where the category is already sensitive:
#   income = "low:0-20,high:20-\""""

_ATTACKS = """\
# Attacks and measures, the random seed, and the number of worker processes. Each attack has a table
# for its options:
#   use = ["linkage", "measures", "relative-risk"]
#   seed = 0
#   jobs = 2
#   [attacks.relative-risk]
#   beta = 0.5"""

_RELEASES = """\
# What is published: files, sanitizers (also series), or programs. Without any, the table as it is
# and Mondrian with several k are audited. For instance:
#   [[releases]]
#   sanitizer = "mondrian:k=2..64"
#   [[releases]]
#   file = "published.csv"
#   [[releases]]
#   name = "theirs"
#   oracle = "./anonymize {input} {output}\""""

_THRESHOLDS = """\
# What makes a release fail. Without thresholds there is no verdict.
#   fail_on = ["delta > 0.05", "k < 5"]"""

_REPORT = """\
# The report shows no original record, and masks groups of fewer people than smallest.
#   smallest = 5
#   include_records = false"""


def text_of(project: Project) -> str:
    """The text of the file."""
    data, trees = project.data, project.hierarchies
    by_file = trees if isinstance(trees, Mapping) else {}
    parts = [
        [_HEAD],
        ["[data]", *_lines({
            "file": data.file, "delimiter": data.delimiter, "encoding": data.encoding,
            "comment": data.comment, "columns": data.columns, "missing": data.missing,
            "missing_values": data.missing_values or None,
        })],
        ["[roles]", _ROLES, *_roles(project)],
        ["[kinds]", _KINDS, *_lines(project.kinds)],
        ["[hierarchies]", _HIERARCHIES, *_lines({"folder": None if by_file else trees})],
        *([["[hierarchies.files]", *_lines(by_file)]] if by_file else []),
        ["[partitions]", _PARTITIONS, *_lines(project.partitions)],
        ["[threat]", _THREAT, *_lines({
            "knows": project.knows or None, "wants": project.wants or None,
            "adversary": project.adversary or None,
        })],
        ["[attacks]", _ATTACKS, *_lines({
            "use": project.attacks or None, "seed": project.seed, "jobs": project.jobs,
        })],
        *([f"[attacks.{_key(n)}]", *_lines(given)] for n, given in project.options.items()),
        ["[thresholds]", _THRESHOLDS, *_lines({"fail_on": project.fail_on or None})],
        ["[report]", _REPORT, *_lines({
            "smallest": project.smallest, "include_records": project.include_records or None,
        })],
        [_RELEASES],
        *(["[[releases]]", *_lines({
            "name": one.name, "file": one.file, "sanitizer": one.sanitizer, "oracle": one.oracle,
            **one.options,
        })] for one in project.releases),
    ]  # fmt: skip
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _lines(values: Mapping[str, Any]) -> Iterable[str]:
    for key, value in values.items():
        if value is not None:
            yield f"{_key(key)} = {_value(value)}"


def _roles(project: Project) -> Iterable[str]:
    for name, role in project.roles.items():
        line = f"{_key(name)} = {_value(_NAME_OF[role])}"
        reason = project.reasons.get(name)
        yield line if reason is None else f"{line}  {_comment(reason)}"


def _key(key: str) -> str:
    """A key of TOML, in quotes where it needs them.

    >>> print(_key("age"), _key("native country"), _key('a"b=c'))
    age "native country" "a\\"b=c"
    """
    return key if _BARE.fullmatch(key) else _quoted(key)


def _value(value: Any) -> str:
    """A value of TOML: a text, a truth value, a number, a list, or a table within a line.

    >>> print(_value(["a", 1, True]), _value({"low": [1, 2]}))
    ["a", 1, true] { low = [1, 2] }
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(str(k))} = {_value(v)}" for k, v in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(_value(one) for one in value)}]"
    return repr(value)


def _comment(text: str) -> str:
    """A comment that stays on its line.

    >>> print(_comment("an age\\nor not"))
    # an age\\nor not
    """
    return f"# {''.join(c if c.isprintable() else _quoted(c)[1:-1] for c in text)}"


def _quoted(text: str) -> str:
    def written(c: str) -> str:
        if c in _ESCAPES:
            return _ESCAPES[c]
        if c.isprintable():
            return c
        # Characters that cannot be seen are escaped; TOML forbids most of them otherwise.
        return f"\\u{ord(c):04X}" if ord(c) < 0x10000 else f"\\U{ord(c):08X}"

    return f'"{"".join(map(written, text))}"'
