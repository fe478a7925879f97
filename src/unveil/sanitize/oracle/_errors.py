"""What can go wrong with a sanitizer that is not ours."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from unveil.errors import UnveilError

__all__ = ["Fault", "HiccupError", "OracleError", "UnreadableError"]


class Fault(StrEnum):
    """What an oracle did wrong, without a word about anybody; goes on from "the sanitizer"."""

    FAILED = "failed"
    TOO_LONG = "took too long"
    TOO_MUCH = "took too much memory"
    NO_RELEASE = "gave an answer that is no release of the table"


class OracleError(UnveilError):
    """A sanitizer of the user's that failed, or whose answer is no release of the table."""

    def __init__(self, message: str, fault: Fault = Fault.FAILED) -> None:
        super().__init__(message)
        self.fault = fault

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.fault)


class HiccupError(OracleError):
    """A failure that may not happen when asked again."""


class UnreadableError(HiccupError):
    """An answer that is no table."""

    def __init__(self, message: str, fault: Fault = Fault.NO_RELEASE) -> None:
        super().__init__(message, fault)
