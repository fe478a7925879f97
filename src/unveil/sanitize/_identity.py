"""No sanitization: the table itself is published. The baseline for everything else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Intervals, Microdata, Release, Statistic, histograms_at
from unveil.sanitize._goals import refuse_empty
from unveil.sanitize._sanitizer import LeaveOneOut, Sanitizer, as_microdata


@dataclass(frozen=True, kw_only=True)
class Identity(Sanitizer):
    """Publish the quasi-identifiers as they are.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 30, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> uv.Identity().sanitize(survey)
    Release by Identity(): 3 records in 2 classes of 1 to 2
      age  records
      30   2
      41   1
    """

    treats_equals_alike: ClassVar[bool] = True
    deterministic: ClassVar[bool] = True
    row_by_row: ClassVar[bool] = True

    @property
    def looks_at_secrets(self) -> bool:
        return False

    def sanitize(self, microdata: Microdata) -> Release:
        microdata = as_microdata(microdata, "Identity")
        refuse_empty(self, microdata)
        cells = microdata.cells
        regions = [Intervals(row, row) for row in cells.codes]
        return self._released(microdata, cells.cell_of, regions)

    def leave_one_out(
        self,
        microdata: Microdata,
        records: NDArray[np.intp],
        statistic: Statistic,
        *,
        jobs: int | None = None,
        done: Callable[[int], None] = lambda _: None,
    ) -> LeaveOneOut:
        """Without i, every count that i was part of is one less; nothing else changes."""
        if statistic is Statistic.COVER:
            present = np.stack(
                [histograms_at(c.codes[records], c.codes, microdata.sensitive)
                 for c in microdata.quasi],
                axis=1, dtype=np.int32, casting="same_kind",
            )  # fmt: skip
        else:
            cells = microdata.cells.cell_of
            present = histograms_at(cells[records], cells, microdata.sensitive).astype(np.int32)
        absent, possible = present.copy(), np.full(len(records), len(microdata) > 1)
        if microdata.several is None:
            absent[np.arange(len(records)), ..., microdata.sensitive.codes[records]] -= 1
        else:
            target, own = microdata.several.beside(records)
            same = microdata.codes[:, own] == microdata.codes[:, records[target]]
            secrets = microdata.sensitive.codes[own]
            if statistic is Statistic.COVER:
                column, pair = np.nonzero(same)
                np.subtract.at(absent, (target[pair], column, secrets[pair]), 1)
            else:
                whole = same.all(axis=0)
                np.subtract.at(absent, (target[whole], secrets[whole]), 1)
            possible[:] = microdata.several.count > 1
        done(len(records))
        return LeaveOneOut(present, absent, possible)

    @property
    def _leaves_out_people(self) -> bool:
        return True
