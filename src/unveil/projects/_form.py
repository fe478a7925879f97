"""The form of a project file, declared as models: its check and its JSON Schema follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
)
from pydantic_core import CoreSchema, core_schema

from unveil.errors import Listed
from unveil.microdata import Missing
from unveil.options import help_of
from unveil.projects._project import ROLE_NAMES


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


class AnyRelease(_Table):
    """What all releases have."""

    name: _Words | None = None
    """What the report calls it."""


class FileRelease(AnyRelease):
    """A published file, or a folder with the two tables of Anatomy."""

    file: _Words
    """The file."""
    may_change: _Flag | None = None
    """Whether it may have other sensitive values than the table."""
    notation: dict[str, _Words] | None = None
    """How columns are written, where that is ambiguous."""


class SanitizerRelease(AnyRelease):
    """What a sanitizer makes of the table."""

    sanitizer: _Words
    """Such as 'mondrian:k=5', or a series: 'mondrian:k=2..64'."""


class OracleRelease(AnyRelease):
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


RELEASES: dict[str, type[AnyRelease]] = {
    "file": FileRelease, "sanitizer": SanitizerRelease, "oracle": OracleRelease,
}  # fmt: skip


def named(release: Any) -> list[str]:
    """Which of file, sanitizer and oracle a release names; it must be one."""
    return [what for what in RELEASES if isinstance(release, Mapping) and what in release]


def _what(release: Any) -> str | None:
    found = named(release)
    return found[0] if len(found) == 1 else None


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
