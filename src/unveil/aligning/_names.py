"""How alike the names of two columns are: spelling, words in six languages, and what was added."""

from __future__ import annotations

import difflib
import re

from unveil.microdata.vocabulary import plain, topic_of

NAMED = 0.6
"""From here, two names may well mean the same column."""

SAME = 0.9
"""From here, they are the same name in another spelling."""

_PARTS = re.compile(r"[^\W\d_]+|\d+")
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SHORTEST = 3


def words_of(name: str) -> list[str]:
    """The words and numbers of a name.

    >>> words_of(" Age_Years "), words_of("EducationLevel"), words_of("zip3")
    (['age', 'years'], ['education', 'level'], ['zip', '3'])
    """
    return [plain(part) for run in _PARTS.findall(name) for part in _HUMPS.split(run)]


def likeness(one: str, other: str) -> float:
    """From 0 (nothing in common) to 1 (the same).

    >>> likeness("Age_Years", " age years "), likeness("sex", "geslacht"), likeness("a", "b")
    (1.0, 0.8, 0.0)
    """
    if one == other:
        return 1.0
    ours, theirs = words_of(one), words_of(other)
    joined, other_joined = "".join(ours), "".join(theirs)
    if joined == other_joined:
        return 1.0 if joined else 0.0
    if sorted(ours) == sorted(theirs):
        return 0.95
    numbers = [[word for word in words if word.isdigit()] for words in (ours, theirs)]
    if numbers[0] and numbers[1] and numbers[0] != numbers[1]:
        return 0.0  # the second question is not the third
    found = 0.0
    short, long = sorted((joined, other_joined), key=len)
    if len(short) >= _SHORTEST and long.startswith(short):
        found = 0.85
    topics = topic_of(one), topic_of(other)
    if topics[0] is not None and topics[0] is topics[1]:
        found = max(found, 0.8)
    shared = {word for word in ours if len(word) >= _SHORTEST} & set(theirs)
    if shared:
        found = max(found, 0.6 + 0.2 * len(shared) / max(len(ours), len(theirs)))
    if difflib.SequenceMatcher(None, joined, other_joined).ratio() > 0.8:
        found = max(found, 0.7)
    return found
