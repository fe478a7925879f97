"""Tasks that make tasks, on one thread or several."""

import os
import threading

import numpy as np
import pytest

from unveil.engine import available_cores, run_tasks, workers
from unveil.errors import InputError


class Countdown:
    """A task that does its part and leaves two smaller ones, down to nothing."""

    def __init__(self):
        self.done, self.threads, self.lock = [], set(), threading.Lock()

    def __call__(self, n):
        def task():
            with self.lock:
                self.done.append(n)
                self.threads.add(threading.get_ident())
            return (self(n - 1) for _ in range(2) if n > 1)

        return task


@pytest.mark.parametrize("n_jobs", [1, 2, 7, None])
def test_all_tasks_and_what_comes_of_them_are_run_once(n_jobs):
    count = Countdown()
    run_tasks([count(6), count(1)], n_jobs)
    assert sorted(count.done) == sorted([1, *(n for n in range(1, 7) for _ in range(2 ** (6 - n)))])
    assert len(count.threads) <= (n_jobs or available_cores())


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_nothing_to_do(n_jobs):
    assert run_tasks([], n_jobs) is None


def test_one_job_runs_in_one_thread_of_its_own_the_newest_first():
    count = Countdown()
    run_tasks([count(1), count(2)], 1)
    assert count.done == [2, 1, 1, 1]
    assert len(count.threads) == 1
    assert count.threads != {threading.get_ident()}  # interrupts are noticed in the caller's


def test_several_run_at_a_time():
    both, met = threading.Barrier(2, timeout=30), []

    def task():
        both.wait()
        met.append(threading.get_ident())
        return ()

    run_tasks([task, task], 2)
    assert len(set(met)) == 2


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("kind", [ZeroDivisionError, KeyboardInterrupt])
def test_what_goes_wrong_in_a_task_goes_wrong_for_the_caller(n_jobs, kind):
    def wrong():
        raise kind

    def leads_to_wrong():
        return [wrong]

    with pytest.raises(kind):
        run_tasks([leads_to_wrong], n_jobs)


def test_after_a_failure_nothing_new_is_begun():
    begun = []

    def wrong():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_tasks([lambda: begun.append(1) or (), wrong], 1)
    assert begun == []


@pytest.mark.parametrize("n_jobs", [0, -1, 1.5, "2", True])
def test_the_number_of_jobs_is_a_whole_number_from_1_up(n_jobs):
    with pytest.raises(InputError) as error:
        run_tasks([], n_jobs)
    assert str(error.value) == f"n_jobs must be a whole number from 1 up, got {n_jobs!r}"


def test_as_many_workers_as_cores_by_default(monkeypatch):
    assert workers(None) == available_cores()
    assert workers(np.int64(3)) == 3
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert available_cores() == os.cpu_count()
