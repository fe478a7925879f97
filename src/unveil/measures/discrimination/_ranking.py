"""Which keys say most: all sets of keys up to a size."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, Unpack

from unveil.engine.counting import Contingency
from unveil.errors import InputError
from unveil.measures._counted import Counting
from unveil.measures._partitions import Partition
from unveil.measures.discrimination._asked import Keys, asked, over
from unveil.measures.discrimination._entropies import ConditionalEntropy, check_apart
from unveil.measures.discrimination._ranking_finding import DiscriminationRates, KeySet

__all__ = ["conditional_entropy", "discrimination_rates"]

MOST = 5_000
"""Sets of keys that are counted at most."""

_DIGITS = 12


def discrimination_rates(
    table: Any,
    *,
    at_most: int = 2,
    of: str | None = None,
    by: Keys = None,
    partition: Any = None,
    **counting: Unpack[Counting],
) -> DiscriminationRates:
    """Rank all sets of keys, up to a size, by how much they say of an attribute.

    Parameters
    ----------
    table : Release, Microdata, table, path, Ibis table or counts
        See `count`.
    at_most : int
        How many keys a set has at most.
    of : str, optional
        What the attacker wants to know; by default the sensitive column.
    by : str or sequence of str, optional
        The keys that sets are made of; by default all.
    partition : optional
        The categories, if that is all the attacker wants to know; see `Partition.of`.
    **counting
        How the table is counted; see `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [30, 30, 40, 40], "sex": ["f", "m", "f", "m"],
    ...      "disease": ["flu", "aids", "none", "none"]}, quasi=["age", "sex"],
    ...     sensitive="disease")
    >>> uv.discrimination_rates(patients)
    Discrimination rates of disease, in table, by up to 2 keys
      age, sex  1.000
      age       0.667
      sex       0.333
      What a key adds, on average over the sets that it joins:
        age  0.667
        sex  0.333
    """
    if isinstance(at_most, bool) or not isinstance(at_most, int) or at_most < 1:
        raise InputError(f"at_most is a number of keys from 1, but got {at_most!r}")
    counts = asked(table, of, by, counting).in_memory()
    secret = counts.need_secret("the discrimination rate")
    check_apart(counts)
    parts = None if partition is None else Partition.of(partition, secret)
    wanted = counts if parts is None else parts.merged(counts)
    at_most = min(at_most, len(counts.keys))
    _check_number(len(counts.keys), at_most)
    found = {by: conditional_entropy(over(wanted, by)) for by in _sets_of(counts.keys, at_most)}
    sets = _key_sets(found)
    return DiscriminationRates(
        ranked=tuple(sorted(sets, key=_order)),
        adds=_what_keys_add(counts.keys, sets),
        of=secret.name,
        keys=counts.keys,
        at_most=at_most,
        partition=parts,
        entropy=next(iter(found.values())).whole,
        records=counts.rows,
        source=counts.source,
        notes=counts.notes,
    )


def _check_number(keys: int, at_most: int) -> None:
    number = sum(math.comb(keys, size) for size in range(1, at_most + 1))
    if number > MOST:
        raise InputError(
            f"{keys} keys have {number:,} sets of at most {at_most}, and at most {MOST:,} are "
            "counted: name fewer keys with by=, or lower at_most"
        )


def _sets_of(keys: Sequence[str], at_most: int) -> Iterator[tuple[str, ...]]:
    for size in range(1, at_most + 1):
        yield from combinations(keys, size)


def conditional_entropy(counts: Contingency) -> ConditionalEntropy:
    """What the keys of some counts leave open."""
    if counts.rows == 0:
        raise InputError(f"{counts.source} has no records: there is nothing to measure")
    found = ConditionalEntropy(counts)
    for block in counts.blocks():
        found.look(block)
    return found


def _key_sets(found: dict[tuple[str, ...], ConditionalEntropy]) -> list[KeySet]:
    sets = []
    for by, entropy in found.items():
        without: dict[str, float | None] = {}
        for key in by:
            rest = found.get(tuple(other for other in by if other != key))
            # No keys at all say nothing: their rate is 0.
            lower = 0.0 if rest is None else rest.rate
            without[key] = None if entropy.rate is None or lower is None else entropy.rate - lower
        sets.append(KeySet(by=by, rate=entropy.rate, left=entropy.left, without=without))
    return sets


def _order(one: KeySet) -> tuple[float, int]:
    return -round(one.rate or 0.0, _DIGITS), len(one.by)


def _what_keys_add(keys: Sequence[str], sets: Sequence[KeySet]) -> dict[str, float | None]:
    adds: dict[str, float | None] = {}
    for key in keys:
        gained = [one.without[key] for one in sets if key in one.by]
        known = [gain for gain in gained if gain is not None]
        adds[key] = math.fsum(known) / len(known) if known else None
    return dict(sorted(adds.items(), key=lambda item: -round(item[1] or 0.0, _DIGITS)))
