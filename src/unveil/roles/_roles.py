"""From columns to roles: what a column is by itself, and what follows from the others.

Each column is judged by its name and values. Signs are looked for in order; the first decides, and
is the reason. Then the rest of the table matters:

- **Money and work** are sensitive to some people and known to others. Where the table has something
  that the law protects more (health, politics, …), an attacker is assumed to know them; an income
  stays sensitive where many declined to state it. An occupation in a few broad groups is known to
  neighbours; a detailed one may be sensitive.
- **The same twice**: of two columns with the same content in other words, one is used.
- **Numbers with many values** are hard to guess; another sensitive column is preferred.
- **Nothing sensitive found**: the last column with a few categories, as in tables for prediction.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from unveil.microdata import Distinct, Role, names_repeat, says_whose, suspected
from unveil.microdata.vocabulary import (
    DATES,
    IDENTIFYING,
    KNOWN,
    SECRET,
    SEVERAL,
    YES_NO,
    Group,
    names_family,
)
from unveil.roles._looking import FEW, Profile

_ALONE = 0.9  # "almost every value occurs once"
_ENOUGH = 20  # rows from which that means anything
_WORDS = 4  # texts of so many words are free text
_SHARED = 0.5
_MANY_NAMES = 20  # fewer names are rather those of wards or shops
_MANY_REFUSE = 0.1
_BROAD = 8  # groups of occupations, or fewer
_MANY_VALUES = 50
_MOSTLY_EMPTY = 0.5
_OF_FEW_WORDS = ("a sex", "a family status", "an ethnic origin", "a nationality")


class Leaning(StrEnum):
    """What a column is by itself."""

    IDENTIFIER = "identifier"
    KNOWN = "known"
    SECRET = "secret"
    MONEY = "money"
    JOB = "job"
    COUNT = "count"
    """It is the number of people that a row stands for."""
    UNTOLD = "untold"
    """There is no sign of what it is."""
    USELESS = "useless"
    """It says nothing about anybody."""


_LEANINGS = {
    Group.SECRET: Leaning.SECRET,
    Group.MONEY: Leaning.MONEY,
    Group.JOB: Leaning.JOB,
    Group.KNOWN: Leaning.KNOWN,
}


def share(value: float) -> str:
    """A share in words.

    >>> share(0.071), share(0.0004), share(0.999)
    ('7%', 'less than 1%', '99%')
    """
    if 0 < value < 0.01:
        return "less than 1%"
    return f"{min(value, 0.99) if value < 1 else 1:.0%}"


def _lean(one: Profile) -> tuple[Leaning, str]:
    """What a column is by itself, and why: the first sign decides."""
    untold = Leaning.UNTOLD, "no sign that others know it or want to know it"
    return next(itertools.chain(_useless(one), _by_name(one), _by_values(one), [untold]))


def _useless(one: Profile) -> Iterator[tuple[Leaning, str]]:
    if one.distinct is None:
        yield Leaning.USELESS, "its values are of types that cannot be used"
    if one.filled == 0:
        yield Leaning.USELESS, "it is empty"
    if one.size == 1:
        yield Leaning.USELESS, "all values are the same"


def _by_name(one: Profile) -> Iterator[tuple[Leaning, str]]:
    """What names people, by its form or name; then whatever else the name says."""
    pattern = one.first_fit(IDENTIFYING) if one.size > 2 else None
    if pattern is not None:
        once = "almost every value occurs once, and " if one.alone >= _ALONE else ""
        yield Leaning.IDENTIFIER, f"{once}they look like {pattern.name}"
    named = "" if one.topic is None else f"{one.topic.name}, by its name"
    flag = one.size <= 10 and one.size < _SHARED * one.filled  # "has_phone: yes, no"
    if one.group is Group.PERSON and not one.is_date and not flag:  # "last login" is a time
        yield Leaning.IDENTIFIER, named
    if not one.is_numeric and one.words >= _WORDS and one.alone >= _SHARED and one.filled >= FEW:
        yield Leaning.IDENTIFIER, "free text, which may name people and cannot be generalized"
    if one.group is Group.SURVEY:
        yield Leaning.USELESS, f"{named}, and nothing about a person"
    apart = one.is_whole and one.alone >= _ALONE and one.filled >= _ENOUGH
    if apart and one.topic is not None and one.topic.name in _OF_FEW_WORDS:
        yield Leaning.IDENTIFIER, "whole numbers, and almost every value occurs once"
    if one.group in _LEANINGS:
        yield _LEANINGS[one.group], f"{named}: {_values(one)}"


def _by_values(one: Profile) -> Iterator[tuple[Leaning, str]]:
    once = one.alone >= _ALONE
    many_once = once and one.filled >= _ENOUGH
    pattern = one.first_fit(SECRET)
    if pattern is not None:
        yield Leaning.SECRET, f"they look like {pattern.name}: {_values(one)}"
    if one.is_date:
        yield Leaning.KNOWN, "dates, which others may know"
    pattern = one.first_fit(KNOWN)
    # "P-00017" has the form of a postcode, but everybody has another.
    if pattern is not None and (pattern is DATES or not many_once):
        yield Leaning.KNOWN, f"they look like {pattern.name}: {_values(one)}"
    if one.group is Group.PERHAPS_PERSON and one.topic is not None:
        if one.size >= _SHARED * one.filled:
            how = "almost every value occurs once" if once else "values are rarely shared"
            yield Leaning.IDENTIFIER, f"{one.topic.name}, by its name, and {how}"
        if one.topic.name == "a person's number" and one.size >= SEVERAL:
            yield Leaning.IDENTIFIER, f"{one.topic.name}, by its name"
        if one.topic.name == "a name" and not one.is_numeric and one.size > _MANY_NAMES:
            yield Leaning.IDENTIFIER, "a name, by its name; several people share it"
    if many_once and (one.is_whole or not one.is_numeric):
        yield Leaning.IDENTIFIER, "almost every value occurs once: it can stand for a person"
    if many_once:
        yield Leaning.UNTOLD, "a measurement: fractions, and almost every value occurs once"
    if one.size <= 5 and one.fits(YES_NO):
        yield Leaning.UNTOLD, "yes or no, to an unknown question"


def _values(one: Profile) -> str:
    """What the values are like, without a value that few people have."""
    if one.is_date:
        said = "dates"
    elif one.is_numeric:
        said = f"{'whole numbers' if one.is_whole else 'numbers'}{_span(one)}"
    else:
        said = f"{one.size:,} values"
    if one.refusals >= 0.01:
        said += f"; {share(one.refusals)} declined to answer"
    return said


def _span(one: Profile) -> str:
    """The range of nearly all numbers, in tens, with at least five people outside."""
    is_age = one.topic is not None and one.topic.name == "an age"
    if not is_age or not one.is_finite or one.filled < 4 * FEW:
        return ""
    assert one.column is not None
    values = np.sort(one.column.decode().astype(np.float64))[: one.filled]
    beyond = max(FEW, len(values) // 100)
    low, high = values[beyond - 1] // 10 * 10, -(-values[-beyond] // 10) * 10
    return f", nearly all from {low:.0f} to {high:.0f}"


COARSER = "; give it a hierarchy, or leave it out"
"""What to do about a column that points to people, if nobody has done anything yet."""
SECRETS = (Leaning.SECRET, Leaning.MONEY, Leaning.JOB)
"""What may be sensitive, the most protected first."""

_COUNTED = "each row counts as that many people; if a row is one person, make it other"
_WHOSE = (
    "rows of one value are counted as one person's; if each row is another person's, write "
    'person = "none" under [data], and make it identifier'
)
_ASKED = (
    "many rows share it: if they are one person's, make it person; if each row is another "
    'person\'s, write person = "none" under [data]'
)
_PERHAPS_KNOWN = "if others know it, make it quasi"


@dataclass(frozen=True, eq=False, kw_only=True)
class Settled:
    """A column with its role, the reason, and what the user should check."""

    profile: Profile
    leaning: Leaning
    reason: str
    role: Role = Role.OTHER
    unsure: str | None = None

    @property
    def name(self) -> str:
        """The column."""
        return self.profile.name


def settle(profiles: Iterable[Profile]) -> list[Settled]:
    """A role for every column, in the order of the table."""
    columns = []
    for profile in profiles:
        leaning, reason = _lean(profile)
        columns.append(Settled(profile=profile, leaning=leaning, reason=reason))
    for step in (_names_of_people, _numbers_of_people, _first_roles, _one_says_whose,
                 _work_if_nothing_else, _one_of_the_same, _few_values_first, _full, _some_secret,
                 _something_known):  # fmt: skip
        columns = step(columns)
    return columns


_OF_PEOPLE = {Leaning.KNOWN, Leaning.SECRET, Leaning.MONEY, Leaning.JOB}


def _names_of_people(columns: list[Settled]) -> list[Settled]:
    """Beside first names, a column called "name" has the last ones, even if few."""
    first = any(one.profile.topic is not None and one.profile.topic.name == "a person's name"
                for one in columns)  # fmt: skip
    return [
        replace(one, leaning=Leaning.IDENTIFIER, reason="a name, by its name, beside other names")
        if first and one.profile.topic is not None and one.profile.topic.name == "a name"
        and not one.profile.is_numeric else one
        for one in columns
    ]  # fmt: skip


def _numbers_of_people(columns: list[Settled]) -> list[Settled]:
    """In a table of counts, the column that has them."""
    read = {one.name: one.profile.distinct for one in columns if one.profile.distinct is not None}
    counting = suspected(read, [one.name for one in columns if one.leaning in _OF_PEOPLE])
    reason = "whole numbers, and otherwise no two rows are alike: a table of counts"
    return [
        replace(one, leaning=Leaning.COUNT, reason=reason) if one.name == counting else one
        for one in columns
    ]


def _having(columns: Iterable[Settled], role: Role) -> list[Settled]:
    return [one for one in columns if one.role is role]


def _first_roles(columns: list[Settled]) -> list[Settled]:
    protected = any(one.leaning is Leaning.SECRET for one in columns)
    return [_first_role(one, protected) for one in columns]


def _first_role(one: Settled, protected: bool) -> Settled:
    profile, leaning = one.profile, one.leaning
    if leaning is Leaning.COUNT:
        return replace(one, role=Role.COUNT, unsure=_COUNTED)
    if leaning is Leaning.SECRET:
        return replace(one, role=Role.SENSITIVE)
    if leaning is Leaning.MONEY and (not protected or profile.refusals >= _MANY_REFUSE):
        return replace(one, role=Role.SENSITIVE)
    if leaning is Leaning.JOB and not protected and profile.size > _BROAD:
        return replace(one, role=Role.SENSITIVE, unsure=_PERHAPS_KNOWN)
    if leaning in (Leaning.MONEY, Leaning.JOB):
        return replace(one, role=Role.QUASI, unsure="it may be sensitive instead")
    unsure = None
    if leaning is Leaning.IDENTIFIER:
        if profile.group is Group.PERHAPS_PERSON and profile.size < _SHARED * profile.filled:
            unsure = "many share a value; if it names no person, it may be quasi or other"
        if profile.size < profile.filled and not names_family(one.name) and profile.words < _WORDS:
            return replace(one, role=Role.PERSON, unsure=_WHOSE, reason=f"{one.reason}; "
                           f"{profile.size:,} values in {profile.filled:,} rows")  # fmt: skip
        return replace(one, role=Role.IDENTIFIER, unsure=unsure)
    if leaning is Leaning.KNOWN:
        if profile.alone >= _MOSTLY_EMPTY and profile.size > _MANY_VALUES:
            unsure = (
                f"{share(profile.alone)} of the values occur once: it points to people by itself"
                f"{COARSER}"
            )
        return replace(one, role=Role.QUASI, unsure=unsure)
    if profile.stray:
        unsure = (
            "it has numbers, and texts in a few rows; if these mean missing, list them under "
            "data.missing_values"
        )
    return replace(one, unsure=unsure)


def _one_says_whose(columns: list[Settled]) -> list[Settled]:
    """Of columns that may say whose a row is, the one with the fewest people.

    If there are only names, and many rows share them, nobody knows: that is asked.
    """
    several = _having(columns, Role.PERSON)
    names = {one.name: one.profile.distinct for one in _having(columns, Role.IDENTIFIER)
             if one.profile.distinct is not None}  # fmt: skip
    others = {one.name: one.profile.distinct for one in columns
              if one.name not in names and one.profile.distinct is not None}  # fmt: skip
    by_names = names and all(map(names_family, names))
    if not several and by_names and names_repeat(names, others):
        return [replace(one, unsure=_ASKED) if one.name in names else one for one in columns]
    if not several and not names:
        return _shown_by_rows(columns, others)
    if len(several) < 2:
        return columns
    first = min(several, key=lambda one: one.profile.size)
    return [
        replace(one, role=Role.IDENTIFIER, unsure=None) if one in several and one is not first
        else one
        for one in columns
    ]  # fmt: skip


def _shown_by_rows(columns: list[Settled], others: Mapping[str, Distinct]) -> list[Settled]:
    """Of columns without a role, those that say whose a row is, as rows of one value show."""
    found = {
        one.name: sign
        for one in _having(columns, Role.OTHER)
        if one.name in others and (sign := says_whose(one.name, others)) is not None
    }
    return [
        replace(one, role=Role.PERSON, unsure=_WHOSE, reason=str(found[one.name]))
        if one.name in found else one
        for one in columns
    ]  # fmt: skip


def _work_if_nothing_else(columns: list[Settled]) -> list[Settled]:
    if _having(columns, Role.SENSITIVE):
        return columns
    return [
        replace(one, role=Role.SENSITIVE, unsure=_PERHAPS_KNOWN) if one.leaning in SECRETS else one
        for one in columns
    ]


def _one_of_the_same(columns: list[Settled]) -> list[Settled]:
    """Of columns with the same content only the first is used, sensitive ones first."""
    first = _having(columns, Role.SENSITIVE) + _having(columns, Role.QUASI)
    kept: list[Settled] = []
    told: dict[str, Settled] = {}
    for one in first:
        same = next((other for other in kept if _same(one.profile, other.profile)), None)
        if same is None:
            kept.append(one)
            continue
        told[one.name] = replace(
            one, role=Role.OTHER, leaning=Leaning.USELESS, unsure=None,
            reason=f"it has the same content as {same.name!r}",
        )  # fmt: skip
    return [told.get(one.name, one) for one in columns]


def _same(a: Profile, b: Profile) -> bool:
    """Whether each value of one goes with one value of the other."""
    if a.size != b.size or a.size < 3 or a.rows < 10 * a.size:
        return False
    assert a.distinct is not None
    assert b.distinct is not None
    if (a.gaps != b.gaps).any():
        return False
    pairs = np.unique(a.distinct.codes.astype(np.int64) * (len(b.distinct.values) + 1)
                      + b.distinct.codes)  # fmt: skip
    return len(pairs) == a.size + bool(a.gaps.any())


def _few_values_first(columns: list[Settled]) -> list[Settled]:
    """Numbers with many values are not tested beside sensitive columns with few."""
    secrets = _having(columns, Role.SENSITIVE)
    many = [
        one for one in secrets if one.profile.is_numeric and one.profile.size > _MANY_VALUES
    ]  # fmt: skip
    if len(many) == len(secrets):
        return columns
    unsure = "with {:,} values it is hard to test; put it into a few bands, and make it sensitive"
    return [
        replace(one, role=Role.OTHER, leaning=Leaning.USELESS,
                unsure=unsure.format(one.profile.size)) if one in many else one
        for one in columns
    ]  # fmt: skip


def _full(columns: list[Settled]) -> list[Settled]:
    """A column that is mostly empty is no quasi-identifier."""
    return [
        replace(one, role=Role.OTHER, leaning=Leaning.USELESS, unsure=None,
                reason=f"{one.reason}; but mostly empty")
        if one.role is Role.QUASI and one.profile.missing > _MOSTLY_EMPTY else one
        for one in columns
    ]  # fmt: skip


def _some_secret(columns: list[Settled]) -> list[Settled]:
    if _having(columns, Role.SENSITIVE):
        return columns
    few = [one for one in columns
           if one.leaning is Leaning.UNTOLD and 2 <= one.profile.size <= _MANY_VALUES]  # fmt: skip
    if not few:
        return columns
    chosen = few[-1]
    said = replace(
        chosen, role=Role.SENSITIVE, reason=f"the last column with a few values: {chosen.reason}",
        unsure="this is a guess; choose what an attacker would want to know",
    )  # fmt: skip
    return [said if one is chosen else one for one in columns]


def _something_known(columns: list[Settled]) -> list[Settled]:
    if _having(columns, Role.QUASI):
        return columns
    return [
        replace(one, role=Role.QUASI, unsure="this is a guess; choose what an attacker may know")
        if one.leaning is Leaning.UNTOLD
        and one.role is Role.OTHER
        and one.profile.missing <= _MOSTLY_EMPTY
        else one
        for one in columns
    ]
