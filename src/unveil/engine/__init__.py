"""Beneath attacks and measures: work on threads, processes and machines, and progress."""

from unveil.engine._durations import parse_duration, parse_memory
from unveil.engine._everywhere import (
    Backend,
    CannotBeSentError,
    WorkerLost,
    chosen_backend,
    run_everywhere,
)
from unveil.engine._progress import Progress
from unveil.engine._tasks import Task, available_cores, run_tasks, workers

__all__ = [
    "Backend",
    "CannotBeSentError",
    "Progress",
    "Task",
    "WorkerLost",
    "available_cores",
    "chosen_backend",
    "parse_duration",
    "parse_memory",
    "run_everywhere",
    "run_tasks",
    "workers",
]
