"""Findings as plain values: what goes into JSON, in one form for all of them."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Mapping
from enum import Enum
from pathlib import PurePath
from typing import Any

import numpy as np

from unveil.errors import Text, View, shown
from unveil.findings import Finding, Table, Value

INFINITE = "infinite"
"""What stands for infinity, which JSON has no number for."""


def plain(value: Any, view: View | None = None) -> Any:
    """Any value of a finding as JSON has it.

    Infinity is ``"infinite"`` or ``"-infinite"``; what is missing or undefined is null.

    >>> plain({"a": (1, float("inf")), "b": np.array([0.5, float("nan")]), "c": None})
    {'a': [1, 'infinite'], 'b': [0.5, None], 'c': None}
    """
    if isinstance(value, float | np.floating):
        number = float(value)
        if math.isnan(number):
            return None
        return number if math.isfinite(number) else INFINITE if number > 0 else f"-{INFINITE}"
    if value is None or type(value).__name__ == "NAType":  # what pandas has for missing
        return None
    if isinstance(value, bool | int | str) and not isinstance(value, Enum):
        return value
    if isinstance(value, np.ndarray):
        return [plain(one, view) for one in value.tolist()]
    if isinstance(value, np.generic):
        return plain(value.item(), view)
    if isinstance(value, Mapping):
        return {str(plain(key, view)): plain(one, view) for key, one in value.items()}
    if isinstance(value, Enum):
        return value.value
    if hasattr(value, "shown"):
        return shown(value, view or View())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            one.name: plain(getattr(value, one.name), view) for one in dataclasses.fields(value)
        }
    if isinstance(value, PurePath):
        return str(value)
    return [plain(one, view) for one in value]


def value_content(value: Value) -> dict[str, Any]:
    """The value of a figure; where known, its interval, whom it is about, who attains it."""
    content = {"value": plain(value.value)}
    for name in ("low", "high", "among", "by", "why_not"):
        if getattr(value, name) is not None:
            content[name] = plain(getattr(value, name))
    return content


def finding_content(finding: Finding, *, records: bool) -> dict[str, Any]:
    """The content of `Finding.to_dict`: figures, facts, story and notes; records if asked for."""
    story = finding.story()
    content: dict[str, Any] = {
        "finding": finding.entry,
        "figures": {one.figure.name: value_content(one) for one in finding.figures},
        **plain(finding.facts),
        "story": plain(_told(story.verdict, *story.sentences, *story.diagnostics)),
        "notes": plain(list(finding.notes)),
    }
    if records:
        content |= plain(finding.private_facts)
        frame = finding.to_frame()
        content["records"] = {str(name): plain(frame[name].tolist()) for name in frame.columns}
    return content


def _told(*texts: Text) -> list[Text]:
    return [text for text in texts if text]


# Control codes (those below 32 are escaped anyway), marks of direction and of lines, surrogates.
_UNPRINTABLE = re.compile(
    "[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def json_text(content: Mapping[str, Any]) -> str:
    """Plain values as JSON: in UTF-8, with escapes for what could steer a terminal.

    >>> print(json_text({"é\x9b": "\u202e"}))
    {
      "é\\u009b": "\\u202e"
    }
    """
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    return text if text.isprintable() else _UNPRINTABLE.sub(_escaped, text)


def table_content(table: Table, view: View) -> dict[str, Any]:
    """A table as plain values; which of its columns have numbers is said."""
    return {
        "title": shown(table.title, view), "says": shown(table.says, view),
        "columns": [
            {"title": shown(head, view), "number": place not in table.texts}
            for place, head in enumerate(table.columns)
        ],
        # A number keeps its text beside it; everything else is a text.
        "rows": [
            [plain(list(one), view) if isinstance(one, tuple) else shown(one, view) for one in row]
            for row in table.rows
        ],
    }  # fmt: skip
