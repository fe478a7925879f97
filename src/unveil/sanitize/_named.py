"""The sanitizers that can be asked for by name, with their options: ``mondrian:k=5,l=2``."""

from __future__ import annotations

from dataclasses import MISSING, fields
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from unveil._named_options import name_and_options, options_in
from unveil.errors import InputError, did_you_mean
from unveil.sanitize._anatomy import Anatomy
from unveil.sanitize._identity import Identity
from unveil.sanitize._laplace_counts import LaplaceCounts
from unveil.sanitize._microaggregation import Microaggregation
from unveil.sanitize._mondrian import Mondrian
from unveil.sanitize._randomized_response import RandomizedResponse
from unveil.sanitize._sanitizer import Sanitizer
from unveil.sanitize.recoding import Recoding

__all__ = ["SANITIZERS", "sanitizer_named"]

SANITIZERS: dict[str, type[Sanitizer]] = {
    "identity": Identity,
    "mondrian": Mondrian,
    "anatomy": Anatomy,
    "microaggregation": Microaggregation,
    "recoding": Recoding,
    "laplace-counts": LaplaceCounts,
    "randomized-response": RandomizedResponse,
}
"""Register a sanitizer here and its fields become options."""


def sanitizer_named(sanitizer: Sanitizer | str) -> Sanitizer:
    """A sanitizer, or the built-in one of that name with those options.

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
    known = f"(known: {', '.join(SANITIZERS)})"
    form = name_and_options(sanitizer) if isinstance(sanitizer, str) else None
    if form is None:
        raise InputError(
            f"cannot read {sanitizer!r} as a sanitizer; write its name and its options, such as "
            f"mondrian:k=5,l=2 {known}"
        )
    # Labels can be typed, too: LaplaceCounts(epsilon=1) is laplace-counts:epsilon=1.
    typed = form[0].lower()
    name = next((known for known in SANITIZERS if known.replace("-", "") == typed), typed)
    if name not in SANITIZERS:
        raise InputError(f"no sanitizer {form[0]!r}{did_you_mean(name, SANITIZERS)} {known}")
    kind = SANITIZERS[name]
    return kind(**_options(name, kind, form[1]))


def _options(name: str, kind: type[Sanitizer], text: str) -> dict[str, Any]:
    """The options in ``k=5,l=2``, each of the type that the sanitizer's field has."""
    hints = get_type_hints(kind)
    known = [
        field.name
        for field in fields(kind)  # type: ignore[arg-type]
        if field.metadata.get("by_name", True)
    ]
    given = options_in(text, name, known)
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name not in given and field.default is MISSING is field.default_factory:
            raise InputError(
                f"{name} needs {field.name}; write {name}:{field.name}=1, for instance"
            )
    return {option: _value(name, option, value, hints[option]) for option, value in given.items()}


def _value(name: str, option: str, text: str, hint: Any) -> Any:
    """A text as a value of the type that was declared."""
    origin, near = get_origin(hint), ""
    if origin is Literal:
        for choice in get_args(hint):
            if text == str(choice):
                return choice
        words = [str(choice) for choice in get_args(hint)]
        allowed, near = " or ".join(words), did_you_mean(text, words)
    elif origin in (Union, UnionType):
        kinds = [kind for kind in get_args(hint) if kind is not type(None)]
        if len(kinds) < len(get_args(hint)) and text.lower() == "none":
            return None
        return _value(name, option, text, kinds[0])
    elif hint is bool:
        if text.lower() in ("true", "yes", "false", "no"):
            return text.lower() in ("true", "yes")
        allowed = "yes or no"
    elif hint in (int, float):
        try:
            return hint(text)
        except ValueError:
            allowed = "a whole number" if hint is int else "a number"
    else:
        return text
    raise InputError(f"{name}'s option {option} must be {allowed}, got {text!r}{near}")
