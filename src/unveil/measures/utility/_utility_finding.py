"""All measures of utility of one release, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil.errors import Text
from unveil.findings import Finding
from unveil.measures.utility._class_size import AverageClassSize
from unveil.measures.utility._classifier_utility import ClassifierUtility
from unveil.measures.utility._discernibility import Discernibility, way_text
from unveil.measures.utility._entropy_loss import EntropyLoss, share_text
from unveil.measures.utility._information_loss import InformationLoss
from unveil.measures.utility._suppression import Suppression

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Utility"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Utility(Finding):
    """What a release is still good for.

    Attributes
    ----------
    information_loss : InformationLoss
    entropy_loss : EntropyLoss
    discernibility : Discernibility
    class_size : AverageClassSize
    suppression : Suppression
    classifier : ClassifierUtility or None
        Where one was asked for.
    made_by : str
    source : str
        The original.
    notes : tuple of str
    """

    information_loss: InformationLoss
    entropy_loss: EntropyLoss
    discernibility: Discernibility
    class_size: AverageClassSize
    suppression: Suppression
    classifier: ClassifierUtility | None
    made_by: str
    source: str
    notes: tuple[Text, ...] = ()

    def _overall(self) -> list[tuple[str, float | int | None]]:
        """Every measure of the release as a whole."""
        rows: list[tuple[str, float | int | None]] = [
            ("information loss", self.information_loss.loss),
            ("entropy loss", self.entropy_loss.loss),
            ("discernibility", self.discernibility.cost),
            ("discernibility, normalized", self.discernibility.normalized),
            ("average class size", self.class_size.mean),
            ("average class size, over k", self.class_size.normalized),
            ("suppressed records", self.suppression.of_records),
            ("suppressed cells", self.suppression.of_cells),
        ]
        if self.classifier is not None:
            rows += [
                ("accuracy from the release", self.classifier.release.mean),
                ("accuracy from the original", self.classifier.original.mean),
                ("accuracy of the majority rule", self.classifier.majority.mean),
            ]
        return rows

    def _by_column(self) -> dict[str, dict[str, float | None]]:
        """The measures that a column has by itself, the columns in each."""
        return {
            "information loss": dict(self.information_loss.by_column),
            "entropy loss": self.entropy_loss.by_column,
            "suppressed cells": dict(self.suppression.by_column),
        }

    def to_frame(self) -> pd.DataFrame:
        """One row a measure, and one a measure and quasi-identifier where it has one for each.

        ``column`` is missing where the measure is of the release as a whole.
        """
        import pandas as pd

        rows: list[tuple[str, str | None, float | int | None]] = [
            (measure, None, value) for measure, value in self._overall()
        ]
        rows += [
            (measure, column, value)
            for measure, columns in self._by_column().items()
            for column, value in columns.items()
        ]
        measures, columns, values = zip(*rows, strict=True)
        return pd.DataFrame(
            {
                "measure": measures,
                "column": pd.array(columns, dtype="string"),
                "value": np.array(values, dtype=np.float64),
            }
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what is lost of each quasi-identifier, by each measure.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.measures.utility._pictures import lost_bars

        whole = {
            "information loss": self.information_loss.loss,
            "entropy loss": self.entropy_loss.loss,
            "suppressed cells": self.suppression.of_cells,
        }
        kinds = {name: (whole[name], columns) for name, columns in self._by_column().items()}
        return lost_bars(kinds, self.made_by, ax)

    def content(self, *, records: bool) -> dict[str, Any]:
        parts: dict[str, Finding | None] = {
            "information_loss": self.information_loss,
            "entropy_loss": self.entropy_loss,
            "discernibility": self.discernibility,
            "average_class_size": self.class_size,
            "suppression": self.suppression,
            "classifier": self.classifier,
        }
        return {
            "finding": "utility",
            "source": self.source,
            "release": self.made_by,
            **{
                name: None if part is None else part.content(records=records)
                for name, part in parts.items()
            },
            "notes": [str(note) for note in self.notes],
        }

    def summary(self) -> str:
        size, told = self.class_size, self.discernibility
        missing = f"; {told.missing:,} are missing" if told.missing else ""
        normalized = told.normalized
        way = (
            "" if normalized is None else f" = {way_text(normalized)} of the way from best to worst"
        )
        k = "the goal" if size.goal else "the smallest class"
        lines = [
            f"Utility of {self.made_by}, a release of {self.source}",
            f"  {told.records:,} records in {told.classes:,} classes{missing}",
            f"  information loss    {self.information_loss.loss:.1%} (0: nothing is lost, "
            "100%: everything)",
            f"  entropy loss        {share_text(self.entropy_loss.loss)}",
            f"  discernibility      {told.cost:,}{way}",
            f"  average class size  {size.mean:,.4g} = {size.normalized:,.4g} × {size.k:,}, {k}",
            f"  suppressed          {self.suppression.of_records:.1%} of the records, "
            f"{self.suppression.of_cells:.1%} of the cells",
            *_table(self._by_column()),
        ]
        if self.classifier is not None:
            told_of = self.classifier
            lines.append(
                f"  {told_of.model} guesses {told_of.target} of {told_of.held_out:,} held-out "
                f"people, {told_of.repeats} splits:"
            )
            lines += [f"    {line}" for line in told_of.lines()]
        return "\n".join([*lines, *(f"  Note: {note}" for note in self.notes)])


def _table(measures: dict[str, dict[str, float | None]]) -> list[str]:
    """The columns, each with its share by every measure."""
    columns = list(next(iter(measures.values())))
    width = max(len("column"), *(len(name) for name in columns))
    head = f"  {'column':{width}}  {'  '.join(measures)}"
    return [head] + [
        f"  {name:{width}}  "
        + "  ".join(f"{share_text(m[name]):>{len(title)}}" for title, m in measures.items())
        for name in columns
    ]
