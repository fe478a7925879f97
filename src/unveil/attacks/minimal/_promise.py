"""What a goal promises: the largest belief in a value that a class may give.

ℓ promises 1/ℓ. t promises a class that is near the whole table: with q the share of the table that
has a value, and d the smallest distance from it to another one, more than q + t/d of a class cannot
have it, for what is too much has to be carried at least d. A sanitizer whose goal is not known
promises no more than its release has: the largest share of the value in any class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Column, Microdata, Release
from unveil.sanitize import (
    Distance,
    Mondrian,
    Recoding,
    Sanitizer,
    distance_between,
    heights,
)

__all__ = ["promised"]


def promised(
    sanitizer: Sanitizer, microdata: Microdata, release: Release
) -> tuple[NDArray[np.float64], str]:
    """For each sensitive value, the largest belief promised; and that in words."""
    secret = microdata.sensitive
    if not isinstance(sanitizer, Mondrian | Recoding) or (
        sanitizer.l is None and sanitizer.t is None
    ):
        shares = release.counts / release.sizes[:, None]
        return shares.max(axis=0), "the largest share of any class"
    most, words = np.ones(secret.size), []
    if sanitizer.l is not None:
        most = np.minimum(most, 1 / sanitizer.l)
        words.append(f"1/{sanitizer.l}")
    if sanitizer.t is not None:
        distance = distance_between(secret, sanitizer.t_distance)
        nearest = _nearest(secret, distance)
        share = microdata.sensitive_counts / len(microdata)
        most = np.minimum(most, share + sanitizer.t / nearest)
        words.append(
            "the table's share + t" if distance == "equal" else "what t allows, by its distance"
        )
    return most.clip(max=1.0), " and ".join(words)


def _nearest(secret: Column, distance: Distance) -> NDArray[np.float64]:
    """How far each value is from the one next to it."""
    if distance == "ordered":
        return np.full(secret.size, 1 / max(1, secret.size - 1))
    if distance == "equal":
        return np.ones(secret.size)
    tree = secret.hierarchy
    assert tree is not None  # distance_between says so
    height = heights(tree)
    found = np.ones(secret.size)
    for leaf in range(secret.size):
        above = [node for node in tree.ancestors(leaf) if tree.last[node] > tree.first[node]]
        if above:
            found[leaf] = height[above[0]] / height[tree.root]
    return found
