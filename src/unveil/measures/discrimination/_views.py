"""Views: one attack each, by the choice of X and Y."""

from __future__ import annotations

from typing import Any, Unpack

from unveil.engine.counting import Contingency
from unveil.errors import Text
from unveil.measures._counted import Counting
from unveil.measures.discrimination._asked import Keys, asked
from unveil.measures.discrimination._finding import DiscriminationRate
from unveil.measures.discrimination._paired import Columns, pairs_of
from unveil.measures.discrimination._rate import rate_by
from unveil.measures.discrimination._view_findings import AttackRates
from unveil.microdata import Microdata, Release

__all__ = ["background_knowledge", "homogeneity", "identity_disclosure", "similarity"]


def identity_disclosure(
    release: Release | Any,
    microdata: Microdata | None = None,
    *,
    columns: Columns = None,
    **counting: Unpack[Counting],
) -> AttackRates:
    """How much the published cells say of the original values.

    X is the original attribute and Y its generalized version. For each column there is the rate
    by its own cells, and the rate by the cells of all these columns together; then the rate of
    all columns together, by all cells.

    Parameters
    ----------
    release : Release or table
        What was published, its records in the order of the original's; or a table that has
        originals and generalized columns side by side.
    microdata : Microdata, optional
        The original.
    columns : str, sequence of str or mapping of str to str, optional
        Quasi-identifiers, by default all; for a table that has both, the generalized column of
        each original: ``{"ZIP": "ZIP*"}``. For one column of such a table this is just
        ``discrimination_rate(table, of="ZIP", by="ZIP*")``. Of a table, all columns together are
        not measured.
    **counting
        How a table is counted; see `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [28, 36, 47, 53, 72], "gender": ["M", "M", "F", "M", "F"],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"]},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> uv.identity_disclosure(uv.Mondrian(k=2).sanitize(patients), patients)
    Identity disclosure, in the release by Mondrian(k=2) of table: discrimination rate
      age by age (released)                                      0.418
      age by age (released) and gender (released)                0.418
      gender by gender (released)                                0.433
      gender by age (released) and gender (released)             0.433
      age and gender by age (released) and gender (released)     0.418
    """
    pairs = pairs_of(release, microdata, columns, counting, "identity disclosure")
    everything = tuple(pairs.generalized.values())
    rates: list[DiscriminationRate] = []
    for name, cells in pairs.generalized.items():
        counts = pairs.counts(name, everything)
        if len(everything) > 1:
            rates.append(rate_by(counts.over((cells,))))
        rates.append(rate_by(counts))
    if len(everything) > 1 and pairs.release is not None:
        rates.append(rate_by(pairs.joint()))
    return AttackRates(attack="identity disclosure", rates=tuple(rates), notes=_notes(rates))


def homogeneity(
    table: Any, *, of: str | None = None, by: Keys = None, **counting: Unpack[Counting]
) -> AttackRates:
    """How much the published keys say of the sensitive attribute, each and all together.

    Parameters are those of `discrimination_rate`. In a class whose records all have the same
    sensitive value, its members have no secret: ``determined`` says of how many records that is
    true.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": ["2*", "2*", "3*", "3*"], "zip": ["1**", "2**", "1**", "2**"],
    ...      "disease": ["flu", "flu", "aids", "none"]}, quasi=["age", "zip"],
    ...     sensitive="disease")
    >>> uv.homogeneity(patients)
    Homogeneity, in table: discrimination rate
      disease by age          0.667
      disease by zip          0.333
      disease by age and zip  1.000
    """
    rates = _each_and_all(asked(table, of, by, counting))
    return AttackRates(attack="homogeneity", rates=rates, notes=_notes(rates))


def background_knowledge(
    table: Any, *, of: str | None = None, by: Keys = None, **counting: Unpack[Counting]
) -> AttackRates:
    """How much stays open about the sensitive attribute, as resistance: 1 − discrimination rate.

    What an attacker with background knowledge still has to find out. It is the same measurement
    as `homogeneity`, seen from the other side. Parameters are those of `discrimination_rate`.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table({"age": ["2*", "2*", "3*", "3*"],
    ...                           "disease": ["flu", "flu", "aids", "none"]},
    ...                          quasi="age", sensitive="disease")
    >>> uv.background_knowledge(patients)
    Background knowledge, in table: resistance (1 − discrimination rate)
      disease by age  0.333
    """
    rates = _each_and_all(asked(table, of, by, counting))
    return AttackRates(
        attack="background knowledge", rates=rates, as_resistance=True, notes=_notes(rates)
    )


def similarity(
    table: Any,
    partition: Any,
    *,
    of: str | None = None,
    by: Keys = None,
    **counting: Unpack[Counting],
) -> AttackRates:
    """How much the published keys say of the *category* of the sensitive attribute.

    Distinct sensitive values that mean the same, such as three kinds of cancer, are no secret
    from somebody who asks for what they mean. The category is a semantic partition, in any form
    that `Partition.of` takes. The other parameters are those of `discrimination_rate`.

    Examples
    --------
    >>> import unveil as uv
    >>> salaries = uv.read_table({"age": ["2*", "2*", "2*", "3*", "3*", "3*"],
    ...                           "salary": [4, 5, 6, 7, 9, 12]}, quasi="age",
    ...                          sensitive="salary")
    >>> uv.similarity(salaries, {"low": (None, 7), "high": (7, None)})
    Similarity, in table: discrimination rate
      salary by age  1.000
    """
    counts = asked(table, of, by, counting)
    rates = _each_and_all(counts, partition)
    return AttackRates(attack="similarity", rates=rates, notes=_notes(rates))


def _each_and_all(counts: Contingency, partition: Any = None) -> tuple[DiscriminationRate, ...]:
    """The rates by each key, and by all of them together."""
    each = [(key,) for key in counts.keys] if len(counts.keys) > 1 else []
    return (
        *(rate_by(counts.over(keys), partition) for keys in each),
        rate_by(counts, partition),
    )


def _notes(rates: tuple[DiscriminationRate, ...] | list[DiscriminationRate]) -> tuple[Text, ...]:
    return tuple(dict.fromkeys(note for one in rates for note in one.notes))
