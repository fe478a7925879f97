"""What a pair consists of: two sheets, which row is whose, and the truth about every column."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

BLANK = ("",)


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """One file. ``blank`` are its texts for a gap; cells of an Excel file are typed."""

    names: list[str]
    rows: list[list[Any]]
    file: str
    delimiter: str = ","
    encoding: str = "utf-8"
    newline: str = "\n"
    quotes: str = "where needed"
    """Or ``texts`` (as R writes), or ``everything``."""
    blank: tuple[str, ...] = BLANK
    title: str = "Sheet1"

    def column(self, name: str) -> list[Any]:
        place = self.names.index(name)
        return [row[place] for row in self.rows]


@dataclass(frozen=True, kw_only=True)
class Column:
    """The truth about one column.

    ``how`` are the readings that are right. ``roles`` are those that are right (empty: any).
    ``check`` says how a cell follows from a value, for `checking`: ``written`` (a template),
    ``table``, ``bands``, ``within``; ``form`` says how the original's texts are read.
    """

    original: str | None
    published: str | None
    how: tuple[str, ...]
    roles: tuple[str, ...] = ()
    may_ask: bool = False
    marks: tuple[str, ...] = ()
    check: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Question:
    """What must be asked before an audit, or may be; ``answer`` are options of `uv.align`."""

    column: str
    about: str
    must: bool
    answer: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two files and the truth about them.

    ``of`` has the original's row (from 0) of every published row. ``kinds`` are the right names for
    how rows correspond.
    """

    about: str
    original: Sheet
    published: Sheet
    columns: list[Column]
    of: list[int]
    kinds: tuple[str, ...]
    quasi: tuple[str, ...]
    """Published names."""
    sensitive: tuple[str, ...]
    key: str | None = None
    identifiers: tuple[str, ...] = ()
    identifiers_allowed: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    beside: dict[str, str] = field(default_factory=dict)
    """Other text files, by path."""


RECIPES: dict[str, Callable[[], Pair]] = {}


def recipe(make: Callable[[random.Random], Pair]) -> Callable[[random.Random], Pair]:
    """Register a pair under its function's name, with its own seed."""
    name = make.__name__.replace("_", "-")
    RECIPES[name] = lambda: make(random.Random(f"pair {name}"))
    return make


def unchanged(original: str, published: str | None = None, *roles: str, **rest: Any) -> Column:
    return Column(
        original=original, published=published or original, how=("unchanged",), roles=roles, **rest
    )


def dropped(original: str, *roles: str) -> Column:
    return Column(original=original, published=None, how=("dropped",), roles=roles)


def new(published: str, *roles: str, **rest: Any) -> Column:
    return Column(original=None, published=published, how=("new",), roles=roles, **rest)


def coarse(
    original: str, published: str, how: str | tuple[str, ...], *roles: str, **rest: Any
) -> Column:
    """A column that was coarsened; keywords that are no part of `Column` go into ``check``."""
    own = {key: rest.pop(key) for key in ("may_ask", "marks") if key in rest}
    ways = (how,) if isinstance(how, str) else how
    return Column(original=original, published=published, how=ways, roles=roles, check=rest, **own)
