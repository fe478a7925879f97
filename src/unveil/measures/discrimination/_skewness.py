"""Skewness: what generalizing took away of what the keys say of the sensitive attribute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from unveil.engine.counting import Contingency, text_of
from unveil.measures._counted import Counting
from unveil.measures._one_pass import entropy
from unveil.measures.discrimination._entropies import (
    check_apart,
    class_entropies,
    discrimination,
)
from unveil.measures.discrimination._finding import why_undefined
from unveil.measures.discrimination._paired import Columns, pairs_of
from unveil.measures.discrimination._ranking import conditional_entropy
from unveil.measures.discrimination._view_findings import RateChange, Skewness, ValueChange

__all__ = ["skewness"]

MOST = 100_000
"""Values of a key that are looked at one by one at most."""

_DIGITS = 12


def skewness(
    original: Any,
    generalized: Any = None,
    *,
    columns: Columns = None,
    of: str | None = None,
    **counting: Unpack[Counting],
) -> Skewness:
    """How much generalizing the keys took away of what they say of the sensitive attribute.

    The discrimination rate of the original key minus that of the generalized one: for each key,
    for all of them together, and for each value. A value is compared with the cell that is
    published for it, 1 − p(y) H(X|y) / H(X) for both; where a value is published in several cells,
    with each of them. Where cells only put values of a key together, nothing of this is negative;
    where they depend on a record's other columns, as local recoding has them, they may say more
    than the value did.

    Parameters
    ----------
    original : Microdata or table
        The original; or a table that has originals and generalized columns side by side.
    generalized : Release, optional
        What was published, its records in the order of the original's.
    columns : str, sequence of str or mapping of str to str, optional
        Quasi-identifiers, by default all; for a table that has both, the generalized column of
        each original: ``{"ZIP": "ZIP*"}``.
    of : str, optional
        By default the sensitive column.
    **counting
        How a table is counted; see `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [28, 36, 47, 53, 72], "gender": ["M", "M", "F", "M", "F"],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"]},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> uv.skewness(patients, uv.Mondrian(k=2).sanitize(patients), columns="age")
    Skewness: what generalizing took away of what the keys say of disease
                            before  after  taken
      age → age (released)   1.000  0.237  0.763
      Of values, least is taken from:
        age=28 in [28, 36]: 0.000
        age=36 in [28, 36]: 0.000
        age=47 in [47, 72]: 0.763
    """
    pairs = pairs_of(generalized, original, columns, counting, "skewness")
    before, after = tuple(pairs.generalized), tuple(pairs.generalized.values())
    both: list[tuple[tuple[str, ...], tuple[str, ...]]]
    both = [((name,), (cells,)) for name, cells in pairs.generalized.items()]
    if len(both) > 1:
        both.append((before, after))
    counts = pairs.counts(of, (*before, *after))
    secret = counts.need_secret("skewness")
    check_apart(counts)
    changes = [
        RateChange(
            original=names,
            generalized=cells,
            before=conditional_entropy(counts.over(names)).rate,
            after=conditional_entropy(counts.over(cells)).rate,
        )
        for names, cells in both
    ]
    values, notes = _values(pairs.generalized, counts)
    undefined = entropy(counts.totals) == 0.0
    return Skewness(
        changes=tuple(changes),
        values=tuple(sorted(values, key=_order)),
        of=secret.name,
        records=counts.rows,
        source=counts.source,
        undefined=why_undefined(secret.name, None) if undefined else None,
        notes=(*counts.notes, *notes),
    )


def _values(
    generalized: Mapping[str, str], counts: Contingency
) -> tuple[list[ValueChange], list[str]]:
    """Each value with each cell published for it."""
    found, notes = [], []
    for name, cells in generalized.items():
        before, after = _rates(counts.over((name,))), _rates(counts.over((cells,)))
        together = _sizes(counts.over((name, cells)))
        if before is None or after is None or together is None:
            notes.append(f"{name} has too many values to compare them one by one")
            continue
        found += [
            ValueChange(
                key=name, value=value, cell=cell, records=records,
                before=before[(value,)], after=after[(cell,)],
            )
            for (value, cell), records in together.items()
        ]  # fmt: skip
    return found, notes


def _rates(counts: Contingency) -> dict[tuple[str, ...], float | None] | None:
    """The rate of each value of the keys; None where there are too many."""
    whole = entropy(counts.totals)
    rates: dict[tuple[str, ...], float | None] = {}
    for block in counts.blocks():
        if (block.weights > 1).any() or len(rates) + len(block) > MOST:
            return None
        left = block.sizes / counts.rows * class_entropies(block)
        for g in range(len(block)):
            rates[_texts(block.key_of(g))] = discrimination(float(left[g]), whole)
    return rates


def _sizes(counts: Contingency) -> dict[tuple[str, ...], int] | None:
    """How many records have each combination; None where there are too many."""
    sizes: dict[tuple[str, ...], int] = {}
    for block in counts.blocks():
        if (block.weights > 1).any() or len(sizes) + len(block) > MOST:
            return None
        for g in range(len(block)):
            sizes[_texts(block.key_of(g))] = int(block.sizes[g])
    return sizes


def _texts(values: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(text_of(value) for value in values)


def _order(one: ValueChange) -> tuple[float, int]:
    return round(one.taken or 0.0, _DIGITS), -one.records
