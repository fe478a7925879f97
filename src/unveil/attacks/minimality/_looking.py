"""What a sanitizer has refused, looked into: component by component, or class by class.

Refused cuts of inner nodes, and refused nodes of a lattice, cut through many classes and tie them
together. All worlds of thousands of classes that hang together can neither be counted nor walked
through: chains do not come to agree. Then the attacker is taken to be a weaker one, who looks at
each class *alone* and keeps only what was refused within it. What he believes is again counted, and
right for what he takes into account; who takes everything into account may believe something else,
and mostly more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from unveil.attacks.minimality._attempts import Attempt, Goal
from unveil.attacks.minimality._binding import Component, binding, components
from unveil.attacks.minimality._mondrian import mondrian_attempts, mondrian_goal
from unveil.attacks.minimality._recoding import recoding_attempts, recoding_goal
from unveil.attacks.minimality._solving import Solved, Tries, solved
from unveil.engine import Progress
from unveil.microdata import Microdata, Release
from unveil.sanitize import Mondrian, Recoding

__all__ = ["SETTLED", "Scope", "by_looking", "nothing_told"]

Scope: TypeAlias = Literal["all", "class"]

SETTLED = 1.05
"""R-hat of batches, above which chains are said not to agree."""

_TOGETHER = 64  # classes that hang together; with more, chains were never seen to agree


class _Answer(NamedTuple):
    """A component, what is believed of its people, and whether they were looked at alone."""

    component: Component
    solved: Solved
    alone: bool


def by_looking(
    sanitizer: Mondrian | Recoding,
    microdata: Microdata,
    made: Release,
    tries: Tries,
    scope: Scope | None,
    progress: bool | None,
) -> dict[str, Any]:
    """Everybody's beliefs, and how they were found."""
    goal, attempts = _tried(sanitizer, microdata)
    bindings = [one for one in (binding(a, made, goal) for a in attempts) if one is not None]
    tied = components(bindings, made)
    answers: list[_Answer] = []
    people = sum(len(one.people) for one in tied)
    with Progress("counting worlds", people, progress, unit="people") as bar:
        for one in tied:
            answers += _answered(one, made, goal, tries, scope)
            bar.advance(len(one.people))
    return _put_together(made, answers, components=len(tied))


def nothing_told(made: Release) -> dict[str, Any]:
    """What is believed if nothing was refused because of secrets."""
    return _put_together(made, [], components=0)


def _tried(sanitizer: Mondrian | Recoding, microdata: Microdata) -> tuple[Goal, list[Attempt]]:
    if isinstance(sanitizer, Mondrian):
        goal = mondrian_goal(sanitizer, microdata)
        return goal, mondrian_attempts(sanitizer, microdata) if goal.looks_inside else []
    goal = recoding_goal(sanitizer, microdata)
    return goal, recoding_attempts(sanitizer, microdata) if goal.looks_inside else []


def _answered(
    component: Component, made: Release, goal: Goal, tries: Tries, scope: Scope | None
) -> Iterator[_Answer]:
    together = len(component.classes)
    if together == 1 or scope == "all" or (scope is None and together <= _TOGETHER):
        found = solved(component, made, goal, tries)
        if together == 1 or scope == "all" or found.rhat <= SETTLED:
            yield _Answer(component, found, False)
            return
    own = [one for one in component.bindings if len(one.cut) == 1]
    for one in components(own, made):
        yield _Answer(one, solved(one, made, goal, tries), True)
    told = {int(one.cut[0]) for one in own}
    left = [c for c in component.classes.tolist() if c not in told]
    if left:
        yield _nothing_of(component, left, made)


def _nothing_of(component: Component, classes: Sequence[int], made: Release) -> _Answer:
    """Classes within which nothing was refused: by themselves, they tell what is published."""
    people = component.people[np.isin(made.class_of[component.people], classes)]
    place = np.searchsorted(np.array(classes), made.class_of[people])
    order = np.argsort(place, kind="stable")
    people, place = people[order], place[order]
    sizes = made.sizes[classes]
    kept = Solved(
        belief=made.counts[classes] / sizes[:, None], error=np.zeros(len(classes)), how="exact",
        kept=1.0,
    )  # fmt: skip
    empty = component.parts._replace(
        part=component.parts.part[:0], attempt=component.parts.attempt[:0],
        base=component.parts.base[:0], start=np.zeros(len(classes) + 1, dtype=np.int64),
        listed=component.parts.listed[:0],
    )  # fmt: skip
    return _Answer(
        Component(
            classes=np.array(classes), bindings=(), people=people,
            class_start=np.concatenate([[0], np.cumsum(sizes)]), block_of=place.astype(np.int64),
            class_of_block=np.arange(len(classes)), room=sizes, parts=empty,
        ),
        kept, True,
    )  # fmt: skip


def _put_together(made: Release, answers: Sequence[_Answer], *, components: int) -> dict[str, Any]:
    """Everybody's beliefs: a row for each class that nothing ties, and for each block of others."""
    shares = made.counts / made.sizes[:, None]
    rows, errors, how = [shares], [np.zeros(len(shares))], ["exact"] * len(shares)
    alone = [np.zeros(len(shares), dtype=bool)]
    group_of = made.class_of.astype(np.int64)
    begin = len(shares)
    refused: dict[int, tuple[Attempt, ...]] = {}
    for one, answer, by_itself in answers:
        group_of[one.people] = begin + one.block_of
        rows.append(answer.belief)
        errors.append(answer.error)
        how += [answer.how] * len(answer.belief)
        alone.append(np.full(len(answer.belief), by_itself))
        begin += len(answer.belief)
        for c in one.classes.tolist():
            tried = tuple(b.attempt for b in one.bindings if c in b.cut)
            if tried:
                refused[c] = tried
    kept = [float("nan") if one.alone else one.solved.kept for one in answers]
    return {
        "group_of": group_of,
        "belief": np.concatenate(rows),
        "error": np.concatenate(errors),
        "how": np.array(how, dtype=object),
        "kept": float(np.prod(kept)) if kept else 1.0,
        "components": components,
        "rhat": max([one.solved.rhat for one in answers], default=1.0),
        "alone": np.concatenate(alone),
        "refused": refused,
    }
