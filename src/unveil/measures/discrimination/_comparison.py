"""Discrimination rates of several releases side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from unveil._axes import written
from unveil._bars import most
from unveil.engine.counting import Contingency, Secret
from unveil.errors import InputError, did_you_mean
from unveil.findings import Finding
from unveil.measures._counted import Counting
from unveil.measures._partitions import Partition, is_number
from unveil.measures._texts import keys_text, rate_text
from unveil.measures.discrimination._common import (
    ConditionalEntropy,
    asked,
    check_apart,
    colour_table,
    over,
)
from unveil.microdata import Release

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["ComparedRates", "DiscriminationComparison", "compare_discrimination"]

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
        For each release; None where the rate is undefined.
    """

    partition: str
    by: tuple[str, ...]
    rates: dict[str, float | None]

    @property
    def worst(self) -> tuple[str, ...]:
        """The releases of the highest rate; none if all are equal, or none is defined."""
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

    rows: tuple[ComparedRates, ...]
    releases: tuple[str, ...]
    of: str
    notes: tuple[str, ...] = ()

    def row(self, *by: str, partition: str | None = None) -> ComparedRates:
        """The rates by some keys, in whatever order they are named, for a partition."""
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
        """One row a partition and keys, one column a release, and which is worst."""
        import pandas as pd

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

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the rates of all releases as a table of colours.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        shown, more = most(self.rows)
        several = len({row.partition for row in shown}) > 1
        names = [
            f"{row.partition}: {keys_text(row.by)}" if several else keys_text(row.by)
            for row in shown
        ]
        return colour_table(
            np.array([[row.rates[name] for name in self.releases] for row in shown], dtype=float),
            ax,
            rows=[written(name, 44) for name in names],
            columns=[written(name, 24) for name in self.releases],
            title=written(f"What the keys say of {self.of}{more}"),
            blank=rate_text(None),
        )

    def content(self, *, records: bool) -> dict[str, Any]:
        return {
            "finding": "comparison of discrimination rates",
            "of": self.of,
            "releases": list(self.releases),
            "rows": [
                {
                    "partition": row.partition,
                    "by": list(row.by),
                    "rates": row.rates,
                    "undefined": [name for name, rate in row.rates.items() if rate is None],
                    "worst": list(row.worst),
                }
                for row in self.rows
            ],
            "times_worst": self.times_worst,
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        table = [["partition", "by", *self.releases, "worst"]]
        table += [
            [
                row.partition,
                keys_text(row.by),
                *(rate_text(row.rates[name]) for name in self.releases),
                ", ".join(row.worst) or "–",
            ]
            for row in self.rows
        ]
        widths = [max(len(cells[i]) for cells in table) for i in range(len(table[0]))]
        lines = [f"Discrimination rates of {self.of}, compared"]
        lines += [
            (
                "  " + "  ".join(cell.ljust(w) for cell, w in zip(cells, widths, strict=True))
            ).rstrip()
            for cells in table
        ]
        return "\n".join([*lines, *(f"  Note: {note}" for note in self.notes)])


def _column(release: str) -> str:
    return f"release {release}" if release in ("partition", "by", "worst") else release


EACH_VALUE = "each value"
"""What no partition is called."""


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
        What is compared, with names for people. Their keys have the same names; what is in the
        cells may differ.
    partitions : mapping of str to partition, optional
        The categories an attacker may want to know, each in a form that `Partition.of` takes;
        None stands for the values as they are, which is the default.
    of : str, optional
        What the attacker wants to know; by default the sensitive column.
    by : str or sequence of str or of sequences of str, optional
        Keys, or combinations of keys: ``["ZIP", ("ZIP", "Age")]``. By default each key that all
        tables have, and these together.
    **counting
        How the tables are counted, all of them alike; see `count`.

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
      partition   by   by decade  by age  worst
      each value  age  0.613      0.387   by decade
      low         age  0.667      1.000   by age
    """
    if not isinstance(tables, Mapping) or not tables:
        raise InputError("tables maps names to what is compared, and has at least one")
    wanted = _combinations(by)
    keys = None if wanted is None else list(dict.fromkeys(key for one in wanted for key in one))
    counted = {name: asked(table, of, keys, counting) for name, table in tables.items()}
    for name, counts in counted.items():
        check_apart(counts)
        if counts.rows == 0:
            raise InputError(f"{name!r} has no records: there is nothing to measure")
    secret = _united(counted)
    if wanted is None:
        shared = _shared(counted)
        wanted = [(key,) for key in shared] + ([shared] if len(shared) > 1 else [])
    parts = {
        name: None if given is None else Partition.of(given, secret)
        for name, given in ({EACH_VALUE: None} if partitions is None else partitions).items()
    }
    _check_types(tables, counted, list(dict.fromkeys(key for one in wanted for key in one)))
    rates = {
        (table, keys): _rates(counts, keys, parts)
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
        raise InputError("by names no keys; leave it out for each key and all together")
    return [(one,) if isinstance(one, str) else tuple(one) for one in by]


def _united(counted: Mapping[str, Contingency]) -> Secret:
    """The values that any of the tables has: a partition has to cover them all."""
    secrets = {
        name: counts.need_secret("the discrimination rate") for name, counts in counted.items()
    }
    first = next(iter(secrets.values()))
    values: dict[str, object] = {}
    for name, secret in secrets.items():
        if secret.name != first.name:
            raise InputError(
                f"{next(iter(secrets))!r} is about {first.name!r} and {name!r} about "
                f"{secret.name!r}: name one column of both with of="
            )
        values.update(zip(secret.texts, secret.values, strict=True))
    hierarchy = next((s.hierarchy for s in secrets.values() if s.hierarchy is not None), None)
    return Secret(name=first.name, values=tuple(values.values()), hierarchy=hierarchy)


def _shared(counted: Mapping[str, Contingency]) -> tuple[str, ...]:
    """The keys, which have to be the same in all tables."""
    (first, counts), *others = counted.items()
    for name, other in others:
        for here, there, keys in ((first, name, counts.keys), (name, first, other.keys)):
            for key in keys:
                theirs = counted[there].keys
                if key not in theirs:
                    raise InputError(
                        f"the key {key!r} of {here!r} is not in {there!r}"
                        f"{did_you_mean(key, theirs)} (keys: {', '.join(theirs)}); give keys that "
                        "are compared the same name, or choose some with by="
                    )
    return counts.keys


def _check_types(
    tables: Mapping[str, Any], counted: Mapping[str, Contingency], keys: Sequence[str]
) -> None:
    """A key of numbers here and of texts there is not the same key, or was read wrongly.

    A release's cells are texts by their nature, whatever the original's values are.
    """
    names = [name for name in counted if not isinstance(tables[name], Release)]
    for key in keys:
        kinds = {name: _kind(over(counted[name], (key,))) for name in names}
        for name in names[1:]:
            one, other = kinds[names[0]], kinds[name]
            if one != other:
                raise InputError(
                    f"the key {key!r} has {one} in {names[0]!r} and {other} in {name!r}: make "
                    "them the same type in both"
                )


def _kind(counts: Contingency) -> str:
    """Whether a key has numbers or texts, which its first value that is there tells."""
    for block in counts.blocks():
        for g in range(len(block)):
            (value,) = block.key_of(g)
            if value is not None:
                return "numbers" if is_number(value) else "texts"
    return "nothing but missing values"


def _rates(
    counts: Contingency, keys: tuple[str, ...], partitions: Mapping[str, Partition | None]
) -> dict[str, float | None]:
    """The rate for each partition, of which one pass over the classes is enough."""
    some = over(counts, keys)
    assert some.secret is not None
    groups, entropies = {}, {}
    for name, partition in partitions.items():
        fitted = None if partition is None else partition.fitted(some.secret)
        groups[name] = None if fitted is None else fitted.groups
        entropies[name] = ConditionalEntropy(some if fitted is None else fitted.merged(some))
    for block in some.blocks():
        for name, together in groups.items():
            entropies[name].look(block if together is None else block.merged(together))
    return {name: entropy.rate for name, entropy in entropies.items()}
