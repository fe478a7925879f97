# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-untyped-call"
"""Anatomy: ℓ-diversity by publishing quasi-identifiers and sensitive values in two tables.

After X. Xiao and Y. Tao, *Anatomy: Simple and Effective Privacy Preservation*, VLDB 2006. Nothing
is generalized. The records are put into groups of people with different sensitive values. One table
lists the quasi-identifiers of each group, the other one its sensitive values. Anyone who finds a
person in the first table knows their group, and that their value is one of at least ℓ, all equally
likely.

*Group creation.* The records are put into buckets, one per sensitive value. While at least ℓ
buckets have records, a group is made of one random record from each of the ℓ largest buckets. Of
equally large ones, those whose values come first in the column are taken.

*Residue assignment.* If no more than 1/ℓ of the records have the same value (the *eligibility
condition*), at most ℓ - 1 records are left, all with different values. Each joins a random group
that does not have its value. So every group has ℓ to 2ℓ - 1 records, all with different values.

Tables in which a person has several rows are refused: two of these in a group would be two of its
values that are one person's, and nothing here keeps them apart.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from annotated_types import Ge
from numpy.typing import NDArray

from unveil._compiled import compiled
from unveil.errors import File, InputError
from unveil.microdata import Microdata, Permuted
from unveil.sanitize._goals import refuse_empty, refuse_frequent
from unveil.sanitize._sanitizer import Sanitizer, Seed, as_microdata, seed_or_secret


@dataclass(frozen=True, kw_only=True)
class Anatomy(Sanitizer):
    """ℓ-diversity without generalization: two tables, linked by groups.

    Parameters
    ----------
    l : int
        Every group has at least ℓ records, all with different sensitive values.
    seed : int, optional
        Random seed of the groups. Default: a secret one from the operating system for every
        release. Anyone who knows the seed can undo part of the shuffling.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [23, 27, 35, 59, 61, 65, 65, 70],
    ...      "disease": ["flu", "flu", "cold", "flu", "cold", "gout", "gout", "cold"]},
    ...     quasi="age", sensitive="disease")
    >>> release = uv.Anatomy(l=2, seed=1).sanitize(patients)
    >>> release
    Permuted release by Anatomy(l=2): 8 records in 4 groups of 2
      group  records  disease
      1      2        cold 1, flu 1
      2      2        cold 1, flu 1
      3      2        cold 1, gout 1
      4      2        flu 1, gout 1
    >>> quasi_table, sensitive_table = release.tables()
    >>> sensitive_table.head(2)
       group disease  count
    0      1    cold      1
    1      1     flu      1

    `Permuted.write` writes the two tables, and `read_anatomy` reads them. Measures of sensitive
    values go by group, measures of identity by quasi-identifiers:

    >>> uv.l_diversity(release).distinct, uv.k_anonymity(release).k
    (2, 1)
    """

    # The order of the records does not matter: see `_sorted`.
    treats_equals_alike: ClassVar[bool] = True
    is_random: ClassVar[bool] = True

    l: Annotated[int, Ge(1)]  # noqa: E741  (it is called l everywhere in this field)
    seed: Seed = None

    def sanitize(self, microdata: Microdata) -> Permuted:
        microdata = as_microdata(microdata, "Anatomy")
        return self._published(microdata, _sorted(microdata))

    def sanitize_without(self, microdata: Microdata, record: int) -> Permuted:
        records = _sorted(microdata)
        return self._published(microdata, records[records != record])

    def _published(self, microdata: Microdata, records: NDArray[np.intp]) -> Permuted:
        """The release of these records, which are sorted."""
        if microdata.several is not None:
            raise InputError(
                "{label} puts rows into groups, and a person of {source} may have several: then a "
                "group may be of fewer than {l} people, and its rows tell more than it promises; "
                "use {mondrian} or {recoding}, which count people",
                label=File(self.public_label, bare=True), source=File(microdata.source, bare=True),
                l=int(self.l), mondrian=_instead("Mondrian", self.l),
                recoding=_instead("Recoding", self.l),
            )  # fmt: skip
        values = microdata.sensitive.size
        secrets = microdata.sensitive.codes[records]
        if not len(secrets):  # no one, or the only one is left out
            refuse_empty(self, microdata.take([]))
        refuse_frequent(self, microdata, np.bincount(secrets, minlength=values), int(self.l))
        group_of, groups = _anatomized(
            secrets, values, int(self.l), np.random.default_rng(seed_or_secret(self.seed))
        )
        cells = group_of.astype(np.int64) * values + secrets
        counts = np.bincount(cells, minlength=groups * values)
        # The records are sorted by their values, so that this leaves them sorted in each group.
        order = np.argsort(group_of, kind="stable")
        return Permuted(
            quasi=tuple(column.take(records[order]) for column in microdata.quasi),
            sensitive=microdata.sensitive.take([]),
            group_of=group_of[order],
            groups=tuple(map(str, range(1, groups + 1))),
            counts=counts.reshape(groups, values),
            made_by=self.public_label,
            notes=microdata.notes,
        )


def _instead(name: str, l: int) -> File:  # noqa: E741
    """Another sanitizer with the same goal."""
    return File(f"{name}(l={l})", bare=True)


def _sorted(microdata: Microdata) -> NDArray[np.intp]:
    """The records sorted by their values, so that their original order does not matter."""
    return np.argsort(microdata.distinct_of, kind="stable")


def _anatomized(
    secrets: NDArray[np.int32],
    values: int,
    l: int,  # noqa: E741
    rng: np.random.Generator,
) -> tuple[NDArray[np.int32], int]:
    """The group of each record, and the number of groups; the secrets must be eligible.

    >>> secrets = np.array([0, 0, 1, 2, 2], dtype=np.int32)
    >>> group_of, groups = _anatomized(secrets, 3, 2, np.random.default_rng(0))
    >>> groups, [sorted(secrets[group_of == g].tolist()) for g in range(groups)]
    (2, [[0, 2], [0, 1, 2]])
    """
    # Buckets one after the other, each in random order.
    shuffled = rng.permutation(len(secrets))
    by_bucket = shuffled[np.argsort(secrets[shuffled], kind="stable")]
    group_of = np.empty(len(secrets), dtype=np.int32)
    group_of[by_bucket], groups = _value_groups(np.bincount(secrets, minlength=values), l)
    left = by_bucket[group_of[by_bucket] < 0]
    # They have different values, so none of them takes a place away from another.
    for record in left:
        alike = secrets == secrets[record]
        closed = np.zeros(groups, dtype=bool)
        closed[group_of[alike & (group_of >= 0)]] = True
        group_of[record] = rng.choice(np.flatnonzero(~closed))
    return group_of, groups


@compiled()
def _value_groups(sizes: NDArray[np.int64], l: int) -> tuple[NDArray[np.int32], int]:  # noqa: E741
    """Groups of one record from each of the ℓ largest buckets, as long as there are so many.

    Returns the group of each place (-1: left over), and the number of groups. The places of a
    bucket are filled from its last one on.
    """
    values, start = len(sizes), np.cumsum(sizes) - sizes
    # The larger bucket first, and of two the one that is named first.
    heap = [b - values * sizes[b] for b in range(values) if sizes[b] > 0]
    heapq.heapify(heap)
    group_of = np.full(sizes.sum(), -1, dtype=np.int32)
    taken, groups = np.empty(l, dtype=np.int64), 0
    while len(heap) >= l:
        for i in range(l):
            taken[i] = heapq.heappop(heap)
        for key in taken:
            bucket = key % values
            left = (bucket - key) // values - 1
            group_of[start[bucket] + left] = groups
            if left > 0:
                heapq.heappush(heap, key + values)
        groups += 1
    return group_of, groups
