"""What can go wrong with a sanitizer that is not ours."""

from __future__ import annotations

from unveil.errors import UnveilError

__all__ = ["HiccupError", "OracleError", "UnreadableError"]


class OracleError(UnveilError):
    """A sanitizer of the user's that failed, or whose answer is no release of the table."""


class HiccupError(OracleError):
    """A failure that may not happen when asked again."""


class UnreadableError(HiccupError):
    """An answer that is no table."""
