"""Classifier utility: what a classifier still learns from a release.

After V. S. Iyengar, *Transforming Data to Satisfy Privacy Constraints*, KDD 2002: train on what is
published, and test on people as they are. The result is compared with the same model trained on
the original records of the same people, and with the rule that names the most frequent value for
everybody.

Splits of one table share records, so their scores vary less than those of new tables would. The
variance is corrected for that after C. Nadeau and Y. Bengio, *Inference for the Generalization
Error*, Machine Learning 52 (2003).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.errors import Text
from unveil.findings import (
    Axis,
    Chart,
    Finding,
    Series,
    Story,
    Table,
)
from unveil.microdata import Microdata, Release

if TYPE_CHECKING:
    from unveil.sanitize import Sanitizer

_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Score:
    """A mean and its 95 % interval.

    >>> print(Score(0.731, 0.7122, 0.7498))
    73.1% (71.2% to 75.0%)
    """

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.1%} ({self.low:.1%} to {self.high:.1%})"


def score_of(
    scores: NDArray[np.float64], *, training: int, held_out: int, least: float, most: float = 1.0
) -> Score:
    """The mean of a score from ``least`` to ``most`` over two or more splits, and its interval.

    ``training`` and ``held_out`` are the numbers of records in the two parts of a split.

    >>> print(score_of(np.array([0.70, 0.73, 0.74]), training=70, held_out=30, least=0))
    72.3% (64.5% to 80.2%)
    """
    from scipy.special import stdtrit

    splits = len(scores)
    mean = math.fsum(scores.tolist()) / splits
    variance = math.fsum(((scores - mean) ** 2).tolist()) / (splits - 1)
    error = math.sqrt(variance * (1 / splits + held_out / training))
    half = float(stdtrit(splits - 1, (1 + _CONFIDENCE) / 2)) * error
    return Score(mean, max(least, mean - half), min(most, mean + half))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ClassifierUtility(Finding):
    """How well a classifier does that was trained on a release.

    Attributes
    ----------
    from_release, from_original, from_majority : array, one entry per split
        The share of held-out records whose value is predicted correctly: by the model trained on
        the release, by the same model trained on the original, and by the most frequent value of
        the original's training part.
    training, held_out : int
        Number of records in the two parts of a split.
    target : str
        The column that is predicted.
    model : str
    made_by : str
    source : str
        The original.
    sanitized_anew : bool
        Whether each training part was sanitized by itself. If not, the release was made once,
        with the held-out records in it.
    seed : int
    notes : tuple of str or Message
    """

    entry: ClassVar[str] = "classifier utility"

    from_release: NDArray[np.float64]
    from_original: NDArray[np.float64]
    from_majority: NDArray[np.float64]
    training: int
    held_out: int
    target: str
    model: str
    made_by: str
    source: str
    sanitized_anew: bool
    seed: int
    notes: tuple[Text, ...] = ()

    @property
    def repeats(self) -> int:
        """Number of splits."""
        return len(self.from_release)

    @cached_property
    def release(self) -> Score:
        """The accuracy of the model trained on the release."""
        return self._score(self.from_release)

    @cached_property
    def original(self) -> Score:
        """The accuracy of the model trained on the original."""
        return self._score(self.from_original)

    @cached_property
    def majority(self) -> Score:
        """The accuracy of predicting the most frequent value for everybody."""
        return self._score(self.from_majority)

    @cached_property
    def lost(self) -> Score:
        """How much lower the release's accuracy is than the original's, split by split."""
        return self._score(self.from_original - self.from_release, least=-1.0)

    @cached_property
    def taught(self) -> Score:
        """How much higher the original's accuracy is than the majority rule's."""
        return self._score(self.from_original - self.from_majority, least=-1.0)

    @property
    def kept(self) -> float | None:
        """The share of what the original teaches beyond the majority rule that the release keeps.

        Above 1 if the release teaches more, below 0 if it is worse than the rule. None,
        undefined, if the splits do not show that the original teaches more than the rule.
        """
        if self.taught.low <= 0:
            return None
        return (self.release.mean - self.majority.mean) / self.taught.mean

    def _score(self, scores: NDArray[np.float64], least: float = 0.0) -> Score:
        return score_of(scores, training=self.training, held_out=self.held_out, least=least)

    def to_frame(self) -> pd.DataFrame:
        """One row per split."""
        return pd.DataFrame(
            {
                "split": np.arange(self.repeats),
                "release": self.from_release,
                "original": self.from_original,
                "majority": self.from_majority,
            }
        )

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "release": self.made_by,
            "accuracy": self.attributes("release original majority"),
            **self.attributes(
                "source model target lost taught kept training held_out repeats sanitized_anew seed"
            ),
        }

    def story(self, release: Text | None = None) -> Story:
        title = f"What {self.model} still learns of {self.target} from {self.made_by}"
        scores = {
            "trained on the release": self.release,
            "trained on the original": self.original,
            "majority rule": self.majority,
        }
        accuracy = Series(
            name="accuracy", x=list(scores), y=[one.mean for one in scores.values()],
            low=[one.low for one in scores.values()], high=[one.high for one in scores.values()],
        )  # fmt: skip
        return Story(
            title=title,
            about=[
                f"tried on {self.held_out:,} held-out records of {self.source}, {self.repeats} "
                "splits"
            ],
            verdict=self._verdict(),
            tables=[self.table()],
            charts=[
                Chart(
                    kind="bars", title=title,
                    says=f"lines: 95% intervals, {self.repeats} splits",
                    x=Axis(label="", scale="names"),
                    y=Axis(label="held-out people predicted correctly", share=True),
                    series=[accuracy],
                )
            ],
        )  # fmt: skip

    def table(self) -> Table:
        """The accuracies with their intervals; only in a text."""
        scores = {
            "trained on the release": self.release,
            "trained on the original": self.original,
            "lost by the release": self.lost,
            "majority rule": self.majority,
        }
        return Table(
            columns=[self.model, "accuracy"],
            rows=[[name, (one.mean, str(one))] for name, one in scores.items()],
        )

    def _verdict(self) -> str:
        if self.kept is not None:
            return f"Kept of what the original teaches beyond the majority rule: {self.kept:.0%}."
        if self.taught.high < 0:
            return "Even the original teaches this model less than the majority rule: try another."
        return "That the original teaches more than the majority rule cannot be told from this."


def classifier_utility(
    release: Release | Sanitizer | Callable[[Any], Any],
    microdata: Microdata,
    *,
    model: Any = None,
    of: str | None = None,
    held_out: float = 0.3,
    repeats: int = 10,
    seed: int = 0,
    progress: bool | None = None,
) -> ClassifierUtility:
    """Classifier utility: how well a classifier trained on a release predicts unseen people.

    The original is split repeatedly, at random, into a training part and held-out records. The
    model is trained on the published version of the training part and on its original, and
    predicts the held-out records from their original quasi-identifiers.

    Parameters
    ----------
    release : Release, Sanitizer or callable
        With a sanitizer, each training part is sanitized by itself, and the model sees nothing of
        the held-out records. With a release, the model sees the released records of the training
        part, but the classes were made with everybody. The records must be those of the original,
        in its order.
    microdata : Microdata
        The original table.
    model : str, scikit-learn classifier or Adversary, optional
        The model, by the name of an adversary: ``"naive-bayes"`` (the default),
        ``"tree@bounds-hot"``, ``"forest@bounds-hot"`` and others.
    of : str, optional
        The column to predict: the sensitive one (the default), or one that is neither sensitive
        nor a quasi-identifier and is published as it is.
    held_out : float
        The share of records that are held out.
    repeats : int
        Number of splits, at least 2.
    seed : int
        Random seed of the splits, the sanitizer and the model.
    progress : bool, optional
        Show progress. Default: if standard error is a terminal.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.datasets.election_survey()
    >>> uv.classifier_utility(uv.Mondrian(k=20), survey, of="vote")
    What Bernoulli naive Bayes still learns of vote from Mondrian(k=20)
      tried on 283 held-out records of election_survey.csv, 10 splits
    <BLANKLINE>
      Bernoulli naive Bayes                   accuracy
      trained on the release    59.3% (57.0% to 61.6%)
      trained on the original   55.9% (52.4% to 59.4%)
      lost by the release       -3.4% (-7.3% to 0.4%)
      majority rule             57.3% (54.4% to 60.3%)
    <BLANKLINE>
      That the original teaches more than the majority rule cannot be told from this.
    """
    # numba and the models take a second to import, and most measures do not need them.
    from unveil.measures._training import course_of

    course = course_of(
        release, microdata, model=model, of=of, held_out=held_out, repeats=repeats, seed=seed
    )
    scores = course.scores(progress)
    return ClassifierUtility(
        from_release=scores[:, 0],
        from_original=scores[:, 1],
        from_majority=scores[:, 2],
        training=course.training,
        held_out=course.held_out,
        target=course.target.name,
        model=course.model.label,
        made_by=course.made_by,
        source=microdata.source,
        sanitized_anew=not isinstance(course.published, Release),
        seed=course.seed,
        notes=course.notes(),
    )
