"""β-likeness: no sensitive value gains more than β in a class over its share of the table.

J. Cao, P. Karras, *Publishing Microdata with a Robust Privacy Guarantee*, PVLDB 5 (11), 2012. The
gain is relative, so rare values are protected as well as frequent ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.engine.counting import Contingency, Histograms
from unveil.errors import Text
from unveil.findings import Story, Value
from unveil.measures._classes import (
    ClassMeasure,
    Deciding,
    Extreme,
    as_pairs,
    by_value_of,
    measured,
    of_the_counts,
    shares_of,
    top_values,
)
from unveil.measures._counted import Counting, count
from unveil.measures._declared import BETA
from unveil.measures._texts import bar_chart, in_words, joined


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
    def figures(self) -> tuple[Value, ...]:
        return (BETA.of(self.basic),)

    def _facts(self, *, records: bool) -> dict[str, Any]:
        by_value = {
            value: {"gain": gain, "bound": self.bounds[value]} for value, gain in self.gains.items()
        }
        return {
            **self.attributes("basic enhanced"),
            **({"by_value": by_value} if records else {}),
            "deciding": self.deciding.content(records=records),
            "beyond": self.beyond.content(records=records),
        }

    def story(self, release: Text | None = None) -> Story:
        enhanced = (
            f"enhanced: for no β, {self.sensitive} = {joined(self.beyond_values)} gains more "
            f"than −ln q; furthest beyond: {self.beyond}"
            if self.enhanced is None
            else f"enhanced: β = {in_words(self.enhanced)}, no gain exceeds −ln q"
        )
        ranked = sorted(self.gains, key=lambda value: -self.gains[value])
        return Story(
            title=f"β-likeness of {self.source}: β = {in_words(self.basic)}",
            about=[
                f"the largest gain is that of {self.sensitive} = {joined(self.values)}"
                if self.basic > 0
                else "every class has the shares of the whole table",
                self.decided_by,
                enhanced,
            ],
            charts=[
                bar_chart(
                    f"{self.sensitive} in {self.source}: β = {in_words(self.basic)}",
                    ranked,
                    {"largest gain": [self.gains[value] for value in ranked],
                     "−ln q, allowed (enhanced)": [self.bounds[value] for value in ranked]},
                    label="gain (p − q) / q of the share p of a class over the share q of the "
                    "table",
                )
            ],
        )  # fmt: skip


class BetaLikenessLooking:
    """Looks for the largest gains."""

    def __init__(self, counts: Contingency) -> None:
        self._counts, self._secret = counts, counts.need_secret("β-likeness")
        shares = shares_of(counts)
        # Values that nobody has are in no class; their bound is not used.
        self._bounds = -np.log(np.where(shares > 0, shares, 1.0))
        self._gains = np.zeros(len(shares))
        self._largest = Extreme(counts)
        self._furthest = Extreme(counts)

    def look(self, block: Histograms) -> None:
        in_class, in_table = as_pairs(self._counts, block)
        gains = np.maximum((in_class - in_table) / in_table, 0.0)
        np.maximum.at(self._gains, block.codes, gains)
        self._largest.look(block, block.largest(gains))
        excess: NDArray[np.float64] = gains - self._bounds[block.codes]
        self._furthest.look(block, block.largest(excess))

    def finding(self) -> BetaLikeness:
        totals, basic = self._counts.totals, float(self._gains.max())
        exceeded = bool((self._gains > self._bounds)[totals > 0].any())
        return BetaLikeness(
            **of_the_counts(self._counts),
            sensitive=self._secret.name,
            basic=basic,
            enhanced=None if exceeded else basic,
            gains=by_value_of(self._secret, self._gains, totals),
            bounds=by_value_of(self._secret, self._bounds, totals),
            deciding=self._largest.deciding(),
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
