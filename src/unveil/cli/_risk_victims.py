"""People whom somebody asks ``unveil risk`` about, described by their quasi-identifiers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from unveil.errors import InputError, did_you_mean
from unveil.microdata import Column

__all__ = ["check_values", "described_victims"]

# What stands between commas; commas within double quotes part nothing.
_PART = re.compile(r'\s*((?:[^",]|"(?:[^"]|"")*")*)(?:,|$)')


def described_victims(given: Sequence[str], quasi: Sequence[str]) -> list[dict[str, str]]:
    """Victims from a repeatable option, each described by all quasi-identifiers.

    >>> described_victims(['town="Paris, Texas", age=30'], ["age", "town"])
    [{'town': 'Paris, Texas', 'age': '30'}]
    """
    return [_victim(text, quasi) for text in given]


def _victim(text: str, quasi: Sequence[str]) -> dict[str, str]:
    said: dict[str, str] = {}
    for part in _parts(text):
        column, equals, value = (piece.strip() for piece in _unquoted(part).partition("="))
        if not equals or not column or not value:
            raise InputError(
                f"cannot read {part!r} in --victim {text!r}; write column=value, with commas "
                f"between several, such as '{quasi[0]}=…'; a value with a comma is put in double "
                "quotes"
            )
        if column not in quasi:
            raise InputError(
                f"--victim {text!r}: {column!r} is no quasi-identifier"
                f"{did_you_mean(column, quasi)} (those are {', '.join(quasi)}); a value with a "
                "comma is put in double quotes"
            )
        if column in said:
            raise InputError(f"--victim {text!r} names the column {column!r} twice")
        said[column] = _unquoted(value)
    lacking = [name for name in quasi if name not in said]
    if lacking:
        raise InputError(
            f"--victim {text!r} lacks {', '.join(lacking)}: a victim needs a value of every "
            "quasi-identifier"
        )
    return said


def _parts(text: str) -> list[str]:
    found, at = [], 0
    while at < len(text):
        part = _PART.match(text, at)
        if part is None:
            raise InputError(f"--victim {text!r} has a double quote that does not end")
        found.append(part[1].strip())
        at = part.end()
    return found


def _unquoted(text: str) -> str:
    whole = len(text) > 1 and text[0] == text[-1] == '"'
    return text[1:-1].replace('""', '"') if whole else text


def check_values(victims: Sequence[dict[str, str]], columns: Sequence[Column]) -> None:
    """Refuse, before the long work, victims with values that there are not."""
    for victim in victims:
        for column in columns:
            value = victim[column.name]
            if value not in column.places:
                near = did_you_mean(value, column.texts)
                shown = ", ".join(column.texts[:5]) + (", …" if column.size > 5 else "")
                raise InputError(
                    f"--victim: {value!r} is no value of {column.name}"
                    f"{near or f' (there are: {shown})'}"
                )
