"""How published cells are written: notations, and the grammar of their texts.

Nothing here knows a column. `_cells` decides what a part of a text means (whether ``30`` is a
number, a level or nothing); `_cell_columns` decides which of several readings holds for a column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias

Spans: TypeAlias = tuple[tuple[int, int], ...]
"""A part of a domain: runs of codes (first, last), ascending and not adjacent."""

EVERYTHING = "*"
"""A suppressed cell."""

EMPTY_WORDS = frozenset({"", "NA", "N/A", "NaN", "nan", "NaT", "null", "NULL", "None", "<NA>"})
"""What tools write for an empty cell."""

MARKS = (";", "|", ",", "~")
"""Separators in cells that list values."""


class Notation(StrEnum):
    """How a cell is written."""

    VALUE = "value"
    RANGE = "range"
    INTERVAL = "interval"
    MASK = "mask"
    PREFIX = "prefix"
    SET = "set"
    LIST = "list"
    NODE = "node"
    SUPPRESSED = "suppressed"


class Reading(NamedTuple):
    """One way to read a cell.

    ``style`` is finer than the notation (a set with semicolons, a decimal comma): a style that is
    the only possible one for some cells of a column settles the ambiguous cells. A ``weak``
    reading holds only in a column so settled, or if declared. The ``house`` reading is what unveil
    itself means by that text. A reading of an ordered column that covers no value lies ``at`` the
    value above it. A reading is the column's ``own`` if numbers or dates are read as the original
    writes them.
    """

    notation: Notation
    spans: Spans
    style: str
    weak: bool = False
    house: bool = False
    at: int = -1
    own: bool = False


@dataclass(frozen=True)
class ReadAs:
    """How the cells of a column were read, in words, and whether unveil writes them so."""

    words: str
    is_house: bool

    def __str__(self) -> str:
        return self.words


def span(first: int, last: int) -> Spans:
    """One run of codes; empty if it ends before it begins."""
    return ((first, last),) if first <= last else ()


def spans_of(codes: Iterable[int]) -> Spans:
    """Codes as runs.

    >>> spans_of([4, 1, 2, 2, 7])
    ((1, 2), (4, 4), (7, 7))
    """
    return _joined((code, code) for code in codes)


def _joined(runs: Iterable[tuple[int, int]]) -> Spans:
    """Everything that any of the runs covers."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(runs):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return tuple(joined)


# An item of a list in our own notation: in double quotes, or up to the next comma.
_HOUSE_ITEM = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(,|\Z)')


def in_house_list(text: str) -> list[str]:
    """Values between commas, those in double quotes whole.

    >>> in_house_list('a, "b, c"')
    ['a', 'b, c']
    """
    values, at = [], 0
    while (item := _HOUSE_ITEM.match(text, at)) is not None:
        values.append(item[2].strip() if item[1] is None else item[1].replace('""', '"'))
        at = item.end()
        if not item[3]:
            break
    return values


def unquoted(text: str) -> str:
    """The text without double quotes, if all of it is in such quotes."""
    if not text.startswith('"'):
        return text
    item = _HOUSE_ITEM.fullmatch(text)
    return text if item is None or item[1] is None or item[3] else item[1].replace('""', '"')


# An item of a list as Python, JSON and numpy write it: in single or double quotes, or bare.
_ITEM = re.compile(
    r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s,'"](?:[^,'"]*[^\s,'"])?|\s))"""
    r"""\s*(,|\Z|(?=['"]))""", re.DOTALL,
)  # fmt: skip


def in_list(text: str) -> tuple[list[str], bool] | None:
    """The items of a list as programs write it, and whether they are in quotes; or None.

    >>> in_list("'Lyon', 'Nice'"), in_list("20, 25, 31")
    ((['Lyon', 'Nice'], True), (['20', '25', '31'], False))
    """
    text = text.strip().removesuffix(",")
    items, at, in_quotes = [], 0, False
    while at < len(text):
        item = _ITEM.match(text, at)
        if item is None:
            return None
        quoted = item[1] if item[1] is not None else item[2]
        in_quotes |= quoted is not None
        items.append(item[3] if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
        at = item.end()
    return (items, in_quotes) if items else None


class _Bounded(NamedTuple):
    """The text between two brackets, and whether they include their bounds."""

    low_closed: bool
    inner: str
    high_closed: bool


_BRACKETS = re.compile(r"([\[\](])(.*)([\])\[])", re.DOTALL)


def bounded(text: str) -> _Bounded | None:
    """Take the brackets off; ``]20, 30[`` excludes both bounds, like ``(20, 30)``.

    >>> bounded("[20, 30[")
    _Bounded(low_closed=True, inner='20, 30', high_closed=False)
    """
    found = _BRACKETS.fullmatch(text)
    return None if found is None else _Bounded(found[1] == "[", found[2], found[3] == "]")


def split_bounds(inner: str) -> Iterator[tuple[str, str]]:
    """The ways to read the inside of brackets as two bounds: ``20, 30``, ``20; 30``."""
    parts = in_house_list(inner)
    if len(parts) == 2:
        yield parts[0], parts[1]
    halves = inner.split(";")
    if len(halves) == 2:
        yield unquoted(halves[0].strip()), unquoted(halves[1].strip())
    yield from range_parts(inner)


_ONE_SIDED = re.compile(r"(≤|<=|<|≥|>=|>)\s*(.*)", re.DOTALL)
_BEFORE = {
    "<": "under|below|before|less than|fewer than|younger than|unter|vor|weniger als|jünger als|"
         "bis unter|avant|antes de|moins de|onder|minder dan|jonger dan|menos de|menor de|meno di",
    "≤": "up to|at most|bis|bis zu|höchstens|maximal|jusqu'à|au plus|hoogstens|t/m|tot en met|"
         "hasta|como máximo|fino a|al massimo",
    ">": "over|above|after|more than|older than|über|nach|mehr als|älter als|plus de|après|"
         "después de|boven|meer dan|ouder dan|más de|mayor de|più di|oltre",
    "≥": "from|since|at least|ab|seit|mindestens|à partir de|au moins|depuis|vanaf|minstens|"
         "ten minste|desde|al menos|a partir de|almeno|da",
}  # fmt: skip
_BEHIND = {
    "≥": "and over|and older|and above|and more|and up|or over|or older|or above|or more|plus|"
         "und älter|und mehr|und darüber|oder älter|oder mehr|et plus|ou plus|en ouder|en meer|"
         "of ouder|of meer|y más|o más|e oltre|e più|o più",
    "≤": "and under|and younger|and below|and less|or under|or younger|or below|or less|or fewer|"
         "und jünger|und weniger|oder jünger|oder weniger|et moins|ou moins|en jonger|en minder|"
         "of jonger|of minder|y menos|o menos|e meno|o meno",
}  # fmt: skip


def _alternatives(words: dict[str, str]) -> dict[str, str]:
    """Which sign each phrase is."""
    return {phrase: sign for sign, listed in words.items() for phrase in listed.split("|")}


_SIGN_OF = _alternatives(_BEFORE)
_SIGN_BEHIND = _alternatives(_BEHIND)
# Cells may be long, and blanks many: no pattern looks twice at the same run of them.
_WORDS_BEFORE = re.compile(
    rf"({'|'.join(sorted(map(re.escape, _SIGN_OF), key=len, reverse=True))})\s+(\S.*)",
    re.DOTALL | re.IGNORECASE,
)
_WORDS_BEHIND = re.compile(
    rf"(?<!\s)\s+({'|'.join(sorted(map(re.escape, _SIGN_BEHIND), key=len, reverse=True))})\Z",
    re.IGNORECASE,
)
_UNITS = re.compile(
    r"(?<=\d)\s*(?:years?(?: olds?)?|yrs?|y/?o|jahren?|ans|jaar|años|anni)\b\.?(?: old| alt| oud)?",
    re.IGNORECASE,
)
_MONEY = re.compile(r"(?:(?<!\s)\s+)?[$€£¥]\s*")
_BETWEEN = re.compile(
    r"(?:between|zwischen|entre|tussen|tra|von|from|de|van|da)(?=\s)", re.IGNORECASE
)
_AND = re.compile(r"and|und|et|en|y|e|to|bis|à|a|tot", re.IGNORECASE)
_WORD = re.compile(r"\S+")
_DIGIT = re.compile(r"\d")


def without_units(text: str) -> str:
    """A text without words for years and signs of money.

    >>> without_units("18 to 24 years"), without_units("$30,000-$40,000")
    ('18 to 24', '30,000-40,000')
    """
    return _MONEY.sub("", _UNITS.sub("", text)).strip()


def one_sided(text: str) -> tuple[str, str] | None:
    """A sign (one of ``< ≤ > ≥``) and a bound; ``90+`` is ``≥ 90``.

    >>> one_sided("<=45"), one_sided("90+"), one_sided("under 30"), one_sided("65 and over")
    (('≤', '45'), ('≥', '90'), ('<', '30'), ('≥', '65'))
    """
    found = _ONE_SIDED.fullmatch(text)
    if found is not None:
        return {"<=": "≤", ">=": "≥"}.get(found[1], found[1]), unquoted(found[2])
    if text.endswith("+") and len(text) > 1:
        return "≥", unquoted(text[:-1].rstrip())
    # Letters that only look like others of a phrase, such as ı, match it and are no phrase.
    if (found := _WORDS_BEFORE.fullmatch(text)) is not None and _DIGIT.search(found[2]):
        sign, bound = _SIGN_OF.get(found[1].lower()), found[2]
    elif (found := _WORDS_BEHIND.search(text)) is not None:
        sign, bound = _SIGN_BEHIND.get(found[1].lower()), text[: found.start()]
        if not any(map(str.isdecimal, bound)):
            return None
    else:
        return None
    return None if sign is None else (sign, bound)


_RUN = r"(?:(?<!\s)|(?<=\A\s))\s+"  # all blanks of a run, after the first letter of a text
_TO = re.compile(
    rf"(?:{_RUN})?(?:[-–—−~]|\.{{2,3}}|…)\s*|{_RUN}(?:to|bis)\s+"
    r"|(?<=\d)\s+(?:through|à|a|tot|t/m|hasta|al)\s+(?=\d)"
)


def range_parts(text: str) -> Iterator[tuple[str, str]]:
    """Every way to read a text as two values with a dash between them.

    >>> list(range_parts("-10--5"))
    [('-10', '-5'), ('-10-', '5')]
    """
    if (words := _between(text)) is not None:
        yield words
        return
    at = 1
    while (dash := _TO.search(text, at)) is not None:
        if dash.end() < len(text):
            yield unquoted(text[: dash.start()]), unquoted(text[dash.end() :])
        at = dash.end()


def _between(text: str) -> tuple[str, str] | None:
    """The bounds of ``between 20 and 30``, parted at the last word for *and* between two digits."""
    if _BETWEEN.match(text) is None:
        return None
    words = list(_WORD.finditer(text))
    parts_at, digit_follows = 0, False
    for at in range(len(words) - 1, 0, -1):
        if _DIGIT.search(words[at][0]):
            if parts_at:
                first, second = words[parts_at - 1], words[parts_at + 1]
                return text[words[1].start() : first.end()], text[second.start() :]
            digit_follows = True
        elif digit_follows and _AND.fullmatch(words[at][0]):
            parts_at = at
    return None


_NUMBER_MASK = re.compile(r"([+-]?)(\d+)(\**)(?:\.(\d*)(\**))?", re.ASCII)


def mask_bounds(text: str) -> tuple[float, float] | None:
    """The numbers that a mask of digits covers: from the first to below the second.

    Only masks whose stars come last: ``2*`` is 20 to below 30, ``1.5*`` is 1.5 to below 1.6. For
    negative numbers the second is excluded, too: ``-2*`` is -20 to above -30.

    >>> mask_bounds("2*"), mask_bounds("1.5*"), mask_bounds("-2*"), mask_bounds("2*5")
    ((20.0, 30.0), (1.5, 1.6), (-20.0, -30.0), None)
    """
    found = _NUMBER_MASK.fullmatch(text)
    if found is None or "*" not in text:
        return None
    sign, whole, stars, places, more = found[1], found[2], found[3], found[4] or "", found[5] or ""
    if stars and places:
        return None
    # As whole numbers of the last digit shown, so that 1.5 and 0.1 make 1.6.
    shown, power = (int(whole), len(stars)) if stars or not places else (
        int(whole + places), -len(places))  # fmt: skip
    ends = (float(f"{sign}{shown}e{power}"), float(f"{sign}{shown + 1}e{power}"))
    return ends if stars or more else None


def is_hidden(text: str) -> bool:
    """Whether a cell says nothing: it is empty or suppressed."""
    return text.strip() in EMPTY_WORDS or not text.strip().strip(EVERYTHING)


_Member: TypeAlias = Callable[[str], Spans | None]
"""What a listed value covers; None if it is not a value."""


def members(items: Sequence[str], member: _Member, blame: list[str]) -> Spans | None:
    """What the listed values cover; None if one is unknown, which is added to ``blame``."""
    found: list[tuple[int, int]] = []
    for item in items:
        spans = member(item)
        if spans is None:
            blame.append(item)
            return None
        found += spans
    return _joined(found)


def in_braces(inner: str, member: _Member, most: int, blame: list[str]) -> list[Spans]:
    """What a set in braces may cover: our own notation first, with commas between values."""
    house = members(in_house_list(inner), member, blame)
    if house is not None:
        return [house]
    program = in_list(inner)
    if program is not None and program[1]:
        spans = members(program[0], member, blame)
        return [] if spans is None else [spans]
    return in_marks(inner, ",", member, most, [])


def in_marks(text: str, mark: str, member: _Member, most: int, blame: list[str]) -> list[Spans]:
    """What the values between marks may cover, if up to ``most`` marks belong to one value.

    Tools do not quote values, so ``a, b, c`` may be three values, or ``a, b`` and ``c``. At most
    two ways are returned: enough to know that the cell is ambiguous.
    """
    parts = text.split(mark)
    # ways[i]: what parts[i:] may cover.
    ways: list[list[Spans]] = [[] for _ in parts] + [[()]]
    for start in range(len(parts) - 1, -1, -1):
        for end in range(start + 1, min(start + most + 1, len(parts)) + 1):
            spans = member(mark.join(parts[start:end]).strip()) if ways[end] else None
            for rest in ways[end] if spans is not None else ():
                both = _joined([*(spans or ()), *rest])
                if both not in ways[start]:
                    ways[start].append(both)
        del ways[start][2:]
    known = [part.strip() for part in parts if member(part.strip()) is not None]
    if not ways[0] and known:  # then a list was meant
        blame.append(next(p.strip() for p in parts if member(p.strip()) is None))
    return ways[0]
