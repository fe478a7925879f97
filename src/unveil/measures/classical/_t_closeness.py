"""t-closeness: no class's sensitive values are further than t from the whole table's.

N. Li, T. Li, S. Venkatasubramanian, *t-Closeness: Privacy Beyond k-Anonymity and ℓ-Diversity*,
ICDE 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from unveil.engine.counting import Contingency, Histograms
from unveil.measures._counted import Counting, count
from unveil.measures._deciding import Extreme
from unveil.measures._one_pass import ExactSum
from unveil.measures.classical._common import (
    ClassMeasure,
    by_value_of,
    decided_by,
    in_words,
    measured,
    of_the_counts,
    shares_of,
)
from unveil.measures.classical._earth_movers import check_distance, chosen
from unveil.microdata import Hierarchy

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["TCloseness", "TClosenessLooking", "t_closeness"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TCloseness(ClassMeasure):
    """How far the sensitive values of a class are from those of the whole table.

    Attributes
    ----------
    t : float
        The distance of the class that is furthest off.
    mean : float
        The distance of a record's class, on average over all records. Where classes overlap, a
        record counts once in each class it is in.
    distance : str
        The ground distance: ``"equal"``, ``"ordered"`` or ``"hierarchical"``.
    distance_in_words : str
    shares : dict of str to float
        The share of the whole table that each sensitive value has.
    deciding : Deciding
        The classes that are furthest off.
    """

    t: float
    mean: float
    distance: str
    distance_in_words: str
    shares: dict[str, float]

    def to_frame(self) -> pd.DataFrame:
        """One row a sensitive value: its share of the table, and of a class furthest off."""
        import pandas as pd

        furthest = self.deciding.classes[0]
        in_class = [furthest.counts.get(value, 0) / furthest.records for value in self.shares]
        return pd.DataFrame(
            {"value": list(self.shares), "table": list(self.shares.values()), "class": in_class}
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the shares of the table beside those of a class that is furthest off.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.measures.classical._pictures import share_bars

        return share_bars(self, ax)

    def content(self, *, records: bool) -> dict[str, Any]:
        return {
            **self.head("t-closeness"),
            "t": self.t,
            "mean": self.mean,
            "distance": self.distance,
            "distance_in_words": self.distance_in_words,
            "deciding": self.deciding.content(records=records),
        }

    def summary(self) -> str:
        return self.lines(
            f"t-closeness of {self.source}: t = {in_words(self.t)} in {self.sensitive}",
            f"distance {self.distance_in_words}",
            f"on average over the records {in_words(self.mean)}",
            decided_by(self.deciding),
        )


class TClosenessLooking:
    """Looks for the classes that are furthest off."""

    def __init__(self, counts: Contingency, *, distance: str | Hierarchy | None = None) -> None:
        self._counts, self._secret = counts, counts.need_secret("t-closeness")
        self._distance = chosen(counts, self._secret, distance)
        self._furthest = Extreme(counts)
        self._sum = ExactSum()
        self._in_classes = 0

    def look(self, block: Histograms) -> None:
        """Take some classes into account."""
        distances = self._distance(block)
        self._furthest.look(block, distances)
        in_classes = block.weights * block.sizes
        self._sum.add(in_classes * distances)
        self._in_classes += int(in_classes.sum())

    def finding(self) -> TCloseness:
        """What was found."""
        counts = self._counts
        return TCloseness(
            **of_the_counts(counts),
            t=self._furthest.score,
            mean=self._sum.value / self._in_classes,
            distance=self._distance.name,
            distance_in_words=self._distance.said,
            shares=by_value_of(self._secret, shares_of(counts), counts.totals),
            deciding=self._furthest.deciding(),
        )


def t_closeness(
    table: Any, *, distance: str | Hierarchy | None = None, **counting: Unpack[Counting]
) -> TCloseness:
    """How far the sensitive values of a class are from the whole table's (Li et al. 2007).

    The distance is the earth mover's, from 0 to 1. What it costs to move a share from one value
    to another is

    - ``"equal"``: 1 between any two values.
    - ``"ordered"``: the difference of their ranks, over that of the first and the last value. The
      ranks are those in the whole domain: all levels that were declared, all numbers that the
      table was read with, also where nobody has them.
    - ``"hierarchical"``: the height of the lowest node above both, over that of the root. The
      height of a node is the longest way down to a leaf.

    Parameters
    ----------
    table : Release, Microdata, data frame, path, Ibis table or Contingency
    distance : {"equal", "ordered", "hierarchical"} or Hierarchy, optional
        By default ``"hierarchical"`` if the sensitive column has a hierarchy, else ``"ordered"``
        if it has an order, else ``"equal"``. A hierarchy given here is used instead of its own.
    **counting
        How the table is counted: see `unveil.measures.count`.

    Examples
    --------
    >>> import unveil as uv
    >>> from unveil.measures.classical import t_closeness
    >>> staff = uv.read_table(
    ...     {"age": ["2*", "2*", "2*", "3*", "3*", "3*"], "salary": [3, 4, 5, 4, 5, 6]},
    ...     quasi=["age"], sensitive="salary")
    >>> t_closeness(staff)
    t-closeness of table: t = 0.1667 in salary
      distance ordered: by rank among 4 values of salary
      on average over the records 0.1667
      decided by 2 classes: age=2* (3 records); age=3* (3 records)
    >>> t_closeness(staff, distance="equal").to_frame().head(2)
      value     table     class
    0     3  0.166667  0.333333
    1     4  0.333333  0.333333
    """
    check_distance(distance)
    counts = count(table, **counting)
    return measured(counts, TClosenessLooking(counts, distance=distance))
