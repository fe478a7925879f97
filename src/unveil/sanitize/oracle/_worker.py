"""The process in which a user's function runs if it has limits, so that it can be ended.

It reads requests from standard input and writes replies to standard output, each a pickle after
its length. The function and the table are sent once and kept. It ends when the process that
started it does, whatever the function is doing.
"""

from __future__ import annotations

import os
import pickle
import queue
import struct
import threading
from collections.abc import Callable
from typing import IO, Any

import cloudpickle

from unveil.errors import UnveilError
from unveil.microdata import Microdata

__all__ = ["Failed", "argument", "main", "receive", "send"]

_LENGTH = struct.Struct(">Q")


class Failed:
    """A reply that is no answer: one of our errors, or what another one said."""

    def __init__(self, error: BaseException) -> None:
        self.error = error if isinstance(error, UnveilError) else None
        self.text = f"{type(error).__name__}: {error}"


def send(stream: IO[bytes], message: Any) -> None:
    """Write one message."""
    content = cloudpickle.dumps(message)
    stream.write(_LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """The next message, still packed; None if there will be no more."""
    length = stream.read(_LENGTH.size)
    if len(length) < _LENGTH.size:
        return None
    content = stream.read(_LENGTH.unpack(length)[0])
    return content if len(content) == _LENGTH.unpack(length)[0] else None


def argument(microdata: Microdata, record: int | None, as_microdata: bool) -> Any:
    """What a function is given: everybody or all but one, as microdata or as a table."""
    rest = microdata if record is None else microdata.without(record)
    return rest if as_microdata else rest.to_frame()


class _Service:
    """Keeps the function and the table, and answers."""

    def __init__(self) -> None:
        self.function: Callable[[Any], Any] = _nothing
        self.microdata: Microdata | None = None

    def reply(self, packed: bytes) -> Any:
        try:
            what, content = pickle.loads(packed)
            if what == "function":
                self.function = content
            elif what == "table":
                self.microdata = content
                content.to_frame()  # what is imported for that is not on the function's account
            else:
                assert self.microdata is not None  # sent before the first question
                return self.function(argument(self.microdata, *content))
        except (Exception, SystemExit) as error:
            return Failed(error)
        return None


def _nothing(_: Any) -> Any:
    return None


def main() -> None:
    """Serve until nobody asks any more."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What the function prints must not get between the replies.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        while (packed := receive(requests)) is not None:
            waiting.put(packed)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    service = _Service()
    while True:
        reply = service.reply(waiting.get())
        try:
            send(replies, reply)
        except Exception as error:  # an answer that cannot be pickled
            send(replies, Failed(error))
