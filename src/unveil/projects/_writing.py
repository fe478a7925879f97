"""The text of a project file: every table with a comment, and a reason beside every role.

The standard library reads TOML and does not write it. It is written by hand here, so that comments
stand beside the keys that they explain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from unveil.projects._project import ROLE_NAMES, Project, ReleaseAsked

__all__ = ["key_text", "text_of", "value_text"]

_NAME_OF = {role: name for name, role in ROLE_NAMES.items()}
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {
    "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\",
}  # fmt: skip

_HEAD = """\
# What is audited, and against whom. Paths start from the folder of this file."""

_ROLES = """\
# identifier: names a person, and is never used
# quasi:      an attacker may know it about a person
# sensitive:  what an attacker wants to know; several are tested in turn
# other:      none of these"""

_KINDS = """\
# numeric, categorical (no order), or the levels of an ordinal column from low to high. Only values
# with an order can be published as a range."""

_HIERARCHIES = """\
# How values generalize: one file per column, or folder = "hierarchies"."""

_THREAT = """\
# Who attacks. By default the attacker knows every quasi-identifier, wants every sensitive column
# (each in turn), and uses the model that fits what was published.
#   knows = ["age", "sex"]
#   wants = ["income"]
#   adversary = "naive-bayes\""""

_PARTITIONS = """\
# Categories of a sensitive column, where the category is already sensitive:
#   income = "low:0-20,high:20-\""""

_ATTACKS = """\
# Attacks and measures, the random seed, and the number of worker processes. Each attack has a table
# for its options:
#   use = ["linkage", "measures", "relative-risk"]
#   seed = 0
#   jobs = 2
#   [attacks.relative-risk]
#   beta = 0.5"""

_RELEASES = """\
# What is published: files, sanitizers (also series), or programs. Without any, the table as it is
# and Mondrian with several k are audited. For instance:
#   [[releases]]
#   sanitizer = "mondrian:k=2..64"
#   [[releases]]
#   file = "published.csv"
#   [[releases]]
#   name = "theirs"
#   oracle = "./anonymize {input} {output}\""""

_THRESHOLDS = """\
# What makes a release fail. Without thresholds there is no verdict.
#   fail_on = ["delta > 0.05", "k < 5"]"""

_REPORT = """\
# The report shows no original record, and masks groups of fewer people than smallest.
#   smallest = 5
#   include_records = false"""


def text_of(project: Project) -> str:
    """The text of the file."""
    data, trees = project.data, project.hierarchies
    by_file = trees if isinstance(trees, Mapping) else {}
    parts = [
        [_HEAD],
        ["[data]", *_lines({
            "file": data.file, "delimiter": data.delimiter, "encoding": data.encoding,
            "comment": data.comment, "columns": data.columns, "missing": data.missing,
            "missing_values": data.missing_values or None,
        })],
        ["[roles]", _ROLES, *_roles(project)],
        ["[kinds]", _KINDS, *_lines(project.kinds)],
        ["[hierarchies]", _HIERARCHIES, *_lines({"folder": None if by_file else trees})],
        *([["[hierarchies.files]", *_lines(by_file)]] if by_file else []),
        ["[partitions]", _PARTITIONS, *_lines(project.partitions)],
        ["[threat]", _THREAT, *_lines({
            "knows": project.knows or None, "wants": project.wants or None,
            "adversary": project.adversary or None,
        })],
        ["[attacks]", _ATTACKS, *_lines({
            "use": project.attacks or None, "seed": project.seed, "jobs": project.n_jobs,
        })],
        *([f"[attacks.{key_text(n)}]", *_lines(given)] for n, given in project.options.items()),
        ["[thresholds]", _THRESHOLDS, *_lines({"fail_on": project.fail_on or None})],
        ["[report]", _REPORT, *_lines({
            "smallest": project.smallest, "include_records": project.include_records or None,
        })],
        [_RELEASES],
        *(["[[releases]]", *_lines(_release(one))] for one in project.releases),
    ]  # fmt: skip
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _lines(values: Mapping[str, Any]) -> Iterable[str]:
    for key, value in values.items():
        if value is not None:
            yield f"{key_text(key)} = {value_text(value)}"


def _roles(project: Project) -> Iterable[str]:
    for name, role in project.roles.items():
        line = f"{key_text(name)} = {value_text(_NAME_OF[role])}"
        reason = project.reasons.get(name)
        yield line if reason is None else f"{line}  {_comment(reason)}"


def _release(one: ReleaseAsked) -> dict[str, Any]:
    what = {"name": one.name, "file": one.file, "sanitizer": one.sanitizer, "oracle": one.oracle}
    return {**what, **one.options}


def key_text(key: str) -> str:
    """A key of TOML, in quotes where it needs them.

    >>> print(key_text("age"), key_text("native country"), key_text('a"b=c'))
    age "native country" "a\\"b=c"
    """
    return key if _BARE.fullmatch(key) else _quoted(key)


def value_text(value: Any) -> str:
    """A value of TOML: a text, a truth value, a number, a list, or a table within a line.

    >>> print(value_text(["a", 1, True]), value_text({"low": [1, 2]}))
    ["a", 1, true] { low = [1, 2] }
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Mapping):
        inside = ", ".join(f"{key_text(str(k))} = {value_text(v)}" for k, v in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(value_text(one) for one in value)}]"
    return repr(value)


def _comment(text: str) -> str:
    """A comment that stays on its line.

    >>> print(_comment("an age\\nor not"))
    # an age\\nor not
    """
    return f"# {''.join(c if c.isprintable() else _quoted(c)[1:-1] for c in text)}"


def _quoted(text: str) -> str:
    def written(c: str) -> str:
        if c in _ESCAPES:
            return _ESCAPES[c]
        if c.isprintable():
            return c
        # Characters that cannot be seen are escaped; TOML forbids most of them otherwise.
        return f"\\u{ord(c):04X}" if ord(c) < 0x10000 else f"\\U{ord(c):08X}"

    return f'"{"".join(map(written, text))}"'
