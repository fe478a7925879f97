"""Whether plain values are of a form that a JSON Schema describes.

Of JSON Schema only as much as the audit's own schema is written in, so that reading an audit needs
no library; the tests hold it against one. What is not known here is refused, so that the schema
cannot say something that nobody looks at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

__all__ = ["first_fault"]

_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda v: isinstance(v, Mapping),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "integer": lambda v: (
        isinstance(v, int | float) and not isinstance(v, bool) and float(v).is_integer()
    ),
}
_WORDS = {
    "type", "const", "enum", "anyOf", "$ref", "minimum", "pattern", "required", "properties",
    "additionalProperties", "prefixItems", "items", "minItems", "maxItems",
    "$schema", "$id", "$defs", "title", "description",
}  # fmt: skip


def first_fault(value: Any, schema: Mapping[str, Any]) -> str | None:
    """Where a value is not of the form, and how; None if it is.

    >>> form = {"type": "object", "properties": {"k": {"type": "integer"}}, "required": ["k"]}
    >>> first_fault({"k": 5}, form)
    >>> first_fault({"k": "five"}, form)
    "k is 'five', and should be integer"
    >>> first_fault({}, form)
    "the whole lacks 'k'"
    """
    return next(_faults(value, schema, schema.get("$defs", {}), ""), None)


def _faults(
    value: Any, form: Mapping[str, Any], named: Mapping[str, Any], at: str
) -> Iterator[str]:
    unknown = set(form) - _WORDS
    if unknown:
        raise NotImplementedError(f"schema words that are not known: {sorted(unknown)}")
    if "$ref" in form:
        yield from _faults(value, named[form["$ref"].removeprefix("#/$defs/")], named, at)
    if "anyOf" in form and all(next(_faults(value, one, named, at), None) for one in form["anyOf"]):
        yield f"{_place(at)} is {_told(value)}, which is none of what it may be"
    types = form.get("type", ())
    types = [types] if isinstance(types, str) else types
    if types and not any(_TYPES[one](value) for one in types):
        yield f"{_place(at)} is {_told(value)}, and should be {' or '.join(types)}"
        return
    allowed = [form["const"]] if "const" in form else form.get("enum")
    if allowed is not None and not any(_same(value, one) for one in allowed):
        yield f"{_place(at)} is {_told(value)}, and should be {' or '.join(map(repr, allowed))}"
    if isinstance(value, Mapping):
        yield from _of_object(value, form, named, at)
    elif isinstance(value, list):
        yield from _of_list(value, form, named, at)
    elif isinstance(value, str):
        if "pattern" in form and not re.search(form["pattern"], value):
            yield f"{_place(at)} is {_told(value)}, and should look like {form['pattern']}"
    elif _TYPES["number"](value) and value < form.get("minimum", value):
        yield f"{_place(at)} is {value}, and should be {form['minimum']} or more"


def _of_object(
    value: Mapping[str, Any], form: Mapping[str, Any], named: Mapping[str, Any], at: str
) -> Iterator[str]:
    for key in form.get("required", ()):
        if key not in value:
            yield f"{_place(at)} lacks {key!r}"
    others = form.get("additionalProperties", True)
    for key, one in value.items():
        known = form.get("properties", {}).get(key, others)
        if known is False:
            yield f"{_place(at)} has {key!r}, which is not known"
        elif known is not True:
            yield from _faults(one, known, named, f"{at}.{key}" if at else key)


def _of_list(
    value: list[Any], form: Mapping[str, Any], named: Mapping[str, Any], at: str
) -> Iterator[str]:
    if not form.get("minItems", 0) <= len(value) <= form.get("maxItems", len(value)):
        yield f"{_place(at)} has {len(value)} entries, which is too few or too many"
    firsts = form.get("prefixItems", ())
    for n, one in enumerate(value):
        known = firsts[n] if n < len(firsts) else form.get("items", {})
        yield from _faults(one, known, named, f"{at}[{n}]")


def _same(value: Any, other: Any) -> bool:
    """As JSON has it: ``1`` and ``1.0`` are the same, ``1`` and ``true`` are not."""
    return isinstance(value, bool) is isinstance(other, bool) and bool(value == other)


def _place(at: str) -> str:
    return at or "the whole"


def _told(value: Any) -> str:
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return repr(value) if len(repr(value)) < 60 else f"{repr(value)[:57]}…"
