"""Empirical inference by its definition: person by person, release by release."""

import math

import numpy as np


def right_of(beliefs, true):
    """How likely a guess is right: one of the values believed most, picked at random."""
    if any(math.isnan(belief) for belief in beliefs):
        return 0.0
    best = [s for s, belief in enumerate(beliefs) if belief >= max(beliefs) - 1e-9]
    return 1 / len(best) if true in best else 0.0


def plain_sides(table, releases, members, adversary, confidence):
    """For each person the means over releases: belief, right, sure, sure and right, in and out."""
    inside, outside = ([[] for _ in range(len(table))] for _ in range(2))
    for release, there in zip(releases, members, strict=True):
        for person in range(len(table)):
            [beliefs] = adversary.predict(release, table.codes[:, [person]])
            true = int(table.sensitive.codes[person])
            right = right_of(beliefs, true)
            sure = float(max(beliefs) >= confidence - 1e-9)
            side = inside if person in there else outside
            side[person].append([beliefs[true], right, sure, sure * right])
    return [
        np.array([np.mean(rows, axis=0) for rows in side if rows]) for side in (inside, outside)
    ]
