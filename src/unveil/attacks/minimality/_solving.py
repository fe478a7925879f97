r"""What is believed about the people of a component: exactly, or from worlds that are drawn.

*Draws* estimate the *change* of a belief. Let p be the share of worlds that are kept, m the mean
share of a block that has a value among those kept, and r among those that are not. The share over
all worlds is known, σ = p m + (1 − p) r, so

    m = σ + (1 − p)(m − r),

and only the second term is estimated. If hardly any world is refused, it is small, and so is its
error: √(σ(1 − σ)(1 − p)/(p N)) for one person and N worlds.

*Walks.* If too few worlds are kept, chains of exchanges walk from random worlds to kept ones, and
through them. Exchanges are symmetric, so all worlds that can be reached are reached equally often.
That all can be reached is not guaranteed. The chains, which begin apart, are compared (R-hat), and
if they differ by more than their batches do, the error is larger by that. A chain that does not
come to a kept world is left out; with fewer than two chains, nothing is said beyond the release.

*Class by class.* Refused cuts of inner nodes, and refused nodes of a lattice, cut through many
classes and tie them together. The worlds of thousands of tied classes can neither be counted nor
walked through: chains do not agree. Then a weaker attacker is assumed, who looks at each class
*alone* and uses only what was refused within it. These beliefs are again exact for what the
attacker uses; an attacker who uses everything may believe something else, and usually more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.minimality import _kernels as kernels
from unveil.attacks.minimality._attempts import (
    Attempt,
    Component,
    Goal,
    binding,
    components,
    tried,
)
from unveil.engine import Progress
from unveil.microdata import Microdata, Release
from unveil.sanitize import Mondrian, Recoding

How: TypeAlias = Literal["exact", "drawn", "walked"]
Scope: TypeAlias = Literal["all", "class"]

SETTLED = 1.05
"""R-hat of batches, above which chains do not agree."""

_TOGETHER = 64  # tied classes; with more, chains were never seen to agree
_LARGEST = 400  # people of a class, up to which all worlds are counted
_FEWEST = 200  # worlds kept, below which chains walk
_CHAINS, _BATCHES = 4, 40
_PANEL = 8  # blocks whose traces are compared


@dataclass(frozen=True, kw_only=True)
class Tries:
    """How much is tried.

    Attributes
    ----------
    steps : int
        Maximum number of placements of values to count all worlds of a component.
    draws : int
        Number of worlds that are drawn if that is not enough.
    seed : int
    """

    steps: int
    draws: int
    seed: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Solved:
    """What is believed about a component's people.

    Attributes
    ----------
    belief : array
        Blocks × sensitive values.
    error : array
        The standard error for a person of each block; 0 if all worlds were counted.
    how : {"exact", "drawn", "walked"}
    kept : float
        The share of the component's worlds that are kept; nan if chains walked.
    rhat : float
        R-hat of the chains; 1 without chains.
    """

    belief: NDArray[np.float64]
    error: NDArray[np.float64]
    how: How
    kept: float
    rhat: float = 1.0


class _Answer(NamedTuple):
    """Some people and their blocks, what is believed, and what was refused about their classes.

    ``alone``: their classes were looked at alone.
    """

    people: NDArray[np.intp]
    block_of: NDArray[np.int64]
    solved: Solved
    alone: bool
    refused: dict[int, tuple[Attempt, ...]]


def by_looking(
    sanitizer: Mondrian | Recoding,
    microdata: Microdata,
    made: Release,
    tries: Tries,
    scope: Scope | None,
    progress: bool | None,
) -> dict[str, Any]:
    """Everybody's beliefs, and how they were found."""
    goal, attempts = tried(sanitizer, microdata)
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
    """What is believed if nothing was refused because of sensitive values."""
    return _put_together(made, [], components=0)


def _answered(
    component: Component, made: Release, goal: Goal, tries: Tries, scope: Scope | None
) -> Iterator[_Answer]:
    together = len(component.classes)
    if together == 1 or scope == "all" or (scope is None and together <= _TOGETHER):
        found = solved(component, made, goal, tries)
        if together == 1 or scope == "all" or found.rhat <= SETTLED:
            yield _answer(component, found, alone=False)
            return
    own = [one for one in component.bindings if len(one.cut) == 1]
    for one in components(own, made):
        yield _answer(one, solved(one, made, goal, tries), alone=True)
    told = {int(one.cut[0]) for one in own}
    left = [c for c in component.classes.tolist() if c not in told]
    if left:
        yield _nothing_of(component, left, made)


def _answer(component: Component, found: Solved, *, alone: bool) -> _Answer:
    refused = {
        c: tuple(one.attempt for one in component.bindings if c in one.cut)
        for c in component.classes.tolist()
    }
    return _Answer(component.people, component.block_of, found, alone, refused)


def _nothing_of(component: Component, classes: Sequence[int], made: Release) -> _Answer:
    """Classes within which nothing was refused: alone, they tell only what is published."""
    people = component.people[np.isin(made.class_of[component.people], classes)]
    place = np.searchsorted(np.array(classes), made.class_of[people])
    shares = made.counts[classes] / made.sizes[classes][:, None]
    kept = Solved(belief=shares, error=np.zeros(len(classes)), how="exact", kept=1.0)
    return _Answer(people, place.astype(np.int64), kept, True, {})


def _put_together(made: Release, answers: Sequence[_Answer], *, components: int) -> dict[str, Any]:
    """Everybody's beliefs: a row for each class that nothing ties, and for each block of others."""
    shares = made.counts / made.sizes[:, None]
    rows, errors, how = [shares], [np.zeros(len(shares))], ["exact"] * len(shares)
    alone = [np.zeros(len(shares), dtype=bool)]
    group_of = made.class_of.astype(np.int64)
    begin = len(shares)
    refused: dict[int, tuple[Attempt, ...]] = {}
    for one in answers:
        found = one.solved
        group_of[one.people] = begin + one.block_of
        rows.append(found.belief)
        errors.append(found.error)
        how += [found.how] * len(found.belief)
        alone.append(np.full(len(found.belief), one.alone))
        begin += len(found.belief)
        refused |= {c: attempts for c, attempts in one.refused.items() if attempts}
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


def solved(component: Component, release: Release, goal: Goal, tries: Tries) -> Solved:
    """Beliefs from all worlds if they are few enough, otherwise from some."""
    found = _exactly(component, release, goal, tries.steps)
    if found is not None:
        return found
    # Random numbers follow from the seed and the component, whatever else there is.
    seeds = np.random.SeedSequence([tries.seed, int(component.classes[0])])
    return _drawn(component, release, goal, tries.draws, seeds)


def _shares(component: Component, release: Release) -> NDArray[np.float64]:
    """What is believed from the release alone: the shares of the class."""
    counts = release.counts[component.classes][component.class_of_block]
    shares: NDArray[np.float64] = counts / counts.sum(axis=1, keepdims=True)
    return shares


def _items(component: Component, release: Release, goal: Goal) -> NDArray[np.int64]:
    """The values that have to be placed: (class, value, number, room left), most frequent first."""
    hist = release.counts[component.classes]
    matters = hist > 0
    if not len(goal.stretch):
        matters &= _may_fail(component, hist, goal)
    c, s = np.nonzero(matters)
    order = np.lexsort([c, s, -hist[c, s]])
    c, s = c[order], s[order]
    left = release.sizes[component.classes].copy()
    room = np.empty(len(c), dtype=np.int64)
    for i, one in enumerate(c):
        room[i] = left[one]
        left[one] -= hist[one, s[i]]
    return np.stack([c, s, hist[c, s], room], axis=1).astype(np.int64)


def _may_fail(component: Component, hist: NDArray[np.int64], goal: Goal) -> NDArray[np.bool_]:
    """For each class and value, whether it can become too frequent for ℓ in some part."""
    parts = component.parts
    block = np.repeat(np.arange(len(component.room)), np.diff(parts.start))
    inside = np.zeros((len(parts.part), len(hist)), dtype=np.int64)  # people of a class in a part
    np.add.at(inside, (parts.listed, component.class_of_block[block]), component.room[block])
    most = parts.base + np.minimum(hist[None], inside[:, :, None]).sum(axis=1)
    harmful = most * goal.l > parts.part[:, kernels.SIZE, None]  # parts × values
    found: NDArray[np.bool_] = np.any((inside[:, :, None] > 0) & harmful[:, None, :], axis=0)
    return found


def _exactly(component: Component, release: Release, goal: Goal, steps: int) -> Solved | None:
    largest = int(release.sizes[component.classes].max())
    if largest > _LARGEST:
        return None
    items = _items(component, release, goal)
    blocks, hist = len(component.room), release.counts[component.classes]
    placed = np.zeros((blocks, release.sensitive.size))
    left = np.zeros((len(items) + 1, blocks))
    mass = kernels.all_worlds(
        component.parts, goal, items, component.room, component.first_block,
        component.class_of_block, _pascal(largest), steps, placed, left,
    )  # fmt: skip
    if mass < 0:
        return None
    # Values that were not placed when a world was known to be kept go where room was left.
    place = np.full(hist.shape, len(items))
    place[items[:, kernels.CLASS], items[:, kernels.VALUE]] = np.arange(len(items))
    upto = np.cumsum(left, axis=0)
    own = place[component.class_of_block]
    spread = np.take_along_axis(upto.T, own, axis=1) * hist[component.class_of_block]
    belief = (placed + spread) / (mass * component.room[:, None])
    return Solved(belief=belief, error=np.zeros(blocks), how="exact", kept=min(1.0, float(mass)))


def _pascal(n: int) -> NDArray[np.float64]:
    """Binomial coefficients up to n."""
    choose = np.zeros((n + 1, n + 1))
    choose[:, 0] = 1
    for m in range(1, n + 1):
        choose[m, 1:] = choose[m - 1, 1:] + choose[m - 1, :-1]
    return choose


def _drawn(
    component: Component,
    release: Release,
    goal: Goal,
    draws: int,
    seeds: np.random.SeedSequence,
) -> Solved:
    secrets = release.sensitive.codes[component.people].astype(np.int64)
    shape = (len(component.room), release.sensitive.size)
    kept, gone = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    rng, number, first = np.random.default_rng(seeds), 0, max(1, draws // 20)
    for some in (first, draws - first):  # the first draws tell whether the rest is worth while
        number += kernels.draw(
            component.parts, goal, component.block_of, component.class_start, secrets, rng, some,
            kept, gone,
        )  # fmt: skip
        if number * draws < _FEWEST * some:
            return _walked(component, release, goal, draws, seeds)
    share, room = _shares(component, release), component.room[:, None]
    p = number / draws
    belief = share.copy()
    if number < draws:
        belief += (1 - p) * (kept / (number * room) - gone / ((draws - number) * room))
    # One more world might have been refused, so no belief is more certain than that.
    lost = max(1 - p, 1 / draws)
    spread = np.sqrt((share * (1 - share)).max(axis=1))
    belief = belief.clip(0, 1)
    return Solved(
        belief=belief / belief.sum(axis=1, keepdims=True),
        error=spread * np.sqrt(lost / (p * draws)),
        how="drawn",
        kept=p,
    )


def _walked(
    component: Component,
    release: Release,
    goal: Goal,
    draws: int,
    seeds: np.random.SeedSequence,
) -> Solved:
    secrets = release.sensitive.codes[component.people].astype(np.int64)
    shape = (len(component.room), release.sensitive.size)
    sweeps = max(1, draws // (10 * _CHAINS * _BATCHES))
    found = []
    for seed in seeds.spawn(_CHAINS):
        rng = np.random.default_rng(seed)
        state, means = _any_world(component, secrets, rng), np.zeros((_BATCHES, *shape))
        for batch in range(-_BATCHES // 2, _BATCHES):  # a third of each chain to begin with
            kept = np.zeros(shape, dtype=np.int64)
            lacking = kernels.walk(
                component.parts, goal, component.block_of, component.first_block, component.room,
                component.class_start, state, rng, sweeps, kept,
            )  # fmt: skip
            if batch == -1 and lacking:
                break
            if batch >= 0:
                means[batch] = kept / (sweeps * component.room[:, None])
        else:
            found.append(means)
    return _averaged(np.array(found), _shares(component, release))


def _averaged(traces: NDArray[np.float64], shares: NDArray[np.float64]) -> Solved:
    """Beliefs from batches (chains × batches × blocks × values) of chains in kept worlds.

    Fewer than two chains cannot be compared, and their beliefs are not reliable.
    """
    if len(traces) < 2:
        nothing = np.ones(len(shares))
        return Solved(
            belief=shares, error=nothing, how="walked", kept=float("nan"), rhat=float("inf")
        )
    variance = traces.var(axis=(0, 1)).max(axis=1) / (traces.shape[0] * traces.shape[1] - 1)
    # Chains that have not mixed differ by more than their batches do.
    apart = traces.mean(axis=1).var(axis=0, ddof=1).max(axis=1) / len(traces)
    panel = np.linspace(0, len(shares) - 1, min(_PANEL, len(shares))).astype(np.intp)
    return Solved(
        belief=traces.mean(axis=(0, 1)),
        error=np.sqrt(np.maximum(variance, apart)),
        how="walked",
        kept=float("nan"),
        rhat=_rhat(traces[:, :, panel].reshape(*traces.shape[:2], -1)),
    )


def _any_world(
    component: Component, secrets: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """A random world: the values of each class, shuffled among its people."""
    each = pairwise(component.class_start)
    return np.concatenate([rng.permutation(secrets[first:last]) for first, last in each])


def _rhat(traces: NDArray[np.float64]) -> float:
    """The worst R-hat of some traces (chains × batches × numbers)."""
    from arviz_stats.base import array_stats  # imports slowly

    moving = traces[:, :, np.ptp(traces, axis=(0, 1)) > 0]
    if not moving.shape[2]:
        return 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        rhat = array_stats.rhat(moving, chain_axis=0, draw_axis=1)
    return float(np.nan_to_num(rhat, nan=np.inf, posinf=np.inf).max())
