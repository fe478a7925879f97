"""All measures of utility of a release at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil.errors import Call, InputError, Text
from unveil.findings import Finding
from unveil.measures._average_class_size import AverageClassSize, ClassSizeLooking, check_k
from unveil.measures._classes import one_pass
from unveil.measures._classifier_utility import ClassifierUtility, classifier_utility
from unveil.measures._counted import count
from unveil.measures._discernibility import Discernibility, discernibility_looking, way_text
from unveil.measures._entropy_loss import EntropyLoss, entropy_loss
from unveil.measures._information_loss import InformationLoss, information_loss
from unveil.measures._released import refuse_untrue, release_of, share_text
from unveil.measures._suppression import Suppression, suppression
from unveil.microdata import AnyRelease, Microdata, Release

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from unveil.sanitize import Sanitizer

__all__ = ["Utility", "utility"]


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
        If one was asked for.
    made_by : str
    source : str
        The original.
    notes : tuple of str or Message
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
        """The measures that each column has."""
        return {
            "information loss": dict(self.information_loss.by_column),
            "entropy loss": self.entropy_loss.by_column,
            "suppressed cells": dict(self.suppression.by_column),
        }

    def to_frame(self) -> pd.DataFrame:
        """One row per measure, and one per measure and quasi-identifier.

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
        """Draw what is lost of each quasi-identifier, by each measure (needs matplotlib)."""
        from unveil.measures._released import lost_bars

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


def utility(
    release: Release | Sanitizer | Callable[[Any], Any],
    microdata: Microdata,
    *,
    k: int | None = None,
    classifier: bool | None = None,
    model: Any = None,
    of: str | None = None,
    held_out: float = 0.3,
    repeats: int = 10,
    seed: int = 0,
    progress: bool | None = None,
) -> Utility:
    """All measures of utility of a release.

    Parameters
    ----------
    release : Release, Sanitizer or callable
        What is measured; a sanitizer is run on the microdata.
    microdata : Microdata
        The original table.
    k : int, optional
        How large classes have to be; see `average_class_size`.
    classifier : bool, optional
        Also train a classifier. Default: only if ``model`` or ``of`` is given.
    model, of, held_out, repeats, seed, progress
        Options of the classifier; see `classifier_utility`.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [28, 36, 47, 53, 72], "gender": ["M", "M", "F", "M", "F"],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"]},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> uv.utility(uv.Mondrian(k=2), patients, k=2)
    Utility of Mondrian(k=2), a release of table
      5 records in 2 classes
      information loss    50.7% (0: nothing is lost, 100%: everything)
      entropy loss        61.6%
      discernibility      13 = 40.00% of the way from best to worst
      average class size  2.5 = 1.25 × 2, the goal
      suppressed          0.0% of the records, 30.0% of the cells
      column  information loss  entropy loss  suppressed cells
      age                41.4%         58.2%              0.0%
      gender             60.0%         69.6%             60.0%
    """
    goal = check_k(k)
    trained: ClassifierUtility | None = None
    if classifier or (classifier is None and (model is not None or of is not None)):
        # First, because it may refuse its options; it runs a sanitizer on the training parts.
        trained = classifier_utility(
            release, microdata, model=model, of=of, held_out=held_out, repeats=repeats,
            seed=seed, progress=progress,
        )  # fmt: skip
    published = release_of(_made(release, microdata), microdata, "utility")
    refuse_untrue(published, "utility")
    counts = count(published)
    told, size = one_pass(
        counts,
        [discernibility_looking(published, counts, microdata), ClassSizeLooking(counts, k=goal)],
    )
    assert isinstance(told, Discernibility)
    assert isinstance(size, AverageClassSize)
    entropies = entropy_loss(published, microdata)
    heard = trained.notes if trained is not None else ()
    return Utility(
        information_loss=information_loss(published, microdata),
        entropy_loss=entropies,
        discernibility=told,
        class_size=size,
        suppression=suppression(published, microdata),
        classifier=trained,
        made_by=published.made_by,
        source=microdata.source,
        notes=tuple(dict.fromkeys((*published.notes, *entropies.notes, *heard))),
    )


def _made(release: Any, microdata: Any) -> Any:
    """The release, made now if it is a sanitizer."""
    if isinstance(release, AnyRelease):
        return release
    from unveil.sanitize import Sanitizer, as_microdata, as_sanitizer  # takes a second: numba

    if not callable(release) and not isinstance(release, Sanitizer):
        raise InputError(
            "utility needs a release or a sanitizer, but got a {kind}; read a published table as "
            "a release with {call}",
            kind=type(release).__name__,
            call=Call("read_release"),
        )
    return as_sanitizer(release).sanitize(as_microdata(microdata, "utility"))
