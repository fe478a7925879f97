"""A published table, read where the original is not at hand.

What a cell covers depends on which values its column has. Without the original they are said by
whoever reads the release, or by a hierarchy, or they are those that the release names itself: its
exact values, the members of its sets, and whole numbers between the bounds of its intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, did_you_mean
from unveil.microdata._column import Column, Kind, Role, value_text
from unveil.microdata._distinct import distinct_values
from unveil.microdata._encode import Wish, encode
from unveil.microdata._hierarchy import Hierarchy
from unveil.microdata._microdata import Microdata
from unveil.microdata._notations import (
    EMPTY_WORDS,
    bounded,
    in_house_list,
    in_list,
    one_sided,
    range_parts,
    split_bounds,
)
from unveil.microdata._options import HierarchiesOption, Names, Options
from unveil.microdata._regions import Intervals, Regions, Sets
from unveil.microdata._release import Release
from unveil.microdata._release_reader import read_release
from unveil.microdata._release_source import column_cells, open_release
from unveil.microdata._sources import Source

__all__ = ["read_release_alone"]

_MOST_NUMBERS = 1_000_000  # between the bounds of intervals


def read_release_alone(
    table: Any,
    *,
    quasi: Names,
    sensitive: str,
    values: Mapping[str, Sequence[Any]] | None = None,
    numeric: Names = (),
    ordinal: Mapping[str, Sequence[Any]] | None = None,
    categorical: Names = (),
    hierarchies: HierarchiesOption = None,
    made_by: str = "somebody",
    notation: Mapping[str, str] | None = None,
    count: str | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
) -> Release:
    """Read a table of generalized cells without its original.

    Parameters
    ----------
    table : path, pandas, polars or Arrow table, or a mapping of columns
        As in `read_release`.
    quasi, sensitive : str or sequence of str, str
        Which columns the quasi-identifiers are, and which is the sensitive one.
    values : mapping of str to sequence, optional
        All values that a quasi-identifier may have. Otherwise they are its levels, if it is
        ordinal, or the leaves of its hierarchy, or those that the cells name: exact values, members
        of sets, and the whole numbers between the bounds of intervals.
    numeric, ordinal, categorical, hierarchies
        As in `read_csv`.
    made_by, notation, count, delimiter, encoding
        As in `read_release`.

    Raises
    ------
    InputError
        Also if the cells do not tell which values a column has, as ``4550*`` does not.

    Examples
    --------
    >>> published = {"age": ["30-34", "30-34", "35-39"], "vote": ["a", "b", "a"]}
    >>> release = read_release_alone(published, quasi="age", sensitive="vote")
    >>> release.quasi[0].texts
    ('30', '31', '32', '33', '34', '35', '36', '37', '38', '39')
    >>> release.counts.tolist()
    [[1, 1], [1, 0]]
    """
    source = open_release(table, delimiter=delimiter, encoding=encoding)
    options = Options(
        quasi=quasi, sensitive=sensitive, identifier=(), numeric=numeric, ordinal=ordinal,
        categorical=categorical, hierarchies=hierarchies, missing="error", missing_values=None,
    )  # fmt: skip
    told = _Told(source=source, options=options, values=values or {})
    original = told.stand_in(count)
    given: dict[str, Any] = {
        "made_by": made_by, "notation": notation, "count": count, "delimiter": delimiter,
        "encoding": encoding,
    }  # fmt: skip
    release = read_release(table, original, **given)
    # Again, with records that are where the release says, lest its notes are about others.
    fitting = [
        replace(column, codes=_some_code(regions)[release.class_of])
        for column, regions in zip(release.quasi, release.regions, strict=True)
    ]
    original = replace(original, columns=(*fitting, release.sensitive), notes=tuple(told.notes))
    return read_release(table, original, **given)


@dataclass(frozen=True, kw_only=True)
class _Told:
    """What is known of the columns."""

    source: Source
    options: Options
    values: Mapping[str, Sequence[Any]]
    notes: list[str] = field(default_factory=list)

    def stand_in(self, count: str | None) -> Microdata:
        """A table with the columns' values, and the release's own secrets."""
        roles = self.options.roles(self.source)
        quasi = [name for name, role in roles.items() if role is Role.QUASI]
        for name in self.values:
            if name not in quasi:
                raise InputError(
                    f"values names {name!r}, which is no quasi-identifier"
                    f"{did_you_mean(str(name), quasi)} (those are {', '.join(quasi)})"
                )
        kinds = self.options.kinds(self.source)
        levels = self.options.levels(self.source)
        trees = self.options.hierarchies_for(self.source, roles)
        secret = self._secrets(count)
        columns = []
        for name in quasi:
            tree = trees.get(name)
            wish = Wish(
                role=Role.QUASI, kind=kinds.get(name), levels=levels.get(name), hierarchy=tree
            )
            texts = self._texts(name, wish, tree if isinstance(tree, Hierarchy) else None)
            columns.append(self._column(name, texts, wish, len(secret.codes)))
        return Microdata(
            columns=(*columns, secret), rows=np.arange(len(secret.codes)), source=self.source.name
        )

    def _secrets(self, count: str | None) -> Column:
        """The sensitive column, of the records that tell a value."""
        name = self.options.sensitive
        cells = column_cells(self.source, name).distinct
        texts = cells.texts()
        told = np.array([_says_something(text) for text in texts] + [False])[cells.codes]
        if not told.any():
            raise InputError(f"no row of {self.source.name} tells a {name}")
        kept = np.array([*texts, ""], dtype=object)[cells.codes][told]
        wish = Wish(
            role=Role.SENSITIVE, kind=self.options.kinds(self.source).get(name),
            levels=self.options.levels(self.source).get(name),
        )  # fmt: skip
        column = encode(_distinct(name, kept.tolist(), self.source.name), wish)
        if count is None:
            return column
        numbers = column_cells(self.source, count).distinct
        weights = [int(text) if text.strip().isdecimal() else 0 for text in numbers.texts()]
        each = np.array([*weights, 0], dtype=np.int64)[numbers.codes][told]
        return replace(column, codes=np.repeat(column.codes, np.maximum(each, 1)))

    def _texts(self, name: str, wish: Wish, tree: Hierarchy | None) -> list[str]:
        """All values of a quasi-identifier."""
        if name in self.values:
            return [value_text(value) for value in self.values[name]]
        if wish.levels is not None:
            return list(wish.levels)
        if tree is not None:
            return list(tree.leaves)
        cells = column_cells(self.source, name).distinct
        found = _named(name, cells.texts(), as_words=wish.kind is Kind.CATEGORICAL)
        self.notes.append(
            f"the values of {name} are taken from the release: {len(found):,} of them, "
            f"{found[0]} to {found[-1]}"
            if len(found) > 1
            else f"the values of {name} are taken from the release: only {found[0]}"
        )
        return found

    def _column(self, name: str, texts: Sequence[str], wish: Wish, n: int) -> Column:
        if not texts:
            raise InputError(f"values names no value of {name}")
        column = encode(_distinct(name, texts, self.source.name), wish)
        return replace(column, codes=np.zeros(n, dtype=np.int32))


def _distinct(name: str, texts: Sequence[str], source: str) -> Any:
    import pyarrow as pa

    array = pa.array(texts, type=pa.large_string())
    return distinct_values(array, name=name, source=source, is_text_file=True)


def _says_something(text: str) -> bool:
    return text.strip() not in EMPTY_WORDS and bool(text.strip().strip("*"))


def _named(name: str, cells: Sequence[str], *, as_words: bool) -> list[str]:
    """The values that cells name; ``as_words``, if what looks like numbers are words."""
    values: dict[str, None] = {}
    bounds: list[float] = []
    for cell in cells:
        text = cell.strip()
        if not _says_something(text):
            continue
        pair = None if as_words else _bounds(text)
        if pair is not None:
            bounds += pair
            continue
        if not as_words and _is_interval(text):
            raise _not_told(
                name, f"which ones lie in {text!r} is a matter of their order",
                f'ordinal={{"{name}": […]}}',
            )  # fmt: skip
        values.update(dict.fromkeys(_members(text)))
    masked = next((text for text in values if "*" in text), None)
    if masked is not None:
        raise _not_told(name, f"cells such as {masked!r} do not tell which values there are")
    if bounds:
        return _numbers(name, bounds, list(values))
    if not values:
        raise _not_told(name, "all its cells are suppressed")
    return sorted(values)


def _members(text: str) -> list[str]:
    """Those of a set in braces or of a program's list in quotes; or the text itself."""
    inner = text[1:-1]
    listed = in_list(inner) if text[0] + text[-1] in ("{}", "[]", "()") else None
    if listed is not None and listed[1]:
        return listed[0]
    return in_house_list(inner) if text[0] + text[-1] == "{}" else [text]


def _bounds(text: str) -> list[float] | None:
    """The numbers between which a cell has its values; None if it is no interval of numbers."""
    sided = one_sided(text)
    if sided is not None:
        number = _number(sided[1])
        return None if number is None else [number]
    brackets = bounded(text)
    for pair in split_bounds(brackets.inner) if brackets is not None else range_parts(text):
        low, high = (_number(one) for one in pair)
        if low is not None and high is not None and low <= high:
            return [low, high]
    return None


def _is_interval(text: str) -> bool:
    """Whether two things stand in brackets, with single quotes around neither of them."""
    brackets = bounded(text)
    return brackets is not None and "'" not in text and any(split_bounds(brackets.inner))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _numbers(name: str, bounds: Sequence[float], values: Sequence[str]) -> list[str]:
    """The whole numbers within the bounds, and those that stand there by themselves."""
    single = [_number(text) for text in values]
    odd = next((text for text, one in zip(values, single, strict=True) if one is None), None)
    if odd is not None:
        raise _not_told(name, f"it has intervals of numbers, and {odd!r} is none")
    all_of_them = [*bounds, *(one for one in single if one is not None)]
    low, high = min(all_of_them), max(all_of_them)
    if not all(float(one).is_integer() for one in all_of_them) or high - low >= _MOST_NUMBERS:
        raise _not_told(name, f"which numbers there are between {low:g} and {high:g} is not known")
    return [str(number) for number in range(int(low), int(high) + 1)]


def _not_told(name: str, why: str, option: str | None = None) -> InputError:
    remedy = option or f'values={{"{name}": […]}}'
    return InputError(
        f"the values of {name!r} cannot be told from the release alone: {why}; say them with "
        f"{remedy}, or give a hierarchy"
    )


def _some_code(regions: Regions) -> NDArray[np.int32]:
    """A value that each class covers, if it covers any."""
    if isinstance(regions, Intervals):
        return np.maximum(regions.low, 0).astype(np.int32)
    assert isinstance(regions, Sets)
    members = np.append(regions.members, 0)
    return members[np.minimum(regions.start[:-1], len(members) - 1)].astype(np.int32)
