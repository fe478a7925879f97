"""How long an oracle may take for one answer, and how much memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unveil.engine import parse_duration, parse_memory

__all__ = ["Limits", "in_words", "make_limits"]


@dataclass(frozen=True)
class Limits:
    """Limits of one answer; None: none."""

    seconds: float | None = None
    memory: int | None = None
    """In bytes, of everything that runs for it together."""

    @property
    def any(self) -> bool:
        """Whether there is something to watch over."""
        return self.seconds is not None or self.memory is not None


def make_limits(timeout: Any, memory: Any) -> Limits:
    """Limits as the user gave them: numbers, or texts with a unit.

    >>> make_limits("2 min", "1.5 GB")
    Limits(seconds=120.0, memory=1500000000)
    """
    return Limits(
        None if timeout is None else parse_duration(timeout),
        None if memory is None else parse_memory(memory),
    )


def in_words(size: float) -> str:
    """A number of bytes as people say it.

    >>> in_words(150_000_000), in_words(1_234_567_890), in_words(12)
    ('150 MB', '1.23 GB', '12 bytes')
    """
    for unit, word in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{size / unit:.3g} {word}"
    return f"{size:.0f} bytes"
