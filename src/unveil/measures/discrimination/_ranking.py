"""Which keys say most: discrimination rates of all sets of keys up to a size."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from unveil._axes import new_axes, written
from unveil.errors import InputError, Option
from unveil.measures._classes import whole_number
from unveil.measures._counted import Counting
from unveil.measures._partitions import Partition
from unveil.measures._texts import rate_text
from unveil.measures.discrimination._common import (
    ConditionalEntropy,
    Keys,
    RateFinding,
    asked,
    colour_table,
    conditional_entropy,
    over,
    refuse_undefined,
    secret_apart,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["DiscriminationRates", "KeySet", "discrimination_rates"]

_BARS = 20
_MOST = 5_000  # sets of keys that are counted
_DIGITS = 12
_SHOWN = 15


@dataclass(frozen=True, kw_only=True)
class KeySet:
    """A set of keys, and what it says.

    Attributes
    ----------
    by : tuple of str
    rate : float or None
    left : float
        H(X|Y), in bits.
    without : dict of str to (float or None)
        How much the rate falls without each of the keys.
    """

    by: tuple[str, ...]
    rate: float | None
    left: float
    without: dict[str, float | None]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DiscriminationRates(RateFinding):
    """Sets of keys, ranked by how much they say of an attribute.

    Attributes
    ----------
    ranked : tuple of KeySet
        The highest rate first; of equal rates, fewer keys first.
    adds : dict of str to (float or None)
        What a key adds to the rate, on average over the sets that it joins, the empty set
        included; the key that adds most first.
    keys : tuple of str
    at_most : int
        Largest number of keys in a set.
    """

    ranked: tuple[KeySet, ...]
    adds: dict[str, float | None]
    keys: tuple[str, ...]
    at_most: int

    def rate(self, *by: str) -> float | None:
        """The rate of some keys, in any order."""
        for one in self.ranked:
            if set(one.by) == set(by):
                return one.rate
        raise KeyError(by)

    def to_frame(self) -> pd.DataFrame:
        """One row per set of keys, ranked, with how much the rate falls without each key."""
        import pandas as pd

        table: dict[str, list[Any]] = {
            "by": [", ".join(one.by) for one in self.ranked],
            "keys": [len(one.by) for one in self.ranked],
            "rate": [one.rate for one in self.ranked],
            "left": [one.left for one in self.ranked],
        }
        for key in self.keys:
            table[f"without {key}"] = [one.without.get(key) for one in self.ranked]
        return pd.DataFrame(table)

    def content(self, *, records: bool) -> dict[str, Any]:
        return {
            **self.head("discrimination rates"),
            "keys": list(self.keys),
            "at_most": self.at_most,
            "adds": self.adds,
            "ranked": [
                {"by": list(one.by), "rate": one.rate, "left": one.left, "without": one.without}
                for one in self.ranked
            ],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the sets of the highest rates as bars (needs matplotlib)."""
        refuse_undefined(self.of, self.undefined)
        ax = new_axes() if ax is None else ax
        shown = self.ranked[:_BARS][::-1]
        rates = [one.rate or 0.0 for one in shown]
        drawn = ax.barh([written(" + ".join(one.by)) for one in shown], rates, color="#2c7fb8")
        ax.bar_label(drawn, [f"{rate:.3f}" for rate in rates], padding=3)
        more = len(self.ranked) - len(shown)
        rest = f" ({more:,} more are not drawn)" if more else ""
        ax.set_title(f"{self._title()}{rest}", fontsize=10)
        ax.set_xlabel("discrimination rate")
        ax.set_xlim(0, 1.1 * (max(rates) or 1.0))  # with room for the number beside the bar
        ax.spines[["top", "right"]].set_visible(False)
        return ax

    def plot_pairs(self, ax: Axes | None = None) -> Axes:
        """Draw the rates of all pairs of keys as a table of colours, single keys on the diagonal.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        if self.at_most < 2:
            raise InputError(
                "a picture of pairs needs sets of two keys: ask for {option}",
                option=Option("at_most", 2),
            )
        refuse_undefined(self.of, self.undefined)
        keys = self.keys
        rates = np.full((len(keys), len(keys)), np.nan)
        for i, key in enumerate(keys):
            for j, other in enumerate(keys[: i + 1]):
                rates[i, j] = self.rate(*{key, other}) or 0.0
        names = [written(key) for key in keys]
        title = f"{self._title()}, pairs of keys"
        return colour_table(rates, ax, rows=names, columns=names, title=title, slant=True)

    def _title(self) -> str:
        category = "the category of " if self.partition else ""
        return written(f"What the keys say of {category}{self.of}, in {self.source}")

    def summary(self) -> str:
        head = (
            f"Discrimination rates of {self.of}, in {self.source}, by "
            f"{'single keys' if self.at_most == 1 else f'up to {self.at_most} keys'}"
        )
        if self.undefined:
            return f"{head}: {self.undefined}"
        shown = self.ranked[:_SHOWN]
        width = max(len(", ".join(one.by)) for one in shown)
        lines = [head, *(f"  {', '.join(one.by):{width}}  {rate_text(one.rate)}" for one in shown)]
        if len(shown) < len(self.ranked):
            lines.append(f"  … and {len(self.ranked) - len(shown):,} more")
        width = max(len(key) for key in self.keys)
        lines += [
            "  What a key adds, on average over the sets that it joins:",
            *(f"    {key:{width}}  {rate_text(adds)}" for key, adds in self.adds.items()),
        ]
        return self.lines(*lines)


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
        Largest number of keys in a set.
    of : str, optional
        What the attacker wants to know. Default: the sensitive column.
    by : str or sequence of str, optional
        The keys that sets are made of. Default: all.
    partition : optional
        The categories, if the attacker wants only the category; see `Partition.of`.
    **counting
        See `count`.

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
    whole_number(at_most, "at_most", 1)
    counts = asked(table, of, by, counting).in_memory()
    secret = secret_apart(counts)
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
    if number > _MOST:
        raise InputError(
            "{keys} keys have {number} sets of at most {size}, and at most {most} are counted: "
            "name fewer keys with {by}, or lower {at_most}",
            keys=keys, number=number, size=at_most, most=_MOST, by=Option("by"),
            at_most=Option("at_most"),
        )  # fmt: skip


def _sets_of(keys: Sequence[str], at_most: int) -> Iterator[tuple[str, ...]]:
    for size in range(1, at_most + 1):
        yield from combinations(keys, size)


def _key_sets(found: dict[tuple[str, ...], ConditionalEntropy]) -> list[KeySet]:
    sets = []
    for by, entropy in found.items():
        without: dict[str, float | None] = {}
        for key in by:
            rest = found.get(tuple(other for other in by if other != key))
            # The empty set says nothing: its rate is 0.
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
