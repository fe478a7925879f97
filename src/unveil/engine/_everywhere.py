"""The same work on many parts, on as many processes or machines as joblib is told to use.

What all parts need is shipped once to each worker and not once a part. A worker that dies takes
nothing with it but time: what it had not answered is done again by others.
"""

from __future__ import annotations

import itertools
import os
import pickle
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from unveil.engine._tasks import available_cores
from unveil.errors import InputError, MissingExtraError, UnveilError

__all__ = ["Backend", "CannotBeSentError", "WorkerLost", "chosen_backend", "run_everywhere"]

_ROUNDS = 3  # how often all that is missing is done again, before it is tried part by part

Shared = TypeVar("Shared")
Part = TypeVar("Part")
Result = TypeVar("Result")


class CannotBeSentError(UnveilError):
    """Something that must stay in the process that made it."""


@dataclass(frozen=True)
class WorkerLost:
    """Stands for the result of a part that ended every worker who tried it."""

    why: str


@dataclass(frozen=True)
class Backend:
    """Where work is done.

    ``kind`` says how what is shared travels: ``here`` not at all (this process), ``file`` through
    a file that all processes of this machine can read, ``dask`` by Dask's own means, ``with it``
    along with each part, for backends we know nothing about.
    """

    kind: str
    n_jobs: int
    config: dict[str, Any] = field(default_factory=dict)
    """What joblib is told."""


def chosen_backend(n_jobs: int | None, backend: str | None) -> Backend:
    """What the user chose, here or by joblib's own ``parallel_config``; else processes.

    >>> chosen_backend(1, None).kind
    'here'
    """
    import joblib
    from joblib.parallel import get_active_backend

    if backend is None:
        active, active_jobs = get_active_backend()
        configured = type(active).__name__
        if configured not in ("LokyBackend", "SequentialBackend"):
            return _known(configured, active, n_jobs or active_jobs)
        n_jobs = n_jobs or active_jobs
        jobs = available_cores() if n_jobs is None else joblib.effective_n_jobs(n_jobs)
        return Backend("here", 1) if jobs == 1 else Backend("file", jobs, {"backend": "loky"})
    if backend == "dask":
        return _dask(n_jobs)
    try:
        with joblib.parallel_config(backend=backend):
            active, _ = get_active_backend()
    except (ValueError, ImportError) as error:
        raise InputError(f"joblib has no backend {backend!r}: {error}") from error
    return _known(type(active).__name__, active, n_jobs)


def _known(name: str, active: Any, n_jobs: int | None) -> Backend:
    """A backend that joblib has made already."""
    import joblib

    if name == "DaskDistributedBackend":
        return _dask(n_jobs, active.client)
    with joblib.parallel_config(backend=active):
        jobs = joblib.effective_n_jobs(available_cores() if n_jobs is None else n_jobs)
    if name == "SequentialBackend" or jobs == 1:
        return Backend("here", 1)
    shares_files = name in ("LokyBackend", "MultiprocessingBackend")
    kind = "here" if name == "ThreadingBackend" else "file" if shares_files else "with it"
    return Backend(kind, jobs, {"backend": active})


def _dask(n_jobs: int | None, client: Any = None) -> Backend:
    try:
        from distributed import get_client
    except ImportError as error:
        raise MissingExtraError(
            "work on a Dask cluster needs Dask; install it with: pip install 'unveil[dask]'"
        ) from error
    try:
        client = client or get_client()
    except ValueError:
        raise InputError(
            'backend="dask" needs a client: make one with distributed.Client("tcp://…:8786") before'
        ) from None
    cores = sum(client.ncores().values())
    return Backend("dask", n_jobs or max(1, cores), {"backend": "dask", "client": client})


def run_everywhere(
    work: Callable[[Shared, Part], Result],
    shared: Shared,
    parts: Sequence[Part],
    backend: Backend,
    *,
    enough: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[int, Result | WorkerLost]]:
    """Yield the number of each part and its result, in the order in which they are finished.

    Parts are begun in their order. Once ``enough()`` is true no more are begun, and those under
    way are finished: what has been done is then a beginning of ``parts``.

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
        yield from _until_done(parcel, dict(enumerate(parts)), backend.n_jobs, config, enough)


def _until_done(
    parcel: Parcel[Any, Any, Any],
    waiting: dict[int, Any],
    n_jobs: int,
    config: dict[str, Any],
    enough: Callable[[], bool],
) -> Iterator[tuple[int, Any]]:
    begun: set[int] = set()
    for _ in range(_ROUNDS):
        try:
            for number, result in _round(parcel, dict(waiting), n_jobs, config, enough, begun):
                begun.discard(number)
                del waiting[number]
                yield number, result
            return
        except _lost_workers():
            # What had been begun is done again even if time is up: results must be a beginning
            # of the parts, and not those that happen to be quick.
            continue
    for number, part in waiting.items():
        if number not in begun and enough():
            return
        try:
            [(_, result)] = _round(parcel, {number: part}, 2, config, lambda: False, set())
            yield number, result
        except _lost_workers() as error:
            yield number, WorkerLost(f"{type(error).__name__}: the worker died")


def _round(
    parcel: Parcel[Any, Any, Any],
    waiting: dict[int, Any],
    n_jobs: int,
    config: dict[str, Any],
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

    with joblib.parallel_config(**config):
        # Parts are large already, and what is begun ahead cannot be stopped.
        pool = joblib.Parallel(
            n_jobs=n_jobs, batch_size=1, pre_dispatch=n_jobs, return_as=_how_returned(config)
        )
        yield from pool(begin())


def _how_returned(config: dict[str, Any]) -> str:
    backend = config.get("backend")
    can = getattr(backend, "supports_return_generator", True)
    return "generator_unordered" if can else "list"


def _lost_workers() -> tuple[type[BaseException], ...]:
    """What joblib's backends raise when a worker is gone, and not its work wrong."""
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
_unpacked: dict[str, Any] = {}  # the parcel that this process has opened last


@dataclass(eq=False)
class Parcel(Generic[Shared, Part, Result]):
    """What all parts share, packed once; each worker opens it once.

    It is sent along with every part, so it has the contents only if they cannot travel otherwise.
    """

    token: str
    file: str | None = None
    content: bytes | None = None
    here: tuple[Callable[[Shared, Part], Result], Shared] | None = None
    """Not packed at all, for threads."""

    def __sizeof__(self) -> int:  # Dask asks, and keeps what is large on its workers
        return object.__sizeof__(self) + len(self.content or b"")

    def opened(self) -> tuple[Callable[[Shared, Part], Result], Shared]:
        """The work and what it shares."""
        if self.here is not None:
            return self.here
        if self.token not in _unpacked:
            content = self.content
            if content is None:
                assert self.file is not None
                content = Path(self.file).read_bytes()
            _unpacked.clear()  # one at a time: it may be large
            _unpacked[self.token] = pickle.loads(content)
        return _unpacked[self.token]


def _do(parcel: Parcel[Any, Any, Any], number: int, part: Any) -> tuple[int, Any]:
    import joblib

    work, shared = parcel.opened()
    # What the work itself would share out stays here: the workers are busy already, and sums that
    # several of them add up would depend on who comes first.
    with joblib.parallel_config(backend="sequential"):
        return number, work(shared, part)


@contextmanager
def _shipped(
    work: Callable[[Shared, Part], Result], shared: Shared, backend: Backend
) -> Iterator[tuple[Parcel[Shared, Part, Result], dict[str, Any]]]:
    token = f"{os.getpid()}-{next(_numbers)}-{uuid.uuid4().hex}"
    if backend.kind == "here":  # threads
        yield Parcel(token, here=(work, shared)), backend.config
        return
    content = _packed((work, shared))
    if backend.kind != "file":
        parcel: Parcel[Shared, Part, Result] = Parcel(token, content=content)
        scatter = {"scatter": [parcel]} if backend.kind == "dask" else {}
        yield parcel, {**backend.config, **scatter}
        return
    with tempfile.TemporaryDirectory(prefix="unveil-") as folder:
        file = Path(folder) / "shared"
        file.write_bytes(content)
        yield Parcel(token, file=str(file)), backend.config


def _packed(thing: Any) -> bytes:
    import cloudpickle

    try:
        return bytes(cloudpickle.dumps(thing, protocol=pickle.HIGHEST_PROTOCOL))
    except Exception as error:  # whatever a user's object says about being pickled
        raise CannotBeSentError(str(error)) from error
