"""Random small releases with overlapping groups, and what relative risk makes of them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from unveil.attacks.relative_risk import horizontal_problem, vertical_problem
from unveil.microdata import Column, Kind, Microdata, Permuted, Release, Role, Sets

PRIORS = [(1.0, 1.0), (0.5, 0.3), (2.0, 5.0), (1.0, 0.1)]


def small_table(rng, n, sizes, values):
    """A table of n records; columns have these sizes."""
    columns = [
        Column(
            name=f"q{c}", role=Role.QUASI, kind=Kind.CATEGORICAL,
            codes=rng.integers(size, size=n).astype(np.int32),
            values=np.array([f"v{v}" for v in range(size)], dtype=object),
        )
        for c, size in enumerate(sizes)
    ]  # fmt: skip
    secret = Column(
        name="secret", role=Role.SENSITIVE, kind=Kind.CATEGORICAL,
        codes=rng.integers(values, size=n).astype(np.int32),
        values=np.array([f"s{s}" for s in range(values)], dtype=object),
    )  # fmt: skip
    return Microdata(columns=(*columns, secret), rows=np.arange(n), source="random table")


def loosely_grouped(rng, table, group_of, more):
    """A release that publishes sets: the codes of a group's records, and some more."""
    groups = int(max(group_of)) + 1
    regions = []
    for column in table.quasi:
        start, members = [0], []
        for g in range(groups):
            here = set(column.codes[group_of == g].tolist())
            here |= {v for v in range(column.size) if rng.random() < more}
            members += sorted(here)
            start.append(len(members))
        regions.append(Sets(np.array(start, np.int64), np.array(members, np.int32)))
    return Release(quasi=table.quasi, sensitive=table.sensitive, regions=tuple(regions),
                   class_of=group_of.astype(np.int32))  # fmt: skip


def random_problem(seed, n, sizes, values, groups, *, kind, domain, alpha, beta):
    """A small problem; every group has a record."""
    rng = np.random.default_rng(seed)
    table = small_table(rng, n, sizes, values)
    group_of = rng.permutation(np.concatenate([np.arange(groups), rng.integers(groups, size=n)]))
    group_of = np.unique(group_of[:n], return_inverse=True)[1]
    options = {"domain": domain, "alpha": alpha, "beta": beta}
    if kind == "vertical":
        return vertical_problem(Permuted.from_groups(table, group_of), table, **options)
    release = loosely_grouped(rng, table, group_of, rng.choice([0.0, 0.3, 0.6]))
    return horizontal_problem(release, table, **options)


@st.composite
def problems(draw, most_rows=6, kinds=("horizontal", "vertical")):
    """Problems small enough to write down every table behind the release."""
    alpha, beta = draw(st.sampled_from(PRIORS))
    n = draw(st.integers(1, most_rows))
    sizes = draw(st.sampled_from([(3,), (2, 2), (3, 2)]))
    return random_problem(
        draw(st.integers(0, 2**32 - 1)), n, sizes, draw(st.integers(1, 3)),
        draw(st.integers(1, 3)), kind=draw(st.sampled_from(kinds)),
        domain=draw(st.sampled_from(["observed", "product", "covered"])), alpha=alpha, beta=beta,
    )  # fmt: skip
