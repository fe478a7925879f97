"""The discrimination rate as a measure of four attacks, by the choice of X and Y."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from unveil.engine.counting import Contingency
from unveil.errors import Text
from unveil.findings import Finding, Story, Table
from unveil.measures._counted import Counting
from unveil.measures._texts import bar_chart, keys_text, rate_text
from unveil.measures.discrimination._common import Columns, Keys, asked, pairs_of
from unveil.measures.discrimination._rate import DiscriminationRate, rate_by
from unveil.microdata import Microdata, Release

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AttackRates(Finding):
    """Discrimination rates as a measure of one attack.

    Attributes
    ----------
    attack : str
    rates : tuple of DiscriminationRate
        By each key, and by all keys together.
    as_resistance : bool
        Whether 1 − rate is what is reported.
    """

    attack: str
    rates: tuple[DiscriminationRate, ...]
    as_resistance: bool = False
    notes: tuple[Text, ...] = ()

    @property
    def worst(self) -> DiscriminationRate | None:
        """The highest rate; None if all are undefined."""
        defined = [one for one in self.rates if one.rate is not None]
        return max(defined, key=lambda one: one.rate or 0.0) if defined else None

    def rate(self, *by: str, of: str | None = None) -> DiscriminationRate:
        """The rate of an attribute by some keys, in any order."""
        for one in self.rates:
            if set(one.by) == set(by) and of in (None, one.of):
                return one
        raise KeyError(by)

    def to_frame(self) -> pd.DataFrame:
        """One row per attribute and set of keys."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "of": one.of, "by": ", ".join(one.by), "rate": one.rate,
                    "resistance": one.resistance, "entropy": one.entropy, "left": one.left,
                    "determined": one.determined, "records": one.records,
                }
                for one in self.rates
            ]
        )  # fmt: skip

    @property
    def entry(self) -> str:  # type: ignore[override]
        """The name of the attack."""
        return self.attack

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"as_resistance": self.as_resistance, "rates": [one.facts for one in self.rates]}

    @property
    def private_facts(self) -> Mapping[str, Any]:
        return {"rates": [{**one.facts, **one.private_facts} for one in self.rates]}

    def story(self, release: Text | None = None) -> Story:
        word = "discrimination rate"
        if self.as_resistance:
            word = "resistance (1 − discrimination rate)"
        head = f"{self.attack.capitalize()}, in {self.rates[0].source}"
        names = [f"{one.of} by {keys_text(one.by)}" for one in self.rates]
        found = [one.resistance if self.as_resistance else one.rate for one in self.rates]
        return Story(
            title=f"{head}: {word}",
            tables=[
                Table(
                    columns=["", ""],
                    rows=[
                        [name, (number, one.undefined or rate_text(number))]
                        for name, number, one in zip(names, found, self.rates, strict=True)
                    ],
                )
            ],
            charts=[bar_chart(head, names, {word: found}, label=word)],
        )  # fmt: skip


def identity_disclosure(
    release: Release | Any,
    microdata: Microdata | None = None,
    *,
    columns: Columns = None,
    **counting: Unpack[Counting],
) -> AttackRates:
    """Identity disclosure: how much the published cells say of the original values.

    X is the original attribute and Y its generalized version. Each column has the rate by its own
    cells and the rate by the cells of all columns; then follows the rate of all columns together,
    by all cells.

    Parameters
    ----------
    release : Release or table
        What was published, its records in the order of the original's; or a table that has
        original and generalized columns side by side.
    microdata : Microdata, optional
        The original.
    columns : str, sequence of str or mapping of str to str, optional
        Quasi-identifiers; default: all. For a table that has both, the generalized column of
        each original: ``{"ZIP": "ZIP*"}``. For one column of such a table this is
        ``discrimination_rate(table, of="ZIP", by="ZIP*")``; the rate of all columns together is
        not measured.
    **counting
        See `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [28, 36, 47, 53, 72], "gender": ["M", "M", "F", "M", "F"],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"]},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> uv.identity_disclosure(uv.Mondrian(k=2).sanitize(patients), patients)
    Identity disclosure, in the release by Mondrian(k=2) of table: discrimination rate
    <BLANKLINE>
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
    """Homogeneity: how much each published key, and all together, say of the sensitive attribute.

    Parameters are those of `discrimination_rate`. Where all records of a class have the same
    sensitive value, it is known: ``determined`` is the number of these records.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": ["2*", "2*", "3*", "3*"], "zip": ["1**", "2**", "1**", "2**"],
    ...      "disease": ["flu", "flu", "aids", "none"]}, quasi=["age", "zip"],
    ...     sensitive="disease")
    >>> uv.homogeneity(patients)
    Homogeneity, in table: discrimination rate
    <BLANKLINE>
      disease by age           0.667
      disease by zip           0.333
      disease by age and zip   1.000
    """
    rates = _each_and_all(asked(table, of, by, counting))
    return AttackRates(attack="homogeneity", rates=rates, notes=_notes(rates))


def background_knowledge(
    table: Any, *, of: str | None = None, by: Keys = None, **counting: Unpack[Counting]
) -> AttackRates:
    """Background knowledge: how much of the sensitive attribute remains unknown, 1 − rate.

    This is what an attacker with background knowledge still has to find out, the complement of
    `homogeneity`. Parameters are those of `discrimination_rate`.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table({"age": ["2*", "2*", "3*", "3*"],
    ...                           "disease": ["flu", "flu", "aids", "none"]},
    ...                          quasi="age", sensitive="disease")
    >>> uv.background_knowledge(patients)
    Background knowledge, in table: resistance (1 − discrimination rate)
    <BLANKLINE>
      disease by age   0.333
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
    """Similarity: how much the published keys say of the *category* of the sensitive attribute.

    Distinct values with the same meaning, such as three kinds of cancer, hide nothing from an
    attacker who wants to know the meaning. The categories are a semantic partition, in any form
    that `Partition.of` takes. The other parameters are those of `discrimination_rate`.

    Examples
    --------
    >>> import unveil as uv
    >>> salaries = uv.read_table({"age": ["2*", "2*", "2*", "3*", "3*", "3*"],
    ...                           "salary": [4, 5, 6, 7, 9, 12]}, quasi="age",
    ...                          sensitive="salary")
    >>> uv.similarity(salaries, {"low": (None, 7), "high": (7, None)})
    Similarity, in table: discrimination rate
    <BLANKLINE>
      salary by age   1.000
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


def _notes(rates: Sequence[DiscriminationRate]) -> tuple[Text, ...]:
    return tuple(dict.fromkeys(note for one in rates for note in one.notes))
