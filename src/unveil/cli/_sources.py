"""What commands work on, as it is typed: a table, what was published, people, and outputs.

Each group of options is one class, declared once, and put into every command that needs it. An
option is an annotated type (see `unveil.options`): its help, and how its text becomes a value, are
declared where the function is that takes it.
"""

# Annotations are read by the command line, also those that another module inherits: no strings.
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
)

from cyclopts import Group, Parameter

from unveil.errors import InputError, Option, View
from unveil.microdata import options as reading
from unveil.options import Shell, check, choices_of, help_of, options_of, shell_of

if TYPE_CHECKING:
    from rich.console import Console

    from unveil.cli._outputs import Files
    from unveil.cli._reading import Reading
    from unveil.cli._releases import Given
    from unveil.findings import Finding
    from unveil.microdata import AnyRelease

ROLES = Group("Roles of columns", sort_key=1)
PUBLISHED = Group("Releases", sort_key=2)
PEOPLE = Group("People whom the attacker knows", sort_key=3)
OPTIONS = Group("Options", sort_key=4)
READING = Group("Reading the table", sort_key=5)
OUTPUT = Group("Output", sort_key=6)

Texts = list[str] | None
Paths = list[Path] | None
T = TypeVar("T", bound=type)

_TABLE = (
    "The original table: CSV (may be compressed: .gz) or .parquet. A dash (-) means standard input."
)
NeededFile = Annotated[Path | None, Parameter(help=_TABLE)]
File = Annotated[
    Path | None,
    Parameter(help=f"{_TABLE} May be left out where only the release is known."),
]
OneFile = Annotated[Path, Parameter(help="The original table.")]


def typed(group: Group, help: str, metavar: str = "", *names: str) -> Parameter:
    """How an option is shown in help, and what it is called."""
    return Parameter(name=names or None, group=group, help=help, metavar=metavar or None)


def and_plugins(help: str, *groups: str) -> str:
    """A help text, with the names that plug-ins add."""
    from unveil.registry import plugin_names

    added = plugin_names(*groups)
    return f"{help} From plug-ins: {', '.join(added)}." if added else help


def in_shell(
    name: str, annotation: Any, group: Group, *, described: str = "", required: bool = False
) -> Any:
    """An option as the shell has it: our own parser turns its texts into values, and our own check
    words what is out of bounds.
    """
    shell: Shell = shell_of(annotation)
    bare = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    text = help_of(annotation, shell=True) or described
    choices = [str(choice) for choice in choices_of(annotation)]
    if choices:  # our own check words what is none of them
        text = f"{text} [choices: {', '.join(choices)}]"
        bare = str | None
    flag = Option(name).shown(View("shell"))
    shown = Parameter(
        name=(flag, f"-{shell.letter}") if shell.letter else flag,
        help=and_plugins(text, shell.plugins) if shell.plugins else text,
        metavar=shell.metavar or ("CHOICE" if choices else None), group=group,
    )  # fmt: skip
    if shell.column_of_releases:
        bare = str | None
    elif shell.parse is not None:
        bare = list[Path] if shell.table else list[str]  # what is read is not written over
        bare = bare if required else bare | None
    elif shell.path:
        bare = Path | None
    return Annotated[bare, shown]


def values_of(annotations: Mapping[str, Any], typed: Mapping[str, Any]) -> dict[str, Any]:
    """Options as functions take them, checked; those that were not typed are left out."""
    found = {}
    for name, annotation in annotations.items():
        value, shell = typed.get(name), shell_of(annotation)
        if shell.parse is not None and value:
            value = shell.parse(value if isinstance(value, list) else [value])
        if value is not None:
            if not shell.column_of_releases:
                check(name, annotation, value)
            found[name] = value
    return found


def described(function: Callable[..., Any]) -> dict[str, str]:
    """The help of parameters, from the docstring."""
    from docstring_parser import parse

    found = parse(inspect.getdoc(function) or "")
    return {one.arg_name: " ".join((one.description or "").split()) for one in found.params}


def option(
    name: str, one: inspect.Parameter, group: Group, described: str = ""
) -> inspect.Parameter:
    """An option of a function as a parameter of a command."""
    shell = shell_of(one.annotation)
    parsed = shell.column_of_releases or shell.parse is not None
    return one.replace(
        annotation=in_shell(name, one.annotation, group, described=described),
        default=None if parsed else one.default,
    )


def taking(
    function: Callable[..., Any], *, without: str = "", group: Group = OPTIONS
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of a function; it gets them as ``options``, parsed and checked.

    ``without`` names those that it does not have, with spaces between them.
    """
    own = {
        name: one
        for name, one in options_of(function).items()
        if name not in without.split() and not shell_of(one.annotation).hidden
    }
    said = described(function)

    def made(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def call(*args: Any, **given: Any) -> None:
            typed = {name: given.pop(name) for name in own if name in given}
            options = values_of({name: one.annotation for name, one in own.items()}, typed)
            command(*args, options=options, **given)

        fixed = [p for p in inspect.signature(command).parameters.values() if p.name != "options"]
        added = [option(name, one, group, said.get(name, "")) for name, one in own.items()]
        call.__signature__ = inspect.Signature([*fixed, *added])  # type: ignore[attr-defined]
        call.__annotations__ = {p.name: p.annotation for p in (*fixed, *added)}
        return call

    return made


class Typed:
    """A group of options, as typed."""

    declared: ClassVar[dict[str, Any]] = {}

    def values(self) -> dict[str, Any]:
        """The options as functions take them; those that were not typed are left out."""
        return values_of(self.declared, vars(self))


@dataclass_transform(frozen_default=True, kw_only_default=True)
def group(section: Group) -> Callable[[T], T]:
    """Make a class of annotated options a group of the command line."""

    def made(cls: T) -> T:
        own = inspect.get_annotations(cls)
        options = {name: one for name, one in own.items() if not _is_typed(one)}
        cls.declared = {**cls.declared, **options}  # type: ignore[attr-defined]
        cls.__annotations__ = own | {
            name: in_shell(name, one, section, required=not hasattr(cls, name))
            for name, one in options.items()
        }
        return Parameter(name="*")(dataclass(frozen=True, kw_only=True)(cls))  # type: ignore[return-value]

    return made


def _is_typed(annotation: Any) -> bool:
    """Whether it says itself how it is typed."""
    return any(isinstance(one, Parameter) for one in getattr(annotation, "__metadata__", ()))


@group(READING)
class Opening(Typed):
    """How a CSV file is opened."""

    delimiter: reading.Delimiter = None
    encoding: reading.Encoding = None
    columns: reading.Header = None
    sheet: reading.Sheet = None


@group(ROLES)
class Roles(Typed):
    """The roles of columns."""

    quasi: reading.Quasi
    sensitive: reading.Sensitive
    identifier: reading.Identifier = None
    person: reading.Person = None


@group(READING)
class Table(Opening, Roles):
    """The roles of columns, and how a table is read."""

    declared = {**Roles.declared, **Opening.declared}  # noqa: RUF012

    hierarchies: reading.Hierarchies = None
    missing: reading.Missing = "error"
    missing_values: reading.MissingValues = None
    numeric: reading.Numeric = None
    categorical: reading.Categorical = None
    ordinal: reading.Ordinal = None
    forms: reading.Forms = None
    cuts: reading.Cuts = None
    parts: reading.Parts = None
    quantiles: reading.Quantiles = None
    count: reading.CountColumn = None

    def reading(self, file: Path | None) -> "Reading":
        """How FILE is read."""
        from unveil.cli._reading import Reading

        return Reading(file=file, options=self.values())


@group(PUBLISHED)
class Published(Typed):
    """What was published, or what a sanitizer would publish."""

    release: Annotated[
        Paths, typed(PUBLISHED, "A published file of generalized records: CSV or .parquet. May "
                       "be repeated, and have a name in front: 'city=published.csv'.", "FILE",
                       "--published", "--release"),
    ] = None  # fmt: skip
    anatomy: Annotated[
        Paths, typed(PUBLISHED, "The records of an Anatomy release with their groups, or a "
                       "folder with quasi_table.csv and sensitive_table.csv. May be repeated.",
                       "FILE"),
    ] = None  # fmt: skip
    sensitive_table: Annotated[
        Paths, typed(PUBLISHED, "The other table of --anatomy: the sensitive values of each "
                       "group. One for each --anatomy.", "FILE"),
    ] = None  # fmt: skip
    sanitizer: Annotated[
        Texts, typed(PUBLISHED, and_plugins(
            "Release what this sanitizer makes of FILE: mondrian:k=5, "
            "recoding:k=5,suppression=0.05, anatomy:l=3. May be repeated.", "sanitizers",
        ), "NAME:OPTIONS"),
    ] = None  # fmt: skip
    notation: reading.Notation = None
    how: reading.How = None
    cells: reading.Cells = None
    group: reading.GroupColumn = None
    domains: reading.Domains = None
    may_change_sensitive: reading.MayChange = False

    def given(self) -> "Given":
        """The same, ready to be read."""
        from unveil.cli._releases import Given

        return Given(
            releases=self.release or (), anatomies=self.anatomy or (),
            sensitive_tables=self.sensitive_table or (), sanitizers=self.sanitizer or (),
            **self.values(),
        )  # fmt: skip


@group(PUBLISHED)
class Programs(Typed):
    """Anonymization programs of others, and their limits."""

    oracle: Annotated[
        Texts, typed(PUBLISHED, "An anonymization program as a black box: a command "
                       "'./anonymize {input} {output}', a URL that tables are posted to, a folder "
                       "with full.csv and without_000017.csv, or one Parquet file with a column "
                       "'without'. May be repeated.", "PROGRAM"),
    ] = None  # fmt: skip
    timeout: Annotated[
        str | None, typed(PUBLISHED, "Longest time for one run of a program: '30 s'. After that "
                            "it is ended and run again.", "TIME"),
    ] = None  # fmt: skip
    memory: Annotated[
        str | None, typed(PUBLISHED, "Most memory for one run of a program, all its processes "
                            "together: '2 GB'.", "SIZE"),
    ] = None  # fmt: skip
    retries: reading.Retries = None
    may_drop: Annotated[
        bool, typed(PUBLISHED, "The program may leave out records, which counts as suppressing "
                      "them."),
    ] = False  # fmt: skip
    may_change_quasi: Annotated[
        bool, typed(PUBLISHED, "The program may publish other quasi-identifiers than the table "
                      "has, such as means. Methods that need true values are then left out."),
    ] = False  # fmt: skip
    gives_person: Annotated[
        bool, typed(PUBLISHED, "The program gets the column that says whose a row is, with "
                      "numbers in place of names. By default it does not."),
    ] = False  # fmt: skip

    def made(self, published: "Published") -> list[Any]:
        """The programs as sanitizers."""
        from unveil.sanitize import Oracle

        for name in ("timeout", "memory", "retries", "may_drop", "may_change_quasi",
                     "gives_person"):  # fmt: skip
            if getattr(self, name) not in (None, False) and not self.oracle:
                raise InputError("{option} is for programs of others; give one with {oracle}",
                                 option=Option(name), oracle=Option("oracle"))  # fmt: skip
        return [
            Oracle(
                source, notation=published.values().get("notation"), timeout=self.timeout,
                memory=self.memory, retries=self.retries, may_drop=self.may_drop,
                may_change_sensitive=published.may_change_sensitive,
                may_change_quasi=self.may_change_quasi, gives_person=self.gives_person,
            )
            for source in self.oracle or ()
        ]  # fmt: skip


Released = Annotated[
    Path | None,
    Parameter(help="The published file. How it follows from FILE is found out, or asked about."),
]  # fmt: skip


@group(PUBLISHED)
class Renamed(Typed):
    """Columns with another name in what was published."""

    rename: reading.RenameReleased = None


@group(READING)
class Answers(Renamed):
    """What two files do not tell."""

    declared = {**Renamed.declared}  # noqa: RUF012

    forms: reading.Forms = None
    how: reading.How = None
    cells: reading.Cells = None


Person = Annotated[
    Texts, typed(PEOPLE, "Show what was found about one person, by name, or without "
                   "--identifier by row, from 1. May be repeated.", "NAME"),
]  # fmt: skip
Worst = Annotated[
    int, typed(OUTPUT, "List the N people of each release who are worst off. Shows microdata.",
                 "N"),
]  # fmt: skip


@group(PEOPLE)
class External(Typed):
    """The people whom the attacker knows."""

    external: Annotated[
        Path | None, typed(PEOPLE, "Table of people, with names and the quasi-identifiers: CSV "
                             "or .parquet. A dash (-) means standard input. Default: the people of "
                             "FILE.", "FILE"),
    ] = None  # fmt: skip


@group(PEOPLE)
class People(External):
    """The same, with what is known of each of them."""

    record_of: Annotated[
        str | None, typed(PEOPLE, "Instead of names: column of the table of people with their "
                            "row of FILE, counted from 1 without the header; empty for people who "
                            "are not in it.", "COLUMN"),
    ] = None  # fmt: skip
    about: Person = None


@group(OUTPUT)
class Outputs(Typed):
    """Where results go."""

    json: Annotated[
        Path | None, typed(OUTPUT, "Write the findings as JSON, with exact numbers: for the "
                             "owner of the table, not to be handed on. A dash (-) means standard "
                             "output; the report then goes to standard error.", "FILE"),
    ] = None  # fmt: skip
    records: Annotated[bool, typed(OUTPUT, "Include the values of every person in the JSON.")] = (
        False
    )
    csv: Annotated[
        Path | None, typed(OUTPUT, "Write one row per person. Names people. A dash (-) means "
                             "standard output.", "FILE"),
    ] = None  # fmt: skip
    plot: Annotated[Path | None, typed(OUTPUT, "Draw the result: .png, .svg or .pdf.", "FILE")] = (
        None
    )
    chart: Annotated[
        str | None, typed(OUTPUT, "Which chart --plot draws: its number, counted from 0, or a "
                            "part of its title. Default: the first.", "CHART"),
    ] = None  # fmt: skip

    def check(self, source: Path | None) -> None:
        """Refuse, before the long work, results that could not be written in the end."""
        from unveil.cli._outputs import check_results, check_rows

        check_results(json=self.json, plot=self.plot, records=self.records, source=source)
        check_rows(self.csv, json=self.json, plot=self.plot)
        if self.chart is not None and self.plot is None:
            raise InputError("{chart} says what to draw: give the file with {plot}",
                             chart=Option("chart"), plot=Option("plot"))  # fmt: skip

    @contextmanager
    def written(
        self, finding: "Finding", out: "Console", release: "tuple[Path, AnyRelease] | None" = None
    ) -> "Iterator[Files]":
        """Write all of it, and a release, together; a failure is raised at the end of the block."""
        from unveil.cli._outputs import Files

        with Files(out, interrupted=getattr(finding, "interrupted", False)) as files:
            if self.json is not None:
                files.text(self.json, finding.to_json(records=self.records) + "\n")
            if self.csv is not None:
                files.rows(self.csv, finding.to_frame())
            if self.plot is not None:
                files.picture(self.plot, finding.plot())
            if release is not None:
                files.release(*release)
            files.write()
            yield files

    @property
    def to_stdout(self) -> bool:
        """Whether a result goes to standard output, so that words have to go elsewhere."""
        return any(str(path) == "-" for path in (self.json, self.csv))
