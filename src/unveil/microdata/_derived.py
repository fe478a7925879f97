"""What is known of a column's values before any of its cells has been read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.microdata._distinct import Distinct

__all__ = ["Derived", "listed_values"]


class Derived(NamedTuple):
    """A domain that nobody has said, and how it was come by."""

    values: NDArray[Any]
    words: str
    """What it was taken to be, as in "the whole numbers from 17 to 90"."""


def listed_values(
    name: str, values: Sequence[str] | NDArray[Any], source: str, *, is_category: bool = False
) -> Distinct:
    """Values, each once, as a column in which they stand one below the other.

    Unless ``is_category`` says that texts are names, they may be numbers.
    """
    array = values
    if not isinstance(array, np.ndarray):
        array = np.empty(len(values), dtype=object)
        array[:] = list(values)
    places = np.arange(len(array))
    return Distinct(
        name=name, source=source, codes=places.astype(np.int32), values=array, rows=places,
        is_category=is_category,
    )  # fmt: skip
