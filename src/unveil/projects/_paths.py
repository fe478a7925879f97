"""Paths of a project: written as seen from its file, whatever folder one is in."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unveil.projects._project import Project, ReleaseAsked

__all__ = ["moved", "oracle_at", "seen_from"]


def seen_from(folder: Path, file: str | os.PathLike[str]) -> str:
    """A path as it is written in a file of that folder."""
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # on another drive
        return Path(file).resolve().as_posix()


def moved(project: Project, folder: Path) -> Project:
    """The same project in another folder."""

    def path(text: str) -> str:
        return text if Path(text).is_absolute() else seen_from(folder, project.folder / text)

    def release(one: ReleaseAsked) -> ReleaseAsked:
        if one.file is not None:
            return replace(one, file=path(one.file))
        if one.oracle is not None and (project.folder / one.oracle).exists():
            return replace(one, oracle=path(one.oracle))
        return one

    trees = project.hierarchies
    if isinstance(trees, Mapping):
        trees = {column: path(file) for column, file in trees.items()}
    elif trees is not None:
        trees = path(trees)
    return replace(
        project, folder=folder, data=replace(project.data, file=path(project.data.file)),
        hierarchies=trees, releases=tuple(release(one) for one in project.releases),
    )  # fmt: skip


def oracle_at(folder: Path, text: str) -> str:
    """An oracle with its folder or its program as found from the project's folder.

    Addresses, and programs that the shell finds by their names, stay as they are.
    """
    if (folder / text).exists():
        return str(folder / text)
    program, blank, rest = text.partition(" ")
    if "/" in program and not Path(program).is_absolute() and (folder / program).is_file():
        return f"{shlex.quote(str((folder / program).resolve()))}{blank}{rest}"
    return text
