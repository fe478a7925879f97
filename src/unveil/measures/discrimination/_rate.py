"""The discrimination rate and the semantic discrimination rate.

L. Sondeck, M. Laurent and V. Frey, *Discrimination rate: an attribute-centric metric to measure
privacy*, Annals of Telecommunications 72, 2017, and *The Semantic Discrimination Rate Metric for
Privacy Measurements which Questions the Benefit of t-closeness over l-diversity*, SECRYPT 2017.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack, overload

from unveil.engine.counting import Contingency, text_of
from unveil.errors import InputError
from unveil.measures._counted import Counting
from unveil.measures._one_pass import entropy, one_pass
from unveil.measures._partitions import Partition
from unveil.measures.discrimination._asked import Keys, asked
from unveil.measures.discrimination._entropies import check_apart, discrimination
from unveil.measures.discrimination._finding import DiscriminationRate, ValueDiscrimination
from unveil.measures.discrimination._looking import DiscriminationLooking
from unveil.measures.discrimination._telling import ValueRate

__all__ = ["discrimination_rate", "rate_by"]


@overload
def discrimination_rate(
    table: Any,
    *,
    of: str | None = None,
    by: Keys = None,
    partition: Any = None,
    value: None = None,
    **counting: Unpack[Counting],
) -> DiscriminationRate: ...


@overload
def discrimination_rate(
    table: Any,
    *,
    of: str | None = None,
    by: None = None,
    partition: Any = None,
    value: Mapping[str, object],
    **counting: Unpack[Counting],
) -> ValueDiscrimination: ...


def discrimination_rate(
    table: Any,
    *,
    of: str | None = None,
    by: Keys = None,
    partition: Any = None,
    value: Mapping[str, object] | None = None,
    **counting: Unpack[Counting],
) -> DiscriminationRate | ValueDiscrimination:
    """How much the keys Y say of an attribute X: 1 − H(X|Y) / H(X), from 0 to 1.

    Parameters
    ----------
    table : Release, Microdata, table, path, Ibis table or counts
        See `count`.
    of : str, optional
        X, what the attacker wants to know; by default the sensitive column. It can be any column
        of the table.
    by : str or sequence of str, optional
        Y, what the attacker knows; by default all keys together.
    partition : optional
        The categories of X, if that is all the attacker wants to know: lists of values, a
        mapping, bands of numbers, a `HierarchyLevel` or a text; see `Partition.of`. This makes
        it the semantic discrimination rate.
    value : mapping of str to value, optional
        The rate of one combination of values of the keys instead: 1 − p(y) H(X|y) / H(X).
    **counting
        How the table is counted; see `count`.

    Returns
    -------
    DiscriminationRate or ValueDiscrimination
        Its ``rate`` is None where all records have the same X: there is nothing to tell.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": ["2*", "2*", "3*", "3*", "4*", "4*"],
    ...      "disease": ["flu", "flu", "flu", "aids", "none", "aids"]},
    ...     quasi="age", sensitive="disease")
    >>> uv.discrimination_rate(patients)
    Discrimination rate of disease by age, in table: 0.543 (simple)
      of 1.459 bits, knowing age leaves 0.667 open
      6 records with 3 values, which determine disease for 2 of them
      tells most, 1.000: age=2* (2 records)
    >>> uv.discrimination_rate(patients, partition={"sick": ["flu", "aids"], "well": ["none"]}).rate
    0.487...
    >>> uv.discrimination_rate(patients, value={"age": "3*"}).rate
    0.771...
    """
    if value is None:
        return rate_by(asked(table, of, by, counting), partition)
    if by is not None:
        raise InputError("give by= or value=, not both: a value names its keys")
    if not isinstance(value, Mapping) or not value:
        raise InputError(f"value maps keys to their values, {{'age': '2*'}}, but got {value!r}")
    # What is counted already need not be counted again over fewer keys.
    keys = None if isinstance(table, Contingency) else tuple(value)
    return _of_value(asked(table, of, keys, counting), value, partition)


def rate_by(counts: Contingency, partition: Any = None) -> DiscriminationRate:
    """The rate of what was counted, by its keys."""
    (found,) = one_pass(counts, [DiscriminationLooking(counts, partition=partition)])
    assert isinstance(found, DiscriminationRate)
    return found


def _of_value(
    counts: Contingency, value: Mapping[str, object], partition: Any
) -> ValueDiscrimination:
    secret = counts.need_secret("the discrimination rate")
    check_apart(counts)
    parts = None if partition is None else Partition.of(partition, secret)
    wanted = counts if parts is None else parts.merged(counts)
    inside = wanted.where(value)
    texts = {name: text_of(one) for name, one in value.items()}
    if not inside.any():
        listed = ", ".join(f"{name}={text}" for name, text in texts.items())
        raise InputError(f"nobody in {counts.source} has {listed}: there is no rate of that")
    records, everybody = int(inside.sum()), counts.rows
    left, whole = entropy(inside), entropy(wanted.totals)
    return ValueDiscrimination(
        value=ValueRate(
            values=texts,
            records=records,
            entropy=left,
            rate=discrimination(records / everybody * left, whole),
        ),
        entropy=whole,
        of=secret.name,
        partition=parts,
        records=everybody,
        source=counts.source,
        notes=counts.notes,
    )
