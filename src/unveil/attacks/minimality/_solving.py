r"""What is believed about the people of a component: exactly, or from worlds that are drawn.

Drawn worlds tell most about a belief by its *change*. Let p be the share of worlds that are kept,
m the mean share of a block that has a value among those kept, and r among those that are not. The
share over all worlds is known, σ = p m + (1 − p) r, so

    m = σ + (1 − p)(m − r),

and the second term is what is estimated. Where hardly a world is refused, it is small, and so is
its error: √(σ(1 − σ)(1 − p)/(p N)) for one person and N worlds.

If too few worlds are kept, chains of exchanges walk from any worlds to kept ones, and through them.
Exchanges are symmetric, so they come to all worlds that can be reached alike. That all can be
reached is not guaranteed; the chains, which begin apart, are compared (R-hat), and where they
differ by more than their batches tell, so much larger is the error. A chain that does not come to
a kept world is left out; if fewer than two do, nothing is said beyond the release.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.minimality import _kernels as kernels
from unveil.attacks.minimality._attempts import Goal
from unveil.attacks.minimality._binding import Component
from unveil.microdata import Release

__all__ = ["How", "Solved", "Tries", "solved"]

How: TypeAlias = Literal["exact", "drawn", "walked"]

_LARGEST = 400  # people of a class, up to which all worlds are counted
_FEWEST = 200  # worlds kept, below which chains walk
_CHAINS, _BATCHES = 4, 40
_PANEL = 8  # blocks whose traces are looked at


@dataclass(frozen=True, kw_only=True)
class Tries:
    """How much is tried.

    Attributes
    ----------
    steps : int
        Placements of values that are gone through at most to count all worlds of a component.
    draws : int
        Worlds that are drawn where that is not enough.
    seed : int
    """

    steps: int
    draws: int
    seed: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Solved:
    """What is believed of a component's people.

    Attributes
    ----------
    belief : array
        Blocks × sensitive values.
    error : array
        The standard error for a person of each block; 0 where all worlds were counted.
    how : {"exact", "drawn", "walked"}
    kept : float
        The share of the component's worlds that are kept; nan where chains walked.
    rhat : float
        Of chains; 1 where there are none.
    """

    belief: NDArray[np.float64]
    error: NDArray[np.float64]
    how: How
    kept: float
    rhat: float = 1.0


def solved(component: Component, release: Release, goal: Goal, tries: Tries) -> Solved:
    """All worlds if they are few enough, else some."""
    found = _exactly(component, release, goal, tries.steps)
    if found is not None:
        return found
    # Everybody's numbers follow from the seed and the component, whatever else there is.
    seeds = np.random.SeedSequence([tries.seed, int(component.classes[0])])
    return _drawn(component, release, goal, tries.draws, seeds)


def _shares(component: Component, release: Release) -> NDArray[np.float64]:
    """What is believed from the release alone: the share of the class."""
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
    # What was not placed when a world was known to be kept is where room was left.
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
    for some in (first, draws - first):  # a first look tells whether it is worth while
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
    # Nobody's belief is known better than that one more world might have been refused.
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
    """Beliefs from batches (chains × batches × blocks × values) of the chains that came to worlds.

    Fewer than two cannot be compared, and tell nothing that can be relied on.
    """
    if len(traces) < 2:
        nothing = np.ones(len(shares))
        return Solved(
            belief=shares, error=nothing, how="walked", kept=float("nan"), rhat=float("inf")
        )
    variance = traces.var(axis=(0, 1)).max(axis=1) / (traces.shape[0] * traces.shape[1] - 1)
    # Chains that have not mixed differ by more than their batches tell.
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
    """The secrets of each class given to its people at random."""
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
