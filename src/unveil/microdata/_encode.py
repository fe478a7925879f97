"""From distinct values to a `Column`: its kind, its domain, its hierarchy and its codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.errors import (
    Cell,
    HierarchyError,
    InputError,
    Message,
    MissingValuesError,
    Option,
    Row,
)
from unveil.errors import Column as ColumnName
from unveil.microdata._distinct import Distinct, objects, recoded_codes
from unveil.microdata._forms import Formed, declared_form, found_form, missing_value
from unveil.microdata._hierarchy import Hierarchy
from unveil.microdata._messages import value_meant, values_listed
from unveil.microdata._microdata import Column, Kind, Role, value_text
from unveil.microdata._numbers import is_number

MISSING = "(missing)"

Builder: TypeAlias = Callable[[NDArray[Any]], Hierarchy]


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What the user declared about a column; None: follows from its values."""

    role: Role
    kind: Kind | None = None
    levels: tuple[str, ...] | None = None
    hierarchy: Hierarchy | Builder | None = None
    form: str | None = None
    """How its numbers or dates are written."""
    missing_is_a_value: bool = False
    gap_is_kept: bool = False
    """A hierarchy then has a leaf for it, even if no value is missing: what is declared must not
    depend on a single record."""

    @property
    def is_open(self) -> bool:
        """Whether the kind of a column that is used follows from its values."""
        declared = (self.kind, self.levels, self.hierarchy)
        return self.role.is_used and all(one is None for one in declared)

    def tree(self, name: str, domain: NDArray[Any]) -> Hierarchy | None:
        """The hierarchy; built from the column's domain if it is a function."""
        if self.hierarchy is None or isinstance(self.hierarchy, Hierarchy):
            return self.hierarchy
        built: object = self.hierarchy(domain)
        if not isinstance(built, Hierarchy):
            raise InputError(
                "{option} for column {column} must return a Hierarchy, but returned {type}",
                option=Option("hierarchies"), column=ColumnName(name), type=type(built).__name__,
            )  # fmt: skip
        return built


def encode(column: Distinct, wish: Wish) -> Column:
    """Encode one column.

    Numbers, dates, and texts that all look like one are numeric, unless the table or the user
    declares otherwise. A record without a value gets the category `MISSING`.
    """
    if wish.kind is not None:
        column = column.observed()  # the user's declaration overrides the table's own order
    if wish.kind is Kind.ORDINAL or column.is_ordered:
        return _ordinal(column, wish)
    found = None
    if wish.form is not None:
        found = declared_form(column, wish.form)
    elif wish.kind is Kind.NUMERIC:
        found = _as_numbers(column, wish)
    elif wish.kind is None and not column.is_category:
        found = _look_like_numbers(column, wish)
    return _categorical(column, wish) if found is None else _numeric(column, wish, *found)


def _column(
    column: Distinct, wish: Wish, kind: Kind, codes: NDArray[np.int32], values: NDArray[Any],
    hierarchy: Hierarchy | None, *, declared: bool = False, form: str | None = None,
) -> Column:  # fmt: skip
    given = None if kind is Kind.NUMERIC else _as_they_were(values, column)
    return Column(name=column.name, role=wish.role, kind=kind, codes=codes, values=values,
                  hierarchy=hierarchy, given=given, declared=declared, form=form)  # fmt: skip


def _numeric(
    column: Distinct, wish: Wish, numbers: NDArray[Any], form: str | None = None
) -> Column:
    used = wish.role.is_used
    if used and numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
        worst = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise InputError(
            "{where} has the value {value} in {row}; numeric columns need finite numbers",
            where=column.where, value=str(numbers[worst]), row=Row(column.first_row(worst)),
        )  # fmt: skip
    values, place = np.unique(numbers, return_inverse=True)
    codes = recoded_codes(column.codes, place)
    if column.missing.any():
        if used and wish.gap_is_kept and wish.hierarchy is None:
            return _numbers_and_gap(column, wish, values, codes, form)
        if used:
            raise MissingValuesError(
                "{where} is numeric and cannot have missing values; drop these records with "
                "{drop}, or make the column categorical with {categorical}", where=column.where,
                drop=Option("missing", "drop"), categorical=Option("categorical", [column.name]),
            )  # fmt: skip
        values, codes = _with_gap(values, codes)
    tree = wish.tree(column.name, values)
    if tree is not None:
        tree = _ordered_tree(tree, column, [value_text(v) for v in values], place)
    return _column(column, wish, Kind.NUMERIC, codes, values, tree, form=form)


def _numbers_and_gap(
    column: Distinct, wish: Wish, values: NDArray[Any], codes: NDArray[np.int32], form: str | None
) -> Column:
    """Numbers or dates in their order, and after them the gap, which is a value, too."""
    domain = objects([*(value_text(value) for value in values), MISSING])
    codes = np.where(codes < 0, len(values), codes).astype(np.int32)
    ordinal = _column(column, wish, Kind.ORDINAL, codes, domain, None, form=form)
    return replace(ordinal, given=None, numbers=values)


def _with_gap(
    values: NDArray[Any], codes: NDArray[np.int32]
) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Keep the gaps of an unused column, as NaN or NaT."""
    if values.dtype.kind == "M":
        values = np.append(values, np.array(["NaT"], dtype=values.dtype))
    else:
        values = np.append(values.astype(np.float64), np.nan)
    return values, np.where(codes < 0, len(values) - 1, codes).astype(np.int32)


def _ordinal(column: Distinct, wish: Wish) -> Column:
    texts = column.texts()
    levels = tuple(texts) if wish.levels is None else wish.levels
    rank = {level: i for i, level in enumerate(levels)}
    for i, text in enumerate(texts):
        if text not in rank:
            raise InputError(
                "{where} has {value} in {row}, which is not among its levels{hint} "
                "(levels: {levels})", where=column.where, value=Cell(text),
                row=Row(column.first_row(i)), hint=value_meant(text, levels),
                levels=Cell(", ".join(levels), bare=True),
            )  # fmt: skip
    codes = recoded_codes(column.codes, np.array([rank[text] for text in texts], dtype=np.int64))
    if column.missing.any():
        if MISSING not in rank:
            if wish.role.is_used:
                raise MissingValuesError(
                    "{where} is ordinal, and its order has no place for missing values; drop these "
                    "records with {drop}, or add '(missing)' to its levels",
                    where=column.where, drop=Option("missing", "drop"),
                )  # fmt: skip
            levels = (*levels, MISSING)
            rank[MISSING] = len(rank)
        codes = np.where(codes < 0, rank[MISSING], codes).astype(np.int32)
    domain = objects(levels)
    tree = wish.tree(column.name, domain)
    if tree is not None:
        tree = _ordered_tree(tree, column, levels, [rank[text] for text in texts])
    # An order of the table's own may have been made from its values.
    declared = wish.levels is not None and levels == wish.levels
    return _column(column, wish, Kind.ORDINAL, codes, domain, tree, declared=declared)


def _categorical(column: Distinct, wish: Wish) -> Column:
    texts = column.texts()
    domain, places = _sorted(texts)
    tree = wish.tree(column.name, domain)
    gaps = bool(column.missing.any())
    declared = isinstance(wish.hierarchy, Hierarchy) and (
        not gaps or wish.missing_is_a_value or MISSING in wish.hierarchy.leaves
    )
    if tree is not None:
        _check_leaves(tree, column, texts)
        if (gaps or wish.missing_is_a_value) and MISSING not in tree.leaves:
            tree = tree.with_leaf(MISSING)
        domain = objects(tree.leaves)
        places = np.array([tree.leaf(text) for text in texts], dtype=np.int64)
    codes = recoded_codes(column.codes, places)
    if gaps:
        if MISSING not in domain:
            domain = np.append(domain, objects([MISSING]))
        place = int(np.flatnonzero(domain == MISSING)[0])
        codes = np.where(codes < 0, place, codes).astype(np.int32)
    return _column(column, wish, Kind.CATEGORICAL, codes, domain, tree, declared=declared)


def _as_they_were(domain: NDArray[Any], column: Distinct) -> NDArray[Any] | None:
    """The table's own values for a domain of texts: True, not ``'True'``."""
    if column.is_text:
        return None
    original = dict(zip(column.texts(), column.values.tolist(), strict=True))
    return objects([original.get(text, text) for text in domain])


def _sorted(texts: Sequence[str]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The distinct texts in order, and the position of each given one among them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = pa.array(texts, type=pa.large_string()).dictionary_encode()
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    domain = encoded.dictionary.to_numpy(zero_copy_only=False)[order]
    return domain, rank[encoded.indices.to_numpy()]


def _check_leaves(tree: Hierarchy, column: Distinct, texts: Sequence[str]) -> None:
    """Every value that occurs must be a leaf."""
    leaves = set(tree.leaves)
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(texts))
    strange = [i for i, text in enumerate(texts) if text not in leaves and counts[i]]
    if not strange:
        return
    first = column.codes[np.isin(column.codes, strange)][0]
    strange.remove(first)
    strange.insert(0, int(first))
    text = texts[strange[0]]
    raise HierarchyError(
        "hierarchy {tree} does not have {value}{others} of column {column} ({records:record}, the "
        "first in {row} of {source}){hint} (its leaves: {leaves}); use the same spelling in both",
        tree=tree.file, value=Cell(text),
        others=f" and {len(strange) - 1:,} more" if len(strange) > 1 else "",
        column=ColumnName(column.name), records=int(counts[strange].sum()),
        row=Row(column.first_row(strange[0])), source=column.file,
        hint=value_meant(text, tree.leaves), leaves=values_listed(tree.leaves),
    )  # fmt: skip


def _ordered_tree(
    tree: Hierarchy, column: Distinct, domain: Sequence[str], place: Sequence[int] | NDArray[Any]
) -> Hierarchy:
    """The hierarchy of an ordered column: its leaves are the domain, in the domain's order.

    A node is one interval of codes here too. A node that skips a value in between is refused.
    """
    _check_leaves(tree, column, [domain[i] for i in place])
    name = ColumnName(column.name)
    tree.check_has(domain, Message("a level of column {column}", column=name))
    try:
        return tree.restricted(domain)
    except HierarchyError as error:
        raise HierarchyError(
            "{error} in the order of column {column}; if its order has no meaning, make it "
            "categorical with {option}", error=error, column=name,
            option=Option("categorical", [column.name]),
        ) from None  # fmt: skip


def _look_like_numbers(column: Distinct, wish: Wish) -> Formed | None:
    """The numbers or dates that the values are or all look like, or None."""
    if column.is_text:
        return found_form(column, is_used=wish.role.is_used, declared=False)
    return None if column.values.dtype.kind == "b" else Formed(column.values)


def stray_texts(column: Distinct) -> list[str]:
    """The few texts, such as ``?``, that keep a column of a text file from being numeric.

    Empty if the column is numeric, or has more words than numbers.
    """
    if not column.is_text or column.is_category:
        return []
    stray = [text for text in column.values if not is_number(text)]
    return stray if 2 * len(stray) < len(column.values) else []


def _as_numbers(column: Distinct, wish: Wish) -> Formed:
    """The values as numbers, as the user declared."""
    if not column.is_text:
        return Formed(
            column.values.astype(np.int64) if column.values.dtype == bool else column.values
        )
    found = found_form(column, is_used=wish.role.is_used, declared=True)
    if found is not None:
        return found
    for i, text in enumerate(column.values):
        if not is_number(text):
            raise InputError(
                "{where} was declared numeric, but has {value} in {row}; if that means missing, "
                "give {option}", where=column.where, value=Cell(text), row=Row(column.first_row(i)),
                option=missing_value(column.name, text),
            )  # fmt: skip
    return Formed(np.empty(0, dtype=np.int64))
