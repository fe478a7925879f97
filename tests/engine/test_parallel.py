"""Parallel work: everything is done once, whatever happens to workers; and tasks on threads."""

import os
import signal
import sys
import threading
from pathlib import Path

import joblib
import numpy as np
import pytest
from dask_cluster import dask_cluster
from distributed import Client

from chaos import forked
from unveil.engine import (
    Backend,
    CannotBeSentError,
    WorkerLost,
    available_cores,
    chosen_backend,
    run_everywhere,
    run_tasks,
    workers,
)
from unveil.errors import InputError

PARTS = list(range(12))


def diary(folder):
    """Work that notes in a folder who does what, and what they are given, which notes who opens it.

    Made here, so that workers get it by value: they cannot import the tests.
    """

    class Shared:
        def __init__(self, folder):
            self.folder = folder

        def __setstate__(self, state):
            import os
            import uuid

            self.__dict__.update(state)
            open(f"{self.folder}/opened-{os.getpid()}-{uuid.uuid4().hex}", "x").close()

    def work(shared, part):
        import os
        import time

        time.sleep(0.02)  # so that everybody gets something to do
        open(f"{shared.folder}/done-{part}-by-{os.getpid()}", "a").close()
        return part * part

    return work, Shared(str(folder))


def noted(folder, kind):
    return [path.name for path in Path(folder).iterdir() if path.name.startswith(kind)]


def results(work, shared, backend, parts=PARTS, **options):
    found = list(run_everywhere(work, shared, parts, backend, **options))
    assert len({number for number, _ in found}) == len(found)  # nothing twice
    return dict(found)


@pytest.mark.parametrize("backend", [None, "loky", "threading", "multiprocessing", "sequential"])
def test_every_part_is_done_once_wherever(tmp_path, backend):
    work, shared = diary(tmp_path)
    found = results(work, shared, chosen_backend(2, backend))
    assert found == {part: part * part for part in PARTS}
    assert len(noted(tmp_path, "done")) == len(PARTS)


def test_what_is_shared_is_opened_once_by_each_process(tmp_path):
    work, shared = diary(tmp_path)
    results(work, shared, chosen_backend(2, None))
    openers = [name.split("-")[1] for name in noted(tmp_path, "opened")]
    workers = {name.split("-")[-1] for name in noted(tmp_path, "done")}
    assert sorted(openers) == sorted(workers)  # no process twice
    assert str(os.getpid()) not in workers


def test_one_job_is_done_in_this_process_without_packing_anything():
    lock = threading.Lock()  # cannot be sent anywhere
    assert results(lambda _, part: part, lock, chosen_backend(1, None)) == {n: n for n in PARTS}


@pytest.mark.parametrize("backend", ["threading", "sequential"])
def test_threads_share_what_cannot_be_packed(backend):
    lock = threading.Lock()
    assert len(results(lambda _, part: part, lock, chosen_backend(2, backend))) == len(PARTS)


def test_what_cannot_be_sent_is_said_before_work_starts():
    with pytest.raises(CannotBeSentError, match="lock"):
        results(lambda _, part: part, threading.Lock(), chosen_backend(2, None))


def kills_once(folder):
    """Work that ends its own process the first time it meets part 5."""

    def work(shared, part):
        import os
        import signal
        from pathlib import Path

        died = Path(shared) / "died"
        if part == 5 and not died.exists():
            died.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return part + 1

    return work, str(folder)


def test_a_killed_process_takes_nothing_with_it(tmp_path):
    work, shared = kills_once(tmp_path)
    found = results(work, shared, chosen_backend(2, None))
    assert (tmp_path / "died").exists()
    assert found == {part: part + 1 for part in PARTS}


def test_a_part_that_ends_everybody_who_tries_it_is_given_up_and_the_others_are_done():
    def work(shared, part):
        import os
        import signal

        if part == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return part + 1

    found = results(work, None, chosen_backend(2, None), parts=range(8))
    assert isinstance(found.pop(5), WorkerLost)
    assert found == {part: part + 1 for part in range(8) if part != 5}


@pytest.mark.parametrize("jobs", [1, 2])
def test_when_it_is_enough_what_was_begun_is_finished_and_is_a_beginning(tmp_path, jobs):
    work, shared = diary(tmp_path)
    asked = iter(range(100))
    found = results(work, shared, chosen_backend(jobs, None), enough=lambda: next(asked) >= 5)
    assert sorted(found) == list(range(5))


def test_errors_of_the_work_come_through():
    def work(shared, part):
        raise ZeroDivisionError("for everybody")

    for jobs in (1, 2):
        with pytest.raises(ZeroDivisionError, match="for everybody"):
            results(work, None, chosen_backend(jobs, None))


def test_joblibs_own_configuration_is_heard():
    with joblib.parallel_config(backend="threading", n_jobs=3):
        backend = chosen_backend(None, None)
    assert (backend.kind, backend.jobs) == ("here", 3)
    with joblib.parallel_config(n_jobs=1):
        assert chosen_backend(None, None) == Backend("here", 1)
    assert chosen_backend(2, None).config == {"backend": "loky"}


def test_an_unknown_backend_is_named():
    with pytest.raises(InputError, match="joblib has no backend 'carrier-pigeons'"):
        chosen_backend(2, "carrier-pigeons")


def test_dask_without_a_client_says_what_to_do():
    with pytest.raises(InputError, match="needs a client"):
        chosen_backend(None, "dask")


def test_a_dask_cluster_does_it_and_loses_a_worker(tmp_path):
    work, shared = diary(tmp_path)
    with dask_cluster(tmp_path) as cluster, Client(cluster.address) as client:
        client.wait_for_workers(2, timeout=60)
        assert results(work, shared, chosen_backend(None, "dask")) == {n: n * n for n in PARTS}
        pids = {str(worker.pid) for worker in cluster.workers}
        assert {name.split("-")[-1] for name in noted(tmp_path, "done")} == pids
        openers = [name.split("-")[1] for name in noted(tmp_path, "opened")]
        assert set(openers) <= pids
        assert len(openers) == len(set(openers))  # shipped once, not once a part

        with joblib.parallel_config(backend="dask"):  # joblib's own words mean the same
            found = {}
            for number, result in run_everywhere(
                work, shared, range(60), chosen_backend(None, None)
            ):
                if len(found) == 3:
                    cluster.workers[0].send_signal(signal.SIGKILL)
                found[number] = result
        assert found == {n: n * n for n in range(60)}
        assert cluster.workers[0].wait() != 0


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


@pytest.mark.parametrize("jobs", [1, 2, 7, None])
def test_all_tasks_and_what_comes_of_them_are_run_once(jobs):
    count = Countdown()
    run_tasks([count(6), count(1)], jobs)
    assert sorted(count.done) == sorted([1, *(n for n in range(1, 7) for _ in range(2 ** (6 - n)))])
    assert len(count.threads) <= (jobs or available_cores())


@pytest.mark.parametrize("jobs", [1, 2])
def test_nothing_to_do(jobs):
    assert run_tasks([], jobs) is None


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


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("kind", [ZeroDivisionError, KeyboardInterrupt])
def test_what_goes_wrong_in_a_task_goes_wrong_for_the_caller(jobs, kind):
    def wrong():
        raise kind

    def leads_to_wrong():
        return [wrong]

    with pytest.raises(kind):
        run_tasks([leads_to_wrong], jobs)


def test_after_a_failure_nothing_new_is_begun():
    begun = []

    def wrong():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_tasks([lambda: begun.append(1) or (), wrong], 1)
    assert begun == []


def test_an_interrupt_at_any_moment_leaves_nothing_that_waits():
    """At each operation of this thread, whether it is ours or the library's."""

    def interrupted(left):
        def trace(frame, event, _):
            nonlocal left
            frame.f_trace_opcodes = True
            left -= event == "opcode"
            if left == 0:
                raise KeyboardInterrupt
            return trace

        count = Countdown()
        sys.settrace(trace)
        try:
            run_tasks([count(2), count(1)], 2)
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(None)
        return False

    def at_every_moment():
        moments = 1
        while interrupted(moments):
            moments += 1
        assert moments > 100
        threading._shutdown()  # as at the end of a process

    assert forked(at_every_moment) == 0


@pytest.mark.parametrize("jobs", [0, -1, 1.5, "2", True])
def test_the_number_of_jobs_is_a_whole_number_from_1_up(jobs):
    with pytest.raises(InputError) as error:
        run_tasks([], jobs)
    assert str(error.value) == f"jobs= must be a whole number from 1 up, got {jobs!r}"


def test_as_many_workers_as_cores_by_default(monkeypatch):
    assert workers(None) == available_cores()
    assert workers(np.int64(3)) == 3
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert available_cores() == os.cpu_count()
