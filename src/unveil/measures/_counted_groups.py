"""A permuted release, counted: its groups by their sensitive values, or its people.

Anatomy publishes no class that has both. What its groups tell of the secrets is measured by group;
who can be told apart, by the quasi-identifiers, which are published as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unveil.engine.counting import Held, KeyColumn
from unveil.errors import InputError
from unveil.measures._secrets import secret_of
from unveil.microdata import Permuted

__all__ = ["counts_of_groups", "counts_of_people"]


def counts_of_groups(release: Permuted) -> Held:
    """How many records of each group have each sensitive value."""
    group, secret = np.nonzero(release.counts)
    return Held(
        keys={release.group_name: KeyColumn(np.arange(release.n_groups), release.groups)},
        secret=secret_of(release.sensitive),
        class_of=group,
        codes=secret,
        numbers=release.counts[group, secret],
        source=f"the release by {release.made_by}",
        notes=(
            *release.notes,
            "a class is a group, whose people's quasi-identifiers are published as they are",
        ),
        made_from=release,
    )


def counts_of_people(release: Permuted, names: Sequence[str], sensitive: str | None) -> Held:
    """How many records have each combination of quasi-identifiers; their secrets are elsewhere."""
    if sensitive is not None:
        raise InputError(
            f"{release.made_by} does not tell which {release.sensitive.name} belongs to which "
            f"{', '.join(names)}; measure its {release.sensitive.name} by group: leave out the "
            f"keys, or name {release.group_name!r} alone"
        )
    keys = {
        column.name: KeyColumn(column.codes.astype(np.int64), tuple(column.values.tolist()))
        for column in release.quasi
    }
    people = Held(
        keys=keys,
        secret=None,
        class_of=np.arange(len(release)),
        codes=np.zeros(len(release), dtype=np.int64),
        numbers=np.ones(len(release), dtype=np.int64),
        source=f"the release by {release.made_by}",
        notes=release.notes,
        made_from=release,
    )
    return people.over(names)
