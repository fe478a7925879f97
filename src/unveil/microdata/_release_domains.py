"""The columns of a release that is read without its original: their kinds and domains.

A domain is given (``domains``), or the levels of an ordinal column, or the leaves of a hierarchy,
or inferred from the cells (`_derived`). An inferred domain is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from unveil._text import counted
from unveil.errors import Cell, HierarchyError, InputError, Message, Option, Text, did_you_mean
from unveil.errors import Column as ColumnName
from unveil.microdata._cell_columns import CellColumn, Cells, Empty, column_cells
from unveil.microdata._derived import Derivation
from unveil.microdata._distinct import Distinct, distinct_of, distinct_values, listed_values
from unveil.microdata._encode import MISSING, Wish, encode
from unveil.microdata._hierarchy import Hierarchy
from unveil.microdata._messages import ValueOption, cell_error, value_meant
from unveil.microdata._microdata import Column, Kind, Microdata, Role
from unveil.microdata._notations import EMPTY_WORDS, Notation, is_hidden
from unveil.microdata._readers import Options
from unveil.microdata._ruler import Ruler
from unveil.microdata._sources import Source, from_table

DomainsOption: TypeAlias = Mapping[str, Iterable[Any] | Column] | None

_DOMAINS = ValueOption("domains", typed="--domains")
_NOBODY = np.zeros(0, dtype=np.int32)


def columns_alone(
    source: Source,
    options: Options,
    domains: DomainsOption,
    notation: Mapping[str, Notation],
    empty: Empty | None,
) -> tuple[Microdata, dict[str, Text]]:
    """The columns of a release without its original, and where each domain comes from.

    The columns are a table without records.
    """
    wishes = options.wishes(source, missing_is_a_value=empty == "missing")
    wishes = {name: wish for name, wish in wishes.items() if wish.role.is_used}
    given = _checked_domains(domains, list(wishes))
    columns: list[Column] = []
    notes: list[Text] = []
    held_by: dict[str, Text] = {}
    for name, wish in wishes.items():
        said = _said(name, given.get(name), wish)
        if said is None:
            column, words = (
                _found_secrets(source, name, wish, empty) if wish.role is Role.SENSITIVE
                else _from_cells(column_cells(source, name), wish, notation.get(name), empty)
            )  # fmt: skip
            said = column, "what its cells name"
            notes.append(Message("{column}: inferred values: {words}", column=name, words=words))
        columns.append(replace(said[0], name=name, role=wish.role, codes=_NOBODY))
        held_by[name] = said[1]
    table = Microdata(
        columns=tuple(columns), rows=np.zeros(0, dtype=np.int64), source=source.name,
        notes=tuple(notes),
    )  # fmt: skip
    return table, held_by


def _checked_domains(domains: Any, used: Sequence[str]) -> Mapping[str, Any]:
    if domains is None:
        return {}
    if not isinstance(domains, Mapping):
        raise InputError(
            "{option} must map columns to their values, such as {example}, but {type} was given",
            option=_DOMAINS, example='{"age": range(18, 91)}', type=type(domains).__name__,
        )  # fmt: skip
    for name in domains:
        if name not in used:
            raise InputError(
                "{option} names {name}, which is neither a quasi-identifier nor sensitive{hint} "
                "(those are {used})", option=_DOMAINS, name=Cell(name),
                hint=did_you_mean(str(name), used), used=", ".join(used),
            )  # fmt: skip
    return domains


def _said(name: str, given: Any, wish: Wish) -> tuple[Column, Text] | None:
    """The column as declared, and by what; None if it is left to the cells."""
    if given is not None:
        return _from_given(name, given, wish), _option(_DOMAINS, name)
    if wish.levels is not None:
        return encode(listed_values(name, (), "ordinal"), wish), _option(Option("ordinal"), name)
    if isinstance(wish.hierarchy, Hierarchy):
        tree = wish.hierarchy
        leaves = listed_values(name, tree.leaves, f"hierarchy {tree.source}")
        return encode(leaves, wish), Message("hierarchy {file}", file=tree.file)
    return None


def _option(option: Option, name: str) -> Message:
    return Message("{option} of column {column}", option=option, column=ColumnName(name))


def _from_given(name: str, given: Any, wish: Wish) -> Column:
    """A column of the given values."""
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
        # Only those given; the encoding refuses what is not a level at all.
        wish = replace(wish, levels=tuple(level for level in wish.levels if level in texts))
    if isinstance(wish.hierarchy, Hierarchy):
        wish = replace(wish, hierarchy=_pruned(wish.hierarchy, values), missing_is_a_value=False)
    return encode(values, wish)


def _distinct_of(name: str, given: Any) -> Distinct:
    """The distinct given values."""
    where = _option(_DOMAINS, name)
    listed = given
    try:
        if isinstance(given, str | bytes | Mapping):
            raise TypeError
        if isinstance(given, Set) or not hasattr(given, "__len__"):
            listed = list(given)
        is_empty = len(listed) == 0  # a numpy array may have no length
    except TypeError:
        raise InputError(
            "{where} must list its values, but {given} was given", where=where, given=repr(given)
        ) from None
    if is_empty:
        raise InputError("{where} is empty; it must list its values", where=where)
    source = from_table({name: listed})
    if name in source.unreadable:
        raise InputError("{where} {what}; make them all texts or all numbers", where=where,
                         what=source.unreadable[name])  # fmt: skip
    values = distinct_values(
        source.arrays[name], name=name, source=f"domains[{name!r}]", is_text_file=False
    )
    if values.missing.any():
        raise InputError(
            "{where} has an empty value in place {place}; leave it out, or write '(missing)' if "
            "missing is a value", where=where, place=int(np.argmax(values.missing)) + 1,
        )  # fmt: skip
    return values


def _pruned(tree: Hierarchy, values: Distinct) -> Hierarchy:
    """The hierarchy restricted to the values that occur."""
    texts = dict.fromkeys(values.texts())
    if MISSING in texts and MISSING not in tree:
        tree = tree.with_leaf(MISSING)
    leaves = set(tree.leaves)
    for text in texts:
        if text not in leaves:
            raise HierarchyError(
                "hierarchy {tree} does not have {value}, which {option} lists{hint}",
                tree=tree.file, value=Cell(text), option=_option(_DOMAINS, values.name),
                hint=value_meant(text, tree.leaves),
            )  # fmt: skip
    return tree.restricted([leaf for leaf in tree.leaves if leaf in texts])


def _from_cells(
    cells: Cells, wish: Wish, notation: Notation | None, empty: Empty | None
) -> tuple[Column, Text]:
    """A column of the values that its cells name, and how they were inferred."""
    found = Derivation(cells, wish.kind, notation).domain(empty)
    distinct, are_names = cells.distinct, found.values.dtype == object
    values = listed_values(distinct.name, found.values, distinct.source, is_category=are_names)
    return encode(values, wish), found.words


def _found_secrets(
    source: Source, name: str, wish: Wish, empty: Empty | None
) -> tuple[Column, Text]:
    """A column of the sensitive values that occur."""
    values = distinct_of(source, name).without(EMPTY_WORDS)
    stars = [place for place, text in enumerate(values.texts()) if is_hidden(text)]
    told = ~np.isin(values.codes, stars)
    if empty != "missing":
        told &= ~values.missing
    if not told.any():
        raise InputError("no row of the release has a value of {column}",
                         column=ColumnName(name))  # fmt: skip
    values = values.take(told)
    if values.missing.any() and wish.kind is None:
        wish = replace(wish, kind=Kind.CATEGORICAL)  # numbers cannot be missing
    column = encode(values, wish)
    return column, f"the {counted(column.size, 'value')} that occur"


def check_held(column: Column, cells: Cells, read: CellColumn, held_by: Text) -> None:
    """Refuse a domain that does not have the values that the cells name.

    With the original, a cell may cover no value. Without it, every cell has people and so values.
    """
    if column.kind is Kind.NUMERIC:
        _check_numbers(column, cells, held_by)
    for place, cell in enumerate(read.cells):
        if not cell.reading.spans:
            raise cell_error(
                int(np.argmax(read.cell_of == place)) + 1, column.name, "the cell {cell} covers no "
                "value of {held_by}, which must have all values that the cells cover",
                cell=Cell(cell.written), held_by=held_by,
            )  # fmt: skip


def _check_numbers(column: Column, cells: Cells, held_by: Text) -> None:
    """Numbers are read even if a column does not have them; without the original it must."""
    days = column.is_dates
    if days and column.values.dtype != "datetime64[D]":
        return  # a day is then a period, and some of its moments may occur
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
            raise distinct.error(
                position, "the cell {cell} names {number}, which is not in {held_by}",
                cell=Cell(text), number=Cell(ruler.written(number), bare=True), held_by=held_by,
            )  # fmt: skip
