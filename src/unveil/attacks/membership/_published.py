"""The sanitizer whose release is attacked: the same release each time, also if it is random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.shared import reseeded
from unveil.errors import Text
from unveil.microdata import AnyRelease, Microdata
from unveil.sanitize import Sanitizer


def removed_from(sanitizer: Sanitizer, table: Microdata, record: int) -> AnyRelease:
    """The release of a table without the person of a record."""
    if table.several is None:
        return sanitizer.sanitize_without(table, record)
    # Whatever shortcut a sanitizer has for one record, this is the definition.
    if isinstance(sanitizer, _Published):
        return sanitizer.anew(1 + record).sanitize(table.without(record))
    return sanitizer.sanitize(table.without(record))


def published(sanitizer: Sanitizer, table: Microdata, release: AnyRelease, seed: int) -> Sanitizer:
    """The sanitizer, which gives this release of the table again even if it is random.

    An attacker who compares two releases must not profit from noise that both share, nor compare
    some people with one release of the table and other people with another.
    """
    same_again = sanitizer.deterministic or sanitizer.row_by_row
    if same_again or sanitizer.leaves_one_out:
        return sanitizer
    return _Published(sanitizer, table, release, seed)


class _Published(Sanitizer):
    """Gives the existing release, and for every other table one with noise of its own."""

    def __init__(
        self, sanitizer: Sanitizer, table: Microdata, release: AnyRelease, seed: int
    ) -> None:
        self.sanitizer, self.table, self.release, self.seed = sanitizer, table, release, seed

    @property
    def label(self) -> str:
        return self.sanitizer.label

    def sanitize(self, microdata: Microdata) -> AnyRelease:
        return self.release if microdata is self.table else self.anew(0).sanitize(microdata)

    def sanitize_without(self, microdata: Microdata, record: int) -> AnyRelease:
        return self.anew(1 + record).sanitize_without(microdata, record)

    def can_leave_out(self, microdata: Microdata) -> NDArray[np.intp] | None:
        return self.sanitizer.can_leave_out(microdata)

    def missing_of(self, microdata: Microdata, records: NDArray[np.intp]) -> Text | None:
        return self.sanitizer.missing_of(microdata, records)

    def anew(self, number: int) -> Sanitizer:
        """The sanitizer with random numbers of its own."""
        return reseeded(self.sanitizer, self.seed, 4, number)
