"""Oracles that are functions of the user's, in this process or, with limits, in one beside it.

The process beside reads requests from standard input and writes replies to standard output, each a
pickle within a pickle. The function and the table are sent once and kept. It ends when the process
that started it does, whatever the function is doing.
"""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import IO, Any, Literal
from weakref import ref

import cloudpickle

from unveil.errors import File, Foreign, Option, UnveilError
from unveil.microdata import Microdata
from unveil.sanitize._sanitizer import NeedsMicrodataError, Sanitizer
from unveil.sanitize.oracle._command import Tree, watched
from unveil.sanitize.oracle._form import (
    Form,
    HiccupError,
    Limits,
    OracleError,
    Own,
    in_words,
    when_gone,
)

# The worker finds modules where this process finds them.
_START = (
    "import sys; sys.path[:] = sys.argv[1:]; "
    "from unveil.sanitize.oracle._function import main; main()"
)


@dataclass(frozen=True)
class Function(Form):
    """A callable that takes a table, or microdata, and returns a release of some kind."""

    function: Callable[[Any], Any]
    takes: Literal["table", "microdata"] | None
    limits: Limits

    @cached_property
    def worker(self) -> Own[_Worker]:
        """The process beside that runs the function."""
        return Own(partial(_Worker, self.function, self.file, self.limits))

    @property
    def name(self) -> str:
        if isinstance(self.function, Sanitizer):
            return self.function.label
        name = getattr(self.function, "__qualname__", None) or type(self.function).__name__
        return str(name).split("<locals>.")[-1]

    def ending_at(self, ends: float) -> Function:
        return replace(self, limits=replace(self.limits, ends=ends)) if self.limits.any else self

    @property
    def may_not_end(self) -> bool:
        return not self.limits.any  # it runs in this process

    @property
    def usual_retries(self) -> int:
        return 1 if self.limits.any else 0

    def ask(self, microdata: Microdata, record: int | None) -> Any:
        """Call the function. It does not get identifiers, in whatever form it takes a table."""
        microdata = microdata.nameless
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
            return self.function(_argument(microdata, record, as_microdata))
        except UnveilError:
            raise
        except (Exception, SystemExit) as error:
            raise HiccupError("{said}", said=Foreign(_said(error))) from error

    def _call_beside(self, microdata: Microdata, record: int | None, as_microdata: bool) -> Any:
        worker = self.worker.get()
        try:
            worker.hold(microdata)
            reply = worker.request(("ask", (record, as_microdata)), self.limits)
        except BaseException:  # it may be dead, or in the middle of something
            worker.tree.kill()
            self.worker.drop()
            raise
        if not isinstance(reply, _Failed):
            return reply
        if reply.error is not None:
            raise reply.error
        raise HiccupError("{said}", said=Foreign(reply.text))


class _Worker:
    """A process that runs the function, and is kept between calls."""

    def __init__(self, function: Callable[[Any], Any], label: File, limits: Limits) -> None:
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
                "{label} may take {limit} of memory, but the process it runs in has {used} before "
                "it begins; give it more",
                label=label, limit=in_words(limits.memory), used=in_words(used),
            )  # fmt: skip

    def hold(self, microdata: Microdata) -> None:
        """Send the table if it is not there yet."""
        if self.held is None or self.held() is not microdata:
            self._give("table", microdata)
            self.held = ref(microdata)

    def _give(self, what: str, content: Any) -> None:
        try:
            reply = self.request((what, content), Limits())
        except HiccupError:
            raise
        except Exception as error:  # whatever a user's object says about being pickled
            reply = _Failed(error)
        if isinstance(reply, _Failed):
            raise OracleError(
                "{label} cannot run in a process of its own, where it could be ended: {why}; "
                "without {timeout} and {memory} it runs in this one",
                label=self.label, why=Foreign(reply.text),
                timeout=Option("timeout"), memory=Option("memory"),
            )  # fmt: skip

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
            _send(stream, message)
        except BrokenPipeError:
            raise self._ended() from None
        watched(self.tree, arrived, limits, self.label)
        if packed[0] is None:
            raise self._ended()
        try:
            return pickle.loads(packed[0])
        except Exception as error:  # an answer of a type that is not known here
            return _Failed(error)

    def _ended(self) -> HiccupError:
        self.tree.kill()
        return HiccupError("in the process it runs in: {ending}", ending=self.tree.ending())


def _listen(stream: IO[bytes], replies: queue.SimpleQueue[bytes | None]) -> None:
    with stream:
        while (packed := _receive(stream)) is not None:
            replies.put(packed)
    replies.put(None)


def _close(tree: Tree) -> None:
    tree.kill()
    if tree.process.stdin is not None:
        with suppress(OSError):  # what was not sent before it died
            tree.process.stdin.close()


# What both processes use, and the process beside --------------------------------------------------


class _Failed:
    """A reply that is no answer: one of our errors, or the text of another one."""

    def __init__(self, error: BaseException) -> None:
        self.error = error if isinstance(error, UnveilError) else None
        self.text = _said(error)


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _send(stream: IO[bytes], message: Any) -> None:
    """Write one message, or nothing if it cannot be pickled."""
    pickle.dump(cloudpickle.dumps(message), stream)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes | None:
    """The next message, still pickled; None at the end."""
    try:
        return pickle.load(stream)
    except (EOFError, pickle.UnpicklingError):  # it may have ended in the middle
        return None


def _argument(microdata: Microdata, record: int | None, as_microdata: bool) -> Any:
    """The argument of a function: all records or all but one, as microdata or as a table."""
    rest = microdata if record is None else microdata.without(record)
    return rest if as_microdata else rest.to_frame()


def main() -> None:
    """Serve until the other process ends."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What the function prints must not be mixed with the replies.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        while (packed := _receive(requests)) is not None:
            waiting.put(packed)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    function: Any = None
    microdata: Any = None
    while True:
        reply: Any = None
        try:
            what, content = pickle.loads(waiting.get())
            if what == "function":
                function = content
            elif what == "table":
                microdata = content
                content.to_frame()  # so that imports do not count towards the function's time
            else:
                reply = function(_argument(microdata, *content))
        except (Exception, SystemExit) as error:
            reply = _Failed(error)
        try:
            _send(replies, reply)
        except Exception as error:  # an answer that cannot be pickled
            _send(replies, _Failed(error))
