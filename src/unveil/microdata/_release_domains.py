"""The columns of a release that is read without its original: their kinds and domains.

A domain is what the user says (``domains``), or the levels of an ordinal column, or the leaves of
a hierarchy, or what the cells themselves tell. The last is a guess, if a good one, and is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from unveil.errors import HierarchyError, InputError, did_you_mean
from unveil.microdata._column import Column, Kind, Role
from unveil.microdata._derived import listed_values
from unveil.microdata._derived_domain import derived_domain, is_hidden
from unveil.microdata._distinct import Distinct, distinct_values
from unveil.microdata._encode import MISSING, Wish, encode
from unveil.microdata._hierarchy import Hierarchy
from unveil.microdata._microdata import Microdata
from unveil.microdata._notations import EMPTY_WORDS, Notation
from unveil.microdata._options import Options
from unveil.microdata._regions import Intervals, Sets
from unveil.microdata._release_columns import CellColumn, Empty
from unveil.microdata._release_source import Cells, column_cells
from unveil.microdata._ruler import Ruler
from unveil.microdata._sources import Source, from_table

__all__ = ["DomainsOption", "KnownColumns", "check_held", "columns_alone"]

DomainsOption: TypeAlias = Mapping[str, Iterable[Any] | Column] | None

_NOBODY = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, eq=False, kw_only=True)
class KnownColumns:
    """What is known of a release's columns.

    Attributes
    ----------
    table : Microdata
        The columns, with nobody in them.
    held_by : dict of str to str
        For each column, what its domain is from, for messages.
    """

    table: Microdata
    held_by: dict[str, str]


def columns_alone(
    source: Source,
    options: Options,
    domains: DomainsOption,
    notation: Mapping[str, Notation],
    empty: Empty | None,
) -> KnownColumns:
    """The columns of a release without its original.

    Parameters
    ----------
    source : Source
        The release.
    options : Options
        What the user says about its columns.
    domains : mapping of str to values or Column, optional
        Which values there are.
    notation : mapping of str to Notation
        What the user says that the cells of a column are.
    empty : {"suppressed", "missing"}, optional
        What the user says that empty cells mean.
    """
    roles = options.roles(source)
    used = [name for name, role in roles.items() if role in (Role.QUASI, Role.SENSITIVE)]
    given = _checked_domains(domains, used)
    kinds, levels = options.kinds(source), options.levels(source)
    trees = options.hierarchies_for(source, roles)
    columns, notes, held_by = [], [], {}
    for name in used:
        wish = Wish(
            role=roles[name], kind=kinds.get(name), levels=levels.get(name),
            hierarchy=trees.get(name), missing_is_a_value=empty == "missing",
        )  # fmt: skip
        said = _said(name, given.get(name), wish)
        if said is None:
            column, words = (
                _found_secrets(source, name, wish, empty) if wish.role is Role.SENSITIVE
                else _from_cells(column_cells(source, name), wish, notation.get(name), empty)
            )  # fmt: skip
            said = column, "what its cells name"
            notes.append(f"{name}: taken to be {words}")
        columns.append(replace(said[0], name=name, role=wish.role, codes=_NOBODY))
        held_by[name] = said[1]
    table = Microdata(
        columns=tuple(columns), rows=np.zeros(0, dtype=np.int64), source=source.name,
        notes=tuple(notes),
    )  # fmt: skip
    return KnownColumns(table=table, held_by=held_by)


def _checked_domains(domains: Any, used: Sequence[str]) -> Mapping[str, Any]:
    if domains is None:
        return {}
    if not isinstance(domains, Mapping):
        raise InputError(
            'domains maps columns to the values that there are, such as {"age": range(18, 91)}, '
            f"but got a {type(domains).__name__}"
        )
    for name in domains:
        if name not in used:
            raise InputError(
                f"domains names {name!r}, which is neither a quasi-identifier nor sensitive"
                f"{did_you_mean(str(name), used)} (those are {', '.join(used)})"
            )
    return domains


def _said(name: str, given: Any, wish: Wish) -> tuple[Column, str] | None:
    """The column as the user describes it, and by what; None if that is left to the cells."""
    if given is not None:
        return _from_given(name, given, wish), f"domains[{name!r}]"
    if wish.levels is not None:
        return encode(listed_values(name, (), "ordinal"), wish), f"ordinal[{name!r}]"
    if isinstance(wish.hierarchy, Hierarchy):
        tree = wish.hierarchy
        leaves = listed_values(name, tree.leaves, f"hierarchy {tree.source}")
        return encode(leaves, wish), f"hierarchy {tree.source}"
    return None


def _from_given(name: str, given: Any, wish: Wish) -> Column:
    """A column of the values that the user says there are."""
    if isinstance(given, Column):
        if wish.kind is None and wish.hierarchy is None:
            return given
        kind = wish.kind or given.kind
        levels = wish.levels or (given.texts if kind is Kind.ORDINAL else None)
        tree = wish.hierarchy or given.hierarchy
        wish = replace(wish, kind=kind, levels=levels, hierarchy=tree)
        values = listed_values(
            name, given.values, f"domains[{name!r}]", is_category=given.kind is not Kind.NUMERIC
        )
    else:
        values = _distinct_of(name, given)
    texts = set(values.texts())
    if wish.levels is not None:
        # Only those that there are; what is no level at all is told by the encoding.
        wish = replace(wish, levels=tuple(level for level in wish.levels if level in texts))
    if isinstance(wish.hierarchy, Hierarchy):
        wish = replace(wish, hierarchy=_pruned(wish.hierarchy, values), missing_is_a_value=False)
    return encode(values, wish)


def _distinct_of(name: str, given: Any) -> Distinct:
    """The distinct ones of the values that the user lists."""
    where = f"domains[{name!r}]"
    listed = given
    try:
        if isinstance(given, str | bytes | Mapping):
            raise TypeError
        if isinstance(given, Set) or not hasattr(given, "__len__"):
            listed = list(given)
        is_empty = len(listed) == 0  # an array of numpy may have no length
    except TypeError:
        raise InputError(
            f"{where} must list the values that there are, but got {given!r}"
        ) from None
    if is_empty:
        raise InputError(f"{where} is empty: it must list the values that there are")
    source = from_table({name: listed})
    if name in source.unreadable:
        raise InputError(f"{where} {source.unreadable[name]}: make them all texts or all numbers")
    values = distinct_values(source.arrays[name], name=name, source=where, is_text_file=False)
    if values.missing.any():
        raise InputError(
            f"{where} has an empty value in place {int(np.argmax(values.missing)) + 1}; leave it "
            f"out, or write {MISSING!r} if missing is a value"
        )
    return values


def _pruned(tree: Hierarchy, values: Distinct) -> Hierarchy:
    """The hierarchy of only those leaves that there are."""
    texts = dict.fromkeys(values.texts())
    if MISSING in texts and MISSING not in tree:
        tree = tree.with_leaf(MISSING)
    leaves = set(tree.leaves)
    for text in texts:
        if text not in leaves:
            raise HierarchyError(
                f"hierarchy {tree.source} does not have {text!r}, which {values.source} lists"
                f"{did_you_mean(text, tree.leaves)}"
            )
    return tree.restricted([leaf for leaf in tree.leaves if leaf in texts])


def _from_cells(
    cells: Cells, wish: Wish, notation: Notation | None, empty: Empty | None
) -> tuple[Column, str]:
    """A column of the values that its cells tell of, and how these were come by."""
    found = derived_domain(cells, kind=wish.kind, notation=notation, empty=empty)
    distinct, are_names = cells.distinct, found.values.dtype == object
    values = listed_values(distinct.name, found.values, distinct.source, is_category=are_names)
    return encode(values, wish), found.words


def _found_secrets(
    source: Source, name: str, wish: Wish, empty: Empty | None
) -> tuple[Column, str]:
    """A column of the sensitive values that records have."""
    if name in source.unreadable:
        raise InputError(
            f"column {name!r} of {source.name} {source.unreadable[name]}: make them all texts or "
            "all numbers"
        )
    values = distinct_values(
        source.arrays[name], name=name, source=source.name, is_text_file=source.is_text_file
    ).without(EMPTY_WORDS)
    stars = [place for place, text in enumerate(values.texts()) if is_hidden(text)]
    told = ~np.isin(values.codes, stars)
    if empty != "missing":
        told &= ~values.missing
    if not told.any():
        raise InputError(f"no row of the release tells a {name}")
    values = values.take(told)
    if values.missing.any() and wish.kind is None:
        wish = replace(wish, kind=Kind.CATEGORICAL)  # missing has no place among numbers
    column = encode(values, wish)
    several = "value" if column.size == 1 else "values"
    return column, f"the {column.size:,} {several} that records have"


def check_held(column: Column, cells: Cells, read: CellColumn, held_by: str) -> None:
    """Refuse a domain that does not have what the cells name.

    With the original a cell may miss all values: nobody has to be as it says. Without it, there
    are people behind every cell, and so values.
    """
    if column.kind is Kind.NUMERIC:
        _check_numbers(column, cells, held_by)
    regions = read.regions
    if isinstance(regions, Intervals):
        sizes = regions.high - regions.low + 1
    else:
        assert isinstance(regions, Sets)
        sizes = np.diff(regions.start)
    for cell in np.flatnonzero(sizes <= 0)[:1]:
        row = int(np.argmax(read.cell_of == cell)) + 1
        raise InputError(
            f"row {row}, column {column.name!r}: the cell {regions.texts(column)[cell]!r} covers "
            f"no value of {held_by}, which must have all that the cells are about"
        )


def _check_numbers(column: Column, cells: Cells, held_by: str) -> None:
    """Numbers are read whether or not a column has them; these it must have."""
    days = bool(np.issubdtype(column.values.dtype, np.datetime64))
    if days and column.values.dtype != "datetime64[D]":
        return  # a day is then a stretch of time, of which some moments may be there
    tree, distinct = column.hierarchy, cells.distinct
    texts = [text for text in distinct.texts() if tree is None or text.strip() not in tree]
    ruler = Ruler(column.name, texts, days=days)
    held = column.values.astype(np.int64 if days else np.float64)
    lists = cells.has_lists or any(
        len(found) == 1 and found[0].notation is Notation.LIST and not found[0].weak
        for found in ruler.readings(texts)
    )
    for position, text in enumerate(distinct.texts()):
        if is_hidden(text) or (tree is not None and text.strip() in tree):
            continue
        named = ruler.named(text, lists=lists)
        for number in named[~np.isin(named, held)][:1]:
            raise InputError(
                f"row {distinct.first_row(position)}, column {column.name!r}: the cell {text!r} "
                f"names {ruler.written(number)}, which is not in {held_by}"
            )
