"""Oracles that are functions of the user's, in this process or, with limits, in one beside it."""

from __future__ import annotations

import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import IO, Any, Literal
from weakref import ref

from unveil.errors import UnveilError
from unveil.microdata import Microdata
from unveil.sanitize._sanitizer import NeedsMicrodataError, Sanitizer
from unveil.sanitize.oracle._errors import HiccupError, OracleError
from unveil.sanitize.oracle._form import Form
from unveil.sanitize.oracle._limits import Limits, in_words
from unveil.sanitize.oracle._own import Own, when_gone
from unveil.sanitize.oracle._processes import Tree, watched
from unveil.sanitize.oracle._worker import Failed, argument, receive, send

__all__ = ["Function"]

# The worker finds modules where this process finds them.
_START = (
    "import sys; sys.path[:] = sys.argv[1:]; "
    "from unveil.sanitize.oracle._worker import main; main()"
)


@dataclass(frozen=True)
class Function(Form):
    """A callable that takes a table, or microdata, and returns a release of some kind."""

    function: Callable[[Any], Any]
    takes: Literal["table", "microdata"] | None
    limits: Limits
    worker: Own[_Worker] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        make = partial(_Worker, self.function, self.label, self.limits)
        object.__setattr__(self, "worker", Own(make))

    @property
    def name(self) -> str:
        if isinstance(self.function, Sanitizer):
            return self.function.label
        name = getattr(self.function, "__qualname__", None) or type(self.function).__name__
        return str(name).split("<locals>.")[-1]

    @property
    def usual_retries(self) -> int:
        return 1 if self.limits.any else 0

    def ask(self, microdata: Microdata, record: int | None) -> Any:
        """Call the function."""
        if self.takes == "microdata" or isinstance(self.function, Sanitizer):
            return self._call(microdata, record, True)
        try:
            return self._call(microdata, record, False)
        except NeedsMicrodataError:
            if self.takes == "table":
                raise
            return self._call(microdata, record, True)

    def _call(self, microdata: Microdata, record: int | None, as_microdata: bool) -> Any:
        if self.limits.any:
            return self._call_beside(microdata, record, as_microdata)
        try:
            return self.function(argument(microdata, record, as_microdata))
        except UnveilError:
            raise
        except (Exception, SystemExit) as error:
            raise HiccupError(f"{type(error).__name__}: {error}") from error

    def _call_beside(self, microdata: Microdata, record: int | None, as_microdata: bool) -> Any:
        worker = self.worker.get()
        try:
            worker.hold(microdata)
            reply = worker.request(("ask", (record, as_microdata)), self.limits)
        except BaseException:  # it may be dead, or in the middle of something
            worker.tree.kill()
            self.worker.drop()
            raise
        if not isinstance(reply, Failed):
            return reply
        if reply.error is not None:
            raise reply.error
        raise HiccupError(reply.text)


class _Worker:
    """A process that runs the function, and is kept between calls."""

    def __init__(self, function: Callable[[Any], Any], label: str, limits: Limits) -> None:
        self.label = label
        self.held: ref[Microdata] | None = None
        self.tree = Tree(
            [sys.executable, "-c", _START, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.replies: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        threading.Thread(
            target=_listen, args=(self.tree.process.stdout, self.replies), daemon=True
        ).start()
        when_gone(self, _close, self.tree)
        self._give("function", function)
        used = self.tree.memory()
        if limits.memory is not None and used > limits.memory:
            self.tree.kill()
            raise OracleError(
                f"{label} may take {in_words(limits.memory)} of memory, but the process it runs in "
                f"has {in_words(used)} before it begins; give it more"
            )

    def hold(self, microdata: Microdata) -> None:
        """Have the table sent, if it is not there yet."""
        if self.held is None or self.held() is not microdata:
            self._give("table", microdata)
            self.held = ref(microdata)

    def _give(self, what: str, content: Any) -> None:
        try:
            reply = self.request((what, content), Limits())
        except HiccupError:
            raise
        except Exception as error:  # whatever a user's object says about being pickled
            reply = Failed(error)
        if isinstance(reply, Failed):
            raise OracleError(
                f"{self.label} cannot run in a process of its own, where it could be ended: "
                f"{reply.text}; without timeout and memory it runs in this one"
            )

    def request(self, message: Any, limits: Limits) -> Any:
        """Send a request and wait for the reply."""
        stream = self.tree.process.stdin
        assert stream is not None
        packed: list[bytes | None] = []

        def arrived(seconds: float) -> bool:
            try:
                packed.append(self.replies.get(timeout=seconds))
            except queue.Empty:
                return False
            return True

        try:
            send(stream, message)
        except BrokenPipeError:
            self.tree.kill()
            raise HiccupError(f"in the process it runs in: {self.tree.ending()}") from None
        watched(self.tree, arrived, limits)
        if packed[0] is None:
            self.tree.kill()
            raise HiccupError(f"in the process it runs in: {self.tree.ending()}")
        try:
            return pickle.loads(packed[0])
        except Exception as error:  # an answer of a kind that is known only over there
            return Failed(error)


def _listen(stream: IO[bytes], replies: queue.SimpleQueue[bytes | None]) -> None:
    with stream:
        while (packed := receive(stream)) is not None:
            replies.put(packed)
    replies.put(None)


def _close(tree: Tree) -> None:
    tree.kill()
    if tree.process.stdin is not None:
        with suppress(OSError):  # what was not sent before it died
            tree.process.stdin.close()
