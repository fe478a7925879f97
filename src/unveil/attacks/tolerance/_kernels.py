"""The best guess about a number, and whether it is near enough: windows slid over beliefs.

What the main thread calls returns nothing, for the reason given in Mondrian's kernels.
"""

from __future__ import annotations

import numpy as np

from unveil._compiled import compiled

DUST = 1e-9
"""Beliefs up to this are rounding, as are differences of chances."""


@compiled()
def judge(
    beliefs, low, high, first, last, begins, order, start, true, within, chance, tied, hits, own
):
    """For each row of beliefs, the best guesses in ascending order; see `Near.guess`.

    A window ends at a value that is believed in. It begins at the first of those that accept a
    guess which that value accepts (``begins``); what is not believed in does not narrow it.
    """
    rows, size = beliefs.shape
    below, guesses = np.zeros(size + 1), np.empty(size)
    for row in range(rows):
        for v in range(size):
            below[v + 1] = below[v] + beliefs[row, v]
        if np.isnan(below[size]):
            continue
        best = 0.0
        for v in range(size):
            if beliefs[row, v] > DUST:
                best = max(best, below[v + 1] - below[begins[v]])
        number, bottom = 0, 0
        for v in range(size):
            if beliefs[row, v] > DUST and below[v + 1] - below[begins[v]] >= best - within:
                bottom = max(bottom, begins[v])
                while beliefs[row, bottom] <= DUST:
                    bottom += 1
                guesses[number] = (low[v] + high[bottom]) / 2
                number += 1
        chance[row], tied[row] = best, number
        for i in range(start[row], start[row + 1]):
            person = order[i]
            x = true[person]
            if x < 0:
                own[person] = 0.0
                continue
            own[person] = below[last[x]] - below[first[x]]
            inside = guesses[:number]
            hits[person] = np.searchsorted(inside, high[x], side="right") - np.searchsorted(
                inside, low[x], side="left"
            )
