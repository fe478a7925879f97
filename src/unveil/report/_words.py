"""Findings in words that need no statistics.

Every sentence follows from the numbers it is given; none is written for a particular table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import permutations
from typing import TypeAlias

from unveil.attacks import DifferentialInference
from unveil.sanitize import Identity

__all__ = ["display_name", "in_words", "moved", "number"]

_UNTOUCHED = Identity().label
_COMMAND = re.compile(r"Oracle\((.*\{input\}.*)\)", re.DOTALL)
_PLACES = re.compile(r"\{(?:input|output|without)\}")
_POINTS = "total variation"  # the one distance that is a share of belief

_Named: TypeAlias = tuple[str, DifferentialInference]


def display_name(sanitizer: str) -> str:
    """What a sanitizer is called in tables and sentences.

    Of the command of an oracle, its words without folders and without places for files.

    >>> display_name("Identity()"), display_name("Mondrian(k=5)")
    ('no anonymization', 'Mondrian(k=5)')
    >>> display_name("Oracle(/usr/bin/python3 tools/anonymize.py {input} {output} --strict)")
    'Oracle(python3 anonymize.py --strict)'
    """
    command = _COMMAND.fullmatch(sanitizer)
    if command is not None:
        words = (word.rpartition("/")[2] for word in _PLACES.sub("", command[1]).split())
        return f"Oracle({' '.join(word for word in words if word)})"
    return "no anonymization" if sanitizer == _UNTOUCHED else sanitizer


def number(value: float) -> str:
    """Three digits that count.

    >>> number(0.4627), number(0.00001234)
    ('0.463', '1.23e-05')
    """
    return f"{value:#.3g}"


def moved(value: float, distance: str) -> str:
    """A distance as something one can picture.

    >>> moved(0.4841, "total variation"), moved(0.0193, "total variation"), moved(0.5, "l1")
    ('48 points', '1.9 points', '0.500')
    """
    if distance != _POINTS:
        return number(value)
    points = 100 * value
    text = f"{points:.0f}" if points >= 9.95 else f"{points:.1f}" if points >= 0.05 else "under 0.1"
    return f"{text.removesuffix('.0')} point{'' if text in ('1', '1.0') else 's'}"


def in_words(
    findings: Sequence[DifferentialInference], names: Sequence[str] | None = None
) -> list[str]:
    """What the findings of one table say, in paragraphs; nothing where nobody could be tested.

    ``names`` are what the releases are called, if not as their sanitizers are.
    """
    called = [finding.sanitizer for finding in findings] if names is None else names
    tested = [
        (display_name(name), finding)
        for name, finding in zip(called, findings, strict=True)
        if len(finding.tested)
    ]
    if not tested:
        return []
    said = [_meaning(tested[0][1])]
    anonymized = [(name, f) for name, f in tested if f.sanitizer != _UNTOUCHED]
    plain = next((f for _, f in tested if f.sanitizer == _UNTOUCHED), None)
    if plain is not None:
        said.append(_one("Published as it is, the table", plain))
    if len(anonymized) == 1:
        said.append(_one(f"Under {anonymized[0][0]}, the table", anonymized[0][1]))
    elif anonymized:
        said += _best(anonymized)
    turned = _turned(_as_many(tested))
    if turned is not None:
        said.append(turned)
    worse = _worse_than_nothing(plain, anonymized)
    if worse is not None:
        said.append(worse)
    return said


def _as_many(tested: Sequence[_Named]) -> list[_Named]:
    """Those with the most people tested: the worst of a few is nothing beside the worst of all."""
    most = max((len(finding.tested) for _, finding in tested), default=0)
    return [(name, finding) for name, finding in tested if len(finding.tested) == most]


def _meaning(finding: DifferentialInference) -> str:
    secret = finding.microdata.sensitive.name
    said = (
        f"d says how far an attacker's belief about one person's {secret} moves because that "
        "person's own record is in the data. What he would have believed anyway is not counted."
    )
    if finding.distance == _POINTS:
        said += (
            f" He spreads 100 points of belief over the possible values of {secret}; a d of 0.25 "
            "means that 25 of them move."
        )
    return said


def _one(subject: str, finding: DifferentialInference) -> str:
    return (
        f"{subject} moves belief by {moved(finding.mean, finding.distance)} for the average "
        f"person, and by {moved(finding.delta, finding.distance)} for the worst-placed one"
        f"{_give_or_take(finding)}."
    )


def _give_or_take(finding: DifferentialInference) -> str:
    """What sampling leaves open about the worst-placed person."""
    if finding.sampling is None:
        return ""
    low, high = (moved(bound, finding.distance) for bound in finding.delta_within())
    return f" (as far as sampling can tell: {low} to {high})"


def _best(anonymized: Sequence[_Named]) -> list[str]:
    comparable = _as_many(anonymized)
    if len(comparable) < 2:
        return []
    best_name, best = min(comparable, key=lambda pair: pair[1].delta)
    kindest_name, kindest = min(comparable, key=lambda pair: pair[1].mean)
    which = f"the {len(comparable)} anonymizations"
    if len(comparable) < len(anonymized):
        which += f" that {len(best.tested):,} people were tested under"
    said = (
        f"Of {which}, {best_name} protects the worst-placed person best "
        f"({moved(best.delta, best.distance)})"
    )
    average = f"({moved(kindest.mean, kindest.distance)})"
    if kindest is best:
        return [f"{said}, and the average person as well {average}."]
    return [f"{said}, {kindest_name} the average person {average}."]


def _turned(tested: Sequence[_Named]) -> str | None:
    """The most striking case of a better average with a worse worst."""
    pairs = [
        (after.delta / before.delta, before_name, before, after_name, after)
        for (before_name, before), (after_name, after) in permutations(tested, 2)
        if after.mean < before.mean
        and after.delta > before.delta > 0
        # A difference that the printed digits do not show is none to talk about.
        and number(after.delta) != number(before.delta)
        and number(after.mean) != number(before.mean)
    ]
    if not pairs:
        return None
    _, before_name, before, after_name, after = max(pairs, key=lambda pair: pair[0])
    return (
        f"An average can hide a person: from {before_name} to {after_name} the mean falls "
        f"({number(before.mean)} → {number(after.mean)}), but the worst-placed person is worse off "
        f"({number(before.delta)} → {number(after.delta)})."
    )


def _worse_than_nothing(
    plain: DifferentialInference | None, anonymized: Sequence[_Named]
) -> str | None:
    if plain is None:
        return None
    worse = [(name, f) for name, f in anonymized if f.delta > plain.delta]
    if not worse:
        return None
    *others, last = (f"{name} ({number(f.delta)})" for name, f in worse)
    named = f"{', '.join(others)} and {last}" if others else last
    return (
        f"Under {named} somebody is worse off than anybody would be with no anonymization at all "
        f"({number(plain.delta)})."
    )
