"""Recoding the plain way: every node of the lattice, every pair of classes, in exact fractions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import strategies as st
from random_tables import random_hierarchy, tables

from unveil.microdata import Column, Hierarchy, Kind, Microdata


def cells_of(column):
    """For each level, the codes of the cell that each code becomes; levels alike only once."""
    everything = tuple(range(column.size))
    levels = [[(code,) for code in everything]]
    tree = column.hierarchy
    if tree is None:
        levels.append([everything] * column.size)
    else:
        levels += [
            [covered(tree, highest(tree, leaf, level)) for leaf in everything]
            for level in range(1, height(tree, tree.root) + 1)
        ]
    return [cells for i, cells in enumerate(levels) if i == 0 or cells != levels[i - 1]]


def height(tree, node):
    """The longest way down to a leaf."""
    below = tree.children(node)
    return 0 if node < tree.n_leaves else 1 + max(height(tree, int(child)) for child in below)


def highest(tree, leaf, level):
    """The highest node above a leaf that is not higher than the level."""
    return max(
        (node for node in tree.ancestors(leaf) if height(tree, node) <= level),
        key=lambda node: height(tree, node),
    )


def covered(tree, node):
    return tuple(range(int(tree.first[node]), int(tree.last[node]) + 1))


def values_of(column):
    """The values against which a loss is measured."""
    declared = column.kind is Kind.ORDINAL or (
        column.kind is Kind.CATEGORICAL and column.hierarchy is not None
    )
    return set(range(column.size)) if declared else set(column.codes.tolist())


def lost(column, cell, loss):
    """What a cell of one column loses."""
    there = values_of(column)
    inside = sorted(there & set(cell))
    if len(there) < 2 or not inside:
        return Fraction(0)
    if loss == "width" and column.is_ordered:
        line = [Fraction(float(place)) for place in column.positions]
        return (line[inside[-1]] - line[inside[0]]) / (line[max(there)] - line[min(there)])
    return Fraction(len(inside) - 1, len(there) - 1)


def everything_lost(microdata):
    return Fraction(sum(len(values_of(column)) > 1 for column in microdata.quasi))


def distance(counts, totals, secret, name):
    """The earth mover's distance between the sensitive values of a class and of the table."""
    size, n = sum(counts.values()), sum(totals.values())
    extra = [Fraction(counts[s], size) - Fraction(totals[s], n) for s in range(secret.size)]
    if name == "equal":
        return sum(abs(e) for e in extra) / 2
    if name == "ordered":
        upto = [abs(sum(extra[: s + 1])) for s in range(secret.size)]
        return sum(upto) / max(1, secret.size - 1)
    tree, total = secret.hierarchy, Fraction(0)
    for node in range(tree.n_leaves, len(tree.names)):
        sums = [sum(extra[leaf] for leaf in covered(tree, int(c))) for c in tree.children(node)]
        moved = min(sum(max(e, 0) for e in sums), sum(max(-e, 0) for e in sums))
        total += moved * Fraction(height(tree, node), height(tree, tree.root))
    return total


def weighed(microdata, records):
    """Of each sensitive value how much of the people, who weigh the same; and how many there are.

    Each record is another person's, unless the table says whose they are.
    """
    whose = list(records)
    if microdata.several is not None:
        whose = microdata.several.of[whose].tolist()
    counts = Counter()
    for secret, person in zip(microdata.sensitive.codes[list(records)], whose, strict=True):
        counts[int(secret)] += Fraction(1, whose.count(person))
    return counts, len(set(whose))


def meets(microdata, records, *, k=None, l=None, t=None, t_distance=None, **_):  # noqa: E741
    """Whether these records are a good class."""
    secret = microdata.sensitive
    counts, people = weighed(microdata, records)
    if people < max(k or 1, l or 1) or max(counts.values()) * (l or 1) > people:
        return False
    if t is None:
        return True
    suggested = "ordered" if secret.is_ordered else "equal"
    suggested = suggested if secret.hierarchy is None else "hierarchical"
    totals, _ = weighed(microdata, range(len(microdata)))
    return distance(counts, totals, secret, t_distance or suggested) <= Fraction(repr(t))


def best_node(microdata, *, suppression=0.0, loss="values", only=None, **goal):
    """The first of the nodes that lose least, its loss and classes; or None.

    ``only`` this node is looked at, if it is given.
    """
    ladders = [cells_of(column) for column in microdata.quasi]
    limit = Fraction(repr(suppression)) * len(microdata)
    best = None
    for node in [only] if only else product(*(range(len(ladder)) for ladder in ladders)):
        classes = {}
        for record, codes in enumerate(microdata.codes.T):
            cells = tuple(
                ladder[level][code]
                for ladder, level, code in zip(ladders, node, codes, strict=True)
            )
            classes.setdefault(cells, []).append(record)
        good = {
            cells: records
            for cells, records in classes.items()
            if meets(microdata, records, **goal)
        }
        gone = len(microdata) - sum(map(len, good.values()))
        if gone > limit:
            continue
        total = gone * everything_lost(microdata) + sum(
            len(records) * lost(column, cell, loss)
            for cells, records in good.items()
            for column, cell in zip(microdata.quasi, cells, strict=True)
        )
        if best is None or total < best[0]:
            best = (total, node, good)
    return best


def joined(column, codes):
    """The least cell of its kind that covers some values of a column."""
    codes = sorted(set(codes))
    if len(codes) == 1:
        return tuple(codes)
    if column.hierarchy is not None:
        node = column.hierarchy.lowest_common_ancestor(codes[0], codes[-1])
        return covered(column.hierarchy, node)
    return tuple(range(codes[0], codes[-1] + 1)) if column.is_ordered else tuple(codes)


def merged(microdata, *, suppression=0.0, loss="values", **goal):
    """Classes of local recoding as lists of records, and the records suppressed."""
    limit = int(Fraction(repr(suppression)) * len(microdata))
    found = _merged(microdata, limit, loss, goal)
    return _merged(microdata, 0, loss, goal) if found is None else found


def _merged(microdata, limit, loss, goal):
    classes = {}
    for record, codes in enumerate(microdata.codes.T.tolist()):
        classes.setdefault(tuple(codes), []).append(record)
    # A class keeps the name of the first combination in it.

    def cost(records):
        return len(records) * sum(
            lost(column, joined(column, column.codes[records].tolist()), loss)
            for column in microdata.quasi
        )

    gone = []
    while True:
        bad = [name for name in classes if not meets(microdata, classes[name], **goal)]
        if not bad:
            return sorted(sorted(some) for some in classes.values()), sorted(gone)
        name = min(bad, key=lambda name: (len(classes[name]), name))
        mine = classes[name]
        others = [
            (cost(mine + theirs) - cost(mine) - cost(theirs), other)
            for other, theirs in classes.items()
            if other != name
        ]
        more, other = min(others) if others else (None, None)
        alone = len(mine) * everything_lost(microdata) - cost(mine)
        if len(mine) <= limit and (more is None or alone < more):
            limit -= len(mine)
            gone += classes.pop(name)
        elif more is None:
            return None
        else:
            both = classes.pop(name) + classes.pop(other)
            classes[min(name, other)] = both


@st.composite
def recodable_tables(draw, max_size=16):
    """Tables some of whose ordered columns, and sensitive columns, have hierarchies, too."""
    table = draw(tables(max_size))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns = [
        _with_ranges(rng, column) if column.is_ordered and rng.random() < 0.6 else column
        for column in table.quasi
    ]
    secret = table.sensitive
    kind = draw(st.sampled_from(["plain", "ordinal", "tree"]))
    if kind == "ordinal":
        secret = _replaced(secret, kind=Kind.ORDINAL)
    elif kind == "tree":
        tree = random_hierarchy(rng, secret.size)
        secret = _replaced(secret, values=np.array(tree.leaves, dtype=object), hierarchy=tree)
    return Microdata(columns=(*columns, secret), rows=table.rows, source=table.source)


@st.composite
def goals(draw, table):
    """Options of Recoding that make sense for a table; it may not be able to meet them."""
    some = st.sampled_from(["k", "l", "t", "kl", "kt", "lt", "klt"])
    asked, options = draw(some), {}
    if "k" in asked:
        options["k"] = draw(st.integers(1, 5))
    if "l" in asked:
        options["l"] = draw(st.integers(1, 3))
    if "t" in asked:
        options["t"] = draw(st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 1.0]))
        secret = table.sensitive
        distances = [None, "equal"]
        distances += ["ordered"] if secret.is_ordered else []
        distances += ["hierarchical"] if secret.hierarchy is not None else []
        options["t_distance"] = draw(st.sampled_from(distances))
    options["suppression"] = draw(st.sampled_from([0.0, 0.0, 0.1, 0.2, 0.3, 0.5, 1.0]))
    options["loss"] = draw(st.sampled_from(["values", "width"]))
    return options


def _with_ranges(rng, column):
    """The column with a hierarchy of ranges, each a few of those beneath it."""
    narrow = int(rng.integers(1, 4))
    wide = narrow * int(rng.integers(1, 4))
    return _replaced(column, hierarchy=Hierarchy.from_paths(
        (text, f"a{code // narrow}", f"b{code // wide}", "*")
        for code, text in enumerate(column.texts)
    ))  # fmt: skip


def _replaced(column, **changes):
    known = {"name": column.name, "role": column.role, "kind": column.kind, "codes": column.codes,
             "values": column.values, "hierarchy": column.hierarchy}  # fmt: skip
    return Column(**{**known, **changes})
