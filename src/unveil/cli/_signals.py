"""Ctrl-C, SIGTERM and SIGHUP: everything ends within two seconds, whatever is going on.

The first signal interrupts the work as Ctrl-C does: what was found until then is kept and told. But
compiled code does not look up, and another library may swallow the interrupt. So a thread waits
beside the work: the operating system tells it of a signal even then. Where the work has not ended
in time, the thread ends the programs that were started, and this process. A run folder loses
nothing by it, and neither does a file that is being written, which takes the place of an older one
only when it is whole. Once results are being written, the thread waits for them.

A second signal ends everything at once.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

from unveil._exits import Exit, ExitCode

_CODES = {signal.SIGINT: ExitCode.INTERRUPTED, signal.SIGTERM: ExitCode.ENDED}
if hasattr(signal, "SIGHUP"):
    _CODES[signal.SIGHUP] = ExitCode.HUNG_UP
_PATIENCE = 1.5  # seconds from the signal until the process is ended


class _State:
    """What has happened so far."""

    code = ExitCode.INTERRUPTED
    came = 0
    last_words: tuple[str, ...] = ()
    """What is said if everything has to end at once."""

    ended = threading.Event()
    """Nothing is computed any more: results are written, or everything is over."""


def interrupted_code() -> ExitCode:
    """The exit code of an interruption, by who it came from."""
    return _State.code


def say_at_the_end(*lines: str) -> None:
    """Say this even if everything has to end at once."""
    _State.last_words = lines


def work_is_over() -> None:
    """What was found is being written: it takes the time that it takes."""
    _State.ended.set()


def watch_for_signals() -> Callable[[], None]:
    """End work at signals from now on; returns what stops that."""
    if threading.current_thread() is not threading.main_thread():
        return lambda: None
    ours, theirs = socket.socketpair()
    for one in (ours, theirs):
        one.setblocking(False)
    _State.code, _State.came, _State.ended = ExitCode.INTERRUPTED, 0, threading.Event()
    before: dict[Any, Any] = {}
    for number in _CODES:
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup wants us to go on
            before[number] = signal.signal(number, _interrupt)
    waker = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    ours.setblocking(True)
    threading.Thread(target=_wait, args=(ours, set(before)), daemon=True).start()

    def stop() -> None:
        _State.ended.set()
        signal.set_wakeup_fd(waker)
        for number, handler in before.items():
            signal.signal(number, handler)
        theirs.close()

    return stop


def _interrupt(number: int, _: object) -> None:
    """As Ctrl-C does; at the second signal, leave."""
    _State.code, _State.came = _CODES[signal.Signals(number)], _State.came + 1
    if _State.came > 1:
        raise Exit(_State.code)
    raise KeyboardInterrupt


def _wait(told: socket.socket, ours: set[int]) -> None:
    """Beside the work: see to it that a signal ends it."""
    with told:
        while True:
            try:
                came = told.recv(1)
            except OSError:
                return
            if not came:  # nothing more to wait for
                return
            if came[0] in ours:
                break
    if not _State.ended.wait(_PATIENCE):
        _end_now(_CODES[signal.Signals(came[0])])


def leave_if_work_goes_on(code: ExitCode) -> None:
    """Leave at once if threads of interrupted work are still busy: Python would wait for them."""
    main = threading.main_thread()
    busy = any(one is not main and not one.daemon for one in threading.enumerate())
    if _State.came and busy:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        _end_children()
        os._exit(code)


def _end_now(code: ExitCode) -> None:
    """End what was started, say how to go on, and leave without looking back."""
    _end_children()
    with contextlib.suppress(OSError, ValueError):
        print(*["interrupted", *_State.last_words], sep="\n", file=sys.stderr, flush=True)
    os._exit(code)


def _end_children() -> None:
    import psutil

    with contextlib.suppress(psutil.Error):
        for one in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                one.kill()
