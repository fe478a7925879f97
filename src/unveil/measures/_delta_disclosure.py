"""δ-disclosure privacy: no class changes the share of a sensitive value by much.

J. Brickell, V. Shmatikov, *The Cost of Privacy: Destruction of Data-Mining Utility in Anonymized
Data Publishing*, KDD 2008.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
import pandas as pd

from unveil.engine.counting import Contingency, Histograms
from unveil.errors import Text
from unveil.findings import Story
from unveil.measures._classes import (
    ClassMeasure,
    Extreme,
    as_pairs,
    by_value_of,
    measured,
    of_the_counts,
    top_values,
)
from unveil.measures._counted import Counting, count
from unveil.measures._texts import bar_chart, in_words, joined


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

    def _facts(self, *, records: bool) -> dict[str, Any]:
        by_value = {
            value: {"delta": delta, "lacking": self.lacking[value]}
            for value, delta in self.by_value.items()
        }
        return {
            "logarithm": "natural",
            **self.attributes("delta finite"),
            **({"by_value": by_value} if records else {}),
            "deciding": self.deciding.content(records=records),
        }

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
        delta = in_words(self.delta)
        return Story(
            title=f"δ-disclosure privacy of {self.source}: δ = {delta} (natural logarithm)",
            about=about,
            charts=[
                bar_chart(
                    f"{self.sensitive} in {self.source}: δ = {delta}",
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


class DeltaDisclosureLooking:
    """Looks for the values whose share changes most."""

    def __init__(self, counts: Contingency) -> None:
        self._counts, self._secret = counts, counts.need_secret("δ-disclosure privacy")
        self._present = int((counts.totals > 0).sum())
        self._by_value = np.zeros(len(counts.totals))
        self._having = np.zeros(len(counts.totals), dtype=np.int64)
        self._classes = 0
        self._extreme = Extreme(counts)

    def look(self, block: Histograms) -> None:
        in_class, in_table = as_pairs(self._counts, block)
        change = np.abs(np.log(in_class / in_table))
        np.maximum.at(self._by_value, block.codes, change)
        np.add.at(self._having, block.codes, block.weights[block.class_of])
        self._classes += int(block.weights.sum())
        complete = block.distinct == self._present
        self._extreme.look(block, np.where(complete, block.largest(change), np.inf))

    def finding(self) -> DeltaDisclosure:
        totals, lacking = self._counts.totals, self._classes - self._having
        finite = float(self._by_value.max())
        return DeltaDisclosure(
            **of_the_counts(self._counts),
            sensitive=self._secret.name,
            delta=math.inf if (lacking[totals > 0] > 0).any() else finite,
            finite=finite,
            by_value=by_value_of(self._secret, self._by_value, totals),
            lacking={
                value: int(number)
                for value, number in by_value_of(self._secret, lacking, totals).items()
            },
            deciding=self._extreme.deciding(),
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
