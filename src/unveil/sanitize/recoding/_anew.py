"""The counts with and without each record the long way, where there is no shorter one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from unveil.engine import Task, run_tasks
from unveil.errors import GoalError
from unveil.microdata import Microdata, Statistic
from unveil.sanitize._sanitizer import LeaveOneOut, Sanitizer

__all__ = ["run_anew"]


def run_anew(
    sanitizer: Sanitizer,
    microdata: Microdata,
    records: NDArray[np.intp],
    statistic: Statistic,
    *,
    n_jobs: int | None,
    done: Callable[[int], None],
) -> LeaveOneOut:
    """Sanitize without one record of each kind; the sanitizer must treat equal ones alike."""
    codes = microdata.codes
    present = sanitizer.sanitize(microdata).statistic(statistic, codes[:, records])
    absent = np.zeros_like(present)
    possible = np.zeros(len(records), dtype=bool)
    kinds, kind_of = np.unique(microdata.distinct_of[records], return_inverse=True)

    def task(kind: int) -> Task:
        def leave_out() -> list[Task]:
            which = np.flatnonzero(kind_of == kind)
            record = int(records[which[0]])
            try:
                release = sanitizer.sanitize_without(microdata, record)
            except GoalError:
                return []
            absent[which] = release.statistic(statistic, codes[:, [record]])
            possible[which] = True
            done(len(which))
            return []

        return leave_out

    run_tasks([task(kind) for kind in range(len(kinds))], n_jobs)
    return LeaveOneOut(present.astype(np.int32), absent.astype(np.int32), possible)
