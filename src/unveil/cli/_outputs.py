"""Files written whole or not at all, and checked before the long work begins."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO

from unveil.errors import InputError, did_you_mean

__all__ = ["check_output", "is_stdout", "write"]


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
        The table that is read, which must not be written over.
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
    if source is not None and path.exists() and source.exists() and path.samefile(source):
        raise InputError(
            f"{option} {str(path)!r} is the table that is read; it would be overwritten"
        )


def write(path: Path, into: Callable[[IO[bytes]], None]) -> None:
    """Write a file whole or not at all; a dash means standard output."""
    if is_stdout(path):
        into(sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    try:
        if not _is_replaceable(path):  # a pipe or a device: there is nothing to put in its place
            with path.open("wb") as file:
                into(file)
            return
        _replace(path.resolve(), into)
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror or error}") from error


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
