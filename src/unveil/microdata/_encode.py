"""From distinct values to a `Column`: its kind, its domain and its hierarchy."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.errors import HierarchyError, InputError, MissingValuesError, did_you_mean
from unveil.microdata._column import Column, Kind, Role, value_text
from unveil.microdata._distinct import Distinct, recoded
from unveil.microdata._hierarchy import Hierarchy

__all__ = ["MISSING", "Builder", "Wish", "encode", "has_decimal_commas", "stray_texts"]

MISSING = "(missing)"

Builder: TypeAlias = Callable[[NDArray[Any]], Hierarchy]

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
# What is a number without being told: "01234" is a code, and so are digits too many to count with.
_PLAIN_NUMBER = re.compile(
    r"[+-]?(?:(?:0|[1-9]\d{0,17})(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII
)
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What the user said about a column; None where they left it to its values."""

    role: Role
    kind: Kind | None = None
    levels: tuple[str, ...] | None = None
    hierarchy: Hierarchy | Builder | None = None
    missing_is_a_value: bool = False
    """Then a hierarchy has a leaf for it, whether or not anybody's value is missing: what was
    declared must not follow from a single record."""

    def tree(self, name: str, domain: NDArray[Any]) -> Hierarchy | None:
        """The hierarchy, built from the column's domain if it has to be."""
        if self.hierarchy is None or isinstance(self.hierarchy, Hierarchy):
            return self.hierarchy
        built: object = self.hierarchy(domain)
        if not isinstance(built, Hierarchy):
            raise InputError(
                f"hierarchies[{name!r}] must return a Hierarchy, but returned "
                f"{type(built).__name__}"
            )
        return built


def encode(column: Distinct, wish: Wish) -> Column:
    """Encode one column.

    Numbers and dates are numeric, and so are texts that all look like one, unless the table or
    the user says otherwise. A record without a value gets the category `MISSING`.
    """
    if wish.kind is not None:
        column = column.observed()  # the user's word goes before the table's own order
    if wish.kind is Kind.ORDINAL or column.is_ordered:
        return _ordinal(column, wish)
    numbers = None
    if wish.kind is Kind.NUMERIC:
        numbers = _as_numbers(column)
    elif wish.kind is None and not column.is_category:
        numbers = _look_like_numbers(column)
    return _categorical(column, wish) if numbers is None else _numeric(column, wish, numbers)


def _column(
    column: Distinct,
    wish: Wish,
    kind: Kind,
    codes: NDArray[np.int32],
    values: NDArray[Any],
    hierarchy: Hierarchy | None,
) -> Column:
    return Column(
        name=column.name, role=wish.role, kind=kind, codes=codes, values=values, hierarchy=hierarchy
    )


def _numeric(column: Distinct, wish: Wish, numbers: NDArray[Any]) -> Column:
    used = wish.role in (Role.QUASI, Role.SENSITIVE)
    if used and numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
        worst = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise InputError(
            f"column {column.name!r} of {column.source} has the value {numbers[worst]} in row "
            f"{column.first_row(worst)}: numeric columns need finite numbers"
        )
    values, place = np.unique(numbers, return_inverse=True)
    codes = recoded(column.codes, place)
    if column.missing.any():
        if used:
            raise MissingValuesError(
                f"column {column.name!r} of {column.source} is numeric, and missing has no place "
                f'among numbers: leave these records out with missing="drop", or make the column '
                f'categorical with categorical=["{column.name}"]'
            )
        values, codes = _with_gap(values, codes)
    tree = wish.tree(column.name, values)
    if tree is not None:
        tree = _ordered_tree(tree, column, [value_text(v) for v in values], place)
    return _column(column, wish, Kind.NUMERIC, codes, values, tree)


def _with_gap(
    values: NDArray[Any], codes: NDArray[np.int32]
) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Let a column that nobody works on keep its gaps, as NaN or NaT."""
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
                f"column {column.name!r} of {column.source} has {text!r} in row "
                f"{column.first_row(i)}, which is not among its levels"
                f"{did_you_mean(text, levels)} (levels: {', '.join(levels)})"
            )
    codes = recoded(column.codes, np.array([rank[text] for text in texts], dtype=np.int64))
    if column.missing.any():
        if MISSING not in rank:
            if wish.role in (Role.QUASI, Role.SENSITIVE):
                raise MissingValuesError(
                    f"column {column.name!r} of {column.source} is ordinal, and missing has no "
                    f'place in its order: leave these records out with missing="drop", or put '
                    f"{MISSING!r} among its levels"
                )
            levels = (*levels, MISSING)
            rank[MISSING] = len(rank)
        codes = np.where(codes < 0, rank[MISSING], codes).astype(np.int32)
    domain = _objects(levels)
    tree = wish.tree(column.name, domain)
    if tree is not None:
        tree = _ordered_tree(tree, column, levels, [rank[text] for text in texts])
    made = _column(column, wish, Kind.ORDINAL, codes, domain, tree)
    return replace(made, given=_as_they_were(domain, column))


def _categorical(column: Distinct, wish: Wish) -> Column:
    texts = column.texts()
    domain, places = _sorted(texts)
    tree = wish.tree(column.name, domain)
    gaps = bool(column.missing.any())
    if tree is not None:
        _check_leaves(tree, column, texts)
        if (gaps or wish.missing_is_a_value) and MISSING not in tree.leaves:
            tree = tree.with_leaf(MISSING)
        domain = _objects(tree.leaves)
        places = np.array([tree.leaf(text) for text in texts], dtype=np.int64)
    codes = recoded(column.codes, places)
    if gaps:
        if MISSING not in domain:
            domain = np.append(domain, _objects([MISSING]))
        place = int(np.flatnonzero(domain == MISSING)[0])
        codes = np.where(codes < 0, place, codes).astype(np.int32)
    made = _column(column, wish, Kind.CATEGORICAL, codes, domain, tree)
    return replace(made, given=_as_they_were(domain, column))


def _as_they_were(domain: NDArray[Any], column: Distinct) -> NDArray[Any] | None:
    """The values that the table has for a domain of texts: True, and not ``True``."""
    if column.is_text:
        return None
    original = dict(zip(column.texts(), column.values.tolist(), strict=True))
    return _objects([original.get(text, text) for text in domain])


def _sorted(texts: Sequence[str]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The distinct texts in order, and the place of each given one among them."""
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
    records = int(counts[strange].sum())
    others = f" and {len(strange) - 1:,} more" if len(strange) > 1 else ""
    raise HierarchyError(
        f"hierarchy {tree.source} does not have {text!r}{others} of column {column.name!r} "
        f"({records:,} {'record' if records == 1 else 'records'}, the first in row "
        f"{column.first_row(strange[0])} of {column.source}){did_you_mean(text, tree.leaves)} "
        f"({_some_leaves(tree)}); write both alike"
    )


def _some_leaves(tree: Hierarchy, shown: int = 5) -> str:
    """What a hierarchy has, in a few words."""
    more = f", … ({len(tree.leaves):,} in all)" if len(tree.leaves) > shown else ""
    return f"its leaves: {', '.join(tree.leaves[:shown])}{more}"


def _ordered_tree(
    tree: Hierarchy, column: Distinct, domain: Sequence[str], place: Sequence[int] | NDArray[Any]
) -> Hierarchy:
    """The hierarchy of a column that has an order of its own: its leaves are the domain.

    So a node is one interval of codes here too; a node that skips a value in between has no
    meaning for a column whose ranges are ranges of values.
    """
    _check_leaves(tree, column, [domain[i] for i in place])
    leaves = set(tree.leaves)
    lacking = [text for text in domain if text not in leaves]
    if lacking:
        raise HierarchyError(
            f"hierarchy {tree.source} does not have {lacking[0]!r}, a level of column "
            f"{column.name!r}{did_you_mean(lacking[0], tree.leaves)}"
        )
    try:
        return tree.restricted(domain)
    except HierarchyError as error:
        raise HierarchyError(
            f"{error} in the order of column {column.name!r}; if its order means nothing, make "
            f'it categorical with categorical=["{column.name}"]'
        ) from None


def _look_like_numbers(column: Distinct) -> NDArray[Any] | None:
    """The numbers or dates that the values are or all look like; None if they do not."""
    values = column.values
    if not column.is_text:
        return None if values.dtype.kind == "b" else values
    if _all_match(_PLAIN_NUMBER, values):
        numbers = _parsed(values)
        return numbers if np.isfinite(numbers.astype(np.float64)).all() else None
    return _parsed_dates(values)


def stray_texts(column: Distinct) -> list[str]:
    """The few texts, such as ``?``, that keep a column of a text file from being numeric.

    Nothing, if it is numeric, or has more words than numbers.
    """
    if not column.is_text or column.is_category:
        return []
    stray = [text for text in column.values if not _NUMBER.fullmatch(text)]
    return stray if 2 * len(stray) < len(column.values) else []


def has_decimal_commas(column: Distinct) -> bool:
    """Whether a column of texts is all numbers such as ``34,5``."""
    return (
        column.is_text
        and not column.is_category
        and any("," in text for text in column.values)
        and all(_NUMBER.fullmatch(text.replace(",", ".", 1)) for text in column.values)
    )


def _as_numbers(column: Distinct) -> NDArray[Any]:
    """The values as numbers, because the user said so."""
    if not column.is_text:
        return column.values.astype(np.int64) if column.values.dtype == bool else column.values
    if _all_match(_NUMBER, column.values):
        return _parsed(column.values)
    dates = _parsed_dates(column.values)
    if dates is not None:
        return dates
    for i, text in enumerate(column.values):
        if not _NUMBER.fullmatch(text):
            raise InputError(
                f"column {column.name!r} of {column.source} was declared numeric, but has "
                f"{text!r} in row {column.first_row(i)}; if that means missing, say so with "
                f'missing_values={{"{column.name}": ["{text}"]}}'
            )
    return np.empty(0, dtype=np.int64)


def _all_match(pattern: re.Pattern[str], texts: NDArray[Any]) -> bool:
    """Whether there are texts and all of them match. One look is enough for most columns."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(texts) or not pattern.fullmatch(texts[0]):
        return False
    array = pa.array(texts, type=pa.large_string())
    return bool(pc.all(pc.match_substring_regex(array, f"^(?:{pattern.pattern})$")).as_py())


def _parsed(texts: NDArray[Any]) -> NDArray[Any]:
    return texts.astype(np.int64 if _all_match(_WHOLE, texts) else np.float64)


def _parsed_dates(texts: NDArray[Any]) -> NDArray[Any] | None:
    if not _all_match(_DATE, texts):
        return None
    try:
        return texts.astype("datetime64[D]")
    except ValueError:  # the 30th of February
        return None


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = list(values)
    return array
