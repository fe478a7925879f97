"""The kind of a column that is used, its levels and its hierarchy, and what missing means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unveil.errors import HierarchyError, UnveilError
from unveil.microdata import (
    Hierarchy,
    Kind,
    Missing,
    Role,
    Wish,
    encode,
    match_files,
    read_hierarchy,
)
from unveil.projects._orders import levels_of
from unveil.projects._patterns import KNOWN
from unveil.projects._profile import FEW
from unveil.projects._rules import Leaning, share
from unveil.projects._settling import Settled

__all__ = ["USED", "KindOf", "hierarchies_beside", "kind_of", "meaning_of_missing"]

_MAY_BE_LOST = 0.2
_CODES = 50  # different whole numbers that may be names of something
FOLDER = "hierarchies"
USED = (Role.QUASI, Role.SENSITIVE)


@dataclass(frozen=True, kw_only=True)
class KindOf:
    """A kind; an ordinal column that does not tell its order itself has levels."""

    kind: Kind
    levels: tuple[str, ...] = ()

    def wish(self, role: Role, hierarchy: Hierarchy) -> Wish:
        """What the reader would be told; nothing of a table's own order."""
        own_order = self.kind is Kind.ORDINAL and not self.levels
        return Wish(
            role=role,
            kind=None if own_order else self.kind,
            levels=self.levels or None,
            hierarchy=hierarchy,
        )


def kind_of(one: Settled, *, whole: bool) -> KindOf:
    """The kind of a column; levels only where all rows were seen and none of them is rare."""
    profile = one.profile
    if profile.column is None:
        return KindOf(kind=Kind.CATEGORICAL)
    if profile.column.kind is Kind.NUMERIC:
        names = not profile.is_finite or (profile.is_whole and _are_names(one))
        return KindOf(kind=Kind.CATEGORICAL if names else Kind.NUMERIC)
    if profile.column.kind is Kind.CATEGORICAL and whole and (profile.counts >= FEW).all():
        levels = levels_of(profile.distinct.texts()) if profile.distinct is not None else None
        if levels is not None:
            return KindOf(kind=Kind.ORDINAL, levels=levels)
    return KindOf(kind=profile.column.kind)


def _are_names(one: Settled) -> bool:
    """Whether whole numbers only stand for something, so that a range of them means nothing."""
    profile = one.profile
    return (
        profile.size == 2
        or (profile.topic is not None and profile.topic.codes)
        or (one.leaning in (Leaning.SECRET, Leaning.JOB) and profile.size <= _CODES)
        or profile.first_fit(KNOWN) is not None
    )


def hierarchies_beside(
    file: Path | None, columns: Sequence[Settled], kinds: Mapping[str, KindOf]
) -> tuple[dict[str, Path], dict[str, KindOf], list[str]]:
    """The hierarchies in a folder beside the table that fit, the kinds with which they do, and
    what is the matter with the others.
    """
    folder = None if file is None else file.parent / FOLDER
    if folder is None or not folder.is_dir():
        return {}, dict(kinds), []
    try:
        # All columns take part in the matching, so that no file of theirs goes to another.
        files = match_files(folder, [one.name for one in columns])
    except HierarchyError:
        return {}, dict(kinds), [f"no hierarchy in the folder {FOLDER!r} is for these columns"]
    found: dict[str, Path] = {}
    fitting, notes = dict(kinds), []
    for one in columns:
        if one.name not in files or one.role not in USED:
            continue
        kind = _fitting_kind(one, kinds[one.name], files[one.name])
        if kind is None:  # why is not said: that would show a value
            notes.append(
                f"{FOLDER}/{files[one.name].name} does not fit the values of {one.name!r}, and is "
                "left out; mend it, and add it under hierarchies.files"
            )
            continue
        found[one.name], fitting[one.name] = files[one.name], kind
    return found, fitting, notes


def _fitting_kind(one: Settled, kind: KindOf, file: Path) -> KindOf | None:
    """The kind with which a hierarchy fits a column: its own, or words without an order."""
    if one.profile.distinct is None:
        return None
    for tried in dict.fromkeys((kind, KindOf(kind=Kind.CATEGORICAL))):
        try:
            encode(
                one.profile.distinct.take(~one.profile.gaps),
                tried.wish(one.role, read_hierarchy(file)),
            )
        except UnveilError:
            continue
        return tried
    return None


def meaning_of_missing(
    used: Sequence[Settled], kinds: Mapping[str, KindOf]
) -> tuple[Missing, dict[str, KindOf], str | None]:
    """What to do about missing values, the kinds that go with it, and a word about it.

    Records with gaps are left out if they are few. If they are many, missing is a value of its
    own, and then numbers have to be words: it has no place among them.
    """
    gaps = [one.profile.gaps for one in used if one.profile.gaps.any()]
    if not gaps:
        return "error", dict(kinds), None
    lost = float(np.any(gaps, axis=0).mean())
    where = ", ".join(one.name for one in used if one.profile.gaps.any())
    if lost <= _MAY_BE_LOST:
        return (
            "drop",
            dict(kinds),
            (f"{share(lost)} of the rows have missing values ({where}); they are left out"),
        )
    words = {
        one.name: KindOf(kind=Kind.CATEGORICAL)
        for one in used
        if one.profile.gaps.any() and kinds[one.name].kind is not Kind.CATEGORICAL
    }
    said = f"{share(lost)} of the rows have missing values ({where}); missing is a value of its own"
    if words:
        said += f", so that the values of {', '.join(words)} are words"
    return "category", {**kinds, **words}, said
