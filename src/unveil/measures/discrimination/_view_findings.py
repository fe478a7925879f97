"""The findings of the views: what the rate measures by the choice of X and Y."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unveil.errors import Text
from unveil.findings import Finding
from unveil.measures.discrimination._finding import DiscriminationRate, keys_text, rate_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["AttackRates", "RateChange", "Skewness", "ValueChange"]

_SHOWN = 3
_VALUE_WORDS = ("key", "value", "cell", "records", "before", "after", "taken")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AttackRates(Finding):
    """Discrimination rates as a measure of one attack.

    Attributes
    ----------
    attack : str
    rates : tuple of DiscriminationRate
        By each key, and by all of them together.
    as_resistance : bool
        Whether 1 − rate is what is reported.
    """

    attack: str
    rates: tuple[DiscriminationRate, ...]
    as_resistance: bool = False
    notes: tuple[Text, ...] = ()

    @property
    def worst(self) -> DiscriminationRate | None:
        """The highest rate; None where none is defined."""
        defined = [one for one in self.rates if one.rate is not None]
        return max(defined, key=lambda one: one.rate or 0.0) if defined else None

    def rate(self, *by: str, of: str | None = None) -> DiscriminationRate:
        """The rate by some keys, in whatever order they are named, of an attribute."""
        for one in self.rates:
            if set(one.by) == set(by) and of in (None, one.of):
                return one
        raise KeyError(by)

    def to_frame(self) -> pd.DataFrame:
        """One row an attribute and the keys that tell of it."""
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

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the rate, or the resistance, of each set of keys.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.measures.discrimination._rate_pictures import attack_bars

        return attack_bars(self, ax)

    def content(self, *, records: bool) -> dict[str, Any]:
        return {
            "finding": self.attack,
            "as_resistance": self.as_resistance,
            "rates": [
                {**one.content(records=records), "resistance": one.resistance} for one in self.rates
            ],
            "notes": [str(note) for note in self.notes],
        }

    def summary(self) -> str:
        first = self.rates[0]
        head = f"{self.attack.capitalize()}, in {first.source}"
        word = "resistance (1 − discrimination rate)" if self.as_resistance else (
            "discrimination rate")  # fmt: skip
        rows = [(f"{one.of} by {keys_text(one.by)}", one) for one in self.rates]
        width = max(len(label) for label, _ in rows)
        lines = [f"{head}: {word}"]
        for label, one in rows:
            number = one.resistance if self.as_resistance else one.rate
            lines.append(f"  {label:{width}}  {one.undefined or rate_text(number)}")
        return "\n".join([*lines, *(f"  Note: {note}" for note in self.notes)])


@dataclass(frozen=True, kw_only=True)
class RateChange:
    """What generalizing some keys took away of what they say.

    Attributes
    ----------
    original, generalized : tuple of str
        The keys.
    before, after : float or None
        Their rates.
    """

    original: tuple[str, ...]
    generalized: tuple[str, ...]
    before: float | None
    after: float | None

    @property
    def taken(self) -> float | None:
        """``before − after``."""
        return _difference(self.before, self.after)


@dataclass(frozen=True, kw_only=True)
class ValueChange:
    """What generalizing one value took away of what it says.

    Attributes
    ----------
    key, value, cell : str
        The original key, a value of it, and the cell that is published for it.
    records : int
        How many records have both.
    before, after : float or None
        The rates of the value and of the cell.
    """

    key: str
    value: str
    cell: str
    records: int
    before: float | None
    after: float | None

    @property
    def taken(self) -> float | None:
        """``before − after``."""
        return _difference(self.before, self.after)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Skewness(Finding):
    """What generalizing took away of what the keys say: the rate before minus the rate after.

    Attributes
    ----------
    changes : tuple of RateChange
        For each key, and for all of them together.
    values : tuple of ValueChange
        For each value and the cell published for it; those that lost least first.
    undefined : str or None
        Why there are no rates, where there are none.
    """

    changes: tuple[RateChange, ...]
    values: tuple[ValueChange, ...]
    of: str
    records: int
    source: str
    undefined: str | None = None
    notes: tuple[Text, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """One row a value and the cell published for it."""
        import pandas as pd

        return pd.DataFrame(
            {word: [getattr(one, word) for one in self.values] for word in _VALUE_WORDS}
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the rate of each set of keys before and after.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.measures.discrimination._rate_pictures import taken_bars

        return taken_bars(self, ax)

    def content(self, *, records: bool) -> dict[str, Any]:
        content: dict[str, Any] = {
            "finding": "skewness",
            "source": self.source,
            "of": self.of,
            "records": self.records,
            "undefined": self.undefined,
            "changes": [
                {
                    "original": list(one.original), "generalized": list(one.generalized),
                    "before": one.before, "after": one.after, "taken": one.taken,
                }
                for one in self.changes
            ],
            "notes": [str(note) for note in self.notes],
        }  # fmt: skip
        if records:
            content["values"] = [
                {word: getattr(one, word) for word in _VALUE_WORDS} for one in self.values
            ]
        return content

    def summary(self) -> str:
        head = f"Skewness: what generalizing took away of what the keys say of {self.of}"
        if self.undefined:
            return f"{head}: {self.undefined}"
        rows = [(f"{keys_text(o.original)} → {keys_text(o.generalized)}", o.before,
                 o.after, o.taken) for o in self.changes]  # fmt: skip
        width = max(len(row[0]) for row in rows)
        lines = [head, f"  {'':{width}}  before  after  taken"]
        lines += [
            f"  {label:{width}}  {rate_text(before):>6}  {rate_text(after):>5}  "
            f"{rate_text(taken):>5}"
            for label, before, after, taken in rows
        ]
        if self.values:
            lines.append("  Of values, least is taken from:")
            lines += [
                f"    {one.key}={one.value} in {one.cell}: {rate_text(one.taken)}"
                for one in self.values[:_SHOWN]
            ]
        return "\n".join([*lines, *(f"  Note: {note}" for note in self.notes)])


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else before - after
