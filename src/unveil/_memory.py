"""How much memory large arrays may take: asked for up front, and refused with an estimate.

An array of all people or classes by all values of a secret can ask for more than any machine has.
Whoever makes one says so here before; what would not fit is refused in words, and what the system
would do, which is to kill the process, is not waited for.

A limit of the user's (`limited`) counts as if the machine had no more. What is not asked for here
meets the system's own limit of what a process may allocate, which is set so that all that is in
memory, libraries included, stays below: an allocation fails then, and costs the part that made it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from unveil.errors import InputError, InternalError, Option

_SMALL = 1 << 26  # bytes that nobody has to ask for
_GROUP = Path("/sys/fs/cgroup")
_STATUS = Path("/proc/self/status")
_LIBRARIES = 160_000_000  # bytes of libraries that may still be loaded
_TO_WORK = 250_000_000  # bytes below which nothing could be done

_limit: int | None = None  # bytes that may be allocated; of the whole process
_before: tuple[int, int] | None = None  # the system's limit without ours


class TooLargeError(InternalError):
    """What would take more memory than there is; it is not begun."""


def is_limited() -> bool:
    """Whether the user has given a limit; then there are no worker processes."""
    return _limit is not None


@contextmanager
def limited(most: int | None) -> Iterator[None]:
    """Keep what this process has in memory below so many bytes; None: no limit.

    Programs that are started meanwhile have no limit (`unbounded`).
    """
    global _limit, _before
    if most is None:
        yield
        return
    now = _in_memory()
    if not now:
        raise InputError("{option} can be kept on Linux alone; leave it out",
                         option=Option("memory_limit"))  # fmt: skip
    import resource

    more = most - now["VmRSS"] - _LIBRARIES
    if more < _TO_WORK:
        least = most - more + _TO_WORK
        raise InputError(
            "{option} is too little: unveil and its libraries need {least} GB before anything is "
            "tested", option=Option("memory_limit", f"{most / 1e9:.2g} GB"),
            least=f"{least / 1e9:.2g}",
        )  # fmt: skip
    # The system counts what is allocated. Pools of libraries have some that is not in use.
    allocated = now["VmData"] + more
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard != resource.RLIM_INFINITY:
        allocated = min(allocated, hard)
    _limit, _before = allocated, (soft, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (allocated, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
        _limit = _before = None


def unbounded(process: int) -> None:
    """Let a program that was started have what it had without our limit."""
    if _before is not None:
        import resource

        with suppress(OSError):  # it has ended
            resource.prlimit(process, resource.RLIMIT_DATA, _before)


def _in_memory() -> dict[str, int]:
    """Bytes of this process, by kind; empty where the system does not say."""
    try:
        lines = re.findall(r"^(\w+):\s+(\d+) kB$", _STATUS.read_text("ascii"), re.MULTILINE)
    except OSError:
        return {}
    return {name: 1024 * int(number) for name, number in lines}


def left() -> int:
    """Number of bytes that this process may still take."""
    import psutil

    system: Any = psutil.virtual_memory().available
    with suppress(OSError, ValueError):  # no container, or one without a limit
        most = int((_GROUP / "memory.max").read_text("ascii"))
        system = min(system, most - int((_GROUP / "memory.current").read_text("ascii")))
    if _limit is not None:
        system = min(system, _limit - _in_memory()["VmData"])
    return int(system)


def room_for(rows: int, values: int, times: float = 1.0) -> None:
    """Refuse what would not fit: so many rows by all values of a secret, in numbers of 8 bytes.

    Parameters
    ----------
    rows, values : int
    times : float
        How many such arrays there are at once, as far as is known.
    """
    needed = 8 * rows * values * times
    if needed < _SMALL:
        return
    room = left()
    if needed > room:
        raise TooLargeError(
            "it would need about {needed} GB, for {rows} rows by {values} values of the sensitive "
            "column, and has {room} GB; put the values into categories ({quantiles} or {cuts} when "
            "the table is read), or test fewer people",
            needed=f"{needed / 1e9:.2g}", rows=rows, values=values,
            room=f"{max(room, 0) / 1e9:.2g}",
            quantiles=Option("quantiles"), cuts=Option("cuts"),
        )  # fmt: skip
