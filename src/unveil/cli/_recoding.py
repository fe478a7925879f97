"""What values of another table are called here, as typed."""

from __future__ import annotations

from collections.abc import Sequence

from unveil.errors import InputError

__all__ = ["recodings"]

_ARROW = "->"


def recodings(given: Sequence[str]) -> dict[str, dict[str, str | None]]:
    """Values with other names, from a repeatable option.

    >>> recodings(["sex=F->Female|M->Male", "income=low-><=50K|none->"])
    {'sex': {'F': 'Female', 'M': 'Male'}, 'income': {'low': '<=50K', 'none': None}}
    """
    found: dict[str, dict[str, str | None]] = {}
    for text in given:
        column, equals, listed = (part.strip() for part in text.partition("="))
        pairs = [pair.partition(_ARROW) for pair in listed.split("|")]
        if not equals or not column or not all(a.strip() and arrow for a, arrow, _ in pairs):
            raise InputError(
                f"cannot read --recode {text!r}; write the column, and what its values are called "
                f"there and here, such as 'sex=F{_ARROW}Female|M{_ARROW}Male'"
            )
        said = found.setdefault(column, {})
        for theirs, _, ours in pairs:
            if theirs.strip() in said:
                raise InputError(f"--recode says twice what {theirs.strip()!r} of {column} is")
            said[theirs.strip()] = ours.strip() or None
    return found
