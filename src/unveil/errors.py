"""One family of exceptions, and messages with typed parts.

A message is a sentence with named places, and the things that go there: this option, this column,
this cell, this row, this file. Each medium words them in its own way. Python says ``budget=``, the
shell ``--budget``, and a report shows a cell only if enough people have it: it is masked because it
is marked, not because a pattern found it.

>>> message = Message("{option} is too short for {cell} in {row}",
...                   option=Option("budget"), cell=Cell("97"), row=Row(3))
>>> str(message)
"budget= is too short for '97' in row 3"
>>> message.shown(View("shell"))
"--budget is too short for '97' in row 3"
>>> message.shown(View("report"))
'budget is too short for (masked) in a row'
"""

from __future__ import annotations

import difflib
import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from numbers import Number
from pathlib import PurePath
from typing import Any, Literal, TypeAlias

from unveil._text import counted, harmless, percent

__all__ = [
    "HIDDEN",
    "MASK",
    "SMALLEST",
    "Amount",
    "Call",
    "Cell",
    "Chosen",
    "Column",
    "CountsError",
    "File",
    "Foreign",
    "GoalError",
    "HierarchyError",
    "InputError",
    "InternalError",
    "Known",
    "Listed",
    "Medium",
    "Message",
    "MissingExtraError",
    "MissingValuesError",
    "Option",
    "Person",
    "PersonsError",
    "Region",
    "Row",
    "Text",
    "UnveilError",
    "View",
    "did_you_mean",
    "shown",
]

Medium: TypeAlias = Literal["python", "shell", "project", "report"]

MASK = "(masked)"
"""What a report shows in place of something that may point to a person."""

HIDDEN = "…"
"""What stands for a number in a text for others, unless the number is marked as harmless."""

SMALLEST = 5
"""What fewer people have is masked in a report, unless the user sets another limit."""

# What the shell calls a parameter that it names otherwise.
_WORDS = {
    "microdata": "FILE", "key_hierarchies": "--hierarchies", "mapping": "--recode",
    "forms": "--form",
}  # fmt: skip


@dataclass(frozen=True)
class View:
    """For whom a message is worded.

    Attributes
    ----------
    medium : {"python", "shell", "project", "report"}
    smallest : int
        A report shows a cell only if at least this many people have it.
    shows_all : bool
        A private report shows everything.
    named : callable, optional
        What a report calls a file, a release or a program; by default the last part of its path.
    person : callable, optional
        What a report calls the person of a row: a reference that only the owner can resolve.
    region : callable, optional
        What a report shows of the cells of a class: bounds that few people have are masked.
    amount : callable, optional
        How a report for others shows what depends on people's sensitive values. With it,
        numbers that are not marked (`Amount`, `Known`, or a part that is shown by its name) are
        hidden: a number with many digits tells who has which value.
    """

    medium: Medium = "python"
    smallest: int = SMALLEST
    shows_all: bool = False
    named: Callable[[str], str] | None = None
    person: Callable[[int], str] | None = None
    region: Callable[[str], str] | None = None
    amount: Callable[[Amount | Chosen], str] | None = None

    @property
    def masks(self) -> bool:
        """Whether what may point to a person is masked."""
        return self.medium == "report" and not self.shows_all


_PYTHON = View()


class _Part:
    """Something that a message is about."""

    def shown(self, view: View) -> str:
        """How one medium words it."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.shown(_PYTHON)


class _Absent(Enum):
    """No value was given; an enumeration, so that it survives being sent to a worker."""

    ABSENT = "absent"


_ABSENT: Any = _Absent.ABSENT


@dataclass(frozen=True, eq=False)
class Option(_Part):
    """An option of a function, perhaps with a value: ``budget=``, ``--budget``, ``budget``.

    >>> print(Option("missing", "drop"), Option("may_drop", True), Option("ordinal", {"a": [1, 2]}))
    missing='drop' may_drop=True ordinal={'a': [1, 2]}
    >>> shell = View("shell")
    >>> Option("missing", "drop").shown(shell), Option("may_drop", True).shown(shell)
    ('--missing drop', '--may-drop')
    >>> Option("ordinal", {"edu level": ["low", "high"]}).shown(shell)
    "--ordinal 'edu level=low|high'"
    >>> Option("recode", {"sex": {"F": "Female", "M": None}}).shown(shell)
    "--recode 'sex=F->Female|M->'"
    >>> Option("microdata").shown(shell), Option("budget", "5 min").shown(View("project"))
    ('FILE', 'budget = "5 min"')
    >>> Option("forms", {"born": "dd/mm/yyyy"}).shown(View("project"))
    'born = "dd/mm/yyyy" under [forms]'
    """

    name: str
    value: Any = _ABSENT

    def shown(self, view: View) -> str:
        bare = self.value is _ABSENT
        if view.medium == "python":
            return f"{self.name}=" if bare else f"{self.name}={self.value!r}"
        if view.medium == "shell":
            flag = _WORDS.get(self.name) or f"--{self.name.replace('_', '-')}"
            if bare or self.value is True:
                return flag
            return f"{flag} {_quoted(_typed(self.value))}"
        if bare:
            return self.name
        text = f'"{self.value}"' if isinstance(self.value, str) else repr(self.value)
        if view.masks and not isinstance(self.value, bool):  # it may name a value of somebody's
            return self.name if view.region is None else f"{self.name}={view.region(text)}"
        if view.medium == "project" and self.name in ("numeric", "categorical"):
            names = [self.value] if isinstance(self.value, str) else self.value
            return f"{' and '.join(f'{_key(n)} = {_toml(self.name)}' for n in names)} under [kinds]"
        table = _TABLES.get(self.name)
        if view.medium == "project" and table is not None and isinstance(self.value, Mapping):
            lines = (f"{_key(name)} = {_toml(value)}" for name, value in self.value.items())
            return f"{' and '.join(lines)} under [{table}]"
        return f"{self.name} = {text}" if view.medium == "project" else f"{self.name}={text}"


_TABLES = {
    "forms": "forms", "rename": "releases.rename", "how": "releases.how",
    "cells": "releases.cells",
}  # fmt: skip
"""Tables of a project file that have a line for each column."""


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml(name)


def _toml(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _typed(value: Any) -> str:
    """A value as people type it in a shell."""
    if isinstance(value, Mapping):
        return ",".join(f"{name}={_within(inner)}" for name, inner in value.items())
    if isinstance(value, range):
        return f"{value.start}-{value.stop - 1}"
    if isinstance(value, str) or not isinstance(value, Iterable):
        return str(value)
    return ",".join(str(one) for one in value)


def _within(value: Any) -> str:
    if isinstance(value, Mapping):
        return "|".join(f"{old}->{'' if new is None else new}" for old, new in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str | range):
        return "|".join(str(one) for one in value)
    return _typed(value)


def _quoted(text: str) -> str:
    return text if re.fullmatch(r"[\w.,:=/…@-]+", text) else shlex.quote(text)


@dataclass(frozen=True, eq=False)
class Column(_Part):
    """A column, by its name. Names of columns are public.

    A name that came from somewhere else, such as a mistyped one, is a `Cell`.
    """

    name: str

    def shown(self, view: View) -> str:
        return repr(self.name)


@dataclass(frozen=True, eq=False)
class Cell(_Part):
    """A value of somebody's. A report shows it if enough people have it.

    Attributes
    ----------
    value : any
    people : int, optional
        How many people have it. Where that is not known, a report masks it.
    bare : bool
        Without quotes.
    """

    value: Any
    people: int | None = None
    bare: bool = False

    def shown(self, view: View) -> str:
        if view.masks and (self.people is None or self.people < view.smallest):
            return MASK
        return str(self.value) if self.bare else repr(self.value)


@dataclass(frozen=True, eq=False)
class Row(_Part):
    """Where something stands: a row, or several, counted from 1. A report does not tell which.

    Below 0: it is not known which.

    >>> print(Row(1234), Row([3, 4, 7]), Row(2, "line"), Row(-1))
    row 1,234 rows 3, 4 and 7 line 2 a row
    >>> Row([3, 4]).shown(View("report"))
    'some rows'
    """

    number: int | Sequence[int]
    noun: str = "row"

    def shown(self, view: View) -> str:
        one = not isinstance(self.number, Sequence)
        if view.masks or (one and self.number < 0):  # type: ignore[operator]
            return f"a {self.noun}" if one else f"some {self.noun}s"
        if not isinstance(self.number, Sequence):
            return f"{self.noun} {self.number:,}"
        return f"{self.noun}s {Listed([f'{n:,}' for n in self.number], 'and').shown(view)}"


@dataclass(frozen=True, eq=False)
class Person(_Part):
    """Somebody of the table, by their row, counted from 0, and perhaps what else is known of them.

    A report has a reference instead.

    >>> print(Person(2), Person(2, "age 30"), Person(2, "age 30").shown(View("report")), sep="; ")
    row 3; row 3: age 30; (masked)
    """

    row: int
    known: str = ""

    def shown(self, view: View) -> str:
        if not view.masks:
            return f"row {self.row + 1:,}{': ' * bool(self.known)}{self.known}"
        return MASK if view.person is None else view.person(self.row)


@dataclass(frozen=True, eq=False)
class Region(_Part):
    """What a class publishes in its columns. A report shows it if the class is large enough.

    ``fixed`` are cells of a fixed grid, such as bands of ten: they are nobody's value.

    >>> print(Region(["age: [20, 29]", "sex: *"], people=3))
    age: [20, 29], sex: *
    >>> Region(["age: [20, 29]", "sex: *"], people=3).shown(View("report"))
    '(a class of fewer than 5)'
    """

    cells: Sequence[str]
    people: int
    fixed: Sequence[str] = ()

    def shown(self, view: View) -> str:
        if view.masks and self.people < view.smallest:
            return f"(a class of fewer than {view.smallest})"
        if view.masks:
            masked = [MASK if view.region is None else view.region(one) for one in self.cells]
            return ", ".join([*self.fixed, *masked])
        return ", ".join([*self.fixed, *self.cells])


@dataclass(frozen=True, eq=False)
class File(_Part):
    """A file, a release, a table or a program, by its name. A report shows no folders or secrets.

    >>> print(File("/data/jane/out.csv"), File("Mondrian(k=5)", bare=True))
    '/data/jane/out.csv' Mondrian(k=5)
    >>> File("/data/jane/out.csv").shown(View("report"))
    "'out.csv'"
    """

    name: Any
    bare: bool = False

    def shown(self, view: View) -> str:
        name = str(self.name)
        if view.medium == "report":
            name = view.named(name) if view.named is not None else PurePath(name).name or name
        return name if self.bare else repr(name)


@dataclass(frozen=True, eq=False)
class Foreign(_Part):
    """What another program said. It may name anybody, so a report leaves it out."""

    text: str

    def shown(self, view: View) -> str:
        if view.masks:
            return "(what the program said is shown only to whoever runs it)"
        return harmless(" / ".join(line.strip() for line in self.text.splitlines() if line.strip()))


@dataclass(frozen=True, eq=False)
class Call(_Part):
    """A function of unveil that the reader may want, by its name.

    >>> print(Call("relative_risk"))
    unveil.relative_risk
    >>> Call("relative_risk").shown(View("shell"))
    'unveil relative-risk'
    """

    name: str

    def shown(self, view: View) -> str:
        if view.medium == "python":
            return f"unveil.{self.name}"
        return f"{'unveil ' if view.medium == 'shell' else ''}{self.name.replace('_', '-')}"


@dataclass(frozen=True, eq=False)
class Listed(_Part):
    """Several parts with commas between them, and perhaps a word before the last.

    >>> print(Listed(["k", "l", "t"], "or"), Listed([Column("age")]))
    k, l or t 'age'
    """

    parts: Sequence[Any]
    word: str = ""

    def shown(self, view: View) -> str:
        texts = [shown(part, view) for part in self.parts]
        if not self.word or len(texts) < 2:
            return ", ".join(texts)
        return f"{', '.join(texts[:-1])} {self.word} {texts[-1]}"


@dataclass(frozen=True, eq=False)
class Known(_Part):
    """A text whose numbers everybody may see: an option, a constant, a name, how many were asked.

    >>> hiding = View("report", amount=lambda amount: "a range")
    >>> text = "with {sure} confidence, {n:person} of {table}"
    >>> Message(text, sure=Known("95%"), n=17, table=Known("Q5")).shown(hiding)
    'with 95% confidence, … of Q5'
    """

    text: str

    def shown(self, view: View) -> str:
        return str(self.text)


@dataclass(frozen=True, eq=False)
class Amount(_Part):
    """The value of a figure in a text. A report for others shows the range that it lies in.

    Attributes
    ----------
    figure : Figure
        Which says what follows from it.
    value : float
    form : callable
        How a number is worded.
    ranged : callable, optional
        How the two ends of a range are worded, if not both by ``form`` with "to" between them.
    people : int, optional
        How many people it is of, if not of everybody.
    """

    figure: Any
    value: float
    form: Callable[[float], str]
    ranged: Callable[[float, float], str] | None = None
    people: int | None = None

    def shown(self, view: View) -> str:
        if view.masks and view.amount is not None:
            return view.amount(self)
        return self.form(self.value)


@dataclass(frozen=True, eq=False)
class Chosen(_Part):
    """Words that were chosen by people's sensitive values, such as the attacker who does best.

    They have no digits, and tell something all the same.

    Attributes
    ----------
    text : str
    instead : str, optional
        What a report for others says that may not show them. By default it leaves the sentence out.
    """

    text: str
    instead: str = HIDDEN

    def shown(self, view: View) -> str:
        if view.masks and view.amount is not None:
            return view.amount(self)
        return self.text


class _Placed:
    """A part in its place of a message, shown as the place says."""

    def __init__(self, part: Any, view: View) -> None:
        self._part, self._view = part, view

    def __format__(self, form: str) -> str:
        part, is_number = self._part, isinstance(self._part, Number)
        if not form or not is_number or self._view.amount is not None:
            text = shown(part, self._view)
            # What stands in a place stays in its line; a message has seen to that itself.
            return text if isinstance(part, Message | UnveilError) else harmless(text)
        if form == "%":
            return percent(part)
        return counted(part, form) if form.isalpha() and len(form) > 1 else format(part, form)


class Message(_Part):
    """A sentence with typed parts in named places.

    Without parts the text is taken as it is, braces included. Two messages are equal if Python
    words them alike. A place may say how its number is shown: ``{n:person}`` counts with a noun,
    ``{share:%}`` is a share in percent, and all other forms are Python's.

    >>> print(Message("{n:person} in {m:class}, {share:%} of {all:record}, {x:.2f}",
    ...               n=1, m=1200, share=0.0123, all=3, x=0.5))
    1 person in 1,200 classes, 1.2% of 3 records, 0.50
    """

    def __init__(self, text: str, /, **parts: Any) -> None:
        self.text, self.parts = text, parts

    def shown(self, view: View) -> str:
        if not self.parts:
            return _without_numbers(self.text, view)
        return _template(self.text, view).format_map(
            {name: _Placed(part, view) for name, part in self.parts.items()}
        )

    def __repr__(self) -> str:
        return f"<Message {str(self)!r}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message | str) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __contains__(self, text: str) -> bool:
        return text in str(self)


Text: TypeAlias = str | Message
"""A text of our own without typed parts, or a message."""


def shown(text: Any, view: View) -> str:
    """Any part, message or plain value, as one medium words it; numbers get thousands separators.

    >>> shown(Column("age"), View()), shown(12345, View()), shown("as it is", View("shell"))
    ("'age'", '12,345', 'as it is')
    """
    if isinstance(text, _Part):
        return text.shown(view)
    if isinstance(text, UnveilError):
        return text.message.shown(view)
    if view.masks and view.amount is not None:
        return _without_numbers(str(text), view)
    if isinstance(text, int) and not isinstance(text, bool):
        return f"{text:,}"
    return str(text)


_DIGITS = re.compile(r"(?:(?<=[(\s])[-−])?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?(?:\s?%)?")
_PLACE = re.compile(r"(\{[^{}]*\})")


def _without_numbers(text: str, view: View) -> str:
    """A text without its numbers, if they are to be hidden."""
    if not view.masks or view.amount is None:
        return text
    return _DIGITS.sub(HIDDEN, text)


def _template(text: str, view: View) -> str:
    """The words around the places of a message, without numbers if they are to be hidden."""
    if not view.masks or view.amount is None:
        return text
    pieces = _PLACE.split(text)
    return "".join(
        piece if _PLACE.fullmatch(piece) else _DIGITS.sub(HIDDEN, piece) for piece in pieces
    )


class UnveilError(Exception):
    """Anything that unveil refuses: what is wrong, where, and what to do.

    >>> raise InputError("{option} is {value}, but must be at least 1",
    ...                  option=Option("k"), value=0)
    Traceback (most recent call last):
    unveil.errors.InputError: k= is 0, but must be at least 1
    """

    def __init__(self, text: str | Message, /, **parts: Any) -> None:
        self.message = text if isinstance(text, Message) else Message(text, **parts)
        super().__init__(str(self.message))

    def shown(self, view: View) -> str:
        """The message, as one medium words it."""
        return self.message.shown(view)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message,)


class InputError(UnveilError, ValueError):
    """A table, column, file or option that cannot be used as given."""


class HierarchyError(InputError):
    """A generalization hierarchy that is not a tree, or does not fit its column."""


class MissingValuesError(InputError):
    """Missing values were found, and the user has not said what they mean."""


class FormError(InputError):
    """Texts that can be read in several ways, and the user has not said in which."""


class CountsError(InputError):
    """A table may be one of counts, and the user has not said what a row is."""


class PersonsError(InputError):
    """Rows may be several of a person, and the user has not said whose they are."""


class GoalError(UnveilError):
    """A sanitizer's goal (k, ℓ, …) that this table cannot meet."""


class InternalError(UnveilError):
    """A failure of unveil itself or of a plug-in: a bug, or too little memory.

    It says nothing about a release.
    """


class MissingExtraError(UnveilError, ImportError):
    """A feature whose optional dependency is not installed; the message names the extra."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'age'?"``, or nothing where no known word is near.

    >>> did_you_mean("agee", ["age", "education"])
    "; did you mean 'age'?"
    >>> did_you_mean("Age", ["wage", "age"])
    "; did you mean 'age'?"
    """
    listed = list(known)
    alike = [one for one in listed if one.casefold() == word.casefold()]
    near = alike or difflib.get_close_matches(word, listed, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
