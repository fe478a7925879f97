"""Tables that have other codes for the same column: ``M`` for ``Male``, ``1`` for ``yes``.

A second table comes in at many places: people with names, a population, people held out, a prior,
a hierarchy. If it writes a column in another way, nobody in it is found, and that looks like good
privacy. So what the first table does not know is refused, in the same words everywhere: which
column, some values of both tables, and what to say if they are the same. Where a rule makes one
out of the other, what to say is spelled out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeAlias

import numpy as np

from unveil.errors import InputError, did_you_mean
from unveil.microdata._column import Column, Kind, value_text
from unveil.microdata._derived import listed_values
from unveil.microdata._encode import Wish, encode

__all__ = [
    "Mapped",
    "checked_mapping",
    "lacking_codes",
    "likely_mapping",
    "mapping_said",
    "other_codes",
    "recoded",
    "same_in_other_words",
    "values_listed",
    "values_of",
]

Mapped: TypeAlias = Mapping[str, Mapping[Any, Any]] | None
"""For each column, what values of another table are called here; None: not a value here."""

_SHOWN = 5  # values in messages
_CODES = 3  # so few numbers are rather codes, and are listed
_PAIRS = 8  # of a mapping that is spelled out
_DATES = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d", "%Y%m%d")
_TRUTHS = {
    **dict.fromkeys(("1", "yes", "y", "true", "t"), "yes"),
    **dict.fromkeys(("0", "no", "n", "false", "f"), "no"),
}


def checked_mapping(mapping: Any, columns: Iterable[str]) -> dict[str, dict[str, str | None]]:
    """A mapping as texts; refuses what cannot be meant.

    >>> checked_mapping({"sex": {1: "Male"}}, ["age", "sex"])
    {'sex': {'1': 'Male'}}
    """
    if mapping is None:
        return {}
    right = isinstance(mapping, Mapping) and all(isinstance(m, Mapping) for m in mapping.values())
    if not right:
        raise InputError(
            "mapping says for each column what its values are called here, such as "
            f"{{'sex': {{'M': 'Male'}}}}, but got {mapping!r}"
        )
    there = list(columns)
    for name in mapping:
        if name not in there:
            raise InputError(
                f"mapping names the column {name!r}, which is none of those that are compared"
                f"{did_you_mean(str(name), there)} (those are {', '.join(there)})"
            )
    return {
        name: {value_text(a): None if b is None else value_text(b) for a, b in pairs.items()}
        for name, pairs in mapping.items()
    }


def likely_mapping(theirs: Sequence[str], ours: Sequence[str]) -> dict[str, str]:
    """What texts are probably called in another table; empty if no rule fits all of them.

    >>> likely_mapping(["F", "M"], ["Female", "Male"])
    {'F': 'Female', 'M': 'Male'}
    >>> likely_mapping(["0", "1"], ["no", "yes"]), likely_mapping(["1234"], ["01234", "02000"])
    ({'0': 'no', '1': 'yes'}, {'1234': '01234'})
    >>> likely_mapping(["23.05.1984"], ["1984-05-23"]), likely_mapping(["X", "Y"], ["a", "b"])
    ({'23.05.1984': '1984-05-23'}, {})
    """
    for key in (_plain, _number, _truth):
        found = _by_key(theirs, ours, key, key)
        if len(found) == len(theirs):
            return found
    return _by_dates(theirs, ours) or _by_beginning(theirs, ours)


def same_in_other_words(theirs: Sequence[str], ours: Sequence[str]) -> dict[str, str]:
    """Those texts that another table has in capitals, with zeros in front, and so on.

    >>> same_in_other_words(["rome", "Bern", "007"], ["Rome", "Nice", "7"])
    {'rome': 'Rome', '007': '7'}
    """
    found = _by_key(theirs, ours, _number, _number) | _by_key(theirs, ours, _plain, _plain)
    return {text: found[text] for text in theirs if text in found}


def _by_key(
    theirs: Sequence[str],
    ours: Sequence[str],
    their_key: Callable[[str], str | None],
    our_key: Callable[[str], str | None],
) -> dict[str, str]:
    """The texts with a key that exactly one of ours has, too."""
    held: dict[str, list[str]] = {}
    for text in ours:
        key = our_key(text)
        if key is not None:
            held.setdefault(key, []).append(text)
    found = {text: held.get(their_key(text) or "", []) for text in theirs}
    return {text: some[0] for text, some in found.items() if len(some) == 1}


def _plain(text: str) -> str | None:
    """A text without capitals and marks between words."""
    return " ".join(text.casefold().replace("_", " ").replace("-", " ").split()) or None


def _number(text: str) -> str | None:
    """A number without zeros that say nothing."""
    try:
        return value_text(float(text)) if text.strip().isascii() else None
    except ValueError:
        return None


def _truth(text: str) -> str | None:
    return _TRUTHS.get(text.strip().casefold())


def _by_dates(theirs: Sequence[str], ours: Sequence[str]) -> dict[str, str]:
    """Days in another form, if it is clear in which."""
    found = []
    for form in _DATES:
        days = _by_key(theirs, ours, lambda text, form=form: _day(text, form), _first_ten)  # type: ignore[misc]
        if len(days) == len(theirs) and days not in found:
            found.append(days)
    return found[0] if len(found) == 1 else {}


def _day(text: str, form: str) -> str | None:
    try:
        return datetime.strptime(text.strip(), form).date().isoformat()
    except ValueError:
        return None


def _first_ten(text: str) -> str:
    return text[: len("1984-05-23")]


def _by_beginning(theirs: Sequence[str], ours: Sequence[str]) -> dict[str, str]:
    """Abbreviations, and what they stand for, in either direction; each of another value."""
    found = {}
    for text in theirs:
        short = text.strip().casefold()
        near = [
            one for one in ours
            if short and one and (one.casefold().startswith(short)
                                  or short.startswith(one.strip().casefold()))
        ]  # fmt: skip
        if len(near) != 1:
            return {}
        found[text] = near[0]
    return found if len(set(found.values())) == len(found) else {}


def mapping_said(name: str, theirs: Sequence[str], ours: Sequence[str]) -> str:
    """How to say that values of another table are the same as ours: spelled out, if it is guessed.

    >>> mapping_said("sex", ["F", "M"], ["Female", "Male"])
    "mapping={'sex': {'F': 'Female', 'M': 'Male'}}"
    >>> mapping_said("sex", ["X", "Y"], ["a", "b"])
    "mapping={'sex': {'X': …}}"
    """
    return _said(name, likely_mapping(theirs, ours) or {theirs[0]: None})


def _said(name: str, pairs: Mapping[str, str | None]) -> str:
    listed = [f"{a!r}: {'…' if b is None else repr(b)}" for a, b in pairs.items()]
    more = ", …" if len(listed) > _PAIRS else ""
    return f"mapping={{{name!r}: {{{', '.join(listed[:_PAIRS])}{more}}}}}"


def values_listed(texts: Sequence[str]) -> str:
    """Some of the values.

    >>> values_listed(["a", "b"]), values_listed(list("abcdefg"))
    ('a, b', 'a, b, c, d, e, … (7 in all)')
    """
    more = f", … ({len(texts):,} in all)" if len(texts) > _SHOWN else ""
    return ", ".join(texts[:_SHOWN]) + more


def values_of(column: Column) -> str:
    """What values a column has, in a few words."""
    texts = column.texts
    if column.kind is not Kind.NUMERIC or column.size <= _CODES:
        return f"its values: {values_listed(texts)}"
    what = "dates" if column.values.dtype.kind == "M" else "numbers"
    return f"its values are {what} from {texts[0]} to {texts[-1]}"


def other_codes(column: Column, theirs: Sequence[str], *, source: str, where: str, who: str) -> str:
    """Say that a table has values of a column that another does not know, and how to map them.

    Parameters
    ----------
    column : Column
        As it is known.
    theirs : sequence of str
        The values that it does not have, the one to be told first.
    source : str
        The table that has them.
    where : str
        How often and where they stand, in brackets.
    who : str
        Who does not know them, with its verb: ``"the release by X does not know"``.
    """
    name, first = column.name, theirs[0]
    more = f" and {len(theirs) - 1:,} more" if len(theirs) > 1 else ""
    guess = likely_mapping(theirs, column.texts)
    near = "" if guess else did_you_mean(first, column.texts)
    same = "if they are" if guess else "if it has"
    return (
        f"column {name!r} of {source} has {first!r}{more} ({where}), which {who}{near} "
        f"({values_of(column)}); {same} other names for the same values, say "
        f"{'so' if guess else 'which'}: {mapping_said(name, theirs, column.texts)}"
    )


def lacking_codes(column: Column, ours: Sequence[str], *, source: str, there: str) -> str:
    """Say that another table, which must have them, lacks values of ours, and how to map its own.

    Parameters
    ----------
    column : Column
        As the other table has it.
    ours : sequence of str
        The values that it lacks.
    source, there : str
        Our table, and the other one.
    """
    name, more = column.name, f" and {len(ours) - 1:,} more" if len(ours) > 1 else ""
    guess = {b: a for a, b in likely_mapping(ours, column.texts).items()}
    near = "" if guess else did_you_mean(ours[0], column.texts)
    pairs: dict[str, str | None] = {**guess} or {column.texts[0]: None}
    return (
        f"column {name!r} of {source} has {ours[0]!r}{more}, which nobody in {there} has{near} "
        f"({values_of(column)}); if it has other names for the same values, say which: "
        f"{_said(name, pairs)}"
    )


def recoded(column: Column, mapping: Mapping[str, str | None], kind: Kind | None = None) -> Column:
    """A column whose values are called as a mapping says; what it makes None keeps its name.

    Unless said, whether these are numbers is found out as in a table.

    >>> import numpy as np
    >>> from unveil.microdata._column import Role
    >>> sex = Column(name="sex", role=Role.QUASI, kind=Kind.CATEGORICAL,
    ...              codes=np.array([1, 0, 1], dtype=np.int32),
    ...              values=np.array(["F", "M"], dtype=object))
    >>> recoded(sex, {"M": "Male", "F": "Female"}).decode().tolist()
    ['Male', 'Female', 'Male']
    """
    if not mapping:
        return column
    texts = [mapping.get(text) or text for text in column.texts]
    values = np.empty(len(texts), dtype=object)
    values[:] = texts
    listed = listed_values(column.name, values, "mapping")
    again = encode(listed, Wish(role=column.role, kind=kind))
    return replace(again, codes=again.codes[column.codes])
