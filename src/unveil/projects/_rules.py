"""What a column is to an attacker, by its name and its values: a table of rules.

The rules stand in order; the first that has something to say decides, and what it says is the
reason. What a table's *other* columns have to do with it comes afterwards (`_settling`): whether an
income is a secret, or rather what an attacker knows, depends on what else there is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from unveil.projects._names import Group
from unveil.projects._patterns import DATES, IDENTIFYING, KNOWN, SECRET, YES_NO
from unveil.projects._profile import FEW, Profile

__all__ = ["RULES", "Leaning", "Rule", "lean", "share"]

_ALONE = 0.9  # "almost every value occurs once"
_ENOUGH = 20  # rows from which that means anything
_WORDS = 4  # from so many words on a text is prose
_SHARED = 0.5
_MANY_NAMES = 20  # of fewer, a name is rather that of a ward or a shop


class Leaning(StrEnum):
    """What a column is, seen by itself."""

    IDENTIFIER = "identifier"
    KNOWN = "known"
    SECRET = "secret"
    MONEY = "money"
    JOB = "job"
    UNTOLD = "untold"
    """Nothing tells what it is."""
    USELESS = "useless"
    """Nobody can learn anything from it."""


@dataclass(frozen=True)
class Rule:
    """If `says` says something, that is the reason why a column is what `leaning` says."""

    leaning: Leaning
    says: Callable[[Profile], str | None]


def share(value: float) -> str:
    """A share in words.

    >>> share(0.071), share(0.0004), share(0.999)
    ('7%', 'less than 1%', '99%')
    """
    if 0 < value < 0.01:
        return "less than 1%"
    return f"{min(value, 0.99) if value < 1 else 1:.0%}"


def lean(profile: Profile) -> tuple[Leaning, str]:
    """What a column is by itself, and why."""
    for rule in RULES:
        reason = rule.says(profile)
        if reason is not None:
            return rule.leaning, reason
    return Leaning.UNTOLD, "nothing tells that others know it or would want to"


def _unreadable(one: Profile) -> str | None:
    return "its values are of types that cannot be used" if one.distinct is None else None


def _empty(one: Profile) -> str | None:
    return "it is empty" if one.filled == 0 else None


def _constant(one: Profile) -> str | None:
    return "all have the same value" if one.size == 1 else None


def _looks_identifying(one: Profile) -> str | None:
    pattern = one.first_fit(IDENTIFYING) if one.size > 2 else None
    if pattern is None:
        return None
    once = "almost every value occurs once, and " if one.alone >= _ALONE else ""
    return f"{once}they look like {pattern.name}"


def _named_person(one: Profile) -> str | None:
    if one.topic is None or one.topic.group is not Group.PERSON or one.is_date:
        return None  # "last login" is a time
    if one.size <= 10 and one.size < _SHARED * one.filled:
        return None  # "has_phone: yes, no"
    return f"{one.topic.name}, by its name"


def _prose(one: Profile) -> str | None:
    if one.is_numeric or one.words < _WORDS or one.alone < _SHARED or one.filled < FEW:
        return None
    return "free text, which may name people and cannot be generalized"


def _about_the_survey(one: Profile) -> str | None:
    if one.topic is None or one.topic.group is not Group.SURVEY:
        return None
    return f"{one.topic.name}, by its name, and nothing about a person"


def _named(group: Group) -> Callable[[Profile], str | None]:
    def says(one: Profile) -> str | None:
        if one.topic is None or one.topic.group is not group:
            return None
        return f"{one.topic.name}, by its name: {_values(one)}"

    return says


def _looks_secret(one: Profile) -> str | None:
    pattern = one.first_fit(SECRET)
    return None if pattern is None else f"they look like {pattern.name}: {_values(one)}"


def _looks_known(one: Profile) -> str | None:
    if one.is_date:
        return "dates, which others may know"
    pattern = one.first_fit(KNOWN)
    if pattern is not DATES and one.alone >= _ALONE and one.filled >= _ENOUGH:
        return None  # "P-00017" has the form of a postcode, and everybody his own
    return None if pattern is None else f"they look like {pattern.name}: {_values(one)}"


def _named_perhaps(one: Profile) -> str | None:
    if one.topic is None or one.topic.group is not Group.PERHAPS_PERSON:
        return None
    if one.size < _SHARED * one.filled:
        return None
    once = "almost every value occurs once" if one.alone >= _ALONE else "values are seldom the same"
    return f"{one.topic.name}, by its name, and {once}"


def _called_a_name(one: Profile) -> str | None:
    """People may share a name; what is called so and has many values is theirs, until corrected."""
    if one.topic is None or one.topic.name != "a name" or one.is_numeric or one.size <= _MANY_NAMES:
        return None
    return "a name, by its name; several have the same"


def _a_number_each(one: Profile) -> str | None:
    if one.filled < _ENOUGH or one.alone < _ALONE or (one.is_numeric and not one.is_whole):
        return None
    return "almost every value occurs once: it can stand for a person"


def _measured(one: Profile) -> str | None:
    if one.filled < _ENOUGH or one.alone < _ALONE:
        return None
    return "a measurement: fractions, and almost every value occurs once"


def _answers(one: Profile) -> str | None:
    if one.size <= 5 and one.fits(YES_NO):
        return "yes or no, to a question that nothing tells about"
    return None


RULES = (
    Rule(Leaning.USELESS, _unreadable),
    Rule(Leaning.USELESS, _empty),
    Rule(Leaning.USELESS, _constant),
    Rule(Leaning.IDENTIFIER, _looks_identifying),
    Rule(Leaning.IDENTIFIER, _named_person),
    Rule(Leaning.IDENTIFIER, _prose),
    Rule(Leaning.USELESS, _about_the_survey),
    Rule(Leaning.SECRET, _named(Group.SECRET)),
    Rule(Leaning.MONEY, _named(Group.MONEY)),
    Rule(Leaning.JOB, _named(Group.JOB)),
    Rule(Leaning.KNOWN, _named(Group.KNOWN)),
    Rule(Leaning.SECRET, _looks_secret),
    Rule(Leaning.KNOWN, _looks_known),
    Rule(Leaning.IDENTIFIER, _named_perhaps),
    Rule(Leaning.IDENTIFIER, _called_a_name),
    Rule(Leaning.IDENTIFIER, _a_number_each),
    Rule(Leaning.UNTOLD, _measured),
    Rule(Leaning.UNTOLD, _answers),
)
"""In order: what is useless, what names people, what the name tells, what the values tell."""


def _values(one: Profile) -> str:
    """What the values are like, without showing one that few people have."""
    if one.is_date:
        said = "dates"
    elif one.is_numeric:
        said = f"{'whole numbers' if one.is_whole else 'numbers'}{_span(one)}"
    else:
        said = f"{one.size:,} values"
    if one.refusals >= 0.01:
        said += f"; {share(one.refusals)} would not say"
    return said


def _span(one: Profile) -> str:
    """From where to where nearly all numbers go, in tens, with at least five people beyond."""
    is_age = one.topic is not None and one.topic.name == "an age"
    if not is_age or not one.is_finite or one.filled < 4 * FEW:
        return ""
    assert one.column is not None
    values = np.sort(one.column.decode().astype(np.float64))[: one.filled]
    beyond = max(FEW, len(values) // 100)
    low, high = values[beyond - 1] // 10 * 10, -(-values[-beyond] // 10) * 10
    return f", nearly all from {low:.0f} to {high:.0f}"
