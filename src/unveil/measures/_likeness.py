"""How much a class changes the share of a sensitive value: β-likeness and δ-disclosure privacy.

β-likeness: no value gains more than β in a class over its share of the table. J. Cao, P. Karras,
*Publishing Microdata with a Robust Privacy Guarantee*, PVLDB 5 (11), 2012. The gain is relative, so
rare values are protected as well as frequent ones.

δ-disclosure privacy: no share changes by much, up or down. J. Brickell, V. Shmatikov, *The Cost of
Privacy: Destruction of Data-Mining Utility in Anonymized Data Publishing*, KDD 2008.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.engine.counting import Contingency, Histograms
from unveil.errors import Text
from unveil.findings import Figure, Story
from unveil.measures._classes import (
    ClassMeasure,
    Deciding,
    Extreme,
    SecretLooking,
    measured,
    shares_of,
    top_values,
)
from unveil.measures._counted import Counting, count
from unveil.measures._declared import BETA
from unveil.measures._texts import bar_chart, in_words, joined


def _as_pairs(
    counts: Contingency, block: Histograms
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two numbers for each cell, in the ratio of its shares of the class and of the table.

    They are products of counts: equal shares stay equal, and no rounding adds up.
    """
    in_class = block.numbers.astype(np.float64) * counts.rows
    in_table = counts.totals[block.codes].astype(np.float64) * block.sizes[block.class_of]
    return in_class, np.asarray(in_table, dtype=np.float64)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BetaLikeness(ClassMeasure):
    """How much more frequent sensitive values are in a class than in the whole table.

    Attributes
    ----------
    basic : float
        The largest gain (p − q) / q, for a share p of a class and q of the table: the smallest
        β of basic β-likeness.
    enhanced : float or None
        The smallest β of enhanced β-likeness, where no gain may exceed −ln q either. It equals
        the basic one, or is None where a gain exceeds −ln q: then no β is large enough.
    gains, bounds : dict of str to float
        The largest gain of each sensitive value, and its −ln q.
    deciding : Deciding
        The classes with the largest gain.
    beyond : Deciding
        The classes that exceed −ln q furthest; none where `enhanced` is a number.
    """

    entry: ClassVar[str] = "beta-likeness"
    numbers: ClassVar[Mapping[Figure, str]] = {BETA: "basic"}
    said: ClassVar[str] = "basic enhanced"

    basic: float
    enhanced: float | None
    gains: dict[str, float]
    bounds: dict[str, float]
    beyond: Deciding

    @property
    def values(self) -> tuple[str, ...]:
        """The values with the largest gain."""
        return top_values(self.gains)

    @property
    def beyond_values(self) -> tuple[str, ...]:
        """The values that gain more than −ln q in some class, the largest excess first."""
        excess = {value: gain - self.bounds[value] for value, gain in self.gains.items()}
        return tuple(
            sorted((value for value in excess if excess[value] > 0), key=lambda v: -excess[v])
        )

    def to_frame(self) -> pd.DataFrame:
        """One row per sensitive value: its largest gain, and the bound −ln q."""
        rows = [(value, gain, self.bounds[value]) for value, gain in self.gains.items()]
        return pd.DataFrame(rows, columns=["value", "gain", "bound"])

    @property
    def private_facts(self) -> Mapping[str, Any]:
        by_value = self.to_frame().set_index("value").to_dict("index")
        return {**super().private_facts, "by_value": by_value}

    def story(self, release: Text | None = None) -> Story:
        enhanced = (
            f"enhanced: for no β, {self.sensitive} = {joined(self.beyond_values)} gains more "
            f"than −ln q; furthest beyond: {self.beyond}"
            if self.enhanced is None
            else f"enhanced: β = {in_words(self.enhanced)}, no gain exceeds −ln q"
        )
        beta = f"β = {in_words(self.basic)}"
        return Story(
            title=f"β-likeness of {self.source}: {beta}",
            about=[
                f"the largest gain is that of {self.sensitive} = {joined(self.values)}"
                if self.basic > 0
                else "every class has the shares of the whole table",
                self.decided_by,
                enhanced,
            ],
            charts=[
                self.value_chart(
                    beta,
                    {"largest gain": self.gains, "−ln q, allowed (enhanced)": self.bounds},
                    label="gain (p − q) / q of the share p of a class over the share q of the "
                    "table",
                )
            ],
        )


class BetaLikenessLooking(SecretLooking):
    """Looks for the largest gains."""

    measure = "β-likeness"

    def __init__(self, counts: Contingency) -> None:
        super().__init__(counts)
        shares = shares_of(counts)
        # Values that nobody has are in no class; their bound is not used.
        self._bounds = -np.log(np.where(shares > 0, shares, 1.0))
        self._furthest = Extreme(counts)

    def look(self, block: Histograms) -> None:
        in_class, in_table = _as_pairs(self._counts, block)
        gains = np.maximum((in_class - in_table) / in_table, 0.0)
        self._look_for_largest(block, gains)
        self._furthest.look(block, block.largest(gains - self._bounds[block.codes]))

    def finding(self) -> BetaLikeness:
        basic = float(self._by_value.max())
        exceeded = bool((self._by_value > self._bounds)[self._counts.totals > 0].any())
        return BetaLikeness(
            **self._measured(),
            basic=basic,
            enhanced=None if exceeded else basic,
            gains=self._named(self._by_value),
            bounds=self._named(self._bounds),
            beyond=self._furthest.deciding() if exceeded else Deciding(number=0, classes=()),
        )


def beta_likeness(table: Any, **counting: Unpack[Counting]) -> BetaLikeness:
    """β-likeness: the smallest β that holds (Cao & Karras 2012).

    With p for the share of a sensitive value in a class and q for its share of the whole table,
    an attacker who finds the class gains (p − q) / q. *Basic* β-likeness: no gain exceeds β.
    *Enhanced*: no gain exceeds β or −ln q, so that no value, however frequent, becomes certain.

    Parameters
    ----------
    table : Release, Microdata, data frame, path, Ibis table or Contingency
    **counting
        See `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": ["2*", "2*", "3*", "3*", "3*", "3*"],
    ...      "disease": ["flu", "none", "flu", "none", "none", "none"]},
    ...     quasi=["age"], sensitive="disease")
    >>> uv.beta_likeness(patients)
    β-likeness of table: β = 0.5
      the largest gain is that of disease = flu
      decided by 1 class: age=2* (2 records)
      enhanced: β = 0.5, no gain exceeds −ln q
    """
    counts = count(table, **counting)
    return measured(counts, BetaLikenessLooking(counts))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DeltaDisclosure(ClassMeasure):
    """How much a class changes the share of a sensitive value, as a logarithm.

    Attributes
    ----------
    delta : float
        The table is δ-disclosure private for every δ above this. Infinite if a class lacks a
        value that the table has.
    finite : float
        The largest \\|ln(p / q)\\| among the values that the classes do have.
    by_value : dict of str to float
        `finite` of each sensitive value.
    lacking : dict of str to int
        Number of classes that lack each sensitive value.
    deciding : Deciding
        The classes that decide `delta`.
    """

    entry: ClassVar[str] = "delta-disclosure privacy"
    said: ClassVar[str] = "logarithm delta finite"
    logarithm: ClassVar[str] = "natural"

    delta: float
    finite: float
    by_value: dict[str, float]
    lacking: dict[str, int]

    @property
    def in_bits(self) -> float:
        """`delta` with the logarithm to base 2."""
        return self.delta / math.log(2)

    @property
    def values(self) -> tuple[str, ...]:
        """The values that decide `delta`: those that most classes lack, if any does."""
        return top_values(self.lacking if math.isinf(self.delta) else self.by_value)

    def to_frame(self) -> pd.DataFrame:
        """One row per sensitive value."""
        rows = [(value, delta, self.lacking[value]) for value, delta in self.by_value.items()]
        return pd.DataFrame(rows, columns=["value", "delta", "lacking"])

    @property
    def private_facts(self) -> Mapping[str, Any]:
        by_value = self.to_frame().set_index("value").to_dict("index")
        return {**super().private_facts, "by_value": by_value}

    def story(self, release: Text | None = None) -> Story:
        about = [f"decided by {self.sensitive} = {joined(self.values)}", self.decided_by]
        if math.isinf(self.delta):
            most = self.lacking[self.values[0]]
            about[0] = (
                f"a class lacks a value: {most:,} {'class has' if most == 1 else 'classes have'} "
                f"no {self.sensitive} = {joined(self.values)}"
            )
            about.append(f"among the values that classes do have, δ = {in_words(self.finite)}")
        ranked = sorted(self.by_value, key=lambda v: (-self.lacking[v], -self.by_value[v]))
        delta = f"δ = {in_words(self.delta)}"
        return Story(
            title=f"δ-disclosure privacy of {self.source}: {delta} (natural logarithm)",
            about=about,
            charts=[
                bar_chart(
                    f"{self.sensitive} in {self.source}: {delta}",
                    [
                        f"{value} (lacking in {self.lacking[value]:,} classes)"
                        if self.lacking[value] else value
                        for value in ranked
                    ],
                    {"change": [self.by_value[value] for value in ranked]},
                    label="|ln(p / q)| at most, in the classes that have the value",
                )
            ],
        )  # fmt: skip


class DeltaDisclosureLooking(SecretLooking):
    """Looks for the values whose share changes most."""

    measure = "δ-disclosure privacy"

    def __init__(self, counts: Contingency) -> None:
        super().__init__(counts)
        self._lacking = np.zeros(len(counts.totals), dtype=np.int64)

    def look(self, block: Histograms) -> None:
        in_class, in_table = _as_pairs(self._counts, block)
        change = np.abs(np.log(in_class / in_table))
        np.maximum.at(self._by_value, block.codes, change)
        self._lacking += block.weights.sum()
        np.subtract.at(self._lacking, block.codes, block.weights[block.class_of])
        complete = block.distinct == (self._counts.totals > 0).sum()
        self._extreme.look(block, np.where(complete, block.largest(change), np.inf))

    def finding(self) -> DeltaDisclosure:
        lacking, finite = self._named(self._lacking), float(self._by_value.max())
        return DeltaDisclosure(
            **self._measured(),
            delta=math.inf if any(lacking.values()) else finite,
            finite=finite,
            by_value=self._named(self._by_value),
            lacking=lacking,
        )


def delta_disclosure(table: Any, **counting: Unpack[Counting]) -> DeltaDisclosure:
    """δ-disclosure privacy: the δ above which it holds (Brickell & Shmatikov 2008).

    With p for the share of a sensitive value in a class and q for its share of the whole table,
    \\|ln(p / q)\\| < δ for every class and every value that the table has. A value that a class
    lacks has p = 0: then no δ is large enough, and `DeltaDisclosure.delta` is infinite.

    Parameters
    ----------
    table : Release, Microdata, data frame, path, Ibis table or Contingency
    **counting
        See `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": ["2*", "2*", "3*", "3*", "3*", "3*"],
    ...      "disease": ["flu", "none", "flu", "none", "none", "none"]},
    ...     quasi=["age"], sensitive="disease")
    >>> uv.delta_disclosure(patients)
    δ-disclosure privacy of table: δ = 0.4055 (natural logarithm)
      decided by disease = flu
      decided by 1 class: age=2* (2 records)
    """
    counts = count(table, **counting)
    return measured(counts, DeltaDisclosureLooking(counts))
