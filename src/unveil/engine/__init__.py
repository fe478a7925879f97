"""Beneath attacks and measures: parallel work, durations, progress, and what long work keeps."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.engine._budget import UNITS, Budget, parse_budget
    from unveil.engine._care import (
        Owner,
        Started,
        dying_with,
        for_a_while,
        started,
        sweep,
        temporary_folder,
        this_process,
    )
    from unveil.engine._fingerprints import value_fingerprint
    from unveil.engine._journal import (
        Journal,
        Kept,
        checkpointed,
        journalled,
        kept,
        packed,
        unpacked,
        within,
    )
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
    from unveil.engine._progress import (
        Compiling,
        Forecast,
        Progress,
        Step,
        StepsShown,
        parse_duration,
        parse_memory,
    )
    from unveil.engine._run_folder import (
        Plan,
        RunFolder,
        current_run,
        file_fingerprints,
        opened_run,
        planned,
        run_of_call,
    )

__all__, __getattr__ = lazily(__name__)
