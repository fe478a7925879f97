"""What the user says about the columns, checked against the columns that there are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from unveil.errors import HierarchyError, InputError, did_you_mean
from unveil.microdata._column import Kind, Role, value_text
from unveil.microdata._encode import Builder
from unveil.microdata._hierarchy import Hierarchy
from unveil.microdata._hierarchy_files import match_files, read_hierarchy
from unveil.microdata._sources import Source

__all__ = ["HierarchiesOption", "Missing", "MissingValues", "Names", "Options"]

Names: TypeAlias = str | Sequence[str]
PathLike: TypeAlias = str | os.PathLike[str]
HierarchiesOption: TypeAlias = PathLike | Mapping[str, Hierarchy | PathLike | Builder] | None
Missing: TypeAlias = Literal["error", "drop", "category"]
MissingValues: TypeAlias = Iterable[Any] | Mapping[str, Iterable[Any]] | None


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options that all readers share, as the user gave them."""

    quasi: Names
    sensitive: str
    identifier: Names
    numeric: Names
    ordinal: Mapping[str, Sequence[Any]] | None
    categorical: Names
    hierarchies: HierarchiesOption
    missing: Missing
    missing_values: MissingValues

    def roles(self, source: Source) -> dict[str, Role]:
        """The role of every column: quasi-identifiers first, as named, then the sensitive one."""
        if not isinstance(self.sensitive, str):
            raise InputError(f"sensitive must be one column name, but got {self.sensitive!r}")
        quasi = _names(self.quasi, "quasi", source)
        if not quasi:
            raise InputError("name at least one quasi-identifier: quasi=[...] is empty")
        roles: dict[str, Role] = {}
        for names, role in (
            (quasi, Role.QUASI),
            (_names([self.sensitive], "sensitive", source), Role.SENSITIVE),
            (_names(self.identifier, "identifier", source), Role.IDENTIFIER),
        ):
            for name in names:
                if name in roles:
                    raise InputError(f"column {name!r} cannot be both {roles[name]} and {role}")
                roles[name] = role
        used = [name for name in roles if roles[name] is not Role.IDENTIFIER]
        rest = {n: roles.get(n, Role.OTHER) for n in source.columns if n not in used}
        return {name: roles[name] for name in used} | rest

    def kinds(self, source: Source) -> dict[str, Kind]:
        """The kinds that the user decided on."""
        kinds: dict[str, Kind] = {}
        for names, kind in (
            (_names(self.numeric, "numeric", source), Kind.NUMERIC),
            (_names(list(self.levels(source)), "ordinal", source), Kind.ORDINAL),
            (_names(self.categorical, "categorical", source), Kind.CATEGORICAL),
        ):
            for name in names:
                if name in kinds:
                    raise InputError(f"column {name!r} cannot be both {kinds[name]} and {kind}")
                kinds[name] = kind
        return kinds

    def levels(self, source: Source) -> dict[str, tuple[str, ...]]:
        """The levels of the ordinal columns, as texts."""
        if self.ordinal is None:
            return {}
        if not isinstance(self.ordinal, Mapping):
            raise InputError(
                "ordinal maps a column to its levels in order, such as "
                f"{{'education': ['low', 'high']}}, but got {self.ordinal!r}"
            )
        _names(list(self.ordinal), "ordinal", source)
        found = {}
        for name, levels in self.ordinal.items():
            texts = () if isinstance(levels, str) else tuple(value_text(v) for v in levels)
            if not texts:
                raise InputError(f"ordinal[{name!r}] must list the levels, but got {levels!r}")
            twice = [text for i, text in enumerate(texts) if text in texts[:i]]
            if twice:
                raise InputError(f"ordinal[{name!r}] lists the level {twice[0]!r} twice")
            found[name] = texts
        return found

    def check_missing(self) -> None:
        """The choice of what missing means must be one of those there are."""
        if self.missing not in get_args(Missing):
            raise InputError(
                f"missing must be 'error', 'drop' or 'category', but got {self.missing!r}"
            )

    def markers(self, source: Source) -> dict[str, list[Any]]:
        """For each column, the values that mean missing."""
        given = self.missing_values
        if given is None:
            return {}
        if isinstance(given, Mapping):
            _names(list(given), "missing_values", source)
            return {name: _listed(values) for name, values in given.items()}
        return dict.fromkeys(source.columns, _listed(given))

    def hierarchies_for(
        self, source: Source, roles: Mapping[str, Role]
    ) -> dict[str, Hierarchy | Builder]:
        """For each column that has one, its hierarchy or what builds it from the values."""
        given = self.hierarchies
        if given is None:
            return {}
        found: Mapping[str, Hierarchy | PathLike | Builder]
        if isinstance(given, Mapping):
            _names(list(given), "hierarchies", source)
            found = given
        elif isinstance(given, str | os.PathLike):
            # All columns take part in the matching, so that no file of theirs goes to another.
            files = match_files(given, source.columns)
            used = [name for name in roles if roles[name] in (Role.QUASI, Role.SENSITIVE)]
            found = {name: files[name] for name in used if name in files}
            if not found:
                raise HierarchyError(
                    f"the hierarchies in {str(given)!r} are for {', '.join(files)}, which are "
                    f"neither quasi-identifiers nor sensitive (those are {', '.join(used)})"
                )
        else:
            raise InputError(
                f"hierarchies must be a folder or a mapping from columns to hierarchies, but got "
                f"{type(given).__name__}"
            )
        return {name: _opened(name, one) for name, one in found.items()}


def _opened(name: str, given: Hierarchy | PathLike | Builder) -> Hierarchy | Builder:
    if isinstance(given, str | os.PathLike):
        return read_hierarchy(given)
    if isinstance(given, Hierarchy) or callable(given):
        return given
    raise InputError(
        f"hierarchies[{name!r}] must be a Hierarchy, a file or a function that makes one from "
        f"the values, but got {type(given).__name__}"
    )


def _listed(values: Any) -> list[Any]:
    return [values] if isinstance(values, str) else list(values)


def _names(given: Names, option: str, source: Source) -> list[str]:
    """One name or several, all of them columns of the table, none named twice."""
    names = [given] if isinstance(given, str) else list(given)
    parts = [part.strip() for part in given.split(",")] if isinstance(given, str) else []
    if len(parts) > 1 and all(part in source.arrays for part in parts):
        raise InputError(
            f"column {given!r} is not in {source.name}; several columns are named as a list: "
            f"{parts}"
        )
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise InputError(f"{option} must be column names, but got {name!r}")
        if name not in source.arrays:
            raise InputError(
                f"column {name!r} is not in {source.name}{did_you_mean(name, source.columns)} "
                f"(columns: {', '.join(source.columns)})"
            )
        if name in names[:i]:
            raise InputError(f"column {name!r} is named twice in {option}")
    return names
