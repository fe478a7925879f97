"""Beneath attacks and measures: parallel work, durations and progress."""

from unveil.engine._durations import Forecast, Step, parse_duration, parse_memory
from unveil.engine._parallel import (
    Backend,
    CannotBeSentError,
    Task,
    WorkerLost,
    available_cores,
    chosen_backend,
    run_everywhere,
    run_tasks,
    workers,
)
from unveil.engine._progress import Compiling, Progress, StepsShown

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
