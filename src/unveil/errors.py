"""The one family of exceptions.

Every message says what is wrong, where, and what would be right. The command line prints the
message alone and exits with 2; code can match on the class.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "GoalError",
    "HierarchyError",
    "InputError",
    "MissingExtraError",
    "MissingValuesError",
    "UnveilError",
    "did_you_mean",
]


class UnveilError(Exception):
    """Anything unveil refuses to do, with the place and the remedy in its message."""


class InputError(UnveilError, ValueError):
    """A table, column, file or option that cannot be used as given."""


class HierarchyError(InputError):
    """A generalization hierarchy that is not a tree, or does not fit its column."""


class MissingValuesError(InputError):
    """Missing values were found and nobody has said what they mean."""


class GoalError(UnveilError):
    """A sanitizer's goal (k, ℓ, …) that this table cannot meet."""


class MissingExtraError(UnveilError, ImportError):
    """A feature whose optional dependency is not installed; the message names the extra."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'age'?"``, or nothing where no known word is near.

    >>> did_you_mean("agee", ["age", "education"])
    "; did you mean 'age'?"
    >>> did_you_mean("Age", ["wage", "age"])
    "; did you mean 'age'?"
    """
    listed = list(known)
    alike = [one for one in listed if one.casefold() == word.casefold()]
    near = alike or difflib.get_close_matches(word, listed, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
