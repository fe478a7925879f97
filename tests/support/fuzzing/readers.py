"""What reads an input, and whether what it says is true.

An independent reader of the same bytes must find the same table, and what does not change the
content (the order of rows, how a file is written) must not change what is found.
"""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fuzzing.cases import Case
from fuzzing.documents import an_audit
from fuzzing.tables import ORIGINAL
from fuzzing.texts import CONTROL

_HARMLESS = "\n\t"
_DIGITS = re.compile(r"\d+")
_NAMES = "janfebmaraprmayjunjulaugsepoctnovdec"
_MONTHS = re.compile("|".join(re.findall("...", _NAMES)), re.IGNORECASE)
_LONE_RETURN = re.compile(r"\r(?!\n)")
_BIDI = {*map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C))}
_STEER = ("Cc", "Zl", "Zp")
_CODES = (0, 1, 2, 3, 130, 143)


def steering(output: str) -> set[str]:
    """Characters that could steer a terminal, or hide what it shows."""
    return {
        c for c in set(output) - set(_HARMLESS) if c in _BIDI or unicodedata.category(c) in _STEER
    }


def _csv(case: Case, folder: Path) -> None:
    from unveil.microdata import open_table, read_csv, read_table

    file, given = folder / "survey.csv", dict(case.given)
    opening = {n: given.get(n) for n in ("delimiter", "encoding", "columns", "comment")}
    microdata = read_csv(file, **given)
    source = open_table(file, **opening)
    arrays = {name: array.to_pylist() for name, array in source.arrays.items()}
    if opening["comment"] is None and opening["encoding"] in (None, "utf-8"):
        _same_as_csv_module(case.files["survey.csv"], opening, source, arrays)
    kept = microdata.rows
    for column in microdata.columns:
        if column.name not in case.given.get("forms", {}):
            _check_values(column, [arrays[column.name][row].strip() for row in kept])
    if given.get("missing") == "drop" or len(kept) < source.n_rows:
        return
    # Rows in another order: the same people, so the same counts.
    order = np.random.default_rng(len(kept)).permutation(source.n_rows)
    reading = {n: one for n, one in given.items() if n not in opening}
    shuffled = read_table(_taken(source, order), **reading)
    assert _tally(microdata) == _tally(shuffled), "another order of rows, another content"


def _taken(source: Any, order: Any) -> Any:
    from dataclasses import replace

    return replace(
        source, arrays={n: a.take(order) for n, a in source.arrays.items()}, looked_at={}
    )


def _tally(microdata: Any) -> Counter[tuple[str, ...]]:
    columns = [[column.texts[c] for c in column.codes] for column in microdata.columns]
    return Counter(zip(*columns, strict=True))


def _same_as_csv_module(content: bytes, opening: Any, source: Any, arrays: Any) -> None:
    """Python's own reader finds the same cells."""
    text = _decoded(content)
    assert source.notes or source.encoding != "cp1252", "an encoding is guessed in silence"
    stream = io.StringIO(text, newline="")
    delimiter = opening["delimiter"] or _delimiter_of(source, text)
    csv.field_size_limit(10**9)
    rows = [row for row in csv.reader(stream, delimiter=delimiter) if row]
    rows = rows if opening["columns"] is not None else rows[1:]
    theirs = [list(column) for column in zip(*rows, strict=True)] if rows else []
    # Where a lone carriage return ends lines, it is a line end within cells, too.
    ours = [[_LONE_RETURN.sub("\n", cell) for cell in column] for column in arrays.values()]
    theirs = [[_LONE_RETURN.sub("\n", cell) for cell in column] for column in theirs]
    assert not theirs or theirs == ours, "the csv module reads another table"


def _decoded(content: bytes) -> str:
    """By a mark or as UTF-8; what is neither is Western Windows."""
    marks = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
             (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))  # fmt: skip
    for mark, encoding in marks:
        if content.startswith(mark):
            return content.decode(encoding)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252")


def _delimiter_of(source: Any, text: str) -> str:
    """The one that was found out splits the first line into the columns."""
    for delimiter in ",;\t|":
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        head = [cell.strip() for cell in next(filter(None, lines))]
        if head == list(source.columns) or len(head) == len(source.columns) > 1:
            return delimiter
    return ","


def _check_values(column: Any, cells: list[str]) -> None:
    for code, cell in zip(column.codes, cells, strict=True):
        if code < 0:
            continue
        value, text = column.values[code], column.texts[code]
        same = text == cell or text == "(missing)" or _number(text) == _number(cell) is not None
        if column.form is not None:  # a local date: the same numbers in another order
            same = same or sorted(_DIGITS.findall(text)) == sorted(
                _DIGITS.findall(_in_digits(cell))
            )
            same = same or _number(text) == _number(cell.replace(",", ".")) is not None
        assert same or str(value)[:10] == cell[:10], f"{cell!r} was read as {text!r}"


def _in_digits(text: str) -> str:
    """A date with the name of its month as a number."""
    return _MONTHS.sub(lambda found: f" {_NAMES.index(found[0].lower()) // 3 + 1:02} ", text)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _parquet(case: Case, folder: Path) -> None:
    from pyarrow import parquet

    from unveil.microdata import read_parquet

    file = folder / "survey.parquet"
    microdata = read_parquet(file, **case.given)
    table = parquet.ParquetFile(file).read()
    for column in microdata.columns:
        if not column.role.is_used:
            continue
        theirs = table[column.name]
        if str(theirs.type) not in ("string", "int64", "int8", "bool", "uint64"):
            continue
        for code, row in zip(column.codes, microdata.rows, strict=True):
            value = theirs[int(row)].as_py()
            if value is not None and code >= 0:
                text = column.texts[code]
                assert text == str(value) or _number(text) == value, f"{value!r} read as {text!r}"


@cache
def _original() -> Any:
    from unveil.microdata import read_table

    return read_table(ORIGINAL, quasi=["age", "zip", "sex"], sensitive="vote")


def _release(case: Case, folder: Path) -> None:
    from unveil.microdata import Release as _Release
    from unveil.microdata import open_table, read_release

    given = dict(case.given)
    alone = given.pop("alone")
    sources = {"quasi": ["age", "zip", "sex"], "sensitive": "vote"} if alone else {}
    original = None if alone else _original()
    file = folder / "published.csv"
    release = read_release(file, original, **sources, **given)
    assert isinstance(release, _Release)
    assert len(release) >= 1
    opening = {name: given.pop(name, None) for name in ("delimiter", "encoding")}
    source = open_table(file, **opening)
    order = np.random.default_rng(7).permutation(source.n_rows)
    table = {n: [c.strip() for c in a.take(order).to_pylist()] for n, a in source.arrays.items()}
    again = read_release(table, original, **sources, **given)
    assert _classes(release) == _classes(again), "another order of rows, another release"


def _classes(release: Any) -> Counter[tuple[str, ...]]:
    frame = release.to_frame()
    cells = ([str(cell).strip() for cell in frame[name]] for name in frame.columns)
    return Counter(zip(*cells, strict=True))


def _align(case: Case, folder: Path) -> None:
    from unveil.aligning import align

    found = align(folder / "original.csv", folder / "published.csv", **case.given)
    assert not steering(str(found)), "control characters are printed"
    found.to_frame()
    files = [one for one in found.columns if one.published is not None]
    assert len({one.published for one in files}) == len(files), "a column is aligned twice"


def _permuted(case: Case, folder: Path) -> None:
    from unveil.microdata import read_anatomy

    release = read_anatomy(folder / "quasi_table.csv", folder / "sensitive_table.csv", **case.given)
    assert release.counts.sum() == len(release)


def _hierarchy(case: Case, folder: Path) -> None:
    from unveil.microdata import read_hierarchy

    tree = read_hierarchy(folder / "zip.csv", **case.given)
    for leaf in range(len(tree.leaves)):
        assert tree.path(leaf)[0] == tree.leaves[leaf]
    if not case.given:
        text = _decoded(case.files["zip.csv"])
        delimiter = next((one for one in ";\t" if one in text), ",")
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        firsts = {next(filter(None, map(str.strip, line)), None) for line in lines}
        assert set(tree.leaves) <= firsts, "values that are not in the file"


def _partition(case: Case, folder: Path) -> None:
    from unveil.engine.counting import Secret
    from unveil.measures import Partition

    values = tuple(case.given["values"])
    secret = Secret(name="vote", values=values, ordered=not isinstance(values[-1], str | bool))
    found = Partition.of(case.given["given"], secret)
    assert len(found.groups) == len(values)
    assert set(found.groups.tolist()) <= set(range(len(found.names)))


def _project(case: Case, folder: Path) -> None:
    from unveil.projects import Project

    project = Project.read(folder / "unveil.toml")
    again = folder / "again.toml"
    project.write(again)
    same = Project.read(again).to_toml() == project.moved(folder).to_toml()
    assert same, "written and read again, it is another project"
    project.moved(folder / "trees").to_toml()
    again.unlink()
    tables = project.microdata()
    assert all(len(table) for table in tables)
    _releases_of(project)


def _releases_of(project: Any) -> None:
    from unveil.projects import _project as module

    module._releases(project)
    module._attacks(project, None)


def _audit(case: Case, folder: Path) -> None:
    from unveil.auditing import compare_audits, junit_of, read_audit

    found = read_audit(folder / "audit.json")
    compare_audits(an_audit(), found).summary()
    junit_of(found)
    if case.given:
        from unveil.render.page import page_of

        assert page_of(found).rstrip().endswith("</html>")


def _key(case: Case, folder: Path) -> None:
    from unveil.auditing import key_from

    assert int(key_from(folder / "report.key"), 16) >= 0


def _option(case: Case, folder: Path) -> None:
    parsers()[case.given["option"]](case.given["text"])


@cache
def parsers() -> dict[str, Callable[[str], Any]]:
    """What reads the text of an option."""
    from unveil import Oracle, audit  # noqa: F401
    from unveil.attacks.shared import adversaries_named
    from unveil.auditing import Threshold, is_reference
    from unveil.engine import parse_duration, parse_memory
    from unveil.microdata import options as reading
    from unveil.options import Recode, Rename, names, shell_of, tolerance_of
    from unveil.sanitize import sanitizers_named

    def parse(annotation: Any) -> Callable[[str], Any]:
        return lambda text: shell_of(annotation).parse([text])

    return {
        "duration": parse_duration, "memory": parse_memory, "threshold": Threshold.parse,
        "tolerance": tolerance_of, "sanitizer": sanitizers_named, "adversary": adversaries_named,
        "names": lambda text: names([text]), "ordinal": parse(reading.Ordinal),
        "cuts": parse(reading.Cuts), "parts": parse(reading.Parts),
        "domains": parse(reading.Domains), "recode": parse(Recode), "rename": parse(Rename),
        "oracle": Oracle, "reference": is_reference,
    }  # fmt: skip


def _command(case: Case, folder: Path) -> None:
    from command_line import run

    # Files are named as in the folder.
    here = os.getcwd()
    os.chdir(folder)
    try:
        result = run(*case.given, code=None)
    finally:
        os.chdir(here)
    _judge_output(case, result.exit_code, result.stdout, result.stderr)


def _process(case: Case, folder: Path) -> None:
    words = [os.fsencode(word) if "\udc80" <= max(word, default="") <= "\udcff" else
             word.encode("utf-8", "replace") for word in case.given]  # fmt: skip
    ended = subprocess.run(
        [os.fsencode(sys.executable), b"-m", b"unveil", *words],
        cwd=folder, timeout=60, check=False, capture_output=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    out, err = (one.decode("utf-8", "backslashreplace") for one in (ended.stdout, ended.stderr))
    assert "Traceback" not in err, err[-1500:]
    _judge_output(case, ended.returncode, out, err)


def _judge_output(case: Case, code: int, out: str, err: str) -> None:
    assert code in _CODES, f"exit code {code}: {err[-1500:]}"
    as_data = any(
        word == "-" and option in ("--csv", "-o", "--out")
        for option, word in zip(case.given, case.given[1:], strict=False)
    )
    found = steering(err) | (set() if as_data else steering(out))
    assert not found, f"control characters are printed: {sorted(map(ascii, found))}"


READERS: dict[str, Callable[[Case, Path], None]] = {
    "align": _align, "csv": _csv, "parquet": _parquet, "release": _release, "permuted": _permuted,
    "hierarchy": _hierarchy, "partition": _partition, "project": _project, "audit": _audit,
    "key": _key, "option": _option, "command": _command, "process": _process,
}  # fmt: skip
assert CONTROL
