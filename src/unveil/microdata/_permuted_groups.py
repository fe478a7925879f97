"""Names and numbers that a permuted release and its reader share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.errors import MissingValuesError
from unveil.microdata._distinct import Distinct

__all__ = ["WHOLE", "combinations", "free_name", "numbered_groups", "refuse_gaps"]

WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)
"""A number that a group may be called by."""


def combinations(codes: NDArray[np.integer]) -> NDArray[np.int64]:
    """A number for each column of the codes, the same where they are alike in every row.

    >>> combinations(np.array([[0, 1, 0, 1], [2, 0, 2, 1]])).tolist()
    [0, 1, 0, 2]
    """
    numbers = np.zeros(codes.shape[1], dtype=np.int64)
    for row in codes:
        # Numbered anew after each row: so the numbers stay small, whatever the domains.
        pairs = numbers * (int(row.max(initial=0)) + 1) + row
        numbers = np.unique(pairs, return_inverse=True)[1].astype(np.int64)
    return numbers


def free_name(name: str, taken: Iterable[str]) -> str:
    """A column's name, or a longer one if another column has it.

    >>> free_name("group", ["age"]), free_name("group", ["age", "group"])
    ('group', 'group in the release')
    """
    names = set(taken)
    while name in names:
        name += " in the release"
    return name


def refuse_gaps(column: Distinct) -> None:
    """Every row must have a value."""
    if column.missing.any():
        row = int(column.rows[np.argmax(column.missing)]) + 1
        raise MissingValuesError(
            f"row {row}, column {column.name!r} of {column.source} is empty: a permuted release "
            "needs a value in every row; if missing is a value like any other, write '(missing)'"
        )


def numbered_groups(
    columns: Sequence[Distinct],
) -> tuple[tuple[str, ...], list[NDArray[np.int32]]]:
    """The names of all groups in some columns, numbers first, and each row's group."""
    texts = [[text.strip() for text in column.texts()] for column in columns]
    names = sorted({name for each in texts for name in each}, key=_numbers_first)
    number = {name: i for i, name in enumerate(names)}
    return tuple(names), [
        np.array([number[name] for name in each], dtype=np.int32)[column.codes]
        for each, column in zip(texts, columns, strict=True)
    ]


def _numbers_first(name: str) -> tuple[bool, int, str]:
    is_number = WHOLE.fullmatch(name) is not None
    return not is_number, int(name) if is_number else 0, name
