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
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from string import Template
from typing import Any

from pydantic import PydanticUserError, TypeAdapter, ValidationError

from unveil._unpacked import refuse_endless
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
from unveil.microdata import is_parquet
from unveil.options import help_of
from unveil.projects._form import (
    RELEASES,
    ROLE_NAMES,
    RUN,
    AttacksTable,
    Data,
    ProjectFile,
    ReleaseAsked,
    ReportTable,
    ThreatTable,
    ThresholdsTable,
    named,
)
from unveil.projects._project import Project

_FORM = TypeAdapter(ProjectFile)


class InFile(Message):
    """A message about a project file: options are worded as they stand there, in Python, too."""

    def shown(self, view: View) -> str:
        return super().shown(view if view.medium == "report" else replace(view, medium="project"))


def wrong(file: str, table: str, said: Text, /, **parts: Any) -> InputError:
    """An error in a table of the file; the whole file if the table has no name."""
    inner = said if isinstance(said, Message) else Message(said, **parts)
    where = f", {table}" if table else ""
    return InputError(
        InFile("{file}{where}: {said}", file=File(file, bare=True), where=where, said=inner)
    )


_NO_KEY = "unexpected_keyword_argument"  # what pydantic calls a key that is not declared


def _first_fault(error: ValidationError, file: str) -> InputError:
    """Pydantic's first error in our words; a key that does not exist is named first."""
    fault = min(error.errors(include_url=False), key=lambda one: one["type"] != _NO_KEY)
    kind, given, loc = fault["type"], fault["input"], fault["loc"]
    *outer, last = loc
    table, key = _header(outer), str(last)
    if kind == "what" and isinstance(given, Mapping):
        return wrong(
            file, _header(loc), "give one of file, sanitizer and oracle, but there is {given}",
            given=" and ".join(named(given)) or "none",
        )  # fmt: skip
    if kind in ("what", "list_type"):
        return wrong(file, "", "releases must be tables, each headed [[releases]], but is {told}",
                      told=_told(given))  # fmt: skip
    if kind == _NO_KEY:
        known = [one.name for one in fields(_table_at(outer))]
        return wrong(
            file, table, "there is no {what} {key}{near} (known: {known})",
            what="key" if table else "table", key=repr(key), near=did_you_mean(key, known),
            known=", ".join(known),
        )  # fmt: skip
    about = Column(key) if table in _BY_COLUMN else _key(key)
    if kind != "wrong":
        return wrong(file, table, _NO_TABLE, key=about, header=_header(loc), told=_told(given))
    context = fault["ctx"]
    near = did_you_mean(given, context["choices"]) if isinstance(given, str) else ""
    return wrong(file, table, "{key} must be {right}, but is {told}{near}",
                  key=about, right=context["right"], told=_told(given), near=near)  # fmt: skip


_NO_TABLE = "{key} must be a table, {header}, but is {told}"
_BY_COLUMN = ("[roles]", "[kinds]", "[forms]", "[partitions]", "[hierarchies.files]")


def _header(loc: Sequence[int | str]) -> str:
    """A table as it is headed in the file: ``[hierarchies.files]``, ``[[releases]] number 2``."""
    if loc[:1] != ["releases"] and loc[:1] != ("releases",):
        return f"[{'.'.join(map(str, loc))}]" if loc else ""
    number = f" number {int(loc[1]) + 1}" if len(loc) > 1 else ""
    return ", ".join([f"[[releases]]{number}", *map(str, loc[3:])])  # loc[2] is what it is


def _table_at(loc: Sequence[int | str]) -> Any:
    if not loc:
        return ProjectFile
    if loc[0] == "releases":
        return RELEASES[str(loc[2])]
    return Data if loc[0] == "data" else type(getattr(ProjectFile, str(loc[0])))


def _told(value: Any) -> Cell:
    return Cell(_value(value), bare=True) if isinstance(value, Mapping) else Cell(value)


def read(path: Path) -> Project:
    """Read a project file, or the one of a folder."""
    file = path / "unveil.toml" if path.is_dir() else path
    refuse_endless(file)
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise InputError("there is no project file {file}; 'unveil init FILE' writes one",
                         file=File(file)) from None  # fmt: skip
    except OSError as error:
        raise InputError("cannot read {file}: {why}", file=File(file),
                         why=Foreign(error.strerror or str(error))) from None  # fmt: skip
    except UnicodeDecodeError:
        raise InputError("{file} is not in UTF-8; save it in that encoding",
                         file=File(file.name, bare=True)) from None  # fmt: skip
    except (ValueError, RecursionError) as error:  # also a number of too many digits
        deep = isinstance(error, RecursionError)
        why = "nested too deeply" if deep else Foreign(str(error))
        raise InputError("{file} is not TOML: {why}", file=File(file.name, bare=True),
                         why=why) from None  # fmt: skip
    return project_from(values, file)


def project_from(values: Mapping[str, Any], file: Path) -> Project:
    """The project that the tables of a file describe."""
    try:
        form = _FORM.validate_python(values)
    except ValidationError as error:
        raise _first_fault(error, file.name) from None
    flat = {
        key: value
        for table in (form.threat, form.attacks, form.thresholds, form.report)
        for key, value in vars(table).items()
    }
    project = Project(
        folder=file.parent, source=file.name, data=form.data, roles=form.roles, kinds=form.kinds,
        forms=form.forms, partitions=form.partitions,
        hierarchies=form.hierarchies.files or form.hierarchies.folder,
        releases=tuple(form.releases), **flat,
    )  # fmt: skip
    _check_data(project, file.name)
    if form.hierarchies.folder is not None and form.hierarchies.files:
        raise wrong(file.name, "[hierarchies]",
                     "give a folder, or files for the columns, not both")  # fmt: skip
    _check_columns(project)
    _check_attacks(project)
    _check_thresholds(project)
    return project


def _check_data(project: Project, file: str) -> None:
    data = project.data
    if data.file is None:
        _check_alone(project, file)
        return
    for option in ("delimiter", "encoding", "comment", "columns"):
        if is_parquet(data.file) and getattr(data, option) is not None:
            raise wrong(file, "[data]", "{option} is for CSV files, and {table} is Parquet",
                         option=option, table=File(data.file, bare=True))  # fmt: skip


def _check_alone(project: Project, file: str) -> None:
    """Refuse, without the original, what needs it."""
    if not project.releases:
        raise wrong(
            file, "[data]", "file is missing; name the table, such as file = 'survey.csv', or "
            "under [[releases]] what was published",
        )  # fmt: skip
    for number, one in enumerate(project.releases, start=1):
        if one.file is None:
            raise wrong(
                file, f"[[releases]] number {number}", "a {what} needs the original table; name "
                "it under [data], such as file = 'survey.csv'",
                what="sanitizer" if one.sanitizer is not None else "program",
            )  # fmt: skip
    for option in ("comment", "columns", "missing_values"):
        if getattr(project.data, option):
            raise wrong(file, "[data]", "{option} is about the original table, and file is missing",
                         option=option)  # fmt: skip
    if project.data.missing != "error":
        raise wrong(file, "[data]", "missing is about the original table, and file is missing")


def _check_columns(project: Project) -> None:
    """Refuse columns that have no role, or not the one that they need."""
    file, roles, trees = project.source, project.roles, project.hierarchies
    by_column = trees if isinstance(trees, Mapping) else {}
    for table, listed in (
        ("[kinds]", project.kinds), ("[forms]", project.forms), ("[hierarchies.files]", by_column),
    ):  # fmt: skip
        for column in listed:
            if column not in roles:
                raise wrong(file, table, "{column} is not among the columns of [roles]{near}",
                             column=Cell(column), near=did_you_mean(column, roles))  # fmt: skip
    for table, key, columns, role in (
        ("[partitions]", "", project.partitions, "sensitive"),
        ("[threat]", "knows names ", project.knows, "quasi"),
        ("[threat]", "wants names ", project.wants, "sensitive"),
    ):
        having = [column for column, one in roles.items() if one is ROLE_NAMES[role]]
        for column in columns:
            if column not in having:
                raise wrong(
                    file, table, "{key}{column}, whose role under [roles] is not {role}{near}",
                    key=key, column=Cell(column), role=role, near=did_you_mean(column, having),
                )  # fmt: skip


def _check_attacks(project: Project) -> None:
    file, options = project.source, project.options
    if not project.attacks and not options:
        return
    from unveil.auditing.parts import PARTS  # slow to import, and most files have no attacks
    from unveil.registry import declarations

    for name, given in options.items():
        if name not in PARTS:
            known = [*RUN, *PARTS]
            raise wrong(
                file, "[attacks]", "there is no key {name}{near} (known: {known})",
                name=repr(name), near=did_you_mean(name, known), known=", ".join(known),
            )  # fmt: skip
        if not isinstance(given, Mapping):
            raise wrong(file, "[attacks]", _NO_TABLE, key=name, told=_told(given),
                         header=_header(["attacks", name]))  # fmt: skip
    for name in project.attacks:
        if name not in PARTS:
            raise wrong(
                file, "[attacks]", "use names {name}, which is no attack{near} (known: {known})",
                name=repr(name), near=did_you_mean(name, PARTS), known=", ".join(PARTS),
            )  # fmt: skip
    for name, given in options.items():
        try:
            (declarations().get(name) or PARTS[name]).check_options(given)
        except InputError as error:
            raise wrong(file, _header(["attacks", name]), error.message) from None


def _check_thresholds(project: Project) -> None:
    for text in project.fail_on:
        from unveil.auditing import Threshold  # slow to import, and most files have none

        try:
            Threshold.parse(text)
        except InputError as error:
            raise wrong(project.source, "[thresholds]", error.message) from None


def schema() -> dict[str, Any]:
    """The JSON Schema of a project file (draft 2020-12), with the options of all attacks.

    >>> tables = schema()["$defs"]
    >>> tables["AttacksTable"]["properties"]["linkage"]["properties"]["unknown"]["enum"]
    ['error', 'apart']
    """
    from unveil.auditing.parts import PARTS

    found: dict[str, Any] = _without_null(_FORM.json_schema())
    for table in found["properties"].values():
        table.pop("default", None)  # a table that is left out; its keys have defaults of their own
    found["anyOf"] = [  # the original, or what was published
        {"required": ["data"], "properties": {"data": {"required": ["file"]}}},
        {"required": ["releases"], "properties": {"releases": {"minItems": 1}}},
    ]
    attacks = found["$defs"]["AttacksTable"]["properties"]
    del attacks["options"]
    attacks.update({name: _options_schema(name) for name in PARTS})
    return found


def _options_schema(attack: str) -> dict[str, Any]:
    from unveil.registry import declarations

    if attack not in declarations():
        return {"type": "object"}
    declaration = declarations()[attack]
    options = {}
    for name, one in declaration.options().items():
        try:
            form = TypeAdapter(one.annotation).json_schema()
        except PydanticUserError:  # a model or a table, which JSON has no form for
            form = {}
        if help_of(one.annotation):
            form["description"] = help_of(one.annotation)
        options[name] = _without_null(form)
    return {
        "type": "object", "description": declaration.help, "properties": options,
        "additionalProperties": False,
    }  # fmt: skip


def _without_null(form: Any) -> Any:
    """The same schema where nothing can be null: TOML has no such value."""
    if isinstance(form, list):
        return [_without_null(one) for one in form]
    if not isinstance(form, dict):
        return form
    kept = {key: _without_null(one) for key, one in form.items()
            if not (key == "default" and one is None)}  # fmt: skip
    either = kept.get("anyOf")
    if either is not None:
        either = [one for one in either if one != {"type": "null"}]
        if len(either) == 1:
            return {**either[0], **{key: one for key, one in kept.items() if key != "anyOf"}}
        kept["anyOf"] = either
    return kept


_NAME_OF = {role: name for name, role in ROLE_NAMES.items()}
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {
    "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\",
}  # fmt: skip

_TEXT = Template("""\
# What is audited, and against whom. Paths start from the folder of this file.

[data]$data

[roles]
# identifier: names a person, and is never used
# person:     says whose a row is, where a person may have several rows
# quasi:      an attacker may know it about a person
# sensitive:  what an attacker wants to know; several are tested in turn
# count:      the number of people that a row stands for, in a table of counts
# other:      none of these$roles

[kinds]
# numeric, categorical (no order), or the levels of an ordinal column from low to high. Only values
# with an order can be published as a range.$kinds

[forms]
# How dates and numbers are written. By default it is found out, and asked about where it is not
# certain:
#   born = "dd.mm.yyyy"
#   income = "1.234,56"$forms

[hierarchies]
# How values generalize: one file per column, or folder = "hierarchies".$hierarchies

[partitions]
# Categories of a sensitive column, where the category is already sensitive:
#   income = "low:0-20,high:20-"$partitions

[threat]
# Who attacks. By default the attacker knows every quasi-identifier, wants every sensitive column
# (each in turn), and uses the model that fits what was published.
#   knows = ["age", "sex"]
#   external = "voters.csv"
#   wants = ["income"]
#   adversary = "naive-bayes"
#   tolerance = "5%"$threat

[attacks]
# Attacks and measures, the random seed, and the number of worker processes. Each attack has a table
# for its options:
#   use = ["linkage", "measures", "relative-risk"]
#   seed = 0
#   jobs = 2
#   [attacks.relative-risk]
#   beta = 0.5$attacks

[thresholds]
# What makes a release fail. Without thresholds there is no verdict.
# A release that publishes identifiers fails in any case.
#   fail_on = ["delta > 0.05", "k < 5"]
#   strict_columns = true$thresholds

[report]
# The report shows no original record, and masks groups of fewer people than smallest.
#   smallest = 5
#   private = false$report

# What is published: files, sanitizers (also series), or programs. Without any, the table as it is
# and Mondrian with several k are audited. For instance:
#   [[releases]]
#   sanitizer = "mondrian:k=2..64"
#   [[releases]]
#   file = "published.csv"
#   [[releases]]
#   name = "theirs"
#   oracle = "./anonymize {input} {output}"$releases
""")


def text_of(project: Project) -> str:
    """The text of the file."""
    trees = project.hierarchies
    run = _given(project, AttacksTable)
    use, options = run.pop("attacks", None), run.pop("options", {})
    return _TEXT.substitute(
        data=_lines(_given(project.data, Data)),
        roles=_roles(project),
        kinds=_lines(project.kinds),
        forms=_lines(project.forms),
        hierarchies=_table("hierarchies.files", trees) if isinstance(trees, Mapping)
        else _lines({"folder": trees}),
        partitions=_lines(project.partitions),
        threat=_lines(_given(project, ThreatTable)),
        attacks=_lines({"use": use, **run})
        + "".join(_table(f"attacks.{_key(name)}", given) for name, given in options.items()),
        thresholds=_lines(_given(project, ThresholdsTable)),
        report=_lines(_given(project, ReportTable)),
        releases="".join(map(_release, project.releases)),
    )  # fmt: skip


def _release(one: ReleaseAsked) -> str:
    """A release; what is said of its columns has tables of its own."""
    named = {what: getattr(one, what) for what in ("name", *RELEASES)}
    own = {**named, **one.options}
    by_column = {what: own.pop(what, None) or {} for what in ("rename", "how", "cells")}
    text = "".join(f"\n# {line}" for line in map(_on_one_line, one.comments))
    text = (f"\n{text}" if text else "") + _table("[releases]", own)
    if by_column["rename"]:
        text += _table("releases.rename", by_column["rename"])
    if by_column["how"]:
        text += "\n\n[releases.how]" + "".join(
            _lines({name: words}) + (f"  {_comment(why)}" if (why := one.reasons.get(name)) else "")
            for name, words in by_column["how"].items()
        )
    tables = by_column["cells"].items()
    return text + "".join(_table(f"releases.cells.{_key(name)}", table) for name, table in tables)


def _given(source: Data | Project, table: Any) -> dict[str, Any]:
    """What is said under a table: 0 says something, as a seed does, and nothing that is empty."""
    values = {one.name: getattr(source, one.name) for one in fields(table)}
    return {key: value for key, value in values.items() if value or type(value) is int}


def _lines(values: Mapping[str, Any]) -> str:
    return "".join(
        f"\n{_key(key)} = {_value(value)}" for key, value in values.items() if value is not None
    )


def _table(header: str, values: Mapping[str, Any]) -> str:
    return f"\n\n[{header}]{_lines(values)}"


def _roles(project: Project) -> str:
    lines = ((_lines({name: _NAME_OF[role]}), project.reasons.get(name))
             for name, role in project.roles.items())  # fmt: skip
    return "".join(line if why is None else f"{line}  {_comment(why)}" for line, why in lines)


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
    return f"# {_on_one_line(text)}"


def _on_one_line(text: str) -> str:
    return "".join(c if c.isprintable() else _quoted(c)[1:-1] for c in text)


def _quoted(text: str) -> str:
    def written(c: str) -> str:
        if c in _ESCAPES:
            return _ESCAPES[c]
        if c.isprintable():
            return c
        # Characters that cannot be seen are escaped; TOML forbids most of them otherwise.
        return f"\\u{ord(c):04X}" if ord(c) < 0x10000 else f"\\U{ord(c):08X}"

    return f'"{"".join(map(written, text))}"'
