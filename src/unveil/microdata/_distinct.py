"""From an Arrow column to its distinct values. Only this module sees all rows of a table.

Whatever is decided about a column (its kind, its order, its place in a hierarchy) is decided on
its distinct values and reaches the rows by indexing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Column as ColumnName
from unveil.errors import File, Foreign, InputError, Message
from unveil.microdata._messages import cell_error
from unveil.microdata._microdata import value_text
from unveil.microdata._sources import Source
from unveil.microdata.dates import coarsest


@dataclass(frozen=True, eq=False, kw_only=True)
class Distinct:
    """A column as read: which of its distinct values each row has.

    Attributes
    ----------
    name, source : str
        The column and its table, for messages.
    codes : int32 array, one per row
        Positions in ``values``, -1 for missing.
    values : array
        Distinct values in no particular order, unless `is_ordered`: texts (object), numbers,
        truth values or points in time.
    is_category : bool
        Whether the table declares texts or categories, even if they look like numbers. The cells
        of a CSV file declare nothing.
    is_ordered : bool
        Whether the table gives the categories an order; ``values`` then has all of them.
    rows : int64 array
        The source row of each row.
    has_lists : bool
        Whether some values are lists, not texts that look like one.
    """

    name: str
    source: str
    codes: NDArray[np.int32]
    values: NDArray[Any]
    rows: NDArray[np.int64]
    is_category: bool = False
    is_ordered: bool = False
    has_lists: bool = False

    @property
    def file(self) -> File:
        """The table, for messages."""
        return File(self.source, bare=True)

    @property
    def where(self) -> Message:
        """The column and its table, for messages."""
        column = ColumnName(self.name)
        return Message("column {column} of {source}", column=column, source=self.file)

    @property
    def is_text(self) -> bool:
        """Whether the values are texts."""
        return self.values.dtype == object

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        return self.codes < 0

    def texts(self) -> list[str]:
        """The distinct values as texts."""
        if self.is_text:
            return list(self.values)
        return [value_text(value) for value in self.values]

    def first_row(self, position: int) -> int:
        """The first row with a distinct value, counted from 1."""
        return int(self.rows[np.argmax(self.codes == position)]) + 1

    def error(self, position: int, text: str, **parts: Any) -> InputError:
        """An error about a distinct value, or -1 for missing, with its first row and column."""
        return cell_error(self.first_row(position), self.name, text, **parts)

    def count(self, positions: Iterable[int]) -> int:
        """Number of rows with one of these distinct values."""
        return int(np.isin(self.codes, list(positions)).sum())

    def without(self, markers: Iterable[Any]) -> Distinct:
        """The same column with these values counted as missing."""
        markers = list(markers)
        if not markers:
            return self
        if self.values.dtype.kind not in "iuf":
            texts = {value_text(marker) for marker in markers}
            gone = np.array([value_text(v) in texts for v in self.values], dtype=bool)
        else:
            gone = np.isin(self.values, _numbers(markers))
        return self._dropping(gone) if gone.any() else self

    def take(self, keep: NDArray[np.bool_]) -> Distinct:
        """Some of the rows, and only the values that occur in them."""
        kept = replace(self, codes=self.codes[keep], rows=self.rows[keep])
        if self.is_ordered:
            return kept
        present = np.zeros(len(self.values), dtype=bool)
        present[kept.codes[kept.codes >= 0]] = True
        return kept if present.all() else kept._dropping(~present)

    def observed(self) -> Distinct:
        """The same column without its own order and without categories that no row has."""
        return replace(self, is_ordered=False).take(np.ones(len(self.codes), dtype=bool))

    def _dropping(self, gone: NDArray[np.bool_]) -> Distinct:
        renumbered = np.where(gone, -1, np.cumsum(~gone) - 1).astype(np.int32)
        return replace(self, values=self.values[~gone], codes=recoded_codes(self.codes, renumbered))


def recoded_codes(codes: NDArray[np.int32], mapping: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
    """Send codes through a mapping; missing stays missing."""
    return np.append(mapping, -1).astype(np.int32)[codes]


def distinct_of(source: Source, name: str) -> Distinct:
    """The distinct values of a column of a table."""
    source.check_readable(name)
    if name not in source.looked_at:
        source.looked_at[name] = distinct_values(
            source.arrays[name], name=name, source=source.name, is_text_file=source.is_text_file
        )
    found: Distinct = source.looked_at[name]
    return found


def distinct_values(array: Any, *, name: str, source: str, is_text_file: bool) -> Distinct:
    """Split an Arrow column into codes and distinct values.

    In a text file, blanks around cells are ignored, and texts may be numbers. Types other than
    numbers, texts, truth values and dates are refused.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    array = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    given = array.type
    is_dictionary = pa.types.is_dictionary(given)
    _refuse(given.value_type if is_dictionary else given, name, source)
    try:
        if not is_dictionary:
            array = pc.dictionary_encode(_plain(array))
        encoded = array.unify_dictionaries().combine_chunks()
        codes = encoded.indices.cast(pa.int32()).fill_null(-1).to_numpy(zero_copy_only=False)
        mapping, values = _merged(_plain(encoded.dictionary), strip=is_text_file)
    except pa.ArrowException as error:  # such as a time zone that there is not
        raise InputError(
            "column {column} of {source} cannot be read: {why}", column=ColumnName(name),
            source=File(source, bare=True), why=Foreign(str(error)),
        ) from None  # fmt: skip
    column = Distinct(
        name=name, source=source, codes=recoded_codes(codes, mapping), values=values,
        rows=np.arange(len(codes), dtype=np.int64),
        is_category=not is_text_file and (is_dictionary or values.dtype == object),
        is_ordered=is_dictionary and given.ordered,
    )  # fmt: skip
    return column if column.is_ordered else column.observed()


def _refuse(value_type: Any, name: str, source: str) -> None:
    from pyarrow import types

    usable = (
        types.is_null, types.is_boolean, types.is_integer, types.is_floating, types.is_decimal,
        types.is_date, types.is_timestamp, types.is_string, types.is_large_string,
        getattr(types, "is_string_view", types.is_string),
    )  # fmt: skip
    if not any(is_one(value_type) for is_one in usable):
        raise InputError(
            "column {column} of {source} has values of type {type}, which cannot be used; convert "
            "them to numbers, texts or dates first", column=ColumnName(name),
            source=File(source, bare=True), type=str(value_type),
        )  # fmt: skip


def _plain(array: Any) -> Any:
    """The same values in a type that Arrow can encode and numpy can hold."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import types

    given = array.type
    if types.is_decimal(given) or types.is_float16(given):
        return array.cast(pa.float64())
    if types.is_date64(given):
        return array.cast(pa.date32())
    if types.is_timestamp(given):  # local time, not UTC
        return array if given.tz is None else pc.local_timestamp(array)
    return array if types.is_primitive(given) else array.cast(pa.large_string())


def _merged(dictionary: Any, *, strip: bool) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """The distinct values, and which of them each given one becomes; -1 for missing.

    Null, NaN and blank texts are missing. If stripped, texts that differ only in the blanks around
    them are one value.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_large_string(dictionary.type):
        stripped = pc.utf8_trim_whitespace(dictionary)
        blank = pc.equal(stripped, "")
        dictionary = pc.if_else(blank, None, stripped if strip else dictionary)
    encoded = dictionary.dictionary_encode()
    mapping = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    values = encoded.dictionary.to_numpy(zero_copy_only=False)
    if values.dtype.kind == "f":
        is_number = ~np.isnan(values)
        kept = np.where(is_number, np.cumsum(is_number) - 1, -1)
        mapping, values = recoded_codes(mapping, kept), values[is_number] + 0.0  # there is no -0
    elif values.dtype.kind == "M":
        values = coarsest(values)
    elif values.dtype.kind in "iu" and values.dtype != np.uint64:
        values = values.astype(np.int64)
    return mapping, values


def _numbers(markers: Iterable[Any]) -> list[float]:
    found = []
    for marker in markers:
        try:
            found.append(float(marker))
        except (TypeError, ValueError):
            continue  # a marker such as "?" cannot be in a column of numbers
    return found


def objects(values: Sequence[Any]) -> NDArray[Any]:
    """An array of any values, even of sequences."""
    return np.array([*values, None], dtype=object)[:-1]


def listed_values(
    name: str, values: Sequence[str] | NDArray[Any], source: str, *, is_category: bool = False
) -> Distinct:
    """A column of distinct values, one per row. Texts may be numbers unless ``is_category``."""
    array = values if isinstance(values, np.ndarray) else objects(values)
    places = np.arange(len(array))
    return Distinct(
        name=name, source=source, codes=places.astype(np.int32), values=array, rows=places,
        is_category=is_category,
    )  # fmt: skip
