"""Files as they are read: unpacked up to a limit, and refused if they never end.

A file of a few megabytes can unpack to more than any memory. Such a file is hardly ever a table, so
it is refused with a message, before memory or the disk is full.
"""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from unveil.errors import File, Foreign, InputError

LARGEST = "UNVEIL_LARGEST"
"""The environment variable that raises the limit: 20GB, for example."""

_LEAST = 1 << 30
"""Bytes that anything may unpack to."""
_TIMES = 100
"""How often its own size a larger file may unpack to; tables pack to a tenth or a twentieth."""
_PIECE = 1 << 24
_COPIED = 1 << 20
_PACKED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4", ".br": "brotli"}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)B?\s*", re.IGNORECASE)
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_ENDLESS = {
    stat.S_ISFIFO: "a pipe, which may never end and can be read only once",
    stat.S_ISCHR: "a device, which may never end",
    stat.S_ISBLK: "a device",
    stat.S_ISSOCK: "a socket",
}


def refuse_endless(file: Path) -> None:
    """Refuse what is no ordinary file: a pipe that nobody writes to would be waited for forever."""
    try:
        mode = file.stat().st_mode
    except FileNotFoundError:  # which whoever opens it tells
        return
    for is_such, what in _ENDLESS.items():
        if is_such(mode):
            raise InputError(
                "{file} is {what}; give a file, or - and pipe the table in, where the command "
                "reads from standard input", file=File(file), what=what,
            )  # fmt: skip


def largest(packed: int) -> int:
    """Number of bytes that so many bytes may unpack to.

    >>> largest(1000), largest(1 << 30)
    (1073741824, 107374182400)
    """
    said = os.environ.get(LARGEST)
    if not said:
        return max(_LEAST, _TIMES * packed)
    size = _SIZE.fullmatch(said)
    if size is None:
        raise InputError("{name} is {said}; write a size, such as 20GB",
                         name=LARGEST, said=repr(said))  # fmt: skip
    return int(float(size[1]) * _UNITS[size[2].upper()])


def copy_limited(source: IO[bytes], into: IO[bytes]) -> None:
    """Copy standard input, which may never end, into memory, of which it may have half."""
    import psutil

    most = left = largest(0) if os.environ.get(LARGEST) else psutil.virtual_memory().available // 2
    while data := source.read(_COPIED):
        left -= len(data)
        if left < 0:
            raise InputError(
                "standard input has more than {most:.3g} GB; write it to a file, or set {name}, "
                "such as {name}=20GB", most=most / 10**9, name=LARGEST,
            )  # fmt: skip
        into.write(data)


def too_large(file: Path, most: int) -> InputError:
    """What is told of a file that unpacks to more."""
    return InputError(
        "{file} unpacks to more than {most:.3g} GB, and has {packed:byte} itself; if it is what "
        "it should be, set {name}, such as {name}=20GB, or unpack it",
        file=File(file.name, bare=True), most=most / 10**9, packed=file.stat().st_size,
        name=LARGEST,
    )  # fmt: skip


@contextmanager
def unpacked(path: str | os.PathLike[str]) -> Iterator[Any]:
    """A file to read bytes from; .gz and the like are unpacked."""
    import pyarrow as pa

    file = Path(path)
    packing = _PACKED.get(file.suffix.lower())
    try:
        # Opened here, because Arrow wants names in UTF-8.
        with open(file, "rb") as opened:
            if packing is None:
                yield opened
                return
            with pa.input_stream(opened, compression=packing) as stream:
                yield _Limited(stream, file)
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            "cannot read {file}: {error}", file=File(os.fspath(file)), error=Foreign(str(error))
        ) from None


def refuse_large_parquet(file: Path, opened: Any) -> None:
    """Refuse a Parquet file that unpacks to more than is allowed.

    Numbers have a width. Of texts, which may stand in the file once and be repeated without end, it
    is counted how often each is repeated, where their number and size leave it open.
    """
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    meta = opened.metadata
    groups = [meta.row_group(g) for g in range(meta.num_row_groups)]
    chunks = [group.column(c) for group in groups for c in range(group.num_columns)]
    most = largest(file.stat().st_size)
    size = sum(max(chunk.total_uncompressed_size, 8 * chunk.num_values) for chunk in chunks)
    texts = [one for one in chunks if one.physical_type == "BYTE_ARRAY"]
    at_worst = sum(one.num_values * one.total_uncompressed_size for one in texts)
    if size <= most < size + at_worst:
        names = sorted({one.path_in_schema for one in texts if "." not in one.path_in_schema})
        with pq.ParquetFile(file, read_dictionary=names) as again:
            for g in range(meta.num_row_groups):
                for column in again.read_row_group(g, columns=names).columns:
                    for chunk in column.chunks:
                        long = pc.binary_length(chunk.dictionary).cast("int64")
                        size += pc.sum(long.take(chunk.indices)).as_py() or 0
    if size > most:
        raise too_large(file, most)


class _Limited(io.RawIOBase):
    """A stream of which only so much is read."""

    def __init__(self, stream: Any, file: Path) -> None:
        self._stream, self._file = stream, file
        self._most = self._left = largest(file.stat().st_size)

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:
            return self.readall()
        data: bytes = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise too_large(self._file, self._most)
        return data

    def readinto(self, buffer: Any, /) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        return b"".join(iter(lambda: self.read(_PIECE), b""))
