"""The columns of a release that is read without its original: their kinds and domains.

A domain is given (``domains``), or the levels of an ordinal column, or the leaves of a hierarchy,
or inferred from the cells (`_derived`). An inferred domain is reported. First it is decided whether
the cells are about numbers, days or names, by the rules for reading cells with the original. What
those rules do not settle must be given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from unveil._text import counted
from unveil.errors import Cell, InputError, Message, Option, Text, did_you_mean
from unveil.errors import Column as ColumnName
from unveil.microdata._cell_columns import CellColumn, Empty, column_cells
from unveil.microdata._derived import (
    Derived,
    Ruler,
    bare,
    derived_numbers,
    domains_option,
    named_values,
)
from unveil.microdata._distinct import (
    Distinct,
    distinct_of,
    distinct_values,
    listed_values,
    objects,
)
from unveil.microdata._encode import MISSING, Wish, encode, stray_texts
from unveil.microdata._forms import parse_form
from unveil.microdata._hierarchy import Hierarchy
from unveil.microdata._messages import ValueOption, cell_error, hierarchy_option
from unveil.microdata._microdata import Column, Kind, Microdata, Role
from unveil.microdata._notations import (
    EMPTY_WORDS,
    Notation,
    is_hidden,
    mask_bounds,
    unquoted,
    without_units,
)
from unveil.microdata._readers import Options
from unveil.microdata._sources import Source, from_table

DomainsOption: TypeAlias = Mapping[str, Iterable[Any] | Column] | None

_DOMAINS = ValueOption("domains", typed="--domains")
_NOBODY = np.zeros(0, dtype=np.int32)
_USED = (Role.QUASI, Role.SENSITIVE)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_CLOCK = re.compile(r"\d:\d\d", re.ASCII)
_CODE = re.compile(r"(?<![\d.,])0\d|\d{19}", re.ASCII)  # looks like a number, but is a code
_RANGES = (Notation.RANGE, Notation.INTERVAL)


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
    wishes = options.wishes(source, missing_is_a_value=_USED if empty == "missing" else ())
    wishes = {name: wish for name, wish in wishes.items() if wish.role.is_used}
    given = _checked_domains(domains, list(wishes))
    columns: list[Column] = []
    notes: list[Text] = []
    held_by: dict[str, Text] = {}
    for name, wish in wishes.items():
        said = _said(name, given.get(name), wish)
        declared = said is not None
        if said is None:
            column, words = (
                _found_secrets(source, name, wish, empty) if wish.role is Role.SENSITIVE
                else _from_cells(column_cells(source, name), wish, notation.get(name), empty)
            )  # fmt: skip
            said = column, "what its cells name"
            notes.append(Message("{column}: inferred values: {words}", column=name, words=words))
        columns.append(
            replace(said[0], name=name, role=wish.role, codes=_NOBODY, declared=declared)
        )
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
    tree.check_has(texts, Message("which {option} lists", option=_option(_DOMAINS, values.name)))
    return tree.restricted([leaf for leaf in tree.leaves if leaf in texts])


def _from_cells(
    cells: Distinct, wish: Wish, notation: Notation | None, empty: Empty | None
) -> tuple[Column, Text]:
    """A column of the values that its cells name, and how they were inferred."""
    found = _Derivation(cells, wish, notation).domain(empty)
    are_names = found.values.dtype == object
    values = listed_values(cells.name, found.values, cells.source, is_category=are_names)
    return replace(encode(values, wish), form=found.form), found.words


class _Derivation:
    """Decides what the cells of one column are about, with kind and notation as declared."""

    def __init__(self, cells: Distinct, wish: Wish, notation: Notation | None) -> None:
        self.cells, self.kind, self.form, self.notation = cells, wish.kind, wish.form, notation
        self.name, texts = cells.name, enumerate(cells.texts())
        self.shown = [(position, text) for position, text in texts if not is_hidden(text)]
        self.texts = [text for _, text in self.shown]

    def domain(self, empty: Empty | None) -> Derived:
        """The values that the column has; if the cells do not determine them, what to give."""
        if not self.shown:
            raise InputError(
                "{where} has only suppressed cells; give its values, as in {domains}, or leave it "
                "out of {quasi}", where=self.cells.where, quasi=Option("quasi"),
                domains=domains_option(self.name, "[…]"),
            )  # fmt: skip
        is_open = self.kind is not Kind.CATEGORICAL
        if is_open and (plain := self._plain_numbers()) is not None:
            return plain
        masked = self._masked_codes()
        if masked is not None:
            return masked
        self._refuse_masks()
        ruler = self._ruler() if is_open else None
        if ruler is None:
            return self._names(empty)
        return derived_numbers(self.cells, ruler, self.notation)

    def _plain_numbers(self) -> Derived | None:
        """The numbers or days, if there is nothing else; detected as in a table."""
        distinct = self.cells
        if distinct.is_text:
            texts = dict.fromkeys(text.strip() for text in self.texts)
            distinct = listed_values(self.name, list(texts), distinct.source)
        else:
            distinct = distinct.take(~distinct.missing)
        if (
            self.form is not None
            and distinct.is_text
            and (parse_form(distinct.values, self.form) is None)
        ):
            return None  # ranges of them
        column = encode(distinct, Wish(role=Role.QUASI, form=self.form))
        if column.kind is not Kind.NUMERIC:
            return None
        if (
            column.form != self.form
            and any("," in text for text in self.texts)
            and not any("," in text and "." in text for text in self.texts)
        ):
            return None  # these may be sets of numbers; 1.234,50 is none
        what = "day" if column.values.dtype == "datetime64[D]" else "number"
        found_out = column.form if column.form != self.form else None
        written = "" if found_out is None else f", written as {found_out}"
        words = f"the {counted(column.size, what)} that its cells name{written}"
        return Derived(column.values, words, column.form)

    def _masked_codes(self) -> Derived | None:
        """All codes of digits behind masks such as ``816**``, if all have one length."""
        if self.kind not in (None, Kind.CATEGORICAL) or self.notation in (
            Notation.VALUE, Notation.PREFIX
        ):  # fmt: skip
            return None
        found = [_CODE_MASK.fullmatch(bare(text)) for text in self.texts]
        if not all(found) or len({len(one[0]) for one in found if one}) != 1:
            return None
        parts = {(one[1], len(one[2])) for one in found if one}
        if not any(stars for _, stars in parts) or sum(10**s for _, s in parts) > _MOST_CODES:
            return None
        codes = sorted({
            f"{start}{number:0{stars}d}" if stars else start
            for start, stars in parts for number in range(10**stars)
        })  # fmt: skip
        words = Message("the {n} codes of digits that its masks stand for", n=f"{len(codes):,}")
        return Derived(objects(codes), words)

    def _refuse_masks(self) -> None:
        """Refuse masks, which can cover any values, unless they are masks of digits."""
        if self.notation is Notation.VALUE:
            return
        for position, text in self.shown:
            mask = bare(text)
            if "*" not in mask or unquoted(mask) != mask:
                continue
            digits = mask_bounds(mask) is not None and self.notation is not Notation.PREFIX
            if digits and self.kind is Kind.NUMERIC:
                continue
            numeric: Text = ""
            if digits and self.kind is None:
                numeric = Message("; if they are whole numbers, give {option}",
                                  option=Option("numeric", [self.name]))  # fmt: skip
            raise self.cells.error(
                position, "the values that the cell {cell} covers are unknown without the "
                "original; give them, as in {domains}, or give a hierarchy that has them, as in "
                "{hierarchies}{numeric}", cell=Cell(text), numeric=numeric,
                domains=domains_option(self.name, f"[{_examples(mask)}…]"),
                hierarchies=hierarchy_option(self.name),
            )  # fmt: skip

    def _ruler(self) -> Ruler | None:
        """The line that the cells are read on; None if they are about names."""
        days = any(_DAY.search(text) for text in self.texts)
        ruler = Ruler(self.name, self.texts, days=days)
        readings = ruler.readings(self.texts)
        if self.notation is Notation.VALUE and not all(
            any(reading.notation is Notation.VALUE for reading in found) for found in readings
        ):
            return ruler if self.kind is Kind.NUMERIC else None
        is_range = [any(r.notation in _RANGES for r in found) for found in readings]
        a_range = self.shown[is_range.index(True) if any(is_range) else 0]
        if days and any(_CLOCK.search(text) for text in self.texts):
            if any(is_range) or self.kind is Kind.NUMERIC:
                raise self.cells.error(
                    a_range[0], "the cell {cell} does not determine the moments of the column; "
                    "give them, as in {domains}", cell=Cell(a_range[1]),
                    domains=domains_option(self.name, "pandas.date_range(…)"),
                )  # fmt: skip
            return None  # moments can be inferred only if they are values
        if self.kind is Kind.NUMERIC:
            return ruler
        unread = [found for found, some in zip(self.shown, readings, strict=True) if not some]
        coded = any(_CODE.search(text) for text in self.texts) and not days
        # "$3,000-$5,000" beside "refused" is a name, as words are that people chose from a list.
        bare_range = [found for found, ranges in zip(self.shown, is_range, strict=True)
                      if ranges and without_units(found[1]) == found[1].strip()]  # fmt: skip
        if bare_range and (unread or coded):
            raise self._unclear(unread, Cell(bare_range[0][1]), "day" if days else "number")
        return None if unread or coded else ruler

    def _unclear(self, unread: Sequence[tuple[int, str]], a_range: Cell, what: str) -> InputError:
        """Some cells are ranges, and others are not numbers, or are codes."""
        names = Option("categorical", [self.name])
        if unread:
            position, text = unread[0]
            return self.cells.error(
                position, "the cell {cell} is not a {what}, although others are ranges of {what}s, "
                "such as {range}; correct it, or declare all of them names: {names}",
                cell=Cell(text), what=what, range=a_range, names=names,
            )  # fmt: skip
        return InputError(
            "column {column}: cells such as {range} may be ranges of numbers, or names, because "
            "some have leading zeros as codes do; give {numbers} or {names}",
            column=ColumnName(self.name), range=a_range, names=names,
            numbers=Option("numeric", [self.name]),
        )  # fmt: skip

    def _names(self, empty: Empty | None) -> Derived:
        distinct = self.cells
        values = named_values(distinct, self.shown, self.notation)
        empties = any(text.strip() in EMPTY_WORDS for text in distinct.texts())
        if empty == "missing" and (empties or distinct.missing.any()):
            values.append(MISSING)
        domain = listed_values(self.name, values, distinct.source)
        words: Text = f"the {counted(len(values), 'value')} that its cells name"
        stray = [] if self.kind is Kind.CATEGORICAL else stray_texts(domain)
        if stray:
            words = Message("{words}, as words and not as numbers because of {value}", words=words,
                            value=Cell(sorted(stray)[0]))  # fmt: skip
        return Derived(domain.values, words)


_CODE_MASK = re.compile(r"(\d+)(\*+|[xX]+|#+|)", re.ASCII)
_MOST_CODES = 100_000


def _examples(mask: str) -> str:
    """Two values that match a mask of digits, for a message."""
    if not re.fullmatch(r"\d+\*+", mask, re.ASCII):
        return ""
    zeros = mask.replace("*", "0")
    return f'"{zeros}", "{zeros[:-1]}1", '


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


def check_held(column: Column, cells: Distinct, read: CellColumn, held_by: Text) -> None:
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


def _check_numbers(column: Column, cells: Distinct, held_by: Text) -> None:
    """Numbers are read even if a column does not have them; without the original it must."""
    days = column.is_dates
    if days and column.values.dtype != "datetime64[D]":
        return  # a day is then a period, and some of its moments may occur
    tree = column.hierarchy
    texts = [text for text in cells.texts() if tree is None or text.strip() not in tree]
    ruler = Ruler(column.name, texts, days=days)
    held = column.values.astype(np.int64 if days else np.float64)
    lists = cells.has_lists or any(
        len(found) == 1 and found[0].notation is Notation.LIST and not found[0].weak
        for found in ruler.readings(texts)
    )
    for position, text in enumerate(cells.texts()):
        if is_hidden(text) or (tree is not None and text.strip() in tree):
            continue
        named = ruler.named(text, lists=lists)
        for number in named[~np.isin(named, held)][:1]:
            raise cells.error(
                position, "the cell {cell} names {number}, which is not in {held_by}",
                cell=Cell(text), number=Cell(ruler.written(number), bare=True), held_by=held_by,
            )  # fmt: skip
