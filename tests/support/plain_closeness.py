"""t-closeness as one would explain it, with fractions; and tables with every kind of secret."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from random_tables import random_hierarchy, tables_and_crowds

from unveil.microdata import Kind, Microdata

# Shares that small tables often have, and so decide by a tie.
LIMITS = [0, 0.05, 0.1, 0.125, 0.2, 0.25, 0.3, 1 / 3, 0.4, 0.5, 0.6, 0.75, 1]
SECRETS = {
    "flat": ["equal"],
    "ordinal": ["equal", "ordered"],
    "numeric": ["equal", "ordered"],
    "tree": ["equal", "hierarchical"],
}


def with_secret(microdata: Microdata, kind: str, seed: int) -> Microdata:
    """The same table with sensitive values of a kind."""
    secret = microdata.sensitive
    if kind == "ordinal":
        secret = replace(secret, kind=Kind.ORDINAL)
    elif kind == "numeric":
        secret = replace(secret, kind=Kind.NUMERIC, values=np.arange(secret.size) * 1.5)
    elif kind == "tree":
        tree = random_hierarchy(np.random.default_rng(seed), secret.size)
        secret = replace(secret, values=np.array(tree.leaves, dtype=object), hierarchy=tree)
    return replace(microdata, columns=(*microdata.quasi, secret))


@st.composite
def tables_and_closeness(draw: st.DrawFn, max_size: int = 40):
    """Tables, and options of Mondrian with t, alone or with k, ℓ and crowds."""
    table, options = draw(tables_and_crowds(max_size))
    kind = draw(st.sampled_from(sorted(SECRETS)))
    table = with_secret(table, kind, draw(st.integers(0, 2**32 - 1)))
    options |= {
        "t": draw(st.sampled_from(LIMITS)),
        "t_distance": draw(st.sampled_from([None, *SECRETS[kind]])),
    }
    if draw(st.booleans()):
        options["crowds"] = None
    return table, options


def plain_distance(microdata: Microdata, records, distance: str) -> Fraction:
    """The earth mover's distance of some records to the whole table."""
    secret = microdata.sensitive
    everybody = _shares(microdata, range(len(microdata)))
    extra = [a - b for a, b in zip(_shares(microdata, records), everybody, strict=True)]
    if distance == "equal":
        return sum((e for e in extra if e > 0), Fraction(0))
    if distance == "ordered":
        steps = max(1, secret.size - 1)
        return sum((abs(sum(extra[: s + 1])) for s in range(secret.size)), Fraction(0)) / steps
    cost, _, height = _beneath(secret.hierarchy, secret.hierarchy.root, extra)
    return cost / height if height else Fraction(0)


def _shares(microdata, records):
    """The share of each sensitive value; people who have several of the records weigh the same."""
    codes = [int(microdata.sensitive.codes[i]) for i in records]
    whose = list(records)
    if microdata.several is not None:
        whose = [int(microdata.several.of[i]) for i in records]
    shares = [Fraction(0)] * microdata.sensitive.size
    for code, person in zip(codes, whose, strict=True):
        shares[code] += Fraction(1, whose.count(person) * len(set(whose)))
    return shares


def _beneath(tree, node, extra):
    """What it costs to even out beneath a node, what is then left over, and its height."""
    if node < tree.n_leaves:
        return Fraction(0), extra[node], 0
    below = [_beneath(tree, child, extra) for child in tree.children(node)]
    height = 1 + max(h for _, _, h in below)
    given = sum((left for _, left, _ in below if left > 0), Fraction(0))
    taken = sum((-left for _, left, _ in below if left < 0), Fraction(0))
    return sum(cost for cost, _, _ in below) + height * min(given, taken), given - taken, height


def default_distance(microdata: Microdata) -> str:
    """The one that an attribute suggests."""
    if microdata.sensitive.hierarchy is not None:
        return "hierarchical"
    return "ordered" if microdata.sensitive.is_ordered else "equal"


def is_close(microdata: Microdata, records, t: float, distance: str | None) -> bool:
    """Whether some records are at most t from the whole table; t is meant as it is written."""
    limit = Fraction(t).limit_denominator(1000)
    return plain_distance(microdata, records, distance or default_distance(microdata)) <= limit
