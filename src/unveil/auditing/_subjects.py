"""What is audited: releases of a table, and the attacker whom all of them meet.

Of several sensitive columns each is tested in turn. The attacker then knows no other, and what is
published has no other: what two of them would tell together is not tested, and the report says so.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from unveil.auditing._grounds import Ground, ToRead, published_alone, sensitive_of
from unveil.auditing._names import fingerprint, public_name
from unveil.engine import checkpointed
from unveil.errors import Call, File, InputError, Listed, Text
from unveil.microdata import (
    AnyRelease,
    Column,
    Level,
    Microdata,
    Release,
    Totals,
    at_published_level,
)
from unveil.sanitize import Oracle, Sanitizer, as_sanitizer, first_look, sanitizers_named


@dataclass(frozen=True, eq=False, kw_only=True)
class Subject:
    """One release of the table, and, if it is known, the sanitizer that made it.

    Of a sanitizer that depends on chance one release is made, and everything looks at that one.
    """

    name: str
    ground: Ground
    sanitizer: Sanitizer | None = None
    published: AnyRelease | ToRead | None = None
    seed: int = 0
    """On which the release depends, where its sanitizer depends on chance."""

    @property
    def microdata(self) -> Microdata | None:
        """The original, if there is one."""
        return self.ground.original

    @property
    def records(self) -> int:
        """How many there are in the original; without it, in what is published."""
        if self.microdata is not None:
            return len(self.microdata)
        return 0 if self.made is None else int(self.made.sizes.sum())

    @property
    def people(self) -> int:
        """How many people the records are of, as far as that is known."""
        table = self.made if self.microdata is None else self.microdata
        several = None if table is None else table.several
        return self.records if several is None or several.of is None else several.count

    @property
    def several(self) -> bool:
        """Whether a person may have several records."""
        table = self.made if self.microdata is None else self.microdata
        return table is not None and table.several is not None

    @property
    def secret(self) -> Column:
        """The sensitive column, as it is published."""
        table = self.at_level
        return (self.release if table is None else table).sensitive

    @property
    def shared(self) -> list[Any]:
        """What parts of an audit have in common: it is not kept with each of them."""
        return [self.release, *([] if self.microdata is None else [self.microdata])]

    @property
    def kind(self) -> str:
        """``sanitizer``, or ``release`` where nothing can be run again."""
        return "release" if self.sanitizer is None else "sanitizer"

    @property
    def publishes(self) -> str | None:
        """The kind of release, if attacks on records do not fit it."""
        if isinstance(self.published, Totals):
            return "tables"
        return None if self.sanitizer is None else self.sanitizer.publishes

    @property
    def anew(self) -> Sanitizer | None:
        """What makes such releases of other tables, too; releases made beforehand do not."""
        if self.sanitizer is None or self.microdata is None:
            return None
        return self.sanitizer if self.sanitizer.can_leave_out(self.microdata) is None else None

    @cached_property
    def release(self) -> AnyRelease:
        """What is published."""
        if self.sanitizer is not None:
            assert self.microdata is not None
            return self.sanitizer.sanitize_to_test(self.microdata, self.seed)
        assert self.published is not None
        if isinstance(self.published, ToRead):
            return self.published.read(self.microdata)
        return self.published

    @cached_property
    def at_level(self) -> Microdata | None:
        """The original, if there is one, with its sensitive column as it is published."""
        table = self.microdata
        return None if table is None else at_published_level(table, self.release)

    def have_made(self, seconds: float | None = None) -> None:
        """Make or read the release; what depends on chance is what an interrupted run had made.

        ``seconds`` is a budget of time, if there is one.
        """
        if seconds is not None and self.sanitizer is not None:
            bounded = replace(self, sanitizer=self.sanitizer.ending_at(time.time() + seconds))
            bounded.have_made()
            self.__dict__["release"] = bounded.release
        elif self.sanitizer is None or self.sanitizer.deterministic:
            self.release  # noqa: B018
        else:
            self.__dict__["release"] = checkpointed(
                "release", shared=[self.microdata], compute=lambda: self.release
            )

    @property
    def made(self) -> AnyRelease | None:
        """The release, if it has been made; nothing is run for the asking."""
        if isinstance(self.published, AnyRelease):
            return self.published
        made: AnyRelease | None = self.__dict__.get("release")
        return made

    @property
    def level(self) -> Level | None:
        """The level of the sensitive column, once that is known and if it is another."""
        return self.made.level if isinstance(self.made, Release) else None

    @property
    def notes(self) -> tuple[Text, ...]:
        """How the table was read, and first at which level its sensitive column is published."""
        if self.microdata is None:
            return () if self.made is None else self.made.notes
        return (*([] if self.level is None else [self.level.said]), *self.microdata.notes)

    @property
    def raw_names(self) -> set[str]:
        """What attacks call it in their texts: a whole command or path, perhaps."""
        names = set() if self.sanitizer is None else {self.sanitizer.label}
        return names if self.made is None else {*names, self.made.made_by}


def subjects_of(given: Any, ground: Ground, key: str) -> list[Subject]:
    """What a user gave: a release, a sanitizer, its name, a series, several, or names for them."""
    if ground.original is None:
        return _apart([
            _subject(one, ground, name) for name, one in published_alone(given)
            if sensitive_of(one) == ground.sensitive
        ])  # fmt: skip
    if given is None:
        given = first_look(ground.original)
    given = [given] if _is_table(given) else given
    if isinstance(given, Mapping):
        named = [(str(name), one) for name, made in given.items() for one in _each(made)]
        if len(named) > len(given):
            raise InputError("a series of sanitizers has names of its own; give it without one")
        subjects = [_subject(one, ground, name) for name, one in named]
    else:
        many = given if isinstance(given, Iterable) and not isinstance(given, str) else [given]
        subjects = [_subject(one, ground, None) for item in many for one in _each(item)]
    if not subjects:
        raise InputError("there is nothing to audit: name a release or a sanitizer")
    return _apart(_told_apart(subjects, key))


def _each(one: Any) -> list[Any]:
    return list(sanitizers_named(one)) if isinstance(one, str) else [one]


def _subject(one: Any, ground: Ground, name: str | None) -> Subject:
    if isinstance(one, AnyRelease):
        return Subject(name=name or public_name(one.made_by), ground=ground, published=one)
    if isinstance(one, ToRead):
        if name is None:
            raise InputError("a release that is yet to be read needs a name: {'published': …}")
        return Subject(name=name, ground=ground, published=one)
    if _is_table(one):
        raise InputError(
            "a {kind} does not say what its cells mean; read what was published with "
            "{read}(table, microdata)",
            kind=type(one).__name__, read=Call("read_release"),
        )  # fmt: skip
    sanitizer = as_sanitizer(one)
    # A name of the user's own stays; a command is shown without folders and secrets.
    own = name is not None and name not in (sanitizer.label, _within(sanitizer.label))
    shown = name if own else public_name(sanitizer.label)
    assert shown is not None
    return Subject(name=shown, ground=ground, sanitizer=sanitizer)


def _is_table(given: Any) -> bool:
    """Whether it is a table of pandas, polars or Arrow; a series of names is none."""
    return hasattr(given, "columns") and not isinstance(given, AnyRelease)


def _within(label: str) -> str:
    """What an oracle asks: a command, an address, a folder."""
    return label.removeprefix("Oracle(").removesuffix(")")


def _told_apart(subjects: list[Subject], key: str) -> list[Subject]:
    """Programs of the same name with fingerprints of how they are called."""
    names = [subject.name for subject in subjects]
    labels = {one.name: {other.sanitizer.label for other in subjects
                         if other.name == one.name and isinstance(other.sanitizer, Oracle)}
              for one in subjects}  # fmt: skip
    return [
        replace(one, name=f"{one.name} {fingerprint(one.sanitizer.label, key)}")
        if names.count(one.name) > 1 and len(labels[one.name]) > 1 and one.sanitizer
        else one
        for one in subjects
    ]


def _apart(subjects: list[Subject]) -> list[Subject]:
    """Refuse two of the same name: a report could not tell them apart."""
    names = [subject.name for subject in subjects]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(
            "{name} is to be audited twice; leave one out, or give them names, such as {example}",
            name=File(twice, bare=True), example="{'first': …, 'second': …}",
        )  # fmt: skip
    return subjects


def of_their_secrets(
    subjects: Sequence[Sequence[Subject]], grounds: Sequence[Ground]
) -> list[list[Subject]]:
    """Releases that were read are of one sensitive column, and belong to the table that has it."""
    secrets = [ground.sensitive for ground in grounds]
    for subject in subjects[0]:
        secret = _secret_of(subject)
        if secret is not None and secret not in secrets:
            raise InputError(
                "{release} publishes {secret}, and what is audited is {secrets}; read it with that "
                "as its sensitive column",
                release=File(subject.name, bare=True), secret=secret,
                secrets=Listed(secrets, "and"),
            )  # fmt: skip
    found = [
        [one for one in some if _secret_of(one) in (None, secret)]
        for some, secret in zip(subjects, secrets, strict=True)
    ]
    bare = next((secret for secret, some in zip(secrets, found, strict=True) if not some), None)
    if bare is not None:
        raise InputError(
            "no release publishes {column}, so there is nothing to audit; give one that does, or "
            "leave that column out", column=bare,
        )  # fmt: skip
    return found


def _secret_of(subject: Subject) -> str | None:
    """What a release publishes; None if it is made or read for whichever is asked for."""
    published = subject.published
    return published.sensitive.name if isinstance(published, AnyRelease) else None


def in_words(quasi: Sequence[str], knows: Sequence[str] | None, wants: Sequence[str]) -> str:
    """The threat model, for people.

    >>> print(in_words(["age", "sex"], None, ["income"]))
    An attacker knows age and sex of a person, reads what is published, and wants to know income.
    >>> print(in_words(["age", "sex"], ["age"], ["income"]))
    An attacker knows age of a person, and not sex, reads what is published, and wants to know ...
    """
    unknown = [name for name in quasi if knows is not None and name not in knows]
    but = f", and not {_listed(unknown, 'or')}" if unknown else ""
    said = (
        f"An attacker knows {_listed(knows or quasi, 'and')} of a person{but}, reads what is "
        f"published, and wants to know {_listed(wants, 'or')}."
    )
    if len(wants) > 1:
        said += (
            " Each of these is tested in turn. Meanwhile the others are neither known to the "
            "attacker nor published; what they would tell together is not tested."
        )
    return said


def _listed(names: Sequence[str], word: str) -> str:
    *firsts, last = names
    return f"{', '.join(firsts)} {word} {last}" if firsts else last
