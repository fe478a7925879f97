"""Numbers that are put into a few parts when a table is read: ``--cuts age=20,40,60``."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from unveil.errors import InputError

if TYPE_CHECKING:
    from unveil.microdata import Microdata

_DATE = re.compile(r"\d{4}-\d{2}")


class Asked(Protocol):
    """The options, as typed."""

    @property
    def cuts(self) -> Sequence[str] | None: ...
    @property
    def parts(self) -> Sequence[str] | None: ...
    @property
    def quantiles(self) -> Sequence[str] | None: ...


@dataclass(frozen=True, init=False)
class Parts:
    """The parts that were asked for, checked as far as this is possible without the table."""

    cuts: dict[str, list[float | str]]
    widths: dict[str, int]
    quantiles: dict[str, int]

    def __init__(self, asked: Asked) -> None:
        cuts = {name: _edges(name, text) for name, text in _columns(asked.cuts, "--cuts").items()}
        widths, shares = _columns(asked.parts, "--parts"), _columns(asked.quantiles, "--quantiles")
        object.__setattr__(self, "cuts", cuts)
        object.__setattr__(self, "widths", _numbers(widths, "--parts"))
        object.__setattr__(self, "quantiles", _numbers(shares, "--quantiles"))
        listed = [*self.cuts, *self.widths, *self.quantiles]
        twice = next((name for name in listed if listed.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"column {twice!r} can be put into parts one way only")

    def of(self, microdata: Microdata) -> Microdata:
        """The table with its numbers in parts."""
        from unveil.microdata import quantize

        if self.cuts or self.widths:
            microdata = quantize(microdata, {**self.cuts, **self.widths})
        if self.quantiles:
            microdata = quantize(microdata, self.quantiles, by="quantiles")
        return microdata


def _columns(given: Sequence[str] | None, option: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given or ():
        column, equals, rest = (part.strip() for part in text.rpartition("="))
        if not equals or not column or not rest:
            example = "age=20,40,60" if option == "--cuts" else "age=4"
            raise InputError(f"cannot read {option} {text!r}; write it like {option} {example}")
        if column in found:
            raise InputError(f"{option} names the column {column!r} twice")
        found[column] = rest
    return found


def _edges(column: str, text: str) -> list[float | str]:
    """Where parts begin, open at both ends; dates stay texts."""
    cells = [cell.strip() for cell in text.split(",")]
    if all(_DATE.match(cell) for cell in cells):
        return [-math.inf, *cells, math.inf]
    try:
        inner = [float(cell) for cell in cells]
    except ValueError:
        inner = []
    ascending = all(a < b for a, b in itertools.pairwise(inner))
    if not inner or not ascending or not all(map(math.isfinite, inner)):
        raise InputError(
            f"--cuts {column}={text}: give numbers (or dates) in ascending order, such as "
            f"{column}=20,40,60"
        )
    return [-math.inf, *inner, math.inf]


def _numbers(given: dict[str, str], option: str) -> dict[str, int]:
    for column, text in given.items():
        if not (text.isascii() and text.isdigit() and int(text) > 0):
            raise InputError(
                f"{option} {column}={text}: give the number of parts, from 1 up; to say where they "
                "begin, use --cuts"
            )
    return {column: int(text) for column, text in given.items()}
