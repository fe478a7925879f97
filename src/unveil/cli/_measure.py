"""``unveil measure``: every measure that follows from counts, of one table or of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from unveil._text import harmless
from unveil.cli._console import console, working
from unveil.cli._outputs import (
    check_results,
    is_stdout,
    print_text,
    save_picture,
    write_findings,
)
from unveil.cli._reading import Reading, levels, names, on_disk
from unveil.cli._recoding import recodings
from unveil.errors import InputError
from unveil.findings import Finding
from unveil.measures import (
    Measures,
    MeasuresComparison,
    Utility,
    measures,
    parse_partition,
    utility,
)
from unveil.microdata import (
    Hierarchy,
    Microdata,
    csv_layout,
    is_parquet,
    read_hierarchies,
    read_release,
)

__all__ = ["Measure"]


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What was asked for."""

    files: Sequence[Path]
    quasi: Sequence[str]
    sensitive: str | None
    partition: Sequence[str]
    distance: str | None
    l: int  # noqa: E741  (it is called l everywhere in this field)
    threshold: float
    subsets: int
    population: Path | None
    population_size: int | None
    recode: Sequence[str]
    original: Path | None
    hierarchies: Path | None
    ordinal: Sequence[str] | None
    wildcard: str | None
    engine: str
    memory: str | None
    delimiter: str | None
    encoding: str | None
    columns: Sequence[str] | None
    classes: bool
    json: Path | None
    plot: Path | None
    records: bool

    def run(self) -> None:
        """Measure, tell and write what comes out; a dash means CSV on standard input."""
        if Path("-") in self.files:
            with on_disk(Path("-")) as copy:
                files = [copy if str(file) == "-" else file for file in self.files]
                return replace(self, files=files).run()
        self._check()
        options = self._options()
        found = {name: self._one(file, options) for name, file in self._named().items()}
        whole: Measures | MeasuresComparison = next(iter(found.values()))
        if len(found) > 1:
            whole = MeasuresComparison(tables=found)
        losses = self._losses()
        if self.json is not None:
            results: list[Finding] = [*found.values(), *losses.values()]
            write_findings(self.json, results, records=self.records)
        self._tell(found, whole, losses)
        return None

    def _check(self) -> None:
        if self.memory is not None and self.memory.strip().isdigit():
            raise InputError(f"--memory {self.memory} needs a unit, such as {self.memory}GB")
        check_results(json=self.json, plot=self.plot, records=self.records, source=self.files[0])
        if not names(self.quasi):
            file = self.files[0]
            raise InputError(
                f"name the keys with --quasi; {file.name} has the columns "
                f"{', '.join(_columns(file, self.delimiter))}"
            )
        if recodings(self.recode) and self.population is None:
            raise InputError("--recode is about the values of a population: give --population")
        if self.original is not None and self.sensitive is None:
            raise InputError("--original needs --sensitive, which is a column of both tables")
        about = {
            "partition": self.partition, "ordinal": self.ordinal, "distance": self.distance
        }  # fmt: skip
        for option, given in about.items():
            if given and self.sensitive is None:
                raise InputError(f"--{option} is about the sensitive column: name it, --sensitive")

    def _options(self) -> dict[str, Any]:
        return {
            "quasi": names(self.quasi),
            "sensitive": self.sensitive,
            "partition": self._partition(),
            "distance": self.distance,
            "l": self.l,
            "threshold": self.threshold,
            "subsets": self.subsets,
            "population": None if self.population is None else str(self.population),
            "population_size": self.population_size,
            "mapping": recodings(self.recode) or None,
            "ordinal": levels(self.ordinal),
            "hierarchies": self._hierarchy(),
            "key_hierarchies": self._key_hierarchies(),
            "wildcard": self.wildcard,
            "engine": str(self.engine),
            "memory": self.memory,
            "delimiter": "\t" if self.delimiter == "\\t" else self.delimiter,
            "encoding": self.encoding or "utf-8",
            "header": names(self.columns) or None,
        }

    def _partition(self) -> Any:
        if len(self.partition) > 1:
            raise InputError("one --partition: the categories of the sensitive column")
        if not self.partition:
            return None
        column, equals, text = self.partition[0].partition("=")
        if not equals:
            raise InputError(
                f"cannot read --partition {self.partition[0]!r}; write the sensitive column and "
                f"its categories, such as '{self.sensitive}=low:0-20,high:20-'"
            )
        if column.strip() != self.sensitive:
            raise InputError(
                f"--partition is about {column.strip()!r}, but the sensitive column is "
                f"{self.sensitive!r}"
            )
        return parse_partition(text)

    def _key_hierarchies(self) -> dict[str, Hierarchy] | None:
        """The hierarchies of the keys, for cells that stand for people of the population."""
        if self.hierarchies is None or self.population is None:
            return None
        keys = names(self.quasi)
        trees = read_hierarchies(
            self.hierarchies, [*keys, *([self.sensitive] if self.sensitive else [])]
        )
        return {name: trees[name] for name in keys if name in trees}

    def _hierarchy(self) -> dict[str, Hierarchy] | None:
        """The hierarchy of the sensitive column, if there is one."""
        if self.hierarchies is None or self.sensitive is None:
            return None
        trees = read_hierarchies(self.hierarchies, [*names(self.quasi), self.sensitive])
        return {self.sensitive: trees[self.sensitive]} if self.sensitive in trees else None

    def _named(self) -> dict[str, Path]:
        alone = len({file.name for file in self.files}) == len(self.files)
        named = {(file.name if alone else str(file)): file for file in self.files}
        if len(named) < len(self.files):
            raise InputError("a file is named twice")
        return named

    def _one(self, file: Path, options: dict[str, Any]) -> Measures:
        try:
            with working(f"counting {harmless(file.name)}"):
                return measures(str(file), **options)
        except InputError as error:
            if len(self.files) == 1 or file.name in str(error):
                raise
            raise InputError(f"{file.name}: {error}") from error

    def _losses(self) -> dict[str, Utility]:
        """What each file has lost against the original."""
        if self.original is None:
            return {}
        microdata = self._read_original(self.original)
        return {
            name: utility(
                read_release(file, microdata, made_by=name, encoding=self.encoding or "utf-8"),
                microdata,
            )
            for name, file in self._named().items()
        }

    def _read_original(self, file: Path) -> Microdata:
        return Reading(
            file=file,
            quasi=self.quasi,
            sensitive=self.sensitive or "",
            hierarchies=self.hierarchies,
            ordinal=self.ordinal,
            columns=None if is_parquet(file) else self.columns,
            delimiter=None if is_parquet(file) else self.delimiter,
            encoding=None if is_parquet(file) else self.encoding,
        ).read()

    def _tell(
        self,
        found: dict[str, Measures],
        whole: Measures | MeasuresComparison,
        losses: dict[str, Utility],
    ) -> None:
        out = console(stderr=is_stdout(self.json))
        print_text(whole.summary(), out)
        if self.classes:
            for name, one in found.items():
                _print_deciding(one, name if len(found) > 1 else None, out)
        for loss in losses.values():
            out.print()
            print_text(loss.summary(), out)
        if self.plot is not None:
            save_picture(self.plot, whole.plot(), out)


def _columns(file: Path, delimiter: str | None) -> Sequence[str]:
    """The columns of a table, from its beginning alone."""
    if file.is_dir() or is_parquet(file):
        import pyarrow.dataset

        return list(pyarrow.dataset.dataset(file).schema.names)
    return csv_layout(file, "\t" if delimiter == "\\t" else delimiter).names


def _print_deciding(found: Measures, name: str | None, out: Console) -> None:
    out.print()
    print_text(f"What decides{f', {name}' if name else ''}", out)
    by_classes: dict[str, list[str]] = {}  # the same classes often decide several measures
    for figure in found.figures:
        if figure.deciding is not None and figure.deciding.number:
            by_classes.setdefault(str(figure.deciding), []).append(figure.name)
    for classes, measured in by_classes.items():
        print_text(f"  {', '.join(measured)}", out)
        print_text(f"    {classes}", out)
