"""All measures of utility of a release at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np
import pandas as pd
from annotated_types import Ge

from unveil import sanitize
from unveil.errors import Amount, Call, InputError, Message, Text
from unveil.findings import Axis, Chart, Finding, Follows, Matrix, Story, Value, numbers
from unveil.measures._classes import one_pass
from unveil.measures._classifier_utility import (
    ClassifierUtility,
    HeldOutShare,
    Repeats,
    classifier_utility,
)
from unveil.measures._counted import count_records
from unveil.measures._declared import LOSS, SUPPRESSED
from unveil.measures._discernibility import (
    Discernibility,
    Suppression,
    discernibility_looking,
    suppression,
)
from unveil.measures._losses import EntropyLoss, InformationLoss, entropy_loss, information_loss
from unveil.measures._released import Lost, column_table, lost_chart, release_of, share_text
from unveil.measures._sizes import AverageClassSize, ClassSizeLooking
from unveil.measures._texts import fine_percent
from unveil.microdata import AnyRelease, Microdata
from unveil.options import Help, Progress, Seed, Shell, by_person, checked


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

    entry: ClassVar[str] = "utility"

    information_loss: InformationLoss
    entropy_loss: EntropyLoss
    discernibility: Discernibility
    class_size: AverageClassSize
    suppression: Suppression
    classifier: ClassifierUtility | None
    made_by: str
    source: str
    notes: tuple[Text, ...] = ()

    @property
    def _overall(self) -> dict[str, float | int | None]:
        """Every measure of the release as a whole."""
        found: dict[str, float | int | None] = {
            "information loss": self.information_loss.loss,
            "entropy loss": self.entropy_loss.loss,
            "discernibility": self.discernibility.cost,
            "discernibility, normalized": self.discernibility.normalized,
            "average class size": self.class_size.mean,
            "average class size, over k": self.class_size.normalized,
            "suppressed records": self.suppression.of_records,
            "suppressed cells": self.suppression.of_cells,
        }
        if self.classifier is not None:
            found["accuracy from the release"] = self.classifier.release.mean
            found["accuracy from the original"] = self.classifier.original.mean
            found["accuracy of the majority rule"] = self.classifier.majority.mean
        return found

    @property
    def _lost(self) -> Lost:
        """The measures that each column has."""
        entropies, hidden = self.entropy_loss, self.suppression
        return {
            "information loss": (self.information_loss.loss, self.information_loss.by_column),
            "entropy loss": (entropies.loss, entropies.by_column),
            "suppressed cells": (hidden.of_cells, hidden.by_column),
        }

    def to_frame(self) -> pd.DataFrame:
        """One row per measure, and one per measure and quasi-identifier.

        ``column`` is missing where the measure is of the release as a whole.
        """
        by_column = [
            (measure, column, value)
            for measure, (_, columns) in self._lost.items()
            for column, value in columns.items()
        ]
        overall = [(measure, None, value) for measure, value in self._overall.items()]
        frame = pd.DataFrame([*overall, *by_column], columns=["measure", "column", "value"])
        return frame.astype({"column": "string", "value": np.float64})

    @property
    def figures(self) -> tuple[Value, ...]:
        return LOSS.of(self.information_loss.loss), SUPPRESSED.of(self.suppression.of_records)

    @property
    def follows_from(self) -> Follows:  # type: ignore[override]  # what was asked for decides
        return Follows.QUASI if self.classifier is None else Follows.SECRETS

    @property
    def _parts(self) -> dict[str, Finding | None]:
        return {
            "information_loss": self.information_loss,
            "entropy_loss": self.entropy_loss,
            "discernibility": self.discernibility,
            "average_class_size": self.class_size,
            "suppression": self.suppression,
            "classifier": self.classifier,
        }

    @property
    def facts(self) -> Mapping[str, Any]:
        facts = {name: None if one is None else one.facts for name, one in self._parts.items()}
        return {"source": self.source, "release": self.made_by, **facts}

    @property
    def private_facts(self) -> Mapping[str, Any]:
        return {
            name: {**one.facts, **one.private_facts}
            for name, one in self._parts.items() if one is not None
        }  # fmt: skip

    def story(self, release: Text | None = None) -> Story:
        loss, lost = self.information_loss, lost_chart(self._lost, self.made_by)
        trained = self.classifier
        return Story(
            title=f"Utility of {self.made_by}, a release of {self.source}",
            about=self._about(),
            verdict=Message(
                "{under}{loss} of the information in the quasi-identifiers is lost.",
                under="" if release is None else Message("Under {release}, ", release=release),
                loss=Amount(LOSS, loss.loss, LOSS.text),
            ),
            sentences=[] if trained is None else [trained.verdict()],
            tables=[column_table(self._lost), *([] if trained is None else [trained.table()])],
            charts=[
                Chart(
                    kind="heatmap",
                    title="Information lost, column by column",
                    says="0%: published as it is; 100%: nothing is left of the column",
                    x=Axis(label="", scale="names"),
                    y=Axis(label="information loss", share=True),
                    matrix=Matrix(
                        rows=[release or self.made_by], columns=list(loss.by_column),
                        cells=[numbers(loss.by_column.values())],
                    ),
                    follows_from=Follows.QUASI,
                ),
                replace(lost, title="What is lost, by three measures", rank=loss.loss,
                        says=lost.title, follows_from=Follows.QUASI),
            ],
        )  # fmt: skip

    def _about(self) -> list[str]:
        size, told = self.class_size, self.discernibility
        missing = f"; {told.missing:,} are missing" if told.missing else ""
        way = told.normalized
        far = "" if way is None else f" = {fine_percent(way)} of the way from best to worst"
        about = [
            f"{told.records:,} records in {told.classes:,} classes{missing}",
            f"information loss    {self.information_loss.loss:.1%} (0: nothing is lost, "
            "100%: everything)",
            f"entropy loss        {share_text(self.entropy_loss.loss)}",
            f"discernibility      {told.cost:,}{far}",
            f"average class size  {size.mean:,.4g} = {size.normalized:,.4g} × {size.k:,}, "
            f"{size.k_is}",
            f"suppressed          {self.suppression.of_records:.1%} of the records, "
            f"{self.suppression.of_cells:.1%} of the cells",
        ]
        if (trained := self.classifier) is not None:
            about.append(
                f"classifier          guesses {trained.target} of {trained.held_out:,} held-out "
                f"people, {trained.repeats} splits"
            )
        return about


@checked
@by_person
def utility(
    release: Any,
    microdata: Microdata,
    *,
    k: Annotated[
        int | None, Ge(1), Help("Size that classes must have. Default: that of the smallest."),
        Shell(metavar="K"),
    ] = None,
    classifier: Annotated[
        bool | None,
        Help("Also train a classifier. Default: only if a model or a column is given."),
    ] = None,
    model: Annotated[
        Any,
        Help("The classifier, by the name of an adversary. Default: naive-bayes."),
        Shell(parse=lambda texts: texts[-1], metavar="NAME"),
    ] = None,
    of: Annotated[
        str | None,
        Help("Column that the classifier predicts. Default: the sensitive one."),
        Shell(metavar="COLUMN"),
    ] = None,
    held_out: HeldOutShare = 0.3,
    repeats: Repeats = 10,
    seed: Seed = 0,
    progress: Progress = None,
) -> Utility:  # fmt: skip
    """All measures of utility of a release.

    Parameters
    ----------
    release : Release, Sanitizer or callable
        What is measured; a sanitizer is run on the microdata.
    microdata : Microdata
        The original table.
    model : str, scikit-learn classifier or Adversary, optional
        The classifier; see `classifier_utility`, also for ``of``, ``held_out`` and ``repeats``.

    Returns
    -------
    Utility

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
    <BLANKLINE>
      column   information loss   entropy loss   suppressed cells
      age                 41.4%          58.2%               0.0%
      gender              60.0%          69.6%              60.0%
    <BLANKLINE>
      50.7% of the information in the quasi-identifiers is lost.
    """
    trained: ClassifierUtility | None = None
    if classifier or (classifier is None and (model is not None or of is not None)):
        # First, because it may refuse its options; it runs a sanitizer on the training parts.
        trained = classifier_utility(
            release, microdata, model=model, of=of, held_out=held_out, repeats=repeats,
            seed=seed, progress=progress,
        )  # fmt: skip
    published = release_of(_made(release, microdata), microdata, "utility", true=True)
    # What is lost is lost of records, whosever they are.
    counts = count_records(published)
    told, size = one_pass(
        counts,
        [discernibility_looking(published, counts, microdata), ClassSizeLooking(counts, k=k)],
    )
    assert isinstance(told, Discernibility)
    assert isinstance(size, AverageClassSize)
    entropies = entropy_loss(published, microdata)
    heard: tuple[Text, ...] = trained.notes if trained is not None else ()
    if published.several is not None:
        heard = (*heard, "what is lost is about records, of which a person may have several: the "
                 "classes here are classes of records")  # fmt: skip
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
    if not callable(release) and not isinstance(release, sanitize.Sanitizer):
        raise InputError(
            "utility needs a release or a sanitizer, but got a {kind}; read a published table as "
            "a release with {call}",
            kind=type(release).__name__,
            call=Call("read_release"),
        )
    table = sanitize.as_microdata(microdata, "utility")
    return sanitize.as_sanitizer(release).sanitize(table)
