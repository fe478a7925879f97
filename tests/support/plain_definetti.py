"""The deFinetti attack written from its definition: every world of every group is looked at."""

from __future__ import annotations

import itertools
import math

import numpy as np


def plain_beliefs(log_weights, numbers):
    """Beliefs (people × secrets) and the log weight of all worlds, by all permutations."""
    people, width = log_weights.shape
    secrets = np.repeat(np.arange(width), numbers)
    worlds = sorted(set(itertools.permutations(secrets.tolist())))
    logs = np.array([sum(log_weights[i, s] for i, s in enumerate(world)) for world in worlds])
    weights = np.exp(logs - logs.max())
    beliefs = np.zeros((people, width))
    for world, weight in zip(worlds, weights, strict=True):
        for i, s in enumerate(world):
            beliefs[i, s] += weight
    return beliefs / weights.sum(), logs.max() + math.log(weights.sum())


def plain_definetti(codes, group_of, counts, smoothing, rounds):
    """Everybody's beliefs (people × secrets), and the population's model of them.

    Parameters
    ----------
    codes : array (people × columns)
    group_of : array
    counts : array (groups × secrets)
    """
    totals = counts.sum(axis=0)
    beliefs = counts[group_of] / counts.sum(axis=1)[group_of][:, None]
    log_weights = np.zeros(beliefs.shape)
    for _ in range(rounds):
        log_weights = np.zeros(beliefs.shape)
        for column in codes.T:
            alike = column[:, None] == column[None, :]
            share = alike.mean(axis=1)
            expected = alike @ beliefs + smoothing * share[:, None]
            log_weights += np.log(expected / (beliefs.sum(axis=0) + smoothing))
        for g in np.unique(group_of):
            mine, there = np.flatnonzero(group_of == g), np.flatnonzero(counts[g])
            found, _ = plain_beliefs(log_weights[np.ix_(mine, there)], counts[g, there])
            beliefs[mine] = 0.0
            beliefs[np.ix_(mine, there)] = found
    population = totals * np.exp(log_weights)
    return beliefs, population / population.sum(axis=1, keepdims=True)
