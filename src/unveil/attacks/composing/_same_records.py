"""Records that are the same person's in several releases, where pseudonyms tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.people import (
    START,
    STOP,
    Boxes,
    Index,
    counts_of,
    distinct_points,
    values_in_boxes,
)
from unveil.errors import InputError
from unveil.microdata import Permuted, Release, value_text

__all__ = ["joint_index", "matched_records"]


def matched_records(
    releases: Sequence[Release | Permuted], labels: Sequence[str], pseudonyms: Any
) -> list[NDArray[np.intp]]:
    """For each release, the records of the pseudonyms that all of them have, in one order."""
    if isinstance(pseudonyms, str) or not isinstance(pseudonyms, Sequence):
        raise InputError(
            "pseudonyms must be a list with one sequence for each release, which names its records "
            f"in their order, but got a {type(pseudonyms).__name__}"
        )
    if len(pseudonyms) != len(releases):
        raise InputError(
            f"pseudonyms has {len(pseudonyms):,} sequences for {len(releases):,} releases: give "
            "one for each"
        )
    places: list[dict[str, int]] = []
    for release, label, names in zip(releases, labels, pseudonyms, strict=True):
        if isinstance(release, Permuted):
            raise InputError(
                f"{label} is a permuted release, whose records have no sensitive values of their "
                "own: pseudonyms name records that do"
            )
        texts = [value_text(name) for name in names]
        if len(texts) != len(release):
            raise InputError(
                f"pseudonyms has {len(texts):,} names for the {len(release):,} records of {label}"
            )
        place = {text: record for record, text in enumerate(texts)}
        if len(place) < len(texts):
            twice = next(text for record, text in enumerate(texts) if place[text] != record)
            raise InputError(f"two records of {label} have the pseudonym {twice!r}")
        places.append(place)
    common = [text for text in places[0] if all(text in place for place in places[1:])]
    if not common:
        raise InputError("no pseudonym is in all releases: they have nobody in common")
    return [np.array([place[text] for text in common], dtype=np.intp) for place in places]


def joint_index(
    releases: Sequence[Release | Permuted],
    labels: Sequence[str],
    indexes: Sequence[Index],
    records: Sequence[NDArray[np.intp]],
    value_of: Sequence[NDArray[np.int64]],
    width: int,
) -> Index:
    """The records that all releases have, with what each release says of them side by side."""
    classes, secrets = [], []
    for release, some, values in zip(releases, records, value_of, strict=True):
        assert isinstance(release, Release)
        classes.append(release.class_of[some].astype(np.int64))
        secrets.append(values[release.sensitive.codes[some]])
    for label, theirs in zip(labels[1:], secrets[1:], strict=True):
        if (theirs != secrets[0]).any():
            raise InputError(
                f"a record of {labels[0]} and the one of {label} with the same pseudonym have "
                f"different values of {releases[0].sensitive.name}: they are not the same "
                "person's, or values were changed"
            )
    first, box_of = distinct_points(np.stack(classes, axis=1))
    parts = [index.boxes for index in indexes]
    before = np.cumsum([0, *(len(part.members) for part in parts)])
    sides = [
        index.boxes.sides[index.place[own[first]]]
        for index, own in zip(indexes, classes, strict=True)
    ]
    for side, offset in zip(sides, before, strict=False):
        side[:, :, [START, STOP]] += offset
    boxes = Boxes(np.hstack(sides), np.concatenate([part.members for part in parts]))
    counts = counts_of(np.bincount(box_of), values_in_boxes(box_of, secrets[0], len(first)))
    return Index.sorted(boxes, counts, width)
