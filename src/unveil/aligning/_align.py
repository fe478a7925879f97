"""Put a published file beside its original."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unveil.aligning._evidence import hidden_texts
from unveil.aligning._identifiers import identifiers_left
from unveil.aligning._pairing import Pairing, Pairs, published_twice
from unveil.aligning._questions import questions_of
from unveil.aligning._result import AlignedColumn, Alignment, Rows
from unveil.aligning._rows import find_rows
from unveil.aligning._sheets import Cells, Sheet
from unveil.errors import Cell, File, HierarchyError, InputError, Message, Option, Text
from unveil.microdata import Hierarchy, Role, match_files, read_hierarchy
from unveil.roles import SECRETS, Settled, look_at, profiles_of, settle

_FOLDER = "hierarchies"
_ISO = "yyyy-mm-dd"


def align(
    original: Any,
    published: Any,
    *,
    rename: Mapping[str, str] | None = None,
    forms: Mapping[str, str] | None = None,
    key: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    published_delimiter: str | None = None,
    published_encoding: str | None = None,
    published_sheet: str | None = None,
) -> Alignment:
    """Find out how a published file follows from the original.

    Parameters
    ----------
    original, published : path, pandas, polars or Arrow table, or a mapping of columns
        A path is that of a CSV, Parquet or Excel file. Hierarchies in a folder ``hierarchies``
        beside the original are used if they fit.
    rename : mapping of str to str, optional
        From published names to the original's, where `align` cannot know: ``{"parent_1":
        "father_age"}``.
    forms : mapping of str to str, optional
        How columns of the original write dates or numbers: ``{"born": "dd.mm.yyyy", "pay":
        "1,234.56"}``.
    key : str, optional
        A column of both files that says whose row is whose. Default: found out.
    delimiter, encoding : str, optional
        Of the original, if it is a CSV file. Default: detected.
    sheet : str, optional
        Of the original, if it is an Excel workbook. Default: the first.
    published_delimiter, published_encoding, published_sheet : str, optional
        The same of the published file.

    Returns
    -------
    Alignment
        Which column is which, how each was coarsened, how rows correspond, which identifiers are
        left, and the questions that only somebody who knows the files can answer.

    Notes
    -----
    A reading is claimed if it holds for all rows whose row of the original is known, and if chance
    does not explain that. Where rows do not correspond, values and their numbers of rows must fit.

    Examples
    --------
    >>> import unveil as uv
    >>> ages = [23, 37, 38, 41, 45, 52, 56, 58, 61, 79] * 4
    >>> votes = ["left", "right", "left", "other"] * 10
    >>> survey = {"name": [f"P{i}" for i in range(40)], "age": ages, "vote": votes}
    >>> public = {"age": [age // 10 * 10 for age in ages], "choice": votes}
    >>> found = uv.align(survey, public)
    >>> found.how, found.rename, found.rows.kind
    ({'age': 'floor 10', 'choice': 'unchanged'}, {'choice': 'vote'}, 'same order')
    """
    forms, rename = dict(forms or {}), dict(rename or {})
    ours = Sheet.open(original, delimiter=delimiter, encoding=encoding, sheet=sheet, forms=forms)
    theirs = Sheet.open(published, delimiter=published_delimiter, encoding=published_encoding,
                        sheet=published_sheet,
                        forms={})  # fmt: skip
    _check_rename(rename, ours, theirs)
    rows = find_rows(ours, theirs, key)
    pairs = Pairs(ours, theirs, rows.of, rename, _trees(original, ours), rows.kind == "shuffled")
    pairings = pairs.pairings()
    settled = {one.name: one for one in settle(profiles_of(look_at(ours.source)))}
    related = rows.kind != "unclear" or any(
        one.o is not None and one.match is not None for one in pairings
    )
    return Alignment(
        original=ours.name, published=theirs.name, sizes=(ours.n_rows, theirs.n_rows),
        columns=_columns(ours, pairings, settled), rows=rows,
        identifiers=identifiers_left(pairings, settled, ours),
        repeated=published_twice(pairings),
        questions=questions_of(ours, pairings, settled, rename),
        sensitive=_sensitive(settled), related=related,
        notes=(*ours.notes, *theirs.notes, *_notes(related, rows, ours, theirs)),
    )  # fmt: skip


def _check_rename(rename: Mapping[str, str], ours: Sheet, theirs: Sheet) -> None:
    for published, original in rename.items():
        for sheet, name in ((theirs, published), (ours, original)):
            if name not in sheet.columns:
                raise InputError(
                    "{option} names {column}, which is not in {table} (columns: {columns})",
                    option=Option("rename"), column=Cell(name), table=File(sheet.name, bare=True),
                    columns=", ".join(sheet.columns),
                )  # fmt: skip


def _trees(original: Any, ours: Sheet) -> dict[str, Hierarchy]:
    """The hierarchies beside the original that can be read."""
    if not isinstance(original, str | os.PathLike):
        return {}
    folder = Path(original).parent / _FOLDER
    if not folder.is_dir():
        return {}
    found = {}
    for name, file in match_files(folder, list(ours.columns)).items():
        try:
            found[name] = read_hierarchy(file)
        except HierarchyError:
            continue  # whoever uses it is told what is wrong with it
    return found


def _columns(
    ours: Sheet, pairings: list[Pairing], settled: Mapping[str, Settled]
) -> tuple[AlignedColumn, ...]:
    """In the order of the original; what is new comes last."""
    made: dict[str, list[Pairing]] = {}
    for one in pairings:
        if one.o is not None:
            made.setdefault(one.o.name, []).append(one)
    found: list[AlignedColumn] = []
    for o in ours.columns.values():
        several: list[Pairing | None] = [*made.get(o.name, ())]
        found += [_column(o, one, settled.get(o.name)) for one in several or [None]]
    found += [_new(one) for one in pairings if one.o is None]
    return tuple(found)


def _column(o: Cells, one: Pairing | None, role: Settled | None) -> AlignedColumn:
    said: dict[str, Any] = {}
    if role is not None:
        said = {"role": role.role, "role_reason": role.reason, "unsure": role.unsure}
    if one is None:
        return AlignedColumn(original=o.name, published=None, how="dropped",
                             gaps=(0.0, 0.0), reason="no published column has its values",
                             **said)  # fmt: skip
    p = one.p
    shares = _Shares.of(o, one)
    table = None if one.match is None else one.match.table
    form = one.forms[0] if len(one.forms) == 1 and not one.forms[0].startswith(_ISO) else None
    return AlignedColumn(
        original=o.name, published=p.name, how=one.how, reason=one.reason, cells=table,
        disagree=one.disagree, form=form or o.form, suppressed=shares.suppressed,
        gaps=(o.gap_share, p.gap_share), marks=shares.marks, **said,
    )  # fmt: skip


@dataclass(frozen=True)
class _Shares:
    suppressed: float
    marks: tuple[str, ...]

    @classmethod
    def of(cls, o: Cells, one: Pairing) -> _Shares:
        """Cells that marks hide: not those of rows that have no value in the original."""
        hidden = hidden_texts(o, one.p)
        rows = len(one.p.codes)
        count = int(one.p.counts[hidden].sum()) if one.joint is None else one.joint.hidden
        marks = tuple(text for text, hides in zip(one.p.texts, hidden, strict=True) if hides)
        return cls(count / max(rows, 1), marks if count else ())


def _new(one: Pairing) -> AlignedColumn:
    return AlignedColumn(original=None, published=one.p.name, how="new", reason=one.reason,
                         gaps=(0.0, one.p.gap_share))  # fmt: skip


def _sensitive(settled: Mapping[str, Settled]) -> tuple[str, ...]:
    secrets = [one for one in settled.values() if one.role is Role.SENSITIVE]
    rank = {leaning: place for place, leaning in enumerate(SECRETS)}
    return tuple(one.name for one in sorted(secrets, key=lambda o: rank.get(o.leaning, len(rank))))


def _notes(related: bool, rows: Rows, ours: Sheet, theirs: Sheet) -> list[Text]:
    notes: list[Text] = []
    if not related:
        notes.append(Message(
            "nothing shows that {published} was made from {original}: no rows correspond, and no "
            "column has the values of another", published=File(theirs.name, bare=True),
            original=File(ours.name, bare=True),
        ))  # fmt: skip
    elif rows.of is not None:
        matched = int((rows.of >= 0).sum())
        if matched < rows.matched:
            notes.append(Message(
                "whose row it is could be told for {n} of {rows} published rows; the others have "
                "neighbours with the same values", n=matched, rows=int(np.size(rows.of)),
            ))  # fmt: skip
    return notes
