"""Which column tells most about secrets, as far as a release alone can say.

How likely groups are by what was learnt from them would favour columns whose values are all
different: each of them has learnt its own group by heart. So of every person it is asked what the
*other* groups say: with P₋(a | s) learnt without the person's group, p₋(a) in its prior and all,
and b(s) the shares of the group,

    Σ over people and secrets of b(s) log (P₋(a | s) / Σ_t P(t) P₋(a | t))

is above 0 if people with a value are found where its secrets are, and 0 if the value was in no
other group.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.definetti._groups import Groups
from unveil.attacks.definetti._model import Model
from unveil.engine.counting import combined

__all__ = ["told"]

_TOGETHER = 2**22  # numbers that are looked at together


def told(groups: Groups, model: Model) -> float:
    """How much the only column of a model, learnt from the shares of groups, tells."""
    known = model.knowledge
    codes = known.codes[groups.tuple_of, 0]
    rows = np.flatnonzero((groups.tuple_of >= 0) & (codes >= 0))
    if not len(rows):
        return 0.0
    group, value = groups.group_of[rows], codes[rows].astype(np.int64)
    _, pair = combined([group, value])
    people = groups.people[rows]
    alike = np.bincount(pair, people)[pair]  # people of the group with the value
    in_group = np.bincount(group, people)[group]  # and with any that is known
    elsewhere = np.bincount(value, people)[value] - alike
    # What nobody else has tells nothing.
    some = np.flatnonzero(elsewhere)
    share = elsewhere[some] / (people.sum() - in_group[some])
    step = max(1, _TOGETHER // len(known.secrets))
    found = 0.0
    for a in range(0, len(some), step):
        now = some[a : a + step]
        found += _of_rows(
            groups, model, rows[now], value[now], alike[now], in_group[now], share[a : a + step]
        )
    return found


def _of_rows(
    groups: Groups,
    model: Model,
    rows: NDArray[np.int64],
    value: NDArray[np.int64],
    alike: NDArray[np.number],
    in_group: NDArray[np.number],
    elsewhere: NDArray[np.float64],
) -> float:
    """The sum over some rows; ``elsewhere`` is p₋ of their values."""
    known, group = model.knowledge, groups.group_of[rows]
    width = np.diff(groups.value_start)[group]
    row = np.repeat(np.arange(len(rows)), width)
    first = np.cumsum(width) - width
    at = np.arange(len(row)) - first[row] + groups.value_start[group][row]
    secret, number = groups.values[at], groups.numbers[at]
    share = np.zeros((len(rows), len(known.secrets)))
    share[row, secret] = number / groups.sizes[group][row]
    prior = known.smoothing * elsewhere[:, None]
    seen = np.maximum(model.counts[value] - alike[:, None] * share, 0.0) + prior
    others = np.maximum(model.counts.sum(axis=0) - in_group[:, None] * share, 0.0)
    given = seen / (others + known.smoothing)
    ratio = given / (given @ known.secrets)[:, None]
    # Where the group has no record of the secret nothing is added, whatever the ratio.
    each = (share * np.log(np.where(share > 0, ratio, 1.0))).sum(axis=1)
    return float(each @ groups.people[rows])
