"""The discrimination rate as a measure of attacks, by the choice of X and Y, and its skewness.

Skewness is how much less the keys say of the sensitive attribute once they are generalized.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Unpack

import pandas as pd

from unveil.engine.counting import Contingency, text_of
from unveil.errors import Column as ColumnName
from unveil.errors import Message, Text
from unveil.findings import Finding, Follows, Story, Table, cell
from unveil.measures._counted import Counting
from unveil.measures._texts import bar_chart, keys_text, rate_text
from unveil.measures.discrimination._common import (
    Columns,
    ConditionalEntropy,
    Keys,
    RateFinding,
    asked,
    class_entropies,
    discrimination,
    pairs_of,
)
from unveil.measures.discrimination._rate import DiscriminationRate, rate_by
from unveil.microdata import Microdata, Release
from unveil.options import by_person, by_row, checked

MOST = 100_000  # values of a key that are compared one by one
_DIGITS = 12
_SHOWN = 3


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

    @property
    def notes(self) -> tuple[Text, ...]:  # type: ignore[override]
        return tuple(dict.fromkeys(note for one in self.rates for note in one.notes))

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
        words = "rate resistance entropy left determined records"
        return pd.DataFrame(
            {"of": one.of, "by": ", ".join(one.by), **one.attributes(words)} for one in self.rates
        )

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
        rate = "discrimination rate"
        word = f"resistance (1 − {rate})" if self.as_resistance else rate
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


@checked
@by_row("it takes the original value of each row", instead="discrimination_rate")
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
    if len(everything) > 1 and pairs.joint is not None:
        rates.append(rate_by(pairs.joint()))
    return AttackRates(attack="identity disclosure", rates=tuple(rates))


@by_person
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
    return _each_and_all("homogeneity", asked(table, of, by, counting))


@by_person
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
    found = _each_and_all("background knowledge", asked(table, of, by, counting))
    return replace(found, as_resistance=True)


@by_person
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
    return _each_and_all("similarity", asked(table, of, by, counting), partition)


def _each_and_all(attack: str, counts: Contingency, partition: Any = None) -> AttackRates:
    """The rates by each key, and by all of them together."""
    each = [(key,) for key in counts.keys if len(counts.keys) > 1]
    rates = (rate_by(counts.over(keys), partition) for keys in (*each, counts.keys))
    return AttackRates(attack=attack, rates=tuple(rates))


@dataclass(frozen=True, kw_only=True)
class _Change:
    before: float | None
    after: float | None
    taken: float | None = field(init=False)

    def __post_init__(self) -> None:
        if self.before is None or self.after is None:
            object.__setattr__(self, "taken", None)
        else:
            object.__setattr__(self, "taken", self.before - self.after)


@dataclass(frozen=True, kw_only=True)
class RateChange(_Change):
    """The rates of some keys before and after generalizing.

    Attributes
    ----------
    original, generalized : tuple of str
        The keys.
    before, after, taken : float or None
        Their rates, None where undefined, and the difference.
    """

    original: tuple[str, ...]
    generalized: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ValueChange(_Change):
    """The rates of a value before and after generalizing.

    Attributes
    ----------
    key, value, cell : str
        The original key, a value of it, and the cell that is published for it.
    records : int
        Number of records that have both.
    before, after, taken : float or None
        The rates of the value and of the cell, None where undefined, and the difference.
    """

    key: str
    value: str
    cell: str
    records: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Skewness(RateFinding):
    """How much less the keys say once generalized: the rate before minus the rate after.

    Attributes
    ----------
    changes : tuple of RateChange
        For each key, and for all keys together.
    values : tuple of ValueChange
        For each value and the cell published for it; the smallest change first.
    """

    entry: ClassVar[str] = "skewness"
    follows_from: ClassVar[Follows] = Follows.RELEASE

    changes: tuple[RateChange, ...]
    values: tuple[ValueChange, ...]

    def to_frame(self) -> pd.DataFrame:
        """One row per value and the cell published for it."""
        words = ["key", "value", "cell", "records", "before", "after", "taken"]
        return pd.DataFrame({word: [getattr(one, word) for one in self.values] for word in words})

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"record_count": self.records, **self.attributes("changes source of undefined")}

    @property
    def private_facts(self) -> Mapping[str, Any]:
        return {"values": self.values}

    def story(self, release: Text | None = None) -> Story:
        head = f"Skewness: what generalizing took away of what the keys say of {self.of}"
        if self.undefined:
            return Story(title=f"{head}: {self.undefined}")
        rows = {f"{keys_text(o.original)} → {keys_text(o.generalized)}": o for o in self.changes}
        least = {f"{o.key}={o.value} in {o.cell}": o for o in self.values[:_SHOWN]}
        return Story(
            title=head,
            tables=[
                _table("keys", rows),
                *([_table("values from which least is taken", least)] if least else []),
            ],
            charts=[
                bar_chart(
                    f"What the keys say of {self.of}, before and after",
                    [keys_text(one.original) for one in self.changes],
                    {"before": [one.before for one in self.changes],
                     "after": [one.after for one in self.changes]},
                    label="discrimination rate",
                )
            ],
        )  # fmt: skip


def _table(title: str, changes: Mapping[str, _Change]) -> Table:
    return Table(
        columns=[title, "before", "after", "taken"],
        rows=[
            [name, *(cell(rate, rate_text) for rate in (one.before, one.after, one.taken))]
            for name, one in changes.items()
        ],
    )


@checked
@by_row("it takes the original value of each row", instead="discrimination_rate")
def skewness(
    original: Any,
    generalized: Any = None,
    *,
    columns: Columns = None,
    of: str | None = None,
    **counting: Unpack[Counting],
) -> Skewness:
    """Skewness: how much less generalized keys say of the sensitive attribute.

    The discrimination rate of the original key minus that of the generalized one: for each key,
    for all keys together, and for each value. A value is compared with each cell that is published
    for it, by 1 − p(y) H(X|y) / H(X). Where cells only merge values of a key, no difference is
    negative. Where they depend on a record's other columns, as in local recoding, they may say
    more than the value did.

    Parameters
    ----------
    original : Microdata or table
        The original; or a table that has original and generalized columns side by side.
    generalized : Release, optional
        What was published, its records in the order of the original's.
    columns : str, sequence of str or mapping of str to str, optional
        Quasi-identifiers; default: all. For a table that has both, the generalized column of
        each original: ``{"ZIP": "ZIP*"}``.
    of : str, optional
        Default: the sensitive column.
    **counting
        See `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [28, 36, 47, 53, 72], "gender": ["M", "M", "F", "M", "F"],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"]},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> uv.skewness(patients, uv.Mondrian(k=2).sanitize(patients), columns="age")
    Skewness: what generalizing took away of what the keys say of disease
    <BLANKLINE>
      keys                   before   after   taken
      age → age (released)    1.000   0.237   0.763
    <BLANKLINE>
      values from which least is taken   before   after   taken
      age=28 in [28, 36]                  1.000   1.000   0.000
      age=36 in [28, 36]                  1.000   1.000   0.000
      age=47 in [47, 72]                  1.000   0.237   0.763
    """
    pairs = pairs_of(generalized, original, columns, counting, "skewness")
    before, after = tuple(pairs.generalized), tuple(pairs.generalized.values())
    counts = pairs.counts(of, (*before, *after))
    both = [((name,), (cells,)) for name, cells in pairs.generalized.items()]
    changes = [
        RateChange(
            original=names,
            generalized=cells,
            before=ConditionalEntropy(counts.over(names)).of_all().rate,
            after=ConditionalEntropy(counts.over(cells)).of_all().rate,
        )
        for names, cells in (both if len(both) == 1 else [*both, (before, after)])
    ]
    values, notes = _values(pairs.generalized, counts)
    about = ConditionalEntropy(counts).about
    return Skewness(
        **{**about, "notes": (*counts.notes, *notes)},
        changes=tuple(changes),
        values=tuple(sorted(values, key=_order)),
    )


def _values(
    generalized: Mapping[str, str], counts: Contingency
) -> tuple[list[ValueChange], list[Text]]:
    """Each value with each cell published for it."""
    found: list[ValueChange] = []
    notes: list[Text] = []
    for name, cells in generalized.items():
        each = [_by_value(counts.over(keys)) for keys in ((name,), (cells,), (name, cells))]
        if any(rates is None for rates in each):
            many = "{column} has too many values to compare them one by one"
            notes.append(Message(many, column=ColumnName(name)))
            continue
        before, after, together = (rates or {} for rates in each)
        found += [
            ValueChange(
                key=name, value=value, cell=cell, records=records,
                before=before[(value,)][1], after=after[(cell,)][1],
            )
            for (value, cell), (records, _) in together.items()
        ]  # fmt: skip
    return found, notes


def _by_value(counts: Contingency) -> dict[tuple[str, ...], tuple[int, float | None]] | None:
    """The records and the rate of each value of the keys; None where there are too many."""
    whole = ConditionalEntropy(counts).whole
    found: dict[tuple[str, ...], tuple[int, float | None]] = {}
    for block in counts.blocks():
        if (block.weights > 1).any() or len(found) + len(block) > MOST:
            return None
        left = block.sizes / counts.rows * class_entropies(block)
        for g in range(len(block)):
            texts = tuple(map(text_of, block.key_of(g)))
            found[texts] = int(block.sizes[g]), discrimination(float(left[g]), whole)
    return found


def _order(one: ValueChange) -> tuple[float, int]:
    return round(one.taken or 0.0, _DIGITS), -one.records
