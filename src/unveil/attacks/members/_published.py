"""A sanitizer that may be random, after it has published a table once.

Whoever compares two releases must not be helped by noise that is the same in both, nor misled by
comparing some people with one release of the table and other people with another one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Text
from unveil.microdata import AnyRelease, Microdata
from unveil.sanitize import Sanitizer

__all__ = ["published"]


def published(sanitizer: Sanitizer, table: Microdata, release: AnyRelease, seed: int) -> Sanitizer:
    """The sanitizer, with what it has published; itself where it would publish that again."""
    same_again = sanitizer.deterministic or sanitizer.row_by_row
    if same_again or sanitizer.leaves_one_out:
        return sanitizer
    return _Published(sanitizer, table, release, seed)


class _Published(Sanitizer):
    """Gives the release that is there, and for every other table one with noise of its own."""

    def __init__(
        self, sanitizer: Sanitizer, table: Microdata, release: AnyRelease, seed: int
    ) -> None:
        self.sanitizer, self.table, self.release, self.seed = sanitizer, table, release, seed

    @property
    def label(self) -> str:
        return self.sanitizer.label

    def sanitize(self, microdata: Microdata) -> AnyRelease:
        return self.release if microdata is self.table else self._anew(0).sanitize(microdata)

    def sanitize_without(self, microdata: Microdata, record: int) -> AnyRelease:
        return self._anew(1 + record).sanitize_without(microdata, record)

    def can_leave_out(self, microdata: Microdata) -> NDArray[np.intp] | None:
        return self.sanitizer.can_leave_out(microdata)

    def missing_of(self, microdata: Microdata, records: NDArray[np.intp]) -> Text | None:
        return self.sanitizer.missing_of(microdata, records)

    def _anew(self, number: int) -> Sanitizer:
        state = np.random.SeedSequence([self.seed, 4, number]).generate_state(1, np.uint64)
        return self.sanitizer.with_seed(int(state[0]))
