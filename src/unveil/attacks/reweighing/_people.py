"""Whom the attacker knows, and which groups they are in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.people import ANY, External, Placing, distinct_points, external_of
from unveil.attacks.reweighing._groups import Groups, groups_of_classes, groups_of_permuted
from unveil.attacks.reweighing._seating import DOUBTED, NOWHERE, UNDECIDED, seated
from unveil.attacks.risk._boxes import boxes_of
from unveil.errors import InputError
from unveil.microdata import Microdata, Permuted, Release

__all__ = ["in_classes", "in_groups", "known_people"]


def known_people(
    release: Release | Permuted, microdata: Microdata | None, people: Any, names: list[str],
    identifier: str | None, columns: Mapping[str, str] | None,
) -> External:  # fmt: skip
    """Whom the attacker knows."""
    if people is not None:
        return external_of(people, names, identifier, rename=columns, what="people")
    if columns is not None:
        raise InputError("columns is about other names in a table of people; give it as people=")
    if microdata is not None:
        if not isinstance(microdata, Microdata):
            raise InputError(
                "microdata must be the original as read_csv or read_table returns it, but got a "
                f"{type(microdata).__name__}; a table of people without secrets is people="
            )
        return external_of(microdata, names, identifier)
    if isinstance(release, Release):
        raise InputError(
            f"the release by {release.made_by} generalizes people's values, and this attacker "
            "knows them: give the original, microdata, or a table of the people, people="
        )
    return External(
        source=f"the release by {release.made_by}", columns={}, name=None,
        rows=np.arange(len(release)),
    )  # fmt: skip


def in_groups(
    release: Permuted, codes: NDArray[np.int32]
) -> tuple[Groups, NDArray[np.int64], NDArray[np.int64]]:
    """The groups of a permuted release, the tuple of each person, and why some have none."""
    groups, _ = groups_of_permuted(release)
    _, number = distinct_points(np.concatenate([groups.tuples, codes]))
    place = np.full(int(number.max()) + 1, NOWHERE)
    place[number[: len(groups.tuples)]] = np.arange(len(groups.tuples))
    # Whose value is not known may have several records.
    found = np.where((codes == ANY).any(axis=1), UNDECIDED, place[number[len(groups.tuples) :]])
    return groups, np.where(found >= 0, found, -1), found[found < 0]


def in_classes(
    release: Release, placing: Placing, codes: NDArray[np.int32]
) -> tuple[Groups, NDArray[np.int64], NDArray[np.int64]]:
    """The classes of a generalized release with their people, and the same."""
    # Nobody can tell apart classes that publish the same cells.
    _, box_of_class = boxes_of(release.quasi, release.regions)
    first = np.unique(box_of_class, return_index=True)[1]
    counts = np.zeros((len(first), release.sensitive.size), dtype=np.int64)
    np.add.at(counts, box_of_class, release.counts)
    some, tuple_of = distinct_points(codes)
    people = np.bincount(tuple_of)
    seating = seated(
        codes[some], people, [region.take(first) for region in placing.regions], placing.sizes,
        [whole[first] for whole in placing.everything], counts.sum(axis=1),
    )  # fmt: skip
    if not (seating.class_of >= 0).any():
        raise InputError(
            f"nobody's class in the release by {release.made_by} can be told: "
            + _why_nobody(seating.class_of)
        )
    groups = groups_of_classes(codes[some], people, seating, counts, first)
    class_of = seating.class_of[tuple_of]
    return groups, np.where(class_of >= 0, tuple_of, -1), class_of[class_of < 0]


def _why_nobody(class_of: NDArray[np.int64]) -> str:
    if (class_of == NOWHERE).all():
        return "its cells cover none of the people; give the people whose records they are"
    if (class_of == DOUBTED).any():
        return (
            "its classes cover more people than they have records; give the people who are in "
            "the table, and nobody else"
        )
    return "its cells overlap, and several may have everybody; relative_risk samples who is where"
