"""The discrimination rate at work, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np

from unveil.engine.counting import Contingency, Histograms
from unveil.measures._deciding import Extreme
from unveil.measures._partitions import Partition
from unveil.measures.discrimination._entropies import ConditionalEntropy, check_apart
from unveil.measures.discrimination._finding import DiscriminationRate
from unveil.measures.discrimination._telling import KEPT, Telling

__all__ = ["DiscriminationLooking"]


class DiscriminationLooking:
    """Looks at the classes for the discrimination rate, or the semantic one.

    Parameters
    ----------
    counts : Contingency
        What is looked at: its blocks, not those of categories.
    partition : optional
        In any form that `Partition.of` takes.
    listed : int
        How many combinations of values are listed at most.
    """

    def __init__(self, counts: Contingency, *, partition: Any = None, listed: int = KEPT) -> None:
        secret = counts.need_secret("the discrimination rate")
        check_apart(counts)
        self._partition = None if partition is None else Partition.of(partition, secret)
        # What the attacker wants to know, of the same classes.
        self._wanted = counts if self._partition is None else self._partition.merged(counts)
        self._entropy = ConditionalEntropy(self._wanted)
        self._telling = Telling(self._wanted, listed)
        self._most = Extreme(self._wanted)
        self._combinations = 0
        self._determined = 0

    def look(self, block: Histograms) -> None:
        """Take some classes into account."""
        if self._partition is not None:
            block = block.merged(self._partition.groups)
        entropies = self._entropy.look(block)
        self._combinations += int(block.weights.sum())
        self._determined += int((block.weights * block.sizes)[block.distinct == 1].sum())
        if self._entropy.whole > 0:
            shares = block.sizes / self._entropy.rows
            rates = np.clip(1.0 - shares * entropies / self._entropy.whole, 0.0, 1.0)
            self._telling.look(block, entropies, rates)
            self._most.look(block, rates)

    def finding(self) -> DiscriminationRate:
        """What was found, once all classes have been looked at."""
        counts = self._wanted
        assert counts.secret is not None
        return DiscriminationRate(
            rate=self._entropy.rate,
            entropy=self._entropy.whole,
            left=self._entropy.left,
            of=counts.secret.name,
            by=counts.keys,
            partition=self._partition,
            by_value=self._telling.found(),
            combinations=self._combinations,
            determined=self._determined,
            deciding=self._most.deciding(),
            records=counts.rows,
            source=counts.source,
            notes=counts.notes,
        )
