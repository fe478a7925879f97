"""Everybody at risk, one by one: for the owner of the table alone.

A report tells groups of people and how many of them are at risk. Who they are follows from the
table: whoever has few candidates in a release, or candidates with a single sensitive value, is
found with a list of names. To these come people whose own record moves an attacker's belief, if
that was tested.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from unveil._text import display_name
from unveil.auditing._finding import Audit, Audited, OneSecret
from unveil.auditing.parts import PARTS
from unveil.errors import File, InputError, UnveilError
from unveil.findings import Finding

if TYPE_CHECKING:
    from unveil.attacks.differential import DifferentialInference
    from unveil.microdata import Microdata

_LEAST = 5  # candidates, unless a threshold on k says otherwise
_MOVED = 0.05  # as the figure "over" has it
COLUMNS = ("sensitive", "release", "record", "row", "reference", "candidates", "values", "moved",
           "why")  # fmt: skip


def at_risk(audit: Audit) -> pd.DataFrame:
    """One row per person and release: see `Audit.at_risk`."""
    if audit.ground.original is None:
        raise InputError("who is at risk needs the original table, and there was none")
    rows = [
        row
        for one in audit.secrets
        for audited in one.audited
        if audited.error is None
        for row in _of_release(audit, one, audited)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _of_release(audit: Audit, one: OneSecret, audited: Audited) -> Iterator[dict[str, Any]]:
    links: Any = _found(audit, audited, "linkage")
    moves: Any = None
    if (look := audited.looked.get("differential-inference")) is not None:
        moves = look.finding
    table = one.microdata
    assert table is not None  # checked
    # The list of names is the table: people are its records, or those who have them.
    records, own = np.arange(len(table)), "own record moves"
    if table.several is not None:
        records, own = links.best, "own records move"
    moved = np.full(len(records), np.nan) if moves is None else _moved(moves, table, records)
    least = audit.asked.least or _LEAST
    candidates, values = links.candidates, links.values
    few = (candidates > 0) & (candidates < least)
    single = (candidates > 0) & (values == 1)
    elsewhere = np.zeros_like(single)
    if table.several is not None:  # another record may tell the value, and have more candidates
        tells = (links.links.candidates > 1) & (links.links.values == 1)
        elsewhere = ~single & (np.bincount(links.whose, tells, minlength=len(records)) > 0)
    for place in np.flatnonzero(few | single | elsewhere | (moved > _MOVED)).tolist():
        number = int(candidates[place])
        why = []
        if few[place]:
            why.append("alone" if number == 1 else f"one of {number:,} who look alike")
        if single[place] and number > 1:
            why.append(f"all {number:,} candidates have the same {one.sensitive}")
        if elsewhere[place]:
            why.append(f"by another record all candidates have the same {one.sensitive}")
        if moved[place] > _MOVED:
            why.append(f"their {own} belief by {moved[place]:.2g}")
        record = int(records[place])
        row = int(table.rows[record])
        yield {
            "sensitive": one.sensitive, "release": display_name(audited.name), "record": record,
            "row": row, "reference": audit.asked.discretion.reference(row),
            "candidates": number, "values": int(values[place]), "moved": moved[place],
            "why": "; ".join(why),
        }  # fmt: skip


def _found(audit: Audit, audited: Audited, part: str) -> Finding:
    """What a part found, also if it was not asked for; an error says whose it could not."""
    look = audited.looked.get(part)
    if look is not None and look.finding is not None and audit.asked.external is None:
        return look.finding
    asked = replace(audit.asked, progress=False, external=None, identifier=())
    try:
        return PARTS[part].look(audited.subject, asked)
    except UnveilError as error:
        raise InputError(
            "who is at risk in {release} is not known: {error}",
            release=File(audited.name, bare=True), error=error.message,
        ) from error  # fmt: skip


def _moved(
    moves: DifferentialInference, table: Microdata, records: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """By how much belief moves about the people of records; not a number if that was not tested."""
    whose = np.arange(len(table)) if table.several is None else table.several.of
    assert whose is not None  # they come with the table
    found = np.full(len(table), np.nan)
    found[whose[moves.targets]] = moves.distances
    moved: np.ndarray[Any, Any] = found[whose[records]]
    return moved
