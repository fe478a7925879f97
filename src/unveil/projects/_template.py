"""The text of a project file: every table with a word about it, and a reason beside every role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from unveil.projects._project import Project, ReleaseAsked
from unveil.projects._reading import ROLE_NAMES
from unveil.projects._toml import comment_text, key_text, value_text

__all__ = ["text_of"]

_NAME_OF = {role: name for name, role in ROLE_NAMES.items()}

_HEAD = """\
# What is audited, and against whom. Paths are meant from the folder of this file."""

_ROLES = """\
# identifier: names a person, and is never used
# quasi:      an attacker may know it about somebody
# sensitive:  what an attacker wants to know; several are tested in turn
# other:      neither"""

_KINDS = """\
# numeric, categorical (no order), or the levels of an ordinal column from low to high: what may be
# joined to a range."""

_HIERARCHIES = """\
# How values generalize: one file a column, or folder = "hierarchies"."""

_THREAT = """\
# Who attacks. By default he knows every quasi-identifier, wants every sensitive column (each in
# turn), and guesses in the way that fits what was published.
#   knows = ["age", "sex"]
#   wants = ["income"]
#   adversary = "naive-bayes\""""

_PARTITIONS = """\
# Categories of a sensitive column, where the category is already a secret:
#   income = "low:0-20,high:20-\""""

_ATTACKS = """\
# Which attacks and measures, the seed of all chance, and the workers. Options of an attack are in a
# table of their own:
#   use = ["linkage", "measures", "relative-risk"]
#   seed = 0
#   jobs = 2
#   [attacks.relative-risk]
#   beta = 0.5"""

_RELEASES = """\
# What is published: files, sanitizers (also series), or programs of somebody else. Without any, the
# table as it is and Mondrian with some k. For instance:
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
    """The file."""
    trees = project.hierarchies
    by_file = trees if isinstance(trees, Mapping) else {}
    parts = [
        [_HEAD],
        ["[data]", *_lines(_data(project))],
        ["[roles]", _ROLES, *_roles(project)],
        ["[kinds]", _KINDS, *_lines(project.kinds)],
        ["[hierarchies]", _HIERARCHIES, *_lines({"folder": None if by_file else trees})],
        *([["[hierarchies.files]", *_lines(by_file)]] if by_file else []),
        ["[partitions]", _PARTITIONS, *_lines(project.partitions)],
        ["[threat]", _THREAT, *_lines(_threat(project))],
        ["[attacks]", _ATTACKS, *_lines(_attacks(project))],
        *([f"[attacks.{key_text(n)}]", *_lines(given)] for n, given in project.options.items()),
        ["[thresholds]", _THRESHOLDS, *_lines({"fail_on": project.fail_on or None})],
        ["[report]", _REPORT, *_lines(_report(project))],
        [_RELEASES],
        *(["[[releases]]", *_lines(_release(one))] for one in project.releases),
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _lines(values: Mapping[str, Any]) -> Iterable[str]:
    for key, value in values.items():
        if value is not None:
            yield f"{key_text(key)} = {value_text(value)}"


def _data(project: Project) -> dict[str, Any]:
    data = project.data
    return {
        "file": data.file, "delimiter": data.delimiter, "encoding": data.encoding,
        "comment": data.comment, "columns": data.columns, "missing": data.missing,
        "missing_values": data.missing_values or None,
    }  # fmt: skip


def _roles(project: Project) -> Iterable[str]:
    for name, role in project.roles.items():
        line = f"{key_text(name)} = {value_text(_NAME_OF[role])}"
        reason = project.reasons.get(name)
        yield line if reason is None else f"{line}  {comment_text(reason)}"


def _threat(project: Project) -> dict[str, Any]:
    return {
        "knows": project.knows or None, "wants": project.wants or None,
        "adversary": project.adversary or None,
    }  # fmt: skip


def _attacks(project: Project) -> dict[str, Any]:
    return {"use": project.attacks or None, "seed": project.seed, "jobs": project.n_jobs}


def _report(project: Project) -> dict[str, Any]:
    return {
        "smallest": project.smallest,
        "include_records": True if project.include_records else None,
    }


def _release(one: ReleaseAsked) -> dict[str, Any]:
    what = {"name": one.name, "file": one.file, "sanitizer": one.sanitizer, "oracle": one.oracle}
    return {**what, **one.options}
