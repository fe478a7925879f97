"""Goals that a table cannot meet, and the largest that it could."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.errors import GoalError
from unveil.microdata import Microdata
from unveil.sanitize._sanitizer import Sanitizer, refuse_empty

__all__ = ["refuse_few", "refuse_frequent"]


def refuse_few(sanitizer: Sanitizer, microdata: Microdata, k: int) -> None:
    """Not even the whole table is a class of k."""
    refuse_empty(sanitizer, microdata)
    n = len(microdata)
    if n < k:
        raise GoalError(
            f"{sanitizer.public_label} cannot be met: {microdata.source} has {n:,} records, fewer "
            f"than k={k}; the largest possible k is {n}"
        )


def refuse_frequent(
    sanitizer: Sanitizer,
    microdata: Microdata,
    counts: NDArray[np.int64],
    l: int,  # noqa: E741  (it is called l everywhere in this field)
    remark: str = "",
) -> None:
    """Not even in the whole table is every value in 1/ℓ of the records at most.

    The ``counts`` are those of the values in all that is published.
    """
    n, most = int(counts.sum()), int(counts.max())
    if most * l > n:
        value = microdata.sensitive.texts[int(counts.argmax())]
        raise GoalError(
            f"{sanitizer.public_label} cannot be met: {value!r} is the {microdata.sensitive.name} "
            f"of {most:,} of the {n:,} records of {microdata.source}, more than 1/{l} of them; the "
            f"largest possible l is {n // most}{remark}"
        )
