"""Skewness: how much less the keys say of the sensitive attribute once they are generalized."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from unveil.engine.counting import Contingency, text_of
from unveil.errors import Column as ColumnName
from unveil.errors import Message, Text
from unveil.findings import Finding, Story, Table, cell
from unveil.measures._classes import entropy
from unveil.measures._counted import Counting
from unveil.measures._texts import bar_chart, keys_text, rate_text
from unveil.measures.discrimination._common import (
    Columns,
    class_entropies,
    conditional_entropy,
    discrimination,
    pairs_of,
    secret_apart,
    why_undefined,
)

if TYPE_CHECKING:
    import pandas as pd

MOST = 100_000  # values of a key that are compared one by one
_DIGITS = 12
_SHOWN = 3
_VALUE_WORDS = ("key", "value", "cell", "records", "before", "after", "taken")


@dataclass(frozen=True, kw_only=True)
class _Change:
    """Rates before and after generalizing; None where undefined."""

    before: float | None
    after: float | None

    @property
    def taken(self) -> float | None:
        """``before − after``."""
        if self.before is None or self.after is None:
            return None
        return self.before - self.after

    def change(self) -> dict[str, float | None]:
        """All three."""
        return {"before": self.before, "after": self.after, "taken": self.taken}


@dataclass(frozen=True, kw_only=True)
class RateChange(_Change):
    """The rates of some keys before and after generalizing.

    Attributes
    ----------
    original, generalized : tuple of str
        The keys.
    before, after, taken : float or None
        Their rates, and the difference.
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
        The rates of the value and of the cell, and the difference.
    """

    key: str
    value: str
    cell: str
    records: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Skewness(Finding):
    """How much less the keys say once generalized: the rate before minus the rate after.

    Attributes
    ----------
    changes : tuple of RateChange
        For each key, and for all keys together.
    values : tuple of ValueChange
        For each value and the cell published for it; the smallest change first.
    undefined : str or None
        Why the rates are undefined, if they are.
    """

    entry: ClassVar[str] = "skewness"

    changes: tuple[RateChange, ...]
    values: tuple[ValueChange, ...]
    of: str
    records: int
    source: str
    undefined: str | None = None
    notes: tuple[Text, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """One row per value and the cell published for it."""
        import pandas as pd

        return pd.DataFrame(
            {word: [getattr(one, word) for one in self.values] for word in _VALUE_WORDS}
        )

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "record_count": self.records,
            "changes": [
                {"original": one.original, "generalized": one.generalized, **one.change()}
                for one in self.changes
            ],
            **self.attributes("source of undefined"),
        }

    @property
    def private_facts(self) -> Mapping[str, Any]:
        words = ("key", "value", "cell", "records")
        return {
            "values": [
                {**{word: getattr(one, word) for word in words}, **one.change()}
                for one in self.values
            ]
        }

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
        columns=[title, "before", "after",
                 "taken"],
        rows=[
            [name, *(cell(rate, rate_text) for rate in one.change().values())]
            for name, one in changes.items()
        ],
    )  # fmt: skip


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
    both: list[tuple[tuple[str, ...], tuple[str, ...]]]
    both = [((name,), (cells,)) for name, cells in pairs.generalized.items()]
    if len(both) > 1:
        both.append((before, after))
    counts = pairs.counts(of, (*before, *after))
    secret = secret_apart(counts)
    changes = [
        RateChange(
            original=names,
            generalized=cells,
            before=conditional_entropy(counts.over(names)).rate,
            after=conditional_entropy(counts.over(cells)).rate,
        )
        for names, cells in both
    ]
    values, notes = _values(pairs.generalized, counts)
    undefined = entropy(counts.totals) == 0.0
    return Skewness(
        changes=tuple(changes),
        values=tuple(sorted(values, key=_order)),
        of=secret.name,
        records=counts.rows,
        source=counts.source,
        undefined=why_undefined(secret.name, None) if undefined else None,
        notes=(*counts.notes, *notes),
    )


def _values(
    generalized: Mapping[str, str], counts: Contingency
) -> tuple[list[ValueChange], list[Text]]:
    """Each value with each cell published for it."""
    found: list[ValueChange] = []
    notes: list[Text] = []
    for name, cells in generalized.items():
        before, after = _rates(counts.over((name,))), _rates(counts.over((cells,)))
        together = _sizes(counts.over((name, cells)))
        if before is None or after is None or together is None:
            many = "{column} has too many values to compare them one by one"
            notes.append(Message(many, column=ColumnName(name)))
            continue
        found += [
            ValueChange(
                key=name, value=value, cell=cell, records=records,
                before=before[(value,)], after=after[(cell,)],
            )
            for (value, cell), records in together.items()
        ]  # fmt: skip
    return found, notes


def _rates(counts: Contingency) -> dict[tuple[str, ...], float | None] | None:
    """The rate of each value of the keys; None where there are too many."""
    whole = entropy(counts.totals)
    rates: dict[tuple[str, ...], float | None] = {}
    for block in counts.blocks():
        if (block.weights > 1).any() or len(rates) + len(block) > MOST:
            return None
        left = block.sizes / counts.rows * class_entropies(block)
        for g in range(len(block)):
            rates[_texts(block.key_of(g))] = discrimination(float(left[g]), whole)
    return rates


def _sizes(counts: Contingency) -> dict[tuple[str, ...], int] | None:
    """How many records have each combination; None where there are too many."""
    sizes: dict[tuple[str, ...], int] = {}
    for block in counts.blocks():
        if (block.weights > 1).any() or len(sizes) + len(block) > MOST:
            return None
        for g in range(len(block)):
            sizes[_texts(block.key_of(g))] = int(block.sizes[g])
    return sizes


def _texts(values: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(text_of(value) for value in values)


def _order(one: ValueChange) -> tuple[float, int]:
    return round(one.taken or 0.0, _DIGITS), -one.records
