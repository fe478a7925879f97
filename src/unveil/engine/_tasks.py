"""Work that makes more work, on a few threads.

Kernels release the interpreter lock, so threads are enough and nothing is copied. The order in
which tasks finish varies; callers write to places of their own, so results do not.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from numbers import Integral
from typing import TypeAlias

from unveil.errors import InputError

__all__ = ["Task", "available_cores", "run_tasks", "workers"]

Task: TypeAlias = Callable[[], Iterable["Task"]]
"""Something to do, which returns what is to be done next."""


def available_cores() -> int:
    """The cores this process may use.

    >>> available_cores() >= 1
    True
    """
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not every system tells
        return os.cpu_count() or 1


def workers(n_jobs: int | None) -> int:
    """How many threads to use: as many as asked for, or one a core."""
    if n_jobs is None:
        return available_cores()
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs < 1:
        raise InputError(f"n_jobs must be a whole number from 1 up, got {n_jobs!r}")
    return int(n_jobs)


def run_tasks(tasks: Iterable[Task], n_jobs: int | None = None) -> None:
    """Run tasks, and the tasks they return, until there are none left.

    The newest is taken first, which keeps what is waiting small. Even a single worker has a thread
    of its own: compiled code must not be where an interrupt is noticed.
    """
    n_jobs = workers(n_jobs)
    waiting = list(tasks)
    with ThreadPoolExecutor(n_jobs) as pool:
        running: set[Future[Iterable[Task]]] = set()
        try:
            while waiting or running:
                while waiting and len(running) < n_jobs:
                    running.add(pool.submit(waiting.pop()))
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    waiting.extend(future.result())
        except BaseException:
            for future in running:
                future.cancel()
            raise
