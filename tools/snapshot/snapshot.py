"""Save the figures that a broad set of calls gives, to compare them with those of other code.

    python snapshot.py --into old.json        # by the interpreter whose unveil is asked
    python compare.py old.json new.json

Every attack, measure, sanitizer and command and six audits, each on small tables, by one worker,
with fixed seeds and bounded by steps, not by time: the same code gives the same file. What is
called stands in the tables of `snapshot_calls.py`; so do names that are others in other code.
"""

from __future__ import annotations

import argparse
import dataclasses
import enum
import hashlib
import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from snapshot_calls import CALLS, KEY, METHODS, NAMES, SANITIZERS, SHELL, SHORTHANDS

import unveil as uv

DATA = os.environ.get("UNVEIL_DATA", str(Path(__file__).parents[3] / "shared" / "data"))
LONGEST = 2000  # of a longer list only the length, a hash and the sum are saved
VOLATILE = re.compile(r"(\w+_)?seconds|duration|created|date|version|unveil|key|fingerprints?")
TIMES = re.compile(
    r"""\b\d[\d.,]*(?:e-\d+)? ?(?:ms|s|min|h|seconds?|minutes?)\b|\btime="[^"]*\""""
    r"|(?m:(?<=%) \d+ \d\S*$)"
)  # the last: features and seconds of encodings
# What a finding was made from, and how it works inside: nothing that it finds.
INSIDE = re.compile("Microdata|Release|Permuted|Column|Hierarchy|External|Index|Problem|Teller|"
                    "Groups|Learned|Views|Links|Chains|Masking|Part|Asked")  # fmt: skip

READ = {
    "survey": lambda: uv.datasets.election_survey().take(range(0, 944, 4)),
    # Few combinations, so that every release can be made of it.
    "small": lambda: call("quantize", call("read_table", uv.datasets.election_survey().to_frame()
                          [::6], quasi=["age", "education"], sensitive="party"), {"age": 5}),
    "census": lambda: uv.datasets.census(300, seed=1),
    "adult": lambda: uv.datasets.adult(DATA).take(range(0, 45222, 150)),
    "internet": lambda: uv.datasets.internet_usage(DATA).take(range(0, 9799, 40)),
}  # fmt: skip


def spelled(name: str, known: Any) -> str:
    """The spelling of a name that is known here."""
    return next((one for one in NAMES.get(name, ()) if one in known), name)


def call(name: str, *given: Any, **options: Any) -> Any:
    """Call what unveil has under this name, with options as they are spelled there."""
    function = getattr(uv, spelled(name, dir(uv)))
    known = inspect.signature(function).parameters
    new = hasattr(uv, "registry") or "knows" in inspect.signature(uv.linkage).parameters
    if new and options.get("exact") is False:
        options = {**options, "exact": "never"}
    if new and isinstance(options.get("attacks"), dict):
        options = {
            **options,
            "attacks": {
                name: {"budget" if one == "limit" else one: v for one, v in some.items()}
                for name, some in options["attacks"].items()
            },
        }
    return function(*given, **{spelled(option, known): v for option, v in options.items()})


@cache
def given(word: str, table_name: str, sanitizer_name: str) -> Any:
    """What a word in the tables above stands for."""
    table = READ[table_name]() if word == "table" else given("table", table_name, "")
    ask = lambda other: given(other, table_name, sanitizer_name)  # noqa: E731
    match word:
        case "sanitizer":
            name, options = SANITIZERS[sanitizer_name]
            return call(name, **options)
        case "release":
            return ask("sanitizer").sanitize(table)
        case "releases":
            return [ask("release"), call("Mondrian", k=4).sanitize(table)]
        case "both":
            return {"before": table, "after": ask("release")}
        case "samples":
            return 4 if ask("sanitizer").is_random else None
        case "rows":
            return range(len(table))
        case "people":
            return table.to_frame().assign(name=[f"p{i}" for i in range(len(table))])
        case "partition":
            values = sorted(set(table.to_frame()[table.sensitive.name].astype(str)))
            return [values[:3], values[3:]]
    return table


def filled(option: Any, where: tuple[str, str]) -> Any:
    """An option's value, with the words in it replaced by what they stand for."""
    if isinstance(option, dict):
        return {name: filled(value, where) for name, value in option.items()}
    return given(option[1:], *where) if str(option).startswith("$") else option


def is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)


def plain(value: Any) -> Any:
    """A value without numpy and enumerations, a text without times and widths of tables."""
    value = value.item() if isinstance(value, np.generic) else value
    value = value.value if isinstance(value, enum.Enum) else value
    if isinstance(value, str | Path):
        return TIMES.sub("<time>", re.sub("[ ─]{2,}", " ", str(value)))
    return value


def short(items: list[Any]) -> Any:
    """A list, or what tells a long one from others."""
    if len(items) <= LONGEST:
        return items
    digest = hashlib.sha256(json.dumps(items).encode()).hexdigest()
    numbers = [x for x in items if isinstance(x, int | float)]
    return {"length": len(items), "sha256": digest, "sum": float(np.sum(numbers))}


def leaves(value: Any, path: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """All scalars and lists of scalars within a value, each with its path."""
    value = plain(value)
    if VOLATILE.fullmatch(path.rpartition(".")[2]):
        return
    if is_scalar(value):
        yield path, value
    elif isinstance(value, np.ndarray | pd.Series):
        if value.ndim > 1:
            yield f"{path}.shape", list(value.shape)
        yield from leaves(np.asarray(value).ravel().tolist(), path, depth)
    elif isinstance(value, Mapping | pd.DataFrame):
        for key in value:
            yield from leaves(value[key], f"{path}.{plain(key)}", depth)
    elif isinstance(value, set | frozenset):
        yield from leaves(sorted(value), path, depth)
    elif isinstance(value, list | tuple):
        items = [plain(item) for item in value]
        rows = [dict(leaves(item, "", depth)) for item in items]
        if all(map(is_scalar, items)):
            yield path, short(items)
        elif all(r.keys() == rows[0].keys() and all(map(is_scalar, r.values())) for r in rows):
            yield from ((f"{path}[]{name}", short([r[name] for r in rows])) for name in rows[0])
        else:
            for i, row in enumerate(rows):
                yield from ((f"{path}[{i}]{name}", leaf) for name, leaf in row.items())
    elif type(value).__module__.startswith("unveil") and depth < 3:
        for name in () if INSIDE.fullmatch(type(value).__name__) else attributes_of(value):
            yield from asked(f"{path}.{name}", lambda n=name: getattr(value, n), depth + 1)


def attributes_of(value: Any) -> list[str]:
    """The names of all public fields and properties."""
    fields = {f.name for f in dataclasses.fields(value)} if dataclasses.is_dataclass(value) else ()
    static = {name: inspect.getattr_static(type(value), name) for name in dir(type(value))}
    looked = {name for name, what in static.items() if isinstance(what, property | cached_property)}
    return sorted(name for name in looked.union(fields) if not name.startswith("_"))


def asked(path: str, ask: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The leaves of an answer, or the class of the error that came instead."""
    try:
        yield from list(leaves(ask(), path, depth))
    except Exception as error:  # whatever it is: that it comes is part of what this code does
        yield f"{path}.raised", type(error).__name__


def finding_of(name: str, words: str, where: tuple[str, str], options: Any) -> dict[str, Any]:
    """Everything that a call's finding says."""
    try:
        things = [given(word, *where) for word in words.split()]
        found = things[0] if name == "release" else call(name, *things, **filled(options, where))
    except Exception as error:
        return {"raised": type(error).__name__}
    said = dict(leaves(found, "it"))
    if hasattr(found, "to_dict"):
        said |= asked("dict", lambda: found.to_dict(records=True))
    for method, arguments in METHODS.items():
        if callable(getattr(found, method, None)):
            said |= asked(method, lambda m=method, a=arguments: getattr(found, m)(*a))
    return said


def run(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    wide = os.environ | {"COLUMNS": "200", "PYTHONWARNINGS": "ignore"}
    return subprocess.run([sys.executable, "-m", "unveil", *words], cwd=folder, env=wide,
                          capture_output=True, text=True, check=False)  # fmt: skip


@cache
def words_of_help(*command: str) -> set[str]:
    """The words of a command's help: which commands and options there are."""
    return set(re.findall(r"[\w-]+", run(*command, "--help", folder=Path()).stdout))


def written(file: Path) -> Any:
    """What a command wrote: JSON, a table, the words of a page, or text."""
    text = file.read_text("utf-8")
    if file.suffix == ".json":
        return json.loads(text)
    if file.suffix == ".html":
        return re.sub(r"(?s)<(script|style|svg).*?</\1>|<[^>]*>", " ", text)
    return pd.read_csv(file, dtype=str).fillna("") if file.suffix == ".csv" else text


def commands(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """What every command prints and writes, and its exit code."""
    table = uv.datasets.election_survey().to_frame()
    named = table[::4].assign(name=[f"p{i}" for i in range(len(table[::4]))])
    named.to_csv(folder / "survey.csv", index=False)
    named.drop(columns="party").to_csv(folder / "people.csv", index=False)
    table[::6].to_csv(folder / "small.csv", index=False)
    (folder / "the.key").write_text(f"{KEY}\n")
    trees = next(Path(uv.__file__).parent.rglob("education.csv")).parent
    shutil.copytree(trees, folder / "trees")
    for row in SHELL.strip().splitlines():
        case, line, files = (part.strip() for part in row.split("|"))
        if "@reference" in line:
            reference = re.findall("#[0-9a-f]{12}", (folder / "a.json").read_text("utf-8"))[0]
            line = line.replace("@reference", f"'{reference}'")
        for shorthand, words in SHORTHANDS.items():
            line = line.replace(shorthand, words)
        if "knows" in inspect.signature(uv.linkage).parameters:
            line = line.replace("--sampled", "--exact never")
        command, *rest = shlex.split(line)
        command = spelled(command, words_of_help() if command in NAMES else ())
        rest = [spelled(word, words_of_help(command)) if word in NAMES else word for word in rest]
        done = run(command, *rest, folder=folder)
        said = {"exit": done.returncode}
        said |= dict(leaves({"stdout": done.stdout, "stderr": done.stderr}, "shell"))
        for file in files.split():
            said |= asked(file, lambda path=folder / file: written(path))
            (folder / "out.json").unlink(missing_ok=True)
        yield f"shell/{case}", said


def cases(begin: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """All cases whose names begin so, one after the other."""
    seen: set[str] = set()
    for names, words, where, several in CALLS:
        for name, options, (table, sanitizer) in product(names.split(), several, where):
            how = ",".join(f"{o}={v}" for o, v in options.items() if o not in ("attacks", "key"))
            case = "/".join(filter(None, (name, sanitizer, table, how)))
            case = f"{case}/{words}" if case in seen else case
            seen.add(case)
            if case.startswith(begin):
                yield case, finding_of(name, words, (table, sanitizer), options)
    if "shell".startswith(begin):
        with tempfile.TemporaryDirectory() as folder:
            yield from commands(Path(folder))


def main() -> None:
    parser = argparse.ArgumentParser(description="Save the figures of many calls.")
    parser.add_argument("--into", type=Path, required=True, help="the JSON to write")
    parser.add_argument("--only", default="", help="only cases that begin so: linkage, shell, …")
    options = parser.parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":  # the order of sets is then always the same
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"PYTHONHASHSEED": "0"})
    warnings.simplefilter("ignore")
    saved, took, before = {}, {}, time.perf_counter()
    for case, said in cases(options.only):
        now = time.perf_counter()
        saved[case], took[case], before = said, now - before, now
    lines = (f"{json.dumps(case)}: {json.dumps(said)}" for case, said in saved.items())
    options.into.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    print(f"{len(saved)} cases in {sum(took.values()):.0f} s; the slowest:")
    for case in sorted(took, key=took.__getitem__)[:-6:-1]:
        print(f"  {took[case]:5.1f} s  {case}")


if __name__ == "__main__":
    main()
