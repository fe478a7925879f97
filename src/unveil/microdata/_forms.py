"""The form of a column: how its numbers or dates are written, found out, declared or asked about.

What can be read in one way only is read in that way. What can be read in several ways, such as
``12/11/1961`` and ``45,250``, is refused in a column that is used, until the user says which one
is meant: a wrong reading would change every result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Cell, FormError, InputError, Listed, Message, Option, Row, View
from unveil.microdata._distinct import Distinct, objects
from unveil.microdata._messages import ValueOption
from unveil.microdata._microdata import value_text
from unveil.microdata._numbers import parsed
from unveil.microdata.dates import (
    SINCE,
    dates_by_form,
    has_short_years,
    is_date_form,
    parse_dates,
    write_dates,
)
from unveil.microdata.number_forms import (
    is_number_form,
    numbers_by_form,
    parse_numbers,
    write_numbers,
)

_POINT, _COMMA = "1,234.56", "1.234,56"


class Formed(NamedTuple):
    """The numbers or dates of a column, and their form, if they are not written plainly."""

    values: NDArray[Any]
    form: str | None = None


def is_form(words: object) -> bool:
    """Whether words say how dates or numbers are written."""
    return isinstance(words, str) and (is_date_form(words) or is_number_form(words))


def in_form(values: NDArray[Any], form: str) -> NDArray[Any]:
    """Numbers or dates as texts in a form; missing ones stay None."""
    is_dates = values.dtype.kind == "M"
    missing = np.isnat(values) if is_dates else np.isnan(values.astype(np.float64))
    texts = iter((write_dates if is_dates else write_numbers)(values[~missing], form))
    return objects([None if gone else next(texts) for gone in missing])


def parse_form(texts: NDArray[Any], form: str) -> NDArray[Any] | None:
    """The numbers or dates that texts are in a form; None if not all fit."""
    if is_date_form(form):
        return parse_dates(texts, form)
    numbers = parse_numbers(texts, form)
    if numbers is None and form in (_POINT, _COMMA):  # scientific notation has no marks
        return parsed(texts, declared=True)
    return numbers


def declared_form(column: Distinct, form: str) -> Formed | None:
    """The numbers or dates of a column in the form that the user gave."""
    if not column.is_text:  # a typed table needs no form
        return None if column.values.dtype.kind == "b" else Formed(column.values)
    parse = parse_dates if is_date_form(form) else parse_numbers
    values = parse(column.values, form)
    if values is None and form in (_POINT, _COMMA):  # scientific notation has no marks
        values = parsed(column.values, declared=True)
    if values is not None:
        return Formed(values, form)
    wrong = next(
        (
            i
            for i, text in enumerate(column.values)
            if parse(column.values[i : i + 1], form) is None
        ),
        None,
    )
    if wrong is None:  # there is no text
        return Formed(np.empty(0, dtype=np.int64))
    text = column.values[wrong]
    raise InputError(
        "{where} has {value} in {row}, which is not written as {form}; correct {option}, or, if it "
        "means missing, give {missing}", where=column.where, value=Cell(text),
        row=Row(column.first_row(wrong)), form=form, option=Option("forms"),
        missing=missing_value(column.name, text),
    )  # fmt: skip


def found_form(column: Distinct, *, is_used: bool, declared: bool) -> Formed | None:
    """The numbers or dates that texts are; None if they are neither, or not certain and not used.

    Unless declared to be numbers, codes such as 01234 are none.
    """
    texts = column.values
    plain = parsed(texts, declared=declared)
    if plain is not None:
        if is_used and plain.dtype.kind == "f":
            _refuse_dots(column, plain)
        return Formed(plain)
    if not is_used:
        return None
    dates = dates_by_form(texts)
    if dates:
        if len(dates) > 1 or any(map(has_short_years, dates)):
            raise _ambiguous_dates(column, dates)
        return _only(dates)
    numbers = numbers_by_form(texts)
    if len(numbers) > 1:
        raise _ambiguous_numbers(column, numbers)
    return _only(numbers) if numbers else None


def _only(found: Mapping[str, NDArray[Any]]) -> Formed:
    ((form, values),) = found.items()
    return Formed(values, form)


def _refuse_dots(column: Distinct, plain: NDArray[Any]) -> None:
    """Refuse numbers such as 45.250 if all may be thousands."""
    thousands = parse_numbers(column.values, _COMMA)
    if thousands is not None and not np.array_equal(thousands, plain):
        raise _ambiguous_numbers(column, {_POINT: plain, _COMMA: thousands})


def _ambiguous_dates(column: Distinct, dates: Mapping[str, NDArray[Any]]) -> FormError:
    """That dates can be read in several ways, and how to say which one is meant."""
    name = column.name
    ways = [Option("forms", {name: form}) for form in dates]
    if not any(map(has_short_years, dates)):
        return _ambiguous(column, dates, "dates", ways)
    later = ""
    if len(dates) == 1:
        ways.append(Option("forms", {name: f"{next(iter(dates))} since 1900"}))
        later = f"; by itself the form means the years {SINCE} to {SINCE + 99}"
    return _ambiguous(column, dates, "dates with years of two digits", ways, later)


def _ambiguous_numbers(column: Distinct, numbers: Mapping[str, NDArray[Any]]) -> FormError:
    ways = [Option("forms", {column.name: form}) for form in numbers]
    return _ambiguous(column, numbers, "numbers", ways)


def _ambiguous(
    column: Distinct, found: Mapping[str, NDArray[Any]], what: str, ways: list[Option],
    later: str = "",
) -> FormError:  # fmt: skip
    """That all texts of a column fit several forms, with one that they read differently."""
    first = next(iter(found.values()))
    at = int(np.argmax(np.any([first != other for other in found.values()], axis=0)))
    readings = [
        Message("{value} as {form}", value=Cell(value_text(values[at]), bare=True), form=form)
        for form, values in found.items()
    ]
    return FormError(
        "{where} has {what} that can be read in several ways: {text} in {row} is {readings}; say "
        "which is meant: {ways}{later}; if they are not {kind}, give {words}",
        where=column.where, what=what, text=Cell(column.values[at]),
        row=Row(column.first_row(at)), readings=Listed(readings, "or"), ways=Listed(ways, "or"),
        later=later, kind=what.split()[0], words=Option("categorical", [column.name]),
    )  # fmt: skip


def missing_value(name: str, text: str) -> ValueOption:
    """The option that makes a text of a column a missing value, for messages."""
    typed = Option("missing_values", text).shown(View("shell"))
    return ValueOption("missing_values", {name: [text]}, typed=typed)
