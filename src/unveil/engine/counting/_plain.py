"""Columns in types that all engines know, with one way to write each value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unveil.errors import InputError

if TYPE_CHECKING:
    import ibis

__all__ = ["plain_array", "plain_columns", "stripped"]


def plain_array(array: Any) -> Any:
    """An Arrow column: categories as what they are categories of, times as clocks showed them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if pa.types.is_dictionary(kind):
        return plain_array(array.cast(kind.value_type))
    if pa.types.is_timestamp(kind):
        return _microseconds(array if kind.tz is None else pc.local_timestamp(array))
    if pa.types.is_unsigned_integer(kind):
        most = pc.max(array).as_py() or 0
        return array.cast(pa.int64() if most < 2**63 else pa.decimal128(20, 0))
    texts = pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    if texts or pa.types.is_null(kind):
        return array.cast(pa.string())
    if pa.types.is_float16(kind):
        return array.cast(pa.float32())
    return array.cast(pa.date32()) if pa.types.is_date64(kind) else array


def _microseconds(array: Any) -> Any:
    import pyarrow as pa

    try:
        return array.cast(pa.timestamp("us"))
    except pa.ArrowInvalid:  # finer, or longer ago, than that can be written
        return array


def plain_columns(table: ibis.Table, name: str, secret: str | None) -> ibis.Table:
    """The columns of an engine's table, with what is missing everywhere in this house missing.

    That is what is not a number (NaN), and blank texts. And there is no -0. The texts of the
    secret stay as they are: what they mean is found out from those that there are.
    """
    import ibis

    changed = {}
    for column, kind in table.schema().items():
        if kind.is_nested():
            raise InputError(
                f"column {column!r} of {name} has lists or records in its cells; write them as "
                "texts"
            )
        if kind.is_string() and column != secret:
            blank = stripped(table[column], table.get_backend().name) == ""
            changed[column] = blank.ifelse(ibis.null(kind), table[column])
        elif kind.is_floating():
            changed[column] = _plain_floats(table[column])
        elif kind.is_timestamp() and kind.timezone is not None:
            changed[column] = table[column].cast("timestamp")
        elif kind.is_uuid():
            changed[column] = table[column].cast("string")
    return table.mutate(**changed) if changed else table


def _plain_floats(column: Any) -> Any:
    import ibis

    kind = column.type()
    return ibis.cases(
        (column.isnan(), ibis.null(kind)), (column == 0, ibis.literal(0.0, kind)), else_=column
    )


def stripped(column: Any, engine: str) -> Any:
    """Texts without the blanks around them."""
    import ibis

    if engine != "pyspark":
        return column.strip()
    # Ibis spells a vertical tab and a form feed in a way that Spark reads as the letters v and f.
    trim = ibis.udf.scalar.builtin(_trim, name="btrim", signature=(("string", "string"), "string"))
    return trim(column, " \t\n\r")


def _trim(text, characters):  # type: ignore[no-untyped-def]
    """Spark's own."""
