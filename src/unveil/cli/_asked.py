"""Oracles as they are typed, and their limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unveil.errors import InputError

if TYPE_CHECKING:
    from unveil.sanitize import Sanitizer

__all__ = ["Oracles", "notations"]


def notations(given: Sequence[str] | None) -> dict[str, str]:
    """How columns are written, from a repeatable option.

    >>> notations(["age=range", "zip=mask"])
    {'age': 'range', 'zip': 'mask'}
    """
    found: dict[str, str] = {}
    for text in given or ():
        column, equals, how = (part.strip() for part in text.rpartition("="))
        if not equals or not column or not how:
            raise InputError(
                f"cannot read --notation {text!r}; write the column and how its cells are "
                "written, such as 'age=range'"
            )
        found[column] = how
    return found


@dataclass(frozen=True, kw_only=True)
class Oracles:
    """The oracles and their limits."""

    given: Sequence[str]
    notation: dict[str, str]
    time_limit: str | None
    memory_limit: str | None
    retries: int | None
    may_drop: bool
    may_change: bool

    def check(self, *, releases: bool) -> None:
        """An option that means nothing here was meant for something that is missing."""
        limits = {
            "--time-limit": self.time_limit is not None,
            "--memory-limit": self.memory_limit is not None,
            "--retries": self.retries is not None,
            "--may-drop": self.may_drop,
        }
        for option, given in limits.items():
            if given and not self.given:
                raise InputError(f"{option} is for oracles; give one with --oracle")
        for option, said in (
            ("--notation", bool(self.notation)),
            ("--may-change-sensitive", self.may_change),
        ):
            if said and not self.given and not releases:
                raise InputError(
                    f"{option} is for what others publish; give it with --oracle or --release"
                )

    def made(self) -> list[Sanitizer]:
        """Oracles as sanitizers."""
        from unveil.sanitize import Oracle

        return [
            Oracle(
                source,
                notation=self.notation or None,
                timeout=self.time_limit,
                memory=self.memory_limit,
                retries=self.retries,
                may_drop=self.may_drop,
                may_change_sensitive=self.may_change,
            )
            for source in self.given
        ]
