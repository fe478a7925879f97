"""Beneath attacks and measures: work on threads, processes and machines, and progress."""

from unveil.engine._compiling import Compiling
from unveil.engine._durations import parse_duration, parse_memory
from unveil.engine._everywhere import (
    Backend,
    CannotBeSentError,
    WorkerLost,
    chosen_backend,
    run_everywhere,
)
from unveil.engine._forecast import Forecast, Step
from unveil.engine._progress import Progress
from unveil.engine._steps import StepsShown
from unveil.engine._tasks import Task, available_cores, run_tasks, workers

__all__ = [
    "Backend",
    "CannotBeSentError",
    "Compiling",
    "Forecast",
    "Progress",
    "Step",
    "StepsShown",
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
