"""Files written whole or not at all, and checked before the long work begins."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from itertools import compress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from unveil._axes import has_matplotlib
from unveil._exits import Exit
from unveil._text import harmless
from unveil._version import __version__
from unveil.cli._console import folded, say, tell
from unveil.cli._guard import files_read, in_command_line_words
from unveil.cli._signals import work_is_over
from unveil.cli._streams import stdout_is_closed
from unveil.errors import File, InputError, Listed, MissingExtraError, did_you_mean
from unveil.files import (
    NotWrittenError,
    Writer,
    is_special,
    same_file,
    write_together,
    writer_of,
)
from unveil.findings import SCHEMA, Finding
from unveil.microdata import AnyRelease, Permuted, is_parquet
from unveil.render import json_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from rich.console import Console

_PICTURES = (".png", ".svg", ".pdf")


def is_stdout(path: Path | None) -> bool:
    """Whether a dash was given in place of a file."""
    return path is not None and str(path) == "-"


def beside(path: Path) -> Path:
    """Where the results of an interrupted run go, never over those of a complete one.

    >>> print(beside(Path("results/report.html")), beside(Path("-")))
    results/report.interrupted.html -
    """
    return path if is_stdout(path) else path.with_name(f"{path.stem}.interrupted{path.suffix}")


def check_output(
    path: Path | None, option: str, *, suffixes: tuple[str, ...] = (), source: Path | None = None
) -> None:
    """Refuse, before anything is computed, what could not be written afterwards.

    Parameters
    ----------
    path : Path or None
        None and ``-`` are fine.
    option : str
        For messages, such as ``--json``.
    suffixes : tuple of str
        How the name may end; empty: anyhow.
    source : Path, optional
        The table that is read, which must not be written over; nor must any other file that the
        command was given.
    """
    if path is None:
        return
    if is_stdout(path):
        if stdout_is_closed():
            raise InputError(f"{option} -: standard output is closed; name a file")
        return
    if path.is_dir():
        raise InputError(f"{option} {str(path)!r} is a folder; name a file in it")
    suffix = path.suffix.lower()
    if suffixes and suffix not in suffixes:
        near = did_you_mean(suffix, suffixes) if suffix else ""
        raise InputError(
            f"{option} {str(path)!r} must end in {', '.join(suffixes[:-1])} or {suffixes[-1]}{near}"
            if len(suffixes) > 1
            else f"{option} {str(path)!r} must end in {suffixes[0]}"
        )
    folder = Path(os.path.realpath(path) if path.is_symlink() else path).parent
    if is_special(path):
        if path.exists() and not os.access(path, os.W_OK):
            raise InputError(f"{option} {str(path)!r}: no permission to write there")
        return
    if not folder.is_dir():
        raise InputError(f"{option} {str(path)!r}: the folder {str(folder)!r} does not exist")
    if not os.access(folder, os.W_OK):
        raise InputError(
            f"{option} {str(path)!r}: no permission to write into the folder {str(folder)!r}; a "
            "file is replaced by a new one, so its folder must be writable"
        )
    for file in [*([] if source is None else [source]), *files_read()]:
        if path.exists() and file.exists() and path.samefile(file):
            what = "the table" if file == source else "a file"
            raise InputError(
                f"{option} {str(path)!r} is {what} that is read; it would be overwritten"
            )


def check_plot(path: Path | None, source: Path | None = None) -> None:
    """Refuse a picture that could not be drawn or written in the end."""
    if path is None:
        return
    if str(path) == "-":
        raise InputError("--plot needs a file, such as picture.png")
    check_output(path, "--plot", suffixes=_PICTURES, source=source)
    # Our own process: a picture is the same whatever the settings of this machine.
    has_matplotlib("--plot needs matplotlib").rcdefaults()


def check_report(path: Path | None, option: str = "--report") -> None:
    """Refuse a page that could not be made or written in the end."""
    if path is None:
        return
    check_output(path, option, suffixes=(".html", ".htm"))
    try:
        import jinja2  # noqa: F401

        has_matplotlib()
    except ImportError as error:
        raise MissingExtraError(
            f"{option} needs Jinja and matplotlib; install them with: pip install 'unveil[report]'"
        ) from error


def check_results(
    *, json: Path | None, plot: Path | None, records: bool, source: Path | None
) -> None:
    """Refuse, before the long work, results that could not be written in the end."""
    check_output(json, "--json", source=source)
    check_plot(plot, source=source)
    if json is not None and plot is not None and same_file(json, plot):
        raise InputError(f"--json and --plot name the same file, {str(json)!r}")
    if records and json is None:
        raise InputError("--records adds to the JSON; say where that goes with --json")


def check_rows(csv: Path | None, *, json: Path | None, plot: Path | None) -> None:
    """The same for ``--csv``, where everybody's row goes."""
    check_output(csv, "--csv", suffixes=(".csv",))
    for option, other in (("--json", json), ("--plot", plot)):
        if csv is not None and other is not None and same_file(csv, other):
            where = "standard output" if is_stdout(csv) else f"the same file, {str(csv)!r}"
            raise InputError(f"--csv and {option} name {where}")


def print_text(text: str, out: Console) -> None:
    """Lines of the library, in the words of the command line."""
    for line in text.split("\n"):
        out.print(folded(harmless(in_command_line_words(line)), out.width), soft_wrap=True)


class Files:
    """The files that a command writes: all of them, or none.

    A failure is raised at the end of the block, when everything else has been said. What was to
    be written is then kept elsewhere, if it can be.

    Parameters
    ----------
    out : Console, optional
        Told where the files are that have a label.
    interrupted : bool
        The work was: what was found goes beside the files that were named, never over the results
        of a complete run.
    """

    def __init__(self, out: Console | None = None, *, interrupted: bool = False) -> None:
        work_is_over()
        self._out, self._interrupted = out, interrupted
        self._given: list[tuple[Path, Writer, str]] = []
        self._failure: InputError | None = None

    @property
    def failed(self) -> bool:
        """Whether a file could not be written."""
        return self._failure is not None

    def __enter__(self) -> Files:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._failure is None:
            return
        if kind is None:
            raise self._failure
        if issubclass(kind, Exit):  # that code says more than ours
            say(f"error: {in_command_line_words(self._failure)}")

    def add(self, path: Path, into: Writer, label: str = "") -> None:
        """Write by a function; a dash means standard output."""
        self._given.append((beside(path) if self._interrupted else path, into, label))

    def text(self, path: Path, text: str) -> None:
        """Write a text as UTF-8."""
        self.add(path, writer_of(text))

    def rows(self, path: Path, frame: pd.DataFrame, label: str = "") -> None:
        """Write a table as CSV."""
        self.add(path, writer_of(frame.to_csv(index=False, lineterminator="\n")), label)

    def picture(self, path: Path, axes: Axes) -> None:
        """Write what was drawn, in the form that the file's name asks for."""
        figure = axes.get_figure(root=True)
        assert figure is not None
        form = path.suffix.lower().removeprefix(".")
        # Neither a date nor random names in it: the same picture is the same file.
        dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}

        def draw(file: IO[bytes]) -> None:
            from matplotlib import rc_context

            with rc_context({"svg.hashsalt": "unveil"}):
                figure.savefig(file, format=form, dpi=160, metadata=dates.get(form))

        self.add(path, draw, "picture")

    def findings(
        self,
        path: Path,
        findings: Sequence[Finding],
        *,
        records: bool,
        failed: Sequence[dict[str, str]] = (),
    ) -> None:
        """Write findings as JSON, and beside them what could not be done."""
        self.content(path, [finding.to_dict(records=records) for finding in findings], failed)

    def release(self, path: Path, release: AnyRelease) -> None:
        """Write what is published, class by class; a permuted release is two tables, in a folder.

        The order of the original could link rows to people.
        """
        if isinstance(release, Permuted):
            for place, into in release.writers(path):
                self.add(place, into)
            return
        frame = release.to_frame(by_class=True)
        if is_parquet(path):
            self.add(path, lambda file: frame.to_parquet(file, index=False))
        else:
            self.rows(path, frame)

    def content(
        self, path: Path, findings: Sequence[dict[str, Any]], failed: Sequence[dict[str, str]]
    ) -> None:
        """The same of findings that are plain values already."""
        document = {
            "unveil": __version__, "schema": SCHEMA, "private": True,
            "findings": list(findings), "failed": list(failed),
        }  # fmt: skip
        self.text(path, json_text(document) + "\n")

    def write(self) -> None:
        """Write all that was added; what goes to standard output comes last."""
        given, self._given = self._given, []
        direct = [is_stdout(path) or is_special(path) for path, *_ in given]
        files = [one[:2] for one, is_direct in zip(given, direct, strict=True) if not is_direct]
        try:
            write_together(files)
        except NotWrittenError as error:
            self._failure = _kept_elsewhere(files, error)
        for path, into, _ in compress(given, direct):
            if is_stdout(path):
                _to_stdout(into)
                continue
            try:
                write_together([(path, into)])
            except NotWrittenError as error:
                self._failure = self._failure or error
        for path, _, label in [] if self._failure else given:
            if label and self._out is not None and not is_stdout(path):
                tell(self._out, f"{label}: {path}")


def write(path: Path, into: Writer) -> None:
    """Write one file whole or not at all; a dash means standard output."""
    with Files() as files:
        files.add(path, into)
        files.write()


def write_text(path: Path, text: str) -> None:
    """The same of a text, as UTF-8."""
    write(path, writer_of(text))


def _to_stdout(into: Writer) -> None:
    """Into a pipe or a file go the bytes as they are; a terminal shows what it might obey."""
    try:
        if sys.stdout.isatty():
            held = io.BytesIO()
            into(held)
            sys.stdout.write(held.getvalue().decode(errors="backslashreplace"))
        else:
            into(sys.stdout.buffer)
        sys.stdout.flush()
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # nobody reads it any more, which is no fault
        raise
    except OSError as error:
        raise InputError(
            "cannot write to standard output: {why}", why=error.strerror or str(error)
        ) from error


def _kept_elsewhere(files: Sequence[tuple[Path, Writer]], error: NotWrittenError) -> InputError:
    """Write what was found for a disk that is full to the folder for temporary files instead."""
    folder, kept = None, []
    for path, into in files:
        with suppress(OSError, NotWrittenError):
            folder = folder or Path(tempfile.mkdtemp(prefix="unveil-kept-"))
            place = folder / path.name
            if not place.exists():
                write_together([(place, into)])
                kept.append(place.name)
    if folder is None:
        return error
    if not kept:
        with suppress(OSError):
            folder.rmdir()
        return error
    return NotWrittenError(
        "{what}; meanwhile {names} {are} in {folder}, which only you can read; move {them} from "
        "there",
        what=error.message, names=Listed(kept), are="is" if len(kept) == 1 else "are",
        folder=File(folder), them="it" if len(kept) == 1 else "them",
    )  # fmt: skip
