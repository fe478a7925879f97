"""Series of sanitizers: ``mondrian:k=2..64`` is Mondrian with k = 2, 4, 8, 16, 32 and 64."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from unveil._named_options import name_and_options
from unveil.errors import InputError
from unveil.sanitize._named import sanitizer_named
from unveil.sanitize._sanitizer import Sanitizer

__all__ = ["sanitizers_named"]

_MOST = 100
"""Sanitizers in one series: more are rather a mistake."""

_NUMBER = r"\d+(?:\.\d+)?(?:e-?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})(?:([+*])({_NUMBER}))?")
# The values of an option that stand between commas, but not where the next option begins.
_OPTION = re.compile(r"\s*([^=,]+)=((?:[^,]|,(?![^,=]*=))*)(?:,|$)")


def sanitizers_named(text: str) -> list[Sanitizer]:
    """The sanitizers that a text stands for, in which options may run over several values.

    ``2..64`` doubles from 2 to 64, ``2..10+2`` goes in steps of 2, ``1..100*10`` in factors of 10;
    the last value is always in it. ``k=2,5,10`` are just these. Several such options are combined.

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
    options = [(option[1].strip(), _values(option[2].strip(), text)) for option in found]
    number = 1
    for _, values in options:
        number *= len(values)
    if number > _MOST:
        raise InputError(
            f"{text!r} are {number:,} sanitizers; a series has at most {_MOST}, so take larger "
            "steps, such as k=2..64 (doubling) or k=10..100+10"
        )
    names = [name for name, _ in options]
    combined = itertools.product(*(values for _, values in options))
    texts = (",".join(f"{n}={v}" for n, v in zip(names, one, strict=True)) for one in combined)
    series = [sanitizer_named(f"{form[0]}:{text}") for text in texts]
    return list(dict.fromkeys(series))


def _values(text: str, whole: str) -> Sequence[str]:
    return [value for part in text.split(",") for value in _range(part.strip(), whole)]


def _range(text: str, whole: str) -> list[str]:
    form = _RANGE.fullmatch(text)
    if form is None:
        if ".." in text:
            raise InputError(
                f"cannot read {text!r} in {whole!r}; write a series as 2..64 (doubling), "
                "2..10+2 (in steps of 2) or 1..100*10 (in factors of 10)"
            )
        return [text]
    first, last, by = float(form[1]), float(form[2]), float(form[4] or 2)
    adds = form[3] == "+"
    if last < first or by <= (0 if adds else 1) or (first == 0 and not adds):
        raise InputError(
            f"the series {text!r} in {whole!r} does not get from {form[1]} to {form[2]}; write "
            "the smaller number first, and steps that grow"
        )
    values: list[float] = []
    # Counted, not summed: 0.1 + 0.1 + 0.1 is not 0.3.
    for step in itertools.count():
        value = first + step * by if adds else first * by**step
        if value >= last * (1 - 1e-12) or len(values) > _MOST:
            break
        values.append(value)
    return [f"{value:.12g}" for value in [*values, last]]
