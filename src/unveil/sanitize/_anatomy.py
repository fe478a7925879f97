"""Anatomy: ℓ-diversity by publishing quasi-identifiers and secrets in two tables.

After X. Xiao and Y. Tao, *Anatomy: Simple and Effective Privacy Preservation*, VLDB 2006. Nothing
is generalized. The records are put into groups of people with different sensitive values; one
table says which quasi-identifiers are in which group, the other one which sensitive values are.
Whoever finds a person in the first table knows their group, and that their value is one of at
least ℓ, each as likely as the other.

*Group creation.* The records are put into buckets, one for each sensitive value. While at least ℓ
buckets have records, a group is made of one random record from each of the ℓ largest buckets. Of
equally large ones, those whose values come first in the column are taken.

*Residue assignment.* If no more than 1/ℓ of the records have the same value (the *eligibility
condition*), this leaves at most ℓ - 1 records, no two of them with the same value. Each joins a
random group that does not have its value.

So every group has ℓ to 2ℓ - 1 records, and no two with the same value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Microdata, Permuted
from unveil.sanitize._anatomy_kernels import value_groups
from unveil.sanitize._goal_checks import refuse_frequent
from unveil.sanitize._option_checks import check_seed, check_whole, seed_or_secret
from unveil.sanitize._sanitizer import Sanitizer, as_microdata, refuse_empty

__all__ = ["Anatomy"]


@dataclass(frozen=True, kw_only=True)
class Anatomy(Sanitizer):
    """ℓ-diversity without generalization: two tables, linked by groups.

    Parameters
    ----------
    l : int
        Every group has at least ℓ records, no two of them with the same sensitive value.
    seed : int, optional
        Of the random choice who comes into which group; default: a secret one from the operating
        system for every release. Whoever knows the seed can undo part of the shuffling.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [23, 27, 35, 59, 61, 65, 65, 70],
    ...      "disease": ["flu", "flu", "cold", "flu", "cold", "gout", "gout", "cold"]},
    ...     quasi="age", sensitive="disease")
    >>> release = uv.Anatomy(l=2, seed=1).sanitize(patients)
    >>> release
    Permuted release by Anatomy(l=2): 8 records in 4 groups of 2 to 2
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
    values are by group, those of who can be told apart by quasi-identifiers:

    >>> uv.l_diversity(release).distinct, uv.k_anonymity(release).k
    (2, 1)
    """

    # Whatever the order of the records, the same ones share a group: see `_sorted`.
    treats_equals_alike: ClassVar[bool] = True
    is_random: ClassVar[bool] = True

    l: int  # noqa: E741  (it is called l everywhere in this field)
    seed: int | None = None

    def __post_init__(self) -> None:
        check_whole("Anatomy's", "l", self.l)
        check_seed("Anatomy's", self.seed)

    def with_seed(self, seed: int) -> Anatomy:
        return replace(self, seed=seed)

    def sanitize(self, microdata: Microdata) -> Permuted:
        microdata = as_microdata(microdata, "Anatomy")
        return self._published(microdata, _sorted(microdata))

    def sanitize_without(self, microdata: Microdata, record: int) -> Permuted:
        records = _sorted(microdata)
        return self._published(microdata, records[records != record])

    def _published(self, microdata: Microdata, records: NDArray[np.intp]) -> Permuted:
        """What is published of these records, which are sorted."""
        values = microdata.sensitive.size
        secrets = microdata.sensitive.codes[records]
        self._check_goal(microdata, np.bincount(secrets, minlength=values))
        group_of, groups = anatomized(
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

    def _check_goal(self, microdata: Microdata, counts: NDArray[np.int64]) -> None:
        if not counts.any():  # nobody, or the only one is left out
            refuse_empty(self, microdata.take([]))
        refuse_frequent(self, microdata, counts, int(self.l))


def _sorted(microdata: Microdata) -> NDArray[np.intp]:
    """The records by their values, so that the order in which they came plays no part."""
    return np.argsort(microdata.distinct_of, kind="stable")


def anatomized(
    secrets: NDArray[np.int32],
    values: int,
    l: int,  # noqa: E741
    rng: np.random.Generator,
) -> tuple[NDArray[np.int32], int]:
    """The group of each record, and how many groups there are.

    The secrets must be eligible.

    >>> secrets = np.array([0, 0, 1, 2, 2], dtype=np.int32)
    >>> group_of, groups = anatomized(secrets, 3, 2, np.random.default_rng(0))
    >>> groups, [sorted(secrets[group_of == g].tolist()) for g in range(groups)]
    (2, [[0, 2], [0, 1, 2]])
    """
    # Buckets one after the other, each in random order.
    shuffled = rng.permutation(len(secrets))
    by_bucket = shuffled[np.argsort(secrets[shuffled], kind="stable")]
    group_of = np.empty(len(secrets), dtype=np.int32)
    group_of[by_bucket], groups = value_groups(np.bincount(secrets, minlength=values), l)
    left = by_bucket[group_of[by_bucket] < 0]
    # They have different values, so that none of them takes a place away from another.
    for record in left:
        alike = secrets == secrets[record]
        closed = np.zeros(groups, dtype=bool)
        closed[group_of[alike & (group_of >= 0)]] = True
        group_of[record] = rng.choice(np.flatnonzero(~closed))
    return group_of, groups
