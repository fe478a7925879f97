"""``unveil measures``: every measure that follows from counts, of one table or of several.

Unlike the commands of attacks it needs no original: an engine counts the files, whatever their
size.
"""

# Annotations are read by the command line: no strings.
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Group, Parameter

from unveil.cli._guard import guarded
from unveil.cli._sources import OUTPUT, READING, ROLES, Opening, Texts, typed
from unveil.errors import Column, File, InputError, Listed, Option, View
from unveil.options import Recode, names, shell_of

if TYPE_CHECKING:
    from unveil.findings import Finding
    from unveil.measures import Measures
    from unveil.microdata import Hierarchy, Microdata

SHELL = View("shell")
MEASURES = Group("Options of the measures", sort_key=4)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class _Columns(Opening):
    """The roles of columns, and how tables are opened and counted."""

    quasi: Annotated[
        Texts, typed(ROLES, "Keys, whose combinations are the classes: age,education,country. A "
                       "name with a comma is put in double quotes. Without it you are told which "
                       "columns there are.", "COLUMNS", "--quasi", "-q"),
    ] = None  # fmt: skip
    sensitive: Annotated[
        str | None, typed(ROLES, "Sensitive column: what an attacker wants to know. Without it "
                            "only the classes are measured.", "COLUMN", "--sensitive", "-s"),
    ] = None  # fmt: skip
    hierarchies: Annotated[
        Path | None,
        typed(READING, "Folder of generalization hierarchies, one file per column. That of the "
                "sensitive column is used for t-closeness and --partition, the others for "
                "--original and --population.", "FOLDER"),
    ] = None  # fmt: skip
    ordinal: Annotated[
        Texts, typed(READING, "Column whose values have an order, with all levels from low to "
                       "high: 'education=low|mid|high'. May be repeated.", "COLUMN=LEVELS"),
    ] = None  # fmt: skip
    wildcard: Annotated[
        str | None, typed(READING, "A cell that matches every value, such as '*'. Default: it is "
                            "a value like any other.", "TEXT"),
    ] = None  # fmt: skip
    engine: Annotated[
        Literal["duckdb", "spark"], typed(READING, "Engine that counts the tables.")
    ] = "duckdb"
    memory: Annotated[
        str | None, typed(READING, "Memory limit of the engine: 4GB. The rest goes to disk.",
                            "SIZE"),
    ] = None  # fmt: skip

    def trees(self) -> "Mapping[str, Hierarchy]":
        """The hierarchies of all columns that have one."""
        if self.hierarchies is None:
            return {}
        from unveil.microdata import read_hierarchies

        columns = [*names(self.quasi or ()), *([self.sensitive] if self.sensitive else [])]
        return read_hierarchies(self.hierarchies, columns)

    def counting(self) -> dict[str, Any]:
        """The same, as `count` takes it."""
        from unveil.cli._reading import levels

        opening = self.options()
        trees = self.trees()
        own = {name: tree for name, tree in trees.items() if name == self.sensitive}
        return {
            "quasi": names(self.quasi or ()), "sensitive": self.sensitive,
            "ordinal": levels(self.ordinal), "hierarchies": own or None,
            "wildcard": self.wildcard, "engine": self.engine, "memory": self.memory,
            "delimiter": opening["delimiter"], "encoding": opening["encoding"] or "utf-8",
            "header": opening["columns"],
        }  # fmt: skip

    def read(self, file: Path) -> "Microdata":
        """The original table."""
        from unveil.cli._reading import Reading
        from unveil.microdata import is_parquet

        opening: dict[str, Any] = {
            "columns": self.columns, "delimiter": self.delimiter, "encoding": self.encoding
        }  # fmt: skip
        return Reading(
            file=file, quasi=self.quasi or (), sensitive=self.sensitive or "",
            hierarchies=self.hierarchies, ordinal=self.ordinal,
            **({} if is_parquet(file) else opening),
        ).read()  # fmt: skip


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class _Options:
    """The options of the measures."""

    partition: Annotated[
        Texts, typed(MEASURES, "Categories of the sensitive column, for an attacker who only "
                       "wants to know those: 'income=low:0-20,high:20-', "
                       "'disease=cancer:lung|stomach,other:flu|aids', 'disease=level=1' (of its "
                       "hierarchy).", "COLUMN=CATEGORIES"),
    ] = None  # fmt: skip
    distance: Annotated[
        Literal["equal", "ordered", "hierarchical"] | None,
        typed(MEASURES, "Distance between sensitive values, for t-closeness. Default: hierarchical "
                "if there is a hierarchy, ordered for numbers and levels, otherwise equal."),
    ] = None  # fmt: skip
    l: Annotated[  # noqa: E741  (it is called l everywhere in this field)
        int, typed(MEASURES, "The ℓ for which the c of recursive (c, ℓ)-diversity is given.", "L")
    ] = 2
    threshold: Annotated[
        float, typed(MEASURES, "Re-identification risk above which records are counted.", "RISK")
    ] = 0.2
    subsets: Annotated[
        int, typed(MEASURES, "Also rank all subsets of up to N keys: which single people out, and "
                     "which tell most.", "N"),
    ] = 0  # fmt: skip
    population: Annotated[
        Path | None, typed(MEASURES, "Table of everybody that the records were drawn from, with "
                             "the same keys. Where FILE is generalized, everybody counts whom its "
                             "cells cover.", "FILE"),
    ] = None  # fmt: skip
    population_size: Annotated[
        int | None, typed(MEASURES, "Number of people that the records were drawn from, for an "
                            "estimate.", "N"),
    ] = None  # fmt: skip
    recode: Annotated[
        Texts, typed(MEASURES, "Values that have other names in --population: "
                       "'sex=F->Female|M->Male'. May be repeated.", "COLUMN=THEIRS->OURS|…"),
    ] = None  # fmt: skip

    def options(self, columns: _Columns) -> dict[str, Any]:
        """The same, as the function takes them."""
        parse = shell_of(Recode).parse
        assert parse is not None
        trees = columns.trees() if self.population is not None else {}
        return {
            "partition": self._partition(columns.sensitive), "distance": self.distance,
            "l": self.l, "threshold": self.threshold, "subsets": self.subsets,
            "population": None if self.population is None else str(self.population),
            "population_size": self.population_size,
            "recode": parse(self.recode) if self.recode else None,
            "key_hierarchies": {n: t for n, t in trees.items() if n != columns.sensitive} or None,
        }  # fmt: skip

    def _partition(self, sensitive: str | None) -> Any:
        if not self.partition:
            return None
        option = Option("partition", self.partition[0])
        column, equals, text = self.partition[0].partition("=")
        if len(self.partition) > 1:
            raise InputError("give one {option}: the categories of the sensitive column",
                             option=Option("partition"))  # fmt: skip
        if not equals:
            raise InputError(
                "cannot read {option}; write the sensitive column and its categories, such as "
                "{example}",
                option=option, example=repr(f"{sensitive}=low:0-20,high:20-"),
            )  # fmt: skip
        if column.strip() != sensitive:
            raise InputError(
                "{option} is about {column}, but the sensitive column is {sensitive}",
                option=Option("partition"), column=Column(column.strip()),
                sensitive=Column(sensitive or ""),
            )  # fmt: skip
        from unveil.measures import parse_partition

        return parse_partition(text)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class _Outputs:
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


@guarded
def measures(
    *files: Annotated[
        Path, Parameter(help="Tables to measure: CSV (may be compressed: .gz), .parquet, or a "
                          "folder of .parquet files. A dash (-) means standard input. Several are "
                          "put side by side."),
    ],
    columns: _Columns = _Columns(),
    options: _Options = _Options(),
    original: Annotated[
        Path | None, typed(MEASURES, "The original table, one row per person, to tell what the "
                             "release has lost.", "FILE"),
    ] = None,
    outputs: _Outputs = _Outputs(),
) -> None:  # fmt: skip
    """Measure tables by their classes.

    k, ℓ, t, re-identification risk, the discrimination rate and what else follows from counts. All
    of it comes from one grouped count, which an engine makes, whatever the size of the file.
    Missing values are values like any other.

    Exit codes: 0 done, 2 wrong input, 130 interrupted.
    """
    if not files:
        raise InputError("there is nothing to measure: name a table")
    with _on_disk(files) as there:
        _check(there, columns, options, original, outputs)
        asked = {**columns.counting(), **options.options(columns)}
        found = {
            name: _measured(file, asked, alone=len(there) == 1)
            for name, file in _named(there).items()
        }
        lost = {} if original is None else _lost(_named(there), columns, original)
    _show(found, lost, outputs)


@contextmanager
def _on_disk(files: Sequence[Path]) -> Iterator[Sequence[Path]]:
    """The files; what comes from standard input as one."""
    if Path("-") not in files:
        yield files
        return
    from unveil.cli._reading import on_disk

    with on_disk(Path("-")) as copy:
        yield [copy if str(file) == "-" else file for file in files]


def _check(
    files: Sequence[Path], columns: _Columns, options: _Options, original: Path | None,
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
    if not names(columns.quasi or ()):
        raise InputError(
            "name the keys with {quasi}; {file} has the columns {columns}",
            quasi=Option("quasi"), file=File(files[0].name, bare=True),
            columns=Listed(_column_names(files[0], columns.options()["delimiter"])),
        )  # fmt: skip
    if options.recode and options.population is None:
        raise InputError("{recode} is about the values of a population: give {population}",
                         recode=Option("recode"), population=Option("population"))  # fmt: skip
    about_secret = {
        "original": original, "partition": options.partition, "ordinal": columns.ordinal,
        "distance": options.distance,
    }  # fmt: skip
    for name, given in about_secret.items():
        if given and columns.sensitive is None:
            raise InputError("{option} needs the sensitive column: name it with {sensitive}",
                             option=Option(name), sensitive=Option("sensitive"))  # fmt: skip


def _column_names(file: Path, delimiter: str | None) -> Sequence[str]:
    """The columns of a table, from its beginning alone."""
    from unveil.microdata import csv_layout, is_parquet

    if file.is_dir() or is_parquet(file):
        import pyarrow.dataset

        return list(pyarrow.dataset.dataset(file).schema.names)
    return csv_layout(file, delimiter).names


def _named(files: Sequence[Path]) -> dict[str, Path]:
    alone = len({file.name for file in files}) == len(files)
    named = {(file.name if alone else str(file)): file for file in files}
    if len(named) < len(files):
        raise InputError("a file is named twice")
    return named


def _measured(file: Path, options: Mapping[str, Any], *, alone: bool) -> "Measures":
    from unveil._text import harmless
    from unveil.cli._console import working
    from unveil.measures import measures as measure

    try:
        with working(f"counting {harmless(file.name)}"):
            return measure(str(file), **options)
    except InputError as error:
        if alone or file.name in str(error):
            raise
        raise InputError("{file}: {error}", file=File(file.name, bare=True),
                         error=error.message) from error  # fmt: skip


def _lost(files: Mapping[str, Path], columns: _Columns, original: Path) -> "dict[str, Finding]":
    """What each file has lost against the original."""
    from unveil.measures import utility
    from unveil.microdata import read_release

    microdata, encoding = columns.read(original), columns.encoding or "utf-8"
    return {
        name: utility(read_release(file, microdata, made_by=name, encoding=encoding), microdata)
        for name, file in files.items()
    }


def _show(
    found: "Mapping[str, Measures]", lost: "Mapping[str, Finding]", outputs: _Outputs
) -> None:
    from unveil.cli._console import console
    from unveil.cli._outputs import is_stdout, print_text, save_picture, write_findings
    from unveil.measures import MeasuresComparison

    whole: Finding = next(iter(found.values()))
    if len(found) > 1:
        whole = MeasuresComparison(tables=dict(found))
    if outputs.json is not None:
        results: list[Finding] = [*found.values(), *lost.values()]
        write_findings(outputs.json, results, records=outputs.records)
    out = console(stderr=is_stdout(outputs.json))
    print_text(whole.summary(SHELL), out)
    if outputs.classes:
        for name, one in found.items():
            out.print()
            print_text("\n".join(_deciding(one, f", {name}" if len(found) > 1 else "")), out)
    for loss in lost.values():
        out.print()
        print_text(loss.summary(SHELL), out)
    if outputs.plot is not None:
        save_picture(outputs.plot, whole.plot(), out)


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
