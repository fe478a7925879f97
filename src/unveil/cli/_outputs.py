"""Files written whole or not at all, and checked before the long work begins."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from unveil._text import harmless
from unveil._version import __version__
from unveil.cli._console import folded
from unveil.cli._guard import files_read, in_command_line_words
from unveil.errors import InputError, MissingExtraError, did_you_mean
from unveil.findings import SCHEMA, Finding

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from rich.console import Console

_PICTURES = (".png", ".svg", ".pdf")


def is_stdout(path: Path | None) -> bool:
    """Whether a dash was given in place of a file."""
    return path is not None and str(path) == "-"


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
    if path is None or is_stdout(path):
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
    folder = path.parent
    if not folder.is_dir():
        raise InputError(f"{option} {str(path)!r}: the folder {str(folder)!r} does not exist")
    if not os.access(folder if _is_replaceable(path) else path, os.W_OK):
        raise InputError(f"{option} {str(path)!r}: no permission to write there")
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
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            "--plot needs matplotlib; install it with: pip install 'unveil[plot]'"
        ) from error


def check_report(path: Path | None, option: str = "--report") -> None:
    """Refuse a page that could not be made or written in the end."""
    if path is None:
        return
    check_output(path, option, suffixes=(".html", ".htm"))
    try:
        import jinja2  # noqa: F401
        import matplotlib  # noqa: F401
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
    if json is not None and json == plot:
        raise InputError(f"--json and --plot name the same file, {str(json)!r}")
    if records and json is None:
        raise InputError("--records adds to the JSON; say where that goes with --json")


def check_rows(csv: Path | None, *, json: Path | None, plot: Path | None) -> None:
    """The same for ``--csv``, where everybody's row goes."""
    check_output(csv, "--csv", suffixes=(".csv",))
    for option, other in (("--json", json), ("--plot", plot)):
        if csv is not None and csv == other:
            where = "standard output" if is_stdout(csv) else f"the same file, {str(csv)!r}"
            raise InputError(f"--csv and {option} name {where}")


def write_rows(path: Path, frame: pd.DataFrame) -> None:
    """Write a table as CSV."""

    def into(file: IO[bytes]) -> None:
        file.write(frame.to_csv(index=False, lineterminator="\n").encode())

    write(path, into)


def print_text(text: str, out: Console) -> None:
    """Lines of the library, in the words of the command line."""
    for line in text.splitlines():
        out.print(folded(harmless(in_command_line_words(line)), out.width), soft_wrap=True)


def save_picture(path: Path, axes: Axes, out: Console) -> None:
    """Write what was drawn, in the form that the file's name asks for."""
    figure = axes.get_figure(root=True)
    assert figure is not None

    def into(file: IO[bytes]) -> None:
        figure.savefig(file, format=path.suffix.lower().removeprefix("."), dpi=160)

    write(path, into)
    out.print(f"picture: {path}", soft_wrap=True)


def write_findings(
    path: Path,
    findings: Sequence[Finding],
    *,
    records: bool,
    failed: Sequence[dict[str, str]] = (),
) -> None:
    """Write findings as JSON, and beside them what could not be done."""
    write_content(path, [finding.to_dict(records=records) for finding in findings], failed)


def write_content(
    path: Path, findings: Sequence[dict[str, Any]], failed: Sequence[dict[str, str]]
) -> None:
    """The same of findings that are plain values already."""
    document = {
        "unveil": __version__, "schema": SCHEMA, "findings": list(findings), "failed": list(failed),
    }  # fmt: skip
    write_text(path, json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8."""

    def into(file: IO[bytes]) -> None:
        file.write(text.encode())

    write(path, into)


def write(path: Path, into: Callable[[IO[bytes]], None]) -> None:
    """Write a file whole or not at all; a dash means standard output."""
    try:
        if is_stdout(path):
            into(sys.stdout.buffer)
            sys.stdout.buffer.flush()
            return
        if not _is_replaceable(path):  # a pipe or a device: there is nothing to put in its place
            with path.open("wb") as file:
                into(file)
            return
        _replace(path.resolve(), into)
    except BrokenPipeError:  # nobody reads it any more, which is no fault
        raise
    except OSError as error:
        where = "to standard output" if is_stdout(path) else repr(str(path))
        raise InputError(f"cannot write {where}: {error.strerror or error}") from error


def _replace(path: Path, into: Callable[[IO[bytes]], None]) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with draft.open("xb") as file:
            into(file)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _is_replaceable(path: Path) -> bool:
    return path.is_file() or not path.exists()
