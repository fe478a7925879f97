"""Hierarchies made from the values of a column, without a file.

Each maker takes the distinct values first, so that it can be handed to a reader as it is
(``hierarchies={"zip": prefix_hierarchy}``) or with its options filled in by `functools.partial`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from unveil.errors import HierarchyError
from unveil.microdata._column import value_text
from unveil.microdata._hierarchy import Hierarchy

__all__ = ["flat_hierarchy", "interval_hierarchy", "prefix_hierarchy"]


def flat_hierarchy(values: Iterable[Any], top: str = "*") -> Hierarchy:
    """All values directly beneath one top: keep a value, or suppress it.

    >>> flat_hierarchy(["Yes", "No"])
    Hierarchy built in code: 2 leaves, 2 levels
      *
        Yes
        No
    """
    return Hierarchy.from_paths((text, top) for text in _texts(values))


def prefix_hierarchy(
    values: Iterable[Any], lengths: Sequence[int] | None = None, mask: str = "*"
) -> Hierarchy:
    """Codes such as ZIP that lose one character after another from the right.

    Parameters
    ----------
    values : iterable
        The codes. Codes of digits must all be of one length, since a shorter one has most likely
        lost its leading zeros. Other codes (ICD's ``A01`` and ``A01.1``) may differ: a
        shorter one has no part in the levels that keep more characters than it has.
    lengths : sequence of int, optional
        How many characters the levels keep. All of them by default: one less at each level.
    mask : str
        The character that stands for one left out. Alone, it is the top.

    Examples
    --------
    >>> prefix_hierarchy(["35567", "35568", "35601"]).path(0)
    ('35567', '3556*', '355**', '35***', '3****', '*')
    >>> prefix_hierarchy(["35567", "35568", "35601"], lengths=[3]).path(0)
    ('35567', '355**', '*')
    """
    texts = _texts(values)
    longest = max(texts, key=len, default="")
    for text in texts:
        if len(text) != len(longest) and text.isdigit() and longest.isdigit():
            raise HierarchyError(
                f"codes of digits must have one length, but {text!r} has {len(text)} characters "
                f"and {longest!r} has {len(longest)}; if leading zeros were lost, read the column "
                f"as text or put them back with str.zfill({len(longest)})"
            )
    kept = range(1, len(longest)) if lengths is None else sorted(set(lengths))
    for length in kept:
        if not 0 < length < len(longest):
            raise HierarchyError(
                f"lengths must lie between 1 and {len(longest) - 1} for codes of "
                f"{len(longest)} characters, but {length} was given"
            )
    return Hierarchy.from_paths(
        (
            text,
            *(text[:n] + mask * (len(longest) - n) for n in reversed(kept) if n <= len(text)),
            mask,
        )
        for text in texts
    )


def interval_hierarchy(
    values: Iterable[Any],
    *,
    widths: Sequence[float] = (5, 10, 20),
    low: float | None = None,
    high: float | None = None,
    top: str = "*",
) -> Hierarchy:
    """Numbers in intervals that nest: ``[20, 25)`` in ``[20, 30)`` in ``[20, 40)``.

    Parameters
    ----------
    values : iterable of numbers
        The distinct numbers of a column; they become the leaves, ascending.
    widths : sequence of numbers
        From narrow to wide, each a multiple of the one before.
    low : number, optional
        Where the first interval begins; smaller values gather in one node, ``< low``. By default
        intervals begin at multiples of their width.
    high : number, optional
        Where the last interval ends; values from there on gather in ``>= high``.

    Examples
    --------
    >>> interval_hierarchy([21, 24, 38, 93], widths=(5, 10), high=90)
    Hierarchy built in code: 4 leaves, 4 levels
      *
        [20, 30)
          [20, 25)
            21
            24
        [30, 40)
          [35, 40)
            38
        >= 90
          93

    To have a reader make it for a column:

    >>> from functools import partial
    >>> hierarchies = {"age": partial(interval_hierarchy, widths=(5, 20))}
    """
    steps = _checked_widths(widths)
    start = None if low is None else _exact(low)
    end = None if high is None else _exact(high)
    if start is not None and end is not None and start >= end:
        raise HierarchyError(f"low must be below high, but low={low} and high={high} were given")
    numbers = {value_text(value): _exact(value) for value in values}
    paths: list[tuple[str, ...]] = []
    for text, number in sorted(numbers.items(), key=lambda item: item[1]):
        if start is not None and number < start:
            paths.append((text, f"< {_text(start)}", top))
        elif end is not None and number >= end:
            paths.append((text, f">= {_text(end)}", top))
        else:
            paths.append((text, *(_interval(number, step, start, end) for step in steps), top))
    return Hierarchy.from_paths(paths)


def _interval(
    number: Fraction, width: Fraction, start: Fraction | None, end: Fraction | None
) -> str:
    origin = Fraction(0) if start is None else start
    left = origin + (number - origin) // width * width
    right = left + width if end is None else min(left + width, end)
    return f"[{_text(left)}, {_text(right)})"


def _checked_widths(widths: Sequence[float]) -> list[Fraction]:
    steps = [_exact(width) for width in widths]
    if not steps or steps[0] <= 0:
        raise HierarchyError(f"widths must be positive numbers, but {tuple(widths)} was given")
    for i in range(1, len(steps)):
        if steps[i] <= steps[i - 1] or steps[i] % steps[i - 1]:
            raise HierarchyError(
                f"each width must be a multiple of the one before, so that intervals nest, but "
                f"{widths[i]} follows {widths[i - 1]}"
            )
    return steps


def _exact(number: Any) -> Fraction:
    """The number as it is written, so that 0.3 lies exactly at the end of three steps of 0.1."""
    try:
        return Fraction(value_text(number))
    except ValueError:
        raise HierarchyError(f"intervals need finite numbers, but found {number!r}") from None


def _text(number: Fraction) -> str:
    return value_text(int(number) if number.denominator == 1 else float(number))


def _texts(values: Iterable[Any]) -> list[str]:
    if isinstance(values, str):
        raise HierarchyError(f"values must be a sequence of values, but {values!r} was given")
    return list(dict.fromkeys(value_text(value) for value in values))
