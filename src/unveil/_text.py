"""Texts for people to read: from the data, names, numbers, shares, and tables."""

from __future__ import annotations

import math
import re
from collections.abc import Collection

UNTOUCHED = "Identity()"
"""The label of the sanitizer that publishes a table as it is."""

_NEARLY_ALL, _HARDLY_ANY = 0.999, 0.0001
_COMMAND = re.compile(r"Oracle\((.*\{input\}.*)\)", re.DOTALL)
_PLACES = re.compile(r"\{(?:input|output|without)\}")
_POINTS = "total variation"  # the one distance that is a share of belief


def display_name(sanitizer: str) -> str:
    """What a sanitizer is called in tables and sentences.

    The command of an oracle is shown without folders and without places for files.

    >>> display_name("Identity()"), display_name("Mondrian(k=5)")
    ('no anonymization', 'Mondrian(k=5)')
    >>> display_name("Oracle(/usr/bin/python3 tools/anonymize.py {input} {output} --strict)")
    'Oracle(python3 anonymize.py --strict)'
    """
    command = _COMMAND.fullmatch(sanitizer)
    if command is not None:
        words = (word.rpartition("/")[2] for word in _PLACES.sub("", command[1]).split())
        return f"Oracle({' '.join(word for word in words if word)})"
    return "no anonymization" if sanitizer == UNTOUCHED else sanitizer


def three_digits(value: float) -> str:
    """Three significant digits.

    >>> three_digits(0.4627), three_digits(0.00001234), three_digits(float("inf"))
    ('0.463', '1.23e-05', 'infinite')
    """
    return f"{value:#.3g}" if math.isfinite(value) else "infinite"


def moved(value: float, distance: str) -> str:
    """A distance between beliefs in words: points of 100, if it is a share of belief.

    >>> moved(0.4841, "total variation"), moved(0.0193, "total variation"), moved(0.5, "l1")
    ('48 points', '1.9 points', '0.500')
    """
    if distance != _POINTS:
        return three_digits(value)
    points = 100 * value
    text = f"{points:.0f}" if points >= 9.95 else f"{points:.1f}" if points >= 0.05 else "under 0.1"
    return f"{text.removesuffix('.0')} point{'' if text in ('1', '1.0') else 's'}"


def one_in(share: float, people: int) -> str:
    """A share as people say it.

    >>> one_in(0.05, 1000), one_in(0.4, 10), one_in(0.001, 1000), one_in(1.0, 10)
    ('1 person in 20', '4 people in 10', '1 person in 1,000', 'everybody')
    >>> one_in(0, 10), one_in(0.13, 1000), one_in(0.96, 1000)
    ('nobody', '1 person in 8', 'nearly everybody')
    """
    if share in (0, 1):
        return "everybody" if share else "nobody"
    if share > 0.15:
        tenths = round(10 * share)
        return "nearly everybody" if tenths == 10 else f"{tenths} people in 10"
    return f"1 person in {min(people, round(1 / share)):,}"


def harmless(text: str) -> str:
    """A text from the data without characters that could steer the terminal.

    >>> harmless("a\\x1b[31mred\\nb")
    'a\\\\x1b[31mred\\\\nb'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def percent(share: float) -> str:
    """A share with as many digits as tell it from nothing and from everything.

    >>> percent(0.9731), percent(0.0123), percent(0.00042), percent(0.9968)
    ('97%', '1.2%', '0.042%', '99.7%')
    >>> percent(1.0), percent(0.0), percent(0.99995), percent(0.000001)
    ('100%', '0%', 'over 99.9%', 'under 0.01%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    if share > _NEARLY_ALL or share < _HARDLY_ANY:
        return "over 99.9%" if share > _NEARLY_ALL else "under 0.01%"
    small = 1 - math.floor(math.log10(100 * share))
    large = -math.floor(math.log10(100 * (1 - share)))
    return f"{share:.{max(0, small, large)}%}"


def percents(low: float, high: float) -> str:
    """A range of shares.

    >>> percents(0.41, 0.42), percents(0, 0.01)
    ('41 to 42%', '0 to 1%')
    """
    return f"{100 * low:.4g} to {100 * high:.4g}%"


def of_all(number: int, whole: int) -> str:
    """A number of people, and the share that they are.

    >>> of_all(0, 40), of_all(10, 40), of_all(40, 40), of_all(1, 1)
    ('none', '10 (25%)', 'all 40', '1')
    """
    if not number or whole == 1:
        return str(number) if number else "none"
    return f"all {whole:,}" if number == whole else f"{number:,} ({percent(number / whole)})"


_PLURALS = {"person": "people", "class": "classes", "category": "categories", "query": "queries"}


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "person"), counted(1200, "person"), counted(0, "more class")
    ('1 person', '1,200 people', '0 more classes')
    """
    before, _, last = noun.rpartition(" ")
    many = noun if number == 1 else f"{before} {_PLURALS.get(last, f'{last}s')}".lstrip()
    return f"{number:,} {many}"


def table_lines(rows: list[list[str]], texts: Collection[int] = (0,)) -> list[str]:
    """A table: columns of texts to the left (by default the first), all others to the right."""
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    return [
        "  " + "   ".join(
            cell.ljust(w) if j in texts else cell.rjust(w)
            for j, (cell, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]  # fmt: skip
