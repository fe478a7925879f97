"""Beneath attacks and measures: tasks on a few threads, and progress."""

from unveil.engine._progress import Progress
from unveil.engine._tasks import Task, available_cores, run_tasks, workers

__all__ = ["Progress", "Task", "available_cores", "run_tasks", "workers"]
