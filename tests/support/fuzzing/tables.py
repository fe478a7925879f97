"""Tables: CSV and Parquet, releases, permuted releases, hierarchies."""

from __future__ import annotations

import csv
import datetime
import decimal
import io
import random
from collections.abc import Callable, Sequence
from typing import Any

from fuzzing.cases import Case
from fuzzing.texts import DATES, NUMBERS, REGIONS, WORDS, spoiled, text

Maker = tuple[int, Callable[[random.Random], Case]]
NAMES = ("age", "zip", "sex", "vote")
_DELIMITERS = (",", ",", ";", "\t", "|")
_ENCODINGS = ("utf-8",) * 6 + ("utf-8-sig", "utf-16", "utf-16-le", "latin-1", "cp1252", "utf-32")


def _usual(rng: random.Random, name: str) -> str:
    if name == "age":
        return str(rng.randrange(20, 60))
    if name == "zip":
        return rng.choice(("01234", "01299", "45501", "45502"))
    return rng.choice(("f", "m")) if name == "sex" else rng.choice(("a", "b", "c"))


def rows_of(rng: random.Random, nasty: float) -> tuple[list[str], list[list[str]]]:
    """A header, and rows of which some cells are nasty."""
    names = list(NAMES)
    if rng.random() < nasty / 2:
        place = rng.randrange(len(names))
        names[place] = rng.choice((text(rng), names[place - 1], "", " ", names[place] + " "))
    rows = [[_usual(rng, name) for name in NAMES] for _ in range(rng.choice((0, 1, 2, 6, 12)))]
    if rng.random() < nasty:
        column, form = rng.randrange(4), rng.choice((NUMBERS, DATES, WORDS, REGIONS))
        for row in rows:
            row[column] = rng.choice(form)
    for row in rows:
        if rng.random() < nasty / 3:
            row[rng.randrange(4)] = text(rng)
    return names, rows


def written(rng: random.Random, names: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    """A table as CSV, in any of the styles that programs write."""
    stream = io.StringIO()
    ends = rng.choice(("\n", "\n", "\r\n", "\r"))
    writer = csv.writer(
        stream, delimiter=rng.choice(_DELIMITERS), lineterminator=ends,
        quoting=rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
    )  # fmt: skip
    for row in (names, *rows):
        writer.writerow(row)
        if rng.random() < 0.02:
            stream.write(ends)
    whole = stream.getvalue()
    if rng.random() < 0.2:
        whole = whole.removesuffix(ends)
    return whole.encode(rng.choice(_ENCODINGS), "replace")


def _reading(rng: random.Random) -> dict[str, Any]:
    given: dict[str, Any] = {"quasi": ["age", "zip", "sex"], "sensitive": "vote"}
    for name, options in (
        ("missing", ("error", "drop", "category", "")), ("missing_values", (["?"], [""], ["nan",
        "0"])),
        ("numeric", (["age"], ["zip"], ["sex", "vote"])), ("categorical", (["age"], ["vote"])),
        ("ordinal", ({"sex": ["f", "m"]}, {"age": ["1", "2"]}, {"vote": ["a", "b", "c"]})),
        ("delimiter", (",", ";", "\t", "", "é", "ab", "\n", '"', " ")),
        ("encoding", ("utf-8", "latin-1", "utf-16", "nope", "", "rot13", "hex", "idna", "utf-7",
         "\x00",
                      "unicode_escape", "undefined", "punycode")),
        ("forms", ({"age": "dd.mm.yyyy"}, {"zip": "1.234,5"}, {"vote": "nope"}, {"x": "yyyy"})),
        ("columns", (["a", "b", "c", "d"], ["age", "zip", "sex", "vote"], ["age"])),
        ("comment", ("#", "", "\n", "a")), ("identifier", (["zip"], ["age"], ["x"])),
    ):  # fmt: skip
        if rng.random() < 0.12:
            given[name] = rng.choice(options)
    if rng.random() < 0.05:
        given[rng.choice(("quasi", "sensitive"))] = text(rng)
    return given


def _csv(rng: random.Random) -> Case:
    nasty = rng.choice((0.0, 0.3, 0.9))
    content = written(rng, *rows_of(rng, nasty))
    if rng.random() < 0.5:
        content = spoiled(rng, content, rng.randrange(1, 4))
    return Case("csv", {"survey.csv": content}, _reading(rng))


def _parquet(rng: random.Random) -> Case:
    import pyarrow as pa
    from pyarrow import parquet

    n = rng.choice((0, 1, 5, 9))
    names = list(NAMES)
    if rng.random() < 0.2:
        names[rng.randrange(4)] = rng.choice((text(rng), "age", "__index_level_0__", ""))
    columns = [_column(rng, n) if rng.random() < 0.6 else pa.array(
        [rng.choice(WORDS[:6]) for _ in range(n)]) for _ in names]  # fmt: skip
    stream = io.BytesIO()
    try:
        parquet.write_table(pa.table(columns, names=names), stream)
    except (pa.ArrowException, UnicodeEncodeError):
        return _csv(rng)
    content = stream.getvalue()
    if rng.random() < 0.4:
        part = rng.choice((len(content), 200, 12))  # the footer is at the end
        content = content[:-part] + spoiled(rng, content[-part:], rng.randrange(1, 3))
    given = {n: one for n, one in _reading(rng).items()
             if n not in ("delimiter", "encoding", "columns", "comment")}  # fmt: skip
    return Case("parquet", {"survey.parquet": content}, given)


def _column(rng: random.Random, n: int) -> Any:
    """A column of any type that Parquet has."""
    import pyarrow as pa

    def some(make: Callable[[], Any]) -> list[Any]:
        return [None if rng.random() < 0.1 else make() for _ in range(n)]

    whole = lambda: rng.choice((0, 1, 2, 100, -1, 127))  # noqa: E731
    types: list[Callable[[], Any]] = [
        lambda: pa.array(some(whole), pa.int8()),
        lambda: pa.array(some(lambda: rng.choice((0, 2**64 - 1, 2**63))), pa.uint64()),
        lambda: pa.array(some(lambda: rng.choice((-(2**63), 2**63 - 1, 0))), pa.int64()),
        lambda: pa.array(some(lambda: rng.choice((0.0, -0.0, 1e308, float("nan"), float("inf"),
                                                  -float("inf"), 5e-324))), pa.float64()),
        lambda: pa.array(some(lambda: 1.5), pa.float32()),
        lambda: pa.array(some(lambda: rng.random() < 0.5), pa.bool_()),
        lambda: pa.array(some(lambda: text(rng).encode("utf-8", "replace").decode())),
        lambda: pa.array(some(lambda: text(rng).encode("utf-8", "replace").decode()),
                         pa.large_string()),
        lambda: pa.array(some(lambda: text(rng).encode("utf-8", "replace")), pa.binary()),
        lambda: pa.array(some(lambda: b"abcd"), pa.binary(4)),
        lambda: pa.array(some(lambda: decimal.Decimal(rng.randrange(10**6)).scaleb(-2)),
                         pa.decimal128(30, 2)),
        lambda: pa.array(some(lambda: decimal.Decimal(10**60)), pa.decimal256(70, 3)),
        lambda: pa.array(some(lambda: rng.choice((0, 10**18, -10**18, 2**62))),
                         pa.timestamp(rng.choice(("s", "ms", "us", "ns")),
                                      rng.choice((None, "UTC", "Europe/Rome", "+14:00",
                                      "Mars/Up")))),
        lambda: pa.array(some(lambda: rng.choice((0, -10**6, 2**30))), pa.date32()),
        lambda: pa.array(some(lambda: datetime.time(1, 2, 3)), pa.time64("us")),
        lambda: pa.array(some(lambda: rng.choice((0, 2**62))), pa.duration("ns")),
        lambda: pa.array(some(lambda: [whole()]), pa.list_(pa.int64())),
        lambda: pa.array(some(lambda: {"a": whole()}), pa.struct([("a", pa.int64())])),
        lambda: pa.array(some(lambda: [("a", whole())]), pa.map_(pa.string(), pa.int64())),
        lambda: pa.array(some(lambda: rng.choice(WORDS))).dictionary_encode(),
        lambda: pa.array(some(whole), pa.int64()).dictionary_encode(),
        lambda: pa.DictionaryArray.from_arrays(
            pa.array([rng.randrange(3) for _ in range(n)], pa.int8()),
            pa.array(["low", "mid", "high"]), ordered=True),
        lambda: pa.nulls(n),
    ]  # fmt: skip
    return rng.choice(types)()


ORIGINAL = {
    "age": [23, 27, 31, 34, 38, 41, 45, 47], "zip": ["01234", "01299"] * 4,
    "sex": list("ffmmffmm"), "vote": list("abcabcab"),
}  # fmt: skip
"""The table that releases are of."""


def _generalized(rng: random.Random) -> list[list[str]]:
    """The original with cells in one of the notations."""
    low = rng.choice((
        lambda v: f"[{v // 10 * 10}, {v // 10 * 10 + 9}]",
        lambda v: f"{v // 10 * 10}-{v // 10 * 10 + 9}",
        lambda v: f"[{v // 10 * 10}, {v // 10 * 10 + 10})", lambda v: f"{v // 10}*", lambda v: "*",
        lambda v: ">=20", str,
    ))  # fmt: skip
    mask = rng.choice(
        (lambda z: z, lambda z: z[:2] + "***", lambda z: "*", lambda z: "{01234, 01299}")
    )
    rows = [[low(a), mask(z), s, v] for a, z, s, v in zip(*ORIGINAL.values(), strict=True)]
    for row in rows:
        if rng.random() < rng.choice((0, 0.1, 0.4)):
            row[rng.randrange(4)] = rng.choice((rng.choice(REGIONS), text(rng)))
    how = rng.randrange(10)
    if how == 0:
        rows = rows[: rng.randrange(9)]
    elif how == 1:
        rows.append(rng.choice(rows))
    return rows


def _release(rng: random.Random) -> Case:
    names, rows = list(NAMES), _generalized(rng)
    if rng.random() < 0.2:
        names.append(rng.choice(("count", "name", "group", text(rng))))
        rows = [[*row, rng.choice(("1", "2", "0", "-1", "x", "9" * 30, "1.0"))] for row in rows]
    content = written(rng, names, rows)
    if rng.random() < 0.3:
        content = spoiled(rng, content, rng.randrange(1, 3))
    given: dict[str, Any] = {"alone": rng.random() < 0.4}
    for name, options in (
        ("empty", ("suppressed", "missing", "x")), ("count", ("count", "age", "nope")),
        ("notation", ({"age": "range"}, {"age": "mask"}, {"zip": "prefix"}, {"sex": "set"},
                      {"age": "interval"}, {"zip": "value"}, {"x": "y"}, {"age": 3})),
        ("may_change", (True,)), ("delimiter", (",", ";")), ("encoding", ("latin-1", "utf-16")),
        ("domains", ({"age": [1, 2, 3]}, {"age": []}, {"zip": ["01234", None]}, {"x": [1]},
                     {"age": ["a", 1]}, {"age": [float("nan"), 1.0]})),
        ("numeric", (["age"], ["sex"])),
    ):  # fmt: skip
        if rng.random() < 0.12 and (given["alone"] or name not in ("domains", "numeric")):
            given[name] = rng.choice(options)
    return Case("release", {"published.csv": content}, given)


def _permuted(rng: random.Random) -> Case:
    groups = [rng.choice(("1", "2", text(rng) if rng.random() < 0.1 else "3")) for _ in range(6)]
    records = [[group, _usual(rng, "age"), _usual(rng, "sex")] for group in groups]
    tally: dict[tuple[str, str], int] = {}
    for group in groups:
        key = (group, rng.choice("ab"))
        tally[key] = tally.get(key, 0) + 1
    secrets = [[group, vote, str(count)] for (group, vote), count in tally.items()]
    for table in (records, secrets):
        if rng.random() < 0.3:
            rng.choice(table)[rng.randrange(3)] = rng.choice((text(rng), rng.choice(NUMBERS)))
    files = {
        "quasi_table.csv": written(rng, ["group", "age", "sex"], records),
        "sensitive_table.csv": written(rng, ["group", "vote", "count"], secrets),
    }
    if rng.random() < 0.3:
        name = rng.choice(list(files))
        files[name] = spoiled(rng, files[name], rng.randrange(1, 3))
    given = {}
    for name, options in (("group", ("group", "age", "x")), ("count", ("count", "vote")),
                          ("quasi", (["age"], ["age", "sex"], [])), ("sensitive", ("vote", "x")),
                          ("numeric", (["age"], ["sex"]))):  # fmt: skip
        if rng.random() < 0.15:
            given[name] = rng.choice(options)
    return Case("permuted", files, given)


def _hierarchy(rng: random.Random) -> Case:
    lines = [["01234", "012**", "*"], ["01299", "012**", "*"], ["45501", "455**", "*"]]
    for _ in range(rng.randrange(4)):
        line = rng.choice(lines)
        how = rng.randrange(4)
        if how == 0:
            line[rng.randrange(len(line))] = text(rng)
        elif how == 1:
            line.insert(rng.randrange(len(line)), text(rng))
        elif how == 2:
            lines.append([text(rng), rng.choice(line), "*"])
        else:
            line.extend([text(rng)[:20]] * rng.choice((1, 2000)))
    content = "\n".join(rng.choice(";;;,\t").join(line) for line in lines).encode(
        "utf-8", "replace"
    )
    if rng.random() < 0.4:
        content = spoiled(rng, content, rng.randrange(1, 3))
    given = {}
    for name, options in (("delimiter", (";", ",", "", "ab", "\n", '"', "\x00")),
                          ("encoding", ("latin-1", "utf-16", "nope", "rot13", "hex",
                          "\x00"))):  # fmt: skip
        if rng.random() < 0.12:
            given[name] = rng.choice(options)
    return Case("hierarchy", {"zip.csv": content}, given)


_COARSER: dict[str, tuple[Callable[[str], str], ...]] = {
    "age": (str, lambda cell: cell[:1] + "0", lambda cell: f"{cell[:1]}0-{cell[:1]}9",
            lambda cell: f"under {int(cell[:1]) + 1}0", lambda cell: "*"),
    "zip": (str, lambda cell: cell[:3] + "**", lambda cell: cell[:2], lambda cell: ""),
    "born": (str, lambda cell: cell[-4:], lambda cell: cell[3:], lambda cell: cell[-4:-1] + "0s",
             lambda cell: f"{cell[-4:]}-{cell[3:5]}-{cell[:2]}"),
    "vote": (str, lambda cell: {"a": "left", "b": "right"}.get(cell, "other"), lambda cell: "?"),
}  # fmt: skip


def _align(rng: random.Random) -> Case:
    """A table and what was published of it: each column in some way, and something odd."""
    rows = [
        {"id": f"P{i}", "age": _usual(rng, "age"), "zip": _usual(rng, "zip"),
         "born": f"{rng.randrange(1, 29):02}.{rng.randrange(1, 13):02}.{rng.randrange(1950, 2000)}",
         "vote": _usual(rng, "vote")}
        for i in range(rng.choice((0, 1, 12, 12, 40, 40)))
    ]  # fmt: skip
    hows = {name: rng.choice(options) for name, options in _COARSER.items() if rng.random() < 0.9}
    names = {name: rng.choice((name, name, name, name.upper(), text(rng))) for name in hows}
    published = [[how(row[name]) for name, how in hows.items()] for row in rows]
    if rng.random() < 0.4:
        rng.shuffle(published)
    published = published[rng.choice((0, 0, 0, 1, 5)) :]
    original = [list(row.values()) for row in rows]
    for table in (original, published):
        if rng.random() < 0.3 and table and table[0]:
            rng.choice(table)[-1] = rng.choice((text(rng), rng.choice(DATES), rng.choice(REGIONS)))
    files = {
        "original.csv": written(rng, ["id", *_COARSER], original),
        "published.csv": written(rng, list(names.values()), published),
    }
    if rng.random() < 0.2:
        name = rng.choice(list(files))
        files[name] = spoiled(rng, files[name], rng.randrange(1, 3))
    given: dict[str, Any] = {}
    for name, options in (
        ("key", ("id", "zip", "x")), ("rename", ({"age": "zip"}, {"x": "age"}, {"vote": "vote"})),
        ("forms", ({"born": "dd.mm.yyyy"}, {"born": "mm/dd/yyyy"}, {"age": "1.234,5"}, {"x": "y"})),
        ("delimiter", (";", "")), ("published_encoding", ("utf-16", "latin-1", "nope")),
    ):  # fmt: skip
        if rng.random() < 0.06:
            given[name] = rng.choice(options)
    return Case("align", files, given)


MAKERS: dict[str, Maker] = {
    "align": (6, _align),
    "csv": (24, _csv), "parquet": (14, _parquet), "release": (14, _release),
    "permuted": (6, _permuted), "hierarchy": (6, _hierarchy),
}  # fmt: skip
