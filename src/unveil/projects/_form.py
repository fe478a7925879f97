"""The form of a project file: each key declared once, for reading, checking and writing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from annotated_types import Ge, Len, MinLen
from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    StrictBool,
    StrictFloat,
    StrictInt,
    Tag,
)
from pydantic_core import CoreSchema, core_schema

from unveil.errors import InputError
from unveil.microdata import Missing, Role, is_form
from unveil.microdata.coarsening import parse_how
from unveil.options import Tolerance, choices_of, in_words, tolerance_of
from unveil.roles import ColumnNames

ROLE_NAMES = {
    "identifier": Role.IDENTIFIER,
    "quasi": Role.QUASI,
    "sensitive": Role.SENSITIVE,
    "count": Role.COUNT,
    "person": Role.PERSON,
    "other": Role.OTHER,
}
"""Roles as they are written in the file."""


@dataclass(frozen=True)
class _Written:
    """How a value is written in the file: its form there, also in words, and how it is read."""

    form: Any
    right: str = ""
    read: Callable[[Any], Any] | None = None

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        found = handler.generate_schema(self.form)
        if self.right:
            found = core_schema.custom_error_schema(
                found, "wrong", custom_error_message="wrong",
                custom_error_context={"right": self.right, "choices": choices_of(self.form)},
            )  # fmt: skip
        if self.read is None:
            return found
        return core_schema.no_info_after_validator_function(self.read, found)


def _many(texts: Any) -> Any:
    """Texts as a tuple, a single one too; of a mapping, those of each column."""
    if isinstance(texts, Mapping):
        return {column: _many(some) for column, some in texts.items()}
    return (texts,) if isinstance(texts, str) else tuple(texts)


def _names(names: Any) -> Any:
    if isinstance(names, Mapping):
        return {int(place): name for place, name in names.items()}
    return _many(names)


def _readable(tolerance: str | float) -> str | float:
    if tolerance_of(tolerance) is None:
        raise ValueError(tolerance)
    return tolerance


def _a_form(words: str) -> str:
    if not is_form(words):
        raise ValueError(words)
    return words


_Words = Annotated[str, _Written(Annotated[str, Field(pattern=r"\S")], "a text")]
_Texts = Annotated[tuple[str, ...], _Written(str | list[str], "a text or a list of texts", _many)]
_Flag = Annotated[bool, _Written(StrictBool, "true or false")]
_FromZero = Annotated[int, _Written(Annotated[StrictInt, Ge(0)], "a whole number from 0 up")]
_FromOne = Annotated[int, _Written(Annotated[StrictInt, Ge(1)], "a whole number from 1 up")]
_Tolerance = Annotated[
    str | float,
    _Written(Annotated[str | StrictFloat, AfterValidator(_readable)], in_words(Tolerance)),
]
_RoleName = Annotated[
    Role,
    _Written(
        Literal["identifier", "person", "quasi", "sensitive", "count", "other", "quasi-identifier"],
        in_words(Literal["identifier", "person", "quasi", "sensitive", "count", "other"]),
        lambda name: ROLE_NAMES.get(name, Role.QUASI),
    ),
]
_KindName = Annotated[
    str | tuple[str, ...],
    _Written(
        Literal["numeric", "categorical"] | Annotated[list[str], MinLen(1)],
        "'numeric', 'categorical', or the list of its levels from low to high",
        lambda kind: kind if isinstance(kind, str) else tuple(kind),
    ),
]
_FormName = Annotated[
    str,
    _Written(
        Annotated[str, AfterValidator(_a_form)],
        "how dates or numbers are written, such as 'dd.mm.yyyy', 'mm/dd/yyyy' or '1.234,56'",
    ),
]
_Categories = Annotated[
    Any,
    _Written(
        Annotated[str, MinLen(1)] | Annotated[list[Any], MinLen(1)]
        | Annotated[dict[str, Any], MinLen(1)],
        "a text such as 'low:0-20,high:20-', a list of lists of values, or a table of categories",
    ),
]  # fmt: skip


class _Table:
    """A table of the file. It has the keys that are declared, and no others."""

    __pydantic_config__ = ConfigDict(extra="forbid", use_attribute_docstrings=True)


@dataclass(frozen=True, kw_only=True)
class Data(_Table):
    """The table, and how it is read; see `read_csv`."""

    file: _Words | None = None
    """The table: CSV, Excel or Parquet. Without it, only what was published is looked at."""
    delimiter: Annotated[str, _Written(Annotated[str, Len(1, 1)], "one character")] | None = None
    """CSV delimiter. Default: detected."""
    encoding: _Words | None = None
    """Encoding of a CSV file. Default: detected."""
    sheet: _Words | None = None
    """Sheet of an Excel workbook. Default: the first."""
    comment: _Words | None = None
    """What a line that is left out begins with."""
    columns: Annotated[ColumnNames, _Written(
        str | list[str] | dict[Annotated[str, Field(pattern=r"^[0-9]+$")], str],
        'a list of names, or names by position from 0, such as { 0 = "age" }', _names,
    )] | None = None  # fmt: skip
    """Names of the columns, if the file has no header."""
    missing: Annotated[Missing, _Written(Missing, in_words(Missing))] = "error"
    """Missing values: refuse them, drop these records, treat missing as a category, or keep: a
    value of quasi-identifiers, and each sensitive column is tested over the people who have it."""
    missing_values: Annotated[Mapping[str, tuple[str, ...]] | tuple[str, ...], _Written(
        str | list[str] | dict[str, str | list[str]],
        'a text or a list of texts, or these for each column, such as { age = ["?"] }', _many,
    )] = ()  # fmt: skip
    """Texts that mean missing."""
    person: Annotated[Literal["none"], _Written(Literal["none"], "'none'")] | None = None
    """``"none"``: each row is another person's, although identifiers repeat."""


@dataclass(frozen=True, kw_only=True)
class HierarchiesTable(_Table):
    """How values generalize: a folder, or a file per column."""

    folder: _Words | None = None
    """A folder with files named after the columns."""
    files: dict[str, _Words] = field(default_factory=dict)
    """A file per column."""


@dataclass(frozen=True, kw_only=True)
class ThreatTable(_Table):
    """Who attacks."""

    knows: _Texts = ()
    """Quasi-identifiers that the attacker knows. Default: all."""
    wants: _Texts = ()
    """Sensitive columns that the attacker wants to know. Default: all, each in turn."""
    external: _Words | None = None
    """Table of people whom the attacker knows. Default: those of the table."""
    adversary: _Texts = ()
    """The attacker's model. Default: the one that fits what was published."""
    tolerance: _Tolerance | None = None
    """How far a guess of a numeric sensitive value may be off: a number, or a share of the true
    value, such as "5%". Default: 5% of the interquartile range."""


@dataclass(frozen=True, kw_only=True)
class AttacksTable(_Table):
    """Which attacks and measures run, and a table of options for each."""

    attacks: Annotated[_Texts, Field(alias="use")] = ()
    """Names of attacks and measures. Default: those that are quick."""
    seed: _FromZero | None = None
    """Random seed."""
    jobs: _FromOne | None = None
    """Number of worker processes. Default: all cores."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What is not one of these."""


RUN = ("use", "seed", "jobs")
"""The keys of [attacks]; all others are attacks with options."""


def _options_apart(table: Any) -> Any:
    if not isinstance(table, Mapping):
        return table
    options = {name: given for name, given in table.items() if name not in RUN}
    return {**{name: table[name] for name in RUN if name in table}, "options": options}


@dataclass(frozen=True, kw_only=True)
class ThresholdsTable(_Table):
    """What makes a release fail."""

    fail_on: _Texts = ()
    """Thresholds such as 'delta > 0.05'. Without any there is no verdict."""
    strict_columns: _Flag = False
    """Whether a release fails that publishes a column without a role."""


@dataclass(frozen=True, kw_only=True)
class ReportTable(_Table):
    """What the report shows."""

    smallest: _FromOne | None = None
    """Groups of fewer people are masked."""
    private: _Flag = False
    """Whether the report may show original records."""


def _readable_how(words: str) -> str:
    try:
        parse_how(words)
    except InputError as error:
        raise ValueError(words) from error
    return words


_How = Annotated[
    str,
    _Written(
        Annotated[str, AfterValidator(_readable_how)],
        "words such as 'year', 'prefix 3', 'rounded 1000', 'bands', 'recoded' or 'perturbed'",
    ),
]
_Domain = Annotated[
    Any, _Written(Annotated[str, MinLen(1)] | Annotated[list[Any], MinLen(1)],
                  "a list of its values, or a text such as '17-90'"),
]  # fmt: skip
_Notation = Annotated[
    dict[str, _Words] | None,
    Field(description="How columns are written, where that is ambiguous."),
]


@dataclass(frozen=True, kw_only=True)
class AnyRelease(_Table):
    """What all releases have."""

    name: Annotated[_Words | None, Field(description="What the report calls it.")] = None


@dataclass(frozen=True, kw_only=True)
class FileRelease(AnyRelease):
    """A published file, or a folder with the two tables of Anatomy."""

    file: _Words
    """The file."""
    may_change: _Flag | None = None
    """Whether it may have other sensitive values than the table."""
    count: _Words | None = None
    """The column with the number of people that a row stands for."""
    in_order: _Flag | None = None
    """Whether its rows are those of the table in the same order: then it is known whose they are,
    where a person has several."""
    domains: dict[str, _Domain] | None = None
    """Without the original: all values of a column."""
    notation: _Notation = None
    rename: dict[str, _Words] | None = None
    """Columns that have another name in the file: their names there, and in the table."""
    how: Annotated[dict[str, _How] | None, Field(
        description="How columns of the table were coarsened, such as 'year' or 'prefix 3'."
    )] = None  # fmt: skip
    cells: Annotated[dict[str, dict[str, _Texts]] | None, Field(
        description="For each column, the values that each published text stands for. Without it, "
        "what is 'recoded' is learned from corresponding rows."
    )] = None  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SanitizerRelease(AnyRelease):
    """What a sanitizer makes of the table."""

    sanitizer: _Words
    """Such as 'mondrian:k=5', or a series: 'mondrian:k=2..64'."""


@dataclass(frozen=True, kw_only=True)
class OracleRelease(AnyRelease):
    """What a program makes of the table; see `Oracle`."""

    oracle: _Words
    """A command, an address, or a folder of releases made beforehand."""
    timeout: Annotated[
        str | float, _Written(str | StrictFloat, "seconds, or a text such as '30 s'")
    ] | None = None  # fmt: skip
    """Time limit for one answer."""
    memory: Annotated[
        str | int, _Written(str | StrictInt, "bytes, or a text such as '2 GB'")
    ] | None = None  # fmt: skip
    """Memory limit."""
    retries: _FromZero | None = None
    """Number of retries after a failed run."""
    may_drop: _Flag | None = None
    """Whether the release may have fewer records than the table."""
    may_change_sensitive: _Flag | None = None
    """Whether the release may have other sensitive values than the table."""
    may_change_quasi: _Flag | None = None
    """Whether the release may have other quasi-identifiers than the table, such as means."""
    gives_person: _Flag | None = None
    """Whether the oracle gets the column that says whose a row is, with numbers for names."""
    notation: _Notation = None


RELEASES: dict[str, type[AnyRelease]] = {
    "file": FileRelease, "sanitizer": SanitizerRelease, "oracle": OracleRelease,
}  # fmt: skip


def named(release: Any) -> list[str]:
    """Which of file, sanitizer and oracle a release names; it must be one."""
    return [what for what in RELEASES if isinstance(release, Mapping) and what in release]


@dataclass(frozen=True, kw_only=True)
class ReleaseAsked:
    """``[[releases]]``: a file that was published, a sanitizer, or an oracle."""

    file: str | None = None
    sanitizer: str | None = None
    oracle: str | None = None
    name: str | None = None
    reasons: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Why a column is said to be coarsened so; written as comments."""
    comments: tuple[str, ...] = field(default=(), compare=False)
    """What else there is to know; written above it."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of an oracle (``timeout``, ``memory``, ``retries``, ``may_drop``,
    ``may_change_sensitive``, ``may_change_quasi``, ``gives_person``) or a file (``may_change``,
    ``count``, ``in_order``, ``rename``, ``how``, ``cells``), and the ``notation`` of both."""


def _asked(release: AnyRelease) -> ReleaseAsked:
    given = {name: value for name, value in vars(release).items() if value is not None}
    own = {name: given.pop(name) for name in ("name", *RELEASES) if name in given}
    return ReleaseAsked(**own, options=given)


def _what(release: Any) -> str | None:
    found = named(release)
    return found[0] if len(found) == 1 else None


_Release = Annotated[
    ReleaseAsked,
    _Written(
        Annotated[
            Annotated[FileRelease, Tag("file")]
            | Annotated[SanitizerRelease, Tag("sanitizer")]
            | Annotated[OracleRelease, Tag("oracle")],
            Discriminator(_what, custom_error_type="what", custom_error_message="one of three"),
        ],
        read=_asked,
    ),
]


@dataclass(frozen=True, kw_only=True)
class ProjectFile(_Table):
    """What is audited, and under which threat model."""

    data: Data = Data()
    roles: dict[str, _RoleName] = field(default_factory=dict)
    """The role of each column; columns that are not listed are 'other'."""
    kinds: dict[str, _KindName] = field(default_factory=dict)
    """What the values of a column are."""
    forms: dict[str, _FormName] = field(default_factory=dict)
    """How the dates or numbers of a column are written; see `read_csv`."""
    hierarchies: HierarchiesTable = HierarchiesTable()
    partitions: dict[str, _Categories] = field(default_factory=dict)
    """Categories of sensitive columns, for the discrimination rate."""
    threat: ThreatTable = ThreatTable()
    attacks: Annotated[AttacksTable, BeforeValidator(_options_apart)] = AttacksTable()
    releases: list[_Release] = field(default_factory=list)
    """What is published. Default: the table as it is, and Mondrian with several k."""
    thresholds: ThresholdsTable = ThresholdsTable()
    report: ReportTable = ReportTable()
