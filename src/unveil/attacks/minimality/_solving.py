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

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.minimality import _kernels as kernels
from unveil.attacks.minimality._attempts import Component, binding, components, tried
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


class Tries(NamedTuple):
    """How much is tried: placements to count all worlds, and worlds drawn if they are too many."""

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
    """What is believed about a component; ``alone``: its one class was looked at alone."""

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
    goal, attempts = tried(sanitizer, microdata)
    bindings = [one for one in (binding(a, made, goal) for a in attempts) if one is not None]
    tied = components(bindings, made, goal)
    answers: list[_Answer] = []
    people = sum(len(one.people) for one in tied)
    with Progress("counting worlds", people, progress, unit="people") as bar:
        for one in tied:
            answers += _answered(one, made, tries, scope)
            bar.advance(len(one.people))
    return put_together(made, tied, answers)


def _answered(
    component: Component, made: Release, tries: Tries, scope: Scope | None
) -> Iterator[_Answer]:
    together = len(component.classes)
    if together == 1 or scope == "all" or (scope is None and together <= _TOGETHER):
        found = solved(component, tries)
        if together == 1 or scope == "all" or found.rhat <= SETTLED:
            yield _Answer(component, found, alone=False)
            return
    own = [one for one in component.bindings if len(one.cut) == 1]
    for one in components(own, made, component.goal):
        yield _Answer(one, solved(one, tries), alone=True)


def put_together(
    made: Release, tied: Sequence[Component] = (), answers: Sequence[_Answer] = ()
) -> dict[str, Any]:
    """Everybody's beliefs: a row for each class without an answer, and for each block of others."""
    shares = made.counts / made.sizes[:, None]
    refused = {
        c: tuple(one.attempt for one in answer.component.bindings if c in one.cut)
        for answer in answers
        for c in answer.component.classes.tolist()
    }
    # A tied class within which nothing was refused: alone, it tells only what is published.
    alone = np.zeros(len(shares), dtype=bool)
    alone[[c for one in tied for c in one.classes.tolist() if c not in refused]] = True
    group_of, begin = made.class_of.astype(np.int64), len(shares)
    for component, found, _ in answers:
        group_of[component.people] = begin + component.blocks.block_of
        begin += len(found.belief)
    every = [one.solved for one in answers]
    how = [one.how for one in every for _ in one.error]
    looked = [np.full(len(one.solved.error), one.alone) for one in answers]
    flags = np.concatenate([alone, *looked])
    return {
        "group_of": group_of,
        "belief": np.concatenate([shares, *(one.belief for one in every)]),
        "error": np.concatenate([np.zeros(len(shares)), *(one.error for one in every)]),
        "how": np.array(["exact"] * len(shares) + how, dtype=object),
        "kept": math.nan if flags.any() else float(np.prod([one.kept for one in every])),
        "components": len(tied),
        "rhat": max([one.rhat for one in every], default=1.0),
        "alone": flags,
        "refused": refused,
    }


def solved(component: Component, tries: Tries) -> Solved:
    """Beliefs from all worlds if they are few enough, otherwise from some."""
    found = _exactly(component, tries.steps)
    if found is not None:
        return found
    # Random numbers follow from the seed and the component, whatever else there is.
    seeds = np.random.SeedSequence([tries.seed, int(component.classes[0])])
    return _drawn(component, tries.draws, seeds)


def _shares(component: Component) -> NDArray[np.float64]:
    """What is believed from the release alone: the shares of the class."""
    counts = component.counts[component.class_of_block]
    shares: NDArray[np.float64] = counts / counts.sum(axis=1, keepdims=True)
    return shares


def _items(component: Component) -> NDArray[np.int64]:
    """The values that have to be placed: (class, value, number, room left), most frequent first."""
    counts = component.counts
    matters = counts > 0
    if not len(component.goal.stretch):
        matters &= _may_fail(component)
    c, s = np.nonzero(matters)
    order = np.lexsort([c, s, -counts[c, s]])
    c, s = c[order], s[order]
    left = counts.sum(axis=1)
    room = np.empty(len(c), dtype=np.int64)
    for i, one in enumerate(c):
        room[i] = left[one]
        left[one] -= counts[one, s[i]]
    return np.stack([c, s, counts[c, s], room], axis=1).astype(np.int64)


def _may_fail(component: Component) -> NDArray[np.bool_]:
    """For each class and value, whether it can become too frequent for ℓ in some part."""
    parts, blocks, counts = component.parts, component.blocks, component.counts
    block = np.repeat(np.arange(len(blocks.room)), np.diff(parts.start))
    inside = np.zeros((len(parts.part), len(counts)), dtype=np.int64)  # people of a class in a part
    np.add.at(inside, (parts.listed, component.class_of_block[block]), blocks.room[block])
    most = parts.base + np.minimum(counts[None], inside[:, :, None]).sum(axis=1)
    harmful = most * component.goal.l > parts.part[:, kernels.SIZE, None]  # parts × values
    found: NDArray[np.bool_] = np.any((inside[:, :, None] > 0) & harmful[:, None, :], axis=0)
    return found


def _exactly(component: Component, steps: int) -> Solved | None:
    blocks, counts, own = component.blocks, component.counts, component.class_of_block
    largest = int(counts.sum(axis=1).max())
    if largest > _LARGEST:
        return None
    items, n = _items(component), len(blocks.room)
    placed, left = np.zeros((n, counts.shape[1])), np.zeros((len(items) + 1, n))
    mass = kernels.all_worlds(*component.all, items, _pascal(largest), steps, placed, left)
    if mass < 0:
        return None
    # Values that were not placed when a world was known to be kept go where room was left.
    place = np.full(counts.shape, len(items))
    place[items[:, kernels.CLASS], items[:, kernels.VALUE]] = np.arange(len(items))
    spread = np.take_along_axis(np.cumsum(left, axis=0).T, place[own], axis=1) * counts[own]
    belief = (placed + spread) / (mass * blocks.room[:, None])
    return Solved(belief=belief, error=np.zeros(n), how="exact", kept=min(1.0, float(mass)))


def _pascal(n: int) -> NDArray[np.float64]:
    """Binomial coefficients up to n."""
    choose = np.zeros((n + 1, n + 1))
    choose[:, 0] = 1
    for m in range(1, n + 1):
        choose[m, 1:] = choose[m - 1, 1:] + choose[m - 1, :-1]
    return choose


def _drawn(component: Component, draws: int, seeds: np.random.SeedSequence) -> Solved:
    share, secrets = _shares(component), component.secrets.copy()
    kept, gone = np.zeros(share.shape, dtype=np.int64), np.zeros(share.shape, dtype=np.int64)
    rng, number, first = np.random.default_rng(seeds), 0, max(1, draws // 20)
    for some in (first, draws - first):  # the first draws tell whether the rest is worth while
        number += kernels.draw(*component.all, secrets, rng, some, kept, gone)
        if number * draws < _FEWEST * some:
            return _walked(component, draws, seeds)
    return from_draws(share, kept, gone, number, draws, component.blocks.room[:, None])


def from_draws(
    share: NDArray[np.float64],
    kept: NDArray[Any],
    gone: NDArray[Any],
    number: int,
    draws: int,
    room: int | NDArray[np.int64] = 1,
) -> Solved:
    """Beliefs of blocks with that many people, if this number of the drawn worlds is kept.

    ``share`` is what is believed from the release alone; ``kept`` and ``gone`` are how often a
    value was in a block in the worlds that are kept, and in the others.
    """
    p, belief = number / draws, share
    if number < draws:
        belief = share + (1 - p) * (kept / (number * room) - gone / ((draws - number) * room))
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


def _walked(component: Component, draws: int, seeds: np.random.SeedSequence) -> Solved:
    shares, room = _shares(component), component.blocks.room[:, None]
    sweeps = max(1, draws // (10 * _CHAINS * _BATCHES))
    found = []
    for seed in seeds.spawn(_CHAINS):
        rng = np.random.default_rng(seed)
        state, means = _any_world(component, rng), np.zeros((_BATCHES, *shares.shape))
        for batch in range(-_BATCHES // 2, _BATCHES):  # a third of each chain to begin with
            kept = np.zeros(shares.shape, dtype=np.int64)
            lacking = kernels.walk(*component.all, state, rng, sweeps, kept)
            if batch == -1 and lacking:
                break
            if batch >= 0:
                means[batch] = kept / (sweeps * room)
        else:
            found.append(means)
    return _averaged(np.array(found), shares)


def _averaged(traces: NDArray[np.float64], shares: NDArray[np.float64]) -> Solved:
    """Beliefs from batches (chains × batches × blocks × values) of chains in kept worlds.

    Fewer than two chains cannot be compared, and their beliefs are not reliable.
    """
    if len(traces) < 2:
        return Solved(belief=shares, error=np.ones(len(shares)), how="walked", kept=math.nan,
                      rhat=math.inf)  # fmt: skip
    variance = traces.var(axis=(0, 1)).max(axis=1) / (traces.shape[0] * traces.shape[1] - 1)
    # Chains that have not mixed differ by more than their batches do.
    apart = traces.mean(axis=1).var(axis=0, ddof=1).max(axis=1) / len(traces)
    panel = np.linspace(0, len(shares) - 1, min(_PANEL, len(shares))).astype(np.intp)
    return Solved(
        belief=traces.mean(axis=(0, 1)),
        error=np.sqrt(np.maximum(variance, apart)),
        how="walked",
        kept=math.nan,
        rhat=_rhat(traces[:, :, panel].reshape(*traces.shape[:2], -1)),
    )


def _any_world(component: Component, rng: np.random.Generator) -> NDArray[np.int64]:
    """A random world: the values of each class, shuffled among its people."""
    classes = np.split(component.secrets, component.blocks.class_start[1:-1])
    return np.concatenate([rng.permutation(one) for one in classes])


def _rhat(traces: NDArray[np.float64]) -> float:
    """The worst R-hat of some traces (chains × batches × numbers)."""
    from arviz_stats.base import array_stats  # imports slowly

    moving = traces[:, :, np.ptp(traces, axis=(0, 1)) > 0]
    if not moving.shape[2]:
        return 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        rhat = array_stats.rhat(moving, chain_axis=0, draw_axis=1)
    return float(np.nan_to_num(rhat, nan=np.inf, posinf=np.inf).max())
