"""How many classes have each size: all that uniqueness, and estimates of a population, need."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

__all__ = ["ClassSizes"]


class ClassSizes:
    """Sizes of classes and how many classes have each, gathered some classes at a time.

    A table of n records has fewer than √(2n) different sizes, so this is small however many
    classes there are.

    Examples
    --------
    >>> found = ClassSizes()
    >>> found.look(np.array([1, 3, 1]), np.array([10, 1, 5]))
    >>> found.sizes.tolist(), found.numbers.tolist()
    ([1, 3], [15, 1])
    >>> found.records, found.classes, found.alone
    (18, 16, 15)
    """

    def __init__(self) -> None:
        self._numbers: Counter[int] = Counter()

    def look(self, sizes: NDArray[np.int64], weights: NDArray[np.int64]) -> None:
        """Take some classes into account; ``weights`` says how many there are of each."""
        values, place = np.unique(sizes, return_inverse=True)
        numbers = np.zeros(len(values), dtype=np.int64)
        np.add.at(numbers, place.ravel(), weights)
        for size, number in zip(values.tolist(), numbers.tolist(), strict=True):
            self._numbers[size] += number

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The sizes that occur, ascending."""
        return np.array(sorted(self._numbers), dtype=np.int64)

    @property
    def numbers(self) -> NDArray[np.int64]:
        """How many classes have each of them."""
        return np.array([self._numbers[size] for size in sorted(self._numbers)], dtype=np.int64)

    @property
    def records(self) -> int:
        """Records in all classes."""
        return sum(size * number for size, number in self._numbers.items())

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return sum(self._numbers.values())

    @property
    def smallest(self) -> int:
        """Records in the smallest class."""
        return min(self._numbers)

    @property
    def alone(self) -> int:
        """Classes of one record."""
        return self._numbers[1]

    def number_of(self, size: int) -> int:
        """How many classes have this size."""
        return self._numbers[size]

    def in_classes_up_to(self, size: int) -> int:
        """Records in classes of at most this size."""
        return sum(one * number for one, number in self._numbers.items() if one <= size)
