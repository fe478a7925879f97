"""What is audited: releases of a table, made by a sanitizer or published by somebody."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from unveil.auditing._naming import public_name
from unveil.errors import InputError
from unveil.microdata import AnyRelease, Microdata
from unveil.sanitize import Sanitizer, as_sanitizer, first_look, sanitizers_named

__all__ = ["Subject", "ToRead", "subjects_of"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ToRead:
    """What was published and has yet to be read, for each sensitive attribute anew.

    One that cannot be read is no matter to the other releases.
    """

    read: Callable[[Microdata], AnyRelease]


@dataclass(frozen=True, eq=False, kw_only=True)
class Subject:
    """One release of the table, and, if it is known, the sanitizer that made it.

    Of a sanitizer that depends on chance one release is made, and everything looks at that one.
    """

    name: str
    microdata: Microdata
    sanitizer: Sanitizer | None = None
    published: AnyRelease | ToRead | None = None

    @property
    def kind(self) -> str:
        """``sanitizer``, or ``release`` where nothing can be run again."""
        return "release" if self.sanitizer is None else "sanitizer"

    @property
    def anew(self) -> Sanitizer | None:
        """What makes such releases of other tables, too; releases made beforehand do not."""
        if self.sanitizer is None or self.sanitizer.can_leave_out(self.microdata) is not None:
            return None
        return self.sanitizer

    @cached_property
    def release(self) -> AnyRelease:
        """What is published."""
        if self.sanitizer is not None:
            return self.sanitizer.sanitize(self.microdata)
        assert self.published is not None
        if isinstance(self.published, ToRead):
            return self.published.read(self.microdata)
        return self.published

    @property
    def made(self) -> AnyRelease | None:
        """The release, if it has been made; nothing is run for the asking."""
        if isinstance(self.published, AnyRelease):
            return self.published
        made: AnyRelease | None = self.__dict__.get("release")
        return made

    @property
    def raw_names(self) -> set[str]:
        """What attacks call it in their texts: a whole command or path, perhaps."""
        names = set() if self.sanitizer is None else {self.sanitizer.label}
        return names if self.made is None else {*names, self.made.made_by}


def subjects_of(given: Any, microdata: Microdata) -> list[Subject]:
    """What a user gave: a release, a sanitizer, its name, a series, several, or names for them."""
    if given is None:
        given = first_look(microdata)
    given = [given] if _is_table(given) else given
    if isinstance(given, Mapping):
        named = [(str(name), one) for name, made in given.items() for one in _each(made)]
        if len(named) > len(given):
            raise InputError("a series of sanitizers has names of its own; give it without one")
        subjects = [_subject(one, microdata, name) for name, one in named]
    else:
        many = given if isinstance(given, Iterable) and not isinstance(given, str) else [given]
        subjects = [_subject(one, microdata, None) for item in many for one in _each(item)]
    if not subjects:
        raise InputError("there is nothing to audit: name a release or a sanitizer")
    return _apart(subjects)


def _each(one: Any) -> list[Any]:
    return list(sanitizers_named(one)) if isinstance(one, str) else [one]


def _subject(one: Any, microdata: Microdata, name: str | None) -> Subject:
    if isinstance(one, AnyRelease):
        return Subject(name=name or public_name(one.made_by), microdata=microdata, published=one)
    if isinstance(one, ToRead):
        if name is None:
            raise InputError("a release that is yet to be read needs a name: {'published': …}")
        return Subject(name=name, microdata=microdata, published=one)
    if _is_table(one):
        raise InputError(
            f"a {type(one).__name__} says not what its cells mean; read what was published with "
            "unveil.read_release(table, microdata)"
        )
    sanitizer = as_sanitizer(one)
    # A name of the user's own stays; a command is shown without folders and secrets.
    own = name is not None and name not in (sanitizer.label, _within(sanitizer.label))
    shown = name if own else public_name(name or sanitizer.label)
    assert shown is not None
    return Subject(name=shown, microdata=microdata, sanitizer=sanitizer)


def _is_table(given: Any) -> bool:
    """Whether it is a table of pandas, polars or Arrow; a series of names is none."""
    return hasattr(given, "columns") and not isinstance(given, AnyRelease)


def _within(label: str) -> str:
    """What an oracle asks: a command, an address, a folder."""
    return label.removeprefix("Oracle(").removesuffix(")")


def _apart(subjects: list[Subject]) -> list[Subject]:
    """Refuse two of the same name: a report could not tell them apart."""
    names = [subject.name for subject in subjects]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(
            f"{twice} is to be audited twice; leave one out, or give them names, such as "
            "{'first': …, 'second': …}"
        )
    return subjects
