"""Names with options, as people type them: ``mondrian:k=5,l=2`` or ``Mondrian(k=5, l=2)``."""

from __future__ import annotations

import re
from collections.abc import Collection

from unveil.errors import InputError, did_you_mean

__all__ = ["name_and_options", "options_in"]

# Findings print labels such as Mondrian(k=5, l=2); what is printed can be typed.
_FORM = re.compile(r"\s*([^:()=,]*?)\s*(?::(.*)|\((.*)\))?\s*", re.DOTALL)


def name_and_options(text: str) -> tuple[str, str] | None:
    """The name and what stands after it; None if the text has no name.

    >>> name_and_options("mondrian:k=5,l=2"), name_and_options("Mondrian(k=5)")
    (('mondrian', 'k=5,l=2'), ('Mondrian', 'k=5'))
    """
    form = _FORM.fullmatch(text)
    if form is None or not form[1]:
        return None
    return form[1], form[2] if form[2] is not None else form[3] or ""


def options_in(text: str, name: str, known: Collection[str]) -> dict[str, str]:
    """The options in ``k=5,l=2``, still as texts; ``known`` are those that ``name`` has.

    >>> options_in("k=5, l=2", "mondrian", ["k", "l"])
    {'k': '5', 'l': '2'}
    """
    options: dict[str, str] = {}
    for part in text.split(",") if text.strip() else ():
        option, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not option or not value:
            example = f"{next(iter(known))}=5" if known else "name=value"
            raise InputError(
                f"cannot read {part.strip()!r} in the options of {name}; write name=value, with "
                f"commas between several, such as {name}:{example}"
            )
        if option not in known:
            listed = f"options: {', '.join(known)}" if known else "it has none"
            raise InputError(
                f"{name} has no option {option!r}{did_you_mean(option, known)} ({listed})"
            )
        if option in options:
            raise InputError(f"{name} is given the option {option!r} twice")
        options[option] = value.strip("'\"")
    return options
