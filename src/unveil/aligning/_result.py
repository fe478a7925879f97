"""What `align` finds: columns, rows, identifiers and questions, as plain data.

Nothing here is somebody's value, but for the tables in `AlignedColumn.cells`, which no text and no
table of this module shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil._text import harmless, percent
from unveil.errors import Cell, File, InputError, Message, Text
from unveil.microdata import Role

RowKind: TypeAlias = Literal["same order", "by key", "shuffled", "unclear"]


@dataclass(frozen=True, kw_only=True)
class AlignedColumn:
    """A column of the original, and what was published of it.

    Attributes
    ----------
    original, published : str, optional
        The names; None if a column was dropped, or is new. A column of the original that was
        published several times has several entries.
    how : str
        How it was coarsened, in words that `parse_how` reads: ``year``, ``floor 10``, ``bands`` …
    role : Role, optional
        Proposed for the original's column; None for a new one.
    reason : str or Message
        Why the two are paired, and why ``how``.
    role_reason : str or Message
    unsure : str or Message, optional
        What to check.
    suppressed : float
        The share of published cells that a mark such as ``*`` hides, where the original has a
        value.
    gaps : tuple of float
        The share of cells without a value, in the original and in the published file.
    marks : tuple of str
        The published texts that hide a value.
    cells : mapping of str to tuple of str, optional
        For ``recoded`` and ``set``: the values that each published text stands for. None if the
        texts say it themselves.
    disagree : int
        Matched rows whose published text does not follow from the value in this way. Above 0 only
        if ``how`` is ``perturbed`` or ``unclear``.
    form : str, optional
        How the original's dates or numbers are written, if not in the usual way.
    """

    original: str | None
    published: str | None
    how: str
    role: Role | None = None
    reason: Text = ""
    role_reason: Text = ""
    unsure: Text | None = None
    suppressed: float = 0.0
    gaps: tuple[float, float] = (0.0, 0.0)
    marks: tuple[str, ...] = ()
    cells: Mapping[str, tuple[str, ...]] | None = None
    disagree: int = 0
    form: str | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows:
    """How the rows of the two files correspond.

    Attributes
    ----------
    kind : {"same order", "by key", "shuffled", "unclear"}
        With the same order, rows may be missing in between.
    key : tuple of str, optional
        The column that says whose row is whose: its name in the original and in the published file.
    matched : int
        Published rows whose row of the original is known; of shuffled rows, those that fit one.
    only_original, only_published : int
        Rows on one side alone.
    reason : str or Message
        The evidence, and what chance would give.
    of : array, optional
        For each published row its row of the original, counted from 0, -1 if it is not known.
        None if rows are shuffled or unclear.
    """

    kind: RowKind
    matched: int
    only_original: int
    only_published: int
    key: tuple[str, str] | None = None
    reason: Text = ""
    of: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Question:
    """Something that the files do not tell.

    Attributes
    ----------
    column : str
        The original's column, or the published one if that is what must be paired.
    text : Message
    answers : tuple of mappings
        Options of `align`, of which one answers the question: ``{"forms": {"born":
        "dd/mm/yyyy"}}``.
    must : bool
        Whether something would be read differently. Other questions may be left open.
    """

    column: str
    text: Message
    answers: tuple[Mapping[str, Mapping[str, str]], ...]
    must: bool = True


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Alignment:
    """Two files beside each other; made by `align`.

    Attributes
    ----------
    original, published : str
        The tables' names.
    sizes : tuple of int
        Their numbers of rows.
    columns : tuple of AlignedColumn
        In the order of the original, then what is new.
    rows : Rows
    identifiers : dict of str to str
        Published columns that still name people, or tell them apart, and why.
    repeated : dict of str to str
        Published columns whose original column was published before under another name.
    questions : tuple of Question
    sensitive : tuple of str
        The columns that are proposed as sensitive, the most protected first.
    related : bool
        Whether anything shows that the published file was made from the original.
    notes : tuple of str or Message
    """

    original: str
    published: str
    sizes: tuple[int, int]
    columns: tuple[AlignedColumn, ...]
    rows: Rows
    identifiers: Mapping[str, str] = field(default_factory=dict)
    repeated: Mapping[str, str] = field(default_factory=dict)
    questions: tuple[Question, ...] = ()
    sensitive: tuple[str, ...] = ()
    related: bool = True
    notes: tuple[Text, ...] = ()

    def __getitem__(self, name: str) -> AlignedColumn:
        """The entry of a published column; of an original one, if no published one has the name."""
        found = [one for one in self.columns if one.published == name]
        found += [one for one in self.columns if one.original == name]
        if not found:
            raise InputError("there is no column {name} in {original} or {published}",
                             name=Cell(name), original=File(self.original, bare=True),
                             published=File(self.published, bare=True))  # fmt: skip
        return found[0]

    @cached_property
    def rename(self) -> dict[str, str]:
        """Published names that differ from the original's: what `read_release` calls rename."""
        return {
            one.published: one.original
            for one in self.columns
            if one.published is not None
            and one.original is not None
            and one.published != one.original
        }

    @cached_property
    def how(self) -> dict[str, str]:
        """The words for each published column."""
        return {one.published: one.how for one in self.columns if one.published is not None}

    @cached_property
    def cells(self) -> dict[str, Mapping[str, tuple[str, ...]]]:
        """The tables of published columns that need one."""
        return {one.published: one.cells for one in self.columns
                if one.published is not None and one.cells is not None}  # fmt: skip

    @cached_property
    def forms(self) -> dict[str, str]:
        """How columns of the original write dates and numbers, where that matters."""
        return {one.original: one.form for one in self.columns
                if one.original is not None and one.form is not None}  # fmt: skip

    @cached_property
    def roles(self) -> dict[str, Role]:
        """The proposed role of each column of the original."""
        return {one.original: one.role for one in self.columns
                if one.original is not None and one.role is not None}  # fmt: skip

    def to_frame(self) -> pd.DataFrame:
        """One row per entry: the names, how, role, shares and reasons."""
        shown: list[dict[str, Any]] = [
            {
                "original": one.original, "published": one.published, "how": one.how,
                "role": None if one.role is None else str(one.role),
                "suppressed": one.suppressed, "gaps_original": one.gaps[0],
                "gaps_published": one.gaps[1], "disagree": one.disagree,
                "reason": str(one.reason), "role_reason": str(one.role_reason),
                "unsure": None if one.unsure is None else str(one.unsure),
            }
            for one in self.columns
        ]  # fmt: skip
        names = ["original", "published", "how", "role", "suppressed", "gaps_original",
                 "gaps_published", "disagree", "reason", "role_reason", "unsure"]  # fmt: skip
        return pd.DataFrame(shown, columns=names)

    def __repr__(self) -> str:
        head = f"Alignment of {self.original} ({self.sizes[0]:,} rows) and {self.published} " \
               f"({self.sizes[1]:,} rows)"  # fmt: skip
        lines = [head, *(f"  {_line(one)}" for one in self.columns)]
        lines.append(f"  rows: {self.rows.kind}; {self.rows.reason}")
        lines += [
            f"  names people: {harmless(name)}: {why}" for name, why in self.identifiers.items()
        ]
        lines += [f"  {note}" for note in self.notes]
        lines += [f"  to answer: {one.text}" for one in self.questions]
        return "\n".join(lines)


def _line(one: AlignedColumn) -> str:
    """An entry in one line."""
    names = [harmless(name) for name in (one.original, one.published) if name is not None]
    text = " → ".join(dict.fromkeys(names)) + f": {one.how}"
    if one.role is not None:
        text += f" ({one.role})"
    shares = [f"{percent(one.suppressed)} suppressed"] if one.suppressed else []
    if any(one.gaps):
        shares.append(
            f"without a value {percent(one.gaps[0])} before, {percent(one.gaps[1])} after"
        )
    return "; ".join([text, *shares, *([str(one.reason)] if one.reason else [])])
