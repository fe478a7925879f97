"""Beliefs about the people of groups whose sensitive values are known, but not whose they are.

A *world* gives each person of a group one of its values, so that all are used up. Its weight is
the product of the weights x(person, value) of its pairs. A belief is the share of the weight of all
worlds in which the person has the value: a ratio of permanents.

*Exactly*: go through the people one by one, and through the numbers of values that are used up so
far. There are Π (n_s + 1) such *states*, each of which belongs to one number of people, and people
before a state and after it are independent of each other.

*By Bethe's approximation*, if there are too many states: the beliefs b that maximize

    Σ b log x − Σ b log b + Σ (1 − b) log (1 − b)

with every record's value counted separately, found by passing messages between people and values
(belief propagation), which has a unique fixed point here.

First, weights are balanced: beliefs do not change if all weights of a person, or of a value, are
multiplied by the same number. The numbers are chosen such that each value is expected about as
often as it occurs. Then nothing over- or underflows.

Everything is in this one file because numba's cache does not notice changes in other files. What
the main thread calls returns a number or nothing, for the reason given in Mondrian's kernels.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from unveil._compiled import compiled, inner

TRIVIAL, EXACT, BETHE, ASTRAY = 0, 1, 2, 3
"""How a group was computed; ASTRAY: messages had not settled when they were stopped."""

_BALANCING = 200  # rounds at most
_FEW = 32  # people of whom even ill-balanced weights can be multiplied: 10⁻⁴ⁿ e⁻ⁿ is still a number
_MESSAGES = 500
_STILL = 1e-10  # change of a belief
_SMALLEST = 1e-280


class Sheet(NamedTuple):
    """Groups one after the other, as `Groups` has them, and what a model knows of their people.

    Attributes
    ----------
    codes : rows × columns
        The values of the people of each row; below 0 if not known.
    states : array
        Number of states, if the group is to be computed exactly; else 0.
    """

    start: Any
    people: Any
    codes: Any
    value_start: Any
    values: Any
    numbers: Any
    entry: Any
    states: Any


@inner
def _log_weights(sheet, group, offset, table):
    """Σ log P(a | s) over the columns that are known, for rows and sensitive values of a group."""
    first, a = sheet.start[group], sheet.value_start[group]
    rows, width = sheet.start[group + 1] - first, sheet.value_start[group + 1] - a
    log_x = np.zeros((rows, width))
    for k in range(rows):
        for c in range(sheet.codes.shape[1]):
            code = sheet.codes[first + k, c]
            if code >= 0:
                for s in range(width):
                    log_x[k, s] += table[offset[c] + code, sheet.values[a + s]]
    return log_x


@inner
def _balance(log_x, people, numbers, x):
    """Balance weights; returns by how much the logarithm of a world's weight has grown.

    Every person's weights add up to 1, and no value is expected more than twice as often as it
    occurs, or less than half as often; in small groups, ten thousand times.
    """
    rows, width = len(people), len(numbers)
    slack = 1e4 if numbers.sum() <= _FEW else 2.0
    of_value = np.zeros(width)
    grown = 0.0
    for _ in range(_BALANCING):
        grown = 0.0
        expected = np.zeros(width)
        for k in range(rows):
            top = -np.inf
            for s in range(width):
                top = max(top, log_x[k, s] + of_value[s])
            total = 0.0
            for s in range(width):
                x[k, s] = math.exp(log_x[k, s] + of_value[s] - top)
                total += x[k, s]
            grown -= people[k] * (top + math.log(total))
            for s in range(width):
                x[k, s] /= total
                expected[s] += people[k] * x[k, s]
        fine = True
        for s in range(width):
            grown += numbers[s] * of_value[s]
            fine &= numbers[s] <= slack * expected[s] and expected[s] <= slack * numbers[s]
        if fine:
            break
        for s in range(width):
            of_value[s] += math.log(numbers[s] / max(expected[s], _SMALLEST))
    return grown


@inner
def _exactly(x, people, numbers, states, beliefs):
    """Beliefs from all states; returns the weight of all worlds, 0 if it underflows."""
    rows, width = x.shape
    row_of = np.repeat(np.arange(rows), people)
    stride = np.ones(width, np.int64)
    for s in range(1, width):
        stride[s] = stride[s - 1] * (numbers[s - 1] + 1)
    used = np.zeros(width, np.int64)
    before, after = np.empty(states), np.empty(states)
    before[0], level = 1.0, 0
    for state in range(1, states):
        s = 0
        while used[s] == numbers[s]:
            level -= used[s]
            used[s] = 0
            s += 1
        used[s] += 1
        level += 1
        k, weight = row_of[level - 1], 0.0
        for s in range(width):
            if used[s] > 0:
                weight += before[state - stride[s]] * x[k, s]
        before[state] = weight
    whole = before[states - 1]
    if not whole > _SMALLEST:
        return 0.0
    beliefs[:, :] = 0.0
    after[states - 1] = 1.0
    for state in range(states - 2, -1, -1):
        s = 0
        while used[s] == 0:
            used[s] = numbers[s]
            level += numbers[s]
            s += 1
        used[s] -= 1
        level -= 1
        k, weight = row_of[level], 0.0
        for s in range(width):
            if used[s] < numbers[s]:
                step = x[k, s] * after[state + stride[s]]
                weight += step
                beliefs[k, s] += before[state] * step
        after[state] = weight
    for k in range(rows):
        for s in range(width):
            beliefs[k, s] /= whole * people[k]
    return whole


@inner
def _by_messages(x, people, numbers, beliefs):
    """Beliefs by Bethe's approximation; returns whether messages settled."""
    rows, width = x.shape
    from_value = np.ones((rows, width))
    from_person = np.empty((rows, width))
    beliefs[:, :] = 0.0
    moved = np.inf
    for _ in range(_MESSAGES):
        heard = np.zeros(width)
        moved = 0.0
        for k in range(rows):
            total = 0.0
            for s in range(width):
                total += numbers[s] * x[k, s] * from_value[k, s]
            for s in range(width):
                own = x[k, s] * from_value[k, s]
                belief = numbers[s] * own / total
                moved = max(moved, abs(belief - beliefs[k, s]))
                beliefs[k, s] = belief
                from_person[k, s] = x[k, s] / max(total - own, 1e-15 * total)
                heard[s] += people[k] * from_person[k, s]
        if moved < _STILL:
            return True
        scale = 0.0
        for k in range(rows):
            for s in range(width):
                rest = heard[s] - from_person[k, s]
                from_value[k, s] = 1.0 / max(rest, 1e-15 * heard[s])
                scale = max(scale, from_value[k, s])
        for k in range(rows):
            for s in range(width):
                from_value[k, s] = max(from_value[k, s] / scale, _SMALLEST)
    return False


@inner
def _bethe_weight(x, people, numbers, beliefs):
    """Bethe's approximation of the log weight of all worlds."""
    found = 0.0
    for s in range(len(numbers)):
        found -= math.lgamma(numbers[s] + 1.0)
        for k in range(len(people)):
            share = beliefs[k, s] / numbers[s]  # of each of the records with the value
            if share > 0:
                each = share * math.log(max(x[k, s], _SMALLEST) / share)
                rest = 1.0 - share
                if rest > 0:
                    each += rest * math.log(rest)
                found += people[k] * numbers[s] * each
    return found


@inner
def _same_for_all(log_x, people, numbers, beliefs):
    """Beliefs if all people or all values are alike; returns the log weight of worlds."""
    total = float(people.sum())
    found = math.lgamma(total + 1.0)
    for s in range(len(numbers)):
        found -= math.lgamma(numbers[s] + 1.0)
        for k in range(len(people)):
            beliefs[k, s] = numbers[s] / total
            found += people[k] * beliefs[k, s] * log_x[k, s]
    return found


@inner
def _of_group(log_x, people, numbers, states, beliefs):
    """Beliefs about one group; returns how they were found, and the log weight of all worlds."""
    if len(people) == 1 or len(numbers) == 1:
        return TRIVIAL, _same_for_all(log_x, people, numbers, beliefs)
    x = np.empty(log_x.shape)
    grown = _balance(log_x, people, numbers, x)
    if states > 0:
        whole = _exactly(x, people, numbers, states, beliefs)
        if whole > 0:
            return EXACT, math.log(whole) - grown
    rests = _by_messages(x, people, numbers, beliefs)
    return BETHE if rests else ASTRAY, _bethe_weight(x, people, numbers, beliefs) - grown


@compiled()
def reweigh(sheet, offset, table, beliefs, how):
    """Beliefs about everybody, by a model.

    Parameters
    ----------
    sheet : Sheet
    offset : array
        Where each column's values begin in ``table``.
    table : values of all columns × sensitive values
        log P(a | s).
    beliefs, how : arrays
        Filled: beliefs in the order of the sheet's ``entry``, and how each group was computed.

    Returns
    -------
    float
        The logarithm of the likelihood of what is published, Bethe's where it was used.
    """
    found = 0.0
    for group in range(len(how)):
        a, b = sheet.start[group], sheet.start[group + 1]
        v, w = sheet.value_start[group], sheet.value_start[group + 1]
        own = beliefs[sheet.entry[group] : sheet.entry[group + 1]].reshape((b - a, w - v))
        how[group], weight = _of_group(
            _log_weights(sheet, group, offset, table), sheet.people[a:b], sheet.numbers[v:w],
            sheet.states[group], own,
        )  # fmt: skip
        found += weight
    return found


@compiled()
def tally(sheet, offset, beliefs, counts):
    """Add to ``counts`` how many people with each value are expected to have each sensitive one."""
    columns = sheet.codes.shape[1]
    for group in range(len(sheet.states)):
        at = sheet.entry[group]
        for row in range(sheet.start[group], sheet.start[group + 1]):
            for v in range(sheet.value_start[group], sheet.value_start[group + 1]):
                expected = sheet.people[row] * beliefs[at]
                at += 1
                for c in range(columns):
                    code = sheet.codes[row, c]
                    if code >= 0:
                        counts[offset[c] + code, sheet.values[v]] += expected
