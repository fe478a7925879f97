"""Work on many parts: on threads of this process, or on the workers of any joblib backend.

Numba kernels release the interpreter lock, so threads are enough for them and nothing is copied.
Everything else goes through joblib. What all parts share is shipped to each worker once. If a
worker dies, other workers do its unfinished parts again.
"""

from __future__ import annotations

import io
import itertools
import os
import pickle
import sys
import uuid
from _thread import LockType, allocate_lock, start_new_thread
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache, partial
from numbers import Integral
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeAlias, TypeVar

from unveil._memory import is_limited
from unveil.engine._care import Owner, dying_with, for_a_while, this_process
from unveil.errors import Foreign, InputError, MissingExtraError, Option, UnveilError
from unveil.microdata import Microdata

_ROUNDS = 3  # how often all missing parts are tried again, before each is tried alone

Task: TypeAlias = Callable[[], Iterable["Task"]]
"""A piece of work, which returns the tasks that follow from it."""

Shared = TypeVar("Shared")
Part = TypeVar("Part")
Result = TypeVar("Result")


def available_cores() -> int:
    """Number of cores that this process may use.

    >>> available_cores() >= 1
    True
    """
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def workers(jobs: int | None) -> int:
    """Number of threads to use: as given, or one per core."""
    if jobs is None:
        return available_cores()
    if isinstance(jobs, bool) or not isinstance(jobs, Integral) or jobs < 1:
        raise InputError(
            "{option} must be a whole number from 1 up, got {given}",
            option=Option("jobs"), given=repr(jobs),
        )  # fmt: skip
    return int(jobs)


def run_tasks(tasks: Iterable[Task], jobs: int | None = None) -> None:
    """Run tasks, and the tasks they return, until none are left.

    The newest task is taken first, which keeps the queue short. Tasks finish in any order; callers
    write to separate places, so results do not depend on it. Even a single worker has its own
    thread, so that an interrupt is not noticed in compiled code. After an error or an interrupt,
    no task is begun, and those that are running are waited for.
    """
    jobs = workers(jobs)
    waiting, running = list(tasks), 0
    todo: _Queue = SimpleQueue()
    done: _Queue = SimpleQueue()
    busy: list[LockType] = []
    try:
        while waiting or running:
            while waiting and running < jobs:
                if running == len(busy):
                    busy.append(_thread_for(todo, done))
                todo.put(waiting.pop())
                running += 1
            follow, error = done.get()
            running -= 1
            if error is not None:
                raise error
            waiting.extend(follow)
    finally:
        for _ in range(jobs):
            todo.put(None)
        for one in busy:
            one.acquire()


_Queue: TypeAlias = "SimpleQueue[Any]"


def _thread_for(todo: _Queue, done: _Queue) -> LockType:
    """Start a thread that does what it is told, until that is None; it holds a lock until then.

    An interrupt in the middle of Python's own threads, events and pools can leave their locks
    locked, and the process then waits for them at its end, for ever. Calls of these can only be
    interrupted before or after.
    """
    busy = allocate_lock()
    busy.acquire()

    def work() -> None:
        try:
            while (task := todo.get()) is not None:
                try:
                    done.put((task(), None))
                except BaseException as error:
                    done.put(((), error))
        finally:
            busy.release()

    start_new_thread(work, ())
    return busy


class CannotBeSentError(UnveilError):
    """What all parts share cannot be pickled."""


@dataclass(frozen=True)
class WorkerLost:
    """The result of a part that ended every worker that tried it."""

    why: str


@dataclass(frozen=True)
class Backend:
    """Where work is done.

    ``kind`` says how shared data travels: ``here`` not at all (this process), ``file`` through a
    file that all processes of this machine can read, ``dask`` by Dask itself, ``with it`` along
    with each part, for unknown backends.
    """

    kind: str
    jobs: int
    config: dict[str, Any] = field(default_factory=dict)
    """Arguments of joblib's ``parallel_config``."""


def chosen_backend(jobs: int | None, backend: str | None) -> Backend:
    """The backend given here or by joblib's ``parallel_config``; by default processes.

    >>> chosen_backend(1, None).kind
    'here'
    """
    if is_limited():  # a process more would be as much again
        return Backend("here", 1)
    import joblib
    from joblib.parallel import get_active_backend

    if backend is None:
        active, active_jobs = get_active_backend()
        configured = type(active).__name__
        if configured not in ("LokyBackend", "SequentialBackend"):
            return _known(configured, active, jobs or active_jobs)
        jobs = jobs or active_jobs
        jobs = available_cores() if jobs is None else joblib.effective_n_jobs(jobs)
        return Backend("here", 1) if jobs == 1 else Backend("file", jobs, {"backend": "loky"})
    if backend == "dask":
        return _dask(jobs)
    try:
        with joblib.parallel_config(backend=backend):
            active, _ = get_active_backend()
    except (ValueError, ImportError) as error:
        raise InputError(
            "joblib has no backend {given}: {said}",
            given=repr(backend), said=Foreign(str(error)),
        ) from error  # fmt: skip
    return _known(type(active).__name__, active, jobs)


def _known(name: str, active: Any, jobs: int | None) -> Backend:
    """A backend that joblib has already created."""
    import joblib

    if name == "DaskDistributedBackend":
        return _dask(jobs, active.client)
    with joblib.parallel_config(backend=active):
        jobs = joblib.effective_n_jobs(available_cores() if jobs is None else jobs)
    if name == "SequentialBackend" or jobs == 1:
        return Backend("here", 1)
    shares_files = name in ("LokyBackend", "MultiprocessingBackend")
    kind = "here" if name == "ThreadingBackend" else "file" if shares_files else "with it"
    return Backend(kind, jobs, {"backend": active})


def _dask(jobs: int | None, client: Any = None) -> Backend:
    try:
        from distributed import get_client
    except ImportError as error:
        raise MissingExtraError(
            "Dask is not installed; install it with: pip install 'unveil[dask]'"
        ) from error
    try:
        client = client or get_client()
    except ValueError:
        raise InputError(
            '{option} needs a client; create one first with distributed.Client("tcp://…:8786")',
            option=Option("backend", "dask"),
        ) from None
    cores = sum(client.ncores().values())
    return Backend("dask", jobs or max(1, cores), {"backend": "dask", "client": client})


def run_everywhere(
    work: Callable[[Shared, Part], Result],
    shared: Shared,
    parts: Sequence[Part],
    backend: Backend,
    *,
    enough: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[int, Result | WorkerLost]]:
    """Yield the number of each part and its result, in the order in which they finish.

    Parts are started in their order. Once ``enough()`` is true no more are started and the running
    ones are finished, so the parts done are always the first ones of ``parts``.

    Raises
    ------
    CannotBeSentError
        If what all parts share cannot be sent to another process.

    Examples
    --------
    >>> sorted(run_everywhere(pow, 2, [1, 2, 3], chosen_backend(1, None)))
    [(0, 2), (1, 4), (2, 8)]
    """
    if backend.kind == "here" and not backend.config:
        for number, part in enumerate(parts):
            if enough():
                return
            yield number, work(shared, part)
        return
    with _shipped(work, shared, backend) as (parcel, config):
        run = partial(_round, parcel, config)
        yield from _until_done(run, dict(enumerate(parts)), backend.jobs, enough)


def _until_done(
    run: Callable[..., Iterator[tuple[int, Any]]],
    waiting: dict[int, Any],
    jobs: int,
    enough: Callable[[], bool],
) -> Iterator[tuple[int, Any]]:
    begun: set[int] = set()
    for _ in range(_ROUNDS):
        try:
            for number, result in run(dict(waiting), jobs, enough, begun):
                begun.discard(number)
                del waiting[number]
                yield number, result
            return
        except _lost_workers():
            # Started parts are done again even if time is up: results must cover the first parts,
            # and not those that happen to be quick.
            continue
    for number, part in waiting.items():
        if number not in begun and enough():
            return
        try:
            [(_, result)] = run({number: part}, 2, lambda: False, set())
            yield number, result
        except _lost_workers() as error:
            yield number, WorkerLost(f"{type(error).__name__}: the worker died")


def _round(
    parcel: _Parcel,
    config: dict[str, Any],
    waiting: dict[int, Any],
    jobs: int,
    enough: Callable[[], bool],
    begun: set[int],
) -> Iterator[tuple[int, Any]]:
    import joblib

    redone = frozenset(begun)

    def begin() -> Iterator[Any]:
        for number, part in waiting.items():
            if number not in redone and enough():
                return
            begun.add(number)
            yield joblib.delayed(_do)(parcel, number, part)

    unordered = getattr(config.get("backend"), "supports_return_generator", True)
    with joblib.parallel_config(**config):
        # Parts are large already, and parts started ahead cannot be stopped.
        pool = joblib.Parallel(
            n_jobs=jobs, batch_size=1, pre_dispatch=jobs, max_nbytes=None,  # no maps on disk
            return_as="generator_unordered" if unordered else "list",
        )  # fmt: skip
        yield from pool(begin())


def _lost_workers() -> tuple[type[BaseException], ...]:
    """What joblib's backends raise if a worker is gone, rather than its work being wrong."""
    from concurrent.futures import CancelledError
    from concurrent.futures.process import BrokenProcessPool

    lost: list[type[BaseException]] = [BrokenProcessPool, CancelledError]
    try:
        from distributed import CancelledError as DaskCancelledError
        from distributed.scheduler import KilledWorker
    except ImportError:
        return tuple(lost)
    return (*lost, DaskCancelledError, KilledWorker)


_numbers = itertools.count()
_unpacked: dict[str, Any] = {}  # the parcel that this process opened last


@dataclass(eq=False)
class _Parcel:
    """The work and what all parts share, packed once; each worker opens it once.

    It is sent along with every part, so it has the content only if that cannot travel otherwise.
    """

    token: str
    packed: Path | bytes | None = None
    """The content, or a file that has it."""
    here: tuple[Callable[..., Any], Any] | None = None
    """Not packed at all, for threads."""
    owner: Owner | None = None
    """The process that works end with, if they are on its machine."""

    def __sizeof__(self) -> int:  # Dask keeps what is large on its workers
        return object.__sizeof__(self) + sys.getsizeof(self.packed)

    def opened(self) -> tuple[Callable[..., Any], Any]:
        """The work and the shared data."""
        if self.here is not None:
            return self.here
        if self.token not in _unpacked:
            assert self.packed is not None
            content = self.packed.read_bytes() if isinstance(self.packed, Path) else self.packed
            _unpacked.clear()  # one at a time: it may be large
            _unpacked[self.token] = pickle.loads(content)
        return _unpacked[self.token]


def _do(parcel: _Parcel, number: int, part: Any) -> tuple[int, Any]:
    import joblib

    work, shared = parcel.opened()
    # Nested parallel work stays in this process: the workers are busy already, and sums added up
    # by several of them would depend on who comes first.
    ends = nullcontext() if parcel.owner is None else dying_with(parcel.owner)
    with ends, joblib.parallel_config(backend="sequential"):
        return number, work(shared, part)


@contextmanager
def _shipped(
    work: Callable[..., Any], shared: Any, backend: Backend
) -> Iterator[tuple[_Parcel, dict[str, Any]]]:
    token = f"{os.getpid()}-{next(_numbers)}-{uuid.uuid4().hex}"
    if backend.kind == "here":  # threads
        yield _Parcel(token, here=(work, shared)), backend.config
        return
    content = _packed((work, shared))
    if backend.kind != "file":
        parcel = _Parcel(token, content)
        scatter = {"scatter": [parcel]} if backend.kind == "dask" else {}
        yield parcel, {**backend.config, **scatter}
        return
    with for_a_while() as folder:
        file = folder / "shared"
        file.write_bytes(content)
        yield _Parcel(token, file, owner=this_process()), backend.config


def _packed(thing: Any) -> bytes:

    try:
        stream = io.BytesIO()
        _nameless_pickler()(stream, protocol=pickle.HIGHEST_PROTOCOL).dump(thing)
        return stream.getvalue()
    except Exception as error:  # a user's object may raise anything when pickled
        raise CannotBeSentError("{said}", said=Foreign(str(error))) from error


@cache
def _nameless_pickler() -> Any:
    """Packs everything but identifiers, which are never used and must not get onto a disk."""
    import cloudpickle

    class Nameless(cloudpickle.Pickler):  # type: ignore[misc]
        def reducer_override(self, thing: Any) -> Any:
            if isinstance(thing, Microdata) and thing.nameless is not thing:
                return thing.nameless.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
            return super().reducer_override(thing)

    return Nameless
