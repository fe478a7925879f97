"""What the cells of a column tell of the values that there are."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

__all__ = ["Derived"]


class Derived(NamedTuple):
    """A domain that nobody has said, and how it was come by."""

    values: NDArray[Any]
    words: str
    """What it was taken to be, as in "the whole numbers from 17 to 90"."""
