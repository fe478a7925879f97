"""Names with options, as people type them: ``mondrian:k=5,l=2`` or ``Mondrian(k=5, l=2)``."""

from __future__ import annotations

import re
from collections.abc import Collection

from unveil.errors import Cell, InputError, did_you_mean

# Findings print labels such as Mondrian(k=5, l=2). These can be typed, too.
_FORM = re.compile(r"\s*([^:()=,]*?)\s*(?::(.*)|\((.*)\))?\s*", re.DOTALL)


def name_and_options(text: str) -> tuple[str, str] | None:
    """The name and the options after it; None if the text has no name.

    >>> name_and_options("mondrian:k=5,l=2"), name_and_options("Mondrian(k=5)")
    (('mondrian', 'k=5,l=2'), ('Mondrian', 'k=5'))
    """
    form = _FORM.fullmatch(text)
    if form is None or not form[1]:
        return None
    return form[1], form[2] if form[2] is not None else form[3] or ""


def options_in(text: str, name: str, known: Collection[str]) -> dict[str, str]:
    """The options in ``k=5,l=2``, still as texts; ``known`` are those of ``name``.

    >>> options_in("k=5, l=2", "mondrian", ["k", "l"])
    {'k': '5', 'l': '2'}
    """
    options: dict[str, str] = {}
    for part in text.split(",") if text.strip() else ():
        option, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not option or not value:
            example = f"{next(iter(known))}=5" if known else "name=value"
            raise InputError(
                "cannot read {part} in the options of {name}; write name=value, with commas "
                "between several, such as {name}:{example}",
                part=Cell(part.strip()), name=name, example=example,
            )  # fmt: skip
        if option not in known:
            raise InputError(
                "{name} has no option {option}{near} ({listed})",
                name=name, option=Cell(option), near=did_you_mean(option, known),
                listed=f"options: {', '.join(known)}" if known else "it has none",
            )  # fmt: skip
        if option in options:
            raise InputError(f"{name} is given the option {option!r} twice")
        options[option] = value.strip("'\"")
    return options
