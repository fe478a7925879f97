"""``unveil measures``: every measure that follows from counts, of one table or of several.

Unlike the commands of attacks it needs no original: an engine counts the files, whatever their
size.
"""

# Annotations are read by the command line: no strings.
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from cyclopts import Group, Parameter

from unveil.cli._guard import guarded
from unveil.cli._reading import Reading, named_file, on_disk
from unveil.cli._sources import OUTPUT, READING, ROLES, Opening, Typed, group, taking, typed
from unveil.errors import File, InputError, Listed, Option, View
from unveil.microdata import options as reading
from unveil.options import Help, Shell, names
from unveil.registry import declared

if TYPE_CHECKING:
    from unveil.findings import Finding
    from unveil.measures import Measures
    from unveil.microdata import Hierarchy, Microdata

SHELL = View("shell")
MEASURES = Group("Options of the measures", sort_key=4)


@group(ROLES)
class _Keys(Opening):
    """The roles of columns."""

    quasi: Annotated[
        reading.Names | None,
        Help(
            "Keys, whose combinations are the classes: age,education,country. A name with a comma "
            "is put in double quotes. Without it you are told which columns there are."
        ),
        Shell(parse=names, metavar="COLUMNS", letter="q"),
    ] = None
    sensitive: Annotated[
        reading.Names | None,
        Help(
            "Sensitive columns: what an attacker wants to know. Several, such as "
            "income,diagnosis, are measured in turn. Without it only the classes are measured."
        ),
        Shell(parse=names, metavar="COLUMNS", letter="s"),
    ] = None


@group(READING)
class _Columns(_Keys):
    """The roles of columns, and how tables are opened and counted."""

    hierarchies: Annotated[
        Path | None,
        Help(
            "Folder of generalization hierarchies, one file per column. That of the sensitive "
            "column is used for t-closeness and --partition, the others for --original and "
            "--population."
        ),
        Shell(metavar="FOLDER"),
    ] = None
    missing_values: reading.MissingValues = None
    numeric: reading.Numeric = None
    categorical: reading.Categorical = None
    ordinal: reading.Ordinal = None
    forms: reading.Forms = None
    count: reading.CountColumn = None
    person: reading.Person = None
    engine: Annotated[Literal["duckdb", "spark"], Help("Engine that counts the tables.")] = "duckdb"
    memory: Annotated[
        str | None,
        Help("Memory limit of the engine: 4GB. The rest goes to disk."),
        Shell(metavar="SIZE"),
    ] = None

    @property
    def secrets(self) -> Sequence[str | None]:
        """Each sensitive column; None alone where there is none."""
        return self.values().get("sensitive") or (None,)

    def trees(self, sensitive: str | None) -> "Mapping[str, Hierarchy]":
        """The hierarchies of all columns that have one."""
        if self.hierarchies is None:
            return {}
        from unveil.microdata import read_hierarchies

        columns = [*self.values().get("quasi", ()), *([sensitive] if sensitive else [])]
        return read_hierarchies(self.hierarchies, columns)

    def counting(self, sensitive: str | None) -> dict[str, Any]:
        """The same, as `count` takes it, with one of the sensitive columns."""
        own = {name: tree for name, tree in self.trees(sensitive).items() if name == sensitive}
        options = {**self.values(), "sensitive": sensitive, "hierarchies": own or None}
        # What is said of the other sensitive columns is for their turn.
        others = {one for one in self.secrets if one != sensitive}
        for name in ("forms", "ordinal"):
            if name in options:
                options[name] = {c: said for c, said in options[name].items() if c not in others}
        for name in ("numeric", "categorical"):
            if name in options:
                options[name] = [c for c in options[name] if c not in others]
        options = {name: one for name, one in options.items() if one not in ({}, [])}
        return {"header" if name == "columns" else name: one for name, one in options.items()}

    def read(self, file: Path, sensitive: str | None) -> "Microdata":
        """The original table."""
        from unveil.microdata import is_parquet

        others = {"engine", "memory", *(Opening.declared if is_parquet(file) else ())}
        options = {name: one for name, one in self.values().items() if name not in others}
        options["sensitive"] = sensitive
        return Reading(file=file, options=options, counted_elsewhere=True).read()


@group(OUTPUT)
class _Outputs(Typed):
    """Where results go."""

    classes: Annotated[
        bool, typed(OUTPUT, "Name the classes that decide each measure. Shows cells of the table.")
    ] = False
    json: Annotated[
        Path | None, typed(OUTPUT, "Write the findings as JSON. A dash (-) means standard "
                             "output; the report then goes to standard error.", "FILE"),
    ] = None  # fmt: skip
    records: Annotated[
        bool, typed(OUTPUT, "Include the classes that decide each measure in the JSON.")
    ] = False
    plot: Annotated[Path | None, typed(OUTPUT, "Draw the result: .png, .svg or .pdf.", "FILE")] = (
        None
    )


_COLUMNS, _OUTPUTS = _Columns(), _Outputs()


@guarded
@taking(declared("measures").call(), without="knows key_hierarchies", group=MEASURES)
def measures(
    *files: Annotated[
        Path, Parameter(help="Tables to measure: CSV (may be compressed: .gz), .parquet, or a "
                        "folder of .parquet files. A dash (-) means standard input. Several are "
                        "put side by side."),
    ],
    published: Annotated[
        list[Path] | None,
        typed(ROLES, "The same as FILE, as in unveil audit. May be repeated, and have a name in "
              "front: 'city=published.csv'.", "FILE", "--published", "--release"),
    ] = None,
    columns: _Columns = _COLUMNS,
    original: Annotated[
        Path | None, typed(MEASURES, "The original table, to tell what the "
                           "release has lost.", "FILE"),
    ] = None,
    outputs: _Outputs = _OUTPUTS,
    options: dict[str, Any],
) -> None:  # fmt: skip
    """Measure tables by their classes."""
    given = [named_file(file) for file in published or ()]
    files = (*files, *(file for _, file in given))
    if not files:
        raise InputError("there is nothing to measure: name a table")
    with _on_disk(files) as there:
        _check(there, columns, options, original, outputs)
        named = _named(there, {file: name for name, file in given if name})
        if options.get("population") is not None:
            options["population"] = str(options["population"])
        found: dict[str | None, dict[str, Measures]] = {}
        lost: dict[str, Finding] = {}
        for secret in columns.secrets:
            asked = {**columns.counting(secret), **options}
            if options.get("population") is not None:
                trees = columns.trees(secret)
                trees = {name: tree for name, tree in trees.items() if name != secret}
                asked["key_hierarchies"] = trees or None
            found[secret] = {
                name: _measured(file, asked, alone=len(there) == 1) for name, file in named.items()
            }
        if original is not None:  # what is lost of the keys is the same for each
            lost = _lost(named, columns, original)
    _show(found, lost, outputs)


@contextmanager
def _on_disk(files: Sequence[Path]) -> Iterator[Sequence[Path]]:
    """The files; what comes from standard input as one."""
    if Path("-") not in files:
        yield files
        return
    with on_disk(Path("-")) as copy:
        yield [copy if str(file) == "-" else file for file in files]


def _check(
    files: Sequence[Path], columns: _Columns, options: Mapping[str, Any], original: Path | None,
    outputs: _Outputs,
) -> None:  # fmt: skip
    """Everything that can be wrong without opening a file is told before the long work."""
    from unveil.cli._outputs import check_results

    if columns.memory is not None and columns.memory.strip().isdigit():
        raise InputError(
            "{option} needs a unit, such as {example}GB",
            option=Option("memory", columns.memory), example=columns.memory,
        )  # fmt: skip
    check_results(
        json=outputs.json, plot=outputs.plot, records=outputs.records, source=files[0]
    )  # fmt: skip
    asked = columns.values()
    if not asked.get("quasi"):
        raise InputError(
            "name the keys with {quasi}; {file} has the columns {columns}",
            quasi=Option("quasi"), file=File(files[0].name, bare=True),
            columns=Listed(_column_names(files[0], asked)),
        )  # fmt: skip
    if options.get("recode") and options.get("population") is None:
        raise InputError("{recode} is about the values of a population: give {population}",
                         recode=Option("recode"), population=Option("population"))  # fmt: skip
    about_secret = {**asked, **options, "original": original}
    for name in ("original", "partition", "ordinal", "distance"):
        if about_secret.get(name) and columns.sensitive is None:
            raise InputError("{option} needs the sensitive column: name it with {sensitive}",
                             option=Option(name), sensitive=Option("sensitive"))  # fmt: skip


def _column_names(file: Path, asked: Mapping[str, Any]) -> Sequence[str]:
    """The columns of a table, from its beginning alone."""
    from unveil.microdata import csv_layout, is_parquet

    if file.is_dir() or is_parquet(file):
        import pyarrow.dataset

        return list(pyarrow.dataset.dataset(file).schema.names)
    return csv_layout(file, asked.get("delimiter"), asked.get("encoding"),
                      sheet=asked.get("sheet"), name_unnamed=True).names  # fmt: skip


def _named(files: Sequence[Path], said: Mapping[Path, str]) -> dict[str, Path]:
    from unveil.files import told_apart

    named = {
        said.get(file, name): file for name, file in zip(told_apart(files), files, strict=True)
    }
    if len(named) < len(files):
        raise InputError("a file is named twice")
    return named


def _measured(file: Path, options: Mapping[str, Any], *, alone: bool) -> "Measures":
    from unveil.cli._console import working
    from unveil.measures import measures as measure

    try:
        with working(f"counting {file.name}"):
            return cast("Measures", measure(str(file), **options))  # files have no person column
    except InputError as error:
        if alone or file.name in str(error):
            raise
        raise InputError("{file}: {error}", file=File(file.name, bare=True),
                         error=error.message) from error  # fmt: skip


def _lost(files: Mapping[str, Path], columns: _Columns, original: Path) -> "dict[str, Finding]":
    """What each file has lost against the original."""
    from unveil.measures import utility
    from unveil.microdata import at_published_level, read_release

    microdata, encoding = columns.read(original, columns.secrets[0]), columns.encoding
    found: dict[str, Finding] = {}
    for name, file in files.items():
        release = read_release(file, microdata, made_by=name, encoding=encoding)
        found[name] = utility(release, at_published_level(microdata, release))
    return found


def _show(
    found: "Mapping[str | None, Mapping[str, Measures]]", lost: "Mapping[str, Finding]",
    outputs: _Outputs,
) -> None:  # fmt: skip
    from unveil.cli._console import console
    from unveil.cli._outputs import Files, is_stdout, print_text
    from unveil.measures import MeasuresComparison

    every = [one for tables in found.values() for one in tables.values()]
    whole: list[Finding] = [
        MeasuresComparison(tables=dict(tables)) if len(tables) > 1 else next(iter(tables.values()))
        for tables in found.values()
    ]
    out = console(stderr=is_stdout(outputs.json))
    with Files(out) as files:
        if outputs.json is not None:
            results: list[Finding] = [*every, *lost.values()]
            files.findings(outputs.json, results, records=outputs.records)
        if outputs.plot is not None:
            files.picture(outputs.plot, whole[0].plot())  # of sizes, which are the same for each
        files.write()
        for place, tables in enumerate(found.values()):
            if place:
                out.print()
            print_text(whole[place].summary(SHELL), out)
            for name, one in tables.items() if outputs.classes else ():
                out.print()
                where = f", {name}" if len(tables) > 1 else ""
                print_text("\n".join(_deciding(one, where)), out)
        for loss in lost.values():
            out.print()
            print_text(loss.summary(SHELL), out)


def _deciding(found: "Measures", where: str) -> list[str]:
    """The classes that decide each measure: the same ones often decide several."""
    by_classes: dict[str, list[str]] = {}
    for one in found.numbers:
        if one.deciding is not None and one.deciding.number:
            by_classes.setdefault(str(one.deciding), []).append(one.name)
    lines = [f"What decides{where}"]
    for classes, decided in by_classes.items():
        lines += [f"  {', '.join(decided)}", f"    {classes}"]
    return lines
