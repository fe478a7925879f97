"""``unveil resolve``: from references back to the people of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from unveil._text import harmless
from unveil.auditing import is_reference, key_from, rows_behind
from unveil.cli._console import console
from unveil.cli._reading import names
from unveil.errors import InputError
from unveil.microdata import Source, from_csv, from_parquet, is_parquet
from unveil.projects import Project

__all__ = ["Resolve"]


@dataclass(frozen=True, kw_only=True)
class Resolve:
    """What `unveil resolve` was asked for."""

    what: Sequence[str]
    key: Path
    project: Path | None
    delimiter: str | None
    encoding: str | None
    columns: Sequence[str] | None

    def run(self) -> None:
        """Find the rows, and print them."""
        references = [text for text in self.what if is_reference(text)]
        files = [text for text in self.what if not is_reference(text)]
        self._check(references, files)
        key = key_from(self.key)
        table = self._of_project() if self.project is not None else self._of_file(Path(files[0]))
        found = rows_behind(references, range(table.n_rows), key, table.name)
        out = console()
        for reference, row in found.items():
            _show(reference, row, table, out)

    def _check(self, references: Sequence[str], files: Sequence[str]) -> None:
        # One that is no reference may be the table, unless a project names it.
        wrong = files[1:]
        if self.project is not None:
            wrong = [text for text in files if not Path(text).exists()]
        if wrong:
            raise InputError(
                f"{wrong[0]!r} is no reference; a report writes them as #0a1b2c3d4e5f, and in a "
                "shell they stand in quotes"
            )
        if not references:
            raise InputError(
                "which references? A report writes them as #0a1b2c3d4e5f; in a shell they stand "
                "in quotes"
            )
        if files and self.project is not None:
            raise InputError(
                f"both a table, {files[0]!r}, and a project, which names its own, are given; leave "
                "one out"
            )
        if not files and self.project is None:
            raise InputError("who is in the table? Give it, as FILE or with --project")

    def _of_project(self) -> Source:
        assert self.project is not None
        project = Project.read(self.project)
        data = project.data
        file = project.folder / data.file
        if is_parquet(file):
            return from_parquet(file)
        return from_csv(
            file, delimiter=data.delimiter, encoding=data.encoding or "utf-8",
            columns=data.columns, comment=data.comment,
        )  # fmt: skip

    def _of_file(self, file: Path) -> Source:
        if is_parquet(file):
            return from_parquet(file)
        return from_csv(
            file, delimiter="\t" if self.delimiter == "\\t" else self.delimiter,
            encoding=self.encoding or "utf-8", columns=names(self.columns) or None,
        )  # fmt: skip


def _show(reference: str, row: int, table: Source, out: Console) -> None:
    cells = ", ".join(f"{name} {array[row].as_py()}" for name, array in table.arrays.items())
    out.print(f"{reference}: row {row + 1:,} of {harmless(table.name)}", soft_wrap=True)
    out.print(f"  {harmless(cells)}", soft_wrap=True)
