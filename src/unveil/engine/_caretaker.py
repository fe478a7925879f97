"""A process beside ours that cleans up when ours is gone, however it ended.

It waits at a pipe from the process that it cares for. The system closes the pipe when that process
ends, even by SIGKILL; then every process that it has started is ended, and its folder is removed.

Programs are known by their process groups and by a mark in their environment, which their children
inherit: one that has left its group and its parent still has it. A program that clears its
environment and leaves its group as well is not found.

It is run as a script, and imports nothing that is not needed.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable

MARK = "UNVEIL_STARTED_BY"
"""The variable with the marks of all that a process was started by."""

_SECONDS = 5.0  # within which killed processes should be gone
_A_MOMENT = 0.02


def finish(folder: str, groups: Iterable[int], *, keep: str = "") -> None:
    """End what a process has started, and remove its folder; ``keep`` is left in it."""
    for group in groups:
        end_group(group)
    end_marked(os.path.basename(folder))
    _empty(folder, keep)


def end_group(group: int) -> None:
    """End a group of processes."""
    if hasattr(os, "killpg"):
        _quietly(os.killpg, group, signal.SIGKILL)


def end_marked(mark: str) -> None:
    """End all processes that have a mark, and wait until they are gone."""
    end = time.monotonic() + _SECONDS
    while (found := _marked(mark.encode())) and time.monotonic() < end:
        for process in found:
            _quietly(os.kill, process, signal.SIGKILL)
        time.sleep(_A_MOMENT)


def _marked(mark: bytes) -> list[int]:
    """The processes with a mark; none on systems that do not tell."""
    try:
        processes = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    return [process for process in processes if process != os.getpid() and _has(process, mark)]


def _has(process: int, mark: bytes) -> bool:
    try:
        with open(f"/proc/{process}/environ", "rb") as environment:
            return mark in environment.read()
    except OSError:  # somebody else's, or gone
        return False


def _quietly(do: Callable[..., object], *args: object) -> None:
    try:
        do(*args)
    except OSError:  # it is gone already
        return


def _empty(folder: str, keep: str) -> None:
    from shutil import rmtree

    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            rmtree(entry.path, ignore_errors=True)
        elif entry.name != keep:
            _quietly(os.unlink, entry.path)
    # The lock goes last: if this is killed before, whoever comes next goes on.
    if keep:
        _quietly(os.unlink, os.path.join(folder, keep))
    _quietly(os.rmdir, folder)


def main(folder: str, lock: str) -> None:
    """Wait until the other process is gone; it names the groups that it starts and ends."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"):  # meant for the other one
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        what, _, group = line.strip().partition(" ")
        (groups.add if what == "started" else groups.discard)(int(group))
    finish(folder, groups, keep=lock)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
