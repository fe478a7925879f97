"""Project files, audits, keys, partitions, and the texts of options."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from functools import cache
from typing import Any

from fuzzing.cases import Case
from fuzzing.tables import ORIGINAL
from fuzzing.texts import NUMBERS, PATHS, spoiled, text, value

SURVEY = "".join(
    f"{','.join(map(str, row))}\n"
    for row in [list(ORIGINAL), *zip(*ORIGINAL.values(), strict=True)]
)

_PROJECT: dict[str, Any] = {
    "data": {"file": "survey.csv", "delimiter": ",", "encoding": "utf-8", "missing": "error",
             "missing_values": ["?"], "comment": "#"},
    "roles": {"age": "quasi", "zip": "quasi", "sex": "quasi", "vote": "sensitive"},
    "kinds": {"age": "numeric", "sex": ["f", "m"], "zip": "categorical"},
    "hierarchies": {"files": {"zip": "trees/zip.csv"}},
    "partitions": {"vote": "left:a|b,right:c"},
    "threat": {"knows": ["age", "sex"], "wants": ["vote"], "adversary": "naive-bayes",
               "tolerance": "5%"},
    "attacks": {"use": ["linkage", "measures"], "seed": 1, "jobs": 1,
                "linkage": {"unknown": "error"}, "differential-inference": {"budget": "3 s"}},
    "releases": [{"sanitizer": "mondrian:k=2"}, {"file": "published.csv", "name": "city"},
                 {"oracle": "cat {input}", "timeout": 5, "retries": 0, "memory": "1 GB"}],
    "thresholds": {"fail_on": ["k < 2"], "strict_columns": False},
    "report": {"smallest": 5, "include_records": False},
}  # fmt: skip


def places(document: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the values of a nested document are."""
    found = [at] if at else []
    if isinstance(document, dict):
        for key, inner in document.items():
            found += places(inner, (*at, key))
    elif isinstance(document, list):
        for place, inner in enumerate(document):
            found += places(inner, (*at, place))
    return found


def changed(rng: random.Random, document: Any) -> Any:
    """A document with one key replaced, removed, renamed or added."""
    document = json.loads(json.dumps(document))
    *outer, last = rng.choice(places(document))
    inside = document
    for key in outer:
        inside = inside[key]
    how = rng.randrange(6)
    if how == 0:
        del inside[last]
    elif how == 1 and isinstance(inside, dict):
        inside[text(rng)] = inside.pop(last)
    elif how == 2 and isinstance(inside, dict):
        inside[text(rng)] = value(rng)
    elif how == 3:
        inside[last] = rng.choice(([inside[last]], {"x": inside[last]}, str(inside[last])))
    else:
        inside[last] = value(rng)
    return document


def _toml(given: Any) -> str:
    """A value as TOML; None has no form there."""
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, float):
        return repr(given) if math.isfinite(given) else str(given)
    if isinstance(given, int):
        return str(given)
    if isinstance(given, list):
        return f"[{', '.join(map(_toml, given))}]"
    if isinstance(given, dict):
        return f"{{{', '.join(f'{_toml(k)} = {_toml(v)}' for k, v in given.items())}}}"
    return json.dumps("" if given is None else given)


_ODD = ("2020-01-01", "25:00:00", "2020-01-01T00:00:00Z", "0x_1", "1e400", "nan", "-inf",
        "[[[[]]]]",
        "'''\nx'''", '"\\ud800"', '"\\u0000"', "1__0", "{}", "[" * 2000, "{a=" * 1500, "0b2",
        "07", "9" * 5000)  # fmt: skip


def toml(rng: random.Random, document: dict[str, Any]) -> str:
    """A document as a file; sometimes a value is one that only TOML has."""
    lines = []
    for name, table in document.items():
        if isinstance(table, list) and table and all(isinstance(one, dict) for one in table):
            for one in table:
                lines.append(f"[[{_toml(name)}]]")
                lines += [f"{_toml(key)} = {_toml(inner)}" for key, inner in one.items()]
        elif isinstance(table, dict):
            lines.append(f"[{_toml(name)}]")
            lines += [f"{_toml(key)} = {_toml(inner)}" for key, inner in table.items()]
        else:
            lines.insert(0, f"{_toml(name)} = {_toml(table)}")
    if rng.random() < 0.15 and lines:
        place = rng.randrange(len(lines))
        key, equals, _ = lines[place].partition(" = ")
        if equals:
            lines[place] = f"{key} = {rng.choice(_ODD)}"
    if rng.random() < 0.05 and lines:
        lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return "\n".join(lines) + "\n"


def _project(rng: random.Random) -> Case:
    document = _PROJECT
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        document = changed(rng, document)
    if rng.random() < 0.15:
        where = rng.choice(("data", "hierarchies"))
        path = rng.choice(PATHS)
        document = {**document, where: {"file" if where == "data" else "folder": path}}
    content = toml(rng, document).encode("utf-8", "surrogatepass")
    if rng.random() < 0.25:
        content = spoiled(rng, content, rng.randrange(1, 3))
    files = {
        "unveil.toml": content, "survey.csv": SURVEY.encode(), "published.csv": SURVEY.encode(),
        "trees/zip.csv": b"01234;012**;*\n01299;012**;*\n",
    }  # fmt: skip
    return Case("project", files)


@cache
def an_audit() -> dict[str, Any]:
    """A small audit, as plain values."""
    import unveil as uv

    survey = uv.read_table(ORIGINAL, quasi=["age", "zip", "sex"], sensitive="vote")
    found = uv.audit(survey, "mondrian:k=2", attacks=["measures", "linkage"], fail_on="k < 2",
                     key="0" * 64, jobs=1, progress=False)  # fmt: skip
    content: dict[str, Any] = json.loads(json.dumps(found.to_dict()))
    return content


def _audit(rng: random.Random) -> Case:
    document = an_audit()
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        document = changed(rng, document)
    try:
        content = json.dumps(document, ensure_ascii=rng.random() < 0.5).encode(
            "utf-8", "surrogatepass"
        )
    except ValueError:  # a number of too many digits
        content = b'{"finding": "audit", "form": ' + b"9" * 5000 + b"}"
    if rng.random() < 0.2:
        content = spoiled(rng, content, rng.randrange(1, 3))
    if rng.random() < 0.01:
        content = rng.choice((b"[" * 100_000, b'{"a":' * 50_000, b""))
    return Case("audit", {"audit.json": content}, rng.random() < 0.02)


def _key(rng: random.Random) -> Case:
    content = bytes(
        rng.choice(b"0123456789abcdefABCDEF") for _ in range(rng.choice((64, 64, 63, 0)))
    )
    content += rng.choice((b"", b"\n", b"\r\n", b"\n\n"))
    return Case("key", {"report.key": spoiled(rng, content) if rng.random() < 0.6 else content})


_PARTITIONS = ("low:0-20,high:20-", "a:a|b,c:c", "20,40", "level=1", "x:1-2,y:2-3,z:-",
               "a:\\,|b,b:c",
               "one:30-,two:<30", "level=99", "a:(missing),b:b|c", "x:nan,y:1")  # fmt: skip


def _partition(rng: random.Random) -> Case:
    given = rng.choice(_PARTITIONS)
    if rng.random() < 0.8:
        given = _mutated(rng, given)
    values = rng.choice(
        (["a", "b", "c"], [10, 20, 30], [1.5, None, 30.0], [None, "a"], [True, False])
    )
    if rng.random() < 0.3:
        return Case("partition", {}, {"given": value(rng), "values": values})
    return Case("partition", {}, {"given": given, "values": values})


def _mutated(rng: random.Random, given: str) -> str:
    at = rng.randrange(len(given) + 1)
    put = rng.choice((text(rng)[:40], rng.choice(NUMBERS), rng.choice(",:|=-.;*%<>()[]{}\\ ")))
    return given[:at] + put + given[at + rng.randrange(3) :]


_OPTIONS: dict[str, tuple[str, ...]] = {
    "duration": ("10 min", "1h30m", "90s", "1.5 hours", "0", "1e3"),
    "memory": ("2 GB", "1.5GiB", "512m", "4096", "0"),
    "threshold": ("delta > 0.05", "k < 5", "linked > 1%", "members >= 3", "k", "posterior>inf"),
    "tolerance": ("5%", "0.5", "1000", "nan", "inf%"),
    "sanitizer": ("mondrian:k=2..64", "mondrian:k=5,l=2", "identity",
    "recoding:k=5,suppression=0.05",
                  "anatomy:l=3", "laplace-counts:epsilon=1",
                  "randomized-response:epsilon=0.1..10*10",
                  "mondrian:k=1..9+1", "Mondrian(k=5)", "mondrian:k=2..9e9*1"),
    "adversary": ("naive-bayes", "conditional-frequency", "smoothed-frequency:alpha=1", "tree:x=1"),
    "names": ("age,zip", '"a,b",c', "a,,b"),
    "ordinal": ("sex=f|m", "a=1|2", "=x"),
    "cuts": ("age=20,40,60", "age=2001-05", "age=40,20"),
    "parts": ("age=5", "age=0"),
    "domains": ("zip=45501|45502", "age=17-90", "age=1-9|20-30", "age=90-17"),
    "recode": ("sex=F->Female|M->Male", "sex=F->", "sex=->"),
    "rename": ("zip=postcode",),
    "oracle": ("./anonymize {input} {output}", "cat {input}", "http://127.0.0.1:1/x", "x {inptu}",
               "http://[::1", "http://u:p@h:99999/", "a 'b {input}"),
    "reference": ("#0a1b2c3d4e5f6071", "0A1B2C3D4E5F6071"),
}  # fmt: skip


def _option(rng: random.Random) -> Case:
    name = rng.choice(list(_OPTIONS))
    given: Any = rng.choice(_OPTIONS[name])
    for _ in range(rng.randrange(3)):
        given = _mutated(rng, given)
    if rng.random() < 0.1:
        given = text(rng)
    return Case("option", {}, {"option": name, "text": given})


MAKERS: dict[str, tuple[int, Callable[[random.Random], Case]]] = {
    "project": (18, _project), "audit": (8, _audit), "key": (2, _key), "partition": (5, _partition),
    "option": (10, _option),
}  # fmt: skip
