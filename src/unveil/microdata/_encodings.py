"""Which encoding a text file is in. One answer for tables, releases, lists and hierarchies.

Files say it by their first bytes (a byte order mark), or are UTF-8, or were written by a program of
Windows. What is none of these is asked about: letters in a wrong encoding are other values.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from unveil._unpacked import unpacked
from unveil.errors import File, InputError, Message, Option, Row
from unveil.microdata._messages import Worded

UTF8 = "utf-8"
WINDOWS = "cp1252"
"""Western Windows. Latin-1 is a part of it, but for control characters, which no table has."""

_PIECE = 1 << 20
_MARKS = (  # the longer ones first: the mark of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_UTF8_LETTER = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_HIGH = re.compile(rb"[\x80-\xff]")
# What the code page does not have, and its quotes, daggers and capitals within a word: there they
# are letters of another encoding, such as that of DOS or of old Macs.
_NOT_WINDOWS = re.compile(
    rb"[\x81\x8d\x8f\x90\x9d]"
    rb"|(?<=[A-Za-z])[\x82-\x84\x86-\x8c\x8e\x93-\x95\x98\x99\x9b\x9f](?=[a-z])"
)

_OF_PROGRAMS = ("unicode-escape", "raw-unicode-escape", "idna", "punycode")
"""Of names and of text in programs, not of files."""
_Pieces = Callable[[], Iterator[bytes]]


def encoding_of(file: Path) -> str:
    """The encoding of a text file, which may be packed, from beginning to end.

    Raises
    ------
    InputError
        If it is in none that can be recognized.
    """

    def pieces() -> Iterator[bytes]:
        with unpacked(file) as stream:
            while piece := stream.read(_PIECE):
                yield piece

    return _found(pieces, file.name)


def in_utf8(data: bytes, name: str, encoding: str | None) -> tuple[bytes, str]:
    """A text in UTF-8 without a mark, and the encoding that it was in; ``None``: detected.

    >>> in_utf8("café".encode("cp1252"), "menu.csv", None)[1]
    'cp1252'
    """
    if encoding is None:
        # Most files are in UTF-8: they are checked here and passed on as they are.
        encoding = _found(lambda: iter((data,)), name)
        if encoding == UTF8:
            return data.removeprefix(codecs.BOM_UTF8), encoding
    try:
        text = decoded(data, encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        marked = _marked(data)
        raise not_in(line, name, encoding, marked or WINDOWS) from None
    if encoding.lower().replace("_", "-") not in (UTF8, "utf8", "ascii"):
        data = text.encode()
    return data.removeprefix(codecs.BOM_UTF8), encoding


def about(encoding: str, name: str) -> tuple[Message, ...]:
    """A note on an encoding that was assumed."""
    if encoding != WINDOWS:
        return ()
    return (
        Message(
            "{file} is not in UTF-8 and is read as {encoding}; if letters look wrong, give the "
            "right {option}",
            file=File(name, bare=True), encoding=encoding, option=Option("encoding"),
        ),
    )  # fmt: skip


def not_in(line: int, name: str, encoding: str, likely: str) -> InputError:
    """That a file is not in an encoding."""
    return InputError(
        "{line} of {file} is not {encoding}; {remedy}", line=Row(line, "line"),
        file=File(name, bare=True), encoding=encoding, remedy=_remedy(likely),
    )  # fmt: skip


def _remedy(likely: str) -> Message:
    return Message("give the file's encoding, for instance {option}{or_save}",
                   option=Option("encoding", likely),
                   or_save=Worded("", typed=", or save it as UTF-8"))  # fmt: skip


def decoded(data: bytes, encoding: str) -> str:
    """Bytes in an encoding that the user has named, as a text that can be written again.

    Raises
    ------
    UnicodeDecodeError
        If they are not in it.
    InputError
        If there is no such encoding of texts.

    >>> decoded("café".encode("latin-1"), "latin-1")
    'café'
    >>> decoded(b"C:\\new", "unicode_escape")  # it would make a line break of this
    Traceback (most recent call last):
    unveil.errors.InputError: encoding 'unicode_escape' is unknown
    >>> decoded(b"cafe", "hex")
    Traceback (most recent call last):
    unveil.errors.InputError: encoding 'hex' is unknown
    """
    try:
        if codecs.lookup(encoding).name in _OF_PROGRAMS:
            raise LookupError
        text = data.decode(encoding)
        if encoding.lower() not in ("utf-8", "utf-8-sig"):
            text.encode()
    except UnicodeDecodeError:
        raise
    except UnicodeEncodeError:  # half a character, which some encodings can write
        raise UnicodeDecodeError(encoding, data, 0, 1, "half a character") from None
    except (LookupError, ValueError):  # with a NUL in its name, or 'undefined', which is one
        raise InputError("encoding {name} is unknown", name=repr(encoding)) from None
    return text


def _found(pieces: _Pieces, name: str) -> str:
    start = next(pieces(), b"")[:4096]
    marked = _marked(start)
    if marked is not None:
        return marked
    if 3 * start.count(0) > len(start):
        likely = "utf-16-le" if start[1::2].count(0) > start[::2].count(0) else "utf-16-be"
        raise InputError(
            "{file} looks like UTF-16 without a byte order mark; {remedy}",
            file=File(name, bare=True), remedy=_remedy(likely),
        )  # fmt: skip
    if (line := _first_not_utf8(pieces)) is None:
        return UTF8
    letters = others = lines = 0
    for piece in pieces():
        strange = _NOT_WINDOWS.search(piece)
        if strange is not None:
            line = lines + piece.count(b"\n", 0, strange.start()) + 1
            raise _in_none(line, name, "cp850")
        lines += piece.count(b"\n")
        found = len(_UTF8_LETTER.findall(piece))
        letters += found
        others += len(_HIGH.findall(_UTF8_LETTER.sub(b"", piece))) if found else len(
            _HIGH.findall(piece))  # fmt: skip
    if letters >= others:  # UTF-8 with a few bytes of something else
        raise _in_none(line, name, WINDOWS)
    return WINDOWS


def _in_none(line: int, name: str, likely: str) -> InputError:
    return InputError(
        "{file} is in no encoding that can be recognized: {line} is neither UTF-8 nor Western "
        "Windows like the rest; {remedy}", line=Row(line, "line"), file=File(name, bare=True),
        remedy=_remedy(likely),
    )  # fmt: skip


def _marked(data: bytes) -> str | None:
    return next((name for mark, name in _MARKS if data.startswith(mark)), None)


def _first_not_utf8(pieces: _Pieces) -> int | None:
    """The first line that is not UTF-8."""
    decoder = codecs.getincrementaldecoder(UTF8)()
    lines, held = 0, b""
    try:
        for piece in pieces():
            held = decoder.getstate()[0] + piece
            decoder.decode(piece)
            lines += piece.count(b"\n")
        held = decoder.getstate()[0]
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        return lines + held.count(b"\n", 0, error.start) + 1
    return None
