"""Parts of messages: values of a table, which a report masks, and words that a shell needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from unveil.errors import (
    Cell,
    Column,
    InputError,
    Listed,
    Message,
    Option,
    Row,
    Text,
    View,
    did_you_mean,
)

_SHOWN = 5  # values in a message


@dataclass(frozen=True, eq=False)
class ValueOption(Option):
    """An option with values of the table in it. A report shows only the option's name.

    ``typed`` is how a shell writes it, if not by the rule.

    >>> option = ValueOption("missing_values", {"age": ["?"]}, typed="--missing-values '?'")
    >>> print(option, option.shown(View("shell")), option.shown(View("report")))
    missing_values={'age': ['?']} --missing-values '?' missing_values
    """

    typed: str = ""

    def shown(self, view: View) -> str:
        if view.medium == "shell" and self.typed:
            return self.typed
        return Option(self.name).shown(view) if view.masks else super().shown(view)


@dataclass(frozen=True, eq=False)
class Worded(Option):
    """Words that a shell says in another way.

    >>> words = Worded("unveil.quantize", typed="--cuts or --parts")
    >>> print(words, words.shown(View("shell")))
    unveil.quantize --cuts or --parts
    """

    typed: str = ""

    def shown(self, view: View) -> str:
        return self.typed if view.medium == "shell" else self.name


def must(option: str, what: str, given: Any) -> InputError:
    """An option that is not as it must be; a type is named as such.

    >>> raise must("by", "be 'width' or 'quantiles'", "size")
    Traceback (most recent call last):
    unveil.errors.InputError: by= must be 'width' or 'quantiles', but 'size' was given
    """
    shown = given.__name__ if isinstance(given, type) else Cell(given)
    return InputError("{option} must {what}, but {given} was given", option=Option(option),
                      what=what, given=shown)  # fmt: skip


def cell_error(row: int, column: str, text: str, **parts: Any) -> InputError:
    """An error about a cell: its row and column, and then the text.

    >>> raise cell_error(3, "age", "cannot read the cell {cell}", cell=Cell("x"))
    Traceback (most recent call last):
    unveil.errors.InputError: row 3, column 'age': cannot read the cell 'x'
    """
    where = {"at": Row(row), "named": Column(column)}
    return InputError("{at}, column {named}: " + text, **where, **parts)


def hierarchy_option(name: str) -> ValueOption:
    """How to give a column a hierarchy."""
    return ValueOption("hierarchies", {name: f"{name}.csv"}, typed="--hierarchies FOLDER")


def value_meant(text: str, known: Iterable[str]) -> Text:
    """`did_you_mean` for values instead of names.

    >>> str(value_meant("Fance", ["France", "Italy"])), value_meant("?", ["France"])
    ("; did you mean 'France'?", '')
    """
    listed = list(known)
    hint = did_you_mean(text, listed)
    near = [one for one in listed if hint and hint == f"; did you mean {one!r}?"]
    return Message("; did you mean {value}?", value=Cell(near[0])) if near else hint


def values_listed(texts: Sequence[str]) -> Message:
    """The first few of some values.

    >>> print(values_listed(["a", "b"]), "/", values_listed(list("abcdefg")))
    a, b / a, b, c, d, e, … (7 in all)
    """
    more = f", … ({len(texts):,} in all)" if len(texts) > _SHOWN else ""
    values = Listed([Cell(text, bare=True) for text in texts[:_SHOWN]])
    return Message("{values}{more}", values=values, more=more)
