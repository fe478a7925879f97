"""Words that have an order: steps of agreement, and brackets such as ``$20-29``.

Only where the order is beyond doubt: every value has to be a step of one known scale, or a bracket
of numbers, and no two brackets may begin alike.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from unveil.projects._names import plain

__all__ = ["levels_of"]

_SCALES = tuple(
    tuple(scale.split())
    for scale in (
        "verylow low medium high veryhigh",
        "verylow low middle high veryhigh",
        "low mid high",
        "none mild moderate severe",
        "never rarely sometimes often always",
        "never seldom sometimes frequently always",
        "stronglydisagree disagree neutral agree stronglyagree",
        "stronglydisagree disagree neitheragreenordisagree agree stronglyagree",
        "verydissatisfied dissatisfied neutral satisfied verysatisfied",
        "verypoor poor fair good verygood excellent",
        "sehrniedrig niedrig mittel hoch sehrhoch",
        "nie selten manchmal oft immer",
        "jamais rarement parfois souvent toujours",
        "nunca raramente aveces amenudo siempre",
        "mai raramente qualchevolta spesso sempre",
        "nooit zelden soms vaak altijd",
        "small medium large",
    )
)
_NUMBER = re.compile(r"\d+(?:[.,]\d{3})*(?:\.\d+)?")
_THOUSANDS = re.compile(r"[.,](?=\d{3})")
_BELOW = re.compile(r"<|\b(?:under|below|less|up to|unter|bis|moins|menos|meno|minder)\b")
_ABOVE = re.compile(r">|≥|\+|\b(?:over|above|more|and over|or more|uber|ab|plus|mas|oltre|meer)\b")
_REST = re.compile(
    r"[\s$€£%<>≤≥=+,.k–-]|\b(?:under|below|less|than|up|to|over|above|more|and|or|from|"
    r"unter|bis|uber|ab|und|mehr|moins|de|plus|et|menos|mas|meno|oltre|minder|meer|dan|years?|yrs?|"
    r"months?|mo|yr|jahre|ans|anos|anni|jaar|eur|usd|euros?|dollars?|per|year)\b"
)


def levels_of(texts: Sequence[str]) -> tuple[str, ...] | None:
    """The texts from low to high; None if their order is not beyond doubt.

    >>> levels_of(["often", "Never", "always"])
    ('Never', 'often', 'always')
    >>> levels_of(["$20-29", "Under $10", "$10-19", "Over $30"])
    ('Under $10', '$10-19', '$20-29', 'Over $30')
    >>> levels_of(["$20-29", "Not-Say"]) is None
    True
    """
    if len(texts) < 3:
        return None
    return _on_a_scale(texts) or _brackets(texts)


def _on_a_scale(texts: Sequence[str]) -> tuple[str, ...] | None:
    joined = ["".join(c for c in plain(text) if c.isalnum()) for text in texts]
    if len(set(joined)) < len(joined):
        return None
    for scale in _SCALES:
        if set(joined) <= set(scale):
            return tuple(sorted(texts, key=lambda text: scale.index(joined[texts.index(text)])))
    return None


def _brackets(texts: Sequence[str]) -> tuple[str, ...] | None:
    placed: dict[tuple[float, float], str] = {}
    for text in texts:
        bracket = _bracket(plain(text))
        if bracket is None or bracket in placed:
            return None
        placed[bracket] = text
    ends = sorted(placed)
    in_order = all(a[1] <= b[0] for a, b in itertools.pairwise(ends))
    return tuple(placed[end] for end in ends) if in_order else None


def _bracket(text: str) -> tuple[float, float] | None:
    """Where a bracket begins and ends."""
    spaced = text.replace("-", " - ").replace("_", " ")
    numbers = [float(_THOUSANDS.sub("", number)) for number in _NUMBER.findall(spaced)]
    if not 1 <= len(numbers) <= 2 or _REST.sub("", _NUMBER.sub("", spaced)):
        return None
    if len(numbers) == 2:
        return (numbers[0], numbers[1]) if numbers[0] < numbers[1] else None
    if _BELOW.search(spaced):
        return (float("-inf"), numbers[0])
    return (numbers[0], float("inf")) if _ABOVE.search(spaced) else None
