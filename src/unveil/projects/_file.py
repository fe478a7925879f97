"""The project file: its form declared as models, how it is read, and its JSON Schema.

Every key is known and every value has its type, or the file is refused: the error names the file,
the table and the key, and says what would be right. Options of attacks are checked against what
the attacks declare.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    PydanticUserError,
    Tag,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import CoreSchema, core_schema

from unveil.errors import (
    Cell,
    Column,
    File,
    Foreign,
    InputError,
    Listed,
    Message,
    Text,
    View,
    did_you_mean,
)
from unveil.microdata import Missing, Role, is_parquet
from unveil.options import help_of
from unveil.projects._project import ROLE_NAMES, Data, Project, ReleaseAsked
from unveil.projects._writing import key_text, value_text

__all__ = ["project_from", "read", "schema"]


@dataclass(frozen=True)
class _Says:
    """What a value must be, in our words instead of pydantic's."""

    right: str
    choices: tuple[str, ...] = ()

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.custom_error_schema(
            handler(source), "wrong", custom_error_message="wrong",
            custom_error_context={"right": self.right, "choices": list(self.choices)},
        )  # fmt: skip


def _one_of(words: Sequence[str]) -> _Says:
    return _Says(str(Listed([repr(word) for word in words], "or")), tuple(words))


_Words = Annotated[str, Field(pattern=r"\S"), _Says("a text")]
_Texts = Annotated[str | list[str], _Says("a text or a list of texts")]
_Flag = Annotated[bool, _Says("true or false")]
_FromZero = Annotated[int, Field(ge=0), _Says("a whole number from 0 up")]
_FromOne = Annotated[int, Field(ge=1), _Says("a whole number from 1 up")]
_Names = Annotated[
    str | list[str] | dict[Annotated[str, Field(pattern=r"^[0-9]+$")], str],
    _Says('a list of names, or names by position from 0, such as { 0 = "age" }'),
]
_MissingTexts = Annotated[
    str | list[str] | dict[str, str | list[str]],
    _Says('a text or a list of texts, or these for each column, such as { age = ["?"] }'),
]
_RoleName = Annotated[
    Literal["identifier", "quasi", "sensitive", "other", "quasi-identifier"],
    _one_of(tuple(ROLE_NAMES)),
]
_KindName = Annotated[
    Literal["numeric", "categorical"] | Annotated[list[str], Field(min_length=1)],
    _Says("'numeric', 'categorical', or the list of its levels from low to high",
          ("numeric", "categorical")),
]  # fmt: skip
_Categories = Annotated[
    Annotated[str, Field(min_length=1)]
    | Annotated[list[Any], Field(min_length=1)]
    | Annotated[dict[str, Any], Field(min_length=1)],
    _Says("a text such as 'low:0-20,high:20-', a list of lists of values, or a table of "
          "categories"),
]  # fmt: skip


class _Table(BaseModel):
    """A table that has the keys that are declared, and no others."""

    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)


class DataTable(_Table):
    """The table, and how it is read; see `read_csv`."""

    file: _Words
    """The table: CSV or Parquet."""
    delimiter: Annotated[str, Field(min_length=1, max_length=1), _Says("one character")] | None = (
        None
    )
    """CSV delimiter. Default: detected."""
    encoding: _Words | None = None
    """Encoding of a CSV file. Default: UTF-8."""
    comment: _Words | None = None
    """What a line that is left out begins with."""
    columns: _Names | None = None
    """Names of the columns, if the file has no header."""
    missing: Annotated[Missing, _one_of(get_args(Missing))] = "error"
    """Missing values: refuse them, drop these records, or treat missing as a category."""
    missing_values: _MissingTexts = []
    """Texts that mean missing."""


class HierarchiesTable(_Table):
    """How values generalize: a folder, or a file per column."""

    folder: _Words | None = None
    """A folder with files named after the columns."""
    files: dict[str, _Words] = {}
    """A file per column."""


class ThreatTable(_Table):
    """Who attacks."""

    knows: _Texts = []
    """Quasi-identifiers that the attacker knows. Default: all."""
    wants: _Texts = []
    """Sensitive columns that the attacker wants to know. Default: all, each in turn."""
    adversary: _Texts = []
    """The attacker's model. Default: the one that fits what was published."""


class AttacksTable(_Table):
    """Which attacks and measures run, and a table of options for each."""

    model_config = ConfigDict(extra="allow")

    use: _Texts = []
    """Names of attacks and measures. Default: those that are quick."""
    seed: _FromZero | None = None
    """Random seed."""
    jobs: _FromOne | None = None
    """Number of worker processes. Default: all cores."""


class ThresholdsTable(_Table):
    """What makes a release fail."""

    fail_on: _Texts = []
    """Thresholds such as 'delta > 0.05'. Without any there is no verdict."""


class ReportTable(_Table):
    """What the report shows."""

    smallest: _FromOne | None = None
    """Groups of fewer people are masked."""
    include_records: _Flag = False
    """Whether the report may show original records."""


class _AnyRelease(_Table):
    name: _Words | None = None
    """What the report calls it."""


class FileRelease(_AnyRelease):
    """A published file, or a folder with the two tables of Anatomy."""

    file: _Words
    """The file."""
    may_change: _Flag | None = None
    """Whether it may have other sensitive values than the table."""
    notation: dict[str, _Words] | None = None
    """How columns are written, where that is ambiguous."""


class SanitizerRelease(_AnyRelease):
    """What a sanitizer makes of the table."""

    sanitizer: _Words
    """Such as 'mondrian:k=5', or a series: 'mondrian:k=2..64'."""


class OracleRelease(_AnyRelease):
    """What a program makes of the table; see `Oracle`."""

    oracle: _Words
    """A command, an address, or a folder of releases made beforehand."""
    timeout: Annotated[str | float, _Says("seconds, or a text such as '30 s'")] | None = None
    """Time limit for one answer."""
    memory: Annotated[str | int, _Says("bytes, or a text such as '2 GB'")] | None = None
    """Memory limit."""
    retries: _FromZero | None = None
    """Number of retries after a failed run."""
    may_drop: _Flag | None = None
    """Whether the release may have fewer records than the table."""
    may_change_sensitive: _Flag | None = None
    """Whether the release may have other sensitive values than the table."""
    notation: dict[str, _Words] | None = None
    """How columns are written, where that is ambiguous."""


_RELEASES: dict[str, type[_AnyRelease]] = {
    "file": FileRelease, "sanitizer": SanitizerRelease, "oracle": OracleRelease,
}  # fmt: skip


def _given(release: Any) -> list[str]:
    return [what for what in _RELEASES if isinstance(release, Mapping) and what in release]


def _what(release: Any) -> str | None:
    given = _given(release)
    return given[0] if len(given) == 1 else None


_Release: TypeAlias = Annotated[
    Annotated[FileRelease, Tag("file")]
    | Annotated[SanitizerRelease, Tag("sanitizer")]
    | Annotated[OracleRelease, Tag("oracle")],
    Discriminator(_what, custom_error_type="what", custom_error_message="one of three"),
]


class ProjectFile(_Table):
    """What is audited, and under which threat model."""

    data: DataTable
    roles: dict[str, _RoleName] = {}
    """The role of each column; columns that are not listed are 'other'."""
    kinds: dict[str, _KindName] = {}
    """What the values of a column are."""
    hierarchies: HierarchiesTable = HierarchiesTable()
    partitions: dict[str, _Categories] = {}
    """Categories of sensitive columns, for the discrimination rate."""
    threat: ThreatTable = ThreatTable()
    attacks: AttacksTable = AttacksTable()
    releases: list[_Release] = []
    """What is published. Default: the table as it is, and Mondrian with several k."""
    thresholds: ThresholdsTable = ThresholdsTable()
    report: ReportTable = ReportTable()


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
            given=" and ".join(_given(given)) or "none",
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
    named = Column(key) if table in _BY_COLUMN else key_text(key)
    if kind != "wrong":
        return _wrong(file, table, _NO_TABLE, key=named, header=_header(loc), told=_told(given))
    context = fault["ctx"]
    near = did_you_mean(given, context["choices"]) if isinstance(given, str) else ""
    return _wrong(file, table, "{key} must be {right}, but is {told}{near}",
                  key=named, right=context["right"], told=_told(given), near=near)  # fmt: skip


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
        return _RELEASES[str(loc[2])]
    found = ProjectFile.model_fields[str(loc[0])].annotation
    assert isinstance(found, type)
    assert issubclass(found, BaseModel)
    return found


def _told(value: Any) -> Cell:
    return Cell(value_text(value), bare=True) if isinstance(value, Mapping) else Cell(value)


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
        seed=form.attacks.seed, n_jobs=form.attacks.jobs,
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


def _release(form: _AnyRelease) -> ReleaseAsked:
    given = form.model_dump(exclude_unset=True)
    own = {name: given.pop(name) for name in ("name", *_RELEASES) if name in given}
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


def schema() -> dict[str, Any]:
    """The JSON Schema of a project file (draft 2020-12), with the options of all attacks.

    >>> tables = schema()["$defs"]
    >>> tables["AttacksTable"]["properties"]["linkage"]["properties"]["unknown"]["enum"]
    ['error', 'apart']
    """
    from unveil.auditing.parts import PARTS

    found: dict[str, Any] = _without_null(ProjectFile.model_json_schema())
    attacks = found["$defs"]["AttacksTable"]
    attacks["additionalProperties"] = False
    attacks["properties"].update({name: _options_schema(name) for name in PARTS})
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
