"""Cells that list values: in braces, as a program's list, or with marks between them.

Tools do not put quotes around values, so that a mark may also be a part of one: ``a, b, c`` may
be three values, or the value ``a, b`` and the value ``c``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unveil.microdata._notations import Spans, in_house_list, in_list, joined_spans

__all__ = ["MARKS", "Member", "in_braces", "in_marks", "members"]

MARKS = (";", "|", ",")

Member = Callable[[str], Spans | None]
"""What a listed value covers; None if it is no value."""


def members(items: Sequence[str], member: Member, blame: list[str]) -> Spans | None:
    """All that the listed values cover; None, with the first unknown one blamed, if one is none."""
    found: list[tuple[int, int]] = []
    for item in items:
        spans = member(item)
        if spans is None:
            blame.append(item)
            return None
        found += spans
    return joined_spans(found)


def in_braces(inner: str, member: Member, most: int, blame: list[str]) -> list[Spans]:
    """What a set in braces may cover: our own notation first, where commas part the values."""
    house = members(in_house_list(inner), member, blame)
    if house is not None:
        return [house]
    program = in_list(inner)
    if program is not None and program[1]:
        spans = members(program[0], member, blame)
        return [] if spans is None else [spans]
    return in_marks(inner, ",", member, most, [])


def in_marks(text: str, mark: str, member: Member, most: int, blame: list[str]) -> list[Spans]:
    """What the values between marks may cover, where up to ``most`` marks belong to a value.

    Two ways at the most are told: they are enough to know that there is more than one.
    """
    parts = text.split(mark)
    # ways[i]: what parts[i:] may cover.
    ways: list[list[Spans]] = [[] for _ in parts] + [[()]]
    for start in range(len(parts) - 1, -1, -1):
        for end in range(start + 1, min(start + most + 1, len(parts)) + 1):
            spans = member(mark.join(parts[start:end]).strip()) if ways[end] else None
            for rest in ways[end] if spans is not None else ():
                both = joined_spans([*(spans or ()), *rest])
                if both not in ways[start]:
                    ways[start].append(both)
        del ways[start][2:]
    known = [part.strip() for part in parts if member(part.strip()) is not None]
    if not ways[0] and known:  # somebody meant a list, then
        blame.append(next(p.strip() for p in parts if member(p.strip()) is None))
    return ways[0]
