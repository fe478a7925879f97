"""Discrimination rates of several releases side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import pandas as pd

from unveil.engine.counting import Contingency, Secret
from unveil.errors import Column as ColumnName
from unveil.errors import File, InputError, Listed, Option, Text, did_you_mean
from unveil.findings import Axis, Chart, Finding, Follows, Matrix, Story, Table
from unveil.measures._classes import check_records
from unveil.measures._counted import Counting
from unveil.measures._partitions import Partition, is_number
from unveil.measures._texts import keys_text, rate_text
from unveil.measures.discrimination._common import ConditionalEntropy, asked
from unveil.microdata import Release
from unveil.options import by_person

_DRAWN = 20  # rows that can be read
_EACH_VALUE = "each value"  # the name of no partition
_ALIKE = 1e-12  # rates that differ by less are the same


@dataclass(frozen=True, kw_only=True)
class ComparedRates:
    """The rates of several releases, by the same keys and for the same categories.

    Attributes
    ----------
    partition : str
        The name of the partition.
    by : tuple of str
    rates : dict of str to (float or None)
        By release; None where the rate is undefined.
    """

    partition: str
    by: tuple[str, ...]
    rates: dict[str, float | None]

    @property
    def worst(self) -> tuple[str, ...]:
        """The releases with the highest rate; none if all are equal or undefined."""
        defined = {name: rate for name, rate in self.rates.items() if rate is not None}
        if not defined:
            return ()
        highest = max(defined.values())
        worst = tuple(name for name, rate in defined.items() if highest - rate <= _ALIKE)
        return () if len(worst) == len(defined) else worst


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DiscriminationComparison(Finding):
    """Several releases side by side.

    Attributes
    ----------
    rows : tuple of ComparedRates
        For each partition, by each key and by all of them together.
    releases : tuple of str
    of : str
    """

    entry: ClassVar[str] = "comparison of discrimination rates"
    follows_from: ClassVar[Follows] = Follows.RELEASE

    rows: tuple[ComparedRates, ...]
    releases: tuple[str, ...]
    of: str
    notes: tuple[Text, ...] = ()

    def row(self, *by: str, partition: str | None = None) -> ComparedRates:
        """The rates by some keys, in any order, for a partition."""
        for one in self.rows:
            if set(one.by) == set(by) and partition in (None, one.partition):
                return one
        raise KeyError((partition, by))

    @property
    def times_worst(self) -> dict[str, int]:
        """How often each release is worse than another."""
        times = Counter(name for row in self.rows for name in row.worst)
        return {name: times[name] for name in self.releases}

    def to_frame(self) -> pd.DataFrame:
        """One row per partition and set of keys, one column per release, and the worst."""
        return pd.DataFrame(
            [
                {
                    "partition": row.partition,
                    "by": ", ".join(row.by),
                    **{_column(name): row.rates[name] for name in self.releases},
                    "worst": ", ".join(row.worst),
                }
                for row in self.rows
            ]
        )

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            **self.attributes("of releases times_worst"),
            "rows": [
                {
                    **vars(row), "worst": row.worst,
                    "undefined": [name for name, rate in row.rates.items() if rate is None],
                }
                for row in self.rows
            ],
        }  # fmt: skip

    def story(self, release: Text | None = None) -> Story:
        several = len({row.partition for row in self.rows}) > 1
        return Story(
            title=f"Discrimination rates of {self.of}, compared",
            tables=[
                Table(
                    columns=["partition", "by", *self.releases, "worst"],
                    rows=[
                        [
                            row.partition, keys_text(row.by),
                            *((rate, rate_text(rate)) for rate in row.rates.values()),
                            ", ".join(row.worst) or "–",
                        ]
                        for row in self.rows
                    ],
                )
            ],
            charts=[
                Chart(
                    kind="heatmap",
                    title=f"What the keys say of {self.of}",
                    says="the higher the rate, the darker",
                    x=Axis(label="", scale="names"),
                    y=Axis(label="discrimination rate"),
                    matrix=Matrix(
                        rows=[
                            f"{row.partition}: {keys_text(row.by)}" if several
                            else keys_text(row.by)
                            for row in self.rows[:_DRAWN]
                        ],
                        columns=list(self.releases),
                        cells=[[row.rates[name] for name in self.releases]
                               for row in self.rows[:_DRAWN]],
                    ),
                )
            ],
        )  # fmt: skip


def _column(release: str) -> str:
    return f"release {release}" if release in ("partition", "by", "worst") else release


@by_person
def compare_discrimination(
    tables: Mapping[str, Any],
    *,
    partitions: Mapping[str, Any] | None = None,
    of: str | None = None,
    by: str | Sequence[str | Sequence[str]] | None = None,
    **counting: Unpack[Counting],
) -> DiscriminationComparison:
    """Discrimination rates of several releases side by side.

    Parameters
    ----------
    tables : mapping of str to Release, Microdata, table, path, Ibis table or counts
        What is compared, by name. Keys must have the same names; cells may differ.
    partitions : mapping of str to partition, optional
        The categories an attacker may want to know, each in a form that `Partition.of` takes;
        None, the default, stands for the values themselves.
    of : str, optional
        What the attacker wants to know. Default: the sensitive column.
    by : str or sequence of str or of sequences of str, optional
        Keys, or combinations of keys: ``["ZIP", ("ZIP", "Age")]``. Default: each key, and all
        keys together.
    **counting
        How all tables are counted; see `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> def published(ages):
    ...     return uv.read_table({"age": ages, "salary": [4, 5, 6, 7, 8, 9]}, quasi="age",
    ...                          sensitive="salary")
    >>> uv.compare_discrimination(
    ...     {"by decade": published(["2*", "2*", "3*", "3*", "4*", "4*"]),
    ...      "by age": published(["<30", "<30", "<30", "30+", "30+", "30+"])},
    ...     partitions={"each value": None, "low": [[4, 5, 6], [7, 8, 9]]})
    Discrimination rates of salary, compared
    <BLANKLINE>
      partition    by    by decade   by age   worst
      each value   age       0.613    0.387   by decade
      low          age       0.667    1.000   by age
    """
    if not isinstance(tables, Mapping) or not tables:
        raise InputError("the tables to compare must be given by name, at least one of them")
    wanted = _combinations(by)
    keys = None if wanted is None else list(dict.fromkeys(key for one in wanted for key in one))
    counted = {name: asked(table, of, keys, counting) for name, table in tables.items()}
    for name, counts in counted.items():
        ConditionalEntropy(counts)  # refuses classes that overlap, and counts without a secret
        check_records(counts, name)
    secret = _united(counted)
    if wanted is None:
        shared = _shared(counted)
        wanted = [(key,) for key in shared] + ([shared] if len(shared) > 1 else [])
    parts = {
        name: None if given is None else Partition.of(given, secret)
        for name, given in ({_EACH_VALUE: None} if partitions is None else partitions).items()
    }
    _check_types(tables, counted, list(dict.fromkeys(key for one in wanted for key in one)))
    rates = {
        (table, keys): _rates(counts.over(keys), parts)
        for table, counts in counted.items()
        for keys in wanted
    }
    rows = [
        ComparedRates(
            partition=name, by=keys, rates={table: rates[table, keys][name] for table in counted}
        )
        for name in parts
        for keys in wanted
    ]
    notes = dict.fromkeys(note for counts in counted.values() for note in counts.notes)
    return DiscriminationComparison(
        rows=tuple(rows), releases=tuple(counted), of=secret.name, notes=tuple(notes)
    )


def _combinations(
    by: str | Sequence[str | Sequence[str]] | None,
) -> list[tuple[str, ...]] | None:
    if by is None:
        return None
    if isinstance(by, str):
        return [(by,)]
    if not by:
        raise InputError(
            "{option} names no keys; leave it out for each key and all together",
            option=Option("by"),
        )
    return [(one,) if isinstance(one, str) else tuple(one) for one in by]


def _united(counted: Mapping[str, Contingency]) -> Secret:
    """The values that any of the tables has: a partition must cover them all."""
    secrets = {name: counts.secret for name, counts in counted.items() if counts.secret}
    first = next(iter(secrets.values()))
    values: dict[str, object] = {}
    for name, secret in secrets.items():
        if secret.name != first.name:
            raise InputError(
                "{first} has the sensitive column {column} and {second} has {other}: name one "
                "column of both with {of}",
                first=File(next(iter(secrets))), column=ColumnName(first.name), second=File(name),
                other=ColumnName(secret.name), of=Option("of"),
            )  # fmt: skip
        values.update(zip(secret.texts, secret.values, strict=True))
    hierarchy = next((s.hierarchy for s in secrets.values() if s.hierarchy is not None), None)
    return Secret(name=first.name, values=tuple(values.values()), hierarchy=hierarchy)


def _shared(counted: Mapping[str, Contingency]) -> tuple[str, ...]:
    """The keys, which must be the same in all tables."""
    first, *others = counted
    for here, there in ((a, b) for name in others for a, b in ((first, name), (name, first))):
        theirs = counted[there].keys
        for key in counted[here].keys:
            if key not in theirs:
                raise InputError(
                    "the key {key} of {here} is not in {there}{near} (keys: {keys}); give the "
                    "keys to compare the same names, or choose some with {by}",
                    key=ColumnName(key), here=File(here), there=File(there),
                    near=did_you_mean(key, theirs), keys=Listed(theirs), by=Option("by"),
                )  # fmt: skip
    return counted[first].keys


def _check_types(
    tables: Mapping[str, Any], counted: Mapping[str, Contingency], keys: Sequence[str]
) -> None:
    """Refuse a key of numbers in one table and of texts in another.

    A release's cells are always texts, whatever the original's values are.
    """
    names = [name for name in counted if not isinstance(tables[name], Release)]
    for key in keys:
        kinds = {name: _kind(counted[name].over((key,))) for name in names}
        for name, kind in kinds.items():
            if kind != kinds[names[0]]:
                raise InputError(
                    "the key {key} has {one} in {first} and {other} in {second}: use the same "
                    "type in both",
                    key=ColumnName(key), one=kinds[names[0]], first=File(names[0]), other=kind,
                    second=File(name),
                )  # fmt: skip


def _kind(counts: Contingency) -> str:
    """Whether a key has numbers or texts, by its first value that is not missing."""
    for block in counts.blocks():
        for g in range(len(block)):
            (value,) = block.key_of(g)
            if value is not None:
                return "numbers" if is_number(value) else "texts"
    return "nothing but missing values"


def _rates(
    counts: Contingency, partitions: Mapping[str, Partition | None]
) -> dict[str, float | None]:
    """The rate for each partition, in one pass over the classes."""
    found = {name: ConditionalEntropy(counts, one) for name, one in partitions.items()}
    for block in counts.shown.blocks():
        for entropy in found.values():
            entropy.look(block)
    return {name: entropy.rate for name, entropy in found.items()}
