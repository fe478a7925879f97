"""Tables as the bytes of a file, from which any one record is quickly left out."""

from __future__ import annotations

import io
import re
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Column, Microdata, Role

__all__ = ["FORMATS", "Format", "Written"]

Format: TypeAlias = Literal["csv", "parquet"]
FORMATS = ("csv", "parquet")

_TO_BE_QUOTED = re.compile(r'[",\r\n]')


class Written(ABC):
    """A table without its identifiers, ready to be handed over."""

    suffix: ClassVar[str]
    content_type: ClassVar[str]

    @classmethod
    def of(cls, microdata: Microdata, form: str) -> Written:
        """The table in one of the `FORMATS`."""
        return _Csv(microdata) if form == "csv" else _Parquet(microdata)

    @abstractmethod
    def pieces(self, record: int | None) -> list[Any]:
        """The bytes of the table, whole or without a record, in pieces that follow each other."""

    def to_file(self, file: Path, record: int | None = None) -> None:
        """Write the table, whole or without a record."""
        with file.open("wb") as stream:
            stream.writelines(self.pieces(record))


class _Csv(Written):
    """Values are written as unveil writes and reads them; what is missing is left empty."""

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
    """Values have the types they were read in."""

    suffix, content_type = ".parquet", "application/vnd.apache.parquet"

    def __init__(self, microdata: Microdata) -> None:
        import pyarrow as pa

        frame = microdata.to_frame()
        try:
            self._table = pa.Table.from_pandas(frame, preserve_index=False)
        except pa.ArrowException:  # numbers beside the word for what is missing
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
    domain = [
        b"" if _is_missing(value) else _cell(text)
        for value, text in zip(column.values, column.texts, strict=True)
    ]
    written: list[bytes] = np.array([*domain, b""], dtype=object)[column.codes].tolist()
    return written


def _is_missing(value: Any) -> bool:
    return bool(value is None or value != value)  # NaN and NaT differ from themselves


def _cell(text: str) -> bytes:
    if _TO_BE_QUOTED.search(text):
        text = '"' + text.replace('"', '""') + '"'
    return text.encode()
