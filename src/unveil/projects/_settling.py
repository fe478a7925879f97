"""From what columns are by themselves to their roles: what else is in the table matters.

- **Money and work** are secrets to some and known to others. Where the table has something that the
  law protects more (health, politics, …), they are rather what an attacker knows; an income stays a
  secret where many would not tell it. An occupation in a few broad groups is known to neighbours; a
  detailed one is something that an attacker may want to know.
- **The same twice**: of two columns that say the same in other words, one is enough.
- **Numbers of many values** are hard to guess right; where there is another secret, that is taken.
- **Nothing found**: a column of a few categories, the last one, as tables for prediction have it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from unveil.microdata import Role
from unveil.projects._names import Group
from unveil.projects._profile import Profile
from unveil.projects._rules import Leaning, lean, share

__all__ = ["Settled", "settle"]

_MANY_REFUSE = 0.1
_BROAD = 8  # groups of occupations, or fewer
_MANY_VALUES = 50
_MOSTLY_EMPTY = 0.5
_SHARED = 0.5
_SECRETS = (Leaning.SECRET, Leaning.MONEY, Leaning.JOB)


@dataclass(frozen=True, eq=False, kw_only=True)
class Settled:
    """A column with its role.

    Attributes
    ----------
    profile : Profile
    leaning : Leaning
    role : Role
    reason : str
    unsure : str, optional
        What the user should think about.
    """

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
        leaning, reason = lean(profile)
        columns.append(Settled(profile=profile, leaning=leaning, reason=reason))
    for step in (_first_roles, _work_if_nothing_else, _one_of_the_same, _few_values_first, _full,
                 _some_secret, _something_known):  # fmt: skip
        columns = step(columns)
    return columns


def _having(columns: Iterable[Settled], role: Role) -> list[Settled]:
    return [one for one in columns if one.role is role]


def _first_roles(columns: list[Settled]) -> list[Settled]:
    protected = any(one.leaning is Leaning.SECRET for one in columns)
    return [_first_role(one, protected) for one in columns]


def _first_role(one: Settled, protected: bool) -> Settled:
    if one.leaning is Leaning.IDENTIFIER:
        return replace(one, role=Role.IDENTIFIER, unsure=_about_identifier(one))
    if one.leaning is Leaning.KNOWN:
        return replace(one, role=Role.QUASI, unsure=_about_known(one))
    if one.leaning is Leaning.SECRET:
        return replace(one, role=Role.SENSITIVE)
    if one.leaning is Leaning.MONEY:
        if not protected or one.profile.refusals >= _MANY_REFUSE:
            return replace(one, role=Role.SENSITIVE)
        return replace(one, role=Role.QUASI, unsure="it may as well be sensitive")
    if one.leaning is Leaning.JOB:
        if not protected and one.profile.size > _BROAD:
            return replace(one, role=Role.SENSITIVE, unsure="others may know it: then it is quasi")
        return replace(one, role=Role.QUASI, unsure="it may as well be sensitive")
    return replace(one, unsure=_about_untold(one))


def _about_known(one: Settled) -> str | None:
    if one.profile.alone >= _MOSTLY_EMPTY and one.profile.size > _MANY_VALUES:
        return (
            f"{share(one.profile.alone)} of the values occur once: it points to people by itself, "
            "and needs a hierarchy or to be left out"
        )
    return None


def _about_identifier(one: Settled) -> str | None:
    shared = one.profile.size < _SHARED * one.profile.filled
    if shared and one.profile.topic is not None and one.profile.topic.group is Group.PERHAPS_PERSON:
        return "many have the same value; if it names no person, it may be quasi or other"
    return None


def _about_untold(one: Settled) -> str | None:
    if one.profile.stray:
        return (
            "it has numbers, and in a few rows texts; if they mean missing, list them under "
            "data.missing_values"
        )
    return None


def _work_if_nothing_else(columns: list[Settled]) -> list[Settled]:
    if _having(columns, Role.SENSITIVE):
        return columns
    return [
        replace(one, role=Role.SENSITIVE, unsure="others may know it: then it is quasi")
        if one.leaning in _SECRETS
        else one
        for one in columns
    ]


def _one_of_the_same(columns: list[Settled]) -> list[Settled]:
    """Of columns that say the same in other words only the first is used, a secret before all."""
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
            reason=f"it says the same as {same.name!r} in other words",
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
    """Numbers of many values are not tested beside secrets of few."""
    secrets = _having(columns, Role.SENSITIVE)
    many = [one for one in secrets if _is_many(one.profile)]
    if len(many) == len(secrets):
        return columns
    return [
        replace(
            one, role=Role.OTHER, leaning=Leaning.USELESS,
            unsure=f"with {one.profile.size:,} values it is hard to test as it is; put it into a "
            "few bands, and make it sensitive",
        )
        if one in many
        else one
        for one in columns
    ]  # fmt: skip


def _is_many(profile: Profile) -> bool:
    return profile.is_numeric and profile.size > _MANY_VALUES


def _full(columns: list[Settled]) -> list[Settled]:
    """What is mostly empty is no quasi-identifier."""
    return [
        replace(
            one, role=Role.OTHER, leaning=Leaning.USELESS, unsure=None,
            reason=f"{one.reason}; but {share(one.profile.missing)} of it is empty",
        )
        if one.role is Role.QUASI and one.profile.missing > _MOSTLY_EMPTY
        else one
        for one in columns
    ]  # fmt: skip


def _some_secret(columns: list[Settled]) -> list[Settled]:
    if _having(columns, Role.SENSITIVE):
        return columns
    few = [
        one
        for one in columns
        if one.leaning is Leaning.UNTOLD and 2 <= one.profile.size <= _MANY_VALUES
    ]
    if not few:
        return columns
    chosen = few[-1]
    said = replace(
        chosen, role=Role.SENSITIVE, reason=f"the last column with a few values: {chosen.reason}",
        unsure="it is a guess: say what an attacker would want to know",
    )  # fmt: skip
    return [said if one is chosen else one for one in columns]


def _something_known(columns: list[Settled]) -> list[Settled]:
    if _having(columns, Role.QUASI):
        return columns
    return [
        replace(one, role=Role.QUASI, unsure="it is a guess: say what an attacker may know")
        if one.leaning is Leaning.UNTOLD
        and one.role is Role.OTHER
        and one.profile.missing <= _MOSTLY_EMPTY
        else one
        for one in columns
    ]
