"""TOML as text: what the standard library reads and does not write.

Written by hand, so that comments can stand beside the keys they explain.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["comment_text", "key_text", "value_text"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {
    "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\",
}  # fmt: skip


def key_text(key: str) -> str:
    """A key, in quotes where it needs them.

    >>> print(key_text("age"), key_text("native country"), key_text('a"b=c'))
    age "native country" "a\\"b=c"
    """
    return key if _BARE.fullmatch(key) else _quoted(key)


def value_text(value: Any) -> str:
    """A value: text, truth value, number, list, or a table within a line.

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


def comment_text(text: str) -> str:
    """A comment that stays on its line.

    >>> print(comment_text("an age\\nor not"))
    # an age\\nor not
    """
    return f"# {''.join(c if c.isprintable() else _quoted(c)[1:-1] for c in text)}"


def _quoted(text: str) -> str:
    def written(c: str) -> str:
        if c in _ESCAPES:
            return _ESCAPES[c]
        if c.isprintable():
            return c
        # What cannot be seen is spelled out; TOML forbids most of it otherwise.
        return f"\\u{ord(c):04X}" if ord(c) < 0x10000 else f"\\U{ord(c):08X}"

    return f'"{"".join(map(written, text))}"'
