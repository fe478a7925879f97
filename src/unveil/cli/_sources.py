"""What commands work on, as it is typed: a table, what was published, people, and outputs.

Each group of options is one dataclass, declared once, and put into every command that needs it.
"""

# Annotations are read by the command line, also those that another module inherits: no strings.
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Group, Parameter

from unveil.errors import InputError, Option
from unveil.options import names

if TYPE_CHECKING:
    from unveil.cli._reading import Reading
    from unveil.cli._releases import Given

ROLES = Group("Roles of columns", sort_key=1)
_PUBLISHED = Group("Releases", sort_key=2)
_PEOPLE = Group("People whom the attacker knows", sort_key=3)
OPTIONS = Group("Options of the attack", sort_key=4)
READING = Group("Reading the table", sort_key=5)
OUTPUT = Group("Output", sort_key=6)

Texts = list[str] | None
Paths = list[Path] | None

File = Annotated[
    Path | None,
    Parameter(
        help="The original table, one row per person: CSV (may be compressed: .gz) or .parquet. A "
        "dash (-) means standard input. May be left out where only the release is known."
    ),
]


def typed(group: Group, help: str, metavar: str = "", *names: str) -> Parameter:
    """How an option is shown in help, and what it is called."""
    return Parameter(name=names or None, group=group, help=help, metavar=metavar or None)


def and_plugins(help: str, *groups: str) -> str:
    """A help text, with the names that plug-ins add."""
    from unveil.registry import plugin_names

    added = plugin_names(*groups)
    return f"{help} From plug-ins: {', '.join(added)}." if added else help


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Opening:
    """How a CSV file is opened."""

    delimiter: Annotated[
        str | None, typed(READING, "CSV delimiter ('\\t' is a tab). Default: detected.",
                            "CHARACTER"),
    ] = None  # fmt: skip
    encoding: Annotated[
        str | None, typed(READING, "Encoding of a CSV file. Default: utf-8.", "NAME")
    ] = None
    columns: Annotated[
        Texts, typed(READING, "Names of all columns, for a CSV file without a header.",
                       "COLUMNS"),
    ] = None  # fmt: skip

    def options(self) -> dict[str, Any]:
        """The same, as readers take it."""
        return {
            "delimiter": "\t" if self.delimiter == "\\t" else self.delimiter,
            "encoding": self.encoding,
            "columns": names(self.columns or ()) or None,
        }


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Table(Opening):
    """The roles of columns, and how a table is read."""

    quasi: Annotated[
        list[str],
        typed(ROLES, "Quasi-identifiers: what the attacker may know of a person, such as "
                "age,education,country.", "COLUMNS", "--quasi", "-q"),
    ]  # fmt: skip
    sensitive: Annotated[
        str, typed(ROLES, "Sensitive column: what the attacker wants to know.", "COLUMN",
                     "--sensitive", "-s"),
    ]  # fmt: skip
    identifier: Annotated[
        Texts, typed(ROLES, "Identifiers: columns that name a person.", "COLUMNS")
    ] = None
    hierarchies: Annotated[
        Path | None,
        typed(READING, "Folder of generalization hierarchies, one file per column.", "FOLDER"),
    ] = None
    missing: Annotated[
        Literal["error", "drop", "category"],
        typed(READING, "Missing values: refuse them, leave these records out, or treat missing "
                "as a value of its own."),
    ] = "error"  # fmt: skip
    missing_values: Annotated[
        Texts, typed(READING, "Text that means missing, besides empty cells: '?'. May be "
                       "repeated.", "TEXT"),
    ] = None  # fmt: skip
    numeric: Annotated[Texts, typed(READING, "Columns to read as numbers.", "COLUMNS")] = None
    categorical: Annotated[
        Texts, typed(READING, "Columns to read as words, even if they look like numbers.",
                       "COLUMNS"),
    ] = None  # fmt: skip
    ordinal: Annotated[
        Texts, typed(READING, "Column whose values have an order, with all levels from low to "
                       "high: 'education=low|mid|high'. May be repeated.", "COLUMN=LEVELS"),
    ] = None  # fmt: skip
    cuts: Annotated[
        Texts, typed(READING, "Split a numeric column into parts that begin at these numbers: "
                       "'age=20,40,60'. May be repeated.", "COLUMN=NUMBERS"),
    ] = None  # fmt: skip
    parts: Annotated[
        Texts, typed(READING, "Split a numeric column into N parts of equal width: 'age=5'. May "
                       "be repeated.", "COLUMN=N"),
    ] = None  # fmt: skip
    quantiles: Annotated[
        Texts, typed(READING, "Split a numeric column into N parts with about as many records "
                       "each: 'age=4'. May be repeated.", "COLUMN=N"),
    ] = None  # fmt: skip

    def reading(self, file: Path | None) -> "Reading":
        """How FILE is read."""
        from unveil.cli._reading import NO_FILE, Reading

        given = {**vars(self), "missing_value": self.missing_values}
        del given["missing_values"]
        return Reading(file=NO_FILE if file is None else file, **given)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Published:
    """What was published, or what a sanitizer would publish."""

    release: Annotated[
        Paths, typed(_PUBLISHED, "A published file of generalized records: CSV or .parquet. May "
                       "be repeated, and have a name in front: 'city=published.csv'.", "FILE"),
    ] = None  # fmt: skip
    anatomy: Annotated[
        Paths, typed(_PUBLISHED, "The records of an Anatomy release with their groups, or a "
                       "folder with quasi_table.csv and sensitive_table.csv. May be repeated.",
                       "FILE"),
    ] = None  # fmt: skip
    sensitive_table: Annotated[
        Paths, typed(_PUBLISHED, "The other table of --anatomy: the sensitive values of each "
                       "group. One for each --anatomy.", "FILE"),
    ] = None  # fmt: skip
    sanitizer: Annotated[
        Texts, typed(_PUBLISHED, and_plugins(
            "Release what this sanitizer makes of FILE: mondrian:k=5, "
            "recoding:k=5,suppression=0.05, anatomy:l=3. May be repeated.", "sanitizers",
        ), "NAME:OPTIONS"),
    ] = None  # fmt: skip
    notation: Annotated[
        Texts, typed(_PUBLISHED, "How the cells of a published column are written, where that is "
                       "not clear: 'age=range'; or interval, mask, prefix, set, list, node, value. "
                       "May be repeated.", "COLUMN=HOW"),
    ] = None  # fmt: skip
    group: Annotated[
        str | None, typed(_PUBLISHED, "Column with the groups of --anatomy. Default: group.",
                            "COLUMN"),
    ] = None  # fmt: skip
    count: Annotated[
        str | None, typed(_PUBLISHED, "Column with the number of records that a row stands for. "
                            "Default: count, where its numbers add up.", "COLUMN"),
    ] = None  # fmt: skip
    domains: Annotated[
        Texts, typed(_PUBLISHED, "Without FILE: all values of a column, 'zip=45501|45502' or "
                       "'age=17-90'. Default: those that the release names. May be repeated.",
                       "COLUMN=VALUES"),
    ] = None  # fmt: skip
    may_change_sensitive: Annotated[
        bool, typed(_PUBLISHED, "Sensitive values of --release may have been changed, as noise "
                      "does."),
    ] = False  # fmt: skip

    def given(self) -> "Given":
        """The same, ready to be read."""
        from unveil.cli._releases import Given

        return Given(
            releases=self.release or (), anatomies=self.anatomy or (),
            sensitive_tables=self.sensitive_table or (), sanitizers=self.sanitizer or (),
            notation=_notations(self.notation), group=self.group, count=self.count,
            values=self.domains or (), may_change=self.may_change_sensitive,
        )  # fmt: skip


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Programs:
    """Anonymization programs of others, and their limits."""

    oracle: Annotated[
        Texts, typed(_PUBLISHED, "An anonymization program as a black box: a command "
                       "'./anonymize {input} {output}', a URL that tables are posted to, a folder "
                       "with full.csv and without_000017.csv, or one Parquet file with a column "
                       "'without'. May be repeated.", "PROGRAM"),
    ] = None  # fmt: skip
    timeout: Annotated[
        str | None, typed(_PUBLISHED, "Longest time for one run of a program: '30 s'. After that "
                            "it is ended and run again.", "TIME"),
    ] = None  # fmt: skip
    memory: Annotated[
        str | None, typed(_PUBLISHED, "Most memory for one run of a program, all its processes "
                            "together: '2 GB'.", "SIZE"),
    ] = None  # fmt: skip
    retries: Annotated[
        int | None, typed(_PUBLISHED, "Number of retries after a failed run. Default: 1.", "N")
    ] = None
    may_drop: Annotated[
        bool, typed(_PUBLISHED, "The program may leave out records, which counts as suppressing "
                      "them."),
    ] = False  # fmt: skip

    def made(self, published: "Published") -> list[Any]:
        """The programs as sanitizers."""
        from unveil.sanitize import Oracle

        for name in ("timeout", "memory", "retries", "may_drop"):
            if getattr(self, name) not in (None, False) and not self.oracle:
                raise InputError("{option} is for programs of others; give one with {oracle}",
                                 option=Option(name), oracle=Option("oracle"))  # fmt: skip
        return [
            Oracle(
                source, notation=_notations(published.notation) or None, timeout=self.timeout,
                memory=self.memory, retries=self.retries, may_drop=self.may_drop,
                may_change_sensitive=published.may_change_sensitive,
            )
            for source in self.oracle or ()
        ]  # fmt: skip


Person = Annotated[
    Texts, typed(_PEOPLE, "Show what was found about one person, by name, or without "
                   "--identifier by row, from 1. May be repeated.", "NAME"),
]  # fmt: skip
Worst = Annotated[
    int, typed(OUTPUT, "List the N people of each release who are worst off. Shows microdata.",
                 "N"),
]  # fmt: skip


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class People:
    """The people whom the attacker knows."""

    external: Annotated[
        Path | None, typed(_PEOPLE, "Table of people, with names and the quasi-identifiers: CSV "
                             "or .parquet. A dash (-) means standard input. Default: the people of "
                             "FILE.", "FILE"),
    ] = None  # fmt: skip
    record_of: Annotated[
        str | None, typed(_PEOPLE, "Instead of names: column of the table of people with their "
                            "row of FILE, counted from 1 without the header; empty for people who "
                            "are not in it.", "COLUMN"),
    ] = None  # fmt: skip
    person: Person = None


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Outputs:
    """Where results go."""

    json: Annotated[
        Path | None, typed(OUTPUT, "Write the findings as JSON. A dash (-) means standard "
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

    @property
    def to_stdout(self) -> bool:
        """Whether a result goes to standard output, so that words have to go elsewhere."""
        return any(str(path) == "-" for path in (self.json, self.csv))


def _notations(given: Texts) -> dict[str, str]:
    """How columns are written, from a repeatable option.

    >>> _notations(["age=range", "zip=mask"])
    {'age': 'range', 'zip': 'mask'}
    """
    found: dict[str, str] = {}
    for text in given or ():
        column, equals, how = (part.strip() for part in text.rpartition("="))
        if not equals or not column or not how:
            raise InputError("cannot read {option}; write it like 'age=range'",
                             option=Option("notation", text))  # fmt: skip
        found[column] = how
    return found
