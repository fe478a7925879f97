"""Sanitizers by name: ``mondrian:k=5,l=2``, or a series of them, ``mondrian:k=2..64``."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import MISSING, fields
from typing import Any, get_type_hints

from unveil._named_options import name_and_options, options_in
from unveil.errors import Cell, InputError, did_you_mean
from unveil.microdata import Microdata
from unveil.options import read
from unveil.registry import plugins
from unveil.sanitize._anatomy import Anatomy
from unveil.sanitize._cross_tables import CrossTables
from unveil.sanitize._identity import Identity
from unveil.sanitize._microaggregation import Microaggregation
from unveil.sanitize._noise import LaplaceCounts, RandomizedResponse
from unveil.sanitize._sanitizer import Sanitizer
from unveil.sanitize.mondrian import Mondrian
from unveil.sanitize.recoding import Recoding

SANITIZERS: dict[str, type[Sanitizer]] = {
    "identity": Identity,
    "mondrian": Mondrian,
    "anatomy": Anatomy,
    "microaggregation": Microaggregation,
    "recoding": Recoding,
    "cross-tables": CrossTables,
    "laplace-counts": LaplaceCounts,
    "randomized-response": RandomizedResponse,
}
"""The built-in ones. Their fields are their options."""

_SIZES = (2, 5, 10, 20)  # k, where the user names no sanitizer
_LEFT_OUT = 5  # attacks leave up to one in so many people out, to see what changes
_MOST = 100  # sanitizers in one series: more are probably a mistake

_NUMBER = r"\d+(?:\.\d+)?(?:e-?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})(?:([+*])({_NUMBER}))?")
# The values of an option, separated by commas, up to where the next option begins.
_OPTION = re.compile(r"\s*([^=,]+)=((?:[^,]|,(?![^,=]*=))*)(?:,|$)")


def first_look(microdata: Microdata) -> list[Sanitizer]:
    """The default sanitizers: Identity, and Mondrian with every k that the table can meet.

    >>> import unveil as uv
    >>> few = uv.read_table({"age": [31, 45, 52], "vote": ["a", "b", "a"]}, quasi="age",
    ...                     sensitive="vote")
    >>> first_look(few) == [uv.Identity(), uv.Mondrian(k=2)]
    True
    """
    left = len(microdata) - math.ceil(len(microdata) / _LEFT_OUT)
    return [Identity(), *(Mondrian(k=k) for k in _SIZES if k <= left)]


def _known() -> dict[str, type[Sanitizer]]:
    """All sanitizers by name, those of plug-ins (``unveil.sanitizers``) included."""
    known = dict(SANITIZERS)
    for plugin in plugins("sanitizers"):
        if plugin.name in SANITIZERS:
            plugin.refuse(f"there is a built-in sanitizer {plugin.name!r}")
        else:
            known[plugin.name] = plugin.value
    return known


def sanitizer_names() -> list[str]:
    """The names of all sanitizers, those of plug-ins included."""
    return list(_known())


def sanitizer_named(sanitizer: Sanitizer | str) -> Sanitizer:
    """A sanitizer, or the one with that name and those options, built in or from a plug-in.

    >>> sanitizer_named("mondrian:k=5,l=2")
    Mondrian(k=5, l=2, t=None, t_distance=None, regions='tight', crowds=None)
    >>> sanitizer_named("identity")
    Identity()
    >>> sanitizer_named("mondrian:kk=5")
    Traceback (most recent call last):
    unveil.errors.InputError: mondrian has no option 'kk'; did you mean 'k'? (options: k, ...
    """
    if isinstance(sanitizer, Sanitizer):
        return sanitizer
    sanitizers = _known()
    known = ", ".join(sanitizers)
    form = name_and_options(sanitizer) if isinstance(sanitizer, str) else None
    if form is None:
        raise InputError(
            "cannot read {given} as a sanitizer; write its name and its options, such as "
            "mondrian:k=5,l=2 (known: {known})",
            given=Cell(sanitizer), known=known,
        )  # fmt: skip
    # Labels can be typed, too: LaplaceCounts(epsilon=1) is laplace-counts:epsilon=1.
    typed = form[0].lower()
    plain = typed.replace("-", "")
    name = next((one for one in sanitizers if one.lower().replace("-", "") == plain), None)
    if name is None:
        raise InputError(
            "no sanitizer {given}{near} (known: {known})",
            given=Cell(form[0]), near=did_you_mean(typed, sanitizers), known=known,
        )  # fmt: skip
    kind = sanitizers[name]
    return kind(**_options(name, kind, form[1]))


def _options(name: str, kind: type[Sanitizer], text: str) -> dict[str, Any]:
    """The options in ``k=5,l=2``, each with the type of the sanitizer's field."""
    hints = get_type_hints(kind, include_extras=True)
    declared = fields(kind)  # type: ignore[arg-type]
    known = [field.name for field in declared if field.metadata.get("by_name", True)]
    given = options_in(text, name, known)
    for field in declared:
        if field.name not in given and field.default is MISSING is field.default_factory:
            raise InputError(f"{name} needs {field.name}; write {name}:{field.name}=1, for example")
    return {
        option: read(Cell(f"{name}:{option}={value}"), hints[option], value)
        for option, value in given.items()
    }


def sanitizers_named(text: str) -> list[Sanitizer]:
    """The sanitizers that a text stands for; its options may have several values.

    ``2..64`` doubles from 2 to 64, ``2..10+2`` goes in steps of 2, ``1..100*10`` in factors of 10;
    the last value is always included. ``k=2,5,10`` lists values. Several such options are combined.

    >>> [one.label for one in sanitizers_named("mondrian:k=2..10")]
    ['Mondrian(k=2)', 'Mondrian(k=4)', 'Mondrian(k=8)', 'Mondrian(k=10)']
    >>> [one.label for one in sanitizers_named("mondrian:k=5,10,l=1..3+1")][:4]
    ['Mondrian(k=5, l=1)', 'Mondrian(k=5, l=2)', 'Mondrian(k=5, l=3)', 'Mondrian(k=10, l=1)']
    >>> [one.label for one in sanitizers_named("randomized-response:epsilon=0.1..10*10")]
    ['RandomizedResponse(epsilon=0.1)', 'RandomizedResponse(epsilon=1.0)',
     'RandomizedResponse(epsilon=10.0)']
    """
    form = name_and_options(text) if isinstance(text, str) else None
    if form is None or not ("," in form[1] or ".." in form[1]):
        return [sanitizer_named(text)]
    found = list(_OPTION.finditer(form[1]))
    if "".join(option[0] for option in found) != form[1]:
        return [sanitizer_named(text)]  # which says what cannot be read
    names = [option[1].strip() for option in found]
    values = [
        [value for part in option[2].split(",") for value in _range(part.strip(), text)]
        for option in found
    ]
    number = math.prod(map(len, values))
    if number > _MOST:
        raise InputError(
            "{text} stands for {number} sanitizers; a series has at most {most}, so use larger "
            "steps, such as k=2..64 (doubling) or k=10..100+10",
            text=Cell(text), number=number, most=_MOST,
        )  # fmt: skip
    series = [
        sanitizer_named(f"{form[0]}:" + ",".join(map("=".join, zip(names, one, strict=True))))
        for one in itertools.product(*values)
    ]
    return list(dict.fromkeys(series))


def _range(text: str, whole: str) -> list[str]:
    form = _RANGE.fullmatch(text)
    if form is None:
        if ".." in text:
            raise InputError(
                "cannot read {text} in {whole}; write a series as 2..64 (doubling), 2..10+2 (in "
                "steps of 2) or 1..100*10 (in factors of 10)",
                text=Cell(text), whole=Cell(whole),
            )  # fmt: skip
        return [text]
    first, last, by = float(form[1]), float(form[2]), float(form[4] or 2)
    adds = form[3] == "+"
    if last < first or by <= (0 if adds else 1) or (first == 0 and not adds):
        raise InputError(
            "the series {text} in {whole} does not get from {first} to {last}; write the smaller "
            "number first, and steps that grow",
            text=Cell(text), whole=Cell(whole), first=form[1], last=form[2],
        )  # fmt: skip
    values: list[float] = []
    # Counted, not summed: 0.1 + 0.1 + 0.1 is not 0.3.
    for step in itertools.count():
        value = first + step * by if adds else first * by**step
        if value >= last * (1 - 1e-12) or len(values) > _MOST:
            break
        values.append(value)
    return [f"{value:.12g}" for value in [*values, last]]
