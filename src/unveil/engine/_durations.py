"""Durations and amounts of memory as people write them."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from numbers import Real
from typing import Any

from unveil.errors import InputError

__all__ = ["parse_duration", "parse_memory"]

_SECONDS = {
    unit: seconds
    for units, seconds in (
        (("d", "day", "days"), 86_400.0),
        (("h", "hr", "hrs", "hour", "hours"), 3600.0),
        (("m", "min", "mins", "minute", "minutes"), 60.0),
        (("s", "sec", "secs", "second", "seconds"), 1.0),
    )
    for unit in units
}
# As on a label of memory: with an i it is powers of 1024.
_BYTES = {"b": 1, "byte": 1, "bytes": 1} | {
    f"{prefix}{unit}": (1024 if "i" in unit else 1000) ** power
    for power, prefix in enumerate("kmgt", start=1)
    for unit in ("", "b", "ib")
}

_PART = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-z]*)", re.ASCII)


def parse_duration(duration: Any) -> float:
    """Seconds, from a number of them or a text.

    >>> [parse_duration(text) for text in ("10 min", "90s", "1h30m", "1.5 hours", 45)]
    [600.0, 90.0, 5400.0, 5400.0, 45.0]
    """
    wrong = InputError(
        f'cannot read {duration!r} as a duration; write a number of seconds, or such as "90 s", '
        '"10 min" or "1h30m"'
    )
    if isinstance(duration, str):
        parts = _parts(duration)
        units = [_SECONDS.get(unit or "s", 0.0) for _, unit in parts]
        falling = all(a > b for a, b in pairwise(units))
        # A number without its unit is one of seconds, but only by itself: "1h30" is not clear.
        bare = len(parts) > 1 and any(unit == "" for _, unit in parts)
        if not parts or 0.0 in units or not falling or bare:
            raise wrong
        seconds = sum(amount * unit for (amount, _), unit in zip(parts, units, strict=True))
    elif isinstance(duration, Real) and not isinstance(duration, bool):
        seconds = float(duration)
    else:
        raise wrong
    if not 0 < seconds < math.inf:
        raise InputError(f"a duration must be more than 0 and end, got {duration!r}")
    return seconds


def parse_memory(memory: Any) -> int:
    """Bytes, from a number of them or a text.

    >>> [parse_memory(text) for text in ("2 GB", "1.5GiB", "512m", 4096)]
    [2000000000, 1610612736, 512000000, 4096]
    """
    wrong = InputError(
        f"cannot read {memory!r} as an amount of memory; write a number of bytes, or such as "
        '"500 MB" or "2 GiB"'
    )
    if isinstance(memory, str):
        parts = _parts(memory)
        if len(parts) != 1 or parts[0][1] not in {"", *_BYTES}:
            raise wrong
        amount, unit = parts[0]
        size = amount * _BYTES.get(unit, 1)
    elif isinstance(memory, Real) and not isinstance(memory, bool):
        size = float(memory)
    else:
        raise wrong
    if not 1 <= size < math.inf:
        raise InputError(f"an amount of memory must be at least one byte, got {memory!r}")
    return int(size)


def _parts(text: str) -> list[tuple[float, str]]:
    """The numbers in a text and the units after them; nothing if there is anything else in it."""
    parts, place, text = [], 0, text.strip().lower()
    while place < len(text):
        part = _PART.match(text, place)
        if part is None:
            return []
        parts.append((float(part[1]), part[2]))
        place = part.end()
    return parts
