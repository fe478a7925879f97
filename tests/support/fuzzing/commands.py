"""Command lines: words that are nearly right, with files that are."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

from fuzzing.cases import Case
from fuzzing.documents import SURVEY, an_audit, toml
from fuzzing.tables import written
from fuzzing.texts import NUMBERS, PATHS, spoiled, text

_ROLES = ["--quasi", "age,zip,sex", "--sensitive", "vote"]
_LINES: list[list[str]] = [
    ["measures", "survey.csv", *_ROLES],
    ["measures", "published.csv", *_ROLES, "--original", "survey.csv", "--json", "-"],
    ["measures", "survey.csv", *_ROLES, "--partition", "low:a,high:b|c"],
    ["anonymize", "survey.csv", *_ROLES, "--sanitizer", "mondrian:k=2", "-o", "out.csv"],
    ["anonymize", "survey.csv", *_ROLES, "--sanitizer", "mondrian:k=2", "-o", "-"],
    ["linkage", "survey.csv", *_ROLES, "--release", "published.csv"],
    ["linkage", "survey.csv", *_ROLES, "--sanitizer", "identity", "--csv", "-"],
    ["inference", "survey.csv", *_ROLES, "--sanitizer", "mondrian:k=2", "--json", "f.json"],
    ["identifiers", "survey.csv", *_ROLES, "--release", "published.csv"],
    ["differential-inference", "survey.csv", *_ROLES, "--sanitizer", "mondrian:k=2", "--jobs", "1"],
    ["init", "survey.csv", "-o", "new.toml"],
    ["audit", "survey.csv", *_ROLES, "--attack", "measures,linkage", "--release", "published.csv",
     "--jobs", "1", "--fail-on", "k < 2"],
    ["audit", "--project", "unveil.toml", "--attack", "measures", "--jobs", "1"],
    ["compare", "audit.json", "audit.json"],
    ["resolve", "survey.csv", "#0a1b2c3d4e5f6071", "--key", "report.key"],
    ["report", "audit.json", "-o", "page.html"],
    ["--version"], ["--help"], ["audit", "--help"], [],
]  # fmt: skip
_OPTIONS = ("--quasi", "-q", "--sensitive", "-s", "--identifier", "--release", "--anatomy",
            "--sensitive-table", "--sanitizer", "--notation", "--group", "--count", "--domains",
            "--hierarchies", "--missing", "--missing-values", "--numeric", "--categorical",
            "--ordinal",
            "--cuts", "--parts", "--quantiles", "--delimiter", "--encoding", "--columns", "--json",
            "--csv", "--plot", "--about", "--person", "--worst", "--seed", "--budget", "--fail-on",
            "--tolerance",
            "--adversary", "--knows", "--external", "--record-of", "--smallest", "--key",
            "--project",
            "--may-change-sensitive", "--strict-columns", "--records", "--chart", "-o", "--timeout",
            "--retries", "--memory", "--attack", "--unknown", "--recode", "--rename", "--held-out",
            "--empty", "--", "-", "--no-such", "--engine", "--subsets", "--partition")  # fmt: skip
_PROJECT = {"data": {"file": "survey.csv"}, "roles": {"age": "quasi", "zip": "quasi",
"vote": "sensitive"},
            "releases": [{"file": "published.csv"}]}  # fmt: skip


def _word(rng: random.Random) -> str:
    given = rng.choice((text(rng), rng.choice(PATHS), rng.choice(NUMBERS), rng.choice(_OPTIONS),
                        "age", "vote", "survey.csv", "published.csv", "age=1,2",
                        "age=3"))  # fmt: skip
    return given.replace("\x00", "")[:3000]  # no system passes it on


def _words(rng: random.Random) -> list[str]:
    words = list(rng.choice(_LINES))
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        at = rng.randrange(len(words) + 1)
        how = rng.randrange(5)
        if how == 0:
            words[at : at + 1] = []
        elif how == 1:
            words[at : at + 1] = [_word(rng)]
        elif how == 2:
            words[at:at] = [_word(rng)]
        else:
            words += [rng.choice(_OPTIONS), _word(rng)]
    # Not what takes long by its nature, or asks others.
    return [word for word in words if word not in ("demo", "spark", "all")]


def _rows(rng: random.Random) -> tuple[list[str], list[list[str]]]:
    names, *rows = [line.split(",") for line in SURVEY.splitlines()]
    if rng.random() < 0.4:
        rng.choice(rows)[rng.randrange(4)] = text(rng)
    if rng.random() < 0.15:
        names[rng.randrange(4)] = text(rng)
    return names, rows


def _files(rng: random.Random) -> dict[str, bytes]:
    files = {name: written(rng, *_rows(rng)) for name in ("survey.csv", "published.csv")}
    files["unveil.toml"] = toml(rng, _PROJECT).encode()
    files["audit.json"] = json.dumps(an_audit()).encode()
    files["report.key"] = b"0" * 64
    if rng.random() < 0.3:
        name = rng.choice(list(files))
        files[name] = spoiled(rng, files[name], rng.randrange(1, 3))
    return files


def _command(rng: random.Random) -> Case:
    words = _words(rng)
    used = {name: content for name, content in _files(rng).items()
            if any(name in word for word in words) or name.endswith(".csv")}  # fmt: skip
    return Case("command", used, words)


def _process(rng: random.Random) -> Case:
    return Case("process", *(lambda case: (case.files, case.given))(_command(rng)))


MAKERS: dict[str, tuple[int, Callable[[random.Random], Case]]] = {
    "command": (3, _command), "process": (0, _process),
}  # fmt: skip
