"""Texts, numbers and values that programs stumble over."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

CONTROL = (
    "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x1b]8;;http://a.invalid\x1b\\link\x1b]8;;\x1b\\",
    "\x9b31m", "\x9d0;title\x9c", "\x90q\x9c", "a\rb", "a\x08b", "\x07", "\x0b", "\x0c", "\x7f",
    "before\u202egnidaer\u202cafter", "\u2066isolated", "\u200e", "\u2028line", "\u2029paragraph",
    "\u0085next", "\ufeffmark", "\x00", "\u200b",
)  # fmt: skip
"""What could steer a terminal, or hide what it shows."""

MARKUP = ("[bold]b[/bold]", "[link=http://a.invalid]x[/link]", "[/]", ":smile:", "{x}", "{0}", "%s",
          "{", "}", "{!r}", "[red", "\\", "\\[bold]")  # fmt: skip

NUMBERS = (
    "0", "-0", "-0.0", "1e308", "1e309", "-1e309", "1e-400", "nan", "NaN", "inf", "-inf",
    "Infinity",
    "9" * 18, "9" * 19, "9" * 30, "9" * 400, "1" + "0" * 5000, "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "18446744073709551616", "2147483648", "0x10",
    "1_000", "1,5", "1.5.2", "٣", "１２", "²", "½", "−5", "+5", "5.", ".5", ".", "-", "+", "e5",
    "1e",
    "007", "1e5", "1E+05", "0.1", "0.30000000000000004", "true", "True",
)  # fmt: skip

DATES = (
    "2020-01-01", "2020-02-30", "2020-13-01", "0000-01-01", "9999-12-31", "10000-01-01",
    "2020-01-01T00:00:00", "2020-01-01 25:00", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00+14:00",
    "1677-09-21", "2262-04-12", "2020-01", "2020", "20200101", "01.02.2020", "-0001-01-01", "24:00",
    "2016-12-31T23:59:60", "31.12.2020", "12/31/2020", "1/2/20", "31-Dec-2020", "31dec2020",
    "1. 2. 2020", "00.00.0000", "32.13.2020", "2020Q5", "2020Q1", "1990s", "05/2023", "13/2023",
)  # fmt: skip

REGIONS = (
    "*", "**", "[20, 30)", "[30, 20)", "[20, 30", "20-30", "30-20", "-5--3", ">=40", "<20", "90+",
    "2*", "*2", "2**", "{a, b}", "{}", "{a", "a;b", "a|b", "[a, b]", "[]", "(20, 20)",
    "[-inf, inf]",
    "[nan, 3]", "20–30", "[1e400, 2]", "20 - 30", ">", "<", ">=", "null", "NA", "", " ", "None",
    "(missing)", "[2020-01-01, 2020-12-31]", "2020-01..2020-05", "not 5", "!5", "∅",
)  # fmt: skip

WORDS = ("a", "b", "c", "Rome", "Lyon", "Nice", "low", "high", "f", "m", "yes", "no", "é",
         "e\u0301",
         "שלום", "日本", "🦄", "ﬁ", "İ", "ß", "ẞ", "a b", " a", "a ", "\ta", "a,b", 'a"b', "a'b",
         "a;b",
         "a\nb", "a\r\nb", "#a", "=1+1", "x" * 300, "count", "without", "group",
         "__index_level_0__")  # fmt: skip

PATHS = (
    "", ".", "..", "/", "/dev/null", "\x00", "a\x00b", "x" * 300, "/" * 5000, "~", "~nobody", "-",
    "survey.csv", "missing.csv", "survey.parquet", "nowhere/", "survey.csv/x", "unveil.toml",
    "é.csv",
    "\udcff.csv", "a\nb", "\x1b[2J", "CON", "http://127.0.0.1:9/", "file:///etc/passwd", "trees",
)  # fmt: skip


def text(rng: random.Random) -> str:
    """A text, mostly a nasty one."""
    return rng.choice(_TEXTS)(rng)


def _any(options: tuple[str, ...]) -> Callable[[random.Random], str]:
    return lambda rng: rng.choice(options)


def _random(rng: random.Random) -> str:
    return "".join(chr(_point(rng)) for _ in range(rng.randrange(1, 12)))


def _point(rng: random.Random) -> int:
    top = rng.choice((0x20, 0x80, 0x100, 0x3000, 0xD7FF, 0x1FFFF))
    return rng.randrange(top)


def _two(rng: random.Random) -> str:
    return text(rng) + text(rng)


def _long(rng: random.Random) -> str:
    return text(rng)[:9] * rng.choice((50, 1000, 20_000))


_TEXTS: list[Callable[[random.Random], str]] = [
    _any(CONTROL), _any(MARKUP), _any(NUMBERS), _any(NUMBERS), _any(DATES), _any(REGIONS),
    _any(WORDS), _any(WORDS), _random, _two,
    lambda rng: _long(rng) if rng.random() < 0.1 else rng.choice(WORDS),
]  # fmt: skip


def value(rng: random.Random, depth: int = 0) -> Any:
    """Any value that JSON or TOML can hold."""
    kind = rng.randrange(12 if depth < 3 else 8)
    if kind < 3:
        return text(rng)
    if kind == 3:
        return rng.choice((0, 1, -1, 2**31, 2**63, -(2**63) - 1, 10**30, 10**4000, 3))
    if kind == 4:
        return rng.choice(
            (0.0, -0.0, 1.5, float("nan"), float("inf"), -float("inf"), 1e308, 5e-324)
        )
    if kind == 5:
        return rng.choice((True, False))
    if kind == 6:
        return rng.choice((None, "", [], {}))
    if kind == 7:
        return rng.choice(PATHS)
    if kind < 10:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {text(rng): value(rng, depth + 1) for _ in range(rng.randrange(4))}


def spoiled(rng: random.Random, content: bytes, times: int = 1) -> bytes:
    """A file with bytes cut, doubled, swapped, or put in."""
    for _ in range(times):
        at = rng.randrange(len(content) + 1)
        to = min(len(content), at + rng.choice((1, 1, 2, 8, 40)))
        how = rng.randrange(8)
        if how == 0:
            content = content[:at] + content[to:]
        elif how == 1:
            content = content[:to] + content[at:to] + content[to:]
        elif how == 2:
            content = content[:at]
        elif how == 3:
            content = content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]
        elif how == 4:
            content = content[:at] + rng.choice(_BYTES) + content[at:]
        elif how == 5:
            content = content[:at] + text(rng).encode("utf-8", "surrogatepass") + content[to:]
        elif how == 6:
            other = rng.randrange(len(content) + 1)
            content = content[:at] + content[other : other + 20] + content[at:]
        else:
            content = rng.choice(_MARKS) + content
    return content


_BYTES = (b"\x00", b'"', b"'", b"\n", b"\r", b"\r\n", b",", b";", b"\t", b"|", b"\\", b"\xff",
          b"\xed\xa0\x80", b"\xc0\x80", b"\x80", b"{", b"[", b"]", b"}", b"=", b"#", b" ",
          b"\xef\xbb\xbf")  # fmt: skip
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\n", b"\n\n", b" ", b"#", b'"', b"\x1f\x8b",
          b"PK\x03\x04", b"PAR1", b"\x00")  # fmt: skip
