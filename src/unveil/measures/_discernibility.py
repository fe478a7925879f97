"""Discernibility: from how many records each record cannot be told apart.

The discernibility metric of R. J. Bayardo and R. Agrawal, *Data Privacy through Optimal
k-Anonymization*, ICDE 2005: every record costs as much as its class has records, and a suppressed
record as much as the table has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from unveil.engine.counting import Contingency
from unveil.errors import Text
from unveil.findings import Story
from unveil.measures._classes import CountMeasure, SizeLooking, check_apart, measured
from unveil.measures._counted import Counting, count_people
from unveil.measures._released import missing_of
from unveil.measures._suppression import hidden_classes
from unveil.measures._texts import bar_chart
from unveil.microdata import Microdata, Permuted, Release

if TYPE_CHECKING:
    import pandas as pd

_HARDLY_ANY = 0.0001


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Discernibility(CountMeasure):
    """The cost of records that cannot be told apart.

    Attributes
    ----------
    cost : int
        Σ n² over the classes of n records that are not suppressed, plus the number of the
        original's records for every suppressed record.
    records, missing, hidden : int
        Number of records that are there, that are missing from the original, and that have all
        their keys hidden. Missing and hidden records are suppressed.
    classes : int
    deciding : Deciding
        The largest classes.
    """

    entry: ClassVar[str] = "discernibility"

    cost: int
    missing: int
    hidden: int
    classes: int

    @property
    def everybody(self) -> int:
        """Number of records of the original."""
        return self.records + self.missing

    @property
    def normalized(self) -> float | None:
        """From 0, all records differ, to 1, none can be told apart.

        None, undefined, for a table of one record, whose best is its worst.
        """
        best, worst = self.everybody, self.everybody**2
        return None if worst == best else (self.cost - best) / (worst - best)

    def to_frame(self) -> pd.DataFrame:
        """One row."""
        import pandas as pd

        return pd.DataFrame([self._numbers()])

    def _numbers(self) -> dict[str, Any]:
        return {
            "cost": self.cost,
            "normalized": self.normalized,
            "records": self.records,
            "missing": self.missing,
            "hidden": self.hidden,
            "classes": self.classes,
        }

    def _facts(self, *, records: bool) -> dict[str, Any]:
        return {
            **self.attributes("cost normalized missing hidden classes"),
            "deciding": self.deciding.content(records=records),
        }

    def story(self, release: Text | None = None) -> Story:
        way = self.normalized
        share = "undefined for one record" if way is None else way_text(way)
        gone = [f"{self.hidden:,} hidden"] if self.hidden else []
        gone += [f"{self.missing:,} missing"] if self.missing else []
        costs = [self.everybody, self.cost, self.everybody**2]
        return Story(
            title=f"Discernibility of {self.source}: {self.cost:,}",
            about=[
                f"on the way from {self.everybody:,} (all records unlike) to "
                f"{self.everybody**2:,} (all alike): {share}",
                f"{self.records:,} records in {self.classes:,} classes"
                f"{'; suppressed: ' + ', '.join(gone) if gone else ''}",
                f"largest: {self.deciding}",
            ],
            charts=[
                bar_chart(
                    f"Discernibility of {self.source}",
                    ["at best", "it is", "at worst"], {"cost": [float(one) for one in costs]},
                    label="discernibility: pairs of records that cannot be told apart",
                )
            ],
        )  # fmt: skip


def way_text(share: float) -> str:
    """How far a cost is on the way from best to worst; a small share is not shown as none.

    >>> way_text(0.0064), way_text(0.0), way_text(0.00003)
    ('0.64%', '0.00%', 'under 0.01%')
    """
    return "under 0.01%" if 0 < share < _HARDLY_ANY else f"{share:.2%}"


class DiscernibilityLooking(SizeLooking):
    """Adds up the cost of the classes.

    ``hidden`` has the sizes of the classes whose keys are all hidden (see `hidden_classes`);
    ``missing`` is the number of the original's records that were not released.
    """

    def __init__(
        self, counts: Contingency, *, hidden: Sequence[int] = (), missing: int = 0
    ) -> None:
        check_apart(counts, "discernibility")
        super().__init__(counts, least=False)
        self._hidden, self._missing = tuple(hidden), missing

    def finding(self) -> Discernibility:
        hidden = sum(self._hidden)
        # Python's whole numbers do not overflow.
        squares = sum(number * size**2 for size, number in self._sizes.by_size.items())
        told_apart = squares - sum(size**2 for size in self._hidden)
        everybody = self._counts.rows + self._missing
        return Discernibility(
            **self._measured(),
            cost=told_apart + (hidden + self._missing) * everybody,
            missing=self._missing,
            hidden=hidden,
            classes=self._sizes.classes,
        )


def discernibility(
    table: Any, *, original: Microdata | int | None = None, **counting: Unpack[Counting]
) -> Discernibility:
    """Discernibility: from how many records each record cannot be told apart, added up.

    A record in a class of n costs n. A suppressed record costs as much as the original has
    records, because it may be any of them. Suppressed records are those whose keys are all hidden
    (written ``*`` or, in a release, covering the whole column), and those that were not released.

    Parameters
    ----------
    table : Release, Microdata, table, path or Contingency
        What is measured.
    original : Microdata or int, optional
        The original table, or its number of records. Default: only records that were found
        missing when a release was read are missing.
    **counting
        See `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [28, 36, 47, 53, 72], "gender": ["M", "M", "F", "M", "F"],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"]},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> uv.discernibility(uv.Mondrian(k=2).sanitize(patients))
    Discernibility of the release by Mondrian(k=2): 13
      on the way from 5 (all records unlike) to 25 (all alike): 40.00%
      5 records in 2 classes
      largest: age=[47, 72], gender={F, M} (3 records)
    """
    counts = count_people(table, **counting)
    check_apart(counts, "discernibility")
    return measured(counts, discernibility_looking(table, counts, original))


def discernibility_looking(
    table: Any, counts: Contingency, original: Microdata | int | None
) -> DiscernibilityLooking:
    """Discernibility of a table that is already counted."""
    if counts.made_from is not None:  # a release knows what it has suppressed
        table = counts.made_from
    if original is None:
        missing = table.dropped if isinstance(table, Release | Permuted) else 0
    else:
        missing = missing_of(counts.rows, original)
    return DiscernibilityLooking(counts, hidden=hidden_classes(table, counts), missing=missing)
