"""Where what an audit found goes: files checked before the long work, each written whole or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from unveil.auditing import Audit as Found
from unveil.auditing import junit_of, key_from, write_key
from unveil.cli._guard import if_anybody_reads
from unveil.cli._outputs import (
    check_output,
    check_plot,
    check_report,
    is_stdout,
    save_picture,
    write_text,
)
from unveil.errors import InputError

__all__ = ["Outputs"]


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """Where what was found goes."""

    report: Path | None = None
    json: Path | None = None
    junit: Path | None = None
    plot: Path | None = None
    key: Path | None = None
    include_records: bool = False

    def check(self) -> None:
        """Refuse, before the long work, what could not be written in the end."""
        check_report(self.report)
        check_output(self.json, "--json")
        check_output(self.junit, "--junit", suffixes=(".xml",))
        check_plot(self.plot)
        files = {"--report": self.report, "--json": self.json, "--junit": self.junit,
                 "--plot": self.plot, "--key": self.key}  # fmt: skip
        seen: dict[Path, str] = {}
        for option, file in files.items():
            if file is not None and file in seen:
                where = "standard output" if is_stdout(file) else f"the same file, {str(file)!r}"
                raise InputError(f"{seen[file]} and {option} name {where}")
            if file is not None:
                seen[file] = option
        if self.key is not None and is_stdout(self.key):
            raise InputError("--key needs a file, such as report.key")
        if self.key is not None and not self.key.exists():
            check_output(self.key, "--key")

    @property
    def to_stdout(self) -> bool:
        """Whether one of them goes to standard output, where nothing else may go then."""
        return any(is_stdout(file) for file in (self.report, self.json, self.junit))

    @property
    def key_file(self) -> Path | None:
        """Where the key of the references is kept; None where there are none to resolve."""
        if self.key is not None:
            return self.key
        shown = [file for file in (self.report, self.json) if file and not is_stdout(file)]
        return shown[0].with_suffix(".key") if shown and not self.include_records else None

    def known_key(self) -> str | None:
        """The key that is there already."""
        file = self.key_file
        return None if file is None or not file.exists() else key_from(file)

    def write(self, found: Found, out: Console) -> list[InputError]:
        """Write all that was asked for; the key first, for without it references are lost.

        A file that cannot be written keeps nobody from the others; it is returned why.
        """
        try:
            found = self._under_kept_key(found)
        except InputError as error:  # references that nobody can resolve are better than nothing
            failed = [error]
        else:
            failed = []
        writers: list[tuple[Path | None, Callable[[Path], None]]] = [
            (self.json, lambda file: write_text(file, found.to_json() + "\n")),
            (self.junit, lambda file: write_text(file, junit_of(found.to_dict()))),
            (self.report, lambda file: write_text(file, found.page())),
            (self.plot, lambda file: save_picture(file, found.plot(), out)),
        ]
        for file, written in writers:
            if file is not None:
                try:
                    with if_anybody_reads():
                        written(file)
                except InputError as error:
                    failed.append(error)
        return failed

    def _under_kept_key(self, found: Found) -> Found:
        file = self.key_file
        if file is None:
            return found
        if not file.exists():
            write_key(found.key, file)
            return found
        # It was there, or another audit has put it there meanwhile: people are called by it.
        return found.under(key_from(file))

    def tell(self, out: Console) -> None:
        """Say where everything is."""
        for what, file in (("report", self.report), ("JSON", self.json), ("JUnit", self.junit)):
            if file is not None and not is_stdout(file):
                out.print(f"{what}: {file}", soft_wrap=True)
        if self.key_file is not None:
            out.print(
                f"key of the references, not to be handed on: {self.key_file}", soft_wrap=True
            )
