"""Oracles that are services: the table is posted to an address, and the release comes back."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.util import Url, make_headers, parse_url

from unveil._version import __version__
from unveil.errors import File, Foreign, InputError, Message, Option
from unveil.microdata import Microdata
from unveil.sanitize.oracle._form import (
    Desks,
    Fault,
    Form,
    HiccupError,
    Limits,
    OracleError,
    Own,
    in_words,
    table_in,
)

_PATIENCE = 300.0  # default seconds for an answer
_TO_CONNECT = 10.0
_LARGEST = 10**9  # default limit of an answer, in bytes
_PIECE = 1 << 16
_SHOWN = 300  # bytes of an answer that is no table

# The kind of an answer by its Content-Type; None: by its first bytes.
_KINDS = {
    "text/csv": "csv",
    "application/csv": "csv",
    "text/tab-separated-values": "csv",
    "application/json": "json",
    "application/vnd.apache.parquet": "parquet",
    "application/x-parquet": "parquet",
    "application/parquet": "parquet",
    "text/plain": None,
    "application/octet-stream": None,
    "": None,
}
_MAY_PASS = (408, 425, 429)  # and all from 500 up: a retry may help
_BROKEN = (OSError, http.client.HTTPException, urllib3.exceptions.HTTPError)


def is_address(text: str) -> bool:
    """Whether a text is the address of a service."""
    return text.lower().startswith(("http://", "https://"))


@dataclass(frozen=True)
class Endpoint(Form):
    """A service at an address, asked by POST over a connection that is kept open."""

    address: str
    limits: Limits
    format: str
    url: Url = field(init=False, compare=False, repr=False)
    desks: Desks = field(default_factory=Desks, compare=False, repr=False)
    line: Own[_Line] = field(default_factory=lambda: Own(_Line), compare=False, repr=False)

    def __post_init__(self) -> None:
        try:
            url = parse_url(self.address)
        except urllib3.exceptions.LocationParseError:
            url = Url()
        if not url.host:
            raise InputError("cannot read the address {address}", address=File(self.address))
        object.__setattr__(self, "url", url)

    @property
    def name(self) -> str:
        """The address without what may be secret: a password, or the query."""
        asked = "…" if self.url.query else None
        return self.url._replace(auth=None, query=asked, fragment=None).url

    def ending_at(self, ends: float) -> Endpoint:
        return replace(self, limits=replace(self.limits, ends=ends))

    def ask(self, microdata: Microdata, record: int | None) -> Any:
        """Post the table and read the answer."""
        desk = self.desks.get()
        written = desk.written(microdata, self.format)
        headers = {
            "User-Agent": f"unveil/{__version__}",
            "Content-Type": written.content_type,
            "Accept": ", ".join(kind for kind in _KINDS if kind),
        }
        if self.url.auth:
            headers |= make_headers(basic_auth=self.url.auth)
        with desk.sheet() as folder:
            file = folder / "answer"
            kind = self._exchange(b"".join(written.pieces(record)), headers, file)
            return table_in(file, kind)

    def _exchange(self, body: bytes, headers: dict[str, str], file: Path) -> str | None:
        """Post the body and write the answer to a file; returns the kind of the answer."""
        line = self.line.get()
        seconds = _PATIENCE if self.limits.seconds is None else self.limits.seconds
        try:
            with line.within(max(0.0, min(seconds, self.limits.left))):
                response = line.post(self, body, headers)
                self._check_status(response)
                kind = _kind(response)
                self._save(response, file)
        except BaseException:
            line.hang_up()
            self.limits.refuse_late(self.file)
            raise
        return kind

    def _check_status(self, response: Any) -> None:
        status = response.status
        if 200 <= status < 300:
            return
        reason = response.reason or ""
        if 300 <= status < 400:
            raise OracleError(
                "{label}: it answered {status} {reason} and sends us to {to}, where unveil does "
                "not follow with the table; give that address if you trust it",
                label=self.file, status=str(status), reason=Foreign(reason),
                to=Foreign(response.headers.get("Location", "nowhere")),
            )  # fmt: skip
        said = ": ".join(filter(None, [reason, _beginning(response)]))
        text = "it answered {status} {said}" if said else "it answered {status}"
        answer = Message(text, status=str(status), said=Foreign(said))
        if status >= 500 or status in _MAY_PASS:
            raise HiccupError(answer)
        raise OracleError("{label}: {answer}", label=self.file, answer=answer)

    def _save(self, response: Any, file: Path) -> None:
        most, size = self.limits.memory or _LARGEST, 0
        with file.open("wb") as stream:
            for piece in response.stream(_PIECE):
                size += len(piece)
                if size > most:
                    raise OracleError(
                        "{label}: its answer is larger than {most}; if that is right, allow more "
                        "with {option}",
                        label=self.file, most=in_words(most), option=Option("memory"),
                    )  # fmt: skip
                stream.write(piece)
        if size == 0:
            raise HiccupError("its answer is empty", Fault.NO_RELEASE)


def _beginning(response: Any) -> str:
    """The beginning of an answer that is no table, in one line."""
    return " ".join(response.read(_SHOWN).decode(errors="replace").split())


def _kind(response: Any) -> str | None:
    given = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if given not in _KINDS:
        text = _beginning(response)
        raise HiccupError(
            "its answer is {given}, not a table (text/csv, application/json or "
            "application/vnd.apache.parquet): {text}",
            Fault.NO_RELEASE, given=Foreign(given), text=Foreign(text),
        )  # fmt: skip
    return _KINDS[given]


class _Line:
    """The connection to a service, opened when needed and kept open between requests."""

    def __init__(self) -> None:
        self._connection: HTTPConnection | None = None
        self._socket: socket.socket | None = None
        self._seconds = _PATIENCE
        self._time_is_up = threading.Event()

    def __del__(self) -> None:
        self.hang_up()

    def post(self, endpoint: Endpoint, body: bytes, headers: dict[str, str]) -> Any:
        """Send the table; returns the response, whose body has not been read."""
        if self._connection is not None and self._connection.is_connected:
            # The service may have closed it since. Asking the same again does no harm.
            with suppress(ConnectionError):
                return self._sent(endpoint, body, headers)
        self.hang_up()
        self._connect(endpoint)
        return self._sent(endpoint, body, headers)

    def _sent(self, endpoint: Endpoint, body: bytes, headers: dict[str, str]) -> Any:
        assert self._connection is not None
        self._connection.request(
            "POST", endpoint.url.request_uri, body=body, headers=headers, preload_content=False
        )
        return self._connection.getresponse()

    def _connect(self, endpoint: Endpoint) -> None:
        url = endpoint.url
        kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
        seconds = min(_TO_CONNECT, self._seconds)
        connection = kind(url.host or "", url.port, timeout=seconds)
        try:
            connection.connect()
        except _BROKEN as error:
            address = File(endpoint.name, bare=True)
            # Not isinstance: to urllib3 being refused is a kind of timeout, too.
            if type(error) is urllib3.exceptions.ConnectTimeoutError:
                raise OracleError(
                    "nothing answers at {address} within {seconds} s; is the address right?",
                    address=address, seconds=f"{seconds:g}",
                ) from None  # fmt: skip
            raise OracleError(
                "nothing answers at {address}: {why}; is it running?",
                address=address, why=Foreign(_why(error)),
            ) from None  # fmt: skip
        self._connection, self._socket = connection, connection.sock
        connection.timeout = None  # `within` has the clock; every request would reset it
        if self._socket is not None:
            self._socket.settimeout(None)
        if self._time_is_up.is_set():  # while there was no socket to be shut
            raise TimeoutError

    def hang_up(self) -> None:
        """Close the connection; the next request opens another one."""
        if self._connection is not None:
            self._connection.close()
        self._connection = self._socket = None

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Give up after so many seconds, whatever is going on.

        Timeouts of sockets restart with every byte, so a service that sends one now and then would
        never time out. Shutting the socket down from outside ends any waiting.
        """
        self._seconds = seconds
        self._time_is_up.clear()
        clock = threading.Timer(seconds, self._cut)
        clock.daemon = True
        clock.start()
        try:
            yield
        except HiccupError:
            if not self._time_is_up.is_set():
                raise
        except _BROKEN as error:
            if not self._time_is_up.is_set():
                raise HiccupError(
                    "the connection broke: {why}", why=Foreign(_why(error))
                ) from error
        finally:
            clock.cancel()
        if self._time_is_up.is_set():  # an answer without a length only seems to be complete
            raise HiccupError(
                "its answer was not complete after {seconds} s", Fault.TOO_LONG,
                seconds=f"{seconds:g}",
            )  # fmt: skip

    def _cut(self) -> None:
        self._time_is_up.set()
        line = self._socket
        if line is not None:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)


def _why(error: BaseException) -> str:
    """The innermost reason of an error."""
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__  # type: ignore[assignment]
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return text[:1].lower() + text[1:]
