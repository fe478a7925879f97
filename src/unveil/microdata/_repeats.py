"""Signs that several rows are one person's, where nobody has said whose the rows are.

A number in the data that nobody has called an identifier says whose a row is if it repeats and rows
of one number are alike in what stays the same in a life, or never have the same year. Without such
a number, many rows that are equal in what hardly two people share are a sign, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Column as ColumnName
from unveil.errors import Listed, Message, Text
from unveil.microdata.vocabulary import (
    SEVERAL,
    names_person,
    names_time,
    names_what_stays,
)

if TYPE_CHECKING:
    from unveil.microdata._distinct import Distinct

_NAMESAKES = 0.9  # distinct names per row from which a few people may have the same
_TOLD = 5  # pairs of rows of one name that can be compared
_BY_CHANCE = 0.5  # of a column in which any two rows agree that often nothing follows
_ALIKE = 0.8
_SAME = 0.97  # of pairs of rows of one person agree in what stays the same in a life
_STAYING = 2  # columns: a hospital for women has one sex, and a family one origin
_APART = 0.02  # of the pairs that would agree by chance do, if nobody is asked twice in a wave
_PAIRS = 20  # that would agree by chance; of fewer nothing follows
_OFTEN = 10  # times as many equal pairs as chance makes, times the share of rows that are equal
_LOOKED_AT = 20_000  # rows


def combined(columns: Mapping[str, Distinct]) -> NDArray[np.int64]:
    """The number of the combination of values of each row."""
    numbers = _number(one.codes.astype(np.int64) + 1 for one in columns.values())
    return np.unique(numbers, return_inverse=True)[1]


def is_repeated(name: str, people: int, rows: int) -> bool:
    """Whether a column that has no role says whose a row is, by its name and as values repeat.

    >>> is_repeated("patient", 400, 1200), is_repeated("patient", 2, 1200)
    (True, False)
    """
    return names_person(name) and SEVERAL <= people < rows


def says_whose(name: str, others: Mapping[str, Distinct]) -> Text | None:
    """Why a column without a role says whose a row is; None if nothing shows that.

    >>> import numpy as np
    >>> from unveil.microdata._distinct import Distinct
    >>> def column(name, codes):
    ...     return Distinct(name=name, source="panel", codes=np.array(codes, dtype=np.int32),
    ...                     values=np.arange(max(codes) + 1), rows=np.arange(len(codes)))
    >>> man, year = np.divmod(np.arange(180), 6)
    >>> str(says_whose("nr", {"nr": column("nr", man), "year": column("year", year)}))
    "rows of one value never have the same 'year'"
    """
    one = others[name]
    whole = np.flatnonzero(~one.missing)
    numbers = np.unique(one.codes[whole], return_inverse=True)[1]
    people, rows = int(numbers.max(initial=-1)) + 1, len(whole)
    if not SEVERAL <= people < rows:
        return None
    if names_person(name):
        return "its name is that of a number of people"
    return sign_of(
        [other for other in others if other != name],
        lambda other: _agreeing(numbers, others[other].codes[whole]),
    )


def sign_of(others: Iterable[str], pairs_in: Callable[[str], Pairs]) -> Text | None:
    """What shows that rows of one value are one person's; ``pairs_in`` a column, by its name."""
    staying = []
    for name in others:
        if not (names_time(name) or names_what_stays(name)):
            continue
        pairs = pairs_in(name)
        if names_time(name) and pairs.chance >= _PAIRS and pairs.equal <= _APART * pairs.chance:
            return Message("rows of one value never have the same {time}" if not pairs.equal else
                           "rows of one value hardly ever have the same {time}",
                           time=ColumnName(name))  # fmt: skip
        if (
            names_what_stays(name)
            and pairs.all - pairs.chance >= _PAIRS
            and pairs.equal >= _SAME * pairs.all
        ):
            staying.append(name)
    if len(staying) < _STAYING:
        return None
    return Message("rows of one value have the same {staying}",
                   staying=Listed([ColumnName(name) for name in staying], "and"))  # fmt: skip


class Pairs(NamedTuple):
    """Pairs of rows of one value: all, those that agree in a column, and those of chance."""

    all: float
    equal: float
    chance: float


def _agreeing(numbers: NDArray[np.int64], codes: NDArray[np.int32]) -> Pairs:
    told = codes >= 0
    numbers, codes = numbers[told], codes[told]
    if not len(codes):
        return Pairs(0, 0, 0)
    every = _pairs(np.bincount(numbers))
    both = numbers * (int(codes.max()) + 1) + codes
    equal = _pairs(np.unique(both, return_counts=True)[1])
    shares = np.bincount(codes) / len(codes)
    return Pairs(every, equal, every * float((shares**2).sum()))


def _pairs(counts: NDArray[np.int64]) -> float:
    return float((counts * (counts - 1.0)).sum() / 2)


def names_repeat(names: Mapping[str, Distinct], others: Mapping[str, Distinct]) -> bool:
    """Whether rows share names as those of one person do, and not only those of namesakes.

    Rows of one person agree in what does not change, such as a date of birth or a place. Namesakes
    agree there as seldom as anybody.
    """
    told = ~np.any([one.missing for one in names.values()], axis=0)
    number = combined({name: one.take(told) for name, one in names.items()})
    whole = np.flatnonzero(told)
    if len(np.unique(number)) >= _NAMESAKES * len(whole):
        return False
    order = np.argsort(number, kind="stable")
    same = np.flatnonzero(number[order][1:] == number[order][:-1])
    first, second = whole[order[same]], whole[order[same + 1]]
    for one in others.values():
        told = (one.codes[first] >= 0) & (one.codes[second] >= 0)
        if told.sum() < _TOLD:
            continue
        shares = np.bincount(one.codes[one.codes >= 0]) / max(1, (one.codes >= 0).sum())
        alike = (one.codes[first[told]] == one.codes[second[told]]).mean()
        if (shares**2).sum() < _BY_CHANCE and alike > _ALIKE:
            return True
    return False


def many_equal(columns: Iterable[Distinct]) -> tuple[int, list[str]] | None:
    """Rows that are equal to another, if they are far more than chance makes, and in which columns.

    Columns that follow from others, such as a town from its postcode, make nothing rarer, and are
    left out. What is left is taken to be independent, which it is not: so only very many count. A
    table in which every row is equal to another was most likely made so, to protect people.
    """
    codes = {one.name: np.unique(one.codes, return_inverse=True)[1]
             for one in columns if not one.missing.any()}  # fmt: skip
    if not codes or _equal(codes) is None:  # in fewer columns chance makes more
        return None
    kept = _apart(codes)
    equal = _equal(kept)
    return None if equal is None else (equal, list(kept))


def _equal(columns: Mapping[str, NDArray[np.int64]]) -> int | None:
    """The rows that are equal to another in all columns; None if chance may make as many."""
    counts = np.bincount(_number(columns.values()))
    rows = int(counts.sum())
    shares = [float(((np.bincount(one) / rows) ** 2).sum()) for one in columns.values()]
    chance = _pairs(np.array([rows])) * float(np.prod(shares))
    equal = int(counts[counts > 1].sum())
    often = _pairs(counts) * equal / rows >= _OFTEN * max(chance, 1)
    return equal if often and counts.min() == 1 else None


def _apart(columns: Mapping[str, NDArray[np.int64]]) -> dict[str, NDArray[np.int64]]:
    """Columns of which none follows from another one.

    Rows of one person agree in everything. So only pairs count that differ in a third column. If
    there are too few of these, all count, but not of a date of birth: no place follows from one.
    """
    step = len(next(iter(columns.values()))) // _LOOKED_AT + 1
    some = {name: codes[::step] for name, codes in columns.items() if codes.any()}
    whole = _pairs(np.bincount(_number(some.values())))
    kept: list[str] = []
    for name in sorted(some, key=lambda each: -int(some[each].max())):
        rest = [one for each, one in some.items() if each != name]
        if rest:
            alike = _pairs(np.bincount(_number(rest)))
            if any(_follows(name, other, some, alike, whole) for other in kept):
                continue
        kept.append(name)
    return {name: columns[name] for name in columns if name in kept}


def _follows(
    name: str, other: str, columns: Mapping[str, NDArray[np.int64]], alike: float, whole: float
) -> bool:
    """Whether a value is nearly always the same where that of another column is."""
    every = _pairs(np.bincount(columns[other]))
    equal = _pairs(np.bincount(_number([columns[other], columns[name]])))
    if every - alike >= _PAIRS:
        every, equal = every - alike, equal - whole
    elif names_what_stays(other):
        return False
    return every >= _PAIRS and equal >= _SAME * every


def _number(columns: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    """A number for each combination of codes."""
    number, *others = columns
    for one in others:
        number = np.unique(number * (int(one.max()) + 1) + one, return_inverse=True)[1]
    return number
