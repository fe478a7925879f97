"""What all forms of oracles share: errors, limits, things of each thread, and tables in files.

Tables are written for oracles with any record left out, and read from their answers.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import shutil
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from multiprocessing import util
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from unveil._unpacked import refuse_endless
from unveil.engine import parse_duration, parse_memory, temporary_folder
from unveil.errors import File, Foreign, InputError, Message, Option, Text, UnveilError
from unveil.microdata import Column, Microdata, Role, from_csv, from_parquet, value_text

T = TypeVar("T")
Format: TypeAlias = Literal["csv", "parquet"]


class Fault(StrEnum):
    """What an oracle did wrong, without naming anyone; continues "the sanitizer"."""

    FAILED = "failed"
    TOO_LONG = "took too long"
    TOO_MUCH = "took too much memory"
    NO_TIME_LEFT = "was ended with the budget of time"
    NO_RELEASE = "gave an answer that is not a release of the table"


class OracleError(UnveilError):
    """A sanitizer of the user's that failed, or whose answer is not a release of the table."""

    def __init__(self, text: Text, /, fault: Fault = Fault.FAILED, **parts: Any) -> None:
        super().__init__(text, **parts)
        self.fault = fault

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.fault)


class OutOfTimeError(OracleError):
    """The budget of time is used up."""


class HiccupError(OracleError):
    """A failure that may not happen again on a retry."""


class UnreadableError(HiccupError):
    """An answer that is no table."""

    def __init__(self, text: Text, /, fault: Fault = Fault.NO_RELEASE, **parts: Any) -> None:
        super().__init__(text, fault, **parts)


@dataclass(frozen=True)
class Limits:
    """Limits of one answer, in seconds and in bytes of all its processes; None: no limit.

    ``ends`` is when the budget of all answers together ends, as of `time.time`, which is the same
    in all processes.
    """

    seconds: float | None = None
    memory: int | None = None
    ends: float | None = field(default=None, repr=False)

    @property
    def any(self) -> bool:
        """Whether there is a limit of one answer."""
        return self.seconds is not None or self.memory is not None

    @property
    def left(self) -> float:
        """Seconds until the budget ends."""
        return math.inf if self.ends is None else self.ends - time.time()

    def refuse_late(self, label: File) -> None:
        """Raise that there is no time left, if that is so."""
        if self.left <= 0:
            raise OutOfTimeError(
                "{label} was ended when the time of {budget} was over, before it had answered; "
                "give it more time, or a limit for each run with {timeout}",
                Fault.NO_TIME_LEFT,
                label=label, budget=Option("budget"), timeout=Option("timeout"),
            )  # fmt: skip


def make_limits(timeout: Any, memory: Any) -> Limits:
    """Limits from numbers, or from texts with a unit.

    >>> make_limits("2 min", "1.5 GB")
    Limits(seconds=120.0, memory=1500000000)
    """
    return Limits(
        None if timeout is None else parse_duration(timeout),
        None if memory is None else parse_memory(memory),
    )


def in_words(size: float) -> str:
    """A number of bytes with a unit.

    >>> in_words(150_000_000), in_words(1_234_567_890), in_words(12)
    ('150 MB', '1.23 GB', '12 bytes')
    """
    for unit, word in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{size / unit:.3g} {word}"
    return f"{size:.0f} bytes"


class Remarked(NamedTuple):
    """An answer, and what is odd about how it came."""

    answer: Any
    remark: Message


class Form(ABC):
    """A way of asking for a release."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What is asked, for people."""

    @property
    def label(self) -> str:
        """The oracle's name in messages."""
        return f"Oracle({self.name})"

    @property
    def file(self) -> File:
        """The label as a part of a message."""
        return File(self.label, bare=True)

    def ending_at(self, ends: float) -> Form:
        """The same, ended when a budget of time ends; itself, if it cannot be ended."""
        return self

    @property
    def may_not_end(self) -> bool:
        """Whether it may run without end, and nothing can end it."""
        return False

    @abstractmethod
    def ask(self, microdata: Microdata, record: int | None) -> Any:
        """What is published of the table, whole or without a record.

        Raises
        ------
        HiccupError
            If a retry may help; it says only what happened.
        OracleError
            If it cannot.
        """

    @property
    def usual_retries(self) -> int:
        """Default number of retries."""
        return 1

    def can_leave_out(self, microdata: Microdata) -> NDArray[np.intp] | None:
        """The records for which f(D without i) is available; None: all of them."""
        return None

    def missing_of(self, microdata: Microdata, records: NDArray[np.intp]) -> Text | None:
        """What is missing of the releases without some records; None: nothing."""
        return None


class Own(Generic[T]):
    """Something that every thread of every process makes for itself when it first needs it.

    It is not pickled: in another process, or in a forked one, it is made again.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._here = threading.local()

    def get(self) -> T:
        """The thing, made now if this thread has none yet."""
        thing = self.made()
        if thing is None:
            thing = self._here.thing = self._make()
            self._here.process = os.getpid()
        return thing

    def made(self) -> T | None:
        """The thing, if this thread has made it."""
        ours = getattr(self._here, "process", None) == os.getpid()
        thing: T | None = self._here.thing if ours else None
        return thing

    def drop(self) -> None:
        """Forget it; the next `get` makes a new one."""
        self._here.__dict__.clear()

    def __reduce__(self) -> tuple[Any, ...]:
        return Own, (self._make,)


def when_gone(thing: Any, do: Callable[..., Any], *args: Any) -> None:
    """Call ``do`` once a thing is collected, or at the end of the process that made it.

    Python's own finalizers do not run at the end of processes started by multiprocessing; these do.
    """
    util.Finalize(thing, do, args=args, exitpriority=10)


# Tables in files -------------------------------------------------------------------------------


_PARQUET = b"PAR1"  # the first bytes of every Parquet file


def table_in(file: Path, kind: str | None = None) -> Any:
    """The table in a file, with its cells as they are written there.

    ``kind`` is ``csv``, ``parquet`` or ``json``. By default Parquet is recognized by its first
    bytes, and anything else is read as CSV. Raises `UnreadableError` if it is no table.
    """
    import pyarrow as pa

    try:
        refuse_endless(file)
        if kind == "json":
            return _from_json(file)
        if kind is None:
            with file.open("rb") as stream:
                kind = "parquet" if stream.read(len(_PARQUET)) == _PARQUET else "csv"
        if kind == "parquet":
            source = from_parquet(file, with_index=True)
        else:
            source = from_csv(file, delimiter=None, encoding="utf-8", name_unnamed=True)
    except InputError as error:
        # The remedies that readers suggest, after the semicolon, are for files of the user's own.
        message = error.message
        what = Message(message.text.partition("; ")[0], **message.parts)
        raise UnreadableError("{what}; it should be CSV in UTF-8, or Parquet", what=what) from None
    return pa.table(source.arrays)


def _from_json(file: Path) -> dict[str, list[str | None]]:
    """A list of records. All values become texts: a column may have both 30 and [20, 39]."""
    try:
        records = json.loads(file.read_bytes())
    except ValueError as error:
        raise UnreadableError(
            "{file} is no JSON: {why}", file=File(file.name, bare=True), why=Foreign(str(error))
        ) from None
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise UnreadableError(
            "{file} is JSON, but no list of records such as {example}",
            file=File(file.name, bare=True), example='[{"age": "[20, 39]", "income": "low"}, …]',
        )  # fmt: skip
    names = dict.fromkeys(name for record in records for name in record)
    values = {name: [record.get(name) for record in records] for name in names}
    return {
        name: [None if value is None else value_text(value) for value in column]
        for name, column in values.items()
    }


_TO_BE_QUOTED = re.compile(r'[",\r\n]')


class Written(ABC):
    """A table without its identifiers, ready to be handed over."""

    suffix: ClassVar[str]
    content_type: ClassVar[str]

    @classmethod
    def of(cls, microdata: Microdata, form: str) -> Written:
        """The table in one of the formats."""
        return _Csv(microdata) if form == "csv" else _Parquet(microdata)

    @abstractmethod
    def pieces(self, record: int | None) -> list[Any]:
        """The bytes of the table, whole or without a record, in consecutive pieces."""

    def to_file(self, file: Path, record: int | None = None) -> None:
        """Write the table, whole or without a record."""
        with file.open("wb") as stream:
            stream.writelines(self.pieces(record))


class _Csv(Written):
    """Values are written as unveil writes and reads them; missing values are empty."""

    suffix, content_type = ".csv", "text/csv; charset=utf-8"

    def __init__(self, microdata: Microdata) -> None:
        kept = [c for c in microdata.columns if c.role is not Role.IDENTIFIER]
        header = b",".join(_cell(column.name) for column in kept) + b"\n"
        rows = zip(*(_cells(column) for column in kept), strict=True)
        lines = [b",".join(row) + b"\n" for row in rows]
        self._text = memoryview(header + b"".join(lines))
        lengths = np.array([len(header), *map(len, lines)], dtype=np.int64)
        self._ends: NDArray[np.int64] = np.cumsum(lengths)  # of the header and of each line

    def pieces(self, record: int | None) -> list[Any]:
        if record is None:
            return [self._text]
        return [self._text[: self._ends[record]], self._text[self._ends[record + 1] :]]


class _Parquet(Written):
    """Values have the types they were read with."""

    suffix, content_type = ".parquet", "application/vnd.apache.parquet"

    def __init__(self, microdata: Microdata) -> None:
        import pyarrow as pa

        frame = microdata.to_frame()
        try:
            self._table = pa.Table.from_pandas(frame, preserve_index=False)
        except pa.ArrowException:  # numbers together with the word for missing values
            mixed = [name for name, kind in frame.dtypes.items() if kind.kind == "O"]
            texts = frame.astype(dict.fromkeys(mixed, "str"))
            self._table = pa.Table.from_pandas(texts, preserve_index=False)

    def pieces(self, record: int | None) -> list[Any]:
        import pyarrow as pa
        from pyarrow import parquet

        table = self._table
        if record is not None:
            table = pa.concat_tables([table.slice(0, record), table.slice(record + 1)])
        stream = io.BytesIO()
        parquet.write_table(table, stream)
        return [stream.getbuffer()]


def _cells(column: Column) -> list[bytes]:
    texts = column.texts if column.form is None else column.as_given
    domain = [
        b"" if _is_missing(value) else _cell(text)
        for value, text in zip(column.values, texts, strict=True)
    ]
    written: list[bytes] = np.array([*domain, b""], dtype=object)[column.codes].tolist()
    return written


def _is_missing(value: Any) -> bool:
    return bool(value is None or value != value)  # NaN and NaT differ from themselves


def _cell(text: str) -> bytes:
    if _TO_BE_QUOTED.search(text):
        text = '"' + text.replace('"', '""') + '"'
    return text.encode()


class _Desk:
    """A private temporary folder for tables and answers; it holds microdata, so it is removed."""

    def __init__(self) -> None:
        self._written: WeakKeyDictionary[Microdata, Written] = WeakKeyDictionary()
        self._files: WeakKeyDictionary[Microdata, _File] = WeakKeyDictionary()
        self.folder = self._new_folder()

    def _new_folder(self) -> Path:
        made = temporary_folder()
        when_gone(self, shutil.rmtree, made, True)
        return made

    def _set_up(self) -> None:
        """Make another folder if the one that ours was in is gone."""
        if not self.folder.is_dir():
            self._files.clear()
            self.folder = self._new_folder()

    @contextmanager
    def sheet(self) -> Iterator[Path]:
        """A folder for one answer."""
        self._set_up()
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def written(self, microdata: Microdata, form: str) -> Written:
        """The table as bytes, made once."""
        if microdata not in self._written:
            self._written[microdata] = Written.of(microdata, form)
        return self._written[microdata]

    def file(self, microdata: Microdata, form: str) -> Path:
        """A file with the whole table, written once and kept as long as the table."""
        if microdata not in self._files:
            written = self.written(microdata, form)
            handle, name = tempfile.mkstemp(dir=self.folder, suffix=written.suffix)
            os.close(handle)
            written.to_file(Path(name))
            self._files[microdata] = _File(Path(name))
        return self._files[microdata].path

    def forget(self, microdata: Microdata) -> None:
        """Write the file anew when it is needed again."""
        self._files.pop(microdata, None)


class _File:
    """A file that is removed when it is no longer referenced."""

    def __init__(self, path: Path) -> None:
        self.path = path
        when_gone(self, path.unlink, True)


class Desks(Own[_Desk]):
    """A desk for each thread of each process."""

    def __init__(self) -> None:
        super().__init__(_Desk)

    def __reduce__(self) -> tuple[Any, ...]:
        return Desks, ()
