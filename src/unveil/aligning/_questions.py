"""What only somebody who knows the files can say, each with the options that answer it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from unveil.aligning._pairing import Pairing
from unveil.aligning._result import Question
from unveil.aligning._sheets import Cells, Sheet
from unveil.errors import Column, Listed, Message, Option
from unveil.microdata import Role
from unveil.microdata.number_forms import is_number_form
from unveil.roles import Settled


def questions_of(
    original: Sheet,
    pairings: Sequence[Pairing],
    settled: Mapping[str, Settled],
    rename: Mapping[str, str],
) -> tuple[Question, ...]:
    """Everything that is to be asked, column by column."""
    made: dict[str, list[Pairing]] = {}
    for one in pairings:
        if one.o is not None:
            made.setdefault(one.o.name, []).append(one)
    found = [
        question
        for o in original.columns.values()
        for question in _about_forms(o, made.get(o.name, ()), settled.get(o.name))
    ]
    found += [_look_alikes(one) for one in pairings if one.doubtful and one.p.name not in rename]
    return tuple(found)


def _about_forms(o: Cells, made: Sequence[Pairing], settled: Settled | None) -> Iterator[Question]:
    """Dates and numbers that can be read in several ways, if they matter."""
    forms = o.doubtful_forms
    used = settled is not None and settled.role in (Role.QUASI, Role.SENSITIVE)
    if not forms or not (made or used):
        return
    if made and all(one.how in ("suppressed", "unclear") for one in made) and not used:
        return
    decided = [one.forms for one in made if one.match is not None and len(one.forms) == 1]
    if len(forms) > 1 and decided and all(len(set(forms) - set(one)) for one in decided):
        return  # the published column fits one form only
    numbers = is_number_form(forms[0])
    short = len(forms) == 1
    text = Message(
        "{column}: its years have two digits, which are read as {form}; if people were born "
        "before 1930, say since when, such as {since}. Give {options}" if short else
        "{column}: its numbers can be read as {forms}; give {options}" if numbers else
        "{column}: its dates can be read as {forms}; give {options}",
        column=Column(o.name), form=forms[0], since=f"'{forms[0]} since 1910'",
        forms=Listed([f"'{form}'" for form in forms], "or"),
        options=Listed([Option("forms", {o.name: form}) for form in forms], "or"),
    )  # fmt: skip
    yield Question(column=o.name, text=text,
                   answers=tuple({"forms": {o.name: form}} for form in forms))  # fmt: skip


def _look_alikes(one: Pairing) -> Question:
    assert one.o is not None
    names = (one.o.name, *one.others)
    return Question(
        column=one.p.name,
        text=Message(
            "{published} may come from {names}; give {options}", published=Column(one.p.name),
            names=Listed([Column(name) for name in names], "or"),
            options=Listed([Option("rename", {one.p.name: name}) for name in names], "or"),
        ),
        answers=tuple({"rename": {one.p.name: name}} for name in names),
    )  # fmt: skip
