"""Which keys say most: discrimination rates of all sets of keys up to a size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, ClassVar, NamedTuple, Unpack

import pandas as pd
from annotated_types import Ge

from unveil.errors import Chosen, InputError, Known, Message, Option, Text
from unveil.findings import Axis, Chart, Matrix, Series, Story, Table, Value, cell, numbers
from unveil.measures._counted import Counting, Reading, Wildcard
from unveil.measures._declared import DISCRIMINATION
from unveil.measures._partitions import Categories
from unveil.measures._texts import rate_text
from unveil.measures.discrimination._common import ConditionalEntropy, RateFinding, asked
from unveil.options import Help, Knows, Shell, by_person, checked

_ALL_SETS = 8  # with so many keys or fewer, all sets can be counted
_KEYS = 2  # of a set in a chart: more would be a wall of numbers
_RANKED = 12  # sets in a chart
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

    entry: ClassVar[str] = "discrimination-rate"

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
        return pd.DataFrame(
            {
                "by": ", ".join(one.by), "keys": len(one.by), "rate": one.rate, "left": one.left,
                **{f"without {key}": one.without.get(key) for key in self.keys},
            }
            for one in self.ranked
        )  # fmt: skip

    @property
    def figures(self) -> tuple[Value, ...]:
        rates = [one.rate for one in self.ranked if one.rate is not None]
        return (DISCRIMINATION.of(max(rates, default=None)),)

    @property
    def facts(self) -> Mapping[str, Any]:
        return {**super().facts, **self.attributes("keys at_most adds ranked")}

    def story(self, release: Text | None = None) -> Story:
        head = (
            f"Discrimination rates of {self.of}, in {self.source}, by "
            f"{'single keys' if self.at_most == 1 else f'up to {self.at_most} keys'}"
        )
        if self.undefined:
            return Story(title=f"{head}: {self.undefined}")
        more = len(self.ranked) - _SHOWN
        few = {one.by: one.rate or 0.0 for one in self.ranked if len(one.by) <= _KEYS}
        telling = max(few, key=lambda by: few[by])
        return Story(
            title=head,
            verdict=Message(
                "{what} tells most of {secret} is {keys}.", keys=Chosen(" and ".join(telling)),
                what="What" if release is None else Message("Under {it}, what", it=release),
                secret=Known(self.of),
            ) if few[telling] else "",
            sentences=[f"{more:,} more sets are not listed."] if more > 0 else [],
            tables=[
                _table("keys", "rate", {", ".join(s.by): s.rate for s in self.ranked[:_SHOWN]}),
                _table("a key", "adds on average", self.adds),
            ],
            charts=[
                Chart(
                    kind="bars",
                    title="The most telling columns and pairs of columns",
                    says=f"the {_RANKED} highest rates, in each release",
                    x=Axis(label="", scale="names"),
                    y=Axis(label="discrimination rate"),
                    series=[
                        Series(name=release or self.source, x=[" + ".join(by) for by in few],
                               y=numbers(few.values()), people=self.records)
                    ],
                    most=_RANKED,
                ),
                *self._pairs(release),
            ],
        )  # fmt: skip

    def _pairs(self, release: Text | None) -> list[Chart]:
        """The rates of all pairs of keys, single keys on the diagonal."""
        if self.at_most < 2 and len(self.keys) > 1:
            return []
        rates = {frozenset(one.by): one.rate for one in self.ranked if len(one.by) <= _KEYS}
        cells = [[rates[frozenset({a, b})] for b in self.keys] for a in self.keys]
        return [
            Chart(
                kind="heatmap",
                title=Message("What pairs of columns tell under {it}", it=release or self.source),
                says=f"discrimination rate of {self.of} by two columns; on the diagonal, by one",
                x=Axis(label="", scale="names"),
                y=Axis(label="discrimination rate"),
                matrix=Matrix(rows=list(self.keys), columns=list(self.keys), cells=cells),
            )
        ]


def _table(first: str, second: str, rates: Mapping[str, float | None]) -> Table:
    """Rates by name; only in a text."""
    return Table(
        columns=[first, second],
        rows=[[name, cell(rate, rate_text)] for name, rate in rates.items()],
    )


@checked
@by_person
def discrimination_rates(
    release: Any,
    *,
    at_most: Annotated[
        int | None, Ge(1),
        Help(
            "Largest number of keys in a set. None: all of up to eight keys, and pairs of more."
        ),
        Shell(metavar="N"),
    ] = 2,
    of: Annotated[
        str | None,
        Help("What the attacker wants to know. Default: the sensitive column."),
        Shell(metavar="COLUMN"),
    ] = None,
    knows: Knows = None,
    partition: Categories = None,
    wildcard: Wildcard = None,
    **counting: Unpack[Reading],
) -> DiscriminationRates:  # fmt: skip
    """Rank all sets of keys, up to a size, by how much they say of an attribute.

    Parameters
    ----------
    release : Release, Microdata, table, path, Ibis table or counts
        What is measured; see `count`.
    **counting
        See `count`.

    Returns
    -------
    DiscriminationRates

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [30, 30, 40, 40], "sex": ["f", "m", "f", "m"],
    ...      "disease": ["flu", "aids", "none", "none"]}, quasi=["age", "sex"],
    ...     sensitive="disease")
    >>> uv.discrimination_rates(patients)
    Discrimination rates of disease, in table, by up to 2 keys
    <BLANKLINE>
      keys        rate
      age, sex   1.000
      age        0.667
      sex        0.333
    <BLANKLINE>
      a key   adds on average
      age               0.667
      sex               0.333
    <BLANKLINE>
      What tells most of disease is age and sex.
    """
    options: Counting = {**counting, "wildcard": wildcard}
    counts = asked(release, of, knows, options).in_memory()
    whole = ConditionalEntropy(counts, partition)
    if at_most is None:
        at_most = len(counts.keys) if len(counts.keys) <= _ALL_SETS else _KEYS
    at_most = min(at_most, len(counts.keys))
    number = sum(math.comb(len(counts.keys), size) for size in range(1, at_most + 1))
    if number > _MOST:
        raise InputError(
            "{keys} keys have {number} sets of at most {size}, and at most {most} are counted: "
            "name fewer keys with {knows}, or lower {at_most}",
            keys=len(counts.keys), number=number, size=at_most, most=_MOST, knows=Option("knows"),
            at_most=Option("at_most"),
        )  # fmt: skip
    sets = _key_sets(
        {
            # Not the counts of all sets at once, which are large.
            by: _Said.by(ConditionalEntropy(counts.over(by), whole.partition).of_all())
            for size in range(1, at_most + 1)
            for by in combinations(counts.keys, size)
        }
    )
    return DiscriminationRates(
        **whole.about,
        ranked=tuple(sorted(sets, key=_order)),
        adds=_what_keys_add(counts.keys, sets),
        keys=counts.keys,
        at_most=at_most,
    )


class _Said(NamedTuple):
    """What a set of keys says."""

    rate: float | None
    left: float

    @classmethod
    def by(cls, entropy: ConditionalEntropy) -> _Said:
        return cls(entropy.rate, entropy.left)


def _key_sets(found: dict[tuple[str, ...], _Said]) -> list[KeySet]:
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
