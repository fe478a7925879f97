"""The kind of a column that is used, its levels and hierarchy, and the meaning of missing values.

Words get an order only where it is beyond doubt: every value is a step of one known scale
(``never … always``), or a bracket of numbers (``$20-29``) of which no two begin alike.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unveil.errors import Column, File, HierarchyError, Listed, Message, UnveilError
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
from unveil.microdata.vocabulary import KNOWN, plain
from unveil.roles import FEW, Leaning, Settled, share

_MAY_BE_LOST = 0.2
_CODES = 50  # different whole numbers that may be codes
_FOLDER = "hierarchies"
USED = (Role.QUASI, Role.SENSITIVE)
_SCALES = tuple(
    tuple(scale.split())
    for scale in (
        "verylow low medium high veryhigh",
        "verylow low middle high veryhigh",
        "low mid high",
        "none mild moderate severe",
        "never rarely sometimes often always",
        "never seldom sometimes frequently always",
        "stronglydisagree disagree neutral agree stronglyagree",
        "stronglydisagree disagree neitheragreenordisagree agree stronglyagree",
        "verydissatisfied dissatisfied neutral satisfied verysatisfied",
        "verypoor poor fair good verygood excellent",
        "sehrniedrig niedrig mittel hoch sehrhoch",
        "nie selten manchmal oft immer",
        "jamais rarement parfois souvent toujours",
        "nunca raramente aveces amenudo siempre",
        "mai raramente qualchevolta spesso sempre",
        "nooit zelden soms vaak altijd",
        "small medium large",
    )
)
_NUMBER = re.compile(r"\d+(?:[.,]\d{3})*(?:\.\d+)?")
_THOUSANDS = re.compile(r"[.,](?=\d{3})")
_BELOW = re.compile(r"<|\b(?:under|below|less|up to|unter|bis|moins|menos|meno|minder)\b")
_ABOVE = re.compile(r">|≥|\+|\b(?:over|above|more|and over|or more|uber|ab|plus|mas|oltre|meer)\b")
_REST = re.compile(
    r"[\s$€£%<>≤≥=+,.k–-]|\b(?:under|below|less|than|up|to|over|above|more|and|or|from|"
    r"unter|bis|uber|ab|und|mehr|moins|de|plus|et|menos|mas|meno|oltre|minder|meer|dan|years?|yrs?|"
    r"months?|mo|yr|jahre|ans|anos|anni|jaar|eur|usd|euros?|dollars?|per|year)\b"
)


@dataclass(frozen=True, kw_only=True)
class KindOf:
    """A kind, and the levels of an ordinal column whose table does not give its order."""

    kind: Kind
    levels: tuple[str, ...] = ()

    def wish(self, role: Role, hierarchy: Hierarchy) -> Wish:
        """What the reader is told; a table's own order needs no levels."""
        own_order = self.kind is Kind.ORDINAL and not self.levels
        return Wish(role=role, kind=None if own_order else self.kind, levels=self.levels or None,
                    hierarchy=hierarchy)  # fmt: skip


def kind_of(one: Settled, *, whole: bool) -> KindOf:
    """The kind of a column; levels only if all rows were seen and no value is rare."""
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
    """Whether whole numbers are codes, so that a range of them has no meaning."""
    profile = one.profile
    return (
        profile.size == 2
        or (profile.topic is not None and profile.topic.codes)
        or (one.leaning in (Leaning.SECRET, Leaning.JOB) and profile.size <= _CODES)
        or profile.first_fit(KNOWN) is not None
    )


def hierarchies_beside(
    file: Path | None, columns: Sequence[Settled], kinds: Mapping[str, KindOf]
) -> tuple[dict[str, Path], dict[str, KindOf], list[Message]]:
    """Hierarchies beside the table that fit, the kinds with which they fit, and notes on others."""
    folder = None if file is None else file.parent / _FOLDER
    if folder is None or not folder.is_dir():
        return {}, dict(kinds), []
    try:
        # All columns are matched, so that the file of one that is not used goes to no other.
        files = match_files(folder, [one.name for one in columns])
    except HierarchyError:
        note = Message("no hierarchy in the folder {folder} is for these columns",
                       folder=File(_FOLDER))  # fmt: skip
        return {}, dict(kinds), [note]
    found: dict[str, Path] = {}
    fitting, notes = dict(kinds), list[Message]()
    for one in columns:
        if one.name not in files or one.role not in USED:
            continue
        kind = _fitting_kind(one, kinds[one.name], files[one.name])
        if kind is None:  # the reason would show a value
            notes.append(Message(
                "{file} does not fit the values of {column} and is left out; correct it, and add "
                "it under hierarchies.files",
                file=File(f"{_FOLDER}/{files[one.name].name}", bare=True), column=Column(one.name),
            ))  # fmt: skip
            continue
        found[one.name], fitting[one.name] = files[one.name], kind
    return found, fitting, notes


def _fitting_kind(one: Settled, kind: KindOf, file: Path) -> KindOf | None:
    """The kind with which a hierarchy fits a column: its own, or categorical."""
    if one.profile.distinct is None:
        return None
    for tried in dict.fromkeys((kind, KindOf(kind=Kind.CATEGORICAL))):
        try:
            encode(one.profile.distinct.take(~one.profile.gaps),
                   tried.wish(one.role, read_hierarchy(file)))  # fmt: skip
        except UnveilError:
            continue
        return tried
    return None


def meaning_of_missing(
    used: Sequence[Settled], kinds: Mapping[str, KindOf]
) -> tuple[Missing, dict[str, KindOf], list[Message]]:
    """What to do about missing values, the kinds that follow, and notes.

    Records with missing values are dropped if they are few. If they are many, missing is a
    category, and columns of numbers become categorical: it has no place among numbers.
    """
    gaps = [one.profile.gaps for one in used if one.profile.gaps.any()]
    if not gaps:
        return "error", dict(kinds), []
    lost = float(np.any(gaps, axis=0).mean())
    parts = {
        "lost": share(lost), "where": _names(one for one in used if one.profile.gaps.any()),
    }  # fmt: skip
    if lost <= _MAY_BE_LOST:
        text = "{lost} of the rows have missing values ({where}); they are left out"
        return "drop", dict(kinds), [Message(text, **parts)]
    words = [
        one for one in used
        if one.profile.gaps.any() and kinds[one.name].kind is not Kind.CATEGORICAL
    ]  # fmt: skip
    text = "{lost} of the rows have missing values ({where}); missing is treated as a category"
    if words:
        text += ", so {words} must be categorical"
        parts["words"] = _names(words)
    now = {one.name: KindOf(kind=Kind.CATEGORICAL) for one in words}
    return "category", {**kinds, **now}, [Message(text, **parts)]


def _names(columns: Iterable[Settled]) -> Listed:
    return Listed([Column(one.name) for one in columns])


def levels_of(texts: Sequence[str]) -> tuple[str, ...] | None:
    """The texts from low to high; None if their order is in doubt.

    >>> levels_of(["often", "Never", "always"])
    ('Never', 'often', 'always')
    >>> levels_of(["$20-29", "Under $10", "$10-19", "Over $30"])
    ('Under $10', '$10-19', '$20-29', 'Over $30')
    >>> levels_of(["$20-29", "Not-Say"]) is None
    True
    """
    if len(texts) < 3:
        return None
    return _on_a_scale(texts) or _brackets(texts)


def _on_a_scale(texts: Sequence[str]) -> tuple[str, ...] | None:
    joined = ["".join(c for c in plain(text) if c.isalnum()) for text in texts]
    if len(set(joined)) < len(joined):
        return None
    for scale in _SCALES:
        if set(joined) <= set(scale):
            return tuple(sorted(texts, key=lambda text: scale.index(joined[texts.index(text)])))
    return None


def _brackets(texts: Sequence[str]) -> tuple[str, ...] | None:
    placed: dict[tuple[float, float], str] = {}
    for text in texts:
        bracket = _bracket(plain(text))
        if bracket is None or bracket in placed:
            return None
        placed[bracket] = text
    ends = sorted(placed)
    in_order = all(a[1] <= b[0] for a, b in itertools.pairwise(ends))
    return tuple(placed[end] for end in ends) if in_order else None


def _bracket(text: str) -> tuple[float, float] | None:
    """Where a bracket begins and ends."""
    spaced = text.replace("-", " - ").replace("_", " ")
    numbers = [float(_THOUSANDS.sub("", number)) for number in _NUMBER.findall(spaced)]
    if not 1 <= len(numbers) <= 2 or _REST.sub("", _NUMBER.sub("", spaced)):
        return None
    if len(numbers) == 2:
        return (numbers[0], numbers[1]) if numbers[0] < numbers[1] else None
    if _BELOW.search(spaced):
        return (float("-inf"), numbers[0])
    return (numbers[0], float("inf")) if _ABOVE.search(spaced) else None
